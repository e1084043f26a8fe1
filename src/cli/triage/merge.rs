//! `gleaner triage merge`: stores of shards become one.

use std::io::Write;

use crate::cli::args::triage::MergeArgs;
use crate::cli::errors::usage_error;
use crate::cli::exit::ExitCode;
use crate::cli::plural::counted;
use crate::triage::Store;

/// Takes in each store, in any order.
pub fn run(args: &MergeArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<ExitCode, ExitCode> {
    let mut store = Store::open(&args.store).map_err(|error| usage_error(err, error))?;
    for other in &args.stores {
        let merged = store.merge(other).map_err(|error| usage_error(err, error))?;
        if !args.quiet {
            let (bundles, results) = (counted(merged.bundles, "row"), counted(merged.analyses, "result"));
            let _ = writeln!(out, "{}: took {bundles} of bundles and {results} of analyses", other.display());
        }
    }
    Ok(ExitCode::Success)
}
