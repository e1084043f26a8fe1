//! Kubernetes events, dumped twice: as `v1` and as `events.k8s.io/v1`, with the same uid.

use serde_json::json;

use super::clock::{NOW, rfc3339};
use super::world::World;

/// One event to be made.
#[derive(Clone, Debug)]
pub struct Event<'a> {
    pub api: &'a str,
    pub kind: &'a str,
    /// Of the object; empty for cluster-scoped ones, whose events lie in `default`.
    pub namespace: &'a str,
    pub name: &'a str,
    pub kind_of_event: &'a str,
    pub reason: &'a str,
    pub message: &'a str,
    pub component: &'a str,
    pub count: u32,
    /// Seconds before the collection.
    pub age: i64,
}

impl<'a> Event<'a> {
    /// A normal event that happened once, some minutes ago.
    pub fn normal(
        api: &'a str,
        kind: &'a str,
        namespace: &'a str,
        name: &'a str,
        reason: &'a str,
        message: &'a str,
        component: &'a str,
    ) -> Self {
        Self { api, kind, namespace, name, kind_of_event: "Normal", reason, message, component, count: 1, age: 1_900 }
    }

    /// The same as a warning that came `count` times, the last time `age` seconds ago.
    pub fn warning(self, count: u32, age: i64) -> Self {
        Self { kind_of_event: "Warning", count, age, ..self }
    }
}

impl World {
    /// Adds an event in both forms.
    pub fn event(&mut self, event: &Event<'_>) {
        let namespace = if event.namespace.is_empty() { "default" } else { event.namespace };
        let name = format!("{}.{}", event.name, self.names.hex(&["event", event.name, event.reason], 16));
        let last = rfc3339(NOW - event.age);
        let first = rfc3339(NOW - event.age - i64::from(event.count - 1) * 240);
        // The kubelet fills in the name where events about nodes have a uid.
        let uid = if event.kind == "Node" {
            event.name.to_owned()
        } else {
            self.uid(event.api, event.kind, event.namespace, event.name)
        };
        let about = json!({
            "apiVersion": event.api, "kind": event.kind, "namespace": event.namespace, "name": event.name, "uid": uid,
        });
        let metadata = json!({"creationTimestamp": first});
        let old = json!({
            "metadata": metadata, "involvedObject": about, "reason": event.reason, "message": event.message,
            "type": event.kind_of_event,
            "count": event.count, "firstTimestamp": first, "lastTimestamp": last, "eventTime": null,
            "source": {"component": event.component},
            "reportingComponent": event.component, "reportingInstance": "",
        });
        self.add("v1", "Event", "events", namespace, &name, old);
        let mut new = self.object(
            "events.k8s.io/v1",
            "Event",
            namespace,
            &name,
            json!({
                "metadata": metadata, "regarding": about, "reason": event.reason, "note": event.message,
                "type": event.kind_of_event,
                "deprecatedCount": event.count, "deprecatedFirstTimestamp": first, "deprecatedLastTimestamp": last,
                "eventTime": null,
                "deprecatedSource": {"component": event.component}, "reportingController": event.component,
                "reportingInstance": "",
            }),
        );
        new["metadata"]["uid"] = json!(self.uid("v1", "Event", namespace, &name));
        self.put("events.k8s.io/v1", "events", namespace, &name, &new);
    }

    /// What a healthy cluster reports within an hour, harmless warnings included.
    pub fn events(&mut self) {
        for number in 0..self.hosts.len().min(3) {
            let host = self.host(number).name.clone();
            let message = format!("Node {host} event: Registered Node {host} in Controller");
            self.event(&Event::normal("v1", "Node", "", &host, "RegisteredNode", &message, "node-controller"));
        }
        let pods: Vec<String> = self
            .spoken_pods
            .iter()
            .filter(|pod| pod.starts_with("harvester-system/harvester-"))
            .take(4)
            .cloned()
            .collect();
        for pod in &pods {
            let name = pod.trim_start_matches("harvester-system/");
            let message = format!(
                "Successfully assigned {pod} to a node that has room for it; all {} nodes were looked at",
                self.hosts.len()
            );
            self.event(&Event::normal(
                "v1",
                "Pod",
                "harvester-system",
                name,
                "Scheduled",
                &message,
                "default-scheduler",
            ));
        }
        if let Some(name) = pods.first().map(|pod| pod.trim_start_matches("harvester-system/").to_owned()) {
            let message = "Readiness probe failed: HTTP probe failed with statuscode: 503";
            let event = Event::normal("v1", "Pod", "harvester-system", &name, "Unhealthy", message, "kubelet")
                .warning(1, 2_900);
            self.event(&event);
        }
        let message = "Processed volume pvc of the backup target: nothing to do";
        self.event(&Event::normal(
            "longhorn.io/v1beta2",
            "Setting",
            "longhorn-system",
            "backup-target",
            "Synced",
            message,
            "longhorn-setting-controller",
        ));
    }
}
