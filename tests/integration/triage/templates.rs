//! Templates of logs in stores: kept for each bundle, asked for, shown, merged, and migrated.

use std::fs;

use rusqlite::Connection;
use serde_json::Value;

use super::archive::Archive;
use super::rows::{ask, assert_equal};
use crate::harness::zip;

/// Errors that are in the logs of a bundle.
const USUAL: &str = "level=error msg=\"the quota of project 7 is used up\"";
const NEW: &str = "level=fatal msg=\"disk 9 vanished for good\"";
const KNOWN: &str = "level=error msg=\"no route to peer 10.0.0.1\"";

/// A rule that knows one of them.
const RULE: &str = "id: no-route\ntitle: No route\nseverity: high\nconfidence: certain\narea: network\nfind:\n  line:\n    \
     log: containers\n    match: 'no route to peer (?<peer>[0-9.]+)'\nmessage: None.\nimpact: None.\ncause: None.\n\
     remedy:\n  - do: Look.\n";

/// Adds a bundle of a cluster with these lines in a log.
fn put(archive: &Archive, cluster: u32, day: u32, lines: &[&str]) {
    let name = format!("supportbundle_0000000{cluster}-2a9b-4c3d-8e5f-000000000000_2026-03-{day:02}T12-00-00Z");
    let uid = format!("0000000{cluster}-0000-4000-8000-000000000000");
    let namespace = format!(
        "apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Namespace\n  metadata:\n    name: kube-system\n    uid: {uid}\nkind: NamespaceList\n"
    );
    let log: String = lines.iter().map(|line| format!("2026-03-{day:02}T11:00:00Z {line}\n")).collect();
    let files = [
        ("yamls/cluster/v1/namespaces.yaml".to_owned(), namespace.into_bytes()),
        ("logs/shop/web-0/web.log".to_owned(), log.into_bytes()),
    ];
    zip(&archive.tickets().join(format!("{name}.zip")), &name, &files);
}

/// Three clusters with a usual error, of which one rule knows another; a new one since the 10th.
fn archive() -> Archive {
    let archive = Archive::empty();
    put(&archive, 1, 1, &[USUAL, KNOWN]);
    put(&archive, 2, 5, &[USUAL]);
    put(&archive, 2, 12, &[USUAL, NEW, NEW]);
    put(&archive, 3, 20, &[USUAL, NEW]);
    fs::create_dir(archive.path("rules")).unwrap();
    fs::write(archive.path("rules/no-route.yaml"), RULE).unwrap();
    archive
}

fn triage(archive: &Archive, store: &str, more: &[&str]) {
    archive.triage(store, &[&["--no-default-rules", "--rules", "rules"], more].concat());
}

/// Returns templates as `text clusters bundles lines`.
fn templates(archive: &Archive, more: &[&str]) -> Vec<String> {
    let answer =
        archive.gleaner(&[&["triage", "query", "--store", "s.db", "--templates", "--format", "json"], more].concat());
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let rows: Vec<Value> = serde_json::from_str(&answer.stdout).unwrap();
    let text = |row: &Value| {
        let count = |name: &str| row[name].as_u64().unwrap();
        format!("{} {} {} {}", row["template"].as_str().unwrap(), count("clusters"), count("bundles"), count("lines"))
    };
    rows.iter().map(text).collect()
}

const USUAL_ROW: &str = "msg the quota of project <*> is used up 3 4 4";
const NEW_ROW: &str = "msg disk <*> vanished for good 2 2 3";
const KNOWN_ROW: &str = "msg no route to peer <*> 1 1 1";

#[test]
fn templates_are_asked_for_by_novelty_clusters_and_rules() {
    let archive = archive();
    triage(&archive, "s.db", &[]);
    assert_eq!(templates(&archive, &[]), [USUAL_ROW, NEW_ROW, KNOWN_ROW]);
    assert_eq!(templates(&archive, &["--no-rule"]), [USUAL_ROW, NEW_ROW]);
    assert_eq!(templates(&archive, &["--new-since", "2026-03-10"]), [NEW_ROW]);
    assert_eq!(templates(&archive, &["--min-clusters", "3"]), [USUAL_ROW]);
    assert_eq!(templates(&archive, &["--top", "1"]), [USUAL_ROW]);
    assert_eq!(templates(&archive, &["--since", "2026-03-20", "--no-rule"]).len(), 2);
    assert_eq!(templates(&archive, &["--new-since", "2026-03-13"]), Vec::<String>::new());
    let shown = archive.gleaner(&["triage", "query", "--store", "s.db", "--templates"]).stdout;
    assert!(shown.contains("no-route") && shown.contains("fatal"), "{shown}");
    let refused = archive.gleaner(&["triage", "query", "--store", "s.db", "--no-rule"]);
    assert_eq!(refused.code, 2);
}

