//! The hot stages against what one would use otherwise, on one thread and the same bytes: dumps against `serde_yaml::Value`,
//! JSON against `serde_json::Value`, logs with 50 and with 500 patterns against `RegexSet` and against each regular expression on
//! each line.
//!
//! `cargo bench --bench references` prints bytes per second of each; the ratios are what is meant. Bundles are made, so everybody
//! measures the same: 2,000 objects, 16 MiB of logs, and patterns of which a few meet lines. `GLEANER_BUNDLE` names another bundle.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a bench without its fixture cannot run")]

mod fixture;

use std::hint::black_box;
use std::path::Path;

use criterion::measurement::WallTime;
use criterion::{BatchSize, BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use gleaner::internals::bundle::{Bundle, Limits, Role};
use gleaner::internals::log::{Clock, GroupKey, LogQuery, LogSource, PatternSet, Selector, SourceGlob, SourceOrigin};
use gleaner::internals::yaml;
use regex::bytes::{Regex, RegexSet};

type Group<'a> = BenchmarkGroup<'a, WallTime>;

struct Texts {
    dumps: Vec<String>,
    logs: Vec<Vec<u8>>,
}

fn texts() -> Texts {
    let folder = tempfile::tempdir().expect("a folder for the bundle");
    let bundle = match std::env::var_os("GLEANER_BUNDLE") {
        Some(path) => Bundle::open(Path::new(&path), Limits::default()).expect("the bundle opens"),
        None => fixture::bundle(&folder.path().join("bundle.zip"), 16 << 20),
    };
    let dumps = fixture::contents(&bundle, &|role| matches!(role, Role::Dump { .. })).into_iter();
    let dumps = dumps.map(|(.., bytes)| String::from_utf8(bytes).expect("text")).collect();
    let logs = fixture::contents(&bundle, &fixture::is_log).into_iter().map(|(.., bytes)| bytes).collect();
    Texts { dumps, logs }
}

fn dumps(group: &mut Group<'_>, dumps: &[String]) {
    group.throughput(Throughput::Bytes(dumps.iter().map(|text| text.len() as u64).sum()));
    // A document owns its text, which the program reads for it anyway.
    let ours = |text: String| yaml::parse_text(text, u64::MAX).0.roots().count();
    group.bench_function("yaml: gleaner", |b| {
        b.iter_batched(|| dumps.to_vec(), |texts| texts.into_iter().map(ours).sum::<usize>(), BatchSize::LargeInput)
    });
    let theirs = |text: &String| black_box(serde_yaml::from_str::<serde_yaml::Value>(text)).is_ok();
    group.bench_function("yaml: serde_yaml::Value", |b| b.iter(|| dumps.iter().filter(|text| theirs(text)).count()));
}

fn json(group: &mut Group<'_>, dumps: &[String]) {
    // A dump of a bundle of one's own may be no YAML.
    let to_json = |text: &String| {
        let value: serde_json::Value = serde_yaml::from_str(text).ok()?;
        serde_json::to_string_pretty(&value).ok()
    };
    let texts: Vec<String> = dumps.iter().filter_map(to_json).collect();
    group.throughput(Throughput::Bytes(texts.iter().map(|text| text.len() as u64).sum()));
    let ours = |text: String| yaml::parse_text(text, u64::MAX).0.roots().count();
    group.bench_function("json: gleaner", |b| {
        b.iter_batched(|| texts.clone(), |texts| texts.into_iter().map(ours).sum::<usize>(), BatchSize::LargeInput)
    });
    let theirs = |text: &String| black_box(serde_json::from_str::<serde_json::Value>(text)).is_ok();
    group.bench_function("json: serde_json::Value", |b| b.iter(|| texts.iter().filter(|text| theirs(text)).count()));
}

/// Patterns as rules have them: a literal of some length, captures, now and then alternatives.
fn patterns(count: usize) -> Vec<String> {
    let words = ["volume", "replica", "webhook", "etcd", "lease", "snapshot", "engine", "certificate", "node", "mount"];
    let pattern = |n: usize| {
        let (a, b) = (words[n % words.len()], words[n / words.len() % words.len()]);
        match n % 4 {
            0 => format!("failed to {a} the {b} (?<name>[a-z0-9-]+) after {n}"),
            1 => format!("{a} {b}-{n} is (?:not ready|unknown)"),
            2 => format!("(?i)error: {a} of {b} number {n}"),
            _ => format!("cannot {a}.*because {b} {n}"),
        }
    };
    (0..count).map(pattern).collect()
}

fn pattern_set(patterns: &[String]) -> PatternSet {
    let everywhere = Selector { any: vec![SourceGlob::default()] };
    let query = |pattern: &String| LogQuery {
        selector: everywhere.clone(),
        patterns: vec![pattern.clone()],
        by: vec![GroupKey::Source],
        ..LogQuery::default()
    };
    PatternSet::compile(patterns.iter().map(query).collect()).expect("patterns")
}

fn logs(group: &mut Group<'_>, logs: &[Vec<u8>]) {
    group.throughput(Throughput::Bytes(logs.iter().map(|bytes| bytes.len() as u64).sum()));
    for count in [50, 500] {
        let set = pattern_set(&patterns(count));
        let source = || LogSource { entry: "log".into(), origin: SourceOrigin::File };
        let scan = |bytes: &Vec<u8>| {
            set.scanner(&source(), "log", Clock::default())
                .map_or(0, |scanner| scanner.scan(&mut bytes.as_slice()).lines)
        };
        group.bench_function(format!("log: gleaner, {count} patterns"), |b| {
            b.iter(|| logs.iter().map(scan).sum::<u64>())
        });
    }
    let lines = || logs.iter().flat_map(|bytes| bytes.split(|byte| *byte == b'\n'));
    let set = RegexSet::new(patterns(50)).expect("patterns");
    group
        .bench_function("log: RegexSet, 50 patterns", |b| b.iter(|| lines().filter(|line| set.is_match(line)).count()));
    let each: Vec<Regex> = patterns(50).iter().map(|pattern| Regex::new(pattern).expect("a pattern")).collect();
    let matches = |line: &&[u8]| each.iter().any(|regex| regex.is_match(line));
    group.bench_function("log: one by one, 50 patterns", |b| b.iter(|| lines().filter(matches).count()));
}

fn references(criterion: &mut Criterion) {
    let texts = texts();
    let mut group = criterion.benchmark_group("references");
    group.sample_size(10);
    dumps(&mut group, &texts.dumps);
    json(&mut group, &texts.dumps);
    logs(&mut group, &texts.logs);
    group.finish();
}

criterion_group!(benches, references);
criterion_main!(benches);
