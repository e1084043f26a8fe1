//! `gleaner rules test`.

use std::io::Write;
use std::path::Path;

use super::{Subject, compiled, streams, watch};
use crate::cli::args::TestArgs;
use crate::cli::exit::ExitCode;
use crate::verify;

/// Runs the tests of rules.
pub fn run(args: &TestArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<ExitCode, ExitCode> {
    if args.watch {
        return watch::run(args, out, err);
    }
    let subject = Subject::of(args.path.as_deref(), err)?;
    let streams = streams(&subject.loaded, err)?;
    let set = compiled(subject.loaded, err)?;
    if subject.tests.is_empty() {
        let folder = args.path.as_deref().unwrap_or(Path::new(".")).display();
        let _ = writeln!(err, "{folder} has no tests: write them as {folder}/tests/rules/<area>/<id>.yaml");
    }
    let report = verify::run(&set, &streams, &subject.tests);
    for failure in &report.failures {
        let _ = writeln!(out, "{failure}");
    }
    let _ = writeln!(out, "{} passed, {} failed", report.passed, report.failures.len());
    Ok(if report.failures.is_empty() { ExitCode::Success } else { ExitCode::Findings })
}
