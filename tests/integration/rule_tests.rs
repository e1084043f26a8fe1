//! `rules test`: named differences, the nearest miss, and `--watch`.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use crate::harness::gleaner_in;

const RULE: &str = "id: pod-failed\ntitle: \"{{ pod }} failed\"\nseverity: high\nconfidence: certain\narea: workload\n\
                    find: {pod: {resource: pods, where: pod.status.phase == 'Failed' && pod.spec.nodeName != null}}\n\
                    message: \"Pod {{ pod.metadata.name }} failed on {{ pod.spec.nodeName }}\"\n\
                    impact: i\ncause: c\nremedy: [{do: d}]\n";

/// Makes a rule with one case of a pod in that phase, and the expected result.
fn folder(phase: &str, expect: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("rules")).unwrap();
    fs::create_dir_all(folder.path().join("tests/rules")).unwrap();
    fs::write(folder.path().join("rules/pod-failed.yaml"), RULE).unwrap();
    write_test(folder.path(), phase, expect);
    folder
}

fn write_test(folder: &Path, phase: &str, expect: &str) {
    let text = format!(
        "rule: pod-failed\ncases:\n- name: one pod\n  now: 2025-01-01T00:00:00Z\n  objects:\n  \
         - {{apiVersion: v1, kind: Pod, metadata: {{name: web, namespace: shop}}, spec: {{nodeName: n1}}, status: {{phase: {phase}}}}}\n  \
         expect: {expect}\n"
    );
    fs::write(folder.join("tests/rules/pod-failed.yaml"), text).unwrap();
}

/// Runs `rules test .` and returns its output and exit code.
fn tested(phase: &str, expect: &str) -> (String, i32) {
    let folder = folder(phase, expect);
    let answer = gleaner_in(folder.path(), ["rules", "test", "."]);
    assert_eq!(answer.stderr, "");
    (answer.stdout, answer.code)
}

#[test]
fn passing_tests_are_counted() {
    assert_eq!(tested("Failed", "[{object: Pod/shop/web, severity: high}]"), ("1 passed, 0 failed\n".to_owned(), 0));
}

#[test]
fn parts_of_the_cause_and_of_the_remedy_are_compared() {
    assert_eq!(tested("Failed", "[{cause: c, remedy: d}]").1, 0);
    let (text, code) = tested("Failed", "[{cause: disk, remedy: kubectl}]");
    let words: Vec<&str> = text.split_whitespace().collect();
    for field in [["cause", "expected", "disk", "found", "c"], ["remedy", "expected", "kubectl", "found", "d"]] {
        assert!(words.windows(5).any(|part| part == field), "{text}");
    }
    assert_eq!(code, 1);
}

#[test]
fn one_test_or_folder_of_tests_is_run_with_the_rules_around_it() {
    let folder = folder("Failed", "[{object: Pod/shop/web}]");
    fs::create_dir_all(folder.path().join("tests/rules/other")).unwrap();
    let other = "rule: pod-failed\ncases:\n- name: none\n  now: 2025-01-01T00:00:00Z\n  expect: []\n";
    fs::write(folder.path().join("tests/rules/other/none.yaml"), other).unwrap();
    let absolute = folder.path().join("tests/rules/other/none.yaml");
    for (path, passed) in [
        ("tests/rules/pod-failed.yaml", 1),
        ("./tests/rules/other", 1),
        ("tests/rules", 2),
        (absolute.to_str().unwrap(), 1),
    ] {
        let answer = gleaner_in(folder.path(), ["rules", "test", path]);
        assert_eq!((answer.stdout, answer.code), (format!("{passed} passed, 0 failed\n"), 0), "{path}");
    }
    let absent = gleaner_in(folder.path(), ["rules", "test", "tests/rules/absent.yaml"]);
    assert_eq!(absent.code, 2, "{}", absent.stderr);
}

#[test]
fn only_the_fields_that_differ_are_shown_and_texts_marked() {
    let expect = "[{object: Pod/web, severity: low, confidence: certain, message: failed on n2, count: 1}]";
    let (text, code) = tested("Failed", expect);
    let shown = "tests/rules/pod-failed.yaml: one pod\n  wrong: pod-failed Pod/shop/web\n    \
                 severity  expected  low\n              found     high\n    \
                 message   expected   failed on n2\n              found     …failed on n1\n                                    ^\n\
                 0 passed, 1 failed\n";
    assert_eq!((text.as_str(), code), (shown, 1));
}

#[test]
fn a_missing_finding_comes_with_the_nearest_miss() {
    let (text, code) = tested("Running", "[{object: Pod/shop/web}]");
    let shown = "tests/rules/pod-failed.yaml: one pod\n  missing: the rule Pod/shop/web\n    \
                 nearest miss: pod Pod/shop/web: not pod.status.phase == 'Failed': pod.status.phase is Running \
                 (yamls/namespaced/shop/v1/pods.yaml:";
    assert!(text.starts_with(shown), "{text}");
    assert_eq!(code, 1);
}

#[test]
fn another_answer_is_wrong_and_a_case_that_cannot_run_is_broken() {
    let (text, _) = tested("Running", "not_evaluated");
    assert!(
        text.contains("  wrong: pod-failed\n    answer  expected  not evaluated\n            found     clean\n"),
        "{text}"
    );
    let (text, code) = tested("Running", "perhaps");
    assert!(text.contains("  broken: ") && text.contains("not_evaluated"), "{text}");
    assert_eq!(code, 1);
}

