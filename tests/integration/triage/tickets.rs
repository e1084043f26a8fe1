//! Tickets of files, and questions about them.

use std::fs;

use serde_json::Value;

use super::archive::{Archive, IS_WEB, rule_about_pods};
use crate::harness::zip;

/// An archive with a store, whose own rule fires on some of the bundles.
fn archive(meta: &str) -> Archive {
    let archive = Archive::of(13);
    fs::create_dir(archive.path("rules")).unwrap();
    let rule = rule_about_pods("pod-is-there", "there", IS_WEB);
    fs::write(archive.path("rules/pod-is-there.yaml"), rule).unwrap();
    fs::write(archive.path("meta.csv"), meta).unwrap();
    archive.triage("s.db", &["--rules", "rules", "--meta", "meta.csv"]);
    archive
}

fn rows(archive: &Archive, more: &[&str]) -> Vec<Value> {
    let answer = archive.gleaner(&[&["triage", "query", "--store", "s.db", "--format", "json"], more].concat());
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    serde_json::from_str(&answer.stdout).unwrap()
}

fn texts<'r>(rows: &'r [Value], key: &str) -> Vec<&'r str> {
    rows.iter().map(|row| row[key].as_str().unwrap_or("-")).collect()
}

const META: &str = "path;ticket;customer;product;resolution;owner\n\
                    2020;T-20;Acme;Harvester;fixed in 1.4;ann\n\
                    2021/*/*;T-21;Globex;Rancher;;bob\n";

