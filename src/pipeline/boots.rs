//! Starts of nodes that events state: a bundle without logs of its nodes has nothing else.

use crate::log::{LogIndex, NodeStart};
use crate::model::Origin;
use crate::resource::ResourceIndex;

/// Notes what kubelets report after a start with another boot id. Source: `NodeRebooted` in pkg/kubelet/events/event.go of Kubernetes.
pub fn note_rebooted(resources: &ResourceIndex, logs: &mut LogIndex) {
    let events = resources.events().iter();
    for event in events.filter(|event| event.reason == "Rebooted" && event.object.kind == "Node") {
        let Some(at) = event.last else { continue };
        let resource = resources.resource(event.resource);
        let origin = Origin::line(resource.entry.clone(), resource.body().line());
        logs.note_start(&event.object.name, NodeStart { at, origin });
    }
}

#[cfg(test)]
mod tests {
    use crate::bundle::{Bundle, Limits};
    use crate::pipeline::{Options, prepare};
    use crate::rule::RuleSet;

    #[test]
    fn a_start_is_noted_once() {
        let event = |name: &str, kind: &str, at: &str| {
            format!(
                "- {{apiVersion: v1, kind: Event, metadata: {{name: {name}, namespace: default}}, reason: Rebooted, type: Warning, \
                 lastTimestamp: '2026-03-01T{at}Z', involvedObject: {{kind: {kind}, name: n1}}}}\n"
            )
        };
        let events = [
            event("a", "Node", "10:00:00"),
            event("b", "Node", "10:03:00"),
            event("c", "Node", "12:00:00"),
            event("d", "Pod", "14:00:00"),
        ];
        let text = format!("kind: List\nitems:\n{}", events.concat());
        let files = vec![("yamls/namespaced/default/v1/events.yaml".to_owned(), text.into_bytes())];
        let bundle = Bundle::from_memory("b.zip", files, Limits::default());
        let input = prepare(&bundle, &RuleSet::default(), Options::default(), &());
        let starts: Vec<String> = input.logs.boots()["n1"].iter().map(|start| start.at.to_string()).collect();
        assert_eq!(starts, ["2026-03-01T10:00:00Z", "2026-03-01T12:00:00Z"]);
    }
}
