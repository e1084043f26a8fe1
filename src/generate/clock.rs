//! Fixed dates of generated bundles, in the spellings that dumps and logs use.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::Offset;

/// Nanoseconds of a second.
pub const SECOND: i64 = 1_000_000_000;

/// When the bundle was collected: 2025-03-18T09:30:00Z, in seconds since 1970.
pub const NOW: i64 = 1_742_290_200;

/// When the cluster was installed: twelve days before.
pub const INSTALLED: i64 = NOW - 12 * 86_400;

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

fn civil(nanos: i64) -> DateTime {
    let timestamp = Timestamp::from_nanosecond(i128::from(nanos)).unwrap_or(Timestamp::UNIX_EPOCH);
    Offset::UTC.to_datetime(timestamp)
}

/// `2025-03-18T09:30:00Z`; takes seconds.
pub fn rfc3339(seconds: i64) -> String {
    let t = civil(seconds.saturating_mul(SECOND));
    format!("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", t.year(), t.month(), t.day(), t.hour(), t.minute(), t.second())
}

/// A moment of a log line with all its spellings.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    time: DateTime,
}

impl Moment {
    /// A moment in nanoseconds since 1970.
    pub fn new(nanos: i64) -> Self {
        Self { time: civil(nanos) }
    }

    /// `2025-03-18T09:30:00`, followed by `digits` of the fraction (0, 3, 6 or 9) and `Z`.
    pub fn iso(self, out: &mut String, digits: usize) {
        let t = self.time;
        number(out, t.year() as u32, 4);
        out.push('-');
        number(out, t.month() as u32, 2);
        out.push('-');
        number(out, t.day() as u32, 2);
        out.push('T');
        self.clock(out, digits);
        out.push('Z');
    }

    /// `0318 09:30:00.123456`, as klog writes it.
    pub fn klog(self, out: &mut String) {
        number(out, self.time.month() as u32, 2);
        number(out, self.time.day() as u32, 2);
        out.push(' ');
        self.clock(out, 6);
    }

    /// `Mar 18 09:30:00.123456`, as journalctl's `short-precise`.
    pub fn journal(self, out: &mut String) {
        out.push_str(MONTHS.get(self.time.month() as usize - 1).copied().unwrap_or("Jan"));
        out.push(' ');
        number(out, self.time.day() as u32, 2);
        out.push(' ');
        self.clock(out, 6);
    }

    /// `2025/03/18 09:30:00`, as Go's package log writes it.
    pub fn slashed(self, out: &mut String) {
        let t = self.time;
        number(out, t.year() as u32, 4);
        out.push('/');
        number(out, t.month() as u32, 2);
        out.push('/');
        number(out, t.day() as u32, 2);
        out.push(' ');
        self.clock(out, 0);
    }

    /// `18/Mar/2025:09:30:00 +0000`, as web servers write it.
    pub fn access(self, out: &mut String) {
        number(out, self.time.day() as u32, 2);
        out.push('/');
        out.push_str(MONTHS.get(self.time.month() as usize - 1).copied().unwrap_or("Jan"));
        out.push('/');
        number(out, self.time.year() as u32, 4);
        out.push(':');
        self.clock(out, 0);
        out.push_str(" +0000");
    }

    /// `Tue 2025-03-18 09:30:00 UTC`, as in the header of a journal.
    pub fn header(self) -> String {
        let t = self.time;
        let day = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
        let name = day.get(t.weekday().to_monday_zero_offset() as usize).copied().unwrap_or("Mon");
        let mut out = format!("{name} {:04}-{:02}-{:02} ", t.year(), t.month(), t.day());
        self.clock(&mut out, 0);
        out.push_str(" UTC");
        out
    }

    fn clock(self, out: &mut String, digits: usize) {
        let t = self.time;
        number(out, t.hour() as u32, 2);
        out.push(':');
        number(out, t.minute() as u32, 2);
        out.push(':');
        number(out, t.second() as u32, 2);
        if digits > 0 {
            out.push('.');
            let nanos = t.subsec_nanosecond() as u32;
            number(out, nanos / 10_u32.pow(9 - digits as u32), digits);
        }
    }
}

/// Decimal digits with leading zeros; formatting is half of the time that a log line takes.
fn number(out: &mut String, value: u32, width: usize) {
    let mut divisor = 10_u32.pow(width as u32 - 1);
    for _ in 0..width {
        out.push(char::from(b'0' + (value / divisor % 10) as u8));
        divisor = (divisor / 10).max(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling() {
        assert_eq!(rfc3339(NOW), "2025-03-18T09:30:00Z");
        let moment = Moment::new(NOW * SECOND + 1_234_567);
        let spelt = |write: &dyn Fn(&mut String)| {
            let mut out = String::new();
            write(&mut out);
            out
        };
        assert_eq!(spelt(&|out| moment.iso(out, 9)), "2025-03-18T09:30:00.001234567Z");
        assert_eq!(spelt(&|out| moment.iso(out, 0)), "2025-03-18T09:30:00Z");
        assert_eq!(spelt(&|out| moment.klog(out)), "0318 09:30:00.001234");
        assert_eq!(spelt(&|out| moment.journal(out)), "Mar 18 09:30:00.001234");
        assert_eq!(spelt(&|out| moment.slashed(out)), "2025/03/18 09:30:00");
        assert_eq!(spelt(&|out| moment.access(out)), "18/Mar/2025:09:30:00 +0000");
        assert_eq!(moment.header(), "Tue 2025-03-18 09:30:00 UTC");
    }
}
