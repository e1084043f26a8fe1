//! Time of a collection that does not state it: not before its newest log line.

use std::io::Read;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;

use crate::bundle::{Bundle, Role};
use crate::log::latest;
use crate::model::NotCollected;
use crate::model::message::{GapReason, GapSubject};
use crate::resource::Metadata;

/// Bytes read at the beginning and at the end of a log.
const HEAD: u64 = 4 << 10;
const TAIL: usize = 64 << 10;

/// Returns the newest time with a year in the logs of these roles, and its entry.
fn time(bundle: &Bundle, of: fn(&Role) -> bool) -> Option<(Timestamp, Arc<str>)> {
    let newest: Mutex<Option<(Timestamp, Arc<str>)>> = Mutex::default();
    // Read errors are reported when the content is read.
    bundle.read(&|entry| of(&entry.role), &|entry, reader| {
        let Some(time) = latest(&ends(reader)) else { return };
        let mut newest = newest.lock().unwrap_or_else(PoisonError::into_inner);
        // If two times are equal, the entry that sorts first wins, in any order of reading.
        let is_newer = newest.as_ref().is_none_or(|(best, path)| (time, &entry.path) > (*best, path));
        if is_newer {
            *newest = Some((time, entry.path.clone()));
        }
    });
    newest.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Returns true for logs of nodes, whose clocks are those of the machine that is collected.
pub fn of_nodes(role: &Role) -> bool {
    matches!(role, Role::NodeLog { .. })
}

/// Returns true for logs of nodes and of containers.
pub fn of_all(role: &Role) -> bool {
    matches!(role, Role::NodeLog { .. } | Role::PodLog { .. } | Role::PodLogs { .. })
}

/// Takes the time of a collection that states none from its newest log line, and tells it.
pub fn take(metadata: &mut Metadata, bundle: &Bundle, of: fn(&Role) -> bool) -> Option<NotCollected> {
    if metadata.created_at.is_some() {
        return None;
    }
    let newest = time(bundle, of);
    let why = match &newest {
        Some((time, entry)) => GapReason::TimeOfNewestLine { time: *time, entry: entry.to_string() },
        None => GapReason::NoTime,
    };
    metadata.created_at = newest.map(|(time, _)| time);
    Some(NotCollected { what: GapSubject::TimeOfCollection, why })
}

/// Returns the first and the last bytes of a text, with a line end between them.
fn ends(reader: &mut dyn Read) -> Vec<u8> {
    let mut head = Vec::new();
    let _ = reader.take(HEAD).read_to_end(&mut head);
    let (mut tail, mut chunk) = (Vec::new(), vec![0; TAIL]);
    while let Ok(read @ 1..) = reader.read(&mut chunk) {
        tail.extend_from_slice(chunk.get(..read).unwrap_or_default());
        tail.drain(..tail.len().saturating_sub(TAIL));
    }
    head.push(b'\n');
    head.extend(tail);
    head
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::Limits;

    #[test]
    fn the_newest_line_counts() {
        let middle = "x\n".repeat(TAIL);
        let log = format!("2024-03-06T10:00:00Z a\n{middle}2024-03-07T10:00:00Z b\nno time\n");
        let files = [("n1/configs/oem/a.yaml", "a: b\n"), ("n1/logs/containerd.log", log.as_str())];
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect();
        let found = time(&Bundle::from_memory("n1.zip", files, Limits::default()), of_nodes).unwrap();
        assert_eq!((found.0.to_string().as_str(), &*found.1), ("2024-03-07T10:00:00Z", "n1/logs/containerd.log"));
    }
}
