//! Finds the folders that bundles were unpacked to, among files of all sorts: [`Unpacked`].
//!
//! The same markers decide as inside an archive, but at any depth, and each folder for itself: one ticket says nothing of the
//! next.

use std::collections::{BTreeMap, BTreeSet};

use crate::bundle::collectors::layout::Layout;
use crate::bundle::collectors::markers::marker;
use crate::bundle::collectors::root::{self, Root};
use crate::bundle::probe::is_named_archive;

/// What is known of the folders whose files were seen.
#[derive(Debug, Default)]
pub struct Unpacked {
    /// By folder, with `/` at the end; empty for the outermost.
    marks: BTreeMap<String, u64>,
    /// Folders with files that are called like archives.
    archives: BTreeSet<String>,
}

impl Unpacked {
    /// Sees a file by its path with `/`, relative to the outermost folder.
    pub fn see(&mut self, path: &str) {
        let starts = || std::iter::once(0).chain(path.match_indices('/').map(|(slash, _)| slash + 1));
        for start in starts() {
            let (folder, rest) = (path.get(..start).unwrap_or_default(), path.get(start..).unwrap_or_default());
            let known = self.marks.get(folder).copied().unwrap_or(0);
            if is_strong(known) {
                // Whatever lies deeper is a part of it.
                self.marks.entry(folder.to_owned()).and_modify(|marks| *marks |= marker(rest));
                return;
            }
            let found = marker(rest);
            if found != 0 {
                self.marks.insert(folder.to_owned(), known | found);
            }
        }
        let parent = starts().last().and_then(|start| path.get(..start)).unwrap_or_default();
        if is_named_archive(path) && !self.archives.contains(parent) {
            self.archives.insert(parent.to_owned());
        }
    }

    /// The folders that are bundles, with `/` at the end, sorted; none lies in another.
    pub fn folders(self) -> Vec<String> {
        let root = |(prefix, marks): (String, u64)| Some(Root::of(prefix, Layout::of(marks)?, marks));
        let mut roots: Vec<Root> = self.marks.into_iter().filter_map(root).collect();
        roots.sort_by_key(|root| (root.is_weak(), root.prefix.matches('/').count(), root.prefix.clone()));
        let mut found: Vec<Root> = Vec::new();
        for root in roots {
            let apart =
                |other: &Root| !root.prefix.starts_with(&other.prefix) && !other.prefix.starts_with(&root.prefix);
            if found.iter().all(apart) && !(root.is_weak() && holds_others(&self.archives, &root.prefix)) {
                found.push(root);
            }
        }
        let mut folders: Vec<String> = root::around_images(found).into_iter().map(|root| root.prefix).collect();
        folders.sort();
        folders
    }
}

fn is_strong(marks: u64) -> bool {
    Layout::of(marks).is_some_and(|layout| !root::is_weak(layout, marks))
}

/// Whether there are archives below a folder that are not those of its nodes: then it holds bundles rather than being one.
fn holds_others(archives: &BTreeSet<String>, folder: &str) -> bool {
    let below = archives.range(folder.to_owned()..).take_while(|other| other.starts_with(folder));
    below.into_iter().any(|other| other.strip_prefix(folder) != Some("nodes/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folders(paths: &[&str]) -> Vec<String> {
        let mut unpacked = Unpacked::default();
        paths.iter().for_each(|path| unpacked.see(path));
        unpacked.folders()
    }

    #[test]
    fn bundles_are_found_at_any_depth_each_for_itself() {
        let paths = [
            "2024/a/b/c/sb/nodes/n1.zip",
            "2024/a/b/c/sb/yamls/cluster/v1/nodes.yaml",
            "2024/d/logs/ns/pod/c.log",
            "2024/d/nodes/n1.zip",
            "2024/e/mail.txt",
            "2025/scc/basic-environment.txt",
        ];
        assert_eq!(folders(&paths), ["2024/a/b/c/sb/", "2024/d/", "2025/scc/"]);
    }

    #[test]
    fn what_lies_in_a_bundle_is_a_part_of_it() {
        let paths = ["sb/metadata.yaml", "sb/nodes/n1/logs/kernel.log", "sb/yamls/cluster/v1/nodes.yaml"];
        assert_eq!(folders(&paths), ["sb/"]);
        assert_eq!(folders(&["yamls/cluster/v1/nodes.yaml", "nodes/n1.zip"]), [""]);
    }

    #[test]
    fn a_folder_of_archives_is_no_bundle_for_its_logs() {
        assert_eq!(folders(&["logs/2024/case/x.log", "logs/2024/case/a.zip"]), Vec::<String>::new());
        assert_eq!(folders(&["t/logs/ns/pod/x.log", "u/a.zip"]), ["t/"]);
    }

    #[test]
    fn images_of_one_must_gather_stay_together() {
        let log = |image: &str| format!("m/{image}/namespaces/demo/pods/p/c/c/logs/current.log");
        assert_eq!(folders(&[&log("a"), &log("b")]), ["m/"]);
    }
}
