//! What each fact finds on its own, before it meets the others.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::model::Glob;

use super::events::events;
use super::union::Via;
use super::{Absent, AbsentFile, BundleFile, Input, sequence};
use crate::expr::{Expr, Truth, Value, World};
use crate::log::LogAnswer;
use crate::resource::{Resource, ResourceId, TypeName};
use crate::rule::order::is_alone;
use crate::rule::{Alternative, Fact, FactKind, FileQuery, ResourceQuery};

/// Most nodes named in one reason.
const MAX_NODES: usize = 20;

/// Why a condition or a fact cannot be told.
pub type Reason = Arc<str>;

/// One value a fact may take; with a reason when one of its own conditions could not be told.
#[derive(Clone, Debug)]
pub struct Candidate<'a> {
    pub value: Value<'a>,
    pub undecided: Option<Reason>,
    /// Which alternatives of the fact gave it.
    pub via: Via,
}

impl<'a> Candidate<'a> {
    /// A value; an undecided one is undecided for its reason.
    pub fn of(value: Value<'a>) -> Self {
        let undecided = match &value {
            Value::Undecided(reason) => Some(reason.clone()),
            _ => None,
        };
        Self { value, undecided, via: Via::FIRST }
    }
}

/// All values that an alternative of a fact may take.
#[derive(Debug, Default)]
pub struct Candidates<'a> {
    pub list: Vec<Candidate<'a>>,
    /// Part of the input was not there, so that what is not in the list may exist.
    pub missing: Option<Reason>,
}

/// Looks a fact up, each of its alternatives; those that only name an expression have no candidates of their own.
///
/// `bindings` has room for every slot of the rule; `slot` is the fact's own.
pub fn look_up<'a>(input: &'a Input, fact: &Fact, slot: usize, bindings: &mut [Value<'a>]) -> Vec<Candidates<'a>> {
    let look_up = |alternative: &Alternative| {
        let mut found = select(input, &alternative.kind);
        let conditions = fact.conditions.iter().chain(&alternative.conditions);
        retain(&input.world, conditions.filter(|c| is_alone(c, slot)), slot, bindings, &mut found.list);
        found
    };
    fact.alternatives.iter().map(look_up).collect()
}

/// What selectors find, before conditions are tested.
pub fn select<'a>(input: &'a Input, kind: &FactKind) -> Candidates<'a> {
    match kind {
        FactKind::Resource(query) => resources(input, query),
        FactKind::Event(query) => events(input, query),
        FactKind::Log(query) => logs(input.logs.answer(query.query), &query.wanted),
        FactKind::Sequence(fact) => sequence::look_up(input, fact),
        FactKind::File(query) => files(input, query),
        FactKind::Each(_) | FactKind::Value(_) => Candidates::default(),
    }
}

/// Keeps the candidates that meet conditions which mention no other fact.
fn retain<'a, 'r>(
    world: &'a World,
    conditions: impl Iterator<Item = &'r Expr>,
    slot: usize,
    bindings: &mut [Value<'a>],
    list: &mut Vec<Candidate<'a>>,
) {
    for condition in conditions {
        list.retain_mut(|candidate| {
            bindings[slot] = candidate.value.clone();
            match condition.test(world, bindings) {
                Truth::True => true,
                Truth::False => false,
                Truth::Undecided(reason) => {
                    candidate.undecided.get_or_insert(reason);
                    true
                }
            }
        });
    }
    bindings[slot] = Value::Null;
}

fn resources<'a>(input: &'a Input, query: &ResourceQuery) -> Candidates<'a> {
    let index = &input.world.resources;
    let mut found = Candidates::default();
    for name in &query.types {
        let selected = index.of_type(name).iter().filter(|&&id| selects(query, index.resource(id)));
        found.list.extend(selected.filter_map(|&id| candidate(query, id, index.resource(id))));
    }
    if query.namespace_expr.is_none() {
        found.missing = not_collected(input, &query.types, query.exact_namespace.as_deref());
    }
    found
}

/// Why objects of these types in this namespace may exist although none was dumped.
pub fn not_collected(input: &Input, types: &[TypeName], namespace: Option<&str>) -> Option<Reason> {
    types.iter().find_map(|name| match input.world.resources.collected(name, namespace) {
        crate::resource::Collected::No(reason) => Some(Reason::from(reason)),
        _ => None,
    })
}

fn selects(query: &ResourceQuery, resource: &Resource) -> bool {
    let glob = |glob: &Option<Glob>, text: &str| glob.as_ref().is_none_or(|g| g.is_match(text));
    glob(&query.namespace, resource.namespace.as_deref().unwrap_or("")) && glob(&query.name, &resource.name)
}

