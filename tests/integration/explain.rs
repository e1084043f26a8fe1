//! `rules explain`: the plan of a rule, and how far it got on a bundle.

use std::fs;
use std::path::Path;

use crate::harness::{Answer, gleaner_in, sample};

fn explain(rest: &[&str]) -> Answer {
    let folder = tempfile::tempdir().unwrap();
    explain_in(folder.path(), rest)
}

fn explain_in(folder: &Path, rest: &[&str]) -> Answer {
    gleaner_in(folder, ["rules", "explain"].iter().chain(rest))
}

/// All parts, in this order.
fn tells(text: &str, parts: &[&str]) {
    let mut rest = text;
    for part in parts {
        let at = rest.find(part).unwrap_or_else(|| panic!("{part:?} is not, or not there, in:\n{text}"));
        rest = &rest[at + part.len()..];
    }
}

#[test]
fn the_plan_names_order_joins_and_literals() {
    let answer = explain(&["longhorn-volume-pv-without-volume-cr"]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let parts = [
        "longhorn-volume-pv-without-volume-cr (fault, critical, certain, storage)\nname ",
        "\ntitle ",
        "\nfile ",
        " rules/storage/longhorn-volume-pv-without-volume-cr.yaml\n",
        "\nplan\n1. storages",
        "\n3. pv",
        "once: pv.spec.csi.driver == 'driver.longhorn.io'\n",
        "hash: self.spec.source.persistentVolumeName == pv.metadata.name\n",
        "searched by: \"desc = volume \"\n",
        "unless volume",
        "hash: volume.metadata.name == pv.spec.csi.volumeHandle\n",
    ];
    tells(&answer.stdout, &parts);
    assert_eq!(answer.stderr, "");
}

#[test]
fn on_a_bundle_the_counts_and_the_nearest_miss_are_shown() {
    let healthy = sample("healthy").display().to_string();
    let answer = explain(&["longhorn-volume-degraded", &healthy]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let parts = [
        "longhorn-volume-degraded is clean on ",
        "2 found before joins",
        "0 meet self.status.robustness == 'degraded'",
        "nearest miss\n  hit: Volume.longhorn.io/longhorn-system/pvc-",
        "does not meet: self.status.robustness == 'degraded' (2 of 3 conditions hold)",
        "hit.status.robustness is healthy",
        "volumes.yaml:",
    ];
    tells(&answer.stdout, &parts);
}

#[test]
fn a_rule_that_fired_shows_its_findings_in_short() {
    let broken = sample("stale-managed-chart").display().to_string();
    let answer = explain(&["longhorn-volume-degraded", &broken]);
    let parts = ["fired on", "1 combination left", "\nhigh ", "status.robustness = degraded"];
    tells(&answer.stdout, &parts);
    assert!(!answer.stdout.contains("nearest"));
}

#[test]
fn gaps_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let rule = "id: needs-secrets\ntitle: t\nseverity: low\nconfidence: likely\narea: bundle\naliases: [secrets-needed]\n\
                find: {secret: {resource: secrets, namespace: default}}\nmessage: m\nimpact: i\ncause: c\nremedy: [{do: d}]\n";
    fs::create_dir(folder.path().join("mine")).unwrap();
    fs::write(folder.path().join("mine/needs-secrets.yaml"), rule).unwrap();
    let healthy = sample("healthy").display().to_string();
    let answer = explain_in(folder.path(), &["secrets-needed", &healthy, "--rules", "mine"]);
    tells(&answer.stdout, &["needs-secrets is not evaluated on", "secrets", "possibly more: "]);
    assert!(!answer.stdout.contains("nearest"));
}

#[test]
fn mistakes_have_their_exit_codes() {
    let unknown = explain(&["longhorn-volume-degrade"]);
    assert_eq!((unknown.code, unknown.stdout.as_str()), (2, ""));
    assert!(unknown.stderr.contains("did you mean \"longhorn-volume-degraded\"?"), "{}", unknown.stderr);
    let absent = explain(&["longhorn-volume-degraded", "nowhere.zip"]);
    assert_eq!(absent.code, 3, "{}", absent.stderr);
    assert!(absent.stderr.contains("nowhere.zip"), "{}", absent.stderr);
    let no_rules = explain(&["longhorn-volume-degraded", "--rules", "nowhere"]);
    assert_eq!(no_rules.code, 2, "{}", no_rules.stderr);
}

/// A rule that names a fact that it does not have.
const BROKEN: &str = "id: broken\ntitle: t\nseverity: low\nconfidence: hint\narea: bundle\nfind: {pod: {resource: pods, where: pot.a == 1}}\n\
                      message: m\nimpact: i\ncause: c\nremedy: [{do: d}]\n";

#[test]
fn a_broken_rule_is_an_error_only_when_it_is_the_one_to_explain() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("rules")).unwrap();
    fs::write(folder.path().join("rules/broken.yaml"), BROKEN).unwrap();
    let other = explain_in(folder.path(), &["longhorn-volume-degraded"]);
    assert_eq!(other.code, 0, "{}", other.stderr);
    tells(&other.stdout, &["longhorn-volume-degraded (", "\nplan\n"]);
    tells(&other.stderr, &["R012 rules/broken.yaml:6:", "warning: 1 rule file left out because of errors\n"]);
    let broken = explain_in(folder.path(), &["broken"]);
    assert_eq!(broken.code, 4, "{}", broken.stderr);
    tells(&broken.stderr, &["R012 rules/broken.yaml:6:", "error: 1 error in rules"]);
}

#[test]
fn a_sequence_tells_the_lines_of_each_step() {
    let folder = tempfile::tempdir().unwrap();
    let made = gleaner_in(folder.path(), ["rules", "new", "etcd-flaps", "--area", "etcd", "--sequence", "etcd"]);
    assert_eq!(made.code, 0, "{}", made.stderr);
    let log = folder.path().join("b/logs/kube-system/etcd-n1/etcd.log");
    fs::create_dir_all(log.parent().unwrap()).unwrap();
    let lines = "2025-01-01T10:00:00Z start\n2025-01-01T10:00:01Z lost a\n2025-01-01T10:00:02Z lost b\n";
    fs::write(&log, lines).unwrap();
    let answer = explain_in(folder.path(), &["etcd-flaps", "b", "--rules", "."]);
    let parts =
        ["0 found before joins", "2 lines match step lost, the first at ", "etcd.log:2", "0 lines match step back"];
    tells(&answer.stdout, &parts);
}
