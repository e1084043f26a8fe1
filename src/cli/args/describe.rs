//! Arguments of `gleaner describe`.

use clap::Args;

use super::explore::{ABSENT, ANSWERED, BundleArgs, UNKNOWN, WRONG};
use super::help::HelpEnd;
use super::rule_folders::RuleArgs;
use crate::cli::exit::ExitCode;

const END: HelpEnd = HelpEnd {
    examples: &[
        "gleaner describe bundle.zip pod longhorn-manager-pmjr9",
        "gleaner describe bundle.zip vm web -n default",
        "gleaner describe bundle.zip node/node1",
    ],
    note: "A name that no object has may be the beginning of names. The rules are run, to list the findings about the object.",
    codes: &[ANSWERED, ABSENT, WRONG, UNKNOWN, ExitCode::INVALID],
};

/// Show an object with its owners, storage, events, findings, history and last log lines
#[derive(Debug, Args)]
#[command(after_help = END.short(), after_long_help = END.long())]
pub struct DescribeArgs {
    #[command(flatten)]
    pub bundle: BundleArgs,

    /// TYPE NAME... or TYPE/NAME...; without a name, all objects of the type
    #[arg(value_name = "TYPE", required = true)]
    pub asked: Vec<String>,

    /// Only this namespace
    #[arg(short, long, value_name = "NAME")]
    pub namespace: Option<String>,

    /// Only objects with these labels: key=value, key!=value, key in (a,b), key, !key
    #[arg(short = 'l', long, value_name = "SELECTOR", default_value = "", hide_default_value = true)]
    pub selector: String,

    #[command(flatten)]
    pub rules: RuleArgs,
}
