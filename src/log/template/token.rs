//! Words of a message, without what varies from line to line.
//!
//! A word is a run of letters, digits and the signs that join them (`-`, `.`, `/`, `:` ...). It varies if it has a digit, is a
//! path, is long, stands alone in quotes, or is the value of a key other than those that hold a message.

use memchr::memchr;

use super::severity::exception;

/// Stands in a template for what varies.
pub const VARIES: &str = "<*>";

/// Bytes of a message that are read; the rest seldom says anything new.
const MAX_MESSAGE: usize = 1024;
/// Words that are read.
pub(super) const MAX_WORDS: usize = 64;
/// A longer word is a name or a value.
const MAX_WORD: usize = 40;
/// Longest value in quotes that is left out as one.
const MAX_VALUE: usize = 200;

const WORD: u8 = 1;
const DIGIT: u8 = 2;
const SLASH: u8 = 4;

const CLASS: [u8; 256] = {
    let mut class = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        class[byte] = match byte as u8 {
            b'0'..=b'9' => WORD | DIGIT,
            b'/' => WORD | SLASH,
            b'a'..=b'z'
            | b'A'..=b'Z'
            | b'_'
            | b'-'
            | b'.'
            | b':'
            | b'@'
            | b'%'
            | b'+'
            | b'~'
            | b'*'
            | b'&'
            | b'$'
            | 128.. => WORD,
            _ => 0,
        };
        byte += 1;
    }
    class
};

/// Part of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'m> {
    Word(&'m [u8]),
    /// A word before `=`: it names a value and says nothing itself.
    Key(&'m [u8]),
    /// One or several words that vary.
    Varies,
}

/// Calls `each` with the tokens of the parts of a message.
pub(super) fn walk<'m>(parts: [&'m [u8]; 2], mut each: impl FnMut(Token<'m>)) {
    let mut walker = Walker { left: MAX_WORDS, varied: false, each: &mut each };
    parts.into_iter().for_each(|part| walker.part(part.get(..MAX_MESSAGE).unwrap_or(part)));
}

/// Returns a hash of level-free tokens: equal for lines of one template.
pub(super) fn hash(parts: [&[u8]; 2]) -> u64 {
    let mut hash = 0x51_7C_C1_B7_27_22_0A_95;
    walk(parts, |token| {
        hash = match token {
            Token::Word(word) | Token::Key(word) => mix(hash, word),
            Token::Varies => (hash ^ 0xFF).wrapping_mul(FACTOR).rotate_left(23),
        };
    });
    hash
}

const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

/// Adds a word. The last bytes are read with those before them, because a loop over single bytes took a quarter of the time.
fn mix(mut hash: u64, word: &[u8]) -> u64 {
    hash ^= word.len() as u64;
    let (chunks, tail) = word.as_chunks::<8>();
    for chunk in chunks {
        hash = (hash ^ u64::from_le_bytes(*chunk)).wrapping_mul(FACTOR).rotate_left(29);
    }
    if tail.is_empty() { hash } else { (hash ^ last_bytes(word)).wrapping_mul(FACTOR).rotate_left(29) }
}

/// Returns the last eight bytes of a word, all of a shorter one.
fn last_bytes(word: &[u8]) -> u64 {
    if let Some(last) = word.last_chunk::<8>() {
        return u64::from_le_bytes(*last);
    }
    match (word.first_chunk::<4>(), word.last_chunk::<4>()) {
        (Some(first), Some(last)) => u64::from(u32::from_le_bytes(*first)) << 32 | u64::from(u32::from_le_bytes(*last)),
        _ => word.iter().fold(0, |all, byte| (all << 8) | u64::from(*byte)),
    }
}

struct Walker<'e, F> {
    left: usize,
    /// True if the last token varies.
    varied: bool,
    each: &'e mut F,
}

