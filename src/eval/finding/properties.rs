//! Properties of folding by components, on findings made at random.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;

use crate::dependency::DependencyGraph;
use crate::eval::finding::fold::fold;
use crate::eval::finding::foldable::FoldableFinding;
use crate::eval::finding::names::Names;
use crate::eval::finding::reach::Reach;
use crate::eval::finding::span::{Before, Clock, Span};
use crate::eval::finding::times::Times;
use crate::eval::input::Input;
use crate::eval::testing::{finding, input, rules};
use crate::model::{ClusterService, Component, Finding, NodePart, ObjectRef};
use crate::rule::RuleSet;

/// Two pods on two nodes, one with a claim on a volume that is attached to the other node.
fn cluster() -> Input {
    let pod = |name: &str, node: &str, volumes: &str| {
        format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{name: {name}, namespace: a}}, spec: {{nodeName: {node}, volumes: [{volumes}]}}}}"
        )
    };
    let objects = [
        pod("p1", "n1", "{name: d, persistentVolumeClaim: {claimName: c}}"),
        pod("p2", "n2", ""),
        "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: c, namespace: a}, spec: {volumeName: pv}}".into(),
        "{apiVersion: v1, kind: PersistentVolume, metadata: {name: pv}, spec: {csi: {driver: driver.longhorn.io, volumeHandle: v}}}".into(),
        "{apiVersion: longhorn.io/v1beta2, kind: Volume, metadata: {name: v, namespace: longhorn-system}, status: {currentNodeID: n2}}".into(),
    ];
    input(&objects, &[])
}

fn part(node: &str, part: NodePart) -> Component {
    Component::Node { node: node.to_owned(), part }
}

fn components() -> Vec<Component> {
    let parts = ["n1", "n2"].into_iter().flat_map(|node| NodePart::ALL.map(|of| part(node, of)));
    let pods = ["p1", "p2"].map(|name| Component::Object(ObjectRef::new("", "Pod", Some("a"), name)));
    let volume = Component::Object(ObjectRef::new("longhorn.io", "Volume", Some("longhorn-system"), "v"));
    parts.chain(pods).chain([volume, Component::Cluster(ClusterService::Etcd)]).collect()
}

fn at(minute: i64) -> Timestamp {
    "2025-01-01T00:00:00Z".parse::<Timestamp>().unwrap() + SignedDuration::from_mins(minute)
}

fn found(print: &str, breaks: Vec<Component>, needs: Vec<Component>, span: Span) -> FoldableFinding {
    let finding = finding(print, print);
    let (reach, names) = (Reach::default(), Names::default());
    let (times, events, explains_not) = (Times::default(), BTreeSet::new(), Vec::new());
    FoldableFinding { finding, reach, names, times, explains_not, breaks, needs, span, events }
}

/// What a finding breaks and needs, and the minutes of its first and last sign.
type Sketch = (Option<usize>, Vec<usize>, i64, Option<i64>);

fn sketch() -> impl Strategy<Value = Sketch> {
    let number = components().len();
    let of = prop::collection::vec(0..number, 0..3);
    (prop::option::of(0..number), of, 0..120_i64, prop::option::of(0..60_i64))
}

fn findings(sketches: &[Sketch]) -> Vec<FoldableFinding> {
    let all = components();
    let one = |(number, (breaks, needs, begin, length)): (usize, &Sketch)| {
        let span =
            Span { begin: Some(at(*begin)), end: length.map(|length| at(begin + length)), before: Before::Nothing };
        let named = |positions: Vec<usize>| positions.into_iter().map(|position| all[position].clone()).collect();
        found(&format!("f{number:02}"), named(breaks.iter().copied().collect()), named(needs.clone()), span)
    };
    sketches.iter().enumerate().map(one).collect()
}

/// Direct causes and top cause of each finding.
type Folded = BTreeMap<String, (Vec<String>, Option<String>)>;

fn folded(found: Vec<FoldableFinding>) -> Folded {
    folded_by(&RuleSet::default(), found)
}

fn folded_by(set: &RuleSet, mut found: Vec<FoldableFinding>) -> Folded {
    let cluster = cluster();
    let mut graph = DependencyGraph::new(&cluster.world.resources);
    fold(set, &mut found, &mut graph, Clock { now: Some(at(180)) });
    let causes = |finding: &Finding| finding.causes.iter().map(|cause| cause.finding.clone()).collect();
    found
        .iter()
        .map(|one| (one.finding.fingerprint.clone(), (causes(&one.finding), one.finding.explained_by.clone())))
        .collect()
}

