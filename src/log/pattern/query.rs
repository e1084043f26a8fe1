//! Queries: the log facts of rules, ready to be scanned for.

use jiff::SignedDuration;

use crate::log::source::selector::Selector;

/// Index of a query in its [`PatternSet`].
pub type QueryId = usize;

/// Part of the key by which hits are grouped.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GroupKey {
    Capture(String),
    Node,
    Pod,
    Source,
}

/// Smallest size of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AtLeast {
    Hits(u64),
    /// Distinct values of a capture.
    Distinct(String, u64),
}

/// What a matching line is whose time is not known, where the time decides whether a line counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Undated {
    /// It may count: the answer says that it exists.
    #[default]
    InDoubt,
    Counts,
    Skipped,
}

/// One log fact of a rule, ready to be scanned for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogQuery {
    pub selector: Selector,
    /// Alternatives, tried in order; a line that matches one is a hit.
    pub patterns: Vec<String>,
    /// A line that matches one of these is not a hit.
    pub except: Vec<String>,
    /// A jq filter that must be true for the JSON in a line.
    pub jq: Option<String>,
    /// Age before the collection beyond which lines do not count.
    pub since: Option<SignedDuration>,
    pub undated: Undated,
    /// Counts only lines since the last boot of their node.
    pub boot_current: bool,
    /// Time after a boot of their node in which lines do not count.
    pub after_boot: Option<SignedDuration>,
    pub by: Vec<GroupKey>,
    pub counting: Counting,
    /// Keeps every hit separately (`LogAnswer::hits`) instead of groups.
    pub single: bool,
    /// Shows patterns a line together with the lines without time stamp that follow it.
    pub multiline: bool,
    /// Patterns and the captures that other parts name were checked, so patterns are read when a source needs them.
    pub checked: bool,
}

/// Counting of the hits of a group, and the hit that represents it; for lines and events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counting {
    pub at_least: Option<AtLeast>,
    /// Time within which `at_least` must be reached; a group is then the interval that holds the most.
    pub within: Option<SignedDuration>,
    /// A capture whose distinct values are counted instead of hits.
    pub distinct: Option<String>,
    /// A capture whose largest value decides which hit represents the group.
    pub max: Option<String>,
}

impl Counting {
    /// Returns the capture whose distinct values decide whether a group is large enough, if hits do not.
    pub fn counted_values(&self) -> Option<&str> {
        match &self.at_least {
            Some(AtLeast::Distinct(capture, _)) => Some(capture),
            _ => self.distinct.as_deref(),
        }
    }

    /// Returns whether a group with `count` hits (or values, if these are counted) is large enough.
    pub fn is_enough(&self, count: u64, values_of: impl Fn(&str) -> u64) -> bool {
        match &self.at_least {
            None => count > 0,
            Some(AtLeast::Hits(least)) => count >= *least,
            Some(AtLeast::Distinct(capture, least)) => values_of(capture) >= *least,
        }
    }
}
