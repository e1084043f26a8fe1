//! Opened values, and how they are closed again when files are written.

use std::io::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Map, Value};

use crate::verify::{Release, release_object};

/// Keys of opened values, which no field of Kubernetes has.
pub const PACKED: &str = "gleaner/packed";
pub const RELEASE: &str = "gleaner/release";

/// Converts an opened value back to its form in a file.
pub fn closed(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            if let Some(release) = fields.get(RELEASE) {
                let release: Option<Release> = serde_json::from_value(release.clone()).ok();
                return release.map_or(Value::Null, |release| release_object(&release));
            }
            if let Some(packed) = fields.get(PACKED) {
                return pack(packed).into();
            }
            fields.iter().map(|(key, inner)| (key.clone(), closed(inner))).collect::<Map<_, _>>().into()
        }
        Value::Array(items) => items.iter().map(closed).collect(),
        other => other.clone(),
    }
}

pub(super) fn pack(packed: &Value) -> String {
    let text = packed.get("text").and_then(Value::as_str).map(|text| text.as_bytes().to_vec());
    let mut bytes = text.unwrap_or_else(|| packed.get("json").map(Value::to_string).unwrap_or_default().into_bytes());
    let layers = packed.get("layers").and_then(Value::as_array).into_iter().flatten();
    for layer in layers.rev() {
        bytes = if layer == "gzip" { deflated(&bytes) } else { STANDARD.encode(&bytes).into_bytes() };
    }
    String::from_utf8(bytes).unwrap_or_default()
}

pub(super) fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut writer = GzEncoder::new(Vec::new(), Compression::default());
    // Writing to memory cannot fail.
    writer.write_all(bytes).and_then(|()| writer.finish()).unwrap_or_default()
}

/// Returns true for texts that cannot be decoded: packed bytes that are not text, and certificates.
pub fn is_opaque(text: &str) -> bool {
    const LONG: usize = 64;
    let text = text.trim();
    text.contains("-----BEGIN CERTIFICATE") || text.len() >= LONG && is_base64(text.as_bytes()) && !is_hash(text)
}

fn is_hash(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_hexdigit())
}

pub(super) fn is_base64(bytes: &[u8]) -> bool {
    bytes.len().is_multiple_of(4) && bytes.iter().all(|b| b.is_ascii_alphanumeric() || b"+/=".contains(b))
}
