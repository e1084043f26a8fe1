//! What stands before the message of a line: the host and program of a journal, stamps, brackets, a level, and the keys of
//! structured logs.

use std::sync::LazyLock;

use memchr::memchr;
use memchr::memmem::Finder;

use super::severity::{Stated, stated};
use crate::model::unexplained::Level;

/// Keys of structured logs. Finders are kept, because making one costs more than a search in a line.
static LEVEL: LazyLock<[Finder<'static>; 2]> = LazyLock::new(|| ["level=", " lvl="].map(Finder::new));
static MESSAGE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("msg="));
static JSON_LEVEL: LazyLock<[Finder<'static>; 3]> =
    LazyLock::new(|| ["\"level\":\"", "\"severity\":\"", "\"lvl\":\""].map(Finder::new));
static MONGODB_LEVEL: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("\"s\":\""));
/// What CloudNativePG writes before a record of PostgreSQL, in the first bytes of a line.
static RECORD: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("\"logger\":\"postgres\""));
static RECORD_LEVEL: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("\"error_severity\":\""));
static JSON_MESSAGE: LazyLock<[Finder<'static>; 2]> =
    LazyLock::new(|| ["\"msg\":\"", "\"message\":\""].map(Finder::new));
static JSON_ERROR: LazyLock<[Finder<'static>; 2]> = LazyLock::new(|| ["\"error\":\"", "\"err\":\""].map(Finder::new));
/// Keys of logr's writers for klog, which quote them: `"msg"="text" "error"="why"`.
static PAIR_MESSAGE: LazyLock<[Finder<'static>; 1]> = LazyLock::new(|| ["\"msg\"=\""].map(Finder::new));
static PAIR_ERROR: LazyLock<[Finder<'static>; 1]> = LazyLock::new(|| ["\"error\"=\""].map(Finder::new));
static JSON_ANSWER: LazyLock<[Finder<'static>; 3]> =
    LazyLock::new(|| ["\"status\":", "\"response_code\":", "\"status_code\":"].map(Finder::new));

/// Bytes in which a header, or one part of it, ends.
const HEADER: usize = 256;
/// Most parts of a header: `host program[1]: [pvc-1] 2024/01/01 00:00:00 [INFO] [66] E0101 ...`.
const PARTS: usize = 8;

/// A line without its header.
#[derive(Clone, Copy, Debug)]
pub(super) struct Message<'l> {
    pub level: Stated,
    /// The message, and the error beside it if both are values of JSON.
    pub parts: [&'l [u8]; 2],
    /// True if the line has a header: lines without one may continue it.
    pub headed: bool,
    /// True if a number in the line decides its level.
    pub numbered: bool,
}

/// Reads the header of a line whose leading stamp was removed; `journal` if a host and a program follow that stamp.
pub(super) fn read(line: &[u8], journal: bool) -> Message<'_> {
    let (mut rest, mut headed) = (line, false);
    if let Some(inner) = journal.then(|| program(line)).flatten() {
        (rest, headed) = (inner, true);
    }
    let mut level = Stated::Nothing;
    for _ in 0..PARTS {
        let Some(part) = part(rest) else { break };
        headed = true;
        match part {
            Part::Passed(behind) => rest = behind,
            Part::Level(found, behind) => {
                level = found;
                rest = behind;
                if found == Stated::Quiet {
                    break;
                }
            }
            Part::Json => return json(rest, level),
        }
    }
    let pairs = if headed && level != Stated::Quiet { pairs(rest) } else { None };
    Message { level, parts: pairs.unwrap_or([rest, b""]), headed, numbered: false }
}

/// Returns the message and the error of `setup "msg"="text" "error"="why" "key"="value"`.
fn pairs(rest: &[u8]) -> Option<[&[u8]; 2]> {
    let message = value_of(rest, &*PAIR_MESSAGE)?;
    Some([message, value_of(rest, &*PAIR_ERROR).unwrap_or_default()])
}

/// Does the same as [`read`], and also reads the message of a line of JSON that reports no trouble.
pub(super) fn read_whole(line: &[u8], journal: bool) -> Message<'_> {
    let message = read(line, journal);
    if message.parts.iter().all(|part| part.is_empty()) { Message { parts: values(line), ..message } } else { message }
}

/// Returns where the message of a line begins whose leading stamp was removed, with the blanks that indent it.
pub(in crate::log) fn length(line: &[u8], journal: bool) -> usize {
    let mut rest = journal.then(|| program(line)).flatten().unwrap_or(line);
    for _ in 0..PARTS {
        match part(rest) {
            Some(Part::Passed(behind) | Part::Level(_, behind)) => rest = behind,
            Some(Part::Json) | None => break,
        }
    }
    let mut start = line.len() - rest.len();
    while line.get(start.saturating_sub(2)..start) == Some(b"  ") {
        start -= 1;
    }
    start
}

/// Part of a header, with what is behind it.
enum Part<'l> {
    Passed(&'l [u8]),
    Level(Stated, &'l [u8]),
    Json,
}

fn part(rest: &[u8]) -> Option<Part<'_>> {
    match rest.first()? {
        b' ' | b'\t' => None,
        b'{' => rest.starts_with(b"{\"").then_some(Part::Json),
        b'[' => bracket(rest),
        b'0'..=b'9' => {
            let passed = stamp(rest).or_else(|| epoch(rest)).or_else(|| process(rest));
            passed.map(Part::Passed).or_else(|| ganesha(rest.get(20..)?))
        }
        b'-' => rest.strip_prefix(b"- ").filter(|behind| place(behind).is_some()).map(Part::Passed),
        b':' => ganesha(rest),
        b'I' | b'W' | b'E' | b'F' if rest.get(1).is_some_and(u8::is_ascii_digit) => klog(rest),
        b'A'..=b'Z' if rest.get(1..4) == Some(b" | ") => capnslog(rest),
        _ => keyed(rest).or_else(|| word(rest)).or_else(|| place(rest)),
    }
}

/// `node1 rke2[123]: text`, `node1 kernel: text`.
fn program(line: &[u8]) -> Option<&[u8]> {
    let host = memchr(b' ', line.get(..HEADER).unwrap_or(line))?;
    let rest = line.get(host + 1..)?;
    let end = colon(rest.get(..80).unwrap_or(rest))?;
    let name = rest.get(..end)?;
    (!name.contains(&b' ') || name.ends_with(b"]")).then(|| rest.get(end + 2..))?
}

/// Returns the place of a colon and a blank.
fn colon(text: &[u8]) -> Option<usize> {
    memchr::memchr_iter(b':', text).find(|at| text.get(at + 1) == Some(&b' '))
}

/// `[INFO]`, `[66]`, `[  12.345678]`, `[pvc-1-r-2]`, `[2024-01-01 00:00:00]`; other brackets belong to the message.
fn bracket(rest: &[u8]) -> Option<Part<'_>> {
    let end = memchr(b']', rest.get(..HEADER).unwrap_or(rest))?;
    let inside = rest.get(1..end)?.trim_ascii();
    let behind = skip_blanks(rest.get(end + 1..)?);
    match stated(inside) {
        Some(level) => Some(Part::Level(level, behind)),
        None => {
            let is_name = inside.contains(&b'-') && !inside.contains(&b' ');
            (is_name || inside.iter().any(u8::is_ascii_digit)).then_some(Part::Passed(behind))
        }
    }
}

/// `2024-01-01T00:00:00.123Z`, `2024/01/01 00:00:00`, also with a zone.
fn stamp(rest: &[u8]) -> Option<&[u8]> {
    let is = |at: usize, bytes: &[u8]| rest.get(at).is_some_and(|byte| bytes.contains(byte));
    if !(is(4, b"-/") && is(7, b"-/") && is(10, b"T ") && is(13, b":") && is(16, b":")) {
        return None;
    }
    let zone = |byte: &&u8| byte.is_ascii_digit() || b".,:+-Z".contains(byte);
    let length = 19 + rest.get(19..)?.iter().take_while(zone).count();
    let behind = skip_blanks(rest.get(length..)?);
    Some(behind.strip_prefix(b"UTC ").unwrap_or(behind))
}

/// `1.7097651e+09` and a tab.
fn epoch(rest: &[u8]) -> Option<&[u8]> {
    let end = memchr(b'\t', rest.get(..32).unwrap_or(rest))?;
    let number = rest.get(..end)?;
    number.iter().all(|byte| byte.is_ascii_digit() || b".e+".contains(byte)).then(|| rest.get(end + 1..))?
}

/// `21 INFO nova.compute text`: the number of the process, which OpenStack writes before the level.
fn process(rest: &[u8]) -> Option<&[u8]> {
    let digits = rest.iter().take(8).take_while(|byte| byte.is_ascii_digit()).count();
    let behind = rest.get(digits..)?.strip_prefix(b" ")?;
    let end = memchr(b' ', behind.get(..10).unwrap_or(behind))?;
    let level = behind.get(..end)?;
    (level.iter().all(u8::is_ascii_uppercase) && stated(level).is_some()).then_some(behind)
}

/// `stages.py[DEBUG]: text` of cloud-init, which writes failures as warnings: of those the words decide.
fn place(rest: &[u8]) -> Option<Part<'_>> {
    let head = rest.get(..80).unwrap_or(rest);
    let open = memchr(b'[', head).filter(|open| *open > 0)?;
    let close = memchr(b']', head).filter(|close| *close > open)?;
    let (name, inside) = (head.get(..open)?, head.get(open + 1..close)?);
    let behind = rest.get(close + 1..)?.strip_prefix(b": ")?;
    let is_quiet = inside.iter().all(u8::is_ascii_uppercase) && stated(inside) == Some(Stated::Quiet);
    (is_quiet && !name.contains(&b' ')).then_some(Part::Level(Stated::Quiet, behind))
}

/// `E0101 00:00:00.123456       1 file.go:123] text`.
fn klog(rest: &[u8]) -> Option<Part<'_>> {
    let is_klog = rest.get(1..5)?.iter().all(u8::is_ascii_digit) && rest.get(5) == Some(&b' ');
    let end = is_klog.then(|| memchr(b']', rest.get(..HEADER).unwrap_or(rest)))??;
    let message = skip_blanks(rest.get(end + 1..)?);
    let level = match rest.first()? {
        b'W' => Stated::Level(Level::Warning),
        b'E' => Stated::Level(Level::Error),
        b'F' => Stated::Level(Level::Fatal),
        _ if begins_with_trouble(message) => Stated::Level(Level::Warning),
        _ => Stated::Quiet,
    };
    Some(Part::Level(level, message))
}

