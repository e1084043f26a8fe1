//! Feeds `bodies/yaml_readers.rs`, which says what must hold.

#![no_main]

#[path = "../bodies/yaml_readers.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| body::run(bytes));
