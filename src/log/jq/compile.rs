//! Compiles the text of a filter; everything that might not end is refused by name.

use std::ops::Range;

use jaq_core::load::lex::StrPart;
use jaq_core::load::parse::{BinaryOp, Term};
use jaq_core::load::{Lexer, Parser, span};
use jaq_core::ops::Cmp;
use jaq_core::path::{Opt, Part, Path};
use serde_json::Value;

use super::error::FilterError;
use crate::log::pattern::expression::Expression;

/// Largest size of a filter, in bytes; it limits the nesting.
const MAX_LENGTH: usize = 1000;

/// Compiled expression.
#[derive(Debug)]
pub enum Node {
    Input,
    /// `..`
    Everything,
    Constant(Value),
    Path(Box<Node>, Vec<PathStep>),
    Pipe(Box<Node>, Box<Node>),
    /// `a, b`
    Both(Box<Node>, Box<Node>),
    /// `a // b`
    Otherwise(Box<Node>, Box<Node>),
    And(Box<Node>, Box<Node>),
    Or(Box<Node>, Box<Node>),
    Compare(Box<Node>, Cmp, Box<Node>),
    /// `a?`
    Try(Box<Node>),
    Select(Box<Node>),
    Any(Box<Node>, Box<Node>),
    All(Box<Node>, Box<Node>),
    Test(Box<Expression>),
    Contains(Value),
    StartsWith(String),
    EndsWith(String),
    Has(Value),
    Plain(Plain),
}

/// One part of a path.
#[derive(Debug)]
pub struct PathStep {
    pub part: Access,
    /// With `?`: an input without such a part gives no output.
    pub optional: bool,
}

#[derive(Debug)]
pub enum Access {
    Key(String),
    Index(i64),
    /// `[]`
    Each,
}

/// Functions without arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plain {
    Not,
    Length,
    Type,
    ToNumber,
    ToString,
    Downcase,
}

const PLAIN: [(&str, Plain); 6] = [
    ("not", Plain::Not),
    ("length", Plain::Length),
    ("type", Plain::Type),
    ("tonumber", Plain::ToNumber),
    ("tostring", Plain::ToString),
    ("ascii_downcase", Plain::Downcase),
];

/// All functions that a filter may call, for messages.
const FUNCTIONS: &str = "select, test, contains, startswith, endswith, has, any, all, not, length, type, tonumber, \
                         tostring, ascii_downcase";

/// The filter.
pub fn node(text: &str) -> Result<Node, FilterError> {
    if text.len() > MAX_LENGTH {
        return Err(FilterError { message: format!("a filter has at most {MAX_LENGTH} bytes"), range: 0..text.len() });
    }
    let tokens = Lexer::new(text).lex().map_err(|errors| {
        let first = errors.into_iter().next();
        first.map_or_else(|| whole(text), |(expected, at)| wrong(text, expected.as_str(), Some(at)))
    })?;
    let term = Parser::new(&tokens).parse(|parser| parser.term()).map_err(|errors| {
        let first = errors.into_iter().next();
        first.map_or_else(|| whole(text), |(expected, at)| wrong(text, expected.as_str(), at.map(|token| token.0)))
    })?;
    Compiler { text }.node(&term)
}

fn whole(text: &str) -> FilterError {
    FilterError { message: "this is not a jq filter".to_owned(), range: 0..text.len() }
}

fn wrong(text: &str, expected: &str, at: Option<&str>) -> FilterError {
    let range = at.map_or(text.len()..text.len(), |at| span(text, at));
    FilterError { message: format!("this is not a jq filter: expected {expected}"), range }
}

struct Compiler<'s> {
    text: &'s str,
}

type Compiled = Result<Node, FilterError>;

impl<'s> Compiler<'s> {
    fn refused<T>(&self, what: &str, place: Option<&'s str>) -> Result<T, FilterError> {
        let range: Range<usize> = place.map_or(0..self.text.len(), |part| span(self.text, part));
        Err(FilterError { message: format!("{what} cannot be used in conditions on lines"), range })
    }

    fn boxed(&self, term: &Term<&'s str>) -> Result<Box<Node>, FilterError> {
        self.node(term).map(Box::new)
    }

