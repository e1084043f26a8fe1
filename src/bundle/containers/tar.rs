//! Tar archives, plain or compressed: read in one pass, members in archive order.
//!
//! [`walk`] is the pass; [`list`] inspects every member and keeps the content of small archives.

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

use crate::bundle::containers::detect;
use crate::bundle::containers::listing::{ListContext, Listing, Member, MemberKind, Store};
use crate::bundle::containers::packing::Packing;
use crate::bundle::containers::sparse::Sparse;
use crate::bundle::containers::tally::Tally;
use crate::bundle::limits::Refusal;
use crate::bundle::path::printable;
use crate::model::IssueKind;
use crate::model::message::{ArchiveProblem, Examples};

/// Maximum bytes between two members: the tar library reads long names and PAX records into memory.
const BETWEEN: u64 = 1 << 20;

/// Block size of tar.
const BLOCK: u64 = 512;

/// Maximum number of example names in a message.
const EXAMPLES: usize = 3;

/// Maximum size of a member that is kept in memory.
const KEPT: u64 = 8 << 20;
/// Maximum size of a nested archive that is kept in memory.
const KEPT_ARCHIVE: u64 = 48 << 20;

/// Length of the name in a header. A longer one stands before it, without a checksum; the header has its beginning.
const NAME: usize = 100;

/// Maximum number of bytes in which a damaged name differs from its beginning.
const DIFFERENCES: usize = 2;

/// Current member of the pass.
pub(crate) struct Step<'a> {
    /// Position in the archive, counting links and folders.
    pub index: usize,
    pub name: String,
    pub size: u64,
    /// Bytes in the archive; fewer than `size` if the member has holes.
    pub stored: u64,
    pub what: MemberKind,
    /// True if the name contradicted the header and was corrected.
    pub misnamed: bool,
    pub data: &'a mut dyn Read,
}

/// Reads an expanded archive, at most `allowed` bytes of it, until `each` returns false. Continues after a damaged
/// header at the next valid one. Returns the faults found.
pub(crate) fn walk(
    source: &mut dyn Read,
    allowed: u64,
    each: &mut dyn FnMut(Step<'_>) -> bool,
) -> Option<(IssueKind, ArchiveProblem)> {
    let gauge = Rc::new(Gauge::new(allowed));
    let mut metered = Metered { inner: source, back: Vec::new(), gauge: Rc::clone(&gauge) };
    let (mut index, mut skipped, mut damaged) = (0, 0, None);
    while let Some(error) = members(&mut metered, &mut index, each) {
        let error = match error {
            Stop::Asked => return None,
            Stop::Error(error) => error,
        };
        let trouble = gauge.trouble(index, &error);
        damaged.get_or_insert(index);
        match metered.next_header() {
            Some(bytes) => skipped += bytes,
            None => return Some(trouble),
        }
    }
    let damaged = damaged.map(|members| ArchiveProblem::TarSkipped { members, skipped });
    let truncated = || (gauge.zeros_after_members() < BLOCK).then_some(ArchiveProblem::TarWithoutEnd);
    damaged.or_else(truncated).map(|problem| (IssueKind::Archive, problem))
}

/// Reason why a pass ends early.
enum Stop {
    Asked,
    Error(io::Error),
}

/// Reads members to the end, or to an unreadable header.
fn members(metered: &mut Metered<'_>, index: &mut usize, each: &mut dyn FnMut(Step<'_>) -> bool) -> Option<Stop> {
    let gauge = Rc::clone(&metered.gauge);
    gauge.fuse.set(BETWEEN);
    let mut archive = tar::Archive::new(metered);
    archive.set_ignore_zeros(true);
    let entries = match archive.entries() {
        Ok(entries) => entries,
        Err(error) => return Some(Stop::Error(error)),
    };
    for entry in entries {
        let mut entry = match entry {
            Ok(entry) => entry,
            Err(error) => return Some(Stop::Error(error)),
        };
        let (before, begin) = (gauge.left.get(), gauge.read.get());
        gauge.fuse.set(u64::MAX);
        let (stored, goes_on) = step(&mut entry, *index, each);
        gauge.members_end.set(begin.saturating_add(padded(stored)));
        *index += 1;
        if !goes_on {
            return Some(Stop::Asked);
        }
        let used = before.saturating_sub(gauge.left.get());
        gauge.fuse.set(BETWEEN.saturating_add(stored.saturating_sub(used)));
    }
    None
}

