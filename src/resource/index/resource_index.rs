//! Finds resources by type, namespace, name, uid, owner and label.
//!
//! The ids of a type are sorted by namespace and name, so a namespace or one object is found by
//! bisection; uids, owners and labels are hashed, labels when a type is first asked for them.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::collected::Collected;
use super::collection::Collection;
use super::event::{self, Event};
use crate::model::message::ArchiveProblem;
use crate::model::{Issue, NotCollected, ObjectRef, Origin, secret};
use crate::resource::helm::Payloads;
use crate::resource::object::{Resource, ResourceId};
use crate::resource::scalar::scalar_at;
use crate::resource::types::{self, TypeName};
use crate::yaml::Document;

/// All resources of a bundle; read-only when rules run.
#[derive(Debug, Default)]
pub struct ResourceIndex {
    resources: Vec<Resource>,
    by_type: HashMap<TypeName, OfType>,
    types: Vec<TypeName>,
    by_uid: HashMap<Box<str>, ResourceId>,
    by_owner: HashMap<Box<str>, Vec<ResourceId>>,
    events: Vec<Event>,
    event_of: HashMap<ResourceId, usize>,
    payloads: Payloads,
    collection: Arc<Collection>,
    namespaces: Vec<String>,
    counts: Counts,
    /// Answers about all namespaces, because many ask and each looks at every namespace.
    everywhere: Everywhere,
}

/// Answers by type.
#[derive(Debug, Default)]
struct Everywhere {
    collected: Mutex<HashMap<TypeName, Collected>>,
    searched: Mutex<HashMap<TypeName, Arc<[String]>>>,
}

/// Returns the known answer for a type, else asks for it. It is asked without the lock, which the question may need, too.
fn remembered<T: Clone>(known: &Mutex<HashMap<TypeName, T>>, name: &TypeName, ask: impl FnOnce() -> T) -> T {
    let known = || known.lock().unwrap_or_else(PoisonError::into_inner);
    let answer = known().get(name).cloned();
    answer.unwrap_or_else(|| {
        let answer = ask();
        known().insert(name.clone(), answer.clone());
        answer
    })
}

/// Number of entries and objects before duplicates were merged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Entries with objects or empty lists.
    pub dump_files: usize,
    /// Objects in them.
    pub list_items: usize,
}

/// Input from [`super::IndexBuilder`].
#[derive(Debug, Default)]
pub(super) struct IndexParts {
    /// Resources in the order of their ids.
    pub resources: Vec<Resource>,
    pub by_type: BTreeMap<TypeName, Vec<ResourceId>>,
    pub payloads: Payloads,
    pub collection: Collection,
    pub counts: Counts,
}

type ByLabel = HashMap<Box<str>, HashMap<Box<str>, Vec<ResourceId>>>;

#[derive(Debug, Default)]
struct OfType {
    /// Sorted by namespace, name, id.
    ids: Vec<ResourceId>,
    /// Those whose name or namespace a collector hid.
    nameless: Vec<ResourceId>,
    labels: OnceLock<ByLabel>,
}

impl ResourceIndex {
    pub(super) fn new(parts: IndexParts) -> Self {
        let mut index = Self {
            namespaces: parts.collection.namespaces().cloned().collect(),
            types: parts.by_type.iter().filter(|(_, ids)| !ids.is_empty()).map(|(name, _)| name.clone()).collect(),
            resources: parts.resources,
            payloads: parts.payloads,
            collection: Arc::new(parts.collection),
            counts: parts.counts,
            ..Self::default()
        };
        for (name, mut ids) in parts.by_type {
            ids.sort_by(|a, b| (index.place(*a), a).cmp(&(index.place(*b), b)));
            ids.dedup();
            let nameless = ids.iter().copied().filter(|&id| index.resource(id).is_nameless()).collect();
            index.by_type.insert(name, OfType { ids, nameless, labels: OnceLock::new() });
        }
        index.link();
        let events = index.of_type(&types::events()).iter().map(|&id| (id, index.resource(id)));
        index.events = event::events(events);
        index.event_of = index.events.iter().enumerate().map(|(at, e)| (e.resource, at)).collect();
        index
    }

    /// Fills the indexes by uid and by owner; of two objects with one uid the first id counts.
    fn link(&mut self) {
        self.by_uid.reserve(self.resources.len());
        // Rows that supplement other objects follow all of these and are found only through them.
        let own = self
            .resources
            .iter()
            .filter_map(|resource| resource.supplement)
            .min()
            .map_or(self.len(), |first| first as usize);
        for (id, resource) in (0..).zip(&self.resources).take(own) {
            if let Some(uid) = &resource.uid {
                self.by_uid.entry(uid.clone()).or_insert(id);
            }
            for owner in resource.body().path(&["metadata", "ownerReferences"]).iter().flat_map(|o| o.items()) {
                if let Some(uid) = scalar_at(owner, &["uid"]) {
                    self.by_owner.entry(uid.into()).or_default().push(id);
                }
            }
        }
        self.by_owner.values_mut().for_each(Vec::dedup);
    }

