//! Differences between a case and its expected result, by name, field by field.

use std::fmt;

/// A case with an unexpected result.
#[derive(Debug)]
pub struct Failure {
    pub file: String,
    pub case: String,
    pub differences: Vec<Difference>,
}

/// One kind of difference.
#[derive(Debug, PartialEq, Eq)]
pub enum Difference {
    /// A finding that was not expected.
    Noisy(String),
    /// An expected finding that did not occur, with the closest match.
    Missing { what: String, near: Option<String> },
    /// A finding or an answer of the rule that differs from the expected one.
    Wrong { what: String, fields: Vec<FieldDifference> },
    /// The case could not be run.
    Broken(String),
}

/// A field that differs.
#[derive(Debug, PartialEq, Eq)]
pub struct FieldDifference {
    pub field: &'static str,
    pub expected: String,
    pub found: String,
    /// True if the field only had to contain the expected text.
    pub part: bool,
}

impl Failure {
    /// Returns the failure of a file that could not be run.
    pub fn broken(file: &str, message: &str) -> Self {
        Self { file: file.to_owned(), case: String::new(), differences: vec![Difference::Broken(message.to_owned())] }
    }
}

impl FieldDifference {
    /// Returns the difference of a field.
    pub fn of(field: &'static str, expected: impl Into<String>, found: impl Into<String>) -> Self {
        Self { field, expected: expected.into(), found: found.into(), part: false }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file)?;
        if !self.case.is_empty() {
            write!(f, ": {}", self.case)?;
        }
        self.differences.iter().try_for_each(|difference| write!(f, "\n  {difference}"))
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Noisy(text) => write!(f, "noisy: {text}"),
            Self::Missing { what, near } => {
                write!(f, "missing: {what}")?;
                near.iter().try_for_each(|near| write!(f, "\n    nearest miss: {near}"))
            }
            Self::Wrong { what, fields } => {
                write!(f, "wrong: {what}")?;
                let width = fields.iter().map(|field| field.field.len()).max().unwrap_or(0);
                fields.iter().try_for_each(|field| field.write(f, width))
            }
            Self::Broken(text) => write!(f, "broken: {text}"),
        }
    }
}

impl FieldDifference {
    /// Writes two lines, and for texts a mark under both at the point where they differ.
    fn write(&self, f: &mut fmt::Formatter<'_>, width: usize) -> fmt::Result {
        if !self.part {
            write!(f, "\n    {:width$}  expected  {}", self.field, self.expected)?;
            return write!(f, "\n    {:width$}  found     {}", "", self.found);
        }
        let (start, common) = alike(&self.expected, &self.found);
        let cut = if start > 0 { "…" } else { "" };
        let found: String = self.found.chars().skip(start).collect();
        write!(f, "\n    {:width$}  expected  {:pad$}{}", self.field, "", self.expected, pad = cut.chars().count())?;
        write!(f, "\n    {:width$}  found     {cut}{found}", "")?;
        let column = cut.chars().count() + common;
        write!(f, "\n    {:width$}            {:column$}^", "", "")
    }
}

/// Returns the position and the length of the longest beginning of `part` in a text, in characters.
fn alike(part: &str, text: &str) -> (usize, usize) {
    /// Limit that keeps long texts cheap; later positions are not compared.
    const LOOKED_AT: usize = 20_000;
    let (part, text): (Vec<char>, Vec<char>) = (part.chars().collect(), text.chars().take(LOOKED_AT).collect());
    let common = |start: usize| text.iter().skip(start).zip(&part).take_while(|(a, b)| a == b).count();
    let lengths = (0..text.len()).map(|start| (start, common(start)));
    // The first of equal ones.
    lengths.rev().max_by_key(|(_, length)| *length).filter(|(_, length)| *length > 0).unwrap_or((0, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(expected: &str, found: &str) -> FieldDifference {
        FieldDifference { part: true, ..FieldDifference::of("message", expected, found) }
    }

    #[test]
    fn fields_are_aligned_and_texts_marked_where_they_part() {
        let fields = vec![
            FieldDifference::of("severity", "critical", "high"),
            part("1 of 3 replicas", "Degraded. 1 of 2 replicas."),
            part("ünlike", "other"),
        ];
        let wrong = Difference::Wrong { what: "x Pod/p".to_owned(), fields };
        let shown = "wrong: x Pod/p\n    \
                     severity  expected  critical\n              found     high\n    \
                     message   expected   1 of 3 replicas\n              found     …1 of 2 replicas.\n                              ^\n    \
                     message   expected  ünlike\n              found     other\n                        ^";
        assert_eq!(wrong.to_string(), shown);
    }

    #[test]
    fn the_longest_beginning_is_found() {
        assert_eq!(alike("abc", "xabyabc"), (4, 3));
        assert_eq!(alike("abd", "abcabc"), (0, 2));
        assert_eq!(alike("x", ""), (0, 0));
    }

    #[test]
    fn a_missing_finding_names_the_nearest_miss() {
        let missing = Difference::Missing { what: "x".to_owned(), near: Some("Pod/p: not a == 1".to_owned()) };
        assert_eq!(missing.to_string(), "missing: x\n    nearest miss: Pod/p: not a == 1");
    }
}
