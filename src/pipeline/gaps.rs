//! Logs that should be in the bundle but were not collected, so that silence is not taken for health.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use rayon::prelude::*;

use crate::bundle::Bundle;
use crate::log::{LogIndex, LogSource, PatternSet, SourceOrigin, Writers};
use crate::model::NodeFacts;
use crate::model::message::{NodeNames, Reason};
use crate::model::secret;
use crate::resource::{Collected as Listing, Resource, ResourceIndex, TypeName};
use crate::yaml::Node;

/// Units whose logs the kit collects on every Harvester node.
const HARVESTER: &[&str] = &[
    "kernel",
    "rke2-server",
    "rke2-agent",
    "rancherd",
    "rancher-system-agent",
    "kubelet",
    "containerd",
    "iscsid",
    "console",
    "wicked",
    "NetworkManager",
];
/// Units whose logs the kit collects for Longhorn on any distribution.
const LONGHORN: &[&str] = &["dmesg", "kubelet", "syslog", "messages", "k3s-service", "k3s-agent-service"];
/// Logs that a node has under one of several names.
const ALTERNATIVES: &[&[&str]] = &[
    &WITH_KERNEL,
    &["rke2-server", "rke2-agent"],
    &["kubelet", "k3s-service", "k3s-agent-service"],
    &["containerd"],
    &["wicked", "NetworkManager"],
    &["syslog", "messages"],
];

/// Logs of the kernel alone.
const KERNEL: [&str; 2] = ["kernel", "dmesg"];

/// Units whose logs contain kernel messages: the kernel's own and those that cover all units.
const WITH_KERNEL: [&str; 5] = ["kernel", "dmesg", "messages", "journal", "boot"];

/// What a bundle has: its logs with their paths without archive layers, and its objects.
pub struct Collected<'a> {
    pub sources: &'a [(LogSource, String)],
    pub resources: &'a ResourceIndex,
    /// Whether every pod of the cluster is among the objects.
    pub knows_all_pods: bool,
    /// Whether the bundle has no collector's layout, so that a part of the logs may have been chosen by hand.
    pub is_loose: bool,
    /// Returns the node of a pod, given by namespace and name.
    pub node_of_pod: &'a (dyn Fn(&str, &str) -> Option<String> + Sync),
}

impl Collected<'_> {
    /// Returns the writers of logs that a query reads, without those of which it lacks one. No node is known to be whole where a
    /// log does not tell its node.
    fn whole(&self, patterns: &PatternSet, logs: &LogIndex, query: usize, absent: &[Gap<'_>]) -> Writers {
        let mut whole = Writers::default();
        let mut nodes_are_told = true;
        let read = self.sources.iter().filter(|(source, logical)| logs.counts(patterns, query, source, logical));
        for (source, _) in read {
            let (node, pod) = self.writer(source);
            // A pod that is in no list may have written another log on its node.
            nodes_are_told &= node.is_some() && (pod.is_none() || self.knows_all_pods);
            whole.nodes.extend(node);
            whole.pods.extend(pod);
        }
        if whole.nodes.is_empty() && whole.pods.is_empty() {
            return whole;
        }
        for gap in absent {
            let (node, pod) = self.writer(&gap.absent.source);
            nodes_are_told &= node.is_some();
            node.iter().for_each(|node| _ = whole.nodes.remove(node));
            pod.iter().for_each(|pod| _ = whole.pods.remove(pod));
        }
        if !nodes_are_told {
            whole.nodes.clear();
        }
        whole
    }

    /// Returns the node and the pod that write a log.
    fn writer(&self, source: &LogSource) -> (Option<String>, Option<String>) {
        match source.pod() {
            Some((namespace, pod)) => ((self.node_of_pod)(namespace, pod), Some(format!("{namespace}/{pod}"))),
            None => (source.node().map(str::to_owned), None),
        }
    }
}

/// A log that was not collected.
struct Absent {
    source: LogSource,
    logical: String,
}

