//! Explanations: the steps of a rule on a bundle, and the combination that came nearest when it did not fire.

pub(super) mod explanation;
mod fields;
mod nearest;
mod record;
mod search;
