//! State of the cluster as the bundle shows it: nodes, virtual machines with their disks, volumes, upgrades, hihistories.

use gleaner::internals::bundle::{Bundle, Limits};
use gleaner::internals::pipeline::{self, Options};
use gleaner::internals::rule::{Streams, compile, load};
use gleaner::model::inventory::{Inventory, MomentKind, Relation, Source};
use gleaner::model::{Analysis, Lang};

const MACHINES: &str = "
- apiVersion: kubevirt.io/v1
  kind: VirtualMachine
  metadata: {name: web, namespace: shop, uid: u-web, creationTimestamp: '2026-03-01T08:00:00Z'}
  spec:
    runStrategy: Always
    template:
      spec:
        volumes:
        - {name: a, persistentVolumeClaim: {claimName: root}}
        - {name: b, dataVolume: {name: gone}}
        - {name: c, cloudInitNoCloud: {}}
  status: {printableStatus: Running}
- apiVersion: kubevirt.io/v1
  kind: VirtualMachineInstance
  metadata: {name: web, namespace: shop, uid: u-web-i}
  status:
    phase: Running
    nodeName: alpha
    conditions:
    - {type: Ready, status: 'False', message: guest is stuck, lastTransitionTime: '2026-03-01T10:00:00Z'}
- apiVersion: kubevirt.io/v1
  kind: VirtualMachineInstance
  metadata: {name: alone, namespace: shop}
  status: {phase: Failed}
";

const CLAIMS: &str = "
- apiVersion: v1
  kind: PersistentVolumeClaim
  metadata: {name: root, namespace: shop}
  spec: {volumeName: pv-root}
  status: {phase: Bound}
";

const PERSISTENT: &str = "
- apiVersion: v1
  kind: PersistentVolume
  metadata: {name: pv-root}
  spec:
    claimRef: {namespace: shop, name: root}
    csi: {driver: driver.longhorn.io, volumeHandle: vol-root}
- apiVersion: v1
  kind: PersistentVolume
  metadata: {name: pv-lost}
  spec:
    claimRef: {namespace: shop, name: old}
    csi: {driver: driver.longhorn.io, volumeHandle: vol-lost}
- apiVersion: v1
  kind: PersistentVolume
  metadata: {name: pv-other}
  spec:
    csi: {driver: other.example.org, volumeHandle: vol-x}
";

const ATTACHMENTS: &str = "
- apiVersion: storage.k8s.io/v1
  kind: VolumeAttachment
  metadata: {name: csi-1}
  spec: {attacher: driver.longhorn.io, nodeName: alpha, source: {persistentVolumeName: pv-lost}}
  status: {attached: true}
- apiVersion: storage.k8s.io/v1
  kind: VolumeAttachment
  metadata: {name: csi-2}
  spec: {attacher: driver.longhorn.io, nodeName: beta, source: {persistentVolumeName: pv-lost}}
  status: {attached: false}
";

const VOLUMES: &str = "
- apiVersion: longhorn.io/v1beta2
  kind: Volume
  metadata: {name: vol-root, namespace: longhorn-system}
  spec: {size: '10737418240', numberOfReplicas: 3}
  status:
    state: attached
    robustness: degraded
    actualSize: 1.073741824e+09
    currentNodeID: alpha
    kubernetesStatus: {namespace: shop, pvcName: root, pvName: pv-root, lastPodRefAt: '', workloadsStatus: [{podName: virt-launcher-web-x, workloadName: web, workloadType: VirtualMachineInstance}]}
- apiVersion: longhorn.io/v1beta2
  kind: Replica
  metadata: {name: vol-root-r-1, namespace: longhorn-system}
  spec: {volumeName: vol-root, nodeID: alpha, diskPath: /data}
  status: {currentState: running}
- apiVersion: longhorn.io/v1beta2
  kind: Replica
  metadata: {name: vol-root-r-2, namespace: longhorn-system}
  spec: {volumeName: vol-root, nodeID: beta, diskPath: /data, failedAt: '2026-03-01T09:30:00Z'}
  status: {currentState: stopped}
