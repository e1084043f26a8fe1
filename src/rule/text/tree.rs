//! A text as a tree: what of the template engine's grammar texts may use.

use super::filters::Filter;
use super::kinds::Kind;
use crate::expr::{Arithmetic, Comparison, Value};

/// One step of rendering.
#[derive(Debug)]
pub(super) enum Step {
    Raw(Box<str>),
    Print(Term),
    If { test: Term, then: Vec<Step>, otherwise: Vec<Step> },
    For(Box<Loop>),
    Set(Target, Term),
    With { values: Vec<(Target, Term)>, body: Vec<Step> },
}

/// `for target in list if filter`.
#[derive(Debug)]
pub(super) struct Loop {
    pub target: Target,
    pub list: Term,
    pub filter: Option<Term>,
    pub body: Vec<Step>,
    pub otherwise: Vec<Step>,
}

/// Names that are set: one, or the parts of a list.
#[derive(Debug)]
pub(super) enum Target {
    Name(Box<str>),
    Parts(Vec<Target>),
}

/// An expression.
#[derive(Debug)]
pub(super) enum Term {
    Name(Box<str>),
    /// The number of all combinations, of which `rows` are the first.
    RowCount,
    Const(Value<'static>),
    Field(Box<Term>, Box<str>),
    Item(Box<[Term; 2]>),
    Slice(Box<Term>, Box<[Option<Term>; 3]>),
    Not(Box<Term>),
    Negate(Box<Term>),
    And(Box<[Term; 2]>),
    Or(Box<[Term; 2]>),
    Concat(Box<[Term; 2]>),
    Arithmetic(Arithmetic, Box<[Term; 2]>),
    /// Division without a rest, towards smaller numbers.
    FloorDivide(Box<[Term; 2]>),
    /// `a < b < c`.
    Compare(Box<Term>, Vec<(Relation, Term)>),
    Choose(Box<[Term; 3]>),
    Filter {
        filter: &'static Filter,
        of: Box<Term>,
        arguments: Vec<Term>,
        named: Vec<(Box<str>, Term)>,
    },
    Is {
        kind: &'static Kind,
        of: Box<Term>,
        arguments: Vec<Term>,
    },
    Call {
        function: Box<str>,
        arguments: Vec<Term>,
    },
    List(Vec<Term>),
    Map(Vec<[Term; 2]>),
}

/// What a comparison asks.
#[derive(Clone, Copy, Debug)]
pub(super) enum Relation {
    Order(Comparison),
    In,
    NotIn,
}
