//! Secrets in lines of a text that is read page by page.

use std::ops::Range;

use memchr::memmem;

use crate::log::group::mask::{self, KEY_BYTES};
use crate::log::source::line;
use crate::model::secret;

/// Lines behind those that are shown in which the value of a key is looked for.
const LINES_AFTER: usize = 2;

/// What the text before a page says about secrets in it.
#[derive(Clone, Debug, Default)]
pub(super) struct Before {
    text: Vec<u8>,
}

impl Before {
    /// Adds the text of a page that has been read.
    pub fn leave(&mut self, fresh: &[u8]) {
        self.text.extend_from_slice(fresh.get(fresh.len().saturating_sub(KEY_BYTES)..).unwrap_or_default());
        let surplus = self.text.len().saturating_sub(KEY_BYTES);
        self.text.drain(..surplus);
    }

    /// Returns the secrets in lines that follow each other. `page` is its text from the first new line on, and may go on
    /// behind the lines.
    pub fn masks(&self, page: &[u8], run: &[Range<usize>]) -> Vec<Vec<Range<usize>>> {
        let (Some(first), Some(last)) = (run.first(), run.last()) else { return Vec::new() };
        let above = page.get(first.start.saturating_sub(KEY_BYTES)..first.start).unwrap_or_default();
        let lead = if above.len() < KEY_BYTES { [&self.text, above].concat() } else { above.to_vec() };
        let lines: Vec<&[u8]> = run.iter().map(|range| page.get(range.clone()).unwrap_or_default()).collect();
        let below = line::ranges(page, (last.end + 1).min(page.len())).take(LINES_AFTER);
        let below = below.map(|range| page.get(range).unwrap_or_default());
        let around = mask::across(&lead, &lines.iter().copied().chain(below).collect::<Vec<_>>());
        let mut inside = mask::opens_key(&lead);
        let of_line = |(line, around): (&&[u8], Vec<Range<usize>>)| {
            let masks = mask::masks_of_sample(line, inside, around.into_iter());
            inside = if memmem::find(line, b"-----").is_some() { mask::opens_key(line) } else { inside };
            masks
        };
        lines.iter().zip(around).map(of_line).collect()
    }
}

/// Returns the secrets of a whole text, such as a file of objects, for each of these lines of it.
pub(super) fn masks_of_whole(text: &[u8], lines: &[Range<usize>]) -> Vec<Vec<Range<usize>>> {
    let found = match std::str::from_utf8(text) {
        Ok(text) => secret::ranges(text),
        Err(_) => secret::ranges(&mask::ascii(text)),
    };
    let of_line = |line: &Range<usize>| {
        let first = found.partition_point(|secret| secret.end <= line.start);
        let inside = found.iter().skip(first).take_while(|secret| secret.start < line.end);
        inside.map(|secret| secret.start.max(line.start) - line.start..secret.end.min(line.end) - line.start).collect()
    };
    lines.iter().map(of_line).collect()
}
