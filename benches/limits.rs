//! What each stage reaches beside what the machine allows, as a Markdown table: bytes a second of the stage and of the least work that any
//! reader of the same bytes must do, on one thread, in turn.
//!
//! `benches/limits.sh` prints it together with the comparisons with other programs. `GLEANER_BUNDLE` names another bundle than the made one (2,000
//! objects, 32 MiB of logs), a zip.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a bench without its fixture cannot run, and prints"
)]

mod fixture;
#[path = "fixture/source.rs"]
mod source;

use std::fs::File;
use std::hint::black_box;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use gleaner::internals::bundle::{Bundle, Limits, Role};
use gleaner::internals::log::{Clock, LogSource, PatternSet};
use gleaner::internals::rule::{Streams, compile, load};
use gleaner::internals::yaml;
use libdeflater::Decompressor;
use zip::ZipArchive;

/// Runs of each side of a row.
const RUNS: usize = 9;
/// Runs of programs, which take milliseconds.
const STARTS: usize = 25;

fn main() {
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    one_thread.install(|| {
        let folder = tempfile::tempdir().expect("a folder for the bundle");
        let path = bundle(folder.path());
        let bundle = Bundle::open(&path, Limits::default()).expect("it opens");
        println!("| stage | MB | limit | MB/s of it | MB/s reached | share |\n|---|---|---|---|---|---|");
        read(&path);
        dumps(&bundle);
        logs(&bundle);
        start();
    });
}

fn bundle(folder: &Path) -> PathBuf {
    if let Some(path) = std::env::var_os("GLEANER_BUNDLE") {
        return path.into();
    }
    let path = folder.join("bundle.zip");
    fixture::bundle(&path, 32 << 20);
    path
}

/// Entries in memory are inflated by the library alone, and read from the file by the program.
fn read(path: &Path) {
    let entries = packed(path);
    let inflate = || {
        let mut library = Decompressor::new();
        let sizes = entries.iter().map(|(packed, size)| {
            let mut out = vec![0; *size];
            library.deflate_decompress(packed, &mut out).expect("a whole entry")
        });
        black_box(sizes.sum::<usize>());
    };
    let open = || {
        let bundle = Bundle::open(path, Limits::default()).expect("it opens");
        bundle.read(&|_| true, &|_, reader| {
            black_box(io::copy(&mut reader.take(u64::MAX), &mut io::sink()).unwrap_or(0));
        });
    };
    let limit = (entries.iter().map(|(_, size)| size).sum(), seconds(RUNS, [&inflate, &open]));
    let bytes: u64 = Bundle::open(path, Limits::default()).expect("it opens").entries().iter().map(|e| e.size).sum();
    row("open and read", "inflate with libdeflate", limit, bytes as usize);
}

/// Returns the deflated entries, each with its size.
fn packed(path: &Path) -> Vec<(Vec<u8>, usize)> {
    let mut archive = ZipArchive::new(File::open(path).expect("a bundle")).expect("a zip");
    let mut found = Vec::new();
    for index in 0..archive.len() {
        let mut entry = archive.by_index_raw(index).expect("an entry");
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).expect("bytes");
        if entry.compression() == zip::CompressionMethod::Deflated {
            found.push((bytes, entry.size() as usize));
        }
    }
    found
}

fn dumps(bundle: &Bundle) {
    let dumps = fixture::contents(bundle, &|role| matches!(role, Role::Dump { .. }));
    let texts: Vec<String> = dumps.into_iter().filter_map(|(.., bytes)| String::from_utf8(bytes).ok()).collect();
    parse("dumps, YAML", &texts);
    let to_json = |text: &String| {
        let value: serde_json::Value = serde_yaml::from_str(text).ok()?;
        serde_json::to_string_pretty(&value).ok()
    };
    parse("dumps, JSON", &texts.iter().filter_map(to_json).collect::<Vec<_>>());
}

