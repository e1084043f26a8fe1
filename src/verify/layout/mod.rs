//! Writes a case as the files of a bundle; each layout has its own module.

mod cluster_info;
mod kit;
mod must_gather;
mod place;
mod rancher;
mod troubleshoot;

use std::collections::BTreeSet;

use globset::Glob;

use super::case::{Case, Layout};
use super::release;
use crate::bundle::{Bundle, Limits};
use crate::pipeline::{self, MissingEntries};
use crate::resource::types::{self, TypeName};
use crate::rule::Streams;
use place::{Files, Place, Placed};

/// A case written as a bundle.
pub struct Written {
    pub bundle: Bundle,
    /// Entries removed by `missing`.
    pub missing_entries: MissingEntries,
}

/// Writes the case as a bundle in memory.
///
/// # Errors
///
/// Like [`files`], and for an invalid glob in `missing`.
pub fn bundle(case: &Case, streams: &Streams) -> Result<Written, String> {
    let (name, mut files) = files(case, streams)?;
    let bundle = Bundle::from_memory(&name, files.clone(), Limits::default());
    let missing = missing_entries(case, streams, &bundle)?;
    if missing.is_empty() {
        return Ok(Written { bundle, missing_entries: MissingEntries::default() });
    }
    let missing_entries = MissingEntries::of(&bundle, &missing);
    files.retain(|(path, _)| !missing.contains(path));
    Ok(Written { bundle: Bundle::from_memory(&name, files, Limits::default()), missing_entries })
}

/// Returns the types that count as not collected, each with its namespace if one is given.
///
/// # Errors
///
/// If `missing` has an entry that is no stream, path or type.
pub(super) fn missing_types(case: &Case, streams: &Streams) -> Result<Vec<(TypeName, Option<String>)>, String> {
    let mut missing = case.missing_types(streams)?;
    if case.missing.iter().any(|word| word == Case::LEFT_OUT) {
        let known = types::known_types().iter().map(|known| TypeName::new(known.plural, known.group));
        let left_out = known.chain([types::helm_releases()]).filter(|name| !takes(case.layout, &name.canonical()));
        missing.extend(left_out.map(|name| (name, None)));
    }
    Ok(missing)
}

/// Returns whether the collector of a layout takes objects of a type. Records of Helm are in ConfigMaps, and in Secrets that Rancher
/// mirrors as Apps.
fn takes(layout: Layout, name: &TypeName) -> bool {
    if *name == types::helm_releases() {
        return ["configmaps", "apps.catalog.cattle.io"].iter().all(|name| takes(layout, &TypeName::parse(name)));
    }
    let secrets = *name == TypeName::new("secrets", "");
    match layout {
        Layout::Harvester | Layout::MustGather => !secrets,
        Layout::Longhorn => !secrets && !kit::is_of_harvester(name),
        Layout::Rancher(_) => rancher::takes(name),
        Layout::Troubleshoot => troubleshoot::takes(name),
        Layout::ClusterInfo => cluster_info::takes(name),
    }
}

/// Returns the name of the bundle and its files, including those that `missing` removes.
///
/// # Errors
///
/// If an object has no kind or name, or the collector of the layout does not collect it.
pub(super) fn files(case: &Case, streams: &Streams) -> Result<(String, Files), String> {
    let absent = missing_types(case, streams)?;
    let releases = case.releases.iter().map(release::object);
    let mut objects: Vec<Placed> = Vec::new();
    for object in case.objects.iter().cloned().chain(releases) {
        let place = Place::of(&object)?;
        // Objects that are not collected are not dumped.
        if !absent.iter().any(|(name, namespace)| place.is_of(name, namespace.as_deref())) {
            objects.push((place, object));
        }
    }
    let (name, mut files) = match case.layout {
        Layout::Harvester => (case.name.clone(), kit::files(case, &objects)?),
        Layout::Longhorn => (case.name.clone(), kit::of_longhorn(case, &objects)?),
        Layout::Rancher(distribution) => (rancher::name(case), rancher::files(case, &objects, distribution)?),
        Layout::Troubleshoot => (case.name.clone(), troubleshoot::files(&objects)?),
        Layout::ClusterInfo => (case.name.clone(), cluster_info::files(&objects)?),
        Layout::MustGather => (case.name.clone(), must_gather::files(&objects)?),
    };
    for (path, text) in &case.files {
        files.retain(|(known, _)| known != path);
        files.push((path.clone(), text.clone().into_bytes()));
    }
    Ok((name, files))
}

