//! Collections of Rancher's collectors for every distribution, and the facts that they contain about their host.

use serde_json::{Value, json};

use super::{analysed, reason};

const NODES: &str = "\
NAME              STATUS   ROLES                       AGE    VERSION          INTERNAL-IP   EXTERNAL-IP   OS-IMAGE          KERNEL-VERSION   CONTAINER-RUNTIME
cp1.example.org   Ready    control-plane,etcd,master   7d3h   v1.32.7+rke2r1   10.0.0.1      <none>        Some Linux 15.6   6.4.0-1          containerd://2.0.5-k3s2
wk1.example.org   Ready    <none>                      7d3h   v1.32.7+rke2r1   10.0.0.2      <none>        Some Linux 15.6   6.4.0-1          containerd://2.0.5-k3s2
";

const PODS: &str = "\
NAMESPACE   NAME     READY   STATUS             RESTARTS        AGE    IP          NODE              NOMINATED NODE   READINESS GATES
shop        api-0    0/1     Pending            0               7d3h   <none>      <none>            <none>           <none>
shop        web-0    0/1     CrashLoopBackOff   12 (4m ago)     7d3h   10.42.0.7   cp1.example.org   <none>           <none>
";

const DESCRIBED: &str = "\
Name:             api-0
Namespace:        shop
Node:             <none>
Labels:           app=api
Status:           Pending
IP:
IPs:              <none>
Containers:
  api:
    Image:        api:1
    Requests:
      memory:     64Gi
Conditions:
  Type           Status
  PodScheduled   False
Events:
  Type     Reason            Age   From               Message
  ----     ------            ----  ----               -------
  Warning  FailedScheduling  4m    default-scheduler  0/2 nodes are available: 2 Insufficient memory.


Name:             web-0
Namespace:        shop
Node:             cp1.example.org/10.0.0.1
Labels:           app=web
Status:           Running
IP:               10.42.0.7
IPs:
  IP:           10.42.0.7
Controlled By:  StatefulSet/web
Containers:
  web:
    Image:          web:1
    State:          Waiting
      Reason:       CrashLoopBackOff
    Last State:     Terminated
      Reason:       Error
      Exit Code:    3
      Started:      Thu, 06 Mar 2025 10:05:00 +0100
      Finished:     Thu, 06 Mar 2025 10:06:00 +0100
    Ready:          False
    Restart Count:  12
Conditions:
  Type              Status
  PodScheduled      True
  Ready             False
Events:             <none>
";

/// A collection of the server `cp1` in Berlin.
pub(super) fn server() -> Vec<(&'static str, String)> {
    vec![
        (
            "collector-output.log",
            "2025-03-06 10:15:30: Collecting system info\n2025-03-06 10:15:31: [!] Containerd is offline, skipping crictl collection\n"
                .to_owned(),
        ),
        ("versions", "Thu Mar  6 10:15:29 CET 2025\n".to_owned()),
        ("systeminfo/date", "Thu Mar  6 10:15:30 CET 2025\n".to_owned()),
        ("systeminfo/hostname", "cp1\n".to_owned()),
        ("systeminfo/hostnamefqdn", "cp1.example.org\n".to_owned()),
        ("systeminfo/osrelease", "NAME=x\nPRETTY_NAME=\"Some Linux 15.6\"\n".to_owned()),
        ("systeminfo/dmesg", "[Thu Mar  6 10:00:00 2025] something odd\n".to_owned()),
        ("networking/iproute", "default via 10.0.0.254 dev eth0\n".to_owned()),
        ("journald/rke2-server", "Mar 06 10:10:00 cp1 rke2[1]: something odd\n".to_owned()),
        ("etcd/endpointhealth", "sh: etcdctl: command not found\n".to_owned()),
        ("etcd/endpointstatus", "+--+--+\n| ENDPOINT | VERSION | DB SIZE |\n+--+--+\n| https://10.0.0.1:2379 | 3.5.21 | 50 MB |\n+--+--+\n".to_owned()),
        ("rke2/version", "rke2 version v1.32.7+rke2r1 (43f78039)\n".to_owned()),
        ("rke2/kubectl/nodes", NODES.to_owned()),
        ("rke2/kubectl/pods", PODS.to_owned()),
        ("rke2/kubectl/namespaces", "NAME   STATUS   AGE\nshop   Active   7d3h\n".to_owned()),
        ("rke2/kubectl/nodesdescribe", "Error from server (Forbidden): nodes is forbidden: User \"x\" cannot list\n".to_owned()),
        ("rke2/kubectl/ciliumstatus.json", "Defaulted container \"a\" out of: a, b\n{\"cilium\": {\"state\": \"Ok\"}}\n".to_owned()),
        ("rke2/podlogs/shop-web-0", String::new()),
    ]
}

