//! Detects secret values by the name of their key, and in single lines of text.
//!
//! Masking too much costs a reader a look into the bundle; masking too little leaks a password. Therefore every key
//! that *ends* with a listed word counts (`rootPassword`, `VIP_TOKEN`, `registration-token`), while keys that only
//! begin with one (`secretName`, `tokenExpirationSeconds`) name something else.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem::Finder;

/// Replacement of secrets in outputs.
pub const MASK: &str = "***";

/// Returns true if a collector replaced the value or its beginning to hide it, so that the value is not known:
/// `***HIDDEN***`, `***HIDDEN***:10000` and `***TOKEN_PASSWORD_1A2B3C***` of troubleshoot.sh. A sentence that begins with
/// a hidden word is known text.
pub fn is_withheld(text: &str) -> bool {
    let hidden = text.strip_prefix("***").and_then(|text| text.split_once("***"));
    hidden.is_some_and(|(inner, behind)| {
        (inner == "HIDDEN" || (inner.starts_with("TOKEN_") && !inner.contains(' '))) && !behind.contains(' ')
    })
}

/// Common end of the first and last line of a private key in PEM.
const KEY_MARK: &str = "PRIVATE KEY-----";
static KEY_MARKS: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(KEY_MARK));

/// Key endings that mark a secret; case, `-`, `_` and `.` are ignored.
const ENDINGS: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "token",
    "privatekey",
    "clientkeydata",
    "clientsecret",
    "secretkey",
    "secretaccesskey",
    "accesskeysecret",
    "apikey",
    "tlskey",
    // cloud-init of virtual machines: passwords and keys in free text
    "userdata",
    "userdatabase64",
];

/// Whole keys that mark a secret; as an ending, `...Secret` is the name of a Secret (`imagePullSecret`).
const WHOLE: &[&str] = &["secret", "pwd"];

/// Returns true if a scalar under this key is a secret. Booleans and nulls never are.
pub fn names_secret(key: &str) -> bool {
    // Fast path: almost every key of a dump ends here.
    if !may_end_secret_key(key.as_bytes()) {
        return false;
    }
    ENDINGS.iter().any(|word| before_ending(key, word).is_some())
        || WHOLE.iter().any(|word| before_ending(key, word) == Some(0))
        || before_ending(key, "secret").and_then(|at| key.as_bytes().get(at.checked_sub(1)?)) == Some(&b'_')
}

/// Returns the start of the ending in the key, if the key has it.
fn before_ending(key: &str, word: &str) -> Option<usize> {
    let mut letters = key.bytes().enumerate().rev().filter(|(_, b)| !matches!(b, b'-' | b'_' | b'.'));
    let mut start = key.len();
    for wanted in word.bytes().rev() {
        let (at, found) = letters.next()?;
        if found.to_ascii_lowercase() != wanted {
            return None;
        }
        start = at;
    }
    Some(start)
}

/// Replaces secrets with [`MASK`]: those of [`in_line`] in each line, and the content of private keys.
pub fn redact(text: &str) -> Cow<'_, str> {
    let holds_key = KEY_MARKS.find(text.as_bytes()).is_some();
    // Fast path: almost every text of a dump ends here.
    if !holds_key && !may_hold_secret(text.as_bytes()) {
        return Cow::Borrowed(text);
    }
    let masks = in_text(text, holds_key);
    if masks.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(masked(text, &masks)) }
}

fn masked(text: &str, masks: &[Range<usize>]) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut at = 0;
    for mask in masks {
        shown.push_str(text.get(at..mask.start).unwrap_or_default());
        shown.push_str(MASK);
        at = mask.end;
    }
    shown.push_str(text.get(at..).unwrap_or_default());
    shown
}

/// Returns the secrets of a text; `holds_key` is true if it contains [`KEY_MARK`].
fn in_text(text: &str, holds_key: bool) -> Vec<Range<usize>> {
    let mut masks = Vec::new();
    let (mut start, mut inside) = (0, false);
    for line in text.split_inclusive('\n') {
        if inside && !line.contains("-----END") {
            let blank = line.len() - line.trim_start().len();
            masks.push(start + blank..start + line.trim_end().len().max(blank));
        } else {
            inside = holds_key && opens_key(line.as_bytes());
            let line = line.trim_end_matches(['\n', '\r']);
            masks.extend(in_line_of(line, holds_key).into_iter().map(|mask| start + mask.start..start + mask.end));
        }
        start += line.len();
    }
    masks.retain(|mask| !mask.is_empty());
    masks
}

