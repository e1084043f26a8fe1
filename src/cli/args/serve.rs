//! Arguments of `gleaner serve`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use super::help::HelpEnd;
use super::limits::LimitArgs;
use super::rule_folders::RuleArgs;
use crate::cli::exit::ExitCode;

const END: HelpEnd = HelpEnd {
    examples: &[
        "gleaner serve bundle.zip                                  then kubectl in another terminal, as it prints",
        "gleaner serve bundle.zip -- k9s -A",
        "gleaner serve bundle.zip -- kubectl get pods -A -o wide",
        "gleaner serve before.zip after.zip                        a context for each bundle",
    ],
    note: "Only programs of this machine that know the unguessable path can read, and nothing can be changed. Secrets are masked. \
           Ages in lists are those at the time of the collection, ages that a client computes (describe, events) are not.",
    codes: &[ExitCode::DONE, ExitCode::UNUSABLE, ExitCode::UNREADABLE, ExitCode::INVALID],
};

/// Serve bundles as read-only clusters to kubectl, k9s and other clients, and their reports to a browser
///
/// Listens on 127.0.0.1 only. With a COMMAND, runs it with KUBECONFIG set, and ends with its exit code.
#[derive(Debug, Args)]
#[command(after_help = END.short(), after_long_help = END.long())]
pub struct ServeArgs {
    /// Support bundles: archives or folders
    #[arg(required = true, value_name = "BUNDLE")]
    pub bundles: Vec<PathBuf>,

    /// Program to run with its arguments, behind `--`
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,

    /// Port to listen on [default: a free one]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub port: u16,

    /// Replace addresses, host names, domains and e-mail addresses with pseudonyms
    #[arg(long)]
    pub redact: bool,

    /// Key file of at least 16 bytes: the same key gives the same pseudonyms in every bundle [default: a key made from the bundle]
    #[arg(long, value_name = "FILE", requires = "redact", hide_short_help = true)]
    pub redact_key: Option<PathBuf>,

    #[command(flatten)]
    pub rules: RuleArgs,

    #[command(flatten)]
    pub limits: LimitArgs,
}
