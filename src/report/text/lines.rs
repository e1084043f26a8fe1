//! Lines of a terminal: wrapped, coloured, and freed of what could steer it.

use std::fmt::Write as _;

use anstream::adapter::strip_str;
use anstyle::Style;

use crate::report::wrap::wrapped;
use crate::report::{clean, words};

/// Columns before the texts of a cause; as wide as the longest severity and a gap.
pub const INDENT: usize = 10;
/// Most characters of a text before it is wrapped; bounds what hostile titles and commands can print.
pub const TEXT_SHOWN: usize = 600;
/// Most lines of a command.
const COMMAND_LINES_SHOWN: usize = 8;

/// Text of so many columns.
pub struct Lines {
    pub out: String,
    pub columns: usize,
}

impl Lines {
    /// None yet.
    pub fn new(columns: usize) -> Self {
        Self { out: String::new(), columns }
    }

    /// Rows that it takes on the terminal: what is longer than a row goes on in the next one.
    pub fn rows(&self) -> usize {
        let plain = strip_str(&self.out).to_string();
        plain.lines().map(|line| line.chars().count().div_ceil(self.columns).max(1)).sum()
    }

    pub fn blank(&mut self) {
        self.out.push('\n');
    }

    /// Text with `indent` blanks in front of each of its lines.
    pub fn line(&mut self, indent: usize, text: &str, style: Style) {
        for part in wrapped(&words::clipped(text, TEXT_SHOWN), self.columns.saturating_sub(indent)) {
            self.push(format_args!("{:indent$}{style}{part}{style:#}\n", ""));
        }
    }

    /// A coloured word in front of its text.
    pub fn labelled(&mut self, label: &str, text: &str, style: Style) {
        let width = INDENT;
        let mut parts = wrapped(&words::clipped(text, TEXT_SHOWN), self.columns.saturating_sub(width)).into_iter();
        let first = parts.next().unwrap_or_default();
        self.push(format_args!("{style}{label:width$}{style:#}{first}\n"));
        for part in parts {
            self.push(format_args!("{:width$}{part}\n", ""));
        }
    }

    /// The same in one line; `rest` stands behind what is cut.
    pub fn labelled_short(&mut self, label: &str, text: &str, rest: &str, style: Style) {
        let room = self.columns.saturating_sub(INDENT + rest.chars().count() + 1);
        let text = format!("{}{rest}", words::clipped(&clean::one_line(&words::clipped(text, TEXT_SHOWN)), room));
        self.labelled(label, &text, style);
    }

    /// A command as it is typed: its lines are not wrapped, since what is pasted must run.
    pub fn command(&mut self, command: &str) {
        let indent = INDENT + 4;
        for line in clean::visible(&words::clipped(command, TEXT_SHOWN)).lines().take(COMMAND_LINES_SHOWN) {
            self.push(format_args!("{:indent$}{}\n", "", line.trim_end()));
        }
    }

    fn push(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing to a String cannot fail.
        let _ = self.out.write_fmt(text);
    }
}
