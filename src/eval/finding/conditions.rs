//! Conditions of objects, and since when an object is not ready.

use jiff::Timestamp;

use crate::resource::{Resource, parse_time, scalar_at};
use crate::yaml::Node;

/// Conditions that say whether an object does what it is for.
const READY: [&str; 2] = ["Ready", "Available"];

/// Returns whether a node is a condition of an object.
pub fn is_condition(node: &Node<'_>) -> bool {
    node.get("type").is_some() && node.get("status").is_some()
}

/// Returns the time of the last change of a condition, as Kubernetes writes it, else as Rancher does.
pub fn transition(condition: Node<'_>) -> Option<Timestamp> {
    let keys = ["lastTransitionTime", "lastUpdateTime"];
    keys.iter().find_map(|key| parse_time(condition.str_at(&[key])?))
}

/// Returns the condition by which an object is not ready.
pub fn not_ready(resource: &Resource) -> Option<Node<'_>> {
    let mut conditions = resource.body().path(&["status", "conditions"])?.items();
    conditions.find(|condition| is_of_readiness(*condition) && !is_true(*condition))
}

/// Returns whether a condition says that its object does what it is for.
pub fn is_ready(condition: Node<'_>) -> bool {
    is_of_readiness(condition) && is_true(condition)
}

fn is_of_readiness(condition: Node<'_>) -> bool {
    scalar_at(condition, &["type"]).is_some_and(|name| READY.contains(&name))
}

fn is_true(condition: Node<'_>) -> bool {
    scalar_at(condition, &["status"]) == Some("True")
}

/// Returns whether a container of a pod was started again: its conditions changed with each start.
pub fn has_restarted(pod: &Resource) -> bool {
    let lists = ["containerStatuses", "initContainerStatuses"];
    let statuses = lists.iter().filter_map(|list| pod.body().path(&["status", list])).flat_map(Node::items);
    let mut restarts = statuses.filter_map(|status| scalar_at(status, &["restartCount"]));
    restarts.any(|number| number != "0")
}
