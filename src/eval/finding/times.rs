//! Times of findings, which `explains` with `within` compares.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};

use crate::eval::finding::conditions::{is_condition, transition};
use crate::eval::finding::evidence::{around, fields_read};
use crate::eval::identity::resources_of;
use crate::eval::input::Input;
use crate::eval::join::combination::Combination;
use crate::expr::Value;
use crate::resource::ResourceId;
use crate::rule::Rule;

/// Largest number of times of a finding that are compared: times of two rules with many findings are all compared with each other.
pub const MAX_TIMES: usize = 100;

/// Times at which a finding happened.
#[derive(Debug, Default)]
pub struct Times {
    /// Times, sorted; the latest ones if there are too many.
    sorted: BTreeSet<Timestamp>,
    /// True if earlier times were dropped.
    pub truncated: bool,
}

impl Times {
    /// Returns the times of the hits and events that the combinations bind; without any, the times at which conditions changed: those
    /// that the rule read, or those of the bound objects if it read none.
    pub fn of(input: &Input, rule: &Rule, rows: &[Combination<'_>]) -> Self {
        let mut times = Self::default();
        let values = || rows.iter().flat_map(|row| row.values.iter().take(rule.find));
        values().for_each(|value| times.add_hits(value));
        if times.sorted.is_empty() && !times.add_conditions_read(input, rule, rows) {
            let mut resources = Vec::new();
            values().for_each(|value| resources_of(value, &mut resources));
            // Combinations have objects in common.
            let resources: BTreeSet<ResourceId> = resources.into_iter().collect();
            resources.into_iter().for_each(|id| times.add_conditions(input, id));
        }
        times
    }

    /// Returns whether a time of each lies that near.
    pub fn are_near(&self, other: &Self, within: SignedDuration) -> bool {
        let (mut own, mut others) = (self.sorted.iter().peekable(), other.sorted.iter().peekable());
        while let (Some(a), Some(b)) = (own.peek(), others.peek()) {
            if a.duration_since(**b).abs() <= within {
                return true;
            }
            if a < b {
                own.next()
            } else {
                others.next()
            };
        }
        false
    }

    fn add(&mut self, time: Timestamp) {
        self.sorted.insert(time);
        if self.sorted.len() > MAX_TIMES {
            self.sorted.pop_first();
            self.truncated = true;
        }
    }

    /// Adds both ends of a group and the hit that `max` chose: the times of its other hits are not kept.
    fn add_hits(&mut self, value: &Value<'_>) {
        match value {
            Value::Hits(group) => {
                let largest = group.largest.iter().filter_map(|largest| largest.time);
                group.first.into_iter().chain(group.last).chain(largest).for_each(|time| self.add(time));
            }
            Value::Sequence(group) => {
                [group.first, group.last].into_iter().for_each(|time| self.add(time));
                group.hits().flat_map(|hits| [hits.first, hits.last]).flatten().for_each(|time| self.add(time));
            }
            Value::Events(group) => group.first.into_iter().chain(group.last).for_each(|time| self.add(time)),
            Value::List(items) => items.iter().for_each(|item| self.add_hits(item)),
            _ => {}
        }
    }

    /// Returns whether there was one.
    fn add_conditions_read(&mut self, input: &Input, rule: &Rule, rows: &[Combination<'_>]) -> bool {
        let mut any = false;
        for (_, id, read) in fields_read(input, rule, rows) {
            let body = input.world.resources.resource(id).body();
            for condition in around(body, read).into_iter().filter(is_condition) {
                any = true;
                transition(condition).into_iter().for_each(|time| self.add(time));
            }
        }
        any
    }

    fn add_conditions(&mut self, input: &Input, id: ResourceId) {
        let conditions = input.world.resources.resource(id).body().path(&["status", "conditions"]);
        let items = conditions.into_iter().flat_map(|list| list.items());
        items.filter_map(transition).for_each(|time| self.add(time));
    }
}

#[cfg(test)]
impl Times {
    /// Times written as in YAML.
    pub fn written(times: &[&str]) -> Self {
        let mut made = Self::default();
        times.iter().for_each(|time| made.add(time.parse().unwrap()));
        made
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: SignedDuration = SignedDuration::from_mins(1);

    #[test]
    fn the_nearest_two_times_decide() {
        let morning = ["2025-01-01T06:00:00Z", "2025-01-01T08:00:00Z"];
        for (others, near) in [
            (&["2025-01-01T08:01:00Z"][..], true),
            (&["2025-01-01T05:59:00Z"], true),
            (&["2025-01-01T08:01:01Z"], false),
            (&["2025-01-01T01:00:00Z", "2025-01-01T07:00:00Z", "2025-01-01T08:00:30Z"], true),
            // Between the ends of a group nothing is known.
            (&["2025-01-01T07:00:00Z"], false),
            (&[], false),
        ] {
            let (own, others) = (Times::written(&morning), Times::written(others));
            assert_eq!((own.are_near(&others, MINUTE), others.are_near(&own, MINUTE)), (near, near), "{others:?}");
        }
        assert!(!Times::default().are_near(&Times::default(), MINUTE));
    }

    #[test]
    fn the_latest_times_are_kept_and_dropped_ones_are_marked() {
        let mut times = Times::default();
        let first: Timestamp = "2025-01-01T00:00:00Z".parse().unwrap();
        for minute in (0..MAX_TIMES as i64 + 1).rev() {
            assert!(!times.truncated);
            times.add(first + MINUTE * i32::try_from(minute).unwrap());
        }
        assert!(times.truncated);
        assert_eq!(times.sorted.len(), MAX_TIMES);
        assert_eq!(times.sorted.first(), Some(&(first + MINUTE)));
    }
}
