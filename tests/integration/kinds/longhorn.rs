//! Bundles of Longhorn, built in code: by support-bundle-kit, by its manager before 1.4, by the support script.

use serde_json::{Value, json};

use super::{fired, gaps, reason, zipped};
use crate::harness::summary;

const ID: &str = "0f1e2d3c-4b5a-4687-9900-aabbccddeeff";

/// A Pod as the manager of Longhorn 1.2 writes it: a Go struct.
const STRUCTS: &str = r#"listmeta: {selflink: "", resourceversion: "77", continue: "", remainingitemcount: null}
items:
- typemeta: {kind: "", apiversion: ""}
  objectmeta:
    name: longhorn-manager-x
    generatename: ""
    namespace: longhorn-system
    creationtimestamp: {time: "2022-03-01T10:00:00Z"}
    deletiontimestamp: null
    labels: {app: longhorn-manager}
    managedfields:
    - manager: kubelet
      fieldsv1:
        raw:
        - 123
        - 125
  spec:
    nodename: n1
    volumes:
    - name: v
      volumesource:
        hostpath: {path: /var/lib/longhorn, type: null}
        emptydir: null
    containers:
    - name: longhorn-manager
      image: example/longhorn-manager:v1.2.4
      resources:
        limits: {memory: {format: BinarySI}}
        requests: {}
      readinessprobe:
        handler:
          tcpsocket: {port: {type: 0, intval: 9500, strval: ""}, host: ""}
  status:
    phase: Running
    containerstatuses:
    - name: longhorn-manager
      restartcount: 7
      state:
        waiting: null
        running: {startedat: {time: "2022-03-01T10:00:00Z"}}
        terminated: null
"#;

const VOLUMES: &str = r#"- typemeta: {kind: "", apiversion: ""}
  objectmeta: {name: vol-1, namespace: longhorn-system, creationtimestamp: {time: "0001-01-01T00:00:00Z"}}
  spec: {size: 1073741824, numberofreplicas: 3, nodeid: n1, fromdata: ""}
  status:
    robustness: degraded
    state: attached
    currentnodeid: n1
    conditions:
      scheduled: {type: scheduled, status: "False", reason: ReplicaSchedulingFailure, lasttransitiontime: ""}
"#;

pub(super) fn legacy() -> Vec<(String, Vec<u8>)> {
    let metadata = "longhornversion: v1.2.4\nkubernetesversion: v1.21.7+k3s1\nlonghornnamespaceuuid: 11111111-2222-4333-8444-555555555555\nbundlecreatedat: \"2022-03-05T06:07:08Z\"\nissueurl: \"\"\nissuedescription: \"\"\n";
    let stamp = "2022-03-05T06:00:00.000000001Z";
    let file = |path: &str, text: &str| (path.to_owned(), text.as_bytes().to_vec());
    vec![
        file("metadata.yaml", metadata),
        file("bundleGenerationError.log", ""),
        file("yamls/kubernetes/pods.yaml", STRUCTS),
        file("yamls/kubernetes/configmaps.yaml", "listmeta: {selflink: \"\"}\nitems: []\n"),
        file("yamls/longhorn/volumes.yaml", VOLUMES),
        file("yamls/longhorn/engines.yaml", "[]\n"),
        file(
            "logs/longhorn-manager-x/longhorn-manager.log",
            &format!("{stamp} time=\"2022-03-05T06:00:00Z\" level=error msg=\"cannot schedule replica\"\n"),
        ),
    ]
}

const LEGACY_RULES: [(&str, &str); 8] = [
    (
        "t-pod",
        "  pod: {resource: pods, where: \"pod.status.containerStatuses.exists(c, c.restartCount > 5) && pod.spec.nodeName == 'n1'\"}\n",
    ),
    (
        "t-port",
        "  pod: {resource: pods, where: \"pod.spec.containers.exists(c, c.readinessProbe.tcpSocket.port == 9500)\"}\n",
    ),
    ("t-gone", "  pod: {resource: pods, where: pod.metadata.deletionTimestamp != null}\n"),
    (
        "t-volume",
        "  volume: {resource: volumes.longhorn.io, where: \"volume.status.robustness == 'degraded' && condition(volume, 'scheduled').status == 'False'\"}\n",
    ),
    ("t-engine", "  engine: {resource: engines.longhorn.io}\n"),
    ("t-replica", "  replica: {resource: replicas.longhorn.io}\n"),
    ("t-elsewhere", "  pod: {resource: pods, namespace: kube-system}\n"),
    ("t-log", "  said: {log: {namespace: longhorn-system, container: longhorn-manager}, match: 'cannot schedule'}\n"),
];

