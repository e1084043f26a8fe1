//! The command line as types; no work is done here.

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::model::{Lang, Severity};
use crate::report::Format;

use super::exit::ExitCode;
use super::limits::LimitArgs;
use super::size;
use super::triage::args::{TriageArgs, WorkerArgs};

/// Finds known failure signatures in Harvester and Rancher support bundles.
///
/// Reads a support bundle offline (zip, tar, tar.gz, tar.xz or a folder), looks for known failures with declarative rules, and
/// writes a report that names the probable cause first, with the file and line that prove it and what to do.
#[derive(Debug, Parser)]
#[command(name = "gleaner", bin_name = "gleaner", version, max_term_width = 100, after_help = ExitCode::help())]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    Analyze(AnalyzeArgs),
    #[command(subcommand)]
    Rules(RulesCommand),
    Sample(SampleArgs),
    Diff(DiffArgs),
    Triage(TriageArgs),
    #[command(hide = true)]
    TriageWorker(WorkerArgs),
}

/// Analyse support bundles and write reports
#[derive(Debug, Args)]
#[command(after_help = analyze_help())]
pub struct AnalyzeArgs {
    /// Support bundles: archives, folders or single files; each bundle in an archive or folder of several is analysed
    #[arg(required_unless_present = "files_from", value_name = "BUNDLE")]
    pub bundles: Vec<PathBuf>,

    /// Also analyse the bundles whose paths stand in this file, or on standard input (-): one a line, or separated by
    /// NUL bytes where there is one
    #[arg(long, value_name = "FILE|-")]
    pub files_from: Option<PathBuf>,

    /// Write here: FILE.html, .json, .md, .sarif, .xml (JUnit) or .txt, a folder DIR/, or - for standard output; repeatable
    ///
    /// Without it, the report is <bundle>.gleaner.html in the current folder. Several bundles need a
    /// folder or no -o at all.
    #[arg(short, long = "output", value_name = "FILE|DIR/")]
    pub output: Vec<OsString>,

    /// Format of what goes to a folder, to standard output or to the current folder; repeatable
    #[arg(long, value_name = "FMT", value_parser = format_parser())]
    pub format: Vec<Format>,

    #[command(flatten)]
    pub rules: RuleArgs,

    /// Run this rule only; repeatable
    #[arg(long, value_name = "ID")]
    pub only: Vec<String>,

    /// Do not run this rule; repeatable
    #[arg(long, value_name = "ID")]
    pub skip: Vec<String>,

    /// End with code 1 when there is a finding of this severity or worse
    #[arg(long, value_name = "SEVERITY", value_parser = severity_parser())]
    pub fail_on: Option<Severity>,

    /// Hide the findings that this file has: a JSON report of gleaner, or a list of fingerprints, one a line
    ///
    /// Every report says how many are hidden; --fail-on does not count them.
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,

    /// Put pseudonyms in the place of addresses, names of machines and domains, and e-mail, in every output
    #[arg(long)]
    pub redact: bool,

    /// Key of the pseudonyms, at least 16 bytes: they are the same in all bundles then [default: that of the bundle]
    #[arg(long, value_name = "FILE", requires = "redact")]
    pub redact_key: Option<PathBuf>,

    /// Language of findings, of the page and of Markdown; what a rule has no translation of stays English
    #[arg(long, value_name = "LANG", default_value = "en", value_parser = lang_parser())]
    pub lang: Lang,

    /// Number of worker threads [default: one per processor]
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,

    /// Measure each stage: times in the JSON; with bytes, MB/s and the peak of memory in the summary and the page
    #[arg(long)]
    pub timings: bool,

    /// No progress, no summary; errors are still told
    #[arg(long)]
    pub quiet: bool,

    #[command(flatten)]
    pub limits: LimitArgs,
}

/// Make the smallest redacted bundle on which a rule still fires, with its rule test
#[derive(Debug, Args)]
#[command(after_help = sample_help())]
pub struct SampleArgs {
    /// A support bundle: an archive or a folder
    #[arg(value_name = "BUNDLE")]
    pub bundle: PathBuf,

    /// Id or alias of a rule that fires on it
    #[arg(long, value_name = "ID")]
    pub rule: String,

    /// The folder to write: bundle/, rules/, tests/rules/ and README.md; it must be new or empty
    #[arg(short, long = "output", value_name = "DIR")]
    pub output: PathBuf,

    /// Take the finding whose fingerprint begins so, as the JSON report has it [default: the first]
    #[arg(long, value_name = "FINGERPRINT")]
    pub finding: Option<String>,

