//! Objects that troubleshoot.sh writes in a JSON form of its own: releases of Helm, and one ConfigMap or Secret with the keys that
//! were requested.
//!
//! They are partial objects: other fields are undecided, and there may be further objects.

use std::sync::Arc;

use super::objects::{DumpObjects, FoundObject, MAX_ISSUES};
use crate::model::message::DocumentProblem;
use crate::model::{Issue, IssueKind, Origin};
use crate::resource::scalar::scalar_at;
use crate::resource::types::TypeName;
use crate::resource::{helm, table};
use crate::yaml::normalise::{Dialect, normalise};
use crate::yaml::{self, Builder, Kind, Node, Problem};

/// Maximum number of revisions in one file; Helm keeps ten of a release.
const MAX_REVISIONS: usize = 20_000;

/// Reads releases of Helm with their revisions. Text and tape take at most `room` bytes of memory.
pub fn read_releases(entry: Arc<str>, bytes: Vec<u8>, room: u64) -> DumpObjects {
    let (text, mut problems) = yaml::source::text(bytes);
    let (mut document, more) = yaml::parse_text(text, room);
    problems.extend(more);
    normalise(&mut document, Dialect::Plain);
    let document = Arc::new(document);
    let mut out = DumpObjects::empty(entry, None);
    let releases = document
        .roots()
        .flat_map(|root| if root.kind() == Kind::Mapping { Vec::from([root]) } else { root.items().collect() });
    for (release, revision) in releases.flat_map(revisions).take(MAX_REVISIONS) {
        match helm::from_history(release, revision) {
            Some(record) => {
                let name = format!("{}.v{}", record.name, record.revision);
                let named = (record.namespace.as_deref(), name.as_str());
                let history = TypeName::new("helmrevisions", "troubleshoot.sh");
                let object = table::partial(&out.entry, &history, &document, named, (revision.index(), None));
                out.found.push(FoundObject { helm: Some(Box::new(record)), ..FoundObject::new(object) });
            }
            None => unknown(&mut out, release, DocumentProblem::HelmReleaseWithoutName),
        }
    }
    out.with_problems(&problems).loose()
}

/// Pairs a release with each of its revisions; with itself if it lists none.
fn revisions(release: Node<'_>) -> Vec<(Node<'_>, Node<'_>)> {
    let history: Vec<_> =
        release.get("releaseHistory").into_iter().flat_map(Node::items).map(|one| (release, one)).collect();
    if history.is_empty() { Vec::from([(release, release)]) } else { history }
}

/// Reads the ConfigMap or Secret of a file; none if it does not exist. Text and tape take at most `room` bytes of memory.
pub fn read_values(entry: Arc<str>, kind: &'static str, bytes: Vec<u8>, room: u64) -> DumpObjects {
    let (text, mut problems) = yaml::source::text(bytes);
    let (document, more) = yaml::parse_text(text, room);
    problems.extend(more);
    let existing = if kind == "Secret" { "secretExists" } else { "configMapExists" };
    let exists = |root: &Node<'_>| root.get(existing).and_then(Node::as_bool) != Some(false);
    let mut document = document.rebuilt(room, |document, out| {
        for root in document.roots().filter(exists) {
            out.begin();
            write(out, kind, root);
            if out.is_full() {
                problems.push(Problem::new(root.line(), DocumentProblem::TooManyValues));
                out.abandon();
            }
        }
    });
    normalise(&mut document, Dialect::Plain);
    let document = Arc::new(document);
    let mut out = DumpObjects::empty(entry, None);
    let plural = if kind == "Secret" { "secrets" } else { "configmaps" };
    for object in document.roots() {
        match (scalar_at(object, &["metadata", "namespace"]), scalar_at(object, &["metadata", "name"])) {
            (Some(namespace), Some(name)) => {
                let named = (Some(namespace), name);
                let nodes = (object.index(), None);
                out.found.push(FoundObject::new(table::partial(
                    &out.entry,
                    &TypeName::new(plural, ""),
                    &document,
                    named,
                    nodes,
                )));
            }
            _ => unknown(&mut out, object, DocumentProblem::ObjectWithoutNames),
        }
    }
    out.with_problems(&problems).loose()
}

