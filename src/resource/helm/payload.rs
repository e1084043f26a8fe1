//! Payload of a Helm record: base64 and gzip around JSON (Helm 3) or protobuf (Helm 2).
//!
//! [`decode`] gives a [`Payload`]; [`Payload::document`] is the part that rules see. Formats: Helm 3's
//! `pkg/storage/driver`, and `hapi/release` of Helm 2.

use std::io::Read;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::read::MultiGzDecoder;
use jiff::Timestamp;
use serde::{Deserialize, Deserializer};

use crate::model::message::HelmFault;
use crate::model::protobuf::{Malformed, Value, fields, numbers};
use crate::model::secret;
use crate::yaml::normalise::{Dialect, normalise};
use crate::yaml::{self, Builder, Document, Kind, Node};

/// Maximum number of bytes to which a release may expand.
pub const MAX_EXPANDED: u64 = 32 << 20;
const TOO_LARGE: HelmFault = HelmFault::TooLarge { mebibytes: MAX_EXPANDED >> 20 };
/// Maximum number of base64 layers: one by Helm, one by the Secret.
const MAX_LAYERS: usize = 2;
const GZIP: [u8; 3] = [0x1f, 0x8b, 0x08];

/// A decoded release.
#[derive(Debug, Default)]
pub struct Payload {
    pub namespace: Option<String>,
    pub chart: Chart,
    pub description: Option<String>,
    /// RFC 3339.
    pub updated: Option<String>,
    pub manifest: String,
    pub hooks: Vec<Hook>,
    /// Bytes after inflating.
    pub expanded: u64,
}

/// Chart of a release.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Chart {
    pub name: Option<String>,
    pub version: Option<String>,
    pub app_version: Option<String>,
}

/// One hook of a release.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Hook {
    pub name: String,
    pub kind: String,
    pub path: String,
    pub manifest: String,
    #[serde(deserialize_with = "or_default")]
    pub events: Vec<String>,
    #[serde(deserialize_with = "or_default")]
    pub delete_policies: Vec<String>,
}

/// Decodes the text of `data.release`, whichever Helm wrote it: JSON begins with a brace, with
/// which no protobuf message can begin.
///
/// # Errors
/// If a layer is not what it should be, or the release is too large.
pub fn decode(text: &str) -> Result<Payload, HelmFault> {
    let inner = unwrap(text)?;
    let mut payload =
        if inner.trim_ascii_start().starts_with(b"{") { from_json(&inner)? } else { from_protobuf(&inner)? };
    payload.expanded = inner.len() as u64;
    // The manifest is masked with its objects; the description has the error of the last upgrade.
    payload.description = payload.description.map(|text| secret::redact(&text).into_owned());
    Ok(payload)
}

/// Removes base64 and gzip.
fn unwrap(text: &str) -> Result<Vec<u8>, HelmFault> {
    if text.is_empty() {
        return Err(HelmFault::Missing);
    }
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..MAX_LAYERS {
        bytes.retain(|b| !b.is_ascii_whitespace());
        bytes = STANDARD.decode(&bytes).map_err(|_| HelmFault::NotBase64)?;
        if bytes.starts_with(&GZIP) {
            return inflate(&bytes);
        }
        if !bytes.iter().all(|b| b.is_ascii_alphanumeric() || b"+/=\r\n".contains(b)) {
            break;
        }
    }
    Ok(bytes)
}

fn inflate(bytes: &[u8]) -> Result<Vec<u8>, HelmFault> {
    let mut inner = Vec::new();
    let read = MultiGzDecoder::new(bytes).take(MAX_EXPANDED + 1).read_to_end(&mut inner);
    read.map_err(|e| HelmFault::NotGzip { error: e.to_string() })?;
    if inner.len() as u64 > MAX_EXPANDED { Err(TOO_LARGE) } else { Ok(inner) }
}

