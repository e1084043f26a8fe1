//! Types of resources: how kubectl names them, and what we know of them without a cluster.
//!
//! A [`TypeName`] is a type as a rule names it; a [`KnownType`] is a row of the table in
//! [`super::known`].

pub use super::known::KNOWN;

/// A type as kubectl names it: `pods`, `daemonsets.apps`, `volumes.longhorn.io`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeName {
    /// Lower-case plural.
    pub plural: String,
    /// API group; empty for the core group.
    pub group: String,
}

impl TypeName {
    /// The type of that plural in that group (empty: core).
    pub fn new(plural: &str, group: &str) -> Self {
        Self { plural: plural.to_ascii_lowercase(), group: group.to_ascii_lowercase() }
    }

    /// Reads `PLURAL[.GROUP]`; no group means the core group. [`resolve`] finds the group as kubectl does.
    pub fn parse(text: &str) -> Self {
        let (plural, group) = text.split_once('.').unwrap_or((text, ""));
        Self::new(plural, group)
    }

    /// The type under which an object served by two groups is kept: the older group's types are
    /// looked up as the newer one's, and events as core events.
    pub fn canonical(&self) -> Self {
        Self { plural: self.plural.clone(), group: canonical_group(&self.plural, &self.group).to_owned() }
    }
}

impl std::fmt::Display for TypeName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.plural)?;
        if self.group.is_empty() { Ok(()) } else { write!(f, ".{}", self.group) }
    }
}

/// What is known of a type without asking a cluster.
#[derive(Clone, Copy, Debug)]
pub struct KnownType {
    pub group: &'static str,
    pub kind: &'static str,
    pub plural: &'static str,
    pub namespaced: bool,
    /// The namespace its objects live in when a rule names none.
    pub home: Option<&'static str>,
}

/// What a rule's type text means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    pub name: TypeName,
    /// Whether the table holds it; a type that it does not hold may still be in a bundle.
    pub known: bool,
}

/// The type made by us from records of Helm; see [`super::helm`].
pub fn helm_releases() -> TypeName {
    TypeName::new("helmreleases", "")
}

/// Events, whichever group dumped them.
pub fn events() -> TypeName {
    TypeName::new("events", "")
}

/// The known type of that name.
pub fn known(name: &TypeName) -> Option<&'static KnownType> {
    let key = (name.group.as_str(), name.plural.as_str());
    let found = KNOWN.binary_search_by(|t| (t.group, t.plural).cmp(&key)).ok()?;
    KNOWN.get(found)
}

/// The known type of a kind, case ignored.
pub fn known_kind(group: &str, kind: &str) -> Option<&'static KnownType> {
    of_group(group).iter().find(|t| t.kind.eq_ignore_ascii_case(kind))
}

/// The known type of a kind whose group nobody wrote: core first, then Kubernetes' own groups.
pub fn kind_anywhere(kind: &str) -> Option<&'static KnownType> {
    preferred(KNOWN.iter().filter(|t| t.kind.eq_ignore_ascii_case(kind)))
}

/// Whether Kubernetes itself serves the group, so that its types need no CRD.
pub fn built_in(group: &str) -> bool {
    const PLAIN: [&str; 6] = ["", "apps", "autoscaling", "batch", "extensions", "policy"];
    const OWN: [&str; 16] = [
        "admissionregistration.k8s.io",
        "apiextensions.k8s.io",
        "apiregistration.k8s.io",
        "authentication.k8s.io",
        "authorization.k8s.io",
        "certificates.k8s.io",
        "coordination.k8s.io",
        "discovery.k8s.io",
        "events.k8s.io",
        "flowcontrol.apiserver.k8s.io",
        "networking.k8s.io",
        "node.k8s.io",
        "rbac.authorization.k8s.io",
        "resource.k8s.io",
        "scheduling.k8s.io",
        "storage.k8s.io",
    ];
    PLAIN.contains(&group) || OWN.contains(&group)
}

/// Reads `PLURAL[.GROUP]` as kubectl does: without a group the core group is tried first, then
/// Kubernetes' own groups, then the only other group that has such a type.
pub fn resolve(text: &str) -> Resolved {
    let name = TypeName::parse(text);
    if known(&name).is_some() {
        return Resolved { name, known: true };
    }
    if name.group.is_empty()
        && let Some(found) = preferred(KNOWN.iter().filter(|t| t.plural == name.plural))
    {
        return Resolved { name: TypeName::new(found.plural, found.group), known: true };
    }
    Resolved { name, known: false }
}

/// The plural that Kubernetes' own clients guess for a kind of an unknown type.
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

/// The group and version of an `apiVersion`; the core group is empty.
pub fn split_api_version(text: &str) -> (&str, &str) {
    text.split_once('/').unwrap_or(("", text))
}

fn of_group(group: &str) -> &'static [KnownType] {
    let start = KNOWN.partition_point(|t| t.group < group);
    let end = KNOWN.partition_point(|t| t.group <= group);
    KNOWN.get(start..end).unwrap_or_default()
}

/// Core before Kubernetes' own groups before a group that is the only one.
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

/// Groups that serve the same objects under an older name.
pub fn canonical_group<'a>(plural: &str, group: &'a str) -> &'a str {
    match (group, plural) {
        ("events.k8s.io", "events") => "",
        ("extensions", "ingresses" | "networkpolicies") => "networking.k8s.io",
        ("extensions", "podsecuritypolicies") => "policy",
        ("extensions", "daemonsets" | "deployments" | "replicasets") => "apps",
        _ => group,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_unique() {
        assert!(KNOWN.windows(2).all(|w| (w[0].group, w[0].plural) < (w[1].group, w[1].plural)));
        assert!(KNOWN.iter().all(|t| t.plural == t.plural.to_ascii_lowercase()));
        assert!(KNOWN.iter().all(|t| t.namespaced || t.home.is_none()));
    }

    #[test]
    fn a_kind_is_unique_in_its_group() {
        for row in KNOWN {
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
    fn older_groups_are_looked_up_as_newer_ones() {
        assert_eq!(TypeName::parse("events.events.k8s.io").canonical(), events());
        assert_eq!(TypeName::parse("ingresses.extensions").canonical().to_string(), "ingresses.networking.k8s.io");
        assert_eq!(TypeName::parse("settings.longhorn.io").canonical().to_string(), "settings.longhorn.io");
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
