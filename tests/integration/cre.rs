//! CRE rules through the program: import, check, and tests on the logs next to them.

use std::fs;
use std::path::Path;

use crate::harness::{Answer, gleaner_in};

fn run(folder: &Path, line: &str) -> Answer {
    gleaner_in(folder, line.split_whitespace())
}

/// A folder with one rule and its logs.
fn folder(body: &str, logs: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("cre/one");
    fs::create_dir_all(&place).unwrap();
    let rule = format!(
        "rules:\n  - cre: {{id: CRE-2030-0001, severity: 0, title: A queue is stuck, cause: c, impact: i, mitigation: m}}\n    rule:\n      {body}\n"
    );
    fs::write(place.join("rule.yaml"), rule).unwrap();
    for (name, text) in logs {
        fs::write(place.join(name), text).unwrap();
    }
    folder
}

const PAIR: &str = "sequence: {event: {source: cre.log.rabbitmq}, window: 5s, order: [queue is full, writers are blocked], negate: [queue is empty]}";

fn tested(body: &str, logs: &[(&str, &str)]) -> Answer {
    run(folder(body, logs).path(), "rules test cre --from cre")
}

fn fires(log: &str) {
    let answer = tested(PAIR, &[("test.log", log)]);
    assert_eq!(
        (answer.stdout.lines().last(), answer.code),
        (Some("1 passed, 0 failed"), 0),
        "{log}\n{}",
        answer.stdout
    );
}

fn is_silent(log: &str) {
    let answer = tested(PAIR, &[("test-fp.log", log)]);
    assert_eq!(
        (answer.stdout.lines().last(), answer.code),
        (Some("1 passed, 0 failed"), 0),
        "{log}\n{}",
        answer.stdout
    );
    assert_eq!(tested(PAIR, &[("test.log", log)]).code, 1, "{log}");
}

#[test]
fn filters_of_jq_see_the_json_of_lines() {
    let body = "set: {event: {source: cre.log.rabbitmq}, match: [{jq: 'select(.level == \"error\") | .fields.queue | test(\"^orders\")'}]}";
    let line = |level: &str, queue: &str| {
        format!("2030-01-01T10:00:00.5Z {{\"level\": \"{level}\", \"fields\": {{\"queue\": \"{queue}\"}}}}\n")
    };
    let true_line = line("error", "orders-eu");
    for (name, log) in [
        ("test.log", line("info", "orders-eu") + &true_line),
        (
            "test-fp.log",
            line("info", "orders-eu") + &line("error", "old-orders") + "2030-01-01T10:00:01Z error orders {\n",
        ),
    ] {
        let answer = tested(body, &[(name, &log)]);
        assert_eq!(answer.stdout.lines().last(), Some("1 passed, 0 failed"), "{log}\n{}", answer.stdout);
    }
    assert_eq!(tested(body, &[("test-fp.log", &true_line)]).code, 1);
}

#[test]
fn every_format_of_entries_is_understood() {
    fires("2030-01-01T10:00:00.5Z queue is full\n2030-01-01T10:00:05.5Z writers are blocked\n");
    fires("2030-01-01T10:00:00.5Z stdout F queue is full\n2030-01-01T10:00:01Z stderr F writers are blocked\n");
    fires(
        "{\"log\":\"queue is full\\n\",\"stream\":\"stdout\",\"time\":\"2030-01-01T10:00:00.5Z\"}\n\
         {\"log\":\"writers are blocked\\n\",\"stream\":\"stdout\",\"time\":\"2030-01-01T10:00:01.5Z\"}\n",
    );
    for (first, second, late) in [
        ("I0101 10:00:00.000000 1 ", "W0101 10:00:04.000000 1 ", "W0101 10:00:06.000000 1 "),
        ("Jan  1 10:00:00 h ", "Jan  1 10:00:04 h ", "Jan  1 10:00:06 h "),
        ("[2030-01-01 10:00:00,000] ", "[2030-01-01 10:00:04,000] ", "[2030-01-01 10:00:06,000] "),
        ("[7] 2030/01/01 10:00:00.000000 ", "[7] 2030/01/01 10:00:04.000000 ", "[7] 2030/01/01 10:00:06.000000 "),
        ("2030-01-01 10:00:00.000+05:30 ", "2030-01-01 10:00:04.000+05:30 ", "2030-01-01 10:00:06.000+05:30 "),
        ("01/01/2030 10:00:00 PM ", "01/01/2030 10:00:04 PM ", "01/01/2030 10:00:06 PM "),
        ("{\"ts\":1893492000.5,\"m\":\"", "{\"ts\":1893492004.5,\"m\":\"", "{\"ts\":1893492006.5,\"m\":\""),
    ] {
        fires(&format!("{first}queue is full\n{second}writers are blocked\n"));
        is_silent(&format!("{first}queue is full\n{late}writers are blocked\n"));
    }
}

