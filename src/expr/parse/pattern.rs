//! Regular expressions of conditions, compiled at their first use.

use std::sync::{Arc, OnceLock};

use regex::{Regex, RegexBuilder};

use crate::log::{RequiredLiteral, known_literal, required_literal_of};

/// Bytes of a compiled pattern, and of its search states.
const MAX_COMPILED: usize = 1 << 20;

/// Valid regular expression, compiled when a text has what each match of it contains: most rules never need it, and compiling one costs up
/// to 0.5 ms and 20 KB.
#[derive(Clone, Debug)]
pub struct Pattern {
    text: Arc<str>,
    literal: Arc<OnceLock<Option<RequiredLiteral>>>,
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
        Self { text: text.into(), literal: Arc::default(), regex: Arc::default() }
    }

    /// Returns the text as written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns whether a text matches.
    ///
    /// # Errors
    ///
    /// Returns an error if it becomes too large.
    pub fn is_match(&self, text: &str) -> Result<bool, String> {
        if self.may_match(text) { Ok(self.regex()?.is_match(text)) } else { Ok(false) }
    }

    /// Returns the compiled pattern if a text may match it; `None` also if it becomes too large.
    pub fn regex_for(&self, text: &str) -> Option<&Regex> {
        self.may_match(text).then(|| self.regex().ok()).flatten()
    }

    fn may_match(&self, text: &str) -> bool {
        self.regex.get().is_some() || self.literal().is_none_or(|literal| literal.is_in(text.as_bytes()))
    }

    fn literal(&self) -> Option<&RequiredLiteral> {
        let parse = || required_literal_of(&regex_syntax::parse(&self.text).ok()?);
        let find = || known_literal(&self.text).unwrap_or_else(parse);
        self.literal.get_or_init(find).as_ref()
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
    fn texts_without_the_literal_compile_nothing() {
        let pattern = Pattern::new("(?i)disk (full|gone)").unwrap();
        assert!(!pattern.is_match("disk is fine").unwrap());
        assert!(pattern.regex.get().is_none());
        assert!(pattern.is_match("a DISK Gone").unwrap() && !pattern.is_match("disk is fine").unwrap());
        assert!(Pattern::new("(?i)ok").unwrap().is_match("o\u{212a}").unwrap(), "the Kelvin sign is a k");
    }

    #[test]
    fn wrong_patterns_fail_at_once_and_large_ones_at_their_first_use() {
        assert!(Pattern::new("a(b").unwrap_err().contains("unclosed group"));
        assert!(Pattern::new("a+").unwrap().regex().unwrap().is_match("xaa"));
        assert!(Pattern::new(r"\w{500}{500}").unwrap().regex().unwrap_err().contains("size limit"));
    }
}
