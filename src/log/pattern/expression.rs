//! One regular expression of a rule: read when a log needs it unless it must be checked, compiled when a line needs it.
//!
//! Patterns see bytes: `.` is any byte but a newline and `\w`, `\d`, `\s` are ASCII, so damaged
//! UTF-8 cannot hide a hit. Only a pattern that needs Unicode (`\p{L}`, `[äö]`) is compiled with it.

use std::sync::OnceLock;

use regex::bytes::{Regex, RegexBuilder};
use regex_syntax::hir::{Class, Hir, HirKind};

use crate::log::pattern::built_in;
use crate::log::pattern::literal::{self, RequiredLiteral};
use crate::log::pattern::syntax::{MAX_NESTING, parse};

/// Largest size of a compiled pattern, in bytes.
const MAX_PROGRAM: usize = 4 << 20;
/// Number of states up to which a pattern is known to fit into [`MAX_PROGRAM`] without compiling it.
const SURE_STATES: usize = 4000;

/// Index of an [`Expression`] in its pattern set.
pub(in crate::log) type ExpressionId = usize;

/// Checks a pattern and names its captures, in their order.
///
/// # Errors
/// Describes the fault and its position.
pub fn validate(pattern: &str) -> Result<Vec<String>, String> {
    let read = Expression::new(pattern)?;
    Ok(read.captures().map(|(_, name)| name.to_owned()).collect())
}

/// Names the captures of a valid pattern, in the order in which they are written. It does not parse the pattern:
/// parsing all patterns for their names was a tenth of the start of the program.
pub fn written_captures(pattern: &str) -> Vec<String> {
    let name = |(at, sign): (usize, &str)| {
        let rest = pattern.get(at + sign.len()..)?;
        Some(rest.strip_prefix('P').unwrap_or(rest).strip_prefix('<')?.split_once('>')?.0.to_owned())
    };
    pattern.match_indices("(?").filter_map(name).collect()
}

/// One pattern, ready to be searched for.
#[derive(Debug)]
pub(in crate::log) struct Expression {
    text: String,
    syntax: OnceLock<Syntax>,
    literal: OnceLock<Option<RequiredLiteral>>,
    regex: OnceLock<Option<Regex>>,
}

/// What follows from the syntax of a pattern.
#[derive(Debug, Default)]
struct Syntax {
    unicode: bool,
    names: Vec<(usize, String)>,
    literal: Option<RequiredLiteral>,
    /// Number of states, generously.
    states: usize,
}

impl Syntax {
    fn read(pattern: &str) -> Result<Self, String> {
        let parsed = parse(pattern)?;
        let mut names = Vec::new();
        capture_names(&parsed.hir, &mut names);
        names.sort();
        Ok(Self {
            unicode: parsed.unicode,
            names,
            literal: literal::required_literal_of(&parsed.hir),
            states: states(&parsed.hir),
        })
    }
}

impl Expression {
    /// Checks a pattern.
    pub fn new(pattern: &str) -> Result<Self, String> {
        let expression = Self::checked(pattern);
        let syntax = Syntax::read(pattern)?;
        let is_large = expression.syntax.get_or_init(|| syntax).states > SURE_STATES;
        if is_large && expression.regex().is_none() {
            return Err("the pattern is too large: its repetitions need too many states".to_owned());
        }
        Ok(expression)
    }

    /// Takes a pattern that was checked before: it is read when it is first needed. Reading all patterns of the library took an
    /// eighth of the start of the program.
    pub fn checked(pattern: &str) -> Self {
        Self { text: pattern.to_owned(), syntax: OnceLock::new(), literal: OnceLock::new(), regex: OnceLock::new() }
    }

    fn syntax(&self) -> &Syntax {
        self.syntax.get_or_init(|| Syntax::read(&self.text).unwrap_or_default())
    }

    /// Returns the compiled pattern; `None` if it is too large after all.
    pub fn regex(&self) -> Option<&Regex> {
        self.regex.get_or_init(|| self.compile()).as_ref()
    }

    /// Returns whether it was needed and could not be compiled.
    pub fn is_unusable(&self) -> bool {
        matches!(self.regex.get(), Some(None))
    }

