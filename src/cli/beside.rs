//! Files beside the bundle: `--baseline`, what was accepted earlier, and `--redact-key`.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::Context;

use crate::baseline::Baseline;
use crate::redact::Key;

/// Bytes of a baseline; more than any report has.
const LONGEST: u64 = 1 << 30;

/// Bytes of a key.
const LONGEST_KEY: u64 = 1 << 20;

/// Reads a JSON report or a list of fingerprints.
///
/// # Errors
/// When it cannot be read, is too long, or is neither.
pub fn baseline(path: &Path) -> anyhow::Result<Baseline> {
    let what = || format!("cannot use the baseline `{}`", path.display());
    Baseline::parse(&bytes(path, LONGEST).with_context(what)?).with_context(what)
}

/// Reads the key of pseudonyms.
///
/// # Errors
/// When it cannot be read, or is too long or too short.
pub fn key(path: &Path) -> anyhow::Result<Key> {
    let what = || format!("cannot use the key `{}`", path.display());
    Key::of_secret(&bytes(path, LONGEST_KEY).with_context(what)?).with_context(what)
}

fn bytes(path: &Path, longest: u64) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(longest + 1).read_to_end(&mut bytes)?;
    anyhow::ensure!(bytes.len() as u64 <= longest, "it is longer than {longest} bytes");
    Ok(bytes)
}