/// Rules of which the one of the unrelated fault says that it explains all others, on common objects.
fn declared() -> RuleSet {
    let find = "find: {pod: {resource: pods}}";
    let others: Vec<String> = (0..12).map(|number| format!("f{number:02}")).collect();
    let unrelated = format!("{find}\nexplains: [{}]", others.join(", "));
    let mut texts = vec![("unrelated", unrelated.as_str())];
    texts.extend(others.iter().map(|id| (id.as_str(), find)));
    rules(&texts)
}

static DECLARED: LazyLock<RuleSet> = LazyLock::new(declared);

/// A finding about a device.
fn about(device: &str, found: FoldableFinding) -> FoldableFinding {
    let object = ObjectRef::new("harvesterhci.io", "BlockDevice", Some("longhorn-system"), device);
    let reach = Reach::of([object.clone()].into(), ["n1".to_owned()].into());
    FoldableFinding { finding: Finding { objects: vec![object], ..found.finding }, reach, ..found }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn an_unrelated_fault_changes_nothing_although_its_rule_explains_the_others(sketches in prop::collection::vec(sketch(), 1..12)) {
        let findings = || findings(&sketches).into_iter().map(|one| about("sda", one)).collect::<Vec<_>>();
        let before = folded_by(&DECLARED, findings());
        let long_ago = Span { begin: Some(at(-100_000)), end: Some(at(-99_000)), before: Before::Nothing };
        let always = Span { begin: None, end: None, before: Before::Nothing };
        for (device, span) in [("sda", long_ago), ("sdb", always)] {
            let mut with = findings();
            with.push(about(device, found("unrelated", Vec::new(), Vec::new(), span)));
            let mut after = folded_by(&DECLARED, with);
            after.remove("unrelated");
            prop_assert_eq!(&after, &before, "{}", device);
        }
    }

    #[test]
    fn an_unrelated_fault_changes_nothing(sketches in prop::collection::vec(sketch(), 1..12), broken in 0..components().len()) {
        let before = folded(findings(&sketches));
        let everything = components();
        let long_ago = Span { begin: Some(at(-100_000)), end: Some(at(-99_000)), before: Before::Nothing };
        let later = Span { begin: Some(at(170)), end: None, before: Before::Nothing };
        let always = Span { begin: None, end: None, before: Before::Nothing };
        for (broken, span) in [(everything[broken].clone(), long_ago), (everything[broken].clone(), later), (part("n9", NodePart::Kubelet), always)] {
            let mut with = findings(&sketches);
            with.push(found("unrelated", vec![broken], Vec::new(), span));
            let mut after = folded(with);
            after.remove("unrelated");
            prop_assert_eq!(&after, &before);
        }
    }

    #[test]
    fn the_order_of_findings_does_not_matter(sketches in prop::collection::vec(sketch(), 1..12), turn in 0..12_usize) {
        let before = folded(findings(&sketches));
        let mut other = findings(&sketches);
        other.reverse();
        let length = other.len();
        other.rotate_left(turn % length);
        prop_assert_eq!(folded(other), before);
    }

    #[test]
    fn without_its_cause_a_finding_stands_alone_or_under_another(sketches in prop::collection::vec(sketch(), 1..12), gone in 0..12_usize) {
        let before = folded(findings(&sketches));
        let gone = format!("f{:02}", gone % sketches.len());
        let mut rest = findings(&sketches);
        rest.retain(|one| one.finding.fingerprint != gone);
        let after = folded(rest);
        for (print, (causes, top)) in &after {
            prop_assert!(!causes.contains(&gone) && top.as_ref() != Some(&gone));
            let known = &before[print];
            // What explained the one that is gone may have lost it as a cause of its own, when their circle was cut.
            let explained_it = before[&gone].0.contains(print);
            if known.0.is_empty() && known.1.is_none() && !is_in_circle(&before, &gone) && !explained_it {
                prop_assert!(top.is_none(), "{} had no cause with {}, and has {:?} without it", print, gone, top);
            }
        }
    }

    #[test]
    fn no_finding_explains_itself(sketches in prop::collection::vec(sketch(), 1..12)) {
        let all = folded(findings(&sketches));
        for (print, (causes, top)) in &all {
            prop_assert_eq!(causes.is_empty(), top.is_none());
            let mut next = causes.first();
            for _ in 0..all.len() {
                prop_assert_ne!(next, Some(print));
                next = next.and_then(|cause| all[cause].0.first());
            }
            prop_assert_eq!(next, None, "a circle");
        }
    }
}

/// Whether something stands under it: it may have been taken out of a circle with that.
fn is_in_circle(folded: &Folded, print: &str) -> bool {
    folded.values().any(|(causes, _)| causes.iter().any(|cause| cause == print))
}