/// Whoever reads lines must check that they are text and find their ends.
fn parse(stage: &str, texts: &[String]) {
    let least = || {
        let lines = texts.iter().map(|text| {
            let text = std::str::from_utf8(text.as_bytes()).expect("text");
            memchr::memchr_iter(b'\n', text.as_bytes()).count()
        });
        black_box(lines.sum::<usize>());
    };
    let read = || {
        let read = texts.iter().map(|text| yaml::parse_text(text.clone(), u64::MAX).0.roots().count());
        black_box(read.sum::<usize>());
    };
    let bytes = texts.iter().map(String::len).sum();
    row(stage, "UTF-8 and line ends", (bytes, seconds(RUNS, [&least, &read])), bytes);
}

fn logs(bundle: &Bundle) {
    let logs = fixture::contents(bundle, &fixture::is_log);
    let logs: Vec<(LogSource, String, Vec<u8>)> =
        logs.into_iter().map(|(role, path, bytes)| (source::source(&role, &path), path, bytes)).collect();
    let loaded = load::embedded();
    let rules = compile(loaded.sources, &Streams::parse(loaded.streams).expect("streams")).expect("rules");
    let of_rules = || PatternSet::compile(rules.queries.clone()).expect("patterns");
    let mut alone = PatternSet::compile(Vec::new()).expect("no patterns");
    alone.mine();
    let mut both = of_rules();
    both.mine();
    let least = || {
        black_box(logs.iter().map(|(.., bytes)| memchr::memchr_iter(b'\n', bytes).count()).sum::<usize>());
    };
    let bytes = logs.iter().map(|(.., bytes)| bytes.len()).sum();
    for (stage, set) in [("logs, all rules", &of_rules()), ("logs, templates", &alone), ("logs, both", &both)] {
        let scan = || {
            let lines = logs.iter().filter_map(|(source, path, bytes)| {
                let scanner = set.scanner(source, path, Clock::default())?;
                Some(scanner.scan(&mut bytes.as_slice()).lines)
            });
            black_box(lines.sum::<u64>());
        };
        row(stage, "line ends", (bytes, seconds(RUNS, [&least, &scan])), bytes);
    }
}

/// Times of programs stand for themselves: a process that does nothing, and the shortest that ours does.
fn start() {
    let run = |program: &str, arguments: &[&str]| {
        let mut command = Command::new(program);
        let status = command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).status();
        black_box(status.is_ok());
    };
    let gleaner = env!("CARGO_BIN_EXE_gleaner");
    let healthy = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/healthy");
    let report = tempfile::tempdir().expect("a folder for the report");
    let report = report.path().join("report.json");
    let analyze = ["analyze", healthy, "--quiet", "-o", report.to_str().expect("a path in UTF-8")];
    println!("\n| process | `true` | it |\n|---|---|---|");
    for arguments in [&["--version"][..], &analyze] {
        let [nothing, ours] = seconds(STARTS, [&|| run("true", &[]), &|| run(gleaner, arguments)]);
        let name = arguments.first().unwrap_or(&"");
        println!("| gleaner {name} | {:.1} ms | {:.1} ms |", nothing * 1e3, ours * 1e3);
    }
}

/// Returns the medians of two things that are run in turn.
fn seconds(runs: usize, sides: [&dyn Fn(); 2]) -> [f64; 2] {
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..runs {
        for (side, times) in sides.iter().zip(&mut times) {
            let begin = Instant::now();
            side();
            times.push(begin.elapsed().as_secs_f64());
        }
    }
    times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        times.get(runs / 2).copied().unwrap_or_default()
    })
}

fn row(stage: &str, limit: &str, (least_bytes, [least, reached]): (usize, [f64; 2]), bytes: usize) {
    let rate = |bytes: usize, seconds: f64| bytes as f64 / seconds / 1e6;
    let (most, own) = (rate(least_bytes, least), rate(bytes, reached));
    println!("| {stage} | {:.1} | {limit} | {most:.0} | {own:.0} | {:.0} % |", bytes as f64 / 1e6, 100.0 * own / most);
}
