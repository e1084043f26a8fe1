//! Merges the forms of one object: the same identity or the same uid in several dumps.

use std::cmp::{Ordering, Reverse};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::model::{Origin, secret};
use crate::resource::dump::objects::FoundObject;
use crate::resource::object::Resource;
use crate::resource::types::{self, TypeName};

/// Object of the index, with the further types under which it was dumped.
pub(super) struct MergedObject {
    pub found: FoundObject,
    /// The same object from another partial source: a row of a table in addition to a description.
    pub supplement: Option<FoundObject>,
    pub aliases: Vec<TypeName>,
    /// Where the object stands again in a dump that has it already; no list of the API server does that.
    pub repeated: Option<Origin>,
    /// Where an object of this name and another uid stands, in another entry.
    pub other: Option<Origin>,
}

pub(super) fn group_of(resource: &Resource) -> &str {
    types::canonical_group(&resource.plural, &resource.group)
}

/// Compares in the order of ids.
fn order(a: &FoundObject, b: &FoundObject) -> Ordering {
    let (left, right) = (&a.resource, &b.resource);
    same_object(a, b).then_with(|| (&left.entry, left.node).cmp(&(&right.entry, right.node)))
}

fn same_object(a: &FoundObject, b: &FoundObject) -> Ordering {
    fn key(r: &Resource) -> (&str, &str, Option<&str>, &str) {
        (group_of(r), &r.plural, r.namespace.as_deref(), &r.name)
    }
    key(&a.resource).cmp(&key(&b.resource))
}

/// Returns a key that is smaller for the better form of an object.
fn preference(found: &FoundObject) -> impl Ord + '_ {
    let resource = &found.resource;
    let outdated = group_of(resource) != resource.group.as_ref();
    let foreign = !types::built_in(&resource.group);
    // A description has more fields than a row.
    (
        resource.partial,
        resource.row.is_some(),
        outdated,
        foreign,
        Reverse(found.revision),
        Reverse(maturity(&resource.version)),
        // Without a resource version, the later name is the newer collection, because names contain the time.
        Reverse((found.revision == 0).then_some((&resource.entry, resource.node))),
    )
}

/// Returns the maturity of an API version: `v1` is above `v1beta2`, then `v1beta1`, then `v1alpha1`.
fn maturity(version: &str) -> (u64, u8, u64) {
    let digits = |text: &str| text.parse().unwrap_or(0);
    let rest = version.strip_prefix('v').unwrap_or(version);
    let stable = |(major, minor): (&str, &str), stage| (digits(major), stage, digits(minor));
    match (rest.split_once("beta"), rest.split_once("alpha")) {
        (Some(parts), _) => stable(parts, 1),
        (None, Some(parts)) => stable(parts, 0),
        (None, None) => stable((rest, ""), 2),
    }
}

/// Objects of the index, and those that may be the same as others.
pub(super) struct Merged {
    pub kept: Vec<MergedObject>,
    /// Objects whose names a collector hid, and that another entry may hold, too: counted twice they would prove more than there is.
    pub unclear: Vec<Resource>,
}

/// Merges objects with the same identity, then objects with the same uid, in the order of ids.
pub(super) fn merge(found: Vec<FoundObject>) -> Merged {
    let mut kept = merge_by_uid(merge_by_name(found));
    let unclear = take_unclear(&mut kept);
    Merged { kept, unclear }
}

fn merge_by_name(mut found: Vec<FoundObject>) -> Vec<MergedObject> {
    found.sort_by(order);
    let mut kept: Vec<MergedObject> = Vec::with_capacity(found.len());
    for object in found {
        let is_same =
            |last: &&mut MergedObject| same_object(&last.found, &object).is_eq() && !object.resource.is_nameless();
        match kept.last_mut().filter(is_same) {
            Some(last) => {
                last.repeated = last.repeated.take().or_else(|| repetition(&last.found, &object));
                last.other = last.other.take().or_else(|| other_uid(&last.found, &object));
                last.absorb(MergedObject::new(object));
            }
            None => kept.push(MergedObject::new(object)),
        }
    }
    kept
}

/// Removes the objects without a name that are forms of objects in other entries, and returns those that may be: with the same uid they are,
/// with another one they are not.
fn take_unclear(kept: &mut Vec<MergedObject>) -> Vec<Resource> {
    let type_of = |object: &MergedObject| {
        let resource = &object.found.resource;
        (group_of(resource).to_owned(), resource.plural.clone())
    };
    let nameless = kept.iter().filter(|object| object.found.resource.is_nameless());
    let mut types: HashMap<_, Forms> = nameless.map(|object| (type_of(object), Forms::default())).collect();
    if types.is_empty() {
        return Vec::new();
    }
    for object in kept.iter() {
        types.entry(type_of(object)).and_modify(|forms| forms.add(&object.found.resource));
    }
    let mut unclear = Vec::new();
    kept.retain(|object| {
        let resource = &object.found.resource;
        let Some(forms) = types.get_mut(&type_of(object)).filter(|_| resource.is_nameless()) else { return true };
        let repeats = resource.uid.clone().is_some_and(|uid| !forms.uids.insert(uid));
        let is_unclear = !repeats && forms.may_have(resource);
        unclear.extend(is_unclear.then(|| resource.clone()));
        !repeats && !is_unclear
    });
    unclear
}

