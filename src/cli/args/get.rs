//! Arguments of `gleaner get`.

use clap::Args;

use super::explore::{ABSENT, ANSWERED, BundleArgs, UNKNOWN, WRONG};
use super::help::HelpEnd;

const END: HelpEnd = HelpEnd {
    examples: &[
        "gleaner get bundle.zip pods -n longhorn-system        a table as in kubectl",
        "gleaner get bundle.zip vm,vmi -o wide                 two types, all columns",
        "gleaner get bundle.zip lhv pvc-1 -o yaml              one object",
        "gleaner get bundle.zip pods --field-selector status.phase!=Running",
        "gleaner get bundle.zip pods --sort-by .metadata.creationTimestamp",
        "gleaner get bundle.zip nodes -o jsonpath='{.items[*].status.nodeInfo.kubeletVersion}'",
        "gleaner get bundle.zip pvc -o custom-columns=NAME:.metadata.name,SIZE:.spec.resources.requests.storage",
    ],
    note: "Without -n all namespaces are listed. Ages are relative to the time of the collection. Secrets are masked.",
    codes: &[ANSWERED, ABSENT, WRONG, UNKNOWN],
};

/// List objects of a bundle as `kubectl get` does
///
/// Says what was not collected instead of listing nothing.
#[derive(Debug, Args)]
#[command(after_help = END.short(), after_long_help = END.long())]
pub struct GetArgs {
    #[command(flatten)]
    pub bundle: BundleArgs,

    /// TYPE[,TYPE...] [NAME...] or TYPE/NAME...: a plural, kind or short name, with or without group, or all
    #[arg(value_name = "TYPE", required = true)]
    pub asked: Vec<String>,

    /// Only this namespace
    #[arg(short, long, value_name = "NAME", conflicts_with = "all_namespaces")]
    pub namespace: Option<String>,

    /// All namespaces, as without -n
    #[arg(short = 'A', long)]
    pub all_namespaces: bool,

    /// Only objects with these labels: key=value, key!=value, key in (a,b), key, !key
    #[arg(short = 'l', long, value_name = "SELECTOR", default_value = "", hide_default_value = true)]
    pub selector: String,

    /// Only objects with these fields: path=value, path!=value; any field can be named
    #[arg(long, value_name = "SELECTOR", default_value = "", hide_default_value = true)]
    pub field_selector: String,

    /// Format: wide, yaml, json, name, jsonpath=TEMPLATE, custom-columns=HEADER:PATH,...
    #[arg(short, long, value_name = "FORMAT", default_value = "", hide_default_value = true)]
    pub output: String,

    /// Sort by the value at this JSONPath
    #[arg(long, value_name = "PATH")]
    pub sort_by: Option<String>,

    /// Add a column with the labels
    #[arg(long)]
    pub show_labels: bool,

    /// Also show managedFields in YAML and JSON
    #[arg(long)]
    pub show_managed_fields: bool,

    /// Leave out the line of headers
    #[arg(long)]
    pub no_headers: bool,

    /// Do not report objects that do not exist
    #[arg(long)]
    pub ignore_not_found: bool,
}
