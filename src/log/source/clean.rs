//! Cleans text of the traces of terminals and power losses.
//!
//! Escape sequences are removed, so that a pattern sees a coloured word as a word. Text between carriage returns or runs of NUL
//! becomes lines of its own, with the number of the line that it is in: states of a progress bar, a line that
//! a power loss tore, and the first one after it. A single NUL is removed: UTF-16 that was appended to a file has them.

use memchr::memchr3;

const ESCAPE: u8 = 0x1b;
/// Longest operating system command (a window's title); after it text begins again.
const MAX_COMMAND: usize = 2048;

/// Cleans a text that comes piece by piece.
#[derive(Debug)]
pub(in crate::log) struct Cleaner {
    inside: Inside,
    /// True if a line ends before the next character.
    breaks: bool,
    /// True if the last byte was a NUL.
    nul: bool,
    /// The last byte given out.
    last: u8,
}

/// Next part of an escape sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Inside {
    Text,
    Escape,
    /// `ESC [ 31 m`
    Control,
    /// `ESC ( B`
    Set,
    /// `ESC ] 0;title BEL`, with the number of its bytes so far.
    Command(usize),
    /// Perhaps the end of a command, `ESC \`.
    CommandEnd,
}

impl Default for Cleaner {
    fn default() -> Self {
        Self { inside: Inside::Text, breaks: false, nul: false, last: b'\n' }
    }
}

impl Cleaner {
    /// Returns whether the next bytes need no cleaning; if so, they count as given out.
    pub fn passes(&mut self, bytes: &[u8]) -> bool {
        let idle = self.inside == Inside::Text && !self.breaks && !self.nul;
        let passes = idle && memchr3(ESCAPE, b'\0', b'\r', bytes).is_none();
        if let (true, Some(last)) = (passes, bytes.last()) {
            self.last = *last;
        }
        passes
    }

    /// Adds the cleaned piece to `text`; calls `broken` with the position in `text` of each line that is part of another one.
    pub fn clean(&mut self, mut piece: &[u8], text: &mut Vec<u8>, broken: &mut dyn FnMut(usize)) {
        while let Some((first, rest)) = piece.split_first() {
            if self.inside != Inside::Text {
                if self.step(*first) {
                    piece = rest;
                }
                continue;
            }
            match *first {
                ESCAPE => self.inside = Inside::Escape,
                b'\r' => self.breaks = true,
                0 => self.breaks |= self.nul,
                _ => {
                    let end = memchr3(ESCAPE, b'\0', b'\r', piece).unwrap_or(piece.len());
                    let (run, behind) = piece.split_at(end);
                    self.give(run, text, broken);
                    self.nul = false;
                    piece = behind;
                    continue;
                }
            }
            self.nul = *first == 0;
            piece = rest;
        }
    }

    fn give(&mut self, run: &[u8], text: &mut Vec<u8>, broken: &mut dyn FnMut(usize)) {
        let breaks = std::mem::take(&mut self.breaks);
        if breaks && self.last != b'\n' && run.first() != Some(&b'\n') {
            text.push(b'\n');
            broken(text.len());
        }
        text.extend_from_slice(run);
        self.last = run.last().copied().unwrap_or(self.last);
    }

    /// Continues an escape sequence; returns false if the byte is not part of it.
    fn step(&mut self, byte: u8) -> bool {
        let (next, taken) = match (self.inside, byte) {
            // A sequence ends with its line at the latest.
            (_, b'\n') => (Inside::Text, false),
            (Inside::Escape, b'[') => (Inside::Control, true),
            (Inside::Escape, b']') => (Inside::Command(0), true),
            (Inside::Escape | Inside::Set, b' '..=b'/') => (Inside::Set, true),
            (Inside::Escape | Inside::Set, 0x30..=0x7e) => (Inside::Text, true),
            (Inside::Control, 0x20..=0x3f) => (Inside::Control, true),
            (Inside::Control, 0x40..=0x7e) => (Inside::Text, true),
            (Inside::Command(_), 0x07) => (Inside::Text, true),
            (Inside::Command(_), ESCAPE) => (Inside::CommandEnd, true),
            (Inside::Command(length), _) if length < MAX_COMMAND => (Inside::Command(length + 1), true),
            (Inside::CommandEnd, b'\\') => (Inside::Text, true),
            // An escape that does not end the command begins a sequence.
            (Inside::CommandEnd, _) => (Inside::Escape, false),
            _ => (Inside::Text, false),
        };
        self.inside = next;
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text, and the parts of lines as `^`.
    fn cleaned(log: &[u8], step: usize) -> String {
        let (mut cleaner, mut text, mut parts) = (Cleaner::default(), Vec::new(), Vec::new());
        for piece in log.chunks(step) {
            if cleaner.passes(piece) {
                text.extend_from_slice(piece);
            } else {
                cleaner.clean(piece, &mut text, &mut |at| parts.push(at));
            }
        }
        parts.iter().rev().for_each(|at| text.insert(*at, b'^'));
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn escape_sequences_and_carriage_returns_are_removed() {
        for (log, want) in [
            (&b"plain\ntext"[..], "plain\ntext"),
            (
                b"\x1b[31;1mERRO\x1b[0m[0000] \x1b[2J\x1b[Hno\x1b(B disk\x1b]0;title\x07.\x1b]0;t\x1b\\\n",
                "ERRO[0000] no disk.\n",
            ),
            (b"a\r\nb\r\r\nc\r", "a\nb\nc"),
            (b"10%\r20%\r\x1b[K\r30% done\nnext\n", "10%\n^20%\n^30% done\nnext\n"),
            (b"\rstart\n", "start\n"),
            (b"half a li\0\0\0\0whole\n\0\0\0first\n", "half a li\n^whole\nfirst\n"),
            (b"a\0b\ne\0n\0d\0\r\0\n\0x\n", "ab\nend\nx\n"),
            (b"cut \x1b[31\nnext \x1b]never ends\n\x1b\n.", "cut \nnext \n\n."),
            (b"\x1b]x\x1b[31mred \x1b\xc3\xa4", "red \u{e4}"),
            (b"a\x0cb", "a\x0cb"),
        ] {
            for step in [1, 2, 3, 1000] {
                assert_eq!(cleaned(log, step), want, "{log:?} by {step}");
            }
        }
    }

    #[test]
    fn a_command_without_end_does_not_hide_the_line() {
        let log = format!("\x1b]{}error\n", "x".repeat(MAX_COMMAND));
        assert_eq!(cleaned(log.as_bytes(), 7), "error\n");
    }
}
