//! The workloads of a Harvester cluster.

use serde_json::json;

use super::log::Topic;
use super::workload::{Container, Pod, Role, Workload};
use super::world::World;

const HARVESTER: (&str, &str) = ("harvester", "harvester-system");
const HS: &str = "harvester-system";
const LS: &str = "longhorn-system";
const KS: &str = "kube-system";
/// What RKE2 of Kubernetes 1.29.9 runs.
const ETCD: &str = "rancher/hardened-etcd:v3.5.13-k3s1-build20240910";
const LONGHORN_ACCOUNT: &str = "longhorn-service-account";

/// Namespaces that the collector takes, with the system in them.
pub const NAMESPACES: &[&str] = &[
    "cattle-dashboards",
    "cattle-fleet-clusters-system",
    "cattle-fleet-local-system",
    "cattle-fleet-system",
    "cattle-logging-system",
    "cattle-monitoring-system",
    "cattle-provisioning-capi-system",
    "cattle-system",
    "default",
    "fleet-local",
    "harvester-system",
    "kube-system",
    "local",
    "longhorn-system",
];

impl World {
    /// Every workload of the system.
    pub fn system(&mut self) {
        let harvester = format!("rancher/harvester:{}", self.versions.harvester);
        let webhook = format!("rancher/harvester-webhook:{}", self.versions.harvester);
        let rancher = format!("rancher/rancher:{}", self.versions.rancher);
        let manager = format!("longhornio/longhorn-manager:{}", self.versions.longhorn);
        let kubevirt = |part: &str| format!("registry.suse.com/suse/sles/15.6/{part}:{}", self.versions.kubevirt);
        let (virt_api, virt_controller) = (kubevirt("virt-api"), kubevirt("virt-controller"));
        let (virt_handler, virt_operator) = (kubevirt("virt-handler"), kubevirt("virt-operator"));
        self.harvester_system(&harvester, &webhook);
        self.virtualization(&virt_operator, &virt_api, &virt_controller, &virt_handler);
        self.rancher_system(&rancher);
        self.longhorn_system(&manager);
        self.kube_system();
        self.static_pods();
    }

    fn harvester_system(&mut self, harvester: &str, webhook: &str) {
        let chart = Workload { namespace: HS, release: HARVESTER, account: "harvester", ..Workload::default() };
        let daemon = Workload { role: Role::DaemonSet, host_network: true, ..chart };
        let rows = [
            Workload {
                name: "harvester",
                role: Role::Deployment(3),
                containers: &[("apiserver", harvester, Topic::Harvester)],
                services: &[("harvester", 8443, 8443)],
                config: "harvester-helpers",
                ..chart
            },
            Workload {
                name: "harvester-webhook",
                role: Role::Deployment(3),
                containers: &[("harvester-webhook", webhook, Topic::Webhook)],
                services: &[("harvester-webhook", 443, 9443)],
                ..chart
            },
            Workload {
                name: "harvester-load-balancer",
                containers: &[("harvester-load-balancer", "rancher/harvester-load-balancer:v0.4.2", Topic::Controller)],
                ..chart
            },
            Workload {
                name: "harvester-load-balancer-webhook",
                containers: &[(
                    "harvester-load-balancer-webhook",
                    "rancher/harvester-load-balancer-webhook:v0.4.2",
                    Topic::Webhook,
                )],
                services: &[("harvester-load-balancer-webhook", 443, 8443)],
                ..chart
            },
            Workload {
                name: "harvester-network-controller-manager",
                role: Role::Deployment(2),
                containers: &[(
                    "harvester-network-manager",
                    "rancher/harvester-network-controller:v0.5.4",
                    Topic::Controller,
                )],
                ..chart
            },
            Workload {
                name: "harvester-network-webhook",
                containers: &[(
                    "harvester-network-webhook",
                    "rancher/harvester-network-webhook:v0.5.4",
                    Topic::Webhook,
                )],
                services: &[("harvester-network-webhook", 443, 8443)],
                ..chart
            },
            Workload {
                name: "harvester-network-controller",
                containers: &[("harvester-network", "rancher/harvester-network-controller:v0.5.4", Topic::Controller)],
                ..daemon
            },
            Workload {
                name: "harvester-node-disk-manager",
                containers: &[(
                    "harvester-node-disk-manager",
                    "rancher/harvester-node-disk-manager:v0.7.13",
                    Topic::Harvester,
                )],
                ..daemon
            },
            Workload {
                name: "harvester-node-manager",
                containers: &[("node-manager", "rancher/harvester-node-manager:v0.3.4", Topic::Harvester)],
                ..daemon
            },
            Workload {
                name: "kube-vip",
                role: Role::ControlPlaneDaemonSet,
                containers: &[("kube-vip", "ghcr.io/kube-vip/kube-vip:v0.8.7", Topic::Harvester)],
                ..daemon
            },
        ];
        rows.iter().for_each(|row| self.workload(row));
        self.workload(&Workload {
            namespace: KS,
            name: "harvester-whereabouts",
            account: "harvester-whereabouts",
            config: "harvester-whereabouts-config",
            containers: &[("whereabouts", "rancher/hardened-whereabouts:v0.8.0-build20241011", Topic::Controller)],
            ..daemon
        });
    }

