//! Files that flags name: `--baseline`, `--redact-key`, `--store` and `--files-from`.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::baseline::Baseline;
use crate::pipeline::Archive;
use crate::redact::Key;
use crate::triage::Store;
use crate::triage::input::parse_paths;

/// Bytes of a baseline; no report is larger.
const MAX_BASELINE: u64 = 1 << 30;

/// Bytes of a key.
const MAX_KEY: u64 = 1 << 20;

/// Bytes of a list of paths; a longer one is a bundle that was given by mistake.
const MAX_LIST: u64 = 64 << 20;

/// Reads a JSON report or a list of fingerprints.
///
/// # Errors
/// Fails when the file cannot be read, is too long, or is neither.
pub fn baseline(path: &Path) -> anyhow::Result<Baseline> {
    let context = || format!("cannot use the baseline `{}`", path.display());
    Baseline::parse(&bounded(File::open(path), MAX_BASELINE).with_context(context)?).with_context(context)
}

/// Reads the key for pseudonyms.
///
/// # Errors
/// Fails when the file cannot be read, or is too long or too short.
pub fn redact_key(path: &Path) -> anyhow::Result<Key> {
    let context = || format!("cannot use the key `{}`", path.display());
    Key::of_secret(&bounded(File::open(path), MAX_KEY).with_context(context)?).with_context(context)
}

/// Reads from a store of `gleaner triage` what the logs of its clusters say.
///
/// # Errors
/// Fails when the store cannot be read, or has no templates of logs.
pub fn archive(path: &Path) -> anyhow::Result<Archive> {
    let context = || format!("cannot use the store `{}`", path.display());
    let archive = Store::open_to_read(path).and_then(|store| store.archive()).with_context(context)?;
    anyhow::ensure!(
        archive.clusters > 0,
        "the store `{}` has no templates of logs; run `gleaner triage --store` on its bundles first",
        path.display()
    );
    Ok(archive)
}

/// Reads paths of bundles from a file, or from standard input if it is `-`.
///
/// # Errors
/// Fails when the list cannot be read, or is too long.
pub fn bundle_paths(from: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let list = if from.as_os_str() == "-" {
        bounded(Ok(io::stdin().lock()), MAX_LIST)
    } else {
        bounded(File::open(from), MAX_LIST)
    };
    let list = list.with_context(|| {
        format!("cannot read the list of bundles in `{}` (to analyse a bundle, leave out --files-from)", from.display())
    })?;
    Ok(parse_paths(&list))
}

fn bounded(source: io::Result<impl Read>, max: u64) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source?.take(max + 1).read_to_end(&mut bytes)?;
    anyhow::ensure!(bytes.len() as u64 <= max, "it is longer than {max} bytes");
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_the_missing_list() {
        let error = bundle_paths(Path::new("/nonexistent/list")).unwrap_err();
        assert!(format!("{error:#}").contains("cannot read the list of bundles in `/nonexistent/list`"), "{error:#}");
    }
}
