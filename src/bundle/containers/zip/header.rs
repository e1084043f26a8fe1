//! Headers around an entry's data: the local header before it and, if sizes were unknown when it was written, a data
//! descriptor after it (APPNOTE 4.3.7 and 4.3.9).

use std::io::{self, ErrorKind, Read, Seek, SeekFrom};

/// Signature of a local header.
pub(super) const LOCAL: [u8; 4] = *b"PK\x03\x04";
/// Signature of a data descriptor, which is optional; at the start of a file it marks a split archive.
pub(super) const DESCRIPTOR: [u8; 4] = *b"PK\x07\x08";
/// Signatures that may follow the entries: directory, end records, signatures.
const DIRECTORY: [[u8; 4]; 4] = [*b"PK\x01\x02", *b"PK\x05\x06", *b"PK\x06\x06", *b"PK\x06\x08"];

/// Size of a local header without name and extra fields.
pub(super) const FIXED: usize = 30;

/// Maximum size of a data descriptor.
pub(super) const LONGEST_DESCRIPTOR: u64 = 24;

const ENCRYPTED: u16 = 1;
const STREAMED: u16 = 1 << 3;
pub(super) const UTF8: u16 = 1 << 11;

/// Local header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header {
    /// Start of the header.
    pub start: u64,
    /// Start of the data.
    pub data: u64,
    flags: u16,
    pub method: u16,
    pub crc: u32,
    /// Size of the data in the archive.
    pub stored: u64,
    /// Expanded size of the data.
    pub size: u64,
    pub name: Vec<u8>,
}

/// Structure at a position in the archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    Entry,
    Directory,
    Other,
}

impl Header {
    pub fn encrypted(&self) -> bool {
        self.flags & ENCRYPTED != 0
    }

    /// Returns true if a data descriptor follows the data.
    pub fn streamed(&self) -> bool {
        self.flags & STREAMED != 0
    }

    /// Returns true if the name is declared as UTF-8.
    pub fn utf8(&self) -> bool {
        self.flags & UTF8 != 0
    }

    /// Returns the size of the data in the archive, if the header states it.
    pub fn stated(&self) -> Option<u64> {
        (!self.streamed() || self.stored != 0).then_some(self.stored)
    }

    /// Reads the header at `start`; returns none if there is no header.
    ///
    /// # Errors
    /// If the archive cannot be read; the end of the archive is not an error.
    pub fn read<R: Read + Seek>(source: &mut R, start: u64) -> io::Result<Option<Self>> {
        let mut fixed = [0; FIXED];
        source.seek(SeekFrom::Start(start))?;
        if !whole(source.read_exact(&mut fixed))? || !plausible(&fixed) {
            return Ok(None);
        }
        let (name_length, extra_length) = (usize::from(u16_at(&fixed, 26)), usize::from(u16_at(&fixed, 28)));
        // Both lengths are below 64 KiB.
        let mut text = vec![0; name_length + extra_length];
        if !whole(source.read_exact(&mut text))? {
            return Ok(None);
        }
        let extra = text.split_off(name_length);
        let (mut stored, mut size) = (u64::from(u32_at(&fixed, 18)), u64::from(u32_at(&fixed, 22)));
        enlarge(&extra, &mut size, &mut stored);
        Ok(Some(Self {
            start,
            data: start + (FIXED + name_length + extra_length) as u64,
            flags: u16_at(&fixed, 6),
            method: u16_at(&fixed, 8),
            crc: u32_at(&fixed, 14),
            stored,
            size,
            name: text,
        }))
    }
}

/// Returns the start of the data of the entry with a header at `start`; none if there is no header.
pub(super) fn data_start<R: Read + Seek>(source: &mut R, start: u64) -> io::Result<Option<u64>> {
    let mut fixed = [0; FIXED];
    source.seek(SeekFrom::Start(start))?;
    if !whole(source.read_exact(&mut fixed))? || !fixed.starts_with(&LOCAL) {
        return Ok(None);
    }
    let text = u64::from(u16_at(&fixed, 26)) + u64::from(u16_at(&fixed, 28));
    Ok(start.checked_add(FIXED as u64 + text))
}

/// Returns true if these bytes can begin an entry: the signature alone also occurs in compressed data.
pub(super) fn plausible(fixed: &[u8]) -> bool {
    let version = u16_at(fixed, 4) & 0xff;
    let name = u16_at(fixed, 26);
    let method = u16_at(fixed, 8);
    fixed.starts_with(&LOCAL)
        && version <= 63
        && (1..=4096).contains(&name)
        && (method <= 20 || (92..=99).contains(&method))
}

/// Detects the structure at a position.
pub(super) fn next<R: Read + Seek>(source: &mut R, at: u64) -> io::Result<Next> {
    let mut signature = [0; 4];
    source.seek(SeekFrom::Start(at))?;
    Ok(match whole(source.read_exact(&mut signature))? {
        true if signature == LOCAL => Next::Entry,
        true if DIRECTORY.contains(&signature) => Next::Directory,
        _ => Next::Other,
    })
}

