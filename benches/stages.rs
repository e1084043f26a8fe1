//! Bytes per second of each stage on a generated bundle: open and read, parse, scan, evaluate, render.
//!
//! `cargo bench` prints all of them; `cargo bench -- parse` one. The bundle is the same in every run:
//! 3 nodes, 2,000 objects, 32 MiB of logs.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a bench without its fixture cannot run")]

use std::hint::black_box;
use std::io::Read;
use std::path::PathBuf;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gleaner::bundle::{Bundle, Limits, Role};
use gleaner::generate::{self, Layout, Scenario};
use gleaner::log::{Clock, LogSource, PatternSet, SourceOrigin};
use gleaner::pipeline::{self, Options};
use gleaner::report::{self, Format};
use gleaner::rule::{RuleSet, Streams, compile, load};
use gleaner::yaml;

struct Fixture {
    _folder: tempfile::TempDir,
    path: PathBuf,
    rules: RuleSet,
    dumps: Vec<Vec<u8>>,
    logs: Vec<(LogSource, String, Vec<u8>)>,
}

fn fixture() -> Fixture {
    let folder = tempfile::tempdir().expect("a folder for the bundle");
    let path = folder.path().join("bundle.zip");
    let options = generate::Options {
        layout: Layout::Harvester,
        nodes: 3,
        objects: 2_000,
        log_bytes: 32 << 20,
        seed: 1,
        scenario: Scenario::Healthy,
    };
    generate::generate_to(&options, path.to_str().expect("a path in UTF-8")).expect("a bundle");
    let bundle = Bundle::open(&path, Limits::default()).expect("it opens");
    let loaded = load::embedded();
    let streams = Streams::parse(loaded.streams).expect("streams");
    let rules = compile(loaded.sources, &streams).expect("rules");
    let dumps =
        contents(&bundle, &|role| matches!(role, Role::Dump { .. })).into_iter().map(|(.., bytes)| bytes).collect();
    let logs = contents(&bundle, &|role| matches!(role, Role::PodLog { .. } | Role::NodeLog { .. }));
    let logs = logs.into_iter().map(|(role, path, bytes)| (source(&role, &path), path, bytes)).collect();
    Fixture { _folder: folder, path, rules, dumps, logs }
}

fn contents(bundle: &Bundle, wanted: &(dyn Fn(&Role) -> bool + Sync)) -> Vec<(Role, String, Vec<u8>)> {
    let found = std::sync::Mutex::new(Vec::new());
    bundle.read(&|entry| wanted(&entry.role), &|entry, reader| {
        let mut bytes = Vec::new();
        let _ = reader.read_to_end(&mut bytes);
        found.lock().expect("no panic").push((entry.role.clone(), entry.logical.to_string(), bytes));
    });
    found.into_inner().expect("no panic")
}

fn source(role: &Role, path: &str) -> LogSource {
    let origin = match role.clone() {
        Role::PodLog { namespace, pod, container, previous } => {
            SourceOrigin::Container { namespace, pod, container, previous }
        }
        Role::NodeLog { node, unit, .. } => SourceOrigin::Unit { node, unit },
        _ => SourceOrigin::File,
    };
    LogSource { entry: path.into(), origin }
}

fn stages(criterion: &mut Criterion) {
    let fixture = fixture();
    let bytes = |parts: &mut dyn Iterator<Item = usize>| Throughput::Bytes(parts.sum::<usize>() as u64);
    let dumps = bytes(&mut fixture.dumps.iter().map(Vec::len));
    let logs = bytes(&mut fixture.logs.iter().map(|(.., b)| b.len()));
    let bundle = Bundle::open(&fixture.path, Limits::default()).expect("it opens");
    let all = Throughput::Bytes(bundle.entries().iter().map(|e| e.size).sum());

    let mut group = criterion.benchmark_group("stages");
    group.sample_size(10);
    group.throughput(all.clone()).bench_function("read", |b| {
        b.iter(|| {
            let bundle = Bundle::open(&fixture.path, Limits::default()).expect("it opens");
            bundle.read(&|_| true, &|_, reader| {
                black_box(std::io::copy(&mut reader.take(u64::MAX), &mut std::io::sink()).unwrap_or(0));
            })
        });
    });
    group.throughput(dumps).bench_function("parse", |b| {
        b.iter(|| fixture.dumps.iter().map(|d| yaml::parse(d.clone()).0.roots().count()).sum::<usize>());
    });
    let patterns = PatternSet::compile(fixture.rules.queries.clone()).expect("patterns");
    group.throughput(logs).bench_function("scan", |b| {
        b.iter(|| {
            let scan = |(source, path, bytes): &(LogSource, String, Vec<u8>)| {
                let scanner = patterns.scanner(source, path, Clock { now: None })?;
                Some(scanner.scan(&mut bytes.as_slice()).lines)
            };
            fixture.logs.iter().filter_map(scan).sum::<u64>()
        });
    });
    group.throughput(all.clone()).bench_function("analyze", |b| {
        b.iter(|| pipeline::analyze(&bundle, &fixture.rules, Options::default(), &()));
    });
    let analysis = pipeline::analyze(&bundle, &fixture.rules, Options::default(), &());
    for format in [Format::Html, Format::Json] {
        let mut size = Vec::new();
        report::render(&analysis, format, &mut size).expect("it renders");
        group.throughput(Throughput::Bytes(size.len() as u64));
        group.bench_function(format!("render {}", format.as_str()), |b| {
            b.iter(|| {
                let mut out = Vec::with_capacity(size.len());
                report::render(&analysis, format, &mut out).expect("it renders");
                out
            });
        });
    }
    group.finish();
}

criterion_group!(benches, stages);
criterion_main!(benches);
