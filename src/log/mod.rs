//! Logs: sources, patterns, one pass over each, groups of hits.
//!
//! All log facts of all rules become [`LogQuery`]s of one [`PatternSet`]. Each [`LogSource`] is
//! scanned once while it streams by; only groups of hits with samples are kept. The [`LogIndex`]
//! merges the hits of all sources and answers a query with its [`HitGroup`]s.
//!
//! Patterns see a line without the stamp that the kubelet or the journal put before it and without
//! line end: `2022-03-06T22:53:45.217338826Z text` is `text`, `Mar 06 22:45:28 n1 kernel: x` is
//! `n1 kernel: x`. They see at most 1 MiB of it ([`Scanner::max_line`]), as bytes. A query may ask for a line together with the lines without stamp that follow it. A line's time is that stamp, else one that the
//! program wrote, else that of the nearest earlier line that has one.

mod group;
mod jq;
mod pattern;
mod read;
mod scan;
mod source;
mod template;
#[cfg(test)]
mod tests;
mod time;

pub use group::answer::{LogAnswer, Writers};
pub use group::boots::NodeStart;
pub use group::burst::{Tally, Values, heaviest};
pub use group::hit_group::{HitGroup, Sample};
pub use group::index::LogIndex;
pub use group::sequence;
pub use group::single_hits::LogHit;
pub use group::source_hits::SourceHits;
pub use jq::filter::Filter;
pub use pattern::built_in::known_literal;
pub use pattern::expression::{validate, written_captures};
pub use pattern::literal::{RequiredLiteral, required_literal, required_literal_of};
pub use pattern::query::{AtLeast, Counting, GroupKey, LogQuery, QueryId, Undated};
pub use pattern::set::PatternSet;
pub use read::{LevelReader, LinePlace, LineReader, Page};
pub use source::journal::{host_of, is_note, is_only_failures, last_start};
pub use source::origin::{LogSource, SourceOrigin};
pub use source::selector::{Selector, SourceGlob};
pub use template::miner::{MinedSource, MinedTemplate};
pub use template::parts::{MessagePart, line_parts, line_template};
pub use template::token::VARIES;
pub use time::clock::Clock;
pub use time::latest::{is_dated, is_ring_buffer, latest, latest_without_year, newest_uptime};
pub use time::zone::zone_of;
