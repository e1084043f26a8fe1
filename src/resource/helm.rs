//! Helm releases from four kinds of record, as objects of one type `helmreleases`.
//!
//! A [`Record`] is what one ConfigMap, Secret or App says, read beside the dump; [`releases`]
//! turns records into small documents that rules read like any object. What is large (manifest,
//! hooks) stays encoded until [`super::payloads`] is asked for it.
//!
//! Where a Secret or ConfigMap of Helm 3 and an App tell of one release, both are listed; `latest`
//! is true for one of them only, the record of Helm unless the App is newer. Helm 2 counts apart.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use jiff::Timestamp;

use super::Resource;
use super::dump::scalar_at;
use super::payload::{self, Chart, PayloadError, key, string};
use crate::yaml::{Builder, Document, Kind, Node};

/// Who wrote a record; ordered as releases of one name are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Source {
    Helm2,
    Helm3,
    App,
}

impl Source {
    fn as_str(self) -> &'static str {
        match self {
            Self::Helm2 => "helm2",
            Self::Helm3 => "helm3",
            Self::App => "app",
        }
    }
}

/// One revision of a release.
#[derive(Clone, Debug)]
pub(super) struct Record {
    pub source: Source,
    pub name: String,
    /// Where the release installs, which for Helm 2 is not where its record lies.
    pub namespace: Option<String>,
    pub revision: i64,
    /// Lower case with dashes.
    pub status: String,
    /// RFC 3339, UTC.
    pub updated: Option<String>,
    pub chart: Chart,
    pub description: Option<String>,
    pub expanded: u64,
    /// Why manifest and hooks cannot be had.
    pub problem: Option<PayloadError>,
}

/// The release that an object is a record of.
pub(super) fn record_of(resource: &Resource) -> Option<Record> {
    let body = resource.body();
    match (resource.group.as_ref(), resource.kind.as_ref()) {
        ("", "ConfigMap" | "Secret") => {
            let labels = body.path(&["metadata", "labels"])?;
            match (scalar_at(labels, &["OWNER"]), scalar_at(labels, &["owner"])) {
                (Some("TILLER"), _) => Some(from_labels(resource, labels, Source::Helm2, "NAME", "STATUS", "VERSION")),
                (_, Some("helm")) => Some(from_labels(resource, labels, Source::Helm3, "name", "status", "version")),
                _ => None,
            }
        }
        ("catalog.cattle.io", "App") => Some(from_app(resource, body)),
        _ => None,
    }
}

fn from_labels(r: &Resource, labels: Node<'_>, source: Source, name: &str, status: &str, version: &str) -> Record {
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
        source: Source::App,
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

/// A revision in the list of releases that troubleshoot.sh writes; none without a name. The chart is that of the newest one.
pub(super) fn from_history(release: Node<'_>, revision: Node<'_>) -> Option<Record> {
    let text = |key| scalar_at(release, &[key]).map(str::to_owned);
    let number = |node: Node<'_>| scalar_at(node, &["revision"]).and_then(|text| text.parse::<i64>().ok()).unwrap_or(0);
    let newest = release.get("releaseHistory").into_iter().flat_map(Node::items).map(number).max();
    let is_newest = newest.is_none_or(|newest| newest == number(revision));
    let chart = |key| text(key).filter(|_| is_newest);
    Some(Record {
        source: Source::Helm3,
        name: text("releaseName")?,
        namespace: text("namespace"),
        revision: number(revision),
        status: status_of(scalar_at(revision, &["status"]).unwrap_or("unknown")),
        updated: scalar_at(revision, &["date"]).and_then(|date| utc(date).or_else(|| of_go(date))),
        chart: Chart { name: text("chart"), version: chart("chartVersion"), app_version: chart("appVersion") },
        description: None,
        expanded: 0,
        problem: Some(PayloadError::Missing),
    })
}

/// `2025-03-02 10:00:00.5 +0100 CET`, as Go prints a time.
fn of_go(text: &str) -> Option<String> {
    let mut words = text.split(' ');
    let (day, clock, zone) = (words.next()?, words.next()?, words.next()?);
    let zone = format!("{}:{}", zone.get(..3)?, zone.get(3..)?);
    utc(&format!("{day}T{clock}{zone}"))
}

/// `sh.helm.release.v1.NAME.vREVISION` and `NAME.vREVISION`.
fn split_record_name(name: &str) -> (&str, Option<i64>) {
    let bare = name.strip_prefix("sh.helm.release.v1.").unwrap_or(name);
    match bare.rsplit_once(".v") {
        Some((stem, number)) => (stem, number.parse().ok()),
        None => (bare, None),
    }
}

fn status_of(text: &str) -> String {
    text.to_ascii_lowercase().replace('_', "-")
}

fn utc(text: &str) -> Option<String> {
    text.parse::<Timestamp>().ok().map(|t| t.to_string())
}

/// Seconds since 1970 in the labels of both Helms.
fn stamp_of(labels: Node<'_>) -> Option<String> {
    let keys = ["modifiedAt", "MODIFIED_AT", "createdAt", "CREATED_AT"];
    let seconds = keys.iter().find_map(|key| scalar_at(labels, &[key])?.parse().ok())?;
    Timestamp::from_second(seconds).ok().map(|t| t.to_string())
}

fn created(r: &Resource) -> Option<String> {
    utc(scalar_at(r.body(), &["metadata", "creationTimestamp"])?)
}

/// A release with the object it was made from.
#[derive(Debug)]
pub(super) struct Release {
    pub resource: Resource,
    /// Position of the record's object in the list given to [`releases`].
    pub record: usize,
    pub expanded: u64,
    pub latest: bool,
    /// Whether manifest and hooks can be decoded.
    pub readable: bool,
}

/// Releases sorted by namespace, name, the latest first, then newest revision first.
pub(super) fn releases<'a>(records: impl Iterator<Item = (usize, &'a Record, &'a Resource)>) -> Vec<Release> {
    let mut all: Vec<_> = records.collect();
    let latest = latest_of(&all);
    let is_latest = |position: usize| latest.contains(&position);
    all.sort_by(|(ai, a, ar), (bi, b, br)| {
        let rank = |i: usize, r: &Record| (!is_latest(i), r.source, std::cmp::Reverse(r.revision));
        let place = |r: &Record| (r.namespace.clone(), r.name.clone());
        place(a)
            .cmp(&place(b))
            .then_with(|| rank(*ai, a).cmp(&rank(*bi, b)))
            .then_with(|| (&ar.entry, ar.node).cmp(&(&br.entry, br.node)))
    });
    all.into_iter().map(|(position, record, origin)| release(position, record, origin, is_latest(position))).collect()
}

