//! Dumps of a bundle: the facts behind [`super::Collected`].
//!
//! A [`Collection`] knows every dump, including empty ones, the namespaces that were collected, the
//! types that the cluster serves, and the failures of the collector.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::collected::Assumptions;
use super::failure_groups;
use crate::model::NotCollected;
use crate::model::message::{Answer, ArchiveProblem, Beginning, GapReason, GapSubject, Names, Objects, Reason};
use crate::resource::collector_errors::failure::{Failure, Scope, Target};
use crate::resource::collector_errors::{CollectorErrors, FailedParts};
use crate::resource::dump::objects::{Definition, DumpObjects};
use crate::resource::dump::place::OwnedDumpPlace;
use crate::resource::object::Resource;
use crate::resource::types::{self, TypeName};

/// A collector that writes empty lists writes hundreds of them; another one may write two.
const MANY_EMPTY: usize = 8;
/// The only namespace of which newer collectors read Secrets, and only machine plans.
const PLANS: &str = "fleet-local";

/// Types for which a collector writes a file even if there are no objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Empties {
    /// No types.
    #[default]
    Dropped,
    /// Types that it requests by name; custom resources are written only if there are any.
    Named,
    /// All types that it requests.
    Kept,
}

/// Everything known about what was collected.
#[derive(Debug, Default)]
pub struct Collection {
    pub(super) dumps: HashMap<TypeName, BTreeMap<Option<String>, Dump>>,
    /// Namespaces with their folder.
    pub(super) namespaces: BTreeMap<String, String>,
    /// Folder of the cluster-scoped dumps; none if there are none.
    pub(super) cluster_folder: Option<String>,
    defined: HashMap<TypeName, Defined>,
    /// Types of which a CustomResourceDefinition is in the bundle, also by its name only.
    custom: HashSet<TypeName>,
    pub(super) empties: Empties,
    errors: CollectorErrors,
    failed: FailedParts,
    pub(super) assumptions: Assumptions,
    /// Reason why the bundle may have held further dumps.
    pub(super) truncated: Option<ArchiveProblem>,
    /// Types whose objects in the bundle may not be all.
    loose: BTreeMap<TypeName, Loose>,
    /// Types and namespaces with an object that may be the same as one of another entry, because the collector hid its name; none as
    /// namespace where it hid that.
    unclear: BTreeSet<(TypeName, Option<String>)>,
    /// Types and namespaces with an object whose name the collector hid; none as namespace where it hid that.
    nameless: BTreeSet<(TypeName, Option<String>)>,
}

/// Entries with objects of a type that may not be all.
#[derive(Debug, Default)]
struct Loose {
    entries: BTreeSet<Arc<str>>,
    namespaced: bool,
}

/// Facts about a type from definitions.
#[derive(Clone, Copy, Debug)]
struct Defined {
    namespaced: bool,
    /// True if a CustomResourceDefinition defines it.
    custom: bool,
}

/// Entries of one type in one namespace.
#[derive(Debug, Default)]
pub(super) struct Dump {
    entries: BTreeSet<Arc<str>>,
    pub objects: usize,
    /// Groups under which all objects could be read.
    whole: BTreeSet<String>,
    /// Unreadable or truncated entries, with their group.
    broken: BTreeMap<Arc<str>, String>,
    /// Content of entries in place of objects.
    answer: BTreeMap<Arc<str>, Answer>,
    /// Number of entries that hold whole objects, not rows of tables.
    with_bodies: usize,
}

/// Returns type and namespace of an object; no namespace if that is hidden.
fn place_of(object: &Resource) -> (TypeName, Option<String>) {
    let namespace = object.namespace.as_deref().filter(|_| !object.hides_namespace());
    (TypeName::new(&object.plural, &object.group).canonical(), namespace.map(str::to_owned))
}

/// Returns the reason if names are withheld in a place.
fn withheld(places: &BTreeSet<(TypeName, Option<String>)>, name: &TypeName, namespace: Option<&str>) -> Option<Reason> {
    let asked = |place: &Option<String>| namespace.is_none() || place.is_none() || place.as_deref() == namespace;
    let hidden = places.iter().any(|(of, place)| of == name && asked(place));
    hidden.then(|| Reason::NamesWithheld { objects: Objects::of(name.to_string(), namespace) })
}

/// Returns true if an object is of a type; asked for each object of a bundle, so nothing is copied.
fn is_of(object: &Resource, name: &TypeName) -> bool {
    name.plural.eq_ignore_ascii_case(&object.plural) && name.group.eq_ignore_ascii_case(&object.group)
}

