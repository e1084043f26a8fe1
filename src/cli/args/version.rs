//! Arguments of `gleaner version`, which is also `gleaner --version`.

use clap::Args;

use super::help::HelpEnd;
use crate::cli::exit::ExitCode;

const END: HelpEnd = HelpEnd {
    examples: &["gleaner --version", "gleaner --version --json | jq .rules.version"],
    note: "",
    codes: &[ExitCode::DONE, ExitCode::UNUSABLE],
};

/// Print version, commit and built-in rules of this program
#[derive(Debug, Args)]
#[command(short_flag = 'V', long_flag = "version", after_help = END.short(), after_long_help = END.long())]
pub struct VersionArgs {
    /// Print one JSON object: name, version, commit, target, features, rules
    #[arg(long)]
    pub json: bool,
}
