//! `gleaner rules docs`: writes a Markdown page per rule.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind::NotFound;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

use super::loading::{compiled, streams, test_counts, with_checkout};
use crate::atomic_file::AtomicFile;
use crate::cli::args::rules::DocsArgs;
use crate::cli::errors::usage_error;
use crate::cli::exit::ExitCode;
use crate::cli::lines::print_line;
use crate::report::words::counted;
use crate::rule::page::{self, Page, PageInputs};
use crate::rule::pages::pages;
use crate::rule::{AREAS, Rule, Source, load};
use crate::verify;

/// Writes the pages and removes those of rules that no longer exist.
pub fn run(args: &DocsArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<ExitCode, ExitCode> {
    let loaded = with_checkout(&args.rules, err)?;
    let streams = streams(&loaded, err)?;
    let written = loaded.sources.iter().map(|source| (source.file.clone(), source.text.clone())).collect();
    let tests = loaded.tests.clone();
    let own = own(&loaded.sources);
    let set = compiled(loaded, err)?;
    let examples = verify::examples(&set, &streams, &tests);
    let shown: Vec<&Rule> = set.rules.iter().filter(|rule| !args.own || own.contains(&rule.id)).collect();
    let pages = pages(&set, &shown, &PageInputs { written, tests: test_counts(&tests), examples });
    match write(&args.output, &pages) {
        Ok(()) => {
            let _ =
                print_line(out, format_args!("wrote {} to {}", counted(pages.len(), "page"), args.output.display()));
            Ok(ExitCode::Success)
        }
        Err(error) => Err(usage_error(err, error)),
    }
}

/// Returns the ids of rules that are not built in, or replace a built-in rule by another text.
fn own(sources: &[Source]) -> BTreeSet<String> {
    let embedded = load::embedded().sources;
    let built_in: BTreeSet<(&str, &str)> =
        embedded.iter().map(|source| (source.stem(), source.text.as_str())).collect();
    let own = sources.iter().filter(|source| !built_in.contains(&(source.stem(), source.text.as_str())));
    own.map(|source| source.stem().to_owned()).collect()
}

fn write(folder: &Path, pages: &[Page]) -> anyhow::Result<()> {
    let mut kept = BTreeSet::new();
    for page in pages {
        let path = folder.join(&page.path);
        let context = || format!("cannot write {}", path.display());
        let ours = fs::read_to_string(&path).map_or_else(|error| error.kind() == NotFound, |text| is_page(&text));
        ensure!(ours, "{} is not a page of this command; give another folder", path.display());
        let mut file = AtomicFile::create(&path).with_context(context)?;
        file.writer().write_all(page.text.as_bytes()).with_context(context)?;
        file.finish().with_context(context)?;
        kept.insert(path);
    }
    for path in AREAS.iter().flat_map(|area| made(&folder.join(area))).filter(|path| !kept.contains(path)) {
        fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
    }
    Ok(())
}

/// Returns the pages in a folder that this command wrote.
fn made(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let pages = entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end == "md"));
    pages.filter(|path| fs::read_to_string(path).is_ok_and(|text| is_page(&text))).collect()
}

/// The index has the line before its tables.
fn is_page(text: &str) -> bool {
    text.contains(page::FOOT)
}
