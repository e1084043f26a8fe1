//! `gleaner rules list | check | test`, and the rules of `analyze`.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use super::args::{AnalyzeArgs, FolderArgs, ListArgs, ListFormat, RulesCommand};
use super::exit::ExitCode;
use super::tell;
use crate::rule::error::Weight;
use crate::rule::listing::{Listed, TestCount, listing};
use crate::rule::load::{self, Loaded};
use crate::rule::{RuleSet, Streams, compile};
use crate::verify;

/// Runs a sub-command of `rules`.
pub fn run(command: &RulesCommand, out: &mut dyn Write, err: &mut dyn Write) -> ExitCode {
    match command {
        RulesCommand::List(args) => list(args, out, err),
        RulesCommand::Check(args) => check(args, out, err),
        RulesCommand::Test(args) => test(args, out, err),
    }
}

/// The rules that `analyze` runs.
///
/// # Errors
/// The exit code, once the reason has been told.
pub fn selected(args: &AnalyzeArgs, err: &mut dyn Write) -> Result<RuleSet, ExitCode> {
    let loaded = load::load(&args.rules, !args.no_default_rules).map_err(|error| {
        tell(err, &error.into());
        ExitCode::Usage
    })?;
    let set = compiled(loaded, err)?;
    set.select(&args.only, &args.skip).map_err(|error| {
        tell(err, &error.into());
        ExitCode::Usage
    })
}

/// Compiles, and tells errors and warnings.
fn compiled(loaded: Loaded, err: &mut dyn Write) -> Result<RuleSet, ExitCode> {
    let streams = streams(&loaded, err)?;
    compile(loaded.sources, &streams).map_err(|errors| {
        errors.iter().for_each(|error| {
            let _ = writeln!(err, "{}", error.render(true));
        });
        let count = errors.iter().filter(|e| e.code.weight() == Weight::Error).count();
        let _ = writeln!(err, "error: {}; nothing was read", errors_in_rules(count));
        ExitCode::Rule
    })
}

fn errors_in_rules(count: usize) -> String {
    format!("{count} error{} in rules", if count == 1 { "" } else { "s" })
}

fn streams(loaded: &Loaded, err: &mut dyn Write) -> Result<Streams, ExitCode> {
    Streams::parse(loaded.streams.clone()).map_err(|errors| {
        errors.iter().for_each(|error| {
            let _ = writeln!(err, "{}", error.render(true));
        });
        ExitCode::Rule
    })
}

/// The embedded rules with those of a folder, by default the checkout that the program is called in.
fn of_folder(path: Option<&Path>, err: &mut dyn Write) -> Result<Loaded, ExitCode> {
    let here = Path::new(".");
    let path = path.or_else(|| here.join("rules").is_dir().then_some(here));
    let embedded = load::embedded();
    match path.map(load::folder).transpose() {
        Ok(folder) => Ok(folder.map_or(embedded.clone(), |folder| embedded.replaced_by(folder))),
        Err(error) => {
            tell(err, &error.into());
            Err(ExitCode::Usage)
        }
    }
}

fn list(args: &ListArgs, out: &mut dyn Write, err: &mut dyn Write) -> ExitCode {
    let loaded = match load::load(&args.rules, true) {
        Ok(loaded) => loaded,
        Err(error) => {
            tell(err, &error.into());
            return ExitCode::Usage;
        }
    };
    let mut counts: BTreeMap<String, TestCount> = BTreeMap::new();
    for test in &loaded.tests {
        for (id, count) in verify::counts(test).unwrap_or_default() {
            let sum = counts.entry(id).or_default();
            sum.firing += count.firing;
            sum.silent += count.silent;
        }
    }
    let set = match compiled(loaded, err) {
        Ok(set) => set,
        Err(code) => return code,
    };
    let rules = listing(&set, &counts);
    let _ = match args.format {
        ListFormat::Json => {
            serde_json::to_writer_pretty(&mut *out, &rules).map_err(Into::into).and_then(|()| writeln!(out))
        }
        ListFormat::Text => rules.iter().try_for_each(|rule| writeln!(out, "{}", row(rule))),
    };
    ExitCode::Success
}

fn row(rule: &Listed) -> String {
    let tests = format!("{}+{}", rule.tests.firing, rule.tests.silent);
    format!("{:<48} {:<9} {:<13} {:>5}  {}", rule.id, rule.severity, rule.area, tests, rule.title)
}

fn check(args: &FolderArgs, out: &mut dyn Write, err: &mut dyn Write) -> ExitCode {
    let loaded = match of_folder(args.path.as_deref(), err) {
        Ok(loaded) => loaded,
        Err(code) => return code,
    };
    let tests: Vec<_> = loaded.tests.iter().map(|test| (test.file.clone(), verify::counts(test))).collect();
    let set = match compiled(loaded, err) {
        Ok(set) => set,
        Err(code) => return code,
    };
    set.warnings.iter().for_each(|warning| {
        let _ = writeln!(err, "{}", warning.render(true));
    });
    let broken: Vec<_> = tests.iter().filter_map(|(_, counts)| counts.as_ref().err()).collect();
    broken.iter().for_each(|error| {
        let _ = writeln!(err, "error: {error}");
    });
    let _ = writeln!(out, "{} rules checked, {} warnings", set.rules.len(), set.warnings.len());
    if broken.is_empty() { ExitCode::Success } else { ExitCode::Rule }
}

fn test(args: &FolderArgs, out: &mut dyn Write, err: &mut dyn Write) -> ExitCode {
    let loaded = match of_folder(args.path.as_deref(), err) {
        Ok(loaded) => loaded,
        Err(code) => return code,
    };
    let tests = loaded.tests.clone();
    let set = match compiled(loaded.clone(), err).and_then(|set| Ok((set, streams(&loaded, err)?))) {
        Ok(found) => found,
        Err(code) => return code,
    };
    let report = verify::run(&set.0, &set.1, &tests);
    for failure in &report.failures {
        let _ = writeln!(out, "{failure}");
    }
    let _ = writeln!(out, "{} passed, {} failed", report.passed, report.failures.len());
    if report.failures.is_empty() { ExitCode::Success } else { ExitCode::Findings }
}
