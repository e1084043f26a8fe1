//! Arguments as types, one file per command; no work is done here.

pub mod analyze;
pub mod completions;
pub mod describe;
pub mod diff;
pub mod events;
pub mod explore;
pub mod get;
pub mod grep;
mod help;
pub mod limits;
pub mod logs;
pub mod mcp;
pub mod rule_folders;
pub mod rules;
pub mod sample;
#[cfg(feature = "serve")]
pub mod serve;
pub mod timeline;
pub mod top;
pub mod triage;
pub mod version;

use clap::{Parser, Subcommand};

use crate::cli::exit::ExitCode;

pub use analyze::AnalyzeArgs;
pub use completions::{CompletionsArgs, ManArgs};
pub use describe::DescribeArgs;
pub use diff::DiffArgs;
pub use events::EventsArgs;
pub use get::GetArgs;
pub use grep::GrepArgs;
pub use logs::LogsArgs;
pub use mcp::McpArgs;
pub use rules::RulesCommand;
pub use sample::SampleArgs;
#[cfg(feature = "serve")]
pub use serve::ServeArgs;
pub use timeline::TimelineArgs;
pub use top::TopArgs;
pub use triage::{TriageArgs, WorkerArgs};
pub use version::VersionArgs;

const END: help::HelpEnd = help::HelpEnd {
    examples: &[
        "gleaner analyze bundle.zip                  report in ./bundle.gleaner.html",
        "gleaner diff before.zip after.zip           changes between two bundles of one cluster",
        "gleaner triage tickets/ --store tickets.db  many bundles",
    ],
    note: "",
    codes: &ExitCode::TABLE,
};

/// Find known failures in Harvester and Rancher support bundles
///
/// Reads support bundles offline (zip, tar, tar.gz, tar.xz or a folder), looks for known failures with declarative rules, and
/// writes a report: probable causes first, with the file and line that prove each one, and the steps to fix it.
#[derive(Debug, Parser)]
#[command(
    name = "gleaner",
    bin_name = "gleaner",
    disable_version_flag = true,
    max_term_width = 100,
    after_help = END.short(),
    after_long_help = END.long()
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

