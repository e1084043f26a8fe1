//! Logs whose lines are in another order than most, or begin in the middle of one.

use jiff::SignedDuration;

use super::{by, clock, query, run, simple};
use crate::log::group::hit_group::HitGroup;
use crate::log::group::index::LogIndex;
use crate::log::group::source_hits::SourceHits;
use crate::log::pattern::query::{AtLeast, Counting, GroupKey, LogQuery};
use crate::log::pattern::set::PatternSet;
use crate::log::scan::scanner::Limits;
use crate::log::source::origin::{LogSource, SourceOrigin};
use crate::log::time::clock::Clock;

fn unit(node: &str, unit: &str, file: &str) -> LogSource {
    let origin = SourceOrigin::Unit { node: node.to_owned(), unit: unit.to_owned() };
    LogSource { entry: format!("nodes/{node}.zip!/{node}/logs/{file}").into(), origin }
}

fn container(pod: &str, container: &str) -> LogSource {
    let (namespace, container) = ("shop".to_owned(), container.to_owned());
    let origin = SourceOrigin::Container { namespace, pod: pod.to_owned(), container, previous: false };
    LogSource { entry: format!("podlogs/shop-{pod}").into(), origin }
}

fn indexed(queries: Vec<LogQuery>, logs: &[(LogSource, &str)], clock: Clock) -> LogIndex {
    let mut set = PatternSet::compile(queries).unwrap();
    let sources: Vec<(LogSource, String)> = logs.iter().map(|(s, _)| (s.clone(), s.entry.to_string())).collect();
    set.expect(&sources);
    let scan = |(source, log): &(LogSource, &str)| {
        set.scanner(source, &source.entry, clock).map(|scanner| scanner.scan(&mut log.as_bytes()))
    };
    let hits: Vec<SourceHits> = logs.iter().filter_map(scan).collect();
    LogIndex::build(&set, &sources, hits, &|_, _| Some("n1".to_owned()))
}

fn text(time: Option<jiff::Timestamp>) -> String {
    time.map_or_else(|| "none".to_owned(), |time| time.to_string())
}

fn span(index: &LogIndex) -> String {
    let (from, to) = index.span();
    format!("{} {}", text(from), text(to))
}

const REVERSED: &str = "-- Logs begin at Sun 2024-03-03 22:45:10 UTC, end at Wed 2024-03-06 23:56:05 UTC. --\n\
    Mar 06 10:00:09 n1 x[1]: oops d\nMar 06 10:00:09 n1 x[1]: oops c\nMar 06 10:00:00 n1 x[1]: fine\n-- Reboot --\n\
    Mar 05 10:00:00 n1 x[1]: oops b\n    more of it\nMar 05 09:59:00 n1 x[1]: oops a\n";

#[test]
fn the_newest_line_may_come_first() {
    let within = |seconds, count| LogQuery {
        counting: Counting {
            at_least: Some(AtLeast::Hits(count)),
            within: Some(SignedDuration::from_secs(seconds)),
            ..Counting::default()
        },
        ..query(&["oops"])
    };
    let index = simple(vec![query(&[r"oops (?<x>\w)"]), within(60, 2), within(59, 3), query(&["more"])], REVERSED);
    let group = index.answer(0).groups.first().unwrap();
    assert_eq!((text(group.first), text(group.last)), ("2024-03-05T09:59:00Z".into(), "2024-03-06T10:00:09Z".into()));
    assert_eq!((group.first_hit.line, group.last_hit.line, group.count), (8, 3, 4));
    assert_eq!(group.last_hit.after, ["Mar 06 10:00:00 n1 x[1]: fine", "-- Reboot --"]);
    assert_eq!((index.answer(1).groups.len(), index.answer(2).groups.len()), (1, 0));
    assert_eq!(text(index.answer(3).groups[0].first), "2024-03-05T10:00:00Z");
    assert_eq!(span(&index), "2024-03-05T09:59:00Z 2024-03-06T10:00:09Z");
}

#[test]
fn lines_of_one_second_keep_their_order() {
    let single = LogQuery { single: true, ..query(&[r"oops (?<x>\w)"]) };
    let index = simple(vec![single], REVERSED);
    let hits = &index.answer(0).hits;
    let order: Vec<&str> = hits.iter().filter_map(|hit| hit.captures.get("x")).map(String::as_str).collect();
    assert_eq!(order, ["a", "b", "c", "d"]);
    assert!(hits[3].follows(&hits[2]) && !hits[2].follows(&hits[3]));
    assert_eq!((hits[3].line, hits[2].line), (2, 3));
}

