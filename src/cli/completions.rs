//! Completion of command lines: the scripts of shells, and the answers to what these scripts ask.
//!
//! A script calls the program with the words of the command line. Commands, flags and their values follow from their definition; ids of
//! rules, and what a bundle has, are looked up here. Only plain names are offered: a shell puts a candidate into the command line as it is,
//! and names in a bundle may be made to run something.

use std::collections::BTreeSet;
use std::env;
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{ArgMatches, CommandFactory};
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};
use clap_complete::env::{Bash, EnvCompleter, Fish, Zsh};

use super::args::completions::Shell;
use super::args::{Cli, CompletionsArgs};
use super::exit::ExitCode;
use super::threads::thread_pool;
use crate::bundle::{Bundle, Limits};
use crate::explore::Opened;
use crate::explore::types::TypeCatalogue;
use crate::rule::load;

/// Variable in which a script names its shell when it asks.
const ASKED_BY: &str = "GLEANER_COMPLETE";

/// Name of the program in scripts.
const PROGRAM: &str = env!("CARGO_PKG_NAME");

/// Most candidates of one kind: more can be neither read nor chosen from.
const MOST: usize = 1_000;

/// Commands and the argument that names a rule.
const RULE_IDS: [(&[&str], &str); 5] = [
    (&["analyze"], "only"),
    (&["analyze"], "skip"),
    (&["sample"], "rule"),
    (&["rules", "explain"], "id"),
    (&["triage", "query"], "rule"),
];

/// Commands and the argument that names something in the bundle.
const IN_BUNDLE: [(&str, &str, Sought); 7] = [
    ("get", "asked", Sought::TypeThenObjects),
    ("get", "namespace", Sought::Namespaces),
    ("describe", "asked", Sought::TypeThenObjects),
    ("describe", "namespace", Sought::Namespaces),
    ("logs", "target", Sought::Pods),
    ("logs", "namespace", Sought::Namespaces),
    ("events", "namespace", Sought::Namespaces),
];

/// What an argument names.
#[derive(Clone, Copy)]
enum Sought {
    TypeThenObjects,
    Pods,
    Namespaces,
}

fn completer(shell: Shell) -> &'static dyn EnvCompleter {
    match shell {
        Shell::Bash => &Bash,
        Shell::Zsh => &Zsh,
        Shell::Fish => &Fish,
    }
}

/// Prints the script of a shell.
pub fn run(args: &CompletionsArgs, out: &mut dyn Write) -> ExitCode {
    // The guard of standard output reports errors at the end.
    let _ = completer(args.shell).write_registration(ASKED_BY, PROGRAM, PROGRAM, PROGRAM, out);
    ExitCode::Success
}

/// Returns the shell whose script asks, if one does.
pub fn asking_shell() -> Option<Shell> {
    let name = env::var(ASKED_BY).ok()?;
    clap::ValueEnum::from_str(&name, false).ok()
}

/// Prints the candidates for the word that is being typed. `args` are the program, `--`, and the words of the command line.
pub fn answer(shell: Shell, args: Vec<OsString>, out: &mut dyn Write) -> ExitCode {
    let words: Vec<OsString> = args.into_iter().skip_while(|word| word != "--").skip(1).collect();
    let mut command = with_rule_ids(Cli::command());
    // Parsing gives what was typed before; what is missing yet is no error.
    if let Ok(typed) = Cli::command().ignore_errors(true).try_get_matches_from(&words)
        && let Some((name, typed)) = typed.subcommand()
    {
        command = with_names(command, name, typed);
    }
    let folder = env::current_dir().ok();
    // Without candidates the shell offers none; there is nobody to tell an error.
    let _ = completer(shell).write_complete(&mut command, words, folder.as_deref(), out);
    ExitCode::Success
}

fn with_rule_ids(command: clap::Command) -> clap::Command {
    RULE_IDS.iter().fold(command, |command, (path, argument)| completed(command, path, argument, rule_ids))
}