- apiVersion: longhorn.io/v1beta2
  kind: Node
  metadata: {name: alpha, namespace: longhorn-system}
  spec: {disks: {d1: {path: /data, allowScheduling: true, storageReserved: 200}}}
  status:
    diskStatus:
      d1:
        storageMaximum: 1000
        storageAvailable: 400
        storageScheduled: 900
        conditions:
        - {type: Ready, status: 'True'}
        - {type: Schedulable, status: 'False', reason: DiskPressure, message: 'disk is too full'}
- apiVersion: longhorn.io/v1beta2
  kind: Setting
  metadata: {name: storage-over-provisioning-percentage, namespace: longhorn-system}
  value: '150'
";

const NODES: &str = "
- apiVersion: v1
  kind: Node
  metadata: {name: alpha, uid: u-alpha}
  spec: {unschedulable: true}
  status:
    capacity: {cpu: '8', memory: 32Gi, pods: '110'}
    conditions:
    - {type: Ready, status: 'True'}
    - {type: DiskPressure, status: 'True'}
    - {type: MemoryPressure, status: 'False'}
    - {type: EtcdIsVoter, status: 'True'}
- apiVersion: v1
  kind: Node
  metadata: {name: beta}
  status: {conditions: [{type: Ready, status: Unknown}]}
";

const PODS: &str = "
- apiVersion: v1
  kind: Pod
  metadata:
    name: virt-launcher-web-x
    namespace: shop
    ownerReferences: [{apiVersion: kubevirt.io/v1, kind: VirtualMachineInstance, name: web, uid: u-web-i}]
  spec: {nodeName: alpha}
  status:
    phase: Running
    conditions: [{type: Ready, status: 'False'}]
    containerStatuses:
    - {name: compute, restartCount: 3, lastState: {terminated: {reason: OOMKilled, exitCode: 137, finishedAt: '2026-03-01T09:45:00Z'}}}
- apiVersion: v1
  kind: Pod
  metadata: {name: done, namespace: shop}
  spec: {nodeName: alpha}
  status: {phase: Succeeded}
- apiVersion: v1
  kind: Pod
  metadata: {name: keeps-old, namespace: shop}
  spec: {nodeName: alpha, volumes: [{name: data, persistentVolumeClaim: {claimName: old}}]}
  status: {phase: Running, conditions: [{type: Ready, status: 'True'}]}
- apiVersion: v1
  kind: Pod
  metadata: {name: had-old, namespace: shop}
  spec: {nodeName: alpha, volumes: [{name: data, persistentVolumeClaim: {claimName: old}}]}
  status: {phase: Succeeded}
- apiVersion: v1
  kind: Pod
  metadata: {name: waiting, namespace: shop}
  spec: {}
  status: {phase: Pending}
";

const EVENTS: &str = "
- apiVersion: v1
  kind: Event
  metadata: {name: e1, namespace: shop}
  involvedObject: {apiVersion: v1, kind: Pod, namespace: shop, name: virt-launcher-web-x}
  type: Warning
  reason: FailedMount
  message: timed out
  count: 5
  firstTimestamp: '2026-03-01T09:00:00Z'
  lastTimestamp: '2026-03-01T09:40:00Z'
- apiVersion: v1
  kind: Event
  metadata: {name: e2, namespace: shop}
  involvedObject: {apiVersion: kubevirt.io/v1, kind: VirtualMachine, namespace: shop, name: web}
  type: Normal
  reason: Started
  message: started
  lastTimestamp: '2026-03-01T08:01:00Z'
";

const UPGRADES: &str = "
- apiVersion: harvesterhci.io/v1beta1
  kind: Upgrade
  metadata:
    name: up-1
    namespace: harvester-system
    creationTimestamp: '2026-03-01T07:00:00Z'
    labels: {harvesterhci.io/upgradeState: UpgradingNodes}
  spec: {version: v1.5.0}
  status:
    previousVersion: v1.4.2
    conditions:
    - {type: ImageReady, status: 'True'}
    - {type: NodesUpgraded, status: Unknown, message: waiting for beta, lastUpdateTime: '2026-03-01T09:00:00Z'}
    nodeStatuses:
      alpha: {state: Succeeded}
      beta: {state: Pre-draining, message: 'pods left'}