fn without<'a>(files: &[(&'a str, String)], gone: &str) -> Vec<(&'a str, String)> {
    files.iter().filter(|(path, _)| *path != gone).cloned().collect()
}

fn told(found: &Value) -> Vec<(&str, &str)> {
    let gaps = found["bundle"]["not_collected"].as_array().unwrap();
    gaps.iter().map(|gap| (gap["what"].as_str().unwrap(), gap["why"].as_str().unwrap())).collect()
}

fn fired(found: &Value) -> Vec<&str> {
    found["rules"]["fired"].as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect()
}

pub(super) const NAME: &str = "cp1-2025-03-06_10_15_30";

#[test]
fn the_host_has_the_name_that_the_cluster_gives_it_and_its_own_zone() {
    let rules = [
        ("t-unit", "  odd: {log: rke2, match: 'something odd', where: odd.node == 'cp1.example.org'}\nabout: [odd]\n"),
        ("t-kernel", "  odd: {log: kernel, match: 'something odd'}\n"),
        (
            "t-cilium",
            "  c: {file: {path: 'rke2/kubectl/ciliumstatus.json', as: json}, where: c.data.cilium.state == 'Ok'}\n",
        ),
        (
            "t-table",
            "  s: {file: {path: etcd/endpointstatus, as: table}, where: \"s.data[0]['DB SIZE'] == '50 MB'\"}\n",
        ),
    ];
    let found = analysed(NAME, &server(), &rules);
    let bundle = &found["bundle"];
    assert_eq!(bundle["collected_at"], "2025-03-06T09:15:30Z");
    let nodes: Vec<_> = bundle["nodes"].as_array().unwrap().iter().map(|n| (&n["name"], &n["collected"])).collect();
    assert_eq!(nodes, [(&json!("cp1.example.org"), &json!(true)), (&json!("wk1.example.org"), &json!(false))]);
    assert_eq!(bundle["versions"]["etcd"], "3.5.21");
    assert_eq!(bundle["versions"]["os"], "Some Linux 15.6");
    assert_eq!(bundle["collector"]["version"], "2026-02 or newer");
    for rule in ["t-cilium", "t-kernel", "t-table", "t-unit"] {
        assert!(fired(&found).contains(&rule), "{rule}");
    }
    let time = |rule: &str| {
        found["findings"].as_array().unwrap().iter().find(|f| f["rule"] == rule).unwrap()["first_seen"].clone()
    };
    assert_eq!((time("t-unit"), time("t-kernel")), (json!("2025-03-06T09:10:00Z"), json!("2025-03-06T09:00:00Z")));
}

#[test]
fn gaps_are_reported() {
    let found = analysed(NAME, &server(), &[]);
    let gaps = told(&found);
    let why = |what: &str| gaps.iter().find(|(known, _)| *known == what).map(|(_, why)| *why).unwrap_or_default();
    assert!(why("output of crictl").contains("Containerd is offline"), "{gaps:?}");
    assert!(why("files and logs of node wk1.example.org").contains("each node has a bundle of its own"), "{gaps:?}");
    assert!(why("rke2/kubectl/nodesdescribe").contains("Forbidden"), "{gaps:?}");
    assert_eq!(why("etcd/endpointhealth"), "sh: etcdctl: command not found");
    assert!(gaps.iter().any(|(what, _)| what.contains("pod log rke2/podlogs/shop-web-0, which is empty")), "{gaps:?}");
    assert_eq!(
        reason(&found, "etcd-endpoint-unhealthy"),
        "etcd/endpointhealth contains only: sh: etcdctl: command not found"
    );
}

