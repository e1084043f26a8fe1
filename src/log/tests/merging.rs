//! What the index makes of several sources.

use std::sync::Arc;

use jiff::SignedDuration;

use super::{by, query};
use crate::log::group::hit_group::Sample;
use crate::log::group::index::LogIndex;
use crate::log::group::source_hits::SourceHits;
use crate::log::pattern::query::{AtLeast, Counting, GroupKey, LogQuery};
use crate::log::pattern::set::PatternSet;
use crate::log::source::origin::{LogSource, SourceOrigin};
use crate::log::time::clock::Clock;

fn pod(name: &str, previous: bool) -> LogSource {
    let suffix = if previous { ".log.1" } else { ".log" };
    let entry = format!("logs/storage/{name}/main{suffix}").into();
    let (namespace, container) = ("storage".to_owned(), "main".to_owned());
    LogSource { entry, origin: SourceOrigin::Container { namespace, pod: name.to_owned(), container, previous } }
}

fn node(name: &str) -> LogSource {
    let origin = SourceOrigin::Unit { node: name.to_owned(), unit: "kubelet".to_owned() };
    LogSource { entry: format!("nodes/{name}.zip!/{name}/logs/kubelet.log").into(), origin }
}

fn ran_on(_: &str, pod: &str) -> Option<String> {
    (pod != "lost").then(|| format!("node-of-{pod}"))
}

/// Scans the logs and merges what they gave in the given order and reversed.
fn merged(queries: Vec<LogQuery>, logs: &[(LogSource, &str)]) -> LogIndex {
    let set = PatternSet::compile(queries).unwrap();
    let scan = |(source, log): &(LogSource, &str)| {
        set.scanner(source, &source.entry, Clock::default()).map(|scanner| scanner.scan(&mut log.as_bytes()))
    };
    let hits: Vec<SourceHits> = logs.iter().filter_map(scan).collect();
    let sources: Vec<(LogSource, String)> = logs.iter().map(|(s, _)| (s.clone(), s.entry.to_string())).collect();
    let index = LogIndex::build(&set, &sources, hits.clone(), &ran_on);
    let reversed = LogIndex::build(&set, &sources, hits.into_iter().rev().collect(), &ran_on);
    assert_eq!(format!("{index:?}"), format!("{reversed:?}"));
    index
}

fn keys(index: &LogIndex, query: usize) -> Vec<String> {
    index.answer(query).groups.iter().map(|group| group.key.join("|")).collect()
}

#[test]
fn groups_of_several_sources_become_one() {
    let logs = [
        (pod("b", false), "2024-03-01T00:00:01Z lost sda 1\n2024-03-01T00:00:09Z lost sda 2\n"),
        (pod("a", false), "2024-03-01T00:00:05Z lost sda 3\nlost sda 4\n2024-03-01T00:00:07Z lost sdb 5\n"),
        (pod("a", true), "lost sda 6\n"),
    ];
    let index = merged(vec![by("disk", &[r"lost (?<disk>\w+) (?<n>\d)"])], &logs);
    let [sda, _] = index.answer(0).groups.as_slice() else { panic!("{:?}", index.answer(0)) };
    assert_eq!((sda.count, sda.undated), (5, 1));
    assert_eq!((&*sda.first_hit.entry, sda.first_hit.line), ("logs/storage/b/main.log", 1));
    assert_eq!((&*sda.last_hit.entry, sda.last_hit.line), ("logs/storage/b/main.log", 2));
    assert_eq!((sda.captures.get("n").map(String::as_str), sda.all.get("n").map(|n| n.len())), (Some("2"), Some(5)));
    assert_eq!((sda.node.as_deref(), sda.pod.as_deref()), (Some("node-of-b"), Some("storage/b")));
    assert_eq!(index.answer(0).sources, 3);
    let text = |time: Option<jiff::Timestamp>| time.map(|t| t.to_string());
    assert_eq!(text(index.span().0).as_deref(), Some("2024-03-01T00:00:01Z"));
    assert_eq!(text(index.answer(0).covered.1).as_deref(), Some("2024-03-01T00:00:09Z"));
}

#[test]
fn keys_name_nodes_pods_and_sources() {
    let logs = [(pod("b", false), "oops x\n"), (pod("lost", false), "oops x\n"), (node("n1"), "oops x\noops y\n")];
    let with = |by: Vec<GroupKey>| LogQuery { by, ..query(&[r"oops (?<w>\w)"]) };
    let capture = GroupKey::Capture("w".to_owned());
    let queries = vec![
        with(vec![GroupKey::Node, capture.clone()]),
        with(vec![GroupKey::Pod]),
        with(vec![GroupKey::Source]),
        with(vec![]),
        with(vec![capture, GroupKey::Pod]),
    ];
    let index = merged(queries, &logs);
    assert_eq!(keys(&index, 0), ["|x", "n1|x", "n1|y", "node-of-b|x"]);
    assert_eq!(keys(&index, 1), ["", "storage/b", "storage/lost"]);
    assert_eq!(keys(&index, 2).len(), 3);
    assert_eq!(keys(&index, 3), [""]);
    assert_eq!(index.answer(3).groups.first().map(|g| g.count), Some(4));
    assert_eq!(keys(&index, 4), ["x|", "x|storage/b", "x|storage/lost", "y|"]);
}