impl Absent {
    /// Returns the node whose unit writes it, empty if that is not known.
    fn node(&self) -> Option<&str> {
        match &self.source.origin {
            SourceOrigin::Unit { node, .. } => Some(node),
            _ => None,
        }
    }
}

/// A log that was not collected, and the place of its node among all that lack logs: comparing the names of 20,000 nodes for each
/// selector took a quarter of the whole time.
#[derive(Clone, Copy)]
struct Gap<'a> {
    absent: &'a Absent,
    node: Option<usize>,
}

/// Notes for each query which of its sources were not collected.
pub fn note(patterns: &PatternSet, nodes: &[NodeFacts], collected: &Collected<'_>, logs: &mut LogIndex) {
    let Collected { sources, resources, .. } = *collected;
    let units = units_by_node(sources);
    let (collected_nodes, others): (Vec<&NodeFacts>, Vec<&NodeFacts>) =
        nodes.iter().partition(|node| node.collected || units.contains_key(node.name.as_str()));
    let mut absent = absent_units(&others);
    absent.extend(absent_beside_others(&collected_nodes, &units));
    absent.extend(absent_containers(resources, sources));
    absent.extend(absent_pods(resources, sources));
    absent.extend(absent_by_collector(resources));
    tell(patterns, &absent, collected, logs);
    if collected.is_loose {
        note_unlisted(patterns, collected, logs);
    }
    note_unwritten(patterns, collected, logs);
}

/// Notes the queries of which it is not known who else writes such a log: the nodes, or the pods of a namespace, were not listed, as in a
/// bundle that is one log. A host that its journal names is whole.
fn note_unlisted(patterns: &PatternSet, collected: &Collected<'_>, logs: &mut LogIndex) {
    let missing =
        |type_: &str, namespace| match collected.resources.collected_by_name(&TypeName::parse(type_), namespace) {
            Listing::No(reason) => Some(reason),
            Listing::Yes | Listing::Empty => None,
        };
    let mut homes: BTreeMap<Option<&str>, Option<Reason>> = BTreeMap::new();
    let mut unlisted = Vec::new();
    for (source, logical) in collected.sources {
        let home = match &source.origin {
            SourceOrigin::Container { namespace, .. } => Some(namespace.as_str()),
            SourceOrigin::Unit { .. } => None,
            SourceOrigin::Refusal | SourceOrigin::Unknown { .. } | SourceOrigin::File => continue,
        };
        let type_ = if home.is_some() { "pods" } else { "nodes" };
        let reason = homes.entry(home).or_insert_with(|| missing(type_, home));
        unlisted.extend(reason.clone().map(|reason| (source, logical, reason)));
    }
    let mut of_selectors: BTreeMap<Option<usize>, (BTreeSet<Reason>, Arc<Writers>)> = BTreeMap::new();
    for query in 0..logs.queries() {
        let read = || unlisted.iter().filter(|(source, logical, _)| logs.counts(patterns, query, source, logical));
        let known = of_selectors.entry(patterns.selector_of(query)).or_insert_with(|| {
            let reasons: BTreeSet<Reason> = read().map(|(.., reason)| reason.clone()).collect();
            let is_one = reasons.len() == 1;
            let whole = if is_one { collected.whole(patterns, logs, query, &[]) } else { Writers::default() };
            (reasons, Arc::new(whole))
        });
        let (reasons, whole) = &*known;
        reasons.iter().for_each(|reason| logs.add_absent(query, reason.clone(), Arc::clone(whole)));
    }
}

