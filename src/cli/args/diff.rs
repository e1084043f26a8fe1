//! Arguments of `gleaner diff`.

use std::path::PathBuf;

use clap::Args;

use super::help::HelpEnd;
use super::limits::LimitArgs;
use super::rule_folders::RuleArgs;
use crate::cli::exit::ExitCode;

const END: HelpEnd = HelpEnd {
    examples: &[
        "gleaner diff before.zip after.zip",
        "gleaner diff before.zip after.zip -o change.md",
        "gleaner diff before.zip after.zip -o change.html --redact",
        "gleaner diff before.zip after.zip -o - | jq '.findings.new'",
    ],
    note: "",
    codes: &[ExitCode::DONE, ExitCode::UNUSABLE, ExitCode::UNREADABLE, ExitCode::INVALID],
};

/// Compare two bundles of one cluster: findings, versions, configuration, nodes, health of objects, restarts
#[derive(Debug, Args)]
#[command(after_help = END.short(), after_long_help = END.long())]
pub struct DiffArgs {
    /// Older support bundle: an archive or a folder
    #[arg(value_name = "OLD")]
    pub old: PathBuf,

    /// Newer support bundle
    #[arg(value_name = "NEW")]
    pub new: PathBuf,

    /// Write to FILE.html, .json, .md or .txt, or JSON to stdout (-) [default: text on the terminal]
    #[arg(short, long = "output", value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Replace addresses, host names, domains and e-mail addresses with pseudonyms
    #[arg(long)]
    pub redact: bool,

    /// Key file of at least 16 bytes: the same key gives the same pseudonyms in every bundle [default: a key made from the newer bundle]
    #[arg(long, value_name = "FILE", requires = "redact", hide_short_help = true)]
    pub redact_key: Option<PathBuf>,

    #[command(flatten)]
    pub rules: RuleArgs,

    /// No progress; errors are still printed
    #[arg(long)]
    pub quiet: bool,

    #[command(flatten)]
    pub limits: LimitArgs,
}
