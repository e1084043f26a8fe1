//! `gleaner rules diff`: what is new in a collection of rules.

use std::io::Write;
use std::path::Path;

use super::opened::opened;
use crate::cli::args::rules::{DiffArgs, ListFormat};
use crate::cli::errors::usage_error;
use crate::cli::exit::ExitCode;
use crate::cli::lines::print_line;
use crate::rule::changes::{RuleChange, RuleChanges, RuleHead, changes};
use crate::rule::load::{self, Loaded};

/// Name of the rules of this program, unless there is a file or folder of that name.
const BUILT_IN: &str = "built-in";

/// Compares two collections.
pub fn run(args: &DiffArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<ExitCode, ExitCode> {
    let (old, new) = (read(&args.old, err)?, read(&args.new, err)?);
    let changes = changes(&old, &new).map_err(|error| usage_error(err, anyhow::anyhow!(error)))?;
    // The guard of standard output reports errors at the end.
    let _ = match args.format {
        ListFormat::Json => {
            serde_json::to_writer_pretty(&mut *out, &changes).map_err(Into::into).and_then(|()| writeln!(out))
        }
        ListFormat::Text => lines(&changes).iter().try_for_each(|line| print_line(out, format_args!("{line}"))),
    };
    Ok(ExitCode::Success)
}

fn read(path: &Path, err: &mut dyn Write) -> Result<Loaded, ExitCode> {
    if path.as_os_str() == BUILT_IN && !path.exists() {
        return Ok(load::embedded());
    }
    opened(path).map_err(|error| usage_error(err, error))
}

fn lines(changes: &RuleChanges) -> Vec<String> {
    let RuleChanges { old: _, new: _, added, changed, removed } = changes;
    let row = |sign: char, rule: &RuleHead| format!("{sign} {:<48} {:<9} {}", rule.id, rule.severity, rule.title);
    let mut lines: Vec<String> = added.iter().map(|rule| row('+', rule)).collect();
    lines.extend(changed.iter().map(|change| format!("{}  [{}]", row('~', &change.new), told(change))));
    lines.extend(removed.iter().map(|rule| row('-', rule)));
    lines.push(format!("{} new, {} changed, {} gone", added.len(), changed.len(), removed.len()));
    lines
}

/// Returns what changed, with the old severity and title.
fn told(change: &RuleChange) -> String {
    let RuleChange { id: _, was, what, old, new } = change;
    let part = |part: &&'static str| match *part {
        "severity" if old.severity != new.severity => format!("severity, was {}", old.severity),
        "title" if old.title != new.title => format!("title, was \"{}\"", old.title),
        part => part.to_owned(),
    };
    let renamed = was.iter().map(|was| format!("renamed, was {was}"));
    renamed.chain(what.iter().map(part)).collect::<Vec<_>>().join("; ")
}