    fn virtualization(&mut self, operator: &str, api: &str, controller: &str, handler: &str) {
        let kubevirt = Workload { namespace: HS, account: "kubevirt-operator", ..Workload::default() };
        let rows = [
            Workload {
                name: "virt-operator",
                account: "kubevirt-operator",
                release: HARVESTER,
                containers: &[("virt-operator", operator, Topic::KubeVirt)],
                services: &[("kubevirt-operator-webhook", 443, 8444)],
                ..kubevirt
            },
            Workload {
                name: "virt-api",
                role: Role::Deployment(2),
                account: "kubevirt-apiserver",
                containers: &[("virt-api", api, Topic::KubeVirt)],
                services: &[("virt-api", 443, 8443)],
                ..kubevirt
            },
            Workload {
                name: "virt-controller",
                role: Role::Deployment(2),
                account: "kubevirt-controller",
                containers: &[("virt-controller", controller, Topic::KubeVirt)],
                ..kubevirt
            },
            Workload {
                name: "virt-handler",
                role: Role::DaemonSet,
                account: "kubevirt-handler",
                containers: &[("virt-handler", handler, Topic::KubeVirt)],
                services: &[("kubevirt-prometheus-metrics", 443, 8443)],
                ..kubevirt
            },
            Workload {
                name: "cdi-operator",
                account: "cdi-operator",
                release: HARVESTER,
                containers: &[(
                    "cdi-operator",
                    "registry.suse.com/suse/sles/15.6/cdi-operator:1.60.3",
                    Topic::Controller,
                )],
                ..kubevirt
            },
            Workload {
                name: "cdi-apiserver",
                account: "cdi-apiserver",
                containers: &[(
                    "cdi-apiserver",
                    "registry.suse.com/suse/sles/15.6/cdi-apiserver:1.60.3",
                    Topic::Controller,
                )],
                services: &[("cdi-api", 443, 8443)],
                ..kubevirt
            },
        ];
        rows.iter().for_each(|row| self.workload(row));
    }

