//! `gleaner analyze`: runs the pipeline on each bundle and writes its reports.

use std::io::{self, Write};
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context;
use rayon::ThreadPool;
use rayon::prelude::*;

use super::args::AnalyzeArgs;
use super::errors::{bundle_error, usage_error};
use super::exit::ExitCode;
use super::inputs::Inputs;
use super::output::{Output, OutputError, OutputPlan, Target, Written};
use super::progress::Bar;
use super::threads::thread_pool;
use super::{invocation, loaders, rules, screen, stdout_guard};
use crate::baseline::Baseline;
use crate::bundle::{Bundle, OpenError};
use crate::diff::{self, Snapshot};
use crate::model::{Analysis, Timing};
use crate::pipeline::{self, Archive, Options, Usual};
use crate::redact::{self, Key};
use crate::report::{self, Audience, Format, text};
use crate::rule::RuleSet;

/// Analyses each bundle and writes its reports; a bundle that fails does not stop the others.
pub fn run(args: &AnalyzeArgs, out: &mut dyn Write, err: &mut dyn Write) -> ExitCode {
    let pool = match thread_pool(args.threads) {
        Ok(pool) => pool,
        Err(error) => return usage_error(err, error),
    };
    let prepared = paths(args).and_then(|paths| {
        let targets: Vec<Target> = args.output.iter().map(|o| Target::parse(o)).collect();
        if targets.contains(&Target::Stdout) {
            stdout_guard::check_open()?;
        }
        let plan = OutputPlan::new(&paths, inputs(args), targets, &formats(args)?)?;
        check_audience(args.audience, &plan)?;
        let baseline = args.baseline.as_deref().map(loaders::baseline).transpose()?;
        check_compared(args)?;
        check_other_bundle("--baseline-bundle", args.baseline_bundle.as_deref(), &paths)?;
        check_other_bundle("--since", args.since.as_deref(), &paths)?;
        let archive = args.store.as_deref().map(loaders::archive).transpose()?;
        let key = args.redact_key.as_deref().map(loaders::redact_key).transpose()?;
        Ok((paths, plan, baseline, archive, key))
    });
    let begin = Instant::now();
    let first = prepared.as_ref().ok().and_then(|(paths, ..)| paths.first()).filter(|_| only_built_in_rules(args));
    let mut opened = None;
    let (set, rules_took) = pool.in_place_scope(|scope| {
        if let Some(path) = first {
            scope.spawn(|_| opened = Some(Opened::at(path, args)));
        }
        (rules::selected(args, &pool, err), begin.elapsed())
    });
    let set = match set {
        Ok(set) => set,
        Err(code) => return code,
    };
    let (paths, plan, baseline, archive, key) = match prepared {
        Ok(prepared) => prepared,
        Err(error) => return usage_error(err, error),
    };
    let usual = match args.baseline_bundle.as_deref().map(|path| usual(path, args, &pool)).transpose() {
        Ok(usual) => usual,
        Err(error) => return bundle_error(err, error),
    };
    let older = match args.since.as_deref().map(|path| older(path, args, &set, &pool)).transpose() {
        Ok(older) => older,
        Err(error) => return bundle_error(err, error),
    };
    let set = ManuallyDrop::new(set);
    let mut run =
        AnalyzeRun { args, set, rules_took, opened, plan, baseline, usual, older, archive, key, pool, out, err };
    let codes = paths.iter().enumerate().map(|(index, path)| run.path(index, path));
    codes.fold(ExitCode::Success, ExitCode::worst)
}

/// Returns what the run reads beside bundles.
fn inputs(args: &AnalyzeArgs) -> Inputs {
    let mut inputs = Inputs::default();
    inputs.add_rules(&args.rules);
    inputs.add_all("the baseline", &args.baseline);
    inputs.add_all("the baseline", &args.baseline_bundle);
    inputs.add_all("the older bundle", &args.since);
    inputs.add_all("the store", &args.store);
    inputs.add_all("the key", &args.redact_key);
    inputs.add_all("the list", &args.files_from);
    inputs
}

/// Returns the formats on the command line. Reports of unknown format for a customer are Markdown.
fn formats(args: &AnalyzeArgs) -> anyhow::Result<Vec<Format>> {
    let takes = args.audience.formats();
    if let Some(other) = args.format.iter().find(|format| !takes.contains(format)) {
        anyhow::bail!("--format {}: {}", other.as_str(), no_such_report(args.audience));
    }
    let is_named = args.output.iter().any(|output| matches!(Target::parse(output), Target::File(_)));
    let assumed = takes.iter().take(1).filter(|_| args.audience != Audience::default());
    Ok(if args.format.is_empty() && !is_named { assumed.copied().collect() } else { args.format.clone() })
}

/// Fails if a file has a format that does not exist for the audience.
fn check_audience(audience: Audience, plan: &OutputPlan) -> anyhow::Result<()> {
    let takes = audience.formats();
    match plan.outputs(0).iter().find(|output| !takes.contains(&output.format)) {
        Some(Output { path: Some(path), .. }) => {
            anyhow::bail!("cannot write `{}`: {}", path.display(), no_such_report(audience))
        }
        _ => Ok(()),
    }
}

