//! Files that a file fact selects.

use std::collections::BTreeSet;

use crate::eval::facts::candidate::{Candidate, Candidates};
use crate::eval::input::{BundleFile, FileGap, FileGaps, Input};
use crate::expr::Value;
use crate::rule::FileQuery;

/// Largest number of nodes named in one reason.
const MAX_NODES: usize = 20;

/// Selects the files whose path and node a query names.
pub fn select_files<'a>(input: &Input, query: &FileQuery) -> Candidates<'a> {
    let found: Vec<&BundleFile> =
        input.files.iter().filter(|file| asks_for(query, &file.logical, file.node.as_deref())).collect();
    let none = || found.is_empty().then(|| format!("the bundle has no entry {}", query.path.text()));
    let missing = missing_files(&input.absent, query, &found).or_else(none);
    let list = found.into_iter().map(|file| Candidate::of(Value::File(file.as_shape(query.shape)))).collect();
    Candidates { list, missing: missing.map(Into::into) }
}

fn asks_for(query: &FileQuery, logical: &str, node: Option<&str>) -> bool {
    query.path.is_match(logical) && query.node.as_ref().is_none_or(|glob| glob.is_match(node.unwrap_or("")))
}

/// Returns why more files may exist than were found: one is unreadable, or a node lacks a file that other nodes have.
fn missing_files(absent: &FileGaps, query: &FileQuery, found: &[&BundleFile]) -> Option<String> {
    let mut lost = absent.files.iter().filter(|file| asks_for(query, &file.logical, file.node.as_deref()));
    let nodes: BTreeSet<&str> = absent
        .nodes
        .iter()
        .filter(|node| found.iter().any(|file| is_like(query, file, node)))
        .map(String::as_str)
        .collect();
    match lost.next() {
        Some(FileGap { logical, said: Some(said), .. }) => Some(format!("{logical} holds only: {said}")),
        Some(file) => Some(format!("{} is not in the bundle", file.logical)),
        None if !nodes.is_empty() => Some(files_of(&nodes, found)),
        None => absent.cut.as_ref().map(|why| format!("a part of the bundle is missing: {why}")),
    }
}

/// Names the nodes whose files were not collected, and those whose files were read.
fn files_of(missing: &BTreeSet<&str>, found: &[&BundleFile]) -> String {
    let named = |nodes: &BTreeSet<&str>| {
        let names: Vec<&str> = nodes.iter().take(MAX_NODES).copied().collect();
        let more =
            if nodes.len() > MAX_NODES { format!(" and {} more", nodes.len() - MAX_NODES) } else { String::new() };
        format!("node{} {}{more}", if nodes.len() == 1 { "" } else { "s" }, names.join(", "))
    };
    let read: BTreeSet<&str> = found.iter().filter_map(|file| file.node.as_deref()).collect();
    let files = if found.len() == 1 { "that".to_owned() } else { format!("the {}", found.len()) };
    let verb = if found.len() == 1 { "was" } else { "were" };
    format!("files of {} are not in the bundle; {files} of {} {verb} read", named(missing), named(&read))
}

/// Returns whether the query also asks for the same file of another node.
fn is_like(query: &FileQuery, file: &BundleFile, node: &str) -> bool {
    let Some(own) = &file.node else { return false };
    let parts = file.logical.split('/').map(|part| if part == own { node } else { part });
    asks_for(query, &parts.collect::<Vec<_>>().join("/"), Some(node))
}
