//! Where bundles begin and which layouts they have, told by marker entries at any depth up to three: [`Root`].

use std::collections::BTreeMap;

use crate::bundle::collectors::kind::Kind;
use crate::bundle::collectors::layout::Layout;
use crate::bundle::collectors::markers::{CLUSTER_DUMP, SHOWN, marker};
use crate::model::Collector;
use crate::model::message::{CollectorSigns, Names};

/// Folders that may stand around the markers.
const DEEPEST: usize = 3;

/// Where a bundle begins, and what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Root {
    /// The folders around it, with a slash at the end; empty when there are none.
    pub prefix: String,
    /// None if nothing tells it.
    pub layout: Option<Layout>,
    marks: u64,
}

impl Root {
    /// Finds the bundles among the paths of a container, sorted by prefix; none lies in another.
    pub fn find<'p>(paths: impl Iterator<Item = &'p str>) -> Vec<Self> {
        let mut marks: BTreeMap<&str, u64> = BTreeMap::new();
        for path in paths {
            for start in roots(path) {
                let found = marker(path.get(start..).unwrap_or_default());
                if found != 0 {
                    *marks.entry(path.get(..start).unwrap_or_default()).or_insert(0) |= found;
                }
            }
        }
        let layouts = marks.iter().filter_map(|(prefix, marks)| Some((*prefix, Layout::of(*marks)?, *marks)));
        // A weak layout may show inside a strong one, so strength comes before depth.
        let rank = |(prefix, layout, marks): &(&str, Layout, u64)| {
            (is_weak(*layout, *marks), prefix.matches('/').count(), *layout)
        };
        let mut layouts: Vec<_> = layouts.collect();
        layouts.sort_by_key(|candidate| (rank(candidate), candidate.0));
        let weak = layouts.first().is_some_and(|(_, layout, marks)| is_weak(*layout, *marks));
        let mut found: Vec<Self> = Vec::new();
        for (prefix, layout, marks) in layouts {
            let apart = |other: &Self| !prefix.starts_with(&other.prefix) && !other.prefix.starts_with(prefix);
            if (weak || !is_weak(layout, marks)) && found.iter().all(apart) {
                found.push(Self { prefix: prefix.to_owned(), layout: Some(layout), marks });
            }
        }
        let mut found = around_images(found);
        found.sort_by(|a, b| a.prefix.cmp(&b.prefix));
        found
    }

    /// Without any marker, folders around everything are the wrapping.
    pub fn unknown<'p>(paths: impl Iterator<Item = &'p str>) -> Self {
        Self { prefix: wrapping(paths), ..Self::here() }
    }

    /// A bundle in a folder.
    pub fn of(prefix: String, layout: Layout, marks: u64) -> Self {
        Self { prefix, layout: Some(layout), marks }
    }

    /// Whether its markers may stand in a bundle of another layout, too.
    pub fn is_weak(&self) -> bool {
        self.layout.is_none_or(|layout| is_weak(layout, self.marks))
    }

    /// No wrapping, nothing known.
    pub fn here() -> Self {
        Self { prefix: String::new(), layout: None, marks: 0 }
    }

    /// The layout of paths that are relative to the root already.
    pub fn find_here<'p>(paths: impl Iterator<Item = &'p str>) -> Self {
        let marks = paths.fold(0, |marks, path| marks | marker(path));
        Self { layout: Layout::of(marks), marks, ..Self::here() }
    }

    /// The kind of bundle, with the paths of all entries, nested ones included, to tell the kit's users apart.
    pub fn kind<'p>(&self, paths: impl Iterator<Item = &'p str> + Clone) -> Kind {
        self.layout.map_or(Kind::Generic, |layout| layout.kind(paths))
    }

    /// Whether an archive that holds this is a bundle of its own. What is of one node alone may be a part of what lies
    /// around it, if there is anything.
    pub fn stands_alone(&self, lonely: bool) -> bool {
        match self.layout {
            None | Some(Layout::TrimmedKit) => false,
            Some(Layout::Node | Layout::Supportconfig) => lonely,
            Some(_) => true,
        }
    }

    /// The program that made the bundle, with the marker entries that tell.
    pub fn collector(&self) -> Option<Collector> {
        let layout = self.layout?;
        let seen: Vec<&str> = SHOWN.iter().filter(|(bit, _)| self.marks & bit != 0).map(|(_, text)| *text).collect();
        Some(Collector {
            name: layout.collector().into(),
            version: None,
            why: CollectorSigns::Entries { entries: Names::all(seen) },
        })
    }
}

/// Whether a layout is told by markers that may stand in a bundle of another one.
pub(crate) fn is_weak(layout: Layout, marks: u64) -> bool {
    layout == Layout::TrimmedKit || Layout::of(marks & !CLUSTER_DUMP) != Some(layout)
}

