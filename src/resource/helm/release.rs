//! Releases of Helm as objects of one type, made of their records.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use super::payload::{Chart, key, string};
use super::record::{Record, RecordSource};
use crate::resource::object::Resource;
use crate::yaml::{Builder, Document, Kind};

/// Release, and the object from which it was made.
#[derive(Debug)]
pub(in crate::resource) struct Release {
    pub resource: Resource,
    /// Position of the record's object in the list given to [`releases`].
    pub record: usize,
    pub expanded: u64,
    pub latest: bool,
    /// True if manifest and hooks can be decoded.
    pub readable: bool,
}

/// Makes releases, sorted by namespace and name, the latest first, then by revision, newest first.
pub(in crate::resource) fn releases<'a>(
    records: impl Iterator<Item = (usize, &'a Record, &'a Resource)>,
) -> Vec<Release> {
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

/// Finds the latest record of each release; records of Helm 3 and Apps describe the same releases.
fn latest_of(all: &[(usize, &Record, &Resource)]) -> HashSet<usize> {
    let mut best: BTreeMap<_, (usize, &Record)> = BTreeMap::new();
    for &(position, record, _) in all {
        let key = (record.source == RecordSource::Helm2, record.namespace.as_deref(), record.name.as_str());
        let rank = |r: &Record| (r.revision, std::cmp::Reverse(r.source));
        let held = best.entry(key).or_insert((position, record));
        if rank(record) > rank(held.1) {
            *held = (position, record);
        }
    }
    best.into_values().map(|(position, _)| position).collect()
}

fn release(position: usize, record: &Record, origin: &Resource, latest: bool) -> Release {
    let partial = record.source == RecordSource::App || record.problem.is_some();
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
        supplement: None,
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
    use crate::resource::helm::payload::tests::{HELM3, helm2, wrap};
    use crate::resource::index::testing::Bundle;
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
        let messages: Vec<_> = issues.iter().map(|i| i.message.to_string()).collect();
        assert_eq!(messages, ["Helm release shop.v2: its release data is not base64"]);
        let id = index.of_type(&types::helm_releases())[0];
        assert!(index.resource(id).partial && index.helm_payload(id).is_none());
    }
}