    /// Leave this address, name or e-mail as it is, because the rule needs it and it may be published; repeatable
    #[arg(long, value_name = "VALUE")]
    pub keep: Vec<String>,

    #[command(flatten)]
    pub rules: RuleArgs,

    /// No progress, no summary; errors are still told
    #[arg(long)]
    pub quiet: bool,

    #[command(flatten)]
    pub limits: LimitArgs,
}

/// Compare two bundles of one cluster: findings, versions, nodes, health of objects, restarts
#[derive(Debug, Args)]
#[command(after_help = diff_help())]
pub struct DiffArgs {
    /// The older support bundle: an archive or a folder
    #[arg(value_name = "OLD")]
    pub old: PathBuf,

    /// The newer one
    #[arg(value_name = "NEW")]
    pub new: PathBuf,

    /// Write here: FILE.json, .md or .txt, or - for JSON on standard output [default: the terminal]
    #[arg(short, long = "output", value_name = "FILE")]
    pub output: Option<PathBuf>,

    #[command(flatten)]
    pub rules: RuleArgs,

    /// No progress; errors are still told
    #[arg(long)]
    pub quiet: bool,

    #[command(flatten)]
    pub limits: LimitArgs,
}

/// The rules that are run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub struct RuleArgs {
    /// Also use the rules in this folder; a rule there replaces ours of the same id; repeatable
    #[arg(long = "rules", value_name = "DIR")]
    pub folders: Vec<PathBuf>,

    /// Do not use the rules that come with gleaner
    #[arg(long)]
    pub no_default_rules: bool,
}

/// List, check, test, explain, begin and describe rules
#[derive(Debug, Subcommand)]
pub enum RulesCommand {
    /// List the rules with severity, area, title and number of tests
    List(ListArgs),
    /// Check rules for errors, with line and hint
    #[command(after_help = rules_help("check"))]
    Check(FolderArgs),
    /// Run the tests of rules
    #[command(after_help = rules_help("test"))]
    Test(TestArgs),
    /// Make rules of ours from those of another project
    #[command(after_help = import_help())]
    Import(ImportArgs),
    /// Show what a rule looks for and in which order; on a bundle, how far it came and what was nearest
    #[command(after_help = explain_help())]
    Explain(ExplainArgs),
    /// Begin a rule: write rules/<AREA>/<ID>.yaml and its test, small, working and commented
    #[command(after_help = new_help())]
    New(NewArgs),
    /// Print the JSON Schema of a rule file, for editors
    Schema,
    /// Write a Markdown page for each rule, and a catalogue
    Docs(DocsArgs),
}

/// What `rules new` takes.
#[derive(Debug, Args)]
pub struct NewArgs {
    /// Id of the rule: lower-case letters, digits and single dashes; name the bad state
    #[arg(value_name = "ID")]
    pub id: String,

    /// Where it belongs to
    #[arg(long, value_name = "AREA", default_value = "workload")]
    pub area: String,

    /// Begin with objects of this type, as kubectl names it
    #[arg(long, value_name = "TYPE", default_value = "pods", conflicts_with = "log")]
    pub resource: String,

    /// Begin with lines of this log stream
    #[arg(long, value_name = "STREAM")]
    pub log: Option<String>,

    /// The folder that has or gets rules/ and tests/rules/
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,
}

/// What `rules docs` takes.
#[derive(Debug, Args)]
pub struct DocsArgs {
    /// The folder for the pages; pages of rules that are gone are removed from it
    #[arg(short, long = "output", value_name = "DIR", default_value = "docs/rules")]
    pub output: PathBuf,

    /// Also describe the rules in this folder; a rule there replaces ours of the same id; repeatable
    /// [default: in a checkout, the current folder]
    #[arg(long, value_name = "DIR")]
    pub rules: Vec<PathBuf>,
}

/// What `rules explain` takes.
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// Id or alias of the rule
    #[arg(value_name = "ID")]
    pub id: String,

    /// A support bundle: an archive or a folder
    #[arg(value_name = "BUNDLE")]
    pub bundle: Option<PathBuf>,

    /// Also know the rules in this folder; a rule there replaces ours of the same id; repeatable
    /// [default: in a checkout, the current folder]
    #[arg(long, value_name = "DIR")]
    pub rules: Vec<PathBuf>,
}

/// What `rules list` takes.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// How to print the list
    #[arg(long, value_name = "FMT", value_enum, default_value_t = ListFormat::Text)]
    pub format: ListFormat,

    /// Also list the rules in this folder; a rule there replaces ours of the same id; repeatable
    #[arg(long, value_name = "DIR")]
    pub rules: Vec<PathBuf>,
}

