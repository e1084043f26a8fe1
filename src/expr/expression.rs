//! A compiled expression and its evaluation.

use std::sync::Arc;

use crate::expr::eval::evaluation::Evaluation;
use crate::expr::eval::stop::Stop;
use crate::expr::eval::value::Value;
use crate::expr::eval::world::World;
use crate::expr::parse::ast::{Ast, Op};
use crate::expr::parse::pattern::Pattern;
use crate::expr::scope::Slot;
use crate::expr::truth::Truth;
use crate::model::message::SharedReason;
use crate::resource::TypeName;

/// Compiled expression.
#[derive(Clone, Debug)]
pub struct Expr {
    pub(in crate::expr) text: Arc<str>,
    /// Text that ranges of the tree point into: `text` or a text that contains it.
    pub(in crate::expr) source: Arc<str>,
    pub(in crate::expr) slots: Vec<Slot>,
    pub(in crate::expr) ast: Arc<Ast>,
}

impl Expr {
    /// Creates an expression from a finished tree whose ranges point into `source`.
    pub(in crate::expr) fn new(text: Arc<str>, source: Arc<str>, ast: Ast) -> Self {
        Self { text, source, slots: ast.slots(), ast: Arc::new(ast) }
    }

    /// Creates an expression from the tree of a whole text.
    pub(in crate::expr) fn of(text: Arc<str>, ast: Ast) -> Self {
        Self::new(Arc::clone(&text), text, ast)
    }

    /// Returns the text as written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns its constant patterns.
    pub fn patterns(&self) -> Vec<&Pattern> {
        self.ast.patterns()
    }

    /// Returns whether it is the field of a slot, such as `hit.node`.
    pub fn is_field(&self, slot: Slot, name: &str) -> bool {
        matches!(&self.ast.op, Op::Field(base, field) if &**field == name && matches!(base.op, Op::Slot(s) if s == slot))
    }

    /// Returns the slots it mentions, sorted, distinct.
    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// Evaluates it; `bindings` are indexed by slot. Data of the wrong type gives null and is noted in the world.
    pub fn eval<'a>(&self, world: &'a World, bindings: &[Value<'a>]) -> Value<'a> {
        match Evaluation::new(world, bindings, &self.text).eval(&self.ast, None) {
            Ok(value) => value,
            Err(stop) => match self.settle(world, stop) {
                Some(reason) => Value::Undecided(reason),
                None => Value::Null,
            },
        }
    }

    /// Like [`Expr::eval`], for a value that the rule keeps for all of its combinations.
    pub fn eval_kept<'a>(&self, world: &'a World, bindings: &[Value<'a>]) -> Value<'a> {
        let value = self.eval(world, bindings);
        match world.budget.keep_value(&value) {
            Ok(()) => value,
            Err(reason) => Value::Undecided(reason),
        }
    }

    /// Evaluates it as a condition.
    pub fn test<'a>(&self, world: &'a World, bindings: &[Value<'a>]) -> Truth {
        match Evaluation::new(world, bindings, &self.text).holds(&self.ast, None) {
            Ok(true) => Truth::True,
            Ok(false) => Truth::False,
            Err(stop) => self.settle(world, stop).map_or(Truth::False, Truth::Undecided),
        }
    }

    /// Returns the reason if it is undecided; notes wrong data.
    fn settle(&self, world: &World, stop: Stop) -> Option<SharedReason> {
        match stop {
            Stop::Undecided(reason) => Some(reason),
            Stop::Wrong(wrong) => {
                world.note(&self.text, *wrong);
                None
            }
        }
    }

    /// Returns the types of `get` calls with a constant type, sorted, distinct.
    pub fn types(&self) -> Vec<TypeName> {
        let mut types = self.ast.types();
        types.sort();
        types.dedup();
        types
    }
}