fn no_such_report(audience: Audience) -> String {
    let takes: Vec<String> =
        audience.formats().iter().map(|f| format!(".{} (--format {})", f.extension(), f.as_str())).collect();
    format!("a report for a {} is {}", audience.as_str(), takes.join(" or "))
}

/// Fails if errors that no rule explains are to be compared, and none are listed.
fn check_compared(args: &AnalyzeArgs) -> anyhow::Result<()> {
    for (flag, file) in [("--baseline-bundle", &args.baseline_bundle), ("--store", &args.store)] {
        if let Some(file) = file.as_ref().filter(|_| args.unexplained == 0) {
            anyhow::bail!("{flag} `{}` has no effect with --unexplained 0", file.display());
        }
    }
    Ok(())
}

/// Fails if a bundle that others are compared with is one of them.
fn check_other_bundle(flag: &str, other: Option<&Path>, paths: &[PathBuf]) -> anyhow::Result<()> {
    let Some(other) = other else { return Ok(()) };
    let shown = other.display();
    let mut bundles = Inputs::default();
    bundles.add_all("the bundle", paths);
    let same = bundles.what(other).is_some();
    anyhow::ensure!(!same, "{flag} `{shown}` is the bundle itself: nothing would be new in it");
    Ok(())
}

/// Analyses the older bundle with the same rules.
fn older(path: &Path, args: &AnalyzeArgs, set: &RuleSet, pool: &ThreadPool) -> anyhow::Result<(Analysis, Snapshot)> {
    let examined = pool.install(|| {
        let bundle = Bundle::open(path, args.limits.0)?;
        let (analysis, input) = pipeline::examine(&bundle, set, Options::default(), &Bar::new(args.quiet));
        Ok::<_, OpenError>((analysis, Snapshot::of(&input.world)))
    });
    examined.with_context(|| format!("cannot use the older bundle `{}`", path.display()))
}

/// Reads what the logs of the healthy cluster say.
fn usual(path: &Path, args: &AnalyzeArgs, pool: &ThreadPool) -> anyhow::Result<Usual> {
    let usual = pool.install(|| {
        let bundle = Bundle::open(path, args.limits.0)?;
        Ok::<_, OpenError>(Usual::of(pipeline::templates(&bundle, &Bar::new(args.quiet))))
    });
    usual.with_context(|| format!("cannot use the baseline bundle `{}`", path.display()))
}

/// Returns true if only built-in rules run. They are valid, so the first bundle can be opened while they compile; an invalid rule
/// of a user must end the run before anything is read.
fn only_built_in_rules(args: &AnalyzeArgs) -> bool {
    args.rules.folders.is_empty() && args.only.is_empty() && args.skip.is_empty()
}

/// Bundles in a file or folder.
struct Opened {
    bundles: Result<Vec<Bundle>, OpenError>,
    took: Duration,
}

impl Opened {
    fn at(path: &Path, args: &AnalyzeArgs) -> Self {
        let begin = Instant::now();
        Self { bundles: Bundle::open_all(path, args.limits.0), took: begin.elapsed() }
    }
}

/// Returns the paths given as arguments, then those of `--files-from`.
fn paths(args: &AnalyzeArgs) -> anyhow::Result<Vec<PathBuf>> {
    let mut paths = args.bundles.clone();
    if let Some(list) = &args.files_from {
        paths.extend(loaders::bundle_paths(list)?);
        anyhow::ensure!(!paths.is_empty(), "no bundles to analyse: `{}` is empty", list.display());
    }
    Ok(paths)
}

/// One run of the command.
struct AnalyzeRun<'a> {
    args: &'a AnalyzeArgs,
    /// Never dropped: the program ends after the run, and freeing thousands of small allocations took 5 ms of 150.
    set: ManuallyDrop<RuleSet>,
    /// Time to read and compile the rules.
    rules_took: Duration,
    /// First path, opened while the rules compiled.
    opened: Option<Opened>,
    plan: OutputPlan,
    baseline: Option<Baseline>,
    usual: Option<Usual>,
    older: Option<(Analysis, Snapshot)>,
    archive: Option<Archive>,
    key: Option<Key>,
    pool: ThreadPool,
    out: &'a mut dyn Write,
    err: &'a mut dyn Write,
}