/// A running `rules test --watch`, ended with the test.
struct Watcher {
    child: Child,
    lines: Receiver<String>,
}

impl Watcher {
    fn start(folder: &Path) -> Self {
        let mut child = Command::new(assert_cmd::cargo::cargo_bin!("gleaner"))
            .args(["rules", "test", ".", "--watch"])
            .current_dir(folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (sender, lines) = channel();
        let out = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || out.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Self { child, lines }
    }

    /// The lines of one round.
    fn round(&self) -> Vec<String> {
        let mut round = Vec::new();
        loop {
            let line = self.lines.recv_timeout(Duration::from_secs(60)).unwrap();
            if line.starts_with("watching ") {
                return round;
            }
            round.push(line);
        }
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

#[test]
fn watching_runs_again_what_changed() {
    let folder = folder("Failed", "[{object: Pod/shop/web}]");
    let other = RULE.replace("pod-failed", "pod-other");
    fs::write(folder.path().join("rules/pod-other.yaml"), other).unwrap();
    let test = "rule: pod-other\ncases: [{name: empty, expect: []}]\n";
    fs::write(folder.path().join("tests/rules/pod-other.yaml"), test).unwrap();
    let watcher = Watcher::start(folder.path());
    assert_eq!(watcher.round(), ["2 passed, 0 failed (2 test files of 2 ran)"]);
    write_test(folder.path(), "Running", "[{object: Pod/shop/web}]");
    let round = watcher.round();
    assert_eq!(round.last().unwrap(), "0 passed, 1 failed (1 test file of 2 ran)");
    assert!(round[1].contains("missing: "), "{round:?}");
    let healed = RULE.replace("'Failed'", "'Running'");
    fs::write(folder.path().join("rules/pod-failed.yaml"), healed).unwrap();
    assert_eq!(watcher.round(), ["1 passed, 0 failed (1 test file of 2 ran)"]);
    fs::write(folder.path().join("rules/pod-other.yaml"), "id: pod-other\n").unwrap();
    // The rule that is invalid is told on standard error.
    assert_eq!(watcher.round().last().unwrap(), "0 passed, 1 failed (1 test file of 2 ran)");
}

#[test]
fn watching_needs_a_folder() {
    let empty = tempfile::tempdir().unwrap();
    let answer = gleaner_in(empty.path(), ["rules", "test", "--watch"]);
    assert_eq!((answer.code, answer.stdout.as_str()), (2, ""));
    assert!(answer.stderr.contains("needs a folder"), "{}", answer.stderr);
}

#[test]
fn tests_of_other_rules_run_beside_a_broken_rule() {
    let folder = folder("Failed", "[{object: Pod/shop/web}]");
    fs::write(folder.path().join("rules/broken.yaml"), "id: broken\nfind: {pod: {resource: pods, wher: x}}\n").unwrap();
    fs::write(folder.path().join("tests/rules/broken.yaml"), "rule: broken\ncases:\n- {name: one, expect: []}\n")
        .unwrap();
    let answer = gleaner_in(folder.path(), ["rules", "test", "."]);
    assert!(answer.stderr.contains("rules/broken.yaml:2:"), "{}", answer.stderr);
    assert!(answer.stderr.contains("warning: 1 rule file left out because of errors"), "{}", answer.stderr);
    assert!(answer.stdout.ends_with("1 passed, 1 failed\n"), "{}", answer.stdout);
    assert_eq!(answer.code, 4, "an invalid rule stays an error");
}

#[test]
fn a_link_that_joins_in_no_test_is_reported() {
    let folder = folder("Failed", "[{object: Pod/shop/web}]");
    let symptom =
        RULE.replace("pod-failed", "pod-away").replace("title: \"{{ pod }} failed\"", "title: \"{{ pod }} is away\"");
    fs::write(folder.path().join("rules/pod-away.yaml"), symptom).unwrap();
    fs::write(folder.path().join("rules/pod-failed.yaml"), format!("{RULE}explains: [pod-away]\n")).unwrap();
    let checked = || gleaner_in(folder.path(), ["rules", "check", "--links", "."]);
    let told = checked().stderr;
    assert!(
        told.starts_with("R114 rules/pod-failed.yaml:11:12: warning: no rule test joins a finding of \"pod-away\""),
        "{told}"
    );
    assert_eq!(gleaner_in(folder.path(), ["rules", "check", "."]).stderr, "");
    let joined = "rules: [pod-failed, pod-away]\ncases:\n- name: both\n  now: 2025-01-01T00:00:00Z\n  objects:\n  \
                  - {apiVersion: v1, kind: Pod, metadata: {name: web, namespace: shop}, spec: {nodeName: n1}, status: {phase: Failed}}\n  \
                  expect: [{rule: pod-failed, explained_by: null}, {rule: pod-away, explained_by: pod-failed}]\n";
    fs::write(folder.path().join("tests/rules/both.yaml"), joined).unwrap();
    let answer = checked();
    assert_eq!((answer.stderr.as_str(), answer.code), ("", 0));
}
