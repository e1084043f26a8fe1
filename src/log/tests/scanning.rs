//! What one pass over one source finds.

use std::io::Read;

use jiff::SignedDuration;

use super::{by, clock, query, run, simple, source};
use crate::log::group::groups::MAX_GROUPS;
use crate::log::group::index::LogIndex;
use crate::log::pattern::query::LogQuery;
use crate::log::pattern::set::PatternSet;
use crate::log::scan::scanner::Limits;
use crate::log::time::clock::Clock;
use crate::model::IssueKind;

#[test]
fn captures_make_groups() {
    let log = "2024-03-01T00:00:00Z disk (device sda): error 1\n2024-03-01T00:00:01Z quiet\n\
               2024-03-01T00:00:02Z disk (device sdb): error 2\n2024-03-01T00:00:03Z disk (device sda): error 3\n";
    let index = simple(vec![by("device", &[r"\(device (?<device>\w+)\): error (?<n>\d)"])], log);
    let [sda, sdb] = index.answer(0).groups.as_slice() else { panic!("{:?}", index.answer(0)) };
    assert_eq!((sda.count, sdb.count), (2, 1));
    assert_eq!(sda.captures.get("n").map(String::as_str), Some("3"));
    assert_eq!(sda.all.get("n").map(|n| n.iter().map(String::as_str).collect::<Vec<_>>()), Some(vec!["1", "3"]));
    assert_eq!((sda.first_hit.line, sda.last_hit.line), (1, 4));
    assert_eq!(sda.last_hit.text, "2024-03-01T00:00:03Z disk (device sda): error 3");
    assert_eq!(sda.last_hit.before.len(), 2);
    assert_eq!(sda.first_hit.after.first().map(String::as_str), Some("2024-03-01T00:00:01Z quiet"));
    assert_eq!(sda.first.map(|t| t.to_string()).as_deref(), Some("2024-03-01T00:00:00Z"));
    assert_eq!((sda.node.as_deref(), sdb.key.as_slice()), (Some("n1"), ["sdb".to_owned()].as_slice()));
}

#[test]
fn first_pattern_wins_and_except_excludes() {
    let mut q = by("what", &[r"lost (?<what>\w+) lease", r"lost (?<what>\w+)"]);
    q.except = vec!["harmless".to_owned()];
    let index = simple(vec![q], "lost node lease\nlost contact\nlost mind harmless\n");
    let keys: Vec<&str> = index.answer(0).groups.iter().flat_map(|g| &g.key).map(String::as_str).collect();
    assert_eq!(keys, ["contact", "node"]);
}

#[test]
fn patterns_do_not_see_leading_stamps() {
    let log = "Mar 06 22:45:28 n1 kernel: oops 06\n2024-03-06T22:45:28.1Z kernel: oops\n";
    let index = simple(vec![query(&["^n1 kernel"]), query(&["^kernel"]), query(&["22:45"])], log);
    let counts: Vec<u64> = (0..3).map(|q| index.answer(q).groups.iter().map(|g| g.count).sum()).collect();
    assert_eq!(counts, [1, 1, 0]);
}

#[test]
fn since_drops_old_hits_and_counts_undated_ones() {
    let log = "cut oops\n2024-03-08T00:00:00Z oops\n2024-03-09T12:00:00Z oops\n  at oops\n";
    let since = Some(SignedDuration::from_hours(24));
    let index = simple(vec![LogQuery { since, ..query(&["oops"]) }, query(&["oops"])], log);
    let count = |q| index.answer(q).groups.first().map(|g| (g.count, g.undated, g.first_hit.line));
    assert_eq!((count(0), index.answer(0).undated), (Some((2, 0, 3)), 1));
    assert_eq!((count(1), index.answer(1).undated), (Some((4, 1, 2)), 0));
    let unknown =
        run(vec![LogQuery { since, ..query(&["oops"]) }], log.as_bytes(), Clock::default(), Limits::default());
    assert_eq!((unknown.1.answer(0).undated, unknown.1.answer(0).groups.len()), (4, 0));
}

