//! Explains, in the author's terms, where YAML reads something else than the author of a rule meant.

use std::ops::Range;

use crate::model::message::DocumentProblem;
use crate::rule::error::{Code, Diagnostics};
use crate::yaml::Problem;

/// Advice for values that YAML would misread.
const IN_QUOTES: &str = "put the expression in double quotes or on the next line after >-";

/// Reports a file that is not valid YAML; knows the usual reasons.
pub fn syntax(diagnostics: &mut Diagnostics, problem: &Problem) {
    let place = ProblemPlace::of(diagnostics.text(), problem);
    let message = plain(&problem.message);
    match place.reason() {
        Some((code, range, message, hint)) => diagnostics.report(code, range, message).hint(hint),
        None => {
            let hint = advice(&message);
            let error = diagnostics.report(Code::Yaml, place.exact, message);
            if let Some(hint) = hint {
                error.hint(hint);
            }
        }
    }
}

/// Returns the usual cause of a message of the parser.
fn advice(message: &str) -> Option<&'static str> {
    if message.contains("escape character") {
        return Some("put it in single quotes, in which a backslash is literal");
    }
    if message.contains("block collection") || message.contains("block mapping") {
        return Some(
            "check the indentation: the items of a list, and the keys of a mapping, must start in the same column",
        );
    }
    if message.contains("mapping values are not allowed") {
        return Some("check the indentation: the keys of a mapping must start in the same column");
    }
    message.contains("quoted scalar").then_some("a quote in this line or above is not closed")
}

/// The tag that a value begins with, if it does; `key_end` is where its key ends.
pub fn tag(text: &str, key_end: usize) -> Option<Range<usize>> {
    let rest = text.get(key_end..)?;
    let line = rest.get(..rest.find('\n').unwrap_or(rest.len()))?;
    let value = line.trim_start_matches(['"', '\'']).trim_start().strip_prefix(':')?.trim_start();
    let start = key_end + line.len() - value.len();
    value.starts_with('!').then(|| start..start + value.trim_end().len())
}

/// Reports a value that begins with `!`.
pub fn report_tag(diagnostics: &mut Diagnostics, range: Range<usize>) {
    let message = "YAML reads a value that begins with ! as a tag and drops it";
    diagnostics.report(Code::Trap, range, message).hint(IN_QUOTES);
}

/// Advice for an expression that YAML cut off at ` #`: a plain value with an open quote before a comment.
pub fn comment(text: &str, value: Range<usize>) -> Option<&'static str> {
    let (written, rest) = (text.get(value.clone())?, text.get(value.end..)?);
    let line = rest.get(..rest.find('\n').unwrap_or(rest.len()))?;
    let plain = !written.starts_with(['"', '\'', '|', '>']);
    let open = ['"', '\''].iter().any(|quote| written.matches(*quote).count() % 2 == 1);
    let cut = plain && open && line.trim_start().starts_with('#');
    cut.then_some("in YAML, \" #\" begins a comment; put the expression in double quotes")
}

/// The place of a problem: its line, the value on it, and the character at which the parser stopped.
struct ProblemPlace<'a> {
    line: &'a str,
    line_start: usize,
    exact: Range<usize>,
}

type Explanation = (Code, Range<usize>, String, &'static str);

impl<'a> ProblemPlace<'a> {
    fn of(text: &'a str, problem: &Problem) -> Self {
        let number = usize::try_from(problem.line).unwrap_or(1).saturating_sub(1);
        let line_start = text.split_inclusive('\n').take(number).map(str::len).sum::<usize>();
        let line = text.get(line_start..).and_then(|rest| rest.lines().next()).unwrap_or_default();
        let offset = character(&problem.message).and_then(|n| text.char_indices().nth(n)).map(|(at, _)| at);
        let start = offset.unwrap_or(line_start + line.len() - line.trim_start().len());
        let end = if offset.is_some() { start + 1 } else { line_start + line.len() };
        Self { line, line_start, exact: start..end }
    }

    /// The usual reason for a problem on such a line.
    fn reason(&self) -> Option<Explanation> {
        if self.line.starts_with([' ', '\t']) && self.line.trim_start_matches(' ').starts_with('\t') {
            let message = "a tab in the indentation".to_owned();
            return Some((Code::Yaml, self.exact.clone(), message, "indent with spaces"));
        }
        let value = self.value();
        let start = self.line_start + self.line.len() - value.len();
        let range = start..start + value.trim_end().len();
        let (message, hint) = misread(value.trim_end())?;
        Some((Code::Trap, range, message, hint))
    }

    /// The text after `key:` or `-` on the line.
    fn value(&self) -> &'a str {
        let mut rest = self.line.trim_start();
        while let Some(item) = rest.strip_prefix("- ") {
            rest = item.trim_start();
        }
        let key = rest.find(": ").filter(|at| !rest[..*at].contains(['"', '\'', '{', '[', ' ']));
        key.map_or(rest, |at| rest[at + 1..].trim_start())
    }
}

/// Returns why YAML cannot read a value, and how to write it.
fn misread(value: &str) -> Option<(String, &'static str)> {
    let first = value.chars().next()?;
    if matches!(first, '"' | '\'') && text_after_quotes(value) {
        let message = "YAML ends the value at its closing quote, but more follows";
        return Some((message.to_owned(), IN_QUOTES));
    }
    if value.starts_with("{{") {
        return Some((
            "YAML reads {{ at the beginning as a mapping".to_owned(),
            "put the text in double quotes or after >-",
        ));
    }
    if matches!(first, '*' | '&' | '!' | '%' | '@' | '`') {
        return Some((
            format!("in YAML, {first} at the beginning of a value has a special meaning"),
            "put the value in double quotes",
        ));
    }
    if value.contains(" ? ") && value.contains(" : ") {
        return Some(("YAML reads the \": \" of \"a ? b : c\" as a key".to_owned(), IN_QUOTES));
    }
    if first == '{' {
        let message = "YAML cannot read the content between { and }";
        return Some((
            message.to_owned(),
            "put values with , : [ ] { } in double quotes, or write each key on its own line",
        ));
    }
    if first == '[' {
        let message = "YAML reads [ at the beginning as a list, but more follows";
        return Some((message.to_owned(), IN_QUOTES));
    }
    let colon = value.contains(": ").then(|| "YAML reads \": \" inside a value as a key".to_owned());
    colon.map(|message| (message, "put the value in double quotes or on the next line after >-"))
}

/// Returns whether anything but a comment follows the closing quote of a quoted value.
fn text_after_quotes(value: &str) -> bool {
    let Some(quote) = value.chars().next() else { return false };
    let mut characters = value.char_indices().skip(1);
    while let Some((at, c)) = characters.next() {
        if c == '\\' && quote == '"' {
            characters.next();
        } else if c == quote {
            let rest = value[at + 1..].trim();
            return !rest.is_empty() && !rest.starts_with(['#', ',', '}', ']']);
        }
    }
    false
}

/// The message without the place.
fn plain(problem: &DocumentProblem) -> String {
    match problem {
        DocumentProblem::InvalidYaml { error, .. } => format!("invalid YAML: {error}"),
        other => other.to_string(),
    }
}

/// The character at which the parser stopped, from 0.
fn character(problem: &DocumentProblem) -> Option<usize> {
    match problem {
        DocumentProblem::InvalidYaml { character, .. } => Some(*character),
        _ => None,
    }
}