/// Notes the queries without any log that none of the cluster's pods writes, if all pods are known.
fn note_unwritten(patterns: &PatternSet, collected: &Collected<'_>, logs: &mut LogIndex) {
    if !collected.knows_all_pods {
        return;
    }
    let without = |query: &usize| logs.answer(*query).sources == 0 && patterns.query_reads_pods_only(*query);
    let mut unread: BTreeMap<Option<usize>, Vec<usize>> = BTreeMap::new();
    for query in (0..logs.queries()).filter(without) {
        unread.entry(patterns.selector_of(query)).or_default().push(query);
    }
    for pod in collected.resources.all("pods") {
        let containers = containers(pod);
        let namespace = pod.namespace.as_deref().unwrap_or_default();
        let writes = |query| patterns.query_may_read_pod(query, namespace, &pod.name, containers.as_deref());
        unread.retain(|_, queries| !queries.first().is_some_and(|&query| writes(query)));
    }
    unread.into_values().flatten().for_each(|query| logs.note_unwritten(query));
}

/// Returns whether the pods of every namespace of the cluster were collected, not only those of the bundle's namespaces.
pub fn knows_all_pods(resources: &ResourceIndex) -> bool {
    let complete = |type_: &str, namespace| resources.collected_by_name(&TypeName::parse(type_), namespace).complete();
    let mut namespaces = resources.all("namespaces").peekable();
    namespaces.peek().is_some()
        && complete("namespaces", None)
        && namespaces.all(|namespace| complete("pods", Some(&*namespace.name)))
}

/// Returns the names of all containers of a pod; none if only a part of the pod is known, or a name is hidden.
fn containers(pod: &Resource) -> Option<Vec<&str>> {
    let lists = ["containers", "initContainers", "ephemeralContainers"];
    let items = || lists.into_iter().filter_map(|list| pod.body().path(&["spec", list])).flat_map(Node::items);
    let names: Vec<&str> = items().filter_map(|container| container.str_at(&["name"])).collect();
    (!pod.partial && !names.iter().any(|name| secret::is_withheld(name))).then_some(names)
}

/// Notes the queries that may have read logs in the lost part of an archive: how many there were is never known.
pub fn note_cut(patterns: &PatternSet, bundle: &Bundle, logs: &mut LogIndex) {
    for query in 0..logs.queries() {
        let nodes = bundle.truncated_nodes().iter().map(String::as_str);
        let nodes: Vec<&str> = nodes.filter(|node| patterns.query_may_read_of(query, node)).collect();
        if !nodes.is_empty() {
            logs.add_missing(query, Reason::NodeArchiveDamaged { nodes: NodeNames::new(nodes) });
        }
        if let Some(why) = bundle.truncated() {
            logs.add_missing(query, Reason::PartMissing { why: why.clone() });
        }
    }
}

/// Notes the sources that a rule test declares as not collected.
pub fn note_stated(
    patterns: &PatternSet,
    missing: &[(LogSource, String)],
    collected: &Collected<'_>,
    logs: &mut LogIndex,
) {
    let absent = missing.iter().map(|(source, logical)| Absent { source: source.clone(), logical: logical.clone() });
    tell(patterns, &absent.collect::<Vec<_>>(), collected, logs);
}

fn tell(patterns: &PatternSet, absent: &[Absent], collected: &Collected<'_>, logs: &mut LogIndex) {
    // Hundreds of queries share a few dozen selectors, and a large cluster lacks hundreds of thousands of logs.
    let mut queries: BTreeMap<Option<usize>, Vec<usize>> = BTreeMap::new();
    for query in 0..logs.queries() {
        queries.entry(patterns.selector_of(query)).or_default().push(query);
    }
    let nodes = nodes(absent);
    let absent = by_unit(absent, &nodes);
    let missing = |query| absent.iter().flat_map(move |(unit, gaps)| read_by(patterns, query, *unit, gaps));
    let why = |queries: Vec<usize>| {
        let query = *queries.first()?;
        let missing: Vec<Gap<'_>> = missing(query).collect();
        let reason = reason(&missing, &nodes)?;
        Some((queries, reason, Arc::new(collected.whole(patterns, logs, query, &missing))))
    };
    let answers: Vec<_> = queries.into_values().collect::<Vec<_>>().into_par_iter().map(why).collect();
    for (queries, why, whole) in answers.into_iter().flatten() {
        queries.into_iter().for_each(|query| logs.add_absent(query, why.clone(), Arc::clone(&whole)));
    }
}

