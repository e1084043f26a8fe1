//! Arguments of `gleaner grep`.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::explore::{AnswerFormat, BundleArgs, PeriodArgs};
use super::help::HelpEnd;
use crate::cli::exit::ExitCode;
use crate::explore::grep::{By, Within};
use crate::model::Glob;

const END: HelpEnd = HelpEnd {
    examples: &[
        "gleaner grep bundle.zip 'context deadline exceeded' --since 2h",
        "gleaner grep bundle.zip 'EXT4-fs error' --by source,hour     how many, where and when",
        "gleaner grep bundle.zip -i 'oom.?kill' -C 3 --source 'node/*/kernel'",
        "gleaner grep bundle.zip -F pvc-232180f3 --in all -H           also in dumps, with entry and line",
        "gleaner grep bundle.zip panic -l                              entries with matches",
    ],
    note: "Lines are merged by time. A pattern is a regular expression in the syntax of Rust; it is tried on each line with its header.",
    codes: &[ExitCode::DONE, ExitCode::NO_MATCH, ExitCode::UNUSABLE, ExitCode::UNREADABLE],
};

/// Find lines in all logs, merged by time
#[derive(Debug, Args)]
#[command(after_help = END.short(), after_long_help = END.long())]
pub struct GrepArgs {
    #[command(flatten)]
    pub bundle: BundleArgs,

    /// Regular expression
    #[arg(value_name = "PATTERN", allow_hyphen_values = true)]
    pub pattern: String,

    /// Do not distinguish upper and lower case
    #[arg(short, long)]
    pub ignore_case: bool,

    /// PATTERN is plain text
    #[arg(short = 'F', long)]
    pub fixed_strings: bool,

    /// Texts in which lines are looked for: logs, dumps of objects, or all
    #[arg(long = "in", value_name = "TEXTS", default_value = WITHIN[0].0, value_parser = within_parser())]
    pub texts: Within,

    /// Only sources whose name or entry, or a part of it, matches this glob: `longhorn-manager*`, `node/*/kernel`; repeatable
    #[arg(long, value_name = "GLOB", value_parser = Glob::new)]
    pub source: Vec<Glob>,

    #[command(flatten)]
    pub period: PeriodArgs,

    /// Show N lines before and after each match
    #[arg(short = 'C', long, value_name = "N")]
    pub context: Option<usize>,

    /// Show N lines after each match
    #[arg(short = 'A', long, value_name = "N")]
    pub after_context: Option<usize>,

    /// Show N lines before each match
    #[arg(short = 'B', long, value_name = "N")]
    pub before_context: Option<usize>,

    /// Show entry and line instead of the source
    #[arg(short = 'H', long)]
    pub places: bool,

    /// Only the first N matches
    #[arg(long, value_name = "N")]
    pub max: Option<usize>,

    /// Show the number of matches only
    #[arg(long, conflicts_with_all = ["by", "files_with_matches"])]
    pub count: bool,

    /// Show numbers of matches by source, entry, day, hour or minute; several with commas
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', conflicts_with = "files_with_matches", value_parser = by_parser())]
    pub by: Vec<By>,

    /// Show entries with matches only
    #[arg(short = 'l', long)]
    pub files_with_matches: bool,

    /// Form of the answer
    #[arg(short, long, value_name = "FORMAT", value_enum, default_value_t)]
    pub output: AnswerFormat,
}

const WITHIN: [(&str, Within); 3] = [("logs", Within::Logs), ("dumps", Within::Dumps), ("all", Within::All)];

fn within_parser() -> impl TypedValueParser<Value = Within> {
    named(WITHIN.to_vec())
}

fn by_parser() -> impl TypedValueParser<Value = By> {
    named(By::ALL.to_vec())
}

/// Returns a parser of one of several names.
fn named<T: Copy + Send + Sync + 'static>(values: Vec<(&'static str, T)>) -> impl TypedValueParser<Value = T> {
    let names: Vec<&str> = values.iter().map(|(name, _)| *name).collect();
    PossibleValuesParser::new(names)
        .try_map(move |name| values.iter().find(|(known, _)| *known == name).map(|(_, value)| *value).ok_or("unknown"))
}
