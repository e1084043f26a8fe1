//! Feeds `bodies/archive.rs`, which says what must hold.

#![no_main]

#[path = "../bodies/archive.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| body::run(bytes));