    fn compile(&self) -> Option<Regex> {
        let mut builder = RegexBuilder::new(&self.text);
        builder.unicode(self.syntax().unicode).nest_limit(MAX_NESTING).size_limit(MAX_PROGRAM);
        builder.build().ok()
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn is_match(&self, text: &[u8]) -> bool {
        self.regex().is_some_and(|regex| regex.is_match(text))
    }

    /// Returns group number and name of each named capture.
    pub fn captures(&self) -> impl Iterator<Item = (usize, &str)> {
        self.syntax().names.iter().map(|(group, name)| (*group, name.as_str()))
    }

    pub fn has_captures(&self) -> bool {
        !self.syntax().names.is_empty()
    }

    /// Returns true if its matches contain so much fixed text that hardly another program writes it.
    pub fn is_telling(&self) -> bool {
        self.literal().is_some_and(RequiredLiteral::is_telling)
    }

    pub fn literal(&self) -> Option<&RequiredLiteral> {
        let find = || built_in::known_literal(&self.text).unwrap_or_else(|| self.syntax().literal.clone());
        self.literal.get_or_init(find).as_ref()
    }
}

fn capture_names(hir: &Hir, names: &mut Vec<(usize, String)>) {
    match hir.kind() {
        HirKind::Capture(capture) => {
            if let Some(name) = &capture.name {
                names.push((capture.index as usize, name.to_string()));
            }
            capture_names(&capture.sub, names);
        }
        HirKind::Repetition(repetition) => capture_names(&repetition.sub, names),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().for_each(|part| capture_names(part, names));
        }
        HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) | HirKind::Look(_) => {}
    }
}

/// Estimates the states of a compiled pattern, generously.
fn states(hir: &Hir) -> usize {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => 1,
        HirKind::Literal(literal) => literal.0.len(),
        HirKind::Class(Class::Bytes(_)) => 1,
        HirKind::Class(Class::Unicode(class)) => 1 + 4 * class.ranges().len(),
        HirKind::Capture(capture) => 2 + states(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().fold(1usize, |sum, part| sum.saturating_add(states(part)))
        }
        HirKind::Repetition(repetition) => {
            let copies = repetition.max.unwrap_or(repetition.min).max(repetition.min).max(1) as usize;
            states(&repetition.sub).saturating_add(2).saturating_mul(copies)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captures_are_named_in_order() {
        let names = validate(r"(?<ns>\w+)/(?P<pod>[^ ]+)(x(?<rest>.*))?").unwrap();
        assert_eq!(names, ["ns", "pod", "rest"]);
        assert_eq!(written_captures(r"(?i)(?<ns>\w+)/(?P<pod>[^ ]+)(?:x(?<rest>.*))?"), names);
    }

    #[test]
    fn errors_have_positions() {
        let error = validate(r"volume (?<v>x").unwrap_err();
        assert_eq!(error, "unclosed group, at character 8 (`(`) of the pattern");
        assert!(validate(r"a(?=b)").unwrap_err().contains("look-around"), "{}", validate(r"a(?=b)").unwrap_err());
        assert!(validate(r"ab\").unwrap_err().contains("end of the pattern") || validate(r"ab\").is_err());
        assert!(validate(r"(?<a>x)|(?<a>y)").unwrap_err().contains("duplicate"));
    }

    #[test]
    fn large_patterns_are_refused() {
        assert!(validate(r"(?:\w{1000}){1000}").unwrap_err().contains("too large"));
        assert!(validate(&"(".repeat(5000)).is_err());
        assert!(validate(&format!("{}a{}", "(?:".repeat(500), ")".repeat(500))).is_err());
        assert!(validate(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}").is_ok());
    }

    #[test]
    fn patterns_see_bytes_unless_unicode_is_needed() {
        assert!(Expression::new("a.*b").unwrap().is_match(b"a\xff\xfeb"));
        assert!(!Expression::new(r"^\w$").unwrap().is_match("ä".as_bytes()));
        assert!(Expression::new(r"^\p{L}$").unwrap().is_match("ä".as_bytes()));
        assert!(Expression::new("größe").unwrap().is_match("die größe".as_bytes()));
    }
}
