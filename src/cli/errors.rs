//! Errors on standard error.

use std::io::Write;

use super::exit::ExitCode;
use crate::cli::lines::print_line;

/// Prints an error and its causes on one line.
pub fn print_error(err: &mut dyn Write, error: &anyhow::Error) {
    let causes: Vec<String> = error.chain().map(ToString::to_string).collect();
    // Standard error may be closed; there is no other place to report to.
    let _ = print_line(err, format_args!("error: {}", causes.join(": ")));
}

/// Prints an error and returns the code for wrong usage.
pub fn usage_error(err: &mut dyn Write, error: impl Into<anyhow::Error>) -> ExitCode {
    print_error(err, &error.into());
    ExitCode::Usage
}

/// Prints an error and returns the code for a bundle that cannot be analysed.
pub fn bundle_error(err: &mut dyn Write, error: impl Into<anyhow::Error>) -> ExitCode {
    print_error(err, &error.into());
    ExitCode::Bundle
}
