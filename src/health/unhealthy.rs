//! The list of objects in trouble: found by what they report, grouped by workload, without those that findings are about.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use rayon::prelude::*;

use crate::dependency::{ComponentId, DependencyGraph};
use crate::expr::World;
use crate::known_lines::KnownHere;
use crate::model::difference::Health;
use crate::model::inventory::Shown;
use crate::model::unhealthy::{Unhealthy, UnhealthyGroup, UnhealthyObject};
use crate::model::{Component, Finding, ObjectRef, Origin, Severity, secret};
use crate::resource::{ResourceId, ResourceIndex};

use super::dependents::dependents;
use super::judge::{Judge, Judgement};
use super::{owner, pod, restarts, warnings};

/// Most groups that reports list, and most objects of a group.
const MOST_GROUPS: usize = 200;
const MOST_MEMBERS: usize = 20;
/// Most troubles of one object, and the length of one in characters.
const MOST_TROUBLES: usize = 5;
const MOST_TEXT: usize = 300;
/// Objects of one kind that report the same are one group from this number on.
const ALIKE: usize = 6;

/// Object in trouble, before it is grouped.
struct Broken {
    workload: ObjectRef,
    severity: Severity,
    shown: UnhealthyObject,
}

impl Broken {
    fn is_pod(&self) -> bool {
        (self.shown.object.group.as_str(), self.shown.object.kind.as_str()) == ("", "Pod")
    }
}

/// What rules found: findings, the events that they are made of, and what they break.
#[derive(Clone, Copy, Debug)]
pub struct Explained<'e> {
    pub findings: &'e [Finding],
    pub events: &'e BTreeSet<ResourceId>,
    pub broken: &'e BTreeSet<Component>,
}

/// Lists what is not healthy; objects of findings are only counted.
pub fn unhealthy(world: &World, found: Explained<'_>, known: KnownHere<'_>) -> Unhealthy {
    let findings = found.findings;
    let mut named: BTreeSet<ObjectRef> = findings.iter().flat_map(|finding| finding.objects.iter().cloned()).collect();
    named.extend(named.iter().filter_map(machine_of).collect::<Vec<_>>());
    let resources = &world.resources;
    let ids: BTreeSet<ResourceId> =
        resources.types().iter().flat_map(|name| resources.of_type(name)).copied().collect();
    let judge = Judge::new(world);
    let broken: Vec<Broken> = ids.into_par_iter().filter_map(|id| broken(&judge, world, id)).collect();
    let is_explained = |object: &Broken| named.contains(&object.shown.object) || named.contains(&object.workload);
    let (mut explained, mut open): (Vec<_>, Vec<_>) = broken.into_iter().partition(is_explained);
    explained.extend(take_workloads(&mut open, &explained));
    explained.extend(take_followers(&mut open, &world.resources, found.broken));
    let times = restarts::times_in_evidence(findings);
    let is_known = |object: &Broken| object.shown.since.is_some_and(|at| times.contains(&at)) || is_explained(object);
    let (in_findings, others): (Vec<_>, Vec<_>) = restarted(world).into_iter().partition(is_known);
    explained.extend(in_findings);
    open.extend(others);
    let mut groups = Shown::first(groups(world, open), MOST_GROUPS, None);
    warnings::add_events(world, groups.items.iter_mut().flat_map(|group| &mut group.members.items));
    let (warnings, benign) = warnings::warnings(world, known, |event| {
        named.contains(&event.object) || found.events.contains(&event.resource)
    });
    Unhealthy { objects: groups, warnings, explained: explained.len(), benign, ..Unhealthy::default() }
}

fn workloads_of_pods(objects: &[Broken]) -> BTreeSet<ObjectRef> {
    objects.iter().filter(|object| object.is_pod()).map(|object| object.workload.clone()).collect()
}

/// Takes out what is not healthy only because its pods are not: workloads of explained pods, unless another pod of theirs is not explained.
fn take_workloads(open: &mut Vec<Broken>, explained: &[Broken]) -> Vec<Broken> {
    let (known, unknown) = (workloads_of_pods(explained), workloads_of_pods(open));
    let follows = |object: &mut Broken| {
        !object.is_pod() && known.contains(&object.workload) && !unknown.contains(&object.workload)
    };
    open.extract_if(.., follows).collect()
}

