//! Compiles how hits and events are selected, grouped and counted: patterns, captures, `by`, durations.

use jiff::SignedDuration;

use crate::expr::Pattern;
use crate::log::{AtLeast, Counting, GroupKey, validate, written_captures};
use crate::rule::check::fact_fields::EVENT_FIELDS;
use crate::rule::compile::compiler::Compiler;
use crate::rule::error::{Code, did_you_mean};
use crate::rule::source::fact::{AtLeastSource, GroupSource};
use crate::rule::source::reader::Written;

/// Words in `by` that are no captures.
const SOURCES: [&str; 3] = ["node", "pod", "source"];

impl Compiler<'_> {
    /// Patterns with all names of their captures.
    pub fn patterns(&mut self, written: &[Written]) -> (Option<Vec<Pattern>>, Vec<String>) {
        let captures = self.captures(written, &EVENT_FIELDS);
        let Some(captures) = captures else { return (None, Vec::new()) };
        let tested = self.tested;
        let read = |written: &Written| match tested {
            true => Some(Pattern::tested(&written.text)),
            false => Pattern::new(&written.text).ok().filter(|pattern| pattern.regex().is_ok()),
        };
        let read: Option<Vec<Pattern>> = written.iter().map(read).collect();
        if read.is_none() {
            let range = written.first().map_or(0..0, |first| first.range.clone());
            self.diagnostics.report(Code::Pattern, range, "the pattern becomes too large when compiled");
        }
        (read, captures)
    }

    /// Names of all captures of some patterns, each once, in their order; none when a pattern is wrong.
    pub fn captures(&mut self, patterns: &[Written], fields: &[&str]) -> Option<Vec<String>> {
        let mut names: Vec<String> = Vec::new();
        let mut good = true;
        for written in patterns {
            let found = if self.tested { Ok(written_captures(&written.text)) } else { validate(&written.text) };
            match found {
                Ok(found) => {
                    good &= self.check_captures(written, &found, fields);
                    names.extend(found.into_iter().filter(|name| !names.contains(name)).collect::<Vec<_>>());
                }
                Err(message) => {
                    good = false;
                    self.pattern_error(written, &message);
                }
            }
        }
        good.then_some(names)
    }

    fn pattern_error(&mut self, written: &Written, message: &str) {
        let (what, range) = match message.split_once(", at character ") {
            Some((what, place)) => (what, self.character(written, place)),
            None => (message, written.range.clone()),
        };
        let message = format!("invalid regular expression: {}", what.replace('`', "\""));
        let hint = match what {
            _ if what.contains("look-around") || what.contains("backreference") => {
                "match more of the line instead, or use except"
            }
            _ if what.contains("duplicate capture") => "give every capture of a pattern a different name",
            _ => {
                "put a backslash before special characters that are meant literally, such as \\( \\[ \\{ \\. \\+ \\* \\?"
            }
        };
        self.diagnostics.report(Code::Pattern, range, message).hint(hint);
    }

    /// The place of the character that a message names by its number.
    fn character(&self, written: &Written, place: &str) -> std::ops::Range<usize> {
        let number = place.split(' ').next().and_then(|n| n.parse::<usize>().ok());
        let found = number.and_then(|n| written.text.char_indices().nth(n.checked_sub(1)?));
        found.map_or_else(
            || written.range.clone(),
            |(at, c)| written.part(self.diagnostics.text(), at..at + c.len_utf8()),
        )
    }

    /// A capture must not hide what every group has.
    fn check_captures(&mut self, written: &Written, names: &[String], fields: &[&str]) -> bool {
        let taken = |name: &&String| fields.iter().chain(&SOURCES).any(|field| field == name);
        let Some(name) = names.iter().find(taken) else { return true };
        let at = written.text.find(&format!("<{name}>")).map_or(0, |at| at + 1);
        let range = written.part(self.diagnostics.text(), at..at + name.len());
        let message = format!("a capture cannot be called \"{name}\": groups already have a field .{name}");
        self.diagnostics
            .report(Code::ReservedName, range, message)
            .hint(format!("call it {name}_found or use another name"));
        false
    }

    /// `since`, `within` or `after_boot`; the inner none is "not written".
    pub fn duration(&mut self, written: Option<&Written>) -> Option<Option<SignedDuration>> {
        let Some(written) = written else { return Some(None) };
        let parsed = duration(&written.text);
        if parsed.is_none() {
            let message = format!("\"{}\" is not a duration", written.text);
            self.diagnostics
                .report(Code::Duration, written.range.clone(), message)
                .hint("write one such as 90s, 30m, 24h or 3d4h");
        }
        parsed.map(Some)
    }

    /// Keys of one group; the inner none is the default.
    pub fn by(&mut self, groups: &GroupSource, captures: &[String]) -> Option<Option<Vec<GroupKey>>> {
        let Some(by) = &groups.by else { return Some(None) };
        let keys: Vec<Option<GroupKey>> = by.iter().map(|written| self.group_key(written, captures)).collect();
        keys.into_iter().collect::<Option<_>>().map(Some)
    }

    fn group_key(&mut self, written: &Written, captures: &[String]) -> Option<GroupKey> {
        match written.text.as_str() {
            "node" => Some(GroupKey::Node),
            "pod" => Some(GroupKey::Pod),
            "source" => Some(GroupKey::Source),
            name if captures.iter().any(|capture| capture == name) => Some(GroupKey::Capture(name.to_owned())),
            _ => {
                self.unknown_capture(written, captures, &SOURCES);
                None
            }
        }
    }

    fn unknown_capture(&mut self, written: &Written, captures: &[String], more: &[&str]) {
        let known: Vec<&str> = captures.iter().map(String::as_str).chain(more.iter().copied()).collect();
        let near = did_you_mean(&written.text, known.iter().copied());
        let message = format!("no pattern captures \"{}\"{near}", written.text);
        let hint = if known.is_empty() {
            "a pattern captures with (?<name>...)".to_owned()
        } else {
            format!("it may be: {}", known.join(", "))
        };
        self.diagnostics.report(Code::UnboundName, written.range.clone(), message).hint(hint);
    }

    /// `distinct` or `max`; the inner none is "not written".
    pub fn capture(&mut self, written: Option<&Written>, captures: &[String]) -> Option<Option<String>> {
        let Some(written) = written else { return Some(None) };
        if captures.contains(&written.text) {
            return Some(Some(written.text.clone()));
        }
        self.unknown_capture(written, captures, &[]);
        None
    }

    /// Conditions on a group: size, time, distinct values.
    pub fn counting(&mut self, groups: &GroupSource, captures: &[String]) -> Option<Counting> {
        let at_least = self.at_least(groups, captures);
        let within = self.duration(groups.within.as_ref());
        let distinct = self.capture(groups.distinct.as_ref(), captures);
        let max = self.capture(groups.max.as_ref(), captures);
        Some(Counting { at_least: at_least?, within: within?, distinct: distinct?, max: max? })
    }

    fn at_least(&mut self, groups: &GroupSource, captures: &[String]) -> Option<Option<AtLeast>> {
        match &groups.at_least {
            None => Some(None),
            Some(AtLeastSource::Hits(count)) => Some(Some(AtLeast::Hits(*count))),
            Some(AtLeastSource::Distinct(capture, count)) => {
                if !captures.contains(&capture.text) {
                    self.unknown_capture(capture, captures, &[]);
                    return None;
                }
                Some(Some(AtLeast::Distinct(capture.text.clone(), *count)))
            }
        }
    }
}

/// One key for each capture.
pub fn captured(names: &[String]) -> Vec<GroupKey> {
    names.iter().cloned().map(GroupKey::Capture).collect()
}

/// A duration such as `90s`, `24h` or `3d4h`.
pub fn duration(text: &str) -> Option<SignedDuration> {
    offset(text).filter(SignedDuration::is_positive)
}

/// The same, which may be zero or go back: `-30s`.
pub fn offset(text: &str) -> Option<SignedDuration> {
    let span: jiff::Span = text.parse().ok()?;
    span.to_duration(jiff::SpanRelativeTo::days_are_24_hours()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_days() {
        assert_eq!(duration("3d4h"), Some(SignedDuration::from_hours(76)));
        assert_eq!(duration("90s"), Some(SignedDuration::from_secs(90)));
        for text in ["", "24", "h", "-3h", "3 months", "yesterday", "0s"] {
            assert_eq!(duration(text), None, "{text}");
        }
    }
}