/// Returns true if a private key is still open at the end of the text.
pub fn opens_key(text: &[u8]) -> bool {
    let Some(mark) = KEY_MARKS.find_iter(text).last() else { return false };
    let before = text.get(mark.saturating_sub(20)..mark).unwrap_or_default();
    let behind = text.get(mark + KEY_MARK.len()..).unwrap_or_default();
    memchr::memmem::find(before, b"-----BEGIN ").is_some() && memchr::memmem::find(behind, b"-----END").is_none()
}

/// Returns the part of a log line that is Base64 of a private key: the last word, if it looks like Base64. `inside` is
/// true within an open key; without it, length and character mixture decide.
pub fn key_line(line: &str, inside: bool) -> Option<Range<usize>> {
    let line = line.trim_end();
    let start = line.rfind([' ', '\t', '"']).map_or(0, |at| at + 1);
    let word = line.get(start..)?;
    let has = |kind: fn(&u8) -> bool| word.as_bytes().iter().any(kind);
    let base64 = word.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'='));
    let mixed = has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_digit);
    let is_whole = (60..=76).contains(&word.len()) && mixed;
    let is_key = is_whole || (inside && word.len() >= 4 && word.len().is_multiple_of(4));
    (base64 && is_key && !word.starts_with('/')).then_some(start..line.len())
}

/// Returns byte ranges of secret values in one line, sorted and not overlapping. Values are found by key:
/// `"token":"..."` (quotes may be escaped), `--token=...`, and `token: ...` at the start of the line. Passwords in
/// addresses (`https://user:...@host`) and private keys written in one line count too.
pub fn in_line(line: &str) -> Vec<Range<usize>> {
    in_line_of(line, true)
}

/// Like [`in_line`], but searches private keys only if `may_hold_key` is true.
fn in_line_of(line: &str, may_hold_key: bool) -> Vec<Range<usize>> {
    let (mut ranges, holds_address) = by_key(line);
    let known = ranges.len();
    if holds_address {
        ranges.extend(in_addresses(line));
    }
    if may_hold_key {
        ranges.extend(one_line_keys(line));
    }
    if ranges.len() > known {
        ranges.sort_by_key(|range| (range.start, range.end));
        ranges.dedup_by(|next, kept| {
            let overlaps = next.start < kept.end;
            if overlaps {
                kept.end = kept.end.max(next.end);
            }
            overlaps
        });
    }
    ranges
}

fn in_addresses(line: &str) -> impl Iterator<Item = Range<usize>> {
    line.match_indices("://").filter_map(|(at, mark)| {
        let start = at + mark.len();
        let rest = line.get(start..)?;
        let end = rest.find(['/', ' ', '"', '\'', '?', '#']).unwrap_or(rest.len());
        let user = rest.get(..end)?.rsplit_once('@')?.0;
        let colon = user.find(':')?;
        (colon + 1 < user.len()).then_some(start + colon + 1..start + user.len())
    })
}

fn one_line_keys(line: &str) -> impl Iterator<Item = Range<usize>> {
    KEY_MARKS.find_iter(line.as_bytes()).filter_map(|mark| {
        let start = mark + KEY_MARK.len();
        let opens = opens_key(line.as_bytes().get(..start)?);
        let rest = line.get(start..)?;
        let end = rest.find("-----END").unwrap_or(rest.len());
        (opens && end > 0).then_some(start..start + end)
    })
}

/// Returns the values of secret keys, and true if the line contains `://`.
fn by_key(line: &str) -> (Vec<Range<usize>>, bool) {
    let bytes = line.as_bytes();
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let mut holds_address = false;
    for at in memchr::memchr2_iter(b':', b'=', bytes) {
        holds_address |= bytes.get(at..at + 3) == Some(b"://");
        if !may_end_secret_key(bytes.get(..at).unwrap_or_default()) {
            continue;
        }
        if ranges.last().is_some_and(|last| at < last.end) || !is_secret_key(line, at) {
            continue;
        }
        let value = value_range(bytes, at + 1);
        if !value.is_empty() {
            ranges.push(value);
        }
    }
    (ranges, holds_address)
}

