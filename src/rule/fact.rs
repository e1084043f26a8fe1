//! The kinds of facts, compiled.

use std::collections::BTreeMap;

use globset::GlobMatcher;
use regex::Regex;

use crate::expr::Expr;
use crate::log::sequence::Sequence;
use crate::log::{Counting, GroupKey, QueryId};
use crate::resource::types::TypeName;

/// One named thing that a rule looks for.
#[derive(Clone, Debug)]
pub struct Fact {
    pub name: String,
    pub kind: FactKind,
    /// Top-level conjuncts of `where`.
    pub conditions: Vec<Expr>,
    /// Binds null when nothing matches.
    pub optional: bool,
    /// Binds the list of all matches.
    pub collect: bool,
    /// No match is undecided, not clean.
    pub silence_unknown: bool,
}

impl Fact {
    /// Whether it is looked up in the bundle; others name an expression.
    pub fn is_lookup(&self) -> bool {
        !matches!(self.kind, FactKind::Each(_) | FactKind::Value(_))
    }

    /// Whether a combination needs a match of it.
    pub fn is_required(&self) -> bool {
        !self.optional && !self.collect
    }
}

/// What kind of thing.
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
    pub fn logs_mut(&mut self) -> Vec<&mut LogFact> {
        match self {
            Self::Log(log) => vec![log],
            Self::Sequence(sequence) => sequence.steps.iter_mut().map(|step| &mut step.log).collect(),
            _ => Vec::new(),
        }
    }
}

/// Hits of a log query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogFact {
    /// In [`super::RuleSet::queries`].
    pub query: QueryId,
    /// Where it looks, in the author's words (`etcd`, `kube-system/etcd-*`), for reasons.
    pub wanted: String,
}

/// Hits of several log queries in their order.
#[derive(Clone, Debug)]
pub struct SequenceFact {
    pub order: Sequence,
    /// As many as `order` has.
    pub steps: Vec<SequenceStep>,
    /// What all lines of a match share, and one group is; none: what the conditions between steps equate.
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
    pub conditions: Vec<Expr>,
}

/// Objects of some types.
#[derive(Clone, Debug)]
pub struct ResourceQuery {
    pub types: Vec<TypeName>,
    pub namespace: Option<GlobMatcher>,
    /// The namespace when it is written without wildcard, or is fixed by an equality in `where`.
    pub exact_namespace: Option<String>,
    /// What `where` equates the namespace with when that depends on other facts; does not mention its own slot.
    pub namespace_expr: Option<Expr>,
    pub name: Option<GlobMatcher>,
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
    /// Whether an object with these labels meets it.
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
}

/// Events, both API forms as one.
#[derive(Clone, Debug)]
pub struct EventQuery {
    /// Globs, any of them.
    pub reasons: Vec<GlobMatcher>,
    pub type_: Option<String>,
    pub object: ObjectGlob,
    /// Alternatives on the message; none: every message.
    pub patterns: Vec<Regex>,
    pub except: Vec<Regex>,
    pub since: Option<jiff::SignedDuration>,
    /// What one group is; none: every event is alone.
    pub by: Option<Vec<GroupKey>>,
    pub counting: Counting,
}

/// The object of an event.
#[derive(Clone, Debug, Default)]
pub struct ObjectGlob {
    pub kind: Option<GlobMatcher>,
    pub namespace: Option<GlobMatcher>,
    pub name: Option<GlobMatcher>,
}

/// Entries by path.
#[derive(Clone, Debug)]
pub struct FileQuery {
    /// On the path without archive layers.
    pub path: GlobMatcher,
    pub node: Option<GlobMatcher>,
    pub shape: FileShape,
}

/// How a file's text is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileShape {
    Text,
    Yaml,
    Json,
}