#[test]
fn structs_of_the_manager_are_objects() {
    let name = format!("longhorn-support-bundle_{ID}_2022-03-05T06-07-08Z");
    let found = zipped(&name, &legacy(), &LEGACY_RULES);
    let bundle = &found["bundle"];
    assert_eq!((&bundle["kind"], &bundle["collector"]["name"]), (&json!("longhorn"), &json!("longhorn-manager")));
    assert_eq!(bundle["collected_at"], "2022-03-05T06:07:08Z");
    assert_eq!(bundle["versions"]["longhorn"], "v1.2.4");
    assert_eq!(bundle["versions"]["k3s"], "v1.21.7+k3s1");
    assert_eq!(bundle["cluster"]["uid"], "11111111-2222-4333-8444-555555555555");
    assert_eq!(fired(&found, "t-"), ["t-log", "t-pod", "t-port", "t-volume"], "{}", found["issues"]);
    let clean = |rule: &str| found["rules"]["clean"].as_array().unwrap().contains(&json!(rule));
    assert!(clean("t-gone") && clean("t-engine"), "an unset time is none, an empty list is one");
    assert_eq!(reason(&found, "t-replica"), "replicas.longhorn.io of namespace longhorn-system were not collected");
    assert_eq!(reason(&found, "t-elsewhere"), "pods of namespace kube-system were not collected");
    assert_eq!(found["issues"], json!([]));
    let volume = found["findings"].as_array().unwrap().iter().find(|f| f["rule"] == "t-volume").unwrap();
    assert_eq!(
        volume["objects"][0],
        json!({"kind": "Volume", "group": "longhorn.io", "namespace": "longhorn-system", "name": "vol-1"})
    );
    assert_eq!(volume["evidence"][0]["line"], 5);
}

#[test]
fn a_bundle_of_the_manager_in_one_of_harvester_belongs_to_it() {
    let inner = zip_of(&format!("longhorn-support-bundle_{ID}_2021-03-05T06-07-08Z"), &legacy());
    let list = "kind: PodList\napiVersion: v1\nitems:\n- metadata: {name: web-0, namespace: harvester-system}\n  spec: {nodeName: n1}\n  status: {phase: Failed}\n";
    let files = vec![
        ("metadata.yaml".to_owned(), b"projectname: Harvester\nprojectversion: v0.2.0\nkubernetesversion: v1.20.4+k3s1\nbundlecreatedat: \"2021-04-05T06:07:09Z\"\n".to_vec()),
        ("bundleGenerationError.log".to_owned(), Vec::new()),
        ("yamls/namespaced/harvester-system/kubernetes/pods.yaml".to_owned(), list.as_bytes().to_vec()),
        (format!("external/longhorn-support-bundle_{ID}_2021-03-05T06-07-08Z.zip"), inner),
    ];
    let rules = [
        ("t-own", "  pod: {resource: pods, namespace: harvester-system, where: pod.status.phase == 'Failed'}\n"),
        LEGACY_RULES[3],
        LEGACY_RULES[7],
    ];
    let found = zipped(&format!("harvester-supportbundle_{ID}_2021-04-05T06-07-09Z"), &files, &rules);
    let bundle = &found["bundle"];
    assert_eq!((&bundle["kind"], &bundle["collected_at"]), (&json!("harvester"), &json!("2021-04-05T06:07:09Z")));
    assert_eq!(bundle["versions"]["harvester"], "v0.2.0");
    assert_eq!(bundle["versions"]["kubernetes"], "v1.20.4+k3s1");
    assert_eq!(bundle["versions"]["longhorn"], "v1.2.4");
    assert_eq!(bundle["collector"]["version"], "before 0.0.1");
    assert_eq!(fired(&found, "t-"), ["t-log", "t-own", "t-volume"], "{}", found["issues"]);
}

