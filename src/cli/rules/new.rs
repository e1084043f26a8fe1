//! `gleaner rules new`: creates a rule and its test.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::loading::streams;
use crate::cli::args::rules::NewArgs;
use crate::cli::errors::usage_error;
use crate::cli::exit::ExitCode;
use crate::cli::lines::print_line;
use crate::rule::load;
use crate::rule::skeleton::{Skeleton, Subject, skeleton};

/// Writes a rule and its test, unless one of them exists.
pub fn run(args: &NewArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<ExitCode, ExitCode> {
    let embedded = load::embedded();
    let streams = streams(&embedded, err)?;
    let subject = args.log.clone().map_or_else(|| Subject::Resource(args.resource.clone()), Subject::Log);
    let taken = embedded.sources.iter().find(|source| source.stem() == args.id);
    let begun = match taken {
        Some(source) => Err(anyhow::anyhow!("the id is taken by the built-in rule {}; choose another", source.file)),
        None => skeleton(&args.id, &args.area, &subject, &streams).map_err(Into::into),
    };
    match begun.and_then(|skeleton| write(&args.dir, &skeleton)) {
        Ok(paths) => {
            for path in &paths {
                let _ = print_line(out, format_args!("wrote {}", path.display()));
            }
            let folder = args.dir.display();
            let _ = print_line(out, format_args!("next: gleaner rules test {folder}"));
            Ok(ExitCode::Success)
        }
        Err(error) => Err(usage_error(err, error)),
    }
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
