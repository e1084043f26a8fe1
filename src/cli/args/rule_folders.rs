//! Flags that choose rules.

use std::path::PathBuf;

use clap::Args;

/// Folders and archives of rules, with or without the built-in rules.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub struct RuleArgs {
    /// Also use the rules in this folder or archive; they replace built-in rules with the same id; repeatable
    #[arg(long = "rules", value_name = "PATH")]
    pub folders: Vec<PathBuf>,

    /// Do not use the built-in rules
    #[arg(long, hide_short_help = true)]
    pub no_default_rules: bool,
}
