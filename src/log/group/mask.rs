//! Secrets in lines of logs. They are masked before anything of a line is kept.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memrchr;

use crate::log::source::line;
use crate::log::template::header;
use crate::model::secret;

/// Bytes in which the beginning of a private key is looked for.
pub(in crate::log) const KEY_BYTES: usize = 8 << 10;

/// Returns the positions of secrets in a line. They are all ASCII, so damaged UTF-8 does not matter.
pub(in crate::log) fn masks(line: &[u8]) -> Vec<Range<usize>> {
    match std::str::from_utf8(line) {
        Ok(text) => secret::ranges(text),
        Err(_) => secret::ranges(&ascii(line)),
    }
}

/// Returns the positions of secrets and of a line of a private key; `inside` as in [`secret::key_line`].
/// `around` are positions that the lines around it tell.
pub(in crate::log) fn masks_of_sample(
    line: &[u8],
    inside: bool,
    around: impl Iterator<Item = Range<usize>>,
) -> Vec<Range<usize>> {
    let mut masks = secret::merged(masks(line).into_iter().chain(around).collect());
    if let Some(key) = secret::key_line(&ascii(line), inside) {
        masks.retain(|mask| mask.end <= key.start);
        masks.push(key);
    }
    masks
}

/// Lines before those that are shown, in which the key of a secret is looked for.
const LINES_BEFORE: usize = 4;

/// Bytes at the beginning and at the end of a line that are looked at together with the lines around it.
const ENDS: usize = 2 << 10;

/// Returns for each of these lines the positions of secrets that are told only by the lines around it: `password:` above `x`, `- name: DB_PASSWORD`
/// above `value: x`. The messages of all lines are read as one text, without their headers. `before` is the log before the first line.
pub(in crate::log) fn across(before: &[u8], shown: &[&[u8]]) -> Vec<Vec<Range<usize>>> {
    let lead = last_lines(before);
    let all = || line::ranges(lead, 0).filter_map(|range| lead.get(range)).chain(shown.iter().copied());
    let hidden = all().count() - shown.len();
    let (mut text, mut pieces) = (String::new(), Vec::new());
    for (index, line) in all().enumerate() {
        for place in ends(message(line)) {
            let from = text.len();
            text.push_str(&ascii(line.get(place.clone()).unwrap_or_default()));
            pieces.push((from..text.len(), index, place.start));
            text.push(' ');
        }
        text.pop();
        text.push('\n');
    }
    let mut found = vec![Vec::new(); shown.len()];
    // Lines of a private key are told one by one: those of other programs may stand between them.
    let text = text.replace("PRIVATE KEY", "PRIVATE_KEY");
    for mask in secret::ranges(&text) {
        let first = pieces.partition_point(|(place, ..)| place.end <= mask.start);
        for (place, index, start) in pieces.iter().skip(first).take_while(|(place, ..)| place.start < mask.end) {
            let part = place.start.max(mask.start)..place.end.min(mask.end);
            let word = text.get(part.clone()).unwrap_or_default();
            let from = start + part.end - word.trim_start().len() - place.start;
            let masks = index.checked_sub(hidden).and_then(|shown| found.get_mut(shown));
            masks.into_iter().for_each(|masks: &mut Vec<Range<usize>>| masks.push(from..from + word.trim().len()));
        }
    }
    found
}

/// Returns the last lines of a log.
fn last_lines(lines: &[u8]) -> &[u8] {
    let lines = lines.get(lines.len().saturating_sub(2 * ENDS)..).unwrap_or_default();
    let mut start = lines.len();
    for _ in 0..LINES_BEFORE {
        let above = lines.get(..start.saturating_sub(1)).unwrap_or_default();
        start = memrchr(b'\n', above).map_or(0, |at| at + 1);
    }
    lines.get(start..).unwrap_or_default()
}

/// Returns the place of the message in a line.
fn message(line: &[u8]) -> Range<usize> {
    let (text, stamp) = line::text(line, 0..line.len(), line.len());
    // A journal has host and program behind a stamp that begins with the month.
    let journal = stamp.is_some() && line.first().is_some_and(u8::is_ascii_alphabetic);
    let header = header::length(line.get(text.clone()).unwrap_or_default(), journal);
    text.start + header..text.end
}

/// Returns all of a short message, and the two ends of a long one.
fn ends(message: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let is_long = message.len() > 2 * ENDS;
    let first = if is_long { message.start..message.start + ENDS } else { message.clone() };
    std::iter::once(first).chain(is_long.then(|| message.end - ENDS..message.end))
}

/// Returns whether a private key has begun and not ended at the end of these lines.
pub(in crate::log) fn opens_key(lines: &[u8]) -> bool {
    secret::opens_key(lines.get(lines.len().saturating_sub(KEY_BYTES)..).unwrap_or(lines))
}

