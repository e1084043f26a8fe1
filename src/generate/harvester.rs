//! Harvester's own objects: settings, the last upgrade, images, add-ons, networks, and the virtualization operators.

use serde_json::{Value, json};

use super::clock::{INSTALLED, NOW, rfc3339};
use super::world::World;

const API: &str = "harvesterhci.io/v1beta1";
const HS: &str = "harvester-system";

impl World {
    pub fn harvester(&mut self, namespaces: &str) {
        self.settings(namespaces);
        self.upgrade();
        self.images();
        self.addons();
        self.operators();
        self.networks();
    }

    fn settings(&mut self, namespaces: &str) {
        let version = self.versions.harvester;
        for (name, value, default) in [
            ("backup-target", "", ""),
            ("default-storage-class", "", "harvester-longhorn"),
            ("http-proxy", "{}", "{}"),
            ("overcommit-config", "", "{\"cpu\":1600,\"memory\":150,\"storage\":200}"),
            ("server-version", version, ""),
            ("support-bundle-namespaces", namespaces, ""),
            ("support-bundle-timeout", "", "10"),
            ("ui-source", "", "auto"),
            ("vm-force-reset-policy", "", "{\"enable\":true,\"period\":300}"),
        ] {
            let since = rfc3339(INSTALLED + 1_300);
            let body = json!({
                "value": value, "default": default,
                "status": {"conditions": [{"type": "configured", "status": "True", "lastUpdateTime": since}]},
            });
            self.add(API, "Setting", "settings", "", name, body);
        }
    }

    fn upgrade(&mut self) {
        let at = NOW - 4 * 86_400;
        let condition = |kind: &str| json!({"type": kind, "status": "True", "lastUpdateTime": rfc3339(at + 6_900)});
        let nodes: serde_json::Map<String, Value> =
            self.hosts.iter().map(|host| (host.name.clone(), json!({"state": "Succeeded"}))).collect();
        let body = json!({
            "metadata": {
                "creationTimestamp": rfc3339(at), "generation": 1,
                "finalizers": ["wrangler.cattle.io/harvester-upgrade-controller"],
                "labels": {"harvesterhci.io/latestUpgrade": "true", "harvesterhci.io/upgradeState": "Succeeded"},
            },
            "spec": {"version": self.versions.harvester, "image": "", "logEnabled": true},
            "status": {
                "previousVersion": self.versions.previous, "upgradeLog": "", "imageID": "", "singleNode": "",
                "repoInfo": "",
                "conditions": [
                    condition("Completed"), condition("ImageReady"), condition("RepoReady"),
                    condition("NodesPrepared"), condition("NodesUpgraded"), condition("SystemServicesUpgraded"),
                    condition("LogReady"),
                ],
                "nodeStatuses": nodes,
            },
        });
        self.add(API, "Upgrade", "upgrades", HS, "hvst-upgrade-7k2fq", body);
        let body = json!({"spec": {"isoURL": format!("https://releases.example.net/harvester-{}-amd64.iso", self.versions.harvester), "releaseDate": "20250228", "minUpgradableVersion": "v1.4.0", "tags": []}});
        self.add(API, "Version", "versions", HS, self.versions.harvester, body);
    }

    fn images(&mut self) {
        for (name, title, bytes) in
            [("image-4xv2d", "leap-15.6.qcow2", 671_088_640_i64), ("image-q8nzp", "debian-12.qcow2", 348_127_232)]
        {
            let class = format!("longhorn-{name}");
            let condition =
                |kind: &str| json!({"type": kind, "status": "True", "lastUpdateTime": rfc3339(INSTALLED + 7_200)});
            let body = json!({
                "metadata": {
                    "generation": 6,
                    "labels": {"harvesterhci.io/imageDisplayName": title, "harvesterhci.io/image-type": "raw_qcow2"},
                    "annotations": {"harvesterhci.io/storageClassName": "harvester-longhorn"},
                },
                "spec": {
                    "displayName": title, "sourceType": "download",
                    "url": format!("https://images.example.net/{title}"), "retry": 3, "checksum": "",
                },
                "status": {
                    "appliedUrl": format!("https://images.example.net/{title}"),
                    "conditions": [condition("Initialized"), condition("Imported")], "failed": 0, "progress": 100,
                    "size": bytes, "virtualSize": bytes * 4, "storageClassName": class,
                },
            });
            self.add(API, "VirtualMachineImage", "virtualmachineimages", "default", name, body);
            let body = json!({
                "provisioner": "driver.longhorn.io", "reclaimPolicy": "Delete", "volumeBindingMode": "Immediate",
                "allowVolumeExpansion": true,
                "parameters": {
                    "backingImage": format!("default-{name}"), "numberOfReplicas": "3", "migratable": "true",
                },
            });
            self.add("storage.k8s.io/v1", "StorageClass", "storageclasses", "", &class, body);
            self.backing_image(name, title, bytes);
        }
    }

