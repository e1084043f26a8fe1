//! An operator was uninstalled; its custom resource definition and its webhook configuration stayed. Objects of the old version
//! cannot be converted any more, so the garbage collector has not begun to work since the control plane was restarted: what is
//! deleted leaves its ReplicaSets and pods behind, foreground deletions and a namespace hang.

use serde_json::{Value, json};

use crate::generate::clock::{INSTALLED, Moment, NOW, SECOND, rfc3339};
use crate::generate::log::Topic;
use crate::generate::workload::Workload;
use crate::generate::world::World;

const GROUP: &str = "pki.example.net";
const SERVICE: &str = "pki-operator-webhook";

/// When namespace, foreground deletion and application were deleted.
const NAMESPACE_DELETED: i64 = NOW - 5 * 3600;
const FOREGROUND_DELETED: i64 = NOW - 4 * 3600;

/// When the objects of the story were made.
pub fn created(namespace: &str, name: &str) -> Option<i64> {
    let of_shop = namespace == "default" && name.starts_with("shop-");
    let of_operator = namespace.is_empty() && (name.starts_with("pki-operator") || name.ends_with(GROUP));
    (of_shop || of_operator).then_some(INSTALLED + 3 * 86_400)
}

/// Why nothing of the type can be read.
fn refusal() -> String {
    format!(
        "conversion webhook for {GROUP}/v1alpha1, Kind=Issuer failed: Post \"https://{SERVICE}.default.svc:443/convert?timeout=30s\": service \"{SERVICE}\" not found"
    )
}

/// Adds what the operator left and what the garbage collector should have removed.
pub fn add(world: &mut World) {
    definition(world);
    webhook(world);
    for name in ["shop-web", "shop-api"] {
        let image = format!("registry.example.net/apps/{name}:1.8.2");
        world.workload(&Workload {
            namespace: "default",
            name,
            containers: &[(name, &image, Topic::Application)],
            ..Workload::default()
        });
    }
    // Its ReplicaSet and pod stay.
    world.remove("apps/v1", "deployments", "default", "shop-web");
    namespace(world);
}

fn definition(world: &mut World) {
    let names = json!({"kind": "Issuer", "listKind": "IssuerList", "plural": "issuers", "singular": "issuer"});
    let version = |name: &str, storage: bool| {
        json!({
            "name": name, "served": true, "storage": storage,
            "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
        })
    };
    let condition = |kind: &str, reason: &str| {
        json!({
            "type": kind, "status": "True", "reason": reason, "message": "",
            "lastTransitionTime": rfc3339(INSTALLED + 3 * 86_400),
        })
    };
    let body = json!({
        "metadata": {"generation": 2},
        "spec": {
            "group": GROUP, "names": names, "scope": "Namespaced",
            "versions": [version("v1", true), version("v1alpha1", false)],
            "conversion": {"strategy": "Webhook", "webhook": {
                "conversionReviewVersions": ["v1"],
                "clientConfig": {
                    "caBundle": world.names.hex(&["ca", SERVICE], 64),
                    "service": {"namespace": "default", "name": SERVICE, "path": "/convert", "port": 443},
                },
            }},
        },
        "status": {
            "acceptedNames": names, "storedVersions": ["v1alpha1", "v1"],
            "conditions": [condition("NamesAccepted", "NoConflicts"), condition("Established", "InitialNamesAccepted")],
        },
    });
    let name = format!("issuers.{GROUP}");
    let plural = "customresourcedefinitions";
    world.add("apiextensions.k8s.io/v1", "CustomResourceDefinition", plural, "", &name, body);
}

