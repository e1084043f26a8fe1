//! Nodes with files in the bundle, and reasons why a node's archive gives none.

use std::collections::BTreeSet;

use super::pods::PodNames;
use crate::bundle::{Bundle, Role};
use crate::model::message::GapReason;
use crate::resource::NodeArchives;

/// Returns the archives of nodes that were read, and those that were not.
pub fn archives(bundle: &Bundle, pods: &PodNames) -> NodeArchives {
    let named = bundle.entries().iter().filter_map(|entry| entry.role.node());
    let read: BTreeSet<String> = named.map(|node| pods.node(node).to_owned()).collect();
    let zips = bundle.entries().iter().filter(|entry| entry.role == Role::Archive);
    let hollow = zips.filter_map(|entry| {
        let node = entry.path.strip_prefix("nodes/")?.strip_suffix(".zip").filter(|node| !node.contains('/'))?;
        let is_read = read.contains(node) || has_members(bundle, &entry.path);
        (!is_read).then(|| (node.to_owned(), why_empty(bundle, &entry.path)))
    });
    let unread = hollow.collect();
    NodeArchives { read, unread }
}

fn has_members(bundle: &Bundle, archive: &str) -> bool {
    let inside = format!("{archive}!/");
    let entries = bundle.entries();
    let first = entries.partition_point(|entry| *entry.path < *inside);
    entries.get(first).is_some_and(|entry| entry.path.starts_with(&inside))
}

fn why_empty(bundle: &Bundle, archive: &str) -> GapReason {
    let about = |issue: &&crate::model::Issue| issue.origin.as_ref().is_some_and(|origin| &*origin.entry == archive);
    match bundle.issues().iter().find(about) {
        Some(issue) => GapReason::ArchiveUnreadable { why: Box::new(issue.message.clone()) },
        None => GapReason::ArchiveEmpty,
    }
}
