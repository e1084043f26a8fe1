//! Facts as written.

use std::ops::Range;

use crate::log::Undated;
use crate::rule::fact::{FileShape, Silence};
use crate::rule::source::reader::Written;

/// One entry of `find` or `unless`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactSource {
    pub name: String,
    /// The place of the name.
    pub range: Range<usize>,
    /// None when it could not be read; the name is bound all the same.
    pub kind: Option<KindSource>,
    pub condition: Option<Written>,
    pub optional: bool,
    pub collect: bool,
    pub silence: Silence,
    pub groups: GroupSource,
}

/// The kind of a fact with what it looks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KindSource {
    Resource {
        types: Vec<Written>,
        namespace: Option<Written>,
        name: Option<Written>,
        labels: Option<LabelsSource>,
    },
    Event(EventSource),
    Log(Vec<LogSourceGlob>),
    File {
        path: Written,
        node: Option<Written>,
        shape: FileShape,
    },
    Each(Written),
    Value(Written),
    Sequence(SequenceSource),
    /// Each with the name of the fact; none is an `any` or a value.
    Any(Vec<FactSource>),
}

/// `labels`, in one of its two forms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LabelsSource {
    /// In the syntax of kubectl's `-l`.
    Selector(Written),
    /// Keys and values.
    Pairs(Vec<(String, String)>),
}

/// `event`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventSource {
    pub reasons: Vec<Written>,
    pub type_: Option<&'static str>,
    pub kind: Option<Written>,
    pub namespace: Option<Written>,
    pub name: Option<Written>,
}

/// One alternative of `log`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogSourceGlob {
    pub streams: Vec<Written>,
    pub namespace: Option<Written>,
    pub pod: Option<Written>,
    pub container: Option<Written>,
    pub node: Option<Written>,
    pub path: Option<Written>,
}

/// Selection and grouping of hits and events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupSource {
    pub patterns: Vec<Written>,
    pub except: Vec<Written>,
    pub jq: Option<Written>,
    pub since: Option<Written>,
    pub undated: Undated,
    pub boot_current: bool,
    pub after_boot: Option<Written>,
    pub multiline: bool,
    pub by: Option<Vec<Written>>,
    pub at_least: Option<AtLeastSource>,
    pub within: Option<Written>,
    pub distinct: Option<Written>,
    pub max: Option<Written>,
}

/// `at_least`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AtLeastSource {
    Hits(u64),
    Distinct(Written, u64),
}

impl FactSource {
    /// The facts that may give a match: the alternatives of an `any`, else the fact itself.
    pub fn alternatives(&self) -> &[FactSource] {
        match &self.kind {
            Some(KindSource::Any(alternatives)) => alternatives,
            _ => std::slice::from_ref(self),
        }
    }
}

/// `sequence`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SequenceSource {
    pub within: Option<Written>,
    /// `order: any`.
    pub unordered: bool,
    pub steps: Vec<SequenceStepSource>,
}

/// A step of a sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SequenceStepSource {
    /// A log fact with the name of the step.
    pub fact: FactSource,
    pub at_least: u64,
    pub absent: Option<AbsentSource>,
}

/// The interval of an absent step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AbsentSource {
    pub anchor: Option<(u64, Written)>,
    pub slide: Option<Written>,
    pub within: Option<Written>,
}
