//! Summary of a run and of the store, for people.

use std::fmt::Write;
use std::time::Duration;

use super::progress::per_minute;
use crate::report::words::counted;
use crate::triage::{Store, StoreError, Summary};

/// Rules that are listed.
const TOP: i64 = 5;

/// Returns the summary of a run.
pub fn text(done: &Summary, store: &Store) -> Result<String, StoreError> {
    let mut text = String::new();
    let elapsed = Duration::from_secs_f64(done.seconds);
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{} in {:.1?}: {}", counted(done.files, "file"), elapsed, parts(done).join(", "));
    if done.analysed > 0 {
        let files = done.analysed + done.failed + done.no_bundle;
        let megabytes = done.bytes as f64 / 1e6 / done.seconds.max(1e-9);
        let _ = writeln!(text, "{:.0} files per minute, {megabytes:.1} MB/s", per_minute(files, elapsed));
    }
    if done.updated > 0 {
        let _ = writeln!(
            text,
            "{} changed; {} ran again, including causes and symptoms of changed rules",
            counted(done.changed_rules, "rule"),
            counted(done.rules_run, "rule")
        );
    }
    for (path, status, why) in &done.failures {
        let _ = writeln!(text, "  {status} {path}: {why}");
    }
    let more = (done.failed + done.no_bundle).saturating_sub(done.failures.len() as u64);
    if more > 0 {
        let _ = writeln!(text, "  and {more} more: SELECT path, status, error FROM bundles WHERE status <> 'analysed'");
    }
    let _ = write!(text, "{}", holdings(store)?);
    Ok(text)
}

fn parts(done: &Summary) -> Vec<String> {
    let part = |count: u64, what: &str| (count > 0).then(|| format!("{count} {what}"));
    let bundles = counted(done.bundles, "bundle");
    let parts = [
        (done.analysed > 0).then(|| format!("{} analysed ({bundles})", done.analysed)),
        part(done.updated, "updated for changed rules"),
        part(done.unchanged, "unchanged"),
        (done.copies > 0)
            .then(|| if done.copies == 1 { "1 copy".to_owned() } else { format!("{} copies", done.copies) }),
        part(done.no_bundle, "without a bundle"),
        part(done.failed, "failed"),
        part(done.others, "not archives"),
        (done.links > 0).then(|| format!("{} not followed", counted(done.links, "folder link"))),
        part(done.gone, "deleted, still in the store"),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() { vec!["nothing to do".to_owned()] } else { parts }
}

/// Returns findings by severity and the rules that fired most; copies count once.
fn holdings(store: &Store) -> Result<String, StoreError> {
    let held = store.holdings(TOP)?;
    let mut text = format!("{} in the store", counted(held.contents, "different bundle"));
    let severities: Vec<String> =
        held.severities.iter().map(|(severity, count)| format!("{count} {severity}")).collect();
    if !severities.is_empty() {
        let _ = write!(text, "; findings: {}", severities.join(", "));
    }
    text.push('\n');
    for (rule, fired, severity) in &held.top {
        let _ = writeln!(text, "  {fired:>6}  {severity:<8}  {rule}");
    }
    Ok(text)
}
