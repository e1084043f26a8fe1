//! Bundles of very many small things of one kind, built in code: some hundreds for tests, 1,000 to 20,000 for
//! `benches/hostile.sh`. What they cost must follow their number.

use std::io::{Cursor, Write};

use zip::write::{SimpleFileOptions, ZipWriter};
use zip::{CompressionMethod, DateTime};

/// Bundles of one shape.
pub struct Crowd {
    pub name: &'static str,
    pub what: &'static str,
    /// Entries with `n` things; the nodes and the time of collection are added.
    pub entries: fn(usize) -> Vec<(String, String)>,
}

/// All shapes.
pub const ALL: &[Crowd] = &[
    Crowd {
        name: "nodes-not-ready",
        what: "nodes that are not ready",
        entries: |n| vec![nodes(n, "False"), longhorn("replicas", "Replica", n, REPLICA), longhorn_nodes(n)],
    },
    Crowd {
        name: "pods-and-nodes",
        what: "nodes, and a tenth of crash-looping pods",
        entries: |n| vec![nodes(n, "True"), dump("namespaced/demo/v1/pods", "v1", "Pod", n / 10, CRASHING)],
    },
    Crowd {
        name: "pods",
        what: "crash-looping pods behind as many services",
        entries: |n| {
            vec![
                nodes(3, "True"),
                dump("namespaced/demo/v1/pods", "v1", "Pod", n, CRASHING),
                dump(
                    "namespaced/demo/v1/services",
                    "v1",
                    "Service",
                    n,
                    "  spec: {selector: {app: a#}, ports: [{port: 1}]}\n",
                ),
            ]
        },
    },
    Crowd {
        name: "one-namespace",
        what: "pods and events of one controller",
        entries: |n| {
            let owned = CRASHING.replace("pod-owner-#", "one");
            vec![
                nodes(3, "True"),
                dump("namespaced/demo/v1/pods", "v1", "Pod", n, &owned),
                dump("namespaced/demo/v1/replicasets", "apps/v1", "ReplicaSet", n, "  spec: {replicas: 1}\n"),
            ]
        },
    },
    Crowd {
        name: "events",
        what: "pods without image or mount, with their events",
        entries: |n| {
            let event = |reason: &str, message: &str| {
                format!(
                    "  involvedObject: {{kind: Pod, namespace: demo, name: demo-#}}\n  reason: {reason}\n  type: Warning\n  \
                     count: 3\n  message: \"{message}\"\n  firstTimestamp: \"2024-05-06T06:08:09Z\"\n  \
                     lastTimestamp: \"2024-05-06T07:00:09Z\"\n"
                )
            };
            let pull = event("Failed", "Failed to pull image \\\"registry/a#:1\\\": not found");
            let mount =
                event("FailedMount", "MountVolume.SetUp failed for volume \\\"v\\\" : secret \\\"s#\\\" not found");
            vec![
                nodes(3, "True"),
                dump("namespaced/demo/v1/pods", "v1", "Pod", n, PULLING),
                dump("namespaced/demo/v1/events", "v1", "Event", n, &pull),
                dump("namespaced/demo/events.k8s.io/v1/events", "v1", "Event", n, &mount),
            ]
        },
    },
    Crowd {
        name: "events-of-one",
        what: "events about one pod",
        entries: |n| {
            let event = "  involvedObject: {kind: Pod, namespace: demo, name: demo-0}\n  reason: FailedScheduling\n  type: Warning\n  \
                         message: \"0/# nodes are available: # Insufficient memory.\"\n  lastTimestamp: \"2024-05-06T07:00:09Z\"\n";
            vec![
                nodes(3, "True"),
                dump("namespaced/demo/v1/pods", "v1", "Pod", 1, "  status: {phase: Pending}\n"),
                dump("namespaced/demo/v1/events", "v1", "Event", n, event),
            ]
        },
    },
    Crowd {
        name: "claims",
        what: "claims, volumes and attachments without each other",
        entries: |n| {
            vec![
                nodes(3, "True"),
                dump(
                    "namespaced/demo/v1/persistentvolumeclaims",
                    "v1",
                    "PersistentVolumeClaim",
                    n,
                    "  spec: {storageClassName: longhorn, volumeName: v#, resources: {requests: {storage: 1Gi}}}\n  status: {phase: Pending}\n",
                ),
                dump(
                    "cluster/v1/persistentvolumes",
                    "v1",
                    "PersistentVolume",
                    n,
                    "  spec: {csi: {driver: driver.longhorn.io, volumeHandle: v#}, claimRef: {namespace: demo, name: demo-#}}\n  status: {phase: Bound}\n",
                ),
                dump(
                    "cluster/storage.k8s.io/v1/volumeattachments",
                    "storage.k8s.io/v1",
                    "VolumeAttachment",
                    n,
                    "  spec: {nodeName: node-0, source: {persistentVolumeName: demo-#}}\n  status: {attached: false}\n",
                ),
            ]
        },
    },
    Crowd {
        name: "volumes",
        what: "Longhorn volumes, degraded, each with an engine and a replica",
        entries: |n| {
            vec![
                nodes(n.min(500), "True"),
                longhorn_nodes(n),
                longhorn(
                    "volumes",
                    "Volume",
                    n,
                    "  spec: {numberOfReplicas: 3, size: \"1073741824\"}\n  status: {robustness: degraded, state: attached, currentNodeID: node-#}\n",
                ),
                longhorn(
                    "engines",
                    "Engine",
                    n,
                    "  spec: {volumeName: demo-#, active: true, nodeID: node-#}\n  status: {currentState: running, replicaModeMap: {demo-#: RW}}\n",
                ),
                longhorn("replicas", "Replica", n, REPLICA),
            ]
        },
    },
    Crowd {
        name: "volumes-faulted",
        what: "Longhorn volumes, faulted",
        entries: |n| {
            let volume = "  spec: {numberOfReplicas: 1, size: \"1073741824\"}\n  status: {robustness: faulted, state: detached}\n";
            vec![
                nodes(3, "True"),
                longhorn("volumes", "Volume", n, volume),
                longhorn("replicas", "Replica", n, REPLICA),
            ]
        },
    },
    Crowd {
        name: "finalizers",
        what: "objects and namespaces that wait for their deletion",
        entries: |n| {
            let waiting = "    deletionTimestamp: \"2024-05-05T07:08:09Z\"\n    finalizers: [example.com/x]\n  status: {phase: Terminating}\n";
            let namespaces = dump("cluster/v1/namespaces", "v1", "Namespace", n, waiting);
            vec![nodes(3, "True"), namespaces, dump("namespaced/demo/v1/configmaps", "v1", "ConfigMap", n, waiting)]
        },
    },
    Crowd {
        name: "namespaces",
        what: "namespaces with a dump each",
        entries: |n| {
            let pods = |at: usize| {
                let namespace = format!("demo-{at}");
                let (path, text) = dump("v1/pods", "v1", "Pod", 1, CRASHING);
                let path = path.replace("/yamls/", &format!("/yamls/namespaced/{namespace}/"));
                (path, text.replace("namespace: demo", &format!("namespace: {namespace}")))
            };
            [nodes(3, "True"), dump("cluster/v1/namespaces", "v1", "Namespace", n, "  status: {phase: Active}\n")]
                .into_iter()
                .chain((0..n).map(pods))
                .collect()
        },
    },
    Crowd {
        name: "releases",
        what: "Helm releases in Secrets and Fleet bundles",
        entries: |n| {
            let release = "  type: helm.sh/release.v1\n  data: {release: \"\"}\n";
            let secrets = dump("namespaced/demo/v1/secrets", "v1", "Secret", n, release)
                .1
                .replace("name: demo-", "labels: {owner: helm, status: failed}\n    name: sh.helm.release.v1.r");
            let conditions = "  status: {conditions: [{type: Ready, status: \"False\", message: \"ErrApplied(1) [Cluster local: cannot #]\"}], \
                              summary: {desiredReady: 1, errApplied: 1}}\n";
            vec![
                nodes(3, "True"),
                ("b/yamls/namespaced/demo/v1/secrets.yaml".to_owned(), secrets),
                dump(
                    "namespaced/demo/fleet.cattle.io/v1alpha1/bundles",
                    "fleet.cattle.io/v1alpha1",
                    "Bundle",
                    n,
                    conditions,
                ),
                dump(
                    "namespaced/demo/fleet.cattle.io/v1alpha1/bundledeployments",
                    "fleet.cattle.io/v1alpha1",
                    "BundleDeployment",
                    n,
                    "  status: {conditions: [{type: Ready, status: \"False\"}]}\n",
                ),
            ]
        },
    },
    Crowd {
        name: "machines",
        what: "virtual machines that are not ready, with instances and disks",
        entries: |n| {
            vec![
                nodes(3, "False"),
                dump(
                    "namespaced/demo/kubevirt.io/v1/virtualmachines",
                    "kubevirt.io/v1",
                    "VirtualMachine",
                    n,
                    "  spec: {running: true, template: {spec: {volumes: [{name: d, persistentVolumeClaim: {claimName: demo-#}}]}}}\n  status: {printableStatus: Starting}\n",
                ),
                dump(
                    "namespaced/demo/kubevirt.io/v1/virtualmachineinstances",
                    "kubevirt.io/v1",
                    "VirtualMachineInstance",
                    n,
                    "  status: {phase: Running, nodeName: node-0, conditions: [{type: Ready, status: \"False\"}]}\n",
                ),
                dump(
                    "namespaced/demo/v1/persistentvolumeclaims",
                    "v1",
                    "PersistentVolumeClaim",
                    n,
                    "  spec: {volumeName: v#}\n  status: {phase: Bound}\n",
                ),
            ]
        },
    },
    Crowd {
        name: "webhooks",
        what: "webhooks without service, definitions and API services",
        entries: |n| {
            let hook = "  webhooks: [{name: h#.example.com, failurePolicy: Fail, rules: [{apiGroups: [\"*\"], apiVersions: [\"*\"], operations: [\"*\"], resources: [pods]}], \
                        clientConfig: {service: {name: s#, namespace: demo}}}]\n";
            vec![
                nodes(3, "True"),
                dump(
                    "cluster/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
                    "admissionregistration.k8s.io/v1",
                    "ValidatingWebhookConfiguration",
                    n,
                    hook,
                ),
                dump(
                    "cluster/apiregistration.k8s.io/v1/apiservices",
                    "apiregistration.k8s.io/v1",
                    "APIService",
                    n,
                    "  spec: {group: g#, version: v1, service: {name: s, namespace: demo}}\n  status: {conditions: [{type: Available, status: \"False\"}]}\n",
                ),
                dump("namespaced/demo/v1/services", "v1", "Service", n, "  spec: {ports: [{port: 1}]}\n"),
                dump("namespaced/demo/v1/endpoints", "v1", "Endpoints", n, "  subsets: []\n"),
            ]
        },
    },
    Crowd {
        name: "owners",
        what: "pods, replica sets, deployments and jobs whose owners are gone",
        entries: |n| {
            let gone = |kind: &str| {
                format!(
                    "    uid: u#\n    ownerReferences: [{{kind: {kind}, apiVersion: apps/v1, name: gone-#, uid: g#, controller: true}}]\n"
                )
            };
            vec![
                nodes(3, "True"),
                dump("namespaced/demo/v1/pods", "v1", "Pod", n, &gone("ReplicaSet")),
                dump("namespaced/demo/apps/v1/replicasets", "apps/v1", "ReplicaSet", n, &gone("Deployment")),
                dump("namespaced/demo/apps/v1/deployments", "apps/v1", "Deployment", n, "  status: {replicas: 1}\n"),
                dump("namespaced/demo/batch/v1/jobs", "batch/v1", "Job", n, "  status: {failed: 3}\n"),
            ]
        },
    },
    Crowd {
        name: "captures",
        what: "lines of a log with other captures each",
        entries: |n| {
            let line = "2024-05-06T07:07:09Z E0506 07:07:09.000000 1 x.go:1] failed calling webhook \"w#.example.com\": failed to call webhook: \
                        Post \"https://s#.demo.svc:443/v?timeout=10s\": context deadline exceeded\n\
                        2024-05-06T07:08:01Z E0506 07:08:01.000000 1 x.go:1] failed calling webhook \"w#.example.com\": failed to call webhook: \
                        Post \"https://s#.demo.svc:443/v?timeout=10s\": dial tcp 10.0.0.1:443: connect: connection refused\n";
            vec![
                nodes(3, "True"),
                ("b/logs/kube-system/kube-apiserver-n1/kube-apiserver.log".to_owned(), numbered(line, n)),
            ]
        },
    },
    Crowd {
        name: "table",
        what: "rows of a table of kubectl",
        entries: |n| {
            let row =
                "demo   demo-#   0/1   CrashLoopBackOff   7 (2m ago)   5d   10.0.0.1   node-0   <none>   <none>\n";
            let head =
                "NAMESPACE   NAME   READY   STATUS   RESTARTS   AGE   IP   NODE   NOMINATED NODE   READINESS GATES\n";
            vec![nodes(3, "True"), ("rancher/kubectl/pods".to_owned(), head.to_owned() + &numbered(row, n))]
        },
    },
    Crowd {
        name: "secrets",
        what: "certificates that have expired",
        entries: |n| {
            let secret = "  type: kubernetes.io/tls\n  data: {tls.crt: \"\", tls.key: \"\"}\n";
            vec![nodes(3, "True"), dump("namespaced/demo/v1/secrets", "v1", "Secret", n, secret)]
        },
    },
    Crowd {
        name: "upgrades",
        what: "upgrades of Harvester, machines of CAPI and plans",
        entries: |n| {
            vec![
                nodes(3, "True"),
                dump(
                    "namespaced/harvester-system/harvesterhci.io/v1beta1/upgrades",
                    "harvesterhci.io/v1beta1",
                    "Upgrade",
                    n,
                    "  spec: {version: v1.3.2}\n  status: {previousVersion: v1.2.2, conditions: [{type: Completed, status: \"False\", message: \"x #\"}], nodeStatuses: {node-0: {state: Failed}}}\n",
                ),
                dump(
                    "namespaced/fleet-local/cluster.x-k8s.io/v1beta1/machines",
                    "cluster.x-k8s.io/v1beta1",
                    "Machine",
                    n,
                    "  status: {phase: Failed, nodeRef: {name: node-#}}\n",
                ),
            ]
        },
    },
    Crowd {
        name: "items-of-one",
        what: "conditions, containers and owners of one object",
        entries: |n| {
            let list = |item: &str| numbered(item, n);
            let text = format!(
                "apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\n  namespace: demo\nspec:\n  containers:\n{}status:\n  conditions:\n{}  containerStatuses:\n{}",
                list("  - {name: c#, image: \"i:1\"}\n"),
                list("  - {type: T#, status: \"False\", lastTransitionTime: \"2024-05-06T07:00:00Z\"}\n"),
                list("  - {name: c#, restartCount: 9, state: {waiting: {reason: CrashLoopBackOff}}}\n"),
            );
            vec![nodes(3, "True"), ("b/yamls/namespaced/demo/v1/pods.yaml".to_owned(), text)]
        },
    },
];