    fn place(&self, id: ResourceId) -> (Option<&str>, &str) {
        let resource = self.resource(id);
        (resource.namespace.as_deref(), &resource.name)
    }

    /// Returns the resource with an id.
    ///
    /// # Panics
    /// If the id is not one of this index.
    pub fn resource(&self, id: ResourceId) -> &Resource {
        &self.resources[id as usize]
    }

    /// Returns all resources, in the order in which they were read.
    pub fn resources(&self) -> impl Iterator<Item = &Resource> {
        self.resources.iter()
    }

    /// Returns the object of a reference, if it was collected and its type is known.
    pub fn find(&self, object: &ObjectRef) -> Option<&Resource> {
        let known = types::known_kind(&object.group, &object.kind)?;
        let name = TypeName::new(known.plural, known.group);
        Some(self.resource(self.get(&name, object.namespace.as_deref(), &object.name)?))
    }

    /// Returns true if objects of the type have a namespace; none for an unknown type.
    pub fn is_namespaced(&self, name: &TypeName) -> Option<bool> {
        self.collection.namespaced(name)
    }

    /// Returns the number of resources; ids are below it.
    pub fn len(&self) -> usize {
        self.resources.len()
    }

    /// Returns true if the bundle holds no resource.
    pub fn is_empty(&self) -> bool {
        self.resources.is_empty()
    }

    /// Returns the number of entries and objects before duplicates were merged.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Returns namespace, pod and container of each log that was not collected; the container is empty for all of a pod.
    pub fn failed_logs(&self) -> Vec<(&str, &str, &str)> {
        let homes = self.homes();
        let failed = self.collection.failed_logs().filter_map(|(pod, container)| {
            let (namespace, pod) = pod.split_once('/').or_else(|| Some((*homes.get(pod)?, pod)))?;
            Some((namespace, pod, container))
        });
        failed.collect()
    }

    /// Returns the namespace of each pod by its name.
    fn homes(&self) -> BTreeMap<&str, &str> {
        self.all("pods").filter_map(|pod| Some((&*pod.name, pod.namespace.as_deref()?))).collect()
    }

    /// Returns the types of all objects, sorted; an object under two groups is found under both.
    pub fn types(&self) -> &[TypeName] {
        &self.types
    }

    /// Returns true if the cluster is known to have types of the group, even without objects.
    pub fn has_group(&self, group: &str) -> bool {
        self.collection.has_group(group) || self.types.iter().any(|name| name.group == group)
    }

    /// Returns all resources of a type, sorted by namespace and name. `helmreleases` are made by gleaner, the
    /// latest revision of a name first.
    pub fn of_type(&self, name: &TypeName) -> &[ResourceId] {
        self.of(name).map_or(&[], |found| &found.ids)
    }