/// Returns the nodes that lack logs, in order.
fn nodes(absent: &[Absent]) -> Vec<&str> {
    let names: HashSet<&str> = absent.iter().filter_map(Absent::node).collect();
    let mut names: Vec<&str> = names.into_iter().collect();
    names.sort_unstable();
    names
}

/// Returns the absent logs of each unit; those of containers and other files have none.
fn by_unit<'a>(absent: &'a [Absent], nodes: &[&str]) -> BTreeMap<Option<&'a str>, Vec<Gap<'a>>> {
    let places: HashMap<&str, usize> = nodes.iter().enumerate().map(|(place, node)| (*node, place)).collect();
    let mut units: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for absent in absent {
        let node = absent.node().and_then(|node| places.get(node).copied());
        units.entry(absent.source.unit()).or_default().push(Gap { absent, node });
    }
    units
}

/// Returns those of the absent logs of a unit that a query reads.
fn read_by<'a>(patterns: &PatternSet, query: usize, unit: Option<&str>, gaps: &[Gap<'a>]) -> Vec<Gap<'a>> {
    let reads = |gap: &Gap<'_>| patterns.query_reads(query, &gap.absent.source, &gap.absent.logical);
    // Most selectors name only the unit: asking for one node instead of 20,000 takes a fifth of the time of the stage.
    if unit.is_some() && patterns.query_is_alike_on_all_nodes(query) {
        return if gaps.first().is_some_and(reads) { gaps.to_vec() } else { Vec::new() };
    }
    gaps.iter().copied().filter(reads).collect()
}

/// Returns one sentence about the logs that a query lacks, with one example for all containers.
fn reason(missing: &[Gap<'_>], nodes: &[&str]) -> Option<Reason> {
    let (mut lacks, mut containers, mut files) = (vec![false; nodes.len()], BTreeSet::new(), BTreeSet::new());
    for Gap { absent, node } in missing {
        match &absent.source.origin {
            SourceOrigin::Container { namespace, pod, container, .. } => {
                let container = if container.is_empty() { String::new() } else { format!(" ({container})") };
                containers.insert(format!("{namespace}/{pod}{container}"));
            }
            SourceOrigin::Unit { .. } => {
                node.and_then(|node| lacks.get_mut(node)).into_iter().for_each(|lacks| *lacks = true)
            }
            SourceOrigin::Refusal | SourceOrigin::Unknown { .. } | SourceOrigin::File => {
                files.insert(absent.logical.as_str());
            }
        }
    }
    let lacking = NodeNames::new(nodes.iter().zip(&lacks).filter(|(_, lacks)| **lacks).map(|(node, _)| *node));
    match (lacks.contains(&true), containers.len(), containers.first()) {
        (true, ..) => Some(Reason::NoNodeLogs { nodes: lacking }),
        (false, _, None) => files.first().map(|file| Reason::FileNotThere { file: (*file).to_owned() }),
        (false, 1, Some(container)) => Some(Reason::NoContainerLog { container: container.clone() }),
        (false, count, Some(example)) => Some(Reason::NoContainerLogs { count, example: example.clone() }),
    }
}

/// Returns all units that a node may have logs of.
fn units() -> impl Iterator<Item = &'static &'static str> {
    HARVESTER.iter().chain(LONGHORN)
}

/// Returns the units of each node of which the bundle has a log, also one that somebody attached by hand.
fn units_by_node(sources: &[(LogSource, String)]) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut units: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (source, _) in sources {
        if let SourceOrigin::Unit { node, unit } = &source.origin {
            units.entry(node).or_default().insert(unit);
        }
    }
    units
}

