//! Terminal lines: wrapped, coloured, and without control sequences of the bundle.

use std::fmt::Write as _;

use anstream::adapter::strip_str;
use anstyle::Style;

use crate::model::clean;
use crate::report::lexicon::Lexicon;
use crate::report::words;
use crate::report::wrap::wrapped;

/// The text around findings is English in every language, since columns are counted by characters.
pub const T: Lexicon = Lexicon::ENGLISH;

pub const QUIET: Style = Style::new().dimmed();

/// Columns before the texts of a cause: the longest severity and a gap.
pub const INDENT: usize = 10;
/// Maximum length of a text before it is wrapped, in characters; limits the output of hostile titles and commands.
pub const TEXT_SHOWN: usize = 600;
/// Maximum number of lines of a command.
const COMMAND_LINES_SHOWN: usize = 8;

/// Text wrapped to a number of columns.
pub struct Lines {
    pub out: String,
    pub columns: usize,
}

impl Lines {
    /// Starts without lines.
    pub fn new(columns: usize) -> Self {
        Self { out: String::new(), columns }
    }

    /// Returns the number of rows on the terminal; a longer line continues on the next row.
    pub fn rows(&self) -> usize {
        let plain = strip_str(&self.out).to_string();
        plain.lines().map(|line| line.chars().count().div_ceil(self.columns).max(1)).sum()
    }

    pub fn blank(&mut self) {
        self.out.push('\n');
    }

    /// Adds text with each line indented by `indent` blanks.
    pub fn line(&mut self, indent: usize, text: &str, style: Style) {
        for part in wrapped(&words::clipped(text, TEXT_SHOWN), self.columns.saturating_sub(indent)) {
            self.push(format_args!("{:indent$}{style}{part}{style:#}\n", ""));
        }
    }

    /// Adds a coloured label and its text.
    pub fn labelled(&mut self, label: &str, text: &str, style: Style) {
        let width = INDENT;
        let mut parts = wrapped(&words::clipped(text, TEXT_SHOWN), self.columns.saturating_sub(width)).into_iter();
        let first = parts.next().unwrap_or_default();
        self.push(format_args!("{style}{label:width$}{style:#}{first}\n"));
        for part in parts {
            self.push(format_args!("{:width$}{part}\n", ""));
        }
    }

    /// Adds the same on one line; `rest` follows the shortened text.
    pub fn labelled_short(&mut self, label: &str, text: &str, rest: &str, style: Style) {
        let room = self.columns.saturating_sub(INDENT + rest.chars().count() + 1);
        let text = format!("{}{rest}", words::clipped(&clean::one_line(&words::clipped(text, TEXT_SHOWN)), room));
        self.labelled(label, &text, style);
    }

    /// Adds a command without wrapping its lines, so that it can be pasted and run.
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
