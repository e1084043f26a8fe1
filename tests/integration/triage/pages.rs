//! `gleaner triage report`: pages about a whole archive.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;

use super::archive::{Archive, rule_about_pods};
use super::rows::ask;
use crate::harness::zip;

/// Pages by their path below the folder.
pub type Pages = BTreeMap<String, String>;

/// Writes the pages of a store; fails unless the program ends with 0.
pub fn report(archive: &Archive, store: &str, folder: &str, more: &[&str]) -> Pages {
    let args = ["triage", "report", "--store", store, "--html", folder];
    let answer = archive.gleaner(&args.iter().chain(more).copied().collect::<Vec<_>>());
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    pages(&archive.path(folder))
}

fn pages(folder: &Path) -> Pages {
    let mut open = vec![folder.to_owned()];
    let mut pages = Pages::new();
    while let Some(inner) = open.pop() {
        for entry in fs::read_dir(&inner).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
                pages.insert(name, fs::read_to_string(&path).unwrap());
            }
        }
    }
    pages
}

/// Fails where a page refers to something that is not there.
fn assert_linked(pages: &Pages) {
    let href = Regex::new("href=\"([^\"]*)\"").unwrap();
    let mut links = 0;
    for (name, text) in pages {
        for link in href.captures_iter(text) {
            let link = link[1].replace("&#x2f;", "/").replace("&#x27;", "'");
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            if link == "data:," || link.starts_with("https://") {
                continue;
            }
            let target = if file.is_empty() { name.clone() } else { beside(name, file) };
            let page = pages.get(&target).unwrap_or_else(|| panic!("{name} leads to {target}"));
            assert!(anchor.is_empty() || page.contains(&format!("id=\"{anchor}\"")), "{name} leads to {link}");
            links += 1;
        }
    }
    assert!(links > pages.len(), "{links} links on {} pages", pages.len());
}

/// The path of a link on a page.
fn beside(page: &str, link: &str) -> String {
    let mut path = PathBuf::from(page);
    path.pop();
    for part in link.split('/') {
        if part == ".." {
            assert!(path.pop(), "{page}: {link} leaves the folder");
        } else {
            path.push(part);
        }
    }
    path.to_str().unwrap().to_owned()
}

/// The text of a page, tags left out and blanks joined.
pub fn text(page: &str) -> String {
    let page = Regex::new("(?s)<style>.*?</style>|<[^>]*>").unwrap().replace_all(page, " ");
    let page = page.replace("&#x2f;", "/").replace("&#x27;", "'").replace("&lt;", "<").replace("&gt;", ">");
    Regex::new(r"\s+").unwrap().replace_all(&page, " ").into_owned()
}

#[test]
fn pages_have_the_numbers_of_the_store() {
    let archive = Archive::of(60);
    archive.triage("s.db", &[]);
    let store = archive.path("s.db");
    let number = |question: &str| ask(&store, question).remove(0).parse::<u64>().unwrap();
    let pages = report(&archive, "s.db", "pages", &[]);
    assert_linked(&pages);
    let below = |folder: &str| pages.keys().filter(|name| name.starts_with(folder)).count() as u64;
    let contents = number("SELECT count(*) FROM contents");
    assert_eq!(below("bundles/"), contents);
    assert_eq!(below("rules/"), number("SELECT count(DISTINCT rule) FROM outcomes"));
    assert_eq!(below("clusters/"), number("SELECT count(*) FROM clusters WHERE contents > 1"));
    assert_eq!(below("reports/"), 0);

    let index = text(&pages["index.html"]);
    let fired = number("SELECT count(*) FROM rule_hits WHERE fired > 0");
    let rules = number("SELECT count(*) FROM rule_hits");
    let rules = if rules < 1_000 { rules.to_string() } else { format!("{},{:03}", rules / 1_000, rules % 1_000) };
    let with = number("SELECT count(*) FROM contents WHERE analysis IN (SELECT analysis FROM findings)");
    assert!(fired > 0 && with > 0 && with < contents);
    assert!(
        index.contains(&format!("{fired} rules of {rules} fired, in {with} of {contents} different bundles")),
        "{index}"
    );
    assert!(index.contains(&format!("{} bundles without a finding", contents - with)));
    let ends = ask(
        &store,
        "SELECT substr(min(collected_at), 1, 10) || ' to ' || substr(max(collected_at), 1, 10) FROM contents",
    );
    assert!(index.contains(&format!("Collected {}", ends[0])), "{index}");
    for row in ask(&store, "SELECT rule, fired, evaluated FROM rule_hits WHERE fired > 0") {
        let [rule, fired, evaluated] = row.split('|').collect::<Vec<_>>()[..] else { panic!("{row}") };
        let page = text(&pages[&format!("rules/{rule}.html")]);
        let bundles = if evaluated == "1" { "bundle" } else { "bundles" };
        assert!(
            page.contains(&format!("Fired in {fired} of {evaluated} {bundles} in which it was evaluated")),
            "{page}"
        );
    }
    for row in ask(&store, "SELECT path FROM bundles WHERE status <> 'analysed'") {
        assert!(index.contains(&row), "{row} is not told of");
    }
}

