//! Feeds `bodies/rule_file.rs`, which says what must hold.

#![no_main]

#[path = "../bodies/rule_file.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| body::run(bytes));
