//! Recovery of entries from an archive without a valid directory, by their local headers.
//!
//! One pass from the start. An entry ends at its stated size, if a valid structure follows there. Otherwise a deflate
//! stream marks its own end and its data descriptor confirms it, and stored data ends at the descriptor that states
//! its length and checksum. After damage the pass continues at the next plausible header. All bytes read count against
//! one limit, a multiple of the archive's size, which limits the time for any archive.

use std::io::{self, Read, Seek, SeekFrom};

use memchr::memmem::Finder;

use crate::bundle::containers::listing::{ListContext, MemberKind};
use crate::bundle::containers::zip::header::{self, Descriptor, Header, Next};
use crate::bundle::containers::zip::inflate::{End, Inflate};
use crate::bundle::containers::zip::name;
use crate::bundle::containers::zip::record::{Fault, Method, Record, method_name};
use crate::bundle::limits::Refusal;
use crate::model::message::RecoveryEnd;

/// Bytes read while searching for a signature: few at first, because the next entry is usually near.
const WINDOW: std::ops::RangeInclusive<usize> = 1 << 10..=256 << 10;

/// Recovered entry.
pub(super) struct Find {
    pub name: String,
    /// True if the name is declared as UTF-8 and is not.
    pub misnamed: bool,
    pub size: u64,
    pub what: MemberKind,
    pub record: Record,
}

/// Result of the pass.
#[derive(Default)]
pub(super) struct Salvage {
    pub finds: Vec<Find>,
    /// Bytes that belong to no entry.
    pub unassigned: u64,
    /// Reason why the pass ended early.
    pub stopped: Option<RecoveryEnd>,
    /// True if the archive begins like the first part of a split archive.
    pub split: bool,
}

/// Searches for entries; skips those whose headers are `known` (with their stored sizes, sorted).
///
/// # Errors
/// If the archive cannot be read; the end of the archive is not an error.
pub(super) fn scan<R: Read + Seek>(
    source: &mut R,
    length: u64,
    known: &[(u64, u64)],
    scope: &ListContext<'_>,
) -> io::Result<Salvage> {
    let room = scope.limits.expanded(length).min(scope.bytes);
    let effort = length.saturating_mul(6).saturating_add(64 << 20);
    let scan = Scan { source, length, known, scope, room, effort, chunk: vec![0; 64 << 10], found: Salvage::default() };
    scan.run()
}

struct Scan<'a, 's, R> {
    source: &'a mut R,
    length: u64,
    known: &'a [(u64, u64)],
    scope: &'a ListContext<'s>,
    /// Bytes that may still be expanded.
    room: u64,
    /// Bytes that may still be read.
    effort: u64,
    /// Buffer for expanded data, which is only counted.
    chunk: Vec<u8>,
    found: Salvage,
}

/// Length of an entry's data, and the position to continue at.
struct Extent {
    stored: u64,
    size: u64,
    crc: Option<u32>,
    fault: Option<Fault>,
    next: u64,
}

impl<R: Read + Seek> Scan<'_, '_, R> {
    fn run(mut self) -> io::Result<Salvage> {
        self.found.split = header::is_split(self.source)?;
        let mut at = 0;
        while self.effort > 0
            && let Some(header) = self.header(at)?
        {
            if self.found.finds.len() >= self.scope.most_members() {
                self.found.stopped = Some(RecoveryEnd::TooManyMembers { most: self.scope.most_members() });
                break;
            }
            at = self.entry(&header)?.max(header.data);
        }
        if self.effort == 0 {
            self.found.stopped.get_or_insert(RecoveryEnd::TooDamaged);
        }
        Ok(self.found)
    }

    /// Returns the next header at or after a position; none if the directory or nothing follows.
    fn header(&mut self, at: u64) -> io::Result<Option<Header>> {
        match header::next(self.source, at)? {
            Next::Directory => return Ok(None),
            Next::Entry => {
                if let Some(header) = Header::read(self.source, at)?.filter(|header| header.data <= self.length) {
                    self.effort = self.effort.saturating_sub(header.data - at);
                    return Ok(Some(header));
                }
            }
            Next::Other => {}
        }
        let mut from = at;
        loop {
            let Some(start) = self.signature(from)? else {
                self.found.unassigned += if from == 0 { 0 } else { self.length.saturating_sub(at) };
                return Ok(None);
            };
            if let Some(header) = Header::read(self.source, start)?.filter(|header| header.data <= self.length) {
                self.found.unassigned += if at == 0 { 0 } else { start - at };
                return Ok(Some(header));
            }
            from = start + 4;
        }
    }