/// `W | etcdserver: text` of etcd 3.3, Rook and other programs with CoreOS' package capnslog.
fn capnslog(rest: &[u8]) -> Option<Part<'_>> {
    let level = match rest.first()? {
        b'C' => Stated::Level(Level::Fatal),
        b'E' => Stated::Level(Level::Error),
        b'W' => Stated::Level(Level::Warning),
        b'N' | b'I' | b'D' | b'T' => Stated::Quiet,
        _ => return None,
    };
    Some(Part::Level(level, rest.get(4..)?))
}

/// nfs-ganesha, behind `02/01/2023 16:52:11`: `: epoch 63b30bbb : host : nfs-ganesha-30[main] function :COMPONENT :LEVEL :text`.
/// It writes failures of its recovery backend as EVENT, so there the words decide.
fn ganesha(rest: &[u8]) -> Option<Part<'_>> {
    let head = rest.starts_with(b": epoch ").then(|| rest.get(..HEADER).unwrap_or(rest))?;
    let behind = skip_blanks(rest.get(memchr(b']', head)? + 1..)?);
    let mut ends = memchr::memmem::find_iter(behind.get(..HEADER).unwrap_or(behind), b" :").skip(1);
    let level = behind.get(ends.next()? + 2..ends.next()?)?;
    let level = match level {
        b"FATAL" => Stated::Level(Level::Fatal),
        b"MAJ" | b"CRIT" => Stated::Level(Level::Error),
        b"WARN" => Stated::Level(Level::Warning),
        b"EVENT" => Stated::Nothing,
        _ => Stated::Quiet,
    };
    Some(Part::Level(level, behind))
}

