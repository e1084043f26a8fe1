//! The text of an ordinary rule that means the same as a CRE rule.
//!
//! A set of one term without counts and negates is a log fact; everything else is a sequence, whose lines must be of
//! one log. Texts are carried over with the signs of templates escaped.

use std::fmt::Write;

use jiff::SignedDuration;

use super::read::{Condition, Cre, Negate, Term};
use super::sources::Product;

/// Beginning of the text of each rule that was made.
pub const MADE: &str = "# Made by gleaner from ";

/// A shorter text alone is in many lines that mean nothing.
const TELLING: usize = 24;

/// The rule.
pub fn rule(cre: &Cre, product: &Product) -> String {
    let mut out = format!("{MADE}{}.\n", cre.id);
    let title = if cre.title.is_empty() { &cre.id } else { &cre.title };
    line(&mut out, "id", &cre.id.to_ascii_lowercase());
    line(&mut out, "aliases", &format!("[{}]", quoted(&cre.id)));
    line(&mut out, "title", &quoted(&escaped(title)));
    line(&mut out, "severity", severity(cre.severity));
    line(&mut out, "confidence", if is_telling(cre) { "likely" } else { "hint" });
    line(&mut out, "area", &product.area);
    out.push_str("find:\n");
    if let [Term { condition, count: 1 }] = cre.terms.as_slice()
        && cre.negates.is_empty()
    {
        fact(&mut out, "lines", condition, product);
    } else {
        sequence(&mut out, cre, product);
    }
    let found = "{{ lines.count }} times, last in";
    let seen = if is_plain(cre) {
        format!("{found} {{{{ lines.source }}}}.")
    } else {
        format!("{found} {{{{ lines.{}.source }}}}.", step_name(0))
    };
    texts(&mut out, cre, &seen);
    out
}

fn is_plain(cre: &Cre) -> bool {
    matches!(cre.terms.as_slice(), [Term { count: 1, .. }]) && cre.negates.is_empty()
}

/// Returns whether the condition is more specific than a word that any program may write.
fn is_telling(cre: &Cre) -> bool {
    match cre.terms.as_slice() {
        [Term { condition: Condition::Value(text), .. }] => text.len() >= TELLING,
        _ => true,
    }
}

fn severity(level: u8) -> &'static str {
    match level {
        0 => "critical",
        1 => "high",
        2 => "medium",
        3 => "low",
        _ => "info",
    }
}

/// `name: {log, match}` with an indent of two.
fn fact(out: &mut String, name: &str, condition: &Condition, product: &Product) {
    let _ = writeln!(out, "  {name}:\n    log: {}", product.log);
    matching(out, "    ", condition);
}

fn sequence(out: &mut String, cre: &Cre, product: &Product) {
    out.push_str("  lines:\n    sequence:\n");
    if let Some(window) = cre.window {
        let _ = writeln!(out, "      within: {}", quoted(&span(window)));
    }
    if !cre.ordered {
        out.push_str("      order: any\n");
    }
    out.push_str("      steps:\n");
    for (position, (condition, count)) in merged(cre).into_iter().enumerate() {
        step(out, &step_name(position), condition, product);
        if count > 1 {
            let _ = writeln!(out, "          at_least: {count}");
        }
    }
    for (position, negate) in cre.negates.iter().enumerate() {
        step(out, &format!("not_{}", position + 1), &negate.condition, product);
        absent(out, negate);
    }
    out.push_str("    by: [source]\n");
}

/// The terms with their counts: equal neighbours of a sequence, and equal terms of a set, are one.
fn merged(cre: &Cre) -> Vec<(&Condition, usize)> {
    let mut merged: Vec<(&Condition, usize)> = Vec::new();
    for Term { condition, count } in &cre.terms {
        let among = if cre.ordered { merged.len().saturating_sub(1) } else { 0 };
        let known = merged.iter_mut().skip(among).find(|(other, _)| *other == condition);
        match known {
            Some((_, sum)) => *sum += count,
            None => merged.push((condition, *count)),
        }
    }
    merged
}

fn step_name(position: usize) -> String {
    format!("line_{}", position + 1)
}

fn step(out: &mut String, name: &str, condition: &Condition, product: &Product) {
    let _ = writeln!(out, "        - name: {name}\n          log: {}", product.log);
    matching(out, "          ", condition);
}

