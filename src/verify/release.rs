//! Helm releases of rule tests, in the format of their storage.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use jiff::Timestamp;
use serde_json::{Value, json};
use std::io::Write;

use super::case::{Hook, Origin, Release};

/// Returns the object in which Helm or Rancher stores the release.
pub fn object(release: &Release) -> Value {
    match release.source {
        Origin::Helm2 => tiller(release),
        Origin::Helm3 => secret(release),
        Origin::App => app(release),
    }
}

/// Helm 2: a ConfigMap of Tiller, base64 of gzip of protobuf `hapi.release.Release`.
fn tiller(release: &Release) -> Value {
    let status = release.status.to_uppercase().replace('-', "_");
    let mut labels = json!({
        "OWNER": "TILLER", "NAME": release.name, "STATUS": status, "VERSION": release.revision.to_string(),
    });
    if let Some(updated) = release.updated.as_ref().and_then(|time| time.parse::<Timestamp>().ok()) {
        labels["MODIFIED_AT"] = json!(updated.as_second().to_string());
    }
    json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {
            "name": format!("{}.v{}", release.name, release.revision),
            "namespace": "kube-system",
            "labels": labels,
        },
        "data": {"release": STANDARD.encode(gzip(&protobuf(release)))},
    })
}

/// Helm 3: a Secret whose data is encoded once by Helm and once by Kubernetes.
fn secret(release: &Release) -> Value {
    let payload = json!({
        "name": release.name, "namespace": release.namespace, "version": release.revision,
        "info": {"status": release.status, "description": release.description, "last_deployed": release.updated},
        "chart": {"metadata": {"name": release.chart, "version": release.chart_version}},
        "manifest": manifest(&release.manifest),
        "hooks": release.hooks.iter().map(hook).collect::<Vec<_>>(),
    });
    let encoded = STANDARD.encode(STANDARD.encode(gzip(payload.to_string().as_bytes())));
    json!({
        "apiVersion": "v1", "kind": "Secret", "type": "helm.sh/release.v1",
        "metadata": {
            "name": format!("sh.helm.release.v1.{}.v{}", release.name, release.revision),
            "namespace": release.namespace,
            "labels": {"owner": "helm", "name": release.name, "status": release.status, "version": release.revision.to_string()},
        },
        "data": {"release": encoded},
    })
}

fn app(release: &Release) -> Value {
    json!({
        "apiVersion": "catalog.cattle.io/v1", "kind": "App",
        "metadata": {"name": release.name, "namespace": release.namespace},
        "spec": {
            "name": release.name, "namespace": release.namespace, "version": release.revision,
            "info": {"status": release.status, "description": release.description, "lastDeployed": release.updated},
            "chart": {"metadata": {"name": release.chart, "version": release.chart_version}},
        },
    })
}

fn hook(hook: &Hook) -> Value {
    json!({"name": hook.name, "kind": hook.kind, "events": hook.events, "manifest": manifest(std::slice::from_ref(&hook.manifest))})
}

/// Writes a stream of YAML documents; JSON is YAML.
fn manifest(objects: &[Value]) -> String {
    objects.iter().filter(|o| !o.is_null()).map(|object| format!("---\n{object}\n")).collect()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut writer = GzEncoder::new(Vec::new(), Compression::fast());
    // Writing to memory cannot fail; an empty payload would only fail the test.
    writer.write_all(bytes).and_then(|()| writer.finish()).unwrap_or_default()
}

/// Encodes `hapi.release.Release`: name 1, chart 3 (metadata 1: name 1, version 4), manifest 5, hooks 6, version 7,
/// namespace 8.
fn protobuf(release: &Release) -> Vec<u8> {
    let mut metadata = Vec::new();
    field(&mut metadata, 1, release.chart.as_bytes());
    field(&mut metadata, 4, release.chart_version.as_bytes());
    let mut chart = Vec::new();
    field(&mut chart, 1, &metadata);
    let mut message = Vec::new();
    field(&mut message, 1, release.name.as_bytes());
    field(&mut message, 3, &chart);
    field(&mut message, 5, manifest(&release.manifest).as_bytes());
    for entry in &release.hooks {
        let mut inner = Vec::new();
        field(&mut inner, 1, entry.name.as_bytes());
        field(&mut inner, 2, entry.kind.as_bytes());
        field(&mut inner, 4, manifest(std::slice::from_ref(&entry.manifest)).as_bytes());
        field(&mut message, 6, &inner);
    }
    message.push(7 << 3);
    varint(&mut message, release.revision.unsigned_abs());
    field(&mut message, 8, release.namespace.as_bytes());
    message
}

fn field(message: &mut Vec<u8>, number: u8, bytes: &[u8]) {
    message.push(number << 3 | 2);
    varint(message, bytes.len() as u64);
    message.extend_from_slice(bytes);
}

fn varint(message: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        message.push(value as u8 | 0x80);
        value >>= 7;
    }
    message.push(value as u8);
}
