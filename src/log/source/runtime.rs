//! Logs as container runtimes keep them, line by line: the text files of the kubelet,
//! `2022-03-06T22:53:45.217338826Z stderr F text`, and the JSON of Docker,
//! `{"log":"text\n","stream":"stderr","time":"2022-03-06T22:53:45.217338826Z"}`; and journals as JSON.
//!
//! Docker's logs become `2022-03-06T22:53:45.217338826Z text`, as the kubelet prints them, and entries of a journal as `journalctl` prints them. Runtimes split long lines: a
//! part that is marked `P`, or has no line feed in JSON, is joined with the next part of the same stream. The joined line
//! has the time and the number of its first part.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter, memmem};
use serde::Deserialize;

use crate::log::source::{journal_entry, line, stamp};

/// Number of lines by which the form of a log is recognised: the first one may be truncated.
const FIRST_LINES: usize = 3;

/// Form in which a runtime writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Docker,
    Kubelet,
    /// `journalctl -o json`.
    Journal,
    /// Lines that were pasted into a text: indented, or quoted as in an answer to a mail.
    Pasted,
}

/// Parsed line.
struct Piece<'l> {
    /// Part before the text.
    head: Cow<'l, [u8]>,
    stdout: bool,
    text: Cow<'l, [u8]>,
    /// True if the line ends with this part.
    whole: bool,
}

#[derive(Deserialize)]
struct Entry<'l> {
    #[serde(borrow)]
    log: Cow<'l, str>,
    #[serde(borrow, default)]
    stream: Cow<'l, str>,
    #[serde(borrow)]
    time: Cow<'l, str>,
}

/// Joins the split lines of a log.
#[derive(Debug)]
pub(in crate::log) struct Joiner {
    form: Form,
    /// Largest size of a joined line, in bytes.
    longest: usize,
    /// Bytes that are not yet a whole line.
    raw: Vec<u8>,
    /// Incomplete lines of stderr and stdout with their numbers, from 0.
    begun: [Option<(i64, Vec<u8>)>; 2],
    /// Number of lines read and given out, and the offset of the next line's number.
    read: i64,
    given: i64,
    ahead: i64,
    /// True if the end of the last line still has to be given out.
    open: bool,
}

/// Lines with a time that were joined.
#[derive(Debug, Default)]
pub(in crate::log) struct Joined {
    pub text: Vec<u8>,
    /// Positions in it at which line numbers jump, and by how much.
    pub jumps: Vec<(usize, i64)>,
}

impl Joiner {
    /// Makes a joiner for a log with this beginning; `None` if it has another form.
    pub fn of(beginning: &[u8], longest: usize) -> Option<Self> {
        let mut lines = line::each(beginning).take(FIRST_LINES);
        let form = lines.find_map(|line| {
            if line.starts_with(b"{\"log\":\"") {
                return Some(Form::Docker);
            }
            journal_entry::printed(line).map(|_| Form::Journal).or_else(|| kubelet(line).map(|_| Form::Kubelet))
        })?;
        Some(Self::with(form, longest))
    }

    /// Makes a joiner for a text into which lines were pasted.
    pub fn pasted(longest: usize) -> Self {
        Self::with(Form::Pasted, longest)
    }

    fn with(form: Form, longest: usize) -> Self {
        Self { form, longest, raw: Vec::new(), begun: [None, None], read: 0, given: 0, ahead: 0, open: false }
    }

    /// Adds the next bytes.
    pub fn add(&mut self, bytes: &[u8], joined: &mut Joined) {
        let mut raw = std::mem::take(&mut self.raw);
        let from = raw.len();
        raw.extend_from_slice(bytes);
        let fresh = raw.get(from..).unwrap_or_default();
        let end = memchr::memrchr(b'\n', fresh).map_or(0, |at| from + at + 1);
        self.lines(raw.get(..end).unwrap_or_default(), joined);
        raw.drain(..end);
        self.raw = raw;
        if self.raw.len() > self.longest {
            // The rest of such a line is passed on; its end counts when it comes.
            let long = std::mem::take(&mut self.raw);
            self.give(self.read, &long, false, joined);
        }
    }

    pub fn finish(&mut self, joined: &mut Joined) {
        let rest = std::mem::take(&mut self.raw);
        if !rest.is_empty() {
            self.line(&rest, false, joined);
        } else if self.open {
            self.read += 1;
        }
        let mut begun: Vec<(i64, Vec<u8>)> = self.begun.iter_mut().filter_map(Option::take).collect();
        begun.sort_unstable();
        if !begun.is_empty() && self.open {
            joined.text.push(b'\n');
            self.given += 1;
            self.open = false;
        }
        let last = begun.len().saturating_sub(1);
        for (at, (number, text)) in begun.into_iter().enumerate() {
            self.give(number, &text, at < last, joined);
        }
        // Lines that were joined with an earlier one count as lines of the log, too.
        self.jump(self.read - self.given - i64::from(self.open), joined);
    }

