//! Threads of the program.

use std::io;
use std::num::NonZeroUsize;
use std::thread;

use anyhow::Context;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// Stack of all threads that read documents or rules, in bytes: both go down by recursion, whose depth their readers bound
/// (documents 128 levels, expressions 96). The deepest of both takes less than 2 MiB without optimisation.
pub const STACK: usize = 16 << 20;
/// Most worker threads: each takes a stack, and no machine has more processors.
const MAX_THREADS: usize = 1024;

/// Runs a function on a stack that does not depend on the limits of the shell, as that of the main thread does.
///
/// # Errors
/// Fails if the thread cannot be started.
pub fn on_large_stack<T: Send>(run: impl FnOnce() -> T + Send) -> io::Result<T> {
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, run)?;
        Ok(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

/// Parses a number of threads or processes.
pub fn parse_threads(text: &str) -> Result<NonZeroUsize, String> {
    let number: Option<NonZeroUsize> = text.parse().ok();
    number.filter(|number| number.get() <= MAX_THREADS).ok_or_else(|| format!("not a number from 1 to {MAX_THREADS}"))
}

/// Starts worker threads, by default as many as there are processors.
pub fn thread_pool(threads: Option<NonZeroUsize>) -> anyhow::Result<ThreadPool> {
    let threads = threads.map_or(0, NonZeroUsize::get);
    let pool = ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK).build();
    pool.context("cannot start the worker threads")
}
