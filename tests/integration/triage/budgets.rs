//! A bundle that takes too much is stopped, a worker that ends is replaced, and both are recorded.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use super::archive::Archive;
use super::rows::ask;

/// What analyses may take here: a worker with the built-in rules takes 130 MiB in a debug build, one that has read `large.zip` 290 MiB.
pub const BUDGET: &str = "210MiB";

/// A bundle that needs more memory than [`BUDGET`]: `large.zip`.
pub fn put_large(archive: &Archive) {
    let lines: String = (0..160_000).map(|n| format!("- metadata: {{name: o{n}, namespace: demo}}\n")).collect();
    let dump = format!("apiVersion: v1\nkind: ConfigMapList\nitems:\n{lines}").into_bytes();
    let files = [("yamls/namespaced/demo/v1/configmaps.yaml".to_owned(), dump)];
    crate::harness::zip(&archive.put("large.zip", b""), "b", &files);
}

#[test]
fn a_bundle_over_its_memory_is_stopped_and_the_others_are_analysed() {
    let archive = Archive::empty();
    let path = archive.put_bundle("small.zip", "troubleshoot");
    fs::copy(path, archive.tickets().join("zz-same.zip")).unwrap();
    put_large(&archive);
    let summary = archive.triage("s.db", &["--bundle-memory", BUDGET, "--jobs", "1"]);
    assert!(summary.contains("over_memory"), "{summary}");
    let rows = || ask(&archive.path("s.db"), "SELECT path, status FROM bundles ORDER BY path");
    assert_eq!(rows(), ["large.zip|over_memory", "small.zip|analysed", "zz-same.zip|analysed"]);
    let summary = archive.triage("s.db", &[]);
    assert!(summary.contains(": 3 unchanged\n"), "what was stopped is not tried again: {summary}");
    archive.triage("s.db", &["--retry"]);
    assert_eq!(rows()[0], "large.zip|analysed");
}

/// A pipe without a writer: reading it never ends.
#[cfg(unix)]
fn endless(archive: &Archive) {
    let status = Command::new("mkfifo").arg(archive.tickets().join("endless.zip")).status().unwrap();
    assert!(status.success());
}

#[cfg(unix)]
#[test]
fn a_bundle_over_its_time_is_stopped_and_the_others_are_analysed() {
    let archive = Archive::empty();
    endless(&archive);
    archive.put_bundle("small.zip", "troubleshoot");
    let inputs = ["triage", "tickets/endless.zip", "tickets/small.zip", "--store", "s.db"];
    let answer = archive.gleaner(&[&inputs[..], &["--bundle-time", "5s", "--jobs", "1"]].concat());
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let rows = ask(&archive.path("s.db"), "SELECT path, status, error FROM bundles ORDER BY path");
    assert_eq!(
        rows,
        ["endless.zip|over_time|stopped: it takes longer than 5s (--bundle-time)", "small.zip|analysed|-"]
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_killed_worker_is_recorded_and_replaced() {
    let archive = Archive::empty();
    endless(&archive);
    archive.put_bundle("small.zip", "troubleshoot");
    let run = Command::new(assert_cmd::cargo::cargo_bin!("gleaner"))
        .env_clear()
        .current_dir(archive.folder.path())
        .args(["triage", "tickets/endless.zip", "tickets/small.zip", "--store", "s.db", "--jobs", "1"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let worker = worker_of(&run);
    // It reads the pipe once its rules are compiled.
    let blocked = || fs::read_to_string(format!("/proc/{worker}/wchan")).unwrap_or_default();
    (0..200).take_while(|_| !blocked().contains("fifo")).for_each(|_| thread::park_timeout(Duration::from_millis(50)));
    assert!(Command::new("kill").args(["-9", &worker]).status().unwrap().success());
    assert!(run.wait_with_output().unwrap().status.success());
    let rows = ask(&archive.path("s.db"), "SELECT path, status, error FROM bundles ORDER BY path");
    assert_eq!(rows.len(), 2);
    assert!(rows[0].starts_with("endless.zip|crashed|its analysis crashed (signal: 9"), "{rows:?}");
    assert_eq!(rows[1], "small.zip|analysed|-");
}

/// The first child of a run.
#[cfg(target_os = "linux")]
fn worker_of(run: &Child) -> String {
    // Each thread has the children that it started.
    let threads = format!("/proc/{}/task", run.id());
    for _ in 0..400 {
        let threads = fs::read_dir(&threads).into_iter().flatten().flatten();
        let mut children = threads.map(|thread| fs::read_to_string(thread.path().join("children")).unwrap_or_default());
        if let Some(child) = children.find_map(|children| children.split_whitespace().next().map(str::to_owned)) {
            return child;
        }
        thread::park_timeout(Duration::from_millis(25));
    }
    panic!("no worker was started");
}
