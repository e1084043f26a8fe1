//! Folders with files that were collected manually.

use serde_json::{Value, json};

use super::{analysed, reason, zipped};
use crate::harness::gleaner_in;

const PODS: &str = "apiVersion: v1
items:
- apiVersion: v1
  kind: Pod
  metadata: {name: web-0, namespace: shop, labels: {app: web}}
  spec: {nodeName: n1, containers: [{name: nginx}, {name: sidecar}]}
  status: {phase: Running}
- apiVersion: v1
  kind: Pod
  metadata: {name: db-0, namespace: data}
  spec: {containers: [{name: db}]}
  status: {phase: Pending}
kind: List
";

const NODES: &str = "NAME   STATUS     ROLES           AGE    VERSION
n1     Ready      control-plane   7d3h   v1.30.4+k3s1
n2     NotReady   <none>          7d3h   v1.30.4+k3s1
";

fn files() -> Vec<(&'static str, String)> {
    let events = json!({"kind": "EventList", "apiVersion": "v1", "items": [{"metadata": {"name": "web.1", "namespace": "shop"},
        "involvedObject": {"kind": "Pod", "name": "web-0", "namespace": "shop"}, "reason": "BackOff", "type": "Warning"}]});
    let utf16 = |text: &str| text.to_owned();
    vec![
        ("pods.yaml", PODS.to_owned()),
        ("kubectl-get-nodes.txt", NODES.to_owned()),
        ("more/events", format!("Warning: old\n{events}")),
        (
            "claims.json",
            utf16(
                "{\"apiVersion\": \"v1\", \"kind\": \"PersistentVolumeClaim\", \"metadata\": {\"name\": \"c\", \"namespace\": \"data\",},}\n",
            ),
        ),
        ("db-0.log", "panic: boom\n".to_owned()),
        ("logs/web-0-sidecar-previous.log", "second thoughts\n".to_owned()),
        ("tmp/shop/web-0/nginx.log", "third\n".to_owned()),
        ("messages", "Mar 06 10:00:00 n1 kernel: fourth\n".to_owned()),
        ("notes.txt", "The customer says it is slow.\n".to_owned()),
        ("values.yaml", "replicas: 3\nimage: {tag: x}\n".to_owned()),
        (
            "kustomization.yaml",
            "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [a.yaml]\n".to_owned(),
        ),
    ]
}

const RULES: [(&str, &str); 9] = [
    ("t-pod", "  pod: {resource: pods, labels: app=web}\n"),
    ("t-node", "  node: {resource: nodes, where: node.status.nodeInfo.kubeletVersion.startsWith('v1.30')}\n"),
    ("t-event", "  event: {event: {reason: BackOff, object: {namespace: shop}}}\n"),
    ("t-claim", "  claim: {resource: persistentvolumeclaims, namespace: data, name: c}\n"),
    ("t-bare", "  said: {log: {namespace: data, pod: 'db-*', container: db}, match: 'panic: boom'}\n"),
    ("t-sidecar", "  said: {log: {namespace: shop, container: sidecar}, match: 'second'}\n"),
    ("t-path", "  said: {log: {namespace: shop, container: nginx}, match: 'third'}\n"),
    ("t-absent", "  pod: {resource: pods, labels: app=gone}\n"),
    ("t-type", "  volume: {resource: volumes.longhorn.io}\n"),
];

fn analyse(files: &[(&str, String)]) -> Value {
    analysed("case", files, &RULES)
}

fn fired(found: &Value) -> Vec<&str> {
    let all = found["rules"]["fired"].as_array().unwrap().iter().map(|id| id.as_str().unwrap());
    all.filter(|id| id.starts_with("t-")).collect()
}

#[test]
fn files_collected_by_hand_are_read() {
    let found = analyse(&files());
    let bundle = &found["bundle"];
    assert_eq!((&bundle["kind"], &bundle["collector"]["name"]), (&json!("generic"), &Value::Null));
    assert_eq!(found["issues"], json!([]));
    assert_eq!(bundle["versions"], json!({"kubernetes": "v1.30.4+k3s1", "k3s": "v1.30.4+k3s1"}));
    let nodes: Vec<_> = bundle["nodes"].as_array().unwrap().iter().map(|n| (&n["name"], &n["ready"])).collect();
    assert_eq!(nodes, [(&json!("n1"), &json!(true)), (&json!("n2"), &json!(false))]);
    assert_eq!(fired(&found), ["t-bare", "t-claim", "t-event", "t-node", "t-path", "t-pod", "t-sidecar"]);
}

#[test]
fn missing_files_prove_nothing() {
    let found = analyse(&files());
    assert_eq!(reason(&found, "t-absent"), "whether pods.yaml contains all pods is not known");
    assert_ne!(reason(&found, "t-type"), "");
    assert!(found["bundle"]["not_collected"].to_string().contains("objects that are in no file"));
    let clean: Vec<_> = found["rules"]["clean"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|id| id.as_str().unwrap().starts_with("t-"))
        .collect();
    assert_eq!(clean, Vec::<&Value>::new());
}

