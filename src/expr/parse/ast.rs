//! Compact tree for evaluation: names are slots, macros are nodes, patterns are compiled.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::atomic::{self, AtomicU64};

use crate::resource::TypeName;

use crate::expr::eval::value::Value;
use crate::expr::functions::function::Function;
use crate::expr::parse::pattern::Pattern;
use crate::expr::parse::prepared::Prepared;
use crate::expr::scope::Slot;

/// Node with its range in the source text.
#[derive(Clone, Debug)]
pub(in crate::expr) struct Ast {
    pub op: Op,
    pub range: Range<usize>,
}

/// Operation of a node.
#[derive(Clone, Debug)]
pub(in crate::expr) enum Op {
    Const(Value<'static>),
    Slot(Slot),
    /// A variable of a macro, counted outwards from the innermost.
    Var(usize),
    Now,
    Nodes,
    Field(Box<Ast>, Box<str>),
    Index(Box<[Ast; 2]>),
    Not(Box<Ast>),
    Negate(Box<Ast>),
    And(Vec<Ast>),
    Or(Vec<Ast>),
    Compare(Comparison, Box<[Ast; 2]>),
    /// Compared with the literal `null`: true if absent.
    IsNull(Box<Ast>),
    Arithmetic(Arithmetic, Box<[Ast; 2]>),
    In(Box<[Ast; 2]>),
    Choose(Box<[Ast; 3]>),
    List(Vec<Ast>),
    Map(Vec<[Ast; 2]>),
    Macro(Box<Macro>),
    Call(Box<Call>),
}

/// Comparison by order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Comparison {
    /// Returns whether two values in this order compare so.
    pub fn accepts(self, order: Ordering) -> bool {
        match self {
            Self::Equal => order.is_eq(),
            Self::NotEqual => order.is_ne(),
            Self::Less => order.is_lt(),
            Self::LessOrEqual => order.is_le(),
            Self::Greater => order.is_gt(),
            Self::GreaterOrEqual => order.is_ge(),
        }
    }
}

/// Operator of two numbers, and of times, texts or lists where it has a meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

/// A loop over the elements of a list or map.
#[derive(Clone, Debug)]
pub(in crate::expr) struct Macro {
    pub kind: MacroKind,
    pub range: Ast,
    /// True for two variables, key and value; one variable is the item of a list or the key of a map.
    pub pair: bool,
    /// Condition of a `map`, if any.
    pub filter: Option<Ast>,
    pub body: Ast,
    /// Set if it reads neither slots nor variables around it, so that its value is the same for all combinations. Copies of the
    /// loop have the same number, no other loop has it.
    pub closed: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::expr) enum MacroKind {
    Exists,
    All,
    ExistsOne,
    Map,
    /// `map` made of an `exists` for a join: elements of the wrong type have no key.
    Keys,
    Filter,
    SortBy,
}

/// Function call with its prepared arguments.
#[derive(Clone, Debug)]
pub(in crate::expr) struct Call {
    pub function: &'static Function,
    pub args: Vec<Ast>,
    pub prepared: Prepared,
}

impl Ast {
    /// Returns the direct children; for a macro range, filter and body.
    pub fn children(&self) -> Vec<&Ast> {
        match &self.op {
            Op::Const(_) | Op::Slot(_) | Op::Var(_) | Op::Now | Op::Nodes => Vec::new(),
            Op::Field(base, _) => vec![base],
            Op::Not(inner) | Op::Negate(inner) | Op::IsNull(inner) => vec![inner],
            Op::Index(pair) | Op::Compare(_, pair) | Op::Arithmetic(_, pair) | Op::In(pair) => pair.iter().collect(),
            Op::And(terms) | Op::Or(terms) | Op::List(terms) => terms.iter().collect(),
            Op::Choose(parts) => parts.iter().collect(),
            Op::Map(entries) => entries.iter().flatten().collect(),
            Op::Macro(found) => {
                [Some(&found.range), found.filter.as_ref(), Some(&found.body)].into_iter().flatten().collect()
            }
            Op::Call(call) => call.args.iter().collect(),
        }
    }

    /// Returns the patterns that its calls have prepared.
    pub fn patterns(&self) -> Vec<&Pattern> {
        let own = match &self.op {
            Op::Call(call) => match &call.prepared {
                Prepared::Pattern(pattern) => Some(pattern),
                _ => None,
            },
            _ => None,
        };
        own.into_iter().chain(self.children().into_iter().flat_map(Self::patterns)).collect()
    }

    /// Returns the slots it mentions, sorted, distinct.
    pub fn slots(&self) -> Vec<Slot> {
        let mut slots = Vec::new();
        self.collect_slots(&mut slots);
        slots.sort_unstable();
        slots.dedup();
        slots
    }

    fn collect_slots(&self, slots: &mut Vec<Slot>) {
        // Avoids a list per node, because compiling and joining rules call this often.
        match &self.op {
            Op::Slot(slot) => slots.push(*slot),
            Op::Const(_) | Op::Var(_) | Op::Now | Op::Nodes => {}
            Op::Field(base, _) => base.collect_slots(slots),
            Op::Index(pair) | Op::Compare(_, pair) | Op::Arithmetic(_, pair) | Op::In(pair) => {
                pair.iter().for_each(|child| child.collect_slots(slots));
            }
            Op::And(terms) | Op::Or(terms) | Op::List(terms) => {
                terms.iter().for_each(|child| child.collect_slots(slots))
            }
            _ => self.children().into_iter().for_each(|child| child.collect_slots(slots)),
        }
    }

    /// Returns the types that calls of `get` name.
    pub fn types(&self) -> Vec<TypeName> {
        let mut types: Vec<TypeName> = self.children().into_iter().flat_map(Ast::types).collect();
        if let Op::Call(call) = &self.op
            && let Prepared::Type(name) = &call.prepared
        {
            types.push(name.clone());
        }
        types
    }

    /// Returns true if it reads no slot, and no variable but the `bound` innermost ones.
    fn is_closed(&self, bound: usize) -> bool {
        match &self.op {
            Op::Slot(_) => false,
            Op::Var(index) => *index < bound,
            Op::Macro(found) => found.reads_only(bound),
            _ => self.children().into_iter().all(|child| child.is_closed(bound)),
        }
    }

    /// Returns true if it mentions one of the `count` innermost variables at its place.
    pub fn mentions_vars(&self, count: usize) -> bool {
        self.mentions_vars_from(0, count)
    }

    fn mentions_vars_from(&self, inner: usize, count: usize) -> bool {
        match &self.op {
            Op::Var(index) => (inner..inner + count).contains(index),
            Op::Macro(found) => {
                let deeper = inner + found.variables();
                found.range.mentions_vars_from(inner, count)
                    || found.filter.as_ref().is_some_and(|filter| filter.mentions_vars_from(deeper, count))
                    || found.body.mentions_vars_from(deeper, count)
            }
            _ => self.children().into_iter().any(|child| child.mentions_vars_from(inner, count)),
        }
    }
}

impl Macro {
    /// Marks a loop that reads nothing around it.
    pub fn closed(self) -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let closed = self.reads_only(0).then(|| NUMBER.fetch_add(1, atomic::Ordering::Relaxed));
        Self { closed, ..self }
    }

    fn reads_only(&self, bound: usize) -> bool {
        let inside = bound + self.variables();
        let filter = self.filter.as_ref().is_none_or(|filter| filter.is_closed(inside));
        self.range.is_closed(bound) && filter && self.body.is_closed(inside)
    }

    /// Returns the number of variables that it binds.
    pub fn variables(&self) -> usize {
        if self.pair { 2 } else { 1 }
    }
}
