//! Detection of the bundles' roots and collectors, by markers inside folders at most three deep: [`Root`].

use std::collections::BTreeMap;

use crate::bundle::collectors::marker::Marks;
use crate::bundle::collectors::spec::{CollectorSpec, WhenNested};
use crate::bundle::collectors::table::{marker_names, marks_of, precedence, recognise};
use crate::model::message::{CollectorSigns, Names};
use crate::model::{BundleKind, Collector};

/// Maximum number of folders around the markers.
const DEEPEST: usize = 3;

/// Root folder of a bundle, and its collector.
#[derive(Clone, Debug)]
pub(crate) struct Root {
    /// Folders around the bundle, with a slash at the end; empty if there are none.
    pub prefix: String,
    /// None if no marker identifies it.
    pub spec: Option<&'static CollectorSpec>,
    marks: Marks,
}

impl Root {
    /// Finds the bundles among the paths of a container, sorted by prefix; none is inside another.
    pub fn find<'p>(paths: impl Iterator<Item = &'p str>) -> Vec<Self> {
        let mut marks: BTreeMap<&str, Marks> = BTreeMap::new();
        for path in paths {
            let segments: Vec<&str> = path.split('/').collect();
            for (depth, start) in roots(path).enumerate() {
                let found = marks_of(segments.get(depth..).unwrap_or_default());
                if !found.is_empty() {
                    marks.entry(path.get(..start).unwrap_or_default()).or_default().merge(&found);
                }
            }
        }
        let mut candidates: Vec<Self> = marks
            .into_iter()
            .filter_map(|(prefix, marks)| Some(Self::new(prefix.to_owned(), recognise(&marks)?, marks)))
            .collect();
        // Weak markers can be inside a bundle with strong ones, so strength takes precedence over depth.
        candidates.sort_by_cached_key(|root| {
            let precedence = root.spec.map_or(usize::MAX, precedence);
            (root.is_weak(), root.prefix.matches('/').count(), precedence, root.prefix.clone())
        });
        let all_are_weak = candidates.first().is_some_and(Self::is_weak);
        let mut found: Vec<Self> = Vec::new();
        for root in candidates {
            if (all_are_weak || !root.is_weak()) && found.iter().all(|other| root.is_apart_from(other)) {
                found.push(root);
            }
        }
        let mut found = around_several_folders(found);
        found.sort_by(|a, b| a.prefix.cmp(&b.prefix));
        found
    }

    /// Returns a bundle without markers; folders around all files do not belong to it.
    pub fn unknown<'p>(paths: impl Iterator<Item = &'p str>) -> Self {
        Self { prefix: folders_around(paths), ..Self::here() }
    }

    /// Creates the root of a bundle in a folder.
    pub fn new(prefix: String, spec: &'static CollectorSpec, marks: Marks) -> Self {
        Self { prefix, spec: Some(spec), marks }
    }

    /// Returns a root without folders around it and without a collector.
    pub fn here() -> Self {
        Self { prefix: String::new(), spec: None, marks: Marks::default() }
    }

    /// Finds the collector of paths that are already relative to the root.
    pub fn find_here<'p>(paths: impl Iterator<Item = &'p str>) -> Self {
        let mut marks = Marks::default();
        for path in paths {
            marks.merge(&marks_of(&path.split('/').collect::<Vec<_>>()));
        }
        Self { spec: recognise(&marks), marks, ..Self::here() }
    }

    /// Returns true if a bundle of another collector can also contain its markers.
    pub fn is_weak(&self) -> bool {
        self.spec.is_none_or(|spec| is_weak(spec, &self.marks))
    }

    /// Returns true if neither root is inside the other.
    pub fn is_apart_from(&self, other: &Self) -> bool {
        !self.prefix.starts_with(&other.prefix) && !other.prefix.starts_with(&self.prefix)
    }

    /// Returns the kind of bundle, from the paths of all entries, nested ones included.
    pub fn kind<'p>(&self, paths: impl Iterator<Item = &'p str> + Clone) -> BundleKind {
        self.spec.map_or(BundleKind::GENERIC, |spec| spec.kind(paths))
    }

    /// Returns true if an archive with this root is a bundle of its own. `alone` is true if there is no other bundle.
    pub fn is_own_bundle(&self, alone: bool) -> bool {
        match self.spec.map(|spec| spec.when_nested) {
            None | Some(WhenNested::Part) => false,
            Some(WhenNested::BundleIfAlone) => alone,
            Some(WhenNested::Bundle) => true,
        }
    }

    /// Returns the program that made the bundle, with the markers that identify it.
    pub fn collector(&self) -> Option<Collector> {
        let spec = self.spec?;
        let why = CollectorSigns::Entries { entries: Names::all(marker_names(&self.marks, spec)) };
        Some(Collector { name: spec.program.into(), version: None, why })
    }
}