#[test]
fn an_ambiguous_zone_is_reported() {
    let mut files = without(&without(&server(), "systeminfo/date"), "versions");
    files.push(("systeminfo/date", "Thu Mar  6 10:15:30 CST 2025\n".to_owned()));
    let found = analysed(NAME, &files, &[]);
    assert_eq!(found["bundle"]["collected_at"], "2025-03-06T10:15:31Z", "that of the newest line");
    assert!(told(&found).iter().any(|(what, _)| *what == "time of collection"));
    let issue = &found["issues"][0];
    assert_eq!(issue["entry"], "systeminfo/date");
    assert!(issue["message"].as_str().unwrap().contains("the zone CST stands for several"));
}

#[test]
fn descriptions_complete_the_rows() {
    let mut files = server();
    let rules = [
        (
            "t-exit",
            "  pod: {resource: pods, where: \"pod.status.containerStatuses.exists(c, c.lastState.terminated.exitCode == 3)\"}\n",
        ),
        ("t-label", "  pod: {resource: pods, labels: app=web}\n"),
        ("t-event", "  e: {event: {reason: FailedScheduling}, match: Insufficient}\n"),
    ];
    let before = analysed(NAME, &files, &rules);
    assert!(reason(&before, "t-exit").contains("containerStatuses of Pod/shop/api-0 is not in rke2/kubectl/pods"));
    assert!(reason(&before, "t-label").contains("are not in rke2/kubectl/pods"));
    files.push(("rke2/kubectl/poddescribe/shop", DESCRIBED.to_owned()));
    files.push(("rke2/kubectl/poddescribe/gone", "No resources found in gone namespace.\n".to_owned()));
    let found = analysed(NAME, &files, &rules);
    let fired = fired(&found);
    for rule in ["k8s-pod-crashloopbackoff", "k8s-sched-insufficient-resources", "t-event", "t-exit", "t-label"] {
        assert!(fired.contains(&rule), "{rule}: {}", reason(&found, rule));
    }
    let exit = found["findings"].as_array().unwrap().iter().find(|f| f["rule"] == "t-exit").unwrap();
    let evidence = exit["evidence"].as_array().unwrap();
    assert!(
        evidence.iter().any(|e| e["entry"] == "rke2/kubectl/poddescribe/shop" && e["line"] == 38 && e["value"] == "3"),
        "{evidence:?}"
    );
    assert_eq!(found["issues"], json!([]));
}

#[test]
fn a_row_and_a_description_of_one_object_are_one() {
    let mut files = server();
    files.push(("rke2/kubectl/poddescribe/shop", DESCRIBED.to_owned()));
    // The row was printed with labels of its own, and the description knows nothing of gates.
    let rules = [
        (
            "t-both",
            "  pod: {resource: pods, name: web-0, where: \"pod.metadata.labels.app == 'web' && columns(pod).AGE > duration('7d')\"}\n",
        ),
        ("t-cell", "  pod: {resource: pods, name: web-0, where: columns(pod).STATUS == 'CrashLoopBackOff'}\n"),
        ("t-one", "  pod: {resource: pods, name: web-0}\n"),
        (
            "t-row",
            "  node: {resource: nodes, name: cp1.example.org, where: node.status.nodeInfo.kernelVersion == '6.4.0-1' && node.spec.podCIDR == '10.42.0.0/24'}\n",
        ),
    ];
    files.retain(|(path, _)| *path != "rke2/kubectl/nodesdescribe");
    let described =
        "Name:               cp1.example.org\nPodCIDR:            10.42.0.0/24\nUnschedulable:      false\n";
    files.push(("rke2/kubectl/nodesdescribe", described.to_owned()));
    let found = analysed(NAME, &files, &rules);
    for rule in ["t-both", "t-cell", "t-one", "t-row"] {
        assert!(fired(&found).contains(&rule), "{rule}: {}", reason(&found, rule));
    }
    let of =
        |rule: &str| found["findings"].as_array().unwrap().iter().filter(|f| f["rule"] == rule).collect::<Vec<_>>();
    assert_eq!(of("t-one").len(), 1);
    let entries: Vec<_> = of("t-row")[0]["evidence"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| (e["entry"].as_str().unwrap(), e["line"].as_u64().unwrap()))
        .collect();
    assert!(
        entries.contains(&("rke2/kubectl/nodes", 2)) && entries.contains(&("rke2/kubectl/nodesdescribe", 2)),
        "{entries:?}"
    );
}

