//! What is known is not analysed again: unchanged files, copies, renamed and packed again, changed rules, files that are gone.

use std::fs;

use super::archive::{Archive, IS_WEB, rule_about_pods};
use super::rows::{ask, assert_equal};

#[test]
fn an_unchanged_archive_is_not_opened() {
    let archive = Archive::of(24);
    let first = archive.triage("s.db", &[]);
    assert!(first.starts_with("24 files in "), "{first}");
    assert!(first.contains("1 copy"), "{first}");
    // If a file were read again, the result would differ.
    for file in ask(&archive.path("s.db"), "SELECT input || '/' || path FROM bundles WHERE NOT is_folder") {
        let metadata = fs::metadata(&file).unwrap();
        fs::write(&file, vec![b'x'; usize::try_from(metadata.len()).unwrap()]).unwrap();
        fs::File::options().write(true).open(&file).unwrap().set_modified(metadata.modified().unwrap()).unwrap();
    }
    let second = archive.triage("s.db", &[]);
    assert!(second.contains(": 24 unchanged\n"), "{second}");
    assert_eq!(ask(&archive.path("s.db"), "SELECT count(DISTINCT run) FROM bundles"), ["1"]);
}

#[test]
fn copies_are_analysed_once_and_repacked_ones_share_content() {
    let archive = Archive::empty();
    let first = archive.put_bundle("b/bundle.zip", "troubleshoot");
    fs::create_dir(archive.tickets().join("a")).unwrap();
    fs::copy(&first, archive.tickets().join("a/renamed.zip")).unwrap();
    fs::copy(&first, archive.tickets().join("a/bundle.zip")).unwrap();
    let case = crate::kinds::places::cases().into_iter().find(|case| case.kind == "troubleshoot").unwrap();
    crate::harness::tar_gz(&archive.tickets().join("c.tar.gz"), &case.name, &case.files);
    let bytes = fs::read(&first).unwrap();
    archive.put("damaged.zip", &bytes[..bytes.len() - 30]);
    let summary = archive.triage("s.db", &["--jobs", "1"]);
    assert!(summary.contains("3 analysed (3 bundles), 2 copies"), "{summary}");
    assert!(summary.contains("2 different bundles in the store"), "the damaged one stands for itself: {summary}");
    let store = archive.path("s.db");
    let copies = ask(&store, "SELECT path, same, of_path FROM copies ORDER BY path");
    assert_eq!(copies.len(), 3, "{copies:?}");
    assert_eq!(copies.iter().filter(|row| row.contains("|file|")).count(), 2, "{copies:?}");
    assert_eq!(ask(&store, "SELECT count(*) FROM analyses"), ["3"]);
    // A copy that comes later, and one of a file that has moved.
    fs::rename(&first, archive.tickets().join("moved.zip")).unwrap();
    let again = archive.triage("s.db", &[]);
    assert!(again.contains("1 copy") && again.contains("1 deleted, still in the store"), "{again}");
    assert_eq!(ask(&store, "SELECT path FROM bundles WHERE gone"), ["b/bundle.zip"]);
    fs::rename(archive.tickets().join("moved.zip"), &first).unwrap();
    archive.triage("s.db", &[]);
    assert_eq!(ask(&store, "SELECT path FROM bundles WHERE gone"), ["moved.zip"]);
}

