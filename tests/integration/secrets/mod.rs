//! Secrets of every form in every kind of place: no output shows one, whatever rules read.

mod forms;
mod places;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use aho_corasick::AhoCorasick;
use serde_json::Value;

use self::forms::Secrets;
use self::places::{RULES, kit, rancher, rules};
use crate::harness::{files_below, gleaner_in, kubectl, tar_gz, zip};

/// Outputs by their name.
struct Outputs(BTreeMap<String, Vec<u8>>);

impl Outputs {
    /// Runs the program and keeps what it prints.
    fn run(&mut self, folder: &Path, args: &[&str]) -> i32 {
        let answer = gleaner_in(folder, args);
        let name = args.join(" ");
        assert!(matches!(answer.code, 0 | 1), "{name}: {}", answer.stderr);
        self.0.insert(format!("stdout of {name}"), answer.stdout.into_bytes());
        self.0.insert(format!("stderr of {name}"), answer.stderr.into_bytes());
        answer.code
    }

    /// Keeps the files of a folder that the program wrote.
    fn keep(&mut self, folder: &Path) {
        self.0.extend(files_below(folder));
    }

    /// Fails if a trace of a secret is found; says which and where.
    fn assert_without(&self, secrets: &Secrets) {
        let traces = secrets.traces();
        let search = AhoCorasick::new(&traces).unwrap();
        let mut shown = Vec::new();
        for (name, bytes) in &self.0 {
            let found = search.find_iter(bytes).map(|found| {
                let near = found.start().saturating_sub(100)..(found.end() + 30).min(bytes.len());
                format!("{name}: {}", String::from_utf8_lossy(&bytes[near]))
            });
            shown.extend(found.take(400));
        }
        assert!(shown.is_empty(), "{} traces:\n{}", shown.len(), shown.join("\n"));
    }
}

const REPORTS: [&str; 7] = ["r.html", "r.json", "r.md", "r.jira", "r.sarif", "r.xml", "r.txt"];

fn analyse(outputs: &mut Outputs, folder: &Path, bundle: &str) {
    let mut args = vec!["analyze", bundle, "--rules", "rules", "--no-default-rules"];
    fs::create_dir_all(folder.join("out")).unwrap();
    let files = REPORTS.map(|file| format!("out/{bundle}.{file}"));
    args.extend(files.iter().flat_map(|file| ["-o", file]));
    outputs.run(folder, &args);
    outputs.run(folder, &["analyze", bundle, "--rules", "rules", "--no-default-rules", "-o", "-", "--format", "text"]);
}

