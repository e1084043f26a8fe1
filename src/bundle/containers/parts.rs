//! Archives that somebody split into files, because a portal takes no larger ones: [`JoinedFile`] reads them as one.
//!
//! The names count: `bundle.zip.part-aa`, `bundle.zip.part-ab` (`split -b` of GNU coreutils, with `-d` digits), `bundle.zip.001`,
//! `bundle.zip.002` (7-Zip). The volumes of a zip that its own program split (`a.z01`, `a.zip`) state places in volumes and are not read.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::bundle::containers::detect::{self, Format};

/// Maximum number of parts of one archive.
const MOST: usize = 1000;

/// A file, or all parts of the archive whose first part it is. One part is open at a time.
pub(crate) struct JoinedFile {
    file: File,
    /// All parts in order; empty for a file that is whole.
    parts: Vec<Part>,
    /// Index of the part that is open.
    current: usize,
}

struct Part {
    path: PathBuf,
    /// Offset of its first byte in the archive.
    start: u64,
    size: u64,
}

impl JoinedFile {
    /// Opens the file at `path`, and the parts that follow if it is a first part.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(Self { file: File::open(path)?, parts: parts(path)?, current: 0 })
    }

    /// Returns the paths of the parts behind the first.
    pub fn later_parts(&self) -> impl Iterator<Item = &Path> {
        self.parts.iter().skip(1).map(|part| part.path.as_path())
    }

    /// Returns the size of the whole in bytes.
    ///
    /// # Errors
    /// If the file's size cannot be read.
    pub fn size(&self) -> io::Result<u64> {
        match self.parts.last() {
            Some(last) => Ok(last.start.saturating_add(last.size)),
            None => Ok(self.file.metadata()?.len()),
        }
    }

    fn switch(&mut self, index: usize) -> io::Result<bool> {
        let Some(part) = self.parts.get(index) else { return Ok(false) };
        self.file = File::open(&part.path)?;
        self.current = index;
        Ok(true)
    }

    fn start(&self) -> u64 {
        self.parts.get(self.current).map_or(0, |part| part.start)
    }
}

impl Read for JoinedFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = self.file.read(buffer)?;
            if count > 0 || buffer.is_empty() || !self.switch(self.current + 1)? {
                return Ok(count);
            }
        }
    }
}

impl Seek for JoinedFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        if self.parts.is_empty() {
            return self.file.seek(to);
        }
        let target = match to {
            SeekFrom::Start(offset) => Some(offset),
            SeekFrom::End(distance) => self.size()?.checked_add_signed(distance),
            SeekFrom::Current(distance) => {
                self.start().saturating_add(self.file.stream_position()?).checked_add_signed(distance)
            }
        };
        let target = target.ok_or(io::ErrorKind::InvalidInput)?;
        let index = self.parts.partition_point(|part| part.start <= target).saturating_sub(1);
        if index != self.current {
            self.switch(index)?;
        }
        self.file.seek(SeekFrom::Start(target.saturating_sub(self.start())))?;
        Ok(target)
    }
}

/// Returns the first part of the archive that `path` is a later part of.
pub(crate) fn first_part(path: &Path) -> Option<PathBuf> {
    let name = name_of(path);
    let (stem, counter) = name.split_at_checked(name.len().checked_sub(width(name))?)?;
    let firsts = match counter.as_bytes().first()? {
        b'0'..=b'9' => [0, 1].map(|number| format!("{number:0width$}", width = counter.len())).to_vec(),
        _ => vec!["a".repeat(counter.len())],
    };
    let mut firsts = firsts.into_iter().map(|counter| path.with_file_name(format!("{stem}{counter}")));
    firsts.find(|first| parts(first).is_ok_and(|parts| parts.iter().skip(1).any(|part| part.path == path)))
}

/// Returns the parts of the archive that begins at `first`; none if that is no first part. Only the first one begins as an archive: files
/// that do so each, such as `node-01` and `node-02`, are archives of their own.
fn parts(first: &Path) -> io::Result<Vec<Part>> {
    let name = name_of(first);
    let Some(second) = next(name).filter(|_| is_first(name)).map(|next| first.with_file_name(next)) else {
        return Ok(Vec::new());
    };
    if !second.is_file() || !begins_as_archive(first)? || begins_as_archive(&second)? {
        return Ok(Vec::new());
    }
    let names = std::iter::successors(Some(name.to_owned()), |name| next(name)).take(MOST);
    let files = names.map_while(|name| {
        let path = first.with_file_name(name);
        let metadata = path.metadata().ok().filter(std::fs::Metadata::is_file)?;
        Some((path, metadata.len()))
    });
    let mut end = 0_u64;
    let parts = files.map(|(path, size)| {
        let start = end;
        end = start.saturating_add(size);
        Part { path, start, size }
    });
    Ok(parts.collect())
}

/// Returns true if `path` is named as a first part.
pub(crate) fn is_first_name(path: &Path) -> bool {
    is_first(name_of(path))
}

