//! Secrets in lines of logs. They are masked before anything of a line is kept.

use std::borrow::Cow;
use std::ops::Range;

use crate::model::secret;

/// Bytes in which the beginning of a private key is looked for.
pub(in crate::log) const KEY_BYTES: usize = 8 << 10;

/// Returns the positions of secrets in a line. They are all ASCII, so damaged UTF-8 does not matter.
pub(in crate::log) fn masks(line: &[u8]) -> Vec<Range<usize>> {
    match std::str::from_utf8(line) {
        Ok(text) => secret::ranges(text),
        Err(_) => secret::ranges(&ascii(line)),
    }
}

/// Returns the positions of secrets and of a line of a private key; `inside` as in [`secret::key_line`].
pub(in crate::log) fn masks_of_sample(line: &[u8], inside: bool) -> Vec<Range<usize>> {
    let mut masks = masks(line);
    if let Some(key) = secret::key_line(&ascii(line), inside) {
        masks.retain(|mask| mask.end <= key.start);
        masks.push(key);
    }
    masks
}

/// Returns whether a private key has begun and not ended at the end of these lines.
pub(in crate::log) fn opens_key(lines: &[u8]) -> bool {
    secret::opens_key(lines.get(lines.len().saturating_sub(KEY_BYTES)..).unwrap_or(lines))
}

/// Returns a part of a line with its secrets masked.
pub(in crate::log) fn without<'l>(line: &'l [u8], part: Range<usize>, masks: &[Range<usize>]) -> Cow<'l, [u8]> {
    let mut inside = masks.iter().filter(|mask| mask.start < part.end && mask.end > part.start).peekable();
    if inside.peek().is_none() {
        return Cow::Borrowed(line.get(part).unwrap_or_default());
    }
    let (mut kept, mut at) = (Vec::with_capacity(part.len()), part.start);
    for mask in inside {
        kept.extend_from_slice(line.get(at..mask.start).unwrap_or_default());
        kept.extend_from_slice(secret::MASK.as_bytes());
        at = mask.end;
    }
    kept.extend_from_slice(line.get(at..part.end).unwrap_or_default());
    Cow::Owned(kept)
}

fn ascii(line: &[u8]) -> String {
    line.iter().map(|b| if b.is_ascii() { char::from(*b) } else { '?' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_lose_their_secrets() {
        let line = b"\xff run --token=abc --port=1";
        let masks = masks(line);
        let part = |range: Range<usize>| String::from_utf8_lossy(&without(line, range, &masks)).into_owned();
        assert_eq!(part(2..line.len()), "run --token=*** --port=1");
        assert_eq!((part(14..17), part(15..20)), ("***".to_owned(), "*** --".to_owned()));
        assert_eq!(part(18..line.len()), "--port=1");
    }

    #[test]
    fn lines_of_keys_are_masked_inside_of_keys() {
        assert!(opens_key(b"a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\n"));
        assert!(!opens_key(b"-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\n"));
        assert_eq!(masks_of_sample(b"n1 x: QUJD", true).first(), Some(&(6..10)));
        assert!(masks_of_sample(b"n1 x: QUJD", false).is_empty());
    }
}
