//! Supportability reviews, built in code: the cluster part alone, and both parts as archives in the results of
//! Sonobuoy.

use serde_json::{Value, json};

use super::reason;
use crate::harness::{analysis, tar_gz};

fn list(items: Value) -> String {
    json!({"kind": "List", "apiVersion": "v1", "metadata": {}, "items": items}).to_string()
}

pub(super) fn cluster() -> Vec<(&'static str, String)> {
    let node = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"},
        "status": {"conditions": [{"type": "Ready", "status": "True"}]}});
    let deployment = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "rancher", "namespace": "cattle-system"},
        "spec": {"template": {"spec": {"containers": [{"name": "rancher", "image": "rancher/rancher:v2.9.2"}]}}}});
    let app = json!({"apiVersion": "catalog.cattle.io/v1", "kind": "App", "metadata": {"name": "monitoring", "namespace": "cattle-system"}});
    vec![
        ("date.log", "2025-03-06 10:15:30\n".to_owned()),
        ("kubectl-version.json", json!({"serverVersion": {"gitVersion": "v1.28.9+rke2r1"}}).to_string()),
        ("crds.json", list(json!([]))),
        ("nodes.json", list(json!([node]))),
        (
            "namespaces.json",
            list(json!([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "cattle-system"}}])),
        ),
        ("cattle-system-deploy.json", list(json!([deployment]))),
        ("cattle-system-apps.json", list(json!([app]))),
        ("persistentvolumeclaims.json", String::new()),
        (
            "api_version/Pod.json",
            json!({"items": [{"apiVersion": "v1", "metadata": {"name": "p", "namespace": "shop"}}]}).to_string(),
        ),
        ("pod-count", "12\n".to_owned()),
        ("apps/headlamp.json", "{\"a\": 1}\n{\"b\": 2}\n".to_owned()),
    ]
}

const RULES: [(&str, &str); 4] = [
    ("t-deploy", "  d: {resource: deployments.apps, name: rancher}\n"),
    ("t-app", "  a: {resource: apps.catalog.cattle.io, name: monitoring}\n"),
    ("t-pods", "  p: {resource: pods}\n"),
    ("t-claims", "  c: {resource: persistentvolumeclaims}\n"),
];

fn bytes(files: Vec<(&str, String)>) -> Vec<(String, Vec<u8>)> {
    files.into_iter().map(|(path, text)| (path.to_owned(), text.into_bytes())).collect()
}

#[test]
fn the_cluster_part_is_read() {
    let found = super::analysed("clusterinfo", &cluster(), &RULES);
    let bundle = &found["bundle"];
    assert_eq!((&bundle["kind"], &bundle["collected_at"]), (&json!("supportability"), &json!("2025-03-06T10:15:30Z")));
    assert_eq!(
        bundle["versions"],
        json!({"kubernetes": "v1.28.9+rke2r1", "rke2": "v1.28.9+rke2r1", "rancher": "v2.9.2"})
    );
    let fired = found["rules"]["fired"].as_array().unwrap();
    assert!(["t-deploy", "t-app"].iter().all(|rule| fired.contains(&json!(rule))), "{fired:?}");
    assert!(reason(&found, "t-pods").contains("were not collected"), "pods are taken out before packing");
    assert_eq!(reason(&found, "t-claims"), "persistentvolumeclaims.json could not be read as a whole");
    let issues: Vec<_> = found["issues"].as_array().unwrap().iter().map(|issue| &issue["entry"]).collect();
    assert_eq!(issues, ["persistentvolumeclaims.json"], "an empty file is where kubectl failed");
}

#[test]
fn results_of_sonobuoy_are_opened_and_encrypted_ones_reported() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("inner.tar.gz");
    tar_gz(&inner, ".", &bytes(cluster()));
    let node = folder.path().join("node.tar.gz");
    tar_gz(&node, ".", &bytes(vec![("journald/rke2-server", "Mar 06 09:00:00 n1 rke2[1]: started\n".to_owned())]));
    let results = "plugins/supportability/results";
    let files = vec![
        (format!("{results}/global/clusterinfo.tar.gz"), std::fs::read(&inner).unwrap()),
        (format!("{results}/n1/nodeinfo.tar.gz"), std::fs::read(&node).unwrap()),
        (format!("{results}/n2/nodeinfo.tar.gz"), b"\x00encrypted with a key of others".to_vec()),
    ];
    let outer = folder.path().join("review.tar.gz");
    tar_gz(&outer, ".", &files);
    let found = analysis(&outer, &[]);
    let bundle = &found["bundle"];
    assert_eq!((&bundle["kind"], &bundle["versions"]["rancher"]), (&json!("supportability"), &json!("v2.9.2")));
    assert_eq!(bundle["nodes"][0], json!({"name": "n1", "ready": true, "roles": [], "collected": true}));
    let issues = found["issues"].as_array().unwrap();
    let told = issues.iter().find(|issue| issue["entry"].as_str().unwrap().ends_with("n2/nodeinfo.tar.gz"));
    assert!(told.unwrap()["message"].as_str().unwrap().contains("encrypts its results"));
}

#[test]
fn a_node_part_given_alone_is_that_of_its_node() {
    let files = [
        ("ls-l-host.log", "total 0\n".to_owned()),
        ("systeminfo/date", "Thu Mar  6 10:15:30 UTC 2025\n".to_owned()),
        ("networking/ss", "x\n".to_owned()),
        ("journald/rke2-server", "Mar 06 09:00:00 n1 rke2[1]: started\n".to_owned()),
    ];
    let found = super::analysed("nodeinfo", &files, &[("t-unit", "  said: {log: rke2, match: 'started'}\n")]);
    assert_eq!(
        (&found["bundle"]["kind"], &found["bundle"]["collected_at"]),
        (&json!("supportability"), &json!("2025-03-06T10:15:30Z"))
    );
    assert!(
        found["rules"]["fired"].as_array().unwrap().contains(&json!("t-unit")),
        "{}",
        found["rules"]["not_evaluated"]
    );
}
