//! The text that a rule's pattern matched is highlighted in a report, from the line of a log to the page.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::harness::{gleaner_in, zip};

const RULE: &str = "id: peer-lost
title: Peer lost
severity: high
confidence: certain
area: network
message: m
impact: i
cause: c
remedy:
- do: d
verify: v
find:
  line:
    log: kubelet
    match: 'peer (?<peer>[^ ]+) lost.*'
    by: peer
";

/// The report of a bundle whose kubelet wrote this line, and its JSON.
fn report(line: &str, more: &[&str]) -> (String, Value) {
    let folder = tempfile::tempdir().unwrap();
    let log = format!("before\nE0301 {line}\nbehind\n");
    let files = [
        ("metadata.yaml".to_owned(), b"bundlecreatedat: \"2024-05-06T07:08:09Z\"\n".to_vec()),
        ("nodes/vega-rack3/logs/kubelet.log".to_owned(), log.into_bytes()),
    ];
    zip(&folder.path().join("b.zip"), "bundle", &files);
    fs::create_dir(folder.path().join("rules")).unwrap();
    fs::write(folder.path().join("rules/peer-lost.yaml"), RULE).unwrap();
    let args = ["analyze", "b.zip", "--rules", "rules", "--no-default-rules", "-o", "r.html", "-o", "r.json"];
    let answer = gleaner_in(folder.path(), args.iter().chain(more));
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let read = |name: &str| fs::read_to_string(Path::new(folder.path()).join(name)).unwrap();
    (read("r.html"), serde_json::from_str(&read("r.json")).unwrap())
}

/// The line of the log as the page has it.
fn shown(html: &str) -> &str {
    let from = html.find("<mark").expect("the page has the line");
    html[from..].split("</mark>").next().unwrap().split_once('>').unwrap().1
}

#[test]
fn the_match_stands_out_in_the_page_only() {
    let (html, json) = report("dial: peer alpha lost", &[]);
    assert_eq!(shown(&html), "E0301 dial: <b>peer alpha lost</b>");
    let piece = &json["findings"][0]["evidence"][0];
    assert_eq!(piece["excerpt"][1]["text"], "E0301 dial: peer alpha lost");
    assert_eq!(piece.get("matched"), None, "the format of v1 stays as it is");
}

#[test]
fn markup_within_the_match_stays_text() {
    let (html, _) = report("peer <script>alert(1)</script></b> lost \"&amp;<img/src=x>\u{202e}", &[]);
    let line = shown(&html);
    assert!(line.starts_with("E0301 <b>peer &lt;script&gt;alert(1)&lt;"), "{line}");
    assert_eq!((line.matches('<').count(), line.contains('\u{202e}')), (2, false), "{line}");
}

#[test]
fn a_line_that_is_cut_shows_the_beginning_of_the_match() {
    let (html, _) = report(&format!("{} peer alpha lost {}", "x".repeat(500), "y".repeat(500)), &[]);
    let line = shown(&html);
    assert!(line.contains("x <b class=\"long\">peer alpha lost yyy") && line.ends_with("yyy</b>…"), "{line}");
}

#[test]
fn pseudonyms_take_the_place_of_names_in_the_match_too() {
    let (html, _) = report("peer 10.11.12.13 lost behind password=s3cret", &["--redact"]);
    assert!(!html.contains("10.11.12.13") && !html.contains("s3cret"));
    let line = shown(&html);
    assert!(line.starts_with("E0301 <b>peer ip-") && line.ends_with(" lost behind password=***</b>"), "{line}");
}