#[test]
fn bundles_are_found_by_what_people_know_about_them() {
    let archive = archive(META);
    let of_acme = rows(&archive, &["--customer", "acme"]);
    assert!(
        of_acme.len() > 1 && of_acme.iter().all(|row| row["path"].as_str().unwrap().starts_with("2020/")),
        "{of_acme:?}"
    );
    assert!(of_acme.iter().all(|row| row["ticket"] == "T-20" && row["resolution"] == "fixed in 1.4"), "{of_acme:?}");
    assert_eq!(rows(&archive, &["--ticket", "T-20"]), of_acme);
    assert!(rows(&archive, &["--ticket", "T-20", "--customer", "Globex"]).is_empty());
    let of_rancher = rows(&archive, &["--product", "rancher"]);
    assert!(of_rancher.iter().any(|row| row["customer"] == "Globex"), "{of_rancher:?}");
    assert!(of_rancher.iter().all(|row| row["customer"] == "Globex" || row["product"] == "rancher"), "{of_rancher:?}");
    let more = rows(&archive, &["--sql", "SELECT DISTINCT ticket_more FROM bundle_list WHERE customer = 'Acme'"]);
    assert_eq!(texts(&more, "ticket_more"), [r#"{"owner":"ann"}"#]);

    let pages = archive.gleaner(&["triage", "report", "--store", "s.db", "--html", "pages", "--quiet"]);
    assert_eq!(pages.code, 0, "{}", pages.stderr);
    let page = |entry: fs::DirEntry| fs::read_to_string(entry.path()).unwrap();
    let bundles: Vec<String> =
        fs::read_dir(archive.path("pages/bundles")).unwrap().map(|entry| page(entry.unwrap())).collect();
    let fixed = "<dt>Resolution</dt><dd>fixed in 1.4</dd>";
    assert_eq!(bundles.iter().filter(|page| page.contains(fixed)).count(), of_acme.len());

    let all = rows(&archive, &["--since", "1970"]);
    let newest = all[0]["collected_at"].as_str().unwrap();
    let (year, day) = (&newest[..4], &newest[..10]);
    let of_year = rows(&archive, &["--period", year]);
    assert!(!of_year.is_empty() && of_year.iter().all(|row| row["collected_at"].as_str().unwrap().starts_with(year)));
    let before = rows(&archive, &["--until", day]);
    assert_eq!(before.len() + rows(&archive, &["--since", day]).len(), all.len());
    let wrong = archive.gleaner(&["triage", "query", "--store", "s.db", "--period", "2025-Q5"]);
    assert!(wrong.code == 2 && wrong.stderr.contains("not a period"), "{}", wrong.stderr);
}

#[test]
fn tickets_stay_until_another_table_is_given_and_are_merged() {
    let archive = archive(META);
    archive.triage("s.db", &["--rules", "rules"]);
    let before = rows(&archive, &["--customer", "Acme"]);
    assert!(!before.is_empty());
    let merged = archive.gleaner(&["triage", "merge", "--store", "all.db", "s.db"]);
    assert_eq!(merged.code, 0, "{}", merged.stderr);
    let answer = archive.gleaner(&["triage", "query", "--store", "all.db", "--format", "json", "--customer", "Acme"]);
    assert_eq!(serde_json::from_str::<Vec<Value>>(&answer.stdout).unwrap(), before);

    fs::write(archive.path("other.csv"), "path,ticket,customer\n2020/**,SURE-1,Initech\n").unwrap();
    archive.triage("s.db", &["--rules", "rules", "--meta", "other.csv"]);
    assert!(rows(&archive, &["--customer", "Acme"]).is_empty());
    assert_eq!(rows(&archive, &["--customer", "Initech"]).len(), before.len());
}

#[test]
fn names_of_folders_are_tickets() {
    let archive = Archive::empty();
    let files = crate::kinds::places::cases()[0].files.clone();
    fs::create_dir_all(archive.tickets().join("acme/SURE-1234/day-1")).unwrap();
    zip(&archive.tickets().join("acme/SURE-1234/day-1/a.zip"), "a", &files);
    archive.triage("s.db", &[]);
    assert_eq!(texts(&rows(&archive, &["--ticket", "sure-1234"]), "ticket"), ["SURE-1234"]);
}

#[test]
fn bundles_like_another_one_share_rules_and_templates() {
    let archive = archive(META);
    let fired = rows(&archive, &["--rule", "pod-is-there"]);
    let (one, others) = (fired[0]["path"].as_str().unwrap(), texts(&fired, "path"));
    let like = rows(&archive, &["--like", one]);
    assert!(!like.is_empty() && like.iter().all(|row| row["path"] != *one), "{like:?}");
    let shared = texts(&like, "shared_rules");
    assert!(shared.iter().any(|rules| rules.contains("pod-is-there")), "{like:?}");
    let likeness: Vec<i64> = like.iter().map(|row| row["likeness"].as_i64().unwrap()).collect();
    assert!(
        likeness.is_sorted_by(|a, b| a >= b) && likeness.iter().all(|percent| (0..=100).contains(percent)),
        "{likeness:?}"
    );

    // A file that is not in the store is analysed.
    let new = archive.path("new.zip");
    let mut files = crate::kinds::places::cases()[0].files.clone();
    files.push(("note.md".into(), b"of its own".to_vec()));
    zip(&new, "a", &files);
    let of_file = rows(&archive, &["--like", "new.zip", "--rules", "rules", "--top", "3"]);
    assert!(
        of_file.len() <= 3 && of_file.iter().any(|row| others.contains(&row["path"].as_str().unwrap())),
        "{of_file:?}"
    );
    let missing = archive.gleaner(&["triage", "query", "--store", "s.db", "--like", "nothing.zip"]);
    assert!(missing.code == 2 && missing.stderr.contains("no bundle or ticket `nothing.zip`"), "{}", missing.stderr);
}

#[test]
fn wrong_tables_change_nothing() {
    let archive = archive(META);
    let before = rows(&archive, &["--customer", "Acme"]);
    fs::write(archive.path("wrong.csv"), "ticket,customer\nT-1,Acme\n").unwrap();
    for (meta, store, said) in [
        ("wrong.csv", "s.db", "no column `path`"),
        ("none.csv", "s.db", "cannot be read"),
        ("meta.csv", "meta.csv", "meta.csv"),
    ] {
        let answer = archive.gleaner(&["triage", "tickets", "--store", store, "--meta", meta]);
        assert!(answer.code == 2 && answer.stderr.contains(said), "{meta}: {}", answer.stderr);
    }
    assert_eq!(fs::read_to_string(archive.path("meta.csv")).unwrap(), META);
    assert_eq!(rows(&archive, &["--customer", "Acme"]), before);
}
