//! `gleaner rules check`.

use std::io::Write;

use super::{Subject, checked, counted};
use crate::cli::args::FolderArgs;
use crate::cli::exit::ExitCode;
use crate::verify;

/// Checks the rules and the shape of their tests.
pub fn run(args: &FolderArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<ExitCode, ExitCode> {
    let subject = Subject::of(args.path.as_deref(), err)?;
    let known = verify::knowledge(&subject.loaded.tests);
    let set = checked(subject.loaded, &known, err)?;
    for warning in &set.warnings {
        let _ = writeln!(err, "{}", warning.render(true));
    }
    let broken: Vec<_> = subject.tests.iter().filter_map(|test| verify::counts(test).err()).collect();
    for error in &broken {
        let _ = writeln!(err, "error: {error}");
    }
    let _ = writeln!(out, "{} checked, {}", counted(subject.rules, "rule"), counted(set.warnings.len(), "warning"));
    Ok(if broken.is_empty() { ExitCode::Success } else { ExitCode::Rule })
}
