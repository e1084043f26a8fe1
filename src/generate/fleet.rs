//! What installs the rest: managed charts with their bundles, Helm releases as Rancher sees them,
//! Helm charts of RKE2 with their finished jobs.

use serde_json::{Value, json};

use super::clock::{INSTALLED, NOW, rfc3339};
use super::log::Topic;
use super::world::World;

/// Managed charts: name, chart, namespace of the release, version without the `v` of Harvester's own.
const CHARTS: &[(&str, &str, &str)] = &[
    ("harvester", "harvester", "harvester-system"),
    ("harvester-crd", "harvester-crd", "harvester-system"),
    ("rancher-logging-crd", "rancher-logging-crd", "cattle-logging-system"),
    ("rancher-monitoring-crd", "rancher-monitoring-crd", "cattle-monitoring-system"),
];

/// Helm releases: name, namespace, chart version, version of what is in it.
const RELEASES: &[(&str, &str, &str, &str)] = &[
    ("fleet", "cattle-fleet-system", "104.1.2+up0.10.4", "0.10.4"),
    ("fleet-agent-local", "cattle-fleet-local-system", "0.10.4", "0.10.4"),
    ("rancher-provisioning-capi", "cattle-provisioning-capi-system", "104.0.0+up0.3.0", "1.7.3"),
    ("rancher", "cattle-system", "2.9.3", "v2.9.3"),
    ("rancher-webhook", "cattle-system", "104.0.3+up0.5.3", "0.5.3"),
    ("rke2-canal", "kube-system", "v3.28.2-build2024101601", "v3.28.2"),
    ("rke2-coredns", "kube-system", "1.33.002", "1.11.3"),
    ("rke2-ingress-nginx", "kube-system", "4.10.502", "1.10.5"),
    ("rke2-metrics-server", "kube-system", "3.12.003", "0.7.1"),
    ("rke2-multus", "kube-system", "v4.1.300", "4.1.3"),
];

/// The workloads that chart `harvester` deploys, as a bundle lists them.
const RESOURCES: &[(&str, &str, &str)] = &[
    ("DaemonSet", "harvester-system", "harvester-network-controller"),
    ("DaemonSet", "harvester-system", "harvester-node-disk-manager"),
    ("DaemonSet", "harvester-system", "harvester-node-manager"),
    ("DaemonSet", "harvester-system", "kube-vip"),
    ("DaemonSet", "kube-system", "harvester-whereabouts"),
    ("DaemonSet", "longhorn-system", "longhorn-manager"),
    ("Deployment", "harvester-system", "harvester"),
    ("Deployment", "harvester-system", "harvester-load-balancer"),
    ("Deployment", "harvester-system", "harvester-webhook"),
    ("Deployment", "harvester-system", "virt-operator"),
    ("Deployment", "longhorn-system", "longhorn-driver-deployer"),
    ("Deployment", "longhorn-system", "longhorn-ui"),
];

impl World {
    pub fn fleet(&mut self) {
        self.fleet_cluster();
        let version = self.versions.harvester.trim_start_matches('v').to_owned();
        for &(name, chart, namespace) in CHARTS {
            let version = if name.starts_with("rancher") { "103.1.1+up45.31.1".to_owned() } else { version.clone() };
            self.managed_chart(name, chart, namespace, &version);
            self.app(name, namespace, &version, &version);
        }
        for &(name, namespace, chart, app) in RELEASES {
            if !self.has(name) {
                continue;
            }
            self.app(name, namespace, chart, app);
            if namespace == "kube-system" {
                self.helm_chart(name);
            }
        }
    }

    fn fleet_cluster(&mut self) {
        let since = rfc3339(INSTALLED + 1_400);
        let ready = |kind: &str| json!({"type": kind, "status": "True", "lastUpdateTime": since});
        let body = json!({
            "metadata": {"labels": {"management.cattle.io/cluster-name": "local", "name": "local"}, "generation": 3},
            "spec": {
                "agentNamespace": "cattle-fleet-local-system", "clientID": self.names.hex(&["client"], 32),
                "kubeConfigSecret": "local-kubeconfig",
            },
            "status": {
                "agent": {"lastSeen": rfc3339(NOW - 280), "namespace": "cattle-fleet-local-system"},
                "agentDeployedGeneration": 0, "agentMigrated": true, "agentNamespaceMigrated": true,
                "cattleNamespaceMigrated": true,
                "namespace": "cluster-fleet-local-local-1a3d67d0a899",
                "conditions": [ready("Ready"), ready("Processed"), ready("Imported"), ready("Reconciled")],
                "desiredReadyGitRepos": 0, "readyGitRepos": 0,
                "display": {"readyBundles": format!("{0}/{0}", CHARTS.len()), "state": ""},
                "summary": {"desiredReady": CHARTS.len(), "ready": CHARTS.len()},
            },
        });
        self.add("fleet.cattle.io/v1alpha1", "Cluster", "clusters", "fleet-local", "local", body);
        let body = json!({
            "metadata": {"generation": 2},
            "spec": {"displayName": "local", "internal": true, "fleetWorkspaceName": "fleet-local"},
            "status": {
                "provider": "harvester", "driver": "rke2",
                "conditions": [ready("Ready"), ready("Connected"), ready("Provisioned")],
                "nodeCount": self.hosts.len(),
            },
        });
        self.add("management.cattle.io/v3", "Cluster", "clusters", "", "local", body);
    }

