//! Looks at the words of expressions without evaluating them, for checks that need to know what a name means.

use std::ops::Range;

/// An expression with its texts in quotes blanked; as long as the expression.
pub fn expression_code(text: &str) -> String {
    let mut code = text.as_bytes().to_vec();
    let mut at = 0;
    while let Some(&byte) = code.get(at) {
        at = if matches!(byte, b'\'' | b'"') { blank_quoted(&mut code, at) } else { at + 1 };
    }
    ascii(code)
}

/// Blanks the quoted text that begins at `start`; returns where to go on.
fn blank_quoted(code: &mut [u8], start: usize) -> usize {
    let quote = code.get(start).copied();
    let raw = start.checked_sub(1).and_then(|before| code.get(before)).is_some_and(|b| matches!(b, b'r' | b'R'));
    let mut at = start + 1;
    while let Some(&byte) = code.get(at) {
        if Some(byte) == quote {
            break;
        }
        at += if byte == b'\\' && !raw { 2 } else { 1 };
    }
    let end = (at + 1).min(code.len());
    code[start..end].fill(b'"');
    end
}

/// Bytes that are not ASCII become blanks, so that the result has the same length.
fn ascii(code: Vec<u8>) -> String {
    code.into_iter().map(|b| if b.is_ascii() { char::from(b) } else { ' ' }).collect()
}

/// A name in code that is not a field of something, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word<'c> {
    pub name: &'c str,
    pub range: Range<usize>,
}

/// The names in code: facts, functions, variables.
pub fn words(code: &str) -> Vec<Word<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = code.get(at..).and_then(|rest| rest.find(begins_word)).map(|n| at + n) {
        let end = word_end(code, start);
        let before = code[..start].trim_end();
        let number = code[..start].ends_with(|c: char| c.is_ascii_digit());
        if !before.ends_with('.') && !number {
            found.push(Word { name: &code[start..end], range: start..end });
        }
        at = end;
    }
    found
}

/// The parts of an expression that must all hold; one when it is not a plain chain of `&&`.
pub fn conjuncts(text: &str) -> Vec<&str> {
    let code = expression_code(text);
    let Some(signs) = top_level(&code) else { return vec![text] };
    let mut parts = Vec::new();
    let mut start = 0;
    for at in signs.iter().filter(|at| code[**at..].starts_with("&&")) {
        parts.push(text[start..*at].trim());
        start = at + 2;
    }
    parts.push(text[start..].trim());
    parts
}

/// The two sides of an expression that is one equality.
pub fn equality(text: &str) -> Option<(&str, &str)> {
    let code = expression_code(text);
    let signs = top_level(&code)?;
    let [at] = signs.as_slice() else { return None };
    code[*at..].starts_with("==").then(|| (text[..*at].trim(), text[at + 2..].trim()))
}

/// Places of `&&`, `==` and other comparisons outside brackets; none if `||` or `?` is outside brackets.
fn top_level(code: &str) -> Option<Vec<usize>> {
    let mut depth = 0_usize;
    let mut found = Vec::new();
    let mut skip = 0;
    for (at, byte) in code.bytes().enumerate() {
        if at < skip {
            continue;
        }
        let two = code.get(at..at + 2).unwrap_or_default();
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b'|' | b'?' if depth == 0 => return None,
            _ if depth > 0 => {}
            b'&' | b'=' | b'!' | b'<' | b'>' if matches!(two, "&&" | "==" | "!=" | "<=" | ">=") => {
                found.push(at);
                skip = at + 2;
            }
            b'<' | b'>' => found.push(at),
            _ => {}
        }
    }
    Some(found)
}

fn begins_word(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

fn word_end(code: &str, start: usize) -> usize {
    let length = code[start..].find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    length.map_or(code.len(), |length| start + length)
}

/// The key that was meant where a word follows a field and `-` or `/` without a blank: `labels.app-name`, `at` the last.
pub fn key_with_sign(text: &str, at: usize) -> Option<&str> {
    let (before, after) = (text.get(..at)?, text.get(at..)?);
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '/');
    let start = before.trim_end_matches(is_part).len();
    let field = before.strip_suffix(['-', '/'])?;
    let follows_field = text.get(..start)?.ends_with('.') && start < field.len();
    let end = at + after.find(|c| !is_part(c)).unwrap_or(after.len());
    follows_field.then(|| text.get(start..end)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(code: &str) -> Vec<&str> {
        words(code).into_iter().map(|w| w.name).collect()
    }

    #[test]
    fn quoted_text_is_no_code() {
        let text = r#"pod.x == 'a \' b' && r'\' == "ä""#;
        let code = expression_code(text);
        assert_eq!(code.len(), text.len());
        assert_eq!(names(&code), ["pod", "r"]);
    }

    #[test]
    fn conjuncts_and_equalities_are_found_outside_brackets() {
        assert_eq!(conjuncts("a == 'x && y' && (b && c) && d"), ["a == 'x && y'", "(b && c)", "d"]);
        assert_eq!(conjuncts("a && b || c"), ["a && b || c"]);
        assert_eq!(equality("self.a == f(x == y)"), Some(("self.a", "f(x == y)")));
        assert_eq!(equality("a == b == c"), None);
        assert_eq!(equality("a >= b"), None);
        assert_eq!(equality("a ? b == c : d"), None);
    }

    #[test]
    fn keys_with_signs_are_seen() {
        let key = |text: &str| key_with_sign(text, text.find('N').unwrap()).map(str::to_owned);
        assert_eq!(key("pod.labels.app-Name == 1"), Some("app-Name".to_owned()));
        assert_eq!(key("a.b.shop/Name-x"), Some("shop/Name-x".to_owned()));
        for text in ["a.b - Name", "a.b -Name", "b-Name", "Name", "a.Name", "(a.b)-Name", ".-Name"] {
            assert_eq!(key(text), None, "{text}");
        }
    }
}