/// Returns the bytes that a member takes in whole blocks.
fn padded(stored: u64) -> u64 {
    stored.checked_next_multiple_of(BLOCK).unwrap_or(u64::MAX)
}

/// Passes one member to `each`; returns its bytes in the archive and the result of `each`.
fn step<R: Read>(entry: &mut tar::Entry<'_, R>, index: usize, each: &mut dyn FnMut(Step<'_>) -> bool) -> (u64, bool) {
    let (what, size, corrected) = (what(entry), entry.size(), corrected_name(entry));
    let misnamed = corrected.is_some();
    let name = corrected.unwrap_or_else(|| name(entry));
    if let Some(mut sparse) = sparse(entry) {
        let name = sparse.name.take().unwrap_or(name);
        let mut data = sparse.reader(&mut *entry);
        let whole = data.size();
        return (size, each(Step { index, name, size: whole, stored: size, what, misnamed, data: &mut data }));
    }
    let stored =
        if entry.header().entry_type().is_gnu_sparse() { entry.header().entry_size().unwrap_or(0) } else { size };
    (stored, each(Step { index, name, size, stored, what, misnamed, data: entry }))
}

/// Returns the holes from a PAX header; the tar library has already read and checked these records.
fn sparse<R: Read>(entry: &mut tar::Entry<'_, R>) -> Option<Sparse> {
    let records = entry.pax_extensions().ok()??;
    Sparse::of(records.filter_map(Result::ok).filter_map(|record| Some((record.key().ok()?, record.value_bytes()))))
}

fn name<R: Read>(entry: &tar::Entry<'_, R>) -> String {
    String::from_utf8_lossy(&entry.path_bytes()).into_owned()
}

/// Returns the name of a member whose long name differs from the beginning of it that the header repeats, but by so little that
/// it is no other name. The header has a checksum.
fn corrected_name<R: Read>(entry: &tar::Entry<'_, R>) -> Option<String> {
    let (long, short) = (entry.path_bytes(), &entry.header().as_old().name);
    let (begin, rest) = long.split_at_checked(NAME).filter(|_| !short.contains(&0))?;
    let differences = begin.iter().zip(short).filter(|(a, b)| a != b).count();
    let is_damaged = (1..=DIFFERENCES).contains(&differences);
    is_damaged.then(|| String::from_utf8_lossy(&[short.as_slice(), rest].concat()).into_owned())
}

fn what<R: Read>(entry: &tar::Entry<'_, R>) -> MemberKind {
    let kind = entry.header().entry_type();
    // A global PAX header describes other members and is not a file.
    // The oldest format has no type for folders.
    let is_folder = entry.size() == 0 && entry.path_bytes().ends_with(b"/");
    if kind.is_dir() || kind.is_pax_global_extensions() || is_folder {
        MemberKind::Folder
    } else if kind.is_symlink() || kind.is_hard_link() {
        let target = entry.link_name_bytes().map(|target| String::from_utf8_lossy(&target).into_owned());
        MemberKind::Link(target.unwrap_or_default())
    } else if kind.is_file() || kind.is_contiguous() || kind.is_gnu_sparse() {
        MemberKind::File
    } else {
        MemberKind::Special
    }
}

