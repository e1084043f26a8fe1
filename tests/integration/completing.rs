//! Completion of command lines, and man pages.

use std::fs;
use std::path::Path;

use crate::harness::{gleaner_in, sample};

/// Returns the candidates for the last of the words, as the script of bash asks for them.
fn candidates(words: &[&str]) -> Vec<String> {
    let output = assert_cmd::Command::new(assert_cmd::cargo::cargo_bin!("gleaner"))
        .env_clear()
        .env("GLEANER_COMPLETE", "bash")
        .env("_CLAP_COMPLETE_INDEX", words.len().to_string())
        .env("_CLAP_IFS", "\n")
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")))
        .args(["--", "gleaner"].iter().chain(words))
        .output()
        .unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{words:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

/// Returns the candidates that are no flags, which follow where few names fit.
fn names(words: &[&str]) -> Vec<String> {
    candidates(words).into_iter().filter(|candidate| !candidate.starts_with("--")).collect()
}

fn offers(words: &[&str], wanted: &str) {
    let found = candidates(words);
    assert!(found.iter().any(|candidate| candidate == wanted), "{words:?} offers {found:?}");
}

#[test]
fn commands_flags_and_values_are_completed() {
    offers(&["ana"], "analyze");
    offers(&["rules", "d"], "diff");
    offers(&["analyze", "--redact"], "--redact-key");
    offers(&["analyze", "--lang", ""], "zh");
    assert_eq!(candidates(&["tri"]), ["triage"], "hidden commands are not offered");
}

#[test]
fn rule_ids_are_completed() {
    for words in [
        &["analyze", "--only", "longhorn-volume-deg"][..],
        &["analyze", "a.zip", "--skip", "longhorn-volume-deg"],
        &["rules", "explain", "longhorn-volume-deg"],
        &["sample", "a.zip", "--rule", "longhorn-volume-deg"],
        &["triage", "query", "--rule", "longhorn-volume-deg"],
    ] {
        assert_eq!(candidates(words), ["longhorn-volume-degraded"], "{words:?}");
    }
}

#[test]
fn what_the_bundle_has_is_completed() {
    let healthy = "samples/healthy";
    let listed = gleaner_in(&sample("healthy"), ["get", ".", "pods", "-o", "name"]).stdout;
    let pods: Vec<&str> = listed.lines().filter_map(|line| line.strip_prefix("pod/")).collect();
    assert!(pods.len() > 2, "{listed}");
    for words in [["get", healthy, "pods", ""].as_slice(), &["describe", healthy, "pod", ""], &["logs", healthy, ""]] {
        let found = names(words);
        assert!(pods.iter().all(|pod| found.iter().any(|name| name == pod)), "{words:?} offers {found:?}");
    }
    offers(&["get", healthy, "po", &pods[0][..3]], pods[0]);
    offers(&["get", healthy, "po"], "pods");
    offers(&["get", healthy, "volumes"], "volumes.longhorn.io");
    offers(&["get", healthy, "pods", "-n", "longhorn"], "longhorn-system");
    let elsewhere = names(&["get", healthy, "-n", "no-such-namespace", "pods", ""]);
    assert!(elsewhere.is_empty(), "{elsewhere:?}");
    assert!(names(&["get", "no-such-bundle.zip", "pods", ""]).is_empty());
}

#[test]
fn names_that_a_shell_would_run_are_not_offered() {
    let folder = tempfile::tempdir().unwrap();
    let pods = folder.path().join("yamls/namespaced/demo/v1");
    fs::create_dir_all(&pods).unwrap();
    let pod = |name: &str| format!("- apiVersion: v1\n  kind: Pod\n  metadata: {{name: '{name}', namespace: demo}}\n");
    let hostile = ["$(touch x)", "`id`", "a;b", "a b", "a'' b", "-rf", "a\"b", "a>b", "a|b", "a&b", "a*"];
    let items: String = hostile.iter().chain(&["web-0"]).map(|name| pod(name)).collect();
    fs::write(pods.join("pods.yaml"), format!("apiVersion: v1\nkind: List\nitems:\n{items}")).unwrap();
    assert_eq!(names(&["get", folder.path().to_str().unwrap(), "pods", ""]), ["web-0"]);
}

#[test]
fn each_shell_has_a_script() {
    for shell in ["bash", "zsh", "fish"] {
        let script = gleaner_in(Path::new("."), ["completions", shell]);
        assert!(script.code == 0 && script.stdout.contains("GLEANER_COMPLETE"), "{shell}: {}", script.stderr);
        let Ok(checked) = std::process::Command::new(shell).arg("-n").arg(written(&script.stdout).path()).output()
        else {
            eprintln!("skipped: {shell} is not installed, its script was not parsed");
            continue;
        };
        assert!(checked.status.success(), "{shell}: {checked:?}");
    }
}

fn written(script: &str) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), script).unwrap();
    file
}

#[test]
fn each_command_has_a_man_page() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(gleaner_in(folder.path(), ["man", "new/man1"]).code, 0);
    let pages = folder.path().join("new/man1");
    let page = |name: &str| fs::read_to_string(pages.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(page("gleaner.1").contains("analyze") && page("gleaner-analyze.1").contains("fail\\-on"));
    assert!(page("gleaner-rules-diff.1").contains("built\\-in"));
    assert!(!pages.join("gleaner-triage-worker.1").exists());
    fs::write(folder.path().join("file"), "").unwrap();
    let refused = gleaner_in(folder.path(), ["man", "file"]);
    assert!(refused.code == 2 && refused.stderr.contains("cannot write man pages to `file`"), "{}", refused.stderr);
}
