//! Bytes per second of each stage on a generated bundle: load rules, open and read, parse, scan, templates
//! of logs without patterns, evaluate, render, and all.
//!
//! `cargo bench` prints all of them; `cargo bench -- parse` one. The bundle is the same in every run:
//! 3 nodes, 2,000 objects, 32 MiB of logs, with the fault that makes rules fire. `parse`, `scan` and `templates` run on one
//! thread, so that they tell the cost of the code; the others use all cores as the program does. `evaluate` runs all
//! rules over indexes that are ready, and counts the bytes of the dumps they were made of.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a bench without its fixture cannot run")]

mod fixture;
#[path = "fixture/source.rs"]
mod source;

use std::hint::black_box;
use std::io::Read;
use std::path::PathBuf;

use criterion::measurement::WallTime;
use criterion::{BatchSize, BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use gleaner::internals::bundle::{Bundle, Limits, Role};
use gleaner::internals::eval;
use gleaner::internals::log::{Clock, LogSource, PatternSet};
use gleaner::internals::pipeline::{self, Options};
use gleaner::internals::report::{self, Audience, Format};
use gleaner::internals::rule::{RuleSet, Streams, compile, load};
use gleaner::internals::yaml;
use gleaner::model::Lang;

struct Fixture {
    _folder: tempfile::TempDir,
    path: PathBuf,
    rules: RuleSet,
    dumps: Vec<Vec<u8>>,
    logs: Vec<(LogSource, String, Vec<u8>)>,
}

impl Fixture {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder for the bundle");
        let path = folder.path().join("bundle.zip");
        let bundle = fixture::bundle(&path, 32 << 20);
        let dumps = fixture::contents(&bundle, &|role| matches!(role, Role::Dump { .. }));
        let dumps = dumps.into_iter().map(|(.., bytes)| bytes).collect();
        let logs = fixture::contents(&bundle, &fixture::is_log);
        let logs = logs.into_iter().map(|(role, path, bytes)| (source::source(&role, &path), path, bytes)).collect();
        Self { _folder: folder, path, rules: rules(), dumps, logs }
    }

    fn open(&self) -> Bundle {
        Bundle::open(&self.path, Limits::default()).expect("it opens")
    }

    fn dump_bytes(&self) -> Throughput {
        Throughput::Bytes(self.dumps.iter().map(|bytes| bytes.len() as u64).sum())
    }

    fn log_bytes(&self) -> Throughput {
        Throughput::Bytes(self.logs.iter().map(|(.., bytes)| bytes.len() as u64).sum())
    }

    fn all_bytes(&self) -> Throughput {
        Throughput::Bytes(self.open().entries().iter().map(|entry| entry.size).sum())
    }
}

fn rules() -> RuleSet {
    let loaded = load::embedded();
    let streams = Streams::parse(loaded.streams).expect("streams");
    compile(loaded.sources, &streams).expect("rules")
}

type Group<'a> = BenchmarkGroup<'a, WallTime>;

fn load_rules(group: &mut Group<'_>) {
    let bytes = load::embedded().sources.iter().map(|source| source.text.len() as u64).sum();
    group.throughput(Throughput::Bytes(bytes)).bench_function("rules", |b| b.iter(rules));
}

fn read(group: &mut Group<'_>, fixture: &Fixture) {
    group.throughput(fixture.all_bytes()).bench_function("read", |b| {
        b.iter(|| {
            fixture.open().read(&|_| true, &|_, reader| {
                black_box(std::io::copy(&mut reader.take(u64::MAX), &mut std::io::sink()).unwrap_or(0));
            })
        });
    });
}

fn parse(group: &mut Group<'_>, fixture: &Fixture) {
    let texts = || fixture.dumps.clone();
    let parsed = |texts: Vec<Vec<u8>>| texts.into_iter().map(|text| yaml::parse(text).0).collect::<Vec<_>>();
    group.throughput(fixture.dump_bytes()).bench_function("parse", |b| {
        b.iter_batched(texts, parsed, BatchSize::PerIteration);
    });
}

fn scan(group: &mut Group<'_>, fixture: &Fixture) {
    let patterns = PatternSet::compile(fixture.rules.queries.clone()).expect("patterns");
    let lines = |(source, path, bytes): &(LogSource, String, Vec<u8>)| {
        let scanner = patterns.scanner(source, path, Clock::default())?;
        Some(scanner.scan(&mut bytes.as_slice()).lines)
    };
    group.throughput(fixture.log_bytes()).bench_function("scan", |b| {
        b.iter(|| fixture.logs.iter().filter_map(lines).sum::<u64>());
    });
}

fn templates(group: &mut Group<'_>, fixture: &Fixture) {
    let mut patterns = PatternSet::compile(Vec::new()).expect("no patterns");
    patterns.mine();
    let lines = |(source, path, bytes): &(LogSource, String, Vec<u8>)| {
        let scanner = patterns.scanner(source, path, Clock::default())?;
        Some(scanner.scan(&mut bytes.as_slice()).lines)
    };
    group.throughput(fixture.log_bytes()).bench_function("templates", |b| {
        b.iter(|| fixture.logs.iter().filter_map(lines).sum::<u64>());
    });
}

fn evaluate(group: &mut Group<'_>, fixture: &Fixture) {
    let input = pipeline::prepare(&fixture.open(), &fixture.rules, Options::default(), &());
    group.throughput(fixture.dump_bytes()).bench_function("evaluate", |b| {
        b.iter(|| eval::evaluate(&fixture.rules, &input, Lang::En).findings.len());
    });
}

fn render(group: &mut Group<'_>, fixture: &Fixture) {
    let analysis = pipeline::analyze(&fixture.open(), &fixture.rules, Options::default(), &());
    for format in [Format::Html, Format::Json] {
        let rendered = || {
            let mut out = Vec::new();
            report::render(&analysis, format, Audience::Support, None, &mut out).expect("it renders");
            out
        };
        group.throughput(Throughput::Bytes(rendered().len() as u64));
        group.bench_function(format!("render {}", format.as_str()), |b| b.iter(rendered));
    }
}

fn analyze(group: &mut Group<'_>, fixture: &Fixture) {
    group.throughput(fixture.all_bytes()).bench_function("analyze", |b| {
        b.iter(|| pipeline::analyze(&fixture.open(), &fixture.rules, Options::default(), &()));
    });
}

fn stages(criterion: &mut Criterion) {
    let fixture = Fixture::new();
    let mut group = criterion.benchmark_group("stages");
    group.sample_size(10);
    load_rules(&mut group);
    read(&mut group, &fixture);
    parse(&mut group, &fixture);
    scan(&mut group, &fixture);
    templates(&mut group, &fixture);
    evaluate(&mut group, &fixture);
    render(&mut group, &fixture);
    analyze(&mut group, &fixture);
    group.finish();
}

criterion_group!(benches, stages);
criterion_main!(benches);
