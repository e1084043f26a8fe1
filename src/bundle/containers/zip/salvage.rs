//! Entries of an archive whose directory is missing or damaged, found by their local headers.
//!
//! One pass from the start. An entry ends where its header says, if something that may follow an entry follows there;
//! otherwise a deflate stream ends by itself and its data descriptor confirms it, and stored data ends at the descriptor
//! that states its length and checksum. After damage the pass goes on at the next plausible header. Everything that is
//! read counts against one bound, a multiple of the archive's size, so no archive can make it crawl.

use std::io::{self, Read, Seek, SeekFrom};

use memchr::memmem::Finder;

use crate::bundle::containers::listing::{ListContext, MemberKind};
use crate::bundle::containers::zip::header::{self, Descriptor, Header, Next};
use crate::bundle::containers::zip::inflate::{End, Inflate};
use crate::bundle::containers::zip::name;
use crate::bundle::containers::zip::record::{Fault, Method, Record, method_name};
use crate::bundle::limits::Refusal;

/// Bytes read while looking for a signature: little at first, because the next entry is near as a rule.
const WINDOW: std::ops::RangeInclusive<usize> = 1 << 10..=256 << 10;

/// An entry that was found.
pub(super) struct Find {
    pub name: String,
    /// The name is said to be UTF-8 and is not.
    pub misnamed: bool,
    pub size: u64,
    pub what: MemberKind,
    pub record: Record,
}

/// What the pass gave.
#[derive(Default)]
pub(super) struct Salvage {
    pub finds: Vec<Find>,
    /// Bytes that belong to no entry.
    pub lost: u64,
    /// Why the pass ended early.
    pub stopped: Option<String>,
    /// It begins like the first part of a split archive.
    pub split: bool,
}

/// Looks for entries; those whose headers are `known` (with their stored bytes, sorted) are passed over.
///
/// # Errors
/// When the archive cannot be read; its end is no error.
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
    /// Where data is expanded to, only to be counted.
    chunk: Vec<u8>,
    found: Salvage,
}

/// An entry's data: how long it is, and where to go on.
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
                let (_, message) = self.scope.too_many();
                self.found.stopped = Some(message);
                break;
            }
            at = self.entry(&header)?.max(header.data);
        }
        if self.effort == 0 {
            self.found.stopped.get_or_insert_with(|| "it is too damaged to look for more".into());
        }
        Ok(self.found)
    }

    /// The next header at or behind a place; none where the directory or nothing follows.
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
                self.found.lost += if from == 0 { 0 } else { self.length.saturating_sub(at) };
                return Ok(None);
            };
            if let Some(header) = Header::read(self.source, start)?.filter(|header| header.data <= self.length) {
                self.found.lost += if at == 0 { 0 } else { start - at };
                return Ok(Some(header));
            }
            from = start + 4;
        }
    }

    /// The next place at or behind `from` that looks like a header.
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

    /// Reads some bytes; false at the end, or once too much was read.
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

    /// Takes one entry; returns where to go on.
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
        let what = if name.ends_with(['/', '\\']) { MemberKind::Folder } else { MemberKind::File };
        self.take(header, name, what, method, &extent);
        Ok(extent.next)
    }

    fn take(&mut self, header: &Header, name: String, what: MemberKind, method: Method, extent: &Extent) {
        let Extent { stored, size, crc, fault, .. } = *extent;
        let record = Record { header: header.start, stored, size, method, crc, fault };
        let misnamed = header.utf8() && std::str::from_utf8(&header.name).is_err();
        self.found.finds.push(Find { name, misnamed, size: extent.size, what, record });
    }

    /// Whether an entry may end at a place, and where the next begins.
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

    /// As the header says, if what follows agrees.
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

    /// Expands the data to see where it ends; none if that is too much.
    fn deflated(&mut self, header: &Header) -> io::Result<Option<Extent>> {
        self.source.seek(SeekFrom::Start(header.data))?;
        let mut inflate = Inflate::new(&mut *self.source);
        let (mut sum, mut size) = (crc32fast::Hasher::new(), 0u64);
        let mut chunk = std::mem::take(&mut self.chunk);
        // An error is told by `end`; others come again.
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
            self.found.stopped.get_or_insert_with(|| "it expands too far (--max-bytes, --max-ratio)".into());
            self.room = 0;
            return Ok(None);
        }
        self.room -= size;
        Ok(Some(match end {
            Some(End::Whole) => self.expanded(header, stored, size, sum.finalize())?,
            // Read again with all that follows, damaged data gives the same bytes.
            Some(End::Damaged) => self.part(header, size, Fault::Damaged, header.data),
            Some(End::Cut) | None => self.part(header, size, Fault::Cut, self.length),
        }))
    }

    /// A deflate stream that ended by itself: damage can make it, so something must confirm that it is whole.
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

    /// Stored data whose end the header does not tell, or not truly.
    fn stored(&mut self, header: &Header) -> io::Result<Extent> {
        if let Some(stored) = header.stated() {
            let fits = header.data.checked_add(stored).filter(|end| *end <= self.length);
            let end = fits.unwrap_or(self.length);
            let size = end - header.data;
            let fault = fits.is_none().then_some(Fault::Cut);
            return Ok(Extent { stored: size, size, crc: fits.map(|_| header.crc), fault, next: end });
        }
        if let Some((size, found)) = self.confirmed(header)? {
            return Ok(Extent { stored: size, size, crc: Some(found.crc), fault: None, next: found.end });
        }
        let end = self.signature(header.data)?;
        let fault = Some(if end.is_some() { Fault::Guessed } else { Fault::Cut });
        let end = end.unwrap_or(self.length);
        let size = end - header.data;
        Ok(Extent { stored: size, size, crc: None, fault, next: end })
    }

    /// The first signed descriptor that states just the bytes before it and their checksum.
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

    /// An entry that cannot be looked into.
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
