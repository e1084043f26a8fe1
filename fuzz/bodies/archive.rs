//! Archives: any bytes are a bundle or are refused, what is listed can be read, and it stays within the limits.

use std::fs;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use gleaner::internals::bundle::{Bundle, Limits};
use tempfile::TempDir;

/// Small enough for a thousand bundles a second.
const LIMITS: Limits = Limits {
    max_bytes: 4 << 20,
    max_entries: 500,
    max_dump: 1 << 20,
    max_memory: 8 << 20,
    max_line: 1 << 12,
    ..Limits::DEFAULT
};

static FOLDER: OnceLock<TempDir> = OnceLock::new();

/// Runs one input.
pub fn run(bytes: &[u8]) {
    let folder = FOLDER.get_or_init(|| TempDir::new().expect("a folder"));
    let path = folder.path().join("bundle");
    fs::write(&path, bytes).expect("a file");
    let Ok(bundle) = Bundle::open(&path, LIMITS) else { return };
    assert!(bundle.entries().len() as u64 <= LIMITS.max_entries);
    let paths: Vec<&str> = bundle.entries().iter().map(|entry| &*entry.path).collect();
    assert!(paths.is_sorted(), "{paths:?}");
    let expanded = AtomicU64::new(0);
    let issues = bundle.read(&|_| true, &|_, reader| {
        let mut text = Vec::new();
        let _ = reader.read_to_end(&mut text);
        expanded.fetch_add(text.len() as u64, Ordering::Relaxed);
    });
    assert!(expanded.into_inner() <= LIMITS.max_bytes + bytes.len() as u64);
    assert!(issues.iter().all(|issue| !issue.message.to_string().is_empty()));
}
