//! Converts patterns in RE2 syntax, which CRE rules use, to the syntax of this crate.
//!
//! Both are close relatives. RE2 takes a brace that begins no repetition, and a bracket inside a class, for the sign
//! itself; it has `\Q...\E`, and lets any sign be escaped. Named groups would become captures, which CRE rules do not
//! have.

/// The pattern in our syntax; what is wrong in both stays wrong.
pub fn translated(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len() + 8);
    let mut rest = pattern;
    while let Some(c) = rest.chars().next() {
        let taken = match c {
            '\\' => escape(rest, &mut out),
            '[' => class(rest, &mut out),
            '{' if repetition(rest).is_none() => {
                out.push_str("\\{");
                1
            }
            '(' => group(rest, &mut out),
            _ => {
                out.push(c);
                c.len_utf8()
            }
        };
        rest = rest.get(taken..).unwrap_or_default();
    }
    out
}

/// A backslash with what it escapes; the bytes taken.
fn escape(rest: &str, out: &mut String) -> usize {
    if let Some(quoted) = rest.strip_prefix("\\Q") {
        let length = quoted.find("\\E").unwrap_or(quoted.len());
        out.push_str(&regex_syntax::escape(quoted.get(..length).unwrap_or_default()));
        return (2 + length + 2).min(rest.len());
    }
    match rest.chars().nth(1) {
        // Ours are the borders of words.
        Some(c @ ('<' | '>')) => {
            out.push(c);
            2
        }
        Some(c) => {
            out.push('\\');
            out.push(c);
            1 + c.len_utf8()
        }
        None => {
            out.push('\\');
            1
        }
    }
}

/// A class; brackets and doubled signs in it mean themselves.
fn class(rest: &str, out: &mut String) -> usize {
    out.push('[');
    let mut at = 1;
    if rest.get(at..).is_some_and(|rest| rest.starts_with('^')) {
        out.push('^');
        at += 1;
    }
    let start = at;
    while let Some(c) = rest.get(at..).and_then(|rest| rest.chars().next()) {
        let inside = rest.get(at..).unwrap_or_default();
        match c {
            ']' if at > start => {
                out.push(']');
                return at + 1;
            }
            '\\' => at += escape(inside, out),
            '[' if inside.starts_with("[:") && inside.contains(":]") => {
                let length = inside.find(":]").map_or(inside.len(), |end| end + 2);
                out.push_str(inside.get(..length).unwrap_or_default());
                at += length;
            }
            '[' | ']' | '&' | '~' => {
                out.push('\\');
                out.push(c);
                at += 1;
            }
            _ => {
                out.push(c);
                at += c.len_utf8();
            }
        }
    }
    rest.len()
}

/// The length of a repetition such as `{2}`, `{2,}` or `{2,5}`.
fn repetition(rest: &str) -> Option<usize> {
    let end = rest.find('}')?;
    let inside = rest.get(1..end)?;
    let (least, most) = inside.split_once(',').unwrap_or((inside, ""));
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    (!least.is_empty() && digits(least) && digits(most)).then_some(end + 1)
}

/// The beginning of a group, without its name.
fn group(rest: &str, out: &mut String) -> usize {
    for sign in ["(?P<", "(?<"] {
        let name = rest.strip_prefix(sign).filter(|name| !name.starts_with(['=', '!']));
        if let Some(end) = name.and_then(|name| name.find('>')) {
            out.push_str("(?:");
            return sign.len() + end + 1;
        }
    }
    out.push('(');
    1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_that_re2_reads_differently_are_rewritten() {
        for (theirs, ours) in [
            (r"a.*b\d{2,3}", r"a.*b\d{2,3}"),
            (r#"{"level":"error"}"#, r#"\{"level":"error"}"#),
            (r"x{,3}", r"x\{,3}"),
            (r"\Qa.b[\E+", r"a\.b\[+"),
            (r"\Qa.b", r"a\.b"),
            (r"\<b\>", "<b>"),
            (r"[[a&&b]", r"[\[a\&\&b]"),
            (r"[]a]", r"[\]a]"),
            (r"[^[:alpha:]\]]", r"[^[:alpha:]\]]"),
            (r"(?P<node>\w+) (?<x>y) (?i:z)", r"(?:\w+) (?:y) (?i:z)"),
            (r"ä\ö{", r"ä\ö\{"),
            ("[abc", "[abc"),
            ("\\", "\\"),
        ] {
            assert_eq!(translated(theirs), ours, "{theirs}");
        }
    }
}
