//! A case as the files of a collection of Rancher's Linux logs collector, which runs on one node.
//!
//! Objects become rows as `kubectl get TYPE -A -o wide` prints them: the cells come from the function `columns`, which
//! rules use, too. AGE is the last column; readers find cells by their headers. Files of a case replace those written
//! here.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::super::case::{Case, Distribution, object_name};
use super::kit;
use super::place::{Files, Place, Placed, list};
use crate::bundle::{Bundle, Limits};
use crate::expr::{Value, World, display};
use crate::model::age;
use crate::pipeline::{self, Assumed, Options};
use crate::resource::types::TypeName;
use crate::rule::RuleSet;

/// Types that the collector prints as tables, with the words that it passes to kubectl.
const TABLES: [(&str, &str); 27] = [
    ("apiservices.apiregistration.k8s.io", "apiservices"),
    ("clusterrolebindings.rbac.authorization.k8s.io", "clusterrolebindings"),
    ("clusterroles.rbac.authorization.k8s.io", "clusterroles"),
    ("configmaps", "configmaps"),
    ("cronjobs.batch", "cronjobs"),
    ("customresourcedefinitions.apiextensions.k8s.io", "crds"),
    ("daemonsets.apps", "daemonsets"),
    ("deployments.apps", "deployments"),
    ("endpoints", "endpoints"),
    ("events", "events"),
    ("helmcharts.helm.cattle.io", "helmcharts"),
    ("horizontalpodautoscalers.autoscaling", "hpa"),
    ("ingresses.networking.k8s.io", "ingress"),
    ("jobs.batch", "jobs"),
    ("leases.coordination.k8s.io", "leases"),
    ("mutatingwebhookconfigurations.admissionregistration.k8s.io", "mutatingwebhookconfigurations"),
    ("namespaces", "namespaces"),
    ("networkpolicies.networking.k8s.io", "networkpolicies"),
    ("nodes", "nodes"),
    ("persistentvolumeclaims", "pvc"),
    ("persistentvolumes", "pv"),
    ("pods", "pods"),
    ("replicasets.apps", "replicasets"),
    ("services", "services"),
    ("statefulsets.apps", "statefulsets"),
    ("validatingwebhookconfigurations.admissionregistration.k8s.io", "validatingwebhookconfigurations"),
    ("volumeattachments.storage.k8s.io", "volumeattachments"),
];

/// Types that Rancher's own cluster dumps.
const DUMPS: [&str; 4] = [
    "clusters.management.cattle.io",
    "clusters.provisioning.cattle.io",
    "rkebootstraps.rke.cattle.io",
    "rkecontrolplanes.rke.cattle.io",
];

/// A row: headers with cells.
type Row = Vec<(String, String)>;

/// Returns the name of the collection: the node, which is the first of the case by name or n1, and the time.
pub(super) fn name(case: &Case) -> String {
    let is_node = |object: &&serde_json::Value| object_name(object).starts_with("Node/");
    let nodes = case.objects.iter().filter(is_node);
    let node = nodes.filter_map(|node| node.pointer("/metadata/name")?.as_str()).min();
    let stamp = case.now.map(|now| now.strftime("-%Y-%m-%d_%H_%M_%S").to_string()).unwrap_or_default();
    format!("{}{stamp}", node.unwrap_or("n1"))
}

/// Writes the files of the collection.
///
/// # Errors
///
/// If the collector does not collect an object, or it is not known how kubectl prints it.
pub(super) fn files(case: &Case, objects: &[Placed], distribution: Distribution) -> Result<Files, String> {
    let kubectl = format!("{}/kubectl", distribution.folder());
    if let Some(release) = case.releases.first() {
        let name = &release.name;
        return Err(format!(
            "releases: layout rancher has no Helm records, so {name} cannot be one; use layout: harvester"
        ));
    }
    let mut files: Files = vec![("collector-output.log".to_owned(), Vec::new())];
    if let Some(now) = case.now {
        files.push(("systeminfo/date".to_owned(), date(now).into_bytes()));
    }
    let (dumped, printed): (Vec<&Placed>, Vec<&Placed>) = objects.iter().partition(|(place, _)| is_dumped(&place.name));
    let mut dumps: BTreeMap<String, Vec<&serde_json::Value>> = BTreeMap::new();
    for (place, object) in dumped {
        dumps.entry(format!("{kubectl}/rancher-prov/{}", place.name)).or_default().push(object);
    }
    for (path, items) in dumps {
        let text = list(&items).map_err(|e| format!("{path}: {e}"))?;
        files.push((path, text.into_bytes()));
    }
    for (word, rows) in tables(case, objects, &printed, &kubectl)? {
        files.push((format!("{kubectl}/{word}"), print(&rows).into_bytes()));
    }
    Ok(files)
}

