//! Arguments of `gleaner sample`.

use std::path::PathBuf;

use clap::Args;

use super::help::HelpEnd;
use super::limits::LimitArgs;
use super::rule_folders::RuleArgs;
use crate::cli::exit::ExitCode;

const END: HelpEnd = HelpEnd {
    examples: &[
        "gleaner sample bundle.zip --rule longhorn-volume-degraded -o degraded",
        "gleaner analyze degraded/bundle                   the rule fires again",
        "gleaner rules test degraded                       runs the generated test",
        "gleaner sample bundle.zip --rule my-rule --rules my-rules -o my-sample",
    ],
    note: "At most 5,000 runs and 8 GiB of processed data; at most 256 MiB of the bundle are held in memory.",
    codes: &[
        ExitCode::DONE,
        (ExitCode::Usage, "wrong usage, an output cannot be written, or no sample can be made"),
        ExitCode::UNREADABLE,
        ExitCode::INVALID,
    ],
};

/// Make the smallest redacted bundle on which a rule still fires, with a rule test
#[derive(Debug, Args)]
#[command(after_help = END.short(), after_long_help = END.long())]
pub struct SampleArgs {
    /// Support bundle: an archive or a folder
    #[arg(value_name = "BUNDLE")]
    pub bundle: PathBuf,

    /// Id or alias of a rule that fires on the bundle
    #[arg(long, value_name = "ID")]
    pub rule: String,

    /// New or empty folder to write: bundle/, rules/, tests/rules/ and README.md
    #[arg(short, long = "output", value_name = "DIR")]
    pub output: PathBuf,

    /// Use the finding whose fingerprint in the JSON report begins with this [default: the first finding]
    #[arg(long, value_name = "FINGERPRINT")]
    pub finding: Option<String>,

    /// Keep this address, name or e-mail address unchanged: the rule needs it and it may be published; repeatable
    #[arg(long, value_name = "VALUE")]
    pub keep: Vec<String>,

    #[command(flatten)]
    pub rules: RuleArgs,

    /// No progress, no summary; errors are still printed
    #[arg(long)]
    pub quiet: bool,

    #[command(flatten)]
    pub limits: LimitArgs,
}
