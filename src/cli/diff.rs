//! `gleaner diff`: compares two bundles of one cluster.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, bail};
use rayon::ThreadPool;

use super::args::DiffArgs;
use super::errors::{bundle_error, usage_error};
use super::exit::ExitCode;
use super::inputs::Inputs;
use super::output::{OutputError, check_file};
use super::progress::Bar;
use super::threads::thread_pool;
use super::{loaders, rules, screen, stdout_guard};
use crate::atomic_file::AtomicFile;
use crate::bundle::Bundle;
use crate::diff::{self, Snapshot};
use crate::model::Analysis;
use crate::model::difference::Difference;
use crate::pipeline::{self, Options};
use crate::redact::{self, Key};
use crate::report::{self, Format, RenderError, difference};
use crate::rule::RuleSet;

/// Analyses both bundles, one after the other, and writes the differences.
pub fn run(args: &DiffArgs, out: &mut dyn Write, err: &mut dyn Write) -> ExitCode {
    compared(args, out, err).unwrap_or_else(|code| code)
}

fn compared(args: &DiffArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<ExitCode, ExitCode> {
    let format = format(args).map_err(|error| usage_error(err, error))?;
    let key = args.redact_key.as_deref().map(loaders::redact_key).transpose();
    let key = key.map_err(|error| usage_error(err, error))?;
    let loaded = rules::chosen(&args.rules, err)?;
    let set = rules::compiled(loaded, err)?;
    let pool = thread_pool(None).map_err(|error| usage_error(err, error))?;
    let side = |path: &Path| examined(path, args, &set, &pool);
    let sides = side(&args.old).and_then(|old| Ok((old, side(&args.new)?)));
    let ((old, before), (new, after)) = sides.map_err(|error| bundle_error(err, error))?;
    let mut difference = diff::compare((&old, &before), (&new, &after));
    if args.redact {
        let key = key.unwrap_or_else(|| Key::of_bundle(&new.bundle.content_id));
        redact::apply_to_difference(&mut difference, [&old, &new], &key);
    }
    write(&difference, format, args.output.as_deref(), out).map_err(|error| usage_error(err, error))?;
    Ok(ExitCode::Success)
}

/// Returns the format of the output, which must be no input.
fn format(args: &DiffArgs) -> anyhow::Result<Format> {
    let mut inputs = Inputs::default();
    inputs.add_rules(&args.rules);
    inputs.add_all("the bundle", [&args.old, &args.new]);
    inputs.add_all("the key", &args.redact_key);
    match args.output.as_deref() {
        None => Ok(Format::Text),
        Some(path) if path == Path::new("-") => {
            stdout_guard::check_open()?;
            Ok(Format::Json)
        }
        Some(path) => match Format::from_path(path) {
            Some(format @ (Format::Html | Format::Json | Format::Markdown | Format::Text)) => {
                inputs.check(path)?;
                check_file(path)?;
                Ok(format)
            }
            _ => bail!("cannot write {}: the name must end in .html, .json, .md or .txt", path.display()),
        },
    }
}

/// Analyses one bundle and keeps only what is compared.
fn examined(path: &Path, args: &DiffArgs, set: &RuleSet, pool: &ThreadPool) -> anyhow::Result<(Analysis, Snapshot)> {
    let bundle = pool.install(|| Bundle::open(path, args.limits.0))?;
    let bar = Bar::new(args.quiet);
    // Redaction must know the machines.
    let (inventory, identities) = (args.redact, args.redact);
    let options = Options { identity: true, inventory, identities, ..Options::default() };
    Ok(pool.install(|| {
        let (analysis, input) = pipeline::examine(&bundle, set, options, &bar);
        (analysis, Snapshot::of(&input.world))
    }))
}

fn write(difference: &Difference, format: Format, path: Option<&Path>, out: &mut dyn Write) -> anyhow::Result<()> {
    let failed = |error| OutputError::Write { path: path.unwrap_or(Path::new("-")).to_owned(), error };
    match path {
        None => {
            // The guard of standard output reports errors at the end.
            let _ = out.write_all(difference::text::page(difference, screen::screen()).as_bytes());
            Ok(())
        }
        Some(path) if path == Path::new("-") => {
            report::render_difference(difference, format, out).context("cannot write to standard output")
        }
        Some(path) => {
            let mut file = AtomicFile::create(path).map_err(failed)?;
            report::render_difference(difference, format, file.writer()).map_err(|error| match error {
                RenderError::Write(error) => failed(error).into(),
                error @ RenderError::Template(_) => anyhow::Error::from(error),
            })?;
            Ok(file.finish().map_err(failed)?)
        }
    }
}
