//! Records of Helm: one ConfigMap, Secret or App about a revision of a release.

use jiff::Timestamp;

use super::payload::{self, Chart};
use crate::model::message::HelmFault;
use crate::model::secret;
use crate::resource::object::Resource;
use crate::resource::scalar::scalar_at;
use crate::yaml::Node;

/// Writer of a record. The order is that of releases with the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::resource) enum RecordSource {
    Helm2,
    Helm3,
    App,
}

impl RecordSource {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Helm2 => "helm2",
            Self::Helm3 => "helm3",
            Self::App => "app",
        }
    }
}

/// One revision of a release.
#[derive(Clone, Debug)]
pub(in crate::resource) struct Record {
    pub source: RecordSource,
    pub name: String,
    /// Namespace into which the release installs; for Helm 2 this is not the namespace of its record.
    pub namespace: Option<String>,
    pub revision: i64,
    /// Lower case with dashes.
    pub status: String,
    /// RFC 3339, UTC.
    pub updated: Option<String>,
    pub chart: Chart,
    pub description: Option<String>,
    pub expanded: u64,
    /// Reason why manifest and hooks are unavailable.
    pub problem: Option<HelmFault>,
}

/// Reads the record in an object; none if the object is not a record.
pub(in crate::resource) fn record_of(resource: &Resource) -> Option<Record> {
    let body = resource.body();
    match (resource.group.as_ref(), resource.kind.as_ref()) {
        ("", "ConfigMap" | "Secret") => {
            let labels = body.path(&["metadata", "labels"])?;
            match (scalar_at(labels, &["OWNER"]), scalar_at(labels, &["owner"])) {
                (Some("TILLER"), _) => {
                    Some(from_labels(resource, labels, RecordSource::Helm2, "NAME", "STATUS", "VERSION"))
                }
                (_, Some("helm")) => {
                    Some(from_labels(resource, labels, RecordSource::Helm3, "name", "status", "version"))
                }
                _ => None,
            }
        }
        ("catalog.cattle.io", "App") => Some(from_app(resource, body)),
        _ => None,
    }
}

fn from_labels(
    r: &Resource,
    labels: Node<'_>,
    source: RecordSource,
    name: &str,
    status: &str,
    version: &str,
) -> Record {
    let (stem, number) = split_record_name(&r.name);
    let text = r.body().str_at(&["data", "release"]).unwrap_or_default();
    let (inner, problem) = match payload::decode(text) {
        Ok(inner) => (inner, None),
        Err(error) => (payload::Payload::default(), Some(error)),
    };
    let written = inner.updated.as_deref().and_then(utc);
    Record {
        source,
        name: scalar_at(labels, &[name]).unwrap_or(stem).to_owned(),
        namespace: inner.namespace.filter(|n| !n.is_empty()).or_else(|| r.namespace.as_deref().map(str::to_owned)),
        revision: scalar_at(labels, &[version]).and_then(|v| v.parse().ok()).or(number).unwrap_or(0),
        status: status_of(scalar_at(labels, &[status]).unwrap_or("unknown")),
        updated: written.or_else(|| stamp_of(labels)).or_else(|| created(r)),
        chart: inner.chart,
        description: inner.description,
        expanded: inner.expanded,
        problem,
    }
}

fn from_app(r: &Resource, body: Node<'_>) -> Record {
    let spec = |keys: &[&str]| body.get("spec").and_then(|s| scalar_at(s, keys)).map(str::to_owned);
    let chart = |name| spec(&["chart", "metadata", name]);
    Record {
        source: RecordSource::App,
        name: spec(&["name"]).unwrap_or_else(|| r.name.to_string()),
        namespace: spec(&["namespace"]).or_else(|| r.namespace.as_deref().map(str::to_owned)),
        revision: body.path(&["spec", "version"]).and_then(Node::as_i64).unwrap_or(0),
        status: status_of(&spec(&["info", "status"]).unwrap_or_else(|| "unknown".to_owned())),
        updated: spec(&["info", "lastDeployed"]).as_deref().and_then(utc),
        chart: Chart { name: chart("name"), version: chart("version"), app_version: chart("appVersion") },
        description: spec(&["info", "description"]),
        expanded: 0,
        problem: None,
    }
}

/// Reads a revision in the list of releases that troubleshoot.sh writes; none without a name. The list has only the newest chart.
pub(in crate::resource) fn from_history(release: Node<'_>, revision: Node<'_>) -> Option<Record> {
    let text = |key| scalar_at(release, &[key]).map(str::to_owned);
    let number = |node: Node<'_>| scalar_at(node, &["revision"]).and_then(|text| text.parse::<i64>().ok()).unwrap_or(0);
    let newest = release.get("releaseHistory").into_iter().flat_map(Node::items).map(number).max();
    let is_newest = newest.is_none_or(|newest| newest == number(revision));
    let chart = |key| text(key).filter(|_| is_newest);
    Some(Record {
        source: RecordSource::Helm3,
        name: text("releaseName")?,
        namespace: text("namespace"),
        revision: number(revision),
        status: status_of(scalar_at(revision, &["status"]).unwrap_or("unknown")),
        updated: scalar_at(revision, &["date"]).and_then(|date| utc(date).or_else(|| of_go(date))),
        chart: Chart { name: text("chart"), version: chart("chartVersion"), app_version: chart("appVersion") },
        description: None,
        expanded: 0,
        problem: Some(HelmFault::Missing),
    })
}

/// Converts `2025-03-02 10:00:00.5 +0100 CET`, as Go prints a time.
fn of_go(text: &str) -> Option<String> {
    let mut words = text.split(' ');
    let (day, clock, zone) = (words.next()?, words.next()?, words.next()?);
    let zone = format!("{}:{}", zone.get(..3)?, zone.get(3..)?);
    utc(&format!("{day}T{clock}{zone}"))
}

/// Splits `sh.helm.release.v1.NAME.vREVISION` and `NAME.vREVISION`.
fn split_record_name(name: &str) -> (&str, Option<i64>) {
    let bare = name.strip_prefix("sh.helm.release.v1.").unwrap_or(name);
    match bare.rsplit_once(".v") {
        Some((stem, number)) => (stem, number.parse().ok()),
        None => (bare, None),
    }
}

fn status_of(text: &str) -> String {
    if secret::is_withheld(text) {
        return text.to_owned();
    }
    text.to_ascii_lowercase().replace('_', "-")
}

fn utc(text: &str) -> Option<String> {
    text.parse::<Timestamp>().ok().map(|t| t.to_string())
}

/// Converts the seconds since 1970 in the labels that both versions of Helm write.
fn stamp_of(labels: Node<'_>) -> Option<String> {
    let keys = ["modifiedAt", "MODIFIED_AT", "createdAt", "CREATED_AT"];
    let seconds = keys.iter().find_map(|key| scalar_at(labels, &[key])?.parse().ok())?;
    Timestamp::from_second(seconds).ok().map(|t| t.to_string())
}

fn created(r: &Resource) -> Option<String> {
    utc(scalar_at(r.body(), &["metadata", "creationTimestamp"])?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_records() {
        assert_eq!(split_record_name("sh.helm.release.v1.a.v2.v13"), ("a.v2", Some(13)));
        assert_eq!(split_record_name("shop.v2"), ("shop", Some(2)));
        assert_eq!(split_record_name("shop"), ("shop", None));
    }
}
