//! The slow way, for tests to compare with: every line, every pattern; no window, no literals, no memory.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use regex::bytes::{Captures, Regex, RegexBuilder};

use super::{clock, query, run};
use crate::log::group::hit_group::HitGroup;
use crate::log::pattern::query::{GroupKey, LogQuery};
use crate::log::scan::scanner::Limits;
use crate::log::source::line;
use crate::log::time::clock::Clock;
use crate::log::time::dating::state::Dating;

/// What must be the same of a [`HitGroup`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Expected {
    count: u64,
    undated: u64,
    first: Option<Timestamp>,
    last: Option<Timestamp>,
    first_line: u64,
    last_line: u64,
    captures: BTreeMap<String, String>,
    all: BTreeMap<String, BTreeSet<String>>,
}

impl From<&HitGroup> for Expected {
    fn from(group: &HitGroup) -> Self {
        Self {
            count: group.count,
            undated: group.undated,
            first: group.first,
            last: group.last,
            first_line: group.first_hit.line,
            last_line: group.last_hit.line,
            captures: group.captures.clone(),
            all: group.all.clone(),
        }
    }
}

/// Groups of one query in one source, and how many hits had no time for `since`.
fn groups(query: &LogQuery, log: &[u8], clock: Clock, max: usize) -> (BTreeMap<Vec<String>, Expected>, u64) {
    let compile = |text: &String| RegexBuilder::new(text).unicode(false).build().unwrap();
    let patterns: Vec<Regex> = query.patterns.iter().map(compile).collect();
    let except: Vec<Regex> = query.except.iter().map(compile).collect();
    let (log, numbers) = cleaned(log);
    let log = log.as_slice();
    let mut dating = Dating::new(clock, false);
    dating.enter(log, 0..log.len());
    let (mut found, mut undated) = (BTreeMap::<Vec<String>, Expected>::new(), 0);
    for (range, number) in line::ranges(log, 0).zip(numbers) {
        let text = &log[line::text(log, range.clone(), max).0];
        let time = dating.time_of(log, range, None);
        let Some((pattern, captures)) = patterns.iter().find_map(|p| Some((p, p.captures(text)?))) else { continue };
        if except.iter().any(|e| e.is_match(text)) {
            continue;
        }
        match (query.since, clock.now, time) {
            (Some(since), Some(now), Some(time)) if time < now - since => continue,
            (Some(_), None, _) | (Some(_), _, None) => {
                undated += 1;
                continue;
            }
            _ => {}
        }
        let values = named(pattern, &captures);
        let key = |key: &GroupKey| match key {
            GroupKey::Capture(name) => values.get(name).cloned().unwrap_or_default(),
            _ => String::new(),
        };
        let group = found.entry(query.by.iter().map(key).collect()).or_default();
        add(group, values, time, number);
    }
    (found, undated)
}

/// Lines that end where their writer ended them or went back to their beginning, and their numbers.
fn cleaned(log: &[u8]) -> (Vec<u8>, Vec<u64>) {
    let ends = Regex::new(r"(?-u)\r|\x00{2,}").unwrap();
    let (mut text, mut numbers) = (Vec::new(), Vec::new());
    for (number, line) in (1..).zip(log.split_inclusive(|b| *b == b'\n')) {
        let ended = line.ends_with(b"\n");
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let parts = ends.split(line).map(|part| part.iter().copied().filter(|b| *b != 0).collect::<Vec<u8>>());
        let mut parts: Vec<Vec<u8>> = parts.filter(|part| !part.is_empty()).collect();
        if parts.is_empty() && ended {
            parts.push(Vec::new());
        }
        numbers.extend(parts.iter().map(|_| number));
        text.extend(parts.join(&b'\n'));
        text.extend(ended.then_some(b'\n'));
    }
    (text, numbers)
}

fn named(pattern: &Regex, captures: &Captures<'_>) -> BTreeMap<String, String> {
    let value = |name: &str| Some(String::from_utf8_lossy(captures.name(name)?.as_bytes()).into_owned());
    pattern.capture_names().flatten().filter_map(|name| Some((name.to_owned(), value(name)?))).collect()
}

