//! Events without the object that they are of: what people paste of `kubectl describe`.
//!
//! The controller that reported them tells the kind; the scheduler names the pod. What nobody knows has a placeholder, such as `<pod>`.

use std::ops::Range;

use super::common::Happened;
use super::out::Out;
use super::outline::View;
use crate::model::UNKNOWN_NAMESPACE;
use crate::yaml::Kind;

/// Reasons of the kubelet's events about its node; its others are about pods (`pkg/kubelet/events/event.go`).
const OF_NODE: [&str; 17] = [
    "CertificateExpirationWarning",
    "ContainerGCFailed",
    "EvictionThresholdMet",
    "FailedNodeAllocatableEnforcement",
    "FreeDiskSpaceFailed",
    "ImageGCFailed",
    "InvalidDiskCapacity",
    "KubeletSetupFailed",
    "NodeAllocatableEnforced",
    "NodeHasDiskPressure",
    "NodeHasInsufficientMemory",
    "NodeHasInsufficientPID",
    "NodeNotReady",
    "NodeReady",
    "Rebooted",
    "Starting",
    "SystemOOM",
];

/// Controllers of Kubernetes and the kind that their events are about.
const CONTROLLERS: [(&str, &str); 15] = [
    ("attachdetach-controller", "Pod"),
    ("cronjob-controller", "CronJob"),
    ("daemonset-controller", "DaemonSet"),
    ("default-scheduler", "Pod"),
    ("deployment-controller", "Deployment"),
    ("horizontal-pod-autoscaler", "HorizontalPodAutoscaler"),
    ("job-controller", "Job"),
    ("kernel-monitor", "Node"),
    ("multus", "Pod"),
    ("node-controller", "Node"),
    ("persistentvolume-controller", "PersistentVolumeClaim"),
    ("replicaset-controller", "ReplicaSet"),
    ("service-controller", "Service"),
    ("statefulset-controller", "StatefulSet"),
    ("taint-eviction-controller", "Pod"),
];

/// Object of a block of events.
pub(super) struct Subject {
    kind: &'static str,
    pub namespace: String,
    pub name: String,
    /// Where the text names it; the first row otherwise.
    place: Range<usize>,
}

impl Subject {
    /// Returns the object that events are about; none if no event tells its kind.
    pub fn of(view: View<'_>, events: &[Happened]) -> Option<Self> {
        let kind = events.iter().find_map(|event| kind(view.slice(event.from.as_ref()?), view.slice(&event.reason)))?;
        let named = events.iter().find_map(|event| scheduled(view, event));
        let (namespace, name, place) = named.unwrap_or_else(|| {
            let place = events.first().map_or(0..0, |event| event.reason.clone());
            (UNKNOWN_NAMESPACE.to_owned(), format!("<{}>", kind.to_ascii_lowercase()), place)
        });
        Some(Self { kind, namespace, name, place })
    }

    /// Returns the fields of `involvedObject`.
    pub fn involved(&self) -> Out {
        let made = |text: &str| Some(Out::Made(Kind::String, self.place.clone(), text.to_owned()));
        let namespace = if self.kind == "Node" { None } else { made(&self.namespace) };
        Out::map(self.place.start, [("kind", made(self.kind)), ("name", made(&self.name)), ("namespace", namespace)])
    }
}

fn kind(from: &str, reason: &str) -> Option<&'static str> {
    if from == "kubelet" {
        return Some(if OF_NODE.contains(&reason) { "Node" } else { "Pod" });
    }
    CONTROLLERS.iter().find(|(name, _)| *name == from).map(|(_, kind)| *kind)
}

/// Returns namespace and name from `Successfully assigned shop/web-0 to n1`.
fn scheduled(view: View<'_>, event: &Happened) -> Option<(String, String, Range<usize>)> {
    let rest = view.slice(&event.message).strip_prefix("Successfully assigned ")?;
    let (namespace, name) = rest.split(' ').next()?.split_once('/')?;
    Some((namespace.to_owned(), name.to_owned(), event.message.clone()))
}
