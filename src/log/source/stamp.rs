//! Time stamps of log lines: finds and parses them.
//!
//! [`leading`] finds the stamp that the collector or the journal put before a line; [`stamp`] also
//! looks for one that the program wrote itself. Both give a [`Stamp`], which a
//! [`crate::log::time::year::YearClock`] turns into a time, because some have neither year nor zone.

use jiff::{SignedDuration, Timestamp};
use memchr::{memchr, memmem};

use super::months;
use crate::model::zone;

/// Stamp as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::log) enum Stamp {
    Civil(Civil),
    Instant(Timestamp),
}

/// Stamp of calendar and clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::log) struct Civil {
    /// `None` in journals and klog.
    pub year: Option<i16>,
    pub month: i8,
    pub day: i8,
    /// Second of the day.
    pub second: i32,
    pub nano: i32,
    /// Seconds east of UTC; `None` if the line does not say.
    pub offset: Option<i32>,
    /// True if its writer means the local time of the host and not UTC.
    pub local: bool,
}

/// Bytes of a line in which a program's own stamp is looked for.
const MAX_SEARCH: usize = 64 << 10;
/// Largest length of a name in brackets, in bytes.
const MAX_NAME: usize = 200;

/// Returns the stamp that a collector or the journal put before the line, and the position of the text after it:
/// `2022-03-06T22:53:45.217338826Z text`, `Mar 06 22:45:28 host text`, `Mar 06 22:45:28.123456 host text`,
/// `Sun 2022-03-06 22:45:28 UTC host text`, `1月 06 22:45:28 host text`.
pub(in crate::log) fn leading(line: &[u8]) -> Option<(Stamp, usize)> {
    let (civil, rest) = match line.first()? {
        b'0'..=b'9' => iso(line, b"T").or_else(|| journal_of_locale(line))?,
        b'A'..=b'Z' => journal(line).or_else(|| full(line)).or_else(|| journal_of_locale(line))?,
        b'a'..=b'z' | b' ' | 0x80.. => journal_of_locale(line)?,
        _ => return None,
    };
    let rest = match rest.split_first() {
        Some((b' ', text)) => text,
        None => rest,
        Some(_) => return None,
    };
    Some((Stamp::Civil(civil), line.len() - rest.len()))
}

/// Returns the leading stamp of a line, else the one that the program wrote.
pub(in crate::log) fn stamp(line: &[u8]) -> Option<Stamp> {
    leading(line).map(|(stamp, _)| stamp).or_else(|| payload(line))
}

/// Returns the stamp without year at the beginning of a line, as in journals and klog.
pub(in crate::log) fn yearless(line: &[u8]) -> Option<Civil> {
    journal(line).or_else(|| klog(line)).or_else(|| journal_of_locale(line)).map(|(civil, _)| civil)
}

/// Returns the time since the boot that the kernel wrote: `[ 1234.567890] text`.
pub(in crate::log) fn uptime(line: &[u8]) -> Option<SignedDuration> {
    let inside = line.strip_prefix(b"[")?;
    since_boot(inside.get(..memmem::find(inside.get(..40).unwrap_or(inside), b"] ")?)?)
}

/// Parses what the kernel writes between its brackets: `   12.345678`, seconds since the boot.
pub(in crate::log) fn since_boot(inside: &[u8]) -> Option<SignedDuration> {
    let (seconds, micros) = std::str::from_utf8(inside).ok()?.trim_start().split_once('.')?;
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let known = is_number(seconds) && is_number(micros) && micros.len() == 6;
    known.then(|| Some(SignedDuration::new(seconds.parse().ok()?, micros.parse::<i32>().ok()? * 1000))).flatten()
}

