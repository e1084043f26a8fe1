//! Every format of a report, on samples and on a bundle in which every name is hostile.

#[path = "../schema/validate.rs"]
mod validate;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use comrak::nodes::NodeValue;
use serde_json::{Value, json};

use crate::harness::{gleaner_in, sample, zip};

/// Text that tries to leave its place in every format.
const HOSTILE: &str = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)> [x](javascript:alert(3)) `code` | *b* @all #1 \
                       http://evil.example/ ]]> &amp; \u{202e}gpj\u{1b}[31mred\u{1b}]0;title\u{7} {{ 7*7 }} {0} \\";

/// A rule that repeats what it finds in every text.
const RULE: &str = "id: hostile-pod
title: 'Pod {{ pod }} failed'
severity: high
confidence: certain
area: workload
message: '{{ pod.status.message }}'
impact: '{{ pod.status.message }}'
cause: '{{ pod.status.message }}'
remedy:
- do: 'Look at {{ pod }}'
  run: 'kubectl describe pod {{ pod.metadata.name }}'
  caution: '{{ pod.status.message }}'
verify: '{{ pod.status.message }}'
about: [pod]
find:
  pod:
    resource: pods
    where: pod.status.phase == 'Failed'
";

/// A bundle with hostile names, a message of a megabyte, a hostile path and a document that is damaged.
fn hostile(folder: &Path) -> PathBuf {
    let pod = |name: &str, message: &str| {
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": HOSTILE},
               "status": {"phase": "Failed", "message": message}})
    };
    let long = format!("{HOSTILE}{}", "x".repeat(1 << 20));
    let pods = json!({"apiVersion": "v1", "kind": "List", "items": [pod(HOSTILE, HOSTILE), pod("long", &long), pod(&long, HOSTILE)]});
    let node = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": HOSTILE},
                      "status": {"nodeInfo": {"kubeletVersion": HOSTILE}}});
    let nodes = json!({"apiVersion": "v1", "kind": "List", "items": [node]});
    let file = |name: &str, text: String| (name.to_owned(), text.into_bytes());
    let path = folder.join("hostile.zip");
    let files = [
        file("metadata.yaml", "bundlecreatedat: \"2024-05-06T07:08:09Z\"\n".to_owned()),
        file("yamls/namespaced/<b>@all|x/v1/pods.yaml", pods.to_string()),
        file("yamls/cluster/v1/nodes.yaml", nodes.to_string()),
        file("yamls/cluster/v1/<script>`|.yaml", "{ not yaml".to_owned()),
    ];
    zip(&path, "bundle", &files);
    let rules = folder.join("rules");
    fs::create_dir_all(&rules).unwrap();
    fs::write(rules.join("hostile-pod.yaml"), RULE).unwrap();
    path
}

/// The reports of a bundle in every format, by their endings; `summary` is what the terminal shows.
fn reports(bundle: &Path, folder: &Path, more: &[&str], code: i32) -> BTreeMap<&'static str, String> {
    const ENDINGS: [&str; 7] = ["html", "json", "md", "jira", "sarif", "xml", "txt"];
    let names = ENDINGS.map(|ending| format!("r.{ending}"));
    let outputs = names.iter().flat_map(|name| ["-o", name]);
    let args = ["analyze", bundle.to_str().unwrap()].into_iter().chain(outputs).chain(more.iter().copied());
    let answer = gleaner_in(folder, args);
    assert_eq!(answer.code, code, "{}", answer.stderr);
    let read = |ending: &'static str| (ending, fs::read_to_string(folder.join(format!("r.{ending}"))).unwrap());
    ENDINGS.into_iter().map(read).chain([("summary", answer.stdout)]).collect()
}

fn sarif_faults(text: &str) -> Vec<String> {
    let schema = include_str!("../conformance/sarif/sarif-schema-2.1.0.json");
    let schema: Value = serde_json::from_str(schema).unwrap();
    validate::errors(&schema, &schema, &serde_json::from_str(text).unwrap(), "")
}

/// Elements that Jenkins knows: their attributes, those that must be there in front of the bar, and their children.
const JUNIT: [(&str, &str, &str); 8] = [
    ("testsuites", "| name time tests failures errors", "testsuite"),
    (
        "testsuite",
        "name tests failures errors | group time skipped timestamp hostname id package",
        "testsuite properties testcase system-out system-err",
    ),
    ("properties", "|", "property"),
    ("property", "name value |", ""),
    ("testcase", "name | time classname group", "skipped error failure system-out system-err"),
    ("skipped", "| type message", ""),
    ("failure", "| type message", ""),
    ("system-out system-err", "|", ""),
];

