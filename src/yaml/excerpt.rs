//! Lines around a node, ready for output: bounded, masked, without control characters.

use std::ops::Range;

use super::document::Document;
use super::{Node, secret};
use crate::model::ExcerptLine;

/// Maximum number of characters in a shown line.
const MAX_CHARS: usize = 400;

/// Number of characters of a long line shown before the node.
const LEAD_BYTES: usize = 80;

/// Bytes before and after the shown part of a line in which a secret may begin or end.
const LOOK_AROUND: usize = 4096;

impl Document {
    /// Returns the node's line with up to `context` lines before and after it.
    ///
    /// Lines are truncated to 400 characters, the node's own line so that the node is visible. Secrets become `***`.
    pub fn excerpt(&self, node: Node<'_>, context: usize) -> Vec<ExcerptLine> {
        let hit = self.line_at(node.offset());
        let number = self.line_of(hit.start);
        let mut lines = vec![ExcerptLine { line: number, text: self.shown(&hit, node.offset()), hit: true }];
        let mut start = hit.start;
        for above in (1..number).rev().take(context) {
            let line = self.line_at(start.saturating_sub(1));
            start = line.start;
            lines.insert(0, ExcerptLine { line: above, text: self.shown(&line, line.start), hit: false });
        }
        let mut end = hit.end;
        for below in (number + 1..).take(context) {
            if end + 1 >= self.text().len() {
                break;
            }
            let line = self.line_at(end + 1);
            end = line.end;
            lines.push(ExcerptLine { line: below, text: self.shown(&line, line.start), hit: false });
        }
        lines
    }

    /// Returns the line that contains an offset, without its end.
    fn line_at(&self, offset: usize) -> Range<usize> {
        let bytes = self.text().as_bytes();
        let (before, after) = bytes.split_at(offset.min(bytes.len()));
        let start = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
        let end = memchr::memchr(b'\n', after).map_or(bytes.len(), |at| before.len() + at);
        start..end
    }

    /// Returns the text of a line, reduced to a window that contains `focus`.
    fn shown(&self, line: &Range<usize>, focus: usize) -> String {
        let window = self.window(line, focus);
        let text = self.text().get(window.clone()).unwrap_or_default();
        let mut shown = String::new();
        if window.start > line.start {
            shown.push('…');
        }
        let mut at = 0;
        for mask in self.masks(line, &window) {
            shown.push_str(text.get(at..mask.start).unwrap_or_default());
            shown.push_str(secret::MASK);
            at = mask.end;
        }
        shown.push_str(text.get(at..).unwrap_or_default());
        shown.retain(|c| c == '\t' || !c.is_control());
        cut(shown, window.end < line.end)
    }

    /// Returns the window of a line: all of it, or some bytes before `focus` and enough after it.
    fn window(&self, line: &Range<usize>, focus: usize) -> Range<usize> {
        let text = self.text();
        if line.len() <= MAX_CHARS {
            return line.clone();
        }
        let near = focus <= line.start + MAX_CHARS / 2;
        let start = if near { line.start } else { focus.saturating_sub(LEAD_BYTES).max(line.start) };
        let end = (start + 4 * MAX_CHARS).min(line.end);
        text.ceil_char_boundary(start)..text.floor_char_boundary(end)
    }

    /// Returns the ranges to mask, relative to a window of a line, sorted and not overlapping.
    fn masks(&self, line: &Range<usize>, window: &Range<usize>) -> Vec<Range<usize>> {
        let secrets = self.secrets();
        // Secrets do not overlap, so their ends are sorted like their starts.
        let from = secrets.partition_point(|secret| secret.end <= window.start);
        let known = secrets.iter().skip(from).take_while(|secret| secret.start < window.end);
        let inside = |offset: usize| offset.clamp(window.start, window.end) - window.start;
        let masks = known.cloned().chain(self.unparsed_secrets(line, window));
        secret::merged(masks.map(|mask| inside(mask.start)..inside(mask.end)).collect())
    }

    /// Returns secrets around a window that no scalar has, such as those in comments.
    fn unparsed_secrets(&self, line: &Range<usize>, window: &Range<usize>) -> Vec<Range<usize>> {
        let text = self.text();
        let start = text.ceil_char_boundary(window.start.saturating_sub(LOOK_AROUND).max(line.start));
        let end = text.floor_char_boundary((window.end + LOOK_AROUND).min(line.end));
        let found = secret::ranges(text.get(start..end).unwrap_or_default());
        found.into_iter().map(|mask| start + mask.start..start + mask.end).collect()
    }
}