fn absent(out: &mut String, negate: &Negate) {
    out.push_str("          absent: true\n");
    if negate.anchor > 0 {
        let _ = writeln!(out, "          anchor: {}", negate.anchor);
    }
    for (key, value) in [("slide", negate.slide), ("within", negate.window)] {
        if !value.is_zero() {
            let _ = writeln!(out, "          {key}: {}", quoted(&span(value)));
        }
    }
}

fn matching(out: &mut String, indent: &str, condition: &Condition) {
    let pattern = match condition {
        Condition::Value(text) => regex_syntax::escape(text),
        Condition::Regex(pattern) => pattern.clone(),
        Condition::Jq(filter) => {
            let _ = writeln!(out, "{indent}jq: {}", quoted(filter));
            return;
        }
    };
    if crosses_lines(condition) {
        // The lines of an entry are one text, in which a point matches any character.
        let _ = writeln!(out, "{indent}match: {}\n{indent}multiline: true", quoted(&format!("(?s){pattern}")));
    } else {
        let _ = writeln!(out, "{indent}match: {}", quoted(&pattern));
    }
}

/// Returns whether a pattern may match several lines together and none of them alone.
fn crosses_lines(condition: &Condition) -> bool {
    let Condition::Regex(pattern) = condition else { return false };
    pattern.contains('.') && pattern.replace("\\.", "").contains('.')
        || pattern.contains("\\s")
        || pattern.contains("[^")
}

fn texts(out: &mut String, cre: &Cre, seen: &str) {
    let or = |text: &str, else_: &str| escaped(if text.is_empty() { else_ } else { text });
    block(out, "message", &format!("{}\n{seen}", or(&cre.description, &cre.title)));
    block(out, "impact", &or(&cre.impact, "The rule does not describe it."));
    block(out, "cause", &or(&cre.cause, "The rule does not describe it."));
    out.push_str("remedy:\n");
    let steps = or(&cre.mitigation, "Check the lines and the links.");
    let _ = writeln!(out, "  - do: {}", scalar(&steps, "      "));
    let is_link = |link: &&String| {
        let rest = link.strip_prefix("https://").or_else(|| link.strip_prefix("http://"));
        rest.is_some_and(|rest| !rest.is_empty() && !rest.contains(char::is_whitespace))
    };
    let links: Vec<String> = cre.references.iter().filter(is_link).map(|link| quoted(link)).collect();
    if !links.is_empty() {
        let _ = writeln!(out, "links: [{}]", links.join(", "));
    }
}

fn line(out: &mut String, key: &str, value: &str) {
    let _ = writeln!(out, "{key}: {value}");
}

fn block(out: &mut String, key: &str, text: &str) {
    let _ = writeln!(out, "{key}: {}", scalar(text, "  "));
}

/// A text that a template prints as it is.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let sign = ["{{", "{%", "{#"].into_iter().find(|sign| from.starts_with(sign));
        match sign {
            Some(sign) => {
                let _ = write!(out, "{{{{ '{sign}' }}}}");
                rest = from.get(2..).unwrap_or_default();
            }
            None => {
                out.push('{');
                rest = from.get(1..).unwrap_or_default();
            }
        }
    }
    out.push_str(rest);
    out
}

/// A text of several lines as a block, of one line in quotes.
fn scalar(text: &str, indent: &str) -> String {
    let clean = |line: &str| !line.contains(|c: char| c.is_control() || c == '\u{feff}') && !line.ends_with(' ');
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let plain = lines.iter().all(|line| clean(line))
        && lines.first().is_some_and(|line| !line.is_empty() && !line.starts_with(' '));
    if lines.len() < 2 || !plain {
        return quoted(text);
    }
    let shown = lines.iter().map(|line| if line.is_empty() { String::new() } else { format!("{indent}{line}") });
    format!("|-\n{}", shown.collect::<Vec<_>>().join("\n"))
}

/// A text in quotes: single ones, which leave backslashes alone, where they can.
fn quoted(text: &str) -> String {
    if text.contains(|c: char| c.is_control() || c == '\u{feff}' || c == '\u{2028}' || c == '\u{2029}') {
        serde_json::Value::from(text).to_string()
    } else {
        format!("'{}'", text.replace('\'', "''"))
    }
}

/// Writes a duration in the syntax of our rules: `1m 30s`, `-2s`.
fn span(duration: SignedDuration) -> String {
    let sign = if duration.is_negative() { "-" } else { "" };
    format!("{sign}{:#}", duration.abs())
}