#[test]
fn the_same_store_gives_the_same_pages() {
    let archive = Archive::of(12);
    archive.triage("s.db", &[]);
    let first = report(&archive, "s.db", "pages", &[]);
    fs::write(archive.path("pages/rules/note.html"), "somebody else's").unwrap();
    fs::write(archive.path("pages/rules/old.html"), &first["index.html"]).unwrap();
    let mut again = report(&archive, "s.db", "pages", &[]);
    assert_eq!(again.remove("rules/note.html").as_deref(), Some("somebody else's"));
    assert!(first == again, "an old page of ours goes, everything else stays");
}

#[test]
fn changes_between_bundles_of_a_cluster_are_shown() {
    let archive = Archive::empty();
    put_bundle(&archive, "1", &[("gone", "Failed"), ("stays", "Failed"), ("hidden", "Failed")]);
    put_bundle(&archive, "2", &[("stays", "Failed"), ("new", "Failed"), ("hidden", "Running")]);
    let pages = reported(&archive, &[]);
    let cluster: Vec<&String> = pages.keys().filter(|name| name.starts_with("clusters/")).collect();
    let [cluster] = cluster[..] else { panic!("{cluster:?}") };
    let page = text(&pages[cluster]);
    assert!(page.contains("2 bundles; latest change: 1 new, 2 gone, 1 in both"), "{page}");
    let place = |what: &str| page.find(what).unwrap_or_else(|| panic!("no {what} in {page}"));
    assert!(place(" New ") < place("Pod new failed") && place("Pod new failed") < place(" Gone "));
    assert!(place(" Gone ") < place("Pod gone failed"));
    assert!(!page.contains("Pod stays failed"), "what is in both is counted only");
    assert!(text(&pages["index.html"]).contains("1 new, 2 gone, 1 in both"));
    assert!(page.contains("v1.30.1 → v1.30.2") && page.contains("2 findings; since"), "{page}");
}

#[test]
fn findings_of_rules_not_evaluated_are_never_gone() {
    let archive = Archive::empty();
    put_bundle(&archive, "1", &[("web", "Failed")]);
    put_bundle(&archive, "2", &[]);
    let pages = reported(&archive, &[]);
    let (_, page) = pages.iter().find(|(name, _)| name.starts_with("clusters/")).unwrap();
    let page = text(page);
    assert!(page.contains("0 new, 0 gone, 0 in both, 1 that cannot be compared"), "{page}");
    assert!(page.contains("in the previous bundle; in this one: not evaluated:"), "{page}");
    let index = text(&pages["index.html"]);
    assert!(index.contains("1 of them could not be checked at all") && index.contains("no rule could be evaluated"));
}

