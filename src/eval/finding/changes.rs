//! What was created, changed or started shortly before a finding began: itself, what it depends on, the controllers of pods and their
//! configuration, the pods that run what it depends on, its nodes, and an upgrade of the cluster.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use crate::dependency::DependencyGraph;
use crate::eval::finding::conditions::{not_ready, transition};
use crate::eval::input::Input;
use crate::log::NodeStart;
use crate::model::{Change, ChangeKind, Component, ObjectRef, Origin};
use crate::resource::{Resource, ResourceIndex, parse_time, scalar_at};
use crate::yaml::Node;

/// Changes are listed from so long before the first sign.
const BEFORE: SignedDuration = SignedDuration::from_hours(2);
/// Clocks of nodes differ.
const AFTER: SignedDuration = SignedDuration::from_mins(5);
/// Largest number of changes listed.
const MOST: usize = 5;
/// Owners above a pod: ReplicaSet and Deployment, Job and CronJob.
const LEVELS: usize = 2;
/// An upgrade of Harvester restarts and replaces everything.
const UPGRADES: &str = "upgrades.harvesterhci.io";
/// Fields that say what somebody wants, as [managedFields](https://kubernetes.io/docs/reference/using-api/server-side-apply/) name them;
/// others are metadata and status.
const WANTED: [&str; 6] = ["f:spec", "f:data", "f:stringData", "f:webhooks", "f:value", "f:parameters"];
/// Controllers that write such fields while they work.
const CONTROLLERS: [&str; 5] =
    ["kube-controller-manager", "kube-scheduler", "kubelet", "longhorn-manager", "virt-controller"];

/// Returns the latest changes before a time.
pub fn changes(
    input: &Input,
    graph: &DependencyGraph<'_>,
    components: &[Component],
    begin: Option<Timestamp>,
) -> Vec<Change> {
    let Some(begin) = begin else { return Vec::new() };
    let index = &input.world.resources;
    let age = |at: Timestamp| begin.duration_since(at);
    let is_near = |at: Timestamp| age(at) <= BEFORE && age(at) >= -AFTER;
    let resources = concerned(index, components);
    let written = resources.into_iter().flat_map(|resource| created(resource).into_iter().chain(changed(resource)));
    let started = components.iter().flat_map(|component| starts(input, graph, component));
    // That a pod which is not well was started again is no reason; that a node was is.
    let is_itself = |change: &Change| components.contains(&Component::Object(change.object.clone()));
    let started = started.filter(|change| change.object.kind == "Node" || !is_itself(change));
    let mut found: Vec<Change> = written.chain(started).filter(|change| is_near(change.at)).collect();
    let upgrades = index.all(UPGRADES).filter(|upgrade| lasts_until(upgrade, begin)).filter_map(created);
    found.extend(upgrades.filter(|change| age(change.at) >= -AFTER));
    found.sort_by(|a, b| (b.at, &a.object).cmp(&(a.at, &b.object)));
    found.dedup_by(|next, kept| next.object == kept.object);
    found.truncate(MOST);
    found
}

/// Returns the last starts of the pods that run a component and are well: those of others are consequences. Of a node also its boots.
fn starts(input: &Input, graph: &DependencyGraph<'_>, component: &Component) -> Vec<Change> {
    let pods = graph.pods_of(component);
    let well = pods.iter().filter(|pod| not_ready(pod).is_none());
    let mut found: Vec<Change> = well.filter_map(|pod| started(pod)).collect();
    if let Component::Node { node, .. } = component {
        let boots = input.logs.boots().get(node).into_iter().flatten();
        found.extend(boots.map(|NodeStart { at, origin }| Change {
            at: *at,
            object: ObjectRef::new("", "Node", None, node),
            origin: origin.clone(),
            kind: ChangeKind::Started,
        }));
    }
    found
}

/// Returns the last start of a container of a pod.
fn started(pod: &Resource) -> Option<Change> {
    let statuses = pod.body().path(&["status", "containerStatuses"]).into_iter().flat_map(Node::items);
    let starts = statuses.filter_map(|status| status.path(&["state", "running", "startedAt"]));
    let started = starts.filter_map(|stamp| change(pod, stamp, ChangeKind::Started));
    started.max_by_key(|change| change.at)
}

/// Returns whether an upgrade was not completed at a time.
fn lasts_until(upgrade: &Resource, begin: Timestamp) -> bool {
    let mut conditions = upgrade.body().path(&["status", "conditions"]).into_iter().flat_map(Node::items);
    let completed = conditions.find(|condition| {
        scalar_at(*condition, &["type"]) == Some("Completed") && scalar_at(*condition, &["status"]) == Some("True")
    });
    completed.is_none_or(|completed| transition(completed).is_some_and(|at| begin.duration_since(at) <= BEFORE))
}