/// Positions of the latest record of each release; Helm 3 and Apps tell of the same releases.
fn latest_of(all: &[(usize, &Record, &Resource)]) -> HashSet<usize> {
    let mut best: BTreeMap<_, (usize, &Record)> = BTreeMap::new();
    for &(position, record, _) in all {
        let key = (record.source == Source::Helm2, record.namespace.as_deref(), record.name.as_str());
        let rank = |r: &Record| (r.revision, std::cmp::Reverse(r.source));
        let held = best.entry(key).or_insert((position, record));
        if rank(record) > rank(held.1) {
            *held = (position, record);
        }
    }
    best.into_values().map(|(position, _)| position).collect()
}

fn release(position: usize, record: &Record, origin: &Resource, latest: bool) -> Release {
    let partial = record.source == Source::App || record.problem.is_some();
    let resource = Resource {
        group: "".into(),
        version: "".into(),
        kind: "HelmRelease".into(),
        plural: "helmreleases".into(),
        namespace: record.namespace.as_deref().map(Into::into),
        name: record.name.as_str().into(),
        uid: None,
        entry: origin.entry.clone(),
        document: Arc::new(document(record, latest, partial)),
        node: 0,
        partial,
        row: None,
        source: None,
        beside: None,
    };
    Release { resource, record: position, expanded: record.expanded, latest, readable: !partial }
}

fn document(record: &Record, latest: bool, partial: bool) -> Document {
    let mut out = Builder::new("");
    let namespace = record.namespace.as_deref().unwrap_or_default();
    out.open(Kind::Mapping, 0);
    string(&mut out, "kind", "HelmRelease");
    key(&mut out, "metadata");
    out.open(Kind::Mapping, 0);
    string(&mut out, "name", &record.name);
    string(&mut out, "namespace", namespace);
    out.close();
    string(&mut out, "name", &record.name);
    string(&mut out, "namespace", namespace);
    key(&mut out, "revision");
    out.owned(Kind::Number, 0..0, &record.revision.to_string());
    for (name, flag) in [("latest", latest), ("partial", partial)] {
        key(&mut out, name);
        out.owned(Kind::Bool, 0..0, if flag { "true" } else { "false" });
    }
    string(&mut out, "status", &record.status);
    string(&mut out, "source", record.source.as_str());
    string(&mut out, "updated", record.updated.as_deref().unwrap_or_default());
    string(&mut out, "description", record.description.as_deref().unwrap_or_default());
    write_chart(&mut out, &record.chart);
    out.close();
    out.made()
}

