//! Feeds `bodies/objects.rs`, which says what must hold.

#![no_main]

#[path = "../bodies/objects.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| body::run(bytes));