/// Returns since when the nearest object that says so is not ready.
pub fn not_ready_since(index: &ResourceIndex, components: &[Component]) -> Option<Timestamp> {
    let objects = components.iter().filter_map(|component| match component {
        Component::Object(object) => index.find(object),
        _ => None,
    });
    objects.filter_map(|object| transition(not_ready(object)?)).next()
}

/// Returns the objects of the components, with the controllers and the configuration of pods.
fn concerned<'i>(index: &'i ResourceIndex, components: &[Component]) -> Vec<&'i Resource> {
    let mut wanted: BTreeSet<ObjectRef> = BTreeSet::new();
    for component in components {
        match component {
            Component::Object(object) => wanted.extend(with_owners(index, object.clone())),
            Component::Node { node, .. } => wanted.extend([ObjectRef::new("", "Node", None, node)]),
            Component::Cluster(_) => {}
        }
    }
    wanted.iter().filter_map(|object| index.find(object)).collect()
}

fn with_owners(index: &ResourceIndex, object: ObjectRef) -> Vec<ObjectRef> {
    let mut all = vec![object];
    for _ in 0..=LEVELS {
        let Some(resource) = all.last().and_then(|last| index.find(last)) else { break };
        let Some(owner) = resource.owner() else { break };
        all.push(owner);
    }
    let pod = all.first().and_then(|first| index.find(first)).filter(|resource| &*resource.kind == "Pod");
    all.extend(pod.into_iter().flat_map(configuration));
    all
}

/// Returns the ConfigMaps and Secrets that a pod mounts.
fn configuration(pod: &Resource) -> Vec<ObjectRef> {
    let volumes = pod.body().path(&["spec", "volumes"]).into_iter().flat_map(Node::items);
    let of = |kind, name| ObjectRef::new("", kind, pod.namespace.as_deref(), name);
    let mounted = volumes.filter_map(|volume| {
        let map = scalar_at(volume, &["configMap", "name"]).map(|name| of("ConfigMap", name));
        map.or_else(|| scalar_at(volume, &["secret", "secretName"]).map(|name| of("Secret", name)))
    });
    mounted.collect()
}

/// Pods are made again by their controllers; what is new is the ReplicaSet of a rollout.
fn created(resource: &Resource) -> Option<Change> {
    let stamp = resource.body().path(&["metadata", "creationTimestamp"]).filter(|_| &*resource.kind != "Pod")?;
    change(resource, stamp, ChangeKind::Created)
}

fn changed(resource: &Resource) -> impl Iterator<Item = Change> {
    let entries = resource.body().path(&["metadata", "managedFields"]).into_iter().flat_map(Node::items);
    entries.filter_map(|entry| {
        let manager = scalar_at(entry, &["manager"]).filter(|manager| !CONTROLLERS.contains(manager))?;
        let fields = entry.get("fieldsV1")?;
        let is_wanted = WANTED.iter().any(|field| fields.get(field).is_some()) && &*resource.kind != "Pod";
        let kind = ChangeKind::Changed { by: manager.to_owned() };
        change(resource, entry.get("time").filter(|_| is_wanted)?, kind)
    })
}