fn junit_faults(text: &str) -> Vec<String> {
    let document = roxmltree::Document::parse(text).unwrap();
    let mut faults = Vec::new();
    for element in document.descendants().filter(roxmltree::Node::is_element) {
        let name = element.tag_name().name();
        let Some((_, attributes, children)) = JUNIT.iter().find(|(names, ..)| names.split(' ').any(|n| n == name))
        else {
            faults.push(format!("unknown element {name}"));
            continue;
        };
        let (needed, allowed) = attributes.split_once('|').unwrap();
        let has = |wanted: &str| element.has_attribute(wanted);
        faults.extend(needed.split_whitespace().filter(|a| !has(a)).map(|a| format!("{name} lacks {a}")));
        let known = |a: &str| needed.split_whitespace().chain(allowed.split_whitespace()).any(|k| k == a);
        faults.extend(element.attributes().filter(|a| !known(a.name())).map(|a| format!("{name} has {}", a.name())));
        let inside = element.children().filter(roxmltree::Node::is_element).map(|child| child.tag_name().name());
        faults.extend(inside.filter(|i| !children.split(' ').any(|c| c == *i)).map(|i| format!("{i} in {name}")));
    }
    faults
}

/// Returns true if Markdown, as GitHub reads it, has only elements that gleaner writes: text, code, lists, headings and
/// addresses of rules.
fn markdown_faults(text: &str) -> Vec<String> {
    let mut options = comrak::Options::default();
    options.extension.autolink = true;
    options.extension.table = true;
    options.extension.strikethrough = true;
    options.extension.math_dollars = true;
    let arena = comrak::Arena::new();
    let root = comrak::parse_document(&arena, text, &options);
    let fault = |value: &NodeValue| match value {
        NodeValue::HtmlBlock(html) => Some(html.literal.clone()),
        NodeValue::HtmlInline(html) => Some(html.clone()),
        NodeValue::Text(text) if text.contains("@all") => Some(text.to_string()),
        NodeValue::Link(link) if !link.url.starts_with("https://") || link.url.contains("evil") => {
            Some(link.url.clone())
        }
        NodeValue::Image(_) | NodeValue::Table(_) | NodeValue::Emph | NodeValue::Strikethrough | NodeValue::Math(_) => {
            Some(format!("{value:?}"))
        }
        _ => None,
    };
    root.descendants().filter_map(|node| fault(&node.data.borrow().value)).collect()
}

#[test]
fn samples_are_valid_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    for (name, threshold, code) in [("stale-managed-chart", "high", 1), ("healthy", "info", 0)] {
        let reports = reports(&sample(name), folder.path(), &["--fail-on", threshold], code);
        assert_eq!(sarif_faults(&reports["sarif"]), [""; 0], "{name}");
        assert_eq!(junit_faults(&reports["xml"]), [""; 0], "{name}");
        assert_eq!(markdown_faults(&reports["md"]), [""; 0], "{name}");
        assert!(reports["jira"].starts_with("*Harvester support bundle* {{"), "{}", reports["jira"]);
        let json: Value = serde_json::from_str(&reports["json"]).unwrap();
        let sarif: Value = serde_json::from_str(&reports["sarif"]).unwrap();
        let prints = |list: &Value, path: &str| -> Vec<Value> {
            list.as_array().unwrap().iter().map(|item| item.pointer(path).unwrap().clone()).collect()
        };
        let results = &sarif["runs"][0]["results"];
        assert_eq!(prints(results, "/partialFingerprints/gleaner~1v1"), prints(&json["findings"], "/fingerprint"));
        assert_eq!(sarif["runs"][0]["invocations"][0]["exitCode"], code);
        let suite = roxmltree::Document::parse(&reports["xml"]).unwrap();
        let cases = suite.descendants().filter(|n| n.has_tag_name("testcase")).count();
        let rules: usize = ["fired", "clean", "clean_partly", "not_evaluated", "not_applicable"]
            .iter()
            .map(|outcome| json["rules"][outcome].as_array().unwrap().len())
            .sum();
        assert_eq!(cases, rules, "each rule is a case");
        assert_eq!(suite.descendants().any(|n| n.has_tag_name("failure")), code == 1);
    }
}