/// A known line, and one that is harmless.
const KNOWN_LINES: &str = "known_lines:\n- line: 'time=\"2026-03-01T11:00:00Z\" level=fatal msg=\"disk 9 vanished for good\"'\n  \
     component: disks\n  product: longhorn\n  means: The disk is gone.\n  look: Look for it.\n  link: https://example.com/gone\n\
     - line: 'time=\"2026-03-01T11:00:00Z\" level=error msg=\"the quota of project 7 is used up\"'\n  component: quotas\n  \
     product: rancher\n  benign: true\n  means: As it should be.\n  link: https://example.com/quota\n";

#[test]
fn known_lines_are_counted() {
    let archive = archive();
    fs::create_dir(archive.path("rules/known-lines")).unwrap();
    fs::write(archive.path("rules/known-lines/own.yaml"), KNOWN_LINES).unwrap();
    triage(&archive, "s.db", &[]);
    let known = |more: &[&str]| {
        let query = ["triage", "query", "--store", "s.db", "--known", "--format", "csv"];
        let answer = archive.gleaner(&[&query, more].concat());
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        answer.stdout.lines().skip(1).map(str::to_owned).collect::<Vec<_>>()
    };
    let row = |counts: &str| format!("disks,The disk is gone.,{counts},https://example.com/gone");
    assert_eq!(known(&[]), Vec::<String>::new());
    let own = ["--rules", "rules"];
    assert_eq!(known(&own), [row("2,2,3,2026-03-12T12:00:00Z,2026-03-20T12:00:00Z")]);
    assert_eq!(
        known(&[&own[..], &["--since", "2026-03-15"]].concat()),
        [row("1,1,1,2026-03-20T12:00:00Z,2026-03-20T12:00:00Z")]
    );
    fs::write(archive.path("rules/known-lines/own.yaml"), KNOWN_LINES.replace("  means: The disk is gone.\n", ""))
        .unwrap();
    let refused = archive.gleaner(&["triage", "query", "--store", "s.db", "--known", "--rules", "rules"]);
    assert!(refused.code == 4 && refused.stderr.contains("R004"), "{}", refused.stderr);
}

#[test]
fn a_bundle_is_compared_with_the_clusters_of_a_store() {
    let archive = Archive::empty();
    (1..6).for_each(|cluster| put(&archive, cluster, 1, &[USUAL]));
    put(&archive, 6, 2, &[USUAL, KNOWN]);
    archive.triage("s.db", &["--no-default-rules"]);
    let bundle = fs::read_dir(archive.tickets()).unwrap().map(|entry| entry.unwrap().path()).max().unwrap();
    let analyze = |more: &[&str]| {
        let args = ["analyze", bundle.to_str().unwrap(), "--quiet", "-o", "r.json", "--no-default-rules"];
        archive.gleaner(&[&args, more].concat()).code
    };
    assert_eq!(analyze(&["--store", "s.db"]), 0);
    let found: Value = serde_json::from_slice(&fs::read(archive.path("r.json")).unwrap()).unwrap();
    let unexplained = &found["unexplained"];
    let entries: Vec<&Value> =
        unexplained["entries"].as_array().unwrap().iter().map(|entry| &entry["template"]).collect();
    assert_eq!(entries, ["msg no route to peer <*>"]);
    assert_eq!((&unexplained["entries"][0]["clusters"], &unexplained["clusters"]), (&Value::from(1), &Value::from(6)));
    assert_eq!(unexplained["templates_left_out"]["common"], 1);
    let before = fs::read(archive.path("s.db")).unwrap();
    assert_eq!(analyze(&["--store", "s.db", "--unexplained=0"]), 2);
    assert_eq!(analyze(&["--store", "none.db"]), 2);
    assert_eq!(analyze(&["--store", bundle.to_str().unwrap()]), 2);
    assert_eq!(analyze(&["--store", "s.db", "-o", "s.db"]), 2);
    assert_eq!(fs::read(archive.path("s.db")).unwrap(), before);
}