";

fn inventory() -> Inventory {
    analysis(Lang::En).inventory.unwrap()
}

/// The cluster of these files.
pub fn analysis(lang: Lang) -> Analysis {
    let list = |items: &str| format!("apiVersion: v1\nkind: List\nitems:{items}").into_bytes();
    let file = |path: &str, items: &str| (format!("yamls/{path}.yaml"), list(items));
    let files = vec![
        file("namespaced/shop/kubevirt.io/v1/virtualmachines", MACHINES),
        file("namespaced/shop/v1/persistentvolumeclaims", CLAIMS),
        file("cluster/v1/persistentvolumes", PERSISTENT),
        file("cluster/storage.k8s.io/v1/volumeattachments", ATTACHMENTS),
        file("namespaced/longhorn-system/longhorn.io/v1beta2/volumes", VOLUMES),
        file("cluster/v1/nodes", NODES),
        file("namespaced/shop/v1/pods", PODS),
        file("namespaced/shop/v1/events", EVENTS),
        file("namespaced/harvester-system/harvesterhci.io/v1beta1/upgrades", UPGRADES),
        ("metadata.yaml".into(), b"projectName: Harvester\nbundleCreatedAt: '2026-03-01T12:00:00Z'\n".to_vec()),
        (
            "nodes/alpha/logs/kernel.log".into(),
            b"2026-03-01T06:30:00+0000 alpha kernel: Linux version 5.14.21\n2026-03-01T06:30:01+0000 alpha kernel: x\n"
                .to_vec(),
        ),
    ];
    analysed("shop", files, lang)
}

fn analysed(name: &str, files: Vec<(String, Vec<u8>)>, lang: Lang) -> Analysis {
    let rules = load::embedded();
    let streams = Streams::parse(rules.streams).unwrap();
    let rules = compile(rules.sources, &streams).unwrap();
    let bundle = Bundle::from_memory(name, files, Limits::default());
    pipeline::analyze(&bundle, &rules, Options { inventory: true, lang, ..Options::default() }, &())
}

#[test]
fn a_virtual_machine_is_followed_down_to_its_volume() {
    let inventory = inventory();
    let names: Vec<_> = inventory.machines.items.iter().map(|m| (m.name.as_str(), m.status.as_deref())).collect();
    assert_eq!(names, [("alone", None), ("web", Some("Running"))]);
    let web = &inventory.machines.items[1];
    let instance = web.instance.as_ref().unwrap();
    assert_eq!((instance.node.as_deref(), instance.ready), (Some("alpha"), Some(false)));
    assert_eq!(instance.complaints, ["Ready: guest is stuck"]);
    let [root, gone] = web.claims.as_slice() else { panic!("{:?}", web.claims) };
    assert_eq!((root.volume.as_deref(), root.longhorn.as_deref()), (Some("pv-root"), Some("vol-root")));
    assert_eq!((root.exists, root.volume_exists, root.longhorn_exists), (Some(true), Some(true), Some(true)));
    assert_eq!((gone.name.as_str(), gone.exists), ("gone", Some(false)));
}

#[test]
fn volumes_have_users_and_missing_ones_are_listed() {
    let volumes = inventory().volumes.items;
    let [lost, root] = volumes.as_slice() else { panic!("{volumes:?}") };
    assert_eq!((lost.name.as_str(), lost.exists, lost.claim.as_deref()), ("vol-lost", false, Some("shop/old")));
    assert_eq!((lost.node.as_deref(), lost.node_known), (Some("alpha"), true), "as Kubernetes has it");
    assert_eq!((lost.pods.as_slice(), lost.users_known), (&["shop/keeps-old".to_owned()][..], true));
    assert_eq!((root.robustness.as_deref(), root.size), (Some("degraded"), Some(10_737_418_240)));
    assert_eq!((root.actual_size, root.wanted), (Some(1_073_741_824), Some(3)));
    assert_eq!((root.machines.as_slice(), root.pods.len()), (&["shop/web".to_owned()][..], 0));
    let failed: Vec<_> = root.replicas.iter().filter_map(|r| r.failed_at.map(|at| at.to_string())).collect();
    assert_eq!((root.replicas.len(), failed.as_slice()), (2, &["2026-03-01T09:30:00Z".to_owned()][..]));
}

