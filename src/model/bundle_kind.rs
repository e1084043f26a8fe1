//! Kinds of bundles: the only table of their names, in JSON and for people.

use std::fmt;

/// One kind of bundle. Several collectors can make bundles of one kind.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BundleKind {
    name: &'static str,
    title: &'static str,
}

/// Declares kinds: constant, name in JSON, name for people. Lists show them in this order.
macro_rules! kinds {
    ($($constant:ident = $name:literal, $title:literal;)*) => {
        impl BundleKind {
            $(pub const $constant: Self = Self { name: $name, title: $title };)*

            /// All kinds.
            pub const ALL: &'static [Self] = &[$(Self::$constant),*];
        }
    };
}

kinds! {
    HARVESTER = "harvester", "Harvester support bundle";
    LONGHORN = "longhorn", "Longhorn support bundle";
    NODE = "node", "Node logs";
    RANCHER = "rancher", "Rancher logs";
    SUPPORTABILITY = "supportability", "Rancher supportability review";
    TROUBLESHOOT = "troubleshoot", "Troubleshoot support bundle";
    MUST_GATHER = "must-gather", "OpenShift must-gather";
    CLUSTER_INFO = "cluster-info", "kubectl cluster-info dump";
    SUPPORTCONFIG = "supportconfig", "SUSE supportconfig";
    SOSREPORT = "sosreport", "sosreport";
    GENERIC = "generic", "Files of unknown origin";
}

impl BundleKind {
    /// Returns the kind with this name in JSON.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.name == name)
    }

    /// Returns the kinds that known collectors make.
    pub fn of_collectors() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(|kind| *kind != Self::GENERIC)
    }

    /// Returns the name in JSON.
    pub fn as_str(self) -> &'static str {
        self.name
    }

    /// Returns the English name for people.
    pub fn title(self) -> &'static str {
        self.title
    }
}

impl fmt::Debug for BundleKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_titles_are_unique() {
        for (index, kind) in BundleKind::ALL.iter().enumerate() {
            assert_eq!(BundleKind::named(kind.name), Some(*kind));
            assert!(BundleKind::ALL[..index].iter().all(|other| other.title != kind.title), "{kind:?}");
        }
        assert_eq!(BundleKind::named("zip"), None);
    }
}
