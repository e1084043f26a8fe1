//! Arguments that the questions about one bundle share.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use jiff::SignedDuration;

use super::limits::LimitArgs;
use crate::cli::exit::{CodeMeaning, ExitCode};
use crate::cli::threads::parse_threads;
use crate::explore::lines::{Period, When, WhenError};
use crate::model::measure;

/// Time before and after `--around`, if `--within` does not say it: what led to a failure is seldom older.
const WITHIN: &str = "5m";

/// The bundle, and how it is read.
#[derive(Debug, Args)]
pub struct BundleArgs {
    /// Support bundle: an archive or a folder
    #[arg(value_name = "BUNDLE")]
    pub bundle: PathBuf,

    /// Replace addresses, host names, domains and e-mail addresses with the pseudonyms of reports
    #[arg(long)]
    pub redact: bool,

    /// Key file of at least 16 bytes: the same key gives the same pseudonyms in every bundle [default: a key made from the bundle]
    #[arg(long, value_name = "FILE", requires = "redact", hide_short_help = true)]
    pub redact_key: Option<PathBuf>,

    /// Number of worker threads [default: one per processor]
    #[arg(long, value_name = "N", hide_short_help = true, value_parser = parse_threads)]
    pub threads: Option<NonZeroUsize>,

    #[command(flatten)]
    pub limits: LimitArgs,
}

/// Meanings of exit codes for questions about objects.
pub const ANSWERED: CodeMeaning = (ExitCode::Success, "answered, also if there is nothing to list");
pub const ABSENT: CodeMeaning = (ExitCode::Findings, "an object does not exist, though all of its type were collected");
pub const WRONG: CodeMeaning = (ExitCode::Usage, "wrong usage, such as an unknown type");
pub const UNKNOWN: CodeMeaning =
    (ExitCode::Bundle, "what is asked for was not collected, or the bundle cannot be read");

/// Form of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum AnswerFormat {
    #[default]
    Text,
    /// One JSON object a line
    Json,
}

/// Times of what is shown.
#[derive(Clone, Copy, Debug, Args)]
pub struct PeriodArgs {
    /// Only from TIME on: `2h` before the collection, or 2025-03-18, 2025-03-18T09:30, 2025-03-18T09:30:00Z in UTC
    #[arg(long, value_name = "TIME", value_parser = when)]
    pub since: Option<When>,

    /// Only up to TIME, in the form of --since
    #[arg(long, value_name = "TIME", value_parser = when)]
    pub until: Option<When>,

    /// Only around TIME, in the form of --since
    #[arg(long, value_name = "TIME", value_parser = when)]
    pub around: Option<When>,

    /// Time before and after --around
    #[arg(long, value_name = "DURATION", requires = "around", default_value = WITHIN, value_parser = duration)]
    pub within: SignedDuration,
}

impl PeriodArgs {
    /// Returns the period that is asked for, given the time of the collection.
    ///
    /// # Errors
    /// Fails if a time is before the collection, whose time is not known.
    pub fn period(self, now: Option<jiff::Timestamp>) -> Result<Period, WhenError> {
        let at = |when: Option<When>| when.map(|when| when.at(now)).transpose();
        let around = at(self.around)?.map_or(Period::default(), |time| Period::around(time, self.within));
        Ok(Period { since: at(self.since)?, until: at(self.until)? }.and(around))
    }
}

fn when(text: &str) -> Result<When, WhenError> {
    When::parse(text)
}

fn duration(text: &str) -> Result<SignedDuration, String> {
    let found = measure::duration(text).filter(|duration| !duration.is_negative());
    found.ok_or_else(|| "not a duration; write a number and a unit, such as 90s, 10m or 1h30m".to_owned())
}
