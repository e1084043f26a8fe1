//! Rules of folders and their compilation, with errors printed.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use rayon::ThreadPool;

use crate::cli::args::AnalyzeArgs;
use crate::cli::args::rule_folders::RuleArgs;
use crate::cli::errors::usage_error;
use crate::cli::exit::ExitCode;
use crate::cli::plural::counted;
use crate::cli::threads::thread_pool;
use crate::rule::error::Weight;
use crate::rule::listing::TestCount;
use crate::rule::load::{self, Loaded};
use crate::rule::{self, Knowledge, RuleError, RuleSet, Source, Streams};
use crate::verify;

/// The rules that `analyze` runs.
///
/// # Errors
/// The exit code, once the reason has been told.
pub fn selected(args: &AnalyzeArgs, pool: &ThreadPool, err: &mut dyn Write) -> Result<RuleSet, ExitCode> {
    let set = compiled_on(pool, chosen(&args.rules, err)?, err)?;
    set.select(&args.only, &args.skip).map_err(|error| usage_error(err, error))
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
    load::load(folders, defaults).map_err(|error| usage_error(err, error))
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
    thread_pool(None).map_err(|error| usage_error(err, error))
}

/// Like [`compiled`], with warnings of what no known object has.
pub fn checked(loaded: Loaded, known: &Knowledge, err: &mut dyn Write) -> Result<RuleSet, ExitCode> {
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
pub struct TestFolder {
    /// The embedded rules with those of the folder, which may refer to them.
    pub loaded: Loaded,
    pub rules: usize,
    pub tests: Vec<Source>,
}

impl TestFolder {
    pub fn open(named: Option<&Path>, err: &mut dyn Write) -> Result<Self, ExitCode> {
        let here = Path::new(".");
        let path = named.or_else(|| here.join("rules").is_dir().then_some(here));
        let folder = path.map(load::folder).transpose().map_err(|error| usage_error(err, error))?;
        let own = folder.as_ref().filter(|_| named.is_some()).cloned();
        let loaded = folder.map_or_else(load::embedded, |folder| load::embedded().replaced_by(folder));
        let of = own.unwrap_or_else(|| loaded.clone());
        Ok(Self { loaded, rules: of.sources.len(), tests: of.tests })
    }
}

/// All rules: the embedded ones with those of the folders, or of the checkout that one is in.
pub fn with_checkout(folders: &[PathBuf], err: &mut dyn Write) -> Result<Loaded, ExitCode> {
    let here = PathBuf::from(".");
    let checkout = (folders.is_empty() && here.join("rules").is_dir()).then_some(here);
    let folders: Vec<PathBuf> = folders.iter().cloned().chain(checkout).collect();
    loaded(&folders, true, err)
}

/// How many test cases each rule has, by id.
pub fn test_counts(tests: &[Source]) -> BTreeMap<String, TestCount> {
    let mut counts: BTreeMap<String, TestCount> = BTreeMap::new();
    for (id, count) in tests.iter().filter_map(|test| verify::counts(test).ok()).flatten() {
        let sum = counts.entry(id).or_default();
        sum.firing += count.firing;
        sum.silent += count.silent;
    }
    counts
}
