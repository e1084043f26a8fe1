//! Arguments of `gleaner logs`.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::explore::{AnswerFormat, BundleArgs, PeriodArgs};
use super::help::HelpEnd;
use crate::cli::exit::ExitCode;
use crate::model::unexplained::Level;

const END: HelpEnd = HelpEnd {
    examples: &[
        "gleaner logs bundle.zip longhorn-manager-pmjr9 --since 2h",
        "gleaner logs bundle.zip web-0 -n demo -c nginx -p      the instance before the last restart",
        "gleaner logs bundle.zip node/node1 -c kernel --around 2025-03-18T09:30:00Z --within 10m",
        "gleaner logs bundle.zip node/node1 --level error       all logs of a node, merged by time",
        "gleaner logs bundle.zip 'longhorn-manager-*' --tail 20 --timestamps",
        "gleaner logs bundle.zip nodes/node1.zip!/node1/logs/kernel.log   an entry, as reports name it",
        "gleaner logs bundle.zip web-0 -o json | jq -r .text",
    ],
    note: "Secrets are masked as in reports. Lines of several logs are merged by time, each with its source.",
    codes: &[ExitCode::DONE, ExitCode::UNUSABLE, ExitCode::NOT_THERE],
};

/// Show the log of a pod, a node or an entry
#[derive(Debug, Args)]
#[command(after_help = END.short(), after_long_help = END.long())]
pub struct LogsArgs {
    #[command(flatten)]
    pub bundle: BundleArgs,

    /// POD, NAMESPACE/POD/CONTAINER, node/NAME, node/NAME/UNIT, or the path of an entry; names of pods may have `*`
    #[arg(value_name = "POD|node/NAME|ENTRY")]
    pub target: String,

    /// Namespace of the pod
    #[arg(short, long, value_name = "NAMESPACE")]
    pub namespace: Option<String>,

    /// Container of the pod, or unit of the node; a glob
    #[arg(short, long, value_name = "NAME")]
    pub container: Option<String>,

    /// The instance of the container before its last restart
    #[arg(short, long)]
    pub previous: bool,

    /// All containers of the pod
    #[arg(long, conflicts_with = "container")]
    pub all_containers: bool,

    #[command(flatten)]
    pub period: PeriodArgs,

    /// Only the last N lines
    #[arg(long, value_name = "N")]
    pub tail: Option<usize>,

    /// Only lines that report at least this; lines of a stack trace belong to the line above them
    #[arg(long, value_name = "LEVEL", value_parser = level_parser())]
    pub level: Option<Level>,

    /// Show the time of each line in UTC
    #[arg(long)]
    pub timestamps: bool,

    /// Form of the answer
    #[arg(short, long, value_name = "FORMAT", value_enum, default_value_t)]
    pub output: AnswerFormat,
}

fn level_parser() -> impl TypedValueParser<Value = Level> {
    PossibleValuesParser::new(Level::ALL.map(Level::as_str))
        .try_map(|name| Level::ALL.into_iter().find(|level| level.as_str() == name).ok_or("unknown level"))
}