#[test]
fn boots_are_found_between_reversed_lines() {
    let current = LogQuery { boot_current: true, ..by("x", &[r"oops (?<x>\w)"]) };
    let late = LogQuery { after_boot: Some(SignedDuration::from_secs(5)), ..current.clone() };
    let undated = "oops new\n-- Reboot --\noops old\n";
    let logs = [(unit("n1", "kubelet", "kubelet.log"), REVERSED)];
    let index = indexed(vec![current.clone(), late], &logs, clock("2024-03-10T00:00:00Z"));
    let keys = |query: usize| index.answer(query).groups.iter().map(|group| group.key.join("")).collect::<Vec<_>>();
    assert_eq!((keys(0), keys(1)), (vec!["c".to_owned(), "d".to_owned()], vec!["c".to_owned(), "d".to_owned()]));
    let index = indexed(vec![current], &[(unit("n1", "x", "x.log"), undated)], Clock::default());
    let found: Vec<&String> = index.answer(0).groups.iter().flat_map(|group| &group.key).collect();
    assert_eq!(found, ["o"], "without times the order is taken to be that of most logs");
}

#[test]
fn a_line_that_was_cut_off_at_its_beginning_has_no_time() {
    for (log, line) in [
        ("r 06 22:07:48 n1 agent[7]: oops time=\"2021-01-01T00:00:00Z\"\nMar 06 22:07:49 n1 agent[7]: oops\n", 2),
        ("\u{fffd}06T22:07:48Z oops [2021-01-01 00:00:00]\n2024-03-06T22:07:49Z oops\n", 2),
        ("\ttime=\"2021-01-01T00:00:00Z\" oops\n2024-03-06T22:07:49+00:00 oops\n", 2),
    ] {
        let recent = LogQuery { since: Some(SignedDuration::from_hours(24 * 365 * 9)), ..query(&["oops"]) };
        let index = simple(vec![query(&["oops"]), recent], log);
        let group = index.answer(0).groups.first().unwrap();
        assert_eq!((group.count, group.undated, group.last_hit.line), (2, 1, line), "{log}");
        assert_eq!(text(group.first), "2024-03-06T22:07:49Z");
        assert_eq!((index.answer(1).groups[0].count, index.answer(1).undated), (1, 1));
        assert_eq!(text(index.answer(0).covered.0), "2024-03-06T22:07:49Z");
    }
    let whole = "time=\"2024-03-06T22:07:48Z\" oops\ntime=\"2024-03-06T22:07:49Z\" oops\n";
    assert_eq!(simple(vec![query(&["oops"])], whole).answer(0).groups[0].undated, 0);
}

#[test]
fn notes_of_journalctl_are_no_text() {
    let notes = [
        "-- No entries --\n",
        "-- Logs begin at Sun 2024-03-03 22:45:10 UTC, end at Wed 2024-03-06 23:56:05 UTC. --\n",
        "-- Reboot --\n-- Boot 0123456789abcdef0123456789abcdef --\n",
        "Hint: You are currently not seeing messages from other users and the system.\n-- No entries --\n",
        "",
    ];
    for log in notes {
        let (hits, index) = run(vec![query(&["[a-zA-Z]"])], log.as_bytes(), Clock::default(), Limits::default());
        let answer = index.answer(0);
        assert!(answer.groups.is_empty() && answer.gaps.is_empty() && answer.undated == 0, "{log}");
        assert_eq!((answer.sources, answer.covered, hits.complete), (1, (None, None), true), "{log}");
    }
    let multiline = LogQuery { multiline: true, ..query(&["(?s)panic.*Reboot"]) };
    let log = "Mar 06 10:00:00 n1 x: panic\n-- Reboot --\nMar 06 10:01:00 n1 x: on\n";
    assert!(simple(vec![multiline], log).answer(0).groups.is_empty());
}

