//! `analyze --lang`: findings in another language, English where a rule has no translation.

use std::fs;

use crate::harness::{analysis, gleaner_in, sample};

/// A rule on the nodes of every sample, of which only some texts are translated.
const RULE: &str = r#"id: node-is-there
title: "Node {{ node.metadata.name }} is there"
severity: info
confidence: certain
area: node
find:
  node:
    resource: nodes
    name: "*1"
message: "It is listed."
impact: "None."
cause: "Somebody added it."
remedy:
  - do: "Look at it"
    run: kubectl get node {{ node.metadata.name }}
  - do: "Leave it"
i18n:
  zh:
    title: "节点 {{ node.metadata.name }} 存在"
    remedy: [{do: "查看该节点"}]
"#;

#[test]
fn findings_are_in_the_language_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("rules")).unwrap();
    fs::write(folder.path().join("rules/node-is-there.yaml"), RULE).unwrap();
    let rules = ["--rules", folder.path().to_str().unwrap(), "--only", "node-is-there"];
    let found = |lang: &[&str]| {
        let found = analysis(&sample("healthy"), &[&rules[..], lang].concat());
        assert_eq!((found["findings"].as_array().unwrap().len(), found["issues"].as_array().unwrap().len()), (1, 0));
        found["findings"][0].clone()
    };
    let (english, chinese) = (found(&[]), found(&["--lang", "zh"]));
    assert_eq!(english, found(&["--lang", "en"]));
    let name = chinese["objects"][0]["name"].as_str().unwrap();
    assert_eq!(english["title"], format!("Node {name} is there"));
    assert_eq!(chinese["title"], format!("节点 {name} 存在"));
    assert_eq!(chinese["remedy"][0]["do"], "查看该节点");
    assert_eq!(chinese["remedy"][0]["run"], format!("kubectl get node {name}"));
    assert_eq!(chinese["remedy"][1]["do"], "Leave it");
    assert_eq!((&chinese["message"], &chinese["cause"]), (&english["message"], &english["cause"]));
    assert_eq!(chinese["fingerprint"], english["fingerprint"]);
}

#[test]
fn every_report_has_the_translation() {
    let folder = tempfile::tempdir().unwrap();
    let bundle = sample("stale-managed-chart");
    let args = ["analyze", bundle.to_str().unwrap(), "--lang", "zh", "-o", "r.html", "-o", "r.json", "-o", "r.txt"];
    let answer = gleaner_in(folder.path(), args);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    for file in ["r.html", "r.json", "r.txt"] {
        let report = fs::read_to_string(folder.path().join(file)).unwrap();
        assert!(report.contains("Fleet 仍显示 harvester-whereabouts 为"), "{file}");
    }
    assert!(answer.stdout.contains("Fleet 仍显示 harvester-whereabouts 为"), "{}", answer.stdout);
}