/// An object of the right name, if its labels are right or cannot be told.
fn candidate<'a>(query: &ResourceQuery, id: ResourceId, resource: &Resource) -> Option<Candidate<'a>> {
    let mut candidate = Candidate::of(Value::Resource(id));
    if query.labels.is_empty() {
        return Some(candidate);
    }
    let labels = resource.body().path(&["metadata", "labels"]);
    if labels.is_none() && resource.partial {
        candidate.undecided = Some(format!("labels of {} are not in {}", resource.object(), resource.entry).into());
        return Some(candidate);
    }
    let labels: Vec<_> = labels.into_iter().flat_map(|node| node.entries()).collect();
    let labels: BTreeMap<&str, &str> = labels.iter().map(|(key, value)| (key.as_ref(), value.text())).collect();
    query.labels.iter().all(|requirement| requirement.holds(&labels)).then_some(candidate)
}

fn logs<'a>(answer: &LogAnswer, wanted: &str) -> Candidates<'a> {
    let list = answer.groups.iter().map(|group| Candidate::of(Value::Hits(Arc::new(group.clone())))).collect();
    Candidates { list, missing: missing_logs(answer, wanted) }
}

/// Why lines may exist that were not found, with the time that the logs which are there cover.
pub fn missing_logs(answer: &LogAnswer, wanted: &str) -> Option<Reason> {
    if answer.sources == 0 {
        return Some(format!("the bundle has no log of {wanted}").into());
    }
    let undated = || match answer.undated {
        0 => None,
        lines => Some(format!("{lines} matching lines of {wanted} have no time")),
    };
    let reason = answer.missing.first().cloned().or_else(undated)?;
    let covered = match answer.covered {
        (Some(from), Some(to)) => format!("; those of {wanted} that are there cover {from:.0} to {to:.0}"),
        _ => String::new(),
    };
    Some(format!("{reason}{covered}").into())
}

fn files<'a>(input: &Input, query: &FileQuery) -> Candidates<'a> {
    let found: Vec<&BundleFile> =
        input.files.iter().filter(|file| asks_for(query, &file.logical, file.node.as_deref())).collect();
    let none = || found.is_empty().then(|| format!("the bundle has no entry {}", query.path.text()));
    let missing = missing_files(&input.absent, query, &found).or_else(none);
    let list = found.into_iter().map(|file| Candidate::of(Value::File(file.as_shape(query.shape)))).collect();
    Candidates { list, missing: missing.map(Into::into) }
}

fn asks_for(query: &FileQuery, logical: &str, node: Option<&str>) -> bool {
    query.path.is_match(logical) && query.node.as_ref().is_none_or(|glob| glob.is_match(node.unwrap_or("")))
}

/// Why there may be more files than were found: one cannot be read, or a node has none that other nodes have.
fn missing_files(absent: &Absent, query: &FileQuery, found: &[&BundleFile]) -> Option<String> {
    let mut lost = absent.files.iter().filter(|file| asks_for(query, &file.logical, file.node.as_deref()));
    let nodes: BTreeSet<&str> = absent
        .nodes
        .iter()
        .filter(|node| found.iter().any(|file| is_like(query, file, node)))
        .map(String::as_str)
        .collect();
    match lost.next() {
        Some(AbsentFile { logical, said: Some(said), .. }) => Some(format!("{logical} holds only: {said}")),
        Some(file) => Some(format!("{} is not in the bundle", file.logical)),
        None if !nodes.is_empty() => Some(files_of(&nodes, found)),
        None => absent.cut.as_ref().map(|why| format!("a part of the bundle is missing: {why}")),
    }
}

/// Of which nodes files are missing, and of which they were read.
fn files_of(missing: &BTreeSet<&str>, found: &[&BundleFile]) -> String {
    let named = |nodes: &BTreeSet<&str>| {
        let names: Vec<&str> = nodes.iter().take(MAX_NODES).copied().collect();
        let more =
            if nodes.len() > MAX_NODES { format!(" and {} more", nodes.len() - MAX_NODES) } else { String::new() };
        format!("node{} {}{more}", if nodes.len() == 1 { "" } else { "s" }, names.join(", "))
    };
    let read: BTreeSet<&str> = found.iter().filter_map(|file| file.node.as_deref()).collect();
    let files = if found.len() == 1 { "that".to_owned() } else { format!("the {}", found.len()) };
    let verb = if found.len() == 1 { "was" } else { "were" };
    format!("files of {} are not in the bundle; {files} of {} {verb} read", named(missing), named(&read))
}

/// Whether the query would also ask for the same file of another node.
fn is_like(query: &FileQuery, file: &BundleFile, node: &str) -> bool {
    let Some(own) = &file.node else { return false };
    let parts = file.logical.split('/').map(|part| if part == own { node } else { part });
    asks_for(query, &parts.collect::<Vec<_>>().join("/"), Some(node))
}