/// Truncates to [`MAX_CHARS`] and adds an ellipsis.
fn cut(mut text: String, more: bool) -> String {
    if let Some((at, _)) = text.char_indices().nth(MAX_CHARS) {
        text.truncate(at);
        text.push('…');
    } else if more {
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::normalise::{Dialect, normalise};
    use super::*;

    fn document(text: &str) -> Document {
        let (mut document, _) = super::super::parse(text.as_bytes().to_vec());
        normalise(&mut document, Dialect::Kit);
        document
    }

    fn lines(text: &str, keys: &[&str], context: usize) -> Vec<(u64, String, bool)> {
        let document = document(text);
        let node = document.roots().next().unwrap().path(keys).unwrap();
        document.excerpt(node, context).into_iter().map(|l| (l.line, l.text, l.hit)).collect()
    }

    #[test]
    fn neighbours_end_with_the_file() {
        let text = "a: 1\nb: 2\nc: 3";
        let line = |n: u64, text: &str, hit| (n, text.to_owned(), hit);
        assert_eq!(lines(text, &["a"], 1), [line(1, "a: 1", true), line(2, "b: 2", false)]);
        assert_eq!(lines(text, &["b"], 5), [line(1, "a: 1", false), line(2, "b: 2", true), line(3, "c: 3", false)]);
        assert_eq!(lines("a: 1\n", &["a"], 3), [line(1, "a: 1", true)]);
    }

    #[test]
    fn secrets_are_masked_also_over_several_lines() {
        let text = "password: |\n  one\n  two\nargs: --token=abc\nc: \"x\\u001b[0m\"\n";
        let shown: Vec<String> = lines(text, &["args"], 3).into_iter().map(|(_, text, _)| text).collect();
        assert_eq!(shown, ["password: |", "  ***", "***", "args: --token=***", "c: \"x\\u001b[0m\""]);
    }

    #[test]
    fn secrets_inside_of_quoted_texts_are_masked_where_they_stand() {
        let text = "user: bob\npassword: it's \"hush\"\ntokens:\n- hush1\n- hush2\nä: Bearer hush3aB7kQ9xT2\n";
        let json = serde_json::to_string(text).unwrap();
        let single = format!("'{}'", text.replace('\'', "''").replace('\n', "\n\n  "));
        let block = format!("|\n{}", text.lines().map(|line| format!("  {line}\n")).collect::<String>());
        let folded = "\"bob --pass\\\n  word=hush\\u0068ush\"\n".to_owned();
        for written in [json.clone(), single, block, folded] {
            for document in [format!("a: {written}\nb: 1\n"), format!("c: {{d: x}}\na: {written}\nb: 1\n")] {
                let shown: String = lines(&document, &["a"], 12).into_iter().map(|(_, text, _)| text + "\n").collect();
                assert!(shown.contains("bob") && shown.contains("***"), "{document}{shown}");
                assert!(!shown.contains("hush") && !shown.contains("ush\\"), "{document}{shown}");
            }
        }
        let inner = serde_json::to_string(&json).unwrap();
        let shown = lines(&format!("{{\"a\": {inner}, \"b\": 1}}"), &["b"], 0).remove(0).1;
        assert!(shown.contains("\"b\": 1") && !shown.contains("hush"), "{shown}");
    }

    #[test]
    fn a_secret_that_begins_before_the_shown_part_is_masked() {
        let token = "aB7".repeat(1000);
        for lead in [format!("Authorization: Bearer {token}"), format!("x --token {token}")] {
            let shown = lines(&format!("{{\"a\": \"{lead}\", \"b\": 1}}"), &["b"], 0).remove(0).1;
            assert!(shown.contains("\"b\": 1") && !shown.contains("aB7"), "{shown}");
        }
    }

    #[test]
    fn long_lines_show_the_node() {
        let text = format!("{{\"a\": \"{}\", \"b\": \"ü{}\"}}", "x".repeat(100_000), "ü".repeat(1_000));
        let (_, shown, _) = lines(&text, &["b"], 0).remove(0);
        assert!(shown.starts_with('…') && shown.ends_with('…'), "{shown}");
        assert!(shown.contains("\"b\": \"ü"), "{shown}");
        assert_eq!(shown.chars().count(), MAX_CHARS + 1);
    }
}
