//! Feeds `bodies/log_times.rs`, which says what must hold.

#![no_main]

#[path = "../bodies/log_times.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| body::run(bytes));
