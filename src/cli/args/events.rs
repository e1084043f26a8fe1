//! Arguments of `gleaner events`.

use clap::Args;

use super::explore::{AnswerFormat, BundleArgs, PeriodArgs};
use super::help::HelpEnd;
use crate::cli::exit::ExitCode;
use crate::explore::{NamedObject, NoObject};

const END: HelpEnd = HelpEnd {
    examples: &[
        "gleaner events bundle.zip --types Warning --since 2h",
        "gleaner events bundle.zip -n demo --for pod/web-0",
        "gleaner events bundle.zip --around 2025-03-18T09:30 -o json | jq -r .reason | sort | uniq -c",
    ],
    note: "LAST SEEN is the age at the time of the collection.",
    codes: &[ExitCode::DONE, ExitCode::UNUSABLE, ExitCode::NOT_THERE],
};

/// Show events by time, as kubectl does
#[derive(Debug, Args)]
#[command(after_help = END.short(), after_long_help = END.long())]
pub struct EventsArgs {
    #[command(flatten)]
    pub bundle: BundleArgs,

    /// Only events of this namespace
    #[arg(short, long, value_name = "NAMESPACE")]
    pub namespace: Option<String>,

    /// Events of all namespaces, which is the default
    #[arg(short = 'A', long, conflicts_with = "namespace")]
    pub all_namespaces: bool,

    /// Only events about this object: TYPE/NAME or TYPE/NAMESPACE/NAME
    #[arg(long = "for", value_name = "TYPE/NAME", value_parser = object)]
    pub object: Option<NamedObject>,

    /// Only events of these types: Normal, Warning; several with commas
    #[arg(long, value_name = "TYPES", value_delimiter = ',')]
    pub types: Vec<String>,

    #[command(flatten)]
    pub period: PeriodArgs,

    /// Form of the answer
    #[arg(short, long, value_name = "FORMAT", value_enum, default_value_t)]
    pub output: AnswerFormat,
}

/// Parses the name of an object.
pub fn object(text: &str) -> Result<NamedObject, NoObject> {
    NamedObject::parse(text)
}
