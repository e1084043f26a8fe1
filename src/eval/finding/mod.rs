//! Findings: combinations merged by what they are about, with texts, evidence and times, and symptoms under causes.

pub(super) mod evidence;
pub(super) mod findings;
pub(super) mod fold;
pub(super) mod foldable;
pub(super) mod reach;
pub(super) mod times;
