//! Arguments of `gleaner triage ...`.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand, ValueEnum};

use super::help::HelpEnd;
use super::limits::LimitArgs;
use super::rule_folders::RuleArgs;
use crate::cli::exit::{CodeMeaning, ExitCode};
use crate::cli::size;
use crate::cli::threads::parse_threads;
use crate::triage::Shard;
use crate::triage::query::export::Export;

/// Codes of commands that only use a store.
const CODES: &[CodeMeaning] =
    &[ExitCode::DONE, (ExitCode::Usage, "wrong usage, or a store or an output cannot be used")];

/// Codes of commands that also run rules.
const CODES_WITH_RULES: &[CodeMeaning] = &[
    (ExitCode::Success, "finished, even if bundles are damaged: each is recorded with its error"),
    (ExitCode::Usage, "wrong usage, or an input, a store or an output cannot be used"),
    ExitCode::INVALID,
];

const RUN: HelpEnd = HelpEnd {
    examples: &[
        "gleaner triage tickets/ --store tickets.db",
        "gleaner triage query --store tickets.db",
        "gleaner triage tickets/ --store tickets.db --meta tickets.csv      with ticket, customer and resolution of each file",
        "gleaner triage report --store tickets.db --html pages/ --reports",
        "find /archive -name '*.zip' | gleaner triage - --store tickets.db",
        "gleaner triage tickets/ --store shard-2.db --shard 2/7      one of seven machines",
        "gleaner triage merge --store tickets.db shard-*.db",
    ],
    note: "",
    codes: CODES_WITH_RULES,
};

/// Codes of a query, which may read known lines.
const CODES_OF_QUERY: &[CodeMeaning] = &[
    ExitCode::DONE,
    (ExitCode::Usage, "wrong usage, or a store or an output cannot be used"),
    (ExitCode::Rule, "a known line is invalid; nothing was read"),
];

const QUERY: HelpEnd = HelpEnd {
    examples: &[
        "gleaner triage query --store tickets.db                       rules that fired in most bundles",
        "gleaner triage query --store tickets.db --top 5 --version harvester=1.4",
        "gleaner triage query --store tickets.db --rule longhorn-volume-degraded --since 2025",
        "gleaner triage query --store tickets.db --cluster production  bundles of a cluster, newest first",
        "gleaner triage query --store tickets.db --templates --no-rule --new-since 2026-02 --min-clusters 3",
        "gleaner triage query --store tickets.db --known --since 2026     known lines of most clusters, with their meaning",
        "gleaner triage query --store tickets.db --like new-bundle.zip      tickets like this one",
        "gleaner triage query --store tickets.db --customer Acme --period 2025-Q4      bundles of a customer",
        "gleaner triage query --store tickets.db --sql 'SELECT * FROM rule_hits' --format csv",
    ],
    note: "",
    codes: CODES_OF_QUERY,
};

const STORE: HelpEnd = HelpEnd { examples: &[], note: "", codes: CODES };

const ORIGINALS: HelpEnd = HelpEnd { examples: &[], note: "", codes: CODES_WITH_RULES };

/// Analyse many bundles into a store, and query it
///
/// Finds bundles by content anywhere below folders, also several in one archive and unpacked ones. Unchanged bundles are
/// skipped; interrupted runs resume.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = RUN.short(),
    after_long_help = RUN.long()
)]
pub struct TriageArgs {
    #[command(subcommand)]
    pub command: Option<TriageCommand>,

    #[command(flatten)]
    pub run: RunArgs,
}

/// Arguments of `triage` without a subcommand.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// Folders, archives, or lists of paths (.txt, .list, or - for stdin); prefix paths named like a subcommand with ./
    #[arg(required = true, value_name = "DIR|BUNDLE|LIST")]
    pub inputs: Vec<PathBuf>,

    /// Store, an SQLite file; created if it does not exist
    #[arg(long, value_name = "FILE", required = true)]
    pub store: Option<PathBuf>,

    /// Analyse only one of N parts of the files, chosen by path: 0/N to N-1/N
    ///
    /// [default: JOB_COMPLETION_INDEX/GLEANER_SHARDS or SLURM_ARRAY_TASK_ID/SLURM_ARRAY_TASK_COUNT, if set]
    #[arg(long, value_name = "K/N")]
    pub shard: Option<Shard>,

    #[command(flatten)]
    pub rules: RuleArgs,

    #[command(flatten)]
    pub workers: WorkerLimitArgs,

    /// Table of tickets: CSV with the columns path (file, folder or pattern), ticket, customer, product, resolution, and any others
    ///
    /// Without it, the ticket of a file is the id in the names of its folders, or of the issue that the bundle states.
    #[arg(long, value_name = "FILE.csv")]
    pub meta: Option<PathBuf>,

    /// Analyse again files that were stopped or crashed in an earlier run
    #[arg(long)]
    pub retry: bool,

    /// Analyse everything again, even what is unchanged
    #[arg(long)]
    pub again: bool,

    /// No progress, no summary; errors are still printed
    #[arg(long)]
    pub quiet: bool,

    #[command(flatten)]
    pub limits: LimitArgs,
}

