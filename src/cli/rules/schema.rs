//! `gleaner rules schema`: prints the JSON Schema of rules.

use std::io::Write;

use super::loading::streams;
use crate::cli::exit::ExitCode;
use crate::rule::{load, schema};

/// Prints the JSON Schema of a rule file.
pub fn run(out: &mut dyn Write, err: &mut dyn Write) -> Result<ExitCode, ExitCode> {
    let streams = streams(&load::embedded(), err)?;
    // The guard of standard output reports errors at the end.
    let _ = serde_json::to_writer_pretty(&mut *out, &schema::rule(&streams))
        .map_err(Into::into)
        .and_then(|()| writeln!(out));
    Ok(ExitCode::Success)
}
