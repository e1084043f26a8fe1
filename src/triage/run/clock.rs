//! Time of a run. No result of an analysis depends on it.

use jiff::Timestamp;

/// Returns the current time in RFC 3339, UTC, with microseconds.
#[expect(clippy::disallowed_methods, reason = "a run has a time; analyses do not see it")]
pub fn now() -> String {
    format!("{:.6}", Timestamp::now())
}
