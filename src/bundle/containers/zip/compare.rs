//! Comparison of the directory with the headers of the entries. A collector writes the same into both, so a difference is
//! damage, or the directory of another archive: of one that the last entry before the cut holds.

use std::io::{self, Read, Seek};

use crate::bundle::containers::zip::header::{self, Header, Next};
use crate::bundle::containers::zip::name;
use crate::bundle::containers::zip::record::Record;

/// Differences between the directory and the headers.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Differences {
    /// Entries whose header has another name, by their place in the directory, with that name.
    pub names: Vec<(usize, String)>,
    /// True if an entry begins where the directory has none.
    pub unlisted: bool,
    /// True if the archive begins with such an entry.
    pub foreign: bool,
}

/// Reads the header of each record; `names` are those of the directory.
///
/// # Errors
/// If the archive cannot be read; the end of the archive is not an error.
pub(super) fn compare<R: Read + Seek>(source: &mut R, records: &[Record], names: &[&str]) -> io::Result<Differences> {
    let mut entries: Vec<(usize, (&Record, &&str))> = records.iter().zip(names).enumerate().collect();
    entries.sort_by_key(|(_, (record, _))| record.header);
    let mut found = Differences::default();
    // Where the next entry may begin; unknown after an unreadable header.
    let mut free = Some(0);
    for (index, (record, name)) in entries {
        let begins = begins_before(source, free, record.header)?;
        found.unlisted |= begins;
        found.foreign |= begins && free == Some(0);
        let Some(own) = Header::read(source, record.header)? else {
            free = None;
            continue;
        };
        free = Some(end(source, &own, record)?);
        let own = name::text(&own.name);
        if is_another(name, &own) {
            found.names.push((index, own.into_owned()));
        }
    }
    found.unlisted |= begins_before(source, free, u64::MAX)?;
    Ok(found)
}

fn begins_before<R: Read + Seek>(source: &mut R, free: Option<u64>, next: u64) -> io::Result<bool> {
    match free.filter(|free| *free < next) {
        Some(free) => Ok(header::next(source, free)? == Next::Entry),
        None => Ok(false),
    }
}

/// Returns the end of an entry with its descriptor.
fn end<R: Read + Seek>(source: &mut R, own: &Header, record: &Record) -> io::Result<u64> {
    let end = own.data.saturating_add(record.stored);
    let descriptor = match own.streamed() {
        true => header::descriptor(source, end, record.stored, Some(record.size))?,
        false => None,
    };
    Ok(descriptor.map_or(end, |descriptor| descriptor.end))
}

/// Returns true if one of two names is damaged. Damage keeps the length; programs that write two names on purpose use two
/// encodings or separators.
fn is_another(listed: &str, own: &str) -> bool {
    let plain = |c: char| if c == '\\' { '/' } else { c };
    listed.chars().count() == own.chars().count() && !listed.chars().map(plain).eq(own.chars().map(plain))
}
