//! What counts as input, and what becomes of it.

use std::fs;

use super::archive::{Archive, unpack};
use super::rows::ask;
use crate::harness::zip;
use crate::kinds::places::cases;

#[test]
fn bundles_are_found_by_content_and_inside_tickets() {
    let archive = Archive::empty();
    let bundle = fs::read(archive.put_bundle("no-ending", "troubleshoot")).unwrap();
    let case = cases().into_iter().find(|case| case.kind == "harvester").unwrap();
    unpack(&archive.tickets().join("deep/er/than/usual").join(&case.name), &case.files);
    let picture = b"\x89PNG\r\n\x1a\n\0\0".to_vec();
    let files = [
        ("mail.txt".to_owned(), b"hello".to_vec()),
        ("a.zip".to_owned(), bundle.clone()),
        ("b.zip".to_owned(), bundle),
    ];
    zip(&archive.put("ticket.zip", b""), "T-1", &files);
    zip(&archive.put("pictures.zip", b""), "p", &[("a.png".to_owned(), picture.clone())]);
    zip(&archive.put("log.zip", b""), "l", &[("notes.txt".to_owned(), b"what happened\n".to_vec())]);
    archive.put("broken.zip", b"PK\x03\x04 and then nothing");
    archive.put("page.zip", b"<html>not found</html>");
    archive.put("mail.eml", b"Dear support");
    archive.put("picture.png", &picture);
    let summary = archive.triage("s.db", &[]);
    assert!(summary.contains("3 analysed (4 bundles)"), "{summary}");
    assert!(summary.contains("2 without a bundle, 2 failed, 2 not archives"), "{summary}");
    let rows = ask(&archive.path("s.db"), "SELECT path, place, status, kind FROM bundles ORDER BY path, place");
    let kit = format!("deep/er/than/usual/{}||analysed|harvester", case.name);
    let expected = [
        "broken.zip||unreadable|-",
        &kit,
        "log.zip||no_bundle|-",
        "no-ending||analysed|troubleshoot",
        "page.zip||unreadable|-",
        "pictures.zip||no_bundle|-",
        "ticket.zip|T-1/a.zip|analysed|troubleshoot",
        "ticket.zip|T-1/b.zip|analysed|troubleshoot",
    ];
    assert_eq!(rows, expected);
    let errors = ask(&archive.path("s.db"), "SELECT error FROM bundles WHERE error IS NOT NULL");
    assert!(errors.iter().all(|error| !error.contains("tickets")), "an error names no path: {errors:?}");
}

#[test]
fn lists_and_single_files_are_inputs() {
    let archive = Archive::empty();
    archive.put_bundle("one/a.zip", "troubleshoot");
    archive.put_bundle("two/a.zip", "cluster-info");
    fs::write(archive.path("some.list"), "tickets/one/a.zip\ntickets/two/a.zip\ntickets/missing.zip\n").unwrap();
    let answer = archive.gleaner(&["triage", "some.list", "tickets/one/a.zip", "--store", "s.db"]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(answer.stderr.contains("missing.zip` cannot be read"), "{}", answer.stderr);
    let rows = ask(&archive.path("s.db"), "SELECT path, status FROM bundles ORDER BY input, path");
    assert_eq!(rows, ["missing.zip|unreadable", "a.zip|analysed", "a.zip|analysed"]);
    let answer = archive.gleaner(&["triage", "nowhere", "--store", "s.db"]);
    assert_eq!(answer.code, 2);
    assert!(answer.stderr.contains("`nowhere` does not exist"), "{}", answer.stderr);
    assert_eq!(archive.gleaner(&["triage", "tickets"]).code, 2, "a store is needed");
}