impl AnalyzeRun<'_> {
    /// Analyses the bundles in the file or folder with this index on the command line.
    fn path(&mut self, index: usize, path: &Path) -> ExitCode {
        let opened = self.opened.take().unwrap_or_else(|| self.pool.install(|| Opened::at(path, self.args)));
        let before = [Timing::of("rules", self.rules_took), Timing::of("open", opened.took)];
        let bundles = match opened.bundles {
            Ok(bundles) => bundles,
            Err(error) => return bundle_error(self.err, error),
        };
        if let [bundle] = bundles.as_slice() {
            let outputs = self.plan.outputs(index).to_vec();
            return self.bundle(path, bundle, &before, &outputs);
        }
        let places: Vec<PathBuf> = bundles.iter().map(|bundle| PathBuf::from(&bundle.container().path)).collect();
        match self.plan.split(path, &places) {
            Ok(outputs) => {
                let codes = bundles
                    .into_iter()
                    .zip(&outputs)
                    .map(|(bundle, outputs)| self.bundle(path, &bundle, &before, outputs));
                codes.fold(ExitCode::Success, ExitCode::worst)
            }
            Err(error) => usage_error(self.err, error),
        }
    }

    /// Analyses one bundle found at `path`; `before` has the timings of the stages that found it.
    fn bundle(&mut self, path: &Path, bundle: &Bundle, before: &[Timing], outputs: &[Output]) -> ExitCode {
        let args = self.args;
        // Redaction must know the machines in every format, so that pseudonyms agree.
        let writes = |formats: &[Format]| outputs.iter().any(|output| formats.contains(&output.format));
        let inventory = args.redact || writes(&[Format::Html]);
        let options = Options {
            assumed: None,
            timings: args.timings,
            identity: true,
            inventory,
            identities: args.redact,
            catalogue: writes(&[Format::Sarif, Format::Junit]),
            unexplained: args.unexplained,
            usual: self.usual.as_ref(),
            archive: self.archive.as_ref(),
            lang: args.lang,
        };
        let bar = Bar::new(args.quiet);
        let mut analysis = self.pool.install(|| match &self.older {
            None => pipeline::analyze(bundle, &self.set, options, &bar),
            Some((older, before)) => {
                let (mut analysis, input) = pipeline::examine(bundle, &self.set, options, &bar);
                diff::mark((older, before), (&mut analysis, &Snapshot::of(&input.world)));
                analysis
            }
        });
        drop(bar);
        if args.timings {
            analysis.timings.splice(0..0, before.iter().cloned());
        }
        analysis.run = invocation::of_run(args, path);
        analysis.classes.clone_from(&args.class);
        self.prepare(&mut analysis);
        self.finish(&analysis, outputs)
    }

    /// Applies the baseline, by fingerprints of plain and of redacted reports, and redacts.
    fn prepare(&self, analysis: &mut Analysis) {
        if let Some(baseline) = &self.baseline {
            baseline.apply(analysis);
        }
        if !self.args.redact {
            return;
        }
        let key = self.key.clone().unwrap_or_else(|| Key::of_bundle(&analysis.bundle.content_id));
        redact::apply(analysis, &key);
        if let Some(baseline) = &self.baseline {
            baseline.apply(analysis);
        }
    }

    /// Writes reports and summary; returns the exit code.
    fn finish(&mut self, analysis: &Analysis, outputs: &[Output]) -> ExitCode {
        match self.write(analysis, outputs) {
            Ok(Written::Whole) => {}
            Ok(Written::Closed) => return verdict(analysis, self.args),
            Err(error) => return usage_error(self.err, error),
        }
        if !self.args.quiet {
            // A report on standard output is for a program; people then read standard error.
            let files = outputs.iter().filter_map(|output| output.path.as_ref());
            let written: Vec<String> = files.map(|path| path.display().to_string()).collect();
            let to_stdout = written.len() == outputs.len();
            let summary = text::summary(analysis, &written, screen::screen());
            let stream = if to_stdout { &mut *self.out } else { &mut *self.err };
            let _ = stream.write_all(summary.as_bytes());
        }
        verdict(analysis, self.args)
    }

    /// Writes the reports: those in files side by side, then the one on standard output.
    fn write(&mut self, analysis: &Analysis, outputs: &[Output]) -> Result<Written, OutputError> {
        let (audience, fail_on) = (self.args.audience, self.args.fail_on);
        let render = |output: &Output, stdout: &mut dyn Write| {
            output.write(stdout, |writer| report::render(analysis, output.format, audience, fail_on, writer))
        };
        let (in_files, to_stdout): (Vec<&Output>, Vec<&Output>) = outputs.iter().partition(|o| o.path.is_some());
        let in_file = |output: &&Output| render(output, &mut io::sink());
        let results: Vec<_> = self.pool.install(|| in_files.par_iter().map(in_file).collect());
        // The first error of several, whichever was met first.
        results.into_iter().collect::<Result<Vec<_>, _>>()?;
        to_stdout.into_iter().try_fold(Written::Whole, |_, output| render(output, self.out))
    }
}

/// The exit code for a bundle. One of which no object and no log was read counts as not analysed, though it has a report.
fn verdict(analysis: &Analysis, args: &AnalyzeArgs) -> ExitCode {
    if analysis.bundle.unread.is_some() {
        ExitCode::Bundle
    } else if analysis.fails(args.fail_on) {
        ExitCode::Findings
    } else {
        ExitCode::Success
    }
}
