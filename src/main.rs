//! Arguments in, exit code out.

use std::io::{self, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    gleaner::on_large_stack(run).unwrap_or_else(|error| {
        let _ = writeln!(anstream::stderr(), "cannot start a thread: {error}");
        ExitCode::from(2)
    })
}

fn run() -> ExitCode {
    let mut out = anstream::stdout().lock();
    let mut err = anstream::stderr();
    gleaner::run_program(std::env::args_os(), &mut out as &mut dyn io::Write, &mut err).into()
}
