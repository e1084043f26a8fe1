//! Filters of jq as conditions on lines that hold JSON.
//!
//! The grammar is that of crate `jaq-core`; evaluation is ours, and only of what is known to end: paths, comparisons,
//! tests of texts. A line is judged within a number of steps that grows with its length. [`Filter::pattern`] is what
//! the scan looks for: a text that every line must hold for which the filter can be true.

mod compile;
mod eval;
mod literal;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::ops::Range;

use serde_json::Value;

use compile::Node;
use eval::{Run, Stop};

/// Steps for each line, beside one for each of its bytes.
const STEPS: usize = 100_000;

/// What is wrong with a filter.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct FilterError {
    pub message: String,
    /// In bytes of the filter.
    pub range: Range<usize>,
}

/// Whether a line fulfils a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
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
    /// The first thing that is not of jq, or that may not end.
    pub fn compile(text: &str) -> Result<Self, FilterError> {
        compile::node(text).map(|node| Self { text: text.to_owned(), node })
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// A regular expression that every line matches for which the filter is true.
    pub fn pattern(&self) -> String {
        literal::required(&self.node).map_or_else(|| r"\{".to_owned(), |needed| needed.pattern())
    }

    /// Whether the JSON from the first brace on gives an output that is neither null nor false.
    pub(super) fn judge(&self, line: &[u8]) -> Verdict {
        let json = memchr::memchr(b'{', line).and_then(|at| line.get(at..)).unwrap_or_default();
        let value: Value = match serde_json::from_str(&String::from_utf8_lossy(json)) {
            Ok(value) => value,
            Err(error) if error.to_string().starts_with("recursion limit") => return Verdict::Undecided,
            Err(_) => return Verdict::False,
        };
        let mut outputs = Vec::new();
        let mut run = Run::new(STEPS.saturating_add(json.len()));
        let ended = run.node(&self.node, Cow::Borrowed(&value), &mut outputs);
        match ended {
            _ if outputs.iter().any(|output| eval::is_true(output)) => Verdict::True,
            Err(Stop::Steps) => Verdict::Undecided,
            Ok(()) | Err(Stop::Error) => Verdict::False,
        }
    }
}
