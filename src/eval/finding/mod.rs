//! Findings: combinations merged by what they are about, with texts, evidence and times, and symptoms under causes.

pub(super) mod breakers;
mod changes;
pub(super) mod checked;
mod conditions;
pub(super) mod declared;
pub(super) mod evidence;
pub(super) mod findings;
pub(super) mod fold;
pub(super) mod foldable;
pub(super) mod names;
#[cfg(test)]
mod properties;
pub(super) mod reach;
pub(super) mod span;
pub(super) mod subject;
pub(super) mod times;
