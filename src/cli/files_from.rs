//! `--files-from`: paths of bundles in a file or on standard input.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::Context;

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

/// One path a line, or between NUL bytes where there is one; empty ones are left out.
fn paths(list: &[u8]) -> Vec<PathBuf> {
    let separator = if list.contains(&0) { 0 } else { b'\n' };
    let lines = list.split(|byte| *byte == separator);
    let lines = lines.map(|line| if separator == 0 { line } else { line.strip_suffix(b"\r").unwrap_or(line) });
    lines.filter(|line| !line.is_empty()).map(path).collect()
}

#[cfg(unix)]
fn path(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}

#[cfg(not(unix))]
fn path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_path_a_line_or_between_zero_bytes() {
        let of = |list: &str| paths(list.as_bytes()).iter().map(|p| p.display().to_string()).collect::<Vec<_>>();
        assert_eq!(of("a.zip\n\nb c.zip\r\n"), ["a.zip", "b c.zip"]);
        assert_eq!(of("a\nb.zip\0c.zip\0"), ["a\nb.zip", "c.zip"]);
        assert_eq!(of("\n\n"), Vec::<String>::new());
    }

    #[test]
    fn a_list_that_is_not_there_is_named() {
        let error = read(Path::new("/nonexistent/list")).unwrap_err();
        assert!(format!("{error:#}").contains("cannot read the list of bundles in `/nonexistent/list`"), "{error:#}");
    }
}
