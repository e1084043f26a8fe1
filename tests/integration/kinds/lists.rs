//! Output of the API server other than plain lists: tables, bare metadata, its errors; built in the form that a
//! collector keeps.

use serde_json::{Value, json};

use super::{fired, reason};

const NAME: &str = "support-bundle-2025-03-06T10_15_30";

fn metadata(name: &str) -> Value {
    json!({"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1",
        "metadata": {"name": name, "namespace": "shop", "labels": {"app": "web"}}})
}

fn table() -> Value {
    let columns: Vec<Value> = ["Name", "Ready", "Status", "Restarts", "Age", "IP", "Node"]
        .iter()
        .map(|name| json!({"name": name, "type": "string"}))
        .collect();
    let whole = json!({"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "web-1", "namespace": "shop"},
        "spec": {"hostNetwork": true, "containers": [{"name": "web"}]}, "status": {"phase": "Failed"}});
    json!({"kind": "Table", "apiVersion": "meta.k8s.io/v1", "metadata": {"resourceVersion": "7"}, "columnDefinitions": columns,
    "rows": [
        {"cells": ["web-0", "0/1", "CrashLoopBackOff", "12 (5m ago)", "2h", "10.42.0.7", "n1"], "object": metadata("web-0")},
        {"cells": ["web-1", "0/1", "Failed", "0", "2h", "<none>", "n1"], "object": whole},
    ]})
}

fn files() -> Vec<(&'static str, String)> {
    let secrets = json!({"kind": "PartialObjectMetadataList", "apiVersion": "meta.k8s.io/v1", "metadata": {},
        "items": [metadata("login")]});
    let refused = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "message": "services is forbidden: User \"x\" cannot list resource \"services\"", "reason": "Forbidden", "code": 403});
    vec![
        ("version.yaml", "apiVersion: troubleshoot.sh/v1beta2\nkind: SupportBundle\n".to_owned()),
        ("cluster-resources/pods/shop.json", table().to_string()),
        ("cluster-resources/configmaps/shop.json", secrets.to_string()),
        ("cluster-resources/services/shop.json", refused.to_string()),
    ]
}

#[test]
fn tables_of_the_api_are_partial_objects_and_columns_see_them() {
    let rules = [
        (
            "t-column",
            "  pod: {resource: pods, where: \"columns(pod).STATUS == 'CrashLoopBackOff' && columns(pod).RESTARTS > 10\"}\n",
        ),
        ("t-label", "  pod: {resource: pods, name: web-0, labels: app=web}\n"),
        ("t-field", "  pod: {resource: pods, name: web-0, where: pod.status.podIP == '10.42.0.7'}\n"),
        (
            "t-whole",
            "  pod: {resource: pods, name: web-1, where: pod.spec.hostNetwork == true && columns(pod).STATUS == 'Failed'}\n",
        ),
        ("t-absent", "  pod: {resource: pods, name: web-0, where: pod.metadata.deletionTimestamp != null}\n"),
        ("t-unseen", "  pod: {resource: pods, name: web-0, where: pod.spec.hostNetwork == true}\n"),
        ("t-none", "  pod: {resource: pods, namespace: shop, name: nobody}\n"),
    ];
    let found = super::analysed(NAME, &files(), &rules);
    assert_eq!(fired(&found, "t-"), ["t-column", "t-field", "t-label", "t-whole"]);
    let clean = found["rules"]["clean"].as_array().unwrap();
    assert!(clean.contains(&json!("t-absent")) && clean.contains(&json!("t-none")), "{clean:?}");
    assert_eq!(reason(&found, "t-unseen"), "hostNetwork of Pod/shop/web-0 is not in cluster-resources/pods/shop.json");
    assert_eq!(found["issues"], json!([]));
}

#[test]
fn bare_metadata_are_partial_objects() {
    let rules = [
        ("t-label", "  config: {resource: configmaps, labels: app=web}\n"),
        ("t-data", "  config: {resource: configmaps, where: config.data.a == 'b'}\n"),
    ];
    let found = super::analysed(NAME, &files(), &rules);
    assert_eq!(fired(&found, "t-"), ["t-label"]);
    assert_eq!(
        reason(&found, "t-data"),
        "data of ConfigMap/shop/login is not in cluster-resources/configmaps/shop.json"
    );
}

#[test]
fn an_error_of_the_api_is_the_reason() {
    let found = super::analysed(NAME, &files(), &[("t-service", "  service: {resource: services, namespace: shop}\n")]);
    let said = "services is forbidden: User \"x\" cannot list resource \"services\" (Forbidden, 403)";
    let why = reason(&found, "t-service");
    assert!(
        why.starts_with(
            "services of namespace shop were not collected (cluster-resources/services/shop.json: the API server"
        ),
        "{why}"
    );
    assert!(why.contains(said), "{why}");
    let gaps = found["bundle"]["not_collected"].as_array().unwrap();
    let gap = gaps.iter().find(|gap| gap["what"] == "cluster-resources/services/shop.json").unwrap();
    assert!(gap["why"].as_str().unwrap().ends_with(said), "{gap}");
    assert_eq!(found["issues"], json!([]));
}

#[test]
fn an_unplaced_table_is_recognised_by_its_columns() {
    let files = [("notes/answer.json", table().to_string()), ("notes/other.json", metadata("x").to_string())];
    let rules = [("t-pod", "  pod: {resource: pods, where: columns(pod).STATUS == 'CrashLoopBackOff'}\n")];
    let found = super::analysed("notes", &files, &rules);
    assert_eq!(fired(&found, "t-"), ["t-pod"]);
    let issues = found["issues"].as_array().unwrap();
    assert_eq!(issues.len(), 1, "{issues:?}");
    assert!(issues[0]["message"].as_str().unwrap().contains("whose type neither its path nor its columns tell"));
}

/// What somebody cut down by hand for a ticket: no kind behind the items, no namespaces, no times.
#[test]
fn objects_cut_down_by_hand_are_seen() {
    let volumes = "apiVersion: v1\nitems:\n- apiVersion: longhorn.io/v1beta2\n  kind: Volume\n  metadata:\n    name: pvc-1\n  \
                   status:\n    robustness: faulted\n    state: detached\n";
    let files = vec![
        (
            "metadata.yaml",
            "bundlename: cut\nkubernetesversion: v1.32.4+rke2r1\nbundlecreatedat: \"2026-05-20T15:35:29Z\"\n"
                .to_owned(),
        ),
        ("yamls/namespaced/longhorn-system/longhorn.io/v1beta2/volumes.yaml", volumes.to_owned()),
    ];
    let rules = [
        (
            "t-there",
            "  volume: {resource: volumes.longhorn.io, where: volume.metadata.namespace == 'longhorn-system'}\n",
        ),
        (
            "t-lasted",
            "  volume: {resource: volumes.longhorn.io, where: \"!(ago(volume.metadata.creationTimestamp) < duration('1h'))\"}\n",
        ),
        ("t-others", "  volume: {resource: volumes.longhorn.io, where: volume.status.state == 'attached'}\n"),
    ];
    let found = super::analysed("supportbundle_cut", &files, &rules);
    assert_eq!(fired(&found, "t-"), ["t-lasted", "t-there"]);
    let why = "yamls/namespaced/longhorn-system/longhorn.io/v1beta2/volumes.yaml could not be read as a whole";
    assert_eq!(reason(&found, "t-others"), why);
}
