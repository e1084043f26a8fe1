//! How Rancher sees the cluster that it runs in: Cluster API with a machine for each node, chart repositories, settings of RKE2's
//! charts, and the agent that connects the cluster to a Rancher elsewhere.

use serde_json::{Value, json};

use super::clock::{INSTALLED, NOW, rfc3339};
use super::log::Topic;
use super::workload::Workload;
use super::world::{Host, World};

const CAPI: &str = "cluster.x-k8s.io/v1beta1";
const FLEET_LOCAL: &str = "fleet-local";

/// Conditions of Cluster API that all hold.
fn conditions(kinds: &[&str], at: i64) -> Vec<Value> {
    kinds.iter().map(|kind| json!({"type": kind, "status": "True", "lastTransitionTime": rfc3339(at)})).collect()
}

/// A condition of Rancher that holds.
fn updated(kind: &str, at: i64) -> Value {
    json!({"type": kind, "status": "True", "lastUpdateTime": rfc3339(at)})
}

impl World {
    /// The machine of a node.
    pub fn machine_of(&self, host: &Host) -> String {
        format!("custom-{}", self.names.hex(&["machine", &host.name], 12))
    }

    pub fn provisioning(&mut self) {
        self.clusters();
        let hosts = self.hosts.clone();
        hosts.iter().for_each(|host| self.cluster_machine(host));
        self.repositories();
        let body = json!({"spec": {"failurePolicy": "abort", "valuesContent": ""}});
        self.add("helm.cattle.io/v1", "HelmChartConfig", "helmchartconfigs", "kube-system", "rke2-multus", body);
        self.workload(&Workload {
            namespace: "cattle-provisioning-capi-system",
            name: "capi-controller-manager",
            account: "capi-manager",
            release: ("rancher-provisioning-capi", "cattle-provisioning-capi-system"),
            containers: &[("manager", "rancher/mirrored-cluster-api-controller:v1.7.3", Topic::Controller)],
            services: &[("capi-webhook-service", 443, 9443)],
            ..Workload::default()
        });
        self.workload(&Workload {
            namespace: "cattle-system",
            name: "cattle-cluster-agent",
            account: "cattle",
            containers: &[("cluster-register", "rancher/rancher-agent:v2.9.3", Topic::Rancher)],
            services: &[("cattle-cluster-agent", 80, 80)],
            ..Workload::default()
        });
    }

    fn clusters(&mut self) {
        let since = INSTALLED + 1_400;
        let body = json!({
            "metadata": {
                "generation": 2, "finalizers": ["cluster.cluster.x-k8s.io"],
                "ownerReferences": self.owner("provisioning.cattle.io/v1", "Cluster", FLEET_LOCAL, "local"),
            },
            "spec": {
                "controlPlaneEndpoint": {"host": "localhost", "port": 6443},
                "controlPlaneRef": {
                    "apiVersion": "rke.cattle.io/v1", "kind": "RKEControlPlane", "name": "local", "namespace": FLEET_LOCAL,
                },
            },
            "status": {
                "phase": "Provisioned", "controlPlaneReady": true, "infrastructureReady": true, "observedGeneration": 2,
                "conditions": conditions(&["Ready", "ControlPlaneInitialized", "ControlPlaneReady", "InfrastructureReady"], since),
            },
        });
        self.add(CAPI, "Cluster", "clusters", FLEET_LOCAL, "local", body);
        let body = json!({
            "metadata": {"generation": 2, "labels": {"provider.cattle.io": "harvester"}},
            "spec": {"kubernetesVersion": self.versions.kubernetes, "localClusterAuthEndpoint": {}, "rkeConfig": {}},
            "status": {
                "clusterName": "local", "clientSecretName": "local-kubeconfig", "ready": true, "observedGeneration": 2,
                "conditions": [
                    updated("Created", since), updated("RKECluster", since), updated("Provisioned", since),
                    updated("Updated", since), updated("Ready", since),
                ],
            },
        });
        self.add("provisioning.cattle.io/v1", "Cluster", "clusters", FLEET_LOCAL, "local", body);
    }

    fn cluster_machine(&mut self, host: &Host) {
        let name = self.machine_of(host);
        let roles =
            if host.control_plane { &["control-plane-role", "etcd-role", "worker-role"][..] } else { &["worker-role"] };
        let labels: serde_json::Map<String, Value> =
            roles.iter().map(|role| (format!("rke.cattle.io/{role}"), json!("true"))).collect();
        let since = INSTALLED + 1_200;
        let body = json!({
            "metadata": {
                "generation": 3, "labels": labels, "finalizers": ["machine.cluster.x-k8s.io"],
                "ownerReferences": self.owner(CAPI, "Cluster", FLEET_LOCAL, "local"),
            },
            "spec": {
                "clusterName": "local", "providerID": format!("rke2://{}", host.name),
                "bootstrap": {"dataSecretName": format!("{name}-machine-bootstrap")},
            },
            "status": {
                "phase": "Running", "bootstrapReady": true, "infrastructureReady": true, "observedGeneration": 3,
                "nodeRef": {
                    "apiVersion": "v1", "kind": "Node", "name": host.name, "uid": self.uid("v1", "Node", "", &host.name),
                },
                "addresses": [{"type": "InternalIP", "address": host.ip}, {"type": "Hostname", "address": host.name}],
                "conditions": conditions(
                    &["Ready", "BootstrapReady", "InfrastructureReady", "NodeHealthy", "PlanApplied", "Reconciled"],
                    since,
                ),
            },
        });
        self.add(CAPI, "Machine", "machines", FLEET_LOCAL, &name, body);
    }

    fn repositories(&mut self) {
        for (name, spec) in [
            ("harvester-charts", json!({"url": "http://harvester-cluster-repo.cattle-system.svc/charts"})),
            ("rancher-charts", json!({"gitBranch": "release-v2.9", "gitRepo": "https://git.rancher.io/charts"})),
            (
                "rancher-partner-charts",
                json!({"gitBranch": "main", "gitRepo": "https://git.rancher.io/partner-charts"}),
            ),
            ("rancher-rke2-charts", json!({"gitBranch": "main", "gitRepo": "https://git.rancher.io/rke2-charts"})),
        ] {
            let kinds =
                if name == "harvester-charts" { &["Downloaded"][..] } else { &["FollowerDownloaded", "Downloaded"] };
            let conditions: Vec<Value> = kinds.iter().map(|kind| updated(kind, NOW - 3_000)).collect();
            let body = json!({
                "metadata": {"generation": 2}, "spec": spec,
                "status": {
                    "conditions": conditions, "downloadTime": rfc3339(NOW - 3_000), "observedGeneration": 2,
                    "indexConfigMapName": format!("{name}-index"), "indexConfigMapNamespace": "cattle-system",
                },
            });
            self.add("catalog.cattle.io/v1", "ClusterRepo", "clusterrepos", "", name, body);
        }
    }
}
