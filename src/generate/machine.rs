//! Virtual machines of users with their pods and disks, and what else fills a cluster.

use serde_json::{Value, json};

use super::clock::rfc3339;
use super::event::Event;
use super::log::Topic;
use super::storage::Claim;
use super::workload::{Pod, Workload};
use super::world::World;

const WORDS: &[&str] = &[
    "amber", "birch", "cobalt", "delta", "ember", "fjord", "garnet", "harbor", "indigo", "juniper", "krypton", "lumen",
];
const TASKS: &[&str] = &["api", "batch", "build", "cache", "db", "files", "mail", "queue", "search", "web"];

impl World {
    /// A running virtual machine with one disk.
    pub fn machine(&mut self, namespace: &str, name: &str, number: usize) {
        let claim = format!("{name}-disk-0");
        let pod = format!("virt-launcher-{name}-{}", self.names.suffix(&["launcher", namespace, name], 5));
        let bytes = ((10 + self.names.hash(&["size", namespace, name]) % 8 * 10) << 30) as i64;
        self.claim(&Claim { namespace, name: &claim, bytes, host: number, pod: &pod });
        let template = self.machine_template(name, &claim);
        let since = rfc3339(self.created(namespace, name) + 70);
        let condition = |kind: &str, status: &str| json!({"type": kind, "status": status, "lastProbeTime": null, "lastTransitionTime": since});
        let body = json!({
            "metadata": {
                "generation": 2, "finalizers": ["kubevirt.io/virtualMachineControllerFinalize"],
                "labels": {"harvesterhci.io/creator": "harvester", "harvesterhci.io/os": "linux"},
            },
            "spec": {"runStrategy": "RerunOnFailure", "template": template},
            "status": {
                "created": true, "ready": true, "printableStatus": "Running", "runStrategy": "RerunOnFailure",
                "desiredGeneration": 2, "observedGeneration": 2,
                "conditions": [condition("Ready", "True"), condition("LiveMigratable", "True")],
            },
        });
        self.add("kubevirt.io/v1", "VirtualMachine", "virtualmachines", namespace, name, body);
        self.launcher(namespace, name, number, pod, &claim);
        let host = self.host(number).name.clone();
        let uid = self.uid(
            "v1",
            "Pod",
            namespace,
            &format!("virt-launcher-{name}-{}", self.names.suffix(&["launcher", namespace, name], 5)),
        );
        let body = json!({
            "metadata": {
                "generation": 9,
                "finalizers": ["kubevirt.io/virtualMachineControllerFinalize", "foregroundDeleteVirtualMachine"],
                "labels": {"harvesterhci.io/vmName": name, "kubevirt.io/nodeName": host},
                "ownerReferences": self.owner("kubevirt.io/v1", "VirtualMachine", namespace, name),
            },
            "spec": template["spec"],
            "status": {
                "phase": "Running", "nodeName": host, "activePods": {uid: host}, "migrationMethod": "BlockMigration",
                "qosClass": "Burstable",
                "launcherContainerImageVersion": "registry.suse.com/suse/sles/15.6/virt-launcher:1.3.1",
                "guestOSInfo": {"id": "opensuse-leap", "name": "openSUSE Leap"},
                "interfaces": [{
                    "name": "default",
                    "mac": format!("52:54:00:{:02x}:{:02x}:{:02x}", number / 65_536 % 256, number / 256 % 256, number % 256),
                    "ipAddress": format!("10.115.{}.{}", 100 + number / 250 % 100, number % 250 + 2),
                }],
                "conditions": [
                    condition("Ready", "True"), condition("LiveMigratable", "True"),
                    condition("AgentConnected", "True"),
                ],
                "phaseTransitionTimestamps": [{"phase": "Running", "phaseTransitionTimestamp": since}],
            },
        });
        self.add("kubevirt.io/v1", "VirtualMachineInstance", "virtualmachineinstances", namespace, name, body);
    }

