//! Files of known lines: `rules/known-lines/*.yaml`.
//!
//! [`check`] says what is wrong with a file, when rules are loaded or checked; [`read`] takes lines from checked files, when a bundle
//! is first seen to need them, because an author's mistakes cannot wait and a thousand lines can.

mod check;
mod files;
mod read;

pub use check::{check, check_whole};
pub use files::KnownLineFiles;