    fn lines(&mut self, mut lines: &[u8], joined: &mut Joined) {
        if self.form == Form::Kubelet
            && self.begun.iter().all(Option::is_none)
            && self.ahead == self.read - self.given
            && memmem::find(lines, b" P ").is_none()
        {
            let count = memchr_iter(b'\n', lines).count() as i64;
            self.read += count;
            self.given += count;
            self.open &= count == 0;
            return joined.text.extend_from_slice(lines);
        }
        while let Some(end) = memchr(b'\n', lines) {
            let (line, rest) = lines.split_at(end);
            self.line(line, true, joined);
            lines = rest.get(1..).unwrap_or_default();
        }
    }

    fn line(&mut self, line: &[u8], ended: bool, joined: &mut Joined) {
        let number = self.read;
        self.read += 1;
        let piece = match self.form {
            Form::Docker => docker(line),
            Form::Kubelet => kubelet(line),
            Form::Journal => journal(line),
            Form::Pasted => Some(pasted(line)),
        };
        let Some(piece) = piece else { return self.give(number, line, ended, joined) };
        let stream = usize::from(piece.stdout);
        let begun = self.begun.get_mut(stream).and_then(Option::take);
        let (number, mut text) = match begun {
            Some((number, mut text)) => {
                if text.len() <= self.longest {
                    text.extend_from_slice(&piece.text);
                }
                (number, text)
            }
            None => (number, [&*piece.head, &*piece.text].concat()),
        };
        if piece.whole {
            self.give(number, &text, ended, joined);
        } else if let Some(place) = self.begun.get_mut(stream) {
            text.truncate(self.longest.saturating_add(1));
            *place = Some((number, text));
        }
    }

    fn give(&mut self, number: i64, line: &[u8], ended: bool, joined: &mut Joined) {
        self.jump(number - self.given, joined);
        self.open = !ended;
        joined.text.extend_from_slice(line);
        if ended {
            joined.text.push(b'\n');
            self.given += 1;
        }
    }

    fn jump(&mut self, ahead: i64, joined: &mut Joined) {
        if ahead != self.ahead {
            joined.jumps.push((joined.text.len(), ahead - self.ahead));
            self.ahead = ahead;
        }
    }
}

fn docker(line: &[u8]) -> Option<Piece<'_>> {
    let Entry { log, stream, time } = serde_json::from_slice(line).ok()?;
    let text = log.strip_suffix('\n');
    let plain = text.unwrap_or(&log).bytes().map(|b| if b == b'\n' { b' ' } else { b });
    Some(Piece {
        head: format!("{time} ").into_bytes().into(),
        stdout: stream == "stdout",
        text: plain.collect(),
        whole: text.is_some(),
    })
}

fn journal(line: &[u8]) -> Option<Piece<'_>> {
    let text = journal_entry::printed(line)?.into_bytes().into();
    Some(Piece { head: Cow::default(), stdout: true, text, whole: true })
}

fn pasted(line: &[u8]) -> Piece<'_> {
    let start = line.iter().position(|byte| !b" \t>|`".contains(byte)).unwrap_or(line.len());
    let text = line.get(start..).unwrap_or_default().into();
    Piece { head: Cow::default(), stdout: true, text, whole: true }
}

