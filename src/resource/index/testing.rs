//! Small bundles for the tests of this module.

use std::sync::Arc;

use super::{IndexBuilder, ResourceIndex};
use crate::model::Issue;
use crate::model::message::ArchiveProblem;
use crate::resource::dump::read_objects;
use crate::resource::{CollectorErrors, DumpPlace, TypeName};
use crate::yaml;

pub const POD: &str = "apiVersion: v1
kind: Pod
metadata:
  name: web-0
  namespace: demo
  uid: u-web-0
  labels: {app: web, tier: front}
  ownerReferences: [{apiVersion: apps/v1, kind: StatefulSet, name: web, uid: u-web}]
";

/// Parses a path of support-bundle-kit.
pub fn place(path: &str) -> Option<DumpPlace<'_>> {
    let below = path.strip_prefix("yamls/")?.strip_suffix(".yaml")?;
    let parts: Vec<&str> = below.split('/').collect();
    let (namespace, rest) = match parts.as_slice() {
        ["cluster", rest @ ..] => (None, rest),
        ["namespaced", namespace, rest @ ..] => (Some(*namespace), rest),
        _ => return None,
    };
    match rest {
        [version, plural] => Some(DumpPlace { namespace, group: "", version, plural }),
        [group, version, plural] => Some(DumpPlace { namespace, group, version, plural }),
        _ => None,
    }
}

/// Entries with their text.
#[derive(Default)]
pub struct Bundle {
    entries: Vec<(String, String)>,
    errors: Option<String>,
    all_collected: bool,
    missing: Vec<(TypeName, Option<String>)>,
    cut: Option<ArchiveProblem>,
}

impl Bundle {
    /// Adds a dump at a path of the kit.
    pub fn dump(self, path: &str, text: &str) -> Self {
        assert!(place(path).is_some(), "{path}");
        self.file(path, text)
    }

    pub fn file(mut self, path: &str, text: &str) -> Self {
        self.entries.push((path.to_owned(), text.to_owned()));
        self
    }

    pub fn errors(mut self, text: &str) -> Self {
        self.errors = Some(text.to_owned());
        self
    }

    pub fn all_collected(mut self) -> Self {
        self.all_collected = true;
        self
    }

    pub fn missing(mut self, name: &str, namespace: Option<&str>) -> Self {
        self.missing.push((TypeName::parse(name), namespace.map(str::to_owned)));
        self
    }

    /// Cuts the bundle behind its entries.
    pub fn cut(mut self, why: ArchiveProblem) -> Self {
        self.cut = Some(why);
        self
    }

    pub fn reversed(mut self) -> Self {
        self.entries.reverse();
        self
    }

    pub fn index(self) -> ResourceIndex {
        let (index, issues) = self.finish();
        assert_eq!(issues, []);
        index
    }

    pub fn finish(self) -> (ResourceIndex, Vec<Issue>) {
        let mut builder = IndexBuilder::default();
        for (path, text) in &self.entries {
            let (document, problems) = yaml::parse(text.clone().into_bytes());
            let objects = read_objects(path.as_str().into(), place(path).as_ref(), &Arc::new(document));
            builder.add(objects.with_problems(&problems));
        }
        if let Some(text) = &self.errors {
            builder.collector_errors(CollectorErrors::parse("bundleGenerationError.log", text));
        }
        builder.assume_all_collected(self.all_collected);
        self.cut.into_iter().for_each(|why| builder.truncated(why));
        self.missing.into_iter().for_each(|(name, namespace)| builder.assume_missing(name, namespace));
        builder.finish()
    }
}
