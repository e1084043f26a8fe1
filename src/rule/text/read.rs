//! Reads templates: the grammar is that of the template engine, without what could grow over its bounds unseen.
//!
//! Macros, blocks that are captured, other templates and recursion are refused: no rule needs them, and without them no
//! value outlives the loop that made it.

use minijinja::Error;
use minijinja::machinery::ast::{BinOpKind, Call, CallArg, CompareOpKind, Expr, ForLoop, Stmt, UnaryOpKind};
use minijinja::machinery::{Span, Token, parse, tokenize};
use minijinja::value::{Value as Constant, ValueKind};

use super::tree::{Loop, Relation, Step, Target, Term};
use super::value::text;
use super::{filters, kinds};
use crate::expr::{Arithmetic, Comparison, Value};

/// The name of a text in errors of the template engine.
const NAME: &str = "text";
/// Families of functions that are written with a dot.
pub(super) const FAMILIES: [&str; 2] = ["math", "lists"];
/// Filters that count; of `rows` they count all combinations.
const COUNTS: [&str; 3] = ["length", "count", "plural"];

/// Most words and signs between two delimiters, and most `elif` of a text. A chain of operators or branches is a tree as deep as
/// it is long, which is walked with the stack; shipped rules have at most 34 and 8.
const MOST_TOKENS: usize = 1_000;
const MOST_BRANCHES: usize = 200;

/// Reason why a text cannot be read.
#[derive(Debug)]
pub(super) enum Unreadable {
    Syntax(Error),
    /// Bytes of the text, and what texts cannot use.
    Refused(std::ops::Range<usize>, String),
}

type Reading<T> = Result<T, Unreadable>;

/// Reads a template.
///
/// # Errors
/// A syntax error, or the first thing that texts cannot use.
pub(super) fn read(text: &str) -> Reading<Vec<Step>> {
    match &parsed(text)? {
        Stmt::Template(template) => steps(&template.children),
        other => statement(other).map(|step| vec![step]),
    }
}

/// Parses a template.
///
/// # Errors
/// A syntax error, or an expression or a chain of branches that is too long.
pub(super) fn parsed(text: &str) -> Reading<Stmt<'_>> {
    check_lengths(text)?;
    parse(text, NAME, Default::default()).map_err(Unreadable::Syntax)
}

fn check_lengths(text: &str) -> Reading<()> {
    let (mut tokens, mut branches) = (0, 0);
    let mut after_start = false;
    for (token, span) in tokenize(text, false, Default::default()).map_while(Result::ok) {
        let is_branch = after_start && matches!(token, Token::Ident("elif"));
        after_start = matches!(token, Token::BlockStart);
        tokens = if after_start || matches!(token, Token::VariableStart) { 0 } else { tokens + 1 };
        branches += usize::from(is_branch);
        if tokens > MOST_TOKENS {
            return refused(span, "expressions of more than 1,000 words and signs");
        }
        if branches > MOST_BRANCHES {
            return refused(span, "more than 200 elif");
        }
    }
    Ok(())
}

fn refused<T>(span: Span, what: &str) -> Reading<T> {
    let range = span.start_offset as usize..span.end_offset as usize;
    Err(Unreadable::Refused(range, format!("texts cannot use {what}")))
}