/// Groups that a service behind the API server can serve, without definitions.
const AGGREGATED: [&str; 8] = [
    "custom.metrics.k8s.io",
    "ext.cattle.io",
    "external.metrics.k8s.io",
    "metrics.k8s.io",
    "packages.operators.coreos.com",
    "projectcalico.org",
    "subresources.kubevirt.io",
    "upload.cdi.kubevirt.io",
];

impl Collection {
    pub(super) fn new(dumps: &[DumpObjects], errors: CollectorErrors, assumptions: Assumptions) -> Self {
        let mut collection = Self { failed: errors.failed_parts(), errors, assumptions, ..Self::default() };
        let definitions = types::definitions();
        for dump in dumps {
            collection.define(&dump.definitions);
            if dump.loose {
                collection.record_loose(dump)
            } else {
                collection.record(dump)
            }
            // The name of a definition is that of its type: `volumes.longhorn.io`.
            let named = dump.found.iter().filter(|found| is_of(&found.resource, &definitions));
            collection.custom.extend(named.map(|found| TypeName::parse(&found.resource.name).canonical()));
            let nameless = dump.found.iter().map(|found| &found.resource).filter(|object| object.is_nameless());
            collection.nameless.extend(nameless.map(place_of));
        }
        if collection.empty_lists() >= MANY_EMPTY {
            collection.empties = Empties::Kept;
        }
        collection
    }

    /// Adds a namespace that was collected although it has no dumps.
    pub(super) fn add_namespace(&mut self, namespace: String) {
        self.namespaces.entry(namespace).or_default();
    }

    fn define(&mut self, definitions: &[Definition]) {
        for definition in definitions {
            let known = self.defined.get(&definition.name).is_some_and(|known| known.custom);
            let told = Defined { namespaced: definition.namespaced, custom: definition.custom || known };
            self.defined.insert(definition.name.clone(), told);
        }
    }

    fn record(&mut self, dump: &DumpObjects) {
        if let Some(place) = &dump.place {
            let namespace = place.namespace.as_deref().map(str::to_owned);
            let folder = place.folder.to_string();
            if let Some(name) = &namespace {
                self.namespaces.insert(name.clone(), folder);
            } else {
                self.cluster_folder = Some(folder);
            }
            if is_of_its_place(dump, place) {
                self.slot(&place.name, namespace).add(dump, &place.name.group, dump.found.len());
            }
        }
        for found in dump.found.iter().filter(|_| dump.listed) {
            let object = &found.resource;
            let elsewhere =
                dump.place.as_ref().is_none_or(|p| !is_of(object, &p.name) || p.namespace != object.namespace);
            if elsewhere {
                let name = TypeName::new(&object.plural, &object.group);
                let namespace = object.namespace.as_deref().map(str::to_owned);
                self.slot(&name, namespace).add(dump, &name.group, 1);
            }
        }
    }

    fn record_loose(&mut self, dump: &DumpObjects) {
        for found in &dump.found {
            let object = &found.resource;
            let name = TypeName::new(&object.plural, &object.group).canonical();
            let loose = self.loose.entry(name).or_default();
            loose.entries.insert(dump.entry.clone());
            loose.namespaced |= object.namespace.is_some();
        }
    }

    /// Notes objects that were left out because they may be the same as others.
    pub(super) fn leave_out(&mut self, unclear: &[Resource]) {
        self.unclear.extend(unclear.iter().map(place_of));
    }

    /// Returns the reason why objects may be missing: they were left out, because they may be the same as others.
    pub(super) fn unclear(&self, name: &TypeName, namespace: Option<&str>) -> Option<Reason> {
        withheld(&self.unclear, name, namespace)
    }

    /// Returns the reason why an object that is looked up by its name may be one whose name is hidden.
    pub(super) fn nameless(&self, name: &TypeName, namespace: Option<&str>) -> Option<Reason> {
        withheld(&self.nameless, name, namespace)
    }

    /// Returns the reason why the objects of a type may not be all.
    pub(super) fn loose(&self, name: &TypeName) -> Option<Reason> {
        let entries = &self.loose.get(name)?.entries;
        let (entry, types) = (entries.first()?.to_string(), name.to_string());
        Some(match entries.len() {
            1 => Reason::MayNotBeAll { entry, types },
            _ => Reason::MayNotBeAllOfSeveral { entry, types },
        })
    }

    fn slot(&mut self, name: &TypeName, namespace: Option<String>) -> &mut Dump {
        self.dumps.entry(name.canonical()).or_default().entry(namespace).or_default()
    }

    fn empty_lists(&self) -> usize {
        let filtered = |name: &TypeName| matches!(name.plural.as_str(), "secrets" | "settings");
        let dumps = self.dumps.iter().filter(|(name, _)| !filtered(name));
        dumps.flat_map(|(_, places)| places.values()).filter(|d| d.objects == 0 && d.broken.is_empty()).count()
    }

