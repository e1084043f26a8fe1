//! What a finding about lines of a log names. Many objects share one log: the pod of a controller is the first object of findings about
//! other volumes than this one's.

use std::collections::{BTreeMap, BTreeSet};

use crate::eval::join::combination::Combination;
use crate::expr::Value;
use crate::log::HitGroup;
use crate::rule::Rule;

/// Names of captures and values that tell of which object a line is, in all rules that have them.
const OBJECTS: [&str; 6] = ["backup", "claim", "engine", "replica", "vm", "volume"];

/// Names of objects in the lines and values of a finding, by the name of the capture or value.
#[derive(Debug, Default)]
pub struct Names(BTreeMap<&'static str, BTreeSet<String>>);

impl Names {
    /// Reads those of all facts in `find` but collected ones, which are about more than one object.
    pub fn of(rule: &Rule, rows: &[Combination<'_>]) -> Self {
        let mut names = Self::default();
        for row in rows {
            for slot in (0..rule.find).filter(|&slot| !rule.facts[slot].collect) {
                names.add(&rule.names[slot], &row.values[slot]);
            }
        }
        names
    }

    /// Returns whether both name objects of one sort, but none in common.
    pub fn differ(&self, other: &Self) -> bool {
        self.0.iter().any(|(sort, own)| other.0.get(sort).is_some_and(|others| own.is_disjoint(others)))
    }

    fn add(&mut self, name: &str, value: &Value<'_>) {
        match value {
            Value::Str(text) => {
                let sort = OBJECTS.into_iter().find(|sort| *sort == name);
                sort.into_iter().for_each(|sort| self.note(sort, text.as_str()));
            }
            Value::Hits(group) => self.add_captures(group),
            Value::Sequence(group) => group.hits().for_each(|hits| self.add_captures(hits)),
            Value::List(items) => items.iter().for_each(|item| self.add(name, item)),
            _ => {}
        }
    }

    fn add_captures(&mut self, group: &HitGroup) {
        for sort in OBJECTS {
            group.all.get(sort).into_iter().flatten().for_each(|text| self.note(sort, text));
        }
    }

    /// Some rules capture a namespace in front of the name.
    fn note(&mut self, sort: &'static str, text: &str) {
        let text = text.rsplit_once('/').map_or(text, |(_, name)| name);
        if !text.is_empty() {
            self.0.entry(sort).or_default().insert(text.to_owned());
        }
    }
}
