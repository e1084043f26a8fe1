//! Arguments of `gleaner completions` and `gleaner man`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::help::HelpEnd;
use crate::cli::exit::ExitCode;

const COMPLETIONS: HelpEnd = HelpEnd {
    examples: &[
        "gleaner completions bash > ~/.local/share/bash-completion/completions/gleaner",
        "gleaner completions zsh > ~/.zfunc/_gleaner          with ~/.zfunc in fpath, before compinit",
        "gleaner completions fish > ~/.config/fish/completions/gleaner.fish",
    ],
    note: "Rule ids, and types, objects and namespaces of the bundle on the command line are completed, too.",
    codes: &[ExitCode::DONE, ExitCode::UNUSABLE],
};

const MAN: HelpEnd = HelpEnd {
    examples: &["gleaner man ~/.local/share/man/man1"],
    note: "",
    codes: &[ExitCode::DONE, ExitCode::UNUSABLE],
};

/// Print the script that completes command lines of gleaner in a shell
#[derive(Debug, Args)]
#[command(after_help = COMPLETIONS.short(), after_long_help = COMPLETIONS.long())]
pub struct CompletionsArgs {
    /// Shell that runs the script
    #[arg(value_name = "SHELL", value_enum)]
    pub shell: Shell,
}

/// Shell whose command lines are completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Shell {
    Bash,
    Zsh,
    Fish,
}

/// Write man pages: one for the program, and one for each command
#[derive(Debug, Args)]
#[command(after_help = MAN.short(), after_long_help = MAN.long())]
pub struct ManArgs {
    /// Folder for the pages; it is created if it does not exist
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}
