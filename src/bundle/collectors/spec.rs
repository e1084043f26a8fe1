//! [`CollectorSpec`]: everything that the program knows about one collector.

use std::fmt;

use crate::bundle::collectors::bundle_name::BundleName;
use crate::bundle::collectors::marker::{Marker, Marks};
use crate::bundle::collectors::role::Role;
use crate::model::{BundleKind, Collector};

/// One way in which a collector arranges its bundles. Each stands in a file of its own, as a static that
/// [`super::table::COLLECTORS`] lists; fields that are not stated have the values of [`CollectorSpec::DEFAULT`].
pub struct CollectorSpec {
    /// The program by the name of its project, in JSON and in reports.
    pub program: &'static str,
    pub kind: KindOfBundle,
    /// Entries by which it is recognised, in the order in which reports show them.
    pub markers: &'static [&'static Marker],
    /// Tests the markers of a folder. The first collector of the table that recognises a folder has it.
    pub recognises: fn(&Marks) -> bool,
    /// Tests them again where no collector recognises the folder.
    pub recognises_as_last_resort: fn(&Marks) -> bool,
    pub when_nested: WhenNested,
    /// Several folders of it next to each other, and nothing else, are one bundle.
    pub has_several_folders: bool,
    /// The role of an entry, by the segments of its path without archive layers and the name of the bundle: that of its
    /// host where the collection is of one host.
    pub role: fn(&[&str], &str) -> Role,
    /// The path by which globs and roles know an entry, from its path without archive layers and the name of the bundle.
    pub logical_path: fn(&str, &str) -> String,
    pub host: HostOf,
    pub empty_lists: EmptyLists,
    pub description: Description,
    /// Finds out which versions of the collector can have written the bundle, by the paths and sizes of its entries.
    pub note_version: Option<NoteVersion>,
    /// Its dumps are those of support-bundle-kit, whose YAML has peculiarities.
    pub is_kit: bool,
    /// Tests whether an entry holds objects printed from Go structs, by its path.
    pub holds_go_structs: fn(&str) -> bool,
    /// Its files hold what commands printed, an error message included.
    pub keeps_error_output: bool,
    /// Bytes of a journal that it keeps; the lines before are truncated.
    pub journal_limit: Option<u64>,
}

/// Adds the version to what is known of the collector.
pub type NoteVersion = fn(&mut Collector, &mut dyn Iterator<Item = (&str, u64)>, Option<&BundleName>);

/// Returns true if an entry of that path is only in bundles of one kind.
pub type TellsKind = fn(&str) -> bool;

/// The kind of a collector's bundles.
pub enum KindOfBundle {
    Always(BundleKind),
    /// The first kind of which an entry has the path; [`BundleKind::GENERIC`] if there is none.
    ByPath(&'static [(BundleKind, TellsKind)]),
}

/// What a collection is that lies inside another container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhenNested {
    /// A bundle of its own.
    Bundle,
    /// A bundle of its own where it is the only one; else a part of the bundle around it.
    BundleIfAlone,
    /// A part of what lies around it. Its markers can be in bundles of other collectors.
    Part,
}

/// The host that a collection is of.
pub struct HostOf {
    /// The host by the folders around the collection and the name of its container, for collectors of one host.
    pub by_name: Option<fn(&str, &str) -> String>,
    /// Files that state the host's name.
    pub files: &'static [HostFile],
    /// Tests by all paths whether the collection was made inside a pod, so that it is of no host.
    pub made_in_pod: fn(&[String]) -> bool,
}

/// A file that states the name of its host.
pub struct HostFile {
    pub path: &'static str,
    /// Files of lower rank are trusted more.
    pub rank: u8,
    pub name_in: fn(&str) -> Option<&str>,
}

/// Lists without objects: which of them the collector writes, so that no list means that it was not collected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmptyLists {
    /// The dumps of the bundle show whether there are any.
    ShownByDumps,
    /// Those of types that it asks for by name.
    Named,
    /// All.
    Written,
    /// All where paths of dumps have no version, as old collectors wrote them; else the dumps show it.
    WrittenWithoutVersions,
}

/// What tells about a bundle as a whole, and how it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Description {
    /// `metadata.yaml` and `bundleGenerationError.log` of support-bundle-kit.
    Kit,
    /// Files of a host, as rancher2_logs_collector.sh writes them, with its own log.
    RancherHost,
    /// The same files without the log of the collector.
    HostFiles,
    /// Files of a machine, as supportconfig and sosreport copy them.
    Machine,
    /// Files of a node of Harvester.
    Node,
    Troubleshoot,
    MustGather,
    /// Outputs of kubectl.
    KubectlScript,
}

impl CollectorSpec {
    /// A collector of which nothing is stated.
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
        holds_go_structs: |_| false,
        keeps_error_output: false,
        journal_limit: None,
    };

    /// The kind of a bundle, by the paths of all entries.
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
    /// A collection that is not of one host.
    pub const DEFAULT: Self = Self { by_name: None, files: &[], made_in_pod: |_| false };
}

impl PartialEq for CollectorSpec {
    /// Compares statics by their address.
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