/// Flags that set the number of workers and the budget of a file.
#[derive(Debug, Args)]
pub struct WorkerLimitArgs {
    /// Worker processes; each analyses one file at a time [default: one per thread]
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub jobs: Option<NonZeroUsize>,

    /// Threads shared by all workers [default: one per processor]
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub threads: Option<NonZeroUsize>,

    /// Stop and record files that take longer
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = duration)]
    pub bundle_time: Duration,

    /// Stop and record files whose worker uses more memory (Linux; elsewhere only --max-memory applies)
    #[arg(long, value_name = "SIZE", default_value = "2GiB", value_parser = size::parse, hide_short_help = true)]
    pub bundle_memory: u64,
}

/// Subcommands of `triage`.
#[derive(Debug, Subcommand)]
pub enum TriageCommand {
    Merge(MergeArgs),
    Query(Box<QueryArgs>),
    Export(ExportArgs),
    Report(ReportArgs),
    Try(TryArgs),
}

/// Merge stores, such as those of shards; merging again changes nothing
#[derive(Debug, Args)]
#[command(after_help = STORE.short(), after_long_help = STORE.long())]
pub struct MergeArgs {
    /// Store to merge into; created if it does not exist
    #[arg(long, value_name = "OUT")]
    pub store: PathBuf,

    /// Stores to read; they are not changed
    #[arg(required = true, value_name = "IN")]
    pub stores: Vec<PathBuf>,

    /// No summary; errors are still printed
    #[arg(long)]
    pub quiet: bool,
}

/// Flags that select bundles.
const FILTERS: [&str; 8] = ["version", "since", "until", "period", "product", "customer", "ticket", "cluster"];

/// Query a store: built-in queries or read-only SQL
///
/// Without a filter: rules that fired in most bundles. With --rule: findings of that rule. With --templates: errors and warnings
/// of logs, those of most clusters first. With --known: what such lines mean. With other filters: matching bundles, newest first. Copies of a bundle count once.
#[derive(Debug, Args)]
#[command(after_help = QUERY.short(), after_long_help = QUERY.long())]
pub struct QueryArgs {
    /// Store to read
    #[arg(long, value_name = "FILE")]
    pub store: PathBuf,

    /// Show the findings of this rule
    #[arg(long, value_name = "ID", conflicts_with = "top")]
    pub rule: Option<String>,

    /// Only bundles with this version of any product, or of PRODUCT: 1.4 matches 1.4.0 and 1.4.2-rc1, but not 1.40
    #[arg(long, value_name = "[PRODUCT=]VERSION")]
    pub version: Option<String>,

    /// Only bundles collected at this time or later: 2025, 2025-03-18, 2025-03-18T09:30:00Z
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub since: Option<String>,

    /// Only bundles collected before this time, in the form of --since
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub until: Option<String>,

    /// Only bundles collected in this year, quarter, month or day: 2025, 2025-Q4, 2025-11, 2025-11-25
    #[arg(long, value_name = "PERIOD", value_parser = period, conflicts_with_all = ["since", "until"])]
    pub period: Option<Period>,

    /// Only bundles whose main product, or whose ticket's product, is this one
    #[arg(long, value_name = "PRODUCT")]
    pub product: Option<String>,

    /// Only bundles of tickets of this customer (see --meta)
    #[arg(long, value_name = "NAME")]
    pub customer: Option<String>,

    /// Only bundles of this ticket
    #[arg(long, value_name = "ID")]
    pub ticket: Option<String>,

    /// Only bundles of the cluster with this UID or name
    #[arg(long, value_name = "UID|NAME")]
    pub cluster: Option<String>,

    /// Show at most N rules, those that fired in most bundles, or N templates or known lines
    #[arg(long, value_name = "N")]
    pub top: Option<u32>,

    /// Show templates of log lines that report trouble
    #[arg(long, conflicts_with = "rule")]
    pub templates: bool,

    /// Only templates that no bundle collected before this time has, in the form of --since
    #[arg(long, value_name = "TIME", value_parser = time, requires = "templates")]
    pub new_since: Option<String>,

