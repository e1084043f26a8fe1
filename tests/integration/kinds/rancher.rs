//! Collections of rancher2_logs_collector.sh, built in code: tables, logs, and the known and unknown facts about their
//! node.

use serde_json::{Value, json};

use super::reason;
use crate::harness::{analysis, corpus, summary};

const PODS: &str = "\
NAMESPACE     NAME           READY   STATUS    RESTARTS      AGE    IP          NODE   NOMINATED NODE   READINESS GATES
kube-system   etcd-cp1       1/1     Running   2 (3d ago)    7d3h   10.0.0.1    cp1    <none>           <none>
shop          web-0          1/1     Running   0             7d3h   10.42.0.7   cp1    <none>           <none>
";

const NODES: &str = "\
NAME   STATUS                        ROLES                       AGE    VERSION          INTERNAL-IP   EXTERNAL-IP   OS-IMAGE          KERNEL-VERSION   CONTAINER-RUNTIME
cp1    Ready                         control-plane,etcd,master   7d3h   v1.32.7+rke2r1   10.0.0.1      <none>        Some Linux 15.6   6.4.0-1          containerd://2.0.5-k3s2
wk1    NotReady,SchedulingDisabled   worker                      7d3h   v1.32.7+rke2r1   10.0.0.2      <none>        Some Linux 15.6   6.4.0-1          containerd://2.0.5-k3s2
";

/// The name that the collector gives the folder and the archive.
pub(super) const NAME: &str = "cp1-2025-03-06_10_15_30";

pub(super) fn files() -> Vec<(&'static str, String)> {
    let refused = "Error from server (BadRequest): previous terminated container \"web\" in pod \"web-0\" not found\n";
    vec![
        ("collector-output.log", "2025-03-06 10:15:30: Collecting system info\n".to_owned()),
        ("systeminfo/date", "Thu Mar  6 10:15:30 UTC 2025\n".to_owned()),
        ("systeminfo/dmesg", String::new()),
        ("networking/iproute", "default via 10.0.0.254 dev eth0\n".to_owned()),
        ("journald/rke2-server", "Mar 06 09:00:00 cp1 rke2[1]: started\n".to_owned()),
        ("rke2/version", "rke2 version v1.32.7+rke2r1 (43f78039)\n".to_owned()),
        ("rke2/kubectl/version", "Client Version: v1.32.7+rke2r1\nServer Version: v1.32.7+rke2r1\n".to_owned()),
        ("rke2/kubectl/pods", PODS.to_owned()),
        ("rke2/kubectl/nodes", NODES.to_owned()),
        (
            "rke2/kubectl/namespaces",
            "NAME          STATUS        AGE\nkube-system   Active        7d3h\nshop          Terminating   7d3h\n"
                .to_owned(),
        ),
        ("rke2/kubectl/pv", "No resources found\n".to_owned()),
        ("rke2/kubectl/helmcharts", "error: the server doesn't have a resource type \"helmcharts\"\n".to_owned()),
        ("rke2/podlogs/kube-system-etcd-cp1", "{\"level\":\"warn\",\"msg\":\"slow\"}\n".to_owned()),
        ("rke2/podlogs/shop-web-0-previous", refused.to_owned()),
    ]
}

/// Analyses a collection with rules of the test.
fn analysed(files: &[(&str, String)], rules: &[(&str, &str)]) -> Value {
    super::analysed(NAME, files, rules)
}

#[test]
fn a_collection_states_its_time_versions_and_nodes() {
    let found = analysed(&files(), &[]);
    let bundle = &found["bundle"];
    assert_eq!(bundle["kind"], "rancher");
    assert_eq!(bundle["collected_at"], "2025-03-06T10:15:30Z");
    assert_eq!(
        bundle["versions"],
        json!({
            "containerd": "2.0.5-k3s2",
            "kernel": "6.4.0-1",
            "kubernetes": "v1.32.7+rke2r1",
            "os": "Some Linux 15.6",
            "rke2": "v1.32.7+rke2r1",
        })
    );
    let nodes: Vec<_> =
        bundle["nodes"].as_array().unwrap().iter().map(|n| (&n["name"], &n["ready"], &n["collected"])).collect();
    assert_eq!(nodes, [(&json!("cp1"), &json!(true), &json!(true)), (&json!("wk1"), &json!(false), &json!(false))]);
    assert_eq!(found["issues"], json!([]));
    let gaps: Vec<_> =
        bundle["not_collected"].as_array().unwrap().iter().map(|gap| gap["what"].as_str().unwrap()).collect();
    assert_eq!(
        gaps,
        ["files and logs of node wk1", "lines in the log of dmesg on node cp1", "rke2/kubectl/helmcharts", "secrets"]
    );
}

