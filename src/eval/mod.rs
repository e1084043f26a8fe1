//! Evaluates rules over the indexes of a bundle.
//!
//! For each rule: [`facts`] finds the candidates of every fact, [`join`] combines them, [`outcome`] chooses one of the
//! five answers, [`finding`] turns combinations into findings with evidence. Rules are independent of each other and run in
//! parallel; at the end symptoms are folded under their causes. [`explain`] shows how one rule came to its answer, with
//! its nearest miss.

mod evaluate;
mod explain;
mod facts;
mod finding;
mod identity;
mod input;
mod join;
mod outcome;
#[cfg(test)]
mod testing;

pub use evaluate::{Evaluation, evaluate};
pub use explain::explanation::explain;
pub use input::{BundleFile, FileData, FileGap, FileGaps, Input};
