//! Resolves which rules explain which, and rejects cycles.

use std::collections::{BTreeMap, BTreeSet};

use crate::rule::error::{Code, Diagnostics, did_you_mean};
use crate::rule::source::fact::{FactSource, KindSource};
use crate::rule::source::reader::Written;
use crate::rule::source::rule::{ExplainsSource, RuleSource};

/// A rule file as read, with the place for what is wrong with it.
pub struct Draft {
    pub diagnostics: Diagnostics,
    /// The file was checked by the tests of this program.
    pub tested: bool,
    /// None when the file could not be read.
    pub rule: Option<RuleSource>,
}

impl Draft {
    /// The id as written.
    pub fn id(&self) -> Option<&str> {
        self.rule.as_ref()?.id.as_ref().map(|id| id.text.as_str())
    }
}

/// Ids by id and by alias; reports those that are taken twice.
pub fn ids(loaded: &mut [Draft]) -> BTreeMap<String, String> {
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    for aliases in [false, true] {
        for Draft { diagnostics, rule, .. } in loaded.iter_mut() {
            let Some(rule) = rule else { continue };
            let Some(id) = &rule.id else { continue };
            let names = if aliases { rule.aliases.as_slice() } else { std::slice::from_ref(id) };
            for name in names {
                if let Some(file) = files.get(&name.text) {
                    let what = if aliases { "alias" } else { "id" };
                    let message = format!("{what} \"{}\" is taken by {file}", name.text);
                    diagnostics.report(Code::DuplicateId, name.range.clone(), message);
                    continue;
                }
                known.insert(name.text.clone(), id.text.clone());
                files.insert(name.text.clone(), diagnostics.file().to_owned());
            }
        }
    }
    // A file that cannot be read counts as a rule with the id of its name.
    for one in loaded.iter().filter(|one| one.id().is_none()) {
        let stem = one.diagnostics.stem().to_owned();
        known.entry(stem.clone()).or_insert(stem);
    }
    known
}

/// Checks that explained rules exist and that no rule explains itself, directly or through others. Those of the program alone were checked by its
/// tests.
pub fn check(loaded: &mut [Draft], ids: &BTreeMap<String, String>) {
    if loaded.iter().all(|draft| draft.tested) {
        return;
    }
    let cycles = cycles(edges(loaded, ids));
    for Draft { diagnostics, rule, .. } in loaded.iter_mut() {
        let Some(rule) = rule else { continue };
        let own = rule.id.as_ref().map(|id| id.text.as_str());
        for explained in &rule.explains {
            let written = &explained.rule;
            let Some(target) = ids.get(&written.text) else {
                let others = ids.keys().map(String::as_str).filter(|id| Some(*id) != own);
                let near = did_you_mean(&written.text, others);
                let message = format!("no rule has the id or alias \"{}\"{near}", written.text);
                diagnostics.report(Code::UnknownRule, written.range.clone(), message);
                continue;
            };
            let Some(cycle) = own.and_then(|own| cycles.get(own)).filter(|cycle| cycle.get(1) == Some(target)) else {
                continue;
            };
            let message = format!("rules explain each other: {}", cycle.join(" -> "));
            let hint = "a cause explains its symptoms, not the reverse";
            diagnostics.report(Code::ExplainsCycle, written.range.clone(), message).hint(hint);
        }
    }
}

/// Warns of entries that join everything of a rule that is on one node, at whatever time: those with `on: node` and without `within`, of
/// rules that are about single objects.
pub fn check_nodes(loaded: &mut [Draft], ids: &BTreeMap<String, String>) {
    let rules = loaded.iter().filter_map(|draft| Some((draft.id()?, draft.rule.as_ref()?)));
    let objects: BTreeMap<String, String> =
        rules.filter_map(|(id, rule)| Some((id.to_owned(), object_of(rule)?))).collect();
    for Draft { diagnostics, rule, .. } in loaded.iter_mut() {
        let explains = rule.iter().flat_map(|rule| &rule.explains);
        for ExplainsSource { rule: written, .. } in explains.filter(|entry| entry.on_node && entry.within.is_none()) {
            let Some(object) = ids.get(&written.text).and_then(|id| objects.get(id)) else { continue };
            let id = &written.text;
            let message = format!("each finding of \"{id}\" on the node joins: it is about {object}");
            let hint = "add within: 10m, or remove the entry: breaks and needs fold what depends on a part of the node";
            diagnostics.report(Code::JoinsAny, written.range.clone(), message).hint(hint);
        }
    }
}

