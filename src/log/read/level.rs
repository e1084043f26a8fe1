//! Levels of lines, in their order.

use crate::log::source::{line, stamp};
use crate::log::template::parts::level_of;
use crate::model::unexplained::Level;

/// Reads the levels of the lines of one text. A line of a stack trace has the level of the line that it continues.
#[derive(Clone, Debug)]
pub struct LevelReader {
    of_node: bool,
    /// True once a line had a header: a line without one continues it.
    headed: bool,
    /// True if messages are indented behind their stamps: the first line is, and it continues none. `None` before it.
    indented: Option<bool>,
    last: Option<Level>,
}

impl LevelReader {
    /// Begins a text; `of_node` if it is a log of a node, where a host and a program can follow the stamp.
    pub fn new(of_node: bool) -> Self {
        Self { of_node, headed: false, indented: None, last: None }
    }

    /// Returns the level of the next line; none if it reports no trouble.
    pub fn of(&mut self, line: &[u8]) -> Option<Level> {
        let (range, stamp) = line::text(line, 0..line.len(), line.len());
        let mut text = line.get(range).unwrap_or_default();
        let is_indented = text.first() == Some(&b' ');
        if *self.indented.get_or_insert(is_indented) && is_indented && stamp.is_some() {
            text = text.trim_ascii_start();
        }
        let (level, headed) = level_of(text, self.of_node && stamp.is_some());
        let is_inner = text.first().is_none_or(|byte| matches!(byte, b' ' | b'\t' | b'}'));
        // A line with a stamp of its own, as in an access log, continues none.
        let continues = !headed && (is_inner || (self.headed && stamp::payload(text).is_none()));
        if !continues {
            self.last = level;
        }
        self.headed |= headed;
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stack_traces_have_the_level_of_their_line() {
        let mut levels = LevelReader::new(false);
        let lines = [
            ("2024-01-01T00:00:00Z level=info msg=\"failed, but harmless\"", None),
            ("time=\"2024-01-01T00:00:01Z\" level=error msg=\"no route\"", Some(Level::Error)),
            ("goroutine 1 [running]:", Some(Level::Error)),
            ("2024-01-01T00:00:01Z \tmain.go:12", Some(Level::Error)),
            ("10.0.0.1 - - [01/Jan/2024:00:00:01 +0000] \"GET /v1 HTTP/1.1\" 200", None),
            ("W0101 00:00:02.000000       1 x.go:1] retry", Some(Level::Warning)),
            ("panic without a header", Some(Level::Warning)),
            ("{\"level\":\"info\",\"msg\":\"on\"}", None),
        ];
        for (line, level) in lines {
            assert_eq!(levels.of(line.as_bytes()), level, "{line}");
        }
        let mut bare = LevelReader::new(false);
        assert_eq!(
            ["connection refused", "all is well"].map(|line| bare.of(line.as_bytes())),
            [Some(Level::Error), None]
        );
        let mut journal = LevelReader::new(true);
        let line = "Mar 06 22:45:28 n1 rke2[7]: time=\"2024-03-06T22:45:28Z\" level=fatal msg=x";
        assert_eq!(journal.of(line.as_bytes()), Some(Level::Fatal));
    }
}