/// Command to run.
#[derive(Debug, Subcommand)]
pub enum Command {
    Analyze(AnalyzeArgs),
    #[command(subcommand)]
    Rules(RulesCommand),
    Sample(SampleArgs),
    Diff(DiffArgs),
    Mcp(McpArgs),
    #[cfg(feature = "serve")]
    Serve(ServeArgs),
    Logs(LogsArgs),
    Grep(GrepArgs),
    Events(EventsArgs),
    Timeline(TimelineArgs),
    Get(GetArgs),
    Describe(DescribeArgs),
    Top(TopArgs),
    Triage(TriageArgs),
    Version(VersionArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
    #[command(hide = true)]
    TriageWorker(WorkerArgs),
}

impl Command {
    /// Returns true if it does nothing but write to standard output.
    pub fn answers_on_stdout(&self) -> bool {
        use RulesCommand::{Diff, Explain, List, Schema};
        match self {
            Self::Rules(command) => matches!(command, Diff(_) | List(_) | Explain(_) | Schema),
            Self::Mcp(_) | Self::Version(_) | Self::Completions(_) => true,
            Self::Get(_) | Self::Describe(_) | Self::Top(_) => true,
            Self::Triage(args) => matches!(args.command, Some(triage::TriageCommand::Query(_))),
            Self::Logs(_) | Self::Grep(_) | Self::Events(_) | Self::Timeline(_) => true,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::limits::LimitArgs;
    use super::*;
    use crate::bundle::Limits;
    use crate::model::{Lang, Severity};
    use crate::report::Format;
    use clap::CommandFactory;
    use std::num::NonZeroUsize;

    fn analyze(line: &str) -> Result<AnalyzeArgs, clap::Error> {
        match Cli::try_parse_from(["gleaner", "analyze"].into_iter().chain(line.split_whitespace()))?.command {
            Command::Analyze(args) => Ok(args),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn clap_accepts_the_definition() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_flag_of_analyze_is_parsed() {
        let args = analyze(
            "a.zip b.zip -o out/ -o - --format json --format text --rules r --no-default-rules --only x --skip y \
             --fail-on high --baseline old.json --lang zh --threads 2 --timings --quiet --redact --redact-key k",
        )
        .unwrap();
        assert_eq!(args.bundles.len(), 2);
        assert_eq!(args.output, ["out/", "-"]);
        assert_eq!(args.format, [Format::Json, Format::Text]);
        assert_eq!(args.fail_on, Some(Severity::High));
        assert_eq!(args.baseline, Some("old.json".into()));
        assert_eq!((args.lang, analyze("a.zip").unwrap().lang), (Lang::Zh, Lang::En));
        assert_eq!(args.threads.map(NonZeroUsize::get), Some(2));
        assert_eq!((args.redact, args.redact_key), (true, Some("k".into())));
        assert!(args.rules.no_default_rules && args.timings && args.quiet);
    }

    #[test]
    fn every_limit_has_a_flag() {
        for limit in Limits::TABLE {
            let args = analyze(&format!("a.zip {} 7", limit.flag)).unwrap();
            let mut expected = Limits::DEFAULT;
            limit.set(&mut expected, 7);
            assert_eq!(args.limits, LimitArgs(expected), "{}", limit.flag);
        }
        assert_eq!(analyze("a.zip --max-line 4k").unwrap().limits.0.max_line, 4096);
    }

    #[test]
    fn bundles_come_from_arguments_or_a_list() {
        assert!(analyze("--files-from -").unwrap().bundles.is_empty());
        assert_eq!(analyze("a.zip --files-from list").unwrap().files_from, Some("list".into()));
        assert_eq!(analyze("").unwrap_err().exit_code(), 2);
    }

    #[test]
    fn invalid_values_are_rejected() {
        for option in ["--redact-key x", "--format pdf", "--fail-on bad"] {
            let error = analyze(&format!("a.zip {option}")).unwrap_err();
            assert_eq!(error.exit_code(), 2, "{option}");
        }
        for option in [
            "--threads 0",
            "--threads 1025",
            "--threads 99999999999999999999",
            "--lang de",
            "--max-depth 0",
            "--max-bytes many",
        ] {
            assert!(analyze(&format!("a.zip {option}")).is_err(), "{option}");
        }
        assert!(analyze("").is_err());
        for line in [
            "get b.zip",
            "get b.zip pods -n a -A",
            "describe b.zip",
            "top b.zip",
            "top b.zip services",
            "get b.zip pods --redact-key k",
        ] {
            assert!(Cli::try_parse_from(["gleaner"].into_iter().chain(line.split(' '))).is_err(), "{line}");
        }
    }

    #[test]
    fn help_shows_examples_and_exit_codes() {
        let error = Cli::try_parse_from(["gleaner", "analyze", "--help"]).unwrap_err();
        let text = error.to_string();
        assert_eq!(error.exit_code(), 0);
        assert!(text.contains("gleaner analyze bundle.zip --fail-on high") && text.contains("  3  a bundle"));
        assert!(text.contains("[default: 64GiB]"));
        assert!(crate::model::BundleKind::of_collectors().all(|kind| text.contains(kind.title())));
    }

    #[test]
    fn every_command_is_parsed() {
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
            "rules diff built-in rules.zip --format json",
            "rules explain x b.zip --rules r",
            "logs b.zip web-0 -n demo -c nginx -p --since 2h --tail 5 --level error --timestamps -o json --redact",
            "logs b.zip node/n1 --all-containers --around 2025-03-18T09:30 --within 1m --threads 2",
            "grep b.zip pattern -i -F --in all --source a* --source b -C 2 -A 1 -B 1 -H --max 5 --until 2025",
            "grep b.zip -x --by source,hour",
            "grep b.zip x --count",
            "grep b.zip x -l",
            "events b.zip -n demo --for pod/web-0 --types Warning,Normal --around 2h -o json",
            "events b.zip -A --since 2025-03",
            "timeline b.zip --for node/n1 --since 2h --until 1h --rules r",
            "timeline b.zip --for pod/demo/web-0 -n demo --redact",
            "sample b.zip --rule x -o d --rules r --no-default-rules --finding 0f --keep a --keep b --quiet",
            "diff a.zip b.zip -o c.md --rules r --no-default-rules --quiet",
            "get b.zip pods,deploy web-0 -n demo -o wide --show-labels --no-headers --ignore-not-found --redact --redact-key k",
            "get b.zip all -A -l app=web --field-selector status.phase!=Running --sort-by .metadata.name --show-managed-fields",
            "describe b.zip pod/web-0 -n demo -l app=web --rules r --no-default-rules --redact",
            "top b.zip pods web-0 -n demo --containers --sort-by memory --no-headers",
            "top b.zip node",
            "completions zsh",
            "man pages",
            "version --json",
            "--version --json",
            "-V",
            "serve a.zip b.zip --port 8080 --redact --rules r -- k9s -A --readonly",
        ] {
            assert!(Cli::try_parse_from(["gleaner"].into_iter().chain(line.split(' '))).is_ok(), "{line}");
        }
    }
}
