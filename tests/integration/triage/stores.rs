//! Files that are no stores, stores of other versions, and disks that refuse.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use rusqlite::Connection;

use super::archive::Archive;
use super::rows::{all, ask, assert_equal};

#[test]
fn a_file_that_is_no_store_is_not_changed() {
    let archive = Archive::of(1);
    fs::write(archive.path("text.db"), "not a database, but long enough to be looked at as one").unwrap();
    let other = Connection::open(archive.path("other.db")).unwrap();
    other.execute_batch("CREATE TABLE things (name TEXT); INSERT INTO things VALUES ('x')").unwrap();
    drop(other);
    for name in ["text.db", "other.db"] {
        let before = fs::read(archive.path(name)).unwrap();
        for args in [vec!["triage", "tickets", "--store", name], vec!["triage", "merge", "--store", "new.db", name]] {
            let answer = archive.gleaner(&args);
            assert_eq!(answer.code, 2);
            assert!(answer.stderr.contains("exists and is not a store of gleaner"), "{}", answer.stderr);
        }
        assert_eq!(fs::read(archive.path(name)).unwrap(), before);
    }
}

#[test]
fn a_newer_store_is_rejected() {
    let archive = Archive::of(2);
    archive.triage("s.db", &[]);
    let store = Connection::open(archive.path("s.db")).unwrap();
    store.pragma_update(None, "user_version", 99).unwrap();
    drop(store);
    let answer = archive.gleaner(&["triage", "tickets", "--store", "s.db"]);
    assert_eq!(answer.code, 2);
    assert!(answer.stderr.contains("has version 99, and this gleaner supports"), "{}", answer.stderr);
    assert_eq!(ask(&archive.path("s.db"), "SELECT count(*) FROM bundles"), ["2"]);
}

#[test]
fn an_older_store_is_migrated() {
    let archive = Archive::of(2);
    archive.triage("new.db", &[]);
    let store = Connection::open(archive.path("old.db")).unwrap();
    store.execute_batch(include_str!("../../../src/triage/store/schema.sql")).unwrap();
    store.pragma_update(None, "application_id", 0x676c_6e72).unwrap();
    store.pragma_update(None, "user_version", 1).unwrap();
    store
        .execute_batch(
            "INSERT INTO runs VALUES ('r', 't', NULL, '0.0.9', '[]', '0/1', NULL);
             INSERT INTO bundles (input, path, place, is_folder, size, mtime, stamp, reader, status, error, gone, seconds, run)
             VALUES ('/elsewhere', 'a.zip', '', 0, 1, 't', 's', 'r', 'unreadable', 'why', 0, 0.5, 'r');",
        )
        .unwrap();
    drop(store);
    let path = archive.path("old.db");
    let answer = archive.gleaner(&["triage", "query", "--store", "old.db", "--sql", "SELECT path FROM bundle_list"]);
    assert_eq!((answer.code, answer.stdout.as_str()), (0, "PATH\na.zip\n"), "{}", answer.stderr);
    assert_eq!(ask(&path, "PRAGMA user_version"), ask(&archive.path("new.db"), "PRAGMA user_version"));
    let schema = "SELECT type, name, sql FROM sqlite_schema ORDER BY type, name";
    assert_eq!(ask(&path, schema), ask(&archive.path("new.db"), schema));
    archive.triage("old.db", &[]);
    assert_eq!(ask(&path, "SELECT count(*), sum(path = 'a.zip') FROM bundles"), ["3|1"]);
}

#[test]
fn a_full_disk_loses_no_results() {
    let (first, archive) = (Archive::of(1), Archive::of(24));
    first.triage("first.db", &[]);
    archive.triage("whole.db", &[]);
    let program = assert_cmd::cargo::cargo_bin!("gleaner");
    let size = |path: PathBuf| fs::metadata(path).unwrap().len();
    // Enough for some bundles, in blocks of 1 KiB. Without the signal the write fails, as on a full disk.
    let limit = size(first.path("first.db")).midpoint(size(archive.path("whole.db"))) / 1024;
    let script = format!("trap '' XFSZ; ulimit -f {limit}; exec {} triage tickets --store s.db", program.display());
    let output = Command::new("bash").args(["-c", &script]).current_dir(archive.folder.path()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("the store `s.db`") && said.contains("stored results are kept"), "{said}");
    let kept: usize = ask(&archive.path("s.db"), "SELECT count(*) FROM bundles")[0].parse().unwrap();
    assert!(kept > 0 && kept < 24, "{kept}");
    assert!(!all(&archive.path("s.db")).is_empty());
    archive.triage("s.db", &[]);
    assert_equal(&archive.path("s.db"), &archive.path("whole.db"));
}

#[cfg(unix)]
#[test]
fn a_read_only_store_is_reported_and_not_changed() {
    use std::os::unix::fs::PermissionsExt;
    let archive = Archive::of(2);
    archive.triage("s.db", &[]);
    let mode = |path: &std::path::Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    let (store, folder) = (archive.path("s.db"), archive.folder.path().to_owned());
    let before = fs::read(&store).unwrap();
    mode(&store, 0o444);
    mode(&folder, 0o555);
    let is_root = fs::File::options().append(true).open(&store).is_ok();
    // For root nothing is read-only; somebody else must try.
    let mut command = if is_root { Command::new("setpriv") } else { Command::new("env") };
    let user: &[&str] = if is_root { &["--reuid", "65534", "--regid", "65534", "--clear-groups"] } else { &[] };
    let program = assert_cmd::cargo::cargo_bin!("gleaner");
    let output =
        command.args(user).arg(program).args(["triage", "tickets", "--store", "s.db"]).current_dir(&folder).output();
    mode(&folder, 0o755);
    mode(&store, 0o644);
    let Ok(output) = output else {
        eprintln!("skipped: no setpriv, a read-only store was not tested");
        return;
    };
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("the store `s.db`") && said.contains("read-only"), "{said}");
    assert_eq!(fs::read(&store).unwrap(), before);
}