#[test]
fn repeated_old_hits_do_not_hide_new_ones() {
    let old: String = (0..50).map(|s| format!("2024-03-01T00:00:{s:02}Z oops sda\n")).collect();
    let log = format!("{old}2024-03-09T23:00:00Z oops sda\n");
    let since = Some(SignedDuration::from_hours(24));
    let index = simple(vec![LogQuery { since, ..by("d", &[r"oops (?<d>\w+)"]) }], &log);
    let group = index.answer(0).groups.first().unwrap();
    assert_eq!((group.count, group.first_hit.line, group.captures.len(), group.all.len()), (1, 51, 1, 1));
}

#[test]
fn years_are_found_across_new_year() {
    let log = "Dec 30 10:00:00 n1 kernel: oops a\nJan 02 10:00:00 n1 kernel: oops b\n";
    let index =
        run(vec![by("x", &[r"oops (?<x>\w)"])], log.as_bytes(), clock("2024-01-05T00:00:00Z"), Limits::default()).1;
    let times: Vec<String> = index.answer(0).groups.iter().filter_map(|g| g.last).map(|t| t.to_string()).collect();
    assert_eq!(times, ["2023-12-30T10:00:00Z", "2024-01-02T10:00:00Z"]);
    assert_eq!(index.span().0.map(|t| t.to_string()).as_deref(), Some("2023-12-30T10:00:00Z"));
}

#[test]
fn logs_longer_than_a_year_keep_their_order() {
    let log = "May 01 10:00:00 n1 x: oops a\nMay 01 10:20:01 n1 x: ok\nFeb 01 10:00:00 n1 x: ok\n\
               May 02 10:00:00 n1 x: oops b\nNov 01 10:00:00 n1 x: oops a\n";
    let recent = LogQuery { since: Some(SignedDuration::from_hours(24 * 300)), ..by("x", &[r"oops (?<x>\w)"]) };
    for window in [96, 256 << 10] {
        let limits = Limits { window, line: 64 };
        let queries = vec![by("x", &[r"oops (?<x>\w)"]), recent.clone()];
        let index = run(queries, log.as_bytes(), clock("2024-12-01T00:00:00Z"), limits).1;
        let [a, b] = index.answer(0).groups.as_slice() else { panic!("{:?}", index.answer(0)) };
        assert_eq!(a.first.map(|t| t.to_string()).as_deref(), Some("2023-05-01T10:00:00Z"), "{window}");
        assert_eq!(a.last.map(|t| t.to_string()).as_deref(), Some("2024-11-01T10:00:00Z"));
        assert_eq!(b.first.map(|t| t.to_string()).as_deref(), Some("2024-05-02T10:00:00Z"));
        let counts: Vec<u64> = index.answer(1).groups.iter().map(|g| g.count).collect();
        assert_eq!(counts, [1, 1]);
        assert_eq!(index.span().0.map(|t| t.to_string()).as_deref(), Some("2023-05-01T10:00:00Z"));
    }
}

#[test]
fn newest_line_first_counts_years_backwards() {
    let log = "Nov 01 10:00:00 n1 x: oops c\nNov 01 09:00:00 n1 x: ok\nFeb 01 10:00:00 n1 x: oops b\n\
               May 01 10:00:00 n1 x: oops a\n";
    let clock = clock("2024-12-01T00:00:00Z");
    let index = run(vec![by("x", &[r"oops (?<x>\w)"])], log.as_bytes(), clock, Limits::default()).1;
    let times: Vec<String> = index.answer(0).groups.iter().filter_map(|g| g.first).map(|t| t.to_string()).collect();
    assert_eq!(times, ["2023-05-01T10:00:00Z", "2024-02-01T10:00:00Z", "2024-11-01T10:00:00Z"]);
}

#[test]
fn journal_markers_are_plain_lines() {
    let log = "-- Logs begin at Sun 2022-03-06 22:45:10 UTC, end at Tue 2022-03-22 23:56:05 UTC. --\r\n\
               Mar 06 22:45:28 n1 x: oops\r\n-- Reboot --\r\n-- Boot 0123456789abcdef0123456789abcdef --\r\noops";
    let (hits, index) = run(vec![query(&["oops$"])], log.as_bytes(), Clock::default(), Limits::default());
    let group = index.answer(0).groups.first().unwrap();
    assert_eq!((group.count, group.last_hit.line, hits.lines), (2, 5, 5));
    assert_eq!(group.last.map(|t| t.to_string()).as_deref(), Some("2022-03-06T22:45:28Z"));
    let (hits, index) = run(vec![query(&["oops"])], b"-- No entries --\n", Clock::default(), Limits::default());
    assert_eq!((hits.lines, hits.first, index.answer(0).groups.len()), (1, None, 0));
}

