//! Tells generated values from words, names, numbers and paths.

/// Bytes of a value by which it is judged.
pub(super) const JUDGED: usize = 512;

/// Shortest value that is taken for a generated one.
const SHORTEST: usize = 8;

/// Words of state, which are no secrets under any key.
const WORDS: [&str; 14] =
    ["true", "false", "none", "null", "nil", "yes", "no", "on", "off", "ok", "pass", "passed", "failed", "unset"];

/// Returns true if a value is a number, a path, or a word of state.
pub(super) fn is_plain(value: &str) -> bool {
    // Six digits can be a password, fewer are a count.
    let is_number = value.len() < 6 && value.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'-' | b'+'));
    is_number || is_path(value) || WORDS.iter().any(|word| value.eq_ignore_ascii_case(word))
}

/// Returns true if a value reads like a secret that was generated or chosen well: it is long enough, mixes kinds of
/// characters, and is no name of an object, path, address or number.
pub(super) fn looks_generated(value: &str) -> bool {
    let head = value.get(..value.floor_char_boundary(JUDGED)).unwrap_or(value);
    // What a collector hid is no value.
    let is_hidden = head.starts_with("***");
    !is_hidden && head.len() >= SHORTEST && !is_plain(head) && !head.contains("://") && !is_name(head) && is_mixed(head)
}

/// Returns true if a text has characters of several kinds, as words do not.
pub(super) fn is_mixed(text: &str) -> bool {
    let has = |kind: fn(&u8) -> bool| text.as_bytes().iter().any(kind);
    let letters = has(u8::is_ascii_lowercase) || has(u8::is_ascii_uppercase);
    // The first letter of a sentence is a capital, too.
    let cases = has(u8::is_ascii_lowercase) && text.as_bytes().iter().skip(1).any(u8::is_ascii_uppercase);
    letters
        && (has(u8::is_ascii_digit)
            || cases
            || has(|b| matches!(b, b'!' | b'$' | b'%' | b'^' | b'&' | b'*' | b'#' | b'@')))
}

/// Returns true for `/etc/ssl/key.pem` and `./key`. Base64 can begin with `/`, so a path has a joint or a short name.
fn is_path(value: &str) -> bool {
    let rest = value.strip_prefix("./").or_else(|| value.strip_prefix("~/")).or_else(|| value.strip_prefix('/'));
    let is_path = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.' | b'-' | b'_');
    rest.is_some_and(|rest| {
        rest.bytes().all(is_path) && (rest.contains(['.', '-', '_']) || !rest.bytes().any(|b| b.is_ascii_uppercase()))
    })
}

/// Returns true for names of objects: words in lower case, joined by `-`, `.`, `/` or `:`.
fn is_name(value: &str) -> bool {
    let parts = || value.split(['-', '.', '/', ':', '_']);
    let is_part = |part: &str| part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    let has_letters = |part: &str| part.bytes().filter(u8::is_ascii_lowercase).count() * 2 >= part.len();
    parts().count() > 1 && parts().all(|part| is_part(part) && part.len() <= 16 && has_letters(part))
}
