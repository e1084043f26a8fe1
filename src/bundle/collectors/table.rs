//! Table of all collectors, and functions derived from it.

use std::sync::LazyLock;

use super::{
    cluster_info, kit, longhorn, must_gather, node, profiles, rancher, rancher_pods, scc, sosreport, supportability,
    supportconfig, troubleshoot, windows,
};
use crate::bundle::collectors::marker::{Marker, Marks};
use crate::bundle::collectors::role::Role;
use crate::bundle::collectors::spec::CollectorSpec;
use crate::bundle::collectors::{generic, spec};

/// All collectors, by precedence.
pub static COLLECTORS: &[&CollectorSpec] = &[
    &troubleshoot::COLLECTOR,
    &longhorn::MANAGER,
    &longhorn::SCRIPT,
    &kit::COLLECTOR,
    &must_gather::COLLECTOR,
    &supportconfig::COLLECTOR,
    &node::COLLECTOR,
    &supportability::NODE,
    &rancher::COLLECTOR,
    &supportability::CLUSTER,
    &windows::COLLECTOR,
    &rancher_pods::COLLECTOR,
    &scc::COLLECTOR,
    &profiles::COLLECTOR,
    &cluster_info::COLLECTOR,
    &sosreport::COLLECTOR,
    &kit::TRIMMED,
];

static MARKERS: LazyLock<Vec<&'static Marker>> = LazyLock::new(|| {
    let mut markers: Vec<&'static Marker> = Vec::new();
    for marker in COLLECTORS.iter().flat_map(|collector| collector.markers) {
        if !markers.iter().any(|known| std::ptr::eq(*known, *marker)) {
            markers.push(marker);
        }
    }
    markers
});

/// Returns the markers that match a path, passed as segments from a possible root.
pub fn marks_of(segments: &[&str]) -> Marks {
    Marks::of_path(&MARKERS, segments)
}

/// Returns the collector identified by the markers of a folder.
pub fn recognise(marks: &Marks) -> Option<&'static CollectorSpec> {
    if marks.is_empty() {
        return None;
    }
    let find = |test: fn(&CollectorSpec) -> fn(&Marks) -> bool| {
        COLLECTORS.iter().copied().find(|collector| test(collector)(marks))
    };
    find(|collector| collector.recognises).or_else(|| find(|collector| collector.recognises_as_last_resort))
}

/// Returns the position of a collector in the table.
pub fn precedence(collector: &CollectorSpec) -> usize {
    COLLECTORS.iter().position(|known| *known == collector).unwrap_or(COLLECTORS.len())
}

/// Returns the markers of a folder for reports, those of its collector first.
pub fn marker_names(marks: &Marks, collector: &CollectorSpec) -> Vec<&'static str> {
    marks.names(collector.markers.iter().chain(MARKERS.iter()).copied())
}

/// Returns the role of an entry in a bundle; without a collector, by the rules for unknown layouts.
///
/// `logical` has no archive layers. `bundle` is the name of the container and replaces the node name if a node's files
/// have no folder with it; for a collection of one node it is that node's name.
pub fn role(collector: Option<&CollectorSpec>, logical: &str, archive: bool, bundle: &str) -> Role {
    if archive {
        return Role::Archive;
    }
    let segments: Vec<&str> = logical.split('/').collect();
    match collector {
        Some(collector) => (collector.role)(&segments, bundle),
        None => match kit::role(&segments) {
            Role::Other => generic::role(&segments),
            role => role,
        },
    }
}

/// Returns the path used by globs and roles, from the path without archive layers.
pub fn logical_path(collector: Option<&CollectorSpec>, logical: String, bundle: &str) -> String {
    match collector {
        Some(collector) => (collector.logical_path)(&logical, bundle),
        None => logical,
    }
}

/// Returns the meaning of a bundle's lists without objects.
pub fn empty_lists(collector: Option<&CollectorSpec>) -> spec::EmptyLists {
    collector.map_or(spec::EmptyLists::WrittenWithoutVersions, |collector| collector.empty_lists)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_collector_has_its_own_tree() {
        let dump = "yamls/cluster/v1/nodes.yaml";
        assert!(matches!(role(Some(&kit::COLLECTOR), dump, false, ""), Role::Dump { .. }));
        assert!(matches!(role(None, dump, false, ""), Role::Dump { .. }));
        let troubleshoot = Some(&troubleshoot::COLLECTOR);
        assert_eq!(role(troubleshoot, dump, false, ""), Role::Other);
        assert!(matches!(role(troubleshoot, "cluster-resources/nodes.json", false, ""), Role::Dump { .. }));
        assert_eq!(role(Some(&kit::COLLECTOR), "nodes/n1.zip", true, ""), Role::Archive);
    }

    #[test]
    fn each_collector_is_complete() {
        for collector in COLLECTORS {
            assert!(!collector.program.is_empty() && !collector.markers.is_empty(), "{collector:?}");
        }
    }

    #[test]
    fn each_kind_is_made_by_a_collector() {
        use crate::model::BundleKind;
        let makes = |collector: &CollectorSpec, kind: BundleKind| match collector.kind {
            spec::KindOfBundle::Always(made) => made == kind,
            spec::KindOfBundle::ByPath(kinds) => kinds.iter().any(|(made, _)| *made == kind),
        };
        for kind in BundleKind::of_collectors() {
            assert!(COLLECTORS.iter().any(|collector| makes(collector, kind)), "{kind:?}");
        }
    }
}
