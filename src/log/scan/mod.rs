//! The hot path: one pass over one source for all patterns that read it.
//!
//! A [`scanner::Scanner`] asks the plan's automaton for the next line with a literal of any pattern; only such
//! lines are cut out, and only lines not seen lately are given to regular expressions. What it finds
//! is [`super::group::source_hits::SourceHits`].
//!
//! Measurements (`cargo bench --bench references`, one thread, 16 MiB of generated logs, if not stated otherwise):
//!
//! | way | gave |
//! |---|---|
//! | each of 50 expressions on each line | 85 MiB/s |
//! | one `RegexSet` of 50 on each line | 300 MiB/s |
//! | literals first, then the expressions of the literals found (this code) | 1,500 MiB/s with 50, 1,200 MiB/s with 500
//! |
//! | one Aho-Corasick automaton over all literals instead of samples ([`crate::log::pattern::grams`]) | 0.65 GB/s for the search alone, instead of 2 to 3 |
//! | all overlapping literals of a line in one search, instead of restarting after each | a fifth more time in all |
//! | separate classes of short and long literals, each with its own sampling step | cost one more pass than it saved |
//! | verdicts kept by text ([`crate::log::scan::line_cache`]) | 5,245 of 136,518 lines with a hit in a real bundle were
//! judged |

mod judge;
mod line_cache;
pub(in crate::log) mod lines;
mod pass;
mod problems;
mod programs;
mod read_summary;
pub(super) mod scanner;
pub(in crate::log) mod tail;