/// Number of findings by rule.
fn fired(folder: &Path, bundle: &str) -> BTreeMap<String, usize> {
    let report = fs::read(folder.join(format!("out/{bundle}.r.json"))).unwrap();
    let report: Value = serde_json::from_slice(&report).unwrap();
    let mut counts = BTreeMap::new();
    for finding in report["findings"].as_array().unwrap() {
        *counts.entry(finding["rule"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    counts
}

#[test]
fn no_output_shows_a_secret() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    rules(&folder.join("rules"));
    let mut secrets = Secrets::default();
    let all: Vec<usize> = (0..Secrets::forms()).collect();
    zip(&folder.join("kit.zip"), "supportbundle_c_2024-05-06T07-08-09Z", &kit(&mut secrets, &all));
    tar_gz(&folder.join("rancher.tar.gz"), "cp1-2025-03-06_10_15_30", &rancher(&mut secrets, &all));
    assert!(secrets.made.len() > 1_000, "{}", secrets.made.len());
    let mut outputs = Outputs(BTreeMap::new());
    analyse(&mut outputs, folder, "kit.zip");
    analyse(&mut outputs, folder, "rancher.tar.gz");
    let (of_kit, of_rancher) = (fired(folder, "kit.zip"), fired(folder, "rancher.tar.gz"));
    for (rule, ..) in RULES {
        let count = of_kit.get(rule).or(of_rancher.get(rule)).copied().unwrap_or(0);
        assert!(
            count >= all.len() || (rule == "c-file" && count >= forms::DOCUMENTS.len()),
            "{rule} fired {count} times"
        );
        let bundle = if of_kit.contains_key(rule) { "kit.zip" } else { "rancher.tar.gz" };
        outputs.run(folder, &["rules", "explain", rule, bundle, "--rules", "rules"]);
    }
    outputs.keep(&folder.join("out"));
    outputs.assert_without(&secrets);
}

#[test]
fn samples_differences_and_stores_show_no_secret() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    rules(&folder.join("rules"));
    let mut secrets = Secrets::default();
    let some: Vec<usize> = (0..Secrets::forms()).step_by(6).collect();
    fs::create_dir_all(folder.join("in")).unwrap();
    for name in ["a", "b"] {
        let files = kit(&mut secrets, &some);
        zip(&folder.join(format!("in/{name}.zip")), &format!("supportbundle_{name}_2024-05-06T07-08-09Z"), &files);
    }
    let mut outputs = Outputs(BTreeMap::new());
    fs::create_dir_all(folder.join("out")).unwrap();
    for rule in ["c-configmap", "c-log", "c-release", "c-pod"] {
        outputs.run(
            folder,
            &[
                "sample",
                "--rule",
                rule,
                "-o",
                &format!("out/{rule}"),
                "in/a.zip",
                "--rules",
                "rules",
                "--no-default-rules",
            ],
        );
    }
    for file in ["out/d.json", "out/d.txt", "out/d.md", "out/d.html"] {
        outputs.run(folder, &["diff", "in/a.zip", "in/b.zip", "-o", file, "--rules", "rules"]);
    }
    let store = ["--store", "store.db"];
    let run = |outputs: &mut Outputs, args: &[&str]| outputs.run(folder, &[&["triage"], args, &store].concat());
    run(&mut outputs, &["in", "--rules", "rules", "--no-default-rules"]);
    run(&mut outputs, &["query"]);
    run(&mut outputs, &["query", "--rule", "c-configmap"]);
    run(&mut outputs, &["query", "--templates"]);
    run(&mut outputs, &["query", "--known"]);
    run(&mut outputs, &["report", "--html", "out/pages"]);
    for table in ["findings", "bundles", "outcomes"] {
        for ending in ["csv", "jsonl"] {
            run(&mut outputs, &["export", "--table", table, "-o", &format!("out/{table}.{ending}")]);
        }
    }
    if cfg!(feature = "parquet") {
        run(&mut outputs, &["export", "-o", "out/findings.parquet"]);
    }
    outputs.0.insert("store".to_owned(), everything_in(&folder.join("store.db")));
    outputs.keep(&folder.join("out"));
    outputs.assert_without(&secrets);
}

#[test]
fn questions_and_drafts_show_no_secret() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut secrets = Secrets::default();
    let all: Vec<usize> = (0..Secrets::forms()).collect();
    zip(&folder.join("kit.zip"), "supportbundle_c_2024-05-06T07-08-09Z", &kit(&mut secrets, &all));
    tar_gz(&folder.join("rancher.tar.gz"), "cp1-2025-03-06_10_15_30", &rancher(&mut secrets, &all));
    let mut outputs = Outputs(BTreeMap::new());
    for question in [
        "get kit.zip pods,configmaps,secrets,settings.harvesterhci.io",
        "get kit.zip pods,configmaps,secrets,settings.harvesterhci.io -o yaml",
        "get kit.zip pods,configmaps,secrets,settings.harvesterhci.io -o json",
        "get kit.zip pods -o jsonpath={.items[*].spec.containers[*].args[*]}{.items[*].spec.containers[*].env[*].value}",
        "get kit.zip cm -o custom-columns=A:.data.text,B:.metadata.annotations,C:.data.inner",
        "get rancher.tar.gz robots.example.org,pods -o yaml",
        "get rancher.tar.gz robots.example.org,pods -o wide",
        "describe kit.zip pods",
        "describe kit.zip configmaps -n demo",
        "describe rancher.tar.gz pods",
        "logs kit.zip demo/web/app",
        "logs kit.zip node/n1 -o json",
        "grep kit.zip canary",
        "grep kit.zip canary -C 2 -o json",
        "events kit.zip",
        "events kit.zip -o json",
        "timeline kit.zip",
    ] {
        outputs.run(folder, &question.split(' ').collect::<Vec<_>>());
    }
    if let Some(kubectl) = kubectl() {
        for asked in [
            "get pods,configmaps,secrets,events,settings.harvesterhci.io -A -o yaml",
            "get pods,configmaps,settings.harvesterhci.io -A -o wide",
            "describe pods,configmaps -n demo",
            "logs -n demo web -c app",
        ] {
            let served = ["serve", "kit.zip", "--", kubectl.to_str().unwrap(), "--cache-dir", "kubectl-cache"];
            outputs.run(folder, &served.into_iter().chain(asked.split(' ')).collect::<Vec<_>>());
        }
    }
    for line in (1..=all.len()).step_by(7) {
        let (id, place) = (format!("draft-{line}"), format!("logs/demo/p0/c.log:{line}"));
        outputs.run(folder, &["rules", "new", &id, "--from", "kit.zip", &place, "--dir", "drafts"]);
    }
    outputs.keep(&folder.join("drafts"));
    outputs.assert_without(&secrets);
}

/// Returns all values of all tables of a store.
fn everything_in(store: &Path) -> Vec<u8> {
    let store = rusqlite::Connection::open(store).unwrap();
    let mut tables = store.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").unwrap();
    let tables: Vec<String> = tables.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    let mut all = Vec::new();
    for table in tables {
        let mut rows = store.prepare(&format!("SELECT * FROM \"{table}\"")).unwrap();
        let columns = rows.column_count();
        let mut rows = rows.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            for column in 0..columns {
                use rusqlite::types::ValueRef;
                match row.get_ref(column).unwrap() {
                    ValueRef::Text(bytes) | ValueRef::Blob(bytes) => all.extend_from_slice(bytes),
                    _ => {}
                }
                all.push(b'\n');
            }
        }
    }
    assert!(all.len() > 10_000, "{} bytes in the store", all.len());
    all
}
