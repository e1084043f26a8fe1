//! The kinds of facts, compiled.

use std::collections::BTreeMap;

use crate::model::Glob;

use crate::expr::{Conjuncts, Expr, Pattern, Slot};
use crate::log::sequence::Sequence;
use crate::log::{Counting, GroupKey, QueryId};
use crate::model::message::LogNames;
use crate::resource::types::TypeName;

/// One named thing that a rule looks for.
#[derive(Clone, Debug)]
pub struct Fact {
    pub name: String,
    /// Alternatives, at least one; several only for `any`.
    pub alternatives: Vec<Alternative>,
    /// Top-level conjuncts of `where`; for an `any`, those next to it, which hold for every alternative.
    pub conditions: Conjuncts,
    /// Binds null when nothing matches.
    pub optional: bool,
    /// Binds the list of all matches.
    pub collect: bool,
}

/// One thing that a fact may be.
#[derive(Clone, Debug)]
pub struct Alternative {
    pub kind: FactKind,
    /// Top-level conjuncts of its own `where`; none but in an `any`. They may mention other facts, which are
    /// bound before.
    pub conditions: Conjuncts,
    pub silence: Silence,
}

/// What it means that a fact has no match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Silence {
    /// It is absent if what it looks for was collected, otherwise undecided.
    #[default]
    Searched,
    /// It is undecided.
    Unknown,
    /// It is absent, also if what it looks for was not collected.
    Absent,
}

impl Fact {
    /// Kinds of its alternatives.
    pub fn kinds(&self) -> impl Iterator<Item = &FactKind> {
        self.alternatives.iter().map(|alternative| &alternative.kind)
    }

    pub fn kinds_mut(&mut self) -> impl Iterator<Item = &mut FactKind> {
        self.alternatives.iter_mut().map(|alternative| &mut alternative.kind)
    }

    /// All conditions, those of single alternatives included.
    pub fn all_conditions(&self) -> impl Iterator<Item = &Expr> {
        self.conditions.iter().chain(self.alternatives.iter().flat_map(|alternative| &alternative.conditions))
    }

    /// The expressions that elements and values are taken from.
    pub fn expressions(&self) -> impl Iterator<Item = &Expr> {
        self.kinds().filter_map(FactKind::expression)
    }

    /// Returns whether all alternatives are looked up in the bundle and none comes from an expression.
    pub fn is_lookup(&self) -> bool {
        self.expressions().next().is_none()
    }

    /// Returns whether a combination needs a match of it.
    pub fn is_required(&self) -> bool {
        !self.optional && !self.collect
    }

    /// Returns whether it is an optional list of objects that mentions no fact but itself, in `own`: it tells what there is, and not what a
    /// finding is about.
    pub fn is_background(&self, own: Slot) -> bool {
        let is_alone = |expr: &Expr| expr.slots().iter().all(|slot| *slot == own);
        let are_objects = self.kinds().all(|kind| matches!(kind, FactKind::Resource(_)));
        self.optional && self.collect && are_objects && self.all_conditions().all(is_alone)
    }

    /// Returns whether it names an expression.
    pub fn is_value(&self) -> bool {
        self.kinds().any(|kind| matches!(kind, FactKind::Value(_)))
    }
}

/// The kind of a fact or alternative.
#[derive(Clone, Debug)]
pub enum FactKind {
    Resource(ResourceQuery),
    Event(Box<EventQuery>),
    Log(LogFact),
    File(FileQuery),
    Each(Expr),
    Value(Expr),
    Sequence(SequenceFact),
}

impl FactKind {
    /// The log facts in it.
    pub fn logs(&self) -> Vec<&LogFact> {
        match self {
            Self::Log(log) => vec![log],
            Self::Sequence(sequence) => sequence.steps.iter().map(|step| &step.log).collect(),
            _ => Vec::new(),
        }
    }

    /// The log facts in it.
    pub fn logs_mut(&mut self) -> Vec<&mut LogFact> {
        match self {
            Self::Log(log) => vec![log],
            Self::Sequence(sequence) => sequence.steps.iter_mut().map(|step| &mut step.log).collect(),
            _ => Vec::new(),
        }
    }
}

