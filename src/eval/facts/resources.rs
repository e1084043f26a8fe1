//! Objects that a resource fact selects.

use std::collections::BTreeMap;

use crate::eval::facts::candidate::{Candidate, Candidates, Searched};
use crate::eval::input::Input;
use crate::expr::Value;
use crate::model::message::{Reason, SharedReason};
use crate::model::{Glob, secret};
use crate::resource::{Resource, ResourceId, TypeName};
use crate::rule::{LabelRequirement, ResourceQuery};

/// Selects the objects of the types that a query names, with its namespace, name and labels.
pub fn select_resources<'a>(input: &'a Input, query: &ResourceQuery) -> Candidates<'a> {
    let index = &input.world.resources;
    let mut found = Candidates::default();
    let namespace = query.namespace.as_ref().and_then(Glob::plain);
    for name in &query.types {
        // Half of all facts name a namespace.
        let ids = namespace.map_or_else(|| index.of_type(name), |namespace| index.of_type_in(name, namespace));
        let elsewhere = namespace.map(|_| index.in_hidden_namespace(name)).into_iter().flatten();
        for id in ids.iter().copied().chain(elsewhere) {
            let Some(selected) = selects(query, index.resource(id)) else { continue };
            // An object with a hidden name does not show that those of this name were collected.
            if selected == Selected::Surely {
                found.searched = Searched::Collected;
            }
            found.list.extend(candidate(query, id, index.resource(id), selected));
        }
    }
    if query.types.iter().all(|name| index.is_unused(name)) {
        found.searched = Searched::Collected;
    }
    if query.namespace_expr.is_none() {
        found.incomplete = not_collected(input, &query.types, query.exact_namespace.as_deref());
    }
    found
}

/// Returns why objects of these types in this namespace may exist although none was collected.
pub fn not_collected(input: &Input, types: &[TypeName], namespace: Option<&str>) -> Option<SharedReason> {
    types.iter().find_map(|name| match input.world.resources.collected(name, namespace) {
        crate::resource::Collected::No(reason) => Some(reason.into()),
        _ => None,
    })
}

/// Whether namespace and name of an object are those of a query.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Selected {
    Surely,
    /// A collector hid one of them.
    Maybe,
}

/// Returns whether a query selects an object by its namespace and name; none if it does not.
fn selects(query: &ResourceQuery, resource: &Resource) -> Option<Selected> {
    let namespace = selects_text(query.namespace.as_ref(), resource.namespace.as_deref().unwrap_or(""))?;
    let name = selects_text(query.name.as_ref(), &resource.name)?;
    Some(if namespace == Selected::Surely { name } else { namespace })
}

fn selects_text(glob: Option<&Glob>, text: &str) -> Option<Selected> {
    match glob {
        Some(glob) if !glob.is_match(text) => secret::is_withheld(text).then_some(Selected::Maybe),
        _ => Some(Selected::Surely),
    }
}

/// Makes the candidate of an object, if its labels match or are unknown.
fn candidate<'a>(
    query: &ResourceQuery,
    id: ResourceId,
    resource: &Resource,
    selected: Selected,
) -> Option<Candidate<'a>> {
    let mut candidate = Candidate::of(Value::Resource(id));
    if selected == Selected::Maybe {
        candidate.undecided = Some(Reason::Withheld.into());
    }
    if query.labels.is_empty() {
        return Some(candidate);
    }
    let labels = resource.body().path(&["metadata", "labels"]);
    if labels.is_none() && resource.partial {
        let (object, entry) = (resource.object(), resource.entry.to_string());
        candidate.undecided.get_or_insert(Reason::LabelsNotStated { object, entry }.into());
        return Some(candidate);
    }
    let labels: Vec<_> = labels.into_iter().flat_map(|node| node.entries()).collect();
    let labels: BTreeMap<&str, &str> = labels.iter().map(|(key, value)| (key.as_ref(), value.text())).collect();
    let is_hidden = |requirement: &LabelRequirement| {
        requirement.compared_label().and_then(|key| labels.get(key)).is_some_and(|value| secret::is_withheld(value))
    };
    if query.labels.iter().any(is_hidden) {
        candidate.undecided = Some(Reason::Withheld.into());
    }
    let holds = |requirement: &LabelRequirement| is_hidden(requirement) || requirement.holds(&labels);
    query.labels.iter().all(holds).then_some(candidate)
}
