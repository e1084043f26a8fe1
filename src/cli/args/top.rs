//! Arguments of `gleaner top`.

use clap::{Args, ValueEnum};

use super::explore::{ABSENT, ANSWERED, BundleArgs, UNKNOWN, WRONG};
use super::help::HelpEnd;

const END: HelpEnd = HelpEnd {
    examples: &[
        "gleaner top bundle.zip nodes",
        "gleaner top bundle.zip pods -n longhorn-system --sort-by memory",
        "gleaner top bundle.zip pods --containers",
    ],
    note: "Values are those of metrics.k8s.io at the time of the collection.",
    codes: &[ANSWERED, ABSENT, WRONG, UNKNOWN],
};

/// Show what nodes or pods used when the bundle was collected
#[derive(Debug, Args)]
#[command(after_help = END.short(), after_long_help = END.long())]
pub struct TopArgs {
    #[command(flatten)]
    pub bundle: BundleArgs,

    /// What is measured
    #[arg(value_name = "nodes|pods")]
    pub of: Measured,

    /// Only these nodes or pods
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,

    /// Only this namespace
    #[arg(short, long, value_name = "NAME")]
    pub namespace: Option<String>,

    /// Each container of the pods
    #[arg(long)]
    pub containers: bool,

    /// Largest first
    #[arg(long, value_name = "cpu|memory")]
    pub sort_by: Option<Measure>,

    /// Leave out the line of headers
    #[arg(long)]
    pub no_headers: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Measured {
    #[value(aliases = ["node", "no"])]
    Nodes,
    #[value(aliases = ["pod", "po"])]
    Pods,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Measure {
    Cpu,
    Memory,
}