    /// Returns all resources of a type such as `volumes.longhorn.io`, sorted by namespace and name.
    pub fn all(&self, name: &str) -> impl Iterator<Item = &Resource> + use<'_> {
        self.each(self.of_type(&TypeName::parse(name)))
    }

    /// Returns the resources with these ids.
    pub fn each<'i, 's>(&'i self, ids: &'s [ResourceId]) -> impl Iterator<Item = &'i Resource> + use<'i, 's> {
        ids.iter().map(|&id| self.resource(id))
    }

    fn of(&self, name: &TypeName) -> Option<&OfType> {
        if types::canonical_group(&name.plural, &name.group) == name.group {
            self.by_type.get(name)
        } else {
            self.by_type.get(&name.canonical())
        }
    }

    /// Returns the resources of a type in one namespace, sorted by name.
    pub fn of_type_in(&self, name: &TypeName, namespace: &str) -> &[ResourceId] {
        between(self.of_type(name), |id| self.place(id).0.cmp(&Some(namespace)))
    }

    /// Finds one object; for cluster-scoped types `namespace` is ignored.
    pub fn get(&self, name: &TypeName, namespace: Option<&str>, object: &str) -> Option<ResourceId> {
        let namespaced = self.collection.namespaced(name) != Some(false);
        let key = (namespace.filter(|_| namespaced), object);
        between(self.of_type(name), |id| self.place(id).cmp(&key)).first().copied()
    }

    /// Returns the resources of a type whose name or namespace a collector hid.
    pub fn nameless(&self, name: &TypeName) -> &[ResourceId] {
        self.of(name).map_or(&[], |found| &found.nameless)
    }

    /// Returns the resources of a type whose namespace a collector hid: each may be in any namespace.
    pub fn in_hidden_namespace(&self, name: &TypeName) -> impl Iterator<Item = ResourceId> {
        self.nameless(name).iter().copied().filter(|&id| self.resource(id).hides_namespace())
    }

    /// Returns whether an object that is not found by its name may be one whose name or namespace a collector hid. With a uid, it may only
    /// be one whose uid is the same or hidden, too.
    pub fn may_be_hidden(&self, name: &TypeName, namespace: Option<&str>, object: &str, uid: Option<&str>) -> bool {
        let namespaced = self.collection.namespaced(name) != Some(false);
        self.each(self.nameless(name)).any(|found| {
            let (own, of_name) = (found.namespace.as_deref(), &*found.name);
            (secret::is_withheld(of_name) || of_name == object)
                && (!namespaced || found.hides_namespace() || own == namespace)
                && uid.is_none_or(|uid| found.uid.as_deref().is_none_or(|own| own == uid))
        })
    }

    /// Returns the resources of a type with a label of that value, sorted by namespace and name.
    pub fn labelled(&self, name: &TypeName, key: &str, value: &str) -> &[ResourceId] {
        let Some(found) = self.of(name) else { return &[] };
        let labels = found.labels.get_or_init(|| self.labels_of(&found.ids));
        labels.get(key).and_then(|values| values.get(value)).map_or(&[], Vec::as_slice)
    }

    /// Returns the resources of a type with a label of that value in one namespace, sorted by name.
    pub fn labelled_in(&self, name: &TypeName, namespace: Option<&str>, key: &str, value: &str) -> &[ResourceId] {
        between(self.labelled(name, key, value), |id| self.place(id).0.cmp(&namespace))
    }

    fn labels_of(&self, ids: &[ResourceId]) -> ByLabel {
        let mut labels = ByLabel::new();
        for &id in ids {
            for (key, value) in self.resource(id).body().path(&["metadata", "labels"]).iter().flat_map(|l| l.entries())
            {
                labels.entry(key.as_ref().into()).or_default().entry(value.text().into()).or_default().push(id);
            }
        }
        labels
    }

    /// Finds the object with a uid (of the preferred group if it was dumped under two).
    pub fn by_uid(&self, uid: &str) -> Option<ResourceId> {
        self.by_uid.get(uid).copied()
    }

    /// Returns the objects that name this uid among their owners, sorted.
    pub fn owned_by(&self, uid: &str) -> &[ResourceId] {
        self.by_owner.get(uid).map_or(&[], Vec::as_slice)
    }

    /// Returns all events, sorted by namespace, last time, name.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Returns the event that was read from a resource.
    pub fn event_of(&self, id: ResourceId) -> Option<&Event> {
        self.events.get(*self.event_of.get(&id)?)
    }

    /// Returns manifest and hooks of a release (`{manifest: [..], hooks: [..]}`), decoded on first
    /// use; none for a release of an App, and if the payload is unreadable.
    pub fn helm_payload(&self, id: ResourceId) -> Option<&Arc<Document>> {
        self.payloads.get(id, self.resource(self.resource(id).source?))
    }

    /// Returns the issues of the payloads decoded so far, sorted by release.
    pub fn helm_issues(&self) -> Vec<Issue> {
        let origin = |id| {
            let record = self.resource(self.resource(id).source.unwrap_or(id));
            Origin::line(record.entry.clone(), record.body().line())
        };
        self.payloads.issues(origin).collect()
    }

    /// Decides whether absence proves anything. Without `namespace` the answer is for all places where an object could be:
    /// the home of the type, else all namespaces that were collected.
    pub fn collected(&self, name: &TypeName, namespace: Option<&str>) -> Collected {
        match namespace {
            Some(_) => self.ask_collected(name, namespace),
            None => remembered(&self.everywhere.collected, name, || self.ask_collected(name, None)),
        }
    }

    /// Like [`ResourceIndex::collected`], for an object that is looked up by its name: one whose name a collector hid may be it.
    pub fn collected_by_name(&self, name: &TypeName, namespace: Option<&str>) -> Collected {
        match self.collection.nameless(&name.canonical(), namespace) {
            Some(reason) => Collected::No(reason),
            None => self.collected(name, namespace),
        }
    }

    fn ask_collected(&self, name: &TypeName, namespace: Option<&str>) -> Collected {
        match self.collection.collected(name, namespace) {
            // Releases are made from objects of other types.
            Collected::Empty if *name == types::helm_releases() && !self.of_type(name).is_empty() => Collected::Yes,
            answer => answer,
        }
    }

    /// Returns true if nothing uses an object of the type: there are no objects through which workloads would.
    pub fn is_unused(&self, name: &TypeName) -> bool {
        let shown_by = types::known(name).and_then(|known| known.shown_by).map(TypeName::parse);
        shown_by.is_some_and(|by| self.of_type(&by).is_empty() && self.collected(&by, None).complete())
    }

    /// Returns why the bundle may have held further dumps; none if its archive is whole.
    pub fn truncated(&self) -> Option<&ArchiveProblem> {
        self.collection.truncated.as_ref()
    }

    /// Returns what was collected, without the objects.
    pub fn collection(&self) -> &Arc<Collection> {
        &self.collection
    }

    /// Returns the first `most` entries that were searched for objects of the type, for evidence of absence; or the folder,
    /// if the collector writes no entry for an empty list.
    pub fn searched(&self, name: &TypeName, namespace: Option<&str>, most: usize) -> Vec<String> {
        let ask = || self.collection.searched(name, namespace);
        match namespace {
            Some(_) => ask().into_iter().take(most).collect(),
            None => {
                let entries = remembered(&self.everywhere.searched, name, || ask().into());
                entries.iter().take(most).cloned().collect()
            }
        }
    }

    /// Returns the namespaces that were collected, sorted.
    pub fn namespaces(&self) -> &[String] {
        &self.namespaces
    }

    /// Returns what was not collected, sorted.
    pub fn not_collected(&self) -> Vec<NotCollected> {
        let ids = self.of_type(&TypeName::new("namespaces", ""));
        let existing: Vec<_> = ids.iter().map(|&id| self.place(id).1).collect();
        let homes = self.homes();
        self.collection.gaps(&existing, &|pod| homes.get(pod).map(|home| (*home).to_owned()))
    }
}