/// The same collection of a node of another distribution: its folder, the unit of its service, and the end of its versions.
fn of_distribution(folder: &str, unit: &str, build: &str) -> Vec<(String, String)> {
    let path = |path: &str| path.replace("rke2/", &format!("{folder}/")).replace("journald/rke2-server", unit);
    // Columns of a table stay where they are.
    let width = |text: &str| if text == NODES { "+rke2r1".len() } else { 0 };
    let text =
        |text: &str| text.replace("+rke2r1", &format!("{build:<0$}", width(text))).replace("rke2[1]", "service[1]");
    files().iter().map(|(at, content)| (path(at), text(content))).collect()
}

#[test]
fn a_collection_of_each_distribution_is_read() {
    let rules = [
        ("t-exact", "  ns: {resource: namespaces, where: ns.status.phase == 'Terminating'}\n"),
        ("t-etcd", "  slow: {log: etcd, match: 'slow'}\n"),
        ("t-none", "  volume: {resource: persistentvolumes}\n"),
    ];
    for (folder, unit, build) in [
        ("rke2", "journald/rke2-server", "+rke2r1"),
        ("k3s", "journald/k3s", "+k3s1"),
        ("rke", "journald/docker", ""),
        ("kubeadm", "journald/kubelet", ""),
    ] {
        let files = of_distribution(folder, unit, build);
        let files: Vec<(&str, String)> = files.iter().map(|(path, text)| (path.as_str(), text.clone())).collect();
        let found = analysed(&files, &rules);
        let bundle = &found["bundle"];
        assert_eq!((&bundle["kind"], &bundle["collected_at"]), (&json!("rancher"), &json!("2025-03-06T10:15:30Z")));
        let version = format!("v1.32.7{build}");
        assert_eq!(bundle["versions"]["kubernetes"], version, "{folder}");
        let own = bundle["versions"].get(folder).and_then(Value::as_str);
        assert_eq!(own, matches!(folder, "rke2" | "k3s").then_some(version.as_str()), "{folder}");
        let nodes: Vec<_> =
            bundle["nodes"].as_array().unwrap().iter().map(|n| (&n["name"], &n["ready"], &n["collected"])).collect();
        assert_eq!(
            nodes,
            [(&json!("cp1"), &json!(true), &json!(true)), (&json!("wk1"), &json!(false), &json!(false))],
            "{folder}"
        );
        assert_eq!(super::fired(&found, "t-"), ["t-etcd", "t-exact"], "{folder}");
        assert!(found["rules"]["clean"].as_array().unwrap().contains(&json!("t-none")), "{folder}");
        assert_eq!(found["issues"], json!([]), "{folder}");
    }
}

#[test]
fn rows_and_logs_are_found_by_rules() {
    let rules = [
        ("t-exact", "  ns: {resource: namespaces, where: ns.status.phase == 'Terminating'}\n"),
        ("t-node", "  node: {resource: nodes, where: node.spec.unschedulable == true}\n"),
        ("t-etcd", "  slow: {log: etcd, match: 'slow'}\n"),
        ("t-unit", "  started: {log: rke2, match: 'started', where: started.node == 'cp1'}\n"),
        (
            "t-file",
            "  route: {file: {path: networking/iproute}, where: route.text.contains('eth0') && route.node == 'cp1'}\n",
        ),
    ];
    let found = analysed(&files(), &rules);
    let fired: Vec<_> = found["rules"]["fired"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|id| id.as_str().unwrap().starts_with("t-"))
        .collect();
    assert_eq!(fired, ["t-etcd", "t-exact", "t-file", "t-node", "t-unit"]);
    let etcd = found["findings"].as_array().unwrap().iter().find(|f| f["rule"] == "t-etcd").unwrap();
    assert_eq!(etcd["objects"][0]["name"], "etcd-cp1");
    let exact = found["findings"].as_array().unwrap().iter().find(|f| f["rule"] == "t-exact").unwrap();
    assert_eq!(exact["evidence"][0]["line"], 3);
    assert_eq!(exact["evidence"][0]["field"], "status.phase");
}