/// Returns the entries that `missing` removes, by stream or by glob.
fn missing_entries(case: &Case, streams: &Streams, bundle: &Bundle) -> Result<BTreeSet<String>, String> {
    let mut missing = BTreeSet::new();
    for name in &case.missing {
        if let Some(stream) = streams.get(name) {
            missing.extend(pipeline::entries_of(bundle, &stream.sources));
        } else if name.contains(['*', '?']) || name.contains(".log") {
            let glob = Glob::new(name).map_err(|e| format!("missing: {name}: {e}"))?.compile_matcher();
            let matching = bundle.entries().iter().filter(|e| glob.is_match(&*e.logical) || glob.is_match(&*e.path));
            missing.extend(matching.map(|e| e.path.to_string()));
        }
    }
    Ok(missing)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::{RuleSet, Source, load};
    use crate::verify::TestSource;

    const OBJECTS: &str = "{apiVersion: v1, kind: Node, metadata: {name: cp1}}, \
        {apiVersion: v1, kind: Pod, metadata: {name: web, namespace: shop}, spec: {containers: [{name: a}]}}";

    fn written(layout: &str, objects: &str) -> Result<Written, String> {
        let text = format!("rule: x\ncases:\n- {{name: a, layout: {layout}, objects: [{objects}], expect: []}}\n");
        let source = TestSource::parse(&Source { file: "t.yaml".to_owned(), text }).unwrap();
        let case = source.cases().unwrap().remove(0);
        bundle(&case, &Streams::parse(load::embedded().streams).unwrap_or_default())
    }

    #[test]
    fn every_layout_is_recognised_with_and_without_objects() {
        for layout in Layout::NAMES {
            let kind =
                layout.split_once('-').filter(|(first, _)| *first == "rancher").map_or(layout, |(first, _)| first);
            for objects in ["", OBJECTS] {
                let bundle = written(layout, objects).unwrap().bundle;
                let known = if layout == "harvester" { "generic" } else { kind };
                assert_eq!((bundle.kind().as_str(), bundle.issues()), (known, &[][..]), "{layout} with {objects}");
            }
        }
    }

    #[test]
    fn rules_find_the_objects_in_every_layout() {
        for layout in Layout::NAMES {
            let bundle = written(layout, OBJECTS).unwrap().bundle;
            let input = pipeline::prepare(&bundle, &RuleSet::default(), pipeline::Options::default(), &());
            let resources = &input.world.resources;
            for (type_, namespace, name) in [("nodes", None, "cp1"), ("pods", Some("shop"), "web")] {
                let found = resources.get(&TypeName::new(type_, ""), namespace, name);
                assert!(found.is_some(), "{layout}: {type_}");
            }
        }
    }

    #[test]
    fn types_that_the_collector_does_not_take_are_reported() {
        let setting = "{apiVersion: harvesterhci.io/v1beta1, kind: Setting, metadata: {name: s}}";
        for layout in ["longhorn", "cluster-info", "troubleshoot"] {
            let object = if layout == "troubleshoot" {
                "{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: a}}"
            } else {
                setting
            };
            let told = written(layout, object).err().unwrap_or_default();
            assert!(
                told.contains(&format!("the collector of layout {layout} does not collect such objects")),
                "{told}"
            );
        }
    }
}