#[test]
fn a_report_for_a_customer_names_no_rule_and_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let bundle = sample("stale-managed-chart");
    let args = ["analyze", bundle.to_str().unwrap(), "--for", "customer"];
    let answer = gleaner_in(folder.path(), args.into_iter().chain(["-o", "r.json"]));
    assert_eq!(answer.code, 2, "{}", answer.stderr);
    assert!(answer.stderr.contains("a report for a customer is .md (--format markdown) or .jira (--format jira)"));
    let full = gleaner_in(folder.path(), ["analyze", bundle.to_str().unwrap(), "-o", "full.json", "--quiet"]);
    assert_eq!(full.code, 0, "{}", full.stderr);
    let full: Value = serde_json::from_str(&fs::read_to_string(folder.path().join("full.json")).unwrap()).unwrap();
    for more in [&["-o", "r.jira"][..], &[]] {
        let answer = gleaner_in(folder.path(), args.into_iter().chain(more.iter().copied()));
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        let name = more.last().copied().unwrap_or("stale-managed-chart.gleaner.md");
        let report = fs::read_to_string(folder.path().join(name)).unwrap();
        assert!(report.contains("We found 3 problems") && report.contains("What we need next"), "{report}");
        for finding in full["findings"].as_array().unwrap() {
            assert!(!report.contains(finding["rule"].as_str().unwrap()), "{report}");
            for piece in finding["evidence"].as_array().unwrap() {
                assert!(!report.contains(piece["entry"].as_str().unwrap()), "{report}");
            }
        }
    }
}

#[test]
fn a_schema_that_takes_everything_would_be_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let reports = reports(&sample("stale-managed-chart"), folder.path(), &[], 0);
    for (good, bad) in [
        ("\"level\": \"error\"", "\"level\": \"high\""),
        ("\"version\": \"2.1.0\"", "\"version\": \"2.2\""),
        ("\"uri\": \"", "\"uri\": \" "),
        ("\"startLine\": ", "\"startLine\": -"),
        ("\"ruleId\"", "\"rule\""),
    ] {
        assert!(reports["sarif"].contains(good), "{good}");
        assert_ne!(sarif_faults(&reports["sarif"].replace(good, bad)), [""; 0], "{bad}");
    }
    assert_ne!(junit_faults(&reports["xml"].replace("<testcase classname", "<testcase class")), [""; 0]);
    assert_ne!(junit_faults(&reports["xml"].replace("system-out", "output")), [""; 0]);
    assert_ne!(markdown_faults("a <b>"), [""; 0]);
}

#[test]
fn hostile_names_stay_text_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let bundle = hostile(folder.path());
    let more = ["--rules", "rules", "--no-default-rules", "--fail-on", "high"];
    let reports = reports(&bundle, folder.path(), &more, 1);
    let json: Value = serde_json::from_str(&reports["json"]).unwrap();
    assert_eq!(json["findings"].as_array().unwrap().len(), 3, "{}", json["rules"]);
    // One dump is no YAML.
    let issues: Vec<_> = json["issues"].as_array().unwrap().iter().map(|issue| issue["kind"].clone()).collect();
    assert_eq!(issues, ["document"], "{}", json["issues"]);
    for (format, text) in &reports {
        let steers = |c: char| (c.is_control() && !matches!(c, '\n' | '\t')) || ('\u{202a}'..='\u{202e}').contains(&c);
        // JSON keeps texts as they are; a program that shows them has to clean them.
        assert!(*format == "json" || !text.contains(steers), "{format}");
        assert!(!text.contains(char::is_control) || !text.contains('\u{1b}'), "{format}");
    }
    assert!(!reports["html"].contains("<script>alert") && !reports["html"].contains("<img src=x"));
    assert_eq!(markdown_faults(&reports["md"]), [""; 0]);
    assert!(reports["md"].len() < 65_536, "{}", reports["md"].len());
    assert!(reports["jira"].encode_utf16().count() < 32_768, "{}", reports["jira"].len());
    assert_eq!(sarif_faults(&reports["sarif"]), [""; 0]);
    assert_eq!(junit_faults(&reports["xml"]), [""; 0]);
    for summary in ["summary", "txt"] {
        assert!(reports[summary].lines().all(|line| line.chars().count() < 700), "a command is not wrapped: {summary}");
    }
}

/// Runs `analyze` on the sample with a baseline, into `r.json` and `r.xml`.
fn with_baseline(folder: &Path, baseline: &str) -> (i32, String, Value) {
    fs::write(folder.join("baseline"), baseline).unwrap();
    let bundle = sample("stale-managed-chart");
    let args = ["analyze", bundle.to_str().unwrap(), "--baseline", "baseline", "--fail-on", "info"];
    let answer =
        gleaner_in(folder, args.into_iter().chain(["-o", "r.json", "-o", "r.xml", "-o", "r.md", "-o", "r.html"]));
    let json =
        fs::read_to_string(folder.join("r.json")).map_or(Value::Null, |text| serde_json::from_str(&text).unwrap());
    (answer.code, answer.stdout + &answer.stderr, json)
}

