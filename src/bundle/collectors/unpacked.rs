//! Search for folders with unpacked bundles among arbitrary files: [`Unpacked`].
//!
//! Uses the same markers as inside an archive, but at any depth. Each folder is judged alone, because tickets are
//! independent of each other.

use std::collections::{BTreeMap, BTreeSet};

use crate::bundle::collectors::marker::Marks;
use crate::bundle::collectors::root::{self, Root};
use crate::bundle::collectors::table::{marks_of, recognise};
use crate::bundle::probe::is_named_archive;

/// Folders seen so far.
#[derive(Debug, Default)]
pub struct Unpacked {
    /// Folders by path, with `/` at the end; empty for the outermost.
    folders: BTreeMap<String, Folder>,
    /// Folders with files named like archives.
    archives: BTreeSet<String>,
}

/// Markers of one folder.
#[derive(Debug, Default)]
struct Folder {
    marks: Marks,
    /// True if no bundle of another collector has such markers.
    is_strong: bool,
}

impl Unpacked {
    /// Adds a file by its path with `/`, relative to the outermost folder.
    pub fn see(&mut self, path: &str) {
        let starts = || std::iter::once(0).chain(path.match_indices('/').map(|(slash, _)| slash + 1));
        let segments: Vec<&str> = path.split('/').collect();
        for (depth, start) in starts().enumerate() {
            let marks = marks_of(segments.get(depth..).unwrap_or_default());
            let folder = path.get(..start).unwrap_or_default();
            // All files inside a bundle are a part of it.
            let is_bundle = self.folders.get(folder).is_some_and(|folder| folder.is_strong);
            if !marks.is_empty() {
                self.folders.entry(folder.to_owned()).or_default().add(&marks);
            }
            if is_bundle {
                return;
            }
        }
        let parent = starts().last().and_then(|start| path.get(..start)).unwrap_or_default();
        if is_named_archive(path) && !self.archives.contains(parent) {
            self.archives.insert(parent.to_owned());
        }
    }

    /// Returns the folders that are bundles, with `/` at the end, sorted; none is inside another.
    pub fn folders(self) -> Vec<String> {
        let root =
            |(prefix, folder): (String, Folder)| Some(Root::new(prefix, recognise(&folder.marks)?, folder.marks));
        let mut roots: Vec<Root> = self.folders.into_iter().filter_map(root).collect();
        roots.sort_by_key(|root| (root.is_weak(), root.prefix.matches('/').count(), root.prefix.clone()));
        let mut found: Vec<Root> = Vec::new();
        for root in roots {
            let is_apart = found.iter().all(|other| root.is_apart_from(other));
            if is_apart && !(root.is_weak() && holds_others(&self.archives, &root.prefix)) {
                found.push(root);
            }
        }
        let mut folders: Vec<String> =
            root::around_several_folders(found).into_iter().map(|root| root.prefix).collect();
        folders.sort();
        folders
    }
}

impl Folder {
    fn add(&mut self, marks: &Marks) {
        if self.marks.merge(marks) {
            self.is_strong = recognise(&self.marks).is_some_and(|spec| !root::is_weak(spec, &self.marks));
        }
    }
}

/// Returns true if the folder has archives other than those of its nodes: it then holds bundles and is not one.
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
    fn folders_below_a_bundle_are_no_bundles_of_their_own() {
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