/// Returns logs of nodes that have neither logs nor files in the bundle.
fn absent_units(nodes: &[&NodeFacts]) -> Vec<Absent> {
    nodes.iter().flat_map(|node| units().map(|unit| absent_unit(&node.name, unit))).collect()
}

/// Returns logs that a collected node should have but lacks: every node runs a kernel, and a log that the same
/// collector took from another node is expected here, too.
fn absent_beside_others(nodes: &[&NodeFacts], units: &BTreeMap<&str, BTreeSet<&str>>) -> Vec<Absent> {
    let has = |node: &NodeFacts, names: &[&str]| {
        let of_node = units.get(node.name.as_str());
        of_node.is_some_and(|units| names.iter().any(|unit| units.contains(unit)))
    };
    let expected =
        ALTERNATIVES.iter().filter(|names| names.contains(&"kernel") || nodes.iter().any(|node| has(node, names)));
    let lacking =
        expected.flat_map(|names| nodes.iter().filter(|node| !has(node, names)).map(move |node| (node, *names)));
    // A node without messages of its kernel need not have a log of all units: what such a log would hold of rke2 is in its own.
    let absent = |names: &'static [&'static str]| if names.contains(&"kernel") { &KERNEL } else { names };
    lacking.flat_map(|(node, names)| absent(names).iter().map(|unit| absent_unit(&node.name, unit))).collect()
}

fn absent_unit(node: &str, unit: &str) -> Absent {
    let logical = format!("nodes/{node}/logs/{unit}.log");
    let origin = SourceOrigin::Unit { node: node.to_owned(), unit: unit.to_owned() };
    Absent { source: LogSource { entry: Arc::from(logical.as_str()), origin }, logical }
}

/// Returns containers that run according to their Pod's status and have no log.
fn absent_containers(resources: &ResourceIndex, sources: &[(LogSource, String)]) -> Vec<Absent> {
    let present: BTreeSet<(&str, &str, &str)> = sources
        .iter()
        .filter_map(|(source, _)| match &source.origin {
            SourceOrigin::Container { namespace, pod, container, previous: false } => {
                Some((namespace.as_str(), pod.as_str(), container.as_str()))
            }
            _ => None,
        })
        .collect();
    let mut unclaimed = Unclaimed::of(resources, present.iter().copied());
    let pods = resources.all("pods");
    pods.flat_map(|pod| running(pod).map(move |container| (pod, container)))
        .filter_map(|(pod, container)| {
            let namespace = pod.namespace.as_deref()?;
            // A log that names no container belongs to all of them.
            let is_there = match pod.is_nameless() {
                true => unclaimed.take(namespace, container) || unclaimed.has(namespace, ""),
                false => ["", container].iter().any(|container| present.contains(&(namespace, &*pod.name, container))),
            };
            (!is_there).then(|| absent_container(namespace, &pod.name, container))
        })
        .collect()
}

/// Logs of pods that are not among the objects, counted by namespace and container: those of pods whose names a collector hid are among them.
struct Unclaimed<'a>(BTreeMap<(&'a str, &'a str), usize>);

impl<'a> Unclaimed<'a> {
    /// Counts logs, given by namespace, pod and container.
    fn of(resources: &'a ResourceIndex, logs: impl Iterator<Item = (&'a str, &'a str, &'a str)>) -> Self {
        let type_ = TypeName::parse("pods");
        let mut found = BTreeMap::new();
        if !resources.nameless(&type_).is_empty() {
            for (namespace, pod, container) in logs {
                if resources.get(&type_, Some(namespace), pod).is_none() {
                    *found.entry((namespace, container)).or_default() += 1;
                }
            }
        }
        Self(found)
    }

    /// Takes a log of a container; false if none is left.
    fn take(&mut self, namespace: &'a str, container: &'a str) -> bool {
        let left = self.0.get_mut(&(namespace, container)).filter(|left| **left > 0);
        left.map(|left| *left -= 1).is_some()
    }

    fn has(&self, namespace: &'a str, container: &'a str) -> bool {
        self.0.contains_key(&(namespace, container))
    }
}

