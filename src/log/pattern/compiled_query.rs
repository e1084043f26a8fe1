//! One compiled query.

use crate::log::pattern::expression::ExpressionId;
use crate::log::pattern::query::{AtLeast, GroupKey, LogQuery};

/// Distinct values of a capture that a group keeps.
pub(in crate::log) const MAX_VALUES: usize = 100;
/// Largest number of values that `at_least` on a capture can ask for.
pub(super) const MAX_DISTINCT: u64 = 10_000;

/// One compiled [`LogQuery`].
#[derive(Debug)]
pub(in crate::log) struct CompiledQuery {
    pub source: LogQuery,
    pub patterns: Vec<ExpressionId>,
    pub except: Vec<ExpressionId>,
    /// Index in the filters of the set.
    pub jq: Option<usize>,
    /// Index in the matchers of the set.
    pub(super) matcher: usize,
}

impl CompiledQuery {
    /// Returns the captures among the keys of a group, in their order.
    pub fn key_captures(&self) -> impl Iterator<Item = &str> {
        self.source.by.iter().filter_map(|key| match key {
            GroupKey::Capture(name) => Some(name.as_str()),
            GroupKey::Node | GroupKey::Pod | GroupKey::Source => None,
        })
    }

    /// Returns whether all sources are needed to decide if a hit counts.
    pub fn needs_hits(&self) -> bool {
        self.source.counting.within.is_some() || self.asks_for_boots()
    }

    pub fn asks_for_boots(&self) -> bool {
        self.source.boot_current || self.source.after_boot.is_some()
    }

    /// Returns the number of distinct values of a capture that a group must keep while it grows.
    pub fn values_kept(&self, capture: &str) -> usize {
        if self.source.counting.distinct.as_deref() == Some(capture) {
            return MAX_DISTINCT as usize;
        }
        match &self.source.counting.at_least {
            Some(AtLeast::Distinct(name, wanted)) if name == capture => {
                usize::try_from(*wanted.min(&MAX_DISTINCT)).map_or(MAX_VALUES, |wanted| wanted.max(MAX_VALUES))
            }
            _ => MAX_VALUES,
        }
    }
}
