//! Failures that the collector itself reports: `bundleGenerationError.log` of support-bundle-kit ([`kit_log`]), the JSON files of
//! troubleshoot.sh ([`json`]), the steps of rancher2_logs_collector.sh ([`steps`]).
//!
//! [`CollectorErrors`] holds one [`failure::Failure`] for each message.

mod collected_failures;
pub(super) mod failure;
mod json;
mod kit_log;
mod steps;

pub use collected_failures::CollectorErrors;
pub(super) use collected_failures::FailedParts;
pub use json::About;