#[test]
fn facts_from_names_of_copies_do_not_depend_on_order() {
    let archive = Archive::empty();
    let case = crate::kinds::places::cases().into_iter().find(|case| case.kind == "harvester").unwrap();
    // Without its own description, a bundle of the kit has its time from its name.
    let files: Vec<_> = case.files.iter().filter(|(name, _)| name != "metadata.yaml").cloned().collect();
    let named = archive.put("z/supportbundle_site-a_2024-05-06T07-08-09Z.zip", b"");
    crate::harness::zip(&named, "files", &files);
    fs::create_dir(archive.tickets().join("a")).unwrap();
    fs::copy(&named, archive.tickets().join("a/upload.zip")).unwrap();
    archive.triage("s.db", &["--jobs", "1"]);
    for (first, store) in [("tickets/a", "a.db"), ("tickets/z", "z.db")] {
        fs::write(
            archive.path("one.list"),
            format!(
                "{first}/{}",
                if first.ends_with('a') { "upload.zip" } else { "supportbundle_site-a_2024-05-06T07-08-09Z.zip" }
            ),
        )
        .unwrap();
        assert_eq!(archive.gleaner(&["triage", "one.list", "--store", store]).code, 0);
        archive.triage(store, &[]);
        let facts = "SELECT path, kind, collected_at, name FROM bundle_list JOIN analyses USING (content)
                     WHERE input LIKE '%tickets' ORDER BY path";
        assert_eq!(ask(&archive.path(store), facts), ask(&archive.path("s.db"), facts));
    }
    let times = ask(&archive.path("s.db"), "SELECT DISTINCT collected_at FROM bundles");
    assert_eq!(times, ["2024-05-06T07:08:09Z"], "the first of the names tells it");
}

#[test]
fn a_changed_file_is_analysed_again() {
    let archive = Archive::empty();
    archive.put_bundle("bundle.zip", "troubleshoot");
    archive.triage("s.db", &[]);
    archive.put_bundle("bundle.zip", "cluster-info");
    let summary = archive.triage("s.db", &[]);
    assert!(summary.contains("1 analysed (1 bundle)"), "{summary}");
    let store = archive.path("s.db");
    assert_eq!(ask(&store, "SELECT path, kind FROM bundles"), ["bundle.zip|cluster-info"]);
    assert_eq!(ask(&store, "SELECT count(*) FROM analyses"), ["1"], "nothing is left of what it was");
}

#[test]
fn only_changed_rules_run_again() {
    let archive = Archive::of(24);
    fs::create_dir(archive.path("rules")).unwrap();
    let write = |condition: &str| {
        let rule = rule_about_pods("web-is-there", "A pod named {{ pod.metadata.name }} is there", condition);
        fs::write(archive.path("rules/web-is-there.yaml"), rule).unwrap();
    };
    write(IS_WEB);
    archive.triage("s.db", &["--rules", "rules"]);
    write("pod.metadata.name.startsWith('no')");
    let summary = archive.triage("s.db", &["--rules", "rules"]);
    assert!(summary.contains("1 rule changed; 1 rule ran again"), "{summary}");
    assert!(!summary.contains("analysed ("), "{summary}");
    archive.triage("fresh.db", &["--rules", "rules"]);
    assert_equal(&archive.path("s.db"), &archive.path("fresh.db"));
    // Without it: nothing is read at all.
    let summary = archive.triage("s.db", &[]);
    assert!(summary.contains("1 rule changed; 0 rules ran again"), "{summary}");
    archive.triage("default.db", &[]);
    assert_equal(&archive.path("s.db"), &archive.path("default.db"));
}

#[test]
fn a_rule_that_explains_others_runs_with_them() {
    let archive = Archive::of(24);
    let (name, text) = some_cause();
    archive.triage("s.db", &[]);
    fs::create_dir(archive.path("rules")).unwrap();
    fs::write(archive.path(&format!("rules/{name}.yaml")), format!("{text}\n# changed\n")).unwrap();
    let summary = archive.triage("s.db", &["--rules", "rules"]);
    assert!(summary.contains("1 rule changed; ") && !summary.contains("1 rule ran"), "{summary}");
    archive.triage("fresh.db", &["--rules", "rules"]);
    assert_equal(&archive.path("s.db"), &archive.path("fresh.db"));
}

/// Any shipped rule that explains another.
fn some_cause() -> (String, String) {
    let loaded = gleaner::internals::rule::load::embedded();
    let cause = loaded.sources.iter().find(|source| source.text.contains("\nexplains:")).unwrap();
    (cause.stem().to_owned(), cause.text.clone())
}
