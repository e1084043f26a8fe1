//! Entries of a journal as `journalctl -o json` writes them, one in a line, with the fields of systemd.journal-fields(7).

use std::borrow::Cow;

use jiff::Timestamp;
use serde::Deserialize;

#[derive(Deserialize)]
struct Entry<'l> {
    /// Microseconds since 1970.
    #[serde(rename = "__REALTIME_TIMESTAMP", borrow)]
    time: Cow<'l, str>,
    #[serde(rename = "_HOSTNAME", borrow)]
    host: Cow<'l, str>,
    #[serde(rename = "SYSLOG_IDENTIFIER", borrow, default)]
    identifier: Option<Cow<'l, str>>,
    #[serde(rename = "_COMM", borrow, default)]
    command: Option<Cow<'l, str>>,
    #[serde(rename = "SYSLOG_PID", borrow, default)]
    stated_process: Option<Cow<'l, str>>,
    #[serde(rename = "_PID", borrow, default)]
    process: Option<Cow<'l, str>>,
    #[serde(rename = "MESSAGE", borrow, default)]
    message: Message<'l>,
}

/// Text, or its bytes if it is not UTF-8 or has control characters. Fields that occur several times or are too long have other values.
#[derive(Deserialize, Default)]
#[serde(untagged)]
enum Message<'l> {
    Text(#[serde(borrow)] Cow<'l, str>),
    Bytes(Vec<u8>),
    #[default]
    None,
}

/// Returns an entry as `journalctl -o short-iso` prints it: `2024-01-01T00:00:00Z n1 k3s[812]: text`; none for other lines.
pub(in crate::log) fn printed(line: &[u8]) -> Option<String> {
    let entry = read(line)?;
    let time = Timestamp::from_microsecond(entry.time.parse().ok()?).ok()?;
    let program = entry.identifier.or(entry.command).unwrap_or_default();
    let process = entry.stated_process.or(entry.process).map(|id| format!("[{id}]")).unwrap_or_default();
    let message = match entry.message {
        Message::Text(text) => text,
        Message::Bytes(bytes) => String::from_utf8_lossy(&bytes).into_owned().into(),
        Message::None => Cow::default(),
    };
    let message = message.trim_end().replace('\n', " ");
    Some(format!("{time} {} {program}{process}: {message}", entry.host))
}

/// Returns the host that wrote an entry.
pub(in crate::log) fn host(line: &[u8]) -> Option<String> {
    read(line).map(|entry| entry.host.into_owned())
}

fn read(line: &[u8]) -> Option<Entry<'_>> {
    (line.first() == Some(&b'{')).then(|| serde_json::from_slice(line).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_have_the_form_of_short_iso() {
        let of = |fields: &str| {
            printed(
                format!("{{\"__REALTIME_TIMESTAMP\":\"1704067200123456\",\"_HOSTNAME\":\"n1\",{fields}}}").as_bytes(),
            )
        };
        let kernel = of(r#""SYSLOG_IDENTIFIER":"kernel","PRIORITY":"3","MESSAGE":"I/O error, dev sda\n""#);
        assert_eq!(kernel.unwrap(), "2024-01-01T00:00:00.123456Z n1 kernel: I/O error, dev sda");
        let bytes = of(r#""_COMM":"k3s","_PID":"812","MESSAGE":[97,27,255]"#);
        assert_eq!(bytes.unwrap(), "2024-01-01T00:00:00.123456Z n1 k3s[812]: a\u{1b}\u{fffd}");
        let empty = of(r#""SYSLOG_IDENTIFIER":"x","MESSAGE":null"#);
        assert_eq!(empty.unwrap(), "2024-01-01T00:00:00.123456Z n1 x: ");
        for other in ["", "{}", "{\"MESSAGE\":\"x\"}", "{\"log\":\"x\"}", "Jan 01 00:00:00 n1 k3s[1]: x"] {
            assert_eq!(printed(other.as_bytes()), None, "{other}");
        }
    }
}
