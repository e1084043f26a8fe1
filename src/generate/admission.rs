//! Who has a say in API requests and who serves them: admission webhooks and aggregated APIs.

use serde_json::json;

use super::clock::{INSTALLED, rfc3339};
use super::world::World;

/// A service and its port.
type Service = (&'static str, &'static str, u16);

/// A webhook configuration with one webhook.
struct Hook {
    name: &'static str,
    validates: bool,
    service: Service,
    path: &'static str,
    /// Group, version and plural of what it looks at.
    resource: (&'static str, &'static str, &'static str),
}

const HARVESTER: Service = ("harvester-system", "harvester-webhook", 443);
const LONGHORN: Service = ("longhorn-system", "longhorn-admission-webhook", 9502);
const RANCHER: Service = ("cattle-system", "rancher-webhook", 443);
const VIRT_API: Service = ("harvester-system", "virt-api", 443);
const CDI_API: Service = ("harvester-system", "cdi-api", 443);

const HOOKS: &[Hook] = &[
    Hook {
        name: "harvester-validator",
        validates: true,
        service: HARVESTER,
        path: "/v1/webhook/validation",
        resource: ("harvesterhci.io", "v1beta1", "upgrades"),
    },
    Hook {
        name: "harvester-mutator",
        validates: false,
        service: HARVESTER,
        path: "/v1/webhook/mutation",
        resource: ("kubevirt.io", "v1", "virtualmachines"),
    },
    Hook {
        name: "harvester-load-balancer-validator",
        validates: true,
        service: ("harvester-system", "harvester-load-balancer-webhook", 443),
        path: "/v1/webhook/validation",
        resource: ("loadbalancer.harvesterhci.io", "v1beta1", "loadbalancers"),
    },
    Hook {
        name: "harvester-network-webhook-validator",
        validates: true,
        service: ("harvester-system", "harvester-network-webhook", 443),
        path: "/v1/webhook/validation",
        resource: ("network.harvesterhci.io", "v1beta1", "clusternetworks"),
    },
    Hook {
        name: "longhorn-webhook-validator",
        validates: true,
        service: LONGHORN,
        path: "/v1/webhook/validation",
        resource: ("longhorn.io", "v1beta2", "volumes"),
    },
    Hook {
        name: "longhorn-webhook-mutator",
        validates: false,
        service: LONGHORN,
        path: "/v1/webhook/mutation",
        resource: ("longhorn.io", "v1beta2", "volumes"),
    },
    Hook {
        name: "rancher.cattle.io",
        validates: true,
        service: RANCHER,
        path: "/v1/webhook/validation/clusters.management.cattle.io",
        resource: ("management.cattle.io", "v3", "clusters"),
    },
    Hook {
        name: "rancher.cattle.io",
        validates: false,
        service: RANCHER,
        path: "/v1/webhook/mutation/clusters.management.cattle.io",
        resource: ("management.cattle.io", "v3", "clusters"),
    },
    Hook {
        name: "rke2-ingress-nginx-admission",
        validates: true,
        service: ("kube-system", "rke2-ingress-nginx-controller-admission", 443),
        path: "/networking/v1/ingresses",
        resource: ("networking.k8s.io", "v1", "ingresses"),
    },
    Hook {
        name: "virt-api-validator",
        validates: true,
        service: VIRT_API,
        path: "/virtualmachines-validate",
        resource: ("kubevirt.io", "v1", "virtualmachines"),
    },
    Hook {
        name: "virt-api-mutator",
        validates: false,
        service: VIRT_API,
        path: "/virtualmachines-mutate",
        resource: ("kubevirt.io", "v1", "virtualmachines"),
    },
    Hook {
        name: "virt-operator-validator",
        validates: true,
        service: ("harvester-system", "kubevirt-operator-webhook", 443),
        path: "/kubevirt-validate-delete",
        resource: ("kubevirt.io", "v1", "kubevirts"),
    },
    Hook {
        name: "cdi-api-datavolume-validate",
        validates: true,
        service: CDI_API,
        path: "/datavolume-validate",
        resource: ("cdi.kubevirt.io", "v1beta1", "datavolumes"),
    },
];

/// Groups with their version that the API server serves itself.
const LOCAL: &[(&str, &str)] = &[
    ("", "v1"),
    ("apps", "v1"),
    ("batch", "v1"),
    ("discovery.k8s.io", "v1"),
    ("events.k8s.io", "v1"),
    ("fleet.cattle.io", "v1alpha1"),
    ("harvesterhci.io", "v1beta1"),
    ("kubevirt.io", "v1"),
    ("longhorn.io", "v1beta2"),
    ("management.cattle.io", "v3"),
    ("storage.k8s.io", "v1"),
];

/// Groups with their version that a service serves.
const AGGREGATED: &[(&str, &str, Service)] = &[
    ("metrics.k8s.io", "v1beta1", ("kube-system", "rke2-metrics-server", 443)),
    ("subresources.kubevirt.io", "v1", VIRT_API),
    ("upload.cdi.kubevirt.io", "v1beta1", CDI_API),
];

impl World {
    pub fn webhooks(&mut self) {
        for hook in HOOKS {
            if !self.has(hook.service.1) {
                continue;
            }
            let (kind, plural, domain) = match hook.validates {
                true => ("ValidatingWebhookConfiguration", "validatingwebhookconfigurations", "validator"),
                false => ("MutatingWebhookConfiguration", "mutatingwebhookconfigurations", "mutator"),
            };
            let (group, version, resource) = hook.resource;
            let (namespace, service, port) = hook.service;
            let mut webhook = json!({
                "name": format!("{domain}.{group}"), "admissionReviewVersions": ["v1"], "failurePolicy": "Fail",
                "matchPolicy": "Equivalent", "sideEffects": "None", "timeoutSeconds": 10,
                "namespaceSelector": {}, "objectSelector": {},
                "clientConfig": {
                    "caBundle": self.names.hex(&["ca", hook.name], 64),
                    "service": {"name": service, "namespace": namespace, "port": port, "path": hook.path},
                },
                "rules": [{
                    "apiGroups": [group], "apiVersions": [version], "resources": [resource], "scope": "*",
                    "operations": ["CREATE", "UPDATE", "DELETE"],
                }],
            });
            if !hook.validates {
                webhook["reinvocationPolicy"] = json!("Never");
            }
            let body = json!({"metadata": {"generation": 2}, "webhooks": [webhook]});
            self.add("admissionregistration.k8s.io/v1", kind, plural, "", hook.name, body);
        }
    }

    pub fn api_services(&mut self) {
        for &(group, version) in LOCAL {
            self.api_service(group, version, None);
        }
        for &(group, version, service) in AGGREGATED {
            if self.has(service.1) {
                self.api_service(group, version, Some(service));
            }
        }
    }

    fn api_service(&mut self, group: &str, version: &str, service: Option<Service>) {
        let (reason, message) = match service {
            Some(_) => ("Passed", "all checks passed"),
            None => ("Local", "Local APIServices are always available"),
        };
        let mut spec =
            json!({"group": group, "version": version, "groupPriorityMinimum": 1000, "versionPriority": 100});
        if let Some((namespace, service, port)) = service {
            spec["service"] = json!({"name": service, "namespace": namespace, "port": port});
        }
        let condition = json!({
            "type": "Available", "status": "True", "reason": reason, "message": message,
            "lastTransitionTime": rfc3339(INSTALLED + 900),
        });
        let body = json!({"spec": spec, "status": {"conditions": [condition]}});
        let name = format!("{version}.{group}");
        self.add("apiregistration.k8s.io/v1", "APIService", "apiservices", "", &name, body);
    }
}