fn write_chart(out: &mut Builder<'_>, chart: &Chart) {
    key(out, "chart");
    out.open(Kind::Mapping, 0);
    string(out, "name", chart.name.as_deref().unwrap_or_default());
    string(out, "version", chart.version.as_deref().unwrap_or_default());
    string(out, "appVersion", chart.app_version.as_deref().unwrap_or_default());
    out.close();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resource::payload::tests::{HELM3, helm2, wrap};
    use crate::resource::testing::Bundle;
    use crate::resource::{ResourceId, ResourceIndex, types};

    fn configmap(name: &str, labels: &str, release: &str) -> String {
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}, namespace: kube-system, labels: {{{labels}}}}}\ndata: {{release: '{release}'}}\n"
        )
    }

    fn tiller(revision: u32, status: &str) -> String {
        let labels = format!("OWNER: TILLER, NAME: shop, STATUS: {status}, VERSION: '{revision}'");
        configmap(&format!("shop.v{revision}"), &labels, &wrap(&helm2()))
    }

    fn helm3(revision: u32) -> String {
        let labels = format!("owner: helm, name: shop, status: deployed, version: '{revision}'");
        let name = format!("sh.helm.release.v1.shop.v{revision}");
        configmap(&name, &labels, &wrap(HELM3.as_bytes())).replace("kube-system", "demo")
    }

    fn app(revision: u32) -> String {
        format!(
            "apiVersion: catalog.cattle.io/v1\nkind: App\nmetadata: {{name: shop, namespace: demo}}\nspec: {{name: shop, namespace: demo, version: {revision}, info: {{status: failed, lastDeployed: '2024-01-02T03:04:05Z'}}, chart: {{metadata: {{name: webshop, version: 2.0.0}}}}}}\n"
        )
    }

    /// Source, revision, status and whether it is the latest, of all releases.
    fn shown(index: &ResourceIndex) -> Vec<String> {
        let ids = index.of_type(&types::helm_releases());
        let text = |id: ResourceId, key: &str| index.resource(id).body().get(key).map_or("", |n| n.text()).to_owned();
        let line = |&id: &ResourceId| ["source", "revision", "status", "latest"].map(|key| text(id, key)).join(" ");
        ids.iter().map(line).collect()
    }

    #[test]
    fn revisions_of_tiller_are_releases_of_their_namespace() {
        let index =
            Bundle::default().file("a", &tiller(9, "SUPERSEDED")).file("b", &tiller(10, "PENDING_UPGRADE")).index();
        assert_eq!(shown(&index), ["helm2 10 pending-upgrade true", "helm2 9 superseded false"]);
        let id = index.get(&types::helm_releases(), Some("demo"), "shop").unwrap();
        let release = index.resource(id);
        assert_eq!(release.body().str_at(&["chart", "version"]), Some("1.2.3"));
        assert_eq!(release.body().str_at(&["updated"]), Some("2022-03-09T21:20:00Z"));
        assert_eq!(release.object().to_string(), "HelmRelease/demo/shop");
        let record = index.resource(release.source.unwrap());
        assert_eq!((record.name.as_ref(), record.entry.as_ref()), ("shop.v10", "b"));
        let payload = index.helm_payload(id).unwrap();
        let kinds: Vec<_> = payload
            .roots()
            .next()
            .unwrap()
            .get("manifest")
            .unwrap()
            .items()
            .filter_map(|o| o.str_at(&["kind"]))
            .collect();
        assert_eq!(kinds, ["Service", "Pod"]);
        assert_eq!(index.helm_issues(), []);
    }

    #[test]
    fn helm_3_and_its_app_have_one_latest() {
        let same = Bundle::default().file("a", &helm3(3)).file("b", &app(3)).index();
        assert_eq!(shown(&same), ["helm3 3 deployed true", "app 3 failed false"]);
        let newer = Bundle::default().file("a", &helm3(3)).file("b", &app(4)).index();
        assert_eq!(shown(&newer), ["app 4 failed true", "helm3 3 deployed false"]);
        let apart = Bundle::default().file("a", &helm3(3)).file("b", &tiller(1, "DEPLOYED")).index();
        assert_eq!(shown(&apart), ["helm2 1 deployed true", "helm3 3 deployed true"]);
    }

    #[test]
    fn apps_are_partial_and_have_no_payload() {
        let index = Bundle::default().file("a", &app(1)).index();
        let id = index.of_type(&types::helm_releases())[0];
        assert!(index.resource(id).partial);
        assert_eq!(index.resource(id).body().get("partial").unwrap().as_bool(), Some(true));
        assert_eq!(index.resource(id).body().str_at(&["chart", "name"]), Some("webshop"));
        assert!(index.helm_payload(id).is_none() && index.helm_issues().is_empty());
        assert!(index.helm_payload(index.resource(id).source.unwrap()).is_none());
    }

    #[test]
    fn labels_serve_where_the_payload_is_damaged() {
        let record = configmap("shop.v2", "OWNER: TILLER, NAME: shop, STATUS: FAILED, VERSION: '2'", "%%");
        let (index, issues) = Bundle::default().file("a", &record).finish();
        assert_eq!(shown(&index), ["helm2 2 failed true"]);
        let messages: Vec<_> = issues.iter().map(|i| i.message.as_str()).collect();
        assert_eq!(messages, ["Helm release shop.v2: its release data is not base64"]);
        let id = index.of_type(&types::helm_releases())[0];
        assert!(index.resource(id).partial && index.helm_payload(id).is_none());
    }

    #[test]
    fn names_of_records() {
        assert_eq!(split_record_name("sh.helm.release.v1.a.v2.v13"), ("a.v2", Some(13)));
        assert_eq!(split_record_name("shop.v2"), ("shop", Some(2)));
        assert_eq!(split_record_name("shop"), ("shop", None));
    }
}
