//! First lines of a source: they give its zone, its year, the order of its lines, and whether its first line is truncated.

use std::ops::Range;

use super::state::{Dating, FIRST_LINES, MAX_LOOK_BACK, StampZone};
use crate::log::source::journal::{self, JournalHeader};
use crate::log::source::line;
use crate::log::source::stamp::{self, Stamp};
use crate::log::time::year::{OrderWatch, YearClock};
use crate::log::time::zone;

/// Number of lines that may contain the header of a journal: hints may come first.
const HEADER_LINES: usize = 5;
/// Number of changes of the time that decide the order of lines.
const CHANGES: usize = 16;

impl Dating {
    pub(super) fn start(&mut self, lines: &[u8]) {
        let header = line::each(lines).take(HEADER_LINES).find_map(JournalHeader::parse);
        if let Some(header) = &header {
            self.years.adopt(header);
            self.unknown_zone.clone_from(&header.unknown_zone);
        }
        self.truncated = if self.several { None } else { end_of_truncated(lines) };
        let mut stamped = line::each(lines).take(MAX_LOOK_BACK).filter_map(|line| Some((line, stamp::stamp(line)?)));
        let Some((first, stamp)) = stamped.next() else {
            self.zone = StampZone::Nothing;
            return;
        };
        self.learn_zone(lines, first, stamp, header.is_some());
        self.newest_first = !self.several && self.falls(lines);
        let yearless = line::each(lines).take(FIRST_LINES as usize).any(|line| stamp::yearless(line).is_some());
        if yearless && header.as_ref().is_none_or(JournalHeader::may_repeat) {
            if header.is_none() {
                self.learn_year(lines);
            }
            self.watch = Some((OrderWatch::new(self.newest_first), self.years.clone()));
        }
    }

    /// Takes the zone from the header of a journal, else from lines with two stamps.
    fn learn_zone(&mut self, lines: &[u8], first: &[u8], stamp: Stamp, header: bool) {
        let local = matches!(stamp, Stamp::Civil(civil) if civil.local && civil.offset.is_none());
        if header || !local {
            let before = stamp::leading(first).map(|(stamp, _)| stamp);
            let named = before.and_then(|stamp| if let Stamp::Civil(civil) = stamp { civil.offset } else { None });
            self.zone = named.map_or(StampZone::Nothing, StampZone::Named);
        } else if let Some(told) = zone::zone_of_lines(lines) {
            self.years.local(told.offset);
            self.zone = StampZone::Nothing;
        }
    }

    /// Takes the year from lines with two stamps; if the collection time is unknown, too, from any line with a year.
    fn learn_year(&mut self, lines: &[u8]) {
        let told = zone::zone_of_lines(lines).map(|told| told.time);
        let any = || {
            let stamps = line::each(lines).take(MAX_LOOK_BACK).filter_map(stamp::stamp);
            let mut dated = stamps.filter(|stamp| !matches!(stamp, Stamp::Civil(civil) if civil.year.is_none()));
            dated.find_map(|stamp| YearClock::until(None).resolve(stamp))
        };
        let time = told.or_else(|| if self.years.is_blind() { any() } else { None });
        if let Some(time) = time {
            self.years.near(time, self.newest_first);
        }
    }

    /// Returns whether most of the first lines are earlier than the line before.
    fn falls(&mut self, lines: &[u8]) -> bool {
        let (mut first, mut last, mut later, mut earlier) = (None, None, 0, 0);
        for line in line::each(lines).take(MAX_LOOK_BACK) {
            let Some(time) = self.own(line) else { continue };
            let before = last.replace(time);
            first = first.or(last);
            later += usize::from(before.is_some_and(|before| before < time));
            earlier += usize::from(before.is_some_and(|before| before > time));
            if later + earlier >= CHANGES {
                break;
            }
        }
        earlier > later && last < first
    }
}

/// Returns the end of the first line if its beginning is truncated: it has no stamp, while the next line has one.
fn end_of_truncated(lines: &[u8]) -> Option<usize> {
    let mut ranges = line::ranges(lines, 0);
    let (first, second) = (ranges.next()?, ranges.next()?);
    let of = |range: Range<usize>| line::trim(lines.get(range).unwrap_or_default());
    let begun = stamp::leading(of(first.clone())).is_some() || journal::is_note(of(first.clone()));
    (!begun && stamp::leading(of(second)).is_some()).then_some(first.end)
}
