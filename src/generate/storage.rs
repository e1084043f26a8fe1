//! Longhorn: volumes with engines and replicas, what Kubernetes knows of them, nodes, images,
//! instance managers, settings.

use serde_json::{Map, Value, json};

use super::clock::{INSTALLED, rfc3339};
use super::log::Topic;
use super::workload::Pod;
use super::world::{Placed, World};

const API: &str = "longhorn.io/v1beta2";
const LS: &str = "longhorn-system";
const ENGINE_IMAGE: &str = "longhornio/longhorn-engine:v1.7.2";
const MANAGER_IMAGE: &str = "longhornio/longhorn-instance-manager:v1.7.2";
const DISK_BYTES: i64 = 1_968_874_610_688;

/// A claim that a pod uses on a node.
pub struct Claim<'a> {
    pub namespace: &'a str,
    pub name: &'a str,
    pub bytes: i64,
    pub host: usize,
    pub pod: &'a str,
}

impl World {
    /// The Longhorn volume behind a claim.
    pub fn volume_of(&self, namespace: &str, claim: &str) -> String {
        format!("pvc-{}", self.uid("v1", "PersistentVolumeClaim", namespace, claim))
    }

    /// A replica of a volume, from 0.
    pub fn replica_of(&self, volume: &str, number: usize) -> String {
        format!("{volume}-r-{}", self.names.hex(&["replica", volume, &number.to_string()], 8))
    }

    pub fn instance_manager(&self, host: &str) -> String {
        format!("instance-manager-{}", self.names.hex(&["instance-manager", host], 32))
    }

    fn disk(&self, host: &str) -> String {
        format!("default-disk-{}", self.names.hex(&["disk", host], 16))
    }

    /// A bound claim with its volume in both worlds, attached where its pod runs.
    pub fn claim(&mut self, claim: &Claim<'_>) {
        let volume = self.volume_of(claim.namespace, claim.name);
        self.kubernetes_volume(claim, &volume);
        self.longhorn_volume(claim, &volume);
        let count = self.hosts.len().min(3);
        for number in 0..count {
            let host = (claim.host + number) % self.hosts.len();
            self.replica(&volume, number, host, claim.bytes);
        }
        self.engine(&volume, claim, count);
        self.attachment(&volume, claim.host);
        self.engines.push((volume.clone(), claim.host % self.hosts.len()));
        self.spoken_volumes.push(volume);
    }