    /// Returns the namespaces that were collected.
    pub(super) fn namespaces(&self) -> impl Iterator<Item = &String> {
        self.namespaces.keys()
    }

    /// Returns true if objects of the type have a namespace; none for an unknown type.
    pub(super) fn namespaced(&self, name: &TypeName) -> Option<bool> {
        let known = types::known(name).map(|t| t.namespaced);
        let defined = || self.defined.get(name).map(|defined| defined.namespaced);
        let dumped = || self.dumps.get(name).map(|places| places.keys().any(Option::is_some));
        let loose = || self.loose.get(name).map(|loose| loose.namespaced);
        known.or_else(defined).or_else(dumped).or_else(loose)
    }

    /// Returns true if a dump or a definition names a type of the group.
    pub(super) fn has_group(&self, group: &str) -> bool {
        // A refused request does not show that the group is served.
        let answered = |places: &BTreeMap<_, Dump>| places.values().any(|dump| dump.answer.is_empty());
        let dumped = self.dumps.iter().any(|(name, places)| name.group == group && answered(places));
        dumped || self.defined.keys().any(|name| name.group == group)
    }

    pub(super) fn is_served(&self, name: &TypeName) -> bool {
        let built_in = types::built_in(&name.group) && types::known(name).is_some();
        built_in || self.defined.contains_key(name) || self.dumps.contains_key(name)
    }

    /// Returns true if objects of a custom type cannot exist: the cluster has definitions, and none of it. Whether all definitions
    /// are known is for the caller to decide.
    pub(super) fn lacks_definition(&self, name: &TypeName) -> bool {
        let custom = !types::built_in(&name.group) && !AGGREGATED.contains(&name.group.as_str());
        let known = self.is_served(name) || self.loose.contains_key(name) || self.custom.contains(name);
        custom && !self.custom.is_empty() && !known
    }

    /// Returns true if the collector requests the type by name; it finds other types by their definitions.
    pub(super) fn is_asked_for(&self, name: &TypeName) -> bool {
        match self.empties {
            Empties::Dropped => false,
            Empties::Named => match self.defined.get(name) {
                Some(defined) => !defined.custom,
                None => types::built_in(&name.group),
            },
            Empties::Kept => true,
        }
    }

    /// Returns the failure of the collector for a type in a namespace, or for the whole scope.
    pub(super) fn failure(&self, name: &TypeName, namespace: Option<&str>) -> Option<&Failure> {
        self.errors.failures.get(self.failed.first(name, namespace)?)
    }

    /// Returns pod and container of each log that was not collected. The pod has its namespace before a slash if the collector
    /// names it; the container is empty for all of a pod. Containers that wait to start have no log yet and are left out.
    pub(super) fn failed_logs(&self) -> impl Iterator<Item = (&str, &str)> {
        let failed = |failure: &&Failure| !failure.harmless && !failure.error.contains("is waiting to start");
        self.errors.failures.iter().filter(failed).filter_map(|failure| match &failure.target {
            Target::PodLog { pod, container } => Some((pod.as_str(), container.as_str())),
            Target::PodLogs { pod } => Some((pod.as_str(), "")),
            _ => None,
        })
    }

    /// Returns true if all Secrets were dumped, not only machine plans.
    pub(super) fn holds_secrets(&self) -> bool {
        let places = self.dumps.get(&TypeName::new("secrets", ""));
        places.is_some_and(|p| p.keys().any(|place| place.as_deref() != Some(PLANS)))
    }

    /// Returns true if all objects of a type are rows of tables.
    pub(super) fn only_rows(&self, name: &TypeName) -> bool {
        let places = self.dumps.get(name);
        places.is_some_and(|places| places.values().all(|dump| dump.with_bodies == 0))
    }

    /// Returns the dump of a type in a namespace, else the dump over all namespaces.
    pub(super) fn dump(&self, name: &TypeName, namespace: Option<&str>) -> Option<&Dump> {
        let places = self.dumps.get(name)?;
        places.get(&namespace.map(str::to_owned)).or_else(|| places.get(&None))
    }

    /// Returns the entries that were searched for objects, or the folder if the collector writes no empty lists.
    pub(super) fn searched(&self, name: &TypeName, namespace: Option<&str>) -> Vec<String> {
        let name = &name.canonical();
        let places = match (self.namespaced(name), namespace) {
            (Some(true), Some(namespace)) => vec![Some(namespace)],
            (Some(true), None) => self.places(name),
            _ => vec![None],
        };
        let found: BTreeSet<String> = places.iter().flat_map(|place| self.looked_at(name, *place)).collect();
        found.into_iter().collect()
    }