#[test]
fn damaged_text_is_searched() {
    let log = b"\0\0\0\0Mar 06 22:45:28 n1 x: first \xff\xfe oops\n\xe4 oops \x1b[31mred\x1b[0m\n";
    let (hits, index) =
        run(vec![query(&["first.*oops", "oops"])], log, clock("2024-03-10T00:00:00Z"), Limits::default());
    let group = index.answer(0).groups.first().unwrap();
    assert_eq!((group.count, group.undated), (2, 0));
    assert_eq!(group.last_hit.text, "\u{fffd} oops red");
    assert_eq!((hits.lines, hits.bytes), (2, log.len() as u64));
    assert_eq!(run(vec![query(&["x"])], b"", Clock::default(), Limits::default()).0.lines, 0);
}

#[test]
fn lines_that_a_filter_gives_up_are_reported() {
    let jq = |filter: &str| LogQuery { jq: Some(filter.to_owned()), ..query(&["oops"]) };
    let deep = format!("{{\"oops\": {}1{}}}\n", "[".repeat(200), "]".repeat(200));
    let log = format!("{deep}{{\"oops\": 1}}\n{{\"oops\": 2}}\noops 1\n");
    let (_, index) = run(vec![jq(".oops > 1"), jq(".oops")], log.as_bytes(), Clock::default(), Limits::default());
    let count = |query| index.answer(query).groups.first().map(|group| (group.count, group.first_hit.line));
    assert_eq!((count(0), count(1)), (Some((1, 3)), Some((2, 2))));
    let told =
        "nodes/n1.zip!/n1/logs/kernel.log has lines whose JSON is too deep for a jq filter, or takes too many steps";
    assert_eq!(index.answer(0).gaps, [told]);
    assert_eq!(index.answer(1).gaps, [told]);
    let (_, index) = run(vec![jq(".oops > 1"), jq(".oops")], b"{\"oops\": 2}\n", Clock::default(), Limits::default());
    assert!(index.answer(0).gaps.is_empty());
    let (hits, _) = run(vec![jq(".oops")], log.as_bytes(), Clock::default(), Limits::default());
    let [issue] = hits.issues.as_slice() else { panic!("{:?}", hits.issues) };
    assert_eq!(issue.kind, IssueKind::Limit);
    assert!(issue.message.to_string().starts_with("once a jq filter gave a line up"), "{}", issue.message);
    let errors = PatternSet::compile(vec![jq("halt")]).unwrap_err();
    assert!(errors[0].to_string().starts_with("jq: the function \"halt\""), "{errors:?}");
}

#[test]
fn overlong_lines_are_truncated_and_counted() {
    let log = format!("a {} oops\noops here\n{}\noops\n", "x".repeat(100_000), "y".repeat(400_000));
    let found = |line| {
        let limits = Limits { line, ..Limits::default() };
        let (hits, index) = run(vec![query(&["oops"])], log.as_bytes(), Clock::default(), limits);
        assert_eq!((hits.lines, hits.bytes), (4, log.len() as u64));
        let limit =
            hits.issues.iter().find(|issue| issue.kind == IssueKind::Limit).map(|issue| issue.message.to_string());
        let group = index.answer(0).groups.first().unwrap();
        (group.count, group.first_hit.line, limit.unwrap_or_default())
    };
    assert_eq!(found(1 << 20), (3, 1, String::new()));
    let cut = |lines: &str, bytes| format!("{lines} longer than {bytes} bytes (--max-line): the rest was not searched");
    assert_eq!(found(100_001), (2, 2, cut("2 lines are", 100_001)));
    assert_eq!(found(100_007), (3, 1, cut("1 line is", 100_007)));
}