/// The bytes of a zip.
fn zip_of(top: &str, files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("inner.zip");
    crate::harness::zip(&path, top, files);
    std::fs::read(path).unwrap()
}

/// A bundle of the kit as Longhorn 1.5 makes it.
pub(super) fn kit() -> Vec<(String, Vec<u8>)> {
    let file = |path: &str, text: &str| (path.to_owned(), text.as_bytes().to_vec());
    let list =
        |items: &str| format!("apiVersion: v1\nitems:\n{items}kind: List\nmetadata:\n  resourceVersion: \"9\"\n");
    let nodes = ["n1", "n2"].map(|name| {
        format!("- apiVersion: v1\n  kind: Node\n  metadata:\n    name: {name}\n  status:\n    conditions:\n    - status: \"True\"\n      type: Ready\n    nodeInfo:\n      containerRuntimeVersion: containerd://1.7.11\n      kubeletVersion: v1.27.9\n      kernelVersion: 5.15.0\n      osImage: Some Linux 15.5\n")
    });
    let setting = "- apiVersion: longhorn.io/v1beta2\n  kind: Setting\n  metadata:\n    name: current-longhorn-version\n    namespace: longhorn-system\n  value: v1.5.3\n";
    let volume = "- apiVersion: longhorn.io/v1beta2\n  kind: Volume\n  metadata:\n    name: vol-1\n    namespace: longhorn-system\n  spec:\n    numberOfReplicas: 3\n    size: \"1073741824\"\n  status:\n    robustness: faulted\n";
    let token = "- apiVersion: management.cattle.io/v3\n  kind: Token\n  metadata:\n    name: token-a\n  token: verysecretvalue\n";
    let node = vec![
        file("hostinfos/hostinfo", "hostname : \n \tn1\nos-release : \n \tNAME=x\n"),
        file("hostinfos/proc_mounts", "/dev/sda1 / ext4 rw 0 0\n"),
        file(
            "logs/dmesg.log",
            "kern  :info  : [Mon Mar  6 22:45:10 2023] Linux version 5.15.0\nkern  :err   : [Mon Mar  6 22:46:10 2023] I/O error, dev sdb\n",
        ),
        file("logs/kubelet.log", "Mar 06 23:00:00 n1 kubelet[1]: started\n"),
        file("logs/messages", "Mar  6 22:50:00 n1 multipathd: add map\n"),
    ];
    vec![
        file(
            "metadata.yaml",
            "bundlename: support-bundle-2023-03-06t23-10-00z\nbundleversion: 0.1.0\nkubernetesversion: v1.27.9\nprojectnamespaceuuid: 0f1e2d3c-4b5a-4687-9900-aabbccddeeff\nbundlecreatedat: \"2023-03-06T23:10:00Z\"\nissueurl: \"null\"\nissuedescription: \"null\"\n",
        ),
        file("bundleGenerationError.log", ""),
        file("yamls/cluster/v1/nodes.yaml", &list(&nodes.concat())),
        file("yamls/cluster/management.cattle.io/v3/tokens.yaml", &list(token)),
        file("yamls/namespaced/longhorn-system/longhorn.io/v1beta2/settings.yaml", &list(setting)),
        file("yamls/namespaced/longhorn-system/longhorn.io/v1beta2/volumes.yaml", &list(volume)),
        file(
            "logs/longhorn-system/longhorn-manager-a/longhorn-manager.log",
            "2023-03-06T23:00:00.000000001Z time=\"2023-03-06T23:00:00Z\" level=info msg=ok\n",
        ),
        ("nodes/n1.zip".to_owned(), zip_of("n1", &node)),
    ]
}