#[test]
fn a_folder_without_objects_and_logs_is_reported() {
    let found = analyse(&[("notes.txt", "hello\n".to_owned()), ("a/b.yaml", "x: 1\n".to_owned())]);
    assert!(
        found["issues"].to_string().contains("none of its files contains Kubernetes objects or logs"),
        "{}",
        found["issues"]
    );
    assert_eq!(found["rules"]["clean"], json!([]));
}

#[test]
fn a_table_without_namespaces_is_reported() {
    let table = "NAME    READY   STATUS    RESTARTS   AGE\nweb-0   1/1     Running   0          1d\n";
    let rules = [
        ("t-default", "  pod: {resource: pods, namespace: default, name: web-0}\n"),
        ("t-absent", "  pod: {resource: pods, namespace: default, name: gone}\n"),
    ];
    let found = analysed("case", &[("pods.txt", table.to_owned())], &rules);
    assert!(found["issues"].to_string().contains("kubectl get -A"), "{}", found["issues"]);
    assert_eq!(fired(&found), ["t-default"]);
    assert_ne!(reason(&found, "t-absent"), "", "the table may be of another namespace");
    // Pods that are always in one namespace tell it.
    let system = table.replace("NAME    ", "NAME               ").replace("web-0   ", "kube-proxy-x7k2p   ");
    let rules = [("t-system", "  pod: {resource: pods, namespace: kube-system}\n")];
    let found = analysed("case", &[("pods.txt", system)], &rules);
    assert_eq!((fired(&found), &found["issues"]), (vec!["t-system"], &json!([])));
}

/// People paste several commands and what they printed into one file, often in the markup of an issue.
#[test]
fn a_transcript_is_read_output_by_output() {
    let transcript = format!(
        "It is slow.\n```\nroot@cp1:~# kubectl get nodes\n{NODES}root@cp1:~# kubectl -n shop get pods\n\
         NAME    READY   STATUS    RESTARTS   AGE\nweb-0   0/1     Error     9          1d\n```\n\
         [me@cp1 ~]$ kubectl logs -n shop web-0 --previous\n2025-02-10T09:58:45Z it broke\n\
         cp1:~ # kubectl -n shop get pod db-0 -o yaml\napiVersion: v1\nkind: Pod\nmetadata: {{name: db-0, namespace: shop}}\n\
         status: {{phase: Failed}}\n$ journalctl -u rke2-server\nFeb 10 09:58:45 cp1 rke2[15]: level=fatal msg=\"no token\"\n"
    );
    let rules = [
        ("t-node", "  node: {resource: nodes, where: columns(node).STATUS == 'NotReady'}\n"),
        ("t-no-pod", "  node: {resource: nodes, name: web-0}\n"),
        ("t-row", "  pod: {resource: pods, namespace: shop, where: columns(pod).STATUS == 'Error'}\n"),
        ("t-yaml", "  pod: {resource: pods, namespace: shop, where: pod.status.phase == 'Failed'}\n"),
        ("t-log", "  said: {log: {namespace: shop, pod: web-0}, match: 'it broke'}\n"),
        ("t-unit", "  said: {log: rke2, match: 'level=fatal'}\n"),
    ];
    for end in ["\n", "\r\n"] {
        let found = analysed("case", &[("ticket.md", transcript.replace('\n', end))], &rules);
        assert_eq!(fired(&found), ["t-log", "t-node", "t-row", "t-unit", "t-yaml"], "{}", found["issues"]);
        let yaml = found["findings"].as_array().unwrap().iter().find(|finding| finding["rule"] == "t-yaml").unwrap();
        let places: Vec<_> = yaml["evidence"].as_array().unwrap().iter().map(|e| e["line"].as_u64()).collect();
        assert!(places.contains(&Some(17)), "lines are those of the file: {places:?}");
    }
}