/// Takes out what only waits for something that a finding says is broken, such as pods that cannot end on a node that is down, and
/// controllers all of whose pods wait so. What fails by itself stays: a crash loop may have another cause.
fn take_followers(open: &mut Vec<Broken>, resources: &ResourceIndex, broken: &BTreeSet<Component>) -> Vec<Broken> {
    if broken.is_empty() {
        return Vec::new();
    }
    let mut graph = DependencyGraph::new(resources);
    let failing = workloads_of_pods(open);
    let waits = |object: &mut Broken| {
        let own = graph.id(Component::Object(object.shown.object.clone()));
        if object.severity <= Severity::Medium {
            return depends(&mut graph, own, broken);
        }
        let is_controller = object.shown.object.group == "apps" && !failing.contains(&object.workload);
        is_controller && pods_depend(&mut graph, own, broken)
    };
    open.extract_if(.., waits).collect()
}

/// Returns true if a component depends on one that is broken.
fn depends(graph: &mut DependencyGraph<'_>, own: ComponentId, broken: &BTreeSet<Component>) -> bool {
    let reached = graph.reach(&[own], |_, _| true);
    reached.iter().any(|reached| broken.contains(graph.component(reached.component)))
}

/// Returns true if a controller has pods that are not ready, and each of them depends on something broken.
fn pods_depend(graph: &mut DependencyGraph<'_>, controller: ComponentId, broken: &BTreeSet<Component>) -> bool {
    let is_pod = |component: &Component| matches!(component, Component::Object(object) if object.kind == "Pod");
    let reached = graph.reach(&[controller], |_, _| true);
    let pods = reached.iter().map(|reached| reached.component).filter(|&id| is_pod(graph.component(id)));
    let pods: Vec<ComponentId> = pods.collect();
    !pods.is_empty() && pods.into_iter().all(|pod| depends(graph, pod, broken))
}

/// Returns the virtual machine of an instance: the state of one is that of the other.
fn machine_of(object: &ObjectRef) -> Option<ObjectRef> {
    let is_instance = (object.group.as_str(), object.kind.as_str()) == ("kubevirt.io", "VirtualMachineInstance");
    is_instance.then(|| ObjectRef { kind: "VirtualMachine".to_owned(), ..object.clone() })
}

fn broken(judge: &Judge<'_>, world: &World, id: ResourceId) -> Option<Broken> {
    let resource = world.resources.resource(id);
    let Judgement { health: Health { troubles, .. }, severity, details, line, since } = judge.of(id)?;
    let first = troubles.first()?;
    let first = details.map_or_else(|| first.clone(), |details| format!("{first}, {details}"));
    let texts = std::iter::once(&first).chain(troubles.iter().skip(1));
    let text = |trouble: &String| secret::redact(trouble).chars().take(MOST_TEXT).collect();
    Some(Broken {
        workload: owner::workload(world, resource),
        severity,
        shown: UnhealthyObject {
            since,
            container: pod::container_in_trouble(resource),
            ..UnhealthyObject::new(
                resource.object(),
                texts.take(MOST_TROUBLES).map(text).collect(),
                Origin::line(resource.entry.clone(), line),
            )
        },
    })
}

/// Returns pods whose containers ended together; those of one second are one group, about the first pod.
fn restarted(world: &World) -> Vec<Broken> {
    let mut first: BTreeMap<Timestamp, ObjectRef> = BTreeMap::new();
    let pods = restarts::ended_together(world).into_iter();
    let broken = |(at, shown): (Timestamp, UnhealthyObject)| {
        let workload = first.entry(at).or_insert_with(|| shown.object.clone()).clone();
        Broken { workload, severity: Severity::Low, shown }
    };
    pods.map(broken).collect()
}

