//! `gleaner rules test`: runs rule tests.

use std::io::Write;
use std::path::Path;

use super::file_watch;
use super::loading::{TestFolder, compiled, streams};
use crate::cli::args::rules::TestArgs;
use crate::cli::exit::ExitCode;
use crate::verify;

/// Runs the tests and prints failures.
pub fn run(args: &TestArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<ExitCode, ExitCode> {
    if args.watch {
        return file_watch::run(args, out, err);
    }
    let subject = TestFolder::open(args.path.as_deref(), err)?;
    let streams = streams(&subject.loaded, err)?;
    let set = compiled(subject.loaded, err)?;
    if subject.tests.is_empty() {
        let folder = args.path.as_deref().unwrap_or(Path::new(".")).display();
        let _ = writeln!(err, "{folder} has no tests: add them as {folder}/tests/rules/<area>/<id>.yaml");
    }
    let report = verify::run(&set, &streams, &subject.tests);
    for failure in &report.failures {
        let _ = writeln!(out, "{failure}");
    }
    let _ = writeln!(out, "{} passed, {} failed", report.passed, report.failures.len());
    Ok(if report.failures.is_empty() { ExitCode::Success } else { ExitCode::Findings })
}
