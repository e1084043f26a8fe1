//! `gleaner analyze`: options to pipeline to reports.

use std::io::Write;
use std::path::Path;

use anyhow::Context;

use super::args::{AnalyzeArgs, LimitArgs};
use super::exit::ExitCode;
use super::output::{Output, OutputError, Target, Written, plan};
use super::progress::Bar;
use super::{STACK, rules, tell};
use crate::bundle::{Bundle, Limits};
use crate::model::Analysis;
use crate::pipeline::{self, Options};
use crate::report::{self, text};
use crate::rule::RuleSet;

/// Analyses each bundle and writes its reports; one that fails does not stop the others.
pub fn run(args: &AnalyzeArgs, out: &mut dyn Write, err: &mut dyn Write) -> ExitCode {
    let set = match rules::selected(args, err) {
        Ok(set) => set,
        Err(code) => return code,
    };
    let targets: Vec<Target> = args.output.iter().map(|o| Target::parse(o)).collect();
    let outputs = match plan(&args.bundles, &targets, &args.format) {
        Ok(outputs) => outputs,
        Err(error) => return usage(err, error.into()),
    };
    let threads = args.threads.map_or(0, std::num::NonZeroUsize::get);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK).build();
    let pool = match pool.context("cannot start the worker threads") {
        Ok(pool) => pool,
        Err(error) => return usage(err, error),
    };
    let mut code = ExitCode::Success;
    for (bundle, outputs) in args.bundles.iter().zip(&outputs) {
        let bar = Bar::new(args.quiet);
        let analysis = pool.install(|| analyse(bundle, &set, args, &bar));
        drop(bar);
        let one = match analysis {
            Ok(analysis) => finish(&analysis, outputs, args, out, err),
            Err(error) => {
                tell(err, &error);
                ExitCode::Bundle
            }
        };
        code = code.worst(one);
    }
    code
}

fn usage(err: &mut dyn Write, error: anyhow::Error) -> ExitCode {
    tell(err, &error);
    ExitCode::Usage
}

fn analyse(path: &Path, set: &RuleSet, args: &AnalyzeArgs, bar: &Bar) -> anyhow::Result<Analysis> {
    let bundle = Bundle::open(path, limits(args.limits))?;
    let options = Options { assumed: None, timings: args.timings, identity: true, lang: args.lang };
    Ok(pipeline::analyze(&bundle, set, options, bar))
}

/// Writes the reports, then the summary, and says what the findings mean for the exit code.
fn finish(
    analysis: &Analysis,
    outputs: &[Output],
    args: &AnalyzeArgs,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> ExitCode {
    let mut written = Vec::new();
    for output in outputs {
        match output.write(out, |writer| report::render(analysis, output.format, writer)) {
            Ok(Written::Whole) => written.extend(output.path.as_ref().map(|p| p.display().to_string())),
            Ok(Written::Closed) => return verdict(analysis, args),
            Err(error) => return usage(err, OutputError::into(error)),
        }
    }
    if !args.quiet {
        // A report on standard output is for a program: people read the other stream then.
        let to_stdout = outputs.iter().all(|output| output.path.is_some());
        let summary = text::summary(analysis, &written);
        let _ = if to_stdout { out.write_all(summary.as_bytes()) } else { err.write_all(summary.as_bytes()) };
    }
    verdict(analysis, args)
}

fn verdict(analysis: &Analysis, args: &AnalyzeArgs) -> ExitCode {
    let failing = args.fail_on.is_some_and(|least| analysis.findings.iter().any(|f| f.severity >= least));
    if failing { ExitCode::Findings } else { ExitCode::Success }
}

fn limits(args: LimitArgs) -> Limits {
    Limits {
        max_bytes: args.max_bytes,
        max_entries: args.max_entries,
        max_depth: args.max_depth,
        max_ratio: args.max_ratio,
        max_line: usize::try_from(args.max_line).unwrap_or(usize::MAX),
        ..Limits::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::{Cli, Command};
    use clap::Parser;

    #[test]
    fn the_defaults_of_the_flags_are_those_of_the_limits() {
        let cli = Cli::try_parse_from(["gleaner", "analyze", "x.zip"]).unwrap();
        let Command::Analyze(args) = cli.command else { panic!("not analyze") };
        assert_eq!(limits(args.limits), Limits::default());
    }
}