#[test]
fn fields_that_tables_lack_are_not_clean() {
    let rules = [
        ("t-field", "  pod: {resource: pods, where: pod.spec.hostNetwork == true}\n"),
        ("t-label", "  pod: {resource: pods, labels: app=web}\n"),
        ("t-type", "  service: {resource: services, where: service.spec.type == 'NodePort'}\n"),
        ("t-refused", "  chart: {resource: helmcharts.helm.cattle.io}\n"),
        ("t-log", "  said: {log: {namespace: shop, pod: 'web-*'}, match: 'panic: boom'}\n"),
        ("t-nodes", "  said: {log: rke2, match: 'never said'}\n"),
        ("t-empty", "  volume: {resource: persistentvolumes}\n"),
    ];
    let found = analysed(&files(), &rules);
    assert_eq!(reason(&found, "t-field"), "hostNetwork of Pod/kube-system/etcd-cp1 is not in rke2/kubectl/pods");
    assert_eq!(reason(&found, "t-label"), "labels of Pod/kube-system/etcd-cp1 are not in rke2/kubectl/pods");
    assert_eq!(reason(&found, "t-type"), "services were not collected");
    assert!(reason(&found, "t-refused").contains("rke2/kubectl/helmcharts: error: the server doesn't have"));
    assert_eq!(reason(&found, "t-log"), "the bundle has no log of shop/web-*", "a message of kubectl is no log");
    assert_eq!(
        reason(&found, "t-nodes"),
        "logs of node wk1 are not in the bundle; the collected logs of rke2 cover 2025-03-06T09:00:00Z to 2025-03-06T09:00:00Z"
    );
    assert!(found["rules"]["clean"].as_array().unwrap().contains(&json!("t-empty")), "kubectl said that there is none");
}

#[test]
fn a_field_that_tables_lack_is_one_source_of_several() {
    let hosts = "resource: pods, where: self.spec.hostNetwork == true";
    let zone = "resource: nodes, where: 'self.metadata.labels.zone == \"a\"'";
    let machine = "{'resource': nodes, where: 'self.status.nodeInfo.machineID == \"m\"'}";
    let address =
        |text: &str| format!("{{each: 'nodes.map(n, columns(n)[\"INTERNAL-IP\"]).filter(a, a == \"{text}\")'}}");
    let rules = [
        ("t-log", format!("  bad: {{any: [{{{hosts}}}, {{log: rke2, match: 'never said'}}]}}\n")),
        ("t-no-log", format!("  bad: {{any: [{{{hosts}}}, {{log: kubelet, match: 'never said'}}]}}\n")),
        ("t-rows", format!("  bad: {{any: [{{{hosts}}}, {{{zone}}}]}}\n")),
        ("t-computed", format!("  bad: {{any: [{}, {machine}]}}\n", address("10.9.9.9"))),
        (
            "t-list",
            format!(
                "  tables: {{file: {{path: none/x}}, optional: true, collect: true}}\n  bad: {{any: [{{each: tables}}, {machine}]}}\n"
            ),
        ),
        ("t-both", format!("  pod: {{{hosts}}}\n  said: {{log: rke2, match: 'never said'}}\n")),
        ("t-other", "  gone: {resource: services}\n  said: {log: rke2, match: 'never said'}\n".to_owned()),
    ];
    let rules = rules.each_ref().map(|(id, find)| (*id, find.as_str()));
    let found = analysed(&files(), &rules);
    let of = |key: &str| -> Vec<&str> {
        let listed = found["rules"][key].as_array().unwrap().iter().map(|r| r["rule"].as_str().unwrap());
        listed.filter(|id| id.starts_with("t-")).collect()
    };
    assert_eq!(of("clean_partly"), ["t-both", "t-computed", "t-log", "t-other"]);
    assert_eq!(of("not_evaluated"), ["t-list", "t-no-log", "t-rows"], "nothing was searched that could answer");
    assert_eq!(reason(&found, "t-computed"), "machineID of Node/cp1 is not in rke2/kubectl/nodes");
    assert!(
        reason(&found, "t-other").starts_with("logs of node wk1 are not in the bundle"),
        "what was searched in vain"
    );
}

#[test]
fn a_log_that_no_pod_writes_is_told_apart_from_one_that_was_not_collected() {
    let rules = [
        ("t-none", "  said: {log: {pod: 'operation-*'}, match: 'never said'}\n"),
        ("t-ended", "  said: {log: {pod: 'job-*'}, match: 'never said'}\n"),
        ("t-unit", "  said: {log: kubelet, match: 'never said'}\n"),
        ("t-container", "  said: {log: {namespace: shop, container: sidecar}, match: 'never said'}\n"),
    ];
    let ended = format!(
        "{PODS}shop          job-0          0/1     Completed   0             7d3h   10.42.0.8   cp1    <none>           <none>\n"
    );
    let with = |pods: Option<&str>| {
        let mut files = files();
        files.retain(|(path, _)| *path != "rke2/kubectl/pods");
        files.extend(pods.map(|text| ("rke2/kubectl/pods", text.to_owned())));
        analysed(&files, &rules)
    };
    let found = with(Some(&ended));
    let partly: Vec<_> = found["rules"]["clean_partly"].as_array().unwrap().iter().map(|r| &r["rule"]).collect();
    assert!(partly.contains(&&json!("t-none")));
    assert_eq!(reason(&found, "t-none"), "no pod of this cluster writes a log of */operation-*");
    assert_eq!(reason(&found, "t-ended"), "the bundle has no log of */job-*");
    assert_eq!(reason(&found, "t-unit"), "the bundle has no log of kubelet");
    assert!(reason(&found, "t-container").starts_with("the bundle has no log of"), "a table names no containers");
    assert_eq!(reason(&with(None), "t-none"), "the bundle has no log of */operation-*", "the pods are not known");
}

