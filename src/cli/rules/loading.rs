//! Rules of folders and their compilation, with errors printed.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};

use rayon::ThreadPool;

use super::opened::{opened, opened_all};
use crate::cli::args::AnalyzeArgs;
use crate::cli::args::rule_folders::RuleArgs;
use crate::cli::errors::usage_error;
use crate::cli::exit::ExitCode;
use crate::cli::lines::print_line;
use crate::cli::threads::thread_pool;
use crate::report::words::counted;
use crate::rule::error::Weight;
use crate::rule::known_lines::KnownLineFiles;
use crate::rule::listing::TestCount;
use crate::rule::load::{self, Loaded};
use crate::rule::{self, Knowledge, RuleError, RuleSet, Source, Streams};
use crate::verify;

/// Returns the rules that `analyze` runs.
///
/// # Errors
/// Fails with the exit code, after the error has been printed.
pub fn selected(args: &AnalyzeArgs, pool: &ThreadPool, err: &mut dyn Write) -> Result<RuleSet, ExitCode> {
    let RuleArgs { folders, no_default_rules, .. } = &args.rules;
    let own = opened_all(folders).map_err(|error| usage_error(err, error))?;
    let loaded = load::together_to_run(own, !no_default_rules);
    let set = compiled_on(pool, loaded, err)?;
    let set = set.select(&args.only, &args.skip).map_err(|error| usage_error(err, error))?;
    Ok(set.of_classes(&args.class))
}

/// Loads the rules that arguments choose.
///
/// # Errors
/// Fails with the exit code, after the error has been printed.
pub fn chosen(args: &RuleArgs, err: &mut dyn Write) -> Result<Loaded, ExitCode> {
    loaded(&args.folders, !args.no_default_rules, err)
}

/// Loads the rules of folders and archives, with the built-in ones if `defaults` is true.
///
/// # Errors
/// Fails with the exit code, after the error has been printed.
pub fn loaded(folders: &[PathBuf], defaults: bool, err: &mut dyn Write) -> Result<Loaded, ExitCode> {
    let own = opened_all(folders).map_err(|error| usage_error(err, error))?;
    Ok(load::together(own, defaults))
}

/// Compiles rules; prints errors and warnings.
///
/// # Errors
/// Fails with the exit code, after the error has been printed.
pub fn compiled(loaded: Loaded, err: &mut dyn Write) -> Result<RuleSet, ExitCode> {
    compiled_on(&workers(err)?, loaded, err)
}

fn compiled_on(pool: &ThreadPool, loaded: Loaded, err: &mut dyn Write) -> Result<RuleSet, ExitCode> {
    let streams = streams(&loaded, err)?;
    let compiled = pool.install(|| rule::compile(loaded.sources, &streams)?.with_known_lines(loaded.known_lines));
    let set = compiled.map_err(|errors| refused(&errors, err))?;
    Ok(set.of_collections(loaded.collections))
}

/// Checks known lines that a folder adds to the built-in ones.
///
/// # Errors
/// Fails with the exit code, after the error has been printed.
pub fn known_lines(loaded: Loaded, err: &mut dyn Write) -> Result<KnownLineFiles, ExitCode> {
    let set = RuleSet::default().with_known_lines(loaded.known_lines).map_err(|errors| refused(&errors, err))?;
    Ok(set.known_lines)
}

/// Compiles the rules that can run, for a command about one of them: broken rules are printed and left out.
///
/// # Errors
/// The exit code when the rule of that name is itself broken.
pub fn compiled_around(id: &str, loaded: Loaded, err: &mut dyn Write) -> Result<RuleSet, ExitCode> {
    let (set, broken) = compiled_each(loaded, err)?;
    let own: Vec<RuleError> = broken.iter().filter(|error| error.source.stem() == id).cloned().collect();
    if set.find(id).is_none() && !own.is_empty() {
        return Err(refused(&own, err));
    }
    print_left_out(&broken, err);
    Ok(set)
}

/// Compiles the rules that can run; broken ones are printed and left out. Also returns the files of broken rules.
///
/// # Errors
/// Fails with the exit code, after the error has been printed.
pub fn compiled_without_broken(loaded: Loaded, err: &mut dyn Write) -> Result<(RuleSet, BTreeSet<String>), ExitCode> {
    let (set, broken) = compiled_each(loaded, err)?;
    print_left_out(&broken, err);
    Ok((set, broken.iter().map(|error| error.file().to_owned()).collect()))
}

fn compiled_each(loaded: Loaded, err: &mut dyn Write) -> Result<(RuleSet, Vec<RuleError>), ExitCode> {
    let streams = streams(&loaded, err)?;
    let (set, broken) = workers(err)?.install(|| rule::compile_each(loaded.sources, &streams));
    let set = set.with_known_lines(loaded.known_lines).map_err(|errors| refused(&errors, err))?;
    Ok((set, broken))
}