/// How a list is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ListFormat {
    /// Columns for people
    Text,
    /// An array for programs
    Json,
}

/// What `rules test` takes.
#[derive(Debug, Args)]
pub struct TestArgs {
    /// A folder with rules/ and tests/rules/ [default: the embedded rules and, in a checkout, the current folder]
    #[arg(value_name = "PATH")]
    pub path: Option<PathBuf>,

    /// Run again what changed whenever a file of the folder changes; Ctrl-C ends
    #[arg(long)]
    pub watch: bool,

    /// The folder has rules of another project, each with the logs of its test beside it
    #[arg(long, value_name = "PROJECT", conflicts_with = "watch")]
    pub from: Option<Project>,
}

/// What `rules check` takes.
#[derive(Debug, Args)]
pub struct FolderArgs {
    /// A folder with rules/ and tests/rules/ [default: the embedded rules and, in a checkout, the current folder]
    #[arg(value_name = "PATH")]
    pub path: Option<PathBuf>,
}

/// A project whose rules can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Project {
    /// Common Reliability Enumerations
    Cre,
}

/// What `rules import` takes.
#[derive(Debug, Args)]
pub struct ImportArgs {
    /// A folder with rules of the project
    #[arg(value_name = "PATH")]
    pub path: PathBuf,

    /// Whose rules they are
    #[arg(long, value_name = "PROJECT")]
    pub from: Project,

    /// The folder to write to: rules/<area>/<id>.yaml
    #[arg(short, long = "output", value_name = "DIR")]
    pub output: PathBuf,
}

fn format_parser() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(Format::ALL.map(Format::as_str))
        .try_map(|name| Format::parse(&name).ok_or("unknown format"))
}

fn severity_parser() -> impl TypedValueParser<Value = Severity> {
    PossibleValuesParser::new(Severity::ALL.map(Severity::as_str))
        .try_map(|name| Severity::parse(&name).ok_or("unknown severity"))
}

fn lang_parser() -> impl TypedValueParser<Value = Lang> {
    PossibleValuesParser::new(Lang::ALL.map(Lang::as_str)).try_map(|code| Lang::parse(&code).ok_or("unknown language"))
}

fn analyze_help() -> String {
    format!(
        "Examples:\n  \
         gleaner analyze bundle.zip                        report in ./bundle.gleaner.html\n  \
         gleaner analyze bundle.zip -o report.html -o report.json\n  \
         gleaner analyze bundle.zip -o ticket.md           Markdown to paste into a ticket\n  \
         gleaner analyze bundle.zip --format json -o - --quiet | jq '.findings[0]'\n  \
         gleaner analyze a.zip b.tar.gz -o reports/        one report for each bundle\n  \
         find tickets -name '*.zip' -print0 | gleaner analyze --files-from - -o reports/\n  \
         gleaner analyze bundle.zip --rules my-rules --only my-rule\n  \
         gleaner analyze bundle.zip --lang zh              page and findings in Chinese\n  \
         gleaner analyze bundle.zip --fail-on high         code 1 when something is high or critical\n\n{}",
        ExitCode::help()
    )
}

fn sample_help() -> String {
    format!(
        "Examples:\n  \
         gleaner sample bundle.zip --rule longhorn-volume-degraded -o degraded\n  \
         gleaner sample bundle.zip --rule my-rule --rules my-rules -o my-sample\n  \
         gleaner analyze degraded/bundle               fires again\n  \
         gleaner rules test degraded                   the test that was written\n\n\
         It tries at most 5,000 parts of the bundle, 8 GiB together, and takes at most 256 MiB of it into memory.\n\n{}",
        ExitCode::help()
    )
}

fn diff_help() -> String {
    format!(
        "Examples:\n  \
         gleaner diff before.zip after.zip\n  \
         gleaner diff before.zip after.zip -o change.md\n  \
         gleaner diff before.zip after.zip -o - | jq '.findings.new'\n\n{}",
        ExitCode::help()
    )
}

fn explain_help() -> String {
    format!(
        "Examples:\n  \
         gleaner rules explain longhorn-volume-degraded\n  \
         gleaner rules explain longhorn-volume-degraded bundle.zip\n  \
         gleaner rules explain my-rule bundle.zip --rules my-rules\n\n{}",
        ExitCode::help()
    )
}