/// Returns a part of a line with its secrets masked.
pub(in crate::log) fn without<'l>(line: &'l [u8], part: Range<usize>, masks: &[Range<usize>]) -> Cow<'l, [u8]> {
    let mut inside = masks.iter().filter(|mask| mask.start < part.end && mask.end > part.start).peekable();
    if inside.peek().is_none() {
        return Cow::Borrowed(line.get(part).unwrap_or_default());
    }
    let (mut kept, mut at) = (Vec::with_capacity(part.len()), part.start);
    for mask in inside {
        kept.extend_from_slice(line.get(at..mask.start).unwrap_or_default());
        kept.extend_from_slice(secret::MASK.as_bytes());
        at = mask.end;
    }
    kept.extend_from_slice(line.get(at..part.end).unwrap_or_default());
    Cow::Owned(kept)
}

pub(in crate::log) fn ascii(line: &[u8]) -> String {
    line.iter().map(|b| if b.is_ascii() { char::from(*b) } else { '?' }).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn parts_lose_their_secrets() {
        let line = b"\xff run --token=abc --port=1";
        let masks = masks(line);
        let part = |range: Range<usize>| String::from_utf8_lossy(&without(line, range, &masks)).into_owned();
        assert_eq!(part(2..line.len()), "run --token=*** --port=1");
        assert_eq!((part(14..17), part(15..20)), ("***".to_owned(), "*** --".to_owned()));
        assert_eq!(part(18..line.len()), "--port=1");
    }

    #[test]
    fn lines_of_keys_are_masked_inside_of_keys() {
        assert!(opens_key(b"a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\n"));
        assert!(!opens_key(b"-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\n"));
        assert_eq!(masks_of_sample(b"n1 x: QUJD", true, std::iter::empty()).first(), Some(&(6..10)));
        assert!(masks_of_sample(b"n1 x: QUJD", false, std::iter::empty()).is_empty());
    }

    /// Documents whose secrets stand in a line after their key.
    const DOCUMENTS: [&str; 8] = [
        "{\n  \"password\":\n    \"SECRET\",\n  \"n\": 1",
        "- name: DB_PASSWORD\n  value: SECRET",
        "- value: SECRET\n  name: DB_PASSWORD",
        "password: |\n  SECRET\n  SECRET\nmode: open",
        "args: run --token\nSECRET",
        "New password for default admin user (user-x7k2p):\nSECRET",
        "cannot log in: password:\nSECRET",
        "tokens:\n- SECRET\n- SECRET",
    ];

    proptest! {
        #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn secrets_below_their_keys_are_masked_behind_every_header(
            document in prop::sample::select(DOCUMENTS.to_vec()),
            header in prop::sample::select(vec![
                "",
                "2024-05-06T06:00:00.1Z ",
                "2024-05-06T06:00:00.1Z stdout F ",
                "E0506 06:00:00.123456       1 file.go:12] ",
                "2024-05-06T06:00:00.1Z E0506 06:00:00.123456       1 file.go:12] ",
                "May 06 06:00:00 n1 agent[12]: ",
                "[pvc-1-r-2] ",
            ]),
            secret in "[a-z]{4}[0-9][A-Z][a-z]{4}[0-9]{2}",
            hidden in 0_usize..3,
        ) {
            let document = document.replace("SECRET", &secret);
            let lines: Vec<String> = document.lines().map(|line| format!("{header}{line}")).collect();
            let before: String = lines.iter().take(hidden).map(|line| format!("{line}\n")).collect();
            let shown: Vec<&[u8]> = lines.iter().skip(hidden).map(String::as_bytes).collect();
            for (line, masks) in shown.iter().zip(across(format!("started\n{before}").as_bytes(), &shown)) {
                let text = without(line, 0..line.len(), &masks);
                prop_assert!(!String::from_utf8_lossy(&text).contains(&secret), "{}", String::from_utf8_lossy(&text));
                prop_assert!(text.starts_with(header.as_bytes()));
            }
        }
    }

    #[test]
    fn lines_without_secrets_stay() {
        for text in [
            "failed to get token:\nconnection refused",
            "wrong password:\nretrying",
            "missing --token\nUsage of agent:",
            "secret \"x\" not found\npassword authentication failed for user \"x\"",
            "token expired\nname: web\nvalue: 12",
        ] {
            let lines: Vec<String> = text.lines().map(|line| format!("2024-05-06T06:00:00.1Z {line}")).collect();
            let lines: Vec<&[u8]> = lines.iter().map(String::as_bytes).collect();
            assert!(across(b"", &lines).concat().is_empty(), "{text}");
        }
    }
}