/// Tags after the stream are separated by colons; the first one states whether the line ends.
fn kubelet(line: &[u8]) -> Option<Piece<'_>> {
    let (_, behind) = stamp::leading(line)?;
    let text = line.get(behind..)?;
    let stdout = text.starts_with(b"stdout ");
    let tag = text.strip_prefix(b"stdout ").or_else(|| text.strip_prefix(b"stderr "))?;
    let whole = match tag {
        [b'F', b' ' | b':', ..] => true,
        [b'P', b' ' | b':', ..] => false,
        _ => return None,
    };
    let at = line.len() - tag.len() + memchr(b' ', tag)? + 1;
    let (head, text) = line.split_at(at);
    Some(Piece { head: head.into(), stdout, text: text.into(), whole })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines with their numbers.
    fn read(log: &str, longest: usize, step: usize) -> Option<Vec<String>> {
        let mut joiner = Joiner::of(log.as_bytes(), longest)?;
        let mut all = Joined::default();
        for piece in log.as_bytes().chunks(step) {
            joiner.add(piece, &mut all);
        }
        joiner.finish(&mut all);
        let mut jumps = all.jumps.into_iter().peekable();
        let (mut at, mut number, mut lines) = (0, 1, Vec::new());
        for line in String::from_utf8(all.text).unwrap().split_inclusive('\n') {
            while let Some((_, jump)) = jumps.next_if(|(jump, _)| *jump <= at) {
                number += jump;
            }
            lines.push(format!("{number} {line}"));
            at += line.len();
            number += 1;
        }
        Some(lines)
    }

    #[test]
    fn lines_of_docker_read_as_the_kubelet_prints_them() {
        let log = "{\"log\":\"a \\\"b\\\"\\n\",\"stream\":\"stdout\",\"time\":\"2024-01-01T00:00:00Z\"}\nother {\n\
                   {\"log\":\"\\u00e4\\nc\\n\",\"stream\":\"stderr\",\"time\":\"2024-01-01T00:00:01Z\",\"attrs\":{}}\n\
                   {\"log\":\"joi\",\"stream\":\"stderr\",\"time\":\"2024-01-01T00:00:02Z\"}\n\
                   {\"log\":\"ned\\n\",\"stream\":\"stderr\",\"time\":\"2024-01-01T00:00:03Z\"}\n\
                   {\"log\":\"end\",\"stream\":\"stderr\",\"time\":\"2024-01-01T00:00:04Z\"}";
        for step in [1, 7, 4096] {
            let want = [
                "1 2024-01-01T00:00:00Z a \"b\"\n",
                "2 other {\n",
                "3 2024-01-01T00:00:01Z ä c\n",
                "4 2024-01-01T00:00:02Z joined\n",
                "6 2024-01-01T00:00:04Z end",
            ];
            assert_eq!(read(log, 1000, step).unwrap(), want, "{step}");
        }
    }

    #[test]
    fn entries_of_a_journal_read_as_journalctl_prints_them() {
        let log = "{\"MESSAGE\":\"a\\nb\",\"_HOSTNAME\":\"n1\",\"SYSLOG_IDENTIFIER\":\"k3s\",\"_PID\":\"7\",\
                   \"__REALTIME_TIMESTAMP\":\"1704067200000000\"}\nother\n";
        for step in [1, 4096] {
            let want = ["1 2024-01-01T00:00:00Z n1 k3s[7]: a b\n", "2 other\n"];
            assert_eq!(read(log, 1000, step).unwrap(), want, "{step}");
        }
    }

    #[test]
    fn pasted_lines_are_read_without_indents_and_quotes() {
        let mut joined = Joined::default();
        let mut joiner = Joiner::pasted(1000);
        joiner.add(b"Hello\n\n> \tE0206 x\n    [error] y", &mut joined);
        joiner.finish(&mut joined);
        assert_eq!(String::from_utf8(joined.text).unwrap(), "Hello\n\nE0206 x\n[error] y");
        assert_eq!(joined.jumps, []);
    }

    #[test]
    fn parts_of_a_line_are_joined() {
        let log = "cut\n2024-01-01T00:00:00Z stderr F a\n2024-01-01T00:00:01Z stdout P one \n\
                   2024-01-01T00:00:02Z stderr F b\n2024-01-01T00:00:03Z stdout P:x two \n\
                   2024-01-01T00:00:04Z stdout F three\n2024-01-01T00:00:05Z stderr F c\n\
                   2024-01-01T00:00:06Z stderr P left";
        for step in [1, 7, 4096] {
            let want = [
                "1 cut\n",
                "2 2024-01-01T00:00:00Z stderr F a\n",
                "4 2024-01-01T00:00:02Z stderr F b\n",
                "3 2024-01-01T00:00:01Z stdout P one two three\n",
                "7 2024-01-01T00:00:05Z stderr F c\n",
                "8 2024-01-01T00:00:06Z stderr P left",
            ];
            assert_eq!(read(log, 1000, step).unwrap(), want, "{step}");
        }
    }

    #[test]
    fn joined_lines_are_bounded() {
        let part = format!("2024-01-01T00:00:00Z stdout P {}\n", "x".repeat(100));
        let lines = read(&format!("{}2024-01-01T00:00:00Z stdout F end\n", part.repeat(50)), 500, 64).unwrap();
        let [line] = lines.as_slice() else { panic!("{lines:?}") };
        assert!(line.len() < 700, "{}", line.len());
        let long = format!("{{\"log\":\"{}\\n\",\"time\":\"2024-01-01T00:00:00Z\"}}\n", "x".repeat(900));
        assert_eq!(read(&long, 500, 64).unwrap().concat(), format!("1 {long}"));
        assert!(read(&long, 2000, 64).unwrap().concat().starts_with("1 2024-01-01T00:00:00Z xxx"));
    }

    #[test]
    fn other_logs_stay() {
        for log in ["", "plain\n", "2024-01-01T00:00:00Z stdout is full\n", "{\"msg\":\"x\"}\n"] {
            assert_eq!(read(log, 1000, 7), None, "{log}");
        }
    }
}