/// Groups objects by workload, and workloads of one kind that report the same.
fn groups(world: &World, broken: Vec<Broken>) -> Vec<UnhealthyGroup> {
    let objects: BTreeSet<&ObjectRef> = broken.iter().map(|object| &object.shown.object).collect();
    let dependents = if objects.len() > 1 { dependents(&world.resources, &objects) } else { BTreeMap::new() };
    let mut alike: BTreeMap<(String, String), usize> = BTreeMap::new();
    for object in &broken {
        *alike.entry(likeness(object)).or_default() += 1;
    }
    let mut groups: BTreeMap<(ObjectRef, String), Vec<Broken>> = BTreeMap::new();
    let mut first: BTreeMap<(String, String), ObjectRef> = BTreeMap::new();
    for object in broken {
        let likeness = likeness(&object);
        let many = alike.get(&likeness).is_some_and(|count| *count >= ALIKE);
        let subject = if many {
            first.entry(likeness.clone()).or_insert_with(|| object.workload.clone()).clone()
        } else {
            object.workload.clone()
        };
        let key = (subject, if many { likeness.1 } else { String::new() });
        groups.entry(key).or_default().push(object);
    }
    let mut groups: Vec<UnhealthyGroup> =
        groups.into_iter().filter_map(|((subject, _), list)| group(subject, list, &dependents)).collect();
    groups.sort_by(|a, b| {
        let key = |group: &UnhealthyGroup| {
            let members = group.members.items.len() + group.members.left_out;
            (Reverse(group.severity), Reverse(group.dependents), Reverse(members))
        };
        key(a).cmp(&key(b)).then_with(|| a.subject.cmp(&b.subject))
    });
    groups
}

/// Kind of the workload, and the trouble without numbers.
fn likeness(object: &Broken) -> (String, String) {
    let trouble = object.shown.troubles.first().map_or("", String::as_str);
    let words = trouble.split(", ").next().unwrap_or_default();
    (object.workload.kind.clone(), words.replace(|c: char| c.is_ascii_digit(), "#"))
}