/// Returns true for what the sidecars of CSI write as information: `Error processing "csi-1": failed to attach: ...`.
fn begins_with_trouble(message: &[u8]) -> bool {
    let message = message.strip_prefix(b"\"").unwrap_or(message);
    [&b"Error "[..], b"error ", b"Failed ", b"failed "].iter().any(|word| message.starts_with(word))
}

/// `time="2024-01-01T00:00:00Z" level=error msg="text"`.
fn keyed(rest: &[u8]) -> Option<Part<'_>> {
    let begins = [&b"time="[..], b"ts=", b"t=", b"level=", b"caller=", b"logger="];
    let head = rest.get(..HEADER).unwrap_or(rest);
    begins.iter().any(|key| head.starts_with(key)).then_some(())?;
    let at = LEVEL.iter().find_map(|key| Some(key.find(head)? + key.needle().len()))?;
    let value = rest.get(at..)?;
    let value = value.strip_prefix(b"\"").unwrap_or(value);
    let end = value.iter().take(12).position(|byte| !byte.is_ascii_alphabetic()).unwrap_or(value.len());
    let level = stated(value.get(..end)?)?;
    // Before the level there may be a message, too.
    let behind = value.get(end..)?;
    let behind = if MESSAGE.find(behind).is_some() { behind } else { rest };
    Some(Part::Level(level, behind.strip_prefix(b"\"").unwrap_or(behind).trim_ascii_start()))
}