    fn managed_chart(&mut self, name: &str, chart: &str, namespace: &str, version: &str) {
        let status = self.bundle_status(name);
        let helm = json!({
            "chart": chart, "releaseName": name, "version": version, "values": {"replicas": self.hosts.len().min(3)},
        });
        let targets = json!([{"clusterName": "local", "clusterSelector": {"matchExpressions": [{"key": "provisioning.cattle.io/unmanaged-system-agent", "operator": "DoesNotExist"}]}}]);
        let body = json!({
            "metadata": {"generation": 4},
            "spec": {
                "chart": chart, "releaseName": name, "repoName": "harvester-charts", "version": version,
                "defaultNamespace": namespace,
                "values": helm["values"], "targets": targets, "paused": false,
            },
            "status": status,
        });
        self.add("management.cattle.io/v3", "ManagedChart", "managedcharts", "fleet-local", name, body);
        let body = json!({
            "metadata": {"generation": 4, "annotations": {
                "objectset.rio.cattle.io/owner-gvk": "management.cattle.io/v3, Kind=ManagedChart",
                "objectset.rio.cattle.io/owner-name": name, "objectset.rio.cattle.io/owner-namespace": "fleet-local",
            }},
            "spec": {"defaultNamespace": namespace, "helm": helm, "ignore": {}, "targets": targets},
            "status": status,
        });
        self.add("fleet.cattle.io/v1alpha1", "Bundle", "bundles", "fleet-local", &format!("mcc-{name}"), body);
    }

    /// The status of a bundle that is ready.
    pub fn bundle_status(&self, name: &str) -> Value {
        let since = rfc3339(self.created("fleet-local", name) + 900);
        let resources: Vec<Value> = match name {
            "harvester" => RESOURCES
                .iter()
                .filter(|(_, _, name)| self.has(name))
                .map(|(kind, namespace, name)| {
                    json!({
                        "apiVersion": "apps/v1", "kind": kind, "namespace": namespace, "name": name,
                    })
                })
                .collect(),
            _ => Vec::new(),
        };
        let summary = json!({"desiredReady": 1, "ready": 1});
        json!({
            "conditions": [
                {"type": "Ready", "status": "True", "lastUpdateTime": since},
                {"type": "Processed", "status": "True", "lastUpdateTime": since},
            ],
            "display": {"readyClusters": "1/1", "state": ""}, "maxNew": 50, "maxUnavailable": 1,
            "maxUnavailablePartitions": 0,
            "newlyCreated": 0, "observedGeneration": 4, "unavailable": 0, "unavailablePartitions": 0,
            "partitions": [{"count": 1, "maxUnavailable": 1, "name": "All", "unavailable": 0, "summary": summary}],
            "resourceKey": resources, "summary": summary,
        })
    }

    /// A Helm release as Rancher lists it: its chart and application in these versions.
    pub fn app(&mut self, name: &str, namespace: &str, chart: &str, version: &str) {
        let at = self.created(namespace, name) + 60;
        let body = json!({
            "metadata": {"annotations": {"objectset.rio.cattle.io/owner-name": format!("sh.helm.release.v1.{name}.v1"), "objectset.rio.cattle.io/owner-namespace": namespace}},
            "spec": {
                "name": name, "namespace": namespace, "version": 1, "helmVersion": 3,
                "chart": {"metadata": {"name": name, "version": chart, "appVersion": version, "apiVersion": "v2"}},
                "info": {
                    "status": "deployed", "description": "Install complete", "firstDeployed": rfc3339(at),
                    "lastDeployed": rfc3339(at),
                },
            },
            "status": {"summary": {"state": "deployed"}, "observedGeneration": 1},
        });
        self.add("catalog.cattle.io/v1", "App", "apps", namespace, name, body);
    }

    /// A chart of RKE2 with the job that installed it.
    fn helm_chart(&mut self, name: &str) {
        let job = format!("helm-install-{name}");
        let body = json!({
            "metadata": {
                "annotations": {"helm.cattle.io/chart-url": format!("https://rke2-charts.rancher.io/assets/{name}.tgz")},
                "finalizers": ["wrangler.cattle.io/on-helm-chart-remove"], "generation": 1,
            },
            "spec": {
                "bootstrap": name == "rke2-canal" || name == "rke2-coredns",
                "set": {"global.clusterCIDR": "10.52.0.0/16", "global.systemDefaultIngressClass": "ingress-nginx"},
            },
            "status": {
                "jobName": job,
                "conditions": [
                    {
                        "type": "JobCreated", "status": "True", "reason": "Job created",
                        "message": format!("Applying HelmChart using Job kube-system/{job}"),
                    },
                    {"type": "Failed", "status": "False"},
                ],
            },
        });
        self.add("helm.cattle.io/v1", "HelmChart", "helmcharts", "kube-system", name, body);
        let owners = self.owner("helm.cattle.io/v1", "HelmChart", "kube-system", name);
        self.finished_job(
            "kube-system",
            &job,
            owners,
            ("helm", "rancher/klipper-helm:v0.9.3-build20241008", Topic::Helm),
        );
    }
}
