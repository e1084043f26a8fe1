//! Lists of paths: one a line, or between NUL bytes where there is one.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::error::InputError;
use crate::bundle::probe;

/// Bytes of a list: a million paths and more.
const LONGEST: u64 = 256 << 20;

/// Whether a file is a list: called `.txt` or `.list`, and not an archive in truth.
pub fn is_list(path: &Path) -> bool {
    let is_called = path.extension().is_some_and(|ending| ending == "txt" || ending == "list");
    is_called && !probe::is_archive(path).unwrap_or(true)
}

/// Reads a list; `-` is standard input.
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

/// One path a line, or between NUL bytes where there is one; empty ones are left out.
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
    fn one_path_a_line_or_between_zero_bytes() {
        let of = |list: &str| parse_paths(list.as_bytes()).iter().map(|p| p.display().to_string()).collect::<Vec<_>>();
        assert_eq!(of("a.zip\n\nb c.zip\r\n"), ["a.zip", "b c.zip"]);
        assert_eq!(of("a\nb.zip\0c.zip\0"), ["a\nb.zip", "c.zip"]);
        assert_eq!(of("\n\n"), Vec::<String>::new());
    }
}
