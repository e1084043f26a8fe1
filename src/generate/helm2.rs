//! Records of Helm 2 as Tiller keeps them: a ConfigMap for each revision, in it base64 of gzip of protobuf
//! `hapi.release.Release`.

use std::io::{self, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

use super::world::World;

/// One revision of a release.
#[derive(Clone, Debug)]
pub struct Revision<'a> {
    pub release: &'a str,
    pub namespace: &'a str,
    pub number: u64,
    pub status: Status,
    /// Seconds since 1970.
    pub at: i64,
    pub chart: (&'a str, &'a str),
    pub description: &'a str,
    pub manifest: String,
}

/// States of a release; the number is that of `hapi.release.Status.Code`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Deployed = 1,
    Superseded = 3,
    Failed = 4,
}

impl Status {
    fn label(self) -> &'static str {
        match self {
            Self::Deployed => "DEPLOYED",
            Self::Superseded => "SUPERSEDED",
            Self::Failed => "FAILED",
        }
    }
}

impl World {
    /// Adds the record of a revision.
    pub fn tiller_record(&mut self, revision: &Revision<'_>) {
        let name = format!("{}.v{}", revision.release, revision.number);
        let labels = json!({
            "OWNER": "TILLER", "NAME": revision.release, "STATUS": revision.status.label(),
            "VERSION": revision.number.to_string(), "MODIFIED_AT": revision.at.to_string(),
        });
        // Writing to memory cannot fail.
        let payload = gzip(&message(revision)).unwrap_or_default();
        let data = json!({"release": STANDARD.encode(payload)});
        let body: Value = json!({"metadata": {"labels": labels}, "data": data});
        self.add("v1", "ConfigMap", "configmaps", "kube-system", &name, body);
    }
}

/// Stored without compression, so that the bytes do not depend on the library.
fn gzip(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut writer = GzEncoder::new(Vec::new(), Compression::none());
    writer.write_all(bytes)?;
    writer.finish()
}

/// Name 1, info 2 (status 1 with code 1, last_deployed 3, description 5), chart 3 (metadata 1: name 1, version 4), manifest 5,
/// version 7, namespace 8.
fn message(revision: &Revision<'_>) -> Vec<u8> {
    let mut status = Vec::new();
    number(&mut status, 1, revision.status as u64);
    let mut deployed = Vec::new();
    number(&mut deployed, 1, revision.at.unsigned_abs());
    let mut info = Vec::new();
    bytes(&mut info, 1, &status);
    bytes(&mut info, 3, &deployed);
    bytes(&mut info, 5, revision.description.as_bytes());
    let mut metadata = Vec::new();
    bytes(&mut metadata, 1, revision.chart.0.as_bytes());
    bytes(&mut metadata, 4, revision.chart.1.as_bytes());
    let mut chart = Vec::new();
    bytes(&mut chart, 1, &metadata);
    let mut release = Vec::new();
    bytes(&mut release, 1, revision.release.as_bytes());
    bytes(&mut release, 2, &info);
    bytes(&mut release, 3, &chart);
    bytes(&mut release, 5, revision.manifest.as_bytes());
    number(&mut release, 7, revision.number);
    bytes(&mut release, 8, revision.namespace.as_bytes());
    release
}

fn bytes(out: &mut Vec<u8>, field: u8, value: &[u8]) {
    out.push(field << 3 | 2);
    varint(out, value.len() as u64);
    out.extend_from_slice(value);
}

fn number(out: &mut Vec<u8>, field: u8, value: u64) {
    out.push(field << 3);
    varint(out, value);
}

fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}