/// Returns the stamp that a program wrote: at the beginning of a line, else the first one after a bracket or a key.
pub(in crate::log) fn payload(line: &[u8]) -> Option<Stamp> {
    if line.starts_with(AUDIT) {
        return audited(line);
    }
    let line = line.get(..MAX_SEARCH).unwrap_or(line);
    let at_start = match line.first()? {
        b'0'..=b'9' => iso(line, b"T ").or_else(|| slashes(line)).map(|(civil, _)| civil).or_else(|| day_first(line)),
        b'[' => named(line),
        _ => klog(line).map(|(civil, _)| civil).or_else(|| ctime(line)).or_else(|| created(line)),
    };
    at_start.map(Stamp::Civil).or_else(|| console(line)).or_else(|| {
        let found = [bracketed(line), tagged(line)];
        found.into_iter().flatten().min_by_key(|(at, _)| *at).map(|(_, stamp)| stamp).or_else(|| made(line))
    })
}

/// Beginning of a line of the API server's audit log.
const AUDIT: &[u8] = b"{\"kind\":\"Event\",\"apiVersion\":\"audit.k8s.io/";

/// Returns the time of the line, else of the request. The request itself comes before them and may contain any other time.
fn audited(line: &[u8]) -> Option<Stamp> {
    let last = |key: &[u8]| value(line.get(memmem::rfind(line, key)? + key.len()..)?);
    last(b"\"stageTimestamp\":").or_else(|| last(b"\"requestReceivedTimestamp\":"))
}

/// Parses `2022-03-06T22:53:45.217+01:00`, also with a blank and a comma.
fn iso<'a>(text: &'a [u8], between: &[u8]) -> Option<(Civil, &'a [u8])> {
    let (year, rest) = number(text, 4)?;
    let (month, rest) = number(skip(rest, b'-')?, 2)?;
    let (day, rest) = number(skip(rest, b'-')?, 2)?;
    let (separator, rest) = rest.split_first()?;
    if !between.contains(separator) {
        return None;
    }
    let ((second, nano), rest) = clock(rest)?;
    let (offset, rest) = zone(rest);
    Some((civil(Some(year), month, day, (second, nano), offset)?, rest))
}

/// Parses `2022/03/06 22:51:59`, the stamp of Go's log package and of the error log of nginx, and `2022.03.06 22:51:59.123456` of
/// ClickHouse.
fn slashes(text: &[u8]) -> Option<(Civil, &[u8])> {
    let (year, rest) = number(text, 4)?;
    let (&between, rest) = rest.split_first().filter(|(between, _)| b"/.".contains(between))?;
    let (month, rest) = number(rest, 2)?;
    let (day, rest) = number(skip(rest, between)?, 2)?;
    let (time, rest) = clock(skip(rest, b' ')?)?;
    Some((civil(Some(year), month, day, time, None)?, rest))
}

/// Parses the first line of a file of klog, the only one with a year: `Log file created at: 2022/03/06 22:51:59`.
fn created(line: &[u8]) -> Option<Civil> {
    slashes(line.strip_prefix(b"Log file created at: ")?).map(|(civil, _)| civil)
}

/// Parses `06 Mar 2022 22:51:59.123`, the same after `1:M `, `2022 Mar 06 22:51:59`, `06/Mar/2022:22:51:59.123`, and the stamps of IIS
/// and Windows:
/// `03/06/2022, 22:51:59`, `03/06/2022 10:51:59 PM`.
fn day_first(text: &[u8]) -> Option<Civil> {
    named_month(text).or_else(|| access(text)).or_else(|| american(text)).or_else(|| redis(text))
}

/// Parses a stamp after process and role, as Redis and Valkey write it: `1:S 06 Mar 2022 22:51:59.123 * x`. Child processes, replicas,
/// masters and Sentinel are `C`, `S`, `M`, `X`.
fn redis(text: &[u8]) -> Option<Civil> {
    let process = text.iter().take(8).take_while(|byte| byte.is_ascii_digit()).count();
    let (role, rest) = skip(text.get(process..)?, b':')?.split_first()?;
    named_month(skip(rest, b' ').filter(|_| b"CMSX".contains(role))?)
}

