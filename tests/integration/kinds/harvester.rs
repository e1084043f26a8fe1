//! Bundles of Harvester, built in the layouts that support-bundle-kit has had over the years.

use std::io::Write;

use serde_json::json;

use super::{fired, gaps, reason, zipped};

const ID: &str = "0f1e2d3c-4b5a-4687-9900-aabbccddeeff";

type Files = Vec<(String, Vec<u8>)>;

fn file(path: &str, text: &str) -> (String, Vec<u8>) {
    (path.to_owned(), text.as_bytes().to_vec())
}

fn list(items: &[&str]) -> String {
    let items: String = items.iter().map(|item| format!("- {item}\n")).collect();
    format!("apiVersion: v1\nitems:\n{items}kind: List\nmetadata: {{}}\n")
}

fn node(name: &str, ready: &str, more: &str) -> String {
    format!(
        "{{apiVersion: v1, kind: Node, metadata: {{name: {name}}}, spec: {{{more}}}, status: {{conditions: [{{type: Ready, status: \"{ready}\"}}], nodeInfo: {{kubeletVersion: v1.27.10+rke2r1, osImage: Some Linux}}}}}}"
    )
}

fn pod(namespace: &str, name: &str) -> String {
    format!(
        "{{apiVersion: v1, kind: Pod, metadata: {{name: {name}, namespace: {namespace}}}, status: {{phase: Running, containerStatuses: [{{name: c, state: {{running: {{}}}}}}]}}}}"
    )
}

/// Makes the archive of a node: a folder with its files.
fn node_zip(node: &str, files: &[(&str, &str)]) -> (String, Vec<u8>) {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    writer.add_directory(format!("{node}/"), options).unwrap();
    for (path, text) in files {
        writer.start_file(format!("{node}/{path}"), options).unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    }
    (format!("nodes/{node}.zip"), writer.finish().unwrap().into_inner())
}

fn metadata() -> (String, Vec<u8>) {
    file(
        "metadata.yaml",
        "bundlename: bundle-a1b2c\nbundleversion: 0.1.0\nkubernetesversion: v1.27.10+rke2r1\nprojectnamespaceuuid: 0f1e2d3c-4b5a-4687-9900-aabbccddeeff\nbundlecreatedat: \"2024-05-06T07:08:09Z\"\n",
    )
}

/// Harvester 1.3 with four nodes, of which one is whole.
pub(super) fn modern() -> Files {
    let errors = "Failed to get /apis/authentication.k8s.io/v1/tokenreviews: the server does not allow this method on the requested resource\nBUG: Support bundle: cannot get log for pod web-0 container c: Get \"https://10.0.0.2:10250/containerLogs/harvester-system/web-0/c\": dial tcp 10.0.0.2:10250: connect: no route to host\nCannot get pod `gone-0` info (error: pods \"gone-0\" not found), just continueBUG: Support bundle: cannot get log for pod new-0 container c: container \"c\" in pod \"new-0\" is waiting to start: ContainerCreating\n";
    let nodes = [
        node("n1", "True", ""),
        node("n2", "Unknown", ""),
        node("n3", "True", "taints: [{key: a, value: b, effect: NoExecute}]"),
        node("n4", "True", ""),
    ];
    let setting =
        "{apiVersion: harvesterhci.io/v1beta1, kind: Setting, metadata: {name: server-version}, value: v1.3.1}";
    vec![
        metadata(),
        file("bundleGenerationError.log", errors),
        file(
            "prometheus-alerts.json",
            "[\n\t{\"labels\": {\"alertname\": \"Watchdog\"}, \"state\": \"firing\"},\n\t{\"labels\": {\"alertname\": \"NodeDiskFull\"}, \"state\": \"firing\"}\n]\n",
        ),
        file("yamls/.DS_Store", "\u{0}\u{1}"),
        file("yamls/cluster/v1/.DS_Store", "\u{0}\u{1}"),
        file("yamls/cluster/v1/nodes.yaml", &list(&nodes.each_ref().map(String::as_str))),
        file("yamls/cluster/harvesterhci.io/v1beta1/settings.yaml", &list(&[setting])),
        file(
            "yamls/cluster/metrics.k8s.io/v1beta1/nodes.yaml",
            &list(&["{apiVersion: metrics.k8s.io/v1beta1, kind: NodeMetrics, metadata: {name: ghost}}"]),
        ),
        file(
            "yamls/namespaced/harvester-system/v1/pods.yaml",
            &list(&[&pod("harvester-system", "web-0"), &pod("harvester-system", "api-0")]),
        ),
        file(
            "yamls/namespaced/local/v1/configmaps.yaml",
            &list(&["{apiVersion: v1, kind: Configmap, metadata: {name: cm, namespace: local}}"]),
        ),
        file(
            "logs/harvester-system/api-0/c.log",
            "2024-05-06T07:00:00.000000001Z time=\"2024-05-06T07:00:00Z\" level=error msg=\"cannot reach the store\"\n",
        ),
        file("logs/harvester-system/api-0/c.log.1", ""),
        node_zip(
            "n1",
            &[
                ("configs/etc/harvester-release.yaml", "harvester: v1.3.1\nos: Harvester v1.3.1\n"),
                ("logs/kernel.log", "May 06 07:00:00.123456 n1 kernel: booted\n"),
                ("logs/kubelet.log", "E0506 07:00:00.123456    1 file.go:12] \"broken\"\n"),
                ("logs/containerd-images.log", "REF TYPE\n"),
                ("logs/wicked.log", "-- No entries --\n"),
            ],
        ),
        node_zip("n4", &[]),
    ]
}

