//! Arguments in, exit code out.

use std::io;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut out = anstream::stdout().lock();
    let mut err = anstream::stderr();
    gleaner::run_program(std::env::args_os(), &mut out as &mut dyn io::Write, &mut err).into()
}
