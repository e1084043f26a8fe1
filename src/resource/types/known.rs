//! Known types: what kubectl would learn from a cluster, for the products that gleaner knows.
//!
//! The table is `known_types.csv`, sorted by group and plural. A type whose objects live in one namespace when the product is
//! installed as usual names that namespace in the column `home`. A type whose objects workloads use through those of another type
//! names that type in the column `shown_by`: volumes of Longhorn are used through PersistentVolumes. Their engines, replicas and
//! tickets have none, because they may be left over without their volume.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::api_group::{built_in, canonical_group};
use super::type_name::TypeName;
use crate::model::text_order;

/// Facts about a type that need no cluster.
#[derive(Clone, Copy, Debug)]
pub struct KnownType {
    pub group: &'static str,
    pub kind: &'static str,
    pub plural: &'static str,
    pub namespaced: bool,
    /// The namespace in which its objects are looked up when a rule names none.
    pub home: Option<&'static str>,
    /// The type of the objects through which workloads use objects of this one.
    pub shown_by: Option<&'static str>,
}

/// Result of looking up the text of a type in a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    pub name: TypeName,
    /// True if the table holds the type; other types may still be in a bundle.
    pub known: bool,
}

const TABLE: &str = include_str!("known_types.csv");

/// Returns all known types, sorted by group and plural.
pub fn known_types() -> &'static [KnownType] {
    static KNOWN: LazyLock<Vec<KnownType>> = LazyLock::new(|| TABLE.lines().skip(1).filter_map(parse_row).collect());
    &KNOWN
}

/// Parses `group,plural,kind,scope,home,shown_by`.
fn parse_row(line: &'static str) -> Option<KnownType> {
    let mut cells = line.split(',');
    let (group, plural, kind) = (cells.next()?, cells.next()?, cells.next()?);
    let namespaced = cells.next()? == "Namespaced";
    let home = cells.next().filter(|home| !home.is_empty());
    let shown_by = cells.next().filter(|type_| !type_.is_empty());
    Some(KnownType { group, kind, plural, namespaced, home, shown_by })
}

/// Finds a known type by its name.
pub fn known(name: &TypeName) -> Option<&'static KnownType> {
    // Searching the sorted table took 6 % of the time for 20,000 namespaces, for each of which rules ask what was collected.
    static BY_NAME: LazyLock<HashMap<TypeName, &KnownType>> =
        LazyLock::new(|| known_types().iter().map(|known| (TypeName::new(known.plural, known.group), known)).collect());
    BY_NAME.get(name).copied()
}

/// Finds a known type by its kind, ignoring case.
pub fn known_kind(group: &str, kind: &str) -> Option<&'static KnownType> {
    of_group(group).iter().find(|t| t.kind.eq_ignore_ascii_case(kind))
}

/// Finds a known type by a kind without group: core first, then Kubernetes' own groups.
pub fn kind_anywhere(kind: &str) -> Option<&'static KnownType> {
    preferred(known_types().iter().filter(|t| t.kind.eq_ignore_ascii_case(kind)))
}

/// Resolves `PLURAL[.GROUP]` as kubectl does: without a group the core group is tried first, then
/// Kubernetes' own groups, then the only other group that has such a type.
pub fn resolve(text: &str) -> Resolved {
    let name = TypeName::parse(text);
    if known(&name).is_some() {
        return Resolved { name, known: true };
    }
    if name.group.is_empty()
        && let Some(found) = preferred(known_types().iter().filter(|t| t.plural == name.plural))
    {
        return Resolved { name: TypeName::new(found.plural, found.group), known: true };
    }
    Resolved { name, known: false }
}

/// Guesses the plural of an unknown kind as the clients of Kubernetes do.
pub fn guess_plural(kind: &str) -> String {
    let lower = kind.to_ascii_lowercase();
    if lower.ends_with('s') {
        return lower + "es";
    }
    match lower.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None => lower + "s",
    }
}

fn of_group(group: &str) -> &'static [KnownType] {
    let types = known_types();
    let start = types.partition_point(|t| text_order::compare(t.group, group).is_lt());
    let end = types.partition_point(|t| text_order::compare(t.group, group).is_le());
    types.get(start..end).unwrap_or_default()
}

