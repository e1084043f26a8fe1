//! Zip archives: listed by their central directory, members read in any order.

use std::io::{self, Read, Seek};

use zip::read::{OwnedZipFileEntry, ZipReadOptions};
use zip::unstable::read::ZipIterable;
use zip::{CompressionMethod, result::ZipError};

use crate::bundle::guard::damage;
use crate::bundle::listing::{Listing, Member, Scope, Store, What};
use crate::model::IssueKind;

/// Lists the archive.
///
/// # Errors
/// When there is no central directory, in words that follow "the zip archive".
pub(crate) fn list<R: Read + Seek>(source: R, stored: u64, scope: &Scope<'_>) -> Result<Listing, String> {
    let mut archive = ZipIterable::try_new(source, zip::read::Config::default()).map_err(no_directory)?;
    let mut listing = Listing { store: Store::Memory, members: Vec::new(), stored: Some(stored), trouble: Vec::new() };
    let mut records = Vec::new();
    for record in archive.files().map_err(no_directory)? {
        if records.len() >= scope.most_members() {
            listing.trouble.push(scope.too_many());
            break;
        }
        match record {
            Ok(record) => {
                let record = OwnedZipFileEntry::from(record);
                listing.members.push(member(&record));
                records.push(record);
            }
            Err(error) => listing.trouble.push((IssueKind::Archive, cut_directory(records.len(), &error))),
        }
    }
    listing.store = Store::Zip(records);
    Ok(listing)
}

fn no_directory(error: ZipError) -> String {
    match error {
        ZipError::Io(error) if error.kind() != io::ErrorKind::UnexpectedEof => format!("cannot be read ({error})"),
        ZipError::UnsupportedArchive(what) => format!("is of a kind that is not read ({what})"),
        _ => "is cut off: the central directory at its end is missing or damaged".into(),
    }
}

fn cut_directory(entries: usize, error: &ZipError) -> String {
    format!("the central directory is damaged after {entries} members; the rest was not read ({error})")
}

fn member(record: &OwnedZipFileEntry) -> Member {
    let name = match record.name() {
        Ok(name) => name.into_owned(),
        Err(_) => String::from_utf8_lossy(record.name_raw()).into_owned(),
    };
    Member { what: what(record, &name), name, size: record.size(), crc: Some(record.crc32()), format: None, held: None }
}

fn what(record: &OwnedZipFileEntry, name: &str) -> What {
    if record.is_dir() || name.ends_with(['/', '\\']) {
        What::Folder
    } else if record.is_symlink() {
        What::Link(String::new())
    } else if record.encrypted() {
        What::Encrypted
    } else {
        match record.compression() {
            CompressionMethod::Stored | CompressionMethod::Deflated => What::File,
            method => What::Method(method.to_string()),
        }
    }
}

/// Gives the expanded bytes of one member to `visit`; the reader compares size and checksum.
///
/// # Errors
/// When the member cannot be found, in words for an Issue.
pub(crate) fn read<R: Read + Seek>(
    record: &OwnedZipFileEntry,
    source: &mut R,
    visit: &mut dyn FnMut(&mut dyn Read),
) -> Result<(), String> {
    let mut file = record.as_ref().with_reader(source, ZipReadOptions::new()).map_err(|error| match error {
        ZipError::Io(error) => damage(&error),
        error => format!("cannot be read ({error})"),
    })?;
    visit(&mut file);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::limits::Limits;
    use crate::bundle::listing::Shelf;
    use crate::bundle::tests::samples;
    use std::io::Cursor;

    fn listed(bytes: &[u8], entries: u64) -> Result<Listing, String> {
        let (limits, shelf) = (Limits::default(), Shelf::default());
        let scope = Scope { limits: &limits, entries, bytes: u64::MAX, shelf: &shelf };
        list(Cursor::new(bytes), bytes.len() as u64, &scope)
    }

    #[test]
    fn members_have_size_and_checksum() {
        let listing = listed(&samples::zip(&[("a/x.yaml", b"abc"), ("b", b"")]), 10).unwrap();
        let seen: Vec<_> = listing.members.iter().map(|m| (m.name.as_str(), m.size, m.crc)).collect();
        assert_eq!(seen, [("a/x.yaml", 3, Some(0x352441c2)), ("b", 0, Some(0))]);
    }

    #[test]
    fn a_cut_archive_is_an_error_and_not_a_panic_at_any_length() {
        let whole = samples::zip(&[("a/x.yaml", b"abc"), ("b.log", &[b'x'; 300])]);
        for length in 0..whole.len() {
            assert!(listed(&whole[..length], 10).is_err(), "{length}");
        }
        assert!(listed(&whole[..40], 10).err().unwrap().contains("cut off"));
    }

    #[test]
    fn the_number_of_members_is_bounded() {
        let names: Vec<String> = (0..1030).map(|n| format!("{n}.log")).collect();
        let files: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b"x"[..])).collect();
        let listing = listed(&samples::zip(&files), 1).unwrap();
        assert_eq!(listing.members.len(), 1026);
        assert_eq!(listing.trouble[0].0, IssueKind::Limit);
    }

    #[test]
    fn a_damaged_member_gives_an_error_while_it_is_read() {
        let mut bytes = samples::stored_zip(&[("a.log", &b"hello world"[..])]);
        let at = bytes.windows(5).position(|window| window == b"hello").unwrap();
        bytes[at] = b'j';
        let listing = listed(&bytes, 10).unwrap();
        let Store::Zip(records) = &listing.store else { panic!("not a zip") };
        let mut outcome = None;
        read(&records[0], &mut Cursor::new(&bytes), &mut |reader| {
            outcome = Some(io::read_to_string(reader));
        })
        .unwrap();
        assert!(outcome.unwrap().is_err());
    }
}
