//! Must-gathers of OpenShift, built as `oc adm must-gather` writes them.

use serde_json::{Value, json};

use super::{analysed, reason};

const IMAGE: &str = "quay-io-example-must-gather-sha256-1a2b";

fn object(text: &str) -> String {
    format!("---\n{text}")
}

const NODE: &str = "apiVersion: v1\nkind: Node\nmetadata: {name: master-0, labels: {node-role.kubernetes.io/master: ''}}\nstatus: {conditions: [{type: Ready, status: 'True'}], nodeInfo: {kubeletVersion: v1.27.8, kernelVersion: 5.14.0}}\n";
const VERSION: &str = "apiVersion: config.openshift.io/v1\nkind: ClusterVersion\nmetadata: {name: version}\nspec: {clusterID: c-1}\nstatus: {desired: {version: 4.14.10}, history: [{state: Partial, version: 4.14.10}, {state: Completed, version: 4.14.9}]}\n";
const POD: &str = "apiVersion: v1\nkind: Pod\nmetadata: {name: web-0, namespace: shop, resourceVersion: '5'}\nspec: {containers: [{name: nginx}]}\nstatus: {phase: Running, containerStatuses: [{name: nginx, state: {running: {}}}]}\n";

/// The files that one image collects.
pub(super) fn tree() -> Vec<(&'static str, String)> {
    let list = |items: &str| {
        format!("---\napiVersion: v1\nitems:\n{items}kind: PodList\nmetadata: {{resourceVersion: '9'}}\n")
    };
    let item = "- metadata: {name: web-0, namespace: shop, resourceVersion: '7'}\n  spec: {containers: [{name: nginx}], hostNetwork: true}\n  status: {phase: Running, containerStatuses: [{name: nginx, state: {running: {}}}]}\n";
    let logs = "namespaces/shop/pods/web-0/nginx/nginx/logs";
    let mut files = vec![
        ("version", "openshift/must-gather\n4.14.9-202401\n".to_owned()),
        (
            "timestamp",
            "2024-03-06 10:15:30.123456789 +0000 UTC m=+0.17\n2024-03-06 10:25:30.5 +0000 UTC m=+600.2\n".to_owned(),
        ),
        ("event-filter.html", "<!DOCTYPE html>\n<html></html>\n".to_owned()),
        ("cluster-scoped-resources/core/nodes/master-0.yaml", object(NODE)),
        ("cluster-scoped-resources/config.openshift.io/clusterversions/version.yaml", object(VERSION)),
        (
            "cluster-scoped-resources/rbac.authorization.k8s.io/clusterroles/system%3Aopenshift%3Ax.yaml",
            object(
                "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: 'system:openshift:x'}\n",
            ),
        ),
        ("namespaces/shop/shop.yaml", object("apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n")),
        ("namespaces/shop/core/pods.yaml", list(item)),
        ("namespaces/shop/core/events.yaml", "---\napiVersion: v1\nitems: []\nkind: EventList\n".to_owned()),
        ("namespaces/shop/pods/web-0/web-0.yaml", object(POD)),
        (
            "host_service_logs/masters/kubelet_service.log",
            "Mar 06 10:00:00 master-0 kubenswrapper[1]: started\n".to_owned(),
        ),
    ];
    for (file, text) in [
        ("current.log", "2024-03-06T10:00:00.000000001Z ready\n"),
        ("previous.log", "2024-03-06T09:00:00.000000001Z panic: boom\n"),
        ("previous.insecure.log", ""),
        ("rotated/0.log.20240306-101530", "2024-03-06T08:00:00.000000001Z old news\n"),
    ] {
        files.push((Box::leak(format!("{logs}/{file}").into_boxed_str()), text.to_owned()));
    }
    files
}

fn below(folder: &str, files: &[(&str, String)]) -> Vec<(String, String)> {
    files.iter().map(|(path, text)| (format!("{folder}/{path}"), text.clone())).collect()
}