#[test]
fn logs_of_several_containers_in_one_file() {
    let web = "2024-03-06T10:00:00Z web starts\n2024-03-06T12:00:00Z web: oops a\n\tat x.go:1 oops b\n";
    let sidecar =
        "sidecar banner oops c\ntime=\"2024-03-06T09:00:00Z\" msg=\"oops d\"\ntime=\"2024-03-06T11:00:00Z\" msg=end\n";
    let plain = format!("{}oops e\n", "plain\n".repeat(150));
    let log = [web, sidecar, &plain].concat();
    let found = |log: &str| {
        let index = indexed(
            vec![by("x", &[r"oops (?<x>\w)"])],
            &[(container("web-0", ""), log)],
            clock("2024-03-10T00:00:00Z"),
        );
        let of = |group: &HitGroup| format!("{} {}", group.key.join(""), text(group.first));
        (index.answer(0).groups.iter().map(|group| of(group)).collect::<Vec<_>>(), span(&index))
    };
    let (times, span) = found(&log);
    assert_eq!(times, ["a 2024-03-06T12:00:00Z", "b none", "c none", "d 2024-03-06T09:00:00Z", "e none"]);
    assert_eq!(span, "2024-03-06T09:00:00Z 2024-03-06T12:00:00Z");
    assert_eq!(found(web).0, ["a 2024-03-06T12:00:00Z", "b 2024-03-06T12:00:00Z"]);
    let dumped = "==== START logs for container a of pod shop/web-0 ====\n2024-03-06T10:00:00Z oops a\n\
                  ==== END logs for container a of pod shop/web-0 ====\n==== START logs for container b of pod shop/web-0 ====\noops b\n";
    assert_eq!(found(dumped).0, ["a 2024-03-06T10:00:00Z", "b none"]);
}

#[test]
fn a_container_that_begins_in_the_middle_of_a_large_file_is_covered() {
    let line = |hour: usize, n: usize| {
        format!("2024-03-06T{hour:02}:{:02}:{:02}Z line {n} {}\n", n / 60 % 60, n % 60, "x".repeat(40))
    };
    let log: String = (0..3000).map(|n| line(12, n)).chain((0..3000).map(|n| line(9, n))).collect();
    let (hits, _) = run(vec![query(&["never"])], log.as_bytes(), clock("2024-03-10T00:00:00Z"), Limits::default());
    assert_eq!((text(hits.first), text(hits.last)), ("2024-03-06T09:00:00Z".into(), "2024-03-06T12:49:59Z".into()));
}

#[test]
fn traces_belong_to_the_line_before_within_limits() {
    let trace = |lines: usize| format!("2024-03-06T10:00:00Z panic\n{}oops\n", "\tat x.go\n".repeat(lines));
    let first = |log: &str| text(simple(vec![query(&["oops"])], log).answer(0).groups[0].first);
    assert_eq!(first(&trace(900)), "2024-03-06T10:00:00Z");
    assert_eq!(first(&trace(1100)), "none");
    // What is found does not hang on what else is looked for.
    let often = format!("2024-03-06T10:00:00Z panic\n{}oops\n", "\tat y.go\n".repeat(1100));
    let index = simple(vec![query(&["oops"]), query(&["at y"])], &often);
    assert_eq!((text(index.answer(0).groups[0].first), index.answer(1).groups[0].undated > 0), ("none".into(), true));
}

#[test]
fn files_without_times_are_reported() {
    let within = LogQuery {
        counting: Counting {
            within: Some(SignedDuration::from_mins(5)),
            at_least: Some(AtLeast::Hits(2)),
            ..Counting::default()
        },
        ..query(&["oops"])
    };
    let single = LogQuery { single: true, ..query(&["oops"]) };
    let since = LogQuery { since: Some(SignedDuration::from_hours(24)), ..query(&["oops"]) };
    let index = simple(vec![query(&["oops"]), within, single, since], "oops\nfine\noops\n");
    assert_eq!((index.answer(0).groups[0].count, index.answer(0).groups[0].undated), (2, 2));
    for query in 1..4 {
        assert!(index.answer(query).groups.is_empty() && index.answer(query).hits.is_empty());
        assert_eq!(index.answer(query).undated, 2);
    }
}

#[test]
fn stray_dates_do_not_stretch_what_is_covered() {
    let lines = "2024-03-06T10:00:00Z a\n2024-03-06T11:00:00Z b\n";
    for stray in ["1970-01-01T00:00:07Z", "2001-01-01T00:00:07Z", "2099-01-01T00:00:07Z"] {
        for log in [
            format!("{stray} oops\n{lines}"),
            format!("{lines}{stray} oops\n{lines}"),
            format!("{lines}{stray} oops\n"),
        ] {
            let index = simple(vec![query(&["oops"])], &log);
            assert_eq!(span(&index), "2024-03-06T10:00:00Z 2024-03-06T11:00:00Z", "{log}");
            assert_eq!(text(index.answer(0).groups[0].first), stray, "the line keeps its own");
        }
    }
}

