//! What reaches a terminal: names and texts of bundles, rules and files never control it or deceive the eye.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::harness::zip;

/// Direction marks, zero-width characters, and sequences that clear the screen, set the title and write to the clipboard.
const HOSTILE: &str = "a\u{202e}b\u{2066}c\u{200b}d\u{feff}e\u{1b}[2Jf\u{1b}]0;title\u{7}g\u{9b}31mh\u{8}i\u{1b}]52;c;eA==\u{1b}\\j\u{85}k";

const RULE: &str = "id: hostile
title: 'Pod {{ pod.metadata.name }} HOSTILE'
severity: high
confidence: certain
area: workload
message: '{{ pod.status.message }} HOSTILE'
impact: 'HOSTILE'
cause: 'HOSTILE'
remedy:
- do: 'HOSTILE {{ pod.metadata.name }}'
  run: 'kubectl describe pod {{ pod.metadata.name }}'
about: [pod]
find:
  pod:
    resource: pods
    where: pod.status.phase == 'Failed'
";

const TEST: &str = "rule: hostile
cases:
- name: 'HOSTILE'
  objects:
  - {apiVersion: v1, kind: Pod, metadata: {name: p, namespace: n}, status: {phase: Failed, message: x}}
  expect: [{title: 'HOSTILE'}]
- name: quiet
  objects: []
  expect: []
";

fn bundle(path: &Path, name: &str) {
    let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": HOSTILE},
                     "status": {"phase": "Failed", "message": HOSTILE}});
    let node = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": HOSTILE}, "status": {"nodeInfo": {"kubeletVersion": HOSTILE}}});
    let list = |item| json!({"apiVersion": "v1", "kind": "List", "items": [item]}).to_string().into_bytes();
    let files = [
        ("metadata.yaml".to_owned(), b"bundlecreatedat: \"2024-05-06T07:08:09Z\"\n".to_vec()),
        ("yamls/namespaced/x/v1/pods.yaml".to_owned(), list(pod)),
        ("yamls/cluster/v1/nodes.yaml".to_owned(), list(node)),
        (format!("yamls/cluster/v1/{HOSTILE}.yaml"), b"{ not yaml".to_vec()),
    ];
    zip(path, "bundle", &files);
}

/// Removes colours, which the program makes itself.
fn without_colours(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_digit() && c != ';').unwrap_or(part.len());
        match part[end..].strip_prefix('m') {
            Some(rest) => plain.push_str(rest),
            None => plain.push_str(&format!("\u{1b}[{part}")),
        }
    }
    plain
}

fn hidden(text: &str) -> Option<char> {
    let marks = ['\u{61c}', '\u{feff}', '\u{200b}', '\u{202e}', '\u{2066}', '\u{2069}'];
    text.chars().find(|c| (c.is_control() && !matches!(c, '\n' | '\t')) || marks.contains(c))
}

