//! Time stamps of log lines: where they stand and what they say.
//!
//! [`leading`] finds the stamp that the collector or the journal put before a line; [`stamp`] also
//! looks for one that the program wrote itself. Both give a [`Stamp`], which a
//! [`super::year::YearClock`] turns into a time, because some have neither year nor zone.

use jiff::Timestamp;
use memchr::{memchr, memmem};

/// A stamp as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stamp {
    Civil(Civil),
    Instant(Timestamp),
}

/// A stamp of calendar and clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Civil {
    /// None in journals and klog.
    pub year: Option<i16>,
    pub month: i8,
    pub day: i8,
    /// Of the day.
    pub second: i32,
    pub nano: i32,
    /// Seconds east of UTC; none where the line does not say.
    pub offset: Option<i32>,
}

/// How far into a line a program's own stamp is looked for.
const MAX_SEARCH: usize = 64 << 10;

/// The stamp that a collector or the journal put before the line, and where the text behind it starts:
/// `2022-03-06T22:53:45.217338826Z text`, `Mar 06 22:45:28 host text`, `Mar 06 22:45:28.123456 host text`.
pub(super) fn leading(line: &[u8]) -> Option<(Stamp, usize)> {
    let (civil, rest) = match line.first()? {
        b'0'..=b'9' => iso(line, b"T")?,
        b'A'..=b'Z' => journal(line)?,
        _ => return None,
    };
    let rest = match rest.split_first() {
        Some((b' ', text)) => text,
        None => rest,
        Some(_) => return None,
    };
    Some((Stamp::Civil(civil), line.len() - rest.len()))
}

/// The leading stamp of a line, else the one that the program wrote.
pub(super) fn stamp(line: &[u8]) -> Option<Stamp> {
    leading(line).map(|(stamp, _)| stamp).or_else(|| payload(line))
}

/// The stamp without year that the line begins with, as in journals and klog.
pub(super) fn yearless(line: &[u8]) -> Option<Civil> {
    journal(line).or_else(|| klog(line)).map(|(civil, _)| civil)
}

fn payload(line: &[u8]) -> Option<Stamp> {
    let line = line.get(..MAX_SEARCH).unwrap_or(line);
    let at_start = match line.first()? {
        b'0'..=b'9' => iso(line, b"T ").or_else(|| slashes(line)).map(|(civil, _)| civil).or_else(|| day_first(line)),
        b'[' => process(line),
        _ => klog(line).map(|(civil, _)| civil),
    };
    at_start.map(Stamp::Civil).or_else(|| bracketed(line)).or_else(|| tagged(line))
}

/// `2022-03-06T22:53:45.217+01:00`; also with a blank and a comma as some programs write.
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

/// Go's log package and the error log of nginx: `2022/03/06 22:51:59`.
fn slashes(text: &[u8]) -> Option<(Civil, &[u8])> {
    let (year, rest) = number(text, 4)?;
    let (month, rest) = number(skip(rest, b'/')?, 2)?;
    let (day, rest) = number(skip(rest, b'/')?, 2)?;
    let (time, rest) = clock(skip(rest, b' ')?)?;
    Some((civil(Some(year), month, day, time, None)?, rest))
}

