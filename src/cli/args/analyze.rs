//! Arguments of `gleaner analyze`.

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::help::HelpEnd;
use super::limits::LimitArgs;
use super::rule_folders::RuleArgs;
use crate::cli::exit::ExitCode;
use crate::cli::threads::parse_threads;
use crate::model::{BundleKind, FindingClass, Lang, Severity};
use crate::report::{Audience, Format};

/// Errors without a rule that reports list: more than these are seldom read.
pub const UNEXPLAINED: usize = 20;

const END: HelpEnd = HelpEnd {
    examples: &[
        "gleaner analyze bundle.zip                        report in ./bundle.gleaner.html",
        "gleaner analyze bundle.zip -o report.html -o report.json",
        "gleaner analyze a.zip b.tar.gz -o reports/        one report per bundle",
        "gleaner analyze bundle.zip -o ticket.md           Markdown to paste into a ticket",
        "gleaner analyze bundle.zip --format json -o - --quiet | jq '.findings[0]'",
        "find tickets -name '*.zip' -print0 | gleaner analyze --files-from - -o reports/",
        "gleaner analyze bundle.zip --rules my-rules --only my-rule",
        "gleaner analyze bundle.zip --class obstacle       only what blocks an upgrade",
        "gleaner analyze today.zip --baseline-bundle healthy.zip   errors in logs that are new",
        "gleaner analyze today.zip --since monday.zip     findings that are new",
        "gleaner analyze bundle.zip --lang zh              page and findings in Chinese",
        "gleaner analyze bundle.zip --fail-on high         exit code 1 if any finding is high or critical",
    ],
    note: "",
    codes: &[
        ExitCode::TABLE[0],
        (ExitCode::Findings, "findings at or above --fail-on"),
        ExitCode::UNUSABLE,
        ExitCode::TABLE[3],
        ExitCode::INVALID,
    ],
};

/// Analyse support bundles and write reports
#[derive(Debug, Args)]
#[command(long_about = long_about(), after_help = END.short(), after_long_help = END.long())]
pub struct AnalyzeArgs {
    /// Archives, folders or single files; each bundle inside an archive or folder gets its own report
    #[arg(required_unless_present = "files_from", value_name = "BUNDLE")]
    pub bundles: Vec<PathBuf>,

    /// Read bundle paths from FILE or stdin (-), one per line or NUL-separated
    #[arg(long, value_name = "FILE|-", hide_short_help = true)]
    pub files_from: Option<PathBuf>,

    /// Write to FILE.html, .json, .md, .jira, .sarif, .xml (JUnit) or .txt, to a folder DIR/, or to stdout (-); repeatable
    ///
    /// Without -o, the report is <bundle>.gleaner.html in the current folder. Several bundles need a folder or no -o.
    #[arg(short, long = "output", value_name = "FILE|DIR/")]
    pub output: Vec<OsString>,

    /// Format of reports written to a folder, to stdout or to the current folder; repeatable
    #[arg(long, value_name = "FMT", value_parser = format_parser())]
    pub format: Vec<Format>,

    /// Whom Markdown and Jira reports are for
    ///
    /// A report for a customer says what is wrong, what to do and what to send next; it names no rule and no file of the bundle.
    #[arg(long = "for", value_name = "AUDIENCE", default_value = Audience::default().as_str(), value_parser = audience_parser())]
    pub audience: Audience,

    #[command(flatten)]
    pub rules: RuleArgs,

    /// Run only these rules (`a,b`); repeatable
    #[arg(long, value_name = "IDS", value_delimiter = ',')]
    pub only: Vec<String>,

    /// Skip these rules (`a,b`); repeatable
    #[arg(long, value_name = "IDS", value_delimiter = ',')]
    pub skip: Vec<String>,

    /// Run only rules of this class; repeatable
    #[arg(long, value_name = "CLASS", value_parser = class_parser())]
    pub class: Vec<FindingClass>,

