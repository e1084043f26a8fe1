//! Feeds `bodies/log_templates.rs`, which says what must hold.

#![no_main]

#[path = "../bodies/log_templates.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| body::run(bytes));
