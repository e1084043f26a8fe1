//! When the bundle was made, and in which zone its hosts count.

use jiff::Timestamp;

/// When the bundle was made.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clock {
    /// Collection time: the end of `since`, and where stamps without year end.
    pub now: Option<Timestamp>,
    /// Seconds east of UTC of the clocks of the hosts, where the bundle tells; logs of hosts without zone are in it.
    pub zone: Option<i32>,
}