#[test]
fn truncated_lines_leave_the_answer_incomplete() {
    let told = ["nodes/n1.zip!/n1/logs/kernel.log has lines longer than --max-line, whose rest was not searched"];
    let missing = |log: &str, queries: Vec<LogQuery>, window| {
        let count = queries.len();
        let (_, index) = run(queries, log.as_bytes(), Clock::default(), Limits { window, line: 100 });
        let answers = (0..count).map(|query| index.answer(query));
        answers.map(|answer| (answer.groups.len(), answer.gaps == told)).collect::<Vec<_>>()
    };
    let log = format!("begin {} oops\nshort\n", "x".repeat(200));
    // No hit in what was seen, perhaps one behind it; a hit before the cut; nothing to be found in the whole line; no literal.
    let queries = || vec![query(&["oops"]), query(&["^begin"]), query(&["elsewhere"]), query(&[r"\d\d"])];
    assert_eq!(missing(&log, queries(), 1000), [(0, true), (1, false), (0, false), (0, true)]);
    // The end of such a line was never held.
    assert_eq!(missing(&log, queries(), 16), [(0, true), (1, true), (0, true), (0, true)]);
    assert_eq!(missing("begin\noops\n", queries(), 1000), [(1, false), (1, false), (0, false), (0, false)]);
}

#[test]
fn an_entry_beyond_the_window_leaves_the_answer_incomplete() {
    let filler = "filler\n".repeat(100);
    let log = format!("2024-03-05T00:00:00Z begin\n{filler}oops\n2024-03-05T00:00:01Z end\n");
    let entries = |pattern: &str| LogQuery { multiline: true, ..query(&[pattern]) };
    let queries = vec![entries("begin"), entries("oops"), entries("elsewhere"), query(&["oops"])];
    let (hits, index) = run(queries, log.as_bytes(), Clock::default(), Limits { window: 64, line: 50 });
    let answers = (0..4).map(|query| (index.answer(query).groups.len(), index.answer(query).gaps.len()));
    assert_eq!(answers.collect::<Vec<_>>(), [(1, 0), (0, 1), (0, 0), (1, 0)]);
    assert!(hits.issues.iter().any(|issue| issue.message.to_string().contains("--max-line")), "{:?}", hits.issues);
}

#[test]
fn reading_errors_leave_the_answer_incomplete() {
    struct Broken<'a>(&'a [u8]);
    impl Read for Broken<'_> {
        fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
            if self.0.is_empty() { Err(std::io::Error::other("crc")) } else { self.0.read(buf) }
        }
    }
    let set = PatternSet::compile(vec![query(&["oops"])]).unwrap();
    let hits = set.scanner(&source(), "p", Clock::default()).unwrap().scan(&mut Broken(b"oops\nbroken oo"));
    assert!(hits.issues.first().is_some_and(|i| i.message.to_string().contains("after 14 bytes")), "{:?}", hits.issues);
    let index = LogIndex::build(&set, &[(source(), "p".to_owned())], vec![hits], &|_, _| None);
    assert_eq!((index.answer(0).gaps.len(), index.answer(0).groups.len()), (1, 1));
}

#[test]
fn earlier_hits_found_later_keep_both_samples() {
    let filler = "2024-03-05T00:00:00Z quiet\n".repeat(20);
    let log = format!("2024-03-05T00:00:00Z oops one\n{filler}2024-03-04T00:00:00Z oops two\n{filler}");
    let index = run(vec![query(&["oops"])], log.as_bytes(), Clock::default(), Limits { window: 256, line: 64 }).1;
    let group = index.answer(0).groups.first().unwrap();
    assert_eq!((group.first_hit.line, group.last_hit.line), (22, 1));
    assert_eq!((group.first_hit.before.len(), group.first_hit.after.len()), (2, 2));
}

#[test]
fn groups_are_bounded() {
    let log: String = (0..MAX_GROUPS + 5).map(|n| format!("oops number {n}\n")).collect();
    let (hits, index) =
        run(vec![by("n", &[r"oops number (?<n>\d+)"])], log.as_bytes(), Clock::default(), Limits::default());
    assert_eq!(index.answer(0).groups.len(), MAX_GROUPS);
    let told = "nodes/n1.zip!/n1/logs/kernel.log has more groups of matching lines than are kept, and those beyond were not counted";
    assert_eq!(index.answer(0).gaps, [told]);
    assert_eq!(hits.issues.iter().filter(|i| i.kind == IssueKind::Limit).count(), 1);
}
