//! Patterns of lines.

use std::ops::Range;

use regex::bytes::{Regex, RegexBuilder};

use crate::log::Page;

/// Largest compiled pattern, in bytes.
const LARGEST: usize = 16 << 20;

/// Parts of a pattern whose meaning depends on where the text begins and ends, or that change what `^` and `$` mean.
const OF_WHOLE_TEXT: [&str; 3] = ["\\A", "\\z", "(?"];

/// The reason why a pattern cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("bad pattern: {0}; -F takes it as plain text")]
pub struct PatternError(String);

/// Pattern that is looked for in lines.
#[derive(Clone, Debug)]
pub struct Pattern {
    regex: Regex,
    /// True if lines must be looked at one by one.
    line_by_line: bool,
}

impl Pattern {
    /// Compiles a regular expression, or a plain text.
    ///
    /// # Errors
    /// Says what is wrong with the expression.
    pub fn new(text: &str, is_plain: bool, ignores_case: bool) -> Result<Self, PatternError> {
        let expression = if is_plain { regex::escape(text) } else { text.to_owned() };
        let regex = RegexBuilder::new(&expression)
            .multi_line(true)
            .case_insensitive(ignores_case)
            .size_limit(LARGEST)
            .build()
            .map_err(|error| PatternError(error.to_string()))?;
        let line_by_line = !is_plain && OF_WHOLE_TEXT.iter().any(|part| text.contains(part));
        Ok(Self { regex, line_by_line })
    }

    /// Returns true if it matches a line.
    fn is_match(&self, line: &[u8]) -> bool {
        self.regex.is_match(line)
    }

    /// Returns the lines of a page that match, in their order.
    ///
    /// All of a page is searched at once, which is faster by far than to look at each line. A match that goes beyond its line is no match
    /// of the line, so each line that is found is tried alone; a line that matches alone has a match that begins in it, so none is missed.
    pub fn matches(&self, page: &Page<'_>) -> Vec<Range<usize>> {
        let text = page.text();
        let of = |line: &Range<usize>| text.get(line.clone()).unwrap_or_default();
        if self.line_by_line {
            return page.lines().filter(|line| self.is_match(of(line))).collect();
        }
        let (mut found, mut at) = (Vec::new(), page.start());
        while at < text.len()
            && let Some(start) =
                self.regex.find_at(text, at).map(|found| found.start()).filter(|start| *start < text.len())
        {
            let line = page.around(start);
            at = line.end + 1;
            if self.is_match(of(&line)) {
                found.push(line);
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;
    use crate::log::{Clock, LineReader, LogSource, SourceOrigin};

    /// Numbers of the lines that match.
    fn lines(pattern: &str, text: &str) -> Vec<u64> {
        let pattern = Pattern::new(pattern, false, false).unwrap();
        let source = LogSource { entry: "x.log".into(), origin: SourceOrigin::File };
        let mut found = Vec::new();
        LineReader::new(&source, Clock::default()).read(&mut text.as_bytes(), &mut |page| {
            for line in pattern.matches(page) {
                found.push(page.place(&line).number);
            }
            ControlFlow::Continue(())
        });
        found
    }

    #[test]
    fn a_line_matches_as_if_it_were_alone() {
        let text = "one two\n\nthree\n two\nend two";
        for (pattern, want) in [
            ("two", vec![1, 4, 5]),
            ("^two", vec![]),
            ("two$", vec![1, 4, 5]),
            ("^$", vec![2]),
            ("^", vec![1, 2, 3, 4, 5]),
            ("", vec![1, 2, 3, 4, 5]),
            ("x*", vec![1, 2, 3, 4, 5]),
            ("three\\s+two", vec![]),
            ("two\\s*three|three", vec![3]),
            ("\\Aend", vec![5]),
            ("e\\z", vec![3]),
            ("(?-m)^one|^end", vec![1, 5]),
            ("(?s)e.*o", vec![1, 5]),
            ("[^x]+end", vec![]),
            ("\\bthree\\b", vec![3]),
        ] {
            assert_eq!(lines(pattern, text), want, "{pattern}");
            let lines_alone = text
                .lines()
                .enumerate()
                .filter(|(_, line)| Pattern::new(pattern, false, false).unwrap().is_match(line.as_bytes()));
            assert_eq!(want, lines_alone.map(|(at, _)| at as u64 + 1).collect::<Vec<_>>(), "{pattern}");
        }
    }

    #[test]
    fn pages_have_no_borders() {
        let text: String =
            (0..60_000).map(|n| format!("line {n} {}\n", if n % 7 == 0 { "hit" } else { "miss" })).collect();
        let found = lines("hit$", &text);
        assert_eq!(found.len(), 60_000_usize.div_ceil(7));
        assert!(found.iter().all(|number| (number - 1) % 7 == 0));
    }

    #[test]
    fn plain_texts_and_bad_patterns() {
        assert!(Pattern::new("a.b(", true, false).unwrap().is_match(b"xa.b("));
        assert!(!Pattern::new("a.b", true, false).unwrap().is_match(b"axb"));
        assert!(Pattern::new("error", false, true).unwrap().is_match(b"ERROR"));
        let error = Pattern::new("a(", false, false).unwrap_err().to_string();
        assert!(error.starts_with("bad pattern: ") && error.ends_with("; -F takes it as plain text"), "{error}");
    }
}
