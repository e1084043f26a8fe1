//! Explains how a rule reached its answer on a bundle: the results of each step, and the nearest miss.

use std::fmt;

use crate::model::Origin;
use crate::model::message::{FieldValue, Match, SharedReason};

/// Evaluation steps of one rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// Id of the rule.
    pub rule: String,
    /// Steps in the order of evaluation; empty for a rule that does not apply.
    pub steps: Vec<Step>,
    /// Combination nearest to a finding; none if the rule has findings or no answer.
    pub near: Option<NearMiss>,
}

/// One step of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A fact was looked up and bound.
    Fact(FactStep),
    /// A condition on whole combinations was tested.
    Condition(Left),
    /// A group of `unless` was joined: `found` matches, `combinations` remain without one.
    Unless { facts: Vec<String>, found: usize, combinations: usize },
}

/// Result of one fact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactStep {
    pub name: String,
    /// Matches of the fact alone; none for an expression over other facts.
    pub found: Option<usize>,
    /// Lines of each step of a sequence, in their order.
    pub lines: Vec<StepLines>,
    /// Reason why there may be more.
    pub missing: Option<SharedReason>,
    /// Matches left after each condition on the fact alone.
    pub alone: Vec<Left>,
    /// Join with earlier facts; none if an earlier fact without matches ended the rule.
    pub join: Option<JoinStep>,
}

/// Lines that match one step of a sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepLines {
    pub step: String,
    pub count: usize,
    /// Place of the first one.
    pub first: Option<Origin>,
}

/// Result of joining a fact with earlier facts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JoinStep {
    /// Tested pairs of a candidate and a combination.
    pub tried: usize,
    /// Pairs left after each condition.
    pub conditions: Vec<Left>,
    /// Combinations after the join.
    pub combinations: usize,
}

/// Condition with the number of matches that meet it and all earlier ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    pub condition: String,
    pub count: usize,
    /// Those of which it cannot be told. They take part in what follows.
    pub undecided: usize,
    /// Matches that meet the earlier ones and not this one; none where they are not counted apart.
    pub refuted: Option<usize>,
}

/// Combination that met the most conditions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NearMiss {
    /// Bound facts; the fact that ended the combination is last.
    pub objects: Vec<Bound>,
    pub why: Why,
}

/// Fact of a combination and its binding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    pub fact: String,
    pub what: Match,
    pub place: Option<Origin>,
}

/// Reason why a combination ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// A condition did not hold; `met` of `of` conditions of that step did.
    Failed { condition: String, fields: Vec<FieldAt>, met: usize, of: usize },
    /// The fact has no match: the search in words, and the fields that would supply an element.
    Nothing { fact: String, wanted: String, fields: Vec<FieldAt> },
    /// These facts of `unless` were found.
    Forbidden { found: Vec<Bound> },
}

/// Field that a condition read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldAt {
    /// Path from the name of the fact: `volume.status.robustness`.
    pub field: String,
    pub value: FieldValue,
    pub place: Option<Origin>,
}

/// Formats the miss in one line.
impl fmt::Display for NearMiss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(last) = self.objects.last() {
            write!(f, "{last}: ")?;
        }
        match &self.why {
            Why::Failed { condition, fields, .. } => {
                write!(f, "not {condition}")?;
                write_fields(f, fields)
            }
            Why::Nothing { fact, wanted, fields } => {
                write!(f, "no {fact}: {wanted}")?;
                write_fields(f, fields)
            }
            Why::Forbidden { found } => {
                let found: Vec<String> = found.iter().map(ToString::to_string).collect();
                write!(f, "unless forbids {}", found.join(" and "))
            }
        }
    }
}

fn write_fields(f: &mut fmt::Formatter<'_>, fields: &[FieldAt]) -> fmt::Result {
    let fields: Vec<String> = fields.iter().map(ToString::to_string).collect();
    if fields.is_empty() { Ok(()) } else { write!(f, ": {}", fields.join("; ")) }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.fact, self.what)
    }
}

impl fmt::Display for FieldAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is {}", self.field, self.value)?;
        self.place.as_ref().map_or(Ok(()), |place| write!(f, " ({place})"))
    }
}