#[test]
fn windows_order_and_negates_decide() {
    is_silent("2030-01-01T10:00:00Z writers are blocked\n2030-01-01T10:00:01Z queue is full\n");
    is_silent(
        "2030-01-01T10:00:00Z queue is full\n2030-01-01T10:00:01Z queue is empty\n2030-01-01T10:00:02Z writers are blocked\n",
    );
}

#[test]
fn lines_without_stamp_belong_to_the_entry_before() {
    let body = "set: {event: {source: cre.log.x}, match: [{regex: 'panic.*in queue'}]}";
    let entry = "no entry yet: panic in queue\n2030-01-01T10:00:00Z panic\n goroutine 7\n\tin queue.go\n";
    assert_eq!(tested(body, &[("test.log", entry)]).code, 0);
    let apart = "no entry yet: panic in queue\n2030-01-01T10:00:00Z panic\n2030-01-01T10:00:00Z in queue.go\n";
    assert_eq!(tested(body, &[("test-fp.log", apart)]).code, 0);
}

#[test]
fn failed_tests_are_named() {
    let silent = tested(PAIR, &[("test.log", "2030-01-01T10:00:00Z all is well\n")]);
    let wanted = "cre/one/rule.yaml: test.log\n  missing: cre-2030-0001 found nothing\n0 passed, 1 failed\n";
    assert_eq!((silent.stdout.as_str(), silent.code), (wanted, 1));
    let undated = tested(PAIR, &[("test.log", "queue is full\nwriters are blocked\n")]);
    assert!(undated.stdout.contains("have no time"), "{}", undated.stdout);
    assert!(tested(PAIR, &[]).stdout.contains("there is no test.log next to it"));
    let invalid = tested("set: {event: {source: cre.log.x}, match: [{regex: '('}]}", &[("test.log", "x\n")]);
    assert!(invalid.stderr.contains("error: cre/one/rule.yaml:4: invalid regular expression"), "{}", invalid.stderr);
    assert_eq!((invalid.stdout.as_str(), invalid.code), ("0 passed, 1 failed\n", 1));
}

#[test]
fn imported_rules_are_ordinary_ones() {
    let folder = folder(PAIR, &[]);
    let answer = run(folder.path(), "rules import cre --from cre -o mine");
    assert_eq!((answer.stdout.as_str(), answer.code), ("1 rule written to mine\n", 0), "{}", answer.stderr);
    assert!(folder.path().join("mine/rules/workload/cre-2030-0001.yaml").is_file());
    let answer = run(folder.path(), "rules check mine");
    assert_eq!((answer.stdout.as_str(), answer.code), ("1 rule checked, 0 warnings\n", 0), "{}", answer.stderr);
    let bundle = folder.path().join("bundle");
    for (path, text) in [
        ("yamls/cluster/v1/namespaces.yaml", "apiVersion: v1\nkind: List\nitems: []\n"),
        (
            "logs/kube-system/kube-apiserver-n1/kube-apiserver.log",
            "2030-01-01T10:00:00Z queue is full\n2030-01-01T10:00:01Z writers are blocked\n",
        ),
    ] {
        fs::create_dir_all(bundle.join(path).parent().unwrap()).unwrap();
        fs::write(bundle.join(path), text).unwrap();
    }
    let line = "analyze bundle --rules mine --only CRE-2030-0001 --format text -o - --quiet";
    let answer = run(folder.path(), line);
    assert!(
        answer.stdout.contains("0 fired, 0 clean, 0 clean where collected, 1 not evaluated"),
        "the API server is no queue: {}",
        answer.stdout
    );
    let queue = bundle.join("logs/shop/rabbitmq-0");
    fs::create_dir_all(&queue).unwrap();
    fs::copy(bundle.join("logs/kube-system/kube-apiserver-n1/kube-apiserver.log"), queue.join("server.log")).unwrap();
    let answer = run(folder.path(), line);
    assert!(answer.stdout.contains("1 fired") && answer.stdout.contains("A queue is stuck"), "{}", answer.stdout);
}

