//! Properties of stores that runs do not show: keys, names, foreign numbers.

use std::path::Path;

use super::*;
use crate::bundle::Limits;
use crate::rule::{Streams, compile, load};
use crate::triage::run::rules::Rules;
use crate::triage::worker::message::{Analysed, RuleOutcome, RuleState};

fn rules() -> Rules {
    let mut loaded = load::embedded();
    // What a rule explains must be among them.
    loaded.sources.retain(|source| !source.text.contains("\nexplains:"));
    loaded.sources.truncate(2);
    let streams = Streams::parse(loaded.streams.clone()).unwrap();
    let set = compile(loaded.sources.clone(), &streams).unwrap();
    let rules = Rules::new(&loaded, &set);
    assert_eq!(rules.setup(Limits::default()).rules.len(), 2);
    rules
}

fn store(folder: &Path) -> (Store, Rules) {
    let mut store = Store::open(&folder.join("s.db")).unwrap();
    let rules = rules();
    store.begin_run("r", "2025-01-01T00:00:00Z", "[]", "0/1", &rules).unwrap();
    (store, rules)
}

fn file(path: &str, sha256: &str) -> FileRow {
    FileRow {
        input: "/in".into(),
        path: path.to_owned(),
        name: path.rsplit('/').next().unwrap().to_owned(),
        is_folder: false,
        size: 1,
        mtime: "2025-01-01T00:00:00Z".into(),
        stamp: "1".into(),
        reader: "reader".into(),
        sha256: Some(sha256.to_owned()),
        seconds: 0.1,
        run: "r".into(),
    }
}

fn bundle(cluster: &str) -> Analysed {
    let outcome = RuleOutcome { rule: "a".into(), outcome: RuleState::NotEvaluated, reason: Some(cluster.to_owned()) };
    Analysed {
        kind: "harvester".into(),
        content_id: "c".into(),
        whole: true,
        cluster_name: Some(cluster.to_owned()),
        outcomes: vec![outcome],
        ..Analysed::default()
    }
}

fn ask(store: &Store, question: &str) -> Vec<String> {
    let mut statement = store.connection().prepare(question).unwrap();
    let rows = statement.query_map([], |row| row.get(0)).unwrap();
    rows.map(Result::unwrap).collect()
}

#[test]
fn copies_have_the_facts_of_their_first_name_in_any_order() {
    for paths in [["x/a.zip", "y/b.zip"], ["y/b.zip", "x/a.zip"]] {
        let folder = tempfile::tempdir().unwrap();
        let (mut store, rules) = store(folder.path());
        for path in paths {
            // Each file says something else of its cluster, because its name does.
            store.put_analysed(&file(path, "same"), &[bundle(path)], rules.number()).unwrap();
        }
        assert_eq!(ask(&store, "SELECT cluster_name FROM bundles ORDER BY path"), ["x/a.zip", "x/a.zip"]);
        assert_eq!(ask(&store, "SELECT reason FROM rule_outcomes"), ["x/a.zip"]);
        assert_eq!(ask(&store, "SELECT name FROM analyses"), ["a.zip"]);
    }
}

#[test]
fn a_file_with_the_number_of_another_is_refused_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (mut store, rules) = store(folder.path());
    store.put_analysed(&file("a.zip", "one"), &[bundle("x")], rules.number()).unwrap();
    store.connection().execute("UPDATE analyses SET key = 'other'", []).unwrap();
    let refused = store.put_analysed(&file("b.zip", "one"), &[bundle("x")], rules.number());
    assert!(matches!(refused, Err(StoreError::Refused(_))), "{refused:?}");
    assert_eq!(ask(&store, "SELECT path FROM bundles"), ["a.zip"]);
}

#[test]
fn bundles_that_a_file_no_longer_holds_leave_every_table() {
    let folder = tempfile::tempdir().unwrap();
    let (mut store, rules) = store(folder.path());
    let mut two = [bundle("x"), bundle("y")];
    two[0].place = "p.zip".into();
    two[1].place = "q.zip".into();
    two[1].versions = vec![("harvester".into(), "v1.4.2".into())];
    let ticket = file("ticket.zip", "one");
    store.put_analysed(&ticket, &two, rules.number()).unwrap();
    assert_eq!(ask(&store, "SELECT place FROM bundles"), ["p.zip", "q.zip"]);
    store.put_failed(&FileRow { sha256: Some("two".into()), ..ticket }, Status::OverTime, "why").unwrap();
    store.end_run("r", "2025-01-01T00:00:01Z", "{}", true).unwrap();
    for table in ["analyses", "versions", "outcomes", "reasons", "rule_sets", "rules"] {
        assert_eq!(ask(&store, &format!("SELECT count(*) || '' FROM {table}")), ["0"], "{table}");
    }
    assert_eq!(ask(&store, "SELECT place || status FROM bundles"), ["over_time"]);
}

#[test]
fn opening_a_current_store_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = store(folder.path());
    let cookie = || ask(&store, "SELECT schema_version || '' FROM pragma_schema_version");
    let before = cookie();
    drop(Store::open(&store.path).unwrap());
    assert_eq!(cookie(), before);
}

#[test]
fn many_processes_create_one_store_at_the_same_time() {
    for _ in 0..5 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.db");
        let failures: Vec<String> = std::thread::scope(|scope| {
            let starts: Vec<_> = (0..16).map(|_| scope.spawn(|| Store::open(&path).err())).collect();
            starts.into_iter().filter_map(|start| start.join().unwrap()).map(|error| error.to_string()).collect()
        });
        assert_eq!(failures, Vec::<String>::new());
        Store::open_to_read(&path).unwrap();
    }
}