/// `minikube logs`, and `tail` of several files: each part stands below its name.
#[test]
fn parts_below_their_names_are_read_apart() {
    let minikube = "\n==> Audit <==\n|---------|------|\n| Command | Args |\n\n==> Letzter Start <==\nI0917 16:12:14.134489    7155 out.go:345] X\n\n\
         ==> container status <==\nCONTAINER       IMAGE   STATE     NAME   ATTEMPT   POD ID    POD\n\
         c72ed6eb4d5a1   27e38   Running   etcd   1         9af9a28   etcd-n1\n\
         b72ed6eb4d5a1   27e38   Exited    etcd   0         8af9a28   etcd-n1\n\n\
         ==> describe nodes <==\nName:               n1\nRoles:              control-plane\nTaints:             x=y:NoSchedule\n\
         Lease:\n  HolderIdentity:  n1\n  RenewTime:       Tue, 17 Sep 2024 09:37:18 +0000\nConditions:\n\n\
         ==> dmesg <==\n[  +0.008550] i8042: Warning: Keylock active\n\n\
         ==> etcd [b72ed6eb4d5a] <==\n{\"level\":\"fatal\",\"ts\":\"2024-09-17T09:12:33.817253Z\",\"msg\":\"gone\"}\n\n\
         ==> kubelet <==\nSep 17 09:12:37 n1 kubelet[2334]: E0917 09:12:37.977038    2334 x.go:1] \"it failed\"\n";
    let rules = [
        ("t-etcd", "  said: {log: {namespace: kube-system, pod: etcd-n1, container: etcd}, match: gone}\n"),
        ("t-node", "  node: {resource: nodes, name: n1}\n"),
        ("t-kubelet", "  said: {log: {stream: kubelet, node: n1}, match: it failed}\n"),
        ("t-dmesg", "  said: {log: {stream: kernel, node: n1}, match: Keylock}\n"),
        ("t-messages", "  said: {log: {stream: kernel, node: n2}, match: third}\n"),
        ("t-pod", "  said: {log: {namespace: shop, pod: web-0}, match: fourth}\n"),
    ];
    let utf16: String = minikube.replace('\n', "\r\n");
    let utf16: Vec<u8> = "\u{feff}".encode_utf16().chain(utf16.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    for (name, bytes) in
        [("minikube-logs.txt", minikube.as_bytes().to_vec()), ("m.log", minikube.as_bytes().to_vec()), ("m.txt", utf16)]
    {
        let found = zipped("case", &[(name.to_owned(), bytes)], &rules);
        assert_eq!(fired(&found), ["t-dmesg", "t-etcd", "t-kubelet", "t-node"], "{name}: {}", found["issues"]);
        assert_eq!(found["bundle"]["collected_at"], "2024-09-17T09:37:18Z");
        let of_etcd = found["findings"].as_array().unwrap().iter().find(|finding| finding["rule"] == "t-etcd").unwrap();
        assert_eq!(of_etcd["evidence"][0]["line"], 27, "lines are those of the file");
    }
    let tail = "==> /var/log/messages <==\nMar 06 22:45:28 n2 systemd[1]: third\n\n\
                ==> /var/log/pods/shop_web-0_1a2b/nginx/0.log <==\n2025-03-06T22:53:45.217338826Z stdout F fourth\n";
    let found = analysed("case", &[("tail.txt", tail.to_owned())], &rules);
    assert_eq!(fired(&found), ["t-messages", "t-pod"], "{}", found["issues"]);
}

/// `kubectl get pods -w > pods.log`: the same pod in several rows.
#[test]
fn the_last_row_of_an_object_counts() {
    let watched = "nohup: ignoring input\nNAMESPACE   NAME    READY   STATUS             RESTARTS   AGE\n\
                   shop        web-0   0/1     Pending            0          0s\n\
                   shop        web-0   0/1     ContainerCreating    0          1s\n\
                   shop        db-0    1/1     Running            0          5m\n\
                   shop        web-0   0/1     ErrImagePull              3 (2s ago)          9s\n";
    let rules = [
        ("t-last", "  pod: {resource: pods, name: web-0, where: columns(pod).STATUS == 'ErrImagePull'}\n"),
        ("t-first", "  pod: {resource: pods, name: web-0, where: columns(pod).STATUS == 'Pending'}\n"),
        ("t-other", "  pod: {resource: pods, name: db-0, where: columns(pod).STATUS == 'Running'}\n"),
    ];
    // A log whose lines have no years tells the time nevertheless: a table has only ages.
    let log = "E1007 19:52:02.504218   12 x.go:1] x\n";
    for name in ["pods.txt", "pods.log"] {
        let found = analysed("case", &[(name, watched.to_owned()), ("argocd.log", log.to_owned())], &rules);
        assert_eq!((fired(&found), &found["issues"]), (vec!["t-last", "t-other"], &json!([])), "{name}");
        assert!(found["bundle"]["collected_at"].as_str().is_some_and(|time| time.contains("-10-07T19:52:02")));
    }
}

/// `kubectl get all -A`: tables of several types, each name behind its type.
#[test]
fn tables_of_several_types_in_one_file_are_read_apart() {
    let all = "NAMESPACE   NAME        READY   STATUS    RESTARTS   AGE\nshop        pod/web-0   0/1     Error     9          5h\n\n\
               NAMESPACE   NAME                  READY   UP-TO-DATE   AVAILABLE   AGE\n\
               shop        deployment.apps/web   0/1     1            0           5h\n";
    let rules = [
        ("t-pod", "  pod: {resource: pods, namespace: shop, name: web-0}\n"),
        (
            "t-deployment",
            "  of: {resource: deployments, namespace: shop, name: web, where: columns(of).READY == '0/1'}\n",
        ),
        ("t-wrong", "  pod: {resource: pods, where: \"pod.metadata.name.contains('/')\"}\n"),
    ];
    // PowerShell writes a byte order mark.
    for text in [all.to_owned(), format!("\u{feff}{all}")] {
        let found = analysed("case", &[("get-all", text)], &rules);
        assert_eq!(fired(&found), ["t-deployment", "t-pod"], "{}", found["issues"]);
    }
}

#[test]
fn logs_alone_are_those_of_the_products_and_prove_little() {
    let line = "2025-02-10T09:58:45Z E0210 09:58:45.414761       1 x.go:9] it broke\n";
    let files = [
        ("longhorn-manager-x7k2p.log", line.to_owned()),
        ("kube-system_etcd-n1_etcd.txt", line.to_owned()),
        (
            "rke2-server.log",
            "Feb 10 09:58:45 n1 rke2[1]: time=\"2025-02-10T09:58:45Z\" level=error msg=broke\n".to_owned(),
        ),
        ("what-i-did.txt", "First I restarted the node.\n".to_owned()),
    ];
    let rules = [
        ("t-manager", "  said: {log: longhorn-manager, match: 'it broke', since: 1h}\n"),
        ("t-etcd", "  said: {log: {namespace: kube-system, container: etcd}, match: 'it broke', since: 1h}\n"),
        ("t-server", "  said: {log: rke2, match: 'msg=broke', since: 1h}\n"),
        ("t-quiet", "  said: {log: longhorn-manager, match: 'it burnt'}\n"),
        ("t-quiet-unit", "  said: {log: rke2, match: 'it burnt'}\n"),
    ];
    let found = analysed("case", &files, &rules);
    assert_eq!(fired(&found), ["t-etcd", "t-manager", "t-server"]);
    assert!(reason(&found, "t-quiet").starts_with("pods of namespace longhorn-system were not collected"), "{found}");
    assert!(reason(&found, "t-quiet-unit").starts_with("nodes were not collected"), "{found}");
    assert_eq!(found["bundle"]["collected_at"], "2025-02-10T09:58:45Z");
}

#[test]
fn descriptions_that_were_saved_are_objects() {
    let pod = "Name:             web-0\nNamespace:        shop\nNode:             n1/10.0.0.1\nLabels:           app=web\nStatus:           Running\n\
               Containers:\n  nginx:\n    Image:          nginx:1\n    State:          Waiting\n      Reason:       CrashLoopBackOff\n    \
               Last State:     Terminated\n      Reason:       OOMKilled\n      Exit Code:    137\n    Ready:          False\n    \
               Restart Count:  16\nConditions:\n  Type    Status\n  Ready   False\n";
    let rules = [
        (
            "t-killed",
            "  pod: {resource: pods, where: \"pod.status.containerStatuses.exists(c, c.lastState.terminated.reason == 'OOMKilled')\"}\n",
        ),
        ("t-absent", "  pod: {resource: pods, labels: app=gone}\n"),
    ];
    let found = analysed("case", &[("describe.txt", pod.to_owned())], &rules);
    assert_eq!(fired(&found), ["t-killed"]);
    assert_ne!(reason(&found, "t-absent"), "");
}

#[test]
fn a_table_of_one_namespace_is_read_where_the_path_tells_it() {
    let table = |name: &str, status: &str| {
        format!("NAME    READY   STATUS    RESTARTS   AGE\n{name}   0/1     {status}   9          1d\n")
    };
    let files = [
        ("longhorn-system/pods.txt", table("csi-0", "Error    ")),
        ("kubectl get pods -n shop.txt", table("web-0", "Pending  ")),
    ];
    let rules = [
        ("t-csi", "  pod: {resource: pods, namespace: longhorn-system, where: columns(pod).STATUS == 'Error'}\n"),
        (
            "t-web",
            "  pod: {resource: pods, where: \"pod.metadata.namespace == 'shop' && columns(pod).STATUS == 'Pending'\"}\n",
        ),
        ("t-absent", "  pod: {resource: pods, namespace: shop, name: gone}\n"),
    ];
    let found = analysed("case", &files, &rules);
    assert_eq!(fired(&found), ["t-csi", "t-web"], "{}", found["issues"]);
    assert_ne!(reason(&found, "t-absent"), "");
}

/// `journalctl -u k3s > k3s.log`, sent alone: the journal names its host, about which it tells everything; other nodes may have more.
#[test]
fn a_journal_alone_names_its_host() {
    let journal = "Feb 10 09:58:02 cp1 k3s[15]: level=info msg=\"Starting k3s v1.30.6+k3s1\"\n\
                   Feb 10 09:58:03 cp1 k3s[15]: level=fatal msg=\"preparing server: no token\"\n";
    let rules = [
        (
            "t-own",
            "  failed: {log: k3s, match: 'level=fatal', by: [node]}\n  \
             up: {log: k3s, match: 'is up and running', by: [node], where: up.node == failed.node, optional: true}\n\
             when: up == null && failed.node == 'cp1'\n",
        ),
        ("t-others", "  failed: {log: k3s, match: 'no such line', by: [node]}\n"),
    ];
    let found = analysed("case", &[("k3s.log", journal.to_owned())], &rules);
    assert_eq!(super::fired(&found, "t-"), ["t-own"]);
    assert!(reason(&found, "t-others").starts_with("nodes were not collected"), "{}", reason(&found, "t-others"));
}

/// The same journal beside a list of nodes: it tells everything about its own, and nothing about the others.
#[test]
fn a_journal_beside_a_list_of_nodes_is_that_of_its_node() {
    let journal = "Feb 10 09:58:02 cp1 rke2[15]: level=info msg=\"Starting rke2 v1.30.6+rke2r1\"\n\
                   Feb 10 09:58:03 cp1 rke2[15]: level=fatal msg=\"preparing server: no token\"\n";
    let node = |name: &str| format!("- {{apiVersion: v1, kind: Node, metadata: {{name: {name}}}}}\n");
    let files = [
        ("rke2-server.log", journal.to_owned()),
        ("nodes.yaml", format!("apiVersion: v1\nkind: List\nitems:\n{}{}", node("cp1"), node("w1"))),
    ];
    let rules = [
        (
            "t-own",
            "  failed: {log: rke2, match: 'level=fatal', by: [node]}\n  \
             up: {log: [rke2, k3s], match: 'is up and running', by: [node], where: up.node == failed.node, optional: true}\n\
             when: up == null && failed.node == 'cp1'\n",
        ),
        ("t-others", "  failed: {log: rke2, match: 'no such line', by: [node]}\n"),
        ("t-kernel", "  failed: {log: kernel, match: 'no such line', by: [node]}\n"),
    ];
    let found = analysed("case", &files, &rules);
    assert_eq!(super::fired(&found, "t-"), ["t-own"]);
    assert!(reason(&found, "t-others").starts_with("logs of node w1 are not in the bundle"), "{found}");
    assert_eq!(reason(&found, "t-kernel"), "the bundle has no log of kernel");
}

/// A journal of all units without a note of a boot is of one boot.
#[test]
fn a_journal_without_a_boot_is_of_one() {
    let journal = "Feb 10 09:58:02 cp1 systemd[1]: Started x.\nFeb 10 09:58:03 cp1 kernel: eth0: Link is Down\n";
    let rules = [("t-boot", "  down: {log: kernel, match: 'Link is Down', boot: current}\n")];
    let found = analysed("case", &[("cp1.txt", journal.to_owned())], &rules);
    assert_eq!(super::fired(&found, "t-"), ["t-boot"]);
}

/// `kubectl logs POD > POD.log` of any program: the name is one that Kubernetes makes; its namespace stays open.
#[test]
fn the_log_of_any_pod_can_be_sent_alone() {
    let line = "2025-02-10T09:58:45Z it broke\n".to_owned();
    let files = [
        ("shop-7d4b9c8f6d-x2x7k.log", line.clone()),
        ("db-0_postgres.txt", line.clone()),
        ("notes.txt", line.clone()),
        ("hvst-upgrade-x2x7k-apply-manifests-7m9kq.log", line),
    ];
    let rules = [
        (
            "t-any",
            "  said: {log: containers, match: 'it broke', where: self.pod == '<namespace>/shop-7d4b9c8f6d-x2x7k'}\n",
        ),
        ("t-container", "  said: {log: {pod: db-0, container: postgres}, match: 'it broke'}\n"),
        ("t-job", "  said: {log: {namespace: harvester-system, pod: 'hvst-upgrade-*'}, match: 'it broke'}\n"),
        (
            "t-notes",
            "  said: {log: containers, match: 'it broke', by: [source], where: self.source.contains('notes')}\n",
        ),
    ];
    let found = analysed("case", &files, &rules);
    assert_eq!(super::fired(&found, "t-"), ["t-any", "t-container", "t-job"]);
}

/// One object in a file tells no time of collection: what it shows is taken to have lasted for an hour, which its findings say.
#[test]
fn a_single_object_is_taken_to_have_lasted() {
    let object = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop, creationTimestamp: '2026-01-01T00:00:00Z'}\n\
                  status: {conditions: [{type: Available, status: 'False', lastTransitionTime: '2026-02-01T00:00:00Z'}]}\n";
    let asks = |age: &str| {
        format!(
            "  it: {{resource: deployments.apps, where: \"ago(condition(it, 'Available').lastTransitionTime) {age}\"}}\n"
        )
    };
    let (lasts, recent) = (asks("> duration('15m')"), asks("< duration('24h')"));
    let found = analysed("case", &[("web.yaml", object.to_owned())], &[("t-lasts", &lasts), ("t-recent", &recent)]);
    assert_eq!(super::fired(&found, "t-"), ["t-lasts"]);
    assert_eq!(reason(&found, "t-recent"), "the time of collection is not known");
    let finding = &found["findings"][0];
    assert_eq!(finding["confidence"], "likely");
    assert!(finding["message"].as_str().unwrap().contains("taken to have lasted for an hour"), "{finding}");
}

