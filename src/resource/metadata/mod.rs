//! The bundle's own description: `metadata.yaml` of support-bundle-kit in [`description`], files of other collectors in modules of
//! their own.

mod beats;
mod date;
mod description;
pub mod host;
mod machine;
mod must_gather;
mod scripts;
pub mod troubleshoot;

pub use description::Metadata;
