//! Kubernetes events, the two API forms as one.

use jiff::Timestamp;

use crate::model::{ObjectRef, secret};
use crate::resource::object::{Resource, ResourceId};
use crate::resource::scalar::{parse_time, scalar_at};
use crate::resource::types::{self, split_api_version};
use crate::yaml::Node;

/// Paths of the counters, and of the times.
const COUNTS: [&[&str]; 3] = [&["count"], &["deprecatedCount"], &["series", "count"]];
const TIMES: [&[&str]; 7] = [
    &["eventTime"],
    &["firstTimestamp"],
    &["deprecatedFirstTimestamp"],
    &["lastTimestamp"],
    &["deprecatedLastTimestamp"],
    &["series", "lastObservedTime"],
    &["metadata", "creationTimestamp"],
];

/// One event.
#[derive(Clone, Debug)]
pub struct Event {
    /// The object from which it was read (the core form if both were dumped).
    pub resource: ResourceId,
    pub reason: String,
    pub message: String,
    /// `Normal` or `Warning`.
    pub type_: String,
    /// The object that it is about.
    pub object: ObjectRef,
    /// None if the reporter wrote something else, such as the name of a node.
    pub object_uid: Option<String>,
    /// At least 1.
    pub count: u64,
    pub first: Option<Timestamp>,
    pub last: Option<Timestamp>,
    /// True if a collector hid how often or when it was seen, so that count and times are not all there is.
    pub hides_count: bool,
    /// The component that reported it.
    pub source: Option<String>,
    /// The node it was reported from.
    pub host: Option<String>,
}

/// Reads events from their objects, sorted by namespace, last time, id.
pub(super) fn events<'a>(objects: impl Iterator<Item = (ResourceId, &'a Resource)>) -> Vec<Event> {
    let mut all: Vec<_> =
        objects.map(|(id, resource)| (resource.namespace.as_deref(), parse_event(id, resource))).collect();
    all.sort_by(|(left, a), (right, b)| {
        let key = |event: &Event| (event.last, event.resource);
        left.cmp(right).then_with(|| key(a).cmp(&key(b)))
    });
    all.into_iter().map(|(_, event)| event).collect()
}

fn parse_event(id: ResourceId, resource: &Resource) -> Event {
    let body = resource.body();
    let text = |keys: &[&[&str]]| keys.iter().find_map(|k| scalar_at(body, k)).map(str::to_owned);
    let about = body.get("involvedObject").or_else(|| body.get("regarding"));
    let (object, object_uid) = about.map_or_else(|| (nothing(), None), |node| object_of(node));
    let (first, last) = times(body);
    Event {
        resource: id,
        reason: text(&[&["reason"]]).unwrap_or_default(),
        message: text(&[&["message"], &["note"]]).unwrap_or_default(),
        type_: text(&[&["type"]]).unwrap_or_default(),
        object,
        object_uid,
        count: count(body),
        first,
        last,
        hides_count: COUNTS.iter().chain(&TIMES).any(|path| scalar_at(body, path).is_some_and(secret::is_withheld)),
        source: text(&[
            &["source", "component"],
            &["deprecatedSource", "component"],
            &["reportingComponent"],
            &["reportingController"],
        ]),
        host: text(&[&["source", "host"], &["deprecatedSource", "host"]]),
    }
}

fn nothing() -> ObjectRef {
    ObjectRef { kind: String::new(), group: String::new(), namespace: None, name: String::new() }
}

fn object_of(node: Node<'_>) -> (ObjectRef, Option<String>) {
    let kind = scalar_at(node, &["kind"]).unwrap_or_default();
    let name = scalar_at(node, &["name"]).unwrap_or_default();
    let version = scalar_at(node, &["apiVersion"]).filter(|version| !secret::is_withheld(version));
    let group = version.map(|version| split_api_version(version).0);
    let known = match group {
        Some(group) => types::known_kind(group, kind),
        None => types::kind_anywhere(kind),
    };
    let namespace = scalar_at(node, &["namespace"]).filter(|_| known.is_none_or(|t| t.namespaced));
    let object = ObjectRef {
        kind: known.map_or(kind, |t| t.kind).to_owned(),
        group: group.or(known.map(|t| t.group)).unwrap_or_default().to_owned(),
        namespace: namespace.map(str::to_owned),
        name: name.to_owned(),
    };
    (object, scalar_at(node, &["uid"]).filter(|uid| *uid != name).map(str::to_owned))
}

/// Returns the highest of the counters, because reporters update different ones.
fn count(body: Node<'_>) -> u64 {
    let counted = COUNTS.iter().filter_map(|path| body.path(path)?.as_i64());
    counted.max().and_then(|n| u64::try_from(n).ok()).unwrap_or(1).max(1)
}