    fn machine_template(&self, name: &str, claim: &str) -> Value {
        json!({
            "metadata": {"labels": {"harvesterhci.io/vmName": name}},
            "spec": {
                "domain": {
                    "cpu": {"cores": 2, "sockets": 1, "threads": 1}, "machine": {"type": "q35"},
                    "memory": {"guest": "3996Mi"},
                    "resources": {
                        "limits": {"cpu": "2", "memory": "4Gi"}, "requests": {"cpu": "125m", "memory": "2730Mi"},
                    },
                    "devices": {
                        "disks": [{"name": "disk-0", "bootOrder": 1, "disk": {"bus": "virtio"}}],
                        "interfaces": [{"name": "default", "model": "virtio", "bridge": {}}],
                    },
                },
                "evictionStrategy": "LiveMigrateIfPossible", "hostname": name, "terminationGracePeriodSeconds": 120,
                "networks": [{"name": "default", "multus": {"networkName": "default/vlan-210"}}],
                "volumes": [{"name": "disk-0", "persistentVolumeClaim": {"claimName": claim}}],
            },
        })
    }

    fn launcher(&mut self, namespace: &str, name: &str, number: usize, pod: String, claim: &str) {
        let owners = self.owner("kubevirt.io/v1", "VirtualMachineInstance", namespace, name);
        self.pod(Pod {
            namespace,
            name: pod.clone(),
            host: number,
            host_network: false,
            labels: json!({
                "kubevirt.io": "virt-launcher", "harvesterhci.io/vmName": name, "vm.kubevirt.io/name": name,
            }),
            annotations: json!({"kubevirt.io/domain": name}),
            owners,
            containers: &[("compute", "registry.suse.com/suse/sles/15.6/virt-launcher:1.3.1", Topic::KubeVirt)],
            account: "default",
            volumes: vec![json!({"name": "disk-0", "persistentVolumeClaim": {"claimName": claim}})],
            done: false,
        });
        let message = format!(
            "Container image \"registry.suse.com/suse/sles/15.6/virt-launcher:1.3.1\" already present on machine {number}"
        );
        self.event(&Event::normal("v1", "Pod", namespace, &pod, "Pulled", &message, "kubelet"));
    }

    /// Namespaces of users, machines and applications until the cluster holds so many objects.
    pub fn fill(&mut self, objects: u64) {
        let mut number = 0;
        while self.objects() < objects {
            let namespace = user_namespace(number);
            if number % 20 == 0 {
                self.namespace(&namespace);
            }
            let task = TASKS.get(number % TASKS.len()).copied().unwrap_or("web");
            if number % 3 == 2 {
                self.application(&namespace, &format!("{task}-{number}"));
            } else {
                self.machine(&namespace, &format!("{task}-{number}"), number);
            }
            number += 1;
        }
    }

    /// The namespaces that [`World::fill`] would make for so many objects, for the setting that has them collected.
    pub fn user_namespaces(objects: u64) -> String {
        let most = (objects / 10 / 20).min(40) as usize;
        (0..=most).map(|block| user_namespace(block * 20)).collect::<Vec<_>>().join(",")
    }

    fn application(&mut self, namespace: &str, name: &str) {
        let config = format!("{name}-settings");
        let lines: String = (0..20)
            .map(|line| format!("option.{line} = {}\n", self.names.hex(&["option", name, &line.to_string()], 24)))
            .collect();
        self.config(namespace, &config, json!({"application.properties": lines}));
        let image = format!("registry.example.net/apps/{name}:1.{}.0", self.names.hash(&["minor", name]) % 40);
        self.workload(&Workload {
            namespace,
            name,
            containers: &[("main", &image, Topic::Application)],
            services: &[(name, 80, 8080)],
            config: &config,
            ..Workload::default()
        });
    }
}

fn user_namespace(number: usize) -> String {
    let block = number / 20;
    format!("team-{}-{}", WORDS.get(block % WORDS.len()).copied().unwrap_or("amber"), block + 1)
}