fn named_month(text: &[u8]) -> Option<Civil> {
    let year_first = number(text, 4).and_then(|(year, rest)| Some((year, skip(rest, b' ')?)));
    let (year, rest) = year_first.map_or((None, text), |(year, rest)| (Some(year), rest));
    let (day, rest) =
        if year.is_some() { (None, rest) } else { number(rest, 2).map(|(day, rest)| (Some(day), rest))? };
    let rest = if day.is_some() { skip(rest, b' ')? } else { rest };
    let (month, rest) = (month(rest.get(..3)?)?, skip(rest.get(3..)?, b' ')?);
    let (other, rest) = number(rest, if year.is_some() { 2 } else { 4 })?;
    let (time, _) = clock(skip(rest, b' ')?)?;
    civil(Some(year.unwrap_or(other)), month, day.unwrap_or(other), time, None)
}

fn american(text: &[u8]) -> Option<Civil> {
    let (month, rest) = number(text, 2)?;
    let (day, rest) = number(skip(rest, b'/')?, 2)?;
    let (year, rest) = number(skip(rest, b'/')?, 4)?;
    let rest = skip(rest, b',').unwrap_or(rest);
    let ((second, nano), rest) = clock(skip(rest, b' ')?)?;
    let hours = second / 3600;
    let shift = match rest.get(..3) {
        Some(b" AM") if hours == 12 => -12,
        Some(b" PM") if hours < 12 => 12,
        _ => 0,
    };
    civil(Some(year), month, day, (second + shift * 3600, nano), None)
}

/// Parses a stamp after a name in brackets, as instance managers write it, or a process number, as NATS does:
/// `[pvc-1-r-2] 2022/03/06 22:51:59 x`, `[7] 2022/03/06 22:51:59.123456`.
fn named(text: &[u8]) -> Option<Civil> {
    let end = text.iter().take(MAX_NAME).position(|b| *b == b']' || b.is_ascii_whitespace())?;
    let rest = text.get(end..)?.strip_prefix(b"]")?.trim_ascii_start();
    slashes(rest).or_else(|| iso(rest, b"T ")).or_else(|| klog(rest)).map(|(civil, _)| civil)
}

/// Parses `I0306 22:51:41.211378`.
fn klog(text: &[u8]) -> Option<(Civil, &[u8])> {
    let level = text.first().filter(|level| b"IWEF".contains(level));
    let (month, rest) = number(level.and(text.get(1..))?, 2)?;
    let (day, rest) = number(rest, 2)?;
    let (time, rest) = clock(skip(rest, b' ')?)?;
    Some((civil(None, month, day, time, None)?, rest))
}

/// Parses `Mar 06 22:45:28.123456`; syslog pads the day with a blank.
fn journal(text: &[u8]) -> Option<(Civil, &[u8])> {
    let month = month(text.get(..3)?)?;
    let (day, time, rest) = behind_month(text.get(3..)?)?;
    Some((civil(None, month, day, time, None)?, rest))
}

/// Parses `janv. 28 17:36:10`, `1月 28 17:36:10`; the name is looked up last, because most lines are none.
fn journal_of_locale(text: &[u8]) -> Option<(Civil, &[u8])> {
    let text = skip(text, b' ').unwrap_or(text);
    let end = text.get(..months::LONGEST + 1).unwrap_or(text).iter().position(|byte| *byte == b' ')?;
    let (day, time, rest) = behind_month(text.get(end..)?)?;
    Some((civil(None, months::number_of(text.get(..end)?)?, day, time, None)?, rest))
}

/// Parses day and clock: ` 06 22:45:28.123456`.
fn behind_month(text: &[u8]) -> Option<(i32, (i32, i32), &[u8])> {
    let (day, rest) = padded_day(skip(text, b' ')?)?;
    let (time, rest) = clock(skip(rest, b' ')?)?;
    Some((day, time, rest))
}