fn webhook(world: &mut World) {
    let body = json!({"metadata": {"generation": 2}, "webhooks": [{
        "name": format!("validate.{GROUP}"), "admissionReviewVersions": ["v1"], "failurePolicy": "Fail",
        "matchPolicy": "Equivalent", "sideEffects": "None", "timeoutSeconds": 10,
        "namespaceSelector": {}, "objectSelector": {},
        "clientConfig": {
            "caBundle": world.names.hex(&["ca", SERVICE], 64),
            "service": {"namespace": "default", "name": SERVICE, "path": "/validate", "port": 443},
        },
        "rules": [{
            "apiGroups": [GROUP], "apiVersions": ["v1"], "resources": ["issuers"], "scope": "*",
            "operations": ["CREATE", "UPDATE", "DELETE"],
        }],
    }]});
    let (kind, plural) = ("ValidatingWebhookConfiguration", "validatingwebhookconfigurations");
    world.add("admissionregistration.k8s.io/v1", kind, plural, "", "pki-operator-validator", body);
}

/// A namespace whose last objects cannot be listed, so that it cannot be finished.
fn namespace(world: &mut World) {
    let condition = |kind: &str, status: &str, reason: &str, message: String| {
        json!({
            "type": kind, "status": status, "reason": reason, "message": message,
            "lastTransitionTime": rfc3339(NAMESPACE_DELETED + 6),
        })
    };
    let failed = format!("Failed to delete all resource types, 1 remaining: {}", refusal());
    let body = json!({
        "metadata": {
            "labels": {"kubernetes.io/metadata.name": "team-cobalt"}, "deletionTimestamp": rfc3339(NAMESPACE_DELETED),
        },
        "spec": {"finalizers": ["kubernetes"]},
        "status": {"phase": "Terminating", "conditions": [
            condition("NamespaceDeletionDiscoveryFailure", "False", "ResourcesDiscovered", "All resources successfully discovered".to_owned()),
            condition("NamespaceDeletionGroupVersionParsingFailure", "False", "ParsedGroupVersions", "All legacy kube types successfully parsed".to_owned()),
            condition("NamespaceDeletionContentFailure", "True", "ContentDeletionFailed", failed),
        ]},
    });
    world.add("v1", "Namespace", "namespaces", "", "team-cobalt", body);
}

/// Changes an object before it is written.
pub fn edit(namespace: &str, kind: &str, name: &str, object: &mut Value) {
    if (namespace, kind, name) == ("default", "Deployment", "shop-api") {
        object["metadata"]["deletionTimestamp"] = json!(rfc3339(FOREGROUND_DELETED));
        object["metadata"]["deletionGracePeriodSeconds"] = json!(0);
        object["metadata"]["finalizers"] = json!(["foregroundDeletion"]);
    }
}

/// What the controllers wrote, again and again.
pub fn tell(world: &mut World) {
    let mut lines = Vec::new();
    for round in 0..12 {
        let at = NOW - 12 - round * 1_750;
        let mut say = |level: char, text: String| {
            let mut line = level.to_string();
            Moment::new(at * SECOND).klog(&mut line);
            lines.push((at, format!("{line}       1 {text}")));
        };
        say(
            'W',
            format!(
                "reflector.go:547] k8s.io/client-go/metadata/metadatainformer/informer.go:138: failed to list *v1.PartialObjectMetadata: {}",
                refusal()
            ),
        );
        say('E', "shared_informer.go:316] unable to sync caches for garbage collector".to_owned());
        say(
            'E',
            format!(
                "garbagecollector.go:268] timed out waiting for dependency graph builder sync during GC sync (attempt {})",
                2_400 - round * 58
            ),
        );
        if at > NAMESPACE_DELETED {
            say('E', format!("namespace_controller.go:159] deletion of namespace team-cobalt failed: {}", refusal()));
        }
    }
    super::tell(world, "/kube-controller-manager-", lines);
    let watched = [NOW - 900, NOW - 300].map(|at| {
        let text = refusal().replace('"', "\\\"");
        (
            at,
            format!("time=\"{}\" level=error msg=\"failed to list {GROUP}/v1, Resource=issuers: {text}\"", rfc3339(at)),
        )
    });
    super::tell(world, "logs/cattle-system/rancher-", watched);
}

/// The collector cannot list the type either.
pub fn collector_errors() -> String {
    format!("Failed to get /apis/{GROUP}/v1/namespaces/default/issuers: {}\n", refusal())
}
