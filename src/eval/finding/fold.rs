//! Folds symptoms under their causes.
//!
//! A cause is found in two ways: its rule declares that it explains the symptom ([`Links`]), or what it breaks is among what the
//! symptom depends on ([`Breakers`]).

use std::collections::BTreeSet;

use crate::dependency::DependencyGraph;
use crate::eval::finding::breakers::{Breakers, Candidate, MOST_CAUSES};
use crate::eval::finding::declared::Links;
use crate::eval::finding::foldable::FoldableFinding;
use crate::eval::finding::span::Clock;
use crate::model::{DirectCause, PathStep};
use crate::rule::RuleSet;

/// Sets the causes of every symptom, and `explained_by` to the fingerprint of the top one.
///
/// A declared cause comes first, then those of the graph, nearest first. Chains fold to their top. Where findings explain each
/// other, the one that began first is the cause.
pub fn fold(set: &RuleSet, found: &mut [FoldableFinding], graph: &mut DependencyGraph<'_>, clock: Clock) {
    let links = Links::of(set, found);
    let mut breakers = Breakers::of(found, graph, clock);
    let mut causes: Vec<Vec<Candidate>> = (0..found.len())
        .map(|symptom| {
            let declared = links.parent(found, &found[symptom], clock);
            let declared = declared.into_iter().map(|finding| Candidate { finding, path: Vec::new() });
            let mut all: Vec<Candidate> = declared.collect();
            let others = breakers.causes(found, symptom);
            all.extend(
                others
                    .into_iter()
                    .filter(|other| all.iter().all(|known| known.finding != other.finding))
                    .collect::<Vec<_>>(),
            );
            all
        })
        .collect();
    let may_cause = |cause: usize, symptom: usize| found[cause].span.may_cause(&found[symptom].span, clock);
    cut_circles(&mut causes, breakers.order(), may_cause);
    note(found, causes);
}

fn note(found: &mut [FoldableFinding], causes: Vec<Vec<Candidate>>) {
    let parents: Vec<Option<usize>> = causes.iter().map(|causes| causes.first().map(|first| first.finding)).collect();
    let above = |start: usize| std::iter::successors(parents[start], |&at| parents[at]);
    let prints: Vec<String> = found.iter().map(|one| one.finding.fingerprint.clone()).collect();
    for (symptom, causes) in causes.into_iter().enumerate() {
        let finding = &mut found[symptom].finding;
        finding.explained_by = above(symptom).last().map(|top| prints[top].clone());
        // What explains the first cause is said there.
        let known: BTreeSet<usize> = above(symptom).skip(1).collect();
        let direct = causes.into_iter().filter(|cause| !known.contains(&cause.finding));
        let direct = direct.map(|Candidate { finding, path }| DirectCause { finding: prints[finding].clone(), path });
        finding.causes = direct.collect();
    }
}

/// Takes causes away until no finding explains itself through others. `order` ranks findings: the first of a circle keeps none of
/// its causes in the circle. A cause that was taken from a finding never comes back, so it ends.
fn cut_circles(causes: &mut [Vec<Candidate>], order: &[usize], may_cause: impl Fn(usize, usize) -> bool) {
    let mut done = vec![false; causes.len()];
    let mut cut: BTreeSet<(usize, usize)> = BTreeSet::new();
    for start in 0..causes.len() {
        let mut way: Vec<usize> = Vec::new();
        let mut next = Some(start);
        while let Some(at) = next.filter(|&at| !done[at]) {
            if let Some(begin) = way.iter().position(|&before| before == at) {
                let circle = &mut way[begin..];
                let first = (0..circle.len()).min_by_key(|&position| order[circle[position]]).unwrap_or_default();
                circle.rotate_left(first);
                cut_circle(causes, circle, &may_cause, &mut cut);
                way.clear();
                next = Some(start);
                continue;
            }
            way.push(at);
            next = causes[at].first().map(|cause| cause.finding);
        }
        way.into_iter().for_each(|at| done[at] = true);
    }
}

