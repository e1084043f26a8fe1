//! What patterns and excerpts see of text that is not as it should be.

use super::{query, run, simple};
use crate::log::scan::scanner::Limits;
use crate::log::time::clock::Clock;
use crate::model::IssueKind;

/// How many hits there are, and lines and texts of the first and the last one.
type Found = Option<(u64, (u64, String), (u64, String))>;

/// Hits of some patterns.
fn hits(patterns: &[&str], log: &[u8]) -> Found {
    let index = run(vec![query(patterns)], log, Clock::default(), Limits::default()).1;
    let group = index.answer(0).groups.first()?;
    let place = |sample: &crate::log::group::hit_group::Sample| (sample.line, sample.text.clone());
    Some((group.count, place(&group.first_hit), place(&group.last_hit)))
}

fn once(line: u64, text: &str) -> Found {
    Some((1, (line, text.to_owned()), (line, text.to_owned())))
}

#[test]
fn coloured_words_are_words() {
    let log = b"\x1b[90m2024-03-06T22:53:45Z\x1b[0m \x1b[1;31mER\x1b[0mROR\x1b[0m disk gone\nquiet\n";
    assert_eq!(hits(&["^ERROR disk"], log), once(1, "2024-03-06T22:53:45Z ERROR disk gone"));
    let index = simple(vec![query(&["disk"])], std::str::from_utf8(log).unwrap());
    let first = index.answer(0).groups.first().and_then(|group| group.first);
    assert_eq!(first.map(|time| time.to_string()).as_deref(), Some("2024-03-06T22:53:45Z"));
}

#[test]
fn a_bar_of_progress_is_many_lines_with_one_number() {
    let bar: String = (0..3_000_000).map(|n| format!("{n}\r")).collect();
    let log = format!("begin\n{bar}error: no space\nend\n");
    assert_eq!(hits(&["^error: "], log.as_bytes()), once(2, "error: no space"));
    assert_eq!(hits(&["^end$"], log.as_bytes()), once(3, "end"));
    let (hits, _) = run(vec![query(&["^end$"])], log.as_bytes(), Clock::default(), Limits::default());
    assert_eq!((hits.lines, hits.bytes), (3, log.len() as u64));
}

#[test]
fn a_power_loss_divides_lines() {
    let torn = [
        b"2024-03-06T22:53:45Z error: half a li".as_slice(),
        &vec![0; 3 << 20],
        b"2024-03-06T23:00:00Z Linux version 6\n",
    ];
    let log = [torn.concat(), b"2024-03-06T23:00:01Z on\n".to_vec()].concat();
    assert_eq!(hits(&["^error"], &log), once(1, "2024-03-06T22:53:45Z error: half a li"));
    assert_eq!(hits(&["^Linux"], &log), once(1, "2024-03-06T23:00:00Z Linux version 6"));
    assert_eq!(hits(&["^on$"], &log), once(2, "2024-03-06T23:00:01Z on"));
}

#[test]
fn every_line_end_counts_once() {
    for end in ["\n", "\r\n", "\r\r\n"] {
        let log = format!("a{end}{end}error x{end}\x0cerror y");
        let found = Some((2, (3, "error x".to_owned()), (4, "error y".to_owned())));
        assert_eq!(hits(&["^error .$"], log.as_bytes()), found, "{end:?}");
    }
    assert_eq!(hits(&["error"], b""), None);
    assert_eq!(hits(&["^error$"], "\u{feff}error".as_bytes()), once(1, "error"));
}

#[test]
fn utf16_has_lines_and_times() {
    let text = "\u{feff}2024-03-06 22:53:45 start\r\n2024-03-06 22:53:46 error: größe\r\n";
    let log: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(hits(&["error: gr....e"], &log), once(2, "2024-03-06 22:53:46 error: größe"));
    let appended = [
        b"2024-03-06 22:53:45 start\r\n".to_vec(),
        "error: x\r\nend\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect(),
    ];
    assert_eq!(hits(&["^error: x$"], &appended.concat()), once(2, "error: x"));
}

#[test]
fn a_pattern_matches_across_parts_of_a_split_line() {
    let log = "2024-03-06T22:53:45Z stderr F begin\n2024-03-06T22:53:46Z stderr P error: no spa\n\
               2024-03-06T22:53:47Z stderr F ce left\n2024-03-06T22:53:48Z stderr F error: end\n";
    let first = "2024-03-06T22:53:46Z stderr P error: no space left";
    let last = "2024-03-06T22:53:48Z stderr F error: end";
    assert_eq!(hits(&["^error: (no space left|end)$"], log.as_bytes()), Some((2, (2, first.into()), (4, last.into()))));
}

#[test]
fn lines_of_megabytes_are_truncated_and_reported_once() {
    let log = format!("error a{}\nerror b\nerror c{}\nerror d", "x".repeat(5 << 20), "y".repeat(3 << 20));
    let (hits, index) = run(vec![query(&["^error \\w"])], log.as_bytes(), Clock::default(), Limits::default());
    let group = index.answer(0).groups.first().unwrap();
    assert_eq!((group.count, group.last_hit.line, hits.lines), (4, 4, 4));
    let [issue] = hits.issues.as_slice() else { panic!("{:?}", hits.issues) };
    assert_eq!(issue.kind, IssueKind::Limit);
    assert!(
        issue.message.to_string().starts_with("2 lines are longer than 1048576 bytes (--max-line)"),
        "{}",
        issue.message
    );
}

#[test]
fn lines_that_were_joined_are_counted() {
    let part = |text: &str| format!("2024-03-06T22:45:57.1Z stdout P {text}\n");
    let whole = |text: &str| format!("2024-03-06T22:45:57.1Z stdout F {text}\n");
    for (log, lines, hit) in [
        (part("a") + "next\n" + part("b").trim_end(), 3, 1),
        (part("a") + "next\n" + &part("b"), 3, 1),
        (part("a") + &part("b") + &whole("c"), 3, 1),
        (whole("x") + &part("a") + &whole("b") + "next", 4, 2),
    ] {
        let (hits, index) = run(vec![query(&["a"])], log.as_bytes(), Clock::default(), Limits::default());
        assert_eq!((hits.lines, index.answer(0).groups[0].first_hit.line), (lines, hit), "{log}");
    }
}