#[test]
fn a_running_pod_without_a_log_is_missing() {
    let rules = [("t-any", "  said: {log: containers, match: 'never said'}\n")];
    let found = analysed(&files(), &rules);
    assert_eq!(reason(&found, "t-any"), "no log of running container shop/web-0");
}

#[test]
fn a_dump_beside_a_table_is_taken_whole() {
    let mut files = files();
    let ready = json!({"conditions": [{"type": "Ready", "status": "True"}]});
    let item =
        json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "cp1", "labels": {"a": "b"}}, "status": ready});
    let list = json!({"apiVersion": "v1", "kind": "List", "items": [item]});
    files.push(("rke2/kubectl/nodes.json", list.to_string()));
    let rules = [("t-label", "  node: {resource: nodes, name: cp1, labels: a=b}\n")];
    assert!(analysed(&files, &rules)["rules"]["fired"].as_array().unwrap().contains(&json!("t-label")));
}

#[test]
fn hostile_tables_are_bounded_and_reported() {
    let columns = "A  ".repeat(10_000);
    let texts = [
        format!("NAMESPACE   NAME   {columns}\n"),
        format!("NAMESPACE   NAME   AGE\n{}", "x".repeat(1_000_000)),
        "NAMESPACE   NAME   AGE\n".repeat(10_000),
        format!("NAMESPACE   NAME   AGE\n{}", "\u{1b}[31mdemo        a      1d\n".repeat(10_000)),
        format!("NAMESPACE   NAME   AGE\ndemo        a      {}d\n", "9".repeat(100_000)),
        "\u{0}\u{fffd}\u{1b}[\n".repeat(1000),
        "error: x\n".repeat(100_000),
    ];
    for text in texts {
        let mut files = files();
        files.retain(|(path, _)| *path != "rke2/kubectl/pods");
        files.push(("rke2/kubectl/pods", text));
        let found = analysed(&files, &[]);
        assert_eq!(found["bundle"]["kind"], "rancher");
        assert!(found["issues"].as_array().unwrap().len() < 50);
    }
}

#[test]
fn the_real_collection_shows_its_risks_and_nothing_else() {
    let Some(path) = corpus("rancher-rke2-server-2025-11-27.tar.gz") else { return };
    let found = analysis(&path, &[]);
    let bundle = &found["bundle"];
    assert_eq!(bundle["collected_at"], "2025-11-27T04:19:09Z");
    assert_eq!(bundle["versions"]["rke2"], "v1.32.7+rke2r1");
    let nodes = bundle["nodes"].as_array().unwrap();
    assert_eq!((nodes.len(), nodes.iter().filter(|n| n["collected"] == true).count()), (4, 1));
    assert!(nodes.iter().all(|n| n["ready"] == true));
    assert_eq!(found["issues"], json!([]), "every table is read");
    let shown = [
        "etcd-port-open-to-strangers Pod/kube-system/etcd-w-guard-wg-cp-svtk6-lqtxw",
        "node-os-resolv-conf Pod/kube-system/kube-apiserver-w-guard-wg-cp-svtk6-lqtxw",
        "k8s-monitoring-adapter-cancelled-probes \
         Pod/cattle-monitoring-system/rancher-monitoring-prometheus-adapter-6dfb97b6d4-fmp49",
    ];
    assert_eq!(summary(&found), shown);
    // Its volumes are not in the bundle, and the fields of its Pods are not in their table.
    for rule in ["longhorn-volume-degraded", "k8s-pod-oomkilled", "helm-interrupted-release-pending"] {
        assert_ne!(reason(&found, rule), "", "{rule}");
    }
    // The certificates of one node of four were collected, and none of them ends soon.
    for rule in ["rke2-cert-expired", "rke2-cert-expiring"] {
        let reason = reason(&found, rule);
        assert!(reason.contains("are not in the bundle; the 14 of node"), "{rule}: {reason}");
    }
}

/// While the API server is down, no table names the node of a pod; the kubelet's own files are those of the host.
#[test]
fn logs_of_the_kubelet_are_of_the_host() {
    let mut files = files();
    files.retain(|(path, _)| !path.starts_with("rke2/kubectl/") && !path.starts_with("rke2/podlogs/"));
    let line = "2025-03-06T10:00:00.000000000Z stderr F no space left on device\n";
    files.push(("rke2/podlogs/kube-system_etcd-cp1_0a1b/etcd/0.log", line.to_owned()));
    let rules = [("t-full", "  full: {log: etcd, match: 'no space left', by: [node], where: full.node == 'cp1'}\n")];
    let found = analysed(&files, &rules);
    assert_eq!(super::fired(&found, "t-"), ["t-full"]);
}