/// Parts of Helm 3's JSON that are used.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Json {
    namespace: Option<String>,
    info: JsonInfo,
    chart: Option<JsonChart>,
    #[serde(deserialize_with = "or_default")]
    manifest: String,
    #[serde(deserialize_with = "or_default")]
    hooks: Vec<Hook>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct JsonInfo {
    description: Option<String>,
    last_deployed: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct JsonChart {
    metadata: Option<Chart>,
}

/// Go writes an empty list or text as null.
fn or_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(source: D) -> Result<T, D::Error> {
    Ok(Option::deserialize(source)?.unwrap_or_default())
}

fn from_json(bytes: &[u8]) -> Result<Payload, HelmFault> {
    let json: Json = serde_json::from_slice(bytes).map_err(|e| HelmFault::NotJson { error: e.to_string() })?;
    Ok(Payload {
        namespace: json.namespace,
        chart: json.chart.and_then(|c| c.metadata).unwrap_or_default(),
        description: json.info.description,
        updated: json.info.last_deployed,
        manifest: json.manifest,
        hooks: json.hooks,
        expanded: 0,
    })
}

impl From<Malformed> for HelmFault {
    fn from(Malformed(offset): Malformed) -> Self {
        Self::NotProtobuf { offset }
    }
}

/// hapi.release.Release: 2 info, 3 chart, 5 manifest, 6 hooks, 8 namespace.
fn from_protobuf(bytes: &[u8]) -> Result<Payload, HelmFault> {
    let mut payload = Payload::default();
    for field in fields(bytes) {
        match field? {
            (2, Value::Bytes(info)) => read_info(&mut payload, info)?,
            (3, Value::Bytes(chart)) => payload.chart = read_chart(chart)?,
            (5, Value::Bytes(manifest)) => payload.manifest = text(manifest),
            (6, Value::Bytes(hook)) => payload.hooks.push(read_hook(hook)?),
            (8, Value::Bytes(namespace)) => payload.namespace = Some(text(namespace)),
            _ => {}
        }
    }
    Ok(payload)
}

/// hapi.release.Info: 3 last deployed, 5 description.
fn read_info(payload: &mut Payload, bytes: &[u8]) -> Result<(), HelmFault> {
    for field in fields(bytes) {
        match field? {
            (3, Value::Bytes(time)) => payload.updated = read_time(time)?,
            (5, Value::Bytes(description)) => payload.description = Some(text(description)),
            _ => {}
        }
    }
    Ok(())
}

/// google.protobuf.Timestamp: 1 seconds.
fn read_time(bytes: &[u8]) -> Result<Option<String>, HelmFault> {
    let mut time = None;
    for field in fields(bytes) {
        if let (1, Value::Number(seconds)) = field? {
            time = Timestamp::from_second(seconds.cast_signed()).ok().map(|t| t.to_string());
        }
    }
    Ok(time)
}

/// hapi.chart.Chart: 1 metadata; hapi.chart.Metadata: 1 name, 4 version, 13 application version.
fn read_chart(bytes: &[u8]) -> Result<Chart, HelmFault> {
    let mut chart = Chart::default();
    // The chart itself may be truncated or malformed; only its first field is needed.
    let metadata = fields(bytes).filter_map(Result::ok).find(|(number, _)| *number == 1);
    if let Some((_, Value::Bytes(metadata))) = metadata {
        for field in fields(metadata) {
            match field? {
                (1, Value::Bytes(name)) => chart.name = Some(text(name)),
                (4, Value::Bytes(version)) => chart.version = Some(text(version)),
                (13, Value::Bytes(version)) => chart.app_version = Some(text(version)),
                _ => {}
            }
        }
    }
    Ok(chart)
}

/// hapi.release.Hook: 1 name, 2 kind, 3 path, 4 manifest, 5 events, 8 delete policies.
fn read_hook(bytes: &[u8]) -> Result<Hook, HelmFault> {
    let mut hook = Hook::default();
    for field in fields(bytes) {
        match field? {
            (1, Value::Bytes(name)) => hook.name = text(name),
            (2, Value::Bytes(kind)) => hook.kind = text(kind),
            (3, Value::Bytes(path)) => hook.path = text(path),
            (4, Value::Bytes(manifest)) => hook.manifest = text(manifest),
            (5, events) => hook.events.extend(names_of(events, &EVENTS)),
            (8, policies) => hook.delete_policies.extend(names_of(policies, &DELETE_POLICIES)),
            _ => {}
        }
    }
    Ok(hook)
}

/// Events by number, as the annotation of a chart names them.
const EVENTS: [&str; 12] = [
    "unknown",
    "pre-install",
    "post-install",
    "pre-delete",
    "post-delete",
    "pre-upgrade",
    "post-upgrade",
    "pre-rollback",
    "post-rollback",
    "test-success",
    "test-failure",
    "crd-install",
];
/// Deletion policies by number.
const DELETE_POLICIES: [&str; 3] = ["hook-succeeded", "hook-failed", "before-hook-creation"];

fn names_of(value: Value<'_>, names: &'static [&'static str]) -> Vec<String> {
    let name = |number: u64| usize::try_from(number).ok().and_then(|n| names.get(n)).map(|n| (*n).to_owned());
    numbers(value).into_iter().filter_map(name).collect()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

impl Payload {
    /// Builds `{manifest: [objects], hooks: [{name, kind, path, events, delete_policies, manifest}]}`, and
    /// counts the texts that are not valid YAML.
    pub fn document(&self) -> (Document, usize) {
        let mut out = Builder::new("");
        let mut broken = 0;
        out.open(Kind::Mapping, 0);
        key(&mut out, "manifest");
        out.open(Kind::Sequence, 0);
        let (objects, problems) = yaml::parse(self.manifest.clone().into_bytes());
        broken += problems.len();
        objects.roots().filter(|root| root.kind() == Kind::Mapping).for_each(|root| copy(&mut out, root));
        out.close();
        key(&mut out, "hooks");
        out.open(Kind::Sequence, 0);
        for hook in &self.hooks {
            broken += write_hook(&mut out, hook);
        }
        out.close();
        out.close();
        let mut document = out.made();
        // Masks secrets in manifests as in dumps.
        normalise(&mut document, Dialect::Plain);
        (document, broken)
    }
}

fn write_hook(out: &mut Builder<'_>, hook: &Hook) -> usize {
    out.open(Kind::Mapping, 0);
    for (name, value) in [("name", &hook.name), ("kind", &hook.kind), ("path", &hook.path)] {
        string(out, name, value);
    }
    for (name, values) in [("events", &hook.events), ("delete_policies", &hook.delete_policies)] {
        key(out, name);
        out.open(Kind::Sequence, 0);
        values.iter().for_each(|value| out.owned(Kind::String, 0..0, value));
        out.close();
    }
    let (object, problems) = yaml::parse(hook.manifest.clone().into_bytes());
    if let Some(root) = object.roots().find(|root| root.kind() == Kind::Mapping) {
        key(out, "manifest");
        copy(out, root);
    }
    out.close();
    problems.len()
}

/// Writes a key; its value comes next.
pub(super) fn key(out: &mut Builder<'_>, name: &str) {
    out.owned(Kind::String, 0..0, name);
}

/// Writes a key with a text; an empty text is absent.
pub(super) fn string(out: &mut Builder<'_>, name: &str, value: &str) {
    if !value.is_empty() {
        key(out, name);
        out.owned(Kind::String, 0..0, value);
    }
}

/// Copies a subtree; readers bound its depth ([`yaml::tape::MAX_DEPTH`]).
fn copy(out: &mut Builder<'_>, node: Node<'_>) {
    match node.kind() {
        Kind::Mapping => {
            out.open(Kind::Mapping, 0);
            for (name, value) in node.entries() {
                key(out, &name);
                copy(out, value);
            }
            out.close();
        }
        Kind::Sequence => {
            out.open(Kind::Sequence, 0);
            node.items().for_each(|item| copy(out, item));
            out.close();
        }
        kind => out.owned(kind, 0..0, node.text()),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::io::Write;

    use super::*;

    /// base64(gzip(bytes)), as Helm writes a release into a ConfigMap.
    pub fn wrap(bytes: &[u8]) -> String {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        STANDARD.encode(encoder.finish().unwrap())
    }

    fn field(number: u8, body: &[u8]) -> Vec<u8> {
        let mut out = vec![number << 3 | 2];
        let mut length = body.len();
        while length >= 0x80 {
            out.push(length as u8 | 0x80);
            length >>= 7;
        }
        out.push(length as u8);
        out.extend_from_slice(body);
        out
    }

    /// A release of Helm 2 in namespace `demo` with one Service and one hook.
    pub fn helm2() -> Vec<u8> {
        let metadata = [field(1, b"webshop"), field(4, b"1.2.3")].concat();
        let mut time = vec![0x08];
        time.extend_from_slice(&[0x80, 0xb4, 0xa4, 0x91, 0x06]);
        let info = [field(3, &time), field(5, b"Upgrade complete")].concat();
        let hook_manifest = b"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\n";
        let hook = [field(1, b"settings"), field(2, b"ConfigMap"), field(4, hook_manifest), field(5, &[1, 5])].concat();
        [
            field(1, b"shop"),
            field(2, &info),
            field(3, &field(1, &metadata)),
            field(5, b"---\napiVersion: v1\nkind: Service\nmetadata:\n  name: web\n---\nkind: Pod\n"),
            field(6, &hook),
            field(8, b"demo"),
        ]
        .concat()
    }

    pub const HELM3: &str = r#"{"name":"shop","namespace":"demo","version":3,
        "info":{"last_deployed":"2024-05-01T10:00:00.5+02:00","description":"Install complete","status":"deployed"},
        "chart":{"metadata":{"name":"webshop","version":"2.0.0","appVersion":"7"},"templates":[]},
        "manifest":"kind: Service\n","hooks":null}"#;

    #[test]
    fn helm_2_releases_are_decoded() {
        let payload = decode(&wrap(&helm2())).unwrap();
        assert_eq!(payload.namespace.as_deref(), Some("demo"));
        assert_eq!(payload.chart.name.as_deref(), Some("webshop"));
        assert_eq!(payload.chart.version.as_deref(), Some("1.2.3"));
        assert_eq!(payload.updated.as_deref(), Some("2022-03-09T21:20:00Z"));
        assert_eq!(payload.description.as_deref(), Some("Upgrade complete"));
        let (document, broken) = payload.document();
        let root = document.roots().next().unwrap();
        assert_eq!(broken, 0);
        assert_eq!(root.get("manifest").unwrap().len(), 2);
        assert_eq!(root.get("manifest").unwrap().at(0).unwrap().str_at(&["metadata", "name"]), Some("web"));
        let hook = root.get("hooks").unwrap().at(0).unwrap();
        assert_eq!(hook.str_at(&["kind"]), Some("ConfigMap"));
        assert_eq!(hook.str_at(&["manifest", "metadata", "name"]), Some("settings"));
        let events: Vec<_> = hook.get("events").unwrap().items().map(Node::text).collect();
        assert_eq!(events, ["pre-install", "pre-upgrade"]);
    }

    #[test]
    fn helm_3_releases_are_decoded_from_both_kinds_of_record() {
        let once = wrap(HELM3.as_bytes());
        for text in [once.clone(), STANDARD.encode(&once), STANDARD.encode(HELM3)] {
            let payload = decode(&text).unwrap();
            assert_eq!(payload.chart.app_version.as_deref(), Some("7"));
            assert_eq!(payload.description.as_deref(), Some("Install complete"));
            assert_eq!(payload.document().0.roots().next().unwrap().get("manifest").unwrap().len(), 1);
        }
    }

    #[test]
    fn damage_is_an_error_not_a_guess() {
        let wrong = |text: &str| decode(text).unwrap_err();
        assert_eq!(wrong(""), HelmFault::Missing);
        assert_eq!(wrong("%%%"), HelmFault::NotBase64);
        assert!(matches!(wrong(&wrap(b"{")), HelmFault::NotJson { .. }));
        assert!(matches!(wrong(&wrap(&helm2()[..40])), HelmFault::NotProtobuf { .. }));
        let cut = wrap(&helm2());
        assert!(matches!(wrong(&cut[..cut.len() / 8 * 4]), HelmFault::NotGzip { .. }));
    }

    #[test]
    fn a_bomb_is_refused() {
        let bomb = wrap(&vec![b' '; MAX_EXPANDED as usize + 10]);
        assert!(bomb.len() < 1 << 20);
        assert_eq!(decode(&bomb).unwrap_err(), TOO_LARGE);
    }

    #[test]
    fn texts_that_are_no_yaml_are_counted() {
        let payload = Payload { manifest: "a: [".to_owned(), ..Payload::default() };
        assert_eq!(payload.document().1, 1);
    }
}