fn change(resource: &Resource, stamp: Node<'_>, kind: ChangeKind) -> Option<Change> {
    let at = parse_time(stamp.text())?;
    let origin = Origin::line(Arc::clone(&resource.entry), stamp.line());
    Some(Change { at, object: resource.object(), origin, kind })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::testing::input;
    use crate::model::{ClusterService, NodePart};
    use std::slice::from_ref;

    const DEPLOYMENT: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n  namespace: shop\n  creationTimestamp: '2026-01-01T00:00:00Z'\n  managedFields:\n  - {manager: kubectl-edit, operation: Update, time: '2026-03-01T09:30:00Z', fieldsV1: {'f:spec': {}}}\n  - {manager: kube-controller-manager, operation: Update, time: '2026-03-01T09:40:00Z', fieldsV1: {'f:spec': {}}}\n  - {manager: helm, operation: Update, time: '2026-03-01T09:45:00Z', fieldsV1: {'f:status': {}}}\n";
    const SET: &str = "apiVersion: apps/v1\nkind: ReplicaSet\nmetadata:\n  name: web-1\n  namespace: shop\n  creationTimestamp: '2026-03-01T09:30:01Z'\n  ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, controller: true, uid: u}]\n";
    const POD: &str = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web-1-x\n  namespace: shop\n  creationTimestamp: '2026-03-01T09:30:02Z'\n  ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web-1, controller: true, uid: v}]\nspec:\n  volumes: [{configMap: {name: settings}}]\n";
    const SETTINGS: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\n  namespace: shop\n  creationTimestamp: '2026-01-01T00:00:00Z'\n  managedFields:\n  - {manager: argocd, operation: Update, time: '2026-03-01T09:50:00Z', fieldsV1: {'f:data': {}}}\n";

    fn found(begin: &str) -> Vec<String> {
        let input = input(&[DEPLOYMENT, SET, POD, SETTINGS].map(str::to_owned), &[]);
        let pod = Component::Object(ObjectRef::new("", "Pod", Some("shop"), "web-1-x"));
        shown(&input, &[pod], begin)
    }

    fn shown(input: &Input, components: &[Component], begin: &str) -> Vec<String> {
        let graph = DependencyGraph::new(&input.world.resources);
        let changes = changes(input, &graph, components, begin.parse().ok());
        let words =
            |change: Change| format!("{} {}", change.object, change.kind.client().unwrap_or(change.kind.as_str()));
        changes.into_iter().map(words).collect()
    }

    #[test]
    fn what_runs_a_component_may_have_started() {
        let pod = |name: &str, labels: &str, ready: &str| {
            format!(
                "{{apiVersion: v1, kind: Pod, metadata: {{name: {name}, namespace: kube-system, labels: {{{labels}}}}}, spec: {{nodeName: n1}}, \
                 status: {{conditions: [{{type: Ready, status: '{ready}'}}], containerStatuses: \
                 [{{state: {{running: {{startedAt: '2026-03-01T09:00:00Z'}}}}}}, {{state: {{running: {{startedAt: '2026-03-01T09:50:00Z'}}}}}}]}}}}"
            )
        };
        let pods = [
            pod("apiserver", "component: kube-apiserver", "True"),
            pod("broken", "component: kube-apiserver", "False"),
            pod("canal", "k8s-app: canal", "True"),
            pod("web", "app: web", "True"),
        ];
        let input = input(&pods, &[]);
        let api = Component::Cluster(ClusterService::Api);
        let network = |node: &str| Component::Node { node: node.to_owned(), part: NodePart::PodNetwork };
        let at = "2026-03-01T10:00:00Z";
        assert_eq!(shown(&input, from_ref(&api), at), ["Pod/kube-system/apiserver started"]);
        assert_eq!(shown(&input, &[network("n1")], at), ["Pod/kube-system/canal started"]);
        assert_eq!(shown(&input, &[network("n2")], at), [""; 0]);
        assert_eq!(shown(&input, from_ref(&api), "2026-03-01T09:40:00Z"), [""; 0], "ten minutes before the start");
        let itself = Component::Object(ObjectRef::new("", "Pod", Some("kube-system"), "canal"));
        assert_eq!(shown(&input, &[itself, network("n1")], at), [""; 0]);
    }

    #[test]
    fn an_upgrade_in_progress_is_said_however_long_it_lasts() {
        let found = |completed: &str, begin: &str| {
            let upgrade = format!(
                "{{apiVersion: harvesterhci.io/v1beta1, kind: Upgrade, metadata: {{name: hvst-upgrade-a, namespace: harvester-system, \
                 creationTimestamp: '2026-03-01T02:00:00Z'}}, status: {{conditions: [{{type: Completed, {completed}}}]}}}}"
            );
            shown(&input(&[upgrade], &[]), &[], begin).len()
        };
        let ended = "status: 'True', lastUpdateTime: '2026-03-01T06:00:00Z'";
        assert_eq!(found("status: Unknown", "2026-03-01T10:00:00Z"), 1);
        assert_eq!(found("status: Unknown", "2026-03-01T01:00:00Z"), 0, "before it");
        assert_eq!(found(ended, "2026-03-01T07:00:00Z"), 1);
        assert_eq!(found(ended, "2026-03-01T10:00:00Z"), 0, "long after it");
    }

    #[test]
    fn rollouts_and_changes_of_what_is_wanted_are_found() {
        let all = [
            "ConfigMap/shop/settings argocd",
            "ReplicaSet.apps/shop/web-1 created",
            "Deployment.apps/shop/web kubectl-edit",
        ];
        assert_eq!(found("2026-03-01T10:00:00Z"), all);
        assert_eq!(found("2026-03-01T09:40:00Z"), all[1..]);
    }

    #[test]
    fn the_nearest_object_that_is_not_ready_says_since_when() {
        let pod = format!(
            "{POD}status:\n  conditions: [{{type: Ready, status: 'False', lastTransitionTime: '2026-03-01T09:31:00Z'}}]\n"
        );
        let input = input(&[DEPLOYMENT.to_owned(), pod], &[]);
        let object =
            |group: &str, kind: &str, name: &str| Component::Object(ObjectRef::new(group, kind, Some("shop"), name));
        let (deployment, pod) = (object("apps", "Deployment", "web"), object("", "Pod", "web-1-x"));
        let since = |components: &[Component]| not_ready_since(&input.world.resources, components);
        assert_eq!(since(&[deployment.clone(), pod]), "2026-03-01T09:31:00Z".parse().ok());
        assert_eq!(since(&[deployment]), None);
    }

    #[test]
    fn what_is_long_ago_later_or_without_a_beginning_says_nothing() {
        for begin in ["2026-03-01T12:30:00Z", "2026-03-01T09:00:00Z", ""] {
            assert_eq!(found(begin), [""; 0], "{begin}");
        }
    }
}
