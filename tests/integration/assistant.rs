//! `gleaner mcp` as programs for assistants use it: the SDKs of the Model Context Protocol in Python and JavaScript.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::harness::{corpus, gleaner_in, program, python, sample};

/// Programs that speak the protocol, with their arguments before those of the server.
fn clients() -> Option<Vec<(&'static str, Command)>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let node = program(&["node"]).filter(|_| root.join("tests/assistant/node_modules").is_dir());
    if node.is_none() {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "CI needs node, and `npm ci` in tests/assistant");
        eprintln!(
            "skipped: no client spoke to `gleaner mcp`, not installed: node, npm packages (run `npm ci` in tests/assistant)"
        );
    }
    let (node, python) = (node?, python()?);
    let with = |program: &PathBuf, args: &[&str]| {
        let mut command = Command::new(program);
        command.current_dir(root).args(args);
        command
    };
    Some(vec![
        ("Python, stateless", with(&python, &["tests/python/assistant.py", "auto"])),
        ("Python, with a session", with(&python, &["tests/python/assistant.py", "legacy"])),
        ("JavaScript", with(&node, &["tests/assistant/client.mjs"])),
    ])
}

/// Returns what a client got: tools, templates of resources, the prompt, and answers to the calls.
fn asked(client: &mut Command, calls: &Value, bundle: &Path) -> Value {
    let program = assert_cmd::cargo::cargo_bin!("gleaner");
    let output = client.arg(program).arg(calls.to_string()).arg(bundle).output().unwrap();
    assert!(output.status.success(), "{client:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Names and addresses of the machines of a bundle.
fn names(bundle: &Path) -> BTreeSet<String> {
    let paths = "{range .items[*]}{.metadata.name} {.status.addresses[*].address} {end}";
    let output = format!("jsonpath={paths}");
    let nodes = gleaner_in(Path::new("."), ["get", bundle.to_str().unwrap(), "nodes", "-o", &output]);
    // Names that all clusters have are no secret.
    nodes.stdout.split_whitespace().filter(|name| name.len() > 4).map(str::to_owned).collect()
}

#[test]
fn clients_get_the_same_answers() {
    let Some(clients) = clients() else { return };
    let mut first = None;
    for (client, mut command) in clients {
        let got = got_without_a_name(client, &mut command, &sample("stale-managed-chart"));
        assert_eq!(*first.get_or_insert_with(|| got.clone()), got, "{client} got something else");
    }
}

#[test]
fn answers_about_real_bundles_have_no_name() {
    for bundle in
        ["harvester-v1.0-single-node.zip", "rancher-rke2-server-2025-11-27.tar.gz", "troubleshoot-k3s-2022.tar.gz"]
    {
        let Some((client, mut command)) = clients().and_then(|clients| clients.into_iter().next()) else { return };
        let Some(bundle) = corpus(bundle) else { return };
        got_without_a_name(client, &mut command, &bundle);
    }
}

/// Asks for everything about a bundle; fails if an answer is too long, or names a machine or its address.
fn got_without_a_name(client: &str, command: &mut Command, bundle: &Path) -> Value {
    let calls = json!([
        ["overview", {}],
        ["findings", {}],
        ["not_evaluated", {}],
        ["unexplained", {}],
        ["unhealthy", {}],
        ["list", {"type": "nodes,pods", "output": "wide"}],
        ["list", {"type": "nodes", "output": "yaml"}],
        ["grep", {"pattern": "error|warn"}],
        ["events", {}],
        ["timeline", {}],
        ["get", {"type": "pods", "name": "there-is-none"}],
        ["finding", {"finding": "there-is-none"}],
    ]);
    let names = names(bundle);
    assert!(!names.is_empty(), "{}: no names to look for", bundle.display());
    let got = asked(command, &calls, bundle);
    assert_eq!(got["tools"].as_array().unwrap().len(), 15, "{client}");
    let answers = got["answers"].as_array().unwrap();
    for answer in answers {
        let (tool, text) = (&answer[0], answer[2].as_str().unwrap());
        assert!(text.starts_with("[Data of a support bundle.") || answer[1] == true, "{client}, {tool}: {text}");
        assert!(text.len() <= 17_000, "{client}, {tool}: {} bytes", text.len());
        let shown: Vec<&String> = names.iter().filter(|name| text.contains(name.as_str())).collect();
        assert!(shown.is_empty(), "{client}, {tool} shows {shown:?}");
    }
    assert_eq!(answers[10][1], true, "an object that does not exist is an error");
    got
}