const CRASHING: &str = "    labels: {app: a#}\n    ownerReferences: [{kind: ReplicaSet, apiVersion: apps/v1, name: pod-owner-#, controller: true}]\n  \
                        spec: {nodeName: node-0, containers: [{name: c, image: \"i:1\"}]}\n  status: {phase: Running, containerStatuses: \
                        [{name: c, restartCount: 9, ready: false, state: {waiting: {reason: CrashLoopBackOff}}, \
                        lastState: {terminated: {exitCode: 1, finishedAt: \"2024-05-06T07:07:00Z\"}}}]}\n";
const PULLING: &str = "  spec: {nodeName: node-0, containers: [{name: c, image: \"registry/a#:1\"}]}\n  status: {phase: Pending, containerStatuses: \
                       [{name: c, restartCount: 0, ready: false, image: \"registry/a#:1\", state: {waiting: {reason: ImagePullBackOff}}}]}\n";
const REPLICA: &str = "  spec: {volumeName: demo-#, nodeID: node-#, failedAt: \"2024-05-06T07:00:00Z\"}\n  status: {currentState: stopped}\n";

/// Repeats a text with the numbers from 0 in place of `#`.
fn numbered(text: &str, n: usize) -> String {
    (0..n).map(|at| text.replace('#', &at.to_string())).collect()
}

