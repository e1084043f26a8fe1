//! Feeds `bodies/entry_path.rs`, which says what must hold.

#![no_main]

#[path = "../bodies/entry_path.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| body::run(bytes));