#[test]
fn at_least_counts_over_all_sources() {
    let logs = [(pod("a", false), "oops a 1\noops a 2\noops b 1\n"), (pod("b", false), "oops a 2\noops b 1\n")];
    let enough = |at_least| LogQuery {
        counting: Counting { at_least: Some(at_least), ..Counting::default() },
        ..by("k", &[r"oops (?<k>\w) (?<n>\d)"])
    };
    let distinct = |n| AtLeast::Distinct("n".to_owned(), n);
    let queries = vec![enough(AtLeast::Hits(3)), enough(AtLeast::Hits(4)), enough(distinct(2)), enough(distinct(3))];
    let index = merged(queries, &logs);
    assert_eq!(
        [keys(&index, 0), keys(&index, 1), keys(&index, 2), keys(&index, 3)],
        [vec!["a"], vec![], vec!["a"], vec![]]
    );
}

#[test]
fn an_interval_shows_its_own_lines() {
    let logs = [
        (pod("a", false), "2024-03-01T09:00:00Z oops 1\n2024-03-01T10:00:00Z oops 2\n2024-03-01T10:02:00Z oops 4\n"),
        (pod("b", false), "oops 9\n2024-03-01T10:01:00Z oops 3\n2024-03-01T11:00:00Z oops 5\n"),
    ];
    let within = LogQuery {
        counting: Counting {
            at_least: Some(AtLeast::Hits(3)),
            within: Some(SignedDuration::from_mins(2)),
            max: Some("n".to_owned()),
            distinct: None,
        },
        ..query(&[r"oops (?<n>\d)"])
    };
    let mut narrow = within.clone();
    narrow.counting.within = Some(SignedDuration::from_secs(119));
    let index = merged(vec![within, narrow], &logs);
    let [group] = index.answer(0).groups.as_slice() else { panic!("{:?}", index.answer(0)) };
    let place = |sample: &Sample| (sample.entry.to_string(), sample.line, sample.text.clone());
    let a = |line, text: &str| ("logs/storage/a/main.log".to_owned(), line, text.to_owned());
    assert_eq!(place(&group.first_hit), a(2, "2024-03-01T10:00:00Z oops 2"));
    assert_eq!(place(&group.last_hit), a(3, "2024-03-01T10:02:00Z oops 4"));
    assert_eq!(group.last_hit.before, ["2024-03-01T09:00:00Z oops 1", "2024-03-01T10:00:00Z oops 2"]);
    assert_eq!((group.count, group.undated, index.answer(0).undated), (3, 0, 1));
    assert_eq!(group.largest.as_ref().map(|largest| largest.value), Some(4.0));
    assert!(index.answer(1).groups.is_empty());
}

#[test]
fn more_hits_than_are_kept_leave_the_answer_incomplete() {
    let log: String = (0..10_050).map(|n| format!("2024-03-01T{:02}:{:02}:00Z oops\n", n / 60 % 24, n % 60)).collect();
    let within = LogQuery {
        counting: Counting {
            at_least: Some(AtLeast::Hits(9_999_999)),
            within: Some(SignedDuration::from_mins(2)),
            ..Counting::default()
        },
        ..query(&["oops"])
    };
    let index = merged(vec![within], &[(pod("a", false), log.as_str())]);
    assert!(index.answer(0).groups.is_empty());
    let told = "only the last matching lines of logs/storage/a/main.log were considered";
    assert_eq!(index.answer(0).gaps, [told]);
    assert!(
        index.issues().iter().any(|issue| issue.message.to_string().contains("only the last 10000")),
        "{:?}",
        index.issues()
    );
}

#[test]
fn many_distinct_values_count_but_are_not_all_kept() {
    let log: String = (0..150).map(|n| format!("oops {n}\n")).collect();
    let wanted = |n| LogQuery {
        counting: Counting { at_least: Some(AtLeast::Distinct("n".to_owned(), n)), ..Counting::default() },
        ..query(&[r"oops (?<n>\d+)"])
    };
    let index = merged(vec![wanted(150), wanted(151)], &[(pod("a", false), log.as_str())]);
    let group = index.answer(0).groups.first().unwrap();
    assert_eq!((group.count, group.all.get("n").map(|n| n.len())), (150, Some(100)));
    assert!(index.answer(1).groups.is_empty());
}

#[test]
fn sources_that_were_not_read_leave_the_answer_incomplete() {
    let set = PatternSet::compile(vec![query(&["oops"])]).unwrap();
    let sources = [(pod("a", false), "p".to_owned())];
    let mut index = LogIndex::build(&set, &sources, Vec::new(), &ran_on);
    assert_eq!(index.answer(0).gaps, ["logs/storage/a/main.log was not read"]);
    index.add_missing(0, "nodes/n2.zip is not in the bundle".into());
    assert_eq!((index.answer(0).gaps.len(), index.answer(0).sources), (2, 1));
    assert_eq!(index.answer(7).sources, 0);
}

#[test]
fn scanners_work_in_parallel() {
    let set = Arc::new(PatternSet::compile(vec![by("n", &[r"oops (?<n>\d+)"])]).unwrap());
    let workers: Vec<_> = (0..4)
        .map(|worker| {
            let set = Arc::clone(&set);
            std::thread::spawn(move || {
                let log = format!("oops {worker}\n");
                set.scanner(&pod("a", false), "p", Clock::default()).map(|s| s.scan(&mut log.as_bytes()).lines)
            })
        })
        .collect();
    assert!(workers.into_iter().all(|worker| worker.join().unwrap() == Some(1)));
}