fn add(group: &mut Expected, values: BTreeMap<String, String>, time: Option<Timestamp>, number: u64) {
    group.count += 1;
    group.undated += u64::from(time.is_none());
    for (name, value) in &values {
        group.all.entry(name.clone()).or_default().insert(value.clone());
    }
    if group.count == 1 || time.is_some_and(|time| group.first.is_none_or(|first| time < first)) {
        (group.first, group.first_line) = (time, number);
    }
    if time >= group.last {
        (group.last, group.last_line, group.captures) = (time, number, values);
    }
}

/// Text of few words, so that patterns often match, in long and short lines.
fn logs() -> impl Strategy<Value = Vec<u8>> {
    let words = "lost|leader|LOST|Leader| | |at|7|42|error|disk|(device sda)|(device sdb)|\r|\u{e4}|\0|Leaderlost|lease|\
                 lost lease 7|LOST leader at|disk (device sdc)|leader elected";
    let words = prop::sample::select(words.split('|').collect::<Vec<_>>());
    let stamp = prop::option::of((0u32..28, 0u32..60)).prop_map(|s| match s {
        Some((day, minute)) => format!("2024-03-{:02}T10:{minute:02}:00.5Z ", day + 1),
        None => String::new(),
    });
    let line = (stamp, prop::collection::vec(words, 0..12)).prop_map(|(s, w)| s + &w.concat());
    prop::collection::vec(line, 0..40).prop_map(|lines| lines.join("\n").into_bytes())
}

const WITH_LITERAL: [&str; 16] = [
    r"lost",
    r"(?i)lost (?<n>\d+)",
    r"(?<who>lost|leader) ",
    r"(?i:l)eader(?<n>\d*)",
    r"^at",
    r"disks?",
    r"(?<who>[Ll]eader)lost",
    r"\(device (?<n>\w+)\)",
    r"leader|error.*(?<n>42)",
    r"(?<n>\d)(?:at|disk)?lost",
    r"lost lease (?<n>\d)",
    r"(?i)lost leader at",
    r"disk \(device (?<who>sd[a-c])\)",
    r"(?:leader elected|Leaderlost)+(?<n>\d?)",
    r"[Ll]eader [ea]\w+",
    r"\x00|\xe4lease",
];
const WITHOUT_LITERAL: [&str; 2] = [r".", r"\d+$"];

fn queries() -> impl Strategy<Value = Vec<LogQuery>> {
    let with = prop::sample::select(WITH_LITERAL.to_vec());
    let either = prop_oneof![20 => with.clone(), 1 => prop::sample::select(WITHOUT_LITERAL.to_vec())];
    let parts =
        (prop::collection::vec(either, 1..4), prop::option::of(with), prop::option::of(1i64..400), any::<bool>());
    prop::collection::vec(
        parts.prop_map(|(patterns, except, hours, group)| {
            let captures = |name: &str| patterns.iter().any(|p| p.contains(&format!("<{name}>")));
            let keys = ["n", "who"].into_iter().filter(|name| group && captures(name));
            LogQuery {
                except: except.into_iter().map(str::to_owned).collect(),
                since: hours.map(SignedDuration::from_hours),
                by: keys.map(|name| GroupKey::Capture(name.to_owned())).collect(),
                ..query(&patterns)
            }
        }),
        1..5,
    )
}

/// A query that never matches; its many long literals change how all literals are searched for.
fn crowd() -> LogQuery {
    let patterns: Vec<String> = (0..30).map(|n| format!("lost member number {n} of the crowd")).collect();
    query(&patterns.iter().map(String::as_str).collect::<Vec<_>>())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn results_equal_the_reference_implementation(log in logs(), queries in queries(), window in 160usize..700, crowded in any::<bool>()) {
        let clock = clock("2024-03-29T00:00:00Z");
        let limits = Limits { window, line: window / 4 };
        let searched = queries.iter().cloned().chain(crowded.then(crowd)).collect();
        let (hits, index) = run(searched, &log, clock, limits);
        for (id, query) in queries.iter().enumerate() {
            let (expected, undated) = groups(query, &log, clock, limits.line);
            let found: BTreeMap<Vec<String>, Expected> =
                index.answer(id).groups.iter().map(|g| (g.key.clone(), Expected::from(g.as_ref()))).collect();
            prop_assert_eq!(found, expected);
            prop_assert_eq!(index.answer(id).undated, undated);
        }
        prop_assert_eq!(hits.lines, cleaned(&log).1.last().copied().unwrap_or(0));
        prop_assert_eq!(hits.bytes, log.len() as u64);
    }
}