    fn backing_image(&mut self, name: &str, title: &str, bytes: i64) {
        let disks: Vec<String> = self.hosts.iter().take(3).map(|host| self.names.uuid(&["disk", &host.name])).collect();
        let status: serde_json::Map<String, Value> = disks
            .iter()
            .map(|disk| {
                (
                    disk.clone(),
                    json!({
                        "state": "ready", "progress": 100, "message": "",
                        "lastStateTransitionTime": rfc3339(INSTALLED + 7_300), "dataEngine": "v1",
                    }),
                )
            })
            .collect();
        let wanted: serde_json::Map<String, Value> =
            disks.iter().map(|disk| (disk.clone(), json!({"dataEngine": "v1", "evictionRequested": false}))).collect();
        let body = json!({
            "metadata": {
                "finalizers": ["longhorn.io"], "generation": 2,
                "annotations": {"harvesterhci.io/imageId": format!("default/{name}")},
            },
            "spec": {
                "diskFileSpecMap": wanted, "sourceType": "download", "minNumberOfCopies": 1,
                "sourceParameters": {"url": format!("https://images.example.net/{title}")}, "checksum": "",
            },
            "status": {
                "diskFileStatusMap": status, "size": bytes, "virtualSize": bytes * 4,
                "uuid": self.names.hex(&["backing", name], 8), "ownerID": self.host(0).name,
                "checksum": self.names.hex(&["checksum", name], 128),
            },
        });
        self.add(
            "longhorn.io/v1beta2",
            "BackingImage",
            "backingimages",
            "longhorn-system",
            &format!("default-{name}"),
            body,
        );
    }

    fn addons(&mut self) {
        for (name, namespace) in [
            ("harvester-seeder", HS),
            ("pcidevices-controller", HS),
            ("vm-import-controller", HS),
            ("rancher-logging", "cattle-logging-system"),
            ("rancher-monitoring", "cattle-monitoring-system"),
        ] {
            let body = json!({
                "metadata": {
                    "generation": 1, "labels": {"addon.harvesterhci.io/experimental": (namespace == HS).to_string()},
                },
                "spec": {
                    "chart": name, "repo": "http://harvester-cluster-repo.cattle-system.svc/charts", "enabled": false,
                    "valuesContent": "resources: {}\n", "version": "1.4.0",
                },
                "status": {"status": "AddonDisabled"},
            });
            self.add(API, "Addon", "addons", namespace, name, body);
        }
    }

    fn operators(&mut self) {
        let since = rfc3339(INSTALLED + 2_000);
        let condition = |kind: &str, status: &str, reason: &str, message: &str| {
            json!({
                "type": kind, "status": status, "reason": reason, "message": message, "lastProbeTime": since,
                "lastTransitionTime": since,
            })
        };
        let conditions = json!([
            condition("Created", "True", "AllResourcesCreated", "All resources were created."),
            condition("Available", "True", "AllComponentsReady", "All components are ready."),
            condition("Progressing", "False", "AllComponentsReady", "All components are ready."),
            condition("Degraded", "False", "AllComponentsReady", "All components are ready."),
        ]);
        let body = json!({
            "metadata": {"finalizers": ["foregroundDeleteKubeVirt"], "generation": 3},
            "spec": {
                "configuration": {
                    "developerConfiguration": {"featureGates": ["LiveMigration", "HotplugVolumes", "GPU"]},
                    "vmStateStorageClass": "longhorn",
                },
                "imagePullPolicy": "IfNotPresent",
            },
            "status": {
                "phase": "Deployed", "observedGeneration": 3, "outdatedVirtualMachineInstanceWorkloads": 0,
                "observedKubeVirtVersion": self.versions.kubevirt, "operatorVersion": self.versions.kubevirt,
                "targetKubeVirtVersion": self.versions.kubevirt, "conditions": conditions,
            },
        });
        self.add("kubevirt.io/v1", "KubeVirt", "kubevirts", HS, "kubevirt", body);
        let body = json!({
            "metadata": {"generation": 2},
            "spec": {"config": {"featureGates": ["HonorWaitForFirstConsumer"]}},
            "status": {"phase": "Deployed", "observedVersion": "1.60.3", "operatorVersion": "1.60.3", "targetVersion": "1.60.3", "conditions": [
                condition("Available", "True", "DeployCompleted", "Deployment Completed"), condition("Progressing", "False", "", ""), condition("Degraded", "False", "", ""),
            ]},
        });
        self.add("cdi.kubevirt.io/v1beta1", "CDI", "cdis", "", "cdi", body);
    }

    fn networks(&mut self) {
        let body = json!({
            "metadata": {"annotations": {"network.harvesterhci.io/uplink-mtu": "1500"}},
            "status": {"conditions": [{"type": "ready", "status": "True", "lastUpdateTime": rfc3339(INSTALLED + 1_500)}]},
        });
        self.add("network.harvesterhci.io/v1beta1", "ClusterNetwork", "clusternetworks", "", "mgmt", body);
        let config = "{\"cniVersion\":\"0.3.1\",\"name\":\"vlan-210\",\"type\":\"bridge\",\"bridge\":\"mgmt-br\",\"promiscMode\":true,\"vlan\":210,\"ipam\":{}}";
        let body = json!({
            "metadata": {
                "generation": 1,
                "labels": {
                    "network.harvesterhci.io/clusternetwork": "mgmt", "network.harvesterhci.io/ready": "true",
                    "network.harvesterhci.io/type": "L2VlanNetwork", "network.harvesterhci.io/vlan-id": "210",
                },
            },
            "spec": {"config": config},
        });
        self.add(
            "k8s.cni.cncf.io/v1",
            "NetworkAttachmentDefinition",
            "network-attachment-definitions",
            "default",
            "vlan-210",
            body,
        );
    }
}