/// One must-gather holds a folder for each image that collected; several of them, and nothing else, are one bundle.
pub(crate) fn around_images(found: Vec<Root>) -> Vec<Root> {
    let parent = |prefix: &str| {
        let end = prefix.trim_end_matches('/').rfind('/').map_or(0, |slash| slash + 1);
        prefix.get(..end).unwrap_or_default().to_owned()
    };
    let mut by_parent: BTreeMap<String, Vec<Root>> = BTreeMap::new();
    let (images, mut bundles): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|root| root.layout == Some(Layout::MustGather) && !root.prefix.is_empty());
    for image in images {
        by_parent.entry(parent(&image.prefix)).or_default().push(image);
    }
    let prefixes: Vec<String> =
        by_parent.keys().cloned().chain(bundles.iter().map(|root| root.prefix.clone())).collect();
    for (around, mut images) in by_parent {
        let others = prefixes.iter().filter(|other| other.starts_with(&around)).count();
        match images.as_slice() {
            [_, _, ..] if others == 1 => {
                let marks = images.iter().fold(0, |marks, image| marks | image.marks);
                bundles.push(Root { prefix: around, layout: Some(Layout::MustGather), marks });
            }
            _ => bundles.append(&mut images),
        }
    }
    bundles
}

/// Where a root may begin in a path: at its start and after each of the first folders.
fn roots(path: &str) -> impl Iterator<Item = usize> {
    std::iter::once(0).chain(path.match_indices('/').take(DEEPEST).map(|(slash, _)| slash + 1))
}

/// The folders, at most three, that hold everything.
fn wrapping<'p>(mut paths: impl Iterator<Item = &'p str>) -> String {
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

    fn root(paths: &[&str]) -> (String, Kind) {
        let unknown = || Root::unknown(paths.iter().copied());
        let root = Root::find(paths.iter().copied()).into_iter().next().unwrap_or_else(unknown);
        let cut: Vec<&str> = paths.iter().map(|path| path.strip_prefix(root.prefix.as_str()).unwrap_or(path)).collect();
        (root.prefix.clone(), root.kind(cut.iter().copied()))
    }

    #[test]
    fn kit_bundles_are_found_below_folders() {
        let harvester = ["w/sb/metadata.yaml", "w/sb/yamls/cluster/harvesterhci.io/v1beta1/settings.yaml"];
        assert_eq!(root(&harvester), ("w/sb/".into(), Kind::Harvester));
        let longhorn = ["yamls/namespaced/longhorn-system/v1/pods.yaml", "nodes/n1.zip"];
        assert_eq!(root(&longhorn), (String::new(), Kind::Longhorn));
        assert_eq!(root(&["x/yamls/cluster/v1/nodes.yaml"]), ("x/".into(), Kind::Generic));
        assert_eq!(root(&["logs/harvester-system/p/c.log"]), (String::new(), Kind::Harvester));
        assert_eq!(root(&["x/metadata.yaml", "x/yamls/longhorn/volumes.yaml"]), ("x/".into(), Kind::Longhorn));
    }

    #[test]
    fn other_kinds_are_told_by_their_markers() {
        let cases: [(&[&str], Kind); 12] = [
            (&["b/version.yaml", "b/cluster-resources/nodes.json"], Kind::Troubleshoot),
            (&["b/analysis.json", "b/host-collectors/system/time.json"], Kind::Troubleshoot),
            (&["m/q/cluster-scoped-resources/core/nodes/n.yaml"], Kind::MustGather),
            (&["scc_x/basic-environment.txt", "scc_x/messages.txt"], Kind::Supportconfig),
            (&["n1/configs/oem/90_custom.yaml", "n1/logs/kernel.log"], Kind::Node),
            (&["n1/logs/kernel.log"], Kind::Node),
            (&["h-2025/collector-output.log", "h-2025/systeminfo/uname"], Kind::Rancher),
            (&["systeminfo/uname", "networking/ss", "ls-l-host.log"], Kind::Supportability),
            (&["crds.json", "nodes.json", "api_version/Pod.json"], Kind::Supportability),
            (&["d/nodes.json", "d/kube-system/pods.json", "d/kube-system/dns/logs.txt"], Kind::ClusterInfo),
            (&["s/sos_commands/kubernetes/x", "s/etc/hosts"], Kind::Sosreport),
            (&["s/some.yaml", "t/other.log"], Kind::Generic),
        ];
        for (paths, kind) in cases {
            assert_eq!(root(paths).1, kind, "{paths:?}");
        }
        assert_eq!(root(cases[4].0).0, "", "the folder names the node");
    }

    #[test]
    fn without_markers_the_wrapping_is_what_holds_everything() {
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
        // What a bundle holds is its own.
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
