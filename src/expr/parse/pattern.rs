//! Regular expressions of conditions, compiled at their first use.

use std::sync::{Arc, OnceLock};

use regex::{Regex, RegexBuilder};

/// Bytes of a compiled pattern, and of its search states.
const MAX_COMPILED: usize = 1 << 20;

/// Valid regular expression, compiled at its first use, because most rules never need it and compiling one costs up to
/// 0.5 ms.
#[derive(Clone, Debug)]
pub struct Pattern {
    text: Arc<str>,
    regex: Arc<OnceLock<Result<Regex, String>>>,
}

impl Pattern {
    /// Parses a pattern.
    ///
    /// # Errors
    ///
    /// Returns the error in the pattern, in one line.
    pub fn new(text: &str) -> Result<Self, String> {
        match regex_syntax::Parser::new().parse(text) {
            Ok(_) => Ok(Self::tested(text)),
            Err(error) => Err(in_one_line(&error.to_string())),
        }
    }

    /// Takes a pattern that was parsed before.
    pub fn tested(text: &str) -> Self {
        Self { text: text.into(), regex: Arc::default() }
    }

    /// Returns the text as written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the compiled pattern.
    ///
    /// # Errors
    ///
    /// Returns an error if it becomes too large.
    pub fn regex(&self) -> Result<&Regex, String> {
        let build = || {
            let mut builder = RegexBuilder::new(&self.text);
            let built = builder.size_limit(MAX_COMPILED).dfa_size_limit(MAX_COMPILED).build();
            built.map_err(|error| in_one_line(&error.to_string()))
        };
        self.regex.get_or_init(build).as_ref().map_err(Clone::clone)
    }
}

fn in_one_line(error: &str) -> String {
    let last = error.lines().last().unwrap_or_default();
    format!("the pattern is not valid: {}", last.trim_start_matches("error: "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_patterns_fail_at_once_and_large_ones_at_their_first_use() {
        assert!(Pattern::new("a(b").unwrap_err().contains("unclosed group"));
        assert!(Pattern::new("a+").unwrap().regex().unwrap().is_match("xaa"));
        assert!(Pattern::new(r"\w{500}{500}").unwrap().regex().unwrap_err().contains("size limit"));
    }
}