/// Formats a time like `date` in the locale C.
fn date(now: Timestamp) -> String {
    format!("{}\n", now.strftime("%a %b %e %H:%M:%S UTC %Y"))
}

/// Returns whether the collector takes objects of a type.
pub(super) fn takes(name: &TypeName) -> bool {
    let text = name.to_string();
    is_dumped(name) || TABLES.iter().any(|(known, _)| *known == text)
}

fn is_dumped(name: &TypeName) -> bool {
    let name = name.to_string();
    DUMPS.contains(&name.as_str())
}

/// Returns the rows of each table, in the order of namespaces and names.
fn tables(
    case: &Case,
    all: &[Placed],
    printed: &[&Placed],
    kubectl: &str,
) -> Result<BTreeMap<&'static str, Vec<Row>>, String> {
    let mut tables: BTreeMap<&'static str, BTreeMap<(&str, String), Row>> = BTreeMap::new();
    // The objects determine how kubectl prints them.
    let cluster = Bundle::from_memory(&case.name, kit::files(case, all)?, Limits::default());
    let assumed = Assumed { now: case.now, ..Assumed::default() };
    let options = Options { assumed: Some(&assumed), ..Options::default() };
    let input = pipeline::prepare(&cluster, &RuleSet::default(), options, &());
    for (place, object) in printed {
        let type_ = place.name.to_string();
        let Some((_, word)) = TABLES.iter().find(|(known, _)| *known == type_) else {
            let known: Vec<&str> = TABLES.iter().map(|(known, _)| *known).chain(DUMPS).collect();
            let object = object_name(object);
            return Err(format!("{object}: the collector of layout rancher collects only {}", known.join(", ")));
        };
        let name = object.pointer("/metadata/name").and_then(serde_json::Value::as_str).unwrap_or_default();
        let row = row(&input.world, place, name)
            .map_err(|why| format!("{}: {why}; write the table into files: {kubectl}/{word}", object_name(object)))?;
        tables.entry(word).or_default().insert((&place.namespace, name.to_owned()), row);
    }
    Ok(tables.into_iter().map(|(word, rows)| (word, rows.into_values().collect())).collect())
}

/// Returns the row that kubectl prints for an object.
fn row(world: &World, place: &Place, name: &str) -> Result<Row, String> {
    let namespace = Some(place.namespace.as_str()).filter(|namespace| !namespace.is_empty());
    let found = world.resources.get(&place.name, namespace, name).ok_or("it cannot be read")?;
    match world.call("columns", &[Value::Resource(found)])? {
        Value::Map(cells) => {
            Ok(cells.iter().map(|(header, value)| (header.as_str().to_owned(), cell(header.as_str(), value))).collect())
        }
        Value::Undecided(why) => Err(why.to_string()),
        other => Err(format!("kubectl prints {} of it", other.describe())),
    }
}

fn cell(header: &str, value: &Value<'_>) -> String {
    match value {
        Value::Duration(age) => age::human(*age),
        _ => display(value).unwrap_or_else(|| if header == "AGE" { "<unknown>" } else { "<none>" }.to_owned()),
    }
}