/// Bytes that the tar library may still read, shared with the loop that drives it.
struct Gauge {
    left: Cell<u64>,
    fuse: Cell<u64>,
    /// Number of zero bytes read last: an archive ends with blocks of them.
    zeros: Cell<u64>,
    read: Cell<u64>,
    /// Bytes up to the end of the last member, its padding included.
    members_end: Cell<u64>,
    /// True if the source failed and returns no more data.
    failed: Cell<bool>,
}

impl Gauge {
    fn new(left: u64) -> Self {
        let zero = || Cell::new(0);
        let failed = Cell::new(false);
        Self { left: Cell::new(left), fuse: zero(), zeros: zero(), read: zero(), members_end: zero(), failed }
    }

    /// Returns the number of zero bytes at the end that belong to no member: a log may end with zeros, too.
    fn zeros_after_members(&self) -> u64 {
        self.zeros.get().min(self.read.get().saturating_sub(self.members_end.get()))
    }

    fn trouble(&self, members: usize, error: &io::Error) -> (IssueKind, ArchiveProblem) {
        if self.left.get() == 0 {
            (IssueKind::Limit, ArchiveProblem::TarExpandsTooFar { members })
        } else if self.fuse.get() == 0 {
            (IssueKind::Limit, ArchiveProblem::TarGap { most: BETWEEN, members })
        } else {
            (IssueKind::Archive, ArchiveProblem::TarUnreadable { members, error: error.to_string() })
        }
    }
}

struct Metered<'a> {
    inner: &'a mut dyn Read,
    /// Bytes to read again, in reverse order.
    back: Vec<u8>,
    gauge: Rc<Gauge>,
}

impl Metered<'_> {
    /// Skips whole blocks up to the next header, which will be read again. Returns the skipped bytes; none if there is
    /// no further header or a limit was reached.
    fn next_header(&mut self) -> Option<u64> {
        if self.gauge.failed.get() || self.gauge.left.get() == 0 || self.gauge.fuse.get() == 0 {
            return None;
        }
        self.gauge.fuse.set(u64::MAX);
        let odd = (BLOCK - self.gauge.read.get() % BLOCK) % BLOCK;
        io::copy(&mut self.take(odd), &mut io::sink()).ok()?;
        // The block with the wrong checksum has been read.
        let mut passed = BLOCK + odd;
        let mut block = [0; BLOCK as usize];
        loop {
            self.read_exact(&mut block).ok()?;
            if detect::is_tar(&block) {
                self.back = block.iter().rev().copied().collect();
                return Some(passed);
            }
            passed += BLOCK;
        }
    }

    fn charge(&self, read: &[u8]) {
        let (gauge, count) = (&self.gauge, read.len() as u64);
        let zeros = read.iter().rev().take_while(|byte| **byte == 0).count() as u64;
        gauge.zeros.set(if zeros == count { gauge.zeros.get().saturating_add(zeros) } else { zeros });
        gauge.left.set(gauge.left.get().saturating_sub(count));
        gauge.fuse.set(gauge.fuse.get().saturating_sub(count));
        gauge.read.set(gauge.read.get().saturating_add(count));
    }
}

impl Read for Metered<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let (Some(first), Some(last)) = (buffer.first_mut(), self.back.pop()) {
            *first = last;
            return Ok(1);
        }
        let most = self.gauge.left.get().min(self.gauge.fuse.get());
        let room = usize::try_from(most).unwrap_or(usize::MAX).min(buffer.len());
        if room == 0 && !buffer.is_empty() {
            return Err(io::Error::other("a limit was reached"));
        }
        let window = buffer.get_mut(..room).unwrap_or_default();
        let count = self.inner.read(window).inspect_err(|error| {
            self.gauge.failed.set(error.kind() != io::ErrorKind::Interrupted);
        })?;
        self.charge(window.get(..count).unwrap_or_default());
        Ok(count)
    }
}