/// A log without the prefix of the journal, in a file of any name, is one of K3s if K3s says in it that it starts, in which version; its
/// lines are of one host, whatever it is called.
#[test]
fn a_console_log_is_of_the_distribution_that_starts_in_it() {
    let log = "INFO[2024-04-18T20:49:31.185800803Z] Starting k3s v1.29.3+k3s1 (8aecc26b)\n\
               FATA[2024-04-18T20:49:32.385800803Z] preparing server: no token\n";
    let rules = [(
        "t-own",
        "  failed: {log: k3s, match: 'FATA', by: [node]}\n  \
         up: {log: k3s, match: 'is up and running', by: [node], where: up.node == failed.node, optional: true}\n\
         when: up == null && failed.node == '(host of output.txt)' && version('k3s') == 'v1.29.3+k3s1'\n",
    )];
    let found = analysed("case", &[("output.txt", log.to_owned())], &rules);
    assert_eq!(super::fired(&found, "t-"), ["t-own"]);
    let other = log.replace("Starting k3s v1", "Started v1");
    let found = analysed("case", &[("output.txt", other)], &rules);
    assert_eq!(super::fired(&found, "t-"), Vec::<&str>::new());
}

/// A log that does not tell who wrote it may be that of any program: a line with enough words of its own fires the rule about it, and says
/// that the log is one of those that the rule reads; what other programs may write, too, does not.
#[test]
fn a_log_of_any_program_is_searched_for_what_tells_its_program() {
    let line = "level=fatal msg=\"starting kubernetes: no token was given\"";
    let log = format!("2025-02-10T09:58:45Z {line}\n2025-02-10T09:58:46Z it broke\n");
    let rules = [
        (
            "t-own",
            "  failed: {log: [rke2, k3s], match: 'starting kubernetes: no token', by: [node], since: 1h}\n  \
             up: {log: [rke2, k3s], match: 'server is up and running again', by: [node], where: up.node == failed.node, optional: true}\n\
             when: up == null\n",
        ),
        ("t-short", "  said: {log: kubelet, match: 'it broke'}\n"),
        ("t-quiet", "  said: {log: [rke2, k3s], match: 'snapshot database header is corrupt'}\n"),
        ("t-other", "  said: {log: etcd, match: 'snapshot database header is corrupt'}\n"),
        ("t-place", "  said: {log: {path: 'logs/*'}, match: 'starting kubernetes: no token'}\n"),
    ];
    let found = analysed("case", &[("output.txt", log)], &rules);
    assert_eq!(super::fired(&found, "t-"), ["t-own"]);
    assert_eq!(reason(&found, "t-quiet"), "output.txt does not tell which program wrote it");
    assert_eq!(reason(&found, "t-short"), "the bundle has no log of kubelet");
    assert_eq!(reason(&found, "t-other"), "the bundle has no log of etcd");
    // The mail of a customer: lines in it have no time, and the rest is no log.
    let mail = format!("Hello,\nsince yesterday it broke. We see:\n\n  {line}\n\nCan you help?\n");
    let found = analysed("case", &[("mail.txt", mail)], &rules);
    assert_eq!(super::fired(&found, "t-"), ["t-own"]);
    assert_eq!(found["findings"][0]["evidence"][0]["line"], 4, "{found}");
    // Somebody who pastes a line found it remarkable, however often it came.
    let often = [("t-often", "  failed: {log: rke2, match: 'starting kubernetes: no token', at_least: 5}\n")];
    assert_eq!(
        super::fired(&analysed("case", &[("mail.txt", format!("Hello,\n{line}\n"))], &often), "t-"),
        ["t-often"]
    );
    let prose = analysed("case", &[("mail.txt", "Hello,\nsince yesterday it broke.\n".to_owned())], &rules);
    assert!(reason(&prose, "t-own").starts_with("it has no collector's layout"), "{prose}");
    // Of other lines only known ones are told: the rest may be what people write.
    let quoted = "Hello,\nerror: nobody knows why it failed.\n> E1120 10:00:02.123456       1 reflector.go:147] \
                  k8s.io/client-go/informers/factory.go:150: Failed to watch *v1.Pod: failed to list *v1.Pod: Unauthorized\n";
    let known = analysed("case", &[("mail.txt", quoted.to_owned())], &rules);
    let entries = known["unexplained"]["entries"].as_array().unwrap();
    assert_eq!(entries.len(), 1, "{known}");
    assert!(entries[0]["known"].is_object() && known["bundle"]["unread"].is_null(), "{known}");
}

