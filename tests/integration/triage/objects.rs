//! Archives in an object store: a server that speaks S3, on loopback.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::archive::Archive;
use super::rows::{all, ask};
use crate::harness::python;

/// The server; it ends when its input closes.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn with(python: &Path, folder: &Path) -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python/bucket.py");
        let mut command = Command::new(python);
        command.arg(script).arg(folder).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut address = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut address).unwrap();
        assert!(address.starts_with("http://"), "{address}");
        Self { child, address: address.trim().to_owned() }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

fn triage(archive: &Archive, server: &Server, args: &[&str]) -> std::process::Output {
    assert_cmd::Command::new(assert_cmd::cargo::cargo_bin!("gleaner"))
        .env_clear()
        .envs([("AWS_ACCESS_KEY_ID", "key"), ("AWS_SECRET_ACCESS_KEY", "secret"), ("AWS_REGION", "us-east-1")])
        .envs([("AWS_ENDPOINT", server.address.as_str()), ("AWS_ALLOW_HTTP", "true")])
        .env("TMPDIR", archive.path("spool"))
        .current_dir(archive.folder.path())
        .arg("triage")
        .args(args)
        .output()
        .unwrap()
}

/// Returns rows without the columns that differ in an object store: the place of a file and its time.
fn content(store: &Path) -> Vec<String> {
    let others = all(store).into_iter().filter(|row| !row.starts_with("bundles: "));
    let bundles = ask(store, "SELECT path, place, size, sha256, status, error FROM bundles ORDER BY path, place");
    others.chain(bundles).collect()
}

#[test]
fn a_bucket_gives_the_same_results_as_a_folder() {
    let Some(python) = python() else { return };
    let archive = Archive::of(7);
    archive.put("notes.txt", b"no bundle\n");
    std::fs::create_dir(archive.path("spool")).unwrap();
    let server = Server::with(&python, &archive.tickets());
    archive.triage("local.db", &[]);
    let run = |args: &[&str]| {
        let output = triage(&archive, &server, args);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    run(&["s3://tickets", "--store", "bucket.db"]);
    assert_eq!(content(&archive.path("bucket.db")), content(&archive.path("local.db")));
    assert_eq!(std::fs::read_dir(archive.path("spool")).unwrap().count(), 0, "what was fetched is gone");
    // Reports of originals, which are fetched once more.
    run(&["report", "--store", "bucket.db", "--html", "pages", "--reports"]);
    let contents = &ask(&archive.path("bucket.db"), "SELECT count(DISTINCT content) FROM analyses")[0];
    let reports: Vec<String> = std::fs::read_dir(archive.path("pages/reports"))
        .unwrap()
        .map(|entry| super::pages::text(&std::fs::read_to_string(entry.unwrap().path()).unwrap()))
        .collect();
    assert_eq!(reports.len().to_string(), *contents);
    let spool = archive.path("spool").display().to_string();
    assert!(reports.iter().all(|report| report.contains("s3://tickets/") && !report.contains(&spool)));
    assert_eq!(std::fs::read_dir(archive.path("spool")).unwrap().count(), 0, "what was fetched is gone");
    // Nothing has changed: a look at the list, and no object is fetched.
    let again = run(&["s3://tickets", "--store", "bucket.db"]);
    assert!(again.contains("7 unchanged"), "{again}");
    for shard in ["0/2", "1/2"] {
        run(&["s3://tickets/", "--store", &format!("s{}.db", &shard[..1]), "--shard", shard, "--quiet"]);
    }
    let merge = ["triage", "merge", "--store", "merged.db", "s0.db", "s1.db", "--quiet"];
    assert_eq!(archive.gleaner(&merge).code, 0);
    super::rows::assert_equal(&archive.path("merged.db"), &archive.path("bucket.db"));
    // A prefix, and an object by its name.
    run(&["s3://tickets/2020", "--store", "prefix.db", "--quiet"]);
    assert_eq!(ask(&archive.path("prefix.db"), "SELECT count(*) FROM bundles"), ["2"]);
    let [key] = &ask(&archive.path("local.db"), "SELECT path FROM bundles WHERE status = 'analysed' LIMIT 1")[..]
    else {
        panic!("no bundle")
    };
    run(&[&format!("s3://tickets/{key}"), "--store", "one.db", "--quiet"]);
    assert_eq!(ask(&archive.path("one.db"), "SELECT status FROM bundles"), ["analysed"]);
}

#[test]
fn an_unknown_bucket_is_reported() {
    let Some(python) = python() else { return };
    let archive = Archive::empty();
    let server = Server::with(&python, &archive.tickets());
    let output = triage(&archive, &server, &["s3://nothing", "--store", "x.db"]);
    assert_eq!(output.status.code(), Some(2));
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("`s3://nothing`") && told.contains("NoSuchBucket"), "{told}");
    assert_eq!(triage(&archive, &server, &["s3://", "--store", "x.db"]).status.code(), Some(2));
}