#[test]
fn findings_of_the_baseline_are_hidden_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    let (code, _, all) = with_baseline(folder.path(), "# nothing is accepted yet\n");
    assert_eq!((code, &all["baseline"]), (1, &json!({"hidden": 0})));
    let findings = all["findings"].as_array().unwrap();
    let (code, told, json) = with_baseline(folder.path(), &all.to_string());
    assert_eq!((code, &json["baseline"]["hidden"], &json["findings"]), (0, &json!(findings.len()), &json!([])));
    let says = format!("{} findings are hidden", findings.len());
    assert!(told.contains("Nothing new found") && told.contains(&says), "{told}");
    for report in ["r.md", "r.html"] {
        assert!(fs::read_to_string(folder.path().join(report)).unwrap().contains(&says), "{report}");
    }
    assert_eq!(json["rules"]["fired"], all["rules"]["fired"]);
    let xml = fs::read_to_string(folder.path().join("r.xml")).unwrap();
    assert!(xml.contains(&format!("name=\"baseline.hidden\" value=\"{}\"", findings.len())), "{xml}");
}

#[test]
fn a_symptom_of_an_accepted_cause_stands_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let (_, _, all) = with_baseline(folder.path(), "");
    let findings = all["findings"].as_array().unwrap();
    let symptom = findings.iter().find(|f| !f["explained_by"].is_null()).unwrap();
    let cause = symptom["explained_by"].as_str().unwrap();
    let (code, _, json) = with_baseline(folder.path(), &format!("{cause}  # known\n"));
    assert_eq!((code, &json["baseline"]["hidden"]), (1, &json!(1)));
    let left = json["findings"].as_array().unwrap();
    let alone = left.iter().find(|f| f["fingerprint"] == symptom["fingerprint"]).unwrap();
    assert!(alone["explained_by"].is_null());
}

#[test]
fn a_file_that_is_no_baseline_ends_before_the_analysis() {
    let folder = tempfile::tempdir().unwrap();
    for (baseline, says) in [("some text\n", "line 1: `some text` is not a fingerprint"), ("{}", "schema ``")] {
        let (code, told, json) = with_baseline(folder.path(), baseline);
        assert_eq!((code, json), (2, Value::Null));
        assert!(told.contains("cannot use the baseline `baseline`") && told.contains(says), "{told}");
    }
    let answer = gleaner_in(folder.path(), ["analyze", "nowhere.zip", "--baseline", "no-such-file"]);
    assert_eq!(answer.code, 2, "{}", answer.stderr);
}

