//! Folders, walked without following links, and single files.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use walkdir::{DirEntry, WalkDir};

use crate::bundle::containers::detect::Format;
use crate::bundle::containers::listing::{ListContext, Listing, Member, MemberKind, Store};
use crate::bundle::containers::parts::{JoinedFile, is_first_name};
use crate::bundle::path::printable;
use crate::model::IssueKind;
use crate::model::message::ArchiveProblem;

/// Maximum nesting of folders.
const DEEPEST: usize = 128;

/// Lists all files below `root`, sorted by name. The parts of an archive are one member, named as the first.
pub(crate) fn list(root: &Path, scope: &ListContext<'_>) -> Listing {
    let (mut members, mut paths, mut trouble) = (Vec::new(), Vec::new(), Vec::new());
    let mut later_parts = HashSet::new();
    for entry in WalkDir::new(root).min_depth(1).max_depth(DEEPEST).sort_by_file_name() {
        if members.len() >= scope.most_members() {
            trouble.push(scope.too_many());
            break;
        }
        match entry {
            Ok(entry) if later_parts.remove(entry.path()) => {}
            Ok(entry) => {
                let name = entry.path().strip_prefix(root).unwrap_or(entry.path()).to_string_lossy().into_owned();
                if entry.depth() == DEEPEST && entry.file_type().is_dir() {
                    trouble.push((IssueKind::Limit, ArchiveProblem::FolderTooDeep { folder: printable(&name) }));
                }
                members.push(member(&entry, name, &mut later_parts));
                paths.push(entry.into_path());
            }
            Err(error) => trouble.push((IssueKind::Path, unreadable(root, &error))),
        }
    }
    Listing { store: Store::Folder(paths), members, stored: None, trouble, remarks: Vec::new() }
}

/// Lists one file that is not an archive.
pub(crate) fn single(path: &Path, size: u64) -> Listing {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let member = Member {
        name,
        size,
        crc: None,
        what: MemberKind::File,
        format: Some(Format::Other),
        held: None,
        is_cut: false,
    };
    Listing {
        store: Store::Folder(vec![path.to_owned()]),
        members: vec![member],
        stored: None,
        trouble: Vec::new(),
        remarks: Vec::new(),
    }
}

fn unreadable(root: &Path, error: &walkdir::Error) -> ArchiveProblem {
    let path = error.path().map(|path| path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned());
    let folder = printable(&path.unwrap_or_default());
    match error.io_error() {
        Some(error) => ArchiveProblem::FolderUnreadable { folder, error: error.to_string() },
        None => ArchiveProblem::FolderLoop { folder },
    }
}

fn member(entry: &DirEntry, name: String, later_parts: &mut HashSet<PathBuf>) -> Member {
    let kind = entry.file_type();
    let what = if kind.is_file() {
        MemberKind::File
    } else if kind.is_dir() {
        MemberKind::Folder
    } else if kind.is_symlink() {
        let target = std::fs::read_link(entry.path()).map(|target| target.to_string_lossy().into_owned());
        MemberKind::Link(target.unwrap_or_default())
    } else {
        MemberKind::Special
    };
    // If the size is unknown, the file is longer than its size when it is read, which becomes an Issue.
    let size = if kind.is_file() { size(entry, later_parts) } else { 0 };
    Member { name, size, crc: None, what, format: None, held: None, is_cut: false }
}

/// Returns the size of a file, with that of the parts that follow if it is a first part; these are added to `later_parts`.
fn size(entry: &DirEntry, later_parts: &mut HashSet<PathBuf>) -> u64 {
    let joined = is_first_name(entry.path()).then(|| JoinedFile::open(entry.path()).ok()).flatten();
    match joined {
        Some(joined) => {
            later_parts.extend(joined.later_parts().map(Path::to_owned));
            joined.size().unwrap_or(0)
        }
        None => entry.metadata().map_or(0, |metadata| metadata.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::containers::listing::BufferPool;
    use crate::bundle::limits::Limits;

    #[test]
    fn files_are_listed_and_links_are_not_followed() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(root.path().join("b/c")).unwrap();
        std::fs::write(root.path().join("b/c/x.log"), "hello").unwrap();
        std::fs::write(root.path().join("a.yaml"), "").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink("/etc", root.path().join("link")).unwrap();
        let (limits, shelf) = (Limits::default(), BufferPool::default());
        let listing = list(root.path(), &ListContext { limits: &limits, entries: 9, bytes: 9, shelf: &shelf });
        let files: Vec<_> = listing.members.iter().filter(|m| matches!(m.what, MemberKind::File)).collect();
        assert_eq!(
            files.iter().map(|m| (m.name.as_str(), m.size)).collect::<Vec<_>>(),
            [("a.yaml", 0), ("b/c/x.log", 5)]
        );
        #[cfg(unix)]
        assert!(listing.members.iter().any(|m| matches!(&m.what, MemberKind::Link(target) if target == "/etc")));
        assert!(listing.trouble.is_empty());
    }
}
