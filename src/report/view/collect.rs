//! What to collect next: the missing parts of the bundle by how many rules they would answer, with the command that collects each.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::Serialize;

use crate::model::message::{LogNames, NodeNames, Objects, Reason};
use crate::model::{ObjectRef, RuleOutcomes};
use crate::report::lexicon::{Lexicon, phrase};

/// Number of items shown at once, and of those folded.
const SHOWN: usize = 6;
const FOLDED: usize = 100;

/// The section of a page.
#[derive(Serialize)]
pub struct Section<'a> {
    shown: Vec<Item<'a>>,
    folded: Vec<Item<'a>>,
    left_out: usize,
}

/// Missing part.
#[derive(Serialize)]
struct Item<'a> {
    what: String,
    /// Rules that it would answer, or answer for all of the cluster.
    rules: Vec<&'a str>,
    /// None if no single command collects it.
    command: Option<String>,
}

/// What would answer a rule.
enum Wanted<'a> {
    /// Objects of a type, by its name for kubectl.
    Objects(String),
    Logs(&'a LogNames),
    Node(NodeNames),
}

/// Releases of Helm, which are no objects of the cluster.
const RELEASES: &str = "helmreleases";
const RELEASE: &str = "HelmRelease";

/// Streams of logs by name, with the command that prints them: units of nodes, then Pods in a namespace by their labels.
const UNITS: [(&str, &str); 4] = [
    ("kernel", "journalctl -k --no-pager -o short-iso > kernel.log"),
    ("rke2", "journalctl -u rke2-server -u rke2-agent --no-pager -o short-iso > rke2-server.log"),
    ("kubelet", "cat /var/lib/rancher/rke2/agent/logs/kubelet.log > kubelet.log"),
    ("containerd", "cat /var/lib/rancher/rke2/agent/containerd/containerd.log > containerd.log"),
];
const PODS: [(&str, &str, &str); 9] = [
    ("apiserver", "kube-system", "component=kube-apiserver"),
    ("cluster-agent", "cattle-system", "app=cattle-cluster-agent"),
    ("controller-manager", "kube-system", "component=kube-controller-manager"),
    ("coredns", "kube-system", "k8s-app=kube-dns"),
    ("etcd", "kube-system", "component=etcd"),
    ("fleet-controller", "cattle-fleet-system", "app=fleet-controller"),
    ("helm", "kube-system", "helmcharts.helm.cattle.io/chart"),
    ("rancher", "cattle-system", "app=rancher"),
    ("scheduler", "kube-system", "component=kube-scheduler"),
];

impl<'a> Section<'a> {
    /// Returns the section; none if nothing that can be collected is missing.
    pub fn of(rules: &'a RuleOutcomes, t: Lexicon) -> Option<Self> {
        let mut items: BTreeMap<String, Item<'a>> = BTreeMap::new();
        for unproven in rules.unproven() {
            let Some(wanted) = wanted(&unproven.reason) else { continue };
            let item = items.entry(wanted.key()).or_insert_with(|| Item::of(&wanted, t));
            item.rules.push(&unproven.rule);
        }
        let mut items: Vec<_> = items.into_values().collect();
        items.sort_by_key(|item| Reverse(item.rules.len()));
        let left_out = items.len().saturating_sub(SHOWN + FOLDED);
        items.truncate(SHOWN + FOLDED);
        let folded = items.split_off(SHOWN.min(items.len()));
        (!items.is_empty()).then_some(Self { shown: items, folded, left_out })
    }
}

/// Returns what is missing and the command that collects it, what answers most rules first.
pub fn missing(rules: &RuleOutcomes, t: Lexicon) -> Vec<(String, String)> {
    let items = Section::of(rules, t).map(|section| section.shown.into_iter().chain(section.folded));
    items.into_iter().flatten().filter_map(|item| Some((item.what, item.command?))).collect()
}

impl Wanted<'_> {
    /// Tells one from another, in any language.
    fn key(&self) -> String {
        match self {
            Self::Objects(types) => types.clone(),
            Self::Logs(logs) => format!("log {logs}"),
            Self::Node(nodes) => format!("node {nodes}"),
        }
    }

    fn command(&self) -> Option<String> {
        match self {
            Self::Objects(types) => {
                // Names of types may come from the bundle; a command takes only what names consist of.
                let plain = types.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-'));
                plain.then(|| format!("kubectl get {types} -A -o yaml > {types}.yaml"))
            }
            Self::Logs(logs) => logs.streams().find_map(command_of_stream),
            Self::Node(_) => Some("journalctl --no-pager -o short-iso > messages".to_owned()),
        }
    }
}

fn command_of_stream(stream: &str) -> Option<String> {
    let unit = UNITS.iter().find(|(name, _)| *name == stream).map(|(_, command)| (*command).to_owned());
    let pods = || PODS.iter().find(|(name, ..)| *name == stream);
    unit.or_else(|| {
        let (name, namespace, label) = pods()?;
        Some(format!(
            "kubectl -n {namespace} logs -l {label} --all-containers --timestamps --prefix --tail=-1 > {name}.log"
        ))
    })
}

