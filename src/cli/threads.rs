//! Thread pool of the commands.

use std::num::NonZeroUsize;

use anyhow::Context;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// Stack of worker threads: rules evaluate their expressions by recursion, whose depth the compiler bounds.
const STACK: usize = 16 << 20;

/// Starts worker threads, by default as many as there are processors.
pub fn thread_pool(threads: Option<NonZeroUsize>) -> anyhow::Result<ThreadPool> {
    let threads = threads.map_or(0, NonZeroUsize::get);
    let pool = ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK).build();
    pool.context("cannot start the worker threads")
}