    /// Only templates in at least N clusters
    #[arg(long, value_name = "N", requires = "templates")]
    pub min_clusters: Option<u32>,

    /// Only templates of which no rule that fired matched a line
    #[arg(long, requires = "templates")]
    pub no_rule: bool,

    /// Count known lines: log lines whose meaning is known without a rule; harmless ones are left out
    #[arg(long, group = "reads_rules", conflicts_with_all = ["rule", "templates"])]
    pub known: bool,

    /// Show the bundles that are most like this one, with their tickets: a bundle or ticket of the store, or a file
    ///
    /// They share rules that fired, and log lines that no rule knows; what few bundles have counts more.
    #[arg(
        long,
        value_name = "BUNDLE|TICKET",
        group = "reads_rules",
        conflicts_with_all = FILTERS,
        conflicts_with_all = ["rule", "templates"]
    )]
    pub like: Option<String>,

    /// For --known and for a file of --like: also use the rules and known lines in this folder; repeatable
    #[arg(long, value_name = "DIR", requires = "reads_rules")]
    pub rules: Vec<PathBuf>,

    /// Run a SELECT statement; docs/triage.md describes tables and views
    #[arg(long, value_name = "SELECT", conflicts_with_all = FILTERS, conflicts_with_all = ["rule", "top", "templates", "known", "like"])]
    pub sql: Option<String>,

    /// Stop SQL that runs longer
    #[arg(long, value_name = "TIME", default_value = "1m", value_parser = duration)]
    pub max_time: Duration,

    /// Output format
    #[arg(long, value_name = "FMT", value_enum, default_value_t = AnswerFormat::Table)]
    pub format: AnswerFormat,
}

/// Format of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AnswerFormat {
    /// Columns for people: the first 1000 rows, long values shortened
    Table,
    /// CSV with a header; formulas are marked as text
    Csv,
    /// Array of objects
    Json,
}

/// Export a table for other programs, such as DuckDB, pandas or Spark
#[derive(Debug, Args)]
#[command(after_help = STORE.short(), after_long_help = STORE.long())]
pub struct ExportArgs {
    /// Store to read
    #[arg(long, value_name = "FILE")]
    pub store: PathBuf,

    /// Table to export
    #[arg(long, value_name = "NAME", default_value = "findings", value_parser = export_parser())]
    pub table: Export,

    /// FILE.csv, FILE.jsonl (one object per line), or FILE.parquet if gleaner was built with Parquet
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
}

/// Write a folder of web pages about a store: findings by rule, version, cluster and month
///
/// Writes an overview and a page for each rule, each bundle and each cluster with several bundles. The pages need no network
/// and no scripts.
#[derive(Debug, Args)]
#[command(after_help = ORIGINALS.short(), after_long_help = ORIGINALS.long())]
pub struct ReportArgs {
    /// Store to read
    #[arg(long, value_name = "FILE")]
    pub store: PathBuf,

    /// Folder to write: new, empty, or with pages of an earlier report, which are replaced
    #[arg(long, value_name = "DIR")]
    pub html: PathBuf,

    /// Analyse each bundle that still exists again, and link its full report
    #[arg(long)]
    pub reports: bool,

    /// For --reports: also use the rules in this folder or archive; they replace built-in rules with the same id; repeatable
    #[arg(long, value_name = "DIR", requires = "reports")]
    pub rules: Vec<PathBuf>,

    /// For --reports: do not use the built-in rules
    #[arg(long, requires = "reports", hide_short_help = true)]
    pub no_default_rules: bool,

    #[command(flatten)]
    pub workers: WorkerLimitArgs,

    /// No progress, no summary; errors are still printed
    #[arg(long)]
    pub quiet: bool,

    #[command(flatten)]
    pub limits: LimitArgs,
}

/// Try a new rule on the bundles of a store: how often it fires, where, and which lines it shows
///
/// The store is not changed. Copies of a bundle are tried once; bundles that were removed or changed are counted.
#[derive(Debug, Args)]
#[command(after_help = ORIGINALS.short(), after_long_help = ORIGINALS.long())]
pub struct TryArgs {
    /// Rule file
    #[arg(value_name = "RULE.yaml")]
    pub rule: PathBuf,

    /// Store to read
    #[arg(long, value_name = "FILE")]
    pub store: PathBuf,

    /// Also load the rules and log streams in this folder; repeatable
    #[arg(long, value_name = "DIR")]
    pub rules: Vec<PathBuf>,

    #[command(flatten)]
    pub workers: WorkerLimitArgs,

    /// No progress; errors are still printed
    #[arg(long)]
    pub quiet: bool,