    fn rancher_system(&mut self, rancher: &str) {
        let base = Workload { namespace: "cattle-system", ..Workload::default() };
        let rows = [
            Workload {
                name: "rancher",
                role: Role::Deployment(3),
                account: "rancher",
                release: ("rancher", "cattle-system"),
                containers: &[("rancher", rancher, Topic::Rancher)],
                services: &[("rancher", 443, 444)],
                ..base
            },
            Workload {
                name: "rancher-webhook",
                account: "rancher-webhook",
                release: ("rancher-webhook", "cattle-system"),
                containers: &[("rancher-webhook", "rancher/rancher-webhook:v0.5.3", Topic::Webhook)],
                services: &[("rancher-webhook", 443, 9443)],
                ..base
            },
            Workload {
                name: "harvester-cluster-repo",
                containers: &[("httpd", "rancher/harvester-cluster-repo:v1.4", Topic::Nginx)],
                services: &[("harvester-cluster-repo", 80, 80)],
                ..base
            },
            Workload {
                name: "system-upgrade-controller",
                account: "system-upgrade-controller",
                containers: &[(
                    "system-upgrade-controller",
                    "rancher/system-upgrade-controller:v0.13.4",
                    Topic::Harvester,
                )],
                ..base
            },
            Workload {
                namespace: "cattle-fleet-system",
                name: "fleet-controller",
                account: "fleet-controller",
                release: ("fleet", "cattle-fleet-system"),
                containers: &[
                    ("fleet-controller", "rancher/fleet:v0.10.4", Topic::Fleet),
                    ("fleet-agentmanagement", "rancher/fleet:v0.10.4", Topic::Harvester),
                ],
                ..base
            },
            Workload {
                namespace: "cattle-fleet-local-system",
                name: "fleet-agent",
                role: Role::StatefulSet,
                account: "fleet-agent",
                release: ("fleet-agent-local", "cattle-fleet-local-system"),
                containers: &[("fleet-agent", "rancher/fleet-agent:v0.10.4", Topic::Fleet)],
                services: &[("fleet-agent", 8080, 8080)],
                config: "fleet-agent",
                ..base
            },
            Workload {
                namespace: "default",
                name: "inventory-export",
                containers: &[("export", "registry.example.net/tools/inventory-export:2.7.1", Topic::Application)],
                config: "inventory-export",
                ..base
            },
        ];
        rows.iter().for_each(|row| self.workload(row));
    }

    fn longhorn_system(&mut self, manager: &str) {
        let chart = Workload { namespace: LS, release: HARVESTER, account: LONGHORN_ACCOUNT, ..Workload::default() };
        let sidecar = |name: &'static str, containers: &'static [Container<'static>]| Workload {
            name,
            role: Role::Deployment(3),
            containers,
            release: ("", ""),
            ..chart
        };
        let rows = [
            Workload {
                name: "longhorn-manager",
                role: Role::DaemonSet,
                containers: &[("longhorn-manager", manager, Topic::Longhorn)],
                services: &[
                    ("longhorn-backend", 9500, 9500),
                    ("longhorn-admission-webhook", 9502, 9502),
                    ("longhorn-conversion-webhook", 9501, 9501),
                ],
                config: "longhorn-default-setting",
                ..chart
            },
            Workload {
                name: "longhorn-driver-deployer",
                containers: &[("longhorn-driver-deployer", manager, Topic::Harvester)],
                ..chart
            },
            Workload {
                name: "longhorn-ui",
                role: Role::Deployment(2),
                containers: &[("longhorn-ui", "longhornio/longhorn-ui:v1.7.2", Topic::Nginx)],
                services: &[("longhorn-frontend", 80, 8000)],
                ..chart
            },
            Workload {
                name: "longhorn-csi-plugin",
                role: Role::DaemonSet,
                containers: &[
                    ("node-driver-registrar", "longhornio/csi-node-driver-registrar:v2.12.0", Topic::Csi),
                    ("longhorn-csi-plugin", manager, Topic::Longhorn),
                ],
                release: ("", ""),
                ..chart
            },
            Workload {
                name: "engine-image-ei-51cc7b9c",
                role: Role::DaemonSet,
                containers: &[("engine-image-ei-51cc7b9c", "longhornio/longhorn-engine:v1.7.2", Topic::Application)],
                release: ("", ""),
                ..chart
            },
            sidecar("csi-attacher", &[("csi-attacher", "longhornio/csi-attacher:v4.7.0", Topic::Csi)]),
            sidecar("csi-provisioner", &[("csi-provisioner", "longhornio/csi-provisioner:v4.0.1", Topic::Csi)]),
            sidecar("csi-resizer", &[("csi-resizer", "longhornio/csi-resizer:v1.12.0", Topic::Csi)]),
            sidecar("csi-snapshotter", &[("csi-snapshotter", "longhornio/csi-snapshotter:v7.0.2", Topic::Csi)]),
        ];
        rows.iter().for_each(|row| self.workload(row));
    }

