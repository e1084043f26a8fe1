//! `gleaner sample`: writes the smallest bundle on which a rule fires.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::args::SampleArgs;
use super::errors::{bundle_error, usage_error};
use super::exit::ExitCode;
use super::progress::Bar;
use super::rules;
use super::threads::thread_pool;
use crate::atomic_file::AtomicFile;
use crate::bundle::Bundle;
use crate::cli::lines::print_line;
use crate::report::words::counted;
use crate::rule::load::{self, Loaded};
use crate::sample::{self, Bounds, NAME, Request, Sample};

/// Makes the sample and writes its folder.
pub fn run(args: &SampleArgs, out: &mut dyn Write, err: &mut dyn Write) -> ExitCode {
    sampled(args, out, err).unwrap_or_else(|code| code)
}

fn sampled(args: &SampleArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<ExitCode, ExitCode> {
    let loaded = rules::chosen(&args.rules, err)?;
    let streams = rules::streams(&loaded, err)?;
    let set = rules::compiled(loaded.clone(), err)?;
    let one = set.subset(std::slice::from_ref(&args.rule)).map_err(|error| usage_error(err, error))?;
    free(&args.output).map_err(|error| usage_error(err, error))?;
    let pool = thread_pool(None).map_err(|error| usage_error(err, error))?;
    let bundle =
        pool.install(|| Bundle::open(&args.bundle, args.limits.0)).map_err(|error| bundle_error(err, error))?;
    let keep: Vec<String> = args.keep.iter().map(|value| value.to_ascii_lowercase()).collect();
    let published = load::published();
    let request = Request {
        rule: &one,
        streams: &streams,
        finding: args.finding.as_deref(),
        keep: &keep,
        published: &published,
        bounds: Bounds::default(),
    };
    let bar = Bar::new(args.quiet);
    let made = pool.install(|| sample::make(&bundle, request, &bar));
    drop(bar);
    let sample = made.map_err(|error| usage_error(err, error))?;
    let id = one.rules.first().map_or(args.rule.as_str(), |rule| &rule.id);
    write(&args.output, &sample, id, &loaded).map_err(|error| usage_error(err, error))?;
    if !args.quiet {
        summary(args, &sample, id, out);
    }
    Ok(ExitCode::Success)
}

/// Fails unless the folder is new or empty.
fn free(folder: &Path) -> anyhow::Result<()> {
    let is_free = match fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
    };
    anyhow::ensure!(is_free, "{} exists and is not an empty folder; choose another folder", folder.display());
    Ok(())
}

fn write(folder: &Path, sample: &Sample, id: &str, loaded: &Loaded) -> anyhow::Result<()> {
    let mut bundle = folder.join(NAME);
    bundle.extend(&sample.folder);
    for file in &sample.files {
        write_file(&bundle.join(&file.path), &file.rendered())?;
    }
    write_file(&folder.join(&sample.test.path), sample.test.text.as_bytes())?;
    // With its rule, the folder can be given to `rules test`.
    let name = sample.test.path.trim_start_matches("tests/");
    let rule = loaded.sources.iter().find(|source| source.stem() == id);
    rule.map_or(Ok(()), |rule| write_file(&folder.join(name), rule.text.as_bytes()))?;
    if loaded.streams != load::embedded().streams {
        write_file(&folder.join("rules/streams.yaml"), loaded.streams.text.as_bytes())?;
    }
    write_file(&folder.join("README.md"), sample::readme(sample, id).as_bytes())
}

fn write_file(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let written = || {
        let mut file = AtomicFile::create(path)?;
        file.writer().write_all(bytes)?;
        file.finish()
    };
    written().with_context(|| format!("cannot write {}", path.display()))
}

/// Prints what was written and what to do next.
fn summary(args: &SampleArgs, sample: &Sample, id: &str, out: &mut dyn Write) {
    let folder = args.output.display();
    let bytes: usize = sample.files.iter().map(|file| file.rendered().len()).sum();
    let files = counted(sample.files.len(), "file");
    let runs = counted(sample.notes.runs, "run");
    let mut lines = vec![
        format!("{id}: {}", sample.finding.title),
        format!("wrote {folder}: {files}, {bytes} bytes, after {runs}"),
    ];
    if sample.findings > 1 && args.finding.is_none() {
        lines.push(format!("used the first of {} findings; --finding FINGERPRINT selects another", sample.findings));
    }
    if sample.notes.cut_short {
        lines.push("stopped at the limit of runs or bytes: a smaller sample may exist".to_owned());
    }
    let lists = [("kept because the rule needs it", &sample.notes.needed), ("not decoded", &sample.notes.opaque)];
    for (what, values) in lists.into_iter().filter(|(_, values)| !values.is_empty()) {
        lines.push(format!("{what}: {}", values.join(", ")));
    }
    let readme: PathBuf = args.output.join("README.md");
    lines.push(format!(
        "next: review every file before publishing it (see {}), then run gleaner rules test {folder}",
        readme.display()
    ));
    // The guard of standard output reports errors at the end.
    lines.iter().for_each(|line| drop(print_line(out, format_args!("{line}"))));
}