impl FactKind {
    /// The expression that an element or value is taken from; none for what is looked up in the bundle.
    pub fn expression(&self) -> Option<&Expr> {
        match self {
            Self::Each(expr) | Self::Value(expr) => Some(expr),
            _ => None,
        }
    }
}

/// Hits of a log query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogFact {
    /// In [`super::RuleSet::queries`].
    pub query: QueryId,
    /// The place of the logs in the author's words (`etcd`, `kube-system/etcd-*`), for reasons.
    pub wanted: LogNames,
}

/// Hits of several log queries in their order.
#[derive(Clone, Debug)]
pub struct SequenceFact {
    pub order: Sequence,
    /// One for each step of `order`.
    pub steps: Vec<SequenceStep>,
    /// Values that all lines of a match share and that make a group; none: the values that conditions between steps equate.
    pub by: Option<Vec<GroupKey>>,
    /// Matches that make a group.
    pub at_least: Option<u64>,
}

/// A step of a sequence.
#[derive(Clone, Debug)]
pub struct SequenceStep {
    pub name: String,
    pub log: LogFact,
    /// Top-level conjuncts of its `where`; slots are steps.
    pub conditions: Conjuncts,
}

/// Objects of some types.
#[derive(Clone, Debug)]
pub struct ResourceQuery {
    pub types: Vec<TypeName>,
    pub namespace: Option<Glob>,
    /// The namespace when it is written without wildcard, or is fixed by an equality in `where`.
    pub exact_namespace: Option<String>,
    /// The expression that `where` equates the namespace with if it depends on other facts; it does not mention its own slot.
    pub namespace_expr: Option<Expr>,
    pub name: Option<Glob>,
    pub labels: Vec<LabelRequirement>,
}

/// One requirement of a label selector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LabelRequirement {
    Equals(String, String),
    NotEquals(String, String),
    In(String, Vec<String>),
    NotIn(String, Vec<String>),
    Exists(String),
    Missing(String),
}

impl LabelRequirement {
    /// Returns whether an object with these labels meets it.
    pub fn holds(&self, labels: &BTreeMap<&str, &str>) -> bool {
        match self {
            Self::Equals(key, value) => labels.get(key.as_str()) == Some(&value.as_str()),
            Self::NotEquals(key, value) => labels.get(key.as_str()) != Some(&value.as_str()),
            Self::In(key, values) => labels.get(key.as_str()).is_some_and(|v| values.iter().any(|x| x == v)),
            Self::NotIn(key, values) => labels.get(key.as_str()).is_none_or(|v| values.iter().all(|x| x != v)),
            Self::Exists(key) => labels.contains_key(key.as_str()),
            Self::Missing(key) => !labels.contains_key(key.as_str()),
        }
    }

    /// Returns the label whose value decides; none if only its presence does.
    pub fn compared_label(&self) -> Option<&str> {
        match self {
            Self::Equals(key, _) | Self::NotEquals(key, _) | Self::In(key, _) | Self::NotIn(key, _) => Some(key),
            Self::Exists(_) | Self::Missing(_) => None,
        }
    }
}

/// Events, both API forms as one.
#[derive(Clone, Debug)]
pub struct EventQuery {
    /// Globs, any of them.
    pub reasons: Vec<Glob>,
    pub type_: Option<String>,
    pub object: ObjectGlob,
    /// Alternatives on the message; none: every message.
    pub patterns: Vec<Pattern>,
    pub except: Vec<Pattern>,
    pub since: Option<jiff::SignedDuration>,
    /// Keys of one group; none: every event is alone.
    pub by: Option<Vec<GroupKey>>,
    pub counting: Counting,
}

/// The object of an event.
#[derive(Clone, Debug, Default)]
pub struct ObjectGlob {
    pub kind: Option<Glob>,
    pub namespace: Option<Glob>,
    pub name: Option<Glob>,
}

/// Entries by path.
#[derive(Clone, Debug)]
pub struct FileQuery {
    /// On the path without archive layers.
    pub path: Glob,
    pub node: Option<Glob>,
    pub shape: FileShape,
}

/// Formats in which a file's text can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileShape {
    Text,
    Yaml,
    Json,
    /// Sections of keys.
    Ini,
    /// A line for each key.
    Keys,
    /// Columns under a header.
    Table,
}