/// Writes an object in the form of the API. Values of a Secret go under `stringData`, which is masked.
fn write(out: &mut Builder<'_>, kind: &str, told: Node<'_>) {
    let at = told.offset();
    let text = |out: &mut Builder<'_>, name: &str| out.owned(Kind::String, at..at, name);
    out.open(Kind::Mapping, at);
    text(out, "kind");
    text(out, kind);
    text(out, "metadata");
    out.open(Kind::Mapping, at);
    for (name, value) in ["name", "namespace"].iter().filter_map(|name| Some((name, told.get(name)?))) {
        text(out, name);
        out.graft(value);
    }
    out.close();
    let key = told.get("key").filter(|key| !key.text().is_empty());
    let of_key = key.zip(told.get("value").filter(|value| !value.text().is_empty()));
    let all = told.get("data").filter(|data| data.kind() == Kind::Mapping);
    if all.is_some() || of_key.is_some() {
        text(out, if kind == "Secret" { "stringData" } else { "data" });
    }
    match (all, of_key) {
        (Some(all), _) => out.graft(all),
        (None, Some((key, value))) => {
            out.open(Kind::Mapping, value.offset());
            out.graft(key);
            out.graft(value);
            out.close();
        }
        (None, None) => {}
    }
    out.close();
}

fn unknown(out: &mut DumpObjects, node: Node<'_>, problem: DocumentProblem) {
    if out.issues.len() < MAX_ISSUES {
        let origin = Origin::line(out.entry.clone(), node.line());
        out.issues.push(Issue::at(origin, IssueKind::Document, problem));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resource::{IndexBuilder, ResourceIndex, types};

    fn index(objects: DumpObjects) -> (ResourceIndex, Vec<String>) {
        let mut builder = IndexBuilder::default();
        builder.add(objects);
        let (index, issues) = builder.finish();
        (index, issues.into_iter().map(|issue| issue.message.to_string()).collect())
    }

    #[test]
    fn each_revision_is_a_release_and_the_newest_is_the_latest() {
        let text = r#"[{"releaseName": "web", "chart": "shop", "chartVersion": "1.2.3", "appVersion": "9", "namespace": "demo",
            "releaseHistory": [{"revision": "1", "date": "2025-03-01 10:00:00 +0000 UTC", "status": "superseded"},
                               {"revision": "2", "date": "2025-03-02 10:00:00.5 +0100 CET", "status": "failed"}]},
            {"chart": "nameless"}]"#;
        let (index, issues) = index(read_releases("helm/demo.json".into(), text.as_bytes().to_vec(), u64::MAX));
        let ids = index.of_type(&types::helm_releases());
        let shown: Vec<_> = ids
            .iter()
            .map(|&id| {
                let body = index.resource(id).body();
                let text = |keys: &[&str]| body.path(keys).map(Node::text).unwrap_or_default();
                [
                    text(&["revision"]),
                    text(&["status"]),
                    text(&["latest"]),
                    text(&["updated"]),
                    text(&["chart", "version"]),
                ]
                .join(" ")
            })
            .collect();
        assert_eq!(shown, ["2 failed true 2025-03-02T09:00:00.5Z 1.2.3", "1 superseded false 2025-03-01T10:00:00Z "]);
        let record = index.resource(index.resource(ids[0]).source.unwrap());
        assert_eq!((record.entry.as_ref(), record.body().line()), ("helm/demo.json", 3));
        assert_eq!(issues, ["a release of Helm without name, left out"]);
    }

    #[test]
    fn values_are_those_of_the_object_and_secrets_are_masked() {
        let read = |kind: &'static str, text: &str| {
            index(read_values("x.json".into(), kind, text.as_bytes().to_vec(), u64::MAX))
        };
        let shown = |(index, issues): (ResourceIndex, Vec<String>)| {
            let objects: Vec<_> = (0..index.len() as u32)
                .map(|id| format!("{} {:?}", index.resource(id).object(), index.resource(id).body()))
                .collect();
            (objects.join(" "), issues)
        };
        let (config, issues) = shown(read(
            "ConfigMap",
            r#"{"namespace": "demo", "name": "a", "configMapExists": true, "data": {"mode": "fast"}}"#,
        ));
        assert!(config.starts_with("ConfigMap/demo/a ") && config.contains(r#""data": {"mode": "fast"}"#), "{config}");
        assert!(issues.is_empty());
        let (key, _) = shown(read(
            "ConfigMap",
            r#"{"namespace": "demo", "name": "a", "key": "mode", "keyExists": true, "value": "slow"}"#,
        ));
        assert!(key.contains(r#""data": {"mode": "slow"}"#), "{key}");
        let (secret, _) = shown(read(
            "Secret",
            r#"{"namespace": "demo", "name": "s", "secretExists": true, "key": "color", "value": "hush"}"#,
        ));
        assert!(secret.starts_with("Secret/demo/s ") && secret.contains("***") && !secret.contains("hush"), "{secret}");
        assert_eq!(shown(read("Secret", r#"{"namespace": "demo", "name": "s", "secretExists": false}"#)).0, "");
        assert_eq!(shown(read("Secret", "{}")).1, ["an object without namespace and name, left out"]);
        assert!(!shown(read("Secret", "{\"a\": ")).1.is_empty());
    }
}
