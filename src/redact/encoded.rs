//! Words of which the characters are encoded: `%2F`, `\x2d`, `\u002e`, and base64.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};

/// Signs before two hexadecimal digits; those within strings of JSON come first, since they contain the others.
const SIGNS: [&str; 5] = ["%", "\\\\x", "\\\\u00", "\\x", "\\u00"];
/// Shorter base64 holds no name that is worth its chance of being a word.
const SHORTEST: usize = 16;
/// Encodings within encodings.
pub const DEEPEST: usize = 3;

/// A word as it means.
pub struct Decoded<'t> {
    word: &'t str,
    pub meaning: String,
    form: Form,
}

enum Form {
    Escaped { sign: &'static str, bytes: BTreeSet<u8> },
    Base64,
}

impl<'t> Decoded<'t> {
    fn of(word: &'t str) -> Option<Self> {
        SIGNS.into_iter().find_map(|sign| Self::escaped(word, sign)).or_else(|| Self::base64(word))
    }

    fn escaped(word: &'t str, sign: &'static str) -> Option<Self> {
        let (mut bytes, mut meaning) = (BTreeSet::new(), Vec::with_capacity(word.len()));
        let (mut rest, mut is_escaped) = (word, false);
        while let Some(at) = rest.find(sign) {
            let (before, from) = rest.split_at(at);
            meaning.extend_from_slice(before.as_bytes());
            let digits = from.get(sign.len()..sign.len() + 2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
            let taken = match digits {
                Some(byte) => {
                    // These may stand in any word as they are, and a pseudonym is to look the same everywhere.
                    if !matches!(byte, b'-' | b'.' | b'_') {
                        bytes.insert(byte);
                    }
                    is_escaped = true;
                    meaning.push(byte);
                    sign.len() + 2
                }
                None => {
                    meaning.extend_from_slice(sign.as_bytes());
                    sign.len()
                }
            };
            rest = from.get(taken..).unwrap_or_default();
        }
        meaning.extend_from_slice(rest.as_bytes());
        let meaning = String::from_utf8(meaning).ok().filter(|_| is_escaped)?;
        Some(Self { word, meaning, form: Form::Escaped { sign, bytes } })
    }

    fn base64(word: &'t str) -> Option<Self> {
        let is_sign = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'-' | b'_' | b'=');
        if word.len() < SHORTEST || !word.bytes().all(is_sign) {
            return None;
        }
        let engines = [&STANDARD, &STANDARD_NO_PAD, &URL_SAFE, &URL_SAFE_NO_PAD];
        let meaning = engines.into_iter().find_map(|engine| String::from_utf8(engine.decode(word).ok()?).ok())?;
        let is_text = !meaning.contains(|c: char| c.is_control() && !c.is_whitespace() && c != '\x1b');
        is_text.then_some(Self { word, meaning, form: Form::Base64 })
    }

    /// Returns another meaning in the encoding of the word.
    fn encoded(&self, meaning: &str) -> String {
        match &self.form {
            Form::Base64 => STANDARD.encode(meaning),
            Form::Escaped { sign, bytes } => {
                let escaped = |c: char| match u8::try_from(c) {
                    Ok(byte) if bytes.contains(&byte) => format!("{sign}{byte:02x}"),
                    _ => c.to_string(),
                };
                meaning.chars().map(escaped).collect()
            }
        }
    }
}

/// Returns the encoded words of a text.
pub fn words(text: &str) -> impl Iterator<Item = Decoded<'_>> {
    let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '<' | '>' | '(' | ')' | ',' | ';');
    let parts = |word| std::iter::once(word).chain(parts(word));
    text.split(ends).filter(|word| word.len() > 3).flat_map(parts).filter_map(Decoded::of)
}

/// Returns the parts of a token (`a.b.c`) and the value of a key (`data=...`).
fn parts(word: &str) -> impl Iterator<Item = &str> {
    let value = |part| match str::split_once(part, '=') {
        Some((_, value)) if value.len() >= SHORTEST => value,
        _ => part,
    };
    word.split([':', '.']).map(value).filter(move |part| part.len() >= SHORTEST && part.len() < word.len())
}

/// Replaces encoded words whose meaning is replaced.
pub fn rewritten(text: &str, replaced: &dyn Fn(&str) -> String) -> String {
    let mut out = text.to_owned();
    for word in words(text) {
        let new = replaced(&word.meaning);
        if new != word.meaning {
            out = out.replace(word.word, &word.encoded(&new));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        rewritten(text, &|meaning| meaning.replace("a.b", "NAME"))
    }

    #[test]
    fn encoded_words_are_replaced_in_their_encoding() {
        assert_eq!(shown("at https%3A%2F%2Fa%2Eb%3A443/x now"), "at https%3a%2f%2fNAME%3a443%2fx now");
        assert_eq!(shown(r"unit dev-a\x2eb.mount"), "unit dev-NAME.mount");
        assert_eq!(shown(r#"{"x":"a\u002eb"}"#), r#"{"x":"NAME"}"#);
        assert_eq!(shown(r#""{\"x\":\"a\\u002eb\"}""#), r#""{\"x\":\"NAME\"}""#);
        let packed = STANDARD.encode("host a.b is down");
        assert_eq!(shown(&format!("data={packed}")), format!("data={}", STANDARD.encode("host NAME is down")));
        for text in ["100% of 5%zz", "aGVsbG8gd29ybGQgaXQ=", "a-word-without-any-meaning", "%ff%fe"] {
            assert_eq!(shown(text), text);
        }
    }
}