#[test]
fn gaps_are_reported_with_their_reason() {
    let rules = [
        (
            "t-alert",
            "  alerts: {file: {path: prometheus-alerts.json, as: json}, where: \"alerts.data.exists(a, a.labels.alertname == 'NodeDiskFull')\"}\n",
        ),
        ("t-api", "  said: {log: {namespace: harvester-system, pod: 'api-*'}, match: 'cannot reach'}\n"),
        ("t-cm", "  cm: {resource: configmaps, namespace: local}\n"),
        ("t-ghost", "  node: {resource: nodes, name: ghost}\n"),
        ("t-kubelet", "  said: {log: kubelet, match: 'never said'}\n"),
        ("t-web", "  said: {log: {namespace: harvester-system, pod: 'web-*'}, match: 'never said'}\n"),
    ];
    let found = zipped(&format!("supportbundle_{ID}_2024-05-06T07-08-09Z"), &modern(), &rules);
    let bundle = &found["bundle"];
    assert_eq!((&bundle["kind"], &bundle["versions"]["harvester"]), (&json!("harvester"), &json!("v1.3.1")));
    assert_eq!(bundle["collector"]["version"], "0.0.40 to 0.0.71");
    assert!(bundle["collector"]["why"].as_str().unwrap().ends_with("version by prometheus-alerts.json, wicked.log"));
    assert_eq!(fired(&found, "t-"), ["t-alert", "t-api", "t-cm"], "{}", found["issues"]);
    assert!(found["rules"]["clean"].as_array().unwrap().contains(&json!("t-ghost")), "metrics are no nodes");
    assert!(reason(&found, "t-kubelet").starts_with("logs of nodes n2, n3, n4 are not in the bundle;"));
    assert_ne!(reason(&found, "t-web"), "");
    let told: Vec<String> = bundle["not_collected"]
        .as_array()
        .unwrap()
        .iter()
        .map(|gap| format!("{}: {}", gap["what"].as_str().unwrap(), gap["why"].as_str().unwrap()))
        .collect();
    assert_eq!(
        told,
        [
            "files and logs of node n2: the node is not ready, and the bundle holds no archive of it",
            "files and logs of node n3: the bundle holds no archive of it; its taint a=b:NoExecute may have kept the collector away",
            "files and logs of node n4: its archive holds no files: the collector does not know what to collect on the node's operating system",
            "lines in the log of wicked on node n1: the journal has no entries of it",
            "log of pod new-0, container c: container \"c\" in pod \"new-0\" is waiting to start: ContainerCreating",
            "log of pod web-0, container c: Get \"https://10.0.0.2:10250/containerLogs/harvester-system/web-0/c\": dial tcp 10.0.0.2:10250: connect: no route to host",
            "logs of pod gone-0: pods \"gone-0\" not found",
            "secrets: the collector leaves them out",
        ]
    );
    assert_eq!(found["issues"], json!([]));
}

#[test]
fn an_api_that_is_down_takes_a_whole_scope() {
    let down = "unable to retrieve the complete list of server APIs: metrics.k8s.io/v1beta1: the server is currently unable to handle the request";
    let files = vec![
        metadata(),
        file(
            "bundleGenerationError.log",
            &format!("Unable to fetch cluster resources: {down}\nUnable to fetch namespaced resources: {down}\n"),
        ),
        file("logs/harvester-system/api-0/c.log", "2024-05-06T07:00:00.000000001Z started\n"),
    ];
    let rules = [
        ("t-node", "  node: {resource: nodes}\n"),
        ("t-pod", "  pod: {resource: pods}\n"),
        ("t-volume", "  volume: {resource: volumes.longhorn.io}\n"),
    ];
    let found = zipped(&format!("supportbundle_{ID}_2024-05-06T07-08-09Z"), &files, &rules);
    assert_eq!(found["bundle"]["kind"], "harvester");
    for rule in ["t-node", "t-pod", "t-volume"] {
        assert!(reason(&found, rule).contains("metrics.k8s.io/v1beta1"), "{rule}: {}", reason(&found, rule));
    }
    assert_eq!(gaps(&found), ["objects of all namespaces", "objects without namespace"]);
}

