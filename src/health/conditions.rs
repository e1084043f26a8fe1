//! Bad conditions of an object, wherever its status has some.

use super::places::Place;
use super::trouble::Trouble;
use super::words::reports_trouble;
use crate::expr::polarity::{ConditionVerdict, is_benign, verdict};
use crate::model::Severity;
use crate::resource::{Resource, scalar_at};
use crate::yaml::Node;

/// Most bad conditions of one object.
const MOST: usize = 50;

/// Conditions that are bad for one reason only: KubeVirt pauses a machine whose disk fails.
const BAD_REASONS: [(&str, &str); 1] = [("Paused", "PausedIOError")];

/// Returns the bad conditions in their order, those of the object itself first.
pub fn troubles<'w>(resource: &Resource, places: &[Place<'w>]) -> Vec<Trouble<'w>> {
    if is_disabled(resource) || is_done(resource) {
        return Vec::new();
    }
    let conditions = places.iter().flat_map(|place| {
        let list = place.node.get("conditions").into_iter().flat_map(Node::items);
        list.map(|condition| (place.path.as_str(), condition))
    });
    conditions.filter_map(|(path, condition)| trouble(resource, path, condition)).take(MOST).collect()
}

/// Returns true for an add-on of Harvester that is disabled: it retains the condition of its last failure (`pkg/controller/master/addon` of
/// Harvester, v1.2 to v1.6).
fn is_disabled(resource: &Resource) -> bool {
    (&*resource.group, &*resource.kind) == ("harvesterhci.io", "Addon")
        && scalar_at(resource.body(), &["status", "status"]) == Some("AddonDisabled")
        && scalar_at(resource.body(), &["spec", "enabled"]) == Some("false")
}

/// Returns true for an upgrade of Harvester that succeeded: its condition `Available` is False then, because it has ended
/// (`UpgradePlan` in the README of harvester/upgrade-toolkit).
fn is_done(resource: &Resource) -> bool {
    (&*resource.group, &*resource.kind) == ("management.harvesterhci.io", "UpgradePlan")
        && scalar_at(resource.body(), &["status", "currentPhase"]) == Some("Succeeded")
}

/// Formats `Ready is False (ContainersNotReady)`. Messages are left out because they contain counts and times.
fn trouble<'w>(resource: &Resource, path: &str, condition: Node<'w>) -> Option<Trouble<'w>> {
    let part = |key| scalar_at(condition, &[key]);
    let (type_, status) = (part("type")?, part("status")?);
    let (reason, message) = (part("reason").unwrap_or_default(), part("message").unwrap_or_default());
    if !is_bad((&resource.group, &resource.kind), (type_, status), (reason, message)) {
        return None;
    }
    let place = if path.is_empty() { String::new() } else { format!("{}: ", path.trim_end_matches('.')) };
    let why = if reason.is_empty() { String::new() } else { format!(" ({reason})") };
    let is_of_node = (&*resource.group, &*resource.kind) == ("", "Node");
    let severity = match type_ {
        "Ready" if is_of_node => Severity::Critical,
        _ if is_of_node || &*resource.group == "apiregistration.k8s.io" => Severity::High,
        _ => Severity::Medium,
    };
    Some(Trouble::at(condition, severity, format!("{place}{type_} is {status}{why}")))
}

/// Returns whether a condition is bad. Of a type that no table has, only a False with a reason or message that reports trouble is.
fn is_bad((group, kind): (&str, &str), (type_, status): (&str, &str), (reason, message): (&str, &str)) -> bool {
    match verdict(group, kind, type_, status) {
        ConditionVerdict::Bad => !is_benign(reason),
        ConditionVerdict::Fine => BAD_REASONS.contains(&(type_, reason)) && status.eq_ignore_ascii_case("true"),
        ConditionVerdict::Unlisted => {
            let explains = if reason.is_empty() { message } else { reason };
            status.eq_ignore_ascii_case("false") && (reports_trouble(explains) || reports_trouble(message))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_judged_by_type_status_and_reason() {
        for (of, condition, why, wanted) in [
            (("example.io", "Widget"), ("Ready", "False"), ("Bad", ""), true),
            (("example.io", "Widget"), ("ready", "false"), ("", ""), true),
            (("example.io", "Widget"), ("Ready", "Unknown"), ("", ""), true),
            (("example.io", "Widget"), ("DatabaseReachable", "False"), ("ConnectionFailed", ""), true),
            (("example.io", "Widget"), ("DatabaseReachable", "False"), ("", "dial tcp: connection refused"), true),
            (("example.io", "Widget"), ("DatabaseReachable", "False"), ("NotConfigured", ""), false),
            (("example.io", "Widget"), ("DatabaseReachable", "Unknown"), ("ConnectionFailed", ""), false),
            (("example.io", "Widget"), ("DatabaseReachable", "True"), ("ConnectionFailed", ""), false),
            (("example.io", "Widget"), ("Migratable", "False"), ("CannotMigrate", "PVC is not shared"), false),
            (("example.io", "Widget"), ("Progressing", "False"), ("AsExpected", "no errors"), false),
            (("example.io", "Widget"), ("Paused", "False"), ("NotPaused", ""), false),
            (("example.io", "Widget"), ("ReconcileError", "True"), ("", ""), true),
            (("example.io", "Widget"), ("ReconcileError", "False"), ("NoError", ""), false),
            (("", "Node"), ("CustomProblem", "True"), ("", ""), true),
            (("", "Node"), ("MemoryPressure", "False"), ("KubeletHasSufficientMemory", ""), false),
            (("", "Pod"), ("Ready", "False"), ("PodCompleted", ""), false),
            (("policy", "PodDisruptionBudget"), ("DisruptionAllowed", "False"), ("InsufficientPods", ""), false),
            (("kubevirt.io", "VirtualMachineInstance"), ("Paused", "True"), ("PausedByUser", ""), false),
            (("kubevirt.io", "VirtualMachineInstance"), ("Paused", "True"), ("PausedIOError", ""), true),
            (
                ("kubevirt.io", "VirtualMachineInstance"),
                ("LiveMigratable", "False"),
                ("DisksNotLiveMigratable", ""),
                false,
            ),
            (("cdi.kubevirt.io", "DataVolume"), ("Running", "False"), ("Error", ""), true),
            (("cdi.kubevirt.io", "DataVolume"), ("Running", "False"), ("Completed", ""), false),
            (("harvesterhci.io", "VirtualMachineImage"), ("Imported", "Unknown"), ("Importing", ""), false),
            (("harvesterhci.io", "VirtualMachineImage"), ("Imported", "False"), ("ImportFailed", ""), true),
            (("harvesterhci.io", "Upgrade"), ("LogReady", "False"), ("Disabled", "administratively disabled"), false),
            (("catalog.cattle.io", "ClusterRepo"), ("Downloaded", "False"), ("", ""), true),
            (("gateway.networking.k8s.io", "Gateway"), ("Programmed", "False"), ("Pending", ""), true),
            (("cert-manager.io", "CertificateRequest"), ("Denied", "True"), ("", ""), true),
            (("cert-manager.io", "CertificateRequest"), ("Denied", "False"), ("", ""), false),
            (("cluster.x-k8s.io", "Machine"), ("Deleting", "False"), ("NotDeleting", ""), false),
            (("management.cattle.io", "Cluster"), ("DefaultProjectCreated", "Unknown"), ("", ""), false),
        ] {
            assert_eq!(is_bad(of, condition, why), wanted, "{of:?} {condition:?} {why:?}");
        }
    }
}
