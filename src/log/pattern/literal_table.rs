//! The literals of all expressions, each once: the plans for all classes of sources share them.

use std::collections::HashMap;
use std::sync::Arc;

use crate::log::pattern::expression::{Expression, ExpressionId};
use crate::log::pattern::grams::{GramLiteral, rarest_windows};
use crate::log::pattern::literal::RequiredLiteral;

/// Shortest useful literal, in bytes; shorter ones occur everywhere, so the pattern is tried on every line.
const MIN_LITERAL: usize = 2;

/// Index of a [`Literal`] in its table.
pub(in crate::log) type LiteralId = usize;

/// Bytes that a line has if a pattern matches it.
#[derive(Clone, Debug)]
pub(in crate::log) struct Literal {
    pub bytes: Arc<[u8]>,
    /// True if ASCII letters match in either case; the bytes are then in lower case.
    pub ignore_case: bool,
    rarest: usize,
}

impl GramLiteral for Literal {
    fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn ignore_case(&self) -> bool {
        self.ignore_case
    }

    fn rarest(&self) -> usize {
        self.rarest
    }
}

/// The literals of some expressions.
#[derive(Debug, Default)]
pub(in crate::log) struct LiteralTable {
    literals: Vec<Literal>,
    /// Of each expression; none if it has no useful one.
    of: Vec<Option<Vec<LiteralId>>>,
}

impl LiteralTable {
    /// Takes the literals of expressions in the order of their ids.
    pub fn new(expressions: &[Expression]) -> Self {
        let mut table = Self::default();
        let mut known = HashMap::new();
        for expression in expressions {
            let literal = expression.literal().filter(|literal| literal.min_len() >= MIN_LITERAL);
            let ids = literal.map(|literal| table.ids(literal, &mut known));
            table.of.push(ids);
        }
        let windows = rarest_windows(table.literals.iter().map(|literal| &*literal.bytes));
        table.literals.iter_mut().zip(windows).for_each(|(literal, window)| literal.rarest = window);
        table
    }

    fn ids<'l>(
        &mut self,
        RequiredLiteral { alternatives, ignore_case }: &'l RequiredLiteral,
        known: &mut HashMap<(&'l [u8], bool), LiteralId>,
    ) -> Vec<LiteralId> {
        let id = |bytes: &'l Vec<u8>| {
            *known.entry((bytes, *ignore_case)).or_insert_with(|| {
                self.literals.push(Literal { bytes: bytes.as_slice().into(), ignore_case: *ignore_case, rarest: 0 });
                self.literals.len() - 1
            })
        };
        alternatives.iter().map(id).collect()
    }

    /// Number of expressions.
    pub fn expressions(&self) -> usize {
        self.of.len()
    }

    /// Number of literals.
    pub fn len(&self) -> usize {
        self.literals.len()
    }

    /// Returns the literals of which a line has one if an expression matches it; none if any line may match.
    pub fn of(&self, expression: ExpressionId) -> Option<&[LiteralId]> {
        self.of.get(expression)?.as_deref()
    }

    pub fn get(&self, id: LiteralId) -> Option<&Literal> {
        self.literals.get(id)
    }
}