impl Item<'_> {
    fn of(wanted: &Wanted<'_>, t: Lexicon) -> Self {
        let what = match wanted {
            Wanted::Objects(types) => types.clone(),
            Wanted::Logs(logs) => t.fill(phrase::LogOf { logs: &t.message(*logs) }),
            Wanted::Node(nodes) => t.fill(phrase::LogsOfNodes { nodes: &t.message(nodes) }),
        };
        Self { what, rules: Vec::new(), command: wanted.command() }
    }
}

/// Returns what would answer a question; none if nothing can be collected for it, such as a version that cannot be ordered, or a
/// file that another collector writes. Secrets are left out on purpose.
fn wanted(reason: &Reason) -> Option<Wanted<'_>> {
    match reason {
        Reason::NotCollected { objects }
        | Reason::Refused { objects, .. }
        | Reason::NotCollectedBecause { objects, .. }
        | Reason::NotCollectedOrLost { objects, .. }
        | Reason::OthersLost { objects, .. }
        | Reason::MayBeLeftOut { objects }
        | Reason::NoNamespace { objects } => {
            Some(types(objects)).filter(|types| *types != RELEASES).map(|types| Wanted::Objects(types.to_owned()))
        }
        Reason::FieldNotStated { object, .. } => of_type(object),
        Reason::LabelsNotStated { object, .. } | Reason::OwnerNotStated { object, .. } => of_type(object),
        Reason::NoLog { logs } => Some(Wanted::Logs(logs)),
        Reason::NoNodeLogs { nodes } => Some(Wanted::Node(nodes.clone())),
        Reason::NoBootLogs { node } => Some(Wanted::Node(NodeNames::new([node.as_str()]))),
        Reason::Covered { reason, .. } => wanted(reason),
        _ => None,
    }
}

fn types(objects: &Objects) -> &str {
    match objects {
        Objects::All { types } | Objects::Of { types, .. } => types,
    }
}

/// The type of an object of which the bundle has a part only, such as a row of a table.
fn of_type(object: &ObjectRef) -> Option<Wanted<'_>> {
    let kind = object.kind.to_ascii_lowercase();
    match object.group.as_str() {
        "" if object.kind == RELEASE => None,
        "" => Some(Wanted::Objects(kind)),
        group => Some(Wanted::Objects(format!("{kind}.{group}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::RuleReason;
    use crate::model::message::LogName;

    const T: Lexicon = Lexicon::ENGLISH;

    fn outcomes(reasons: &[(&str, Reason)]) -> RuleOutcomes {
        let reason = |(rule, reason): &(&str, Reason)| RuleReason { rule: (*rule).into(), reason: reason.clone() };
        RuleOutcomes { not_evaluated: reasons.iter().map(reason).collect(), ..RuleOutcomes::default() }
    }

    fn not_collected(types: &str, namespace: Option<&str>) -> Reason {
        Reason::NotCollected { objects: Objects::of(types, namespace) }
    }

    #[test]
    fn what_answers_most_rules_comes_first_with_its_command() {
        let logs = LogNames::new(["etcd", "k3s"].map(|name| LogName { stream: Some(name.into()), places: vec![] }));
        let bundles = "bundles.fleet.cattle.io";
        let rules = outcomes(&[
            ("a", Reason::NoLog { logs }),
            ("b", not_collected(bundles, Some("fleet-local"))),
            ("c", not_collected(bundles, None)),
            ("d", Reason::CollectionTimeUnknown),
        ]);
        let section = Section::of(&rules, T).unwrap();
        let shape: Vec<_> = section.shown.iter().map(|item| (item.what.as_str(), item.rules.clone())).collect();
        assert_eq!(shape, [(bundles, vec!["b", "c"]), ("log of etcd or k3s", vec!["a"])]);
        let commands: Vec<_> = section.shown.iter().map(|item| item.command.as_deref().unwrap()).collect();
        assert_eq!(commands[0], "kubectl get bundles.fleet.cattle.io -A -o yaml > bundles.fleet.cattle.io.yaml");
        assert!(commands[1].starts_with("kubectl -n kube-system logs -l component=etcd "), "{}", commands[1]);
    }

    #[test]
    fn names_of_a_bundle_are_no_part_of_a_command() {
        let rules = outcomes(&[("a", not_collected("pods; rm -rf ~", None)), ("b", not_collected("pods", None))]);
        let section = Section::of(&rules, T).unwrap();
        let commands: Vec<_> = section.shown.iter().map(|item| item.command.as_deref()).collect();
        assert_eq!(commands, [Some("kubectl get pods -A -o yaml > pods.yaml"), None]);
    }

    #[test]
    fn what_cannot_be_collected_is_not_asked_for() {
        let secrets = Reason::SecretsLeftOut { objects: Objects::of("secrets", None) };
        let nothing = [("a", secrets), ("b", Reason::CollectionTimeUnknown), ("c", not_collected(RELEASES, None))];
        assert!(Section::of(&outcomes(&nothing), T).is_none());
        assert!(Section::of(&RuleOutcomes::default(), T).is_none());
    }
}
