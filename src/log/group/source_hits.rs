//! Hits of one source.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use crate::log::group::hit_group::HitGroup;
use crate::log::group::retained::RetainedHits;
use crate::log::group::single_hits;
use crate::log::pattern::query::QueryId;
use crate::log::source::origin::LogSource;
use crate::log::template::miner::MinedSource;
use crate::log::time::dating::state::StampZone;
use crate::model::Issue;
use crate::model::message::Reason;

/// Hits of one source.
#[derive(Clone, Debug)]
pub struct SourceHits {
    pub source: LogSource,
    pub lines: u64,
    pub bytes: u64,
    /// Earliest and latest time of the source, without clocks that were not set.
    pub first: Option<Timestamp>,
    pub last: Option<Timestamp>,
    /// Queries that may have more hits here, and why.
    pub(in crate::log) unseen: BTreeSet<(QueryId, UnseenReason)>,
    /// Problems, with the name of the entry.
    pub issues: Vec<Issue>,
    /// True if it was read to its end.
    pub complete: bool,
    /// True if the newest line comes first.
    pub(in crate::log) newest_first: bool,
    pub(in crate::log) zone: StampZone,
    /// Groups whose keys hold only the captures of `by`.
    pub(in crate::log) groups: Vec<(QueryId, HitGroup)>,
    /// Hits that are retained in addition to the groups, to which they refer by position.
    pub(in crate::log) kept: BTreeMap<QueryId, RetainedHits>,
    /// Hits of queries for single hits.
    pub(in crate::log) hits: Vec<single_hits::SingleHit>,
    /// Queries for single hits that had too many.
    pub(in crate::log) too_many: BTreeSet<QueryId>,
    /// Matching lines without a time, which `since` needs.
    pub(in crate::log) undated: BTreeMap<QueryId, u64>,
    /// Time of the newest matching line that is older than `since`.
    pub(in crate::log) older: BTreeMap<QueryId, Timestamp>,
    /// True if a query reads the source: otherwise only its templates count.
    pub asked: bool,
    /// Templates of its lines; none unless requested.
    pub mined: Option<MinedSource>,
    /// Programs of which it has lines, among those that queries ask for.
    pub(in crate::log) programs: BTreeSet<String>,
}

/// Reason why a query may have more hits although its source was read to the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::log) enum UnseenReason {
    /// A line was truncated, and its rest may have the text.
    Truncated,
    /// A jq filter gave up on a line.
    GivenUp,
    /// It has more groups than are kept.
    Groups,
}

impl UnseenReason {
    /// Text that follows the name of the source in a reason.
    pub(in crate::log) fn reason(self, entry: &str) -> Reason {
        let entry = entry.to_owned();
        match self {
            Self::Truncated => Reason::LinesTooLong { entry },
            Self::GivenUp => Reason::JsonTooDeep { entry },
            Self::Groups => Reason::TooManyGroupsIn { entry },
        }
    }
}

impl SourceHits {
    /// Returns whether it has a line that matches a query.
    pub(in crate::log) fn has_any_of(&self, query: QueryId) -> bool {
        self.groups.iter().any(|(of, _)| *of == query) || self.hits.iter().any(|hit| hit.query == query)
    }

    /// Returns the queries that have a line in it.
    pub(in crate::log) fn with_hits(&self) -> impl Iterator<Item = QueryId> {
        self.groups.iter().map(|(query, _)| *query).chain(self.hits.iter().map(|hit| hit.query))
    }

    /// Adds the hits of another pass over the same source.
    pub(in crate::log) fn join(&mut self, mut other: Self) {
        let before = self.groups.len();
        other.kept.values_mut().flat_map(|kept| &mut kept.hits).for_each(|hit| hit.group += before);
        self.kept.extend(other.kept);
        self.groups.extend(other.groups);
        self.hits.extend(other.hits);
        self.unseen.extend(other.unseen);
        self.too_many.extend(other.too_many);
        self.undated.extend(other.undated);
        self.older.extend(other.older);
        self.issues.extend(other.issues.into_iter().filter(|issue| !self.issues.contains(issue)).collect::<Vec<_>>());
    }
}
