//! Bundles in S3 object stores (`s3://bucket/prefix`). Only this part of the program uses the network, only for such
//! addresses, and only in a build with feature `s3`.
//!
//! Sizes, times and entity tags of objects show whether they changed. A worker downloads an object to a folder of the run
//! under its own name, analyses it, and removes it.

mod object;
#[cfg(feature = "s3")]
mod s3;
#[cfg(not(feature = "s3"))]
mod without_s3;

pub use object::{Object, ObjectError, address_of, is_address};
#[cfg(feature = "s3")]
pub use s3::{beginning, fetch, list};
#[cfg(not(feature = "s3"))]
pub use without_s3::{beginning, fetch, list};