fn name_of(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

fn begins_as_archive(path: &Path) -> io::Result<bool> {
    let mut head = Vec::new();
    detect::read_head(&mut File::open(path)?, &mut head)?;
    Ok(detect::sniff(&head) != Format::Other)
}

/// Returns the length in bytes of the counter at the end of a part's name; 0 if there is none.
fn width(name: &str) -> usize {
    let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
    let is_counter =
        digits > 1 || digits == 1 && name.trim_end_matches(|end: char| end.is_ascii_digit()).ends_with("part");
    match digits {
        0 if name.bytes().rev().take_while(u8::is_ascii_lowercase).count() >= 2 => 2,
        _ if is_counter => digits,
        _ => 0,
    }
}

/// Returns true if the name ends as that of a first part: `aa`, `00`, `001`, `part1`.
fn is_first(name: &str) -> bool {
    let counter = name.get(name.len() - width(name)..).unwrap_or_default();
    counter == "aa" || counter.parse::<u32>().is_ok_and(|number| number < 2)
}

/// Returns the name of the part behind one of this name; none behind the last that fits in the counter.
fn next(name: &str) -> Option<String> {
    let (stem, counter) = name.split_at_checked(name.len() - width(name))?;
    let next = match *counter.as_bytes() {
        [first, b'z'] if first < b'z' => format!("{}a", char::from(first + 1)),
        [first, second] if second.is_ascii_lowercase() && second < b'z' => {
            format!("{}{}", char::from(first), char::from(second + 1))
        }
        _ => format!("{:0width$}", counter.parse::<u32>().ok()?.checked_add(1)?, width = counter.len()),
    };
    (next.len() == counter.len()).then(|| format!("{stem}{next}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder_of(files: &[(&str, &[u8])]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes) in files {
            std::fs::write(folder.path().join(name), bytes).unwrap();
        }
        folder
    }

    #[test]
    fn names_count_in_letters_and_digits() {
        assert_eq!(next("b.zip.aa").as_deref(), Some("b.zip.ab"));
        assert_eq!(next("xaz").as_deref(), Some("xba"));
        assert_eq!(next("xzz"), None);
        assert_eq!(next("b.zip.009").as_deref(), Some("b.zip.010"));
        assert_eq!(next("b.99"), None);
        assert_eq!(next("b.part9").as_deref(), None);
        for first in ["xaa", "b.tar.gzaa", "b.tgz.part-aa", "x00", "b.zip.000", "b.zip.001", "b.zip.part1", "b.part01"]
        {
            assert!(is_first(first), "{first}");
        }
        for other in ["node1", "b.zip", "b.zip.002", "b.zip.ab", "support-20251101", "a", "", "é1"] {
            assert!(!is_first(other), "{other}");
        }
    }

    #[test]
    fn parts_are_read_as_one() {
        let folder =
            folder_of(&[("b.zip.00", b"PK\x03\x04ab"), ("b.zip.01", b"cde"), ("b.zip.02", b"f"), ("b.zip.04", b"g")]);
        let mut joined = JoinedFile::open(&folder.path().join("b.zip.00")).unwrap();
        let mut all = Vec::new();
        joined.read_to_end(&mut all).unwrap();
        assert_eq!(all, b"PK\x03\x04abcdef");
        assert_eq!((joined.size().unwrap(), joined.later_parts().count()), (10, 2));
        let mut at = |to: SeekFrom| {
            let (position, mut byte) = (joined.seek(to).unwrap(), [0]);
            (position, joined.read(&mut byte).unwrap(), char::from(byte[0]))
        };
        assert_eq!(at(SeekFrom::Start(5)), (5, 1, 'b'));
        assert_eq!(at(SeekFrom::Current(1)), (7, 1, 'd'));
        assert_eq!(at(SeekFrom::End(-1)), (9, 1, 'f'));
        assert_eq!(at(SeekFrom::End(0)), (10, 0, '\0'));
        assert_eq!(at(SeekFrom::Current(-4)), (6, 1, 'c'));
        assert!(joined.seek(SeekFrom::Current(-9)).is_err());
    }

    #[test]
    fn archives_side_by_side_and_texts_are_no_parts() {
        let archives = folder_of(&[
            ("node-01", b"PK\x03\x04a"),
            ("node-02", b"PK\x03\x04b"),
            ("log.001", b"x"),
            ("log.002", b"y"),
        ]);
        let count = |name: &str| parts(&archives.path().join(name)).unwrap().len();
        assert_eq!((count("node-01"), count("log.001"), count("node-02")), (0, 0, 0));
    }

    #[test]
    fn a_later_part_knows_its_first() {
        let folder = folder_of(&[
            ("b.001", b"\x1f\x8b\x08a"),
            ("b.002", b"c"),
            ("xaa", b"\x1f\x8b\x08a"),
            ("xab", b"c"),
            ("b.004", b"d"),
        ]);
        let first = |name: &str| first_part(&folder.path().join(name)).map(|path| path.file_name().unwrap().to_owned());
        assert_eq!(first("b.002").unwrap(), "b.001");
        assert_eq!(first("xab").unwrap(), "xaa");
        assert!(first("b.004").is_none() && first("b.001").is_none() && first("none.002").is_none());
    }
}
