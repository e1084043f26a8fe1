//! Percent-encoding (RFC 3986), and entry paths as relative URI references.

use std::fmt::Write as _;

/// Percent-encodes the path, so that it can only be read as a path below the root: neither as a scheme (`a:b`) nor as a
/// host (`//a`).
pub fn entry_uri(entry: &str) -> String {
    let mut uri = String::with_capacity(entry.len());
    for (at, byte) in entry.bytes().enumerate() {
        match byte {
            b'/' if at > 0 => uri.push('/'),
            b'-' | b'.' | b'_' | b'~' | b'!' | b'@' | b'+' | b'=' | b',' => uri.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => uri.push(char::from(byte)),
            // Writing to a String cannot fail.
            byte => drop(write!(uri, "%{byte:02X}")),
        }
    }
    uri
}

/// Returns a percent-encoded text; none if it is not UTF-8, or an escape is cut.
pub fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digits = [rest.next()?, rest.next()?];
                // `from_str_radix` takes a sign, too.
                if !digits.iter().all(u8::is_ascii_hexdigit) {
                    return None;
                }
                u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_decoded_whole_or_not_at_all() {
        for (text, wanted) in [
            ("a%20b/%C3%A4%252F", Some("a b/ä%2F")),
            ("", Some("")),
            ("a%2", None),
            ("%zz", None),
            ("%+1", None),
            ("%FF", None),
        ] {
            assert_eq!(decoded(text).as_deref(), wanted, "{text}");
        }
    }

    #[test]
    fn only_a_path_is_left() {
        for (entry, uri) in [
            ("nodes/n1.zip!/n1/logs/a.log", "nodes/n1.zip!/n1/logs/a.log"),
            ("a b/ä%2F.log", "a%20b/%C3%A4%252F.log"),
            ("javascript:alert(1)", "javascript%3Aalert%281%29"),
            ("//host/x", "%2F/host/x"),
            ("a?b#c\\d\u{1b}", "a%3Fb%23c%5Cd%1B"),
        ] {
            assert_eq!(entry_uri(entry), uri);
            assert_eq!(decoded(uri).as_deref(), Some(entry));
        }
    }
}
