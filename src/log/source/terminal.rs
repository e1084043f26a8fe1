//! Lines that logrus writes to a terminal, `FATA[0001] starting kubernetes: no token    node=n1`, as it writes them to a file:
//! `level=fatal msg="starting kubernetes: no token" node=n1`.
//!
//! K3s, RKE2, containerd and Rancher's agents write this form when somebody starts them by hand, and people attach it. Rules, known lines and templates
//! are about the other form. The level has four letters; in brackets is the number of seconds since the start; the message is filled with blanks up to 44
//! characters, and a blank follows (`printColored` in logrus' `text_formatter.go`). Programs that print a time in the brackets do so in the logs of pods, too, where
//! rules know them: these lines stay as they are.

use std::borrow::Cow;

use crate::log::source::clean::Cleaner;

/// Levels as a terminal and as a file show them.
const LEVELS: [(&[u8], &str); 7] = [
    (b"PANI[", "panic"),
    (b"FATA[", "fatal"),
    (b"ERRO[", "error"),
    (b"WARN[", "warning"),
    (b"INFO[", "info"),
    (b"DEBU[", "debug"),
    (b"TRAC[", "trace"),
];

/// Maximum number of places in a line at which its keys may begin.
const BEGINNINGS: usize = 16;

/// Translates a log while it streams.
#[derive(Debug)]
pub(in crate::log) struct Terminal {
    /// Largest size of a line that is translated, in bytes.
    longest: usize,
    /// Bytes that are not yet a whole line.
    line: Vec<u8>,
    /// True if the line is too long and was passed on in part.
    passes: bool,
}

impl Terminal {
    /// Returns the translator if a log with this beginning has lines of the form.
    pub fn of(beginning: &[u8], longest: usize) -> Option<Self> {
        let is_of_form = beginning.split(|byte| *byte == b'\n').any(|line| header(&plain(line)).is_some());
        is_of_form.then(|| Self { longest, line: Vec::new(), passes: false })
    }

    /// Translates the lines that end in `bytes`.
    pub fn add(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(piece);
            let ends = piece.ends_with(b"\n");
            self.passes |= self.line.len() > self.longest;
            if ends || self.passes {
                self.finish(out);
                self.passes = !ends;
            }
        }
    }

    /// Gives out what there is of a line, at the end of the log the last one.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        let text = self.line.trim_ascii_end();
        match as_logfmt(&plain(text)).filter(|_| !self.passes) {
            Some(translated) => {
                out.extend_from_slice(translated.as_bytes());
                out.extend_from_slice(if self.line.ends_with(b"\n") { b"\n" } else { b"" });
            }
            None => out.extend_from_slice(&self.line),
        }
        self.line.clear();
    }
}

/// Returns the level of a line of the form, and its message with the keys.
fn header(line: &[u8]) -> Option<(&'static str, &[u8])> {
    let (mark, level) = LEVELS.iter().find(|(mark, _)| line.starts_with(mark))?;
    let rest = line.get(mark.len()..)?;
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let message = rest.get(digits..)?.strip_prefix(b"] ")?;
    (digits >= 4).then_some((level, message))
}

fn as_logfmt(line: &[u8]) -> Option<String> {
    let (level, rest) = header(line)?;
    // What a progress bar or a power loss left in a line becomes lines of its own afterwards.
    let rest = std::str::from_utf8(rest).ok().filter(|rest| !rest.contains(['\r', '\n', '\0']))?;
    let keys = keys(rest);
    let message = rest.get(..rest.len() - keys.len())?.trim_end();
    let space = if keys.is_empty() { "" } else { " " };
    Some(format!("level={level} msg={}{space}{keys}", quoted(message)))
}

/// Returns the keys and values at the end of a line; empty if there are none. At least two blanks are before them.
fn keys(text: &str) -> &str {
    let candidates = text.match_indices("  ").map(|(at, _)| text.get(at..).unwrap_or_default().trim_start());
    candidates.filter(|rest| !rest.is_empty()).take(BEGINNINGS).find(|rest| is_keys(rest)).unwrap_or_default()
}