    /// Returns the next position at or after `from` that looks like a header.
    fn signature(&mut self, mut from: u64) -> io::Result<Option<u64>> {
        let finder = Finder::new(&header::LOCAL);
        let mut window = Vec::new();
        let mut size = *WINDOW.start();
        while self.fill(from, size, &mut window)? {
            for at in finder.find_iter(&window) {
                let fixed = window.get(at..at + header::FIXED).unwrap_or_default();
                if header::plausible(fixed) {
                    return Ok(Some(from + at as u64));
                }
            }
            // A header may begin in the last bytes.
            let done = window.len().saturating_sub(header::FIXED - 1);
            if done == 0 || window.len() < size {
                return Ok(None);
            }
            from += done as u64;
            size = (size * 2).min(*WINDOW.end());
        }
        Ok(None)
    }

    /// Reads some bytes; returns false at the end or if the read limit is exceeded.
    fn fill(&mut self, from: u64, size: usize, window: &mut Vec<u8>) -> io::Result<bool> {
        window.clear();
        if self.effort == 0 {
            return Ok(false);
        }
        self.source.seek(SeekFrom::Start(from))?;
        self.source.take(size as u64).read_to_end(window)?;
        self.effort = self.effort.saturating_sub(window.len() as u64);
        Ok(!window.is_empty())
    }

    /// Adds one entry; returns the position to continue at.
    fn entry(&mut self, header: &Header) -> io::Result<u64> {
        let name = name::text(&header.name).into_owned();
        let place = self.known.binary_search_by_key(&header.start, |known| known.0);
        if let Some((_, stored)) = place.ok().and_then(|place| self.known.get(place)) {
            let end = header.data.saturating_add(*stored);
            return Ok(self.border(header, end, None)?.map_or(end, |next| next.end).min(self.length));
        }
        let extent = match (self.stated(header)?, Method::of(header.method)) {
            (Some(extent), Some(method)) if !header.encrypted() => Some((extent, method)),
            (None, Some(Method::Stored)) if !header.encrypted() => Some((self.stored(header)?, Method::Stored)),
            (None, Some(Method::Deflate)) if !header.encrypted() => {
                self.deflated(header)?.map(|extent| (extent, Method::Deflate))
            }
            (stated, _) => return self.opaque(header, name, stated),
        };
        let Some((extent, method)) = extent else {
            self.take(header, name, MemberKind::Refused(Refusal::Ratio), Method::Deflate, &Extent::nothing(header));
            return Ok(header.data);
        };
        let what = if name::is_folder(&name, extent.size) { MemberKind::Folder } else { MemberKind::File };
        self.take(header, name, what, method, &extent);
        Ok(extent.next)
    }

    fn take(&mut self, header: &Header, name: String, what: MemberKind, method: Method, extent: &Extent) {
        let Extent { stored, size, crc, fault, .. } = *extent;
        let record = Record { header: header.start, stored, size, method, crc, fault };
        let misnamed = header.utf8() && std::str::from_utf8(&header.name).is_err();
        self.found.finds.push(Find { name, misnamed, size: extent.size, what, record });
    }

    /// Returns the checksum and the start of the next structure if an entry may end at `end`; otherwise none.
    fn border(&mut self, header: &Header, end: u64, size: Option<u64>) -> io::Result<Option<Descriptor>> {
        if end > self.length {
            return Ok(None);
        }
        if header.streamed() {
            let found = header::descriptor(self.source, end, end - header.data, size)?;
            if found.is_some_and(|found| found.end <= self.length) {
                return Ok(found);
            }
        }
        let follows = end == self.length || header::next(self.source, end)? != Next::Other;
        Ok(follows.then_some(Descriptor { crc: header.crc, end }))
    }

    /// Returns the extent that the header states, if a valid structure follows.
    fn stated(&mut self, header: &Header) -> io::Result<Option<Extent>> {
        let Some(stored) = header.stated() else { return Ok(None) };
        let Some(end) = header.data.checked_add(stored) else { return Ok(None) };
        let border = self.border(header, end, (header.size != 0).then_some(header.size))?;
        Ok(border.map(|next| Extent {
            stored,
            size: header.size,
            crc: Some(if header.crc == 0 { next.crc } else { header.crc }),
            fault: None,
            next: next.end,
        }))
    }

