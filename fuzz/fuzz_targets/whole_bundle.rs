//! Feeds `bodies/whole_bundle.rs`, which says what must hold.

#![no_main]

#[path = "../bodies/whole_bundle.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| body::run(bytes));