/// `ERROR text`, `WARN: text`, `ERRO[0012] text`, `error: text`, `warn<TAB>text`, and how the runtime of Go ends a program: `fatal error: text`.
fn word(rest: &[u8]) -> Option<Part<'_>> {
    if let Some(behind) = rest.strip_prefix(b"fatal error: ") {
        return Some(Part::Level(Stated::Level(Level::Fatal), behind));
    }
    let end = rest.iter().take(10).position(|byte| !byte.is_ascii_alphabetic())?;
    let (name, behind) = rest.split_at_checked(end)?;
    let level = stated(name)?;
    let is_level = name.iter().all(u8::is_ascii_uppercase) || matches!(behind.first(), Some(b':' | b'\t'));
    is_level.then(|| Part::Level(level, skip_blanks(behind.strip_prefix(b":").unwrap_or(behind))))
}

/// `{"level":"error","msg":"text","error":"why"}`.
fn json(line: &[u8], before: Stated) -> Message<'_> {
    if let Some((level, message)) = record(line) {
        return Message { level: Stated::Level(level), parts: [message, b""], headed: true, numbered: false };
    }
    let named = value_of(line, &*JSON_LEVEL);
    let level = named.and_then(stated).or_else(|| mongodb(line)).unwrap_or(before);
    let numbered = named.is_none() && level == Stated::Nothing;
    let failed = numbered && is_failed_request(line);
    let level = if failed { Stated::Level(Level::Error) } else { level };
    let parts = if level == Stated::Quiet { [&b""[..], b""] } else { values(line) };
    Message { level, parts, headed: true, numbered }
}

/// `{"t":{"$date":"2024-01-01T00:00:00.123+00:00"},"s":"E",  "c":"STORAGE", ...` of MongoDB.
fn mongodb(line: &[u8]) -> Option<Stated> {
    let head = line.get(..HEADER).unwrap_or(line);
    let at = head.starts_with(b"{\"t\":{").then(|| MONGODB_LEVEL.find(head))?? + MONGODB_LEVEL.needle().len();
    Some(match head.get(at)? {
        b'F' => Stated::Level(Level::Fatal),
        b'E' => Stated::Level(Level::Error),
        b'W' => Stated::Level(Level::Warning),
        _ => Stated::Quiet,
    })
}

