//! What is known of the times of one source while it streams by.

use std::collections::VecDeque;

use jiff::{SignedDuration, Timestamp};

use crate::log::source::stamp;
use crate::log::time::clock::Clock;
use crate::log::time::time_range::TimeRange;
use crate::log::time::year::{OrderWatch, YearClock};

/// Lines looked back at for a stamp.
pub(super) const MAX_LOOK_BACK: usize = 1000;
/// The first lines that are looked at each.
pub(super) const FIRST_LINES: u64 = 64;
/// Threads of one program write their lines in another order by less.
pub(super) const JUMP: SignedDuration = SignedDuration::from_mins(1);

/// The times of one source.
#[derive(Debug)]
pub(in crate::log) struct Dating {
    pub(super) years: YearClock,
    /// Only for logs without years that may be longer than a year, with a clock of its own.
    pub(super) watch: Option<(OrderWatch, YearClock)>,
    /// Where lines begin that lie a year apart from those before.
    pub(super) crossings: VecDeque<usize>,
    pub(super) known: LastTime,
    /// Whether logs of several containers follow each other.
    pub(super) beside: bool,
    pub(super) started: bool,
    /// Where the first line ends, if it was cut off at its beginning.
    pub(super) cut: Option<usize>,
    /// Whether the newest line comes first (`journalctl -r`).
    pub newest_first: bool,
    pub(super) probe: RangeProbe,
    pub(super) covered: TimeRange,
    /// What the stamps say of their zone.
    pub zone: StampZone,
    /// StampZone of the journal, if it is read as UTC for want of knowledge.
    pub unknown_zone: Option<String>,
}

/// What a log tells of the zone of its host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::log) enum StampZone {
    #[default]
    Nothing,
    /// Its stamps name none, and were read as UTC.
    Assumed,
    /// Seconds east of UTC, by the stamps before its lines.
    Named(i32),
}

/// The time that holds at a position of the window.
#[derive(Debug, Default)]
pub(super) struct LastTime {
    pub(super) at: usize,
    pub(super) time: Option<Timestamp>,
    /// Lines since the stamp that told it.
    pub(super) lines: usize,
}

/// How far lines were looked at, and what that told.
#[derive(Debug, Default)]
pub(super) struct RangeProbe {
    /// Where the next one begins.
    pub at: usize,
    /// Where the last one with a stamp ended.
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
    /// For a log that was collected at the clock's `now`; `beside` where logs of several containers follow each other.
    pub fn new(clock: Clock, beside: bool) -> Self {
        let mut years = YearClock::until(clock.now);
        clock.zone.into_iter().for_each(|zone| years.host(zone));
        Self {
            years,
            watch: None,
            crossings: VecDeque::new(),
            known: LastTime::default(),
            beside,
            started: false,
            cut: None,
            newest_first: false,
            probe: RangeProbe::default(),
            covered: TimeRange::until(clock.now),
            zone: if clock.zone.is_some() { StampZone::Nothing } else { StampZone::Assumed },
            unknown_zone: None,
        }
    }

    /// Time of the stamp in a line.
    pub(super) fn own(&mut self, line: &[u8]) -> Option<Timestamp> {
        stamp::stamp(line).and_then(|stamp| self.years.resolve(stamp))
    }
}
