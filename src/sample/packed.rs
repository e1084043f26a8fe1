//! Packed values: base64, gzip and records of Helm. They are opened, so that their content can be
//! reduced and redacted like everything else, and closed again when files are written.
//!
//! An opened value is `{PACKED: {layers: [base64, gzip], json: ...}}`, or `text` in place of `json`; a record of Helm becomes
//! `{RELEASE: ...}` in the form that rule tests have for releases.

use std::io::Read;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::read::GzDecoder;
use serde_json::{Map, Value, json};

use super::content::{Content, File};
use super::packed_value::{PACKED, RELEASE, is_base64};
use super::trial::Trial;
use crate::model::secret;
use crate::resource::payload;
use crate::yaml::normalise::{Dialect, normalise};
use crate::yaml::{self, Node};

/// Maximum number of bytes to which a value may expand.
const MAX_EXPANDED: u64 = 8 << 20;
/// Maximum number of bytes to which all values of a content may expand together.
const MAX_ALL: usize = 64 << 20;
/// Maximum number of layers: Secrets of Helm have base64 in base64.
const MAX_LAYERS: usize = 3;
/// Minimum length; shorter words may be base64 by chance.
const SHORTEST: usize = 16;

/// Returns true if an object is Helm's record of a release.
pub fn is_helm_record(node: Node<'_>) -> bool {
    let label = |key: &str| node.str_at(&["metadata", "labels", key]);
    label("OWNER") == Some("TILLER") || label("owner") == Some("helm")
}

/// Opens the packed values of a content; none if the rule no longer fires.
pub fn open(content: Content, trial: &Trial<'_>) -> Option<Content> {
    // Releases are easiest to read; a record with fields that tests cannot express stays JSON.
    let opened = |by: Way| {
        let mut room = MAX_ALL;
        let mut file = |file: &File| {
            let parts = file.parts.iter().map(|part| opened(part, by, &mut room)).collect();
            File { parts, ..file.clone() }
        };
        Content { name: content.name.clone(), files: content.files.iter().map(&mut file).collect() }
    };
    [Way::Releases, Way::Layers].into_iter().map(opened).find(|content| trial.fires(content))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Releases,
    Layers,
}

fn opened(value: &Value, way: Way, room: &mut usize) -> Value {
    match value {
        Value::String(text) => unpacked(text, room).unwrap_or_else(|| value.clone()),
        Value::Array(items) => items.iter().map(|item| opened(item, way, room)).collect(),
        Value::Object(fields) => {
            let release = (way == Way::Releases).then(|| release(value)).flatten();
            if let Some(release) = release {
                return json!({ RELEASE: release });
            }
            let is_record = is_record(value);
            let inner = |(key, inner): (&String, &Value)| {
                let inner = opened(inner, way, room);
                let is_closed = is_record && key == "data" && inner.get("release").is_some_and(Value::is_string);
                // Parts of a record that cannot be opened must not be published.
                (key.clone(), if is_closed { json!({"release": secret::MASK}) } else { inner })
            };
            fields.iter().map(inner).collect::<Map<String, Value>>().into()
        }
        other => other.clone(),
    }
}

fn is_record(object: &Value) -> bool {
    let label = |key: &str| object.pointer(&format!("/metadata/labels/{key}")).and_then(Value::as_str);
    label("OWNER") == Some("TILLER") || label("owner") == Some("helm")
}

/// Converts a record of Helm to a release of rule tests.
fn release(object: &Value) -> Option<Value> {
    if !is_record(object) {
        return None;
    }
    let text = object.pointer("/data/release")?.as_str()?;
    let label = |key: &str| object.pointer(&format!("/metadata/labels/{key}")).and_then(Value::as_str);
    let is_second = label("OWNER").is_some();
    let (name, status, version) = if is_second { ("NAME", "STATUS", "VERSION") } else { ("name", "status", "version") };
    let payload = payload::decode(text).ok()?;
    let hooks = payload.hooks.iter().map(|hook| {
        let manifest = documents(&hook.manifest).into_iter().next();
        json!({"name": hook.name, "kind": hook.kind, "events": hook.events, "manifest": manifest})
    });
    let mut release = json!({
        "name": label(name)?,
        "namespace": payload.namespace.as_deref().or(object.pointer("/metadata/namespace")?.as_str()),
        "revision": label(version)?.parse::<i64>().ok()?,
        "status": label(status)?.to_lowercase().replace('_', "-"),
        "source": if is_second { "helm2" } else { "helm3" },
        "chart": payload.chart.name.unwrap_or_default(),
        "chart_version": payload.chart.version.unwrap_or_default(),
        "updated": payload.updated,
        "description": payload.description.unwrap_or_default(),
        "manifest": documents(&payload.manifest),
        "hooks": hooks.collect::<Vec<_>>(),
    });
    if let Value::Object(fields) = &mut release {
        fields.retain(|_, value| !value.is_null() && value.as_str() != Some(""));
    }
    Some(release)
}

fn documents(text: &str) -> Vec<Value> {
    let (mut document, _) = yaml::parse(text.as_bytes().to_vec());
    normalise(&mut document, Dialect::Plain);
    let roots = document.roots().filter(|root| !root.is_null());
    roots.map(masked).collect()
}

