//! `gleaner triage try`: tries a new rule on the bundles of a store.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write;

use super::progress::Line;
use super::setup::checked;
use super::setup::worker_limits;
use crate::cli::args::triage::TryArgs;
use crate::cli::errors::usage_error;
use crate::cli::exit::ExitCode;
use crate::cli::lines::print_text;
use crate::cli::rules;
use crate::report::words::counted;
use crate::triage::Store;
use crate::triage::run::attempt::{Attempt, attempt};

/// Longest list printed.
const LISTED: usize = 10;

/// Runs the rule over the originals and prints the results.
pub fn run(args: &TryArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<ExitCode, ExitCode> {
    let own = rules::opened(&args.rule).map_err(|error| usage_error(err, error))?;
    let id = match own.sources.as_slice() {
        [one] => one.stem().to_owned(),
        several => {
            let error =
                anyhow::anyhow!("`{}` has {} rules; give a file with one rule", args.rule.display(), several.len());
            return Err(usage_error(err, error));
        }
    };
    let rules = checked(rules::loaded(&args.rules, true, err)?.replaced_by(own), err)?;
    let worker_limits = worker_limits(&args.workers).map_err(|error| usage_error(err, error))?;
    let store = Store::open_to_read(&args.store).map_err(|error| usage_error(err, error))?;
    let line = Line::new(args.quiet);
    let outcome = attempt(&store, &rules, &id, args.limits.0, &worker_limits, &line);
    drop(line);
    let found = outcome.map_err(|error| usage_error(err, error))?;
    // The guard of standard output reports errors at the end.
    let _ = print_text(out, &text(&id, &found));
    Ok(ExitCode::Success)
}

fn text(id: &str, found: &Attempt) -> String {
    let outcome = |name: &str| found.outcomes.get(name).copied().unwrap_or(0);
    let (fired, clean) = (outcome("fired"), outcome("clean"));
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{id} on {}: {}", counted(found.contents, "different bundle"), rate(fired, fired + clean));
    let _ = writeln!(
        text,
        "fired {fired}, clean {clean}, not evaluated {}, not applicable {}",
        outcome("not_evaluated"),
        outcome("not_applicable")
    );
    if found.gone > 0 {
        let _ = writeln!(text, "not tried on {}: the originals were deleted or changed", counted(found.gone, "bundle"));
    }
    list(&mut text, "cannot be analysed now", found.failed.iter().map(|(path, why)| format!("{path}: {why}")));
    let versions = found.versions.iter();
    list(
        &mut text,
        "by version",
        versions.map(|((kind, version), (hits, all))| format!("{kind} {version}: {}", rate(*hits, *all))),
    );
    let together = found.together.iter();
    list(&mut text, "fires together with", together.map(|(rule, with, all)| format!("{rule}: {with} of its {all}")));
    list(&mut text, "most findings", most(&found.bundles).map(|(path, count)| format!("{count:>6}  {path}")));
    list(
        &mut text,
        "most frequent objects",
        most(&found.objects).map(|(object, count)| format!("{count:>6}  {object}")),
    );
    let mut lines: Vec<_> = found.lines.values().collect();
    lines.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    list(
        &mut text,
        "lines shown",
        lines.into_iter().map(|(count, line, place)| format!("{count:>6}  {line}\n          {place}")),
    );
    list(
        &mut text,
        "not evaluated or not applicable because",
        most(&found.reasons).map(|(reason, count)| format!("{count:>6}  {reason}")),
    );
    text
}

/// Returns `fires on 3 of 40 (7.5 %)`.
fn rate(hits: u64, all: u64) -> String {
    let share = if all == 0 { 0.0 } else { hits as f64 * 100.0 / all as f64 };
    format!("fires on {hits} of {all} ({share:.1} %)")
}

/// Sorts by count, highest first.
fn most(counts: &BTreeMap<String, u64>) -> impl ExactSizeIterator<Item = (&String, u64)> {
    let mut sorted: Vec<(&String, u64)> = counts.iter().map(|(key, count)| (key, *count)).collect();
    sorted.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    sorted.into_iter()
}

fn list(text: &mut String, title: &str, rows: impl ExactSizeIterator<Item = String>) {
    let count = rows.len();
    if count == 0 {
        return;
    }
    let _ = writeln!(text, "{title}:");
    for row in rows.take(LISTED) {
        let _ = writeln!(text, "  {row}");
    }
    if count > LISTED {
        let _ = writeln!(text, "  and {} more", count - LISTED);
    }
}