/// `journalctl -o json` has the same lines as without; `dmesg -r` puts the priority before each.
#[test]
fn journals_as_json_and_raw_kernel_messages_are_logs() {
    let entry = |identifier: &str, message: &str| {
        format!(
            "{{\"__REALTIME_TIMESTAMP\":\"1739181525000000\",\"_HOSTNAME\":\"cp1\",\"SYSLOG_IDENTIFIER\":\"{identifier}\",\
             \"MESSAGE\":\"{message}\"}}\n"
        )
    };
    let journal = entry("kernel", "sd 0:0:0:0: [sda] new error") + &entry("k3s", "no token");
    let rules = [
        ("t-kernel", "  hit: {log: kernel, match: '\\[sda\\] new', by: [node], since: 24h}\nwhen: hit.node == 'cp1'\n"),
        ("t-k3s", "  hit: {log: k3s, match: 'no token', by: [node], since: 24h}\nwhen: hit.node == 'cp1'\n"),
    ];
    let found = analysed("case", &[("journal.txt", journal)], &rules);
    assert_eq!(super::fired(&found, "t-"), ["t-k3s", "t-kernel"]);
    assert_eq!(found["bundle"]["collected_at"], "2025-02-10T09:58:45Z");
    let raw = "<6>[   12.345678] usb 1-1: new device\n<3>[   13.345678] sd 0:0:0:0: [sda] new error\n".to_owned();
    let rules = [("t-raw", "  hit: {log: kernel, match: '^\\[ *13\\.345678\\] sd .*\\[sda\\] new', since: 24h}\n")];
    assert_eq!(super::fired(&analysed("case", &[("n1.txt", raw)], &rules), "t-"), ["t-raw"]);
}

