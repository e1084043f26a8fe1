//! Resolves which rules explain which, and rejects cycles.

use std::collections::{BTreeMap, BTreeSet};

use crate::rule::error::{Code, Diagnostics, did_you_mean};
use crate::rule::source::rule::RuleSource;

/// A rule file as read, with the place for what is wrong with it.
pub struct Draft {
    pub diagnostics: Diagnostics,
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
        for Draft { diagnostics, rule } in loaded.iter_mut() {
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

/// Checks that explained rules exist and that no rule explains itself, directly or through others.
pub fn check(loaded: &mut [Draft], ids: &BTreeMap<String, String>) {
    let edges = edges(loaded, ids);
    for Draft { diagnostics, rule } in loaded.iter_mut() {
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
            let Some(path) = own.and_then(|own| way(&edges, target, own)) else { continue };
            // Every rule of a cycle would report it; the one with the first id does.
            if path.iter().any(|id| Some(*id) < own) {
                continue;
            }
            let chain: Vec<&str> = own.into_iter().chain(path).collect();
            let message = format!("rules explain each other: {}", chain.join(" -> "));
            let hint = "a cause explains its symptoms, not the reverse";
            diagnostics.report(Code::ExplainsCycle, written.range.clone(), message).hint(hint);
        }
    }
}

fn edges(loaded: &[Draft], ids: &BTreeMap<String, String>) -> BTreeMap<String, BTreeSet<String>> {
    let mut edges: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for one in loaded {
        let (Some(id), Some(rule)) = (one.id(), &one.rule) else { continue };
        let targets = rule.explains.iter().filter_map(|explained| ids.get(&explained.rule.text));
        edges.entry(id.to_owned()).or_default().extend(targets.cloned());
    }
    edges
}

/// The rules on a way from one rule to another, both included.
fn way<'e>(edges: &'e BTreeMap<String, BTreeSet<String>>, from: &'e str, to: &str) -> Option<Vec<&'e str>> {
    let mut came_from: BTreeMap<&str, &'e str> = BTreeMap::new();
    let mut queue = vec![from];
    let mut at = 0;
    while let Some(&id) = queue.get(at) {
        at += 1;
        if id == to {
            let mut path = vec![id];
            while let Some(before) = path.last().and_then(|last| came_from.get(last)) {
                path.push(before);
            }
            path.reverse();
            return Some(path);
        }
        for next in edges.get(id).into_iter().flatten() {
            if next != from && !came_from.contains_key(next.as_str()) {
                came_from.insert(next, id);
                queue.push(next);
            }
        }
    }
    None
}
