//! Arguments in, exit code out.

use std::io::{self, Write};
use std::process::ExitCode;

/// Runs are many small values of several threads: trees of dumps, rules, findings. In turn with glibc's allocator on two cores: 20 % less time of the
/// processor on a small bundle, 12 % on the public Harvester bundle, 17 % on 20,000 namespaces, and 23 to 36 MB more memory. Version 3 is as fast and
/// takes 50 to 90 MB more.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

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
