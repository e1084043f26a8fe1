//! Feeds `bodies/kubectl_table.rs`, which says what must hold.

#![no_main]

#[path = "../bodies/kubectl_table.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| body::run(bytes));