#[test]
fn what_uses_a_missing_volume_is_not_known_without_attachments_and_pods() {
    let list = |items: &str| format!("apiVersion: v1\nkind: List\nitems:{items}").into_bytes();
    let files = vec![
        ("yamls/cluster/v1/persistentvolumes.yaml".to_owned(), list(PERSISTENT)),
        ("yamls/namespaced/longhorn-system/longhorn.io/v1beta2/volumes.yaml".to_owned(), list(VOLUMES)),
        ("bundleGenerationError.log".to_owned(), b"Failed to get /apis/storage.k8s.io/v1/volumeattachments: timeout\nFailed to get /api/v1/namespaces/shop/pods: timeout\n".to_vec()),
        ("metadata.yaml".into(), b"projectName: Harvester\nbundleCreatedAt: '2026-03-01T12:00:00Z'\n".to_vec()),
    ];
    let volumes = analysed("shop", files, Lang::En).inventory.unwrap().volumes.items;
    let lost = volumes.iter().find(|volume| !volume.exists).unwrap();
    assert_eq!((lost.node.as_deref(), lost.node_known), (None, false));
    assert_eq!((lost.pods.len(), lost.users_known), (0, false));
}

#[test]
fn disks_and_nodes_tell_how_full_they_are() {
    let inventory = inventory();
    let [disk] = inventory.disks.items.as_slice() else { panic!("{:?}", inventory.disks) };
    // (1000 - 200) x 150 %.
    assert_eq!((disk.limit, disk.scheduled, disk.available), (Some(1200), Some(900), Some(400)));
    assert_eq!((disk.schedulable, disk.reason.as_deref()), (Some(false), Some("disk is too full")));
    let [alpha, beta] = inventory.nodes.items.as_slice() else { panic!("{:?}", inventory.nodes) };
    assert_eq!(
        (alpha.ready, alpha.cordoned, alpha.pressures.as_slice()),
        (Some(true), true, &["DiskPressure".to_owned()][..])
    );
    assert_eq!((alpha.pods, alpha.unready_pods, alpha.pod_capacity), (Some(2), 1, Some(110)));
    assert_eq!(alpha.memory, Some(32 << 30));
    assert_eq!((beta.ready, beta.pods), (Some(false), Some(0)));
    let pods = inventory.pods.unwrap();
    assert_eq!((pods.all, pods.unready, pods.not_collected), (3, 2, None), "one of them waits for a node");
}

#[test]
fn the_axis_has_warnings_starts_and_upgrades() {
    let moments = inventory().moments.items;
    let told: Vec<_> = moments.iter().map(|m| (m.kind, m.node.as_deref(), m.from.to_string(), m.count)).collect();
    assert_eq!(
        told,
        [
            (MomentKind::Boot, Some("alpha"), "2026-03-01T06:30:00Z".to_owned(), 1),
            (MomentKind::Upgrade, None, "2026-03-01T07:00:00Z".to_owned(), 1),
            (MomentKind::Warning, Some("alpha"), "2026-03-01T09:00:00Z".to_owned(), 5),
        ]
    );
    assert_eq!(moments[1].to.to_string(), "2026-03-01T09:00:00Z");
}

