//! Lines that stand in several files of one writer, such as `dmesg`, `kern.log` and `syslog` of a node, count once.
//!
//! A template of one file is a copy if another file of the same node or container has a line of it wherever the first has one:
//! in each interval at least as many. Rotated files have other times, so that their lines add up.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::shape::holds;
use crate::log::{LogSource, MinedSource, MinedTemplate};
use crate::model::unexplained::Level;

/// Files of one writer with which a template is compared: the longest first.
const COMPARED: usize = 20;

/// Number of the source, and of the template in it.
type Place = (usize, usize);
type Written<'m> = Vec<(&'m MinedTemplate, Place)>;

/// Sorts sources by name, entries of the same name by content, and removes copies.
pub fn sort(mined: &mut [MinedSource]) {
    mined.sort_by(|a, b| order(a).cmp(&order(b)));
    drop_copies(mined);
}

fn order(source: &MinedSource) -> (&LogSource, Option<Timestamp>, Option<Timestamp>, u64) {
    (&source.source, source.last, source.first, source.lines)
}

/// Removes copies from sorted sources; the file with the most lines of a template keeps them.
fn drop_copies(mined: &mut [MinedSource]) {
    let copies = copies(mined);
    for (at, source) in mined.iter_mut().enumerate() {
        let mut number = 0;
        source.templates.retain(|_| {
            number += 1;
            !copies.contains(&(at, number - 1))
        });
    }
}

fn copies(mined: &[MinedSource]) -> BTreeSet<Place> {
    let mut written: BTreeMap<(String, Level, &str), Written<'_>> = BTreeMap::new();
    for (at, source) in mined.iter().enumerate() {
        let Some(writer) = source.source.writer() else { continue };
        for (number, template) in source.templates.iter().enumerate() {
            let key = (writer.clone(), template.level, &*template.text);
            written.entry(key).or_default().push((template, (at, number)));
        }
    }
    written.into_values().filter(|files| files.len() > 1).flat_map(copies_of).collect()
}

fn copies_of(mut files: Written<'_>) -> Vec<Place> {
    files.sort_by_key(|(template, place)| (std::cmp::Reverse(template.lines), *place));
    let mut kept: Vec<&MinedTemplate> = Vec::new();
    let mut copies = Vec::new();
    for (template, place) in files {
        if kept.iter().take(COMPARED).any(|other| is_copy(template, other)) {
            copies.push(place);
        } else {
            kept.push(template);
        }
    }
    copies
}

/// Returns whether another file has all lines of a template; without times nobody can say.
fn is_copy(template: &MinedTemplate, other: &MinedTemplate) -> bool {
    let dated: u64 = template.times.stretches().map(|(_, count)| count).sum();
    dated == template.lines && holds(&other.times, &template.times)
}