/// Returns true if a text without private keys may have a match of [`in_line`].
fn may_hold_secret(text: &[u8]) -> bool {
    let may_hold_password = || memchr::memchr(b'@', text).is_some();
    memchr::memchr2_iter(b':', b'=', text).any(|at| {
        let (before, behind) = text.split_at(at);
        may_end_secret_key(before) || (behind.starts_with(b"://") && may_hold_password())
    })
}

/// Returns true if a text may end with a key that [`names_secret`], judged by the last two letters of the key.
fn may_end_secret_key(text: &[u8]) -> bool {
    let no_part = |byte: u8| matches!(byte, b'"' | b'\'' | b'\\' | b'-' | b'_' | b'.') || !byte.is_ascii_graphic();
    let mut letters = text.iter().rev().filter(|byte| !no_part(**byte)).map(u8::to_ascii_lowercase);
    let last = letters.next();
    matches!(last, Some(b'd' | b'e' | b'n' | b'y' | b'a' | b't' | b'4'))
        && matches!(
            (letters.next(), last),
            (Some(b'r' | b'w'), Some(b'd'))
                | (Some(b's'), Some(b'e'))
                | (Some(b'e'), Some(b'n' | b'y' | b't'))
                | (Some(b't'), Some(b'a'))
                | (Some(b'6'), Some(b'4'))
        )
}

/// Returns true if the text before a separator is a secret key in a form that [`in_line`] supports.
fn is_secret_key(line: &str, separator: usize) -> bool {
    let before = line.get(..separator).unwrap_or_default().trim_end();
    let bare = before.trim_end_matches(['"', '\'', '\\']);
    let start =
        bare.rfind(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))).map_or(0, |at| at + 1);
    let key = bare.get(start..).unwrap_or_default();
    let form_holds = if line.as_bytes().get(separator) == Some(&b'=') {
        !key.eq_ignore_ascii_case("secret")
    } else {
        let lead = bare.get(..start).unwrap_or_default();
        bare.len() < before.len() || lead.bytes().all(|b| matches!(b, b' ' | b'-' | b'"' | b'\''))
    };
    form_holds && names_secret(key)
}