#[test]
fn trees_of_2021_are_read() {
    let typed = "apiVersion: v1\nkind: PodList\nitems:\n- metadata: {name: web-0, namespace: harvester-system}\n  spec: {nodeName: n1}\n  status: {phase: Failed}\n";
    let untyped = "metadata: {}\nitems:\n- metadata: {name: disk-0, namespace: default}\n  status: {phase: Failed}\n";
    let kubernetes = [
        file("yamls/namespaced/harvester-system/kubernetes/pods.yaml", typed),
        file("yamls/namespaced/default/cdi/datavolumes.yaml", untyped),
        file("yamls/cluster/kubernetes/nodes.yaml", "kind: NodeList\napiVersion: v1\nitems: []\n"),
        file("yamls/cluster/kubernetes/nodemetrics.yaml", "items:\n- metadata: {name: ghost}\n"),
        file("yamls/cluster/harvester/settings.yaml", "items:\n- metadata: {name: server-version}\n  value: v0.2.0\n"),
    ];
    let rules = [
        ("t-pod", "  pod: {resource: pods, where: pod.status.phase == 'Failed'}\n"),
        ("t-disk", "  disk: {resource: datavolumes.cdi.kubevirt.io, where: disk.status.phase == 'Failed'}\n"),
        ("t-node", "  node: {resource: nodes}\n"),
        ("t-vm", "  vm: {resource: virtualmachines.kubevirt.io}\n"),
    ];
    let name = format!("harvester-supportbundle_{ID}_2021-05-06T07-08-09Z");
    let found = zipped(&name, &kubernetes, &rules);
    assert_eq!(found["bundle"]["kind"], "harvester");
    assert_eq!(found["bundle"]["collected_at"], "2021-05-06T07:08:09Z", "by the name, there is no description");
    assert_eq!(found["bundle"]["versions"]["harvester"], "v0.2.0");
    assert_eq!(fired(&found, "t-"), ["t-disk", "t-pod"], "{}", found["issues"]);
    assert!(found["rules"]["clean"].as_array().unwrap().contains(&json!("t-node")), "an empty list says so");
    assert!(reason(&found, "t-vm").contains("were not collected"), "{}", reason(&found, "t-vm"));

    let older: Files =
        kubernetes.iter().map(|(path, text)| (path.replace("yamls/cluster/", "yamls/"), text.clone())).collect();
    let found = zipped(&name, &older, &rules);
    assert_eq!(found["bundle"]["collector"]["version"], "before 0.0.1");
    assert_eq!(fired(&found, "t-"), ["t-disk", "t-pod"], "{}", found["issues"]);
}

#[test]
fn a_flat_tree_does_not_tell_whose_nodes_it_holds() {
    let of_longhorn =
        list(&["{apiVersion: longhorn.io/v1beta1, kind: Node, metadata: {name: n1, namespace: longhorn-system}}"]);
    let files = vec![
        file(
            "yamls/cluster/settings.yaml",
            &list(&[
                "{apiVersion: harvesterhci.io/v1beta1, kind: Setting, metadata: {name: server-version}, value: v0.3.0}",
            ]),
        ),
        file("yamls/cluster/nodes.yaml", "apiVersion: v1\nitems: []\nkind: List\n"),
        file("yamls/namespaced/longhorn-system/nodes.yaml", &of_longhorn),
        file("yamls/namespaced/harvester-system/pods.yaml", "apiVersion: v1\nitems: []\nkind: List\n"),
    ];
    let rules = [
        ("t-longhorn", "  node: {resource: nodes.longhorn.io}\n"),
        ("t-node", "  node: {resource: nodes}\n"),
        ("t-pod", "  pod: {resource: pods}\n"),
    ];
    let found = zipped(&format!("supportbundle_{ID}_2021-09-06T07-08-09Z"), &files, &rules);
    assert_eq!(found["bundle"]["collector"]["version"], "0.0.1 to 0.0.2");
    assert_eq!(found["bundle"]["versions"]["harvester"], "v0.3.0");
    assert_eq!(fired(&found, "t-"), ["t-longhorn"]);
    assert_eq!(reason(&found, "t-node"), "nodes were not collected");
    assert_eq!(reason(&found, "t-pod"), "pods of namespace harvester-system were not collected");
}

#[test]
fn the_collector_version_is_that_of_its_pod_or_a_range() {
    let mut files = modern();
    let manager = "{apiVersion: v1, kind: Pod, metadata: {name: supportbundle-manager-x, namespace: harvester-system}, spec: {containers: [{name: manager, image: 'rancher/support-bundle-kit:v0.0.37'}]}}";
    files.push(file("yamls/namespaced/harvester-system/apps/v1/pods.yaml", &list(&[manager])));
    let found = zipped(&format!("supportbundle_{ID}_2024-05-06T07-08-09Z"), &files, &[]);
    assert_eq!(found["bundle"]["collector"]["version"], "0.0.37");
    let newest = vec![
        metadata(),
        node_zip("n1", &[("logs/NetworkManager.log", "x\n"), ("configs/oem/a.yaml", "a: b\n")]),
        file("yamls/cluster/harvesterhci.io/v1beta1/settings.yaml", "items: []\n"),
    ];
    let found = zipped("supportbundle_site-a_2026-05-06T07-08-09Z", &newest, &[]);
    assert_eq!(found["bundle"]["collector"]["version"], "0.0.82 or later");
}
