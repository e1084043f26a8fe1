//! Known faults, as deterministic edits of a healthy cluster: a module for each story.

mod hook;
mod orphans;
mod stale;
mod tiller;

use serde_json::{Value, json};

use super::clock::rfc3339;
use super::world::{Versions, World};

/// What is wrong in the bundle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scenario {
    /// Nothing.
    #[default]
    Healthy,
    /// Fleet still reports the managed chart `harvester` not ready because of a DaemonSet that is complete, so that an
    /// upgrade is refused. Beside it a volume has lost a replica, and a pod is killed for its memory again and again.
    StaleManagedChart,
    /// An upgrade through Tiller failed half way, and none succeeds since.
    TillerFailedUpgrade,
    /// A chart turned a ConfigMap into a hook; Helm deleted it, and new pods do not start.
    HookDeletedConfigMap,
    /// The webhook that converts a custom resource is gone, so the garbage collector stands still.
    OrphansBehindWebhook,
}

impl Scenario {
    /// Every scenario with its name.
    pub const ALL: [(&'static str, Self); 5] = [
        ("healthy", Self::Healthy),
        ("stale-managed-chart", Self::StaleManagedChart),
        ("tiller-failed-upgrade", Self::TillerFailedUpgrade),
        ("hook-deleted-configmap", Self::HookDeletedConfigMap),
        ("orphans-behind-webhook", Self::OrphansBehindWebhook),
    ];

    /// The scenario of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(known, _)| *known == name).map(|(_, scenario)| scenario)
    }

    pub(super) fn versions(self) -> Versions {
        let (harvester, previous) = match self {
            Self::StaleManagedChart => ("v1.4.1", "v1.4.0"),
            _ => ("v1.4.2", "v1.4.1"),
        };
        Versions {
            harvester,
            previous,
            rancher: "v2.9.3",
            longhorn: "v1.7.2",
            kubevirt: "1.3.1",
            kubernetes: "v1.29.9+rke2r1",
        }
    }

    /// Whether the bundle holds only the core of the system and nothing of users but the story.
    pub(super) fn is_small(self) -> bool {
        !matches!(self, Self::Healthy | Self::StaleManagedChart)
    }

    /// What the user wrote about it, as a YAML scalar.
    pub(super) fn description(self) -> &'static str {
        match self {
            Self::Healthy => "\"\"",
            Self::StaleManagedChart => "upgrade to v1.4.2 is refused",
            Self::TillerFailedUpgrade => "helm upgrade of billing fails since this morning",
            Self::HookDeletedConfigMap => "new version of orders does not come up although the upgrade went well",
            Self::OrphansBehindWebhook => "pods of uninstalled apps keep running",
        }
    }

    /// When an object was made, in seconds, if the story tells it.
    pub(super) fn created(self, namespace: &str, name: &str) -> Option<i64> {
        match self {
            Self::Healthy | Self::StaleManagedChart => None,
            Self::TillerFailedUpgrade => tiller::created(namespace, name),
            Self::HookDeletedConfigMap => hook::created(namespace, name),
            Self::OrphansBehindWebhook => orphans::created(namespace, name),
        }
    }

    /// Changes an object before it is written.
    pub(super) fn edit(self, world: &World, object: &mut Value) {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (kind, name) = (text(&object["kind"]), text(&object["metadata"]["name"]));
        let namespace = text(&object["metadata"]["namespace"]);
        match self {
            Self::Healthy => {}
            Self::TillerFailedUpgrade => tiller::edit(&namespace, &kind, &name, object),
            Self::StaleManagedChart => stale::edit(world, &namespace, &kind, &name, object),
            Self::HookDeletedConfigMap => hook::edit(world, &namespace, &kind, &name, object),
            Self::OrphansBehindWebhook => orphans::edit(&namespace, &kind, &name, object),
        }
    }

    /// Adds objects.
    pub(super) fn add(self, world: &mut World) {
        match self {
            Self::Healthy => {}
            Self::StaleManagedChart => stale::add(world),
            Self::TillerFailedUpgrade => tiller::add(world),
            Self::HookDeletedConfigMap => hook::add(world),
            Self::OrphansBehindWebhook => orphans::add(world),
        }
    }

    /// Changes logs and lets them tell what happened.
    pub(super) fn tell(self, world: &mut World) {
        match self {
            Self::Healthy => {}
            Self::StaleManagedChart => stale::tell(world),
            Self::TillerFailedUpgrade => tiller::tell(world),
            Self::HookDeletedConfigMap => hook::tell(world),
            Self::OrphansBehindWebhook => orphans::tell(world),
        }
    }

    /// What the collector complains about beyond what it always does.
    pub(super) fn collector_errors(self, world: &World) -> String {
        match self {
            Self::HookDeletedConfigMap => hook::collector_errors(world),
            Self::OrphansBehindWebhook => orphans::collector_errors(),
            _ => String::new(),
        }
    }
}

/// The first pod of a namespace whose name begins so.
fn pod_of(world: &World, namespace: &str, prefix: &str) -> Option<String> {
    let wanted = format!("{namespace}/{prefix}");
    let found = world.spoken_pods.iter().find(|pod| pod.starts_with(&wanted))?;
    found.split_once('/').map(|(_, name)| name.to_owned())
}

/// Lets the first log whose path holds `part` tell these lines.
fn tell(world: &mut World, part: &str, lines: impl IntoIterator<Item = (i64, String)>) {
    let Some(log) = world.logs.iter_mut().find(|log| log.path.contains(part)) else { return };
    lines.into_iter().for_each(|(at, line)| log.tell(at, line));
}

/// Fleet's status of a bundle of which one resource is not ready.
fn not_ready(status: &mut Value, resource: &Value, message: &str, since: i64) {
    let summary = json!({
        "desiredReady": 1, "notReady": 1, "ready": 0,
        "nonReadyResources": [{"bundleState": "NotReady", "name": "fleet-local/local", "nonReadyStatus": [resource]}],
    });
    status["conditions"][0] =
        json!({"type": "Ready", "status": "False", "message": message, "lastUpdateTime": rfc3339(since)});
    status["display"] = json!({"readyClusters": "0/1", "state": "NotReady"});
    status["unavailable"] = json!(1);
    status["partitions"][0]["unavailable"] = json!(1);
    status["partitions"][0]["summary"] = summary.clone();
    status["summary"] = summary;
}

/// Fleet's status of the local cluster when one of so many bundles is not ready.
fn one_bundle_not_ready(cluster: &mut Value, bundles: usize) {
    let ready = bundles.saturating_sub(1);
    cluster["status"]["display"] = json!({"readyBundles": format!("{ready}/{bundles}"), "state": "NotReady"});
    cluster["status"]["summary"] = json!({"desiredReady": bundles, "ready": ready, "notReady": 1});
}