#[test]
fn a_rule_that_runs_later_is_known_to_the_templates() {
    let archive = archive();
    triage(&archive, "whole.db", &[]);
    let rule = fs::read_to_string(archive.path("rules/no-route.yaml")).unwrap();
    fs::write(archive.path("rules/no-route.yaml"), rule.replace("no route to peer", "no road to peer")).unwrap();
    triage(&archive, "s.db", &[]);
    assert_eq!(templates(&archive, &["--no-rule"]).len(), 3);
    fs::write(archive.path("rules/no-route.yaml"), rule).unwrap();
    triage(&archive, "s.db", &[]);
    assert_equal(&archive.path("s.db"), &archive.path("whole.db"));
}

#[test]
fn shards_and_workers_do_not_show() {
    let archive = archive();
    triage(&archive, "one.db", &["--jobs", "1"]);
    for shard in ["0", "1"] {
        triage(&archive, &format!("{shard}.db"), &["--shard", &format!("{shard}/2"), "--jobs", "3"]);
    }
    let merged = archive.gleaner(&["triage", "merge", "--store", "s.db", "1.db", "0.db"]);
    assert_eq!(merged.code, 0, "{}", merged.stderr);
    assert_equal(&archive.path("s.db"), &archive.path("one.db"));
    assert_eq!(templates(&archive, &[]).len(), 3);
}

/// Turns a store into one of version 3.
fn downgrade(archive: &Archive, store: &str) {
    let store = Connection::open(archive.path(store)).unwrap();
    let views: Vec<String> = {
        let mut views = store.prepare("SELECT name FROM sqlite_schema WHERE type = 'view'").unwrap();
        views.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    };
    views.iter().for_each(|view| store.execute_batch(&format!("DROP VIEW {view}")).unwrap());
    store
        .execute_batch(
            "DROP TABLE tickets; ALTER TABLE bundles DROP COLUMN issue_url;
             DROP TABLE template_rules; DROP TABLE bundle_templates; DROP TABLE templates;
             ALTER TABLE analyses DROP COLUMN surveyed; PRAGMA user_version = 3;",
        )
        .unwrap();
}

#[test]
fn a_store_of_version_3_is_read_migrated_and_merged() {
    let archive = archive();
    triage(&archive, "one.db", &[]);
    fs::copy(archive.path("one.db"), archive.path("s.db")).unwrap();
    downgrade(&archive, "s.db");
    assert_eq!(templates(&archive, &[]), Vec::<String>::new());
    assert_eq!(ask(&archive.path("s.db"), "SELECT count(*) FROM analyses"), ["4"]);
    // Analyses with templates replace those without.
    let merged = archive.gleaner(&["triage", "merge", "--store", "s.db", "one.db"]);
    assert_eq!(merged.code, 0, "{}", merged.stderr);
    assert_equal(&archive.path("s.db"), &archive.path("one.db"));
    // The other way round nothing is lost, and a new analysis has them, too.
    downgrade(&archive, "s.db");
    fs::copy(archive.path("s.db"), archive.path("old.db")).unwrap();
    assert_eq!(archive.gleaner(&["triage", "merge", "--store", "one.db", "old.db"]).code, 0);
    triage(&archive, "s.db", &["--again"]);
    assert_equal(&archive.path("s.db"), &archive.path("one.db"));
}

#[test]
fn the_overview_lists_what_bundles_without_findings_share() {
    let archive = archive();
    triage(&archive, "s.db", &[]);
    let answer = archive.gleaner(&["triage", "report", "--store", "s.db", "--html", "pages"]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let page = fs::read_to_string(archive.path("pages/index.html")).unwrap();
    let known = "known of 4 bundles, 3 of them without a finding";
    assert!(page.contains(known) && !page.contains("no route to peer"), "{page}");
    let common = page.find("What bundles without a finding have in common").unwrap();
    let (new, most) =
        (page[common..].find("vanished for good").unwrap(), page[common..].find("In most clusters").unwrap());
    // The usual error is as frequent in the bundle with a finding.
    assert!(new < most && !page[common..common + most].contains("is used up"), "{page}");
    assert!(page[common + most..].contains("is used up"));
}