#[test]
fn a_journal_in_local_time() {
    let log = "Mar 06 18:00:00 n1 rke2[7]: time=\"2024-03-06T10:00:00Z\" level=info msg=a\n\
               Mar 06 18:00:01 n1 rke2[7]: time=\"2024-03-06T10:00:01Z\" level=info msg=b\n\
               Mar 06 18:00:02 n1 rke2[7]: time=\"2024-03-06T10:00:02Z\" level=info msg=c\n\
               Mar 06 18:00:03 n1 rke2[7]: oops\n";
    let first = |logs: &[(LogSource, &str)], clock| {
        let index = indexed(vec![query(&["oops"])], logs, clock);
        (text(index.answer(0).groups[0].last), index.issues().iter().map(|i| i.message.to_string()).collect::<Vec<_>>())
    };
    let journal = |log| [(unit("n1", "rke2-server", "rke2-server.log"), log)];
    let (utc, east) = ("2024-03-06T18:00:03Z".to_owned(), "2024-03-06T10:00:03Z".to_owned());
    assert_eq!(first(&journal(log), clock("2024-03-10T00:00:00Z")), (east.clone(), vec![]), "by lines with two stamps");
    let bare = "Mar 06 18:00:03 n1 rke2[7]: oops\n";
    assert_eq!(first(&journal(bare), clock("2024-03-10T00:00:00Z")), (utc.clone(), vec![]));
    let host = Clock { zone: Some(8 * 3600), ..clock("2024-03-10T00:00:00Z") };
    assert_eq!(first(&journal(bare), host), (east.clone(), vec![]), "by the host");
    let [journal] = journal(bare);
    let pod = (container("web-0", "web"), "2024-03-06T18:00:00.1+08:00 x\n");
    let told = "logs of node n1 name no time zone and were read as UTC, but containers on it write +08:00: times of its logs may be wrong by that";
    assert_eq!(first(&[journal, pod], clock("2024-03-10T00:00:00Z")), (utc, vec![told.to_owned()]));
    // The clock of the host is not that of a container.
    let klog = [(container("web-0", "web"), "I0306 18:00:03.5 7 a.go:1] oops\n")];
    assert_eq!(first(&klog, host).0, "2024-03-06T18:00:03.5Z");
}

#[test]
fn lines_with_a_year_date_the_others() {
    let journal = "Dec 31 23:59:58 n1 rke2[7]: time=\"2021-12-31T23:59:58Z\" msg=a\nDec 31 23:59:59 n1 rke2[7]: time=\"2021-12-31T23:59:59Z\" msg=b\n\
                   Dec 31 23:59:59 n1 rke2[7]: time=\"2021-12-31T23:59:59Z\" msg=c\nJan 01 00:00:01 n1 rke2[7]: oops\n";
    let klog = "{\"ts\":\"2021-12-31T23:59:50Z\",\"msg\":\"x\"}\nI1231 23:59:58.5 7 a.go:1] x\nE0101 00:00:01.0 7 a.go:1] oops\n";
    for (log, clock) in
        [(journal, clock("2024-03-10T00:00:00Z")), (journal, Clock::default()), (klog, Clock::default())]
    {
        let index = run(vec![query(&["oops"])], log.as_bytes(), clock, Limits::default()).1;
        assert_eq!(text(index.answer(0).groups[0].first), "2022-01-01T00:00:01Z", "{log}");
    }
    let nothing = run(vec![query(&["oops"])], b"Jan 01 00:00:01 n1 x: oops\n", Clock::default(), Limits::default()).1;
    assert_eq!(nothing.answer(0).groups[0].undated, 1);
}

#[test]
fn generations_of_a_log_are_one_stream() {
    let lines = |day: usize| {
        format!("Mar {day:02} 10:00:00 n1 kernel: oops {day}\nMar {day:02} 10:00:01 n1 kernel: oops again\n")
    };
    let (old, new) = (lines(5), lines(6));
    let both = [old.clone(), new.clone()].concat();
    let logs = [
        (unit("n1", "messages", "messages"), new.as_str()),
        (unit("n1", "messages", "messages-20240306.xz!/messages-20240306"), old.as_str()),
        (unit("n1", "messages", "scc.txz!/scc/messages.txt"), both.as_str()),
    ];
    let single = LogQuery { single: true, ..query(&["oops"]) };
    let source = LogQuery { by: vec![GroupKey::Node], ..query(&["oops"]) };
    let index = indexed(vec![query(&["oops"]), single, source], &logs, clock("2024-03-10T00:00:00Z"));
    let group = index.answer(0).groups.first().unwrap();
    assert_eq!(
        (group.count, text(group.first), text(group.last)),
        (4, "2024-03-05T10:00:00Z".into(), "2024-03-06T10:00:01Z".into())
    );
    assert_eq!(index.answer(1).hits.len(), 4);
    assert!(index.answer(1).hits.is_sorted());
    assert_eq!(index.answer(2).groups[0].count, 4);
}
