//! `gleaner rules import` and `gleaner rules test --from`: rules of other projects.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::loading::{compiled_without_broken, streams};
use crate::atomic_file::AtomicFile;
use crate::cli::args::rules::{ImportArgs, TestArgs};
use crate::cli::errors::usage_error;
use crate::cli::exit::ExitCode;
use crate::cli::lines::print_line;
use crate::cre::{self, Import, Imported};
use crate::report::words::counted;
use crate::rule::load::{self, Loaded};
use crate::rule::{RuleSet, Source, Streams};
use crate::verify::{Difference, Failure, Sample, check_log};

/// Largest log of a test, in bytes.
const MAX_LOG: u64 = 64 << 20;
/// Logs next to a CRE rule, and whether the rule must fire on them.
const LOGS: [(&str, bool); 2] = [("test.log", true), ("test-fp.log", false)];

/// Writes the rules of another project as rules of gleaner.
pub fn import(args: &ImportArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<ExitCode, ExitCode> {
    let import = import_folder(&args.path, err)?;
    for rule in &import.rules {
        write(&args.output, rule).map_err(|error| {
            let path = target(&args.output, rule);
            usage_error(err, anyhow::Error::new(error).context(format!("cannot write {}", path.display())))
        })?;
    }
    let _ =
        print_line(out, format_args!("{} written to {}", counted(import.rules.len(), "rule"), args.output.display()));
    print_invalid(&import, err);
    Ok(if import.invalid.is_empty() { ExitCode::Success } else { ExitCode::Rule })
}

/// Runs the rules of another project on the logs next to them.
pub fn test(args: &TestArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<ExitCode, ExitCode> {
    let folder = args.path.as_deref().unwrap_or(Path::new("."));
    let import = import_folder(folder, err)?;
    print_invalid(&import, err);
    let loaded = Loaded { sources: import.rules.iter().map(source).collect(), ..load::embedded() };
    let streams = streams(&loaded, err)?;
    let (set, _) = compiled_without_broken(loaded, err)?;
    let results: Vec<Vec<Failure>> = import.rules.par_iter().map(|rule| failures(&set, &streams, rule)).collect();
    for failure in results.iter().flatten() {
        let _ = print_line(out, format_args!("{failure}"));
    }
    let failed = results.iter().filter(|failures| !failures.is_empty()).count() + import.invalid.len();
    let passed = results.iter().filter(|failures| failures.is_empty()).count();
    let _ = print_line(out, format_args!("{passed} passed, {failed} failed"));
    Ok(if failed == 0 { ExitCode::Success } else { ExitCode::Findings })
}

fn import_folder(folder: &Path, err: &mut dyn Write) -> Result<Import, ExitCode> {
    let loaded = load::folder(folder).map_err(|error| usage_error(err, error))?;
    Ok(cre::import(&loaded.sources))
}

fn print_invalid(import: &Import, err: &mut dyn Write) {
    for invalid in &import.invalid {
        let _ = print_line(err, format_args!("error: {invalid}"));
    }
}

fn source(rule: &Imported) -> Source {
    Source { file: format!("rules/{}/{}.yaml", rule.area, rule.id), text: rule.text.clone() }
}

fn target(output: &Path, rule: &Imported) -> PathBuf {
    output.join(source(rule).file)
}

fn write(output: &Path, rule: &Imported) -> io::Result<()> {
    let path = target(output, rule);
    let is_import = |text: String| text.starts_with(cre::MADE);
    if !fs::read_to_string(&path).map_or_else(|error| error.kind() == io::ErrorKind::NotFound, is_import) {
        return Err(io::Error::other("it exists and was not made by this command; give another folder"));
    }
    let mut file = AtomicFile::create(&path)?;
    file.writer().write_all(rule.text.as_bytes())?;
    file.finish()
}

/// Returns the wrong answers of a rule on its logs.
fn failures(set: &RuleSet, streams: &Streams, rule: &Imported) -> Vec<Failure> {
    let folder = Path::new(&rule.origin).parent().unwrap_or(Path::new(""));
    let mut found = Vec::new();
    let mut tested = false;
    for (name, fires) in LOGS {
        let answer = match log(&folder.join(name)) {
            Ok(None) => continue,
            Ok(Some(text)) => check_log(set, streams, &Sample { rule: &rule.id, text: &text, fires }),
            Err(error) => Err(Difference::Broken(error.to_string())),
        };
        tested = true;
        found.extend(answer.err().map(|difference| failure(rule, name, difference)));
    }
    if !tested {
        found.push(failure(rule, "", Difference::Broken("there is no test.log next to it".to_owned())));
    }
    found
}

fn failure(rule: &Imported, log: &str, difference: Difference) -> Failure {
    Failure { file: rule.origin.clone(), case: log.to_owned(), differences: vec![difference] }
}

/// Reads a log; returns none if there is no such file.
fn log(path: &Path) -> io::Result<Option<String>> {
    let file = match fs::File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    let mut bytes = Vec::new();
    file.take(MAX_LOG + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_LOG {
        return Err(io::Error::other(format!("it is larger than {} MiB", MAX_LOG >> 20)));
    }
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}