/// Prints rows below their headers, with three spaces between columns; rows with other headers begin a new table.
fn print(rows: &[Row]) -> String {
    let headers = |row: &Row| row.iter().map(|(header, _)| header.clone()).collect::<Vec<String>>();
    let mut text = String::new();
    for table in rows.chunk_by(|a, b| headers(a) == headers(b)) {
        let Some(first) = table.first() else { continue };
        let cells = table.iter().map(|row| row.iter().map(|(_, cell)| cell.clone()).collect());
        let lines: Vec<Vec<String>> = [headers(first)].into_iter().chain(cells).collect();
        let width = |at: usize| lines.iter().filter_map(|line| line.get(at)).map(|cell| cell.chars().count()).max();
        let widths: Vec<usize> = (0..first.len()).filter_map(width).collect();
        for line in &lines {
            let padded: String = line.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}   ")).collect();
            text.push_str(padded.trim_end());
            text.push('\n');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::{Source, Streams, load};
    use crate::verify::TestSource;
    use crate::verify::layout;

    fn case(text: &str) -> Case {
        let text = format!("rule: x\ncases:\n- {{name: a, layout: rancher, {text}, expect: []}}\n");
        let source = TestSource::parse(&Source { file: "t.yaml".to_owned(), text }).unwrap();
        source.cases().unwrap().remove(0)
    }

    /// Returns the files of a case, or the error.
    fn written(text: &str) -> Result<BTreeMap<String, String>, String> {
        let (name, files) = layout::files(&case(text), &Streams::parse(load::embedded().streams).unwrap_or_default())?;
        let bundle = Bundle::from_memory(&name, files.clone(), Limits::default());
        assert_eq!((bundle.kind().as_str(), bundle.issues()), ("rancher", &[][..]));
        Ok(files.into_iter().map(|(path, text)| (path, String::from_utf8(text).unwrap())).collect())
    }

    const POD: &str = "{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: shop, creationTimestamp: '2025-02-10T09:00:00Z'}, \
        spec: {nodeName: cp1, containers: [{name: a}]}, status: {phase: Running, \
        containerStatuses: [{name: a, restartCount: 12, state: {waiting: {reason: CrashLoopBackOff}}}]}}";

    #[test]
    fn objects_are_rows_of_their_tables() {
        let node = "{apiVersion: v1, kind: Node, metadata: {name: cp1}, status: {conditions: [{type: Ready, status: 'True'}]}}";
        let second =
            "{apiVersion: v1, kind: Pod, metadata: {name: b, namespace: kube-system}, status: {phase: Pending}}";
        let files = written(&format!("now: 2025-02-10T10:00:00Z, objects: [{POD}, {second}, {node}]")).unwrap();
        assert_eq!(
            files["rke2/kubectl/pods"],
            "NAMESPACE     NAME   READY   STATUS             RESTARTS   IP       NODE     NOMINATED NODE   READINESS GATES   AGE\n\
             kube-system   b      0/0     Pending            0          <none>   <none>   <none>           <none>            <unknown>\n\
             shop          web    0/1     CrashLoopBackOff   12         <none>   cp1      <none>           <none>            60m\n"
        );
        assert!(files["rke2/kubectl/nodes"].starts_with("NAME   STATUS   ROLES"), "{files:?}");
        assert_eq!(files["systeminfo/date"], "Mon Feb 10 10:00:00 UTC 2025\n");
    }

    #[test]
    fn the_collection_is_named_after_its_node() {
        assert_eq!(name(&case("now: 2025-03-06T10:15:30Z, objects: []")), "n1-2025-03-06_10_15_30");
        assert_eq!(
            name(&case("objects: [{kind: Node, metadata: {name: wk1}}, {kind: Node, metadata: {name: cp1}}]")),
            "cp1"
        );
    }

    #[test]
    fn files_replace_what_is_written_and_missing_takes_away() {
        let files = written(&format!("objects: [{POD}], files: {{rke2/kubectl/pods: x, systeminfo/dfh: y}}")).unwrap();
        assert_eq!((&*files["rke2/kubectl/pods"], &*files["systeminfo/dfh"]), ("x", "y"));
        let files = written(&format!("objects: [{POD}], missing: [pods]")).unwrap();
        assert_eq!(files.keys().collect::<Vec<_>>(), ["collector-output.log"]);
    }

    #[test]
    fn ranchers_own_clusters_are_dumps() {
        let cluster =
            "{apiVersion: provisioning.cattle.io/v1, kind: Cluster, metadata: {name: c, namespace: fleet-default}}";
        let files = written(&format!("objects: [{cluster}]")).unwrap();
        assert!(files["rke2/kubectl/rancher-prov/clusters.provisioning.cattle.io"].contains("kind: List"), "{files:?}");
    }

    #[test]
    fn types_that_the_collector_does_not_take_are_reported() {
        let says = |text: &str, part: &str| {
            let error = written(text).unwrap_err();
            assert!(error.contains(part), "{error}");
        };
        let volume = "objects: [{apiVersion: longhorn.io/v1beta2, kind: Volume, metadata: {name: v, namespace: longhorn-system}}]";
        says(volume, "Volume.longhorn.io/longhorn-system/v: the collector of layout rancher collects only apiservices");
        let role = "objects: [{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: r}}]";
        says(role, "write the table into files: rke2/kubectl/clusterroles");
        says("objects: [], releases: [{name: r, status: deployed, source: helm3}]", "has no Helm records");
    }
}
