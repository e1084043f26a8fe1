//! State of dating one source while it streams by.

use std::collections::VecDeque;

use jiff::{SignedDuration, Timestamp};

use crate::log::source::stamp;
use crate::log::time::clock::Clock;
use crate::log::time::time_range::TimeRange;
use crate::log::time::year::{OrderWatch, YearClock};

/// Number of lines looked back at for a stamp.
pub(super) const MAX_LOOK_BACK: usize = 1000;
/// Number of first lines that are all looked at.
pub(super) const FIRST_LINES: u64 = 64;
/// Distance up to which threads of one program write their lines in another order.
pub(super) const JUMP: SignedDuration = SignedDuration::from_mins(1);

/// The times of one source.
#[derive(Debug)]
pub(in crate::log) struct Dating {
    pub(super) years: YearClock,
    /// Boot of the host, for lines that have only the time since then.
    boot: Option<Timestamp>,
    /// Only for logs without years that may be longer than a year, with a clock of its own.
    pub(in crate::log) watch: Option<(OrderWatch, YearClock)>,
    /// Positions of lines that lie a year apart from those before.
    pub(super) crossings: VecDeque<usize>,
    pub(super) known: LastTime,
    /// True if logs of several containers follow each other.
    pub(super) several: bool,
    pub(super) started: bool,
    /// End of the first line, if its beginning is truncated.
    pub(super) truncated: Option<usize>,
    /// True if the newest line comes first (`journalctl -r`).
    pub newest_first: bool,
    pub(super) probe: RangeProbe,
    pub(super) time_range: TimeRange,
    /// Zone of the stamps.
    pub zone: StampZone,
    /// Zone of the journal, if it is unknown and read as UTC.
    pub unknown_zone: Option<String>,
}

/// Evidence of the zone of a log's host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::log) enum StampZone {
    #[default]
    Nothing,
    /// Its stamps name no zone and were read as UTC.
    Assumed,
    /// Seconds east of UTC, from the stamps before its lines.
    Named(i32),
}

/// Time that applies at a position of the window.
#[derive(Debug, Default)]
pub(super) struct LastTime {
    pub(super) at: usize,
    pub(super) time: Option<Timestamp>,
    /// Number of lines since its stamp.
    pub(super) lines: usize,
}

/// Progress of sampling and its results.
#[derive(Debug, Default)]
pub(super) struct RangeProbe {
    /// Position of the next sample.
    pub at: usize,
    /// End of the last line with a stamp.
    pub seen: usize,
    pub(super) looked: u64,
    pub last: Option<Timestamp>,
}

/// A border between years in a log that does not write them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::log) enum Crossing {
    /// Lines from here on are newer: earlier ones were dated a year too late.
    Newer,
    /// Lines from here on are older, as in journals with the newest line first.
    Older,
}

impl Dating {
    /// Begins dating a log that was collected at the clock's `now`; `several` if logs of several containers follow each other.
    pub fn new(clock: Clock, several: bool) -> Self {
        let mut years = YearClock::until(clock.now);
        clock.zone.into_iter().for_each(|zone| years.host(zone));
        Self {
            years,
            boot: clock.boot,
            watch: None,
            crossings: VecDeque::new(),
            known: LastTime::default(),
            several,
            started: false,
            truncated: None,
            newest_first: false,
            probe: RangeProbe::default(),
            time_range: TimeRange::until(clock.now),
            zone: if clock.zone.is_some() { StampZone::Nothing } else { StampZone::Assumed },
            unknown_zone: None,
        }
    }

    /// Returns the time of the stamp in a line.
    pub(super) fn own(&mut self, line: &[u8]) -> Option<Timestamp> {
        let since_boot = |boot: Timestamp| boot.checked_add(stamp::uptime(line)?).ok();
        let stamped = stamp::stamp(line).and_then(|stamp| self.years.resolve(stamp));
        stamped.or_else(|| self.boot.and_then(since_boot))
    }
}