/// Returns first and last time; the creation time if the reporter wrote none.
fn times(body: Node<'_>) -> (Option<Timestamp>, Option<Timestamp>) {
    let at = |path: &[&str]| parse_time(scalar_at(body, path)?);
    let created = || at(&["eventTime"]).or_else(|| at(&["metadata", "creationTimestamp"]));
    let first = at(&["firstTimestamp"]).or_else(|| at(&["deprecatedFirstTimestamp"])).or_else(created);
    let ends: [&[&str]; 3] = [&["lastTimestamp"], &["deprecatedLastTimestamp"], &["series", "lastObservedTime"]];
    let last = ends.iter().filter_map(|path| at(path)).max().or_else(created);
    (first, last)
}

#[cfg(test)]
mod tests {
    use crate::resource::index::testing::Bundle;

    const CORE: &str = "
kind: EventList
apiVersion: v1
items:
- metadata: {name: web.1, namespace: demo, uid: e1}
  involvedObject: {apiVersion: v1, kind: Pod, namespace: demo, name: web-0, uid: u-web-0}
  reason: BackOff
  type: Warning
  message: Back-off restarting failed container
  count: 3
  firstTimestamp: '2024-01-01T00:00:00Z'
  lastTimestamp: '2024-01-01T01:00:00Z'
  eventTime: 'null'
  source: {component: kubelet, host: n1}
- metadata: {name: n1.1, namespace: default, uid: e2, creationTimestamp: '2024-01-01T03:00:00Z'}
  involvedObject: {kind: Node, name: n1, namespace: '', uid: n1}
  reason: Rebooted
  firstTimestamp: '0001-01-01T00:00:00Z'
  lastTimestamp: null
";
    const NEW: &str = "
kind: EventList
apiVersion: events.k8s.io/v1
items:
- metadata: {name: web.1, namespace: demo, uid: e1}
  regarding: {apiVersion: v1, kind: Pod, namespace: demo, name: web-0, uid: u-web-0}
  reason: BackOff
  type: Warning
  note: Back-off restarting failed container
  deprecatedCount: 2
  series: {count: 7, lastObservedTime: '2024-01-01T02:00:00.123456Z'}
  eventTime: '2024-01-01T00:00:00.500000Z'
  deprecatedFirstTimestamp: null
  reportingController: kubelet
";
    const CORE_PATH: &str = "yamls/namespaced/demo/v1/events.yaml";
    const NEW_PATH: &str = "yamls/namespaced/demo/events.k8s.io/v1/events.yaml";

    #[test]
    fn core_events_are_read() {
        let index = Bundle::default().dump(CORE_PATH, CORE).index();
        let events = index.events();
        assert_eq!(events.len(), 2);
        let (node, pod) = (&events[0], &events[1]);
        assert_eq!((node.object.to_string().as_str(), &node.object_uid, node.count), ("Node/n1", &None, 1));
        assert_eq!(node.first.map(|t| t.to_string()).as_deref(), Some("2024-01-01T03:00:00Z"));
        assert_eq!(
            (pod.object.to_string().as_str(), pod.object_uid.as_deref(), pod.count),
            ("Pod/demo/web-0", Some("u-web-0"), 3)
        );
        assert_eq!(pod.last.map(|t| t.to_string()).as_deref(), Some("2024-01-01T01:00:00Z"));
        assert_eq!((pod.source.as_deref(), pod.host.as_deref()), (Some("kubelet"), Some("n1")));
    }

    #[test]
    fn the_newer_form_alone_is_read_as_well() {
        let index = Bundle::default().dump(NEW_PATH, NEW).index();
        let event = &index.events()[0];
        assert_eq!((event.message.as_str(), event.count), ("Back-off restarting failed container", 7));
        assert_eq!(event.first.map(|t| t.to_string()).as_deref(), Some("2024-01-01T00:00:00.5Z"));
        assert_eq!(event.last.map(|t| t.to_string()).as_deref(), Some("2024-01-01T02:00:00.123456Z"));
        assert_eq!(event.source.as_deref(), Some("kubelet"));
    }

    #[test]
    fn both_forms_of_an_event_are_one() {
        let index = Bundle::default().dump(CORE_PATH, CORE).dump(NEW_PATH, NEW).index();
        assert_eq!(index.events().len(), 2);
        let event = &index.events()[1];
        assert_eq!(index.resource(event.resource).entry.as_ref(), CORE_PATH);
        assert_eq!(index.event_of(event.resource).map(|e| e.count), Some(3));
    }

    #[test]
    fn odd_events_do_no_harm() {
        let text = "kind: Event\napiVersion: v1\nmetadata: {name: .16ea, namespace: demo}\ncount: -4\ninvolvedObject: 7\nlastTimestamp: soon\n";
        let index = Bundle::default().file("a.yaml", text).index();
        let event = &index.events()[0];
        assert_eq!((event.count, event.last, event.object.name.as_str()), (1, None, ""));
    }
}
