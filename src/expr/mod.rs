//! Expressions of rules: CEL with "absent is null", a third value "undecided", and evidence.
//!
//! The grammar is that of crate `cel`; evaluation is ours, because every operator differs from
//! standard CEL (absent is null, exact division, a third truth value) and because conditions
//! must tell which fields they read. An [`Expr`] is compiled once against the names of its rule,
//! each name being a [`Slot`], and evaluated against a [`World`] and the values in the slots.

mod access;
mod arithmetic;
mod ast;
mod calls;
mod compare;
mod compile;
mod decodings;
mod eval;
mod functions;
mod infer;
mod join;
mod loops;
mod member;
pub mod pattern;
pub mod shape;
mod source;
mod stop;
#[cfg(test)]
mod tests;
pub mod time;
mod trace;
pub mod value;
pub mod world;

use std::ops::Range;
use std::sync::Arc;

pub use access::{check_arguments, display, function_names};
pub use compare::Key;
pub use compile::nearest;
pub use infer::{Doubt, DoubtKind, Shapes, compared, field_of, result};
pub use pattern::Pattern;
pub use shape::Shape;
pub use value::{EventGroup, FileFact, Text, Value};
pub use world::World;

use self::ast::Ast;
use self::eval::Evaluation;
use self::stop::Stop;
use self::trace::Trace;
use crate::resource::{ResourceId, TypeName};

/// Index of a name's value among the bindings of its rule.
pub type Slot = usize;

/// The names an expression may use.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    /// Facts by slot.
    pub names: &'a [String],
    /// The slot that `self` stands for, where there is one.
    pub this: Option<Slot>,
}

/// Of what kind a mistake in an expression or text is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ErrorKind {
    /// Syntax, calls, constants.
    #[default]
    Wrong,
    /// The name that nobody binds.
    Unbound(String),
}

/// What is wrong with an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExprError {
    pub kind: ErrorKind,
    /// Bytes of the expression's text.
    pub range: Range<usize>,
    /// What is wrong, lower case, no full stop.
    pub message: String,
    /// What to write instead.
    pub hint: Option<String>,
}

/// The answer to a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Truth {
    True,
    False,
    /// Cannot be told; the reason.
    Undecided(Arc<str>),
}

/// A field that a condition read and that made it hold.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Read {
    /// The slot through which it was reached; none for `get`, `owner`, `setting`, `selects`.
    pub slot: Option<Slot>,
    pub resource: ResourceId,
    /// Node in the resource's document.
    pub node: u32,
}

/// A compiled expression.
#[derive(Clone, Debug)]
pub struct Expr {
    text: Arc<str>,
    /// The text that ranges of the tree point into: `text`, or what it is a part of.
    source: Arc<str>,
    slots: Vec<Slot>,
    ast: Arc<Ast>,
}

/// How a condition allows a hash join on one slot.
#[derive(Clone, Debug)]
pub struct JoinKey {
    /// Mentions the slot only.
    pub own: Expr,
    /// Does not mention the slot.
    pub other: Expr,
    /// `own == other`, `own in other` (other is a list of keys) or `other in own` (own is a list of keys).
    pub kind: JoinKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinKind {
    Equal,
    OwnInOther,
    OtherInOwn,
}

impl Expr {
    /// Compiles an expression; reports all errors at once.
    ///
    /// # Errors
    /// What is wrong: a syntax error alone, else every unknown name, wrong call and bad constant.
    pub fn compile(text: &str, scope: Scope<'_>) -> Result<Self, Vec<ExprError>> {
        match Self::attempt(text, scope) {
            (Some(expr), errors) if errors.is_empty() => Ok(expr),
            (_, errors) => Err(errors),
        }
    }

    /// Like [`Expr::compile`], but gives what could be understood beside the errors, for further checks.
    pub fn attempt(text: &str, scope: Scope<'_>) -> (Option<Self>, Vec<ExprError>) {
        let (ast, errors) = compile::compile(text, scope);
        (ast.map(|ast| Self::new(text.into(), text.into(), ast)), errors)
    }

    /// What its value is like, by what is known of the slots; adds what is doubtful.
    pub fn infer(&self, shapes: &Shapes<'_>, doubts: &mut Vec<Doubt>) -> Arc<Shape> {
        infer::infer(&self.ast, &self.source, shapes, doubts)
    }

