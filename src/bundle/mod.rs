//! Bundles: what the user gives, and the files in it.
//!
//! [`Bundle::open`] tells the container by its content (zip, tar, either of them or a file alone behind gzip, xz, bzip2 or zstd, or a folder), lists every [`Entry`], also those
//! of archives inside archives, and gives each its [`Role`]. [`Bundle::read`] then visits the wanted ones in parallel.
//! Nothing is ever unpacked to disk. A bundle is hostile: names cannot lead out of it, every size is checked against
//! one [`Limits`], and what cannot be read becomes an [`Issue`] while the rest goes on. This module knows nothing of
//! what stands in the files, but for the name of the host that a collection of one host is of.
//!
//! ```
//! use gleaner::internals::bundle::{Bundle, Limits, Role};
//!
//! let files = vec![("logs/demo/web-0/nginx.log".to_owned(), b"started\n".to_vec())];
//! let bundle = Bundle::from_memory("demo", files, Limits::default());
//! assert!(matches!(&bundle.entries()[0].role, Role::PodLog { pod, .. } if pod == "web-0"));
//! ```

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
pub use collectors::role::{Role, Summary};
pub use collectors::spec::{Description, EmptyLists};
pub use collectors::troubleshoot::troubleshoot_name;
pub use collectors::unpacked::Unpacked;
pub use entry::{Entry, UnreadableFile};
pub use error::OpenError;
pub use limits::{Limit, Limits, Unit};