/// Returns true if a bundle of another collector can contain such markers.
pub(super) fn is_weak(spec: &CollectorSpec, marks: &Marks) -> bool {
    spec.when_nested == WhenNested::Part || recognise(&marks.strong()) != Some(spec)
}

/// Replaces several folders of one collector by the folder around them, if it contains nothing else.
pub(super) fn around_several_folders(found: Vec<Root>) -> Vec<Root> {
    let parent = |prefix: &str| {
        let end = prefix.trim_end_matches('/').rfind('/').map_or(0, |slash| slash + 1);
        prefix.get(..end).unwrap_or_default().to_owned()
    };
    let is_one_of_several =
        |root: &Root| root.spec.is_some_and(|spec| spec.has_several_folders) && !root.prefix.is_empty();
    let mut by_parent: BTreeMap<String, Vec<Root>> = BTreeMap::new();
    let (folders, mut bundles): (Vec<_>, Vec<_>) = found.into_iter().partition(is_one_of_several);
    for folder in folders {
        by_parent.entry(parent(&folder.prefix)).or_default().push(folder);
    }
    let prefixes: Vec<String> =
        by_parent.keys().cloned().chain(bundles.iter().map(|root| root.prefix.clone())).collect();
    for (around, mut folders) in by_parent {
        let others = prefixes.iter().filter(|other| other.starts_with(&around)).count();
        match folders.as_slice() {
            [first, _, ..] if others == 1 => {
                let mut marks = Marks::default();
                folders.iter().for_each(|folder| {
                    marks.merge(&folder.marks);
                });
                bundles.push(Root { prefix: around, spec: first.spec, marks });
            }
            _ => bundles.append(&mut folders),
        }
    }
    bundles
}

/// Returns the positions in a path at which a root may begin: its start, and after each of the first folders.
fn roots(path: &str) -> impl Iterator<Item = usize> {
    std::iter::once(0).chain(path.match_indices('/').take(DEEPEST).map(|(slash, _)| slash + 1))
}