    fn node(&self, term: &Term<&'s str>) -> Compiled {
        if let Some(value) = constant(term) {
            return Ok(Node::Constant(value));
        }
        match term {
            Term::Id => Ok(Node::Input),
            Term::Recurse => Ok(Node::Everything),
            Term::Num(text) => self.refused("this number", Some(text)),
            Term::Str(Some(format), _) => self.refused(&format!("the format \"{format}\""), Some(format)),
            Term::Str(None, _) => self.refused("a text with \\(...) in it", None),
            Term::Arr(_) => self.refused("an array constructor ([...])", None),
            Term::Obj(_) => self.refused("an object constructor ({...})", None),
            Term::Neg(_) => self.refused("arithmetic (-)", None),
            Term::BinOp(left, operator, right) => self.operator(left, operator, right),
            Term::Label(name, _) => self.refused("\"label\"", Some(name)),
            Term::Break(name) => self.refused("\"break\"", Some(name)),
            Term::Fold(name, ..) => self.refused(&format!("\"{name}\""), Some(name)),
            Term::TryCatch(tried, None) => Ok(Node::Try(self.boxed(tried)?)),
            Term::TryCatch(_, Some(_)) => self.refused("\"catch\"", None),
            Term::IfThenElse(..) => self.refused("\"if\"", None),
            Term::Def(..) => self.refused("\"def\"", None),
            Term::Call(name, arguments) => self.call(name, arguments),
            Term::Var(name) => self.refused(&format!("the variable \"{name}\""), Some(name)),
            Term::Path(of, Path(parts)) => {
                let steps = parts.iter().map(|(part, optional)| self.step(part, *optional));
                Ok(Node::Path(self.boxed(of)?, steps.collect::<Result<_, _>>()?))
            }
        }
    }

    fn operator(&self, left: &Term<&'s str>, operator: &BinaryOp<&'s str>, right: &Term<&'s str>) -> Compiled {
        let make = match operator {
            BinaryOp::Pipe(None) => Node::Pipe,
            BinaryOp::Comma => Node::Both,
            BinaryOp::Alt => Node::Otherwise,
            BinaryOp::Or => Node::Or,
            BinaryOp::And => Node::And,
            BinaryOp::Cmp(comparison) => {
                return Ok(Node::Compare(self.boxed(left)?, *comparison, self.boxed(right)?));
            }
            BinaryOp::Pipe(Some(_)) => return self.refused("a variable (as)", None),
            BinaryOp::Math(operator) => return self.refused(&format!("arithmetic ({})", operator.as_str()), None),
            BinaryOp::Assign | BinaryOp::Update | BinaryOp::UpdateMath(_) | BinaryOp::UpdateAlt => {
                return self.refused("an assignment (such as = or |=; == compares)", None);
            }
        };
        Ok(make(self.boxed(left)?, self.boxed(right)?))
    }

    fn step(&self, part: &Part<Term<&'s str>>, optional: Opt) -> Result<PathStep, FilterError> {
        let part = match part {
            Part::Range(None, None) => Access::Each,
            Part::Range(..) => return self.refused("a slice ([a:b])", None),
            Part::Index(index) => match constant(index) {
                Some(Value::String(key)) => Access::Key(key),
                Some(Value::Number(number)) if number.is_i64() => Access::Index(number.as_i64().unwrap_or_default()),
                _ => return self.refused("a computed key (.[...])", None),
            },
        };
        Ok(PathStep { part, optional: matches!(optional, Opt::Optional) })
    }