#[cfg(unix)]
#[test]
fn nothing_of_a_bundle_a_rule_or_a_name_of_a_file_controls_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let name = format!("{}.zip", HOSTILE.replace('/', ""));
    fs::create_dir_all(at("archive")).unwrap();
    fs::create_dir_all(at("own/rules/workload")).unwrap();
    fs::create_dir_all(at("own/tests/rules/workload")).unwrap();
    // YAML takes no control characters as they are; a rule has them in escapes.
    let escaped = |text: &str| {
        let hostile: String = HOSTILE.chars().map(|c| format!("\\u{:04x}", u32::from(c))).collect();
        let lines = text.lines().map(|line| match line.split_once("'") {
            Some((key, value)) if value.contains("HOSTILE") => {
                let (value, end) = value.rsplit_once('\'').unwrap();
                format!("{key}\"{}\"{end}\n", value.replace("HOSTILE", &hostile))
            }
            _ => format!("{line}\n"),
        });
        lines.collect::<String>()
    };
    fs::write(at("own/rules/workload/hostile.yaml"), escaped(RULE)).unwrap();
    fs::write(at("own/tests/rules/workload/hostile.yaml"), escaped(TEST)).unwrap();
    fs::create_dir_all(at("bad")).unwrap();
    fs::write(at("bad/bad.yaml"), "id: bad\ntitle: \"\u{202e}\u{2066}x\"\nwrong\u{202e}: 1\n").unwrap();
    bundle(&at(&name), HOSTILE);
    bundle(&at("archive").join(&name), HOSTILE);
    bundle(&at("b.zip"), "other");
    fs::write(at("archive").join(format!("{HOSTILE}.tar.gz")), "no archive").unwrap();
    let rules: &[&str] = &["--rules", "own"];
    let missing = format!("missing{HOSTILE}.zip");
    let option = format!("--{HOSTILE}");
    let commands: Vec<Vec<&str>> = vec![
        [&["analyze", &name, "--no-default-rules", "-o", "out/"], rules].concat(),
        [&["analyze", &name, "--no-default-rules", "-o", "-", "--format", "text"], rules].concat(),
        [
            &["analyze", &name, "--no-default-rules", "-o", "r.html", "-o", "r.xml", "-o", "r.txt", "-o", "r.sarif"],
            rules,
        ]
        .concat(),
        vec!["analyze", &missing],
        vec!["analyze", &option],
        vec!["analyze", "b.zip", "--baseline", &missing],
        vec!["analyze", "b.zip", "--rules", &missing],
        [&["diff", &name, "b.zip", "--no-default-rules"], rules].concat(),
        [&["diff", "b.zip", &name, "-o", "d.txt", "--no-default-rules"], rules].concat(),
        vec!["diff", &missing, "b.zip"],
        vec!["rules", "explain", "hostile", "--rules", "own"],
        vec!["rules", "explain", "hostile", &name, "--rules", "own"],
        vec!["rules", "list", "--rules", "own"],
        vec!["rules", "test", "own"],
        vec!["rules", "check", "own"],
        vec!["rules", "check", "bad"],
        vec!["rules", "check", &missing],
        vec!["rules", "docs", "--rules", "own", "-o", "docs"],
        [&["sample", &name, "--rule", "hostile", "-o", "sample"], rules].concat(),
        [&["triage", "archive", "--store", "s.db", "--no-default-rules"], rules].concat(),
        vec!["triage", "query", "--store", "s.db"],
        vec!["triage", "query", "--store", "s.db", "--rule", "hostile"],
        vec!["triage", "query", "--store", "s.db", "--sql", "SELECT path, status, error FROM bundles"],
        vec!["triage", "query", "--store", "s.db", "--sql", "SELECT * FROM findings"],
        vec!["triage", "query", "--store", &missing],
        vec!["triage", "report", "--store", "s.db", "--html", "pages"],
        vec!["triage", "try", "own/rules/workload/hostile.yaml", "--store", "s.db"],
        vec!["triage", "merge", "--store", "s.db", &missing],
    ];
    for command in &commands {
        let program = assert_cmd::cargo::cargo_bin!("gleaner");
        let output =
            Command::new(program).args(command).current_dir(folder.path()).env("CLICOLOR_FORCE", "1").output().unwrap();
        assert!(output.status.code().is_some_and(|code| code <= 4), "{command:?}");
        for stream in [output.stdout, output.stderr] {
            let text = without_colours(&String::from_utf8(stream).unwrap());
            assert_eq!(hidden(&text), None, "{command:?}\n{text:?}");
        }
    }
    let files = crate::harness::files_below(folder.path());
    let made = |name: &str| !["archive/", "own/", "bad/"].iter().any(|input| name.starts_with(input));
    let mut pages = 0;
    for (name, bytes) in files.iter().filter(|(name, _)| made(name)) {
        let ending = name.rsplit('.').next().unwrap_or_default();
        if ["html", "xml", "txt", "sarif"].contains(&ending) {
            assert_eq!(hidden(&String::from_utf8_lossy(bytes)), None, "{name}");
            assert_eq!(hidden(name), None, "{name:?}");
            pages += 1;
        }
    }
    assert!(pages >= 8, "{pages}");
}
