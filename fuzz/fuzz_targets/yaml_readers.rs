//! YAML: the fast reader makes the same tape as the event parser, or declines.

#![no_main]

use gleaner::yaml::{fast, full};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let (fast, full) = (fast::read(text, u64::MAX), full::read(text, u64::MAX));
    assert_eq!(fast, full);
});
