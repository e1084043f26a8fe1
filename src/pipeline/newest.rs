//! Time of a collection that does not state it: not before its newest log line.

use std::io::Read;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;

use crate::bundle::{Bundle, Entry, Role};
use crate::log::latest;
use crate::model::NotCollected;
use crate::model::message::{GapReason, GapSubject};
use crate::resource::Metadata;

/// Bytes read at the beginning and at the end of a log.
const HEAD: u64 = 4 << 10;
const TAIL: usize = 64 << 10;

/// Returns the newest time with a year in these logs, and its entry.
fn time(bundle: &Bundle, of: &(dyn Fn(&Entry) -> bool + Sync)) -> Option<(Timestamp, Arc<str>)> {
    let newest: Mutex<Option<(Timestamp, Arc<str>)>> = Mutex::default();
    // Read errors are reported when the content is read.
    bundle.read(of, &|entry, reader| {
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

/// Returns true for logs of nodes.
pub fn of_node(entry: &Entry) -> bool {
    matches!(entry.role, Role::NodeLog { .. })
}

/// Takes the time of a collection that states none from the newest line of these logs, and tells it.
pub fn take(metadata: &mut Metadata, bundle: &Bundle, of: &(dyn Fn(&Entry) -> bool + Sync)) -> Option<NotCollected> {
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
        let found = time(&Bundle::from_memory("n1.zip", files, Limits::default()), &of_node).unwrap();
        assert_eq!((found.0.to_string().as_str(), &*found.1), ("2024-03-07T10:00:00Z", "n1/logs/containerd.log"));
    }
}
