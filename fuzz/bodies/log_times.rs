//! Times of logs: the first byte chooses zone and kind of source, the rest is the log. Whatever it is, its numbers of
//! lines, its times and its order agree with each other.

use gleaner::internals::log::{
    Clock, GroupKey, LogIndex, LogQuery, LogSource, PatternSet, Selector, SourceGlob, SourceOrigin,
};
use jiff::{SignedDuration, Timestamp};
use std::sync::OnceLock;

static SET: OnceLock<PatternSet> = OnceLock::new();

/// Runs one input.
pub fn run(bytes: &[u8]) {
    let Some((choice, log)) = bytes.split_first() else { return };
    let set = SET.get_or_init(|| PatternSet::compile(queries()).expect("they compile"));
    let now: Option<Timestamp> = (choice & 1 == 0).then(|| "2024-03-10T00:00:00Z".parse().expect("a time"));
    let zone = (choice & 2 == 0).then_some(i32::from(*choice) * 300);
    let clock = Clock { now, zone, boot: now.filter(|_| choice & 64 == 0) };
    let source = LogSource { entry: "a.log".into(), origin: origin(*choice) };
    let Some(scanner) = set.scanner(&source, "a.log", clock) else { return };
    let hits = scanner.max_line(1 << 10).scan(&mut &*log);
    let (lines, first, last) = (hits.lines, hits.first, hits.last);
    assert!(hits.complete && hits.bytes == log.len() as u64 && lines <= log.len() as u64);
    assert!(first <= last && first.is_some() == last.is_some());
    assert!(last.zip(now).is_none_or(|(last, now)| last <= now + SignedDuration::from_hours(24)));
    let index = LogIndex::build(set, &[(source, "a.log".to_owned())], vec![hits], &|_, _| None);
    for id in 0..index.queries() {
        let answer = index.answer(id);
        for group in &answer.groups {
            assert!(group.undated <= group.count && group.first <= group.last);
            assert!((1..=lines).contains(&group.first_hit.line) && (1..=lines).contains(&group.last_hit.line));
            let shown = [&group.first_hit, &group.last_hit];
            assert!(shown.iter().all(|sample| !sample.text.contains(char::is_control)));
        }
        assert!(answer.hits.is_sorted() && answer.hits.iter().all(|hit| (1..=lines).contains(&hit.line)));
    }
}

fn origin(choice: u8) -> SourceOrigin {
    let container = |container: &str| SourceOrigin::Container {
        namespace: "shop".to_owned(),
        pod: "web-0".to_owned(),
        container: container.to_owned(),
        previous: false,
    };
    match choice & 12 {
        0 => SourceOrigin::File,
        4 => container("web"),
        8 => container(""),
        _ => SourceOrigin::Unit { node: "n1".to_owned(), unit: "kernel".to_owned() },
    }
}

/// One of each kind, all of which find most lines.
fn queries() -> Vec<LogQuery> {
    let plain = LogQuery {
        selector: Selector { any: vec![SourceGlob::default()] },
        patterns: vec!["(?<x>[a-z0-9])".to_owned()],
        ..LogQuery::default()
    };
    let mut within = plain.clone();
    within.counting.within = Some(SignedDuration::from_mins(5));
    vec![
        plain.clone(),
        within,
        LogQuery { by: vec![GroupKey::Capture("x".to_owned())], ..plain.clone() },
        LogQuery { single: true, ..plain.clone() },
        LogQuery { multiline: true, ..plain.clone() },
        LogQuery { boot_current: true, since: Some(SignedDuration::from_hours(24)), ..plain },
    ]
}