/// `dmesg` prints seconds since the boot and no date: its newest line is taken for now, so rules that ask for recent lines are evaluated.
#[test]
fn the_kernels_ring_buffer_alone_has_ages() {
    let dmesg = "[   12.345678] sd 0:0:0:0: [sda] old error\n[900012.345678] sd 0:0:0:0: [sdb] new error\n\
                 [900612.345678] usb 1-1: new device\n";
    let rules = [
        (
            "t-new",
            "  hit: {log: kernel, match: '\\[sdb\\] new', by: [node], since: 24h}\nwhen: ago(hit.last) == duration('10m')\n",
        ),
        ("t-old", "  hit: {log: kernel, match: '\\[sda\\] old', by: [node], since: 24h}\n"),
    ];
    let found = analysed("case", &[("n1.txt", dmesg.to_owned())], &rules);
    assert_eq!(super::fired(&found, "t-"), ["t-new"]);
    let dated =
        [("n1.txt", dmesg.to_owned()), ("pod.log", "2026-03-06T10:00:00Z ok\n2026-03-06T10:00:01Z ok\n".to_owned())];
    let found = analysed("case", &dated, &rules);
    assert_eq!(super::fired(&found, "t-"), Vec::<&str>::new());
}

/// Ages are all that kubectl prints, so conditions about them hold without a time of the collection.
#[test]
fn tables_alone_have_ages() {
    let head = "NAMESPACE   LAST SEEN        TYPE      REASON        OBJECT      MESSAGE\n";
    let events = format!("{head}demo        5m (x9 over 2h)  Warning   FailedMount   pod/web-0   timed out\n");
    let rules = [
        (
            "t-lately",
            "  mount: {event: {reason: FailedMount}}\nwhen: ago(mount.last) < duration('10m') && mount.count == 9\n",
        ),
        ("t-before", "  mount: {event: {reason: FailedMount}}\nwhen: ago(mount.last) > duration('10m')\n"),
    ];
    let found = analysed("case", &[("events.txt", events.clone())], &rules);
    assert_eq!(super::fired(&found, "t-"), ["t-lately"], "{}", found["rules"]);
    let told = found["bundle"]["not_collected"].to_string();
    assert!(told.contains("ages count from"), "{told}");
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("events.txt"), &events).unwrap();
    let shown = gleaner_in(folder.path(), ["analyze", "events.txt", "-o", "-", "--format", "text"]).stdout;
    assert!(shown.contains("time of collection") && !shown.contains("collected 20"), "{shown}");
    let object = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: b, creationTimestamp: '2020-01-01T00:00:00Z'}}";
    let files = [("events.txt", events), ("a.yaml", object.to_owned())];
    assert_eq!(super::fired(&analysed("case", &files, &rules), "t-"), Vec::<String>::new());
}

