//! Time of the collection and time zone of its hosts.

use jiff::Timestamp;

/// Time of the collection.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clock {
    /// Collection time: the end of `since`, and of stamps without year.
    pub now: Option<Timestamp>,
    /// Zone of the hosts in seconds east of UTC, if the bundle contains it; logs of hosts without zone are in it.
    pub zone: Option<i32>,
    /// Boot of the host, if lines of the kernel have no other time than the seconds since then.
    pub boot: Option<Timestamp>,
}