    /// The field that this tests only for being different from something, so that it also holds where it is absent.
    pub fn lone_negation(&self, slot: Slot) -> Option<Range<usize>> {
        infer::lone_negation(&self.ast, slot)
    }

    /// As written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The constant patterns in it.
    pub fn patterns(&self) -> Vec<&Pattern> {
        self.ast.patterns()
    }

    /// Slots it mentions, sorted, distinct.
    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// Splits at top-level `&&`.
    pub fn conjuncts(self) -> Vec<Expr> {
        join::conjuncts(self)
    }

    /// How this condition joins `slot` to other slots by a hash, if it does. The join holds for exactly those
    /// combinations for which the condition does; a side that is undecided must be tested instead.
    pub fn join_on(&self, slot: Slot) -> Option<JoinKey> {
        join::join_on(self, slot)
    }

    /// The value; `bindings` are indexed by slot. Data of the wrong type gives null and is noted in the world.
    pub fn eval<'a>(&self, world: &'a World, bindings: &[Value<'a>]) -> Value<'a> {
        match Evaluation::new(world, bindings, &self.text).eval(&self.ast, None) {
            Ok(value) => value,
            Err(stop) => match self.settle(world, stop) {
                Some(reason) => Value::Undecided(reason),
                None => Value::Null,
            },
        }
    }

    /// As a condition.
    pub fn test<'a>(&self, world: &'a World, bindings: &[Value<'a>]) -> Truth {
        match Evaluation::new(world, bindings, &self.text).holds(&self.ast, None) {
            Ok(true) => Truth::True,
            Ok(false) => Truth::False,
            Err(stop) => self.settle(world, stop).map_or(Truth::False, Truth::Undecided),
        }
    }

    /// The reason if it is undecided; wrong data is noted.
    fn settle(&self, world: &World, stop: Stop) -> Option<Arc<str>> {
        match stop {
            Stop::Undecided(reason) => Some(reason),
            Stop::Wrong(wrong) => {
                world.note(&self.text, &wrong.message, wrong.place);
                None
            }
        }
    }

    /// Like [`Expr::test`], and adds what was read where it held; nothing if it did not hold.
    pub fn trace<'a>(&self, world: &'a World, bindings: &[Value<'a>], reads: &mut Vec<Read>) -> Truth {
        let truth = self.test(world, bindings);
        if truth == Truth::True {
            self.trace_as(true, world, bindings, reads);
        }
        truth
    }

    /// Adds what was read where it failed; nothing if it held or could not be told.
    pub fn trace_failed<'a>(&self, world: &'a World, bindings: &[Value<'a>], reads: &mut Vec<Read>) {
        if self.test(world, bindings) == Truth::False {
            self.trace_as(false, world, bindings, reads);
        }
    }

    fn trace_as<'a>(&self, outcome: bool, world: &'a World, bindings: &[Value<'a>], reads: &mut Vec<Read>) {
        let evaluation = Evaluation::new(world, bindings, &self.text);
        let mut trace = Trace { evaluation: &evaluation, reads: Vec::new() };
        trace.condition(&self.ast, outcome, None);
        reads.append(&mut trace.reads);
    }

    /// Adds every field that the value was made of; for `value` facts, whose scalars no longer know where they stood.
    pub fn reads<'a>(&self, world: &'a World, bindings: &[Value<'a>], reads: &mut Vec<Read>) {
        let evaluation = Evaluation::new(world, bindings, &self.text);
        let mut trace = Trace { evaluation: &evaluation, reads: Vec::new() };
        trace.values(&self.ast, None);
        reads.append(&mut trace.reads);
    }

    /// The field paths it reads of each slot, e.g. `(0, "status.phase")`; `[]` stands for any item or name of what is
    /// looped over, `*` for a computed name.
    pub fn field_paths(&self) -> Vec<(Slot, String)> {
        join::field_paths(&self.ast)
    }

    /// Types it looks up by `get` with a constant type, sorted, distinct.
    pub fn types(&self) -> Vec<TypeName> {
        let mut types = self.ast.types();
        types.sort();
        types.dedup();
        types
    }
}
