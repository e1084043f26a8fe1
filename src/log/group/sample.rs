//! Texts of samples: a hit with its neighbours and its match, shortened and cleaned for display.

use std::ops::Range;
use std::sync::Arc;

use memchr::{memmem, memrchr};

use crate::log::group::hit_group::Sample;
use crate::log::group::mask;
use crate::log::source::line;

/// Largest number of characters of a line in a sample.
const MAX_CHARS: usize = 400;
/// A match that starts further right than this is brought into view.
const FAR_RIGHT: usize = 300;
/// Bytes kept to the left of such a match.
const LEFT_OF_MATCH: usize = 100;
/// Lines before and after a hit.
const NEIGHBOURS: usize = 2;

/// Bytes before a match in which the key of a secret is looked for.
const LOOK_LEFT: usize = 4096;

/// Excerpt of a line.
#[derive(Debug, Default)]
pub(in crate::log) struct Excerpt {
    pub text: String,
    /// As in a [`Sample`].
    pub matched: String,
}

impl Sample {
    /// Returns the bytes that its texts take.
    pub(in crate::log) fn held(&self) -> usize {
        let neighbours = self.before.iter().chain(&self.after).map(|line| line.len() + size_of::<String>());
        self.text.len() + self.matched.len() + neighbours.sum::<usize>()
    }
}

/// Makes a sample from whole lines; `line` is the hit's, `found` its match in it. Secrets are shown as `***`.
pub(in crate::log) fn sample(
    entry: &Arc<str>,
    lines: &[u8],
    line: Range<usize>,
    number: u64,
    found: &Range<usize>,
) -> Sample {
    let (before, first) = before(lines.get(..line.start).unwrap_or_default());
    let mut inside = mask::opens_key(lines.get(..first).unwrap_or_default());
    let hit = before.len();
    let all = before.into_iter().chain([lines.get(line.clone()).unwrap_or_default()]);
    let all: Vec<&[u8]> = all.chain(after(lines.get(line.end + 1..).unwrap_or_default())).collect();
    let around = mask::across(lines.get(..first).unwrap_or_default(), &all);
    let mut shown = |(index, (text, around)): (usize, (&&[u8], &Vec<Range<usize>>))| {
        let excerpt = excerpt(text, if index == hit { found } else { &(0..0) }, inside, around);
        inside = if memmem::find(text, b"-----").is_some() { mask::opens_key(text) } else { inside };
        excerpt
    };
    let mut excerpts = all.iter().zip(&around).enumerate().map(&mut shown);
    let before = excerpts.by_ref().take(hit).map(|excerpt| excerpt.text).collect();
    let Excerpt { text, matched } = excerpts.next().unwrap_or_default();
    let after = excerpts.map(|excerpt| excerpt.text).collect();
    Sample { entry: Arc::clone(entry), line: number, text, matched, before, after }
}

/// Makes the excerpt of one line without neighbours.
pub(in crate::log) fn line_of(lines: &[u8], line: Range<usize>, found: &Range<usize>) -> Excerpt {
    let inside = mask::opens_key(lines.get(..line.start).unwrap_or_default());
    excerpt(lines.get(line.clone()).unwrap_or_default(), found, inside, &masks_around(lines, &line))
}

/// Returns the positions of secrets in a line that the lines around it tell.
pub(in crate::log) fn masks_around(lines: &[u8], line: &Range<usize>) -> Vec<Range<usize>> {
    let shown = [lines.get(line.clone()).unwrap_or_default()];
    let shown: Vec<&[u8]> = shown.into_iter().chain(after(lines.get(line.end + 1..).unwrap_or_default())).collect();
    mask::across(lines.get(..line.start).unwrap_or_default(), &shown).swap_remove(0)
}

/// Makes the excerpts of all lines; `inside` if a private key began in what is before them.
pub(in crate::log) fn lines_of(before: &[u8], lines: &[u8], mut inside: bool) -> Vec<String> {
    let lines: Vec<&[u8]> = line::ranges(lines, 0).filter_map(|range| lines.get(range)).collect();
    let shown = |(line, around): (&&[u8], Vec<Range<usize>>)| {
        let text = excerpt(line, &(0..0), inside, &around).text;
        inside = if memmem::find(line, b"-----").is_some() { mask::opens_key(line) } else { inside };
        text
    };
    lines.iter().zip(mask::across(before, &lines)).map(shown).collect()
}

/// Returns the last lines and the position of the first of them.
fn before(mut lines: &[u8]) -> (Vec<&[u8]>, usize) {
    let mut found = Vec::with_capacity(NEIGHBOURS);
    while let Some((b'\n', rest)) = lines.split_last()
        && found.len() < NEIGHBOURS
    {
        let start = memrchr(b'\n', rest).map_or(0, |at| at + 1);
        found.push(rest.get(start..).unwrap_or_default());
        lines = rest.get(..start).unwrap_or_default();
    }
    found.reverse();
    (found, lines.len())
}