fn with_names(command: clap::Command, name: &str, typed: &ArgMatches) -> clap::Command {
    let path = |id: &str| typed.try_get_one::<PathBuf>(id).ok().flatten().cloned();
    let Some(bundle) = path("bundle") else { return command };
    let text = |id: &str| typed.try_get_many::<String>(id).ok().flatten().unwrap_or_default().cloned().collect();
    let (asked, namespace): (Vec<String>, Vec<String>) = (text("asked"), text("namespace"));
    let of_command = IN_BUNDLE.iter().filter(|(of, ..)| *of == name);
    of_command.fold(command, |command, (of, argument, sought)| {
        let (bundle, asked, namespace) = (bundle.clone(), asked.clone(), namespace.first().cloned());
        let names = move |begin: &OsStr| names(&bundle, *sought, &asked, namespace.as_deref(), begin);
        completed(command, &[*of], argument, names)
    })
}

/// Gives the argument of a subcommand a completer.
fn completed(
    command: clap::Command,
    path: &[&str],
    argument: &'static str,
    completer: impl Fn(&OsStr) -> Vec<CompletionCandidate> + Send + Sync + 'static,
) -> clap::Command {
    match path.split_first() {
        // The argument is put behind the others: one that stands before another needs an index in its definition.
        None => command.mut_arg(argument, |argument| argument.add(ArgValueCompleter::new(completer))),
        Some((first, rest)) => command.mut_subcommand(first, |inner| completed(inner, rest, argument, completer)),
    }
}

fn rule_ids(begin: &OsStr) -> Vec<CompletionCandidate> {
    candidates(begin, load::embedded().sources.iter().map(|source| source.stem().to_owned()))
}

fn names(
    bundle: &Path,
    sought: Sought,
    asked: &[String],
    namespace: Option<&str>,
    begin: &OsStr,
) -> Vec<CompletionCandidate> {
    let Ok(pool) = thread_pool(None) else { return Vec::new() };
    let found = pool.install(|| {
        let bundle = Bundle::open(bundle, Limits::DEFAULT).ok()?;
        Some(in_bundle(&Opened::read(&bundle, &()), sought, asked, namespace, begin))
    });
    candidates(begin, found.unwrap_or_default().into_iter())
}

fn in_bundle(
    opened: &Opened<'_>,
    sought: Sought,
    asked: &[String],
    namespace: Option<&str>,
    begin: &OsStr,
) -> Vec<String> {
    // What is typed already may be parsed as the last of the words.
    let before: Vec<&String> = asked.iter().filter(|word| word.as_str() != begin).collect();
    match (sought, before.first()) {
        (Sought::TypeThenObjects, None) => opened.resources().types().iter().map(ToString::to_string).collect(),
        (Sought::TypeThenObjects, Some(type_)) => objects(opened, type_, namespace),
        (Sought::Pods, _) => objects(opened, "pods", namespace),
        (Sought::Namespaces, _) => objects(opened, "namespaces", None),
    }
}

/// Returns the names of the objects of a type, as a user names it.
fn objects(opened: &Opened<'_>, type_: &str, namespace: Option<&str>) -> Vec<String> {
    let resources = opened.resources();
    let types = TypeCatalogue::of(resources).find(type_).unwrap_or_default();
    let all = types.iter().flat_map(|type_| resources.of_type(type_)).map(|id| resources.resource(*id));
    let chosen = all.filter(|object| namespace.is_none_or(|namespace| object.namespace.as_deref() == Some(namespace)));
    chosen.map(|object| object.name.to_string()).collect()
}

/// Returns the plain names with this beginning, sorted.
fn candidates(begin: &OsStr, names: impl Iterator<Item = String>) -> Vec<CompletionCandidate> {
    let begin = begin.to_string_lossy();
    let is_plain = |name: &String| name.chars().all(|c| c.is_ascii_alphanumeric() || ".-_:".contains(c));
    let names: BTreeSet<String> = names.filter(|name| name.starts_with(&*begin) && is_plain(name)).collect();
    names.into_iter().filter(|name| !name.starts_with('-')).take(MOST).map(CompletionCandidate::new).collect()
}
