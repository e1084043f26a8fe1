//! Objects of the cluster as a whole: nodes, namespaces, custom resource definitions, storage
//! classes, leases, metrics.

use serde_json::{Value, json};

use super::clock::{INSTALLED, NOW, rfc3339};
use super::system::NAMESPACES;
use super::world::World;

/// Custom resources: plural, group, version, kind, whether they live in a namespace.
const CUSTOM: &[(&str, &str, &str, &str, bool)] = &[
    ("addons", "harvesterhci.io", "v1beta1", "Addon", true),
    ("apps", "catalog.cattle.io", "v1", "App", true),
    ("backingimagemanagers", "longhorn.io", "v1beta2", "BackingImageManager", true),
    ("backingimages", "longhorn.io", "v1beta2", "BackingImage", true),
    ("backups", "longhorn.io", "v1beta2", "Backup", true),
    ("backuptargets", "longhorn.io", "v1beta2", "BackupTarget", true),
    ("backupvolumes", "longhorn.io", "v1beta2", "BackupVolume", true),
    ("blockdevices", "harvesterhci.io", "v1beta1", "BlockDevice", true),
    ("bundledeployments", "fleet.cattle.io", "v1alpha1", "BundleDeployment", true),
    ("bundles", "fleet.cattle.io", "v1alpha1", "Bundle", true),
    ("cdis", "cdi.kubevirt.io", "v1beta1", "CDI", false),
    ("clusternetworks", "network.harvesterhci.io", "v1beta1", "ClusterNetwork", false),
    ("clusterrepos", "catalog.cattle.io", "v1", "ClusterRepo", false),
    ("clusters", "cluster.x-k8s.io", "v1beta1", "Cluster", true),
    ("clusters", "fleet.cattle.io", "v1alpha1", "Cluster", true),
    ("clusters", "management.cattle.io", "v3", "Cluster", false),
    ("clusters", "provisioning.cattle.io", "v1", "Cluster", true),
    ("engineimages", "longhorn.io", "v1beta2", "EngineImage", true),
    ("engines", "longhorn.io", "v1beta2", "Engine", true),
    ("gitrepos", "fleet.cattle.io", "v1alpha1", "GitRepo", true),
    ("helmchartconfigs", "helm.cattle.io", "v1", "HelmChartConfig", true),
    ("helmcharts", "helm.cattle.io", "v1", "HelmChart", true),
    ("instancemanagers", "longhorn.io", "v1beta2", "InstanceManager", true),
    ("ippools", "whereabouts.cni.cncf.io", "v1alpha1", "IPPool", true),
    ("kubevirts", "kubevirt.io", "v1", "KubeVirt", true),
    ("machines", "cluster.x-k8s.io", "v1beta1", "Machine", true),
    ("managedcharts", "management.cattle.io", "v3", "ManagedChart", true),
    ("network-attachment-definitions", "k8s.cni.cncf.io", "v1", "NetworkAttachmentDefinition", true),
    ("nodes", "longhorn.io", "v1beta2", "Node", true),
    ("orphans", "longhorn.io", "v1beta2", "Orphan", true),
    ("plans", "upgrade.cattle.io", "v1", "Plan", true),
    ("replicas", "longhorn.io", "v1beta2", "Replica", true),
    ("settings", "harvesterhci.io", "v1beta1", "Setting", false),
    ("settings", "longhorn.io", "v1beta2", "Setting", true),
    ("sharemanagers", "longhorn.io", "v1beta2", "ShareManager", true),
    ("snapshots", "longhorn.io", "v1beta2", "Snapshot", true),
    ("upgradelogs", "harvesterhci.io", "v1beta1", "UpgradeLog", true),
    ("upgrades", "harvesterhci.io", "v1beta1", "Upgrade", true),
    ("versions", "harvesterhci.io", "v1beta1", "Version", true),
    ("virtualmachineimages", "harvesterhci.io", "v1beta1", "VirtualMachineImage", true),
    ("virtualmachineinstancemigrations", "kubevirt.io", "v1", "VirtualMachineInstanceMigration", true),
    ("virtualmachineinstances", "kubevirt.io", "v1", "VirtualMachineInstance", true),
    ("virtualmachines", "kubevirt.io", "v1", "VirtualMachine", true),
    ("vlanconfigs", "network.harvesterhci.io", "v1beta1", "VlanConfig", false),
    ("vlanstatuses", "network.harvesterhci.io", "v1beta1", "VlanStatus", false),
    ("volumeattachments", "longhorn.io", "v1beta2", "VolumeAttachment", true),
    ("volumes", "longhorn.io", "v1beta2", "Volume", true),
];

impl World {
    /// Everything that does not depend on volumes; [`World::nodes`] comes last.
    pub fn cluster(&mut self) {
        NAMESPACES.iter().for_each(|name| self.namespace(name));
        self.webhooks();
        self.api_services();
        self.custom_resource_definitions();
        self.storage();
        self.system_configs();
        self.leases();
    }

