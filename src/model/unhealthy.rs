//! Objects that report trouble and warnings of the cluster, with or without a finding about them.

use jiff::Timestamp;

use super::inventory::Shown;
use super::{ObjectRef, Origin, Severity};

/// What is not healthy, apart from findings. Lists are bounded, see [`Shown`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Unhealthy {
    /// Objects in trouble that no finding is about, worst first.
    pub objects: Shown<UnhealthyGroup>,
    /// Warning events that no finding is about, by the number of objects.
    pub warnings: Shown<WarningGroup>,
    /// Number of objects in trouble that findings are about.
    pub explained: usize,
}

/// Objects with one cause of trouble: the pods of a workload, or objects of one kind that report the same.
#[derive(Clone, Debug, PartialEq)]
pub struct UnhealthyGroup {
    /// The workload of the pods, else the first object.
    pub subject: ObjectRef,
    pub severity: Severity,
    /// The first objects; the number of all is `items.len() + left_out`.
    pub members: Shown<UnhealthyObject>,
}

/// Object in trouble.
#[derive(Clone, Debug, PartialEq)]
pub struct UnhealthyObject {
    pub object: ObjectRef,
    /// In the words of the cluster: `CrashLoopBackOff, 0/1 ready, 14 restarts`, `Ready is False (KubeletNotReady)`.
    pub troubles: Vec<String>,
    /// Last change of a bad condition; none if it is not known.
    pub since: Option<Timestamp>,
    /// The line that shows it.
    pub place: Origin,
}

/// Warning events with one reason and one message, apart from names and numbers in it.
#[derive(Clone, Debug, PartialEq)]
pub struct WarningGroup {
    pub reason: String,
    /// Message of the latest event.
    pub message: String,
    /// How often the events were seen.
    pub count: u64,
    /// Number of objects they are about.
    pub objects: usize,
    /// Object of the latest event.
    pub object: ObjectRef,
    pub first: Option<Timestamp>,
    pub last: Option<Timestamp>,
    /// Place of the latest event.
    pub place: Origin,
}
