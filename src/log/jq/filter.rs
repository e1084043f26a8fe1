//! A compiled filter and its verdict about a line.

use std::borrow::Cow;

use serde_json::Value;

use super::compile::{self, Node};
use super::error::FilterError;
use super::eval::{self, FilterRun, Stop};
use super::literal;

/// Number of steps for each line, in addition to one for each of its bytes.
const STEPS: usize = 100_000;

/// Verdict of a filter about a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::log) enum FilterVerdict {
    True,
    False,
    /// The line is nested too deep, or would take too many steps.
    Undecided,
}

/// A compiled filter.
#[derive(Debug)]
pub struct Filter {
    text: String,
    node: Node,
}

impl Filter {
    /// # Errors
    /// Reports the first part that is not jq, or that may not end.
    pub fn compile(text: &str) -> Result<Self, FilterError> {
        compile::node(text).map(|node| Self { text: text.to_owned(), node })
    }

    pub(in crate::log) fn text(&self) -> &str {
        &self.text
    }

    /// Returns a regular expression that every line matches for which the filter is true.
    pub fn pattern(&self) -> String {
        literal::required(&self.node).map_or_else(|| r"\{".to_owned(), |needed| needed.pattern())
    }

    /// Returns whether the JSON from the first brace on gives an output that is neither null nor false.
    pub(in crate::log) fn judge(&self, line: &[u8]) -> FilterVerdict {
        let json = memchr::memchr(b'{', line).and_then(|at| line.get(at..)).unwrap_or_default();
        let value: Value = match serde_json::from_str(&String::from_utf8_lossy(json)) {
            Ok(value) => value,
            Err(error) if error.to_string().starts_with("recursion limit") => return FilterVerdict::Undecided,
            Err(_) => return FilterVerdict::False,
        };
        let mut outputs = Vec::new();
        let mut run = FilterRun::new(STEPS.saturating_add(json.len()));
        let ended = run.node(&self.node, Cow::Borrowed(&value), &mut outputs);
        match ended {
            _ if outputs.iter().any(|output| eval::is_true(output)) => FilterVerdict::True,
            Err(Stop::Steps) => FilterVerdict::Undecided,
            Ok(()) | Err(Stop::Error) => FilterVerdict::False,
        }
    }
}
