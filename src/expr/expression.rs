//! A compiled expression and its evaluation.

use std::sync::{Arc, OnceLock};

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

/// Compiled expression. One of a tested rule is parsed when it is first used: most never are.
#[derive(Clone, Debug)]
pub struct Expr {
    pub(in crate::expr) text: Arc<str>,
    tree: Arc<LazyTree>,
}

#[derive(Debug)]
enum LazyTree {
    Known(Tree),
    Later { unread: Unread, known: OnceLock<Tree> },
}

/// Tree of an expression.
#[derive(Clone, Debug)]
pub(in crate::expr) struct Tree {
    /// Text that ranges of the tree point into: that of the expression or one that contains it.
    pub source: Arc<str>,
    pub slots: Vec<Slot>,
    pub ast: Ast,
}

/// A valid expression that was not parsed yet.
#[derive(Clone, Debug)]
pub(in crate::expr) struct Unread {
    pub text: Arc<str>,
    /// Facts by slot.
    pub names: Arc<[String]>,
    /// Number of facts that it may name.
    pub visible: usize,
    /// Slot of `self`, if any.
    pub this: Option<Slot>,
    pub parse: fn(&Unread) -> Tree,
}

impl Tree {
    /// Creates the tree of an expression whose ranges point into `source`.
    pub fn new(source: Arc<str>, ast: Ast) -> Self {
        Self { source, slots: ast.slots(), ast }
    }
}

impl Unread {
    pub fn tree(&self) -> Tree {
        (self.parse)(self)
    }
}

impl Expr {
    /// Creates an expression from a finished tree whose ranges point into `source`.
    pub(in crate::expr) fn new(text: Arc<str>, source: Arc<str>, ast: Ast) -> Self {
        Self { text, tree: Arc::new(LazyTree::Known(Tree::new(source, ast))) }
    }

    /// Creates an expression that is parsed when it is first used.
    pub(in crate::expr) fn later(unread: Unread) -> Self {
        let text = Arc::clone(&unread.text);
        Self { text, tree: Arc::new(LazyTree::Later { unread, known: OnceLock::new() }) }
    }

    pub(in crate::expr) fn tree(&self) -> &Tree {
        match &*self.tree {
            LazyTree::Known(tree) => tree,
            LazyTree::Later { unread, known } => known.get_or_init(|| unread.tree()),
        }
    }

    /// Returns the tree, moved unless it is shared.
    pub(in crate::expr) fn into_tree(self) -> Tree {
        match Arc::try_unwrap(self.tree) {
            Ok(LazyTree::Known(tree)) => tree,
            Ok(LazyTree::Later { unread, known }) => known.into_inner().unwrap_or_else(|| unread.tree()),
            Err(tree) => Self { tree, text: self.text }.tree().clone(),
        }
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
        self.tree().ast.patterns()
    }

    /// Returns whether it is the field of a slot, such as `hit.node`.
    pub fn is_field(&self, slot: Slot, name: &str) -> bool {
        matches!(&self.tree().ast.op, Op::Field(base, field) if &**field == name && matches!(base.op, Op::Slot(s) if s == slot))
    }

    /// Returns the slots it mentions, sorted, distinct.
    pub fn slots(&self) -> &[Slot] {
        &self.tree().slots
    }

    /// Evaluates it; `bindings` are indexed by slot. Data of the wrong type gives null and is noted in the world.
    pub fn eval<'a>(&self, world: &'a World, bindings: &[Value<'a>]) -> Value<'a> {
        match Evaluation::new(world, bindings, &self.text).eval(&self.tree().ast, None) {
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
        match Evaluation::new(world, bindings, &self.text).holds(&self.tree().ast, None) {
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
        let mut types = self.tree().ast.types();
        types.sort();
        types.dedup();
        types
    }
}
