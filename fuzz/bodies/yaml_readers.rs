//! YAML: of any text that readers are given, the fast reader makes the same tape as the event parser, or declines.

use gleaner::internals::yaml::{fast, full, source};

/// Runs one input.
pub fn run(bytes: &[u8]) {
    let (text, _) = source::text(bytes.to_vec());
    assert_eq!(fast::read(&text, u64::MAX), full::read(&text, u64::MAX));
}
