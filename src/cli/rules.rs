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
use crate::rule::{RuleSet, Source, Streams, compile};
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
        let _ = writeln!(err, "error: {} in rules; nothing was read", counted(count, "error"));
        ExitCode::Rule
    })
}

fn streams(loaded: &Loaded, err: &mut dyn Write) -> Result<Streams, ExitCode> {
    Streams::parse(loaded.streams.clone()).map_err(|errors| {
        errors.iter().for_each(|error| {
            let _ = writeln!(err, "{}", error.render(true));
        });
        ExitCode::Rule
    })
}

/// What `check` and `test` are about: the rules and tests of the folder that was named, else all of them.
struct Subject {
    /// The embedded rules with those of the folder, which may refer to them.
    loaded: Loaded,
    rules: usize,
    tests: Vec<Source>,
}

impl Subject {
    fn of(args: &FolderArgs, err: &mut dyn Write) -> Result<Self, ExitCode> {
        let here = Path::new(".");
        let path = args.path.as_deref().or_else(|| here.join("rules").is_dir().then_some(here));
        let folder = path.map(load::folder).transpose().map_err(|error| {
            tell(err, &error.into());
            ExitCode::Usage
        })?;
        let own = folder.as_ref().filter(|_| args.path.is_some()).cloned();
        let loaded = folder.map_or_else(load::embedded, |folder| load::embedded().replaced_by(folder));
        let of = own.unwrap_or_else(|| loaded.clone());
        Ok(Self { loaded, rules: of.sources.len(), tests: of.tests })
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
    try_check(args, out, err).unwrap_or_else(|code| code)
}

fn try_check(args: &FolderArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<ExitCode, ExitCode> {
    let subject = Subject::of(args, err)?;
    let set = compiled(subject.loaded, err)?;
    for warning in &set.warnings {
        let _ = writeln!(err, "{}", warning.render(true));
    }
    let broken: Vec<_> = subject.tests.iter().filter_map(|test| verify::counts(test).err()).collect();
    for error in &broken {
        let _ = writeln!(err, "error: {error}");
    }
    let _ = writeln!(out, "{} checked, {}", counted(subject.rules, "rule"), counted(set.warnings.len(), "warning"));
    Ok(if broken.is_empty() { ExitCode::Success } else { ExitCode::Rule })
}

fn test(args: &FolderArgs, out: &mut dyn Write, err: &mut dyn Write) -> ExitCode {
    try_test(args, out, err).unwrap_or_else(|code| code)
}

fn try_test(args: &FolderArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<ExitCode, ExitCode> {
    let subject = Subject::of(args, err)?;
    let streams = streams(&subject.loaded, err)?;
    let set = compiled(subject.loaded, err)?;
    if subject.tests.is_empty() {
        let folder = args.path.as_deref().unwrap_or(Path::new(".")).display();
        let _ = writeln!(err, "{folder} has no tests: write them as {folder}/tests/rules/<area>/<id>.yaml");
    }
    let report = verify::run(&set, &streams, &subject.tests);
    for failure in &report.failures {
        let _ = writeln!(out, "{failure}");
    }
    let _ = writeln!(out, "{} passed, {} failed", report.passed, report.failures.len());
    Ok(if report.failures.is_empty() { ExitCode::Success } else { ExitCode::Findings })
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