fn after(lines: &[u8]) -> impl Iterator<Item = &[u8]> {
    line::ranges(lines, 0).take(NEIGHBOURS).map(|range| lines.get(range).unwrap_or_default())
}

/// Returns at most [`MAX_CHARS`] of a line around a match, without control characters and secrets.
/// `around` are the secrets that the lines around it tell.
fn excerpt(line: &[u8], found: &Range<usize>, inside: bool, around: &[Range<usize>]) -> Excerpt {
    let focus = found.start;
    let from = if focus <= FAR_RIGHT { 0 } else { char_start(line, focus.saturating_sub(LOOK_LEFT)) };
    let end = line.len().min(focus.saturating_add(16 * MAX_CHARS));
    let part = line.get(from..end).unwrap_or_default();
    let around = around.iter().map(|mask| mask.start.max(from) - from..mask.end.clamp(from, end) - from);
    let masks = mask::masks_of_sample(part, inside, around);
    let matched = match found.start.saturating_sub(from)..found.end.saturating_sub(from).min(part.len()) {
        nothing if nothing.is_empty() => String::new(),
        found => clean(&mask::without(part, found, &masks)),
    };
    if focus <= FAR_RIGHT {
        let text = clean(&mask::without(part, 0..part.len(), &masks));
        return Excerpt { matched: in_view(&text, matched), text };
    }
    let left = mask::without(part, 0..focus - from, &masks);
    let start = char_start(&left, left.len().saturating_sub(LEFT_OF_MATCH));
    let covered = masks.iter().map(|mask| mask.end).filter(|end| *end <= part.len()).find(|end| *end > focus - from);
    let begun = masks.iter().any(|mask| mask.start < focus - from && mask.end > focus - from);
    let behind = if begun { covered.unwrap_or(focus - from) } else { focus - from };
    let mut text = "…".to_owned();
    let right = mask::without(part, behind..part.len(), &masks);
    text.push_str(&clean(&[left.get(start..).unwrap_or_default(), &right].concat()));
    let text = cut_chars(text);
    Excerpt { matched: in_view(&text, matched), text }
}

/// Returns the part of a match that a text shows: all of it, or its beginning if the text ends within it.
fn in_view(text: &str, matched: String) -> String {
    let whole = matched.trim();
    if text.contains(whole) {
        return if whole.len() == matched.len() { matched } else { whole.to_owned() };
    }
    let Some(shown) = text.strip_suffix('…') else { return String::new() };
    let mut beginnings = whole.char_indices().rev().filter_map(|(end, _)| whole.get(..end));
    beginnings.find(|begun| shown.ends_with(begun)).unwrap_or_default().trim_end().to_owned()
}

fn cut_chars(text: String) -> String {
    match text.char_indices().nth(MAX_CHARS) {
        Some(_) => text.chars().take(MAX_CHARS - 1).chain(['…']).collect(),
        None => text,
    }
}

/// Returns the next position that does not lie inside a UTF-8 sequence.
fn char_start(bytes: &[u8], from: usize) -> usize {
    let tail = bytes.get(from..).unwrap_or_default();
    from + tail.iter().take(3).take_while(|b| **b & 0xC0 == 0x80).count()
}

/// Makes readable text: escape sequences and control characters are removed, damaged UTF-8 is replaced,
/// tabs become blanks, and text that is too long for a sample ends in `…`.
pub(in crate::log) fn clean(bytes: &[u8]) -> String {
    // Escape sequences take room, too; a line that consists mostly of them is shortened more than necessary.
    let bounded = bytes.get(..16 * MAX_CHARS).unwrap_or(bytes);
    let text = String::from_utf8_lossy(bounded);
    let mut chars = text.chars().peekable();
    let mut cleaned = String::with_capacity(bounded.len().min(MAX_CHARS));
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => skip_escape(&mut chars),
            '\t' | '\n' => cleaned.push(' '),
            c if is_shown(c) => cleaned.push(c),
            _ => {}
        }
    }
    cut_chars(cleaned)
}

/// Returns whether a character may stand in a text for people.
pub(in crate::log) fn is_shown(c: char) -> bool {
    !c.is_control() && !is_direction(c)
}

