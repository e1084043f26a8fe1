//! Texts and words that are Base64, in one line or wrapped, with secrets inside.

use std::collections::VecDeque;
use std::io::Read;
use std::ops::Range;

use flate2::read::MultiGzDecoder;

use super::lines;
use crate::model::decode_base64;

/// Shortest text that is decoded; shorter words are Base64 by chance.
const SHORTEST: usize = 20;

/// Base64 of the first bytes of gzip.
const GZIP: &str = "H4sI";

/// Most bytes that are unpacked beside this many times those of the packed text, so that the cost is linear: objects shrink to a fifth to a tenth.
const LARGEST: u64 = 64 << 10;
const MOST_TIMES: u64 = 20;

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

/// Parts of keys (`passw`, `token`, `secret`) in Base64, at each of the three places of a letter within a group.
pub(super) const MARKS: [&str; 9] = ["zc3d", "c3N3", "XNzd", "9rZW", "a2Vu", "b2tl", "cmV0", "Y3Jl", "ZWNy"];

/// Shortest line after which Base64 goes on in the next one: programs wrap at 60, 64 or 76 characters.
const SHORTEST_LINE: usize = 40;

/// Returns the words of Base64 around a position: one, or one for each line of a text that is wrapped.
pub(super) fn words(text: &str, position: usize) -> Vec<Range<usize>> {
    let mut words = VecDeque::from([word(text, position)]);
    while let Some(above) = words.front().and_then(|first| above(text, first)) {
        words.push_front(above);
    }
    while let Some(below) = words.back().and_then(|last| below(text, last)) {
        words.push_back(below);
    }
    words.into()
}

/// Returns the word around a position.
fn word(text: &str, position: usize) -> Range<usize> {
    let bytes = text.as_bytes();
    let (before, behind) = bytes.split_at_checked(position).unwrap_or_default();
    let start = before.iter().rposition(|byte| !is_base64(*byte)).map_or(0, |at| at + 1);
    let is_escaped = start > 0 && bytes.get(start - 1..=start) == Some(b"\\n");
    let end = behind.iter().position(|byte| !is_base64(*byte)).map_or(bytes.len(), |at| position + at);
    let padding = bytes.get(end..).unwrap_or_default().iter().take(2).take_while(|byte| **byte == b'=').count();
    start + usize::from(is_escaped && start < position)..end + padding
}

/// Returns the word that is all of the next line, if Base64 goes on there.
fn below(text: &str, word: &Range<usize>) -> Option<Range<usize>> {
    // Only a word at the end of its line is followed: looking for that end from every word of a long line would cost its length each.
    let end = word.end + usize::from(text.get(word.end..)?.starts_with("\r\n"));
    let line = lines::below(text, end).next().filter(|_| word.len() >= SHORTEST_LINE)?.trimmed();
    (line.len() <= word.len() && is_word(text, &line)).then_some(line)
}

/// Returns the word that is all of the line above, if that goes on with this one.
fn above(text: &str, word: &Range<usize>) -> Option<Range<usize>> {
    let before = text.get(..word.start)?.trim_end_matches(' ');
    let before = before.strip_suffix('\n').or_else(|| before.strip_suffix("\\n"))?;
    let before = before.strip_suffix('\r').unwrap_or(before);
    let line = self::word(text, before.len().checked_sub(1)?);
    (line.len() >= SHORTEST_LINE.max(word.len()) && line.end == before.len()).then_some(line)
}

fn is_word(text: &str, place: &Range<usize>) -> bool {
    let line = text.get(place.clone()).unwrap_or_default().trim_end_matches('=');
    !line.is_empty() && line.bytes().all(is_base64)
}

/// Returns the parts of these words that are Base64 of a text that holds secrets; a path may stand before a single one.
pub(super) fn within(text: &str, words: Vec<Range<usize>>, holds_secret: impl Fn(&str) -> bool) -> Vec<Range<usize>> {
    if let [word] = words.as_slice() {
        return within_word(text, word, holds_secret).into_iter().collect();
    }
    let joined: String = words.iter().filter_map(|word| text.get(word.clone())).collect();
    if whole(&joined, holds_secret).is_some() { words } else { Vec::new() }
}

fn within_word(text: &str, word: &Range<usize>, holds_secret: impl Fn(&str) -> bool) -> Option<Range<usize>> {
    let shown = text.get(word.clone())?;
    let behind_path = shown.rfind('/').map_or(0, |at| at + 1);
    [0, behind_path].into_iter().find_map(|skipped| {
        let found = whole(shown.get(skipped..)?, &holds_secret)?;
        Some(word.start + skipped + found.start..word.start + skipped + found.end)
    })
}

/// Returns true if a text is Base64 of gzip of a text that holds secrets, or of more than can be looked through, as wrangler keeps an
/// object in its annotation `objectset.rio.cattle.io/applied`. Records of Helm are packed the same way, but read.
pub(super) fn gzip(text: &str, holds_secret: impl Fn(&str) -> bool) -> bool {
    let Some(packed) = text.starts_with(GZIP).then(|| decode_base64(text)).flatten() else { return false };
    let most = LARGEST + MOST_TIMES * packed.len() as u64;
    let mut inner = Vec::new();
    // What can be read of damaged data counts.
    let _ = MultiGzDecoder::new(packed.as_slice()).take(most).read_to_end(&mut inner);
    inner.len() as u64 == most || holds_secret(&String::from_utf8_lossy(&inner))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;

    use crate::model::secret::holds_packed_secret;

    #[test]
    fn secrets_are_found_in_packed_texts() {
        let packed = |text: &str| {
            let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
            gzip.write_all(text.as_bytes()).unwrap();
            STANDARD.encode(gzip.finish().unwrap())
        };
        let (secret, open) =
            (packed("kind: ConfigMap\ndata: {password: x7Kq2mZp9Ltv}"), packed("kind: ConfigMap\ndata: {mode: open}"));
        assert!(holds_packed_secret(&packed(&"x".repeat(1 << 20))), "more than can be looked through");
        assert!(holds_packed_secret(&secret) && !holds_packed_secret(&open) && !holds_packed_secret("H4sIx"));
    }
}