/// Objects of one type, as far as it tells whether one without a name is among them.
#[derive(Default)]
struct Forms {
    uids: HashSet<Box<str>>,
    places: HashSet<FormPlace>,
    /// Places of the objects with a name, and of those whose own name is hidden.
    named: HashMap<Box<str>, HashSet<FormPlace>>,
    unnamed: HashSet<FormPlace>,
}

/// Entry and namespace of an object, and whether it has a uid.
type FormPlace = (Arc<str>, Option<Box<str>>, bool);

impl Forms {
    fn add(&mut self, resource: &Resource) {
        if !resource.is_nameless() {
            self.uids.extend(resource.uid.clone());
        }
        let place = (resource.entry.clone(), resource.namespace.clone(), resource.uid.is_some());
        if secret::is_withheld(&resource.name) {
            self.unnamed.insert(place.clone());
        } else {
            self.named.entry(resource.name.clone()).or_default().insert(place.clone());
        }
        self.places.insert(place);
    }

    /// Returns whether another entry may have an object, too.
    fn may_have(&self, object: &Resource) -> bool {
        if secret::is_withheld(&object.name) {
            return self.places.iter().any(|place| may_be_at(object, place));
        }
        let of_name = self.named.get(&object.name).into_iter().flatten();
        of_name.chain(&self.unnamed).any(|place| may_be_at(object, place))
    }
}

/// Returns whether the object at a place of another entry may be this one.
fn may_be_at(object: &Resource, (entry, namespace, has_uid): &FormPlace) -> bool {
    let hidden = |namespace: &Option<Box<str>>| namespace.as_deref().is_some_and(secret::is_withheld);
    let same_namespace = *namespace == object.namespace || hidden(namespace) || object.hides_namespace();
    *entry != object.entry && same_namespace && !(*has_uid && object.uid.is_some())
}

/// Returns where an object stands, if the same dump has it already.
fn repetition(before: &FoundObject, object: &FoundObject) -> Option<Origin> {
    let (before, again) = (&before.resource, &object.resource);
    let whole = |resource: &Resource| resource.row.is_none() && !resource.partial;
    let of = |resource: &Resource| (resource.entry.clone(), resource.group.clone());
    (of(before) == of(again) && whole(before) && whole(again))
        .then(|| Origin::line(again.entry.clone(), again.body().line()))
}

/// Returns where an object stands, if another entry has one of its name with another uid.
fn other_uid(before: &FoundObject, object: &FoundObject) -> Option<Origin> {
    let (before, other) = (&before.resource, &object.resource);
    let differs = before.uid.as_ref().zip(other.uid.as_ref()).is_some_and(|(before, other)| before != other);
    (differs && before.entry != other.entry).then(|| Origin::line(other.entry.clone(), other.body().line()))
}

/// Merges objects that two groups serve: they have the same uid, kind, namespace and name.
fn merge_by_uid(kept: Vec<MergedObject>) -> Vec<MergedObject> {
    type Key = (Box<str>, String, Option<Box<str>>, Box<str>);
    let shared = shared_uids(&kept);
    if shared.is_empty() {
        return kept;
    }
    let mut seen: HashMap<Key, usize> = HashMap::new();
    let mut out: Vec<MergedObject> = Vec::with_capacity(kept.len());
    for object in kept {
        let r = &object.found.resource;
        let Some(uid) = r.uid.clone().filter(|uid| shared.contains(uid)) else {
            out.push(object);
            continue;
        };
        let key = (uid, r.kind.to_ascii_lowercase(), r.namespace.clone(), r.name.clone());
        match seen.get(&key).and_then(|&at| out.get_mut(at)) {
            Some(first) => first.absorb(object),
            None => {
                seen.insert(key, out.len());
                out.push(object);
            }
        }
    }
    out.sort_by(|a, b| order(&a.found, &b.found));
    out
}

/// Returns the uids of more than one object; most bundles have none.
fn shared_uids(kept: &[MergedObject]) -> HashSet<Box<str>> {
    let mut seen: HashSet<&str> = HashSet::with_capacity(kept.len());
    let uids = kept.iter().filter_map(|object| object.found.resource.uid.as_deref());
    uids.filter(|uid| !seen.insert(*uid)).map(Box::from).collect()
}

impl MergedObject {
    fn new(found: FoundObject) -> Self {
        Self { found, supplement: None, aliases: Vec::new(), repeated: None, other: None }
    }

    pub fn type_name(&self) -> TypeName {
        let resource = &self.found.resource;
        TypeName::new(&resource.plural, group_of(resource))
    }

    /// Merges another form of the same object.
    fn absorb(&mut self, mut other: Self) {
        if preference(&other.found) < preference(&self.found) {
            std::mem::swap(self, &mut other);
        }
        self.repeated = self.repeated.take().or(other.repeated.take());
        self.other = self.other.take().or(other.other.take());
        self.aliases.push(other.type_name());
        self.aliases.extend(other.aliases);
        let others = [self.supplement.take(), Some(other.found), other.supplement].into_iter().flatten();
        let is_partial = self.found.resource.partial && self.found.resource.row.is_none();
        let rows = others.filter(|found| is_partial && found.resource.row.is_some());
        self.supplement = rows.min_by(|a, b| preference(a).cmp(&preference(b)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finished_versions_are_preferred() {
        let mut versions = ["v1beta1", "v2", "v1alpha1", "v1beta2", "v1"];
        versions.sort_by_key(|v| maturity(v));
        assert_eq!(versions, ["v1alpha1", "v1beta1", "v1beta2", "v1", "v2"]);
    }
}