/// `06 Mar 2022 22:51:59.123`, `2022 Mar 06 22:51:59`, `06/Mar/2022:22:51:59.123`, and what IIS and Windows write:
/// `03/06/2022, 22:51:59`, `03/06/2022 10:51:59 PM`.
fn day_first(text: &[u8]) -> Option<Civil> {
    named_month(text).or_else(|| access(text)).or_else(|| american(text))
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

/// `[7] 2022/03/06 22:51:59.123456`: the number of the process before it, as NATS writes it.
fn process(text: &[u8]) -> Option<Civil> {
    let end = text.iter().take(16).position(|b| *b == b']')?;
    let digits = text.get(1..end)?;
    let rest = text.get(end + 1..)?.trim_ascii_start();
    let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    is_number.then(|| slashes(rest).or_else(|| iso(rest, b"T ")))?.map(|(civil, _)| civil)
}

/// `I0306 22:51:41.211378`.
fn klog(text: &[u8]) -> Option<(Civil, &[u8])> {
    let level = text.first().filter(|level| b"IWEF".contains(level));
    let (month, rest) = number(level.and(text.get(1..))?, 2)?;
    let (day, rest) = number(rest, 2)?;
    let (time, rest) = clock(skip(rest, b' ')?)?;
    Some((civil(None, month, day, time, None)?, rest))
}

/// `Mar 06 22:45:28.123456`; syslog pads the day with a blank.
fn journal(text: &[u8]) -> Option<(Civil, &[u8])> {
    let month = month(text.get(..3)?)?;
    let rest = skip(text.get(3..)?, b' ')?;
    let (day, rest) = padded_day(rest)?;
    let (time, rest) = clock(skip(rest, b' ')?)?;
    Some((civil(None, month, day, time, None)?, rest))
}

/// A stamp behind one of the first brackets: access logs, `dmesg -T`, logrus on a terminal.
fn bracketed(line: &[u8]) -> Option<Stamp> {
    let mut rest = line.get(..256).unwrap_or(line);
    for _ in 0..4 {
        let at = memchr(b'[', rest)?;
        rest = rest.get(at + 1..)?;
        let found = access(rest).or_else(|| ctime(rest)).or_else(|| iso(rest, b"T ").map(|(civil, _)| civil));
        if let Some(civil) = found {
            return Some(Stamp::Civil(civil));
        }
    }
    None
}

/// `08/Mar/2022:00:02:26 +0000]`.
fn access(text: &[u8]) -> Option<Civil> {
    let (day, rest) = number(text, 2)?;
    let rest = skip(rest, b'/')?;
    let month = month(rest.get(..3)?)?;
    let (year, rest) = number(skip(rest.get(3..)?, b'/')?, 4)?;
    let (time, rest) = clock(skip(rest, b':')?)?;
    let (offset, _) = zone(skip(rest, b' ').unwrap_or_default());
    civil(Some(year), month, day, time, offset)
}

/// `Wed Mar  6 10:15:30 2024]`.
fn ctime(text: &[u8]) -> Option<Civil> {
    let rest = skip(text.get(3..)?, b' ')?;
    let month = month(rest.get(..3)?)?;
    let (day, rest) = padded_day(skip(rest.get(3..)?, b' ')?)?;
    let (time, rest) = clock(skip(rest, b' ')?)?;
    let (year, _) = number(skip(rest, b' ')?, 4)?;
    civil(Some(year), month, day, time, None)
}

/// Keys that programs write before a stamp: logrus, zap, KubeVirt, grafana, loki, audit logs.
const TAGS: [&[u8]; 10] = [
    b"time=\"",
    b"\"ts\":",
    b"\"timestamp\":",
    b"\"time\":",
    b" t=",
    b" ts=",
    b"\"stamp\":",
    b"\"stageTimestamp\":",
    b"\"requestReceivedTimestamp\":",
    b"msg=audit(",
];

/// The first value behind one of [`TAGS`] that is a stamp.
fn tagged(line: &[u8]) -> Option<Stamp> {
    let found = TAGS.iter().filter_map(|tag| {
        let at = memmem::find(line, tag)? + tag.len();
        Some((at, value(line.get(at..)?)?))
    });
    let first = found.min_by_key(|(at, _)| *at).map(|(_, stamp)| stamp);
    first.or_else(|| value(line.strip_prefix(b"ts=")?)).or_else(|| made(line))
}

/// In a line that is an object: when it was made, and what Windows writes in JSON, `/Date(1709765110123)/`.
fn made(line: &[u8]) -> Option<Stamp> {
    let object = line.first() == Some(&b'{');
    let after = |tag: &[u8]| value(line.get(memmem::find(line, tag)? + tag.len()..)?);
    let found = object.then(|| after(b"\"creationTimestamp\":").or_else(|| after(b"/Date(")));
    found.flatten()
}

/// An RFC 3339 time or seconds since 1970, maybe quoted.
fn value(text: &[u8]) -> Option<Stamp> {
    let text = text.trim_ascii_start();
    let text = skip(text, b'"').unwrap_or(text);
    iso(text, b"T ").map(|(civil, _)| Stamp::Civil(civil)).or_else(|| epoch(text))
}

/// Seconds, `1709765110.123` or `1.709765110123e+09`; or milli-, micro- or nanoseconds, which have 13, 16 or 19 digits.
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
    valid.then_some(Civil { year, month, day, second: time.0, nano: time.1, offset })
}