fn group(subject: ObjectRef, mut list: Vec<Broken>, dependents: &BTreeMap<ObjectRef, usize>) -> Option<UnhealthyGroup> {
    let dependents = list.iter().filter_map(|object| dependents.get(&object.shown.object)).sum();
    let severity = list.iter().map(|object| object.severity).max()?;
    // The status of a pod says more than that of its workload.
    list.sort_by(|a, b| {
        let key = |object: &Broken| (!object.is_pod(), Reverse(object.severity));
        key(a).cmp(&key(b)).then_with(|| a.shown.object.cmp(&b.shown.object))
    });
    let members = list.into_iter().map(|object| object.shown).collect();
    Some(UnhealthyGroup { subject, severity, dependents, members: Shown::first(members, MOST_MEMBERS, None) })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::known_lines::KnownLines;
    use crate::model::NodePart;
    use crate::resource::IndexBuilder;
    use crate::yaml;

    const NOW: &str = "2026-03-01T12:00:00Z";

    fn found(text: &str) -> Unhealthy {
        found_beside(text, &BTreeSet::new())
    }

    fn found_beside(text: &str, broken: &BTreeSet<Component>) -> Unhealthy {
        let mut builder = IndexBuilder::default();
        builder.add_document("a.yaml".into(), &Arc::new(yaml::parse(text.as_bytes().to_vec()).0));
        let world = World::new(Arc::new(builder.finish().0), NOW.parse().ok(), BTreeMap::new());
        let (lines, versions) = (KnownLines::default(), BTreeMap::new());
        unhealthy(
            &world,
            Explained { findings: &[], events: &BTreeSet::new(), broken },
            KnownHere { lines: &lines, versions: &versions },
        )
    }

    fn shown(unhealthy: &Unhealthy) -> Vec<String> {
        let line = |group: &UnhealthyGroup| {
            let members = &group.members;
            let count = members.items.len() + members.left_out;
            format!("{} {} {count}: {}", group.severity.as_str(), group.subject, members.items[0].troubles.join("; "))
        };
        unhealthy.objects.items.iter().map(line).collect()
    }

    #[test]
    fn a_manifest_beside_a_dump_is_not_judged() {
        let deployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: shop, namespace: a";
        let found = |rest: &str| shown(&found(&format!("{deployment}{rest}\nspec: {{replicas: 1}}\n")));
        assert_eq!(found("}"), Vec::<String>::new());
        assert_eq!(found(", uid: u}"), ["high Deployment.apps/a/shop 1: InProgress: Replicas: 0/1"]);
    }

    fn pod(name: &str, owner: &str, state: &str) -> String {
        format!(
            "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, namespace: shop, ownerReferences: [{{apiVersion: apps/v1, \
             kind: ReplicaSet, name: {owner}, controller: true}}]}}\nspec: {{containers: [{{name: a}}]}}\nstatus: {{phase: Running, \
             containerStatuses: [{{name: a, ready: false, restartCount: 7, state: {{{state}}}, lastState: {{terminated: {{exitCode: 137, \
             reason: OOMKilled}}}}}}]}}\n"
        )
    }

    #[test]
    fn a_looping_pod_is_shown_with_its_workload_and_last_end() {
        let text = pod("web-1", "web", "waiting: {reason: CrashLoopBackOff}") + &pod("web-2", "web", "running: {}");
        let wanted = "high ReplicaSet.apps/shop/web 2: CrashLoopBackOff, 0/1 ready, 7 restarts, last ended OOMKilled (exit code 137)";
        assert_eq!(shown(&found(&text)), [wanted]);
    }

    #[test]
    fn workloads_follow_their_pods_when_all_of_those_are_explained() {
        let broken = |kind: &str, name: &str, workload: &str| {
            let object = |kind: &str, name: &str| {
                let group = if kind == "Pod" { "" } else { "apps" };
                ObjectRef::new(group, kind, Some("shop"), name)
            };
            let shown = UnhealthyObject::new(object(kind, name), vec!["x".into()], Origin::line("a.yaml", 1));
            Broken { workload: object("Deployment", workload), severity: Severity::High, shown }
        };
        let explained = [broken("Pod", "web-1", "web"), broken("Pod", "db-1", "db")];
        let mut open = vec![
            broken("ReplicaSet", "web-x", "web"),
            broken("Deployment", "web", "web"),
            broken("Deployment", "db", "db"),
            broken("Pod", "db-2", "db"),
            broken("Deployment", "other", "other"),
        ];
        let names =
            |objects: &[Broken]| objects.iter().map(|object| object.shown.object.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&take_workloads(&mut open, &explained)), ["web-x", "web"]);
        assert_eq!(names(&open), ["db", "db-2", "other"]);
    }

    #[test]
    fn what_waits_for_a_broken_node_is_explained_and_a_crash_loop_is_not() {
        let on = |name: &str, node: &str, more: &str, state: &str| {
            format!(
                "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, namespace: shop{more}}}\nspec: {{nodeName: {node}, containers: \
                 [{{name: a}}]}}\nstatus: {{phase: Running, containerStatuses: [{{name: a, ready: false, restartCount: 1, state: \
                 {{{state}}}}}]}}\n"
            )
        };
        let ended = ", deletionTimestamp: '2026-03-01T11:00:00Z'";
        let text = on("a", "n1", ended, "running: {}")
            + &on("b", "n2", ended, "running: {}")
            + &on("c", "n1", "", "waiting: {reason: CrashLoopBackOff}");
        let kubelet = Component::Node { node: "n1".to_owned(), part: NodePart::Kubelet };
        let names = |broken: &[Component]| -> (usize, Vec<String>) {
            let found = found_beside(&text, &broken.iter().cloned().collect());
            (found.explained, found.objects.items.iter().map(|group| group.subject.name.clone()).collect())
        };
        assert_eq!(names(&[]), (0, ["c", "a", "b"].map(str::to_owned).to_vec()));
        assert_eq!(names(&[kubelet]), (1, ["c", "b"].map(str::to_owned).to_vec()));
    }

    #[test]
    fn a_virtual_machine_that_was_edited_since_its_start_is_healthy() {
        let machine = |status: &str| {
            format!(
                "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {{name: vm, namespace: shop, uid: u, generation: 2}}\nspec: \
                 {{runStrategy: Always}}\nstatus: {{observedGeneration: 1, desiredGeneration: 2, created: true, {status}}}\n"
            )
        };
        let ready = "ready: true, printableStatus: Running, conditions: [{type: Ready, status: 'True'}]";
        assert_eq!(shown(&found(&machine(ready))), Vec::<String>::new());
        let failing =
            "printableStatus: ErrorUnschedulable, conditions: [{type: Ready, status: 'False', message: no node}]";
        assert_eq!(shown(&found(&machine(failing))).len(), 1);
    }

    #[test]
    fn a_controller_waits_for_broken_nodes_only_if_all_its_pods_that_are_not_ready_do() {
        let set = "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: agent, namespace: shop, uid: u, generation: 1}\nspec: \
                   {}\nstatus: {desiredNumberScheduled: 2, currentNumberScheduled: 2, updatedNumberScheduled: 2, numberReady: 0, \
                   observedGeneration: 1}\n";
        let pod = |name: &str, node: &str| {
            format!(
                "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, namespace: shop, ownerReferences: [{{apiVersion: apps/v1, \
                 kind: DaemonSet, name: agent, controller: true, uid: u}}]}}\nspec: {{nodeName: {node}, containers: [{{name: \
                 a}}]}}\nstatus: {{phase: Running, conditions: [{{type: Ready, status: 'False'}}], containerStatuses: [{{name: a, ready: \
                 true, restartCount: 0, state: {{running: {{}}}}}}]}}\n"
            )
        };
        let text = set.to_owned() + &pod("agent-a", "n1") + &pod("agent-b", "n2");
        let kubelet = |node: &str| Component::Node { node: node.to_owned(), part: NodePart::Kubelet };
        let left =
            |nodes: &[&str]| shown(&found_beside(&text, &nodes.iter().map(|node| kubelet(node)).collect())).len();
        assert_eq!(left(&[]), 1);
        assert_eq!(left(&["n1"]), 1);
        assert_eq!(left(&["n1", "n2"]), 0);
    }

    #[test]
    fn failed_pods_that_nobody_misses_are_left_out() {
        let pod = |name: &str, kind: &str, owner: &str| {
            format!(
                "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, namespace: shop, ownerReferences: [{{apiVersion: {}, kind: \
                 {kind}, name: {owner}, controller: true}}]}}\nspec: {{containers: [{{name: a}}]}}\nstatus: {{phase: Failed, \
                 containerStatuses: [{{name: a, ready: false, restartCount: 0, state: {{terminated: {{exitCode: 1, reason: Error}}}}}}]}}\n",
                match kind {
                    "Job" => "batch/v1",
                    "VirtualMachineInstance" => "kubevirt.io/v1",
                    _ => "apps/v1",
                }
            )
        };
        let machine = |phase: &str| {
            format!(
                "---\napiVersion: kubevirt.io/v1\nkind: VirtualMachineInstance\nmetadata: {{name: vm1, namespace: shop}}\nstatus: {{phase: \
                 {phase}}}\n"
            )
        };
        let job = |name: &str, complete: &str| {
            format!(
                "---\napiVersion: batch/v1\nkind: Job\nmetadata: {{name: {name}, namespace: shop}}\nstatus: {{startTime: \
                 '2026-03-01T08:00:00Z', conditions: [{{type: Complete, status: '{complete}'}}]}}\n"
            )
        };
        let set = |name: &str, ready: u8| {
            format!(
                "---\napiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {{name: {name}, namespace: shop}}\nspec: {{replicas: 2}}\nstatus: \
                 {{replicas: 2, readyReplicas: {ready}, availableReplicas: {ready}, fullyLabeledReplicas: 2}}\n"
            )
        };
        let done =
            pod("job-1", "Job", "done") + &job("done", "True") + &pod("web-1", "ReplicaSet", "web") + &set("web", 2);
        assert_eq!(shown(&found(&done)), Vec::<String>::new());
        let launcher = pod("virt-launcher-vm1-a", "VirtualMachineInstance", "vm1");
        assert_eq!(shown(&found(&(launcher.clone() + &machine("Running")))), Vec::<String>::new(), "it was migrated");
        assert_eq!(shown(&found(&(launcher + &machine("Scheduling")))).len(), 1);
        let open =
            pod("job-1", "Job", "done") + &job("done", "False") + &pod("web-1", "ReplicaSet", "web") + &set("web", 1);
        let lines = shown(&found(&open));
        assert!(lines.iter().any(|line| line.contains("Job.batch/shop/done")), "{lines:?}");
        assert!(lines.iter().any(|line| line.contains("ReplicaSet.apps/shop/web")), "{lines:?}");
    }

    #[test]
    fn an_add_on_that_is_disabled_retains_the_condition_of_its_last_failure() {
        let add_on = |enabled: bool, state: &str| {
            format!(
                "---\napiVersion: harvesterhci.io/v1beta1\nkind: Addon\nmetadata: {{name: vm-import-controller, namespace: harvester-system}}\n\
                 spec: {{enabled: {enabled}}}\nstatus: {{status: {state}, conditions: [{{type: OperationFailed, status: 'True'}}]}}\n"
            )
        };
        for (enabled, state, want) in [
            (true, "AddonEnabling", 1),
            (false, "AddonDisabling", 1),
            (true, "AddonDisabled", 1),
            (false, "AddonDisabled", 0),
        ] {
            assert_eq!(shown(&found(&add_on(enabled, state))).len(), want, "{enabled} {state}");
        }
    }

    #[test]
    fn an_upgrade_that_succeeded_is_no_longer_available() {
        let plan = |phase: &str| {
            format!(
                "---\napiVersion: management.harvesterhci.io/v1beta1\nkind: UpgradePlan\nmetadata: {{name: hvst-upgrade-a}}\nstatus: \
                 {{currentPhase: {phase}, conditions: [{{type: Available, status: 'False', reason: Executed}}]}}\n"
            )
        };
        assert_eq!(shown(&found(&plan("Succeeded"))), Vec::<String>::new());
        assert_eq!(shown(&found(&plan("NodeUpgrading"))).len(), 1);
    }

    #[test]
    fn a_migration_that_was_repeated_is_left_out() {
        let migration = |name: &str, phase: &str, hour: u8| {
            format!(
                "---\napiVersion: kubevirt.io/v1\nkind: VirtualMachineInstanceMigration\nmetadata: {{name: {name}, namespace: shop, \
                 creationTimestamp: '2026-03-01T{hour:02}:00:00Z'}}\nspec: {{vmiName: vm1}}\nstatus: {{phase: {phase}}}\n"
            )
        };
        let failed = migration("a", "Failed", 8);
        assert_eq!(shown(&found(&failed)), ["high VirtualMachine.kubevirt.io/shop/vm1 1: Failed"]);
        assert_eq!(shown(&found(&(failed.clone() + &migration("b", "Succeeded", 9)))), Vec::<String>::new());
        assert_eq!(shown(&found(&(failed + &migration("b", "Succeeded", 7)))).len(), 1, "the last one failed");
    }

    #[test]
    fn a_claim_of_cdi_is_lost_when_its_volume_belongs_to_the_disk() {
        let claim = |name: &str, uid: &str, phase: &str| {
            format!(
                "---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {{name: {name}, namespace: shop, uid: {uid}}}\nstatus: \
                 {{phase: {phase}}}\n"
            )
        };
        let of_cdi =
            |prefix: &str, disk: &str| claim(&format!("{prefix}u1"), "u2", "Lost") + &claim("disk", "u1", disk);
        assert_eq!(shown(&found(&of_cdi("prime-", "Bound"))), Vec::<String>::new());
        assert_eq!(shown(&found(&of_cdi("tmp-pvc-", "Bound"))), Vec::<String>::new());
        assert_eq!(shown(&found(&of_cdi("prime-", "Lost"))).len(), 2);
        assert_eq!(shown(&found(&of_cdi("other-", "Bound"))).len(), 1);
    }

    #[test]
    fn nodes_come_first_and_what_has_just_begun_is_left_out() {
        let text = "---\napiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: {conditions: [{type: Ready, status: 'False', reason: \
                    KubeletNotReady, lastTransitionTime: '2026-03-01T11:00:00Z'}]}\n---\napiVersion: v1\nkind: PersistentVolumeClaim\n\
                    metadata: {name: new, namespace: shop, creationTimestamp: '2026-03-01T11:59:00Z'}\nstatus: {phase: Pending}\n---\n\
                    apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: old, namespace: shop, creationTimestamp: \
                    '2026-03-01T10:00:00Z'}\nstatus: {phase: Pending}\n";
        let found = found(text);
        let lines = shown(&found);
        assert_eq!(lines.len(), 2, "{lines:?}");
        assert!(lines[0].starts_with("critical Node/n1 1:") && lines[0].contains("Ready is False (KubeletNotReady)"));
        assert!(lines[1].starts_with("medium PersistentVolumeClaim/shop/old 1:"), "{lines:?}");
        assert_eq!(found.objects.items[0].members.items[0].since, "2026-03-01T11:00:00Z".parse().ok());
        assert_eq!(found.objects.items[0].members.items[0].place, Origin::line("a.yaml", 5));
    }

    #[test]
    fn of_equal_severity_what_most_depends_on_comes_first() {
        let claim = |name: &str| {
            format!(
                "---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {{name: {name}, namespace: shop}}\nstatus: {{phase: Lost}}\n"
            )
        };
        let user = |name: &str, claim: &str| {
            format!(
                "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, namespace: shop}}\nspec: {{nodeName: n1, containers: [{{name: a}}], \
                 volumes: [{{name: d, persistentVolumeClaim: {{claimName: {claim}}}}}]}}\nstatus: {{phase: Running, containerStatuses: \
                 [{{name: a, ready: true, restartCount: 0, state: {{running: {{}}}}}}]}}\n"
            )
        };
        let node = "---\napiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: {conditions: [{type: Ready, status: Unknown}]}\n";
        let text = claim("a") + &claim("b") + &claim("c") + &user("p", "b") + &user("q", "b") + &user("r", "c") + node;
        let found = found(&text);
        let order: Vec<(&str, usize)> =
            found.objects.items.iter().map(|group| (group.subject.name.as_str(), group.dependents)).collect();
        assert_eq!(order, [("n1", 3), ("b", 2), ("c", 1), ("a", 0)]);
    }

    #[test]
    fn pods_that_restart_again_and_again_are_seen_although_they_are_ready() {
        let pod = |restarts: u32, finished: &str, code: u8| {
            let text = format!(
                "apiVersion: v1\nkind: Pod\nmetadata: {{name: a, namespace: shop, creationTimestamp: '2026-02-20T12:00:00Z'}}\nspec: \
                 {{containers: [{{name: a}}]}}\nstatus: {{phase: Running, containerStatuses: [{{name: a, ready: true, restartCount: \
                 {restarts}, state: {{running: {{}}}}, lastState: {{terminated: {{exitCode: {code}, finishedAt: '{finished}'}}}}}}]}}\n"
            );
            shown(&found(&text))
        };
        let wanted = "medium Pod/shop/a 1: Running, 1/1 ready, restarts again and again, 300 restarts, the last 2m before the collection";
        assert_eq!(pod(300, "2026-03-01T11:58:00Z", 1), [wanted]);
        assert_eq!(pod(300, "2026-03-01T11:58:00Z", 255), Vec::<String>::new(), "the host restarted");
        assert_eq!(pod(300, "2026-03-01T08:00:00Z", 1), Vec::<String>::new(), "it is over");
        assert_eq!(pod(5, "2026-03-01T11:58:00Z", 1), Vec::<String>::new(), "seldom");
    }

    #[test]
    fn quotas_are_in_trouble_when_nothing_is_left() {
        let text = "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q, namespace: shop}\nstatus: {hard: {limits.cpu: '2', \
                    pods: '10', services: '0'}, used: {limits.cpu: 2000m, pods: '9', services: '0'}}\n";
        assert_eq!(shown(&found(text)), ["low ResourceQuota/shop/q 1: limits.cpu: 2000m of 2 used"]);
    }

    #[test]
    fn thousands_of_pods_are_a_few_groups() {
        let pods: String = (0..3_000)
            .map(|n| pod(&format!("p-{n}"), &format!("set-{n}"), "waiting: {reason: ImagePullBackOff}"))
            .collect();
        let found = found(&pods);
        assert_eq!((found.objects.items.len(), found.objects.items[0].members.left_out), (1, 3_000 - MOST_MEMBERS));
    }

    #[test]
    fn containers_that_ended_in_one_second_are_one_group() {
        let pod = |name: &str| {
            format!(
                "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, namespace: shop}}\nspec: {{containers: [{{name: a}}]}}\nstatus: \
                 {{phase: Running, conditions: [{{type: Ready, status: 'True'}}], containerStatuses: [{{name: a, ready: true, \
                 restartCount: 3, state: {{running: {{}}}}, lastState: {{terminated: {{exitCode: 255, finishedAt: \
                 '2026-03-01T09:00:00Z'}}}}}}]}}\n"
            )
        };
        let lines = shown(&found(&["a", "b", "c"].map(pod).concat()));
        let wanted = "low Pod/shop/a 3: ended at the same second as containers of 2 other pods, exit code 255, 3 restarts so far";
        assert_eq!(lines, [wanted]);
        assert!(shown(&found(&["a", "b"].map(pod).concat())).is_empty());
    }
}