/// A bundle of a cluster of a customer, and the names in it that must not get out.
fn of_customer(folder: &Path) -> (PathBuf, [&'static str; 8]) {
    let names = [
        "vega-rack3",
        "198.51.100.23",
        "2001:db8:7::15",
        "52:54:00:1a:2b:3c",
        "jo.doe@vega-corp.com",
        "vega-corp.com",
        "vega-vm1",
        "192.0.2.0",
    ];
    let message = "node vega-rack3 (198.51.100.23, 2001:db8:7::15, 52:54:00:1a:2b:3c) cannot reach s3.vega-corp.com from 192.0.2.0/24, \
                   ask jo.doe@vega-corp.com about vega-vm1; longhorn.io v1.7.2 at 127.0.0.1";
    let item = |kind: &str, name: &str| {
        json!({"apiVersion": if kind == "VirtualMachine" { "kubevirt.io/v1" } else { "v1" }, "kind": kind,
               "metadata": {"name": name, "namespace": "shop"}, "status": {"phase": "Failed", "message": message}})
    };
    let list = |items: Vec<Value>| json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string().into_bytes();
    let files = [
        ("metadata.yaml".to_owned(), b"bundlecreatedat: \"2024-05-06T07:08:09Z\"\n".to_vec()),
        ("yamls/namespaced/shop/v1/pods.yaml".to_owned(), list(vec![item("Pod", "web-vega-rack3")])),
        (
            "yamls/namespaced/shop/kubevirt.io/v1/virtualmachines.yaml".to_owned(),
            list(vec![item("VirtualMachine", "vega-vm1")]),
        ),
        ("yamls/cluster/v1/nodes.yaml".to_owned(), list(vec![item("Node", "vega-rack3")])),
        ("nodes/vega-rack3/logs/kubelet.log".to_owned(), format!("{message}\n").into_bytes()),
    ];
    let path = folder.join("vega.zip");
    zip(&path, "bundle", &files);
    fs::create_dir_all(folder.join("rules")).unwrap();
    fs::write(folder.join("rules/hostile-pod.yaml"), RULE).unwrap();
    (path, names)
}

#[test]
fn redacted_reports_have_pseudonyms_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let (bundle, names) = of_customer(folder.path());
    let plain = reports(&bundle, folder.path(), &["--rules", "rules"], 0);
    assert!(names.iter().all(|name| plain["json"].contains(name)), "{}", plain["json"]);
    let redacted = reports(&bundle, folder.path(), &["--rules", "rules", "--redact"], 0);
    for (format, text) in &redacted {
        for name in names {
            assert!(!text.contains(name), "{name} in {format}");
        }
        let is_short = matches!(*format, "summary" | "txt");
        assert!(is_short || (text.contains("127.0.0.1") && text.contains("v1.7.2")), "{format}");
    }
    let json = |text: &str| -> Value { serde_json::from_str(text).unwrap() };
    let node = json(&redacted["json"])["bundle"]["nodes"][0]["name"].as_str().unwrap().to_owned();
    assert!(node.starts_with("host-"));
    for (format, text) in &redacted {
        assert!(text.contains(&node), "{format} has another pseudonym");
    }
    assert_eq!(reports(&bundle, folder.path(), &["--rules", "rules", "--redact"], 0), redacted, "the same bytes");
    let prints = |text: &str| json(text)["findings"][0]["fingerprint"].clone();
    assert_ne!(prints(&redacted["json"]), prints(&plain["json"]));
}

#[test]
fn a_key_of_the_user_decides_pseudonyms() {
    let folder = tempfile::tempdir().unwrap();
    let (bundle, _) = of_customer(folder.path());
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("one.key", "0123456789abcdef0123456789abcdef\n");
    write("short.key", "abc\n");
    let node = |more: &[&str]| {
        let all = reports(&bundle, folder.path(), &[&["--rules", "rules", "--redact"], more].concat(), 0);
        let json: Value = serde_json::from_str(&all["json"]).unwrap();
        json["bundle"]["nodes"][0]["name"].as_str().unwrap().to_owned()
    };
    assert_eq!(node(&["--redact-key", "one.key"]), node(&["--redact-key", "one.key"]));
    assert_ne!(node(&["--redact-key", "one.key"]), node(&[]));
    fs::copy(folder.path().join("r.json"), folder.path().join("accepted.json")).unwrap();
    let all = reports(&bundle, folder.path(), &["--rules", "rules", "--redact", "--baseline", "accepted.json"], 0);
    let json: Value = serde_json::from_str(&all["json"]).unwrap();
    assert_eq!(json["findings"], json!([]), "a redacted report is a baseline for its key");
    let answer = gleaner_in(folder.path(), ["analyze", "vega.zip", "--redact", "--redact-key", "short.key"]);
    assert_eq!(answer.code, 2);
    assert!(
        answer.stderr.contains("cannot use the key `short.key`") && answer.stderr.contains("3 bytes"),
        "{}",
        answer.stderr
    );
}

#[test]
fn the_summary_fits_on_the_screen() {
    let folder = tempfile::tempdir().unwrap();
    let bundle = sample("stale-managed-chart");
    for (columns, rows) in [("80", "24"), ("120", "40")] {
        let mut command = assert_cmd::Command::new(assert_cmd::cargo::cargo_bin!("gleaner"));
        let command =
            command.env("COLUMNS", columns).env("LINES", rows).env("NO_COLOR", "1").current_dir(folder.path());
        let output = command.args(["analyze", bundle.to_str().unwrap(), "-o", "r.json"]).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let (columns, rows): (usize, usize) = (columns.parse().unwrap(), rows.parse().unwrap());
        // Commands are not wrapped, so that they can be copied.
        let mut lines = text.lines().filter(|line| !line.trim_start().starts_with("kubectl "));
        assert!(text.lines().count() < rows && lines.all(|line| line.chars().count() <= columns), "{text}");
        assert!(text.contains("OOMKilled") && text.contains("r.json"), "{text}");
        // A small screen has room for the titles of all causes first.
        assert!(rows == 24 || text.contains("do: "), "{text}");
    }
}
