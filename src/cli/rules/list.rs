//! `gleaner rules list`: prints all rules.

use std::io::Write;

use super::loading::{compiled, test_counts};
use crate::cli::args::rules::{ListArgs, ListFormat};
use crate::cli::errors::usage_error;
use crate::cli::exit::ExitCode;
use crate::cli::lines::print_line;
use crate::rule::listing::{ListedRule, listing};
use crate::rule::load;

/// Lists the rules.
pub fn run(args: &ListArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<ExitCode, ExitCode> {
    let loaded = load::load(&args.rules, true).map_err(|error| usage_error(err, error))?;
    let counts = test_counts(&loaded.tests);
    let set = compiled(loaded, err)?;
    let rules = listing(&set, &counts);
    let _ = match args.format {
        ListFormat::Json => {
            serde_json::to_writer_pretty(&mut *out, &rules).map_err(Into::into).and_then(|()| writeln!(out))
        }
        ListFormat::Text => rules.iter().try_for_each(|rule| print_line(out, format_args!("{}", row(rule)))),
    };
    Ok(ExitCode::Success)
}

fn row(rule: &ListedRule) -> String {
    let tests = format!("{}+{}", rule.tests.firing, rule.tests.silent);
    format!("{:<48} {:<9} {:<13} {:>5}  {}", rule.id, rule.severity, rule.area, tests, rule.name)
}
