//! The clock of the wall, which says when a run was; nothing that is found in a bundle depends on it.

use jiff::Timestamp;

/// RFC 3339, UTC, with microseconds.
#[expect(clippy::disallowed_methods, reason = "a run is an event of its own; analyses do not see its time")]
pub fn now() -> String {
    format!("{:.6}", Timestamp::now())
}