/// Parses `Sun 2022-03-06 22:45:28 UTC`, as `journalctl -o short-full` writes it.
fn full(text: &[u8]) -> Option<(Civil, &[u8])> {
    const DAYS: [&[u8]; 7] = [b"Mon ", b"Tue ", b"Wed ", b"Thu ", b"Fri ", b"Sat ", b"Sun "];
    let (civil, rest) = iso(DAYS.iter().find_map(|day| text.strip_prefix(*day))?, b" ")?;
    let rest = skip(rest, b' ')?;
    let (name, rest) = rest.split_at_checked(rest.iter().take(6).position(|byte| *byte == b' ')?)?;
    let offset = zone::offset(std::str::from_utf8(name).ok()?);
    Some((Civil { offset, local: offset.is_none(), ..civil }, rest))
}

/// Returns a stamp after one of the first brackets, and its position: access logs, dmesg, logrus on a terminal, Fluent Bit
/// (`[2024/08/28 09:45:10]`).
fn bracketed(line: &[u8]) -> Option<(usize, Stamp)> {
    let head = line.get(..256).unwrap_or(line);
    let mut at = 0;
    for _ in 0..4 {
        at += memchr(b'[', head.get(at..)?)? + 1;
        let rest = head.get(at..)?;
        let found = access(rest).or_else(|| ctime(rest)).or_else(|| human(rest));
        let dated = || iso(rest, b"T ").or_else(|| slashes(rest)).map(|(civil, _)| civil);
        if let Some(civil) = found.or_else(dated) {
            return Some((at, Stamp::Civil(civil)));
        }
    }
    None
}

/// Parses `Mar 6 22:45]`, `Mar16 22:45]`: `dmesg -H` writes them for the first line of a minute.
fn human(text: &[u8]) -> Option<Civil> {
    let month = month(text.get(..3)?)?;
    let rest = text.get(3..)?.trim_ascii_start();
    let (day, rest) = number(rest, 2).or_else(|| number(rest, 1))?;
    let (hour, rest) = number(skip(rest, b' ')?, 2)?;
    let (minute, rest) = number(skip(rest, b':')?, 2)?;
    skip(rest, b']')?;
    let fits = hour < 24 && minute < 60;
    fits.then(|| civil(None, month, day, (hour * 3600 + minute * 60, 0), None))?
}

/// Parses `08/Mar/2022:00:02:26 +0000]`.
fn access(text: &[u8]) -> Option<Civil> {
    let (day, rest) = number(text, 2)?;
    let rest = skip(rest, b'/')?;
    let month = month(rest.get(..3)?)?;
    let (year, rest) = number(skip(rest.get(3..)?, b'/')?, 4)?;
    let (time, rest) = clock(skip(rest, b':')?)?;
    let (offset, _) = zone(skip(rest, b' ').unwrap_or_default());
    civil(Some(year), month, day, time, offset)
}

/// Parses `Wed Mar  6 10:15:30 2024`, `Wed Mar  6 10:15:30 CET 2024`.
fn ctime(text: &[u8]) -> Option<Civil> {
    let rest = skip(text.get(3..)?, b' ')?;
    let month = month(rest.get(..3)?)?;
    let (day, rest) = padded_day(skip(rest.get(3..)?, b' ')?)?;
    let (time, rest) = clock(skip(rest, b' ')?)?;
    let rest = skip(rest, b' ')?;
    let year_first = number(rest, 4).map(|(year, _)| (year, None));
    let (year, offset) = year_first.or_else(|| {
        let (name, rest) = rest.split_at_checked(rest.iter().take(6).position(|b| *b == b' ')?)?;
        let (year, _) = number(skip(rest, b' ')?, 4)?;
        Some((year, zone::offset(std::str::from_utf8(name).ok()?)))
    })?;
    Some(Civil { local: true, ..civil(Some(year), month, day, time, offset)? })
}

