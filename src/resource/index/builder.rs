//! Combines the objects of all dumps: order, types, duplicates, releases.
//!
//! An [`IndexBuilder`] takes [`DumpObjects`] in any order and [`IndexBuilder::finish`] gives the
//! same [`ResourceIndex`] whatever that order was.
//!
//! Two dumps of one object become one: the same group, kind, namespace and name, or the same uid,
//! kind, namespace and name under two groups. The index keeps the form of the group that serves it today
//! (for events the core form, which holds everything that the newer one holds), then the newer
//! resource version.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use super::collected::Assumptions;
use super::collection::{Collection, Empties};
use super::merge::{Merged, MergedObject, group_of, merge};
use super::resource_index::{Counts, IndexParts, ResourceIndex};
use crate::model::message::{ArchiveProblem, DocumentProblem, HelmFault};
use crate::model::{Issue, IssueKind, Origin};
use crate::resource::collector_errors::CollectorErrors;
use crate::resource::dump::objects::{Definition, DumpObjects, FoundObject};
use crate::resource::dump::read_objects;
use crate::resource::helm;
use crate::resource::helm::Payloads;
use crate::resource::object::{Resource, ResourceId};
use crate::resource::types::{self, TypeName};
use crate::yaml::Document;

/// Maximum number of objects, because ids are 32 bits wide. So many objects would not fit into memory anyway.
const MAX_OBJECTS: usize = u32::MAX as usize / 2;

/// Collects what was read, in any order.
#[derive(Debug, Default)]
pub struct IndexBuilder {
    dumps: Vec<DumpObjects>,
    errors: CollectorErrors,
    assumptions: Assumptions,
    namespaces: Vec<String>,
    truncated: Option<ArchiveProblem>,
    empties: Option<Empties>,
}

impl IndexBuilder {
    /// Adds the objects of one entry, which were read by [`read_objects`].
    pub fn add(&mut self, objects: DumpObjects) {
        self.dumps.push(objects);
    }

    /// Reads and adds objects of an entry whose path reveals nothing about them.
    pub fn add_document(&mut self, entry: Arc<str>, document: &Arc<Document>) {
        self.add(read_objects(entry, None, document));
    }

    /// Sets the failures that the collector reports.
    pub fn collector_errors(&mut self, errors: CollectorErrors) {
        self.errors = errors;
    }

    /// Adds a namespace that was collected, even if it has no dumps.
    pub fn namespace(&mut self, name: impl Into<String>) {
        self.namespaces.push(name.into());
    }

    /// Marks the bundle as truncated: it may have held further dumps, so a missing dump proves nothing.
    pub fn truncated(&mut self, why: ArchiveProblem) {
        self.truncated = Some(why);
    }

    /// Sets for which types the collector writes a file even if there are no objects, so that such a type without a file
    /// was not collected. By default this is inferred from the dumps.
    pub fn empties(&mut self, empties: Empties) {
        self.empties = Some(empties);
    }

    /// Assumes for a rule test that a type was not collected, in a namespace or (none) anywhere.
    pub fn assume_missing(&mut self, name: TypeName, namespace: Option<String>) {
        self.assumptions.missing.push((name, namespace));
    }

    /// Assumes for a rule test that everything else was collected.
    pub fn assume_all_collected(&mut self, yes: bool) {
        self.assumptions.all_collected = yes;
    }

    /// Builds the index, and returns the issues, sorted.
    pub fn finish(mut self) -> (ResourceIndex, Vec<Issue>) {
        self.dumps.sort_by(|a, b| a.entry.cmp(&b.entry));
        name_types(&mut self.dumps);
        let mut collection = Collection::new(&self.dumps, self.errors, self.assumptions);
        collection.truncated = self.truncated;
        collection.empties = self.empties.unwrap_or(collection.empties);
        self.namespaces.into_iter().for_each(|name| collection.add_namespace(name));
        let mut issues = Vec::new();
        let mut counts = Counts::default();
        let mut found = Vec::new();
        let loose: HashSet<Arc<str>> =
            self.dumps.iter().filter(|dump| dump.loose).map(|dump| dump.entry.clone()).collect();
        for dump in self.dumps {
            counts.dump_files += usize::from(!dump.incomplete || !dump.found.is_empty());
            counts.list_items += dump.found.len();
            issues.extend(dump.issues);
            found.extend(dump.found);
        }
        limit(&mut found, &mut issues);
        let Merged { kept, unclear } = merge(found);
        collection.leave_out(&unclear);
        issues.extend(kept.iter().filter_map(undecodable));
        issues.extend(repeated(&kept));
        issues.extend(others(&kept, &loose));
        issues.sort();
        (ResourceIndex::new(assemble(kept, collection, counts)), issues)
    }
}

fn limit(found: &mut Vec<FoundObject>, issues: &mut Vec<Issue>) {
    if found.len() > MAX_OBJECTS {
        found.truncate(MAX_OBJECTS);
        issues.push(Issue::general(IssueKind::Limit, DocumentProblem::TooManyObjectsInBundle { most: MAX_OBJECTS }));
    }
}

