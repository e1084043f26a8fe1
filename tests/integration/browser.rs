//! Reports in a real browser: Chromium opens them, driven by the scripts in `tests/browser`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use gleaner::internals::report::{self, Audience, Format};

use crate::harness::{gleaner_in, program, sample};
use crate::many_findings;
use crate::upgrade;

/// Returns the programs that the scripts need; prints a message and returns none if one is not installed.
struct Tools {
    chromium: PathBuf,
    scripts: PathBuf,
}

fn tools() -> Option<Tools> {
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser");
    let chromium = program(&["chromium", "chromium-browser", "google-chrome"]);
    let packages = scripts.join("node_modules/playwright-core").is_dir();
    let missing = [
        (chromium.is_some(), "chromium"),
        (program(&["node"]).is_some(), "node"),
        (program(&["pdftotext"]).is_some(), "pdftotext (poppler-utils)"),
        (packages, "npm packages (run `npm ci` in tests/browser)"),
    ];
    let missing: Vec<&str> = missing.into_iter().filter(|(there, _)| !there).map(|(_, name)| name).collect();
    if missing.is_empty() {
        return chromium.map(|chromium| Tools { chromium, scripts });
    }
    assert!(std::env::var("CI").as_deref() != Ok("true"), "CI needs {missing:?}");
    eprintln!("skipped: no report was opened in a browser, not installed: {}", missing.join(", "));
    None
}

#[test]
fn reports_work_in_a_browser() {
    let Some(tools) = tools() else { return };
    let folder = tempfile::tempdir().unwrap();
    write_reports(folder.path());
    let mut specs: Vec<PathBuf> = fs::read_dir(&tools.scripts).unwrap().map(|entry| entry.unwrap().path()).collect();
    specs.retain(|path| path.to_str().unwrap().ends_with(".spec.mjs"));
    specs.sort();
    // One after the other: some measure.
    let output = Command::new("node")
        .args(["--test", "--test-concurrency=1", "--test-reporter=spec"])
        .args(specs)
        .env("GLEANER_REPORTS", folder.path())
        .env("GLEANER_CHROMIUM", tools.chromium)
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{told}\n{}", String::from_utf8_lossy(&output.stderr));
    println!("{told}");
}

/// Files that the scripts open.
fn write_reports(folder: &Path) {
    write_bundles(folder);
    let analyze = |report: &str, bundle: &Path, more: &[&str]| {
        let report = format!("{report}.html");
        let args = ["analyze", bundle.to_str().unwrap(), "-o", &report, "--quiet"];
        let answer = gleaner_in(folder, args.iter().chain(more));
        assert_eq!(answer.code, 0, "{report}: {}", answer.stderr);
    };
    analyze("failing", &sample("stale-managed-chart"), &["--timings"]);
    analyze("healthy", &sample("healthy"), &[]);
    analyze("since", &sample("stale-managed-chart"), &["--since", sample("healthy").to_str().unwrap()]);
    analyze("upgrading", &upgrade::packed(folder, &upgrade::draining()), &[]);
    analyze("hostile", &folder.join("hostile"), &["--rules", "own", "--no-default-rules"]);
    analyze("empty", &folder.join("empty"), &[]);
    fs::write(folder.join("many.html"), many_page()).unwrap();
    write_archive(folder);
}

/// Pages about two samples and two bundles of one cluster with hostile names.
fn write_archive(folder: &Path) {
    for (day, pods) in [(1, hostile_pods()), (2, hostile_pods().replacen("phase: Failed", "phase: Running", 2))] {
        let namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: kube-system, uid: <i>uid}\n";
        for (path, text) in [
            ("metadata.yaml", format!("bundlename: x\nbundlecreatedat: \"2026-03-0{day}T07:08:09Z\"\n")),
            ("yamls/cluster/v1/namespaces.yaml", namespace.to_owned()),
            ("yamls/namespaced/default/v1/pods.yaml", pods),
        ] {
            let path = folder.join(format!("tickets/<b>day {day}/{path}"));
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }
    let samples = ["healthy", "stale-managed-chart"].map(|name| format!("{}\n", sample(name).display()));
    fs::write(folder.join("samples.list"), samples.concat()).unwrap();
    for args in [
        &["triage", "tickets", "samples.list", "--store", "archive.db", "--rules", "own", "--quiet"][..],
        &["triage", "report", "--store", "archive.db", "--html", "archive", "--quiet"],
    ] {
        let answer = gleaner_in(folder, args);
        assert_eq!(answer.code, 0, "{args:?}: {}", answer.stderr);
    }
}

/// A rule and a bundle whose names try to become markup, and one with nothing in it that a rule reads.
fn write_bundles(folder: &Path) {
    for (path, text) in [
        ("own/rules/workload/pod-failed.yaml", include_str!("../browser/pod-failed.yaml")),
        ("hostile/metadata.yaml", "bundlename: \"<b>bold</b>\"\n"),
        ("hostile/yamls/namespaced/default/v1/pods.yaml", &hostile_pods()),
        ("empty/notes.log", "one line\n"),
    ] {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

/// Pods of which each tries another way out; the last has a message of 1 MB without a place to break it.
fn hostile_pods() -> String {
    let names = [
        "<script>window.owned = 1</script>",
        "<img src=x onerror='window.owned = 1'>",
        "' onclick='window.owned = 1",
        "</pre></details></article><iframe src='https://example.org'>",
        "{{ 7*7 }} {% raw %} \u{202e}gpj.exe",
    ];
    let mut text = "apiVersion: v1\nkind: PodList\nitems:\n".to_owned();
    let long = "A".repeat(1 << 20);
    for (name, message) in names.iter().map(|name| (*name, *name)).chain([("long", long.as_str())]) {
        let (name, message) = (serde_json::to_string(name).unwrap(), serde_json::to_string(message).unwrap());
        text += &format!(
            "- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: {name}\n    namespace: default\n  \
             status:\n    phase: Failed\n    message: {message}\n"
        );
    }
    text
}

fn many_page() -> Vec<u8> {
    let mut page = Vec::new();
    report::render(&many_findings::analysis(), Format::Html, Audience::Support, None, &mut page).unwrap();
    page
}

#[test]
fn ten_thousand_findings_stay_small() {
    let size = many_page().len();

    println!("10,000 findings over 200,000 evidence lines: {size} bytes");
    assert!(size < 25_000_000, "{size} bytes");
}