/// The files in a folder with their contents.
fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut all: Vec<_> =
        entries.map(|path| (path.display().to_string(), std::fs::read(&path).unwrap_or_default())).collect();
    all.sort();
    all
}

#[test]
fn reading_writes_nothing_into_files_that_are_no_stores() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("empty"), "").unwrap();
    std::fs::write(at("text"), "x".repeat(5000)).unwrap();
    std::fs::create_dir(at("folder")).unwrap();
    rusqlite::Connection::open(at("other")).unwrap().execute_batch("CREATE TABLE t (a)").unwrap();
    let empty = rusqlite::Connection::open(at("blank")).unwrap();
    empty.execute_batch("PRAGMA user_version = 0; VACUUM").unwrap();
    drop(empty);
    let before = contents(folder.path());
    for name in ["empty", "text", "folder", "other", "blank", "missing"] {
        let error = Store::open_to_read(&at(name)).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.contains(name), "{name}: {error}");
        assert!(contents(folder.path()) == before, "{name}");
    }
}

/// SQLite takes any file of these names for its own, and removes it.
#[test]
fn files_with_names_of_sqlite_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.db");
    for is_new in [true, false] {
        for ending in ["-wal", "-journal", "-shm"] {
            let beside = folder.path().join(format!("s.db{ending}"));
            std::fs::write(&beside, "PK\u{3}\u{4} a bundle").unwrap();
            let errors = [Store::open(&path).err(), (!is_new).then(|| Store::open_to_read(&path).err()).flatten()];
            let refused = errors.iter().flatten().filter(|error| matches!(error, StoreError::Beside { .. })).count();
            assert_eq!(refused, if is_new { 1 } else { 2 }, "{ending}: {errors:?}");
            assert!(beside.exists() && path.exists() != is_new, "{ending}");
            std::fs::remove_file(beside).unwrap();
        }
        drop(Store::open(&path).unwrap());
    }
    let writer = Store::open(&path).unwrap();
    writer.connection().execute_batch("BEGIN IMMEDIATE; DELETE FROM runs").unwrap();
    assert_eq!(Store::open_to_read(&path).err().map(|error| error.to_string()), None, "a store in use");
}

#[test]
fn reading_leaves_no_files_next_to_a_store() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s %?#.db");
    drop(Store::open(&path).unwrap());
    let before = contents(folder.path());
    assert_eq!(before.len(), 1, "{before:?}");
    let read = Store::open_to_read(&path).unwrap();
    assert_eq!(ask(&read, "SELECT 'x' FROM sqlite_schema LIMIT 1"), ["x"]);
    drop(read);
    assert!(contents(folder.path()) == before);
}

#[test]
fn what_a_foreign_file_defines_is_never_run() {
    const HOSTILE: [&str; 8] = [
        "CREATE TRIGGER t AFTER INSERT ON main.bundles BEGIN DELETE FROM findings; END",
        "CREATE TRIGGER u AFTER UPDATE ON analyses BEGIN SELECT load_extension('x'); END",
        "CREATE TABLE more (a)",
        "CREATE VIRTUAL TABLE more USING fts5(a)",
        "PRAGMA writable_schema = ON; INSERT INTO sqlite_schema VALUES ('trigger', 'sqlite_stat9', 'runs', 0, 'CREATE TRIGGER sqlite_stat9 AFTER INSERT ON runs BEGIN DELETE FROM findings; END')",
        "CREATE INDEX more ON findings (abs(severity))",
        "DROP TABLE issues; CREATE VIEW issues AS SELECT * FROM runs",
        "ALTER TABLE findings ADD COLUMN more AS (abs(-9223372036854775808))",
    ];
    for definition in HOSTILE {
        let folder = tempfile::tempdir().unwrap();
        let (path, other) = (folder.path().join("s.db"), folder.path().join("other.db"));
        drop(Store::open(&path).unwrap());
        drop(Store::open(&other).unwrap());
        let foreign = rusqlite::Connection::open(&other).unwrap();
        foreign.execute_batch(definition).unwrap();
        drop(foreign);
        let errors = [
            Store::open(&other).err(),
            Store::open_to_read(&other).err(),
            Store::open(&path).unwrap().merge(&other).err(),
        ];
        for error in errors {
            assert!(matches!(error, Some(StoreError::Altered(_))), "{definition}: {error:?}");
        }
    }
}

#[test]
fn views_of_a_foreign_file_are_not_used() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.db");
    drop(Store::open(&path).unwrap());
    let foreign = rusqlite::Connection::open(&path).unwrap();
    foreign.execute_batch("DROP VIEW clusters; CREATE VIEW clusters AS SELECT 'forged' AS cluster_uid").unwrap();
    drop(foreign);
    let read = Store::open_to_read(&path).unwrap();
    assert_eq!(ask(&read, "SELECT count(*) || '' FROM clusters"), ["0"]);
    drop(read);
    drop(Store::open(&path).unwrap());
    let views = "SELECT sql FROM sqlite_schema WHERE name = 'clusters'";
    assert!(!ask(&Store::open_to_read(&path).unwrap(), views)[0].contains("forged"));
}

#[test]
fn a_truncated_store_is_named_and_not_changed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.db");
    drop(Store::open(&path).unwrap());
    let whole = std::fs::read(&path).unwrap();
    for length in [whole.len() / 2, 5000, 4096, 600, 100, 99, 16, 1] {
        std::fs::write(&path, &whole[..length]).unwrap();
        for found in [Store::open_to_read(&path).err(), Store::open(&path).err()] {
            let error = found.map(|error| error.to_string()).unwrap_or_default();
            assert!(error.contains("s.db"), "{length}: {error}");
        }
        assert!(std::fs::read(&path).unwrap() == whole[..length], "{length}");
    }
}