#[test]
fn public_rules_pass_on_their_logs() {
    let Some(corpus) = std::env::var_os("GLEANER_CORPUS") else {
        eprintln!("skipped: GLEANER_CORPUS is not set, public CRE rules were not tested");
        return;
    };
    let rules = Path::new(&corpus).join("cre");
    let answer = gleaner_in(Path::new("."), ["rules", "test", rules.to_str().unwrap(), "--from", "cre"]);
    let last = answer.stdout.lines().last().unwrap();
    assert!(last.ends_with(" passed, 0 failed") && !last.starts_with("0 "), "{}", answer.stdout);
}

#[test]
fn patterns_without_fixed_text_run_and_are_named_by_check() {
    let line = |text: &str| format!("2030-01-01T10:00:00Z {text}\n");
    for (condition, hit, miss) in [
        ("'401'", "GET /v3 401", "GET /v3 200"),
        ("{regex: '502|503|504'}", "upstream said 503", "upstream said 500"),
        ("{regex: '(?i)ssl'}", "no SSL today", "no tls today"),
        ("{regex: '[0-9]{3} ms'}", "took 120 ms", "took 12 ms"),
        ("{jq: '.n > 3'}", "{\"n\": 4}", "{\"n\": 3}"),
        ("'a'", "a", "b"),
    ] {
        let body = format!("set: {{event: {{source: cre.log.rabbitmq}}, match: [{condition}]}}");
        let logs = [("test.log", &*line(hit)), ("test-fp.log", &*line(miss))];
        let answer = tested(&body, &logs);
        assert_eq!(answer.stdout, "1 passed, 0 failed\n", "{condition}\n{}", answer.stderr);
        let folder = folder(&body, &[]);
        assert_eq!(run(folder.path(), "rules import --from cre cre -o own").code, 0);
        let check = run(folder.path(), "rules check own");
        let said = format!("{}{}", check.stdout, check.stderr);
        assert!(check.code == 0 && said.contains("R102") && said.contains("which is slow"), "{condition}\n{said}");
    }
}

#[test]
fn a_bad_rule_file_does_not_stop_the_others() {
    let log = "2030-01-01T10:00:00Z queue is full\n2030-01-01T10:00:01Z writers are blocked\n";
    let folder = folder(PAIR, &[("test.log", log)]);
    for (name, text) in [
        ("not-yaml", "a: ["),
        ("no-rules", "x: 1"),
        ("bad-pattern", "rules: [{cre: {id: X-1}, rule: {set: {event: {source: cre.log.x}, match: [{regex: '('}]}}}]"),
        (
            "large",
            "rules: [{cre: {id: X-2}, rule: {set: {event: {source: cre.log.x}, match: [{regex: '(a{900}){900}b'}]}}}]",
        ),
    ] {
        let place = folder.path().join("cre").join(name);
        fs::create_dir_all(&place).unwrap();
        fs::write(place.join("rule.yaml"), text).unwrap();
    }
    let answer = run(folder.path(), "rules test cre --from cre");
    assert_eq!(answer.stdout.lines().last(), Some("1 passed, 4 failed"), "{}{}", answer.stdout, answer.stderr);
    for name in ["not-yaml", "no-rules", "bad-pattern", "large"] {
        assert!(answer.stderr.contains(&format!("{name}/rule.yaml")), "{name}: {}", answer.stderr);
    }
}