#[test]
fn names_of_bundles_are_escaped() {
    const HOSTILE: &str = "<script>alert(1)</script>\"'{{ 7*7 }}\u{202e}";
    let archive = Archive::empty();
    put_bundle(&archive, "1", &[(HOSTILE, "Failed"), ("b", "Failed")]);
    let file = archive.tickets().join("<img src=x onerror=alert(1)>'{{x}}.zip");
    fs::rename(archive.tickets().join("1.zip"), file).unwrap();
    let pages = reported(&archive, &[]);
    let style = Regex::new("(?s)<style>.*?</style>").unwrap();
    let handler = Regex::new(r"<[^>]*\s(on[a-z]+|style|src)=").unwrap();
    for (name, page) in &pages {
        assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || "-/.".contains(c)), "{name}");
        let markup = style.replace(page, "");
        assert!(!markup.contains("<script") && !markup.contains("<img") && !markup.contains('\u{202e}'), "{name}");
        assert!(
            page.contains("default-src &#x27;none&#x27;") && page.contains("script-src &#x27;none&#x27;"),
            "{name}"
        );
        assert!(!handler.is_match(&markup), "{name}");
    }
    let (_, bundle) = pages.iter().find(|(name, _)| name.starts_with("bundles/")).unwrap();
    assert!(text(bundle).contains("<script>alert(1)</script>") && bundle.contains("{{ 7*7 }}"));
    assert!(text(&pages["rules/pod-failed.html"]).contains("<img src=x onerror=alert(1)>'{{x}}.zip"));
}

#[test]
fn existing_originals_are_analysed_again() {
    let archive = Archive::empty();
    for name in ["kept", "gone", "changed"] {
        put_bundle(&archive, name, &[(name, "Failed")]);
    }
    archive.triage("s.db", &OWN);
    fs::remove_file(archive.tickets().join("gone.zip")).unwrap();
    put_bundle(&archive, "changed", &[("other", "Failed")]);
    let args = ["triage", "report", "--store", "s.db", "--html", "pages", "--reports"];
    let answer = archive.gleaner(&[&args[..], &OWN].concat());
    assert_eq!(answer.code, 0);
    assert!(
        answer.stderr.contains("warning: 2 originals could not be analysed again; see their pages"),
        "{}",
        answer.stderr
    );
    let pages = pages(&archive.path("pages"));
    assert_linked(&pages);
    let of = |folder: &str, name: &str| {
        pages.iter().find(|(path, _)| path.starts_with(&format!("{folder}/{name}-"))).map(|(_, page)| text(page))
    };
    let report = of("reports", "kept").unwrap();
    assert!(report.contains("Pod kept failed") && report.contains("Look at its log."), "with the steps of the rule");
    for (name, why) in [("gone", "gone.zip` no longer exists"), ("changed", "has changed; run `gleaner triage` again")]
    {
        let page = of("bundles", name).unwrap();
        assert!(of("reports", name).is_none());
        assert!(page.contains(why) && page.contains(&format!("Pod {name} failed")), "{page}");
        assert!(page.contains("phase: Failed"), "the evidence of the store is shown: {page}");
    }
}

#[test]
fn a_copy_is_used_if_the_first_file_was_deleted() {
    let archive = Archive::empty();
    put_bundle(&archive, "first", &[("web", "Failed")]);
    fs::copy(archive.tickets().join("first.zip"), archive.tickets().join("second.zip")).unwrap();
    archive.triage("s.db", &OWN);
    fs::write(archive.tickets().join("first.zip"), b"written again").unwrap();
    let args = ["triage", "report", "--store", "s.db", "--html", "pages", "--reports", "--quiet"];
    let answer = archive.gleaner(&[&args[..], &OWN].concat());
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
    let pages = pages(&archive.path("pages"));
    assert_linked(&pages);
    let (_, report) = pages.iter().find(|(path, _)| path.starts_with("reports/first-")).unwrap();
    assert!(text(report).contains("second.zip"), "where it was read stands in it");
}

