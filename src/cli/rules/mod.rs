//! `gleaner rules ...`, and the rules of `analyze`.

mod check;
mod docs;
mod explain;
mod foreign;
mod list;
mod new;
mod schema;
mod test;
mod watch;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use rayon::ThreadPool;

use super::args::{AnalyzeArgs, Project, RuleArgs, RulesCommand};
use super::exit::ExitCode;
use super::{pool, tell};
use crate::rule::error::Weight;
use crate::rule::listing::TestCount;
use crate::rule::load::{self, Loaded};
use crate::rule::{self, Knowledge, RuleError, RuleSet, Source, Streams};
use crate::verify;

/// Runs a sub-command of `rules`.
pub fn run(command: &RulesCommand, out: &mut dyn Write, err: &mut dyn Write) -> ExitCode {
    let answer = match command {
        RulesCommand::List(args) => list::run(args, out, err),
        RulesCommand::Check(args) => check::run(args, out, err),
        RulesCommand::Test(args) => match args.from {
            Some(Project::Cre) => foreign::test(args, out, err),
            None => test::run(args, out, err),
        },
        RulesCommand::Import(args) => foreign::import(args, out, err),
        RulesCommand::Explain(args) => explain::run(args, out, err),
        RulesCommand::New(args) => new::run(args, out, err),
        RulesCommand::Schema => schema::run(out, err),
        RulesCommand::Docs(args) => docs::run(args, out, err),
    };
    // Whoever ends early has told why.
    answer.unwrap_or_else(|code| code)
}

/// The rules that `analyze` runs.
///
/// # Errors
/// The exit code, once the reason has been told.
pub fn selected(args: &AnalyzeArgs, pool: &ThreadPool, err: &mut dyn Write) -> Result<RuleSet, ExitCode> {
    let set = compiled_on(pool, chosen(&args.rules, err)?, err)?;
    set.select(&args.only, &args.skip).map_err(|error| {
        tell(err, &error.into());
        ExitCode::Usage
    })
}

/// The rules that are to be run.
///
/// # Errors
/// The exit code, once the reason has been told.
pub fn chosen(args: &RuleArgs, err: &mut dyn Write) -> Result<Loaded, ExitCode> {
    loaded(&args.folders, !args.no_default_rules, err)
}

/// The rules of folders, with ours unless `defaults` is false.
///
/// # Errors
/// The exit code, once the reason has been told.
pub fn loaded(folders: &[PathBuf], defaults: bool, err: &mut dyn Write) -> Result<Loaded, ExitCode> {
    load::load(folders, defaults).map_err(|error| {
        tell(err, &error.into());
        ExitCode::Usage
    })
}

/// Compiles, and tells errors and warnings.
///
/// # Errors
/// The exit code, once the reason has been told.
pub fn compiled(loaded: Loaded, err: &mut dyn Write) -> Result<RuleSet, ExitCode> {
    compiled_on(&workers(err)?, loaded, err)
}

fn compiled_on(pool: &ThreadPool, loaded: Loaded, err: &mut dyn Write) -> Result<RuleSet, ExitCode> {
    let streams = streams(&loaded, err)?;
    let compiled = pool.install(|| rule::compile(loaded.sources, &streams));
    compiled.map_err(|errors| refused(&errors, err))
}

fn workers(err: &mut dyn Write) -> Result<ThreadPool, ExitCode> {
    pool(None).map_err(|error| {
        tell(err, &error);
        ExitCode::Usage
    })
}

/// Like [`compiled`], with warnings of what no known object has.
fn checked(loaded: Loaded, known: &Knowledge, err: &mut dyn Write) -> Result<RuleSet, ExitCode> {
    let streams = streams(&loaded, err)?;
    let checked = workers(err)?.install(|| rule::check(loaded.sources, &streams, known));
    checked.map_err(|errors| refused(&errors, err))
}

/// Tells what is wrong with rules.
fn refused(errors: &[RuleError], err: &mut dyn Write) -> ExitCode {
    errors.iter().for_each(|error| {
        let _ = writeln!(err, "{}", error.render(true));
    });
    let count = errors.iter().filter(|e| e.code.weight() == Weight::Error).count();
    let _ = writeln!(err, "error: {} in rules; nothing was read", counted(count, "error"));
    ExitCode::Rule
}

/// The streams that rules may name.
///
/// # Errors
/// The exit code, once the reason has been told.
pub fn streams(loaded: &Loaded, err: &mut dyn Write) -> Result<Streams, ExitCode> {
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
    fn of(named: Option<&Path>, err: &mut dyn Write) -> Result<Self, ExitCode> {
        let here = Path::new(".");
        let path = named.or_else(|| here.join("rules").is_dir().then_some(here));
        let folder = path.map(load::folder).transpose().map_err(|error| {
            tell(err, &error.into());
            ExitCode::Usage
        })?;
        let own = folder.as_ref().filter(|_| named.is_some()).cloned();
        let loaded = folder.map_or_else(load::embedded, |folder| load::embedded().replaced_by(folder));
        let of = own.unwrap_or_else(|| loaded.clone());
        Ok(Self { loaded, rules: of.sources.len(), tests: of.tests })
    }
}

/// All rules: the embedded ones with those of the folders, or of the checkout that one is in.
fn known(folders: &[PathBuf], err: &mut dyn Write) -> Result<Loaded, ExitCode> {
    let here = PathBuf::from(".");
    let checkout = (folders.is_empty() && here.join("rules").is_dir()).then_some(here);
    let folders: Vec<PathBuf> = folders.iter().cloned().chain(checkout).collect();
    loaded(&folders, true, err)
}

/// How many test cases each rule has, by id.
fn test_counts(tests: &[Source]) -> BTreeMap<String, TestCount> {
    let mut counts: BTreeMap<String, TestCount> = BTreeMap::new();
    for (id, count) in tests.iter().filter_map(|test| verify::counts(test).ok()).flatten() {
        let sum = counts.entry(id).or_default();
        sum.firing += count.firing;
        sum.silent += count.silent;
    }
    counts
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
