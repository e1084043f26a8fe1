//! The arguments of `gleaner triage` as types; no work is done here.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand, ValueEnum};

use crate::cli::args::RuleArgs;
use crate::cli::exit::ExitCode;
use crate::cli::limits::LimitArgs;
use crate::cli::size;
use crate::triage::Shard;
use crate::triage::export::Export;

/// Analyse many bundles into a store that answers questions
///
/// Finds bundles anywhere below folders, by their content, also several in one archive and in folders they were unpacked to.
/// What is in the store already and has not changed costs a look; a run that was interrupted goes on where it was.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true, after_help = triage_help())]
pub struct TriageArgs {
    #[command(subcommand)]
    pub command: Option<TriageCommand>,

    #[command(flatten)]
    pub run: RunArgs,
}

/// What `triage` takes without a sub-command.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// Folders, archives, and lists of paths (.txt, .list, or - for standard input); what is called like a sub-command needs ./
    #[arg(required = true, value_name = "DIR|BUNDLE|LIST")]
    pub inputs: Vec<PathBuf>,

    /// The store, an SQLite file; made if it is not there
    #[arg(long, value_name = "FILE", required = true)]
    pub store: Option<PathBuf>,

    /// Only a part of the files, by their paths: 0/N to N-1/N
    ///
    /// [default: JOB_COMPLETION_INDEX of GLEANER_SHARDS, or SLURM_ARRAY_TASK_ID of SLURM_ARRAY_TASK_COUNT, where they are set]
    #[arg(long, value_name = "K/N")]
    pub shard: Option<Shard>,

    #[command(flatten)]
    pub rules: RuleArgs,

    #[command(flatten)]
    pub terms: TermArgs,

    /// Analyse again what was stopped or crashed in an earlier run
    #[arg(long)]
    pub retry: bool,

    /// Analyse everything again, whatever is in the store
    #[arg(long)]
    pub again: bool,

    /// No progress, no summary; errors are still told
    #[arg(long)]
    pub quiet: bool,

    #[command(flatten)]
    pub limits: LimitArgs,
}

/// Who works, and what a bundle may cost.
#[derive(Debug, Args)]
pub struct TermArgs {
    /// Worker processes, each with one bundle at a time [default: one per thread]
    #[arg(long, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,

    /// Threads of all workers together [default: one per processor]
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,

    /// A file that takes longer is stopped and recorded
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = duration)]
    pub bundle_time: Duration,

    /// A file whose worker takes more memory is stopped and recorded; where the system does not tell, --max-memory bounds it
    #[arg(long, value_name = "SIZE", default_value = "2GiB", value_parser = size::parse)]
    pub bundle_memory: u64,
}

/// What to do with stores.
#[derive(Debug, Subcommand)]
pub enum TriageCommand {
    Merge(MergeArgs),
    Query(QueryArgs),
    Export(ExportArgs),
    Report(ReportArgs),
    Try(TryArgs),
}

/// Bring stores together, such as those of shards; doing it twice changes nothing
#[derive(Debug, Args)]
pub struct MergeArgs {
    /// The store that takes them in; made if it is not there
    #[arg(long, value_name = "OUT")]
    pub store: PathBuf,

    /// Stores to take in; they stay as they are
    #[arg(required = true, value_name = "IN")]
    pub stores: Vec<PathBuf>,

    /// No summary; errors are still told
    #[arg(long)]
    pub quiet: bool,
}

/// Ask a store: ready questions, or SQL that only reads
///
/// Without a filter: the rules that fired in most bundles. With --rule: its findings. With other filters: the bundles that
/// pass them, the newest first. Each content counts once, however often it is in the archive.
#[derive(Debug, Args)]
#[command(after_help = query_help())]
pub struct QueryArgs {
    /// The store
    #[arg(long, value_name = "FILE")]
    pub store: PathBuf,

    /// The findings of this rule
    #[arg(long, value_name = "ID", conflicts_with = "top")]
    pub rule: Option<String>,

    /// Only bundles with this version of any product, or of one: 1.4 takes 1.4.0 and 1.4.2-rc1, but not 1.40
    #[arg(long, value_name = "[PRODUCT=]VERSION")]
    pub version: Option<String>,

    /// Only bundles that were collected at this time or later: 2025, 2025-03-18, 2025-03-18T09:30:00Z
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub since: Option<String>,

    /// Only bundles of the cluster with this uid or name
    #[arg(long, value_name = "UID|NAME")]
    pub cluster: Option<String>,

    /// The rules that fired in most bundles, at most so many
    #[arg(long, value_name = "N")]
    pub top: Option<u32>,

    /// One SELECT of your own; docs/triage.md has the tables and views
    #[arg(long, value_name = "SELECT", conflicts_with_all = ["rule", "version", "since", "cluster", "top"])]
    pub sql: Option<String>,

    /// Stop SQL that takes longer
    #[arg(long, value_name = "TIME", default_value = "1m", value_parser = duration)]
    pub max_time: Duration,

    /// How to print the answer
    #[arg(long, value_name = "FMT", value_enum, default_value_t = AnswerFormat::Table)]
    pub format: AnswerFormat,
}

/// How an answer is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AnswerFormat {
    /// Columns for people; the first 1000 rows, long values cut
    Table,
    /// With a line of names; formulas are marked as text
    Csv,
    /// An array of objects
    Json,
}

