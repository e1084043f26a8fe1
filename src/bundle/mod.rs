//! Bundles: the user's input and the files in it.
//!
//! [`Bundle::open`] detects the container by its content (zip, tar, a folder, or a tar, zip or single file compressed
//! with gzip, xz, bzip2 or zstd), lists every [`Entry`], including those in nested archives, and assigns each a
//! [`Role`]. [`Bundle::read`] then visits the requested entries in parallel. Nothing is ever unpacked to disk. Bundles
//! are treated as hostile: names cannot lead out of them, every size is checked against one [`Limits`], and an
//! unreadable file becomes an [`Issue`] while the rest continues. This module does not interpret file contents, except
//! to find the host name of a collection from one host.
//!
//! ```
//! use gleaner::internals::bundle::{Bundle, Limits, Role};
//!
//! let files = vec![("logs/demo/web-0/nginx.log".to_owned(), b"started\n".to_vec())];
//! let bundle = Bundle::from_memory("demo", files, Limits::default());
//! assert!(matches!(&bundle.entries()[0].role, Role::PodLog { pod, .. } if pod == "web-0"));
//! ```

#[expect(clippy::module_inception, reason = "the file is named after its type, as all others are")]
mod bundle;
mod catalogue;
mod collectors;
mod containers;
mod entry;
mod error;
mod fingerprint;
mod in_memory;
mod limits;
mod open;
mod path;
pub mod probe;
mod read;

#[cfg(test)]
mod tests;

pub use bundle::{Bundle, Container};
pub use collectors::bundle_name::BundleName;
pub use collectors::generic::role_of_loose;
pub use collectors::role::{Role, Summary};
pub use collectors::spec::{Description, EmptyLists};
pub use collectors::troubleshoot::troubleshoot_name;
pub use collectors::unpacked::Unpacked;
pub use entry::{Entry, UnreadableFile};
pub use error::OpenError;
pub use limits::{Limit, Limits, Unit};