#[test]
fn of_two_collections_of_one_cluster_the_later_wins_and_whole_objects_win_over_all() {
    let row = |status: &str| {
        format!(
            "NAMESPACE   NAME    READY   STATUS    RESTARTS   AGE\nshop        web-0   1/1     {status}   0          7d\n"
        )
    };
    let pods = [("a/2025-03-06/get-pods.txt", row("Pending")), ("a/2025-03-07/get-pods.txt", row("Running"))];
    let rules = [
        ("t-later", "  pod: {resource: pods, where: pod.status.phase == 'Running'}\n"),
        ("t-earlier", "  pod: {resource: pods, where: pod.status.phase == 'Pending'}\n"),
    ];
    for files in [pods.to_vec(), pods.iter().rev().cloned().collect()] {
        assert_eq!(fired(&analysed("a", &files, &rules)), ["t-later"]);
    }
    let whole = "apiVersion: v1\nkind: Pod\nmetadata: {name: web-0, namespace: shop}\nstatus: {phase: Pending}\n";
    let files = [pods.to_vec(), vec![("a/2025-03-05/web.yaml", whole.to_owned())]].concat();
    assert_eq!(fired(&analysed("a", &files, &rules)), ["t-earlier"]);
}

#[test]
fn the_dump_of_a_cluster_in_one_file_is_objects_and_logs() {
    let mut files = server();
    let list = |kind: &str, items: Value| {
        json!({"kind": format!("{kind}List"), "apiVersion": "v1", "items": items}).to_string()
    };
    let pod = json!([{"metadata": {"name": "web-0", "namespace": "shop"}, "spec": {"hostNetwork": true, "containers": [{"name": "web"}]}}]);
    let heading = |word: &str| format!("==== {word} logs for container web of pod shop/web-0 ====\n");
    let dump =
        format!("{}\n{}\n{}it broke{}", list("Node", json!([])), list("Pod", pod), heading("START"), heading("END"));
    files.push(("kubeadm/kubectl/cluster-info_dump", dump));
    let rules = [
        ("t-pod", "  pod: {resource: pods, where: pod.spec.hostNetwork == true}\n"),
        ("t-log", "  said: {log: {namespace: shop, pod: web-0, container: web}, match: 'it broke'}\n"),
    ];
    let found = analysed(NAME, &files, &rules);
    for rule in ["t-log", "t-pod"] {
        assert!(fired(&found).contains(&rule), "{rule}: {}", reason(&found, rule));
    }
    let log = found["findings"].as_array().unwrap().iter().find(|f| f["rule"] == "t-log").unwrap();
    assert_eq!(
        (&log["evidence"][0]["entry"], &log["evidence"][0]["line"]),
        (&json!("kubeadm/kubectl/cluster-info_dump"), &json!(4))
    );
    let mut refused = server();
    let said = "The connection to the server 10.0.0.1:6443 was refused - did you specify the right host or port?";
    refused.push(("kubeadm/kubectl/cluster-info_dump", format!("{said}\n")));
    assert!(told(&analysed(NAME, &refused, &[])).contains(&("kubeadm/kubectl/cluster-info_dump", said)));
}

#[test]
fn journals_without_entries_are_reported() {
    let mut files = server();
    files.push(("journald/rke2-agent", "-- No entries --\n".to_owned()));
    let found = analysed(NAME, &files, &[]);
    let told = told(&found);
    assert!(
        told.contains(&("lines in the log of rke2-agent on node cp1.example.org", "the journal has no entries of it")),
        "{told:?}"
    );
}

#[test]
fn files_that_other_nodes_lack_are_named() {
    let rules = [("t-route", "  route: {file: {path: networking/iproute}, where: route.text.contains('never')}\n")];
    assert_eq!(
        reason(&analysed(NAME, &server(), &rules), "t-route"),
        "files of node wk1.example.org are not in the bundle; that of node cp1.example.org was read"
    );
}

