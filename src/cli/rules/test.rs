//! `gleaner rules test`: runs rule tests.

use std::io::Write;
use std::path::Path;

use super::file_watch;
use super::loading::{TestFolder, compiled_without_broken, streams};
use crate::cli::args::rules::TestArgs;
use crate::cli::exit::ExitCode;
use crate::cli::lines::print_line;
use crate::verify;

/// Runs the tests and prints failures.
pub fn run(args: &TestArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<ExitCode, ExitCode> {
    if args.watch {
        return file_watch::run(args, out, err);
    }
    let subject = TestFolder::open(args.path.as_deref(), err)?;
    let streams = streams(&subject.loaded, err)?;
    let (set, broken) = compiled_without_broken(subject.loaded, err)?;
    if subject.tests.is_empty() {
        let folder = args.path.as_deref().unwrap_or(Path::new(".")).display();
        let _ =
            print_line(err, format_args!("{folder} has no tests: add them as {folder}/tests/rules/<area>/<id>.yaml"));
    }
    let report = verify::run(&set, &streams, &subject.tests);
    for failure in &report.failures {
        let _ = print_line(out, format_args!("{failure}"));
    }
    let _ = print_line(out, format_args!("{} passed, {} failed", report.passed, report.failures.len()));
    Ok(outcome(report.failures.is_empty(), broken.is_empty()))
}

/// Returns the exit code of tests: an invalid rule weighs more than a failed test.
fn outcome(passed: bool, valid: bool) -> ExitCode {
    match (passed, valid) {
        (_, false) => ExitCode::Rule,
        (false, true) => ExitCode::Findings,
        (true, true) => ExitCode::Success,
    }
}
