//! RESTARTS of a Pod with the time of the last one.

use jiff::Timestamp;

use super::cell::since;
use crate::resource::{Resource, parse_time};
use crate::yaml::Node;

/// Formats `3 (4h ago)`, or the number alone if no container says when it ended last.
pub(super) fn restarts(count: i64, pod: &Resource, now: Option<Timestamp>) -> String {
    let last = ["initContainerStatuses", "containerStatuses"].iter().filter_map(|list| ended(pod.body(), list)).max();
    match (count, last) {
        (1.., Some(last)) => format!("{count} ({} ago)", since(Some(last), now)),
        _ => count.to_string(),
    }
}

/// Returns when a container that was restarted ended last.
fn ended(pod: Node<'_>, list: &str) -> Option<Timestamp> {
    let containers = pod.path(&["status", list]).into_iter().flat_map(Node::items);
    let finished =
        |container: Node<'_>| container.str_at(&["lastState", "terminated", "finishedAt"]).and_then(parse_time);
    containers.filter_map(finished).max()
}
