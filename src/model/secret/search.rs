//! Searches a text for secrets of all kinds.

use std::ops::Range;

use super::{address, form, login_list, manifest, packed, pair, private_key};

/// Returns the byte ranges of the secrets in a text, which may have several lines, sorted and not overlapping.
pub fn ranges(text: &str) -> Vec<Range<usize>> {
    find(text, &form::beginnings(text.as_bytes(), usize::MAX - 1))
}

/// Like [`ranges`]; `beginnings` are those of [`form::beginnings`].
pub(super) fn find(text: &str, beginnings: &[usize]) -> Vec<Range<usize>> {
    let (mut found, holds_address) = pair::find(text);
    let known = found.len();
    // Almost every text of a dump has nothing of this.
    if !beginnings.is_empty() {
        found.extend(form::find(text, beginnings));
        found.extend(by_mark(text, beginnings));
    }
    if holds_address {
        found.extend(address::find(text));
    }
    found.extend(packed::whole(text, |inner| !ranges(inner).is_empty()));
    if found.len() > known { merged(found) } else { found }
}

/// Returns true if a text is packed with gzip and Base64 and holds secrets.
pub fn holds_packed_secret(text: &str) -> bool {
    packed::gzip(text, |inner| !ranges(inner).is_empty())
}

/// Returns what follows from a mark somewhere in the text: private keys, lists of logins, manifests of Secrets.
fn by_mark(text: &str, beginnings: &[usize]) -> Vec<Range<usize>> {
    let at = |mark: &'static str| {
        beginnings.iter().copied().filter(move |at| text.get(*at..).is_some_and(|rest| rest.starts_with(mark)))
    };
    let mut found = Vec::new();
    if at(private_key::MARK).next().is_some() {
        found.extend(private_key::find(text));
    }
    let mut searched = 0;
    for list in at(login_list::MARK) {
        if list >= searched {
            let (logins, end) = login_list::at(text, list);
            searched = end;
            found.extend(logins);
        }
    }
    found.extend(manifest::find(text, at(manifest::MARK)));
    found.extend(in_base64(text, beginnings));
    found
}

/// Returns the words of Base64 that hold secrets, around those of the positions at which a key begins.
fn in_base64(text: &str, positions: &[usize]) -> Vec<Range<usize>> {
    let begins_key =
        |at: usize| text.get(at..).is_some_and(|rest| packed::MARKS.iter().any(|mark| rest.starts_with(mark)));
    let (mut found, mut searched) = (Vec::new(), 0);
    for &position in positions {
        if position >= searched && begins_key(position) {
            let words = packed::words(text, position);
            searched = words.last().map_or(position, |last| last.end);
            found.extend(packed::within(text, words, |inner| !ranges(inner).is_empty()));
        }
    }
    found
}

/// Sorts ranges and merges those that overlap.
pub fn merged(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.retain(|range| !range.is_empty());
    ranges.sort_by_key(|range| (range.start, range.end));
    ranges.dedup_by(|next, kept| {
        let overlaps = next.start < kept.end;
        if overlaps {
            kept.end = kept.end.max(next.end);
        }
        overlaps
    });
    ranges
}
