//! `--files-from`: paths of bundles in a file or on standard input.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::triage::input::paths;

/// Bytes of a list; longer ones are a bundle that was given by mistake.
const LONGEST: u64 = 64 << 20;

/// Reads the list in `from`, or on standard input if that is `-`.
///
/// # Errors
/// When it cannot be read, or is too long.
pub fn read(from: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut list = Vec::new();
    let read = |source: &mut dyn Read, list: &mut Vec<u8>| source.take(LONGEST + 1).read_to_end(list);
    let outcome = if from.as_os_str() == "-" {
        read(&mut io::stdin().lock(), &mut list)
    } else {
        File::open(from).and_then(|mut file| read(&mut file, &mut list))
    };
    outcome.with_context(|| format!("cannot read the list of bundles in `{}`", from.display()))?;
    anyhow::ensure!(
        list.len() as u64 <= LONGEST,
        "the list of bundles in `{}` is longer than {LONGEST} bytes; give a bundle without --files-from",
        from.display()
    );
    Ok(paths(&list))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_that_is_not_there_is_named() {
        let error = read(Path::new("/nonexistent/list")).unwrap_err();
        assert!(format!("{error:#}").contains("cannot read the list of bundles in `/nonexistent/list`"), "{error:#}");
    }
}
