//! The bundle of a question.

use std::io::Write;

use rayon::ThreadPool;

use crate::bundle::Bundle;
use crate::cli::args::explored::ExploredArgs;
use crate::cli::errors::{bundle_error, usage_error};
use crate::cli::exit::ExitCode;
use crate::cli::threads::thread_pool;

/// Opens the only bundle at the path.
///
/// # Errors
/// The error is printed; the code says what failed.
pub fn open(args: &ExploredArgs, err: &mut dyn Write) -> Result<(ThreadPool, Bundle), ExitCode> {
    let pool = thread_pool(None).map_err(|error| usage_error(err, error))?;
    let bundle =
        pool.install(|| Bundle::open(&args.bundle, args.limits.0)).map_err(|error| bundle_error(err, error))?;
    Ok((pool, bundle))
}
