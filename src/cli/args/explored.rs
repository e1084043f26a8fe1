//! Arguments that all questions about one bundle share.

use std::path::PathBuf;

use clap::Args;

use super::limits::LimitArgs;
use crate::cli::exit::{CodeMeaning, ExitCode};

/// The bundle, and how names in it are shown.
#[derive(Debug, Args)]
pub struct ExploredArgs {
    /// Support bundle: an archive or a folder
    #[arg(value_name = "BUNDLE")]
    pub bundle: PathBuf,

    /// Replace addresses, host names, domains and e-mail addresses with pseudonyms
    #[arg(long)]
    pub redact: bool,

    /// Key file of at least 16 bytes: the same key gives the same pseudonyms in every bundle [default: a key made from the bundle]
    #[arg(long, value_name = "FILE", requires = "redact", hide_short_help = true)]
    pub redact_key: Option<PathBuf>,

    #[command(flatten)]
    pub limits: LimitArgs,
}

/// Meanings of exit codes for questions.
pub const ANSWERED: CodeMeaning = (ExitCode::Success, "answered, also if there is nothing to list");
pub const ABSENT: CodeMeaning = (ExitCode::Findings, "an object does not exist, though all of its type were collected");
pub const WRONG: CodeMeaning = (ExitCode::Usage, "wrong usage, such as an unknown type");
pub const UNKNOWN: CodeMeaning =
    (ExitCode::Bundle, "what is asked for was not collected, or the bundle cannot be read");