    fn looked_at(&self, name: &TypeName, namespace: Option<&str>) -> Vec<String> {
        if let Some(dump) = self.dump(name, namespace) {
            return dump.entries.iter().map(ToString::to_string).collect();
        }
        let folder = match namespace {
            Some(namespace) => self.namespaces.get(namespace),
            None => self.cluster_folder.as_ref(),
        };
        folder.filter(|f| !f.is_empty()).map(|f| format!("{f}/")).into_iter().collect()
    }

    /// Returns what was not collected, sorted. `existing` are the namespaces of the cluster, `home` finds the namespace
    /// of a pod.
    pub(super) fn gaps(&self, existing: &[&str], home: &dyn Fn(&str) -> Option<String>) -> Vec<NotCollected> {
        let mut gaps = Vec::new();
        let left_out: Vec<_> = existing.iter().copied().filter(|n| !self.namespaces.contains_key(*n)).collect();
        if !left_out.is_empty() && !self.namespaces.is_empty() {
            gaps.push(NotCollected {
                what: GapSubject::Namespaces { names: Names::all(left_out) },
                why: GapReason::NotAmongCollected,
            });
        }
        let told = self.errors.failures.iter().any(|failure| failure.target == Target::Scope(Scope::Cluster));
        if self.cluster_folder.is_none() && !self.namespaces.is_empty() && !told {
            gaps.push(NotCollected { what: GapSubject::ObjectsWithoutNamespace, why: GapReason::NoDump });
        }
        if !self.holds_secrets() && !self.dumps.is_empty() {
            gaps.push(NotCollected { what: GapSubject::Secrets, why: GapReason::LeftOut });
        }
        if self.dumps.is_empty() && !self.loose.is_empty() {
            gaps.push(NotCollected { what: GapSubject::ObjectsInNoFile, why: GapReason::NoCollector });
        }
        gaps.extend(self.truncated.iter().map(|why| NotCollected {
            what: GapSubject::UnknownPart,
            why: GapReason::Damaged { why: Beginning(why.clone()) },
        }));
        gaps.extend(self.failures(home));
        gaps.sort();
        gaps.dedup();
        gaps
    }

    fn failures(&self, home: &dyn Fn(&str) -> Option<String>) -> impl Iterator<Item = NotCollected> {
        let broken = self.dumps.values().flat_map(BTreeMap::values).flat_map(|d| d.broken.keys());
        let said: BTreeMap<&Arc<str>, &Answer> =
            self.dumps.values().flat_map(BTreeMap::values).flat_map(|d| &d.answer).collect();
        let why = move |entry: &Arc<str>| match said.get(entry) {
            Some(said) => GapReason::Said { said: (*said).clone() },
            None => GapReason::NotReadWhole,
        };
        let unread = broken
            .map(move |entry| NotCollected { what: GapSubject::Entry { path: entry.to_string() }, why: why(entry) });
        unread.chain(failure_groups::not_collected(&self.errors, home))
    }
}

/// Returns true if a dump holds the type that its path names. Some versions of the kit wrote paths without group, so
/// `nodes.yaml` may hold nodes of Longhorn, and an empty one may be of either group.
fn is_of_its_place(dump: &DumpObjects, place: &OwnedDumpPlace) -> bool {
    let name = &place.name;
    let is_it = |object: &Resource| object.group.eq_ignore_ascii_case(&name.group);
    match (place.guessed, dump.found.is_empty()) {
        (false, _) => true,
        (true, false) => dump.found.iter().any(|found| is_it(&found.resource)),
        (true, true) => dump.incomplete,
    }
}

impl Dump {
    fn add(&mut self, dump: &DumpObjects, group: &str, objects: usize) {
        self.entries.insert(dump.entry.clone());
        self.objects += objects;
        self.with_bodies += usize::from(!dump.rows);
        if let Some(said) = &dump.answer {
            self.answer.insert(dump.entry.clone(), said.clone());
        }
        if dump.incomplete {
            self.broken.insert(dump.entry.clone(), group.to_owned());
        } else {
            self.whole.insert(group.to_owned());
        }
    }

    /// Returns the content of an entry in place of objects.
    pub(super) fn refusal(&self, entry: &Arc<str>) -> Option<&Answer> {
        self.answer.get(entry)
    }

    /// Returns an unreadable entry, unless the same objects could be read under another group.
    pub(super) fn unread(&self) -> Option<&Arc<str>> {
        let closes = |group: &String| !self.broken.values().any(|broken| broken == group);
        if self.whole.iter().any(closes) { None } else { self.broken.keys().next() }
    }
}