/// Takes the first cause of the first finding of a circle away, in which each is explained by the next one. What explains the others
/// from outside takes its place: the finding suffers from it through them.
/// `cut` are the pairs of a finding and a cause that was taken from it.
fn cut_circle(
    causes: &mut [Vec<Candidate>],
    circle: &[usize],
    may_cause: impl Fn(usize, usize) -> bool,
    cut: &mut BTreeSet<(usize, usize)>,
) {
    let Some((&first, others)) = circle.split_first() else { return };
    let taken = causes[first].remove(0);
    cut.insert((first, taken.finding));
    let mut path = taken.path;
    let mut behind: Vec<Candidate> = Vec::new();
    for &member in others {
        for outer in &causes[member][1..] {
            let known = |list: &[Candidate]| list.iter().any(|cause| cause.finding == outer.finding);
            if !circle.contains(&outer.finding)
                && !cut.contains(&(first, outer.finding))
                && !known(&behind)
                && !known(&causes[first])
                && may_cause(outer.finding, first)
            {
                behind.push(Candidate { finding: outer.finding, path: joined(&path, &outer.path) });
            }
        }
        path = joined(&path, &causes[member][0].path);
    }
    causes[first].extend(behind);
    causes[first].truncate(MOST_CAUSES);
}

/// Joins the way to a finding with the way from there, which begins at a component of it.
fn joined(to: &[PathStep], from: &[PathStep]) -> Vec<PathStep> {
    let same = to.last().zip(from.first()).is_some_and(|(end, begin)| end.component == begin.component);
    to.iter().chain(&from[usize::from(same)..]).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::finding::declared::Compared;
    use crate::eval::finding::names::Names;
    use crate::eval::finding::reach::Reach;
    use crate::eval::finding::span::{Before, Span};
    use crate::eval::finding::times::Times;
    use crate::eval::testing::{finding, input, rules};
    use crate::model::{Component, Finding, NodePart, ObjectRef, Severity};
    use crate::resource::ResourceIndex;
    use std::slice::from_ref;

    fn found(rule: &str, print: &str, severity: Severity, reach: &[&str], nodes: &[&str]) -> FoldableFinding {
        let object = |name: &&str| ObjectRef::new("", "Pod", None, name);
        let objects = reach.iter().take(1).map(object).collect();
        let finding = Finding { severity, objects, ..finding(rule, print) };
        let nodes = nodes.iter().map(|node| (*node).to_owned()).collect();
        FoldableFinding {
            finding,
            reach: Reach::of(reach.iter().map(object).collect(), nodes),
            names: Names::default(),
            times: Times::default(),
            explains_not: Vec::new(),
            breaks: Vec::new(),
            needs: Vec::new(),
            span: Span::default(),
            events: BTreeSet::new(),
        }
    }

    /// By which finding each is explained.
    fn folded(mut found: Vec<FoldableFinding>) -> Vec<Option<String>> {
        let find = "find: {pod: {resource: pods}}";
        let set = rules(&[
            ("first", &format!("{find}\nexplains: [second, third]")),
            ("second", &format!("{find}\nexplains: [{{rule: third, \"on\": node}}]")),
            ("third", find),
        ]);
        fold(&set, &mut found, &mut DependencyGraph::new(&ResourceIndex::default()), Clock::default());
        found.into_iter().map(|found| found.finding.explained_by).collect()
    }

    #[test]
    fn the_most_severe_cause_takes_a_symptom_then_the_first_by_id() {
        let cause = |rule: &str, print: &str, severity| found(rule, print, severity, &[print, "s"], &[]);
        let symptom = || found("third", "s", Severity::Critical, &["s"], &[]);
        let list = vec![cause("first", "a", Severity::Low), cause("second", "b", Severity::High), symptom()];
        assert_eq!(folded(list)[2].as_deref(), Some("b"));
        let list = vec![cause("second", "b", Severity::High), cause("first", "z", Severity::High), symptom()];
        assert_eq!(folded(list)[2].as_deref(), Some("z"));
        let list = vec![cause("first", "y", Severity::High), cause("first", "x", Severity::High), symptom()];
        assert_eq!(folded(list)[2].as_deref(), Some("x"));
    }

    #[test]
    fn chains_end_at_the_top_and_other_rules_explain_nothing() {
        let list = vec![
            found("first", "a", Severity::Low, &["a", "b"], &[]),
            found("second", "b", Severity::Low, &["b", "c"], &[]),
            found("third", "c", Severity::Low, &["c"], &[]),
            found("first", "d", Severity::Low, &["c"], &[]),
            found("third", "e", Severity::Low, &["e", "a"], &[]),
        ];
        // "b" and "d" both explain "c"; rule "first" comes before "second".
        assert_eq!(folded(list), [None, Some("a".into()), Some("d".into()), None, None]);
    }

    #[test]
    fn a_common_node_counts_only_where_the_rule_says_so() {
        let list = |rule: &str| {
            vec![
                found(rule, "a", Severity::Low, &["a"], &["n1"]),
                found("third", "b", Severity::Low, &["b"], &["n1", "n2"]),
                found("third", "c", Severity::Low, &["c"], &["n2"]),
            ]
        };
        assert_eq!(folded(list("first")), [None, None, None]);
        assert_eq!(folded(list("second")), [None, Some("a".into()), None]);
    }

    #[test]
    fn within_needs_nearness_in_time_and_a_common_object() {
        let at = |times: &[&str], found: FoldableFinding| FoldableFinding { times: Times::written(times), ..found };
        let cause = |rule: &str| found(rule, "c", Severity::High, &["c", "s"], &["n1"]);
        let symptom = || found("third", "s", Severity::Low, &["s"], &["n1"]);
        let elsewhere = || found("third", "e", Severity::Low, &["e"], &["n2"]);
        let [eight, five_past, six_past] = ["2025-01-01T08:00:00Z", "2025-01-01T08:05:00Z", "2025-01-01T08:06:00Z"];
        let set = rules(&[
            ("objects", "find: {pod: {resource: pods}}\nexplains: [{rule: third, within: 5m}]"),
            ("nodes", "find: {pod: {resource: pods}}\nexplains: [{rule: third, \"on\": node, within: 5m}]"),
            ("third", "find: {pod: {resource: pods}}"),
            ("untimed", "find: {pod: {resource: pods}}\nexplains: [nodes]"),
        ]);
        assert_eq!(Compared::of(&set).timed, BTreeSet::from(["nodes", "objects", "third"]));
        for rule in ["objects", "nodes"] {
            for (symptom, explained) in [
                (at(&[five_past], symptom()), true),
                (at(&[six_past], symptom()), false),
                (symptom(), false),
                (at(&[eight], elsewhere()), false),
            ] {
                let mut found = vec![at(&[eight], cause(rule)), symptom];
                fold(&set, &mut found, &mut DependencyGraph::new(&ResourceIndex::default()), Clock::default());
                assert_eq!(found[1].finding.explained_by.is_some(), explained, "{rule}: {:?}", found[1]);
            }
        }
    }

    /// Which finding explains the symptom, if a rule says so and both have a common object.
    fn declared(cause: [Option<i64>; 2], symptom: [Option<i64>; 2]) -> bool {
        let find = "find: {pod: {resource: pods}}";
        let set = rules(&[("first", &format!("{find}\nexplains: [third]")), ("third", find)]);
        let of = |rule: &str, span: [Option<i64>; 2]| FoldableFinding {
            span: linked(rule, &[], &[], span).span,
            ..found(rule, rule, Severity::Low, &["s"], &[])
        };
        let mut list = vec![of("first", cause), of("third", symptom)];
        fold(&set, &mut list, &mut DependencyGraph::new(&ResourceIndex::default()), Clock::default());
        list[1].finding.explained_by.is_some()
    }

    #[test]
    fn a_declared_cause_holds_at_the_time_of_its_symptom() {
        let state = [None, None];
        assert!(declared([Some(0), Some(10)], [Some(600), None]), "logged once, when it started");
        assert!(!declared([Some(0), Some(10)], [Some(2_000), None]), "an incident that was over");
        assert!(declared([Some(300), Some(310)], [Some(0), None]), "lines that came later than the state");
        assert!(!declared([Some(300), None], [Some(0), Some(10)]), "the symptom was over");
        assert!(declared(state, [Some(0), Some(10)]) && declared([Some(0), Some(10)], state) && declared(state, state));
    }

    fn part(node: &str, part: NodePart) -> Component {
        Component::Node { node: node.to_owned(), part }
    }

    fn pod(name: &str) -> Component {
        Component::Object(ObjectRef::new("", "Pod", Some("default"), name))
    }

    /// A finding of a rule of that name, with what it breaks and needs, and the minutes of its first and last sign.
    fn linked(print: &str, breaks: &[Component], needs: &[Component], minutes: [Option<i64>; 2]) -> FoldableFinding {
        let [begin, end] = minutes.map(|minute| {
            minute.map(|m| {
                "2025-01-01T00:00:00Z".parse::<jiff::Timestamp>().unwrap() + jiff::SignedDuration::from_mins(m)
            })
        });
        let (breaks, needs) = (breaks.to_vec(), needs.to_vec());
        FoldableFinding {
            breaks,
            needs,
            span: Span { begin, end, before: Before::Nothing },
            ..found(print, print, Severity::Low, &[print], &[])
        }
    }

    /// Which finding explains which, on a cluster with pod p1 on node n1, which is not ready, and p2 on n2.
    fn graph_folded(mut found: Vec<FoldableFinding>) -> Vec<Option<String>> {
        let (_, input) = (rules(&[]), input(&[
            "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: {conditions: [{type: Ready, status: Unknown}]}".to_owned(),
            "apiVersion: v1\nkind: Pod\nmetadata: {name: p1, namespace: default}\nspec: {nodeName: n1}".to_owned(),
            "apiVersion: v1\nkind: Pod\nmetadata: {name: p2, namespace: default}\nspec: {nodeName: n2}".to_owned(),
        ], &[]));
        let now = "2025-01-01T10:00:00Z".parse().ok();
        fold(&RuleSet::default(), &mut found, &mut DependencyGraph::new(&input.world.resources), Clock { now });
        found.into_iter().map(|found| found.finding.explained_by).collect()
    }

    #[test]
    fn a_finding_explains_those_that_depend_on_what_it_breaks() {
        let disk = || linked("disk", &[part("n1", NodePart::Disk)], &[], [Some(0), None]);
        let kubelet = |minute| {
            linked("kubelet", &[part("n1", NodePart::Kubelet)], &[part("n1", NodePart::Kubelet)], [Some(minute), None])
        };
        let crash = |name: &str, minute| linked(name, &[pod(name)], &[pod(name)], [Some(minute), None]);
        let top = |name: &str| Some(name.to_owned());
        assert_eq!(graph_folded(vec![disk(), crash("p1", 10)]), [None, top("disk")]);
        assert_eq!(graph_folded(vec![disk(), crash("p2", 10)]), [None, None], "another node");
        assert_eq!(graph_folded(vec![disk(), kubelet(5), crash("p1", 10)]), [None, top("disk"), top("disk")]);
        assert_eq!(graph_folded(vec![kubelet(5), crash("p1", 10)]), [None, top("kubelet")], "without the cause");
        assert_eq!(graph_folded(vec![disk(), kubelet(-90), crash("p1", -60)]), [None, None, top("kubelet")], "later");
        let suffers = linked("suffers", &[], &[part("n1", NodePart::Kubelet)], [Some(10), None]);
        assert_eq!(graph_folded(vec![kubelet(5), suffers]), [None, top("kubelet")], "no sign of the same fault");
    }

    #[test]
    fn the_nearest_cause_is_direct_and_the_way_to_it_is_noted() {
        let mut list = vec![
            linked("disk", &[part("n1", NodePart::Disk)], &[], [Some(0), None]),
            linked("kubelet", &[part("n1", NodePart::Kubelet)], &[part("n1", NodePart::Disk)], [Some(1), None]),
            linked("p1", &[], &[pod("p1")], [Some(2), None]),
        ];
        let input = input(
            &["apiVersion: v1\nkind: Pod\nmetadata: {name: p1, namespace: default}\nspec: {nodeName: n1}".to_owned()],
            &[],
        );
        fold(&RuleSet::default(), &mut list, &mut DependencyGraph::new(&input.world.resources), Clock::default());
        let causes = &list[2].finding.causes;
        let steps: Vec<String> =
            causes[0].path.iter().map(|step| format!("{:?} {}", step.by, step.component)).collect();
        assert_eq!((causes.len(), causes[0].finding.as_str()), (1, "kubelet"));
        assert_eq!(steps, ["None Pod/default/p1", "Some(\"spec.nodeName\") kubelet of node n1"]);
        assert_eq!(list[2].finding.explained_by.as_deref(), Some("disk"));
    }

    #[test]
    fn signs_that_ended_and_states_without_a_time_explain_only_what_fits() {
        let cause = |minutes| linked("disk", &[part("n1", NodePart::Disk)], &[], minutes);
        let symptom = |minutes| linked("p1", &[], &[part("n1", NodePart::Disk)], minutes);
        for (cause_at, symptom_at, explained) in [
            ([Some(0), Some(10)], [Some(20), None], true),
            ([Some(0), Some(10)], [Some(50), None], false),
            ([Some(0), Some(10)], [None, None], false),
            ([Some(0), Some(590)], [None, None], true),
            ([None, None], [None, None], true),
            ([None, None], [Some(580), Some(590)], true),
            ([None, None], [Some(10), Some(20)], false),
            ([Some(4), None], [Some(0), None], true),
            ([Some(6), None], [Some(0), None], false),
        ] {
            let answer = graph_folded(vec![cause(cause_at), symptom(symptom_at)]);
            assert_eq!(answer[1].is_some(), explained, "{cause_at:?} {symptom_at:?}");
        }
    }

    #[test]
    fn findings_that_explain_each_other_fold_under_the_first() {
        let (a, b) = (part("n1", NodePart::Clock), part("n1", NodePart::Network));
        let list = |first: i64, second: i64| {
            vec![
                linked("x", from_ref(&a), from_ref(&b), [Some(first), None]),
                linked("y", from_ref(&b), from_ref(&a), [Some(second), None]),
            ]
        };
        assert_eq!(graph_folded(list(0, 1)), [None, Some("x".to_owned())]);
        assert_eq!(graph_folded(list(1, 0)), [Some("y".to_owned()), None]);
        // "w" and "p1" are signs of one another; the kubelet explains "p1", and so both.
        let both = [
            linked("kubelet", &[part("n1", NodePart::Kubelet)], &[], [Some(-3), None]),
            linked("p1", &[pod("p1")], &[b.clone(), pod("p1")], [Some(2), None]),
            linked("w", from_ref(&b), &[pod("p1")], [Some(1), None]),
        ];
        assert_eq!(graph_folded(both.into()), [None, Some("kubelet".to_owned()), Some("kubelet".to_owned())]);
        let shared = |print: &str| linked(print, &[pod("p1")], &[pod("p1")], [Some(0), None]);
        assert_eq!(graph_folded(vec![shared("x"), shared("y")]), [None, None], "signs of one fault");
    }

    #[test]
    fn any_circles_are_cut() {
        // Three nodes of the control plane that are down explain one another.
        let mutual: Vec<Vec<usize>> = vec![vec![1, 2], vec![0, 2], vec![0, 1]];
        let mut seed: u64 = 1;
        let mut random = move |below: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % below
        };
        let mut graphs = vec![mutual];
        for _ in 0..300 {
            let count = 2 + random(6);
            let list = |own: usize, random: &mut dyn FnMut(usize) -> usize| {
                (0..count).filter(|&other| other != own && random(2) == 0).collect()
            };
            graphs.push((0..count).map(|own| list(own, &mut random)).collect());
        }
        for graph in graphs {
            let candidate = |&finding: &usize| Candidate { finding, path: Vec::new() };
            let mut causes: Vec<Vec<Candidate>> =
                graph.iter().map(|list| list.iter().map(candidate).collect()).collect();
            let order: Vec<usize> = (0..graph.len()).collect();
            cut_circles(&mut causes, &order, |_, _| true);
            let parent = |at: usize| causes[at].first().map(|cause| cause.finding);
            for start in 0..graph.len() {
                let steps = std::iter::successors(parent(start), |&at| parent(at)).take(graph.len() + 1).count();
                assert!(steps < graph.len(), "{graph:?} from {start}");
            }
        }
    }
}