    /// A namespace with what every namespace has.
    pub fn namespace(&mut self, name: &str) {
        let body = json!({
            "metadata": {"labels": {"kubernetes.io/metadata.name": name}},
            "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"},
        });
        self.add("v1", "Namespace", "namespaces", "", name, body);
        self.account(name, "default");
        let certificate = self.names.hex(&["root-ca"], 120);
        self.config(
            name,
            "kube-root-ca.crt",
            json!({"ca.crt": format!("-----BEGIN CERTIFICATE-----\n{certificate}\n-----END CERTIFICATE-----\n")}),
        );
    }

    pub fn config(&mut self, namespace: &str, name: &str, data: Value) {
        self.add("v1", "ConfigMap", "configmaps", namespace, name, json!({"data": data}));
    }

    fn system_configs(&mut self) {
        self.config("default", "inventory-export", json!({"settings.ini": "[export]\nchunk = 5000\nformat = csv\n"}));
        self.config(
            "harvester-system",
            "harvester-helpers",
            json!({"promote.sh": "#!/bin/bash -e\n\nkubectl get nodes\n"}),
        );
        self.config("kube-system", "harvester-whereabouts-config", json!({"cron-expression": "30 4 * * *"}));
        self.config(
            "kube-system",
            "rke2-canal-config",
            json!({"canal_iface": "", "masquerade": "true", "veth_mtu": "1450"}),
        );
        self.config("kube-system", "rke2-coredns-rke2-coredns", json!({"Corefile": ".:53 {\n    errors\n    health\n    ready\n    forward . /etc/resolv.conf\n    cache 30\n}\n"}));
        self.config("kube-system", "rke2-ingress-nginx-controller", json!({"allow-snippet-annotations": "false"}));
        self.config("cattle-fleet-local-system", "fleet-agent", json!({"config": "{\"clientID\":\"local\"}"}));
        self.config(
            "longhorn-system",
            "longhorn-default-setting",
            json!({"default-setting.yaml": "default-data-path: /var/lib/harvester/defaultdisk\n"}),
        );
        self.config("longhorn-system", "longhorn-storageclass", json!({"storageclass.yaml": "kind: StorageClass\napiVersion: storage.k8s.io/v1\nmetadata:\n  name: longhorn\n"}));
    }

    fn custom_resource_definitions(&mut self) {
        for &(plural, group, version, kind, namespaced) in CUSTOM {
            let name = format!("{plural}.{group}");
            let names = json!({
                "kind": kind, "listKind": format!("{kind}List"), "plural": plural, "singular": kind.to_lowercase(),
            });
            let since = rfc3339(INSTALLED + 600);
            let condition = |name: &str, reason: &str, message: &str| {
                json!({
                    "type": name, "status": "True", "reason": reason, "message": message, "lastTransitionTime": since,
                })
            };
            let body = json!({
                "metadata": {"generation": 1},
                "spec": {
                    "group": group, "names": names, "scope": if namespaced { "Namespaced" } else { "Cluster" },
                    "conversion": {"strategy": "None"},
                    "versions": [{
                        "name": version, "served": true, "storage": true,
                        "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
                    }],
                },
                "status": {
                    "acceptedNames": names, "storedVersions": [version],
                    "conditions": [
                        condition("NamesAccepted", "NoConflicts", "no conflicts found"),
                        condition("Established", "InitialNamesAccepted", "the initial names have been accepted"),
                    ],
                },
            });
            self.add(
                "apiextensions.k8s.io/v1",
                "CustomResourceDefinition",
                "customresourcedefinitions",
                "",
                &name,
                body,
            );
        }
    }

    fn storage(&mut self) {
        for (name, default) in [("harvester-longhorn", true), ("longhorn", false)] {
            let body = json!({
                "metadata": {"annotations": {"storageclass.kubernetes.io/is-default-class": default.to_string()}},
                "provisioner": "driver.longhorn.io", "reclaimPolicy": "Delete", "volumeBindingMode": "Immediate",
                "allowVolumeExpansion": true,
                "parameters": {"numberOfReplicas": "3", "staleReplicaTimeout": "30", "migratable": "true"},
            });
            self.add("storage.k8s.io/v1", "StorageClass", "storageclasses", "", name, body);
        }
        let body = json!({"spec": {"attachRequired": true, "podInfoOnMount": true, "fsGroupPolicy": "ReadWriteOnceWithFSType", "volumeLifecycleModes": ["Persistent"]}});
        self.add("storage.k8s.io/v1", "CSIDriver", "csidrivers", "", "driver.longhorn.io", body);
    }

    fn leases(&mut self) {
        for name in ["kube-controller-manager", "kube-scheduler", "harvester-controllers"] {
            let body = json!({"spec": {
                "holderIdentity": format!("{}_{}", self.host(0).name, self.names.uuid(&["lease", name])),
                "leaseDurationSeconds": 15, "leaseTransitions": 2,
                "acquireTime": format!("{}.104233Z", rfc3339(INSTALLED + 700).trim_end_matches('Z')),
                "renewTime": format!("{}.518120Z", rfc3339(NOW - 1).trim_end_matches('Z')),
            }});
            self.add("coordination.k8s.io/v1", "Lease", "leases", "kube-system", name, body);
        }
    }

    /// Nodes with what the kubelets report, when all volumes are attached.
    pub fn nodes(&mut self) {
        for number in 0..self.hosts.len() {
            self.node(number);
        }
    }

    fn node(&mut self, number: usize) {
        let host = self.host(number).clone();
        let mut labels = json!({
            "beta.kubernetes.io/arch": "amd64", "beta.kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
            "kubernetes.io/os": "linux",
            "kubernetes.io/hostname": host.name, "harvesterhci.io/managed": "true", "kubevirt.io/schedulable": "true",
            "node.longhorn.io/create-default-disk": "config",
        });
        if host.control_plane {
            for role in ["control-plane", "etcd", "master"] {
                labels[format!("node-role.kubernetes.io/{role}")] = json!("true");
            }
        }
        let volumes: Vec<String> = self
            .engines
            .iter()
            .filter(|(_, at)| *at == number)
            .map(|(volume, _)| format!("kubernetes.io/csi/driver.longhorn.io^{volume}"))
            .collect();
        let attached: Vec<Value> = volumes.iter().map(|name| json!({"name": name, "devicePath": ""})).collect();
        let body = json!({
            "metadata": {
                "labels": labels, "finalizers": ["wrangler.cattle.io/node"],
                "annotations": {
                    "cluster.x-k8s.io/cluster-name": "local", "cluster.x-k8s.io/cluster-namespace": "fleet-local",
                    "cluster.x-k8s.io/machine": self.machine_of(&host), "node.alpha.kubernetes.io/ttl": "0",
                    "volumes.kubernetes.io/controller-managed-attach-detach": "true",
                },
            },
            "spec": {
                "podCIDR": format!("10.52.{number}.0/24"), "podCIDRs": [format!("10.52.{number}.0/24")],
                "providerID": format!("rke2://{}", host.name),
            },
            "status": {
                "addresses": [{"type": "InternalIP", "address": host.ip}, {"type": "Hostname", "address": host.name}],
                "capacity": {"cpu": "32", "memory": "131841584Ki", "pods": "200", "ephemeral-storage": "153707984Ki"},
                "allocatable": {
                    "cpu": "32", "memory": "131841584Ki", "pods": "200", "ephemeral-storage": "149527126718",
                },
                "conditions": node_conditions(),
                "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
                "images": [{
                    "names": [format!("docker.io/rancher/harvester:{}", self.versions.harvester)],
                    "sizeBytes": 231_131_136,
                }],
                "nodeInfo": {
                    "architecture": "amd64", "bootID": self.names.uuid(&["boot", &host.name]),
                    "containerRuntimeVersion": "containerd://1.7.22-k3s1",
                    "kernelVersion": "6.4.0-150600.23.33-default", "kubeProxyVersion": self.versions.kubernetes,
                    "kubeletVersion": self.versions.kubernetes,
                    "machineID": self.names.hex(&["machine", &host.name], 32), "operatingSystem": "linux",
                    "osImage": format!("Harvester {}", self.versions.harvester),
                    "systemUUID": self.names.uuid(&["system", &host.name]),
                },
                "volumesAttached": attached, "volumesInUse": volumes,
            },
        });
        self.add("v1", "Node", "nodes", "", &host.name, body);
        let driver = json!({
            "name": "driver.longhorn.io", "nodeID": host.name, "topologyKeys": null, "allocatable": {"count": 110},
        });
        self.add("storage.k8s.io/v1", "CSINode", "csinodes", "", &host.name, json!({"spec": {"drivers": [driver]}}));
        let usage = json!({
            "timestamp": rfc3339(NOW - 20), "window": "20.032s",
            "usage": {"cpu": "2436302373n", "memory": "48233252Ki"},
        });
        self.add("metrics.k8s.io/v1beta1", "NodeMetrics", "nodes", "", &host.name, usage);
    }
}

fn node_conditions() -> Value {
    let condition = |kind: &str, status: &str, reason: &str, message: &str| {
        json!({
            "type": kind, "status": status, "reason": reason, "message": message,
            "lastHeartbeatTime": rfc3339(NOW - 35), "lastTransitionTime": rfc3339(INSTALLED + 120),
        })
    };
    json!([
        condition("NetworkUnavailable", "False", "FlannelIsUp", "Flannel is running on this node"),
        condition("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
        condition("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
        condition("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
        condition("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
    ])
}
