//! When a collection was made that does not say so: not before its newest line of a log.

use std::io::Read;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;

use crate::bundle::{Bundle, Role};
use crate::log::latest;

/// Bytes that are looked at from the beginning and at the end of a log.
const HEAD: u64 = 4 << 10;
const TAIL: usize = 64 << 10;

/// The newest time with a year in the logs of nodes, and the entry that has it.
pub fn time(bundle: &Bundle) -> Option<(Timestamp, Arc<str>)> {
    let newest: Mutex<Option<(Timestamp, Arc<str>)>> = Mutex::default();
    // What cannot be read is told when it is read for its content.
    bundle.read(&|entry| matches!(entry.role, Role::NodeLog { .. }), &|entry, reader| {
        let Some(time) = latest(&ends(reader)) else { return };
        let mut newest = newest.lock().unwrap_or_else(PoisonError::into_inner);
        // Of two of the same time the entry that sorts first, whoever was read first.
        let is_newer = newest.as_ref().is_none_or(|(best, path)| (time, &entry.path) > (*best, path));
        if is_newer {
            *newest = Some((time, entry.path.clone()));
        }
    });
    newest.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// The first and the last bytes of a text, with a line end between them.
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
        let found = time(&Bundle::from_memory("n1.zip", files, Limits::default())).unwrap();
        assert_eq!((found.0.to_string().as_str(), &*found.1), ("2024-03-07T10:00:00Z", "n1/logs/containerd.log"));
    }
}
