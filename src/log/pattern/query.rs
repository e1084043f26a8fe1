//! Queries: the log facts of rules, ready to be scanned for.

use jiff::SignedDuration;

use crate::log::source::selector::Selector;

/// Index of a query in its [`PatternSet`].
pub type QueryId = usize;

/// What says which hits belong together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GroupKey {
    Capture(String),
    Node,
    Pod,
    Source,
}

/// How many hits make a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AtLeast {
    Hits(u64),
    /// Distinct values of a capture.
    Distinct(String, u64),
}

/// One log fact of a rule, ready to be scanned for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogQuery {
    pub selector: Selector,
    /// Alternatives, tried in order; a line that matches one is a hit.
    pub patterns: Vec<String>,
    /// A line that matches one of these is none.
    pub except: Vec<String>,
    /// A filter of jq that must be true of the JSON in a line, see [`Filter`].
    pub jq: Option<String>,
    /// Lines older than this before the collection are none; lines without time cannot be told.
    pub since: Option<SignedDuration>,
    /// Only lines since the last boot of their node count.
    pub boot_current: bool,
    /// Lines of that time after a boot of their node do not count.
    pub after_boot: Option<SignedDuration>,
    pub by: Vec<GroupKey>,
    pub counting: Counting,
    /// Keeps every hit by itself ([`LogAnswer::hits`]) instead of groups.
    pub single: bool,
    /// Patterns see a line with the lines without time stamp that follow it.
    pub multiline: bool,
}

/// How the hits of a group are counted, and which of them stands for it; of lines as of events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counting {
    pub at_least: Option<AtLeast>,
    /// `at_least` must be reached within that time; a group is then the stretch of time that holds the most.
    pub within: Option<SignedDuration>,
    /// A capture whose distinct values are counted instead of hits.
    pub distinct: Option<String>,
    /// A capture whose largest value says which hit stands for the group.
    pub max: Option<String>,
}

impl Counting {
    /// The capture whose distinct values decide whether a group is large enough, if hits do not.
    pub fn counted_values(&self) -> Option<&str> {
        match &self.at_least {
            Some(AtLeast::Distinct(capture, _)) => Some(capture),
            _ => self.distinct.as_deref(),
        }
    }

    /// Whether a group with so many hits, or values if these are counted, is large enough.
    pub fn is_enough(&self, count: u64, values_of: impl Fn(&str) -> u64) -> bool {
        match &self.at_least {
            None => count > 0,
            Some(AtLeast::Hits(least)) => count >= *least,
            Some(AtLeast::Distinct(capture, least)) => values_of(capture) >= *least,
        }
    }
}