const RULES: [(&str, &str); 8] = [
    ("t-newest", "  pod: {resource: pods, name: web-0, where: pod.spec.hostNetwork == true}\n"),
    ("t-role", "  role: {resource: clusterroles, name: 'system:openshift:x'}\n"),
    ("t-previous", "  said: {log: {namespace: shop, container: nginx}, match: 'panic: boom'}\n"),
    ("t-rotated", "  said: {log: {namespace: shop, container: nginx}, match: 'old news'}\n"),
    ("t-unit", "  said: {log: kubelet, match: 'started'}\n"),
    ("t-events", "  event: {event: {reason: BackOff, object: {namespace: shop}}}\n"),
    ("t-claims", "  claim: {resource: persistentvolumeclaims, namespace: shop}\n"),
    ("t-single", "  role: {resource: clusterroles, name: absent}\n"),
];

fn analyse(files: &[(String, String)]) -> Value {
    let files: Vec<(&str, String)> = files.iter().map(|(path, text)| (path.as_str(), text.clone())).collect();
    analysed("must-gather.local.4711", &files, &RULES)
}

fn ids<'a>(found: &'a Value, outcome: &str) -> Vec<&'a str> {
    let all = found["rules"][outcome].as_array().unwrap().iter().map(|id| id.as_str().unwrap());
    all.filter(|id| id.starts_with("t-")).collect()
}

#[test]
fn objects_logs_and_versions_are_read() {
    let found = analyse(&below(IMAGE, &tree()));
    let bundle = &found["bundle"];
    assert_eq!((&bundle["kind"], &bundle["collector"]["name"]), (&json!("must-gather"), &json!("must-gather")));
    assert_eq!(bundle["collected_at"], "2024-03-06T10:15:30.123456789Z");
    assert_eq!(bundle["versions"], json!({"kubernetes": "v1.27.8", "kernel": "5.14.0", "openshift": "4.14.9"}));
    assert_eq!(bundle["nodes"], json!([{"name": "master-0", "ready": true, "roles": ["master"], "collected": false}]));
    assert_eq!(found["issues"], json!([]));
    assert_eq!(ids(&found, "fired"), ["t-newest", "t-previous", "t-role", "t-rotated", "t-unit"]);
    assert_eq!(ids(&found, "clean"), ["t-events"], "its list is there and empty");
    assert_eq!(reason(&found, "t-claims"), "persistentvolumeclaims of namespace shop were not collected");
    assert!(
        reason(&found, "t-single").starts_with("whether cluster-scoped-resources/"),
        "{}",
        reason(&found, "t-single")
    );
}

#[test]
fn several_images_are_one_bundle() {
    let second: Vec<_> =
        tree().into_iter().filter(|(path, _)| path.starts_with("namespaces/shop/pods/web-0/nginx")).collect();
    let mut first = tree();
    first.retain(|(path, _)| !path.starts_with("namespaces/shop/pods/web-0/nginx"));
    let found = analyse(&[below(IMAGE, &first), below("quay-io-virt-must-gather-sha256-3c4d", &second)].concat());
    assert_eq!(found["issues"], json!([]));
    assert_eq!(ids(&found, "fired"), ["t-newest", "t-previous", "t-role", "t-rotated", "t-unit"]);
    let previous = found["findings"].as_array().unwrap().iter().find(|f| f["rule"] == "t-previous").unwrap();
    assert!(previous["evidence"][0]["entry"].as_str().unwrap().starts_with("quay-io-virt-must-gather-sha256-3c4d/"));
}

#[test]
fn without_the_cluster_version_the_collector_states_it() {
    let mut files = tree();
    files.retain(|(path, _)| !path.contains("clusterversions"));
    assert_eq!(analyse(&below(IMAGE, &files))["bundle"]["versions"]["openshift"], "4.14.9-202401");
}
