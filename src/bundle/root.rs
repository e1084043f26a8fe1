//! Where a bundle begins and which layout it has, told by marker entries at any depth up to three: [`Root`].

use std::collections::BTreeMap;

use crate::bundle::kind::Kind;
use crate::bundle::layout::Layout;
use crate::bundle::markers::{CLUSTER_DUMP, SHOWN, marker};
use crate::model::Collector;

/// Folders that may stand around the markers.
const DEEPEST: usize = 3;

/// Where the bundle begins, and what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Root {
    /// The folders around it, with a slash at the end; empty when there are none.
    pub prefix: String,
    /// Other places that look like a bundle's root just as much.
    pub others: Vec<String>,
    /// None if nothing tells it.
    pub layout: Option<Layout>,
    marks: u64,
}

impl Root {
    /// Finds it among the paths of the outermost container. Without any marker, folders around everything are the
    /// wrapping.
    pub fn find<'p>(paths: impl Iterator<Item = &'p str> + Clone) -> Self {
        let mut marks: BTreeMap<&str, u64> = BTreeMap::new();
        for path in paths.clone() {
            for start in roots(path) {
                let found = marker(path.get(start..).unwrap_or_default());
                if found != 0 {
                    *marks.entry(path.get(..start).unwrap_or_default()).or_insert(0) |= found;
                }
            }
        }
        let layouts =
            marks.iter().filter_map(|(prefix, marks)| Layout::of(*marks).map(|layout| (*prefix, layout, *marks)));
        // A weak layout may show inside a strong one, so strength comes before depth.
        let rank = |(prefix, layout, marks): &(&str, Layout, u64)| {
            let weak = *layout == Layout::TrimmedKit || Layout::of(marks & !CLUSTER_DUMP) != Some(*layout);
            (weak, prefix.matches('/').count(), *layout)
        };
        let mut layouts: Vec<_> = layouts.collect();
        layouts.sort_by_key(|candidate| (rank(candidate), candidate.0));
        let Some(&(prefix, layout, marks)) = layouts.first() else {
            return Self { prefix: wrapping(paths), ..Self::here() };
        };
        let best = rank(&(prefix, layout, marks));
        let others: Vec<String> =
            layouts.iter().skip(1).take_while(|other| rank(other) == best).map(|other| other.0.to_owned()).collect();
        let found = Self { prefix: prefix.to_owned(), others, layout: Some(layout), marks };
        if layout == Layout::MustGather { found.around_images() } else { found }
    }

    /// One must-gather holds a folder for each image that collected; several of them are one bundle.
    fn around_images(self) -> Self {
        let parent = |prefix: &str| prefix.trim_end_matches('/').rfind('/').map_or(0, |slash| slash + 1);
        let around = self.prefix.get(..parent(&self.prefix)).unwrap_or_default().to_owned();
        let (images, others): (Vec<String>, Vec<String>) =
            self.others.iter().cloned().partition(|other| other.get(..parent(other)) == Some(around.as_str()));
        if images.is_empty() { self } else { Self { prefix: around, others, ..self } }
    }

    /// No wrapping, nothing known.
    pub fn here() -> Self {
        Self { prefix: String::new(), others: Vec::new(), layout: None, marks: 0 }
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

    /// Whether the markers are those of a collector's whole output, not of a part such as one node.
    pub fn is_whole_bundle(&self) -> bool {
        !matches!(self.layout, None | Some(Layout::Node | Layout::TrimmedKit | Layout::Supportconfig))
    }

    /// The program that made the bundle, with the marker entries that tell.
    pub fn collector(&self) -> Option<Collector> {
        let layout = self.layout?;
        let seen: Vec<&str> = SHOWN.iter().filter(|(bit, _)| self.marks & bit != 0).map(|(_, text)| *text).collect();
        Some(Collector { name: layout.collector().into(), version: None, why: format!("has {}", seen.join(", ")) })
    }
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
        let root = Root::find(paths.iter().copied());
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
    fn several_bundles_in_one_archive_are_noticed() {
        let found = Root::find(["b/yamls/cluster/v1/nodes.yaml", "a/yamls/cluster/v1/nodes.yaml"].into_iter());
        assert_eq!((found.prefix.as_str(), found.others), ("a/", vec!["b/".to_owned()]));
    }

    #[test]
    fn images_of_one_must_gather_are_one_bundle() {
        let of = |images: [&str; 2]| {
            let paths = images.map(|image| format!("m/{image}/namespaces/demo/pods/p/c/c/logs/current.log"));
            let found = Root::find(paths.iter().map(String::as_str));
            (found.prefix, found.others)
        };
        assert_eq!(
            of(["must-gather.local.1/a-sha256-1", "must-gather.local.1/b-sha256-2"]).0,
            "m/must-gather.local.1/"
        );
        assert_eq!(of(["x/a", "y/b"]), ("m/x/a/".into(), vec!["m/y/b/".into()]));
    }

    #[test]
    fn the_collector_says_why() {
        let found = Root::find(["metadata.yaml", "yamls/cluster/v1/nodes.yaml"].into_iter());
        let collector = found.collector().unwrap();
        assert_eq!(
            (collector.name.as_str(), collector.why.as_str()),
            ("support-bundle-kit", "has yamls/cluster/, metadata.yaml")
        );
    }
}
