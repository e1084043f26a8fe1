//! Many bundles: finds them among the files of an archive, analyses each in a worker process, and keeps the results in a
//! store that can be queried.
//!
//! [`input`] finds files that may be bundles and selects those of one shard. [`run`] compares them with the [`store`] and
//! decides what must be analysed. [`worker`] has both sides of the worker processes. [`query`] answers questions, and
//! [`overview`] collects the data of web pages. [`ticket`] knows which ticket a file belongs to. Only the parent process writes the store, one file with all its bundles per
//! transaction, so a bundle is stored completely or not at all. Keys are paths, checksums and hashes of content, so stores
//! of one archive are equal whatever the order, the number of workers, the shards and the interruptions.

pub mod input;
pub mod overview;
pub mod query;
pub mod run;
pub mod store;
pub mod ticket;
pub mod worker;

pub use input::shard::Shard;
pub use query::QueryError;
pub use run::{Options, RunProgress, Summary, analyze_archive};
pub use store::{Store, StoreError};
pub use worker::scheduler::WorkerLimits;
