//! Texts that are Base64 as a whole, with secrets inside.

use std::ops::Range;

use crate::model::decode_base64;

/// Shortest text that is decoded; shorter words are Base64 by chance.
const SHORTEST: usize = 20;

/// Bytes of Base64 by which is judged whether it is text.
const HEAD: usize = 64;

/// Returns true if a text may be Base64 of a text, judged by its beginning.
pub(super) fn may_hold(text: &str) -> bool {
    let head = text.as_bytes().get(..SHORTEST);
    head.is_some_and(|head| head.iter().all(|byte| is_base64(*byte))) && head_is_text(text)
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/')
}

fn head_is_text(text: &str) -> bool {
    let length = text.len().min(HEAD) / 4 * 4;
    let inner = text.get(..length).and_then(decode_base64).unwrap_or_default();
    let is_text = |byte: &u8| !byte.is_ascii_control() || byte.is_ascii_whitespace();
    !inner.is_empty() && inner.iter().all(is_text) && inner.utf8_chunks().next().is_some_and(|c| c.invalid().len() < 2)
}

/// Returns the range of the whole text if it is Base64 of a text that holds secrets.
pub(super) fn whole(text: &str, holds_secret: impl Fn(&str) -> bool) -> Option<Range<usize>> {
    let inner = may_hold(text).then(|| decode_base64(text)).flatten()?;
    holds_secret(&String::from_utf8_lossy(&inner)).then_some(0..text.len())
}
