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

/// Parses paths: NUL-separated if there is a NUL byte, otherwise one per line; skips empty ones. A list in UTF-16, as PowerShell writes
/// it, has one per line.
pub fn parse_paths(list: &[u8]) -> Vec<PathBuf> {
    if let Some(text) = utf16(list) {
        return parse_paths(text.as_bytes());
    }
    let list = list.strip_prefix(b"\xef\xbb\xbf").unwrap_or(list);
    let separator = if list.contains(&0) { 0 } else { b'\n' };
    let lines = list.split(|byte| *byte == separator);
    let lines = lines.map(|line| if separator == 0 { line } else { line.strip_suffix(b"\r").unwrap_or(line) });
    lines.filter(|line| !line.is_empty()).map(path).collect()
}

/// Returns the text of a list in UTF-16: with a byte order mark, or of lines in which every second byte is NUL.
fn utf16(list: &[u8]) -> Option<String> {
    let pairs = list.chunks_exact(2);
    let is_wide = |high: usize| {
        let is_line_end = |pair: &[u8]| pair[1 - high] == b'\n';
        pairs.remainder().is_empty() && pairs.clone().all(|pair| pair[high] == 0) && pairs.clone().any(is_line_end)
    };
    let (list, big) = match list {
        [0xff, 0xfe, rest @ ..] => (rest, false),
        [0xfe, 0xff, rest @ ..] => (rest, true),
        _ if is_wide(1) => (list, false),
        _ if is_wide(0) => (list, true),
        _ => return None,
    };
    let unit = |pair: &[u8]| if big { [pair[0], pair[1]] } else { [pair[1], pair[0]] };
    let units: Vec<u16> = list.chunks_exact(2).map(|pair| u16::from_be_bytes(unit(pair))).collect();
    Some(String::from_utf16_lossy(&units))
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
        assert_eq!(of("\u{feff}a.zip\n"), ["a.zip"]);
        assert_eq!(of("a\0b\0"), ["a", "b"]);
    }

    #[test]
    fn lists_of_powershell_have_lines() {
        let of = |list: &[u8]| parse_paths(list).iter().map(|p| p.display().to_string()).collect::<Vec<_>>();
        let text = "/bundles/a.zip\r\n/b ü.zip\r\n";
        let bytes = |unit: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(unit).collect::<Vec<u8>>();
        let (little, big) = (bytes(u16::to_le_bytes), bytes(u16::to_be_bytes));
        for list in [[&[0xff, 0xfe], &*little].concat(), [&[0xfe, 0xff], &*big].concat(), little, big] {
            assert_eq!(of(&list), ["/bundles/a.zip", "/b ü.zip"]);
        }
    }
}
