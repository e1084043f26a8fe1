//! The keys and types of docs/report.md are those of real JSON.

use std::collections::{BTreeMap, BTreeSet};

use gleaner::internals::baseline::Baseline;
use gleaner::internals::bundle::{Bundle, Limits};
use gleaner::internals::pipeline::{self, Archive, Options, Usual};
use gleaner::internals::report::json::v1;
use gleaner::internals::rule::{Source, compile, load::embedded};
use gleaner::model::{Novelty, OlderBundle};
use serde_json::Value;

use crate::page::{Page, code, root};
use crate::rules::streams;

/// Objects whose keys are data.
const MAPS: [&str; 6] = [
    "bundle.versions",
    "findings[].affects",
    "findings[].fixed_in",
    "timings",
    "upgrade.release.components",
    "upgrade.targets[].components",
];

/// Known lines of the bundle below.
fn known_lines() -> Vec<Source> {
    let entry = |component: &str, line: &str| {
        format!(
            "- line: '{line}'\n  component: {component}\n  product: kubernetes\n  versions: '>=1.20'\n  means: It waits.\n  look: Wait.\n  \
             fixed_in: kubernetes 1.30\n  link: https://example.com\n"
        )
    };
    let entries = [
        entry("event Waiting", "waits for its database"),
        entry("web", "E0301 10:00:00.000000 1 a.go:1] mount failed: no space left on device"),
        entry("web", "E0301 10:00:00.000000 1 a.go:2] cannot write the index"),
    ];
    vec![Source { file: "known-lines/a.yaml".to_owned(), text: format!("known_lines:\n{}", entries.concat()) }]
}

fn json(bundle: &Bundle, timings: bool) -> Value {
    let set = compile(embedded().sources, &streams()).unwrap().with_known_lines(known_lines()).unwrap();
    let set = set.of_collections(embedded().collections);
    let (usual, archive) = (Usual::default(), Archive { clusters: 3, ..Archive::default() });
    let options = Options {
        timings,
        identity: true,
        unexplained: 20,
        usual: Some(&usual),
        archive: Some(&archive),
        ..Options::default()
    };
    let mut out = Vec::new();
    let mut analysis = pipeline::analyze(bundle, &set, options, &());
    if timings {
        Baseline::default().apply(&mut analysis);
        let collected_at = analysis.bundle.collected_at;
        analysis.older = Some(OlderBundle { path: "older.zip".to_owned(), collected_at, ..OlderBundle::default() });
        analysis.findings.iter_mut().for_each(|finding| finding.novelty = Some(Novelty::New));
    }
    v1::write(&analysis, &mut out).unwrap();
    serde_json::from_slice(&out).unwrap()
}

fn in_memory(name: &str, files: &[(&str, &str)]) -> Bundle {
    let files = files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()));
    Bundle::from_memory(name, files.collect(), Limits::default())
}