    fn kube_system(&mut self) {
        let base = Workload { namespace: KS, ..Workload::default() };
        let rows = [
            Workload {
                name: "rke2-coredns-rke2-coredns",
                role: Role::Deployment(2),
                account: "coredns",
                release: ("rke2-coredns", KS),
                containers: &[("coredns", "rancher/hardened-coredns:v1.11.3-build20241018", Topic::CoreDns)],
                services: &[("rke2-coredns-rke2-coredns", 53, 53)],
                config: "rke2-coredns-rke2-coredns",
                ..base
            },
            Workload {
                name: "rke2-canal",
                role: Role::DaemonSet,
                account: "canal",
                release: ("rke2-canal", KS),
                containers: &[
                    ("calico-node", "rancher/hardened-calico:v3.28.2-build20241016", Topic::Canal),
                    ("kube-flannel", "rancher/hardened-flannel:v0.26.0-build20241024", Topic::Controller),
                ],
                config: "rke2-canal-config",
                host_network: true,
                ..base
            },
            Workload {
                name: "rke2-multus",
                role: Role::DaemonSet,
                account: "rke2-multus",
                release: ("rke2-multus", KS),
                containers: &[(
                    "kube-rke2-multus",
                    "rancher/hardened-multus-cni:v4.1.3-build20241028",
                    Topic::Controller,
                )],
                host_network: true,
                ..base
            },
            Workload {
                name: "rke2-ingress-nginx-controller",
                role: Role::DaemonSet,
                account: "rke2-ingress-nginx",
                release: ("rke2-ingress-nginx", KS),
                containers: &[(
                    "rke2-ingress-nginx-controller",
                    "rancher/nginx-ingress-controller:v1.10.5-hardened4",
                    Topic::Nginx,
                )],
                services: &[("rke2-ingress-nginx-controller-admission", 443, 8443)],
                config: "rke2-ingress-nginx-controller",
                ..base
            },
            Workload {
                name: "rke2-metrics-server",
                account: "rke2-metrics-server",
                release: ("rke2-metrics-server", KS),
                containers: &[(
                    "metrics-server",
                    "rancher/hardened-k8s-metrics-server:v0.7.1-build20241008",
                    Topic::Controller,
                )],
                services: &[("rke2-metrics-server", 443, 10250)],
                ..base
            },
            Workload {
                name: "snapshot-controller",
                role: Role::Deployment(2),
                account: "snapshot-controller",
                release: HARVESTER,
                containers: &[("snapshot-controller", "longhornio/csi-snapshotter-controller:v6.2.1", Topic::Csi)],
                ..base
            },
        ];
        rows.iter().for_each(|row| self.workload(row));
    }

    /// Pods of the control plane, which the kubelets run from files.
    fn static_pods(&mut self) {
        let kubernetes =
            format!("rancher/hardened-kubernetes:{}-build20240912", self.versions.kubernetes.replace('+', "-"));
        let parts: [(&str, &str, Topic, bool); 5] = [
            ("etcd", ETCD, Topic::Etcd, true),
            ("kube-apiserver", &kubernetes, Topic::ApiServer, true),
            ("kube-controller-manager", &kubernetes, Topic::ControllerManager, true),
            ("kube-scheduler", &kubernetes, Topic::Scheduler, true),
            ("kube-proxy", &kubernetes, Topic::Controller, false),
        ];
        for number in 0..self.hosts.len() {
            let host = self.host(number).clone();
            for (name, image, topic, _) in parts.into_iter().filter(|(_, _, _, control)| host.control_plane || !control)
            {
                let owners = json!([{
                    "apiVersion": "v1", "kind": "Node", "name": host.name, "controller": true,
                    "uid": self.uid("v1", "Node", "", &host.name),
                }]);
                let hash = self.names.hex(&["static", name], 32);
                self.pod(Pod {
                    namespace: KS,
                    name: format!("{name}-{}", host.name),
                    host: number,
                    host_network: true,
                    labels: json!({"component": name, "tier": "control-plane"}),
                    annotations: json!({
                        "kubernetes.io/config.hash": hash, "kubernetes.io/config.mirror": hash,
                        "kubernetes.io/config.source": "file",
                    }),
                    owners,
                    containers: &[(name, image, topic)],
                    account: "default",
                    volumes: Vec::new(),
                    done: false,
                });
            }
        }
    }
}
