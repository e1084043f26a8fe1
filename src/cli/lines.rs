//! Lines for people. Names of files, and texts of bundles and rules, must not control the terminal or deceive the eye.

use std::fmt::{Arguments, Display};
use std::io::{self, Write};

use crate::model::clean;

/// Prints a line with its hidden characters shown; `text` has no styles.
///
/// # Errors
/// Fails as the writer does.
pub fn print_line(out: &mut dyn Write, text: Arguments<'_>) -> io::Result<()> {
    print_text(out, &text)?;
    writeln!(out)
}

/// Prints whole lines with their hidden characters shown; `text` has no styles.
///
/// # Errors
/// Fails as the writer does.
pub fn print_text(out: &mut dyn Write, text: &dyn Display) -> io::Result<()> {
    out.write_all(clean::visible(&text.to_string()).as_bytes())
}
