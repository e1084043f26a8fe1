//! Arguments that reproduce a report, and its limits. Flags that do not change the report (outputs, threads, progress) are
//! left out.

use std::path::Path;

use crate::bundle::Limits;
use crate::model::{Lang, Run};

use super::args::AnalyzeArgs;
use super::args::analyze::UNEXPLAINED;
use super::args::limits::value;

/// Returns the run that made the report of `bundle`.
pub fn of_run(args: &AnalyzeArgs, bundle: &Path) -> Run {
    let shown = |path: &Path| path.display().to_string();
    let mut arguments = vec!["analyze".to_owned(), shown(bundle)];
    let mut add = |flag: &str, value: String| arguments.extend([flag.to_owned(), value]);
    args.baseline.iter().for_each(|file| add("--baseline", shown(file)));
    args.baseline_bundle.iter().for_each(|file| add("--baseline-bundle", shown(file)));
    args.since.iter().for_each(|file| add("--since", shown(file)));
    args.store.iter().for_each(|file| add("--store", shown(file)));
    args.redact_key.iter().for_each(|file| add("--redact-key", shown(file)));
    args.rules.folders.iter().for_each(|folder| add("--rules", shown(folder)));
    args.only.iter().for_each(|id| add("--only", id.clone()));
    args.skip.iter().for_each(|id| add("--skip", id.clone()));
    args.class.iter().for_each(|class| add("--class", class.as_str().to_owned()));
    if args.lang != Lang::default() {
        add("--lang", args.lang.as_str().to_owned());
    }
    if args.unexplained != UNEXPLAINED {
        add("--unexplained", args.unexplained.to_string());
    }
    for limit in Limits::TABLE.iter().filter(|limit| limit.get(&args.limits.0) != limit.get(&Limits::DEFAULT)) {
        add(limit.flag, value(limit, &args.limits.0));
    }
    for (flag, given) in [("--no-default-rules", args.rules.no_default_rules), ("--redact", args.redact)] {
        if given {
            arguments.push(flag.to_owned());
        }
    }
    Run {
        arguments,
        rule_folders: args.rules.folders.iter().map(|folder| shown(folder)).collect(),
        limits: Limits::TABLE.iter().map(|limit| (limit.flag.to_owned(), value(limit, &args.limits.0))).collect(),
        peak_memory: if args.timings { peak_memory() } else { None },
    }
}

/// Peak memory of this process in bytes; known on Linux only.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    peak.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kib| kib << 10)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::{Cli, Command};
    use clap::Parser;

    fn invocation(line: &str) -> Run {
        let cli = Cli::try_parse_from(line.split(' ')).unwrap();
        let Command::Analyze(args) = cli.command else { panic!("not analyze") };
        of_run(&args, &args.bundles[0])
    }

    #[test]
    fn flags_that_change_a_report_are_recorded() {
        let made = invocation(
            "gleaner analyze a.zip --rules own --only a --skip b --class risk --max-line 64KiB --max-memory 2GiB --max-depth 4 --lang zh --no-default-rules \
             --redact --redact-key k --since old.zip --baseline-bundle old.zip --baseline b.json",
        );
        assert_eq!(
            made.arguments.join(" "),
            "analyze a.zip --baseline b.json --baseline-bundle old.zip --since old.zip --redact-key k --rules own --only a --skip b --class risk --lang zh --max-line 64KiB --max-memory 2GiB --no-default-rules --redact"
        );
        assert_eq!(made.rule_folders, ["own"]);
    }

    #[test]
    fn flags_that_do_not_change_a_report_are_left_out() {
        let made = invocation(
            "gleaner analyze a.zip b.zip -o out/ --format json --threads 3 --quiet --timings --fail-on high",
        );
        assert_eq!(made.arguments, ["analyze", "a.zip"]);
        assert_eq!(made.limits[0], ("--max-bytes".to_owned(), "64GiB".to_owned()));
        assert_eq!(made.limits.len(), Limits::TABLE.len());
    }
}
