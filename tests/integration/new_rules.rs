//! `rules new`: a first rule with its test that work as they are.

use std::fs;
use std::path::Path;

use gleaner::internals::rule::load::embedded;
use gleaner::internals::rule::skeleton::{Subject, skeleton};
use gleaner::internals::rule::{Source, Streams, compile};
use gleaner::internals::verify;

use crate::harness::{Answer, gleaner_in};

fn run(folder: &Path, line: &str) -> Answer {
    gleaner_in(folder, line.split_whitespace())
}

#[test]
fn a_new_rule_passes_its_check_and_its_test() {
    let folder = tempfile::tempdir().unwrap();
    for line in [
        "rules new disk-gone --area storage --resource volumes.longhorn.io",
        "rules new etcd-lost --area etcd --log etcd",
        "rules new claim-said --area storage --event persistentvolumeclaims",
        "rules new etcd-flaps --area etcd --sequence etcd",
        "rules new row-failed --table rke2/kubectl/*s",
    ] {
        let answer = run(folder.path(), line);
        assert_eq!(answer.code, 0, "{}", answer.stderr);
    }
    assert!(folder.path().join("rules/storage/disk-gone.yaml").is_file());
    assert!(folder.path().join("tests/rules/etcd/etcd-lost.yaml").is_file());
    let checked = run(folder.path(), "rules check .");
    assert_eq!((checked.code, checked.stdout.as_str()), (0, "5 rules checked, 0 warnings\n"), "{}", checked.stderr);
    let tested = run(folder.path(), "rules test .");
    assert_eq!((tested.code, tested.stdout.as_str()), (0, "14 passed, 0 failed\n"));
}

#[test]
fn invalid_arguments_are_rejected_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    for (line, reason) in [
        ("rules new Disk_Gone", "id \"Disk_Gone\" is not kebab-case; use lower-case letters"),
        ("rules new longhorn-volume-degraded", "the id is taken by the built-in rule rules/storage/"),
        ("rules new x --area storag", "did you mean \"storage\"?"),
        ("rules new x --resource pdos", "did you mean \"pods\"?"),
        ("rules new x --log etdc", "did you mean \"etcd\"?"),
        ("rules new x --log etcd --resource pods", "cannot be used with"),
        ("rules new x --event pdos", "did you mean \"pods\"?"),
        ("rules new x --sequence etdc", "did you mean \"etcd\"?"),
        ("rules new x --table /etc/hosts", "write it from the root of the bundle"),
    ] {
        let answer = run(folder.path(), line);
        assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "{line}");
        assert!(answer.stderr.contains(reason), "{line}: {}", answer.stderr);
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is written");
}

#[test]
fn existing_files_are_not_changed() {
    let folder = tempfile::tempdir().unwrap();
    let test = folder.path().join("tests/rules/vm/mine.yaml");
    fs::create_dir_all(test.parent().unwrap()).unwrap();
    fs::write(&test, "old").unwrap();
    let answer = run(folder.path(), "rules new mine --area vm");
    assert_eq!(answer.code, 2);
    assert!(answer.stderr.contains("mine.yaml already exists"), "{}", answer.stderr);
    assert_eq!(fs::read_to_string(&test).unwrap(), "old");
    assert!(!folder.path().join("rules").exists());
}

/// Every stream and a type of each sort: with and without namespace, with a home, of a reserved name.
#[test]
fn every_stream_and_sort_of_type_makes_a_rule_that_works() {
    let streams = Streams::parse(embedded().streams).unwrap();
    let types = ["pods", "nodes", "namespaces", "deployments.apps", "settings.longhorn.io", "persistentvolumeclaims"];
    let logs = streams.names().map(|name| Subject::Log(name.to_owned()));
    let sequences = streams.names().map(|name| Subject::Sequence(name.to_owned()));
    let of_types =
        types.iter().flat_map(|name| [Subject::Resource((*name).to_owned()), Subject::Event((*name).to_owned())]);
    let subjects = of_types.chain(logs).chain(sequences);
    let (mut rules, mut tests) = (Vec::new(), Vec::new());
    for (number, subject) in subjects.enumerate() {
        let made = skeleton(&format!("new-{number}"), "workload", &subject, &streams).unwrap();
        rules.push(Source { file: made.rule.0, text: made.rule.1 });
        tests.push(Source { file: made.test.0, text: made.test.1 });
    }
    let set = compile(rules, &streams).unwrap_or_else(|errors| panic!("{}", errors[0]));
    assert!(set.warnings.is_empty(), "{}", set.warnings[0]);
    let report = verify::run(&set, &streams, &tests);
    let failures: Vec<String> = report.failures.iter().map(ToString::to_string).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert_eq!(report.passed, 3 * tests.len());
}