/// Returns true if the archive begins like the first part of a split archive.
pub(super) fn is_split<R: Read + Seek>(source: &mut R) -> io::Result<bool> {
    let mut signature = [0; 4];
    source.seek(SeekFrom::Start(0))?;
    Ok(whole(source.read_exact(&mut signature))? && signature == DESCRIPTOR)
}

/// Data descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Descriptor {
    pub crc: u32,
    /// End of the descriptor.
    pub end: u64,
}

/// Reads the descriptor at `at` that states these sizes; it has four forms. Without `size` only a signed one is
/// accepted.
pub(super) fn descriptor<R: Read + Seek>(
    source: &mut R,
    at: u64,
    stored: u64,
    size: Option<u64>,
) -> io::Result<Option<Descriptor>> {
    let mut bytes = Vec::with_capacity(28);
    source.seek(SeekFrom::Start(at))?;
    source.take(28).read_to_end(&mut bytes)?;
    let fits = |found: (u64, u64)| found.0 == stored && size.is_none_or(|size| size == found.1);
    let signed = bytes.strip_prefix(&DESCRIPTOR[..]);
    let bodies = [(signed, 4), (size.is_some().then_some(&bytes[..]), 0)];
    let forms =
        bodies.into_iter().filter_map(|(body, signature)| Some((body?, signature))).flat_map(|(body, signature)| {
            let short = body.len() >= 12 && fits((u32_at(body, 4).into(), u32_at(body, 8).into()));
            let long = body.len() >= 20 && fits((u64_at(body, 4), u64_at(body, 12)));
            [(short, 12), (long, 20)]
                .into_iter()
                .filter(|(fits, _)| *fits)
                .map(move |(_, length)| (body, signature, length))
        });
    // If both lengths match, the one followed by a known structure, or by the end, is right.
    let follows = |(body, _, length): &(&[u8], usize, usize)| {
        body.get(*length..).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"PK"))
    };
    let found = forms.clone().find(follows).or_else(|| forms.clone().next());
    Ok(found
        .map(|(body, signature, length)| Descriptor { crc: u32_at(body, 0), end: at + (signature + length) as u64 }))
}

/// Reads sizes of 4 GiB and more from the zip64 extra field.
fn enlarge(mut extra: &[u8], size: &mut u64, stored: &mut u64) {
    while let Some((head, rest)) = extra.split_at_checked(4) {
        let (id, length) = (u16_at(head, 0), usize::from(u16_at(head, 2)));
        let Some((field, next)) = rest.split_at_checked(length) else { return };
        if id == 1 {
            let mut values = field.chunks_exact(8).map(|value| u64_at(value, 0));
            for place in [size, stored] {
                if *place == u64::from(u32::MAX) {
                    *place = values.next().unwrap_or(*place);
                }
            }
            return;
        }
        extra = next;
    }
}

fn whole(read: io::Result<()>) -> io::Result<bool> {
    match read {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    bytes.get(at..at + 2).and_then(|two| two.try_into().ok()).map_or(0, u16::from_le_bytes)
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).and_then(|four| four.try_into().ok()).map_or(0, u32::from_le_bytes)
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..at + 8).and_then(|eight| eight.try_into().ok()).map_or(0, u64::from_le_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    #[test]
    fn a_descriptor_is_known_in_all_its_forms() {
        let (crc, short, long) = (7u32.to_le_bytes(), [3u32.to_le_bytes(), 5u32.to_le_bytes()].concat(), {
            [3u64.to_le_bytes(), 5u64.to_le_bytes()].concat()
        });
        for (sizes, signed, length) in [(&short, true, 16), (&short, false, 12), (&long, true, 24), (&long, false, 20)]
        {
            let mark: &[u8] = if signed { &DESCRIPTOR } else { b"" };
            let bytes = [b"data", mark, &crc, sizes, &[0xff; 30]].concat();
            let mut source = Cursor::new(&bytes);
            let found = descriptor(&mut source, 4, 3, Some(5)).unwrap();
            assert_eq!(found, Some(Descriptor { crc: 7, end: 4 + length }), "{signed} {length}");
            assert_eq!(descriptor(&mut source, 4, 3, None).unwrap().is_some(), signed);
            assert_eq!(descriptor(&mut source, 4, 4, Some(5)).unwrap(), None);
        }
    }

    #[test]
    fn zip64_sizes_are_read_from_the_extra_field() {
        let mut extra = [&[9, 0, 2, 0, 0, 0], &[1u8, 0, 16, 0][..]].concat();
        extra.extend((5u64 << 32).to_le_bytes());
        extra.extend((4u64 << 32).to_le_bytes());
        let (mut size, mut stored) = (u64::from(u32::MAX), u64::from(u32::MAX));
        enlarge(&extra, &mut size, &mut stored);
        assert_eq!((size, stored), (5 << 32, 4 << 32));
        let (mut size, mut stored) = (7, 8);
        enlarge(&extra[..extra.len() - 1], &mut size, &mut stored);
        assert_eq!((size, stored), (7, 8));
    }
}