    fn call(&self, name: &'s str, arguments: &[Term<&'s str>]) -> Compiled {
        match (name, arguments) {
            ("select", [condition]) => Ok(Node::Select(self.boxed(condition)?)),
            ("any" | "all", []) => Ok(quantified(name, each(), Box::new(Node::Input))),
            ("any" | "all", [condition]) => Ok(quantified(name, each(), self.boxed(condition)?)),
            ("any" | "all", [over, condition]) => Ok(quantified(name, self.boxed(over)?, self.boxed(condition)?)),
            ("test", [pattern]) => self.test(name, &self.fixed_text(name, pattern)?, ""),
            ("test", [pattern, flags]) => {
                let (pattern, flags) = (self.fixed_text(name, pattern)?, self.fixed_text(name, flags)?);
                self.test(name, &pattern, &flags)
            }
            ("contains", [part]) => Ok(Node::Contains(self.fixed(name, part)?)),
            ("startswith", [text]) => Ok(Node::StartsWith(self.fixed_text(name, text)?)),
            ("endswith", [text]) => Ok(Node::EndsWith(self.fixed_text(name, text)?)),
            ("has", [key]) => Ok(Node::Has(self.fixed(name, key)?)),
            (_, []) if PLAIN.iter().any(|(plain, _)| *plain == name) => {
                let found = PLAIN.iter().find(|(plain, _)| *plain == name);
                found.map_or_else(|| self.refused(name, Some(name)), |(_, plain)| Ok(Node::Plain(*plain)))
            }
            (_, arguments) => {
                let count = if arguments.is_empty() { String::new() } else { format!("/{}", arguments.len()) };
                let range = span(self.text, name);
                let message = format!(
                    "the function \"{name}{count}\" cannot be used in conditions on lines; there are: {FUNCTIONS}"
                );
                Err(FilterError { message, range })
            }
        }
    }

    fn fixed(&self, name: &'s str, argument: &Term<&'s str>) -> Result<Value, FilterError> {
        match constant(argument) {
            Some(value) => Ok(value),
            None => self.refused(&format!("an argument of \"{name}\" that is not fixed"), Some(name)),
        }
    }

    fn fixed_text(&self, name: &'s str, argument: &Term<&'s str>) -> Result<String, FilterError> {
        match self.fixed(name, argument)? {
            Value::String(text) => Ok(text),
            _ => self.refused(&format!("an argument of \"{name}\" that is not a text"), Some(name)),
        }
    }

    fn test(&self, name: &'s str, pattern: &str, flags: &str) -> Compiled {
        // `g` asks for all matches; one is enough here.
        if let Some(other) = flags.chars().find(|flag| !"gix".contains(*flag)) {
            return self.refused(&format!("the flag \"{other}\" of \"test\""), Some(name));
        }
        let inline: String = "ix".chars().filter(|flag| flags.contains(*flag)).collect();
        let pattern = if inline.is_empty() { pattern.to_owned() } else { format!("(?{inline}){pattern}") };
        match Expression::new(&pattern) {
            Ok(expression) => Ok(Node::Test(Box::new(expression))),
            Err(why) => {
                let message = format!("invalid regular expression: {why}");
                Err(FilterError { message, range: span(self.text, name) })
            }
        }
    }
}

/// `.[]`
fn each() -> Box<Node> {
    let step = PathStep { part: Access::Each, optional: false };
    Box::new(Node::Path(Box::new(Node::Input), vec![step]))
}

fn quantified(name: &str, over: Box<Node>, condition: Box<Node>) -> Node {
    if name == "any" { Node::Any(over, condition) } else { Node::All(over, condition) }
}

/// Returns the value of a term that is the same for all lines.
fn constant(term: &Term<&str>) -> Option<Value> {
    match term {
        Term::Str(None, parts) => text_of(parts).map(Value::String),
        Term::Num(text) => number(text),
        Term::Neg(of) => match &**of {
            Term::Num(text) => number(&format!("-{text}")),
            _ => None,
        },
        Term::Call("true", arguments) if arguments.is_empty() => Some(Value::Bool(true)),
        Term::Call("false", arguments) if arguments.is_empty() => Some(Value::Bool(false)),
        Term::Call("null", arguments) if arguments.is_empty() => Some(Value::Null),
        Term::Arr(None) => Some(Value::Array(Vec::new())),
        Term::Arr(Some(items)) => {
            let mut values = Vec::new();
            list(items, &mut values).map(|()| Value::Array(values))
        }
        Term::Obj(entries) => entries.iter().map(entry).collect::<Option<_>>().map(Value::Object),
        _ => None,
    }
}

/// `1, 2, 3`
fn list(term: &Term<&str>, values: &mut Vec<Value>) -> Option<()> {
    if let Term::BinOp(left, BinaryOp::Comma, right) = term {
        list(left, values)?;
        return list(right, values);
    }
    values.push(constant(term)?);
    Some(())
}

fn entry((key, value): &(Term<&str>, Option<Term<&str>>)) -> Option<(String, Value)> {
    match (constant(key)?, constant(value.as_ref()?)?) {
        (Value::String(key), value) => Some((key, value)),
        _ => None,
    }
}

fn number(text: &str) -> Option<Value> {
    let exact = serde_json::from_str::<serde_json::Number>(text).ok();
    let number = exact.or_else(|| text.parse().ok().and_then(serde_json::Number::from_f64));
    number.map(Value::Number)
}

fn text_of(parts: &[StrPart<&str, Term<&str>>]) -> Option<String> {
    let mut text = String::new();
    for part in parts {
        match part {
            StrPart::Str(part) => text.push_str(part),
            StrPart::Char(c) => text.push(*c),
            StrPart::Term(_) => return None,
        }
    }
    Some(text)
}
