//! Arguments of `gleaner timeline`.

use clap::Args;

use super::events::object;
use super::explore::{AnswerFormat, BundleArgs, PeriodArgs};
use super::help::HelpEnd;
use super::rule_folders::RuleArgs;
use crate::cli::exit::ExitCode;
use crate::explore::NamedObject;

const END: HelpEnd = HelpEnd {
    examples: &[
        "gleaner timeline bundle.zip --since 24h",
        "gleaner timeline bundle.zip --for node/node1",
        "gleaner timeline bundle.zip --for volumes.longhorn.io/pvc-232180f3 -o json",
    ],
    note: "",
    codes: &[ExitCode::DONE, ExitCode::UNUSABLE, ExitCode::NOT_THERE, ExitCode::INVALID],
};

/// Show what happened when: findings, warnings, starts of nodes, upgrades, certificates; or the history of one object
#[derive(Debug, Args)]
#[command(after_help = END.short(), after_long_help = END.long())]
pub struct TimelineArgs {
    #[command(flatten)]
    pub bundle: BundleArgs,

    /// History of this object: TYPE/NAME or TYPE/NAMESPACE/NAME
    #[arg(long = "for", value_name = "TYPE/NAME", value_parser = object)]
    pub object: Option<NamedObject>,

    /// Namespace of the object
    #[arg(short, long, value_name = "NAMESPACE", requires = "object")]
    pub namespace: Option<String>,

    #[command(flatten)]
    pub period: PeriodArgs,

    #[command(flatten)]
    pub rules: RuleArgs,

    /// Form of the answer
    #[arg(short, long, value_name = "FORMAT", value_enum, default_value_t)]
    pub output: AnswerFormat,
}
