//! The line that a rule is made of: its entry, and the lines around it.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read};
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};

use super::error::DraftError;
use crate::bundle::{Bundle, Entry};
use crate::model::encoding;
use crate::rule::error::did_you_mean;

/// Bytes of a line that are read.
const MAX_LINE: u64 = 64 << 10;
/// Lines before and after it that are kept.
const AROUND: usize = 200;

/// `ENTRY:LINE`, as reports print it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub entry: String,
    /// From 1.
    pub line: u64,
}

impl FromStr for Place {
    type Err = DraftError;

    fn from_str(text: &str) -> Result<Self, DraftError> {
        let parsed = text.rsplit_once(':').and_then(|(entry, line)| Some((entry, line.parse().ok()?)));
        match parsed {
            Some((entry, line)) if line > 0 && !entry.is_empty() => Ok(Self { entry: entry.to_owned(), line }),
            _ => Err(DraftError::Place(text.to_owned())),
        }
    }
}

/// A line of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    pub line: String,
    /// Lines after it, and before it from the nearest on.
    pub others: Vec<String>,
    /// The last header of a table above it.
    pub header: Option<String>,
}

impl Place {
    /// Finds the entry by its path, with or without the names of archives in it.
    ///
    /// # Errors
    /// There is no such entry; the nearest name is told.
    pub fn entry_of<'b>(&self, bundle: &'b Bundle) -> Result<&'b Entry, DraftError> {
        let entries = || bundle.entries().iter();
        let found = entries().find(|entry| *entry.path == *self.entry);
        found.or_else(|| entries().find(|entry| *entry.logical == *self.entry)).ok_or_else(|| {
            let whole = did_you_mean(&self.entry, entries().map(|entry| &*entry.path));
            // A name alone, or a path with a wrong folder.
            let name = |path: &'b str| path.rsplit('/').next().unwrap_or_default();
            let same = || entries().map(|entry| &*entry.path).find(|path| name(path) == name_of(&self.entry));
            let near =
                if whole.is_empty() { same().map(|path| format!("; did you mean \"{path}\"?")) } else { Some(whole) };
            DraftError::NoEntry { entry: self.entry.clone(), near: near.unwrap_or_default() }
        })
    }

    /// Reads the line.
    ///
    /// # Errors
    /// The entry has fewer lines.
    pub fn read(&self, bundle: &Bundle, entry: &Entry) -> Result<Excerpt, DraftError> {
        let found: Mutex<Result<Excerpt, u64>> = Mutex::new(Err(0));
        bundle.read(&|other| other.path == entry.path, &|_, reader| {
            *found.lock().unwrap_or_else(PoisonError::into_inner) = excerpt(reader, self.line);
        });
        let found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        found.map_err(|lines| DraftError::NoLine { entry: entry.path.to_string(), line: self.line, lines })
    }
}

fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

/// Returns the line and those around it, else the number of lines. What cannot be read ends the entry.
fn excerpt(reader: &mut dyn Read, number: u64) -> Result<Excerpt, u64> {
    let mut reader = BufReader::new(reader);
    let (mut before, mut header, mut read) = (VecDeque::new(), None, 0);
    while let Some(line) = next_line(&mut reader).unwrap_or_default() {
        read += 1;
        if read == number {
            let rest = std::iter::from_fn(|| next_line(&mut reader).unwrap_or_default()).take(AROUND);
            let others = rest.collect::<Vec<_>>().into_iter().chain(before.into_iter().rev()).collect();
            return Ok(Excerpt { line, others, header });
        }
        if is_header(&line) {
            header = Some(line.clone());
        }
        before.push_back(line);
        if before.len() > AROUND {
            before.pop_front();
        }
    }
    Err(read)
}

/// Reads a line without terminal sequences and other control characters; the end of a very long one is left out.
fn next_line(reader: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    reader.by_ref().take(MAX_LINE).read_until(b'\n', &mut bytes)?;
    if bytes.is_empty() {
        return Ok(None);
    }
    if !bytes.ends_with(b"\n") {
        reader.skip_until(b'\n')?;
    }
    Ok(Some(printable(&String::from_utf8_lossy(&encoding::utf8(bytes)))))
}

fn printable(line: &str) -> String {
    let mut out = String::new();
    let mut pieces = line.split('\u{1b}');
    out.extend(pieces.next());
    for piece in pieces {
        // `[31m`
        let end =
            piece.strip_prefix('[').and_then(|rest| rest.find(|c: char| c.is_ascii_alphabetic()).map(|at| at + 2));
        out.push_str(piece.get(end.unwrap_or(0)..).unwrap_or_default());
    }
    out.retain(|c| c == '\t' || !c.is_control());
    out
}

/// `NAMESPACE   NAME   READY   STATUS`
fn is_header(line: &str) -> bool {
    line.contains("NAME") && line.chars().all(|c| c.is_ascii_uppercase() || " -_()/%".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_an_entry_and_a_line() {
        let place: Place = "nodes/n1.zip!/a:b.log:12".parse().unwrap();
        assert_eq!((place.entry.as_str(), place.line), ("nodes/n1.zip!/a:b.log", 12));
        for text in ["a.log", "a.log:0", "a.log:x", ":3", "a.log:"] {
            assert_eq!(text.parse::<Place>(), Err(DraftError::Place(text.to_owned())));
        }
    }

    #[test]
    fn lines_are_read_with_those_around_them() {
        let text = "NAME   READY\none\n\u{1b}[31mtwo\u{1b}[0m\r\nthree";
        let found = excerpt(&mut text.as_bytes(), 3).unwrap();
        assert_eq!((found.line.as_str(), found.header.as_deref()), ("two", Some("NAME   READY")));
        assert_eq!(found.others, ["three", "one", "NAME   READY"]);
        assert_eq!(excerpt(&mut text.as_bytes(), 5), Err(4));
    }
}
