//! Work on the files of an archive: analysing what is new or changed ([`archive`]), trying a new rule ([`attempt`]), and
//! writing reports of stored bundles ([`reanalyze`]).

mod archive;
pub mod attempt;
mod changes;
mod clock;
mod plan;
mod progress;
pub mod reanalyze;
pub mod rules;
mod summary;

pub use archive::{Options, analyze_archive};
pub use progress::RunProgress;
pub use summary::Summary;
