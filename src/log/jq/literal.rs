//! Texts of which a line must contain one for a filter to be true.
//!
//! As for patterns, they may be too lax, but never too strict. JSON can write a character in several ways, so only characters that are
//! always written as themselves are used: no quotes, no backslashes, nothing that encoders may escape.

use jaq_core::ops::Cmp;
use serde_json::Value;

use super::compile::{Access, Node, PathStep, Plain};
use super::eval::is_true;

/// Largest size of a text; longer ones only make the search larger.
const MAX_LENGTH: usize = 48;
/// Largest number of alternatives that is still cheap to search for.
const MAX_ALTERNATIVES: usize = 16;

/// Texts of which a line contains one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Needed {
    texts: Vec<String>,
    ignore_case: bool,
}

impl Needed {
    /// Returns the longest part of a text that JSON writes as it is.
    fn text(text: &str) -> Option<Self> {
        let plain = |c: char| (c.is_ascii_graphic() && !"\"\\/<>&'+`".contains(c)) || c == ' ';
        let longest = text.split(|c| !plain(c)).rev().max_by_key(|run| run.len())?;
        let run = longest.get(..longest.len().min(MAX_LENGTH)).filter(|run| !run.is_empty())?;
        Some(Self { texts: vec![run.to_owned()], ignore_case: false })
    }

    fn or(mut self, other: Self) -> Option<Self> {
        self.texts.extend(other.texts.into_iter().filter(|text| !self.texts.contains(text)).collect::<Vec<_>>());
        self.ignore_case |= other.ignore_case;
        (self.texts.len() <= MAX_ALTERNATIVES).then_some(self)
    }

    fn weight(&self) -> usize {
        self.texts.iter().map(String::len).min().unwrap_or(0)
    }

    pub fn pattern(&self) -> String {
        let case = if self.ignore_case { "(?i)" } else { "" };
        let texts: Vec<String> = self.texts.iter().map(|text| regex_syntax::escape(text)).collect();
        format!("{case}{}", texts.join("|"))
    }
}

/// Returns the texts that a line needs for an output that is neither null nor false.
pub fn required(node: &Node) -> Option<Needed> {
    let mut needed = when_true(node)?;
    needed.ignore_case |= folds(node);
    Some(needed)
}

/// Returns the better one of two needs that both hold.
fn both(first: Option<Needed>, second: Option<Needed>) -> Option<Needed> {
    match (first, second) {
        (Some(first), Some(second)) => Some(if second.weight() > first.weight() { second } else { first }),
        (first, second) => first.or(second),
    }
}

fn either(first: Option<Needed>, second: Option<Needed>) -> Option<Needed> {
    first?.or(second?)
}

/// Returns the texts that are needed for a true output, if the input is a part of the line.
fn when_true(node: &Node) -> Option<Needed> {
    match node {
        Node::Path(of, steps) => both(when_there(of), keys(steps).filter(|_| is_of_line(of))),
        Node::Pipe(left, right) => both(when_there(left), when_true(right).filter(|_| is_of_line(left))),
        Node::Both(left, right) | Node::Otherwise(left, right) | Node::Or(left, right) => {
            either(when_true(left), when_true(right))
        }
        Node::And(left, right) => both(when_true(left), when_true(right)),
        Node::Compare(left, comparison, right) => match (&**left, &**right) {
            (left, Node::Constant(value)) => compared(left, *comparison, value),
            (Node::Constant(value), right) if matches!(comparison, Cmp::Eq) => compared(right, Cmp::Eq, value),
            _ => None,
        },
        Node::Try(of) | Node::Select(of) => when_true(of),
        Node::Any(over, condition) => both(when_there(over), when_true(condition).filter(|_| is_of_line(over))),
        Node::Test(expression) => {
            let literal = expression.literal()?;
            let texts = literal.alternatives.iter().map(|text| Needed::text(&String::from_utf8_lossy(text)));
            let needed = texts.reduce(either).flatten()?;
            Some(Needed { ignore_case: literal.ignore_case, ..needed })
        }
        Node::Contains(value) => contained(value),
        Node::StartsWith(text) | Node::EndsWith(text) | Node::Has(Value::String(text)) => Needed::text(text),
        _ => None,
    }
}

/// Returns the texts that are needed for any output at all.
fn when_there(node: &Node) -> Option<Needed> {
    match node {
        Node::Path(of, _) | Node::Try(of) => when_there(of),
        Node::Pipe(left, right) => both(when_there(left), when_there(right).filter(|_| is_of_line(left))),
        Node::Select(condition) => when_true(condition),
        _ => None,
    }
}

/// A key at the end of a path must be in the line; an absent one gives null.
fn keys(steps: &[PathStep]) -> Option<Needed> {
    let keys = steps.iter().map(|step| match &step.part {
        Access::Key(key) => Needed::text(key),
        Access::Index(_) | Access::Each => None,
    });
    keys.reduce(both).flatten()
}

fn compared(value: &Node, comparison: Cmp, constant: &Value) -> Option<Needed> {
    match comparison {
        Cmp::Eq => {
            let text = constant.as_str().filter(|_| is_of_line(value)).and_then(Needed::text);
            let there = if is_true(constant) { when_true(value) } else { None };
            both(text, there)
        }
        // null and false are less than all numbers, texts, lists and objects.
        Cmp::Gt | Cmp::Ge if is_true(constant) => when_true(value),
        _ => None,
    }
}

fn contained(value: &Value) -> Option<Needed> {
    match value {
        Value::String(text) => Needed::text(text),
        Value::Array(items) => items.iter().map(contained).reduce(both).flatten(),
        Value::Object(entries) => {
            entries.iter().map(|(key, value)| both(Needed::text(key), contained(value))).reduce(both).flatten()
        }
        _ => None,
    }
}

/// Returns whether all texts that a node gives are in the line, apart from their case.
fn is_of_line(node: &Node) -> bool {
    match node {
        Node::Input | Node::Everything | Node::Select(_) | Node::Plain(Plain::Downcase) => true,
        Node::Path(of, _) | Node::Try(of) => is_of_line(of),
        Node::Pipe(left, right) | Node::Both(left, right) | Node::Otherwise(left, right) => {
            is_of_line(left) && is_of_line(right)
        }
        _ => false,
    }
}

/// Returns whether case is changed anywhere.
fn folds(node: &Node) -> bool {
    match node {
        Node::Plain(plain) => *plain == Plain::Downcase,
        Node::Path(of, _) | Node::Try(of) | Node::Select(of) => folds(of),
        Node::Pipe(left, right)
        | Node::Both(left, right)
        | Node::Otherwise(left, right)
        | Node::And(left, right)
        | Node::Or(left, right)
        | Node::Compare(left, _, right)
        | Node::Any(left, right)
        | Node::All(left, right) => folds(left) || folds(right),
        _ => false,
    }
}
