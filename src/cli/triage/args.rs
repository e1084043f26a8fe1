//! The arguments of `gleaner triage` as types; no work is done here.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};

use crate::cli::args::LimitArgs;
use crate::cli::exit::ExitCode;
use crate::cli::size;
use crate::triage::Shard;

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

    /// Also use the rules in this folder; a rule there replaces ours of the same id; repeatable
    #[arg(long, value_name = "DIR")]
    pub rules: Vec<PathBuf>,

    /// Do not use the rules that come with gleaner
    #[arg(long)]
    pub no_default_rules: bool,

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

/// What to do with stores.
#[derive(Debug, Subcommand)]
pub enum TriageCommand {
    Merge(MergeArgs),
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

fn triage_help() -> String {
    format!(
        "Examples:\n  \
         gleaner triage tickets/ --store tickets.db\n  \
         find /archive -name '*.zip' | gleaner triage - --store tickets.db\n  \
         gleaner triage tickets/ --store shard-2.db --shard 2/7      one of seven machines\n  \
         gleaner triage merge --store tickets.db shard-*.db\n\n{}",
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
}