impl<'m, F: FnMut(Token<'m>)> Walker<'_, F> {
    fn part(&mut self, text: &'m [u8]) {
        let (mut at, mut key): (usize, &[u8]) = (0, &[]);
        while let Some(byte) = text.get(at)
            && self.left > 0
        {
            let class = CLASS[usize::from(*byte)];
            if class == 0 {
                at = self.sign(text, at, *byte, key);
                continue;
            }
            let (start, mut seen) = (at, 0);
            while let Some(byte) = text.get(at)
                && CLASS[usize::from(*byte)] != 0
            {
                seen |= CLASS[usize::from(*byte)];
                at += 1;
            }
            let is_value = start > 0 && text.get(start - 1) == Some(&b'=') && !holds_message(key);
            key = text.get(start..at).unwrap_or_default();
            let is_key = text.get(at) == Some(&b'=');
            if is_value { self.varies() } else { self.word(key, seen, is_key) }
        }
    }

    /// Passes a byte between words, or a value in quotes; returns the position behind it.
    fn sign(&mut self, text: &'m [u8], at: usize, byte: u8, key: &[u8]) -> usize {
        if byte != b'"' || at == 0 {
            return at + 1;
        }
        let before = text.get(..at).unwrap_or_default();
        let before = before.strip_suffix(b"\\").unwrap_or(before);
        let is_value = before.ends_with(b"=") && !holds_message(key);
        let rest = text.get(at + 1..).unwrap_or_default();
        let rest = rest.get(..MAX_VALUE).unwrap_or(rest);
        let has_blank = |length| rest.get(..length).unwrap_or_default().contains(&b' ');
        let alone = |length| length > 1 && !before.ends_with(b"=") && !has_blank(length);
        match memchr(b'"', rest) {
            Some(length) if is_value || alone(length) => {
                self.varies();
                at + length + 2
            }
            _ => at + 1,
        }
    }

    fn varies(&mut self) {
        if !std::mem::replace(&mut self.varied, true) {
            self.left -= 1;
            (self.each)(Token::Varies);
        }
    }

    fn word(&mut self, word: &'m [u8], seen: u8, is_key: bool) {
        let word = trimmed(word);
        // The package before the class of an exception may be long.
        let word = if word.len() > MAX_WORD { exception(word).unwrap_or(word) } else { word };
        let is_path = seen & SLASH != 0 && word.len() > 5;
        if seen & DIGIT != 0 || is_path || word.len() > MAX_WORD {
            self.varies();
        } else if !word.is_empty() {
            self.varied = false;
            self.left -= 1;
            (self.each)(if is_key { Token::Key(word) } else { Token::Word(word) });
        }
    }
}

/// Removes signs that only join words.
fn trimmed(word: &[u8]) -> &[u8] {
    let joins = |byte: &u8| !byte.is_ascii_alphanumeric() && byte.is_ascii();
    let start = word.iter().position(|byte| !joins(byte)).unwrap_or(word.len());
    let end = word.iter().rposition(|byte| !joins(byte)).map_or(start, |at| at + 1);
    word.get(start..end).unwrap_or_default()
}

/// Returns true for keys whose values say what happened.
fn holds_message(key: &[u8]) -> bool {
    matches!(key, b"msg" | b"message" | b"error" | b"err" | b"reason" | b"cause" | b"stderr" | b"output" | b"level")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(message: &str) -> String {
        let mut words = Vec::new();
        walk([message.as_bytes(), b""], |token| {
            words.push(match token {
                Token::Word(word) | Token::Key(word) => String::from_utf8_lossy(word).into_owned(),
                Token::Varies => "<*>".to_owned(),
            });
        });
        words.join(" ")
    }

    #[test]
    fn what_varies_is_left_out() {
        for (message, want) in [
            ("dial tcp 10.43.0.1:443: connect: connection refused", "dial tcp <*> connect connection refused"),
            ("mount of /var/lib/kubelet failed", "mount of <*> failed"),
            (
                "Error syncing pod pod=\"kube-system/dns\" err=\"no space left\"",
                "Error syncing pod pod <*> err no space left",
            ),
            ("secrets \"shop\" not found", "secrets <*> not found"),
            ("I/O error, dev sda, sector 12 flags 34", "I/O error dev sda sector <*> flags <*>"),
            ("took=12ms size=3", "took <*> size <*>"),
            ("a=b error=EOF", "a <*> error EOF"),
            ("org.springframework.beans.factory.BeanCreationException: Error", "BeanCreationException Error"),
            ("1 2 3 x", "<*> x"),
            ("msg=\\\"lost\\\" name=\\\"x y\\\" z", "msg lost name <*> z"),
            ("\"quoted message\" k=v", "quoted message k <*>"),
            ("", ""),
        ] {
            assert_eq!(text(message), want, "{message}");
        }
    }

    #[test]
    fn lines_of_one_template_have_one_hash() {
        let of = |message: &str| hash([message.as_bytes(), b""]);
        assert_eq!(of("lost peer 10.0.0.1:2380"), of("lost peer 10.0.0.27:2380"));
        assert_ne!(of("lost peer 10.0.0.1"), of("found peer 10.0.0.1"));
        assert_ne!(of("ab c"), of("a bc"));
    }

    #[test]
    fn long_messages_are_read_in_part() {
        assert_eq!(text(&"word ".repeat(1000)).split(' ').count(), MAX_WORDS);
        assert_eq!(text(&"1 a ".repeat(1000)).split(' ').count(), MAX_WORDS);
    }
}