fn new_help() -> String {
    format!(
        "Examples:\n  \
         gleaner rules new replica-on-dead-node --area storage --resource replicas.longhorn.io\n  \
         gleaner rules new etcd-slow-disk --area etcd --log etcd\n\n{}",
        ExitCode::help()
    )
}

fn rules_help(command: &str) -> String {
    format!(
        "Examples:\n  \
         gleaner rules {command}\n  \
         gleaner rules {command} my-rules          my-rules/rules/ and my-rules/tests/rules/\n\n{}",
        ExitCode::help()
    )
}

fn import_help() -> String {
    format!(
        "Examples:\n  \
         gleaner rules import cre/rules --from cre -o my-rules\n  \
         gleaner rules check my-rules\n  \
         gleaner rules test cre/rules --from cre   the logs beside the rules\n\n{}",
        ExitCode::help()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::Limits;
    use clap::CommandFactory;

    fn analyze(line: &str) -> Result<AnalyzeArgs, clap::Error> {
        match Cli::try_parse_from(["gleaner", "analyze"].into_iter().chain(line.split_whitespace()))?.command {
            Command::Analyze(args) => Ok(args),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_option_of_analyze_is_understood() {
        let args = analyze(
            "a.zip b.zip -o out/ -o - --format json --format text --rules r --no-default-rules --only x --skip y \
             --fail-on high --baseline old.json --lang zh --threads 2 --max-bytes 10GiB --max-entries 5 --max-depth 2 --max-ratio 9 --max-line 4k \
             --max-memory 2GiB --max-dump 1GiB --timings --quiet --redact --redact-key k",
        )
        .unwrap();
        assert_eq!(args.bundles.len(), 2);
        assert_eq!(args.output, ["out/", "-"]);
        assert_eq!(args.format, [Format::Json, Format::Text]);
        assert_eq!(args.fail_on, Some(Severity::High));
        assert_eq!(args.baseline, Some("old.json".into()));
        assert_eq!((args.lang, analyze("a.zip").unwrap().lang), (Lang::Zh, Lang::En));
        assert_eq!(args.threads.map(NonZeroUsize::get), Some(2));
        let limits = Limits {
            max_bytes: 10 << 30,
            max_entries: 5,
            max_depth: 2,
            max_ratio: 9,
            max_line: 4096,
            max_memory: 2 << 30,
            max_dump: 1 << 30,
        };
        assert_eq!(args.limits, LimitArgs(limits));
        assert_eq!((args.redact, args.redact_key), (true, Some("k".into())));
        assert!(args.rules.no_default_rules && args.timings && args.quiet);
    }

    #[test]
    fn bundles_are_arguments_or_a_list() {
        assert!(analyze("--files-from -").unwrap().bundles.is_empty());
        assert_eq!(analyze("a.zip --files-from list").unwrap().files_from, Some("list".into()));
        assert_eq!(analyze("").unwrap_err().exit_code(), 2);
    }

    #[test]
    fn what_does_not_exist_yet_is_refused() {
        for option in ["--redact-key x", "--format pdf", "--fail-on bad"] {
            let error = analyze(&format!("a.zip {option}")).unwrap_err();
            assert_eq!(error.exit_code(), 2, "{option}");
        }
        for option in ["--threads 0", "--lang de", "--max-depth 0", "--max-bytes many"] {
            assert!(analyze(&format!("a.zip {option}")).is_err(), "{option}");
        }
        assert!(analyze("").is_err());
    }

    #[test]
    fn helps_name_examples_and_exit_codes() {
        let error = Cli::try_parse_from(["gleaner", "analyze", "--help"]).unwrap_err();
        let text = error.to_string();
        assert_eq!(error.exit_code(), 0);
        assert!(text.contains("gleaner analyze bundle.zip --fail-on high") && text.contains("  3  a bundle"));
        assert!(text.contains("[default: 64GiB]"));
    }

    #[test]
    fn subcommands_parse() {
        for line in [
            "rules list --format json --rules r",
            "rules check",
            "rules test dir",
            "rules test dir --watch",
            "rules explain x",
            "rules new x --area etcd --log etcd",
            "rules new x --resource pods --dir d",
            "rules schema",
            "rules docs -o d",
            "rules explain x b.zip --rules r",
            "sample b.zip --rule x -o d --rules r --no-default-rules --finding 0f --keep a --keep b --quiet",
            "diff a.zip b.zip -o c.md --rules r --no-default-rules --quiet",
        ] {
            assert!(Cli::try_parse_from(["gleaner"].into_iter().chain(line.split(' '))).is_ok(), "{line}");
        }
    }
}