/// A dump of `n` objects named `demo-0`, ... in the layout of support-bundle-kit; `rest` follows the metadata.
fn dump(path: &str, version: &str, kind: &str, n: usize, rest: &str) -> (String, String) {
    let namespace = path.strip_prefix("namespaced/").and_then(|path| path.split('/').next()).unwrap_or("demo");
    let namespace = if path.starts_with("cluster/") { String::new() } else { format!("    namespace: {namespace}\n") };
    let name = if kind == "Node" { "node" } else { "demo" };
    let item = format!(
        "- apiVersion: {version}\n  kind: {kind}\n  metadata:\n    name: {name}-#\n{namespace}    creationTimestamp: \"2024-05-01T07:08:09Z\"\n{rest}"
    );
    (format!("b/yamls/{path}.yaml"), format!("apiVersion: v1\nkind: List\nitems:\n{}", numbered(&item, n)))
}

fn nodes(n: usize, ready: &str) -> (String, String) {
    let rest = format!(
        "  status: {{addresses: [{{type: InternalIP, address: 10.0.0.1}}], conditions: [{{type: Ready, status: \"{ready}\", \
         reason: KubeletNotReady, message: m, lastTransitionTime: \"2024-05-06T06:00:00Z\", lastHeartbeatTime: \"2024-05-06T07:07:00Z\"}}]}}\n"
    );
    dump("cluster/v1/nodes", "v1", "Node", n, &rest)
}