fn steps(list: &[Stmt<'_>]) -> Reading<Vec<Step>> {
    list.iter().map(statement).collect()
}

fn statement(statement: &Stmt<'_>) -> Reading<Step> {
    Ok(match statement {
        Stmt::EmitRaw(found) => Step::Raw(found.raw.into()),
        Stmt::EmitExpr(found) => Step::Print(term(&found.expr)?),
        Stmt::ForLoop(found) if found.recursive => return refused(found.span(), "recursive loops"),
        Stmt::ForLoop(found) => Step::For(Box::new(repeated(found)?)),
        Stmt::IfCond(found) => {
            Step::If { test: term(&found.expr)?, then: steps(&found.true_body)?, otherwise: steps(&found.false_body)? }
        }
        Stmt::WithBlock(found) => {
            let set = |(name, value): &(Expr<'_>, Expr<'_>)| Ok((target(name)?, term(value)?));
            Step::With { values: found.assignments.iter().map(set).collect::<Reading<_>>()?, body: steps(&found.body)? }
        }
        Stmt::Set(found) => Step::Set(target(&found.target)?, term(&found.expr)?),
        Stmt::SetBlock(found) => return refused(found.span(), "set blocks; write {% set name = value %}"),
        Stmt::FilterBlock(found) => return refused(found.span(), "filter blocks"),
        Stmt::AutoEscape(found) => return refused(found.span(), "autoescape"),
        Stmt::Do(found) => return refused(found.span(), "do"),
        Stmt::Macro(found) => return refused(found.span(), "macro"),
        Stmt::CallBlock(found) => return refused(found.span(), "call"),
        Stmt::Block(found) => return refused(found.span(), "block"),
        Stmt::Import(found) => return refused(found.span(), "import"),
        Stmt::FromImport(found) => return refused(found.span(), "from"),
        Stmt::Extends(found) => return refused(found.span(), "extends"),
        Stmt::Include(found) => return refused(found.span(), "include"),
        Stmt::Template(found) => return refused(found.span(), "templates in templates"),
    })
}

fn repeated(found: &ForLoop<'_>) -> Reading<Loop> {
    Ok(Loop {
        target: target(&found.target)?,
        list: term(&found.iter)?,
        filter: found.filter_expr.as_ref().map(term).transpose()?,
        body: steps(&found.body)?,
        otherwise: steps(&found.else_body)?,
    })
}

fn target(expr: &Expr<'_>) -> Reading<Target> {
    let parts = |items: &[Expr<'_>]| Ok(Target::Parts(items.iter().map(target).collect::<Reading<_>>()?));
    match expr {
        Expr::Var(name) => Ok(Target::Name(name.id.into())),
        Expr::List(list) => parts(&list.items),
        Expr::Tuple(tuple) => parts(&tuple.items),
        other => refused(other.span(), "fields as names to set"),
    }
}

fn boxed(expr: &Expr<'_>) -> Reading<Box<Term>> {
    Ok(Box::new(term(expr)?))
}

fn pair(a: &Expr<'_>, b: &Expr<'_>) -> Reading<Box<[Term; 2]>> {
    Ok(Box::new([term(a)?, term(b)?]))
}

fn terms(list: &[Expr<'_>]) -> Reading<Vec<Term>> {
    list.iter().map(term).collect()
}

fn term(expr: &Expr<'_>) -> Reading<Term> {
    Ok(match expr {
        Expr::Var(found) => Term::Name(found.id.into()),
        Expr::Const(found) => Term::Const(constant(&found.value)),
        Expr::GetAttr(found) => Term::Field(boxed(&found.expr)?, found.name.into()),
        Expr::GetItem(found) => Term::Item(pair(&found.expr, &found.subscript_expr)?),
        Expr::Slice(found) => {
            let bound = |bound: &Option<Expr<'_>>| bound.as_ref().map(term).transpose();
            let bounds = [bound(&found.start)?, bound(&found.stop)?, bound(&found.step)?];
            Term::Slice(boxed(&found.expr)?, Box::new(bounds))
        }
        Expr::UnaryOp(found) => match found.op {
            UnaryOpKind::Not => Term::Not(boxed(&found.expr)?),
            UnaryOpKind::Neg => Term::Negate(boxed(&found.expr)?),
        },
        Expr::BinOp(found) => return binary(found.op, &found.left, &found.right, found.span()),
        Expr::Compare(found) => {
            let compared = found.ops.iter().map(|part| Ok((chained(part.op), term(&part.expr)?)));
            Term::Compare(boxed(&found.expr)?, compared.collect::<Reading<_>>()?)
        }
        Expr::IfExpr(found) => {
            let otherwise = found.false_expr.as_ref().map(term).transpose()?;
            let otherwise = otherwise.unwrap_or(Term::Const(Value::Null));
            Term::Choose(Box::new([term(&found.test_expr)?, term(&found.true_expr)?, otherwise]))
        }
        Expr::Filter(found) => {
            let Some(filter) = filters::find(found.name) else {
                return refused(found.span(), &format!("the filter {}", found.name));
            };
            let Some(of) = &found.expr else { return refused(found.span(), "filter blocks") };
            let (arguments, named) = arguments(&found.args, found.span())?;
            let of = match of {
                Expr::Var(name) if name.id == "rows" && COUNTS.contains(&found.name) => Box::new(Term::RowCount),
                of => boxed(of)?,
            };
            if matches!(*of, Term::RowCount) && found.name != "plural" {
                return Ok(Term::RowCount);
            }
            Term::Filter { filter, of, arguments, named }
        }
        Expr::Test(found) => {
            let Some(kind) = kinds::find(found.name) else {
                return refused(found.span(), &format!("the test {}", found.name));
            };
            let (arguments, named) = arguments(&found.args, found.span())?;
            if arguments.len() != kind.arguments || !named.is_empty() {
                return refused(found.span(), &format!("the test {} with these arguments", found.name));
            }
            Term::Is { kind, of: boxed(&found.expr)?, arguments }
        }
        Expr::Call(found) => return call(found, found.span()),
        Expr::List(found) => Term::List(terms(&found.items)?),
        Expr::Tuple(found) => Term::List(terms(&found.items)?),
        Expr::Map(found) => {
            let entries = found.keys.iter().zip(&found.values).map(|(key, value)| Ok([term(key)?, term(value)?]));
            Term::Map(entries.collect::<Reading<_>>()?)
        }
    })
}

fn constant(value: &Constant) -> Value<'static> {
    match value.kind() {
        ValueKind::Bool => Value::Bool(value.is_true()),
        ValueKind::Number => match (value.is_integer(), value.as_i64()) {
            (true, Some(number)) => Value::Int(number),
            _ => f64::try_from(value.clone()).map_or(Value::Null, Value::Double),
        },
        ValueKind::String => value.as_str().map_or(Value::Null, text),
        _ => Value::Null,
    }
}

fn binary(operator: BinOpKind, left: &Expr<'_>, right: &Expr<'_>, span: Span) -> Reading<Term> {
    let compared = |relation| Ok(Term::Compare(boxed(left)?, vec![(relation, term(right)?)]));
    let arithmetic = |operator| Ok(Term::Arithmetic(operator, pair(left, right)?));
    match operator {
        BinOpKind::Eq => compared(Relation::Order(Comparison::Equal)),
        BinOpKind::Ne => compared(Relation::Order(Comparison::NotEqual)),
        BinOpKind::Lt => compared(Relation::Order(Comparison::Less)),
        BinOpKind::Lte => compared(Relation::Order(Comparison::LessOrEqual)),
        BinOpKind::Gt => compared(Relation::Order(Comparison::Greater)),
        BinOpKind::Gte => compared(Relation::Order(Comparison::GreaterOrEqual)),
        BinOpKind::In => compared(Relation::In),
        BinOpKind::ScAnd => Ok(Term::And(pair(left, right)?)),
        BinOpKind::ScOr => Ok(Term::Or(pair(left, right)?)),
        BinOpKind::Add => arithmetic(Arithmetic::Add),
        BinOpKind::Sub => arithmetic(Arithmetic::Subtract),
        BinOpKind::Mul => arithmetic(Arithmetic::Multiply),
        BinOpKind::Div => arithmetic(Arithmetic::Divide),
        BinOpKind::Rem => arithmetic(Arithmetic::Remainder),
        BinOpKind::FloorDiv => Ok(Term::FloorDivide(pair(left, right)?)),
        BinOpKind::Concat => Ok(Term::Concat(pair(left, right)?)),
        BinOpKind::Pow => refused(span, "powers"),
    }
}

fn chained(operator: CompareOpKind) -> Relation {
    match operator {
        CompareOpKind::Eq => Relation::Order(Comparison::Equal),
        CompareOpKind::Ne => Relation::Order(Comparison::NotEqual),
        CompareOpKind::Lt => Relation::Order(Comparison::Less),
        CompareOpKind::Lte => Relation::Order(Comparison::LessOrEqual),
        CompareOpKind::Gt => Relation::Order(Comparison::Greater),
        CompareOpKind::Gte => Relation::Order(Comparison::GreaterOrEqual),
        CompareOpKind::In => Relation::In,
        CompareOpKind::NotIn => Relation::NotIn,
    }
}

/// A function, a function of a family, or a method, whose receiver is its first argument.
fn call(found: &Call<'_>, span: Span) -> Reading<Term> {
    let (arguments, named) = arguments(&found.args, span)?;
    if !named.is_empty() {
        return refused(span, "named arguments of functions");
    }
    match &found.expr {
        Expr::Var(function) => Ok(Term::Call { function: function.id.into(), arguments }),
        Expr::GetAttr(method) => match &method.expr {
            Expr::Var(family) if FAMILIES.contains(&family.id) => {
                Ok(Term::Call { function: format!("{}.{}", family.id, method.name).into(), arguments })
            }
            receiver => {
                let arguments = std::iter::once(term(receiver)?).chain(arguments).collect();
                Ok(Term::Call { function: method.name.into(), arguments })
            }
        },
        _ => refused(span, "values as functions"),
    }
}

/// Arguments by position and by name.
type Arguments = (Vec<Term>, Vec<(Box<str>, Term)>);

fn arguments(list: &[CallArg<'_>], span: Span) -> Reading<Arguments> {
    let (mut by_position, mut named) = (Vec::new(), Vec::new());
    for argument in list {
        match argument {
            CallArg::Pos(expr) => by_position.push(term(expr)?),
            CallArg::Kwarg(name, expr) => named.push(((*name).into(), term(expr)?)),
            CallArg::PosSplat(_) | CallArg::KwargSplat(_) => return refused(span, "* and ** in arguments"),
        }
    }
    Ok((by_position, named))
}
