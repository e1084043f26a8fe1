//! Description of a collector: [`CollectorSpec`].

use std::fmt;

use crate::bundle::collectors::bundle_name::BundleName;
use crate::bundle::collectors::marker::{Marker, Marks};
use crate::bundle::collectors::role::Role;
use crate::model::{BundleKind, Collector};

/// Layout of one collector's bundles. Each has its own file with a static that [`super::table::COLLECTORS`] lists;
/// fields that are not set have the values of [`CollectorSpec::DEFAULT`].
pub struct CollectorSpec {
    /// Project name of the program, in JSON and in reports.
    pub program: &'static str,
    pub kind: KindOfBundle,
    /// Entries that identify the collector, in the order in which reports show them.
    pub markers: &'static [&'static Marker],
    /// Tests the markers of a folder. The first matching collector in the table is used.
    pub recognises: fn(&Marks) -> bool,
    /// Tests the markers again if no collector matches.
    pub recognises_as_last_resort: fn(&Marks) -> bool,
    pub when_nested: WhenNested,
    /// True if several folders next to each other, with nothing else, are one bundle.
    pub has_several_folders: bool,
    /// Returns the role of an entry, from the segments of its path without archive layers and the name of the bundle,
    /// which is the host name for a collection of one host.
    pub role: fn(&[&str], &str) -> Role,
    /// Returns the path used by globs and roles, from the entry's path without archive layers and the name of the
    /// bundle.
    pub logical_path: fn(&str, &str) -> String,
    pub host: HostOf,
    pub empty_lists: EmptyLists,
    pub description: Description,
    /// Determines the collector's possible versions from the paths and sizes of the entries.
    pub note_version: Option<NoteVersion>,
    /// True if the dumps are those of support-bundle-kit, whose YAML has peculiarities.
    pub is_kit: bool,
    /// Returns true for folders that hold nothing but dumps, so that a file there which is not read is reported.
    pub is_place_for_dumps: fn(&[&str]) -> bool,
    /// Returns true if the entry at this path holds objects printed from Go structs.
    pub holds_go_structs: fn(&str) -> bool,
    /// True if files hold command output including error messages.
    pub keeps_error_output: bool,
    /// True if files that the collector does not write are read as in an unknown layout.
    pub has_loose_files: bool,
    /// Maximum bytes of a journal; earlier lines are truncated.
    pub journal_limit: Option<u64>,
}

/// Function that adds the version to the known collector.
pub type NoteVersion = fn(&mut Collector, &mut dyn Iterator<Item = (&str, u64)>, Option<&BundleName>);

/// Returns true if only bundles of one kind contain an entry with this path.
pub type TellsKind = fn(&str) -> bool;

/// Kind of a collector's bundles.
pub enum KindOfBundle {
    Always(BundleKind),
    /// First kind with a matching entry path; [`BundleKind::GENERIC`] if there is none.
    ByPath(&'static [(BundleKind, TellsKind)]),
}

/// Meaning of a collection inside another container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhenNested {
    /// A bundle of its own.
    Bundle,
    /// A bundle of its own if it is the only one; otherwise a part of the bundle around it.
    BundleIfAlone,
    /// A part of the container around it. Its markers can be in bundles of other collectors.
    Part,
}

/// Host of a collection.
pub struct HostOf {
    /// Returns the host from the folders around the collection and the name of its container; for collectors of one
    /// host.
    pub by_name: Option<fn(&str, &str) -> String>,
    /// Files that state the host's name.
    pub files: &'static [HostFile],
    /// Returns true if the paths show that the collection was made inside a pod and therefore has no host.
    pub made_in_pod: fn(&[String]) -> bool,
}

/// File that states the name of its host.
pub struct HostFile {
    pub path: &'static str,
    /// Trust in the file; a lower rank takes precedence.
    pub rank: u8,
    pub name_in: fn(&str) -> Option<&str>,
}

/// Lists without objects that the collector writes; for these types, no list means not collected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmptyLists {
    /// The dumps of the bundle show whether there are any.
    ShownByDumps,
    /// Lists of types that it requests by name.
    Named,
    /// All lists.
    Written,
    /// All lists if the paths of dumps have no version, as in old collectors; otherwise the dumps show it.
    WrittenWithoutVersions,
}

/// Source of facts about the whole bundle, with its format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Description {
    /// `metadata.yaml` and `bundleGenerationError.log` of support-bundle-kit.
    Kit,
    /// Files of a host from rancher2_logs_collector.sh, with the collector's own log.
    RancherHost,
    /// The same files without the collector's log.
    HostFiles,
    /// Files of a machine, as copied by supportconfig and sosreport.
    Machine,
    /// Files of a Harvester node.
    Node,
    Troubleshoot,
    MustGather,
    /// Output of kubectl.
    KubectlScript,
}

impl CollectorSpec {
    /// Collector without any settings.
    pub const DEFAULT: Self = Self {
        program: "",
        kind: KindOfBundle::Always(BundleKind::GENERIC),
        markers: &[],
        recognises: |_| false,
        recognises_as_last_resort: |_| false,
        when_nested: WhenNested::Bundle,
        has_several_folders: false,
        role: |_, _| Role::Other,
        logical_path: |path, _| path.to_owned(),
        host: HostOf::DEFAULT,
        empty_lists: EmptyLists::ShownByDumps,
        description: Description::Kit,
        note_version: None,
        is_kit: false,
        is_place_for_dumps: |_| false,
        holds_go_structs: |_| false,
        keeps_error_output: false,
        has_loose_files: false,
        journal_limit: None,
    };

    /// Returns the kind of a bundle from the paths of all entries.
    pub fn kind<'p>(&self, paths: impl Iterator<Item = &'p str> + Clone) -> BundleKind {
        match self.kind {
            KindOfBundle::Always(kind) => kind,
            KindOfBundle::ByPath(kinds) => {
                let kind = kinds.iter().find(|(_, is_sign)| paths.clone().any(is_sign));
                kind.map_or(BundleKind::GENERIC, |(kind, _)| *kind)
            }
        }
    }
}

impl HostOf {
    /// Collection without a single host.
    pub const DEFAULT: Self = Self { by_name: None, files: &[], made_in_pod: |_| false };
}

impl PartialEq for CollectorSpec {
    /// Compares statics by address.
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for CollectorSpec {}

impl fmt::Debug for CollectorSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.program)
    }
}
