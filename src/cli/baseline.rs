//! `--baseline`: what was accepted earlier, from a file.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::Context;

use crate::baseline::Baseline;

/// Bytes of a baseline; more than any report has.
const LONGEST: u64 = 1 << 30;

/// Reads a JSON report or a list of fingerprints.
///
/// # Errors
/// When it cannot be read, is too long, or is neither.
pub fn read(path: &Path) -> anyhow::Result<Baseline> {
    let what = || format!("cannot use the baseline `{}`", path.display());
    let mut bytes = Vec::new();
    File::open(path).and_then(|file| file.take(LONGEST + 1).read_to_end(&mut bytes)).with_context(what)?;
    anyhow::ensure!(bytes.len() as u64 <= LONGEST, "{}: it is longer than {LONGEST} bytes", what());
    Baseline::parse(&bytes).with_context(what)
}