/// Replaces guessed plurals by those of the definitions in the bundle.
fn name_types(dumps: &mut [DumpObjects]) {
    let key = |group: &str, kind: &str| (group.to_ascii_lowercase(), kind.to_ascii_lowercase());
    let definitions: Vec<Definition> = dumps.iter().flat_map(|dump| dump.definitions.iter().cloned()).collect();
    let defined: HashMap<_, _> = definitions.iter().map(|d| (key(&d.name.group, &d.kind), d)).collect();
    for object in dumps.iter_mut().flat_map(|dump| &mut dump.found).filter(|found| found.guessed) {
        let resource = &mut object.resource;
        if let Some(definition) = defined.get(&key(&resource.group, &resource.kind)) {
            resource.plural = definition.name.plural.as_str().into();
            resource.kind = definition.kind.as_str().into();
        }
    }
}

/// Returns the first place in each entry, and how many there are.
fn by_entry<'o>(places: impl Iterator<Item = &'o Origin>) -> impl Iterator<Item = (&'o Origin, u64)> {
    let mut entries: BTreeMap<&str, (&Origin, u64)> = BTreeMap::new();
    for place in places {
        let (first, count) = entries.entry(&place.entry).or_insert((place, 0));
        *first = (*first).min(place);
        *count += 1;
    }
    entries.into_values()
}

/// Returns an issue for each file of unknown origin with objects that another file has with another uid. A collector may meet an object
/// that was made again; files of several clusters or times lie together only by hand.
fn others(kept: &[MergedObject], loose: &HashSet<Arc<str>>) -> impl Iterator<Item = Issue> {
    let places = kept.iter().filter_map(|object| object.other.as_ref()).filter(|place| loose.contains(&place.entry));
    by_entry(places)
        .map(|(first, count)| Issue::at(first.clone(), IssueKind::Document, DocumentProblem::OtherUids { count }))
}

/// Returns an issue for each dump that has objects twice.
fn repeated(kept: &[MergedObject]) -> impl Iterator<Item = Issue> {
    by_entry(kept.iter().filter_map(|object| object.repeated.as_ref())).map(|(first, count)| {
        let problem =
            if count == 1 { DocumentProblem::ObjectRepeated } else { DocumentProblem::ObjectsRepeated { count } };
        Issue::at(first.clone(), IssueKind::Document, problem)
    })
}

fn undecodable(kept: &MergedObject) -> Option<Issue> {
    let record = kept.found.helm.as_ref()?;
    let fault = record.problem.as_ref().filter(|p| **p != HelmFault::Missing)?;
    let resource = &kept.found.resource;
    let origin = Origin::line(resource.entry.clone(), resource.body().line());
    let kind = if matches!(fault, HelmFault::TooLarge { .. }) { IssueKind::Limit } else { IssueKind::Document };
    let (name, fault) = (resource.name.to_string(), fault.clone());
    Some(Issue::at(origin, kind, DocumentProblem::HelmRelease { name, fault }))
}

/// Assigns ids; releases are sorted in where their type belongs.
fn assemble(kept: Vec<MergedObject>, collection: Collection, counts: Counts) -> IndexParts {
    let records = kept.iter().enumerate().filter_map(|(i, k)| Some((i, k.found.helm.as_deref()?, &k.found.resource)));
    let releases = helm::releases(records);
    let (first, made) = (kept.partition_point(before_releases), releases.len());
    let id_of = |position: usize| (if position < first { position } else { position + made }) as ResourceId;

    let mut by_type: BTreeMap<TypeName, Vec<ResourceId>> = BTreeMap::new();
    for (position, object) in kept.iter().enumerate() {
        for name in object.aliases.iter().cloned().chain([object.type_name()]) {
            by_type.entry(name).or_default().push(id_of(position));
        }
    }
    let ids = (first as ResourceId..).take(made);
    let mut readable: Vec<_> = ids.clone().zip(&releases).filter(|(_, release)| release.readable).collect();
    readable.sort_by_key(|(id, release)| (!release.latest, *id));
    let payloads = Payloads::new(readable.into_iter().map(|(id, release)| (id, release.expanded)));
    by_type.insert(types::helm_releases(), ids.collect());

    let releases = releases.into_iter().map(|r| Resource { source: Some(id_of(r.record)), ..r.resource });
    let all = (kept.len() + made) as ResourceId;
    let mut rows = Vec::new();
    let mut resources: Vec<_> = kept.into_iter().map(|kept| with_row(kept, all, &mut rows)).collect();
    resources.splice(first..first, releases);
    // These are found only through the object that they supplement.
    resources.append(&mut rows);
    IndexParts { resources, by_type, payloads, collection, counts }
}

/// Gives the object the id of the row that supplements it; ids of `rows` begin at `first`.
fn with_row(kept: MergedObject, first: ResourceId, rows: &mut Vec<Resource>) -> Resource {
    let supplement = kept.supplement.map(|row| {
        rows.push(row.resource);
        first + rows.len() as ResourceId - 1
    });
    Resource { supplement, ..kept.found.resource }
}

