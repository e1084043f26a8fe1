//! A case as the files of a bundle; each layout has a module that writes it.

mod kit;
mod rancher;
mod troubleshoot;

use std::collections::BTreeSet;

use globset::Glob;
use serde_json::{Value, json};

use super::case::{Case, Layout};
use super::release;
use crate::bundle::{Bundle, Limits};
use crate::pipeline::{self, MissingEntries};
use crate::resource::types::{self, TypeName};
use crate::rule::Streams;

/// The files of a bundle by path.
type Files = Vec<(String, Vec<u8>)>;

/// An object of a case with the place where it was collected.
type Placed = (Place, Value);

/// A case written as a bundle.
pub struct Written {
    pub bundle: Bundle,
    /// What `missing` took out of it.
    pub missing_entries: MissingEntries,
}

/// Writes the case as a bundle in memory.
///
/// # Errors
/// As [`files`], and for a glob of `missing` that cannot be understood.
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

/// What the bundle is called and its files, also those that `missing` takes out of it.
///
/// # Errors
/// When an object has no kind or name, or the collector of the layout does not collect it.
pub(super) fn files(case: &Case, streams: &Streams) -> Result<(String, Files), String> {
    let absent = case.missing_types(streams)?;
    let releases = case.releases.iter().map(release::object);
    let mut objects: Vec<Placed> = Vec::new();
    for object in case.objects.iter().cloned().chain(releases) {
        let place = Place::of(&object)?;
        // What was not collected was not dumped.
        if !absent.iter().any(|(name, namespace)| place.is_of(name, namespace.as_deref())) {
            objects.push((place, object));
        }
    }
    let (name, mut files) = match case.layout {
        Layout::Harvester => (case.name.clone(), kit::files(case, &objects)?),
        Layout::Rancher => (rancher::name(case), rancher::files(case, &objects)?),
        Layout::Troubleshoot => (case.name.clone(), troubleshoot::files(&objects)?),
    };
    for (path, text) in &case.files {
        files.retain(|(known, _)| known != path);
        files.push((path.clone(), text.clone().into_bytes()));
    }
    Ok((name, files))
}

/// Objects as `kubectl get -o yaml` prints them.
fn list(items: &[&Value]) -> Result<String, serde_yaml::Error> {
    serde_yaml::to_string(&json!({"apiVersion": "v1", "items": items, "kind": "List", "metadata": {}}))
}

/// Where an object is dumped.
struct Place {
    name: TypeName,
    /// `group/version`, or the version alone in the core group.
    version: String,
    /// Empty for objects of the whole cluster.
    namespace: String,
}

impl Place {
    fn of(object: &Value) -> Result<Self, String> {
        let text = |path: &str| object.pointer(path).and_then(Value::as_str).unwrap_or_default();
        let (kind, name) = (text("/kind"), text("/metadata/name"));
        if kind.is_empty() || name.is_empty() {
            return Err(format!("an object has no kind or no metadata.name: {object}"));
        }
        let version = text("/apiVersion");
        let group = version.split_once('/').map_or("", |(group, _)| group);
        let known = types::known_kind(group, kind);
        let plural = known.map_or_else(|| types::guess_plural(kind), |known| known.plural.to_owned());
        let namespace = text("/metadata/namespace");
        if namespace.is_empty() && known.is_some_and(|known| known.namespaced) {
            return Err(format!("{kind}/{name} needs metadata.namespace"));
        }
        Ok(Self { name: TypeName::new(&plural, group), version: version.to_owned(), namespace: namespace.to_owned() })
    }

    fn is_of(&self, name: &TypeName, namespace: Option<&str>) -> bool {
        self.name == *name && namespace.is_none_or(|namespace| namespace == self.namespace)
    }
}

/// Entries that `missing` takes away, by stream or by glob.
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
