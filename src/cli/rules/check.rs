//! `gleaner rules check`: reports errors in rules and their tests.

use std::io::Write;
use std::path::PathBuf;

use super::joins;
use super::loading::{TestFolder, checked, streams};
use crate::cli::args::rules::CheckArgs;
use crate::cli::errors::usage_error;
use crate::cli::exit::ExitCode;
use crate::cli::lines::print_line;
use crate::report::words::counted;
use crate::rule::{self, Knowledge};
use crate::verify;

/// Checks rules and the form of their tests.
pub fn run(args: &CheckArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<ExitCode, ExitCode> {
    let subject = TestFolder::open(args.path.as_deref(), err)?;
    let streams = streams(&subject.loaded, err)?;
    let known = knowledge(&args.crds, err)?;
    let mut set = checked(&subject, &streams, &known, args.strict, err)?;
    if args.links {
        let unjoined = joins::warnings(&subject, &set, &streams);
        set.warnings.extend(unjoined);
    }
    for warning in &set.warnings {
        let _ = writeln!(err, "{}", warning.render(true));
    }
    let (lines, wrong) = known_lines(&subject, err);
    let mut broken = 0;
    for test in &subject.tests {
        let wrong = verify::check(test, &set, &streams);
        wrong.iter().for_each(|error| drop(writeln!(err, "{}", error.render(true))));
        broken += wrong.len();
        if let (true, Err(error)) = (wrong.is_empty(), verify::counts(test)) {
            let _ = print_line(err, format_args!("error: {error}"));
            broken += 1;
        }
    }
    if broken > 0 {
        let _ = print_line(err, format_args!("error: {} in rule tests", counted(broken, "error")));
    }
    let lines = lines.map_or_else(String::new, |lines| format!(" and {}", counted(lines, "known line")));
    let (rules, warnings) = (counted(subject.files.len(), "rule"), counted(set.warnings.len(), "warning"));
    let _ = print_line(out, format_args!("{rules}{lines} checked, {warnings}"));
    let denied = args.deny_warnings && !set.warnings.is_empty();
    Ok(if broken + wrong == 0 && !denied { ExitCode::Success } else { ExitCode::Rule })
}

/// Returns what is known of objects, with the custom resources of the author.
fn knowledge(crds: &[PathBuf], err: &mut dyn Write) -> Result<Knowledge, ExitCode> {
    let mut known = Knowledge::of_api();
    for path in crds {
        let read = std::fs::read_to_string(path).map_err(|error| error.to_string());
        let added = read.and_then(|text| known.add_crds(&text));
        added.map_err(|problem| usage_error(err, anyhow::anyhow!("`{}`: {problem}", path.display())))?;
    }
    Ok(known)
}

/// Checks the known lines that were asked for; returns their number, none if there is no file of them, and that of errors.
fn known_lines(subject: &TestFolder, err: &mut dyn Write) -> (Option<usize>, usize) {
    let (count, wrong) = rule::check_known_lines(&subject.known_lines, &subject.loaded.known_lines);
    wrong.iter().for_each(|error| drop(writeln!(err, "{}", error.render(true))));
    if !wrong.is_empty() {
        let _ = print_line(err, format_args!("error: {} in known lines", counted(wrong.len(), "error")));
    }
    ((!subject.known_lines.is_empty()).then_some(count), wrong.len())
}
