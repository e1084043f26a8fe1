//! Objects that report trouble and warnings of the cluster, with or without a finding about them.

use jiff::Timestamp;

use super::inventory::Shown;
use super::known_line::Known;
use super::{ObjectRef, Origin, Severity};

/// What is not healthy, apart from findings. Lists are bounded, see [`Shown`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Unhealthy {
    /// Objects in trouble that no finding is about, worst first.
    pub objects: Shown<UnhealthyGroup>,
    /// Warning events that no finding is about, by the number of objects.
    pub warnings: Shown<WarningGroup>,
    /// What the collector's own analysis warns of, errors first. Only troubleshoot.sh has one.
    pub verdicts: Shown<Verdict>,
    /// Number of objects in trouble that findings are about.
    pub explained: usize,
    /// Number of groups of warnings that are left out because they mean no harm.
    pub benign: usize,
}

/// Objects with one cause of trouble: the pods of a workload, or objects of one kind that report the same.
#[derive(Clone, Debug, PartialEq)]
pub struct UnhealthyGroup {
    /// The workload of the pods, else the first object.
    pub subject: ObjectRef,
    pub severity: Severity,
    /// How many pods and virtual machines depend on its objects, as far as fields say so.
    pub dependents: usize,
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
    /// Warnings about it, the latest first.
    pub events: Vec<ObjectWarning>,
    /// Container of a pod that is not ready; none if the bundle does not say which.
    pub container: Option<String>,
    /// What the container logged last, before its last restart if that log was collected.
    pub log_end: Option<LogEnd>,
}

impl UnhealthyObject {
    /// Makes an object of which only its trouble is known.
    pub fn new(object: ObjectRef, troubles: Vec<String>, place: Origin) -> Self {
        Self { object, troubles, since: None, place, events: Vec::new(), container: None, log_end: None }
    }
}

/// Warning events about one object with one reason.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectWarning {
    pub reason: String,
    /// Message of the latest event.
    pub message: String,
    /// How often the events were seen.
    pub count: u64,
    pub last: Option<Timestamp>,
    /// Place of the latest event.
    pub place: Origin,
}

/// Last lines of a log.
#[derive(Clone, Debug, PartialEq)]
pub struct LogEnd {
    /// The first of the lines.
    pub place: Origin,
    /// Secrets are masked.
    pub lines: Vec<String>,
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
    /// What the message means, if it is known.
    pub known: Option<Known>,
}

/// Conclusion of the collector's own analysis, which nothing here has checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// Title of its analyzer; empty if it has none.
    pub title: String,
    pub message: String,
    /// High for a failed check, medium for a warning.
    pub severity: Severity,
    pub place: Origin,
}