#[test]
fn a_bundle_of_the_kit_states_its_versions_and_nodes() {
    let rules = [
        ("t-volume", "  volume: {resource: volumes.longhorn.io, where: volume.status.robustness == 'faulted'}\n"),
        ("t-dmesg", "  failed: {log: kernel, match: 'I/O error', where: failed.node == 'n1'}\n"),
        ("t-mounts", "  mounts: {file: {path: nodes/*/hostinfos/proc_mounts}, where: mounts.text.contains('ext4')}\n"),
        ("t-token", "  token: {resource: tokens.management.cattle.io, where: token.token != null}\n"),
        ("t-kernel", "  said: {log: kernel, match: 'never said'}\n"),
        ("t-kubelet", "  said: {log: kubelet, match: 'never said'}\n"),
        ("t-vm", "  vm: {resource: virtualmachines.kubevirt.io}\n"),
        ("t-secret", "  secret: {resource: secrets, namespace: longhorn-system}\n"),
    ];
    let found = zipped(&format!("supportbundle_{ID}_2023-03-06T23-10-00Z"), &kit(), &rules);
    let bundle = &found["bundle"];
    assert_eq!(bundle["kind"], "longhorn");
    assert_eq!(bundle["collector"]["version"], "0.0.53 or later");
    let versions = ["containerd", "kernel", "kubernetes", "longhorn", "os"]
        .map(|product| bundle["versions"][product].as_str().unwrap_or("-").to_owned());
    assert_eq!(versions, ["1.7.11", "5.15.0", "v1.27.9", "v1.5.3", "Some Linux 15.5"]);
    assert_eq!(fired(&found, "t-"), ["t-dmesg", "t-mounts", "t-token", "t-volume"], "{}", found["issues"]);
    assert!(!found.to_string().contains("verysecretvalue"), "tokens are masked");
    assert!(
        reason(&found, "t-kernel").starts_with("logs of node n2 are not in the bundle"),
        "{}",
        reason(&found, "t-kernel")
    );
    assert!(reason(&found, "t-kubelet").starts_with("logs of node n2 are not in the bundle"));
    assert!(reason(&found, "t-vm").contains("not known to be served"), "{}", reason(&found, "t-vm"));
    assert!(reason(&found, "t-secret").contains("leaves Secrets out"));
    assert_eq!(gaps(&found), ["files and logs of node n2", "secrets"]);
}

fn script() -> Vec<(String, Vec<u8>)> {
    let file = |path: &str, text: &str| (path.to_owned(), text.as_bytes().to_vec());
    let volume = "apiVersion: v1\nitems:\n- apiVersion: longhorn.io/v1beta2\n  kind: Volume\n  metadata:\n    name: vol-1\n    namespace: longhorn-system\n  spec:\n    size: \"1073741824\"\n  status:\n    robustness: faulted\nkind: List\n";
    let node = "apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Node\n  metadata:\n    name: n1\n  status:\n    conditions:\n    - status: \"True\"\n      type: Ready\nkind: List\n";
    vec![
        file(
            "yamls/cluster/kubernetes/version.yaml",
            "clientVersion:\n  gitVersion: v1.29.0\nserverVersion:\n  gitVersion: v1.28.5+rke2r1\n",
        ),
        file("yamls/cluster/kubernetes/nodes.yaml", node),
        file("yamls/namespaced/longhorn-system/longhorn/volumes.yaml", volume),
        file("yamls/namespaced/longhorn-system/kubernetes/pods.yaml", "apiVersion: v1\nitems: []\nkind: List\n"),
        file(
            "logs/longhorn-system/longhorn-manager-a/longhorn-manager.log",
            "time=\"2024-03-06T23:00:00Z\" level=info msg=now\n",
        ),
        file(
            "logs/longhorn-system/longhorn-manager-a/longhorn-manager-previous.log",
            "time=\"2024-03-06T22:00:00Z\" level=fatal msg=before\n",
        ),
        file("nodes/n1/description.txt", "Name:               n1\nTaints:             <none>\n"),
        file("nodes/n1/capacity.json", "{\"cpu\": \"8\"}\n"),
    ]
}

