//! Arguments of `gleaner mcp`.

use std::path::PathBuf;

use clap::Args;

use super::help::HelpEnd;
use super::rule_folders::RuleArgs;
use crate::cli::exit::ExitCode;

const END: HelpEnd = HelpEnd {
    examples: &[
        "gleaner mcp bundle.zip                  a program that speaks MCP starts it so",
        "gleaner mcp before.zip after.zip        two bundles: bundle-1 and bundle-2",
        "gleaner mcp bundle.zip --no-redact      with the names and addresses of the bundle",
    ],
    note: "Standard output carries only the protocol. Secrets are masked in any case.",
    codes: &[ExitCode::DONE, ExitCode::UNUSABLE],
};

/// Answer an assistant's questions about bundles (Model Context Protocol, over standard input and output)
#[derive(Debug, Args)]
#[command(after_help = END.short(), after_long_help = END.long())]
pub struct McpArgs {
    /// Support bundles: archives or folders
    #[arg(required = true, value_name = "BUNDLE")]
    pub bundles: Vec<PathBuf>,

    /// Show addresses, host names, domains and e-mail addresses as they are, not as pseudonyms
    #[arg(long)]
    pub no_redact: bool,

    /// Key file of at least 16 bytes: the same key gives the same pseudonyms in every bundle [default: a key made from the bundle]
    #[arg(long, value_name = "FILE", conflicts_with = "no_redact", hide_short_help = true)]
    pub redact_key: Option<PathBuf>,

    #[command(flatten)]
    pub rules: RuleArgs,
}