#[test]
fn old_collections_of_rke1_and_those_of_a_pod_are_read() {
    let old = [
        ("systeminfo/date", "Wed Mar  6 10:15:30 UTC 2024\n".to_owned()),
        ("networking/iproute", "x\n".to_owned()),
        ("docker/dockerinfo", "Server:\n Server Version: 20.10.24\n".to_owned()),
        ("k8s/containerlogs/etcd", "2024-03-06T10:00:00.123456789Z something odd\n".to_owned()),
        ("rke/podlogs/k8s_web_web-0_shop_a1b2_0", "2024-03-06T10:00:00.123456789Z something odd\n".to_owned()),
    ];
    let rules = [
        ("t-etcd", "  odd: {log: etcd, match: 'something odd'}\n"),
        ("t-pod", "  odd: {log: {namespace: shop, container: web}, match: 'something odd'}\n"),
    ];
    let found = analysed("n1-2024-03-06_10_15_30", &old, &rules);
    assert_eq!(fired(&found), ["t-etcd", "t-pod"]);
    assert_eq!(found["bundle"]["versions"], json!({"docker": "20.10.24"}));
    let pod = [
        ("collector-output.log", "2025-03-06 10:15:30: Collecting\n".to_owned()),
        ("pod/kubectl/pods", PODS.to_owned()),
        ("pod/kubectl/nodes", NODES.to_owned()),
        ("pod/podlogs/shop-web-0", "something odd\n".to_owned()),
    ];
    let found = analysed("collector-2025-03-06_10_15_30", &pod, &rules);
    assert_eq!(found["bundle"]["kind"], "rancher");
    let nodes = found["bundle"]["nodes"].as_array().unwrap();
    assert!(nodes.len() == 2 && nodes.iter().all(|node| node["collected"] == false), "{nodes:?}");
    assert!(told(&found).iter().any(|(_, why)| why.contains("ran inside a pod")));
}

#[test]
fn an_obfuscated_collection_is_read_and_reported() {
    let mut files = server();
    files.retain(|(path, _)| !path.starts_with("systeminfo/hostname"));
    files.push(("networking/ipaddrshow", "    inet 10.promptly.zebra.quiet/24 scope global eth0\n".to_owned()));
    let found = analysed(NAME, &files, &[]);
    assert_eq!(found["bundle"]["nodes"].as_array().unwrap().len(), 2);
    let issues = found["issues"].as_array().unwrap();
    assert!(issues.len() == 1 && issues[0]["message"].as_str().unwrap().contains("obfuscated"), "{issues:?}");
}

#[test]
fn a_collection_of_windows_has_its_node_and_logs() {
    let json =
        "\u{feff}[{\"Id\": 7036, \"TimeCreated\": \"\\/Date(1741252530000)\\/\", \"Message\": \"stopped\\r\\n\"}]";
    let files = [
        ("eventlogs/system.json", json.to_owned()),
        (
            "eventlogs/rke2-service.txt",
            "time=\"2025-03-06T09:00:00Z\" level=error msg=\"something odd\"\r\n".to_owned(),
        ),
        ("network/hns/network.txt", "\u{feff}ID\r\n".to_owned()),
        ("k8s/components/kubelet.log", "E0306 09:00:00.000000 1 x.go:1] something odd\r\n".to_owned()),
    ];
    let rules = [
        (
            "t-event",
            "  e: {file: {path: 'eventlogs/*.json', as: json}, where: 'e.data.exists(x, x.Id == 7036) && e.node == \"WIN-1\"'}\n",
        ),
        (
            "t-time",
            "  e: {file: {path: 'eventlogs/*.json', as: json}, where: \"e.data.exists(x, timestamp(x.TimeCreated) == timestamp('2025-03-06T09:15:30Z'))\"}\n",
        ),
        ("t-rke2", "  odd: {log: rke2, match: 'something odd', where: odd.node == 'WIN-1'}\n"),
    ];
    let found = analysed("rancher_rke2_WIN-1_2025-03-06_10_15_30", &files, &rules);
    assert_eq!(found["bundle"]["kind"], "rancher");
    assert_eq!(found["bundle"]["nodes"][0]["name"], "WIN-1");
    assert_eq!(fired(&found), ["t-event", "t-rke2", "t-time"], "{}", reason(&found, "t-time"));
}
