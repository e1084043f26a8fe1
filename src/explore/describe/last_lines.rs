//! The last lines of the logs of a Pod.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read};
use std::sync::{Mutex, PoisonError};

use super::page::Page;
use crate::explore::opened::Opened;
use crate::log::SourceGlob;
use crate::model::{encoding, secret};
use crate::pipeline;
use crate::resource::ResourceId;

/// Lines that are shown of each log.
const LINES: usize = 5;
/// Most bytes of a line that are read, and most characters that are shown.
const MAX_LINE: u64 = 16 << 10;
const SHOWN: usize = 240;
/// Lines before those that are shown in which a secret may begin.
const BEFORE: usize = 40;

/// The end of one log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastLines {
    /// Path of the entry.
    pub entry: String,
    pub lines: Vec<String>,
}

/// Reads the ends of all logs of a Pod; nothing for other objects.
pub fn last_lines(opened: &Opened<'_>, id: ResourceId) -> Vec<LastLines> {
    let pod = opened.resources().resource(id);
    let Some(namespace) = pod.namespace.as_deref().filter(|_| &*pod.kind == "Pod" && pod.group.is_empty()) else {
        return Vec::new();
    };
    let literal = |name: &str| Some(name.to_owned());
    let glob = SourceGlob { namespace: literal(namespace), pod: literal(&pod.name), ..SourceGlob::default() };
    let entries = pipeline::entries_of(opened.bundle, &[glob]);
    let found = Mutex::new(Vec::new());
    opened.bundle.read(&|entry| entries.iter().any(|wanted| **wanted == *entry.path), &|entry, reader| {
        let lines = ends(reader);
        found.lock().unwrap_or_else(PoisonError::into_inner).push(LastLines { entry: entry.path.to_string(), lines });
    });
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.sort_by(|a, b| a.entry.cmp(&b.entry));
    found
}

/// Returns the last lines with their secrets masked. What cannot be read ends the log.
fn ends(reader: &mut dyn Read) -> Vec<String> {
    let mut reader = BufReader::new(reader);
    let mut kept: VecDeque<String> = VecDeque::new();
    while let Some(line) = next_line(&mut reader) {
        if kept.len() == LINES + BEFORE {
            kept.pop_front();
        }
        kept.push_back(line);
    }
    let text = Vec::from(kept).join("\n");
    let masked = secret::redact(&text);
    let lines: Vec<&str> = masked.lines().collect();
    lines.iter().skip(lines.len().saturating_sub(LINES)).map(|line| line.chars().take(SHOWN).collect()).collect()
}

fn next_line(reader: &mut impl BufRead) -> Option<String> {
    let mut bytes = Vec::new();
    reader.by_ref().take(MAX_LINE).read_until(b'\n', &mut bytes).ok()?;
    if bytes.is_empty() {
        return None;
    }
    if !bytes.ends_with(b"\n") {
        reader.skip_until(b'\n').ok()?;
    }
    let line = String::from_utf8_lossy(&encoding::utf8(bytes)).into_owned();
    Some(line.trim_end_matches(['\r', '\n']).to_owned())
}

/// Writes a section for each log.
pub(super) fn write(page: &mut Page<'_>, logs: &[LastLines]) {
    for log in logs.iter().filter(|log| !log.lines.is_empty()) {
        page.section(&format!("Last lines of {}", log.entry));
        log.lines.iter().for_each(|line| page.line(line));
    }
}