/// Returns level and message of a record of PostgreSQL that reports trouble, which CloudNativePG writes as info:
/// `{"level":"info","logger":"postgres","msg":"record","record":{"error_severity":"FATAL","message":"text"}}`.
fn record(line: &[u8]) -> Option<(Level, &[u8])> {
    RECORD.find(line.get(..HEADER).unwrap_or(line))?;
    let Some(Stated::Level(level)) = stated(value(line, &RECORD_LEVEL)?) else { return None };
    Some((level, value_of(line, JSON_MESSAGE.get(1..)?)?))
}

/// Returns the message and the error beside it.
fn values(line: &[u8]) -> [&[u8]; 2] {
    [value_of(line, &*JSON_MESSAGE).unwrap_or(line), value_of(line, &*JSON_ERROR).unwrap_or_default()]
}

fn value_of<'l>(line: &'l [u8], keys: &[Finder<'_>]) -> Option<&'l [u8]> {
    keys.iter().find_map(|key| value(line, key))
}

/// Returns true for a line of an access log whose request a server could not answer: `"status":503`.
fn is_failed_request(line: &[u8]) -> bool {
    let answer = JSON_ANSWER.iter().find_map(|key| line.get(key.find(line)? + key.needle().len()..));
    matches!(answer, Some([b'5', b'0'..=b'9', b'0'..=b'9', b',' | b'}', ..]))
        && value_of(line, &*JSON_MESSAGE).is_none()
}

/// Returns the text behind a key and a quote, up to the quote that ends it.
fn value<'l>(line: &'l [u8], key: &Finder<'_>) -> Option<&'l [u8]> {
    let rest = line.get(key.find(line.get(..8 * HEADER).unwrap_or(line))? + key.needle().len()..)?;
    let mut at = 0;
    loop {
        let quote = at + memchr(b'"', rest.get(at..)?)?;
        if rest.get(..quote)?.ends_with(b"\\") {
            at = quote + 1;
        } else {
            return rest.get(..quote);
        }
    }
}

fn skip_blanks(text: &[u8]) -> &[u8] {
    text.trim_ascii_start()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(line: &str, journal: bool) -> String {
        let Message { level, parts, headed, .. } = read(line.as_bytes(), journal);
        let parts = parts.map(|part| String::from_utf8_lossy(part).into_owned());
        let level = match level {
            Stated::Quiet => "quiet",
            Stated::Level(level) => level.as_str(),
            Stated::Nothing => "-",
        };
        let sign = if headed { "" } else { "~" };
        format!("{sign}{level}|{}", parts.join("|").trim_end_matches('|'))
    }

    #[test]
    fn headers_are_removed() {
        for (line, journal, want) in [
            ("E0320 07:13:30.123456       1 file.go:12] \"no\" err=\"x\"", false, "error|\"no\" err=\"x\""),
            ("I0320 07:13:30.123456       1 file.go:12] fine", false, "quiet|fine"),
            (
                "I0320 07:13:30.123456       1 file.go:12] Error processing \"a\"",
                false,
                "warning|Error processing \"a\"",
            ),
            ("I0320 07:13:30.123456       1 file.go:12] Errors: 0", false, "quiet|Errors: 0"),
            ("time=\"2024-01-01T00:00:00Z\" level=warning msg=\"lost\"", false, "warning|msg=\"lost\""),
            ("ts=2024 caller=a.go:1 level=error component=x msg=lost", false, "error|component=x msg=lost"),
            (
                "{\"level\":\"error\",\"ts\":1,\"msg\":\"a \\\"b\\\"\",\"error\":\"EOF\"}",
                false,
                "error|a \\\"b\\\"|EOF",
            ),
            ("{\"level\":\"info\",\"msg\":\"a\"}", false, "quiet|"),
            ("{\"t\":{\"$date\":\"2024\"},\"s\":\"I\",  \"msg\":\"no error\"}", false, "quiet|"),
            ("{\"t\":{\"$date\":\"2024\"},\"s\":\"E\",  \"msg\":\"a\"}", false, "error|a"),
            (
                r#"{"level":"info","logger":"postgres","msg":"record","record":{"error_severity":"FATAL","message":"a"}}"#,
                false,
                "fatal|a",
            ),
            (
                r#"{"level":"info","logger":"postgres","msg":"record","record":{"error_severity":"LOG","message":"a"}}"#,
                false,
                "quiet|",
            ),
            ("{\"path\":\"/\",\"status\":503}", false, "error|{\"path\":\"/\",\"status\":503}"),
            ("{\"path\":\"/\",\"status\":200,\"n\":503}", false, "-|{\"path\":\"/\",\"status\":200,\"n\":503}"),
            ("{\"status\":503,\"msg\":\"a\"}", false, "-|a"),
            ("[7] 2025/01/01 00:00:00.123456 [WRN] slow", false, "warning|slow"),
            ("n1 rke2[12]: time=\"2024\" level=error msg=\"x\"", true, "error|msg=\"x\""),
            ("n1 kernel: [  12.345] I/O error", true, "-|I/O error"),
            ("n1 kubelet[1]: E0320 07:13:30.1 1 a.go:1] no", true, "error|no"),
            ("2022-03-06 22:53:45.217 [WARN][66] felix/int.go 12: late", false, "warning|felix/int.go 12: late"),
            ("2024/01/01 00:00:00 [error] 31#31: *1 upstream", false, "error|31#31: *1 upstream"),
            ("2024-01-01T00:00:00.1Z\tERROR\tcontroller\tno", false, "error|controller\tno"),
            ("[pvc-1-r-2] time=\"2024\" level=error msg=x", false, "error|msg=x"),
            ("[longhorn-instance-manager] time=\"2024\" level=error msg=x", false, "error|msg=x"),
            (
                ": epoch 63b30bbb : host : nfs-ganesha-30[main] http_call :CLIENT ID :EVENT :Failed to do",
                false,
                "-|http_call :CLIENT ID :EVENT :Failed to do",
            ),
            (
                "02/01/2023 16:52:11 : epoch 63b30bbb : host : nfs-ganesha-30[svc_16] f :FSAL :CRIT :no: mapping",
                false,
                "error|f :FSAL :CRIT :no: mapping",
            ),
            (
                ": epoch 63b30bbb : host : nfs-ganesha-30[main] SetLevel :LOG :NULL :LOG: Changing error",
                false,
                "quiet|SetLevel :LOG :NULL :LOG: Changing error",
            ),
            ("2024-01-01T00:00:00.123Z\twarn\tads\tno", false, "warning|ads\tno"),
            ("2023-05-05 12:00:00.123456 E | op-mon: no", false, "error|op-mon: no"),
            ("2023-05-05 12:00:00.123456 I | op-mon: fine", false, "quiet|op-mon: fine"),
            ("21 INFO nova.db [-] Recovered from being unable", false, "quiet|nova.db [-] Recovered from being unable"),
            ("2025-05-14 07:07:15.100 21 ERROR nova.db no disk", false, "error|nova.db no disk"),
            ("21 errors found", false, "~-|21 errors found"),
            ("- stages.py[DEBUG]: Event Denied", false, "quiet|Event Denied"),
            ("cc_resizefs.py[WARNING]: no device", false, "~-|cc_resizefs.py[WARNING]: no device"),
            ("sshd[12]: Failed", false, "~-|sshd[12]: Failed"),
            ("- failed", false, "~-|- failed"),
            ("A | B is no header", false, "~-|A | B is no header"),
            (
                "E0320 07:13:30.1 1 a.go:1] setup \"msg\"=\"cannot list\" \"error\"=\"no rights\" \"kind\"=\"x\"",
                false,
                "error|cannot list|no rights",
            ),
            ("ERROR: no disk", false, "error|no disk"),
            ("ERRO[0012] no disk", false, "error|no disk"),
            ("Error from server", false, "~-|Error from server"),
            ("panic: no", false, "fatal|no"),
            ("fatal error: concurrent map writes", false, "fatal|concurrent map writes"),
            ("[::1]:53 refused", false, "-|:53 refused"),
            ("plain text", false, "~-|plain text"),
            ("\tat main.go", false, "~-|\tat main.go"),
        ] {
            assert_eq!(shown(line, journal), want, "{line}");
        }
    }
}