/// Returns the part of a sorted list for which `order` is equal.
fn between(ids: &[ResourceId], order: impl Fn(ResourceId) -> std::cmp::Ordering) -> &[ResourceId] {
    let start = ids.partition_point(|&id| order(id).is_lt());
    let end = ids.partition_point(|&id| order(id).is_le());
    ids.get(start..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resource::index::testing::{Bundle, POD};

    fn pods() -> ResourceIndex {
        let pod = |namespace: &str, name: &str| POD.replace("demo", namespace).replace("web-0", name);
        Bundle::default()
            .file("a.yaml", &pod("demo", "web-1"))
            .file("b.yaml", POD)
            .file("c.yaml", &pod("aaa", "web-0").replace("u-web-0", "u-other"))
            .file("d.yaml", &pod("demo", "db-0").replace("app: web", "app: db"))
            .file("n.yaml", "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n")
            .index()
    }

    fn names(index: &ResourceIndex, ids: &[ResourceId]) -> Vec<String> {
        ids.iter().map(|&id| index.resource(id).object().to_string()).collect()
    }

    #[test]
    fn objects_are_found_by_type_namespace_and_name() {
        let index = pods();
        let name = TypeName::parse("pods");
        let all = ["Pod/aaa/web-0", "Pod/demo/db-0", "Pod/demo/web-0", "Pod/demo/web-1"];
        assert_eq!(names(&index, index.of_type(&name)), all);
        assert_eq!(names(&index, index.of_type_in(&name, "demo")), all[1..]);
        assert!(index.of_type_in(&name, "nowhere").is_empty());
        let found = index.get(&name, Some("demo"), "web-1").map(|id| index.resource(id).entry.to_string());
        assert_eq!(found.as_deref(), Some("a.yaml"));
        assert_eq!(index.get(&name, None, "web-1"), None);
        assert!(index.get(&TypeName::parse("nodes"), Some("default"), "n1").is_some());
        assert_eq!(index.types(), [TypeName::parse("nodes"), name]);
    }

    #[test]
    fn objects_are_found_by_uid_owner_and_label() {
        let index = pods();
        let by_uid = index.by_uid("u-other").map(|id| index.resource(id).object().to_string());
        assert_eq!(by_uid.as_deref(), Some("Pod/aaa/web-0"));
        assert_eq!(index.owned_by("u-web").len(), 4);
        assert!(index.owned_by("nobody").is_empty());
        let name = TypeName::parse("pods");
        assert_eq!(names(&index, index.labelled(&name, "app", "db")), ["Pod/demo/db-0"]);
        assert_eq!(index.labelled(&name, "tier", "front").len(), 4);
        assert!(index.labelled(&name, "tier", "back").is_empty());
        assert!(index.labelled(&TypeName::parse("nodes"), "app", "db").is_empty());
        assert_eq!(names(&index, index.labelled_in(&name, Some("aaa"), "tier", "front")), ["Pod/aaa/web-0"]);
        assert!(index.labelled_in(&name, None, "tier", "front").is_empty());
    }
}
