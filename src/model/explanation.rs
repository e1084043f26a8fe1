//! How a rule came to its answer on a bundle: what each step found, and what came nearest.

use std::fmt;

use crate::model::Origin;

/// The way of one rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// Id of the rule.
    pub rule: String,
    /// In the order in which they were done; empty for a rule that does not apply.
    pub steps: Vec<Step>,
    /// What came nearest to firing; none when it fired or could not be told.
    pub near: Option<NearMiss>,
}

/// One step of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A fact was looked up and bound.
    Fact(FactStep),
    /// A condition on the whole was tested.
    Condition(Left),
    /// A group of `unless` was joined: it was found so many times, and so many combinations are without it.
    Unless { facts: Vec<String>, found: usize, combinations: usize },
}

/// What became of one fact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactStep {
    pub name: String,
    /// What it found by itself; none for an expression over other facts.
    pub found: Option<usize>,
    /// Why there may be more.
    pub missing: Option<String>,
    /// Left after each condition on the fact alone.
    pub alone: Vec<Left>,
    /// How it met the facts before it; none when a fact without a match ended the rule before.
    pub join: Option<JoinStep>,
}

/// How a fact met those before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JoinStep {
    /// Pairs of a candidate and a combination that were tried.
    pub tried: usize,
    /// Pairs left after each condition.
    pub conditions: Vec<Left>,
    /// Combinations there are now.
    pub combinations: usize,
}

/// A condition and how many met it and those before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    pub condition: String,
    pub count: usize,
}

/// The combination that met most conditions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NearMiss {
    /// What it binds, the fact at which it ended last.
    pub objects: Vec<Bound>,
    pub why: Why,
}

/// What a fact of a combination is bound to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    pub fact: String,
    /// An object, a file, a line of a log, an event, an element.
    pub what: String,
    pub place: Option<Origin>,
}

/// At what a combination ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// A condition did not hold; so many of `of` conditions at that step did.
    Failed { condition: String, fields: Vec<FieldAt>, met: usize, of: usize },
    /// The fact has no match at all; what it looks for, in words, and the fields that an element would be taken from.
    Nothing { fact: String, wanted: String, fields: Vec<FieldAt> },
    /// These facts of `unless` were found.
    Forbidden { found: Vec<Bound> },
}

/// A field that a condition read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldAt {
    /// From the name of the fact on: `volume.status.robustness`.
    pub field: String,
    /// As text; what is not there is `absent`.
    pub value: String,
    pub place: Option<Origin>,
}

/// In one line.
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