fn longhorn(plural: &str, kind: &str, n: usize, rest: &str) -> (String, String) {
    let path = format!("namespaced/longhorn-system/longhorn.io/v1beta2/{plural}");
    dump(&path, "longhorn.io/v1beta2", kind, n, rest)
}

fn longhorn_nodes(n: usize) -> (String, String) {
    let rest = "  spec: {disks: {d: {path: /d, evictionRequested: true}}}\n  status: {conditions: [{type: Ready, status: \"False\"}], \
                diskStatus: {d: {conditions: [{type: Schedulable, status: \"False\", reason: DiskPressure}], storageAvailable: 1, storageMaximum: 100, \
                scheduledReplica: {demo-#: 1}}}}\n";
    longhorn("nodes", "Node", n, rest)
}

/// The bundle of a shape with `n` things.
pub fn bundle(crowd: &Crowd, n: usize) -> Vec<u8> {
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(DateTime::default());
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let metadata = ("b/metadata.yaml".to_owned(), "bundlecreatedat: \"2024-05-06T07:08:09Z\"\n".to_owned());
    let versions = "apiVersion: v1\nkind: List\nitems:\n- apiVersion: harvesterhci.io/v1beta1\n  kind: Setting\n  metadata:\n    name: server-version\n  value: v1.3.1\n";
    let settings = ("b/yamls/cluster/harvesterhci.io/v1beta1/settings.yaml".to_owned(), versions.to_owned());
    for (path, text) in [metadata, settings].into_iter().chain((crowd.entries)(n)) {
        zip.start_file(path, options).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}
