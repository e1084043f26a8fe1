//! Which values must not be shown: by the name of their key, and in text of one line.
//!
//! Masking too much costs a reader a glance into the bundle; masking too little costs a password.
//! So words count wherever a key *ends* with them (`rootPassword`, `VIP_TOKEN`,
//! `registration-token`), while keys that only begin with them (`secretName`,
//! `tokenExpirationSeconds`) name something else.

use std::ops::Range;

/// A key that ends with one of these holds a secret; case, `-`, `_` and `.` do not count.
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

/// A key that is one of these holds a secret; elsewhere `...Secret` is the name of a Secret (`imagePullSecret`).
const WHOLE: &[&str] = &["secret", "pwd"];

/// Whether a scalar under this key is a secret. Booleans and nulls never are.
pub fn names_secret(key: &str) -> bool {
    // Almost every key of a dump ends here, after one look at one byte.
    if !matches!(
        key.as_bytes().last(),
        Some(b'd' | b'D' | b'e' | b'E' | b'n' | b'N' | b'y' | b'Y' | b'a' | b'A' | b't' | b'T' | b'4')
    ) {
        return false;
    }
    ENDINGS.iter().any(|word| before_ending(key, word).is_some())
        || WHOLE.iter().any(|word| before_ending(key, word) == Some(0))
        || before_ending(key, "secret").and_then(|at| key.as_bytes().get(at.checked_sub(1)?)) == Some(&b'_')
}

/// Where the ending begins in the key, if it has it.
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

/// Byte ranges of secret values in one line of text, by their keys: `"token":"..."` (quotes may be escaped),
/// `--token=...`, and `token: ...` at the beginning of the line. Sorted.
pub fn in_line(line: &str) -> Vec<Range<usize>> {
    let bytes = line.as_bytes();
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for at in memchr::memchr2_iter(b':', b'=', bytes) {
        if ranges.last().is_some_and(|last| at < last.end) || !is_secret_key(line, at) {
            continue;
        }
        let value = value_range(bytes, at + 1);
        if !value.is_empty() {
            ranges.push(value);
        }
    }
    ranges
}

/// Whether what stands before a separator is a key of a form that [`in_line`] knows and names a secret.
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

/// The value behind a separator: up to the closing quote, else up to a blank, comma or bracket.
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
    use super::*;

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
        ] {
            assert!(names_secret(key), "{key}");
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
        ] {
            let mut shown = line.to_owned();
            for range in in_line(line).into_iter().rev() {
                shown.replace_range(range, "***");
            }
            assert_eq!(shown, masked);
        }
    }
}
