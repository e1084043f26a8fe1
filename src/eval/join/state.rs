//! State of a join.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};

use crate::eval::facts::candidate::Candidates;
use crate::eval::input::Input;
use crate::eval::join::combination::{Combination, Row};
use crate::eval::join::observer::JoinObserver;
use crate::expr::{Expr, Slot};
use crate::model::message::SharedReason;
use crate::rule::order::Pool;
use crate::rule::{Fact, FactKind, ResourceQuery, Rule};

/// Number of pairs of a combination and a candidate beyond which a rule ends; without optimisation a pair costs 2.8 µs.
pub const MAX_PAIRS: usize = 5_000_000;

/// Why namespaces are incomplete.
pub type ByNamespace = HashMap<String, Option<SharedReason>>;

/// How parts that were not collected count for facts whose silence means that they are absent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Uncollected {
    /// They may hold a match.
    Open,
    /// They hold none.
    Absent,
}

pub struct Join<'a, 'r> {
    pub(super) watch: &'r mut dyn JoinObserver<'a>,
    pub(super) input: &'a Input,
    pub(super) rule: &'r Rule,
    pub(super) uncollected: Uncollected,
    /// Candidates of each alternative.
    pub(super) candidates: BTreeMap<Slot, Vec<Candidates<'a>>>,
    pub(super) pool: Pool<'r>,
    pub(super) bound: Vec<bool>,
    /// Facts that are bound last.
    pub(super) deferred: Vec<Slot>,
    pub(super) rows: Vec<Row<'a>>,
    /// Pairs tried and elements collected so far.
    pub(super) pairs: usize,
    /// Number of candidates of the fact being bound that were tried, and that met its first conditions.
    pub(super) met: Vec<usize>,
    pub(super) overflow: bool,
    /// Reasons why namespaces that depend on combinations are incomplete, by alternative.
    pub(super) collected: RefCell<HashMap<(Slot, usize), ByNamespace>>,
}

impl<'a, 'r> Join<'a, 'r> {
    /// Prepares to bind the facts of `candidates`; all others before them are bound in `rows`.
    pub(super) fn new(
        input: &'a Input,
        rule: &'r Rule,
        uncollected: Uncollected,
        candidates: BTreeMap<Slot, Vec<Candidates<'a>>>,
        rows: Vec<Combination<'a>>,
        watch: &'r mut dyn JoinObserver<'a>,
    ) -> Self {
        let slots: Vec<Slot> = candidates.keys().copied().collect();
        Self {
            watch,
            input,
            rule,
            uncollected,
            pool: Pool::new(rule, &slots),
            bound: (0..rule.names.len()).map(|slot| slot < rule.find && !candidates.contains_key(&slot)).collect(),
            deferred: Vec::new(),
            candidates,
            rows: rows.into_iter().enumerate().collect(),
            pairs: 0,
            met: Vec::new(),
            overflow: false,
            collected: RefCell::default(),
        }
    }

    pub(super) fn fact(&self, slot: Slot) -> &'r Fact {
        &self.rule.facts[slot]
    }
}

/// Returns the query of a fact whose namespace depends on the combination, and the expression that gives it.
pub fn dynamic_namespace(kind: &FactKind) -> Option<(&ResourceQuery, &Expr)> {
    match kind {
        FactKind::Resource(query) => query.namespace_expr.as_ref().map(|expr| (query, expr)),
        _ => None,
    }
}
