//! Walks a folder twice: for unpacked bundles, then for the files outside of them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use walkdir::{DirEntry, WalkDir};

use super::inputs::{InputFiles, path_text};
use crate::bundle::Unpacked;

/// Largest depth of folders.
const DEEPEST: usize = 128;

/// Adds bundles and files below a folder, which may be a bundle itself.
pub fn add_folder(root: &Path, found: &mut InputFiles) {
    let mut unpacked = Unpacked::default();
    for entry in walk(root).into_iter().filter_map(Result::ok).filter(|entry| entry.file_type().is_file()) {
        unpacked.see(&relative(root, entry.path()));
    }
    let bundles = unpacked.folders();
    if bundles.iter().any(String::is_empty) {
        // The folder itself is a bundle.
        found.add_named(root, true);
        return;
    }
    let bundles: BTreeSet<PathBuf> = bundles.iter().map(|folder| root.join(folder.trim_end_matches('/'))).collect();
    let (before, input) = (found.trouble.len(), Arc::<str>::from(path_text(root)));
    let mut entries = walk(root).into_iter();
    while let Some(entry) = entries.next() {
        match entry {
            Ok(entry) if entry.file_type().is_dir() && bundles.contains(entry.path()) => {
                found.add_found(&input, relative(root, entry.path()), entry.path(), true);
                entries.skip_current_dir();
            }
            Ok(entry) => add_file((root, &input), &entry, found),
            Err(error) => found.trouble.push(unreadable(&error)),
        }
    }
    if found.trouble.len() == before {
        found.searched.push(path_text(root));
    }
}

fn walk(root: &Path) -> WalkDir {
    WalkDir::new(root).max_depth(DEEPEST).sort_by_file_name()
}

fn add_file((root, input): (&Path, &Arc<str>), entry: &DirEntry, found: &mut InputFiles) {
    let kind = entry.file_type();
    if kind.is_dir() {
        if entry.depth() == DEEPEST {
            found
                .trouble
                .push(format!("folder `{}` is nested too deeply and was not searched", entry.path().display()));
        }
    } else if kind.is_symlink() && entry.path().is_dir() {
        found.links += 1;
    } else if kind.is_file() || kind.is_symlink() && entry.path().is_file() {
        found.add_found(input, relative(root, entry.path()), entry.path(), false);
    }
}

fn relative(root: &Path, path: &Path) -> String {
    path_text(path.strip_prefix(root).unwrap_or(path))
}

fn unreadable(error: &walkdir::Error) -> String {
    let path = error.path().map(|path| path.display().to_string()).unwrap_or_default();
    let reason = error.io_error().map_or_else(|| "link loop".to_owned(), ToString::to_string);
    format!("`{path}` cannot be read ({reason})")
}
