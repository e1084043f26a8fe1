//! The objects that a question asks for, and why some are missing.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::gap::Gap;
use super::order;
use super::request::{Asked, Request, RequestError};
use crate::explore::object::View;
use crate::explore::opened::Opened;
use crate::resource::{Collected, Resource, ResourceId, ResourceIndex, TypeName};
use crate::yaml::Node;

/// Objects of one type, in the order in which they are shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    pub type_: TypeName,
    pub ids: Vec<ResourceId>,
}

/// An answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Types with objects; the same type twice is one.
    pub listings: Vec<Listing>,
    pub gaps: Vec<Gap>,
}

/// Finds the objects.
///
/// # Errors
/// No object has the field by which to sort.
pub fn answer(opened: &Opened<'_>, request: &Request, view: &View<'_>) -> Result<Answer, RequestError> {
    let mut found = Finder { index: opened.resources(), request, view, answer: Answer::default() };
    let mut seen = BTreeSet::new();
    for asked in request.asked.iter().filter(|asked| seen.insert(&asked.type_)) {
        found.type_(asked);
    }
    let mut answer = found.answer;
    for listing in &mut answer.listings {
        sort(opened, request, view, &mut listing.ids)?;
    }
    Ok(answer)
}

struct Finder<'f> {
    index: &'f ResourceIndex,
    request: &'f Request,
    view: &'f View<'f>,
    answer: Answer,
}

impl<'f> Finder<'f> {
    /// Returns a text of the bundle as the question would say it.
    fn said<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.request.as_shown { Cow::Owned(self.view.text(text)) } else { Cow::Borrowed(text) }
    }

    /// Returns the namespace that the question is about, as the bundle names it.
    fn namespace(&self) -> Option<&'f str> {
        let asked = self.request.filter.namespace.as_deref()?;
        let mut all = self.index.namespaces().iter().filter(|_| self.request.as_shown);
        Some(all.find(|namespace| self.said(namespace) == asked).map_or(asked, String::as_str))
    }

    fn type_(&mut self, asked: &Asked) {
        let type_ = &asked.type_;
        let is_namespaced = self.index.is_namespaced(type_) != Some(false);
        let namespace = self.namespace().filter(|_| is_namespaced);
        let all = match namespace {
            Some(namespace) => self.index.of_type_in(type_, namespace),
            None => self.index.of_type(type_),
        };
        let collected = self.index.collected(type_, namespace);
        let mut ids = Vec::new();
        if asked.names.is_empty() {
            ids.extend(self.selected(type_, all));
            self.note_incomplete(asked, all.is_empty(), &collected);
        }
        for name in &asked.names {
            let named = all.iter().copied().filter(|id| self.said(&self.index.resource(*id).name) == **name);
            let before = ids.len();
            ids.extend(named);
            if ids.len() == before {
                let (type_, name, namespace) = (type_.clone(), name.clone(), namespace.map(str::to_owned));
                self.answer.gaps.push(match &collected {
                    Collected::No(why) => Gap::NotCollected { type_, name: Some(name), namespace, why: why.clone() },
                    _ => Gap::Absent { type_, name, namespace },
                });
            }
        }
        self.note_partial(type_, &ids);
        if !ids.is_empty() {
            self.answer.listings.push(Listing { type_: type_.clone(), ids });
        }
    }

    /// Notes that a list may not be whole. Of `all`, only types with objects are known to matter.
    fn note_incomplete(&mut self, asked: &Asked, is_empty: bool, collected: &Collected) {
        let type_ = asked.type_.clone();
        match collected {
            Collected::No(_) if is_empty && asked.is_of_category => {}
            Collected::No(why) if is_empty => {
                self.answer.gaps.push(Gap::NotCollected { type_, name: None, namespace: None, why: why.clone() });
            }
            Collected::No(why) => self.answer.gaps.push(Gap::MayBeMore { type_, why: why.clone() }),
            Collected::Yes | Collected::Empty => {}
        }
    }

    fn note_partial(&mut self, type_: &TypeName, ids: &[ResourceId]) {
        // gleaner makes releases itself, from whole records.
        let is_partial = |resource: &&Resource| resource.partial && resource.source.is_none();
        let mut partial = self.index.each(ids).filter(is_partial);
        if let Some(first) = partial.next() {
            let (count, entry) = (1 + partial.count(), first.entry.to_string());
            self.answer.gaps.push(Gap::Partial { type_: type_.clone(), count, entry });
        }
    }

    /// Returns the objects that the selectors choose.
    fn selected(&mut self, type_: &TypeName, all: &[ResourceId]) -> Vec<ResourceId> {
        let filter = &self.request.filter;
        let mut unjudged = 0;
        let mut chosen = Vec::new();
        for &id in all {
            let resource = self.index.resource(id);
            let labels = resource.body().path(&["metadata", "labels"]);
            let is_unknown = |known: Option<Node<'_>>| resource.partial && known.is_none();
            if !filter.labels.is_empty() && is_unknown(labels) {
                unjudged += 1;
            } else if filter.labels.holds(|key| labels?.get(key).map(|value| self.said(value.text())))
                && filter.fields.matches(resource.body())
            {
                chosen.push(id);
            }
        }
        if unjudged > 0 {
            self.answer.gaps.push(Gap::Unjudged { type_: type_.clone(), count: unjudged });
        }
        chosen
    }
}

/// Sorts as asked for; events by time; else by namespace and name, which pseudonyms change.
fn sort(
    opened: &Opened<'_>,
    request: &Request,
    view: &View<'_>,
    ids: &mut Vec<ResourceId>,
) -> Result<(), RequestError> {
    let resources = opened.resources();
    if let Some(path) = &request.sort_by {
        let keyed = ids.iter().map(|id| {
            let object = view.object(resources.resource(*id));
            let value = path.first(&object).map_err(RequestError::Sort)?;
            Ok((value.map(std::borrow::Cow::into_owned), *id))
        });
        let mut keyed: Vec<_> = keyed.collect::<Result<_, RequestError>>()?;
        if !keyed.is_empty() && keyed.iter().all(|(value, _)| value.is_none()) {
            return Err(RequestError::NothingToSort(path.to_string()));
        }
        keyed.sort_by(|(a, _), (b, _)| order::compared(a.as_ref(), b.as_ref()));
        *ids = keyed.into_iter().map(|(_, id)| id).collect();
    } else if ids.iter().all(|id| resources.event_of(*id).is_some()) {
        ids.sort_by_key(|id| resources.event_of(*id).map(|event| (event.last, *id)));
    } else if view.redact.is_some() {
        ids.sort_by_cached_key(|id| {
            let resource = resources.resource(*id);
            (view.text(resource.namespace.as_deref().unwrap_or_default()), view.text(&resource.name))
        });
    }
    Ok(())
}