/// Returns the first type of objects that a rule is about, but for nodes; none if it is about lines or events, which are of a node.
fn object_of(rule: &RuleSource) -> Option<String> {
    let is_subject = |fact: &&FactSource| match &rule.about {
        Some(about) => about.iter().any(|name| name.text == fact.name),
        None => !fact.optional && !fact.collect,
    };
    let subjects = rule.find.iter().filter(is_subject);
    let parts: Vec<&FactSource> = subjects.flat_map(|fact| std::iter::once(fact).chain(fact.alternatives())).collect();
    let is_group = |fact: &&FactSource| matches!(fact.kind, Some(KindSource::Log(_) | KindSource::Event(_)));
    let mut types = parts.iter().filter_map(|fact| types_of(fact)).flatten().map(|name| name.text.clone());
    let object = types.find(|name| !name.starts_with("nodes"));
    object.filter(|_| !parts.iter().any(is_group))
}

fn types_of(fact: &FactSource) -> Option<&[Written]> {
    match &fact.kind {
        Some(KindSource::Resource { types, .. }) => Some(types),
        _ => None,
    }
}

/// Rules that each rule explains, by id.
type Edges = BTreeMap<String, BTreeSet<String>>;

fn edges(loaded: &[Draft], ids: &BTreeMap<String, String>) -> Edges {
    let mut edges = Edges::new();
    for one in loaded {
        let (Some(id), Some(rule)) = (one.id(), &one.rule) else { continue };
        let targets = rule.explains.iter().filter_map(|explained| ids.get(&explained.rule.text));
        edges.entry(id.to_owned()).or_default().extend(targets.cloned());
    }
    edges
}

/// Returns ways from a rule back to itself, by its id. No two of them have a rule in common, and each begins at its first id, so that each cycle
/// is reported once.
fn cycles(mut edges: Edges) -> BTreeMap<String, Vec<String>> {
    // A search for each rule would take 14 s for 300 rules of which each explains all later ones.
    remove_ends(&mut edges);
    let mut cycles = BTreeMap::new();
    for first in edges.keys().cloned().collect::<Vec<_>>() {
        let way = way_back(&edges, &first);
        edges.remove(&first);
        if let Some(way) = way {
            way.iter().for_each(|id| drop(edges.remove(id)));
            cycles.insert(first, way);
        }
    }
    cycles
}

/// Removes the rules that explain none of the others, until each of the rest explains another one.
fn remove_ends(edges: &mut Edges) {
    let mut open: BTreeMap<&str, usize> = BTreeMap::new();
    let mut explained_by: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for id in edges.keys() {
        open.insert(id, explained(edges, id).count());
        explained(edges, id).for_each(|target| explained_by.entry(target).or_default().push(id));
    }
    let mut ends: Vec<&str> = open.iter().filter(|(_, targets)| **targets == 0).map(|(id, _)| *id).collect();
    let mut removed = BTreeSet::new();
    while let Some(end) = ends.pop() {
        removed.insert(end.to_owned());
        for id in explained_by.get(end).into_iter().flatten() {
            let targets = open.entry(id).or_default();
            *targets = targets.saturating_sub(1);
            ends.extend((*targets == 0).then_some(*id));
        }
    }
    edges.retain(|id, _| !removed.contains(id));
}

/// Returns the rules on the shortest way from a rule back to itself, which is the first and the last.
fn way_back(edges: &Edges, from: &str) -> Option<Vec<String>> {
    let mut came_from: BTreeMap<&str, &str> = BTreeMap::new();
    let mut queue = vec![from];
    let mut at = 0;
    while let Some(&id) = queue.get(at) {
        at += 1;
        for next in explained(edges, id) {
            if next == from {
                let mut way = vec![from, id];
                way.extend(std::iter::successors(came_from.get(id), |id| came_from.get(*id)));
                way.reverse();
                return Some(way.into_iter().map(str::to_owned).collect());
            }
            came_from.entry(next).or_insert_with(|| {
                queue.push(next);
                id
            });
        }
    }
    None
}

/// Returns the rules of the graph that a rule explains.
fn explained<'e>(edges: &'e Edges, id: &str) -> impl Iterator<Item = &'e str> {
    edges.get(id).into_iter().flatten().filter(|target| edges.contains_key(*target)).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(explained: impl Fn(usize) -> std::ops::Range<usize>) -> Edges {
        let name = |number| format!("r{number:03}");
        (0..300).map(|number| (name(number), explained(number).map(name).collect())).collect()
    }

    /// The way of a cycle is looked for once for a cycle, not for each pair of rules.
    #[test]
    fn large_graphs_are_searched_once() {
        assert!(cycles(graph(|number| number + 1..300)).is_empty());
        let one = cycles(graph(|number| if number == 299 { 0..1 } else { number + 1..number + 2 }));
        assert_eq!(one.iter().map(|(id, way)| (id.as_str(), way.len())).collect::<Vec<_>>(), [("r000", 301)]);
        let all = cycles(graph(|_| 0..300));
        assert_eq!((all.len(), all.get("r007").map(|way| way.join(" "))), (300, Some("r007 r007".to_owned())));
    }
}
