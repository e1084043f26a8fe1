//! Helm releases of a case.

use serde::Deserialize;
use serde_json::Value;

/// A Helm release; the harness writes it in the format of its storage.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Release {
    pub name: String,
    #[serde(default = "default_namespace")]
    pub namespace: String,
    #[serde(default = "first_revision")]
    pub revision: i64,
    /// Helm 3's name of the state: `deployed`, `pending-upgrade`...
    pub status: String,
    pub source: Origin,
    #[serde(default)]
    pub chart: String,
    #[serde(default)]
    pub chart_version: String,
    /// RFC 3339.
    pub updated: Option<String>,
    #[serde(default)]
    pub description: String,
    /// Objects of the release.
    #[serde(default)]
    pub manifest: Vec<Value>,
    #[serde(default)]
    pub hooks: Vec<Hook>,
}

/// Storage of a release record.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// A ConfigMap of Tiller.
    Helm2,
    /// A Secret.
    Helm3,
    /// An App of Rancher's catalog.
    App,
}

/// A hook of a release.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hook {
    pub name: String,
    pub kind: String,
    #[serde(default)]
    pub events: Vec<String>,
    #[serde(default)]
    pub manifest: Value,
}

fn default_namespace() -> String {
    "default".to_owned()
}

fn first_revision() -> i64 {
    1
}
