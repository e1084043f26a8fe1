//! Newest time in the objects of a bundle that does not tell when it was collected: the collection cannot be earlier.

use jiff::Timestamp;

use super::object::Resource;
use super::scalar::parse_time;
use crate::resource::ResourceIndex;
use crate::yaml::Node;

/// Times of a condition (`metav1.Condition` and the older forms of the API).
const OF_CONDITIONS: [&str; 4] = ["lastTransitionTime", "lastUpdateTime", "lastHeartbeatTime", "lastProbeTime"];

/// Returns the newest time that any object states of its own past. Times that may lie ahead, such as the end of a certificate, are not
/// looked at.
pub fn newest_time(resources: &ResourceIndex) -> Option<Timestamp> {
    let of_events = resources.events().iter().filter_map(|event| event.last);
    resources.resources().flat_map(times).chain(of_events).max()
}

fn times(resource: &Resource) -> impl Iterator<Item = Timestamp> {
    let body = resource.body();
    let created =
        ["creationTimestamp", "deletionTimestamp"].into_iter().filter_map(move |key| body.str_at(&["metadata", key]));
    let changes = items(body, &["metadata", "managedFields"]).filter_map(|change| change.str_at(&["time"]));
    let conditions = items(body, &["status", "conditions"]);
    let conditions =
        conditions.flat_map(|condition| OF_CONDITIONS.into_iter().filter_map(move |key| condition.str_at(&[key])));
    created.chain(changes).chain(conditions).filter_map(parse_time)
}

fn items<'r>(body: Node<'r>, path: &[&str]) -> impl Iterator<Item = Node<'r>> {
    body.path(path).into_iter().flat_map(Node::items)
}
