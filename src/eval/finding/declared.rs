//! Causes that rules declare with `explains`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::eval::finding::foldable::FoldableFinding;
use crate::eval::finding::reach::Concerned;
use crate::eval::finding::span::Clock;
use crate::model::ObjectRef;
use crate::rule::{Explains, Rule, RuleSet};

/// Rules whose findings are compared with those of other rules, by what is compared.
#[derive(Debug, Default)]
pub struct Compared<'r> {
    /// Rules that explain others or are explained: the reach of their findings decides.
    pub linked: BTreeSet<&'r str>,
    /// Rules that explain others `within` a time, and those others: all their times are compared.
    pub timed: BTreeSet<&'r str>,
    /// Rules that explain others without such a time, and those others: when they began and ended is compared.
    pub spanned: BTreeSet<&'r str>,
}

impl<'r> Compared<'r> {
    /// Reads the links of all rules.
    pub fn of(set: &'r RuleSet) -> Self {
        let mut compared = Self::default();
        let links =
            set.rules.iter().flat_map(|rule| rule.explains.iter().map(|explained| (rule.id.as_str(), explained)));
        for (cause, explained) in links {
            let both = [cause, explained.rule.as_str()];
            compared.linked.extend(both);
            let times = if explained.within.is_some() { &mut compared.timed } else { &mut compared.spanned };
            times.extend(both);
        }
        compared
    }
}

/// Possible causes, the best first, and where to find those of a symptom: comparing each with each would take minutes for
/// some thousand findings.
///
/// A symptom belongs to a cause whose rule explains it and that has its subject among its objects, unless both name other objects of one
/// sort (the pod of a log says little), or, with `on: node`, names the same node; with `within` only if their times are that near. Without
/// such a time, both must have held at one time; on a node a symptom must not have begun before its cause, either. Of several causes the
/// most severe, surest, first by id wins.
pub struct Links {
    causes: Vec<Link>,
    /// Positions of the causes that reach an object.
    by_object: BTreeMap<ObjectRef, Vec<usize>>,
    /// Positions of the causes that name a node, if they explain what is on it.
    by_node: BTreeMap<String, Vec<usize>>,
}

/// A finding that may be the cause of findings of another rule.
struct Link {
    finding: usize,
    explained: Explains,
}

impl Links {
    /// Reads the links of all rules.
    pub fn of(set: &RuleSet, found: &[FoldableFinding]) -> Self {
        let rules: BTreeMap<&str, &Rule> = set.rules.iter().map(|rule| (rule.id.as_str(), rule)).collect();
        let explained = |rule: &str| rules.get(rule).map(|rule| rule.explains.clone()).unwrap_or_default();
        let links = |(finding, cause): (usize, &FoldableFinding)| {
            let entries = explained(&cause.finding.rule).into_iter().enumerate();
            let entries: Vec<_> = entries.filter(|(position, _)| !cause.explains_not.contains(position)).collect();
            entries.into_iter().map(move |(_, explained)| Link { finding, explained })
        };
        let mut causes: Vec<Link> = found.iter().enumerate().flat_map(links).collect();
        causes.sort_by_cached_key(|link| {
            let finding = &found[link.finding].finding;
            (finding.rank(), finding.rule.clone(), finding.fingerprint.clone())
        });
        let mut links = Self { causes, by_object: BTreeMap::new(), by_node: BTreeMap::new() };
        links.index(found);
        links
    }

    /// Findings may share a part of what they reach: it is looked through once.
    fn index(&mut self, found: &[FoldableFinding]) {
        let subjects: BTreeSet<&ObjectRef> = found.iter().filter_map(|found| found.finding.objects.first()).collect();
        let mut parts: BTreeMap<usize, (&Concerned, Vec<usize>)> = BTreeMap::new();
        for (position, link) in self.causes.iter().enumerate() {
            for part in found[link.finding].reach.parts() {
                parts.entry(Arc::as_ptr(part).addr()).or_insert((part, Vec::new())).1.push(position);
            }
        }
        for (part, positions) in parts.into_values() {
            for object in part.objects.iter().filter(|object| subjects.contains(object)) {
                self.by_object.entry(object.clone()).or_default().extend(&positions);
            }
            let on_node: Vec<usize> =
                positions.into_iter().filter(|&position| self.causes[position].explained.on_node).collect();
            for node in part.nodes.iter().filter(|_| !on_node.is_empty()) {
                self.by_node.entry(node.clone()).or_default().extend(&on_node);
            }
        }
        self.by_object.values_mut().chain(self.by_node.values_mut()).for_each(|positions| positions.sort_unstable());
    }

    /// Returns the best cause of a symptom.
    pub fn parent(&self, found: &[FoldableFinding], symptom: &FoldableFinding, clock: Clock) -> Option<usize> {
        let explains = |position: &&usize| {
            let Link { finding, explained } = &self.causes[**position];
            let near = |within| found[*finding].times.are_near(&symptom.times, within);
            explained.rule == symptom.finding.rule && explained.within.is_none_or(near)
        };
        let span = |position: usize| &found[self.causes[position].finding].span;
        let timed = |position: usize| self.causes[position].explained.within.is_some();
        let meets = |position: usize| timed(position) || span(position).meets(&symptom.span);
        let may_cause = |position: usize| timed(position) || span(position).may_cause(&symptom.span, clock);
        let subject = symptom.finding.objects.first().and_then(|subject| self.by_object.get(subject));
        let is_of_another = |position: usize| found[self.causes[position].finding].names.differ(&symptom.names);
        let joins = |at: &&usize| explains(at) && meets(**at) && !is_of_another(**at);
        let reaching = subject.and_then(|positions| positions.iter().find(joins));
        let nodes: BTreeSet<&String> = symptom.reach.parts().iter().flat_map(|part| &part.nodes).collect();
        let on_nodes = nodes.into_iter().filter_map(|node| self.by_node.get(node));
        let on_nodes = on_nodes.filter_map(|positions| positions.iter().find(|at| explains(at) && may_cause(**at)));
        let first = reaching.into_iter().chain(on_nodes).min()?;
        Some(self.causes[*first].finding)
    }
}