/// Returns the value after a separator: up to the closing quote, else up to a blank, comma or bracket.
fn value_range(bytes: &[u8], from: usize) -> Range<usize> {
    let is_lead = |b: &u8| matches!(b, b' ' | b'"' | b'\'' | b'\\');
    let lead = bytes.iter().skip(from).take_while(|b| is_lead(b)).count();
    let start = from + lead;
    let quote = bytes.get(start.wrapping_sub(1)).filter(|b| lead > 0 && matches!(b, b'"' | b'\''));
    let is_end = |b: &u8| match quote {
        Some(quote) => b == quote || *b == b'\\',
        None => matches!(b, b' ' | b',' | b'&' | b';' | b'}' | b']' | b'"' | b'\''),
    };
    if bytes.get(start).is_none_or(|b| matches!(b, b'{' | b'[' | b'|' | b'>')) {
        return start..start;
    }
    let length = bytes.iter().skip(start).take_while(|b| !is_end(b)).count();
    start..start + length
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn masks_of_collectors_are_recognised() {
        for text in ["***HIDDEN***", "***TOKEN_PASSWORD_0A1B2C***", "***HIDDEN***:10000"] {
            assert!(is_withheld(text), "{text}");
        }
        for text in ["***", "******", "HIDDEN", "https://***HIDDEN***/x", "***TOKEN_A*** and ***TOKEN_B***"] {
            assert!(!is_withheld(text), "{text}");
        }
    }

    #[test]
    fn keys_that_hold_secrets() {
        for key in [
            "password",
            "rootPassword",
            "PASSWD",
            "db-passwd",
            "secret",
            "client_secret",
            "APP_SECRET",
            "token",
            "agent-token",
            "registrationToken",
            "VIP_TOKEN",
            "client-key-data",
            "privateKey",
            "ssh_private_key",
            "AWS_SECRET_ACCESS_KEY",
            "tls.key",
            "userData",
            "userDataBase64",
            "apiKey",
            "passphrase",
            "password_",
        ] {
            assert!(names_secret(key), "{key}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn no_text_is_passed_over_that_holds_a_secret(
            parts in prop::collection::vec(
                prop::sample::select(vec![
                    "pass", "word", "Passwd", "TOKEN", "pwd", "secret", "user", "data", "base64", "key", "api", "phrase", "tls", ":", "=",
                    "://", "@", "-", "_", ".", "\"", "'", "\\", " ", "\n", "a:b@", "ä", "/",
                ]),
                0..9,
            ),
        ) {
            let text = parts.concat();
            let masks = in_text(&text, false);
            prop_assert_eq!(redact(&text), if masks.is_empty() { text.clone() } else { masked(&text, &masks) });
            // Every ending, and everything that is one whole, must pass the look at two letters.
            let words = ENDINGS.iter().chain(WHOLE).any(|word| before_ending(&text, word).is_some());
            prop_assert!(!words || may_end_secret_key(text.as_bytes()), "{}", text);
        }
    }

    #[test]
    fn keys_that_only_mention_them() {
        for key in [
            "secretName",
            "secretRef",
            "imagePullSecret",
            "existingSecret",
            "backup-target-credential-secret",
            "secrets",
            "tokenExpirationSeconds",
            "tokens",
            "passwordPolicy",
            "key",
            "name",
            "data",
            "publicKey",
            "",
            "_",
            "path",
        ] {
            assert!(!names_secret(key), "{key}");
        }
    }

    #[test]
    fn values_in_a_line() {
        for (line, masked) in [
            (r#"{"user":"a","password":"b c","n":1}"#, r#"{"user":"a","password":"#.to_owned() + r#""***","n":1}"#),
            (r#"x: "{\"token\":\"abc\",\"b\":2}""#, r#"x: "{\"token\":\"***\",\"b\":2}""#.to_owned()),
            ("exec --token=abc --port=80", "exec --token=*** --port=80".to_owned()),
            ("    password: hunter", "    password: ***".to_owned()),
            ("- token: 'x y' # z", "- token: '***' # z".to_owned()),
            ("failed to get token: connection refused", "failed to get token: connection refused".to_owned()),
            ("secret=ns/name", "secret=ns/name".to_owned()),
            (r#""secret":{"secretName":"x"}"#, r#""secret":{"secretName":"x"}"#.to_owned()),
            ("token:", "token:".to_owned()),
            ("größe password=ü", "größe password=***".to_owned()),
            ("get https://bob:s3cret@host:80/x?a=1", "get https://bob:***@host:80/x?a=1".to_owned()),
            ("https://host:80/a@b", "https://host:80/a@b".to_owned()),
            (
                "k -----BEGIN EC PRIVATE KEY-----\\nMII\\n-----END EC",
                "k -----BEGIN EC PRIVATE KEY-----***-----END EC".to_owned(),
            ),
        ] {
            let mut shown = line.to_owned();
            for range in in_line(line).into_iter().rev() {
                shown.replace_range(range, "***");
            }
            assert_eq!(shown, masked);
        }
    }

    #[test]
    fn keys_in_a_text_are_masked_line_by_line() {
        let key =
            "a = 1\n-----BEGIN RSA PRIVATE KEY-----\n  MIIE\r\nabc=\n-----END RSA PRIVATE KEY-----\nb = 2\n token: x\n";
        let shown =
            "a = 1\n-----BEGIN RSA PRIVATE KEY-----\n  ***\r\n***\n-----END RSA PRIVATE KEY-----\nb = 2\n token: ***\n";
        assert_eq!(redact(key), shown);
        assert_eq!(redact(shown), shown);
        assert!(matches!(redact("-----BEGIN CERTIFICATE-----\nMIIE\n"), Cow::Borrowed(_)));
    }

    #[test]
    fn lines_of_keys_are_recognised() {
        let line = "ab1/".repeat(15) + "CD+=";
        assert_eq!(key_line(&format!("n1 x: {line}"), false), Some(6..70));
        for other in ["n1 x: done".to_owned(), "a".repeat(64), "/".to_owned() + &line, line[..40].to_owned()] {
            assert_eq!(key_line(&other, false), None, "{other}");
        }
        assert_eq!(key_line("n1 x: QUI=", true), Some(6..10));
        assert_eq!(key_line("n1 x: leader lost of sdc", true), None);
    }
}
