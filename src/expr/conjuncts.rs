//! The terms of a condition.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use crate::expr::expression::{Expr, Tree, Unread};
use crate::expr::parse::ast::{Ast, Op};

/// Expressions that must all hold: a condition, split at top-level `&&`. That of a tested rule is parsed when its terms are first asked for.
#[derive(Clone, Debug, Default)]
pub struct Conjuncts {
    unread: Option<Unread>,
    terms: OnceLock<Vec<Expr>>,
}

impl Conjuncts {
    /// Splits a condition.
    pub fn of(condition: Expr) -> Self {
        Self { unread: None, terms: OnceLock::from(terms(condition)) }
    }

    /// Leaves a condition unread.
    pub(in crate::expr) fn later(unread: Unread) -> Self {
        Self { unread: Some(unread), terms: OnceLock::new() }
    }
}

impl Deref for Conjuncts {
    type Target = [Expr];

    fn deref(&self) -> &[Expr] {
        self.terms.get_or_init(|| self.unread.clone().map(Expr::later).map(terms).unwrap_or_default())
    }
}

impl<'c> IntoIterator for &'c Conjuncts {
    type Item = &'c Expr;
    type IntoIter = std::slice::Iter<'c, Expr>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

fn terms(condition: Expr) -> Vec<Expr> {
    if !matches!(condition.tree().ast.op, Op::And(_)) {
        return vec![condition];
    }
    let Tree { source, ast: Ast { op, .. }, .. } = condition.into_tree();
    let Op::And(terms) = op else { return Vec::new() };
    let term = |term: Ast| {
        let text = source.get(term.range.clone()).unwrap_or_default();
        Expr::new(text.into(), Arc::clone(&source), term)
    };
    terms.into_iter().map(term).collect()
}
