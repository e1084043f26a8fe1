//! Runs that are killed keep their results; the next run continues.

use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::archive::Archive;
use super::rows::{ask, assert_equal};

#[test]
fn a_run_killed_ten_times_gives_the_same_store() {
    let archive = Archive::of(60);
    let begin = Instant::now();
    archive.triage("whole.db", &[]);
    let whole = begin.elapsed();
    let mut stored = 0;
    for round in 0..10u32 {
        let mut run = Command::new(assert_cmd::cargo::cargo_bin!("gleaner"))
            .env_clear()
            .current_dir(archive.folder.path())
            .args(["triage", "tickets", "--store", "killed.db", "--quiet"])
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        // At moments that have nothing to do with each other, from the start of the program to a third of the work.
        let part = f64::from(round * 7919 % 1000) / 3000.0;
        thread::park_timeout(Duration::from_millis(20) + whole.mul_f64(part));
        run.kill().unwrap();
        run.wait().unwrap();
        if archive.path("killed.db").exists() {
            let now: usize = match ask_count(&archive) {
                Some(count) => count,
                None => continue,
            };
            assert!(now >= stored, "what was stored stays: {now} < {stored}");
            stored = now;
        }
    }
    assert!(stored > 0, "some rounds came to something");
    let rest = archive.triage("killed.db", &[]);
    assert!(rest.contains("unchanged"), "{rest}");
    assert_equal(&archive.path("killed.db"), &archive.path("whole.db"));
}

/// Rows of bundles; none while the store is not made yet.
fn ask_count(archive: &Archive) -> Option<usize> {
    let path = archive.path("killed.db");
    let tables = ask(&path, "SELECT count(*) FROM sqlite_schema WHERE name = 'bundles'");
    (tables == ["1"]).then(|| ask(&path, "SELECT count(*) FROM bundles")[0].parse().unwrap())
}