/// Returns whether a character changes the direction of text, which can make a line read as another.
fn is_direction(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

fn skip_escape(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    match chars.next() {
        Some('[') => while chars.next().is_some_and(|c| !('\u{40}'..='\u{7e}').contains(&c)) {},
        // Operating system commands such as window titles end in BEL or ESC \.
        Some(']') => {
            while let Some(c) = chars.next() {
                if c == '\u{7}' || (c == '\u{1b}' && chars.next_if_eq(&'\\').is_some()) {
                    break;
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_stop_at_the_borders() {
        let lines = b"one\ntwo\nthree\nfour";
        let entry: Arc<str> = "e".into();
        let first = sample(&entry, lines, 0..3, 1, &(1..3));
        assert_eq!((first.text.as_str(), first.matched.as_str(), first.before.len()), ("one", "ne", 0));
        assert_eq!(first.after, ["two", "three"]);
        let last = sample(&entry, lines, 14..18, 4, &(0..0));
        assert_eq!((last.before, last.after), (vec!["two".to_owned(), "three".to_owned()], vec![]));
        let middle = sample(&entry, b"\n\nx\n\ny\n", 2..3, 3, &(0..1));
        assert_eq!((middle.before, middle.after), (vec![String::new(); 2], vec![String::new(), "y".to_owned()]));
    }

    #[test]
    fn text_is_cleaned() {
        assert_eq!(clean(b"\x1b[31;1mred\x1b[0m\x07 a\tb\r\0c\x1b]0;title\x07d\x1b]0;t\x1b\\e\x1b(f"), "red a bcdef");
        assert_eq!(clean(b"bad \xff\xfe utf-8"), "bad \u{fffd}\u{fffd} utf-8");
        assert_eq!(clean("a\u{202e}b\u{85}c".as_bytes()), "abc");
        assert_eq!(clean(b"cut \x1b[31"), "cut ");
    }

    #[test]
    fn long_text_is_shortened() {
        let long = "ä".repeat(1000);
        let cut = clean(long.as_bytes());
        assert_eq!((cut.chars().count(), cut.chars().last()), (400, Some('…')));
        assert_eq!(clean("b".repeat(400).as_bytes()).chars().count(), 400);
    }

    #[test]
    fn far_matches_come_into_view() {
        let line = format!("{}needle{}", "ä".repeat(1000), "z".repeat(1000));
        let Excerpt { text, matched } = excerpt(line.as_bytes(), &(2000..2006), false, &[]);
        assert!(text.starts_with("…ä") && text.contains("needle") && text.ends_with('…'), "{text}");
        assert!(text.chars().count() <= 400);
        assert_eq!(matched, "needle");
    }

    #[test]
    fn the_match_is_what_the_text_shows_of_it() {
        let matched = |line: &[u8], found: Range<usize>| excerpt(line, &found, false, &[]).matched;
        assert_eq!(matched(b"I0301 \x1b[31mmount\x1b[0m\tfailed\r", 6..28), "mount failed");
        assert_eq!(matched(b"mount \xff failed", 0..14), "mount \u{fffd} failed");
        assert_eq!(matched(b"login password=s3cret ok", 0..21), "login password=***");
        assert_eq!(matched(b"login password=s3cret ok", 17..24), "*** ok");
        assert_eq!((matched(b"mount failed", 5..6), matched(b"mount failed", 3..3)), (String::new(), String::new()));
        assert_eq!(matched(b"a \x1b[31;1mb", 6..13), "", "what begins within a sequence is not in view");
        let long = format!("{}{}", "x".repeat(250), "y".repeat(300));
        assert_eq!(matched(long.as_bytes(), 249..550), format!("x{}", "y".repeat(149)), "as far as the text goes");
        assert!(matched(long.as_bytes(), 1..550).chars().eq("x".repeat(249).chars().chain("y".repeat(149).chars())));
    }

    #[test]
    fn secrets_do_not_come_into_view() {
        let line = format!("{} password={} needle", "x".repeat(500), "s3cret".repeat(40));
        let text = excerpt(line.as_bytes(), &(line.len() - 6..line.len()), false, &[]).text;
        assert!(text.ends_with("x password=*** needle"), "{text}");
        let inside = excerpt(line.as_bytes(), &(line.len() - 60..line.len()), false, &[]).text;
        assert!(inside.ends_with("x password=*** needle"), "{inside}");
        let lines = b"started\nE0506 06:00:00.1 1 a.go:1] --token\nE0506 06:00:00.1 1 a.go:1] horsebattery\nend\n";
        let entry: Arc<str> = "e".into();
        let below = sample(&entry, lines, 43..82, 3, &(27..39));
        assert_eq!((below.text.as_str(), below.matched.as_str()), ("E0506 06:00:00.1 1 a.go:1] ***", "***"));
        let lines = b"x: -----BEGIN EC PRIVATE KEY-----\nx: QUJDREVG\nx: hit it\nx: R0hJSktM\nx: -----END EC PRIVATE KEY-----\nx: abcd\n";
        let entry: Arc<str> = "e".into();
        let sample = sample(&entry, lines, 46..55, 3, &(0..0));
        assert_eq!((sample.before.last().unwrap().as_str(), sample.text.as_str()), ("x: ***", "x: hit it"));
        assert_eq!(sample.after, ["x: ***", "x: -----END EC PRIVATE KEY-----"]);
    }
}