    fn kubernetes_volume(&mut self, claim: &Claim<'_>, volume: &str) {
        let gibibytes = format!("{}Gi", claim.bytes >> 30);
        let body = json!({
            "metadata": {
                "finalizers": ["kubernetes.io/pvc-protection"],
                "annotations": {
                    "pv.kubernetes.io/bind-completed": "yes", "pv.kubernetes.io/bound-by-controller": "yes",
                    "volume.kubernetes.io/storage-provisioner": "driver.longhorn.io",
                },
            },
            "spec": {
                "accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": gibibytes}},
                "storageClassName": "harvester-longhorn", "volumeMode": "Block", "volumeName": volume,
            },
            "status": {"accessModes": ["ReadWriteMany"], "capacity": {"storage": gibibytes}, "phase": "Bound"},
        });
        self.add("v1", "PersistentVolumeClaim", "persistentvolumeclaims", claim.namespace, claim.name, body);
        let body = json!({
            "metadata": {
                "finalizers": ["kubernetes.io/pv-protection", "external-attacher/driver-longhorn-io"],
                "annotations": {"pv.kubernetes.io/provisioned-by": "driver.longhorn.io"},
            },
            "spec": {
                "accessModes": ["ReadWriteMany"], "capacity": {"storage": gibibytes},
                "persistentVolumeReclaimPolicy": "Delete",
                "storageClassName": "harvester-longhorn", "volumeMode": "Block",
                "claimRef": {
                    "apiVersion": "v1", "kind": "PersistentVolumeClaim", "name": claim.name,
                    "namespace": claim.namespace,
                    "uid": self.uid("v1", "PersistentVolumeClaim", claim.namespace, claim.name),
                },
                "csi": {
                    "driver": "driver.longhorn.io", "fsType": "ext4", "volumeHandle": volume,
                    "volumeAttributes": {"numberOfReplicas": "3", "migratable": "true"},
                },
            },
            "status": {"phase": "Bound"},
        });
        self.add("v1", "PersistentVolume", "persistentvolumes", "", volume, body);
    }

    fn longhorn_volume(&mut self, claim: &Claim<'_>, volume: &str) {
        let host = self.host(claim.host).name.clone();
        let since = rfc3339(self.created(LS, volume) + 40);
        let condition = |name: &str, status: &str| {
            json!({
                "type": name, "status": status, "lastProbeTime": "", "lastTransitionTime": since, "message": "",
                "reason": "",
            })
        };
        let body = json!({
            "metadata": {"finalizers": ["longhorn.io"], "generation": 2, "labels": {"longhornvolume": volume}},
            "spec": {
                "size": claim.bytes.to_string(), "numberOfReplicas": self.hosts.len().min(3), "nodeID": host,
                "frontend": "blockdev", "accessMode": "rwx",
                "dataLocality": "disabled", "dataEngine": "v1", "image": ENGINE_IMAGE, "migratable": true,
                "staleReplicaTimeout": 30,
                "replicaAutoBalance": "ignored", "Standby": false, "fromBackup": "", "backingImage": "",
                "diskSelector": [], "nodeSelector": [],
            },
            "status": {
                "state": "attached", "robustness": "healthy", "currentNodeID": host, "ownerID": host,
                "currentImage": ENGINE_IMAGE,
                "actualSize": claim.bytes / 3, "shareState": "", "frontendDisabled": false, "lastDegradedAt": "",
                "lastBackup": "", "remountRequestedAt": "",
                "conditions": [
                    condition("WaitForBackingImage", "False"), condition("TooManySnapshots", "False"),
                    condition("Scheduled", "True"), condition("Restore", "False"),
                ],
                "kubernetesStatus": {
                    "namespace": claim.namespace, "pvcName": claim.name, "pvName": volume, "pvStatus": "Bound",
                    "lastPVCRefAt": "", "lastPodRefAt": "",
                    "workloadsStatus": [{
                        "podName": claim.pod, "podStatus": "Running", "workloadName": "", "workloadType": "",
                    }],
                },
            },
        });
        self.add(API, "Volume", "volumes", LS, volume, body);
    }

    fn replica(&mut self, volume: &str, number: usize, at: usize, bytes: i64) {
        let name = self.replica_of(volume, number);
        let host = self.host(at).name.clone();
        let body = json!({
            "metadata": {
                "finalizers": ["longhorn.io"], "generation": 3,
                "ownerReferences": self.owner(API, "Volume", LS, volume),
                "labels": {
                    "longhornvolume": volume, "longhornnode": host,
                    "longhorndiskuuid": self.names.uuid(&["disk", &host]),
                },
            },
            "spec": {
                "volumeName": volume, "volumeSize": bytes.to_string(), "engineName": format!("{volume}-e-0"),
                "nodeID": host, "desireState": "running",
                "diskID": self.names.uuid(&["disk", &host]), "diskPath": "/var/lib/harvester/defaultdisk",
                "dataDirectoryName": format!("{volume}-{}", self.names.hex(&["directory", &name], 8)),
                "image": ENGINE_IMAGE, "dataEngine": "v1", "active": true, "failedAt": "",
                "healthyAt": rfc3339(self.created(LS, volume) + 42),
                "lastHealthyAt": rfc3339(self.created(LS, volume) + 42), "lastFailedAt": "", "rebuildRetryCount": 0,
                "hardNodeAffinity": "",
            },
            "status": {
                "currentState": "running", "started": true, "ownerID": host, "currentImage": ENGINE_IMAGE,
                "instanceManagerName": self.instance_manager(&host),
                "ip": format!("10.52.{at}.{}", 40 + number), "storageIP": format!("10.52.{at}.{}", 40 + number),
                "port": 10_000 + self.replicas.len() % 9_000, "conditions": [], "logFetched": false,
                "salvageExecuted": false,
            },
        });
        self.add(API, "Replica", "replicas", LS, &name, body);
        self.replicas.push(Placed { name, bytes, host: at });
    }

    fn engine(&mut self, volume: &str, claim: &Claim<'_>, count: usize) {
        let host = self.host(claim.host).name.clone();
        let replicas: Vec<String> = (0..count).map(|number| self.replica_of(volume, number)).collect();
        let modes: Map<String, Value> = replicas.iter().map(|name| (name.clone(), json!("RW"))).collect();
        let addresses: Map<String, Value> = replicas
            .iter()
            .enumerate()
            .map(|(i, name)| {
                (name.clone(), json!(format!("10.52.{}.{}:10000", (claim.host + i) % self.hosts.len(), 40 + i)))
            })
            .collect();
        let body = json!({
            "metadata": {
                "finalizers": ["longhorn.io"], "generation": 2,
                "ownerReferences": self.owner(API, "Volume", LS, volume),
                "labels": {"longhornvolume": volume, "longhornnode": host},
            },
            "spec": {
                "volumeName": volume, "volumeSize": claim.bytes.to_string(), "nodeID": host, "desireState": "running",
                "active": true,
                "frontend": "blockdev", "image": ENGINE_IMAGE, "dataEngine": "v1", "replicaAddressMap": addresses,
                "revisionCounterDisabled": true,
            },
            "status": {
                "currentState": "running", "started": true, "ownerID": host, "currentImage": ENGINE_IMAGE,
                "currentSize": claim.bytes.to_string(),
                "endpoint": format!("/dev/longhorn/{volume}"), "instanceManagerName": self.instance_manager(&host),
                "replicaModeMap": modes,
                "currentReplicaAddressMap": addresses, "port": 10_100, "conditions": [], "rebuildStatus": {},
                "isExpanding": false, "lastExpansionError": "",
            },
        });
        self.add(API, "Engine", "engines", LS, &format!("{volume}-e-0"), body);
    }

    fn attachment(&mut self, volume: &str, at: usize) {
        let host = self.host(at).name.clone();
        let name = format!("csi-{}", self.names.hex(&["attachment", volume], 64));
        let body = json!({
            "spec": {"attacher": "driver.longhorn.io", "nodeName": host, "source": {"persistentVolumeName": volume}},
            "status": {"attached": true},
        });
        self.add("storage.k8s.io/v1", "VolumeAttachment", "volumeattachments", "", &name, body);
        let mut tickets = Map::new();
        let ticket = json!({
            "id": name, "nodeID": host, "type": "csi-attacher", "generation": 0,
            "parameters": {"disableFrontend": "false"},
        });
        tickets.insert(name.clone(), ticket);
        let mut states = Map::new();
        states.insert(
            name.clone(),
            json!({
                "id": name, "satisfied": true, "generation": 0,
                "conditions": [{
                    "type": "Satisfied", "status": "True", "lastProbeTime": "",
                    "lastTransitionTime": rfc3339(self.created(LS, volume) + 45), "message": "", "reason": "",
                }],
            }),
        );
        let body = json!({
            "metadata": {
                "finalizers": ["longhorn.io"], "generation": 1,
                "ownerReferences": self.owner(API, "Volume", LS, volume), "labels": {"longhornvolume": volume},
            },
            "spec": {"volume": volume, "attachmentTickets": tickets},
            "status": {"attachmentTicketStatuses": states},
        });
        self.add(API, "VolumeAttachment", "volumeattachments", LS, volume, body);
    }

    /// Longhorn's own objects, when all volumes are there.
    pub fn longhorn(&mut self) {
        self.engine_image();
        for (name, value) in [
            ("backup-target", ""),
            ("current-longhorn-version", self.versions.longhorn),
            ("default-data-path", "/var/lib/harvester/defaultdisk"),
            ("default-replica-count", "3"),
            ("storage-minimal-available-percentage", "25"),
            ("storage-over-provisioning-percentage", "200"),
        ] {
            self.add(API, "Setting", "settings", LS, name, json!({"value": value, "status": {"applied": true}}));
        }
        self.backup_target();
        for number in 0..self.hosts.len() {
            self.block_device(number);
            self.longhorn_node(number);
            self.longhorn_instances(number);
        }
    }

    /// Where backups would go; nobody has set an address.
    fn backup_target(&mut self) {
        let condition = json!({
            "type": "Unavailable", "status": "True", "reason": "Unavailable", "message": "backup target URL is empty",
            "lastProbeTime": "", "lastTransitionTime": rfc3339(INSTALLED + 1_750),
        });
        let body = json!({
            "metadata": {"finalizers": ["longhorn.io"], "generation": 1},
            "spec": {"backupTargetURL": "", "credentialSecret": "", "pollInterval": "5m0s", "syncRequestedAt": null},
            "status": {"available": false, "conditions": [condition], "lastSyncedAt": null, "ownerID": self.host(0).name},
        });
        self.add(API, "BackupTarget", "backuptargets", LS, "default", body);
    }

    /// The disk as Harvester found it on the node.
    fn block_device(&mut self, number: usize) {
        let host = self.host(number).name.clone();
        let since = rfc3339(INSTALLED + 1_650);
        let condition = |kind: &str| json!({"type": kind, "status": "True", "lastUpdateTime": since});
        let disk = json!({
            "capacity": {"sizeBytes": DISK_BYTES, "physicalBlockSizeBytes": 4096},
            "details": {"deviceType": "disk", "driveType": "SSD", "isRemovable": false},
            "devPath": "/dev/nvme0n1",
        });
        let body = json!({
            "metadata": {"labels": {"kubernetes.io/hostname": host, "ndm.harvesterhci.io/device-type": "disk"}},
            "spec": {"devPath": "/dev/nvme0n1", "nodeName": host, "provision": true},
            "status": {
                "state": "Active", "provisionPhase": "Provisioned", "deviceStatus": disk,
                "conditions": [condition("AddedToNode"), condition("DiskAddedToNode")],
            },
        });
        let name = self.disk(&host);
        self.add("harvesterhci.io/v1beta1", "BlockDevice", "blockdevices", LS, &name, body);
    }

    fn engine_image(&mut self) {
        let deployed: Map<String, Value> = self.hosts.iter().map(|host| (host.name.clone(), json!(true))).collect();
        let since = rfc3339(INSTALLED + 1_800);
        let body = json!({
            "metadata": {"finalizers": ["longhorn.io"], "generation": 1},
            "spec": {"image": ENGINE_IMAGE},
            "status": {
                "state": "deployed", "image": ENGINE_IMAGE, "ownerID": self.host(0).name,
                "refCount": self.engines.len(), "incompatible": false, "nodeDeploymentMap": deployed,
                "cliAPIVersion": 10, "cliAPIMinVersion": 3, "controllerAPIVersion": 5, "controllerAPIMinVersion": 3,
                "dataFormatVersion": 1, "dataFormatMinVersion": 1, "noRefSince": "", "version": "v1.7.2",
                "gitCommit": self.names.hex(&["commit"], 40), "buildDate": "2024-11-10T06:10:21+00:00",
                "conditions": [{
                    "type": "ready", "status": "True", "reason": "",
                    "message": "Engine image is deployed on all nodes", "lastProbeTime": "",
                    "lastTransitionTime": since,
                }],
            },
        });
        self.add(API, "EngineImage", "engineimages", LS, "ei-51cc7b9c", body);
    }

    fn longhorn_node(&mut self, number: usize) {
        let host = self.host(number).name.clone();
        let disk = self.disk(&host);
        let since = rfc3339(INSTALLED + 1_700);
        let condition = |kind: &str, message: String| {
            json!({
                "type": kind, "status": "True", "reason": "", "message": message, "lastProbeTime": "",
                "lastTransitionTime": since,
            })
        };
        let placed = || self.replicas.iter().filter(|replica| replica.host == number);
        let scheduled: Map<String, Value> =
            placed().map(|replica| (replica.name.clone(), json!(replica.bytes))).collect();
        let bytes: i64 = placed().map(|replica| replica.bytes).sum();
        let mut disks = Map::new();
        disks.insert(
            disk.clone(),
            json!({
                "allowScheduling": true, "evictionRequested": false, "path": "/var/lib/harvester/defaultdisk",
                "diskType": "filesystem", "storageReserved": DISK_BYTES / 4, "tags": [],
            }),
        );
        let mut status = Map::new();
        status.insert(disk.clone(), json!({
            "conditions": [
                condition("Ready", format!("Disk {disk}(/var/lib/harvester/defaultdisk) on node {host} is ready")),
                condition("Schedulable", format!("Disk {disk} (/var/lib/harvester/defaultdisk) on the node {host} is schedulable")),
            ],
            "diskName": disk, "diskPath": "/var/lib/harvester/defaultdisk", "diskType": "filesystem",
            "filesystemType": "ext2/ext3", "diskUUID": self.names.uuid(&["disk", &host]),
            "scheduledReplica": scheduled, "storageAvailable": DISK_BYTES - bytes / 3, "storageMaximum": DISK_BYTES,
            "storageScheduled": bytes,
        }));
        let kinds = [
            "Ready",
            "Schedulable",
            "MountPropagation",
            "RequiredPackages",
            "NFSClientInstalled",
            "Multipathd",
            "KernelModulesLoaded",
        ];
        let conditions: Vec<Value> = kinds
            .into_iter()
            .map(|kind| condition(kind, if kind == "Ready" { format!("Node {host} is ready") } else { String::new() }))
            .collect();
        let body = json!({
            "metadata": {"finalizers": ["longhorn.io"], "generation": 1},
            "spec": {
                "allowScheduling": true, "evictionRequested": false, "name": host, "disks": disks,
                "instanceManagerCPURequest": 0, "tags": [],
            },
            "status": {
                "conditions": conditions, "diskStatus": status, "autoEvicting": false, "region": "", "zone": "",
                "snapshotCheckStatus": {},
            },
        });
        self.add(API, "Node", "nodes", LS, &host, body);
    }

    /// The instance manager of a node with the engines and replicas that run in it, and its pod.
    fn longhorn_instances(&mut self, number: usize) {
        let host = self.host(number).name.clone();
        let name = self.instance_manager(&host);
        let engines: Map<String, Value> = self
            .engines
            .iter()
            .filter(|(_, at)| *at == number)
            .map(|(volume, _)| running(format!("{volume}-e-0"), "engine"))
            .collect();
        let replicas: Map<String, Value> =
            self.replicas.iter().filter(|r| r.host == number).map(|r| running(r.name.clone(), "replica")).collect();
        let labels = json!({
            "longhorn.io/component": "instance-manager", "longhorn.io/managed-by": "longhorn-manager",
            "longhorn.io/node": host, "longhorn.io/instance-manager-type": "aio",
        });
        let owners = self.owner(API, "InstanceManager", LS, &name);
        let address = self.pod(Pod {
            namespace: LS,
            name: name.clone(),
            host: number,
            host_network: false,
            labels: labels.clone(),
            annotations: json!({}),
            owners,
            containers: &[("instance-manager", MANAGER_IMAGE, Topic::InstanceManager)],
            account: "longhorn-service-account",
            volumes: Vec::new(),
            done: false,
        });
        let body = json!({
            "metadata": {
                "finalizers": ["longhorn.io"], "generation": 1, "labels": labels,
                "ownerReferences": self.owner(API, "Node", LS, &host),
            },
            "spec": {"image": MANAGER_IMAGE, "nodeID": host, "type": "aio", "dataEngine": "v1"},
            "status": {
                "currentState": "running", "ownerID": host, "ip": address.ip, "apiVersion": 5, "apiMinVersion": 1,
                "proxyApiVersion": 5, "proxyApiMinVersion": 1, "instanceEngines": engines,
                "instanceReplicas": replicas,
            },
        });
        self.add(API, "InstanceManager", "instancemanagers", LS, &name, body);
    }
}

fn running(name: String, kind: &str) -> (String, Value) {
    let value = json!({
        "spec": {"name": name, "dataEngine": "v1"},
        "status": {"state": "running", "type": kind, "errorMsg": "", "portStart": 10_000, "portEnd": 10_000},
    });
    (name, value)
}
