//! Files that a file fact selects.

use std::collections::BTreeSet;

use crate::eval::facts::candidate::{Candidate, Candidates, Searched};
use crate::eval::input::{BundleFile, FileGap, FileGaps, Input};
use crate::expr::Value;
use crate::model::message::{NodeNames, Reason};
use crate::rule::FileQuery;

/// Files whose path and node a query names.
pub fn select_files<'a>(input: &Input, query: &FileQuery) -> Candidates<'a> {
    let found: Vec<&BundleFile> =
        input.files.iter().filter(|file| asks_for(query, &file.logical, file.node.as_deref())).collect();
    let none = || found.is_empty().then(|| Reason::NoEntry { path: query.path.text().to_owned() });
    let lacking = || found.iter().find_map(|file| file.problem(query.shape));
    let missing = missing_files(&input.file_gaps, query, &found).or_else(lacking).or_else(none);
    let searched = Searched::of(!found.is_empty());
    let list = found.into_iter().map(|file| Candidate::of(Value::File(file.as_shape(query.shape)))).collect();
    Candidates { list, incomplete: missing.map(Into::into), searched, complete_for: None }
}

fn asks_for(query: &FileQuery, logical: &str, node: Option<&str>) -> bool {
    query.path.is_match(logical) && query.node.as_ref().is_none_or(|glob| glob.is_match(node.unwrap_or("")))
}

/// Returns why more files may exist than were found: one is unreadable, or a node lacks a file that other nodes have.
fn missing_files(gaps: &FileGaps, query: &FileQuery, found: &[&BundleFile]) -> Option<Reason> {
    let mut matching = gaps.files.iter().filter(|file| asks_for(query, &file.logical, file.node.as_deref()));
    let nodes: BTreeSet<&str> = gaps
        .nodes
        .iter()
        .filter(|node| found.iter().any(|file| is_like(query, file, node)))
        .map(String::as_str)
        .collect();
    match matching.next() {
        Some(FileGap { logical, answer: Some(said), .. }) => {
            Some(Reason::HoldsOnly { file: logical.to_string(), said: said.clone() })
        }
        Some(file) => Some(Reason::FileNotThere { file: file.logical.to_string() }),
        None if !nodes.is_empty() => Some(files_of(&nodes, found)),
        None => gaps.truncated.as_ref().map(|why| Reason::PartMissing { why: why.clone() }),
    }
}

/// Names the nodes whose files were not collected, and those whose files were read.
fn files_of(missing: &BTreeSet<&str>, found: &[&BundleFile]) -> Reason {
    let read: BTreeSet<&str> = found.iter().filter_map(|file| file.node.as_deref()).collect();
    let (nodes, read) = (NodeNames::new(missing.iter().copied()), NodeNames::new(read));
    match found.len() {
        1 => Reason::FileOfNodes { nodes, read },
        count => Reason::FilesOfNodes { nodes, count, read },
    }
}

/// Returns whether the query also asks for the same file of another node.
fn is_like(query: &FileQuery, file: &BundleFile, node: &str) -> bool {
    let Some(own) = &file.node else { return false };
    let parts = file.logical.split('/').map(|part| if part == own { node } else { part });
    asks_for(query, &parts.collect::<Vec<_>>().join("/"), Some(node))
}