/// Write a table of a store for other programs, such as DuckDB, pandas or Spark
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// The store
    #[arg(long, value_name = "FILE")]
    pub store: PathBuf,

    /// What to write
    #[arg(long, value_name = "NAME", default_value = "findings", value_parser = export_parser())]
    pub table: Export,

    /// FILE.csv, FILE.jsonl (an object a line), or FILE.parquet where gleaner was built with it
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
}

/// Write a folder of web pages about a store: what fires where, in which versions, clusters and months
///
/// An overview, and a page for each rule, each cluster with several bundles and each bundle. They need no network and no scripts.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// The store; it is only read
    #[arg(long, value_name = "FILE")]
    pub store: PathBuf,

    /// The folder, new, empty, or with pages that were written so before; these are replaced
    #[arg(long, value_name = "DIR")]
    pub html: PathBuf,

    /// Analyse each bundle again where it still is, and link its whole report
    #[arg(long)]
    pub reports: bool,

    /// For --reports, also use the rules in this folder; a rule there replaces ours of the same id; repeatable
    #[arg(long, value_name = "DIR", requires = "reports")]
    pub rules: Vec<PathBuf>,

    /// For --reports, do not use the rules that come with gleaner
    #[arg(long, requires = "reports")]
    pub no_default_rules: bool,

    #[command(flatten)]
    pub terms: TermArgs,

    /// No progress, no summary; errors are still told
    #[arg(long)]
    pub quiet: bool,

    #[command(flatten)]
    pub limits: LimitArgs,
}

/// Run a new rule over the originals of a store: where it would fire, with what, and which lines it would show
///
/// Nothing is written to the store. Each content is tried once; originals that are gone or were written again are counted.
#[derive(Debug, Args)]
pub struct TryArgs {
    /// The file of the rule
    #[arg(value_name = "RULE.yaml")]
    pub rule: PathBuf,

    /// The store
    #[arg(long, value_name = "FILE")]
    pub store: PathBuf,

    /// Also know the rules and log streams in this folder; repeatable
    #[arg(long, value_name = "DIR")]
    pub rules: Vec<PathBuf>,

    #[command(flatten)]
    pub terms: TermArgs,

    /// No progress; errors are still told
    #[arg(long)]
    pub quiet: bool,

    #[command(flatten)]
    pub limits: LimitArgs,
}

/// What the parent gives a worker.
#[derive(Debug, Args)]
pub struct WorkerArgs {
    /// Number of threads
    #[arg(long, value_name = "N")]
    pub threads: NonZeroUsize,
}

/// Reads `90s`, `10m`, `1h30m`.
pub fn duration(text: &str) -> Result<Duration, String> {
    let told = || "not a time; write a number and a unit, such as 90s, 10m or 1h30m".to_owned();
    let parsed: jiff::SignedDuration = text.parse().map_err(|_| told())?;
    let duration = Duration::try_from(parsed).map_err(|_| told())?;
    if duration.is_zero() { Err("no time at all".to_owned()) } else { Ok(duration) }
}

/// A time, or the beginning of one, as the store has it.
fn time(text: &str) -> Result<String, String> {
    let full = "0000-01-01T00:00:00Z";
    let is_time = |text: &str| text.parse::<jiff::Timestamp>().is_ok();
    match full.get(text.len()..) {
        Some(rest) if text.len() >= 4 && is_time(&format!("{text}{rest}")) => Ok(text.to_owned()),
        None if is_time(text) => Ok(text.to_owned()),
        _ => Err("not a time in UTC; write 2025, 2025-03, 2025-03-18 or 2025-03-18T09:30:00Z".to_owned()),
    }
}

fn export_parser() -> impl TypedValueParser<Value = Export> {
    PossibleValuesParser::new(Export::ALL.map(|(name, _)| name)).try_map(|name| {
        Export::ALL.into_iter().find(|(known, _)| *known == name).map(|(_, export)| export).ok_or("unknown table")
    })
}

fn query_help() -> String {
    format!(
        "Examples:\n  \
         gleaner triage query --store tickets.db                                       rules that fired in most bundles\n  \
         gleaner triage query --store tickets.db --top 5 --version harvester=1.4\n  \
         gleaner triage query --store tickets.db --rule longhorn-volume-degraded --since 2025\n  \
         gleaner triage query --store tickets.db --cluster production                  its bundles, the newest first\n  \
         gleaner triage query --store tickets.db --sql 'SELECT * FROM rule_hits' --format csv\n\n{}",
        ExitCode::help()
    )
}

fn triage_help() -> String {
    format!(
        "Examples:\n  \
         gleaner triage tickets/ --store tickets.db\n  \
         find /archive -name '*.zip' | gleaner triage - --store tickets.db\n  \
         gleaner triage tickets/ --store shard-2.db --shard 2/7      one of seven machines\n  \
         gleaner triage merge --store tickets.db shard-*.db\n  \
         gleaner triage query --store tickets.db\n  \
         gleaner triage report --store tickets.db --html pages/ --reports\n\n{}",
        ExitCode::help()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        assert_eq!(duration("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("1h30m"), Ok(Duration::from_secs(5400)));
        assert!(duration("10").is_err() && duration("-1s").is_err() && duration("0s").is_err());
    }

    #[test]
    fn times_may_be_cut() {
        for good in ["2025", "2025-03", "2025-03-18", "2025-03-18T09:30:00Z"] {
            assert_eq!(time(good).as_deref(), Ok(good));
        }
        for wrong in ["", "25", "2025-13", "yesterday", "18.03.2025"] {
            assert!(time(wrong).is_err(), "{wrong}");
        }
    }
}