    /// Exit with code 1 if there is a fault of this severity or higher
    ///
    /// With --class, findings of those classes count instead of faults.
    #[arg(long, value_name = "SEVERITY", value_parser = severity_parser())]
    pub fail_on: Option<Severity>,

    /// Hide findings listed in FILE: a JSON report of gleaner, or fingerprints, one per line
    ///
    /// Every report says how many findings are hidden; --fail-on does not count them.
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,

    /// Older bundle of the same cluster: findings that it does not have are marked as new
    #[arg(long, value_name = "FILE")]
    pub since: Option<PathBuf>,

    /// List at most N errors of logs that no rule explains; 0 lists none
    #[arg(long, value_name = "N", default_value_t = UNEXPLAINED)]
    pub unexplained: usize,

    /// Bundle of the same cluster while it was healthy: what its logs say as often is not listed among errors without a rule
    #[arg(long, value_name = "FILE")]
    pub baseline_bundle: Option<PathBuf>,

    /// Store of `gleaner triage`: errors without a rule say how many of its clusters have them, and those of most clusters are not listed
    #[arg(long, value_name = "FILE")]
    pub store: Option<PathBuf>,

    /// Replace addresses, host names, domains and e-mail addresses with pseudonyms
    #[arg(long)]
    pub redact: bool,

    /// Key file of at least 16 bytes: the same key gives the same pseudonyms in every bundle [default: a key made from the bundle]
    #[arg(long, value_name = "FILE", requires = "redact", hide_short_help = true)]
    pub redact_key: Option<PathBuf>,

    /// Language of findings, page and Markdown; untranslated rules stay in English
    #[arg(long, value_name = "LANG", default_value = "en", value_parser = lang_parser())]
    pub lang: Lang,

    /// Number of worker threads [default: one per processor]
    #[arg(long, value_name = "N", hide_short_help = true, value_parser = parse_threads)]
    pub threads: Option<NonZeroUsize>,

    /// Report time, throughput and peak memory per stage
    #[arg(long, hide_short_help = true)]
    pub timings: bool,

    /// No progress, no summary; errors are still printed
    #[arg(long)]
    pub quiet: bool,

    #[command(flatten)]
    pub limits: LimitArgs,
}

/// Returns the description for `--help`, with the kinds of bundles that can be read.
fn long_about() -> String {
    let kinds: Vec<String> = BundleKind::of_collectors().map(|kind| format!("\n  {}", kind.title())).collect();
    format!(
        "Analyse support bundles and write reports\n\nKinds of bundles:{}\n\nOther archives, folders and files are read as \
         far as their content is recognised.",
        kinds.concat()
    )
}

fn format_parser() -> impl TypedValueParser<Value = Format> {
    // `--format md` is what the files are called.
    let named = |format: Format| PossibleValue::new(format.as_str()).alias(format.extension());
    PossibleValuesParser::new(Format::ALL.map(named)).try_map(|name| Format::parse(&name).ok_or("unknown format"))
}

fn audience_parser() -> impl TypedValueParser<Value = Audience> {
    PossibleValuesParser::new(Audience::ALL.map(Audience::as_str))
        .try_map(|name| Audience::parse(&name).ok_or("unknown audience"))
}

fn severity_parser() -> impl TypedValueParser<Value = Severity> {
    PossibleValuesParser::new(Severity::ALL.map(Severity::as_str))
        .try_map(|name| Severity::parse(&name).ok_or("unknown severity"))
}

fn class_parser() -> impl TypedValueParser<Value = FindingClass> {
    PossibleValuesParser::new(FindingClass::ALL.map(FindingClass::as_str))
        .try_map(|name| FindingClass::parse(&name).ok_or("unknown class"))
}

fn lang_parser() -> impl TypedValueParser<Value = Lang> {
    PossibleValuesParser::new(Lang::ALL.map(Lang::as_str)).try_map(|code| Lang::parse(&code).ok_or("unknown language"))
}