/// Files whose names tell nothing: what their lines are decides.
#[test]
fn logs_of_hosts_are_known_by_their_lines() {
    let journal = "Feb 10 09:57:02 cp1 kernel: sd 2:0:0:0: [sda] x\n\
                   Feb 10 09:58:02 cp1 rke2[15]: level=fatal msg=\"no token\"\nFeb 10 09:58:03 cp1 kernel: disk sda is dying\n";
    let ring = "[Mon Feb 10 09:58:02 2025] disk sdb is dying\n";
    let rules = [
        ("t-rke2", "  failed: {log: rke2, match: 'level=fatal', by: [node], since: 1h, where: failed.node == 'cp1'}\n"),
        ("t-kernel", "  dying: {log: kernel, match: 'disk (?<disk>\\w+) is dying', by: [disk], since: 1h}\n"),
    ];
    let fired = |path: &str, log: &str| super::fired(&analysed("case", &[(path, log.to_owned())], &rules), "t-");
    for path in ["what.txt", "node 1.log", "a/b/syslog-export.out", "notes"] {
        assert_eq!(fired(path, journal), ["t-kernel", "t-rke2"], "{path}");
        assert_eq!(fired(path, ring), ["t-kernel"], "{path}");
    }
    let found = analysed("case", &[("what.txt", journal.to_owned())], &rules);
    let told = found["bundle"]["not_collected"].to_string();
    assert!(told.contains("no line of a log has a year"), "{told}");
    // Beside objects the year stays unknown.
    let object = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: b}}";
    let files = [("what.txt", journal.to_owned()), ("a.yaml", object.to_owned())];
    let found = analysed("case", &files, &rules);
    assert_eq!(super::fired(&found, "t-"), Vec::<String>::new());
    assert_ne!(reason(&found, "t-kernel"), "");
}

