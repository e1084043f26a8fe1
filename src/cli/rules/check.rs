//! `gleaner rules check`: reports errors in rules and their tests.

use std::io::Write;

use super::loading::{TestFolder, checked, streams};
use crate::cli::args::rules::CheckArgs;
use crate::cli::exit::ExitCode;
use crate::report::words::counted;
use crate::verify;

/// Checks rules and the form of their tests.
pub fn run(args: &CheckArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<ExitCode, ExitCode> {
    let subject = TestFolder::open(args.path.as_deref(), err)?;
    let streams = streams(&subject.loaded, err)?;
    let set = checked(&subject, &streams, args.strict, err)?;
    for warning in &set.warnings {
        let _ = writeln!(err, "{}", warning.render(true));
    }
    let mut broken = 0;
    for test in &subject.tests {
        let wrong = verify::check(test, &set, &streams);
        wrong.iter().for_each(|error| drop(writeln!(err, "{}", error.render(true))));
        broken += wrong.len();
        if let (true, Err(error)) = (wrong.is_empty(), verify::counts(test)) {
            let _ = writeln!(err, "error: {error}");
            broken += 1;
        }
    }
    if broken > 0 {
        let _ = writeln!(err, "error: {} in rule tests", counted(broken, "error"));
    }
    let _ =
        writeln!(out, "{} checked, {}", counted(subject.files.len(), "rule"), counted(set.warnings.len(), "warning"));
    let denied = args.deny_warnings && !set.warnings.is_empty();
    Ok(if broken == 0 && !denied { ExitCode::Success } else { ExitCode::Rule })
}
