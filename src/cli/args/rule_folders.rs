//! Flags that choose folders of rules.

use std::path::PathBuf;

use clap::Args;

/// Folders of rules, with or without the built-in rules.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub struct RuleArgs {
    /// Also use the rules in this folder; they replace built-in rules with the same id; repeatable
    #[arg(long = "rules", value_name = "DIR")]
    pub folders: Vec<PathBuf>,

    /// Do not use the built-in rules
    #[arg(long, hide_short_help = true)]
    pub no_default_rules: bool,
}
