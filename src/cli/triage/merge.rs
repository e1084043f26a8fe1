//! `gleaner triage merge`: merges stores of shards.

use std::io::Write;

use crate::cli::args::triage::MergeArgs;
use crate::cli::errors::usage_error;
use crate::cli::exit::ExitCode;
use crate::cli::inputs::Inputs;
use crate::cli::lines::print_line;
use crate::report::words::counted;
use crate::triage::Store;

/// Merges each store, in any order.
pub fn run(args: &MergeArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<ExitCode, ExitCode> {
    let mut inputs = Inputs::default();
    inputs.add_all("the store", &args.stores);
    inputs.check(&args.store).map_err(|error| usage_error(err, error))?;
    let mut store = Store::open(&args.store).map_err(|error| usage_error(err, error))?;
    for other in &args.stores {
        let merged = store.merge(other).map_err(|error| usage_error(err, error))?;
        if !args.quiet {
            let (bundles, analyses) =
                (counted(merged.bundles, "bundle row"), counted(merged.analyses, "analysis result"));
            let _ = print_line(out, format_args!("{}: merged {bundles} and {analyses}", other.display()));
        }
    }
    Ok(ExitCode::Success)
}