fn before_releases(kept: &MergedObject) -> bool {
    let resource = &kept.found.resource;
    (group_of(resource), resource.plural.as_ref()) < ("", "helmreleases")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resource::index::testing::{Bundle, POD};

    #[test]
    fn two_groups_of_one_object_become_one_and_both_names_find_it() {
        let ingress = |group: &str, version: &str| {
            format!(
                "items:\n- apiVersion: {group}/{version}\n  kind: Ingress\n  metadata: {{name: web, namespace: demo, uid: u1}}\n"
            )
        };
        let index = Bundle::default()
            .dump("yamls/namespaced/demo/extensions/v1beta1/ingresses.yaml", &ingress("extensions", "v1beta1"))
            .dump("yamls/namespaced/demo/networking.k8s.io/v1/ingresses.yaml", &ingress("networking.k8s.io", "v1"))
            .index();
        for name in ["ingresses.extensions", "ingresses.networking.k8s.io"] {
            let ids = index.of_type(&TypeName::parse(name));
            assert_eq!(ids.len(), 1, "{name}");
            assert_eq!(index.resource(ids[0]).group.as_ref(), "networking.k8s.io");
        }
        assert_eq!(index.counts(), Counts { dump_files: 2, list_items: 2 });
    }

    #[test]
    fn groups_that_are_no_known_alias_are_merged_by_uid() {
        let pool = |group: &str| {
            format!("items:\n- {{apiVersion: {group}/v1, kind: IPPool, metadata: {{name: p, uid: u9}}}}\n")
        };
        let index = Bundle::default()
            .dump("yamls/cluster/crd.projectcalico.org/v1/ippools.yaml", &pool("crd.projectcalico.org"))
            .dump("yamls/cluster/projectcalico.org/v1/ippools.yaml", &pool("projectcalico.org"))
            .index();
        let ids = index.of_type(&TypeName::parse("ippools.projectcalico.org"));
        assert_eq!(ids, index.of_type(&TypeName::parse("ippools.crd.projectcalico.org")));
        assert_eq!((ids.len(), index.len()), (1, 1));
    }

    #[test]
    fn the_newer_of_two_dumps_is_kept() {
        let node =
            |version: u32| format!("apiVersion: v1\nkind: Node\nmetadata: {{name: n, resourceVersion: '{version}'}}\n");
        let index = Bundle::default().file("a.yaml", &node(900)).file("b.yaml", &node(1000)).index();
        assert_eq!(index.len(), 1);
        assert_eq!(index.resource(0).entry.as_ref(), "b.yaml");
    }

    #[test]
    fn an_object_that_a_dump_has_twice_is_reported() {
        let pod = |phase: &str| {
            format!(
                "- {{apiVersion: v1, kind: Pod, metadata: {{name: a, namespace: x}}, status: {{phase: {phase}}}}}\n"
            )
        };
        let (index, issues) = Bundle::default().file("a.yaml", &(pod("Running") + &pod("Failed"))).finish();
        assert_eq!(index.resource(0).body().str_at(&["status", "phase"]), Some("Failed"));
        let origin = Origin::line(std::sync::Arc::from("a.yaml"), 2);
        assert_eq!(issues, [Issue::at(origin, IssueKind::Document, DocumentProblem::ObjectRepeated)]);
        let (_, issues) = Bundle::default().file("a.yaml", &pod("Running")).file("b.yaml", &pod("Failed")).finish();
        assert_eq!(issues, []);
    }

    #[test]
    fn one_uid_on_different_objects_merges_nothing() {
        let text = "- {apiVersion: v1, kind: Pod, metadata: {name: a, namespace: x, uid: u}}\n- {apiVersion: v1, kind: Pod, metadata: {name: b, namespace: x, uid: u}}\n";
        let index = Bundle::default().file("a.yaml", text).index();
        assert_eq!(index.len(), 2);
        assert_eq!(index.by_uid("u"), Some(0));
    }

    #[test]
    fn the_order_of_entries_does_not_matter() {
        let bundle = || Bundle::default().file("b.yaml", POD).file("a.yaml", &POD.replace("web-0", "web-1"));
        let shown = |bundle: Bundle| {
            let index = bundle.index();
            (0..index.len() as u32)
                .map(|id| (index.resource(id).object().to_string(), index.resource(id).entry.to_string()))
                .collect::<Vec<_>>()
        };
        let forward = shown(bundle());
        assert_eq!(forward, shown(bundle().reversed()));
        assert_eq!(forward[0], ("Pod/demo/web-0".to_owned(), "b.yaml".to_owned()));
    }

    #[test]
    fn definitions_name_types_that_are_not_known() {
        let crd = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: mice.example.org}\nspec: {group: example.org, scope: Namespaced, names: {plural: mice, kind: Mouse}}\n";
        let mouse = "apiVersion: example.org/v1\nkind: mouse\nmetadata: {name: m, namespace: demo}\n";
        let index = Bundle::default().file("a.yaml", crd).file("b.yaml", mouse).index();
        let ids = index.of_type(&TypeName::parse("mice.example.org"));
        assert_eq!(index.resource(ids[0]).object().to_string(), "Mouse.example.org/demo/m");
    }
}