fn print_left_out(broken: &[RuleError], err: &mut dyn Write) {
    broken.iter().for_each(|error| {
        let _ = writeln!(err, "{}", error.render(true));
    });
    let files: BTreeSet<&str> = broken.iter().map(RuleError::file).collect();
    if !files.is_empty() {
        let _ =
            print_line(err, format_args!("warning: {} left out because of errors", counted(files.len(), "rule file")));
    }
}

fn workers(err: &mut dyn Write) -> Result<ThreadPool, ExitCode> {
    thread_pool(None).map_err(|error| usage_error(err, error))
}

/// Compiles the rules of a folder and warns about what they read, say and, if `strict`, lack.
///
/// # Errors
/// Fails with the exit code, after the errors have been printed.
pub fn checked(
    TestFolder { loaded, files, .. }: &TestFolder,
    streams: &Streams,
    known: &Knowledge,
    strict: bool,
    err: &mut dyn Write,
) -> Result<RuleSet, ExitCode> {
    let check = if strict { rule::check_strictly } else { rule::check };
    let sources = loaded.sources.clone();
    let concerns = |found: &RuleError| found.code.weight() == Weight::Error || files.contains(found.file());
    match workers(err)?.install(|| check(sources, streams, known)) {
        Ok(mut set) => {
            set.warnings.retain(concerns);
            Ok(set)
        }
        Err(mut errors) => {
            errors.retain(concerns);
            Err(refused(&errors, err))
        }
    }
}

/// Prints the errors of rules.
fn refused(errors: &[RuleError], err: &mut dyn Write) -> ExitCode {
    errors.iter().for_each(|error| {
        let _ = writeln!(err, "{}", error.render(true));
    });
    let count = errors.iter().filter(|e| e.code.weight() == Weight::Error).count();
    let _ = print_line(err, format_args!("error: {} in rules; nothing was read", counted(count, "error")));
    ExitCode::Rule
}

/// Parses the log streams that rules may name.
///
/// # Errors
/// Fails with the exit code, after the error has been printed.
pub fn streams(loaded: &Loaded, err: &mut dyn Write) -> Result<Streams, ExitCode> {
    Streams::parse(loaded.streams.clone()).map_err(|errors| {
        errors.iter().for_each(|error| {
            let _ = writeln!(err, "{}", error.render(true));
        });
        ExitCode::Rule
    })
}

/// Rules and tests for `check` and `test`: those of the given folder, otherwise all.
pub struct TestFolder {
    /// Built-in rules and those of the folder, which may refer to them.
    pub loaded: Loaded,
    /// Files of the rules that were asked for.
    pub files: BTreeSet<String>,
    /// Files of the known lines that were asked for.
    pub known_lines: BTreeSet<String>,
    pub tests: Vec<Source>,
}

impl TestFolder {
    pub fn open(named: Option<&Path>, err: &mut dyn Write) -> Result<Self, ExitCode> {
        let here = Path::new(".");
        let around = named.and_then(around_tests);
        let path = around.as_deref().or(named).or_else(|| here.join("rules").is_dir().then_some(here));
        let folder = path.map(opened).transpose().map_err(|error| usage_error(err, error))?;
        let own = folder.as_ref().filter(|_| named.is_some()).cloned();
        let loaded = folder.map_or_else(load::embedded, |folder| load::embedded().replaced_by(folder));
        let of = own.unwrap_or_else(|| loaded.clone());
        let files = |sources: Vec<Source>| sources.into_iter().map(|source| source.file).collect();
        let mut tests = of.tests;
        if let Some(chosen) = named.filter(|_| around.is_some()) {
            let chosen = chosen.strip_prefix(here).unwrap_or(chosen);
            tests.retain(|test| Path::new(&test.file).starts_with(chosen));
        }
        Ok(Self { loaded, files: files(of.sources), known_lines: files(of.known_lines), tests })
    }
}

/// Returns the folder with `rules` that `tests/rules` of a path lies in: a path of a test, or of a folder of tests, means these alone.
fn around_tests(path: &Path) -> Option<PathBuf> {
    let tests = path.ancestors().find(|at| at.ends_with("tests/rules"))?;
    let folder = tests.parent()?.parent()?;
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    (path.exists() && folder.join("rules").is_dir()).then(|| folder.to_owned())
}

/// Loads the built-in rules with those of the folders, or, without folders, of the checkout in the current folder.
pub fn with_checkout(folders: &[PathBuf], err: &mut dyn Write) -> Result<Loaded, ExitCode> {
    let here = PathBuf::from(".");
    let checkout = (folders.is_empty() && here.join("rules").is_dir()).then_some(here);
    let folders: Vec<PathBuf> = folders.iter().cloned().chain(checkout).collect();
    loaded(&folders, true, err)
}

/// Returns the number of test cases of each rule, by id.
pub fn test_counts(tests: &[Source]) -> BTreeMap<String, TestCount> {
    let mut counts: BTreeMap<String, TestCount> = BTreeMap::new();
    for (id, count) in tests.iter().filter_map(|test| verify::counts(test).ok()).flatten() {
        let sum = counts.entry(id).or_default();
        sum.firing += count.firing;
        sum.silent += count.silent;
    }
    counts
}