/// Prefers core, then Kubernetes' own groups, then a group that is the only one.
fn preferred(candidates: impl Iterator<Item = &'static KnownType>) -> Option<&'static KnownType> {
    let all: Vec<_> = candidates.collect();
    let own = |t: &&&KnownType| built_in(t.group) && t.group == canonical_group(t.plural, t.group);
    let core = all.iter().find(|t| t.group.is_empty());
    let found = core.or_else(|| all.iter().find(own));
    match (found, all.as_slice()) {
        (Some(t), _) => Some(*t),
        (None, [only]) => Some(*only),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_has_six_valid_cells() {
        let rows: Vec<Vec<&str>> = TABLE.lines().skip(1).map(|line| line.split(',').collect()).collect();
        assert_eq!(rows.len(), known_types().len());
        assert!(rows.iter().all(|row| row.len() == 6 && ["Cluster", "Namespaced"].contains(&row[3])));
        assert!(rows.iter().all(|row| !row[1].is_empty() && !row[2].is_empty()));
    }

    #[test]
    fn the_table_is_sorted_and_unique() {
        assert!(known_types().windows(2).all(|w| (w[0].group, w[0].plural) < (w[1].group, w[1].plural)));
        assert!(known_types().iter().all(|t| t.plural == t.plural.to_ascii_lowercase()));
        assert!(known_types().iter().all(|t| t.namespaced || t.home.is_none()));
        assert!(known_types().iter().filter_map(|t| t.shown_by).all(|by| known(&TypeName::parse(by)).is_some()));
    }

    #[test]
    fn a_kind_is_unique_in_its_group() {
        for row in known_types() {
            let same = of_group(row.group).iter().filter(|t| t.kind.eq_ignore_ascii_case(row.kind)).count();
            assert_eq!(same, 1, "{}.{}", row.kind, row.group);
        }
    }

    #[test]
    fn kinds_are_found_whatever_their_case() {
        assert_eq!(known_kind("kubevirt.io", "Virtualmachine").map(|t| t.kind), Some("VirtualMachine"));
        assert_eq!(known_kind("", "VirtualMachine").map(|t| t.kind), None);
    }

    #[test]
    fn short_names_resolve_as_kubectl_does() {
        let shown = |text: &str| resolve(text).name.to_string();
        assert_eq!(shown("pods"), "pods");
        assert_eq!(shown("nodes"), "nodes");
        assert_eq!(shown("events"), "events");
        assert_eq!(shown("deployments"), "deployments.apps");
        assert_eq!(shown("ingresses"), "ingresses.networking.k8s.io");
        assert_eq!(shown("apiservices"), "apiservices.apiregistration.k8s.io");
        assert_eq!(
            shown("validatingwebhookconfigurations"),
            "validatingwebhookconfigurations.admissionregistration.k8s.io"
        );
        assert_eq!(shown("managedcharts"), "managedcharts.management.cattle.io");
        assert_eq!(shown("Volumes.longhorn.io"), "volumes.longhorn.io");
    }

    #[test]
    fn ambiguous_and_unknown_types_stay_as_written() {
        assert_eq!(resolve("settings"), Resolved { name: TypeName::parse("settings"), known: false });
        assert_eq!(
            resolve("widgets.example.org"),
            Resolved { name: TypeName::parse("widgets.example.org"), known: false }
        );
    }

    #[test]
    fn guesses_follow_the_clients_of_kubernetes() {
        let guesses = ["Widget", "Policy", "Class"].map(guess_plural);
        assert_eq!(guesses, ["widgets", "policies", "classes"]);
    }

    #[test]
    fn types_of_the_language_are_known_with_their_homes() {
        let home = |text: &str| known(&TypeName::parse(text)).and_then(|t| t.home);
        assert_eq!(home("volumes.longhorn.io"), Some("longhorn-system"));
        assert_eq!(home("managedcharts.management.cattle.io"), Some("fleet-local"));
        assert_eq!(home("bundles.fleet.cattle.io"), Some("fleet-local"));
        assert_eq!(home("ippools.whereabouts.cni.cncf.io"), Some("kube-system"));
        assert_eq!(home("pods"), None);
    }
}