/// Real outputs that together show every part of the document.
fn outputs() -> Vec<Value> {
    let sample = Bundle::open(&root("samples/stale-managed-chart"), Limits::default()).unwrap();
    let files = [
        ("yamls/namespaced/demo/v1/pods.yaml", "apiVersion: v1\nkind: List\nitems: [{\n"),
        (
            "yamls/cluster/v1/nodes.yaml",
            "apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {conditions: [{type: DiskPressure, status: 'True'}, \
             {type: Ready, status: 'False'}]}}, {apiVersion: v1, kind: Node, metadata: {name: n2}, status: {conditions: [{type: Ready, status: 'False'}]}}]\n",
        ),
        (
            "yamls/namespaced/demo/example.io/v1/things.yaml",
            "kind: List\nitems: [{apiVersion: example.io/v1, kind: Thing, metadata: {name: a, namespace: demo}, status: {conditions: \
             [{type: Ready, status: 'False', lastTransitionTime: '2026-03-01T10:00:00Z'}]}}]\n",
        ),
        (
            "yamls/namespaced/shop/v1/pods.yaml",
            "kind: List\nitems: [{apiVersion: v1, kind: Pod, metadata: {name: web-1, namespace: shop}, spec: {containers: [{name: main}]}, \
             status: {phase: Running, containerStatuses: [{name: main, ready: false, restartCount: 0, state: {running: {}}}]}}]\n",
        ),
        (
            "yamls/namespaced/loop/v1/pods.yaml",
            "kind: List\nitems: [{apiVersion: v1, kind: Pod, metadata: {name: loop, namespace: loop}, spec: {nodeName: n1, containers: [{name: main}]}, \
             status: {phase: Running, containerStatuses: [{name: main, ready: false, restartCount: 12, state: {waiting: {reason: CrashLoopBackOff}}}]}}]\n",
        ),
        (
            "yamls/namespaced/alone/v1/pods.yaml",
            "kind: List\nitems: [{apiVersion: v1, kind: Pod, metadata: {name: solo, namespace: alone, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, \
             name: set, controller: true, uid: s}]}, spec: {containers: [{name: main}]}, status: {phase: Running, conditions: [{type: Ready, status: 'False', \
             lastTransitionTime: '2026-03-01T10:00:01Z'}], containerStatuses: [{name: main, ready: false, restartCount: 12, state: {waiting: {reason: CrashLoopBackOff}}}]}}]\n",
        ),
        (
            "yamls/namespaced/alone/apps/v1/replicasets.yaml",
            "kind: List\nitems: [{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: set, namespace: alone, uid: s, creationTimestamp: '2026-03-01T09:59:00Z', \
             ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: solo, controller: true, uid: d}]}, spec: {replicas: 1}}]\n",
        ),
        (
            "yamls/namespaced/alone/apps/v1/deployments.yaml",
            "kind: List\nitems: [{apiVersion: apps/v1, kind: Deployment, metadata: {name: solo, namespace: alone, uid: d, managedFields: [{manager: kubectl-edit, \
             time: '2026-03-01T09:58:59Z', fieldsV1: {'f:spec': {}}}]}, spec: {replicas: 1}}]\n",
        ),
        (
            "logs/alone/solo/main.log",
            "2026-03-01T10:00:00Z level=error msg=\"unknown key colour\"\n2026-03-01T10:00:10Z level=error msg=\"unknown key colour\"\n",
        ),
        (
            "yamls/namespaced/shop/v1/events.yaml",
            "kind: List\nitems: [{apiVersion: v1, kind: Event, metadata: {name: web-1.1, namespace: shop}, type: Warning, reason: Waiting, \
             message: waits for its database, count: 4, lastTimestamp: '2026-03-01T10:00:05Z', \
             involvedObject: {apiVersion: v1, kind: Pod, name: web-1, namespace: shop}}]\n",
        ),
        (
            "logs/shop/web-1/main.log",
            "2026-03-01T10:00:00Z E0301 10:00:00.000000 1 a.go:1] mount failed: no space left on device\n\
             2026-03-01T10:00:01Z E0301 10:00:01.000000 1 a.go:2] cannot write the index\n\
             2026-03-01T10:00:02Z E0301 10:00:02.000000 1 a.go:2] cannot write the index\n",
        ),
    ];
    let checked = [
        ("version.yaml", "apiVersion: troubleshoot.sh/v1beta2\nkind: SupportBundle\n"),
        (
            "analysis.json",
            r#"[{"severity": "error", "insight": {"primary": "Storage", "detail": "No class is the default."}}]"#,
        ),
        ("cluster-resources/namespaces.json", "[]"),
    ];
    let upgrading = [
        (
            "yamls/namespaced/harvester-system/harvesterhci.io/v1beta1/upgrades.yaml",
            "kind: List\nitems: [{apiVersion: harvesterhci.io/v1beta1, kind: Upgrade, metadata: {name: hvst-upgrade-a, namespace: harvester-system, \
             labels: {harvesterhci.io/upgradeState: UpgradingNodes}}, status: {conditions: [{type: NodesUpgraded, status: Unknown}], \
             nodeStatuses: {n1: {state: Pre-draining}}}}]\n",
        ),
        (
            "yamls/namespaced/shop/v1/pods.yaml",
            "kind: List\nitems: [{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: shop}, status: {conditions: [{type: Ready, status: 'False'}]}}]\n",
        ),
    ];
    vec![
        json(&in_memory("upgrading.zip", &upgrading), false),
        json(&sample, true),
        json(&in_memory("broken.zip", &files), false),
        json(&in_memory("checked.zip", &checked), false),
    ]
}

/// Type names of the page by path, as the values have them.
fn collect(path: &str, value: &Value, found: &mut BTreeMap<String, BTreeSet<&'static str>>) {
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "flag",
        Value::Number(_) => "number",
        Value::String(_) => "text",
        Value::Array(_) => "list",
        Value::Object(_) if MAPS.contains(&path) => "map",
        Value::Object(_) => "object",
    };
    if !path.is_empty() && !path.ends_with("[]") {
        found.entry(path.to_owned()).or_default().insert(kind);
    }
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect(&format!("{path}[]"), item, found)),
        Value::Object(fields) if kind == "object" => {
            let below = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
            fields.iter().for_each(|(key, value)| collect(&below(key), value, found));
        }
        _ => {}
    }
}

#[test]
fn every_key_is_described_with_its_type() {
    let mut real: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    outputs().iter().for_each(|output| collect("", output, &mut real));
    let page = Page::read("docs/report.md");
    let rows = page.tables(&["key", "type", "means"]).into_iter().flat_map(|table| &table.rows);
    let told: BTreeMap<&str, &str> = rows.map(|row| (code(&row[0]), row[1].as_str())).collect();
    assert_eq!(told.keys().copied().collect::<BTreeSet<_>>(), real.keys().map(String::as_str).collect());
    for (path, kinds) in real {
        let said = told[path.as_str()];
        let fits = |kind: &&str| said.split(" or ").map(json_type).any(|allowed| allowed == *kind);
        assert!(kinds.iter().all(fits), "{path} is {kinds:?}, the page says {said}");
    }
}

/// The type of JSON behind a type of the page.
fn json_type(told: &str) -> &str {
    match told {
        "time" => "text",
        "list of text" => "list",
        other => other,
    }
}
