//! `gleaner rules new`: creates a rule and its test.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::loading::streams;
use crate::bundle::{Bundle, Limits};
use crate::cli::args::rules::NewArgs;
use crate::cli::errors::{bundle_error, usage_error};
use crate::cli::exit::ExitCode;
use crate::cli::lines::print_line;
use crate::cli::threads::thread_pool;
use crate::draft::{Drafts, Place};
use crate::rule::load;
use crate::rule::skeleton::{Skeleton, Subject, skeleton};
use crate::rule::{Streams, skeleton};

/// Writes a rule and its test, unless one of them exists.
pub fn run(args: &NewArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<ExitCode, ExitCode> {
    let embedded = load::embedded();
    let streams = streams(&embedded, err)?;
    if let Some(source) = embedded.sources.iter().find(|source| source.stem() == args.id) {
        let taken = anyhow::anyhow!("the id is taken by the built-in rule {}; choose another", source.file);
        return Err(usage_error(err, taken));
    }
    let skeleton = match args.from.as_deref() {
        Some([bundle, place]) => drafted(args, Path::new(bundle), place, &streams, err)?,
        _ => begun(args, &streams).map_err(|error| usage_error(err, error))?,
    };
    let paths = write(&args.dir, &skeleton).map_err(|error| usage_error(err, error))?;
    for path in &paths {
        let _ = print_line(out, format_args!("wrote {}", path.display()));
    }
    let _ = print_line(out, format_args!("next: gleaner rules test {}", args.dir.display()));
    Ok(ExitCode::Success)
}

/// Makes an example.
fn begun(args: &NewArgs, streams: &Streams) -> Result<Skeleton, skeleton::SkeletonError> {
    let given = [
        args.log.clone().map(Subject::Log),
        args.event.clone().map(Subject::Event),
        args.sequence.clone().map(Subject::Sequence),
        args.table.clone().map(Subject::Table),
    ];
    let subject = given.into_iter().flatten().next().unwrap_or_else(|| Subject::Resource(args.resource.clone()));
    skeleton(&args.id, &args.area, &subject, streams)
}

/// Makes a rule of a line of a bundle.
fn drafted(
    args: &NewArgs,
    bundle: &Path,
    place: &str,
    streams: &Streams,
    err: &mut dyn Write,
) -> Result<Skeleton, ExitCode> {
    let place: Place = place.parse().map_err(|error: crate::draft::DraftError| usage_error(err, error))?;
    skeleton::check(&args.id, &args.area).map_err(|error| usage_error(err, error))?;
    let pool = thread_pool(None).map_err(|error| usage_error(err, error))?;
    let opened = pool.install(|| Bundle::open(bundle, Limits::default()));
    let bundle = opened.map_err(|error| bundle_error(err, error))?;
    let published = load::published();
    let made = pool.install(|| {
        let drafts = Drafts::new(&bundle, streams, &published);
        let skeleton = drafts.draft(&args.id, &args.area, &place)?;
        drafts.confirm(&skeleton, &place)?;
        Ok::<_, crate::draft::DraftError>(skeleton)
    });
    made.map_err(|error| usage_error(err, error))
}

fn write(folder: &Path, skeleton: &Skeleton) -> anyhow::Result<Vec<PathBuf>> {
    let files = [&skeleton.rule, &skeleton.test].map(|(path, text)| (folder.join(path), text));
    // Write both files or none.
    if let Some((path, _)) = files.iter().find(|(path, _)| path.exists()) {
        anyhow::bail!("{} already exists and was not changed", path.display());
    }
    for (path, text) in &files {
        let context = || format!("cannot write {}", path.display());
        fs::create_dir_all(path.parent().unwrap_or(folder)).with_context(context)?;
        fs::File::create_new(path).and_then(|mut file| file.write_all(text.as_bytes())).with_context(context)?;
    }
    Ok(files.map(|(path, _)| path).to_vec())
}