/// Keys that programs write before a stamp: logrus, slog, zap, KubeVirt, grafana, loki, envoy, auditd.
const TAGS: [&[u8]; 11] = [
    b"time=\"",
    b" time=",
    b"\"ts\":",
    b"\"timestamp\":",
    b"\"@timestamp\":",
    b"\"time\":",
    b" t=",
    b" ts=",
    b"\"stamp\":",
    b"\"start_time\":",
    b"msg=audit(",
];

/// Keys that a line can begin with; the last one is that of MongoDB.
const FIRST_TAGS: [&[u8]; 4] = [b"time=", b"ts=", b"t=", b"{\"t\":{\"$date\":"];

/// Returns the first stamp after one of the keys, and its position.
fn tagged(line: &[u8]) -> Option<(usize, Stamp)> {
    let first = FIRST_TAGS.iter().find_map(|tag| Some((tag.len(), value(line.strip_prefix(*tag)?)?)));
    first.or_else(|| {
        let found = TAGS.iter().filter_map(|tag| {
            let at = memmem::find(line, tag)? + tag.len();
            Some((at, value(line.get(at..)?)?))
        });
        found.min_by_key(|(at, _)| *at)
    })
}

/// Parses `1.709765110123e+09` and a tab, which zap writes on a console.
fn console(line: &[u8]) -> Option<Stamp> {
    let end = line.iter().take(32).position(|b| *b == b'\t')?;
    let number = line.get(..end).filter(|number| number.first().is_some_and(u8::is_ascii_digit))?;
    let whole = number.iter().all(|b| matches!(b, b'0'..=b'9' | b'.' | b'e' | b'+'));
    whole.then(|| epoch(number))?
}

/// Returns the time of an entry of a journal as JSON, or the creation time in a line that is an object, also as Windows writes it in JSON:
/// `/Date(1709765110123)/`.
fn made(line: &[u8]) -> Option<Stamp> {
    let object = line.first() == Some(&b'{');
    let after = |tag: &[u8]| value(line.get(memmem::find(line, tag)? + tag.len()..)?);
    let tags: [&[u8]; 3] = [b"\"__REALTIME_TIMESTAMP\":", b"\"creationTimestamp\":", b"/Date("];
    let found = object.then(|| tags.into_iter().find_map(after));
    found.flatten()
}

/// Parses an RFC 3339 time or seconds since 1970, possibly quoted.
fn value(text: &[u8]) -> Option<Stamp> {
    let text = text.trim_ascii_start();
    let text = skip(text, b'"').unwrap_or(text);
    iso(text, b"T ").map(|(civil, _)| Stamp::Civil(civil)).or_else(|| epoch(text))
}

