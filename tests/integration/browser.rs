//! The report in a real browser: its script runs under its own policy, and nothing is refused.

use std::path::PathBuf;
use std::process::Command;

use crate::harness::{gleaner_in, sample};

fn chromium() -> Option<PathBuf> {
    let found = ["chromium", "chromium-browser", "google-chrome"]
        .iter()
        .flat_map(|name| ["/usr/bin", "/usr/local/bin", "/snap/bin"].map(|folder| PathBuf::from(folder).join(name)))
        .find(|path| path.exists());
    if found.is_none() {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "CI needs chromium");
        eprintln!("skipped: no chromium found, the report was not opened in a browser");
    }
    found
}

#[test]
fn the_report_opens_without_violating_its_policy() {
    let Some(chromium) = chromium() else { return };
    let folder = tempfile::tempdir().unwrap();
    let bundle = sample("stale-managed-chart");
    let answer = gleaner_in(folder.path(), ["analyze", bundle.to_str().unwrap(), "-o", "r.html", "--quiet"]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let output = Command::new(chromium)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .args(["--enable-logging=stderr", "--v=0", "--virtual-time-budget=2000", "--dump-dom"])
        .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
        .arg(format!("file://{}", folder.path().join("r.html").display()))
        .output()
        .unwrap();
    let (dom, log) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(!log.contains("Content Security Policy") && !log.contains("Uncaught"), "{log}");
    assert!(dom.contains("</html>"), "no document: {log}");
    // The filters and copy buttons exist only once the script has run.
    assert!(dom.contains("<button"), "the script did not run: {log}");
}