    #[command(flatten)]
    pub limits: LimitArgs,
}

/// Arguments that a run gives its workers.
#[derive(Debug, Args)]
pub struct WorkerArgs {
    /// Number of threads
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub threads: NonZeroUsize,
}

/// Parses `90s`, `10m`, `1h30m`.
pub fn duration(text: &str) -> Result<Duration, String> {
    let invalid = || "not a duration; write a number and a unit, such as 90s, 10m or 1h30m".to_owned();
    let parsed: jiff::SignedDuration = text.parse().map_err(|_| invalid())?;
    let duration = Duration::try_from(parsed).map_err(|_| invalid())?;
    if duration.is_zero() { Err("must be longer than zero".to_owned()) } else { Ok(duration) }
}

/// Parses a time, or the beginning of one, in the form of the store.
fn time(text: &str) -> Result<String, String> {
    let full = "0000-01-01T00:00:00Z";
    let is_time = |text: &str| text.parse::<jiff::Timestamp>().is_ok();
    match full.get(text.len()..) {
        Some(rest) if text.len() >= 4 && is_time(&format!("{text}{rest}")) => Ok(text.to_owned()),
        None if is_time(text) => Ok(text.to_owned()),
        _ => Err("not a time in UTC; write 2025, 2025-03, 2025-03-18 or 2025-03-18T09:30:00Z".to_owned()),
    }
}

/// Time from a beginning up to, and without, an end, both in the form of the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Period {
    pub since: String,
    pub until: String,
}

/// Parses `2025`, `2025-Q4`, `2025-11` or `2025-11-25`.
fn period(text: &str) -> Result<Period, String> {
    let invalid = || "not a period; write 2025, 2025-Q4, 2025-11 or 2025-11-25".to_owned();
    let parts: Vec<&str> = text.split('-').collect();
    let number = |text: &str| text.parse::<i16>().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()));
    let small = |text: &str| number(text).and_then(|number| i8::try_from(number).ok());
    let year = parts.first().filter(|year| year.len() == 4).and_then(|year| number(year)).ok_or_else(invalid)?;
    let from = |month, day| jiff::civil::Date::new(year, month, day).map_err(|_| invalid());
    let (first, length) = match parts.get(1..).unwrap_or_default() {
        [] => (from(1, 1)?, jiff::Span::new().years(1)),
        [quarter] if quarter.starts_with(['Q', 'q']) => {
            let quarter =
                quarter.get(1..).and_then(small).filter(|quarter| (1..=4).contains(quarter)).ok_or_else(invalid)?;
            (from(3 * quarter - 2, 1)?, jiff::Span::new().months(3))
        }
        [month] => (from(small(month).ok_or_else(invalid)?, 1)?, jiff::Span::new().months(1)),
        [month, day] => {
            let day = from(small(month).ok_or_else(invalid)?, small(day).ok_or_else(invalid)?)?;
            (day, jiff::Span::new().days(1))
        }
        _ => return Err(invalid()),
    };
    let end = first.checked_add(length).map_err(|_| invalid())?;
    Ok(Period { since: first.to_string(), until: end.to_string() })
}

fn export_parser() -> impl TypedValueParser<Value = Export> {
    PossibleValuesParser::new(Export::ALL.map(|(name, _)| name)).try_map(|name| {
        Export::ALL.into_iter().find(|(known, _)| *known == name).map(|(_, export)| export).ok_or("unknown table")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_need_units() {
        assert_eq!(duration("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("1h30m"), Ok(Duration::from_secs(5400)));
        assert!(duration("10").is_err() && duration("-1s").is_err() && duration("0s").is_err());
    }

    #[test]
    fn periods_have_a_beginning_and_an_end() {
        for (text, since, until) in [
            ("2025", "2025-01-01", "2026-01-01"),
            ("2025-Q4", "2025-10-01", "2026-01-01"),
            ("2024-02", "2024-02-01", "2024-03-01"),
            ("2024-02-29", "2024-02-29", "2024-03-01"),
        ] {
            assert_eq!(period(text), Ok(Period { since: since.to_owned(), until: until.to_owned() }));
        }
        for wrong in ["", "25", "2025-Q5", "2025-13", "2025-02-30", "2025-1-1-1", "2025-+1", "Q4"] {
            assert!(period(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn times_may_be_shortened() {
        for good in ["2025", "2025-03", "2025-03-18", "2025-03-18T09:30:00Z"] {
            assert_eq!(time(good).as_deref(), Ok(good));
        }
        for wrong in ["", "25", "2025-13", "yesterday", "18.03.2025"] {
            assert!(time(wrong).is_err(), "{wrong}");
        }
    }
}