/// Parses seconds, `1709765110.123` or `1.709765110123e+09`; or milli-, micro- or nanoseconds, which have 13, 16 or 19 digits.
fn epoch(text: &[u8]) -> Option<Stamp> {
    let len = text.iter().take(32).take_while(|b| matches!(b, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+')).count();
    let seconds: f64 = std::str::from_utf8(text.get(..len)?).ok()?.parse().ok()?;
    let unit = [1.0, 1e3, 1e6, 1e9].into_iter().find(|unit| (1e8..1e10).contains(&(seconds / unit)))?;
    let seconds = seconds / unit;
    Timestamp::from_microsecond((seconds * 1e6).round() as i64).ok().map(Stamp::Instant)
}

fn civil(year: Option<i32>, month: i32, day: i32, time: (i32, i32), offset: Option<i32>) -> Option<Civil> {
    // Years before 1970 are unset clocks and Go's zero time, not times.
    let year = match year {
        Some(year) if year < 1970 => return None,
        year => year.and_then(|y| i16::try_from(y).ok()),
    };
    let valid = (1..=12).contains(&month) && (1..=31).contains(&day);
    let (month, day) = (i8::try_from(month).ok()?, i8::try_from(day).ok()?);
    let local = year.is_none();
    valid.then_some(Civil { year, month, day, second: time.0, nano: time.1, offset, local })
}

/// Parses `22:53:45.217338826`, and ` 9:53:45` of MariaDB, as the second of the day and the nanoseconds.
fn clock(text: &[u8]) -> Option<((i32, i32), &[u8])> {
    let (hour, rest) = skip(text, b' ').map_or_else(|| number(text, 2), |padded| number(padded, 1))?;
    let (minute, rest) = number(skip(rest, b':')?, 2)?;
    let (second, rest) = number(skip(rest, b':')?, 2)?;
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let (nano, rest) = fraction(rest);
    Some(((hour * 3600 + minute * 60 + second.min(59), nano), rest))
}

fn fraction(text: &[u8]) -> (i32, &[u8]) {
    let Some((b'.' | b',', digits)) = text.split_first() else {
        return (0, text);
    };
    let len = digits.iter().take_while(|b| b.is_ascii_digit()).count();
    if len == 0 {
        return (0, text);
    }
    let nano = (0..9).fold(0, |sum, i| 10 * sum + digits.get(i).filter(|_| i < len).map_or(0, |b| i32::from(b - b'0')));
    (nano, digits.get(len..).unwrap_or_default())
}

/// Parses `Z`, `+01:00`, `+0100`; returns `None` and the text itself without a zone.
fn zone(text: &[u8]) -> (Option<i32>, &[u8]) {
    numeric_zone(text).map_or((None, text), |(offset, rest)| (Some(offset), rest))
}

fn numeric_zone(text: &[u8]) -> Option<(i32, &[u8])> {
    let (sign, rest) = match text.split_first()? {
        (b'Z', rest) => return Some((0, rest)),
        (b'+', rest) => (1, rest),
        (b'-', rest) => (-1, rest),
        _ => return None,
    };
    let (hours, rest) = number(rest, 2)?;
    let (minutes, rest) = number(skip(rest, b':').unwrap_or(rest), 2)?;
    (hours < 24 && minutes < 60).then_some((sign * (hours * 3600 + minutes * 60), rest))
}

fn padded_day(text: &[u8]) -> Option<(i32, &[u8])> {
    match skip(text, b' ') {
        Some(rest) => number(rest, 1),
        None => number(text, 2),
    }
}

fn month(name: &[u8]) -> Option<i32> {
    const MONTHS: [[u8; 3]; 12] =
        [*b"Jan", *b"Feb", *b"Mar", *b"Apr", *b"May", *b"Jun", *b"Jul", *b"Aug", *b"Sep", *b"Oct", *b"Nov", *b"Dec"];
    let name: [u8; 3] = name.try_into().ok()?;
    MONTHS.iter().position(|month| *month == name).and_then(|month| i32::try_from(month + 1).ok())
}

/// Parses a number of exactly `digits` digits.
fn number(text: &[u8], digits: usize) -> Option<(i32, &[u8])> {
    let (head, rest) = text.split_at_checked(digits)?;
    let value = head.iter().try_fold(0, |sum, b| b.is_ascii_digit().then(|| 10 * sum + i32::from(b - b'0')))?;
    Some((value, rest))
}

fn skip(text: &[u8], byte: u8) -> Option<&[u8]> {
    text.split_first().filter(|(first, _)| **first == byte).map(|(_, rest)| rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::time::year::YearClock;

    fn time(line: &str) -> Option<String> {
        let mut years = YearClock::until(Some("2024-03-10T00:00:00Z".parse().unwrap()));
        stamp(line.as_bytes()).and_then(|s| years.resolve(s)).map(|t| t.to_string())
    }

    #[test]
    fn a_full_stamp_has_its_zone() {
        assert_eq!(time("Wed 2024-03-06 22:45:28 CET n1 k3s[1]: x").as_deref(), Some("2024-03-06T21:45:28Z"));
        assert_eq!(time("Wed 2024-03-06 22:45:28.5 UTC n1 k3s[1]: x").as_deref(), Some("2024-03-06T22:45:28.5Z"));
    }

    #[test]
    fn months_may_have_names_of_other_languages() {
        for line in [
            "1月 28 17:36:10 n1 k3s[1]: x",
            "janv. 28 17:36:10 n1 k3s[1]: x",
            " 1월 28 17:36:10 n1 k3s[1]: x",
            "янв 28 17:36:10 n1 x",
        ] {
            assert_eq!(time(line).as_deref(), Some("2024-01-28T17:36:10Z"), "{line}");
        }
        for line in ["failed 28 17:36:10 x", "eth0 28 17:36", "10.0.0.1 28 17:36:10 x", "1月 32 17:36:10 x"] {
            assert_eq!(leading(line.as_bytes()), None, "{line}");
        }
    }

    #[test]
    fn an_hour_may_be_padded() {
        let of = |line: &str| match stamp(line.as_bytes()) {
            Some(Stamp::Civil(civil)) => Some((civil.year, civil.second)),
            _ => None,
        };
        assert_eq!(of("2026-11-20  9:56:45 0 [ERROR] Aborting"), Some((Some(2026), 35_805)));
        assert_eq!(of("2026-11-20 19:56:45 0 [ERROR] Aborting"), Some((Some(2026), 71_805)));
        assert_eq!(of("2026-11-20  19:56:45 0 [ERROR] Aborting"), None);
    }

    #[test]
    fn the_kernel_counts_from_the_boot() {
        let of = |line: &str| uptime(line.as_bytes()).map(|time| time.as_micros());
        assert_eq!(of("[   12.345678] text"), Some(12_345_678));
        assert_eq!(of("[1064807.029410] sd 20:0:0:1: text"), Some(1_064_807_029_410));
        for line in [
            "[12.3] x",
            "[12.345678]x",
            "[-1.345678] x",
            "[99999999999999999999.345678] x",
            "[",
            "[Wed Mar  6 22:45:10 2024] x",
        ] {
            assert_eq!(of(line), None, "{line}");
        }
    }

    #[test]
    fn other_texts_are_not_stamps() {
        let lines = [
            "",
            "[INFO] plugin/ready: still waiting",
            "INFO[0000] text",
            "[    12.345678] usb",
            "kern  :info  : [12345.678901] usb",
            "[  +0.000012] usb",
            "[Mar 6 25:45] usb",
            "Wed Mar  6 10:15:30",
            "run=1 uptime=1709765110",
            "[12345.678901] usb",
            "0001-01-01T00:00:00Z zero",
            "2024-13-06T22:53:45Z x",
            "2024-02-30T22:53:45Z x",
            "2024-03-06T25:53:45Z x",
            "r 22 22:07:48 n1 cut",
            "E0399 22:51:41.2 x",
            "{\"ts\":17,\"x\":1}",
            "Mar 06 22:45",
            "[x] 2024/13/06 22:51:38",
            "attempts=3 ts=never",
            "31/02/2024, 22:51:38",
            "{\"time\":17097651101234567890123}",
        ];
        for line in lines {
            assert_eq!(time(line), None, "{line}");
        }
    }

    #[test]
    fn text_starts_behind_the_leading_stamp() {
        let behind = |line: &str| leading(line.as_bytes()).and_then(|(_, at)| line.get(at..).map(str::to_owned));
        assert_eq!(behind("2024-03-06T22:53:45.1Z  two").as_deref(), Some(" two"));
        assert_eq!(behind("2024-03-06T22:53:45.1Z").as_deref(), Some(""));
        assert_eq!(behind("Mar 06 22:45:28 n1 x").as_deref(), Some("n1 x"));
        assert_eq!(behind("2024-03-06T22:45:57.123Z\tINFO"), None);
        assert_eq!(behind("2024-03-06 22:45:57 x"), None);
        assert_eq!(behind("E0306 22:45:57.1 x"), None);
    }
}
