//! The last lines of a source.

use memchr::{memchr, memmem, memrchr};

use crate::log::group::mask::{KEY_BYTES, opens_key};
use crate::log::group::sample::lines_of;
use crate::log::source::window::Window;

/// Most lines that are kept, and their bytes: many logs are read, and few are shown.
const LINES: usize = 10;
const BYTES: usize = 4 << 10;

/// Bytes that are kept of what is before them.
const BEFORE: usize = 1 << 10;

/// The last lines of a source, as they are in the log.
#[derive(Clone, Debug, Default)]
pub struct Tail {
    text: Vec<u8>,
    /// What stands before them, in which keys of secrets are looked for.
    before: Vec<u8>,
    /// True if a private key begins before them.
    in_key: bool,
}

impl Tail {
    /// Takes the last of the fresh lines of a window.
    pub(in crate::log) fn window(&mut self, window: &Window) {
        let fresh = window.lines().get(window.fresh()).unwrap_or_default();
        match fresh.len().checked_sub(KEY_BYTES + BYTES + 1) {
            Some(start) => self.text = fresh.get(start..).unwrap_or_default().to_vec(),
            None => self.text.extend_from_slice(fresh),
        }
        let start = start_of_last(&self.text);
        let (before, after) = self.text.split_at_checked(start).unwrap_or_default();
        if before.len() >= KEY_BYTES || memmem::find(before, b"-----").is_some() {
            // The line after the mark says whether it begins a key.
            let line = memchr(b'\n', after).unwrap_or(after.len());
            self.in_key = opens_key(self.text.get(..start + line).unwrap_or_default());
        }
        self.before.extend_from_slice(before);
        let surplus = self.before.len().saturating_sub(BEFORE);
        self.before.drain(..surplus);
        self.text.drain(..start);
    }

    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Returns the lines without control characters and secrets.
    pub fn lines(&self) -> Vec<String> {
        lines_of(&self.before, &self.text, self.in_key)
    }
}

/// Returns where the last whole lines begin that are few enough; of a longer line only the end is kept.
fn start_of_last(text: &[u8]) -> usize {
    let mut start = text.len();
    for _ in 0..LINES {
        let before = text.get(..start.saturating_sub(1)).unwrap_or_default();
        let begin = memrchr(b'\n', before).map_or(0, |at| at + 1);
        if text.len() - begin > BYTES {
            break;
        }
        start = begin;
    }
    if start == text.len() { start.saturating_sub(BYTES) } else { start }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::source::entry::TextUnit;

    fn tail(capacity: usize, text: &str) -> Vec<String> {
        let (mut window, mut tail) = (Window::new(capacity, capacity, TextUnit::Line), Tail::default());
        let mut input = text.as_bytes();
        while window.advance(&mut input) {
            tail.window(&window);
        }
        tail.lines()
    }

    #[test]
    fn the_last_lines_do_not_depend_on_windows() {
        let text: String = (1..=200).map(|n| format!("line {n}\n")).collect();
        let wanted: Vec<String> = (191..=200).map(|n| format!("line {n}")).collect();
        for capacity in [64, 100, 1_000, 100_000] {
            assert_eq!(tail(capacity, &text), wanted, "{capacity}");
        }
        assert_eq!(tail(64, "a\n\nb"), ["a", "", "b"]);
        assert!(tail(64, "").is_empty());
        let long = format!("a\n{}\n{}\n", "x".repeat(BYTES), "y".repeat(BYTES / 2));
        assert_eq!(tail(100_000, &long).len(), 1);
    }

    #[test]
    fn secrets_are_masked() {
        for above in [0, 9, 12] {
            let text = format!("{}run --token\nhorse7Battery\n{}", "line\n".repeat(above), "line\n".repeat(9));
            for capacity in [40, 100_000] {
                assert!(!tail(capacity, &text).concat().contains("horse"), "{above}, {capacity}");
            }
        }
        let lines = tail(1_000, "connect\npassword=horsebattery\n");
        assert!(!lines.concat().contains("horse"), "{lines:?}");
        let key = format!(
            "-----BEGIN PRIVATE KEY-----\n{}",
            "MIIhorseHORSE0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOP\n".repeat(24)
        );
        for capacity in [200, 100_000] {
            let lines = tail(capacity, &key);
            assert!(lines.len() == LINES && !lines.concat().contains("horse"), "{lines:?}");
        }
    }
}