/// Lists an expanded archive, which is read to its end. `packing` is its compression, `stored` its compressed size.
pub(crate) fn list(source: &mut dyn Read, packing: Option<Packing>, stored: u64, scope: &ListContext<'_>) -> Listing {
    let allowed = if packing.is_some() { allowed(stored, scope) } else { u64::MAX };
    let mut members = Vec::new();
    let mut trouble = Vec::new();
    let mut truncated = false;
    let mut misnamed = Vec::new();
    let mut holes = scope.limits.expanded(stored).min(scope.bytes);
    let end = walk(source, allowed, &mut |step| {
        if members.len() >= scope.most_members() {
            trouble.push(scope.too_many());
            return false;
        }
        // A header of a few bytes can declare holes of any size, and each is read to its end.
        let fits = holes.checked_sub(step.size.saturating_sub(step.stored));
        holes = fits.unwrap_or(holes);
        misnamed.extend(step.misnamed.then(|| printable(&step.name)));
        let (member, damaged) = inspect(step, scope, fits.is_some());
        truncated |= damaged.is_some();
        trouble.extend(damaged.map(|problem| (IssueKind::Archive, problem)));
        members.push(member);
        true
    });
    if !misnamed.is_empty() {
        let (count, names) = (misnamed.len(), Examples::first(misnamed, EXAMPLES));
        trouble.push((IssueKind::Archive, ArchiveProblem::TarTwoNames { count, names }));
    }
    // A truncated member already reports this by name.
    trouble.extend(end.filter(|(kind, _)| !truncated || *kind != IssueKind::Archive));
    // Sparse members of a plain tar also expand.
    Listing { store: Store::Tar { packing, allowed }, members, stored: Some(stored), trouble, remarks: Vec::new() }
}

fn allowed(stored: u64, scope: &ListContext<'_>) -> u64 {
    // Headers and padding also count as tar bytes, up to two blocks per member.
    let overhead = scope.entries.saturating_mul(2048);
    scope.limits.expanded(stored).min(scope.bytes.saturating_add(overhead))
}

