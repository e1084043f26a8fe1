//! Many bundles: finds them among the files of an archive, analyses each in a process of its own making, and keeps what was
//! found in a store that answers questions.
//!
//! [`input`] finds what may be bundles, [`shard`] takes a part of it, [`run`] decides with the [`store`] what must be done and
//! hands it in a [`shift`] to a [`crew`] of worker processes, which run [`worker`] and speak [`message`]s. The parent alone writes the store,
//! one file of the archive with all its bundles at a time, so that whatever happens a bundle is in the store whole or not at
//! all. Everything in the store is named by what it is (path, checksum, content), never by when it came; so two stores of one
//! archive are equal whatever the order, the number of workers, the shards and the interruptions.

pub mod again;
pub mod attempt;
pub mod changes;
mod clock;
mod crew;
pub mod export;
pub mod input;
pub mod message;
mod objects;
pub mod overview;
mod plan;
pub mod query;
pub mod rules;
pub mod run;
pub mod shard;
pub mod shift;
pub mod sink;
mod stamp;
pub mod store;
mod summary;
pub mod worker;

pub use query::QueryError;
pub use run::{Options, RunError, Summary, Watch, run};
pub use shard::Shard;
pub use shift::Terms;
pub use store::{Store, StoreError};