#[cfg(target_os = "linux")]
#[test]
fn the_page_says_that_an_original_exceeds_its_memory() {
    let archive = Archive::empty();
    super::budgets::put_large(&archive);
    archive.triage("s.db", &[]);
    // Files that remain from an earlier report that was stopped.
    archive.put("../pages/reports/.large.html.1-0.gleaner.tmp", b"<");
    let args = [
        "triage",
        "report",
        "--store",
        "s.db",
        "--html",
        "pages",
        "--reports",
        "--bundle-memory",
        super::budgets::BUDGET,
    ];
    let answer = archive.gleaner(&args);
    assert_eq!(answer.code, 0);
    assert!(answer.stderr.contains("warning: 1 original could not be analysed again"), "{}", answer.stderr);
    let pages = pages(&archive.path("pages"));
    let (_, page) = pages.iter().find(|(path, _)| path.starts_with("bundles/large-")).unwrap();
    assert!(text(page).contains("stopped: it takes more than 210 MiB of memory (--bundle-memory)"), "{page}");
    assert_eq!(fs::read_dir(archive.path("pages/reports")).unwrap().count(), 0);
}

#[test]
fn a_folder_with_other_files_is_rejected() {
    let archive = Archive::of(1);
    archive.triage("s.db", &[]);
    archive.put("../mine/index.html", b"<p>mine");
    let answer = archive.gleaner(&["triage", "report", "--store", "s.db", "--html", "mine"]);
    assert_eq!(answer.code, 2);
    assert!(answer.stderr.contains("the folder `mine` contains other files"), "{}", answer.stderr);
    assert_eq!(fs::read(archive.path("mine/index.html")).unwrap(), b"<p>mine");
    assert_eq!(archive.gleaner(&["triage", "report", "--store", "no.db", "--html", "new"]).code, 2);
    assert!(!archive.path("new").exists());
}

/// Only the rule of [`put_bundle`].
const OWN: [&str; 3] = ["--no-default-rules", "--rules", "own"];

/// Analyses the tickets with that rule and gives the pages, all links followed.
fn reported(archive: &Archive, more: &[&str]) -> Pages {
    archive.triage("s.db", &OWN);
    let pages = report(archive, "s.db", "pages", more);
    assert_linked(&pages);
    pages
}

/// Packs a bundle of one cluster with these pods and their phases, and writes a rule about failed pods next to the
/// tickets. Without a pod there is no list of pods. A name that is a number is the day of collection.
fn put_bundle(archive: &Archive, name: &str, pods: &[(&str, &str)]) {
    let day = name.parse().unwrap_or(1);
    let text = |path: &str, text: String| (path.to_owned(), text.into_bytes());
    let metadata = format!(
        "bundlename: {name}\nkubernetesversion: v1.30.{day}\nbundlecreatedat: \"2026-03-{day:02}T07:08:09Z\"\n"
    );
    let namespaces = "apiVersion: v1\nitems:\n- {apiVersion: v1, kind: Namespace, metadata: {name: kube-system, uid: c-1}}\nkind: List\n";
    let mut files =
        vec![text("metadata.yaml", metadata), text("yamls/cluster/v1/namespaces.yaml", namespaces.to_owned())];
    if !pods.is_empty() {
        let mut list = "apiVersion: v1\nitems:\n".to_owned();
        for (name, phase) in pods {
            let name = serde_json::to_string(name).unwrap();
            list += &format!(
                "- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: {name}\n    namespace: default\n  status:\n    phase: {phase}\n"
            );
        }
        files.push(text("yamls/namespaced/default/v1/pods.yaml", list + "kind: List\n"));
    }
    zip(&archive.tickets().join(format!("{name}.zip")), "supportbundle", &files);
    let rule = rule_about_pods("pod-failed", "Pod {{ pod.metadata.name }} failed", "pod.status.phase == 'Failed'");
    archive.put("../own/rules/workload/pod-failed.yaml", rule.as_bytes());
}
