//! YAML: of any text that readers are given, the fast reader makes the same tape as the event parser, or declines.

#![no_main]

use gleaner::internals::yaml::{fast, full, source};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let (text, _) = source::text(bytes.to_vec());
    assert_eq!(fast::read(&text, u64::MAX), full::read(&text, u64::MAX));
});