#[test]
fn certificates_of_files_end_once_each() {
    let printed = |subject: &str, end: &str| {
        format!(
            "Certificate:\n    Data:\n        Validity\n            Not After : {end} GMT\n        Subject: {subject}\n"
        )
    };
    let leaf = printed("CN = kube-apiserver", "Mar  2 09:00:00 2026");
    let authority = printed("CN = rke2-server-ca", "Mar  1 09:00:00 2035");
    let other = printed("CN = system:admin", "Mar  3 09:00:00 2026");
    let files = [
        ("systeminfo/date", "Thu Mar  6 10:15:30 UTC 2025\n".to_owned()),
        ("collector-output.log", "2025-03-06 10:15:30: Collecting system info\n".to_owned()),
        ("rke2/version", "rke2 version v1.32.7+rke2r1 (43f78039)\n".to_owned()),
        ("rke2/certs/server/serving-kube-apiserver.crt", format!("{leaf}{authority}")),
        ("rke2/certs/server/client-admin.crt", format!("{other}{authority}")),
    ];
    let files = files.into_iter().map(|(path, text)| (path.to_owned(), text.into_bytes())).collect();
    let moments = analysed("cp1-2025-03-06_10_15_30", files, Lang::En).inventory.unwrap().moments.items;
    let ends = moments.iter().filter(|moment| moment.kind == MomentKind::Expiry);
    let told: Vec<_> =
        ends.clone().map(|end| (end.from.to_string(), end.node.as_deref(), end.text.to_string())).collect();
    assert_eq!(
        told,
        [
            ("2026-03-02T09:00:00Z".to_owned(), Some("cp1"), "Certificate CN=kube-apiserver ends".to_owned()),
            ("2026-03-03T09:00:00Z".to_owned(), Some("cp1"), "Certificate CN=system:admin ends".to_owned()),
            ("2035-03-01T09:00:00Z".to_owned(), Some("cp1"), "Certificate CN=rke2-server-ca ends".to_owned()),
        ]
    );
    assert!(ends.clone().all(|end| end.place.as_ref().is_some_and(|place| place.entry.contains("rke2/certs/"))));
}

#[test]
fn an_upgrade_says_what_it_waits_for() {
    let upgrades = inventory().upgrades;
    let [upgrade] = upgrades.items.as_slice() else { panic!("{upgrades:?}") };
    assert_eq!((upgrade.completed, upgrade.state.as_deref()), (None, Some("UpgradingNodes")));
    let open: Vec<_> = upgrade.conditions.iter().filter(|c| c.status.as_deref() != Some("True")).collect();
    assert_eq!((open.len(), open[0].message.as_deref()), (1, Some("waiting for beta")));
    assert_eq!((upgrade.nodes[1].node.as_str(), upgrade.nodes[1].state.as_deref()), ("beta", Some("Pre-draining")));
}

#[test]
fn a_history_is_in_order_of_time_with_related_objects() {
    let inventory = inventory();
    let is_web =
        |s: &&gleaner::model::inventory::ObjectHistory| s.object.kind == "VirtualMachine" && s.object.name == "web";
    let history = inventory.histories.items.iter().find(is_web).unwrap();
    assert_eq!(history.state.as_ref().map(ToString::to_string).as_deref(), Some("Running"));
    let related: Vec<_> = history.related.iter().map(|(relation, object)| (*relation, object.name.as_str())).collect();
    for expected in [
        (Relation::Instance, "web"),
        (Relation::Claim, "root"),
        (Relation::PersistentVolume, "pv-root"),
        (Relation::Volume, "vol-root"),
        (Relation::Node, "alpha"),
        (Relation::Pod, "virt-launcher-web-x"),
    ] {
        assert!(related.contains(&expected), "{expected:?} in {related:?}");
    }
    let entries: Vec<_> = history.entries.items.iter().map(|c| (c.source, c.at, c.text.to_string())).collect();
    let place = |text: &str| {
        entries.iter().position(|(.., told)| told.contains(text)).unwrap_or_else(|| panic!("{text}: {entries:#?}"))
    };
    let order = [
        "created",
        "Started: started",
        "FailedMount: timed out",
        "OOMKilled, exit code 137, restarted 3",
        "guest is stuck",
    ];
    assert!(order.map(place).is_sorted(), "{entries:#?}");
    assert_eq!(entries[place("FailedMount")].0, Source::Warning);
}
