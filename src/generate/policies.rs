//! Objects that say who may do what and what comes first: roles and their bindings, priorities, disruption budgets, ingresses.

use serde_json::{Value, json};

use super::clock::{INSTALLED, NOW, rfc3339};
use super::world::World;

const RBAC: &str = "rbac.authorization.k8s.io/v1";

/// Roles for the whole cluster with what they allow: verbs, group, resources.
const ROLES: &[(&str, &[&str], &str, &[&str])] = &[
    (
        "admin",
        &["create", "delete", "get", "list", "patch", "update", "watch"],
        "",
        &["configmaps", "pods", "services"],
    ),
    ("cluster-admin", &["*"], "*", &["*"]),
    ("edit", &["create", "delete", "get", "list", "patch", "update", "watch"], "", &["configmaps", "services"]),
    ("harvester-network", &["*"], "network.harvesterhci.io", &["*"]),
    ("kubevirt-controller", &["get", "list", "watch", "update"], "kubevirt.io", &["*"]),
    ("longhorn-role", &["*"], "longhorn.io", &["*"]),
    ("system:coredns", &["list", "watch"], "", &["endpoints", "namespaces", "pods", "services"]),
    ("system:node-proxier", &["list", "watch"], "", &["endpoints", "nodes", "services"]),
    ("view", &["get", "list", "watch"], "", &["configmaps", "pods", "services"]),
];

/// Bindings of these roles: name, role, namespace and name of the account.
const BINDINGS: &[(&str, &str, &str, &str)] = &[
    ("harvester", "cluster-admin", "harvester-system", "harvester"),
    ("kubevirt-controller", "kubevirt-controller", "harvester-system", "kubevirt-controller"),
    ("longhorn-bind", "longhorn-role", "longhorn-system", "longhorn-service-account"),
    ("rancher", "cluster-admin", "cattle-system", "rancher"),
    ("system:coredns", "system:coredns", "kube-system", "coredns"),
];

const PRIORITIES: &[(&str, i64)] = &[
    ("kubevirt-cluster-critical", 1_000_000_000),
    ("longhorn-critical", 1_000_000_000),
    ("system-cluster-critical", 2_000_000_000),
    ("system-node-critical", 2_000_001_000),
];

impl World {
    pub fn policies(&mut self) {
        for (name, verbs, group, resources) in ROLES {
            let rules = json!([{"apiGroups": [group], "resources": resources, "verbs": verbs}]);
            self.add(RBAC, "ClusterRole", "clusterroles", "", name, json!({"rules": rules}));
        }
        for (name, role, namespace, account) in BINDINGS {
            let body = binding("ClusterRole", role, namespace, account);
            self.add(RBAC, "ClusterRoleBinding", "clusterrolebindings", "", name, body);
        }
        for (namespace, account) in
            [("cattle-fleet-local-system", "fleet-agent"), ("kube-system", "harvester-whereabouts")]
        {
            let rules = json!([{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list", "watch"]}]);
            self.add(RBAC, "Role", "roles", namespace, account, json!({"rules": rules}));
            let body = binding("Role", account, namespace, account);
            self.add(RBAC, "RoleBinding", "rolebindings", namespace, account, body);
        }
        for (name, value) in PRIORITIES {
            let body = json!({"value": value, "preemptionPolicy": "PreemptLowerPriority", "globalDefault": false});
            self.add("scheduling.k8s.io/v1", "PriorityClass", "priorityclasses", "", name, body);
        }
        self.budgets();
        self.ingresses();
        self.rancher_settings();
    }

    /// Disruption budgets of what runs in two replicas or more.
    fn budgets(&mut self) {
        let replicas = self.control_planes().min(2);
        for name in ["virt-api", "virt-controller"] {
            let labels = json!({"app.kubernetes.io/name": name, "app.kubernetes.io/part-of": "harvester-system"});
            let body = json!({
                "metadata": {"generation": 1},
                "spec": {"minAvailable": 1, "selector": {"matchLabels": labels}},
                "status": {
                    "currentHealthy": replicas, "desiredHealthy": 1, "disruptionsAllowed": replicas - 1,
                    "expectedPods": replicas, "observedGeneration": 1,
                    "conditions": [{
                        "type": "DisruptionAllowed", "status": if replicas > 1 { "True" } else { "False" },
                        "reason": if replicas > 1 { "SufficientPods" } else { "InsufficientPods" }, "message": "",
                        "lastTransitionTime": rfc3339(INSTALLED + 4_000), "observedGeneration": 1,
                    }],
                },
            });
            let name = format!("{name}-pdb");
            self.add("policy/v1", "PodDisruptionBudget", "poddisruptionbudgets", "harvester-system", &name, body);
        }
    }

    fn ingresses(&mut self) {
        let body = json!({"spec": {"controller": "k8s.io/ingress-nginx"}});
        self.add("networking.k8s.io/v1", "IngressClass", "ingressclasses", "", "nginx", body);
        let backend = json!({"service": {"name": "rancher", "port": {"number": 443}}});
        let address = self.host(0).ip.clone();
        let body = json!({
            "metadata": {"generation": 1, "annotations": {"nginx.ingress.kubernetes.io/backend-protocol": "HTTPS"}},
            "spec": {
                "ingressClassName": "nginx",
                "rules": [{"http": {"paths": [{"path": "/", "pathType": "Prefix", "backend": backend}]}}],
            },
            "status": {"loadBalancer": {"ingress": [{"ip": address}]}},
        });
        self.add("networking.k8s.io/v1", "Ingress", "ingresses", "cattle-system", "rancher-expose", body);
    }

    fn rancher_settings(&mut self) {
        let address = format!("https://{}", self.host(0).ip);
        for (name, value) in [
            ("agent-tls-mode", "system-store"),
            ("auth-user-session-ttl-minutes", "960"),
            ("install-uuid", &self.names.uuid(&["rancher"])),
            ("server-url", &address),
            ("server-version", self.versions.rancher),
        ] {
            let body = json!({"value": value, "default": "", "customized": false, "source": ""});
            self.add("management.cattle.io/v3", "Setting", "settings", "", name, body);
        }
        for (name, value) in
            [("fleet", true), ("harvester", true), ("legacy", false), ("multi-cluster-management", true)]
        {
            let body =
                json!({"spec": {"value": value}, "status": {"default": value, "dynamic": false, "lockedValue": null}});
            self.add("management.cattle.io/v3", "Feature", "features", "", name, body);
        }
        let body = json!({
            "spec": {"clusterName": "local", "displayName": "System", "description": "System project"},
            "status": {"conditions": [{"type": "BackingNamespaceCreated", "status": "True", "lastUpdateTime": rfc3339(NOW - 900_000)}]},
        });
        self.add("management.cattle.io/v3", "Project", "projects", "local", "p-4d7xk", body);
    }
}

fn binding(kind: &str, role: &str, namespace: &str, account: &str) -> Value {
    json!({
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": role},
        "subjects": [{"kind": "ServiceAccount", "name": account, "namespace": namespace}],
    })
}
