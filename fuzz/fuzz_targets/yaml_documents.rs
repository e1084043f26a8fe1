//! Feeds `bodies/yaml_documents.rs`, which says what must hold.

#![no_main]

#[path = "../bodies/yaml_documents.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| body::run(bytes));