/// Returns true for a list as `error="no such host" node=n1`.
fn is_keys(mut text: &str) -> bool {
    while !text.is_empty() {
        let Some((key, rest)) = text.split_once('=') else { return false };
        let is_key = key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/'));
        let Some(length) = value(rest).filter(|_| is_key && !key.is_empty()) else { return false };
        text = match rest.get(length..) {
            Some("") | None => return true,
            Some(rest) if rest.starts_with(' ') => rest.trim_start(),
            Some(_) => return false,
        };
    }
    true
}

/// Returns the length of the value at the beginning of a text, which is one word or in quotes.
fn value(text: &str) -> Option<usize> {
    let Some(inner) = text.strip_prefix('"') else { return Some(text.find(' ').unwrap_or(text.len())) };
    let mut escaped = false;
    let end = inner.bytes().position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    });
    Some(end? + 2)
}

/// Quotes a message as logrus does in a file: not at all if it is one plain word.
fn quoted(message: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._/@^+".contains(&byte);
    if !message.is_empty() && message.bytes().all(is_plain) {
        return message.to_owned();
    }
    format!("\"{}\"", message.replace('\\', "\\\\").replace('"', "\\\"").replace('\t', "\\t"))
}

/// Returns the line without the escape sequences that set colours.
fn plain(line: &[u8]) -> Cow<'_, [u8]> {
    let mut cleaner = Cleaner::default();
    if cleaner.passes(line) {
        return Cow::Borrowed(line);
    }
    let mut text = Vec::with_capacity(line.len());
    cleaner.clean(line, &mut text, &mut |_| {});
    Cow::Owned(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn translated(log: &str) -> String {
        let Some(mut terminal) = Terminal::of(log.as_bytes(), 200) else { return String::from("none") };
        let mut out = Vec::new();
        // Pieces end anywhere.
        for piece in log.as_bytes().chunks(7) {
            terminal.add(piece, &mut out);
        }
        terminal.finish(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn every_form_becomes_that_of_a_file() {
        for (terminal, file) in [
            ("FATA[0001] no token \n", "level=fatal msg=\"no token\"\n"),
            ("\x1b[31mFATA\x1b[0m[0012] no token    \x1b[31mnode\x1b[0m=n1", "level=fatal msg=\"no token\" node=n1"),
            ("ERRO[12345] EOF                   \r\n", "level=error msg=EOF\n"),
            (
                "WARN[0000] get \"https://n1:9345\": a\\b   error=\"dial \\\"x\\\": refused\" try=2\n",
                "level=warning msg=\"get \\\"https://n1:9345\\\": a\\\\b\" error=\"dial \\\"x\\\": refused\" try=2\n",
            ),
            ("DEBU[0003] a=b  is no key, c = d\n", "level=debug msg=\"a=b  is no key, c = d\"\n"),
            (
                "INFO[0000] up\nFlag --x is deprecated\nINFO[0001] on\n",
                "level=info msg=up\nFlag --x is deprecated\nlevel=info msg=on\n",
            ),
        ] {
            assert_eq!(translated(terminal), file);
        }
    }

    #[test]
    fn other_lines_stay_as_they_are() {
        assert_eq!(translated("time=\"x\" level=info msg=up\nINFO up\n"), "none");
        let long = format!("INFO[0000] up\nINFO[0001] {}  a=b\n", "x".repeat(300));
        assert_eq!(translated(&long), long.replacen("INFO[0000] up", "level=info msg=up", 1));
        for odd in
            ["INFO[12] x\n", "INFO[0001]x\n", "INFO[0001 x\n", "INFO[2024-05-06T07:08:09Z] x\n", "INFO[0001] x\ry\n"]
        {
            let log = format!("INFO[0000] up\n{odd}");
            assert_eq!(translated(&log), format!("level=info msg=up\n{odd}"));
        }
    }
}