/// Reads a member to its end: checksum, format, actual size, and its content if there is room.
fn inspect(step: Step<'_>, scope: &ListContext<'_>, fits: bool) -> (Member, Option<ArchiveProblem>) {
    let what = match step.what {
        MemberKind::File if step.size > scope.bytes => MemberKind::Refused(Refusal::Bytes),
        MemberKind::File if !fits => MemberKind::Refused(Refusal::Ratio),
        what => what,
    };
    let mut member = Member { name: step.name, size: 0, crc: None, what, format: None, held: None, is_cut: false };
    if !matches!(member.what, MemberKind::File) {
        return (member, None);
    }
    let mut head = Vec::new();
    // An error here occurs again, and is reported, when the pass continues to the next member.
    let _ = detect::read_head(step.data, &mut head);
    let format = detect::sniff_named(&head, &member.name);
    let keep = step.size <= if format.is_archive() { KEPT_ARCHIVE } else { KEPT }
        && scope.shelf.reserve(step.size, format.is_archive());
    let mut tally = Tally::new(head, if keep { step.size } else { 0 });
    let _ = tally.drain(step.data, step.size);
    tally.tell(&mut member, |_| true);
    member.format = Some(format);
    member.is_cut = member.size < step.size;
    let truncated = member.is_cut.then(|| ArchiveProblem::MemberCut { name: printable(&member.name) });
    (member, truncated)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::containers::listing::BufferPool;
    use crate::bundle::limits::Limits;
    use crate::bundle::tests::samples;

    fn listed(bytes: &[u8]) -> Listing {
        let (limits, shelf) = (Limits::default(), BufferPool::default());
        let scope = ListContext { limits: &limits, entries: 10, bytes: 1 << 30, shelf: &shelf };
        list(&mut &bytes[..], None, bytes.len() as u64, &scope)
    }

    #[test]
    fn members_have_size_checksum_and_bytes() {
        let listing = listed(&samples::tar(&[("./a/x.yaml", b"abc"), ("b", b"")]));
        let seen: Vec<_> = listing
            .members
            .iter()
            .map(|m| (m.name.as_str(), m.size, m.crc, m.held.as_ref().map(|bytes| &bytes[..])))
            .collect();
        assert_eq!(seen, [("./a/x.yaml", 3, Some(0x352441c2), Some(&b"abc"[..])), ("b", 0, Some(0), Some(&b""[..]))]);
        assert!(listing.trouble.is_empty());
    }

    #[test]
    fn an_archive_truncated_anywhere_is_reported() {
        let whole = samples::tar(&[("a.yaml", b"abc"), ("b.log", &[b'x'; 900])]);
        for length in 0..512 * 5 {
            let listing = listed(&whole[..length]);
            assert!(!listing.trouble.is_empty(), "{length}");
        }
    }

    #[test]
    fn zeros_of_a_member_are_no_end_mark() {
        let whole = samples::tar(&[("a.log", &[0; 2048]), ("b.log", b"x")]);
        assert!(listed(&whole).trouble.is_empty());
        assert_eq!(listed(&whole[..512 + 2048]).trouble[0].1, ArchiveProblem::TarWithoutEnd);
    }

    #[test]
    fn a_long_name_that_contradicts_its_header_is_reported() {
        let name = format!("{}/a.log", "s".repeat(110));
        let mut archive = tar::Builder::new(Vec::new());
        let mut header = tar::Header::new_gnu();
        header.set_size(1);
        archive.append_data(&mut header, &name, &b"x"[..]).unwrap();
        let mut bytes = archive.into_inner().unwrap();
        assert!(listed(&bytes).trouble.is_empty());
        let at = bytes.windows(110).position(|window| window == &name.as_bytes()[..110]).unwrap();
        bytes[at + 50] ^= 1;
        let listing = listed(&bytes);
        assert!(matches!(listing.trouble[0].1, ArchiveProblem::TarTwoNames { count: 1, .. }));
        assert_eq!(listing.members[0].name, name);
    }

    #[test]
    fn a_name_of_gigabytes_is_not_read_into_memory() {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(tar::EntryType::GNULongName);
        header.set_size(1 << 33);
        header.set_cksum();
        let mut endless = header.as_bytes().chain(io::repeat(b'x'));
        let limits = Limits::default();
        let scope = ListContext { limits: &limits, entries: 10, bytes: 1 << 40, shelf: &BufferPool::default() };
        let listing = list(&mut endless, None, 1 << 34, &scope);
        assert_eq!(listing.trouble[0].0, IssueKind::Limit);
        assert_eq!(listing.trouble[0].1, ArchiveProblem::TarGap { most: BETWEEN, members: 0 });
    }

    #[test]
    fn holes_are_bounded_together() {
        let sparse = |name: &str, size: u64| {
            let mut header = tar::Header::new_gnu();
            header.set_entry_type(tar::EntryType::GNUSparse);
            header.set_path(name).unwrap();
            header.set_size(512);
            let gnu = header.as_gnu_mut().unwrap();
            gnu.set_real_size(size);
            gnu.sparse[0].set_offset(0);
            gnu.sparse[0].set_length(512);
            gnu.sparse[1].set_offset(size);
            gnu.sparse[1].set_length(0);
            header.set_cksum();
            [header.as_bytes().as_slice(), &[b'x'; 512]].concat()
        };
        let bytes = [sparse("a", 10 << 20), sparse("b", 10 << 20), sparse("c", 4 << 20), vec![0; 1024]].concat();
        let listing = listed(&bytes);
        let seen: Vec<_> =
            listing.members.iter().map(|m| (m.size >> 20, matches!(m.what, MemberKind::Refused(_)))).collect();
        assert_eq!(seen, [(10, false), (0, true), (4, false)]);
    }

    #[test]
    fn after_a_damaged_header_the_next_member_is_found() {
        let text = vec![b'x'; 3000];
        let mut bytes = samples::tar(&[("a.log", b"1"), ("b.log", &text), ("c.log", b"3"), ("d.log", b"4")]);
        bytes[1024 + 148] ^= 1;
        let listing = listed(&bytes);
        let names: Vec<_> =
            listing.members.iter().map(|m| (m.name.as_str(), m.held.as_ref().map(|bytes| &bytes[..]))).collect();
        assert_eq!(names, [("a.log", Some(&b"1"[..])), ("c.log", Some(&b"3"[..])), ("d.log", Some(&b"4"[..]))]);
        let damaged = ArchiveProblem::TarSkipped { members: 1, skipped: 3584 };
        assert_eq!(listing.trouble, [(IssueKind::Archive, damaged)]);
    }

    #[test]
    fn zero_blocks_between_members_are_passed_over() {
        let part = |name, text| samples::tar(&[(name, text)]);
        let listing = listed(&[part("a.log", b"1"), vec![0; 2048], part("b.log", b"2")].concat());
        assert_eq!((listing.members.len(), listing.trouble.len()), (2, 0));
    }

    #[test]
    fn damage_in_a_compressed_stream_is_reported_once() {
        let noise: Vec<u8> = (0..40_000u32).flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
        let mut packed = samples::gzip(&samples::tar(&[("a.log", b"1"), ("b.log", &noise), ("c.log", b"3")]));
        let half = packed.len() / 2;
        packed[half..half + 2000].fill(0xff);
        let (limits, shelf) = (Limits::default(), BufferPool::default());
        let scope = ListContext { limits: &limits, entries: 10, bytes: 1 << 30, shelf: &shelf };
        let mut expanded = Packing::Gzip.decode(packed.as_slice()).unwrap();
        let listing = list(&mut expanded, Some(Packing::Gzip), packed.len() as u64, &scope);
        assert_eq!(
            (listing.members[0].held.as_ref().map(|bytes| &bytes[..]), listing.trouble.len()),
            (Some(&b"1"[..]), 1)
        );
        assert_eq!(listing.trouble[0].1, ArchiveProblem::MemberCut { name: "b.log".to_owned() });
    }

    #[test]
    fn files_with_holes_of_pax_archives_have_their_name_and_size() {
        let mut data = b"1\n4\n3\n".to_vec();
        data.resize(512, 0);
        data.extend(b"abc");
        let mut archive = tar::Builder::new(Vec::new());
        let records = [("GNU.sparse.major", "1"), ("GNU.sparse.realsize", "9"), ("GNU.sparse.name", "t/b.log")];
        archive.append_pax_extensions(records.map(|(key, value)| (key, value.as_bytes()))).unwrap();
        let mut header = tar::Header::new_ustar();
        header.set_size(data.len() as u64);
        archive.append_data(&mut header, "GNUSparseFile.1/b.log", data.as_slice()).unwrap();
        let mut last = tar::Header::new_ustar();
        last.set_size(1);
        archive.append_data(&mut last, "t/c.log", &b"c"[..]).unwrap();
        let listing = listed(&archive.into_inner().unwrap());
        let seen: Vec<_> =
            listing.members.iter().map(|m| (m.name.as_str(), m.held.as_ref().map(|bytes| &bytes[..]))).collect();
        assert_eq!(seen, [("t/b.log", Some(&b"\0\0\0\0abc\0\0"[..])), ("t/c.log", Some(&b"c"[..]))]);
        assert!(listing.trouble.is_empty());
    }

    #[test]
    fn endless_zeros_after_the_last_member_end() {
        let bytes = samples::tar(&[("a.log", b"x")]);
        let limits = Limits::default();
        let scope = ListContext { limits: &limits, entries: 10, bytes: 1 << 40, shelf: &BufferPool::default() };
        let listing = list(&mut bytes.chain(io::repeat(0)), None, 1 << 34, &scope);
        assert_eq!((listing.members.len(), listing.trouble[0].0), (1, IssueKind::Limit));
    }
}