/// Converts a node to a value with secrets masked.
pub fn masked(node: Node<'_>) -> Value {
    match node.kind() {
        _ if node.is_secret() => secret::MASK.into(),
        yaml::Kind::Mapping => {
            node.entries().map(|(key, value)| (key.into_owned(), masked(value))).collect::<Map<_, _>>().into()
        }
        yaml::Kind::Sequence => node.items().map(masked).collect(),
        yaml::Kind::Null => Value::Null,
        yaml::Kind::Bool => node.as_bool().into(),
        yaml::Kind::Number => node.as_i64().map_or_else(|| json!(node.as_f64()), Value::from),
        yaml::Kind::String => node.text().into(),
    }
}

/// Opens a text in layers of base64 and gzip, if its content is text, too.
fn unpacked(text: &str, room: &mut usize) -> Option<Value> {
    if text.len() < SHORTEST || !is_base64(text.as_bytes()) {
        return None;
    }
    let (mut bytes, mut layers) = (text.as_bytes().to_vec(), Vec::new());
    while layers.len() < MAX_LAYERS {
        if bytes.starts_with(&[0x1f, 0x8b]) {
            bytes = inflated(&bytes)?;
            layers.push("gzip");
        } else if layers.last() != Some(&"gzip") && bytes.len() >= SHORTEST && is_base64(&bytes) {
            match STANDARD.decode(&bytes) {
                Ok(inner) => bytes = inner,
                Err(_) => break,
            }
            layers.push("base64");
        } else {
            break;
        }
    }
    let text =
        String::from_utf8(bytes).ok().filter(|text| !text.contains(|c: char| c.is_control() && !c.is_whitespace()))?;
    *room = room.checked_sub(text.len())?;
    let inner = match documents(&text).as_slice() {
        [document @ (Value::Object(_) | Value::Array(_))] if text.trim_start().starts_with(['{', '[']) => {
            ("json", document.clone())
        }
        _ => ("text", secret::redact(&text).into_owned().into()),
    };
    Some(json!({ PACKED: {"layers": layers, (inner.0): inner.1} }))
}

fn inflated(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    GzDecoder::new(bytes).take(MAX_EXPANDED + 1).read_to_end(&mut out).ok()?;
    (out.len() as u64 <= MAX_EXPANDED).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::super::packed_value::{closed, deflated, is_opaque, pack};
    use super::*;
    use crate::verify::{Release, release_object};

    fn through(text: &str) -> Option<(Value, String)> {
        let opened = unpacked(text, &mut MAX_ALL.clone())?;
        Some((opened.get(PACKED)?.clone(), pack(opened.get(PACKED)?)))
    }

    #[test]
    fn layers_are_taken_off_and_put_on_again() {
        let plain = r#"{"spec":{"host":"alpha.acme.de"}}"#;
        let once = STANDARD.encode(plain);
        let (opened, closed) = through(&once).unwrap();
        assert_eq!(opened, json!({"layers": ["base64"], "json": {"spec": {"host": "alpha.acme.de"}}}));
        assert_eq!(closed, once);
        let helm = STANDARD.encode(STANDARD.encode(deflated(b"some text of several words")));
        let (opened, closed) = through(&helm).unwrap();
        assert_eq!(opened, json!({"layers": ["base64", "base64", "gzip"], "text": "some text of several words"}));
        assert_eq!(closed, helm);
    }

    #[test]
    fn secrets_within_are_masked() {
        let (opened, _) = through(&STANDARD.encode("{\"password\": \"hunter22\", \"b\": 1}")).unwrap();
        assert_eq!(opened["json"]["password"], secret::MASK);
    }

    #[test]
    fn binary_values_stay_packed() {
        for text in
            ["short", "kubernetes-not-base64", &STANDARD.encode([0xff; 60]), &STANDARD.encode(deflated(&[0xff; 60]))]
        {
            assert_eq!(through(text), None, "{text}");
        }
        let bomb = STANDARD.encode(deflated(&vec![b'a'; MAX_EXPANDED as usize + 1]));
        assert_eq!(through(&bomb), None);
        assert!(is_opaque(&STANDARD.encode([0xff; 60])) && !is_opaque(&"0f".repeat(32)) && !is_opaque("a sentence"));
    }

    #[test]
    fn a_release_keeps_what_rules_read() {
        let release: Release = serde_json::from_value(json!({
            "name": "shop", "namespace": "a", "revision": 3, "status": "pending-upgrade", "source": "helm2", "chart": "shop",
            "manifest": [{"kind": "Service", "apiVersion": "v1", "metadata": {"name": "web"}}],
            "hooks": [{"name": "h", "kind": "Job", "events": [], "manifest": {"kind": "Job", "metadata": {"name": "h"}}}],
        }))
        .unwrap();
        let object = release_object(&release);
        let opened = opened(&object, Way::Releases, &mut MAX_ALL.clone());
        assert_eq!(opened[RELEASE]["manifest"][0]["metadata"]["name"], "web");
        assert_eq!(opened[RELEASE]["status"], "pending-upgrade");
        assert_eq!(closed(&opened), object);
    }
}
