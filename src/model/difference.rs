//! What is different between two bundles of one cluster.

use crate::model::message::Reason;
use crate::model::{BundleFacts, Finding, ObjectRef, Origin};

/// An older bundle against a newer one.
#[derive(Clone, Debug, Default)]
pub struct Difference {
    pub old: BundleFacts,
    pub new: BundleFacts,
    /// Why the two may not be compared, in sentences.
    pub doubts: Vec<String>,
    /// By product; none where a bundle does not tell it.
    pub versions: Vec<Changed>,
    /// By node.
    pub nodes: Vec<Changed>,
    pub findings: Findings,
    /// Objects that are in both and do not do as before, and new ones that are in trouble; what got worse first.
    pub health: Vec<HealthChange>,
    /// Kinds of which objects came or went.
    pub kinds: Vec<KindChange>,
    /// Containers that were started again in between, the most often first.
    pub restarts: Vec<Restart>,
    /// Types of which only one of the bundles has objects, with the reason that the other one gives; by type, those of the older first.
    pub incomparable: Vec<Incomparable>,
}

/// Something that has one value in each bundle.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Changed {
    pub name: String,
    pub old: Option<String>,
    pub new: Option<String>,
}

/// Findings by what became of them; those of one fingerprint are one.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    pub new: Vec<Finding>,
    pub gone: Vec<Finding>,
    /// In both, of the newer bundle.
    pub still: Vec<Finding>,
    /// In one of them, where the rule was not evaluated in the other.
    pub untold: Vec<Untold>,
}

/// A finding of which cannot be told whether it is new or gone.
#[derive(Clone, Debug)]
pub struct Untold {
    pub finding: Finding,
    pub side: Side,
    /// Why the rule has no answer for the other bundle.
    pub reason: Reason,
}

/// Which bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    Old,
    New,
}

/// How an object is now, against how it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HealthChange {
    pub object: ObjectRef,
    pub turn: Turn,
    /// None for an object that was not there.
    pub old: Option<Health>,
    pub new: Health,
    /// Whether it is another object of the same name.
    pub recreated: bool,
    /// Where the newer bundle says it.
    pub place: Origin,
}

/// Which way it went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Turn {
    Worse,
    /// New, and in trouble.
    Appeared,
    /// In trouble before and after, of another kind; or of another state without trouble.
    Other,
    Better,
}

/// What an object says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Health {
    /// In the words of the cluster: `Running`, `attached, degraded`.
    pub state: Option<String>,
    /// Conditions that are bad, what keeps it from being done, and words of its state that say so themselves; sorted.
    pub troubles: Vec<String>,
}

/// Objects of one kind that came or went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KindChange {
    /// `Volume.longhorn.io`.
    pub kind: String,
    pub gone: Vec<ObjectRef>,
    pub new: Vec<ObjectRef>,
}

/// A container that was started again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restart {
    pub pod: ObjectRef,
    pub container: String,
    /// Since the older bundle; of a Pod that was not there since its creation.
    pub times: u64,
    /// How it ended last: `OOMKilled, exit code 137`.
    pub last: Option<String>,
    pub place: Origin,
}

/// A type that cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Incomparable {
    /// `volumes.longhorn.io`.
    pub what: String,
    /// The bundle that does not have it.
    pub side: Side,
    pub reason: Reason,
}