/// Returns the folders, at most three, that contain all files.
fn folders_around<'p>(mut paths: impl Iterator<Item = &'p str>) -> String {
    let Some(first) = paths.next() else { return String::new() };
    let end = roots(first).last().unwrap_or(0);
    let mut common = first.get(..end).unwrap_or_default();
    for path in paths {
        while !path.starts_with(common) {
            let parent = common.trim_end_matches('/').rfind('/').map_or(0, |slash| slash + 1);
            common = common.get(..parent).unwrap_or_default();
        }
    }
    common.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root(paths: &[&str]) -> (String, BundleKind) {
        let unknown = || Root::unknown(paths.iter().copied());
        let root = Root::find(paths.iter().copied()).into_iter().next().unwrap_or_else(unknown);
        let cut: Vec<&str> = paths.iter().map(|path| path.strip_prefix(root.prefix.as_str()).unwrap_or(path)).collect();
        (root.prefix.clone(), root.kind(cut.iter().copied()))
    }

    #[test]
    fn kit_bundles_are_found_below_folders() {
        let harvester = ["w/sb/metadata.yaml", "w/sb/yamls/cluster/harvesterhci.io/v1beta1/settings.yaml"];
        assert_eq!(root(&harvester), ("w/sb/".into(), BundleKind::HARVESTER));
        let longhorn = ["yamls/namespaced/longhorn-system/v1/pods.yaml", "nodes/n1.zip"];
        assert_eq!(root(&longhorn), (String::new(), BundleKind::LONGHORN));
        assert_eq!(root(&["x/yamls/cluster/v1/nodes.yaml"]), ("x/".into(), BundleKind::GENERIC));
        assert_eq!(root(&["logs/harvester-system/p/c.log"]), (String::new(), BundleKind::HARVESTER));
        assert_eq!(root(&["x/metadata.yaml", "x/yamls/longhorn/volumes.yaml"]), ("x/".into(), BundleKind::LONGHORN));
    }

    #[test]
    fn other_kinds_are_recognised_by_their_markers() {
        let cases: [(&[&str], BundleKind); 12] = [
            (&["b/version.yaml", "b/cluster-resources/nodes.json"], BundleKind::TROUBLESHOOT),
            (&["b/analysis.json", "b/host-collectors/system/time.json"], BundleKind::TROUBLESHOOT),
            (&["m/q/cluster-scoped-resources/core/nodes/n.yaml"], BundleKind::MUST_GATHER),
            (&["scc_x/basic-environment.txt", "scc_x/messages.txt"], BundleKind::SUPPORTCONFIG),
            (&["n1/configs/oem/90_custom.yaml", "n1/logs/kernel.log"], BundleKind::NODE),
            (&["n1/logs/kernel.log"], BundleKind::NODE),
            (&["h-2025/collector-output.log", "h-2025/systeminfo/uname"], BundleKind::RANCHER),
            (&["systeminfo/uname", "networking/ss", "ls-l-host.log"], BundleKind::SUPPORTABILITY),
            (&["crds.json", "nodes.json", "api_version/Pod.json"], BundleKind::SUPPORTABILITY),
            (&["d/nodes.json", "d/kube-system/pods.json", "d/kube-system/dns/logs.txt"], BundleKind::CLUSTER_INFO),
            (&["s/sos_commands/kubernetes/x", "s/etc/hosts"], BundleKind::SOSREPORT),
            (&["s/some.yaml", "t/other.log"], BundleKind::GENERIC),
        ];
        for (paths, kind) in cases {
            assert_eq!(root(paths).1, kind, "{paths:?}");
        }
        assert_eq!(root(cases[4].0).0, "", "the folder names the node");
    }

    #[test]
    fn without_markers_the_common_folder_is_the_wrapping() {
        assert_eq!(root(&["a/b/c.yaml", "a/b/d/e.log"]).0, "a/b/");
        assert_eq!(root(&["a/b/c.yaml", "a/bb/e.log"]).0, "a/");
        assert_eq!(root(&["a/b/c/d/e.log"]).0, "a/b/c/");
        assert_eq!(root(&["a.log"]).0, "");
    }

    #[test]
    fn several_bundles_in_one_archive_are_found() {
        let prefixes = |paths: &[&str]| -> Vec<String> {
            Root::find(paths.iter().copied()).into_iter().map(|root| root.prefix).collect()
        };
        assert_eq!(prefixes(&["b/yamls/cluster/v1/nodes.yaml", "a/yamls/cluster/v1/nodes.yaml"]), ["a/", "b/"]);
        assert_eq!(prefixes(&["t/k/yamls/cluster/v1/x.yaml", "h-2025/collector-output.log"]), ["h-2025/", "t/k/"]);
        // Everything inside a bundle belongs to it.
        assert_eq!(prefixes(&["k/yamls/cluster/v1/x.yaml", "k/x/basic-environment.txt", "k/nodes/n.zip"]), ["k/"]);
        assert_eq!(prefixes(&["k/yamls/cluster/v1/x.yaml", "logs/a/b/c.log"]), ["k/"]);
        assert_eq!(prefixes(&["x.yaml"]), Vec::<String>::new());
    }

    #[test]
    fn images_of_one_must_gather_are_one_bundle() {
        let of = |images: &[&str]| -> Vec<String> {
            let log = |image: &&str| format!("m/{image}/namespaces/demo/pods/p/c/c/logs/current.log");
            let paths: Vec<String> = images.iter().map(log).collect();
            Root::find(paths.iter().map(String::as_str)).into_iter().map(|root| root.prefix).collect()
        };
        assert_eq!(of(&["mg/a-sha256-1", "mg/b-sha256-2"]), ["m/mg/"]);
        assert_eq!(of(&["x/a", "y/b"]), ["m/x/a/", "m/y/b/"]);
        assert_eq!(of(&["x/a", "x/b", "y/c"]), ["m/x/", "m/y/c/"]);
    }

    #[test]
    fn the_collector_says_why() {
        let found = Root::find(["metadata.yaml", "yamls/cluster/v1/nodes.yaml"].into_iter());
        let collector = found[0].collector().unwrap();
        assert_eq!(
            (collector.name.as_str(), collector.why.to_string().as_str()),
            ("support-bundle-kit", "has yamls/cluster/, metadata.yaml")
        );
    }
}
