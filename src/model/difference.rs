//! Differences between two bundles of one cluster.

use crate::model::message::{Doubt, Reason};
use crate::model::{BundleFacts, Finding, ObjectRef, Origin, ReportedState};

/// Comparison of an older bundle with a newer one.
#[derive(Clone, Debug, Default)]
pub struct Difference {
    pub old: BundleFacts,
    pub new: BundleFacts,
    /// Reasons why the two may not be comparable.
    pub doubts: Vec<Doubt>,
    /// Versions by product; none where a bundle does not state the version.
    pub versions: Vec<Changed>,
    /// Changes by node.
    pub nodes: Vec<Changed>,
    pub findings: Findings,
    /// Objects whose configuration changed; settings and charts first.
    pub configuration: Vec<ConfigurationChange>,
    /// Number of objects that are too large to compare all of their configuration.
    pub configuration_left_out: u64,
    /// Objects whose health changed, and new ones in trouble; the ones that got worse first.
    pub health: Vec<HealthChange>,
    /// Kinds whose objects were added or removed.
    pub kinds: Vec<KindChange>,
    /// Containers restarted in between, most restarts first.
    pub restarts: Vec<Restart>,
    /// Types of which only one bundle has objects, with the reason from the other bundle; sorted by type, those of the
    /// older bundle first.
    pub incomparable: Vec<Incomparable>,
}

/// Property with one value in each bundle.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Changed {
    pub name: String,
    pub old: Option<String>,
    pub new: Option<String>,
}

/// Findings grouped by change; findings with the same fingerprint count once.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    pub new: Vec<Finding>,
    pub gone: Vec<Finding>,
    /// Findings in both bundles, taken from the newer one.
    pub still: Vec<Still>,
    /// Findings in one bundle whose rule was not evaluated in the other.
    pub not_comparable: Vec<NotComparable>,
}

/// Finding in both bundles.
#[derive(Clone, Debug)]
pub struct Still {
    pub finding: Finding,
    /// Object that it was about in the older bundle, if another one has taken its place.
    pub was: Option<ObjectRef>,
}

/// Finding that cannot be classified as new or gone.
#[derive(Clone, Debug)]
pub struct NotComparable {
    pub finding: Finding,
    pub side: Side,
    /// Reason why the rule has no answer for the other bundle.
    pub reason: Reason,
}

/// Older or newer bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    Old,
    New,
}

/// Object whose configuration changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigurationChange {
    pub object: ObjectRef,
    /// First fields by path, `spec.replicas`.
    pub fields: Vec<Changed>,
    /// Number of further ones.
    pub left_out: u64,
    /// Place in the newer bundle that states it.
    pub place: Origin,
}

/// Health of an object before and now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HealthChange {
    pub object: ObjectRef,
    pub turn: Turn,
    /// None if the object did not exist.
    pub old: Option<Health>,
    pub new: Health,
    /// True if it is another object with the same name.
    pub recreated: bool,
    /// Place in the newer bundle that states it.
    pub place: Origin,
}

/// Direction of the change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Turn {
    Worse,
    /// New and in trouble.
    Appeared,
    /// Still in trouble of another kind, or in another state without trouble.
    Other,
    Better,
}

/// Health that an object reports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Health {
    /// State in the words of the cluster: `Running`, `attached, degraded`.
    pub state: Option<ReportedState>,
    /// Bad conditions, obstacles to completion, and state words that mean trouble; sorted.
    pub troubles: Vec<String>,
}

/// Added and removed objects of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KindChange {
    /// `Volume.longhorn.io`.
    pub kind: String,
    pub gone: Vec<ObjectRef>,
    pub new: Vec<ObjectRef>,
}

/// Container that was restarted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restart {
    pub pod: ObjectRef,
    pub container: String,
    /// Restarts since the older bundle; since its creation for a Pod that is new.
    pub times: u64,
    /// Its last termination: `OOMKilled, exit code 137`.
    pub last: Option<String>,
    pub place: Origin,
}

/// Type that cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Incomparable {
    /// `volumes.longhorn.io`.
    pub what: String,
    /// Bundle in which the type was not collected.
    pub side: Side,
    pub reason: Reason,
}
