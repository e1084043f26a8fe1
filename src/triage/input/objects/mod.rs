//! Bundles in object stores that speak S3 (`s3://bucket/prefix`). The only part of the program that speaks to a network, only
//! when such an address is given, and only in a build with feature `s3`.
//!
//! Objects are listed with their sizes, times and entity tags, which tell whether they were written again. One that must be
//! analysed is fetched by the worker into a folder of the run, under its own name, and removed again afterwards.

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
