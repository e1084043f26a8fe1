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
