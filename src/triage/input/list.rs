//! Lists of paths: one per line, or NUL-separated.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::error::InputError;
use crate::bundle::probe;

/// Largest list in bytes: more than a million paths.
const LONGEST: u64 = 256 << 20;

/// Returns true for files named `.txt` or `.list` that are no archives.
pub fn is_list(path: &Path) -> bool {
    let is_called = path.extension().is_some_and(|ending| ending == "txt" || ending == "list");
    is_called && !probe::is_archive(path).unwrap_or(true)
}

/// Reads a list; `-` means standard input.
pub fn read_list(from: &Path) -> Result<Vec<PathBuf>, InputError> {
    let mut bytes = Vec::new();
    let mut take = |source: &mut dyn Read| source.take(LONGEST + 1).read_to_end(&mut bytes);
    let outcome = if from.as_os_str() == "-" {
        take(&mut io::stdin().lock())
    } else {
        File::open(from).and_then(|mut file| take(&mut file))
    };
    outcome.map_err(|source| InputError::Unreadable { path: from.to_owned(), source })?;
    if bytes.len() as u64 > LONGEST {
        return Err(InputError::LongList { path: from.to_owned(), max_mib: LONGEST >> 20 });
    }
    Ok(parse_paths(&bytes))
}

/// Parses paths: NUL-separated if there is a NUL byte, otherwise one per line; skips empty ones.
pub fn parse_paths(list: &[u8]) -> Vec<PathBuf> {
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
    fn lists_have_lines_or_are_nul_separated() {
        let of = |list: &str| parse_paths(list.as_bytes()).iter().map(|p| p.display().to_string()).collect::<Vec<_>>();
        assert_eq!(of("a.zip\n\nb c.zip\r\n"), ["a.zip", "b c.zip"]);
        assert_eq!(of("a\nb.zip\0c.zip\0"), ["a\nb.zip", "c.zip"]);
        assert_eq!(of("\n\n"), Vec::<String>::new());
    }
}