/// Returns pods that run according to their table row and have no log.
fn absent_pods(resources: &ResourceIndex, sources: &[(LogSource, String)]) -> Vec<Absent> {
    let present: BTreeSet<(&str, &str)> = sources.iter().filter_map(|(source, _)| source.pod()).collect();
    let pods = resources.all("pods");
    let running = pods.filter(|pod| pod.cells().and_then(|cells| cells.str_at(&["STATUS"])) == Some("Running"));
    let mut unclaimed = Unclaimed::of(resources, present.iter().map(|&(namespace, pod)| (namespace, pod, "")));
    let absent = running.filter_map(|pod| {
        let namespace = pod.namespace.as_deref()?;
        let is_there = match pod.is_nameless() {
            true => unclaimed.take(namespace, ""),
            false => present.contains(&(namespace, &*pod.name)),
        };
        (!is_there).then(|| absent_container(namespace, &pod.name, ""))
    });
    absent.collect()
}

/// Returns logs that the collector reports it could not get.
fn absent_by_collector(resources: &ResourceIndex) -> Vec<Absent> {
    let failed = resources.failed_logs();
    failed.into_iter().map(|(namespace, pod, container)| absent_container(namespace, pod, container)).collect()
}

fn running(pod: &Resource) -> impl Iterator<Item = &str> {
    let statuses = pod.body().path(&["status", "containerStatuses"]);
    let items = statuses.into_iter().flat_map(Node::items);
    items.filter(|status| status.path(&["state", "running"]).is_some()).filter_map(|status| status.str_at(&["name"]))
}

fn absent_container(namespace: &str, pod: &str, container: &str) -> Absent {
    let logical = format!("logs/{namespace}/{pod}/{container}.log");
    Absent {
        source: LogSource {
            entry: Arc::from(logical.as_str()),
            origin: SourceOrigin::Container {
                namespace: namespace.to_owned(),
                pod: pod.to_owned(),
                container: container.to_owned(),
                previous: false,
            },
        },
        logical,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(name: &str) -> NodeFacts {
        NodeFacts { name: name.into(), ready: None, roles: vec![], collected: false }
    }

    #[test]
    fn the_kernel_is_in_the_log_of_all_units() {
        let nodes = [NodeFacts { collected: true, ..node("n1") }];
        let source = |unit: &str| {
            let origin = SourceOrigin::Unit { node: "n1".into(), unit: unit.into() };
            (LogSource { entry: "x".into(), origin }, "x".to_owned())
        };
        let absent_beside = |unit: &str| {
            let sources = [source(unit)];
            absent_beside_others(&nodes.each_ref(), &units_by_node(&sources))
        };
        let absent = absent_beside("rke2-server");
        let units: Vec<_> = absent.iter().filter_map(|absent| absent.source.unit()).collect();
        assert_eq!(units, KERNEL, "a log of all units is not certain to exist");
        assert_eq!(absent_beside("messages").len(), 0);
    }

    #[test]
    fn each_gap_is_reported_once() {
        let told = |absent: &[Absent]| {
            let nodes = nodes(absent);
            let gaps: Vec<Gap<'_>> = by_unit(absent, &nodes).into_values().flatten().collect();
            reason(&gaps, &nodes).map(|reason| reason.to_string())
        };
        let containers = [absent_container("a", "p", "c"), absent_container("a", "q", "c")];
        assert_eq!(told(&containers).as_deref(), Some("no logs of 2 running containers such as a/p (c)"));
        assert_eq!(told(&containers[1..]).as_deref(), Some("no log of running container a/q (c)"));
        let units = absent_units(&[&node("n2"), &node("n1")]);
        assert_eq!(told(&units).as_deref(), Some("logs of nodes n1, n2 are not in the bundle"));
        assert_eq!(told(&[]), None);
    }
}