    /// Expands the data to find its end; returns none if that exceeds the limit.
    fn deflated(&mut self, header: &Header) -> io::Result<Option<Extent>> {
        self.source.seek(SeekFrom::Start(header.data))?;
        let mut inflate = Inflate::new(&mut *self.source);
        let (mut sum, mut size) = (crc32fast::Hasher::new(), 0u64);
        let mut chunk = std::mem::take(&mut self.chunk);
        // `end` reports damage; other errors occur again.
        while let Ok(count @ 1..) = inflate.read(&mut chunk) {
            sum.update(chunk.get(..count).unwrap_or_default());
            size += count as u64;
            if size > self.room {
                break;
            }
        }
        let (end, stored) = (inflate.end(), inflate.used());
        self.chunk = chunk;
        self.effort = self.effort.saturating_sub(stored);
        if size > self.room {
            self.found.stopped.get_or_insert(RecoveryEnd::ExpandsTooFar);
            self.room = 0;
            return Ok(None);
        }
        self.room -= size;
        Ok(Some(match end {
            Some(End::Whole) => self.expanded(header, stored, size, sum.finalize())?,
            // If it is read again with all following bytes, damaged data expands to the same bytes.
            Some(End::Damaged) => self.part(header, size, Fault::Damaged, header.data),
            Some(End::Truncated) | None => self.part(header, size, Fault::Truncated, self.length),
        }))
    }

    /// Returns the extent of a deflate stream that marks its end: damage can cause an end mark, so a checksum or the
    /// next structure must confirm it.
    fn expanded(&mut self, header: &Header, stored: u64, size: u64, sum: u32) -> io::Result<Extent> {
        let end = header.data + stored;
        let next = self.border(header, end, Some(size))?;
        let stated = if header.crc == 0 { next.map(|next| next.crc) } else { Some(header.crc) };
        let ends_here = self.length - end < header::LONGEST_DESCRIPTOR;
        if stated.is_some_and(|crc| crc == sum || crc == 0) || ends_here {
            return Ok(Extent { stored, size, crc: Some(sum), fault: None, next: next.map_or(end, |next| next.end) });
        }
        let next = next.map_or(header.data, |next| next.end);
        Ok(self.part(header, size, Fault::Damaged, next))
    }

    fn part(&self, header: &Header, size: u64, fault: Fault, next: u64) -> Extent {
        Extent { stored: self.length - header.data, size, crc: None, fault: Some(fault), next }
    }

    /// Returns the extent of stored data whose length the header does not state, or states wrongly.
    fn stored(&mut self, header: &Header) -> io::Result<Extent> {
        if let Some(stored) = header.stated() {
            let fits = header.data.checked_add(stored).filter(|end| *end <= self.length);
            let end = fits.unwrap_or(self.length);
            let size = end - header.data;
            let fault = fits.is_none().then_some(Fault::Truncated);
            return Ok(Extent { stored: size, size, crc: fits.map(|_| header.crc), fault, next: end });
        }
        if let Some((size, found)) = self.confirmed(header)? {
            return Ok(Extent { stored: size, size, crc: Some(found.crc), fault: None, next: found.end });
        }
        let end = self.signature(header.data)?;
        let fault = Some(if end.is_some() { Fault::Guessed } else { Fault::Truncated });
        let end = end.unwrap_or(self.length);
        let size = end - header.data;
        Ok(Extent { stored: size, size, crc: None, fault, next: end })
    }

    /// Returns the first signed descriptor that states the exact length and checksum of the bytes before it.
    fn confirmed(&mut self, header: &Header) -> io::Result<Option<(u64, Descriptor)>> {
        let finder = Finder::new(&header::DESCRIPTOR);
        let (mut sum, mut summed) = (crc32fast::Hasher::new(), header.data);
        let (mut from, mut size, mut window) = (header.data, *WINDOW.start(), Vec::new());
        while self.fill(from, size, &mut window)? {
            for place in finder.find_iter(&window) {
                let at = from + place as u64;
                let stored = at - header.data;
                let Some(found) = header::descriptor(self.source, at, stored, None)? else { continue };
                sum.update(window.get(index(summed, from)..place).unwrap_or_default());
                summed = at;
                if sum.clone().finalize() == found.crc {
                    return Ok(Some((stored, found)));
                }
            }
            let done = if window.len() < size { window.len() } else { window.len() - 3 };
            sum.update(window.get(index(summed, from)..done).unwrap_or_default());
            from += done as u64;
            summed = from;
            size = (size * 2).min(*WINDOW.end());
        }
        Ok(None)
    }

    /// Adds an entry whose content cannot be inspected.
    fn opaque(&mut self, header: &Header, name: String, stated: Option<Extent>) -> io::Result<u64> {
        let what =
            if header.encrypted() { MemberKind::Encrypted } else { MemberKind::Method(method_name(header.method)) };
        let next = match stated {
            Some(extent) => extent.next,
            None => self.signature(header.data)?.unwrap_or(self.length),
        };
        self.take(header, name, what, Method::Stored, &Extent::nothing(header));
        Ok(next)
    }
}

impl Extent {
    fn nothing(header: &Header) -> Self {
        Self { stored: 0, size: 0, crc: None, fault: None, next: header.data }
    }
}

fn index(place: u64, from: u64) -> usize {
    usize::try_from(place.saturating_sub(from)).unwrap_or(usize::MAX)
}
