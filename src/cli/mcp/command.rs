//! Commands of this program, run for an answer.

use std::ffi::OsString;

use super::super::exit::ExitCode;

/// Runs a command of this program, given its arguments.
pub type Runner = fn(Vec<OsString>) -> Output;

/// What a command wrote.
#[derive(Clone, Debug)]
pub struct Output {
    pub code: ExitCode,
    pub text: String,
    /// What it said on standard error.
    pub said: String,
}
