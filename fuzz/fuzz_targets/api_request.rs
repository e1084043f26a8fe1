//! Feeds `bodies/api_request.rs`, which says what must hold.

#![no_main]

#[path = "../bodies/api_request.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| body::run(bytes));