#[test]
fn a_bundle_of_the_script_is_read() {
    let rules = [
        ("t-volume", "  volume: {resource: volumes.longhorn.io, where: volume.status.robustness == 'faulted'}\n"),
        ("t-before", "  said: {log: {namespace: longhorn-system, container: longhorn-manager}, match: 'msg=before'}\n"),
        (
            "t-node",
            "  node: {file: {path: nodes/n1/description.txt}, where: node.node == 'n1' && node.text.contains('Taints')}\n",
        ),
        ("t-pods", "  pod: {resource: pods}\n"),
        ("t-engines", "  engine: {resource: engines.longhorn.io}\n"),
        ("t-kernel", "  said: {log: kernel, match: 'never said'}\n"),
    ];
    let found = zipped("longhorn-support-bundle-2024-03-06-23-05-00", &script(), &rules);
    let bundle = &found["bundle"];
    assert_eq!(
        (&bundle["kind"], &bundle["collector"]["name"]),
        (&json!("longhorn"), &json!("longhorn collection script"))
    );
    assert_eq!(bundle["collected_at"], "2024-03-06T23:05:00Z");
    assert_eq!(bundle["versions"]["kubernetes"], "v1.28.5+rke2r1");
    assert_eq!(fired(&found, "t-"), ["t-before", "t-node", "t-volume"], "{}", found["issues"]);
    assert!(found["rules"]["clean"].as_array().unwrap().contains(&json!("t-pods")));
    assert_eq!(reason(&found, "t-engines"), "engines.longhorn.io of namespace longhorn-system were not collected");
    assert_ne!(reason(&found, "t-kernel"), "");
    assert_eq!(summary(&found).iter().filter(|line| line.starts_with("t-")).count(), 3);
}

#[test]
fn hostile_structs_are_bounded() {
    let deep = format!("- objectmeta: {{name: a}}\n  spec: {}{}\n", "{volumesource: ".repeat(100), "}".repeat(100));
    let many = "- objectmeta: {name: a, labels: {x: ''}}\n".repeat(20_000);
    for text in [deep, many, "listmeta: 1\nitems: {time: x}\n".to_owned(), "[[[[[[1]]]]]]".to_owned()] {
        let mut files = legacy();
        files.retain(|(path, _)| path != "yamls/longhorn/volumes.yaml");
        files.push(("yamls/longhorn/volumes.yaml".to_owned(), text.into_bytes()));
        let found: Value = zipped("b", &files, &[]);
        assert_eq!(found["bundle"]["kind"], "longhorn");
        assert!(found["issues"].as_array().unwrap().len() < 50);
    }
}

#[test]
fn pods_of_namespaces_that_were_not_collected_may_write_logs() {
    let list = |items: &str| format!("apiVersion: v1\nkind: List\nitems: [{items}]\n").into_bytes();
    let pod = |name: &str, namespace: &str| {
        let spec = "spec: {containers: [{name: main}]}";
        list(&format!("{{apiVersion: v1, kind: Pod, metadata: {{name: {name}, namespace: {namespace}}}, {spec}}}"))
    };
    let namespace = |name: &str| format!("{{apiVersion: v1, kind: Namespace, metadata: {{name: {name}}}}}");
    let namespaces = list(&[namespace("longhorn-system"), namespace("kube-system")].join(", "));
    let mut files = vec![
        ("metadata.yaml".to_owned(), b"bundlename: longhorn-support-bundle\n".to_vec()),
        ("yamls/cluster/v1/namespaces.yaml".to_owned(), namespaces),
        ("yamls/namespaced/longhorn-system/v1/pods.yaml".to_owned(), pod("manager", "longhorn-system")),
    ];
    let rules = [("t-etcd", "  said: {log: {namespace: kube-system, container: etcd}, match: 'never said'}\n")];
    let told = |files: &[(String, Vec<u8>)]| reason(&zipped("case", files, &rules), "t-etcd").to_owned();
    assert_eq!(told(&files), "the bundle has no log of kube-system/*/etcd");
    files.push(("yamls/namespaced/kube-system/v1/pods.yaml".to_owned(), pod("proxy", "kube-system")));
    assert_eq!(told(&files), "no pod of this cluster writes a log of kube-system/*/etcd");
}