/// `kubectl -n longhorn-system get volumes.longhorn.io > v.txt`: the columns tell the type, and Longhorn is in one namespace.
#[test]
fn tables_of_longhorn_are_known_by_their_columns() {
    let volumes = "NAME    DATA ENGINE   STATE      ROBUSTNESS   SCHEDULED   SIZE   NODE   AGE\n\
                   pvc-1   v1            attached   degraded                 1024   n1     3d\n\
                   pvc-2   v1            detached   faulted                  1024          3d\n";
    let replicas = "NAME        DATA ENGINE   STATE     NODE   DISK   INSTANCEMANAGER   IMAGE   AGE\n\
                    pvc-1-r-1   v1            stopped   n1     d-1                              3d\n";
    let rules = [
        (
            "t-faulted",
            "  v: {resource: volumes.longhorn.io, where: v.status.robustness == 'faulted' && v.metadata.namespace == 'longhorn-system'}\n",
        ),
        (
            "t-stopped",
            "  r: {resource: replicas.longhorn.io, where: r.status.currentState == 'stopped' && r.spec.diskID == 'd-1'}\n",
        ),
        ("t-other", "  e: {resource: engines.longhorn.io}\n"),
    ];
    let files = [("v.txt", volumes.to_owned()), ("r.txt", replicas.to_owned())];
    let found = analysed("case", &files, &rules);
    assert_eq!(super::fired(&found, "t-"), ["t-faulted", "t-stopped"], "{}", found["issues"]);
}

/// `kind export logs`, beside a dump of the same cluster: a folder for each node, with the files of the kubelet and links to them.
#[test]
fn logs_that_kind_exports_are_those_of_their_nodes() {
    let id = "0a".repeat(32);
    let journal = |host: &str| format!("Feb 10 09:58:45 {host} kubelet[15]: E0210 09:58:45.1  15 x.go:1] it failed\n");
    let line = "2025-02-10T09:58:45.000000001Z stderr F it broke\n";
    let nodes =
        json!({"kind": "NodeList", "apiVersion": "v1", "items": [{"metadata": {"name": "kind-worker", "uid": "u"}}]});
    let files = [
        ("cluster-info-dump.json".to_owned(), nodes.to_string()),
        ("logs/kind-version.txt".to_owned(), "kind v0.20.0\n".to_owned()),
        ("logs/kind-worker/kubelet.log".to_owned(), journal("kind-worker")),
        ("logs/kind-worker/kubernetes-version.txt".to_owned(), "v1.27.3".to_owned()),
        ("logs/kind-worker/pods/shop_web-0_1a2b/nginx/0.log".to_owned(), line.to_owned()),
        (format!("logs/kind-worker/containers/web-0_shop_nginx-{id}.log"), line.to_owned()),
    ];
    let rules = [
        ("t-node", "  node: {resource: nodes, name: kind-worker}\n"),
        ("t-kubelet", "  said: {log: {stream: kubelet, node: kind-worker}, match: it failed}\n"),
        ("t-pod", "  said: {log: {namespace: shop, pod: web-0, container: nginx}, match: it broke}\n"),
    ];
    for top in ["", "logs/"] {
        let below = files.iter().filter(|(path, _)| path.starts_with(top));
        let files: Vec<(&str, String)> =
            below.map(|(path, text)| (path.strip_prefix(top).unwrap(), text.clone())).collect();
        let found = analysed("case", &files, &rules);
        let wanted = if top.is_empty() { vec!["t-kubelet", "t-node", "t-pod"] } else { vec!["t-kubelet", "t-pod"] };
        assert_eq!(fired(&found), wanted, "{}", found["issues"]);
        let of_pod = found["findings"].as_array().unwrap().iter().find(|finding| finding["rule"] == "t-pod").unwrap();
        assert_eq!(of_pod["evidence"].as_array().unwrap().len(), 1, "the link is the same log");
        assert_ne!(found["bundle"]["kind"], "harvester");
    }
}

/// `microk8s inspect`: journals in local time, whose zone only some programs state.
#[test]
fn a_zone_that_programs_state_is_that_of_all_journals() {
    let state = |second: u32| {
        format!("Oct 29 17:22:{second} n1 containerd[28]: time=\"2024-10-29T17:22:{second}+05:30\" level=info\n")
    };
    let files = [
        ("inspection-report/snap.microk8s.daemon-containerd/journal.log", (30..40).map(state).collect()),
        (
            "inspection-report/snap.microk8s.daemon-kubelite/journal.log",
            "Oct 29 17:42:53 n1 microk8s.daemon-kubelite[31]: E1029 17:42:53.1  31 x.go:1] it failed\n".to_owned(),
        ),
    ];
    let rules = [("t-late", "  said: {log: {stream: kernel, node: n1}, match: it failed}\n")];
    let found = analysed("case", &files, &rules);
    assert_eq!(fired(&found), ["t-late"], "{}", found["issues"]);
    assert!(found["findings"].to_string().contains("2024-10-29T12:12:53"), "{}", found["findings"]);
}

/// Files of two clusters, or of two times, in one folder.
#[test]
fn the_same_object_with_another_uid_is_told() {
    let claim = |uid: &str| {
        format!(
            "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {{name: c, namespace: data, uid: {uid}}}\nstatus: {{phase: Bound}}\n"
        )
    };
    let issues = |second: &str| {
        let found = analysed("case", &[("a.yaml", claim("u1")), ("b.yaml", claim(second))], &[]);
        found["issues"].to_string().contains("with another uid, 1 in all")
    };
    assert!(issues("u2") && !issues("u1"));
}