/// `22:53:45.217338826`: the second of the day and the nanoseconds.
fn clock(text: &[u8]) -> Option<((i32, i32), &[u8])> {
    let (hour, rest) = number(text, 2)?;
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

/// `Z`, `+01:00`, `+0100`; none and the text itself when there is no zone.
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
    const MONTHS: [&[u8]; 12] =
        [b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec"];
    MONTHS.iter().position(|m| *m == name).and_then(|m| i32::try_from(m + 1).ok())
}

/// Exactly so many digits.
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
    use super::super::year::YearClock;
    use super::*;

    fn time(line: &str) -> Option<String> {
        let mut years = YearClock::until(Some("2024-03-10T00:00:00Z".parse().unwrap()));
        stamp(line.as_bytes()).and_then(|s| years.resolve(s)).map(|t| t.to_string())
    }

    #[test]
    fn every_format_is_read() {
        let cases = [
            ("2024-03-06T22:53:45.217338826Z text", "2024-03-06T22:53:45.217338826Z"),
            ("2024-03-06T22:53:45.217338826+08:00 text", "2024-03-06T14:53:45.217338826Z"),
            ("2024-03-06T22:53:45+0100 host text", "2024-03-06T21:53:45Z"),
            ("2024-03-06T22:45:57.123Z\tINFO\tmain\tmsg", "2024-03-06T22:45:57.123Z"),
            ("I0306 22:51:41.211378       1 main.go:112] Starting", "2024-03-06T22:51:41.211378Z"),
            ("time=\"2024-03-06T04:52:06Z\" level=info msg=\"x\"", "2024-03-06T04:52:06Z"),
            ("[im-1] time=\"2024-03-06T04:52:06+01:00\" level=info", "2024-03-06T03:52:06Z"),
            ("WARN[2024-03-06T04:52:06Z] text", "2024-03-06T04:52:06Z"),
            ("{\"level\":\"warn\",\"ts\":\"2024-03-06T17:57:10.372Z\",\"msg\":\"\"}", "2024-03-06T17:57:10.372Z"),
            ("{\"level\":\"warn\",\"ts\":1.709765110123e+09,\"msg\":\"\"}", "2024-03-06T22:45:10.123Z"),
            ("{\"component\":\"c\",\"timestamp\":\"2024-03-06T22:53:45.221687Z\"}", "2024-03-06T22:53:45.221687Z"),
            ("{\"time\": \"2024-03-06T22:53:45.5+00:00\"}", "2024-03-06T22:53:45.5Z"),
            ("logger=a t=2024-03-06T09:18:19.33Z level=info", "2024-03-06T09:18:19.33Z"),
            ("2024-03-06 22:45:57.123456 I | etcdserver: x", "2024-03-06T22:45:57.123456Z"),
            ("2024-03-06 09:18:20.320 [INFO][60] summary", "2024-03-06T09:18:20.32Z"),
            ("2024-03-06 22:45:57,123 ERROR", "2024-03-06T22:45:57.123Z"),
            ("2024-03-06 22:45:57.123+0000: 65: error : x", "2024-03-06T22:45:57.123Z"),
            ("2024/03/06 22:51:59 proto: x", "2024-03-06T22:51:59Z"),
            ("2024/03/06 22:51:38 [warn] 1#1: x", "2024-03-06T22:51:38Z"),
            ("192.0.2.1 - - [08/Mar/2024:00:02:26 +0100] \"GET / HTTP/1.1\" 200", "2024-03-07T23:02:26Z"),
            ("Mar 06 22:45:28 n1 systemd[1]: x", "2024-03-06T22:45:28Z"),
            ("Mar  6 22:45:28 n1 systemd[1]: x", "2024-03-06T22:45:28Z"),
            ("Mar 06 22:45:28.123456 n1 rke2[1]: x", "2024-03-06T22:45:28.123456Z"),
            ("[Wed Mar  6 10:15:30 2024] x", "2024-03-06T10:15:30Z"),
            ("kern  :err   : [Wed Mar  6 10:15:30 2024] x", "2024-03-06T10:15:30Z"),
            ("type=X msg=audit(1709765110.123:456): y", "2024-03-06T22:45:10.123Z"),
            ("2024-06-30T23:59:60Z leap", "2024-06-30T23:59:59Z"),
            ("2024-03-06 22:45:57,12345 WARN", "2024-03-06T22:45:57.12345Z"),
            ("2024-03-06 22:45:57.123+05:30 [node=3] x", "2024-03-06T17:15:57.123Z"),
            ("[2024-03-06 22:45:57,123] INFO x", "2024-03-06T22:45:57.123Z"),
            ("[2024-03-06 22:45:57.123][1][warning] x", "2024-03-06T22:45:57.123Z"),
            ("[7] 2024/03/06 22:51:38.123456 [ERR] x", "2024-03-06T22:51:38.123456Z"),
            ("03/06/2024, 22:51:38 x", "2024-03-06T22:51:38Z"),
            ("03/06/2024 10:51:38 PM x", "2024-03-06T22:51:38Z"),
            ("03/06/2024 12:51:38 AM x", "2024-03-06T00:51:38Z"),
            ("06 Mar 2024 22:51:38.123 x", "2024-03-06T22:51:38.123Z"),
            ("2024 Mar 06 22:51:38.123 x", "2024-03-06T22:51:38.123Z"),
            ("2024 Mar 06 22:51:38 x", "2024-03-06T22:51:38Z"),
            ("06/Mar/2024:22:51:38.123 x", "2024-03-06T22:51:38.123Z"),
            ("ts=2024-03-06T22:51:38.123456789Z x", "2024-03-06T22:51:38.123456789Z"),
            ("level=warn ts=2024-03-06T22:51:38Z x", "2024-03-06T22:51:38Z"),
            ("{\"level\":\"error\",\"time\":1709765110123456,\"x\":1}", "2024-03-06T22:45:10.123456Z"),
            ("{\"time\":1709765110123}", "2024-03-06T22:45:10.123Z"),
            ("{\"stamp\":\"2024-03-06T22:51:38Z\"}", "2024-03-06T22:51:38Z"),
            ("{\"kind\":\"Event\",\"creationTimestamp\":\"2024-03-06T22:51:38Z\"}", "2024-03-06T22:51:38Z"),
            ("{\"TimeCreated\":\"/Date(1709765110123)/\"}", "2024-03-06T22:45:10.123Z"),
        ];
        for (line, want) in cases {
            assert_eq!(time(line).as_deref(), Some(want), "{line}");
        }
    }

    #[test]
    fn what_is_no_stamp() {
        let lines = [
            "",
            "[INFO] plugin/ready: still waiting",
            "INFO[0000] text",
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
