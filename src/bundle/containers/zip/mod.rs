//! Zip archives: listed by their central directory, members read in any order. If the directory is missing or damaged,
//! they are listed by the local headers of the entries.

mod compare;
mod header;
mod inflate;
mod name;
mod record;
mod salvage;
#[cfg(test)]
mod tests;
mod whole;

use std::collections::BTreeSet;
use std::io::{self, Read, Seek};

use zip::CompressionMethod;
use zip::read::ZipFileEntry;
use zip::result::ZipError;
use zip::unstable::read::ZipIterable;

use crate::bundle::containers::detect::Format;
use crate::bundle::containers::listing::{ListContext, Listing, Member, MemberKind, Store};
use crate::bundle::path::{is_text_name, printable};
use crate::model::IssueKind;
use crate::model::message::{ArchiveFault, ArchiveProblem, Examples, Recovery};
use record::Method;
use salvage::{Find, Salvage};

pub(crate) use record::{Record, read};

/// Size below which compressed data is not worth inspecting.
const SMALLEST_PACKED: u64 = 64;

/// Maximum length of the target of a link, in bytes; a larger entry is a file with damaged attributes.
const LONGEST_TARGET: u64 = 4096;

/// Maximum number of example names in a message.
const EXAMPLES: usize = 3;

/// Lists the archive.
///
/// # Errors
/// If it cannot be read, or nothing can be recovered; the text follows "the zip archive".
pub(crate) fn list<R: Read + Seek>(
    mut source: R,
    stored: u64,
    scope: &ListContext<'_>,
) -> Result<Listing, ArchiveFault> {
    let unreadable = |error: io::Error| ArchiveFault::Unreadable { error: error.to_string() };
    let mut directory = Directory::default();
    let fault = directory.read(&mut source, scope).map_err(unreadable)?;
    let compared = directory.compare(&mut source).map_err(unreadable)?;
    let fault = fault.or(compared);
    if let Some(fault) = fault.or_else(|| directory.drop_impossible(stored)) {
        let known = directory.places();
        let found = salvage::scan(&mut source, stored, &known, scope).map_err(unreadable)?;
        directory.add(if found.split { ArchiveFault::Split } else { fault }, found)?;
    }
    directory.note_overlaps();
    Ok(directory.listing(stored))
}

/// Returns true if the file ends like a zip archive, whatever precedes it (a self-extracting archive begins with a
/// program).
pub(crate) fn is_at_end<R: Read + Seek>(source: R) -> bool {
    ZipIterable::try_new(source, zip::read::Config::default()).is_ok_and(|archive| !archive.is_empty())
}

/// Entries of the directory, and those found without it.
#[derive(Default)]
struct Directory {
    records: Vec<Record>,
    members: Vec<Member>,
    trouble: Vec<(IssueKind, ArchiveProblem)>,
    remarks: Vec<ArchiveProblem>,
    misnamed: u64,
}

impl Directory {
    /// Reads the directory; returns its fault, which follows "the zip archive".
    fn read<R: Read + Seek>(&mut self, source: &mut R, scope: &ListContext<'_>) -> io::Result<Option<ArchiveFault>> {
        let mut archive = match ZipIterable::try_new(&mut *source, zip::read::Config::default()) {
            Ok(archive) => archive,
            Err(error) => return no_directory(error).map(Some),
        };
        let files = match archive.files() {
            Ok(files) => files,
            Err(error) => return no_directory(error).map(Some),
        };
        for entry in files.by_ref() {
            if self.records.len() >= scope.most_members() {
                self.trouble.push(scope.too_many());
                return Ok(None);
            }
            match entry {
                Ok(entry) => self.push(&entry),
                Err(ZipError::Io(error)) if error.kind() != io::ErrorKind::UnexpectedEof => return Err(error),
                Err(_) => return Ok(Some(ArchiveFault::DirectoryDamaged { entries: self.records.len() })),
            }
        }
        // The reader is after the last entry that the end record counts.
        let mut more = [0; 4];
        let reader = files.reader_mut();
        let more = reader.read_exact(&mut more).is_ok_and(|()| more == *b"PK\x01\x02");
        Ok(more.then_some(ArchiveFault::DirectoryTooShort { entries: self.records.len() }))
    }

    fn push(&mut self, entry: &ZipFileEntry<'_>) {
        let name = name::text(entry.name_raw()).into_owned();
        self.note_name(entry.name_raw(), entry.flags().as_u16() & header::UTF8 != 0);
        let (what, method) = what(entry, &name);
        let format = format_of(&name, entry.compressed_size(), entry.size());
        self.members.push(Member {
            what,
            name,
            size: entry.size(),
            crc: Some(entry.crc32()),
            format,
            held: None,
            is_cut: false,
        });
        self.records.push(Record {
            header: entry.header_start(),
            stored: entry.compressed_size(),
            size: entry.size(),
            method,
            crc: Some(entry.crc32()),
            fault: None,
        });
    }

    fn note_name(&mut self, raw: &[u8], promised: bool) {
        self.misnamed += u64::from(promised && std::str::from_utf8(raw).is_err());
    }

    /// Compares the directory with the headers of the entries; returns its fault if it does not have all entries.
    fn compare<R: Read + Seek>(&mut self, source: &mut R) -> io::Result<Option<ArchiveFault>> {
        // Beyond the limit, the directory was not read to its end.
        if !self.trouble.is_empty() {
            return Ok(None);
        }
        let names: Vec<&str> = self.members.iter().map(|member| member.name.as_str()).collect();
        let found = compare::compare(source, &self.records, &names)?;
        if found.foreign {
            *self = Self::default();
            return Ok(Some(ArchiveFault::NoDirectory));
        }
        self.settle_names(found.names);
        Ok(found.unlisted.then_some(ArchiveFault::DirectoryIncomplete))
    }

    /// Chooses one of two names for each entry that has another name in its header.
    fn settle_names(&mut self, others: Vec<(usize, String)>) {
        let doubtful: BTreeSet<usize> = others.iter().map(|(index, _)| *index).collect();
        let sure = self.members.iter().enumerate().filter(|(index, _)| !doubtful.contains(index));
        let sure: BTreeSet<&str> = sure.map(|(_, member)| member.name.as_str()).collect();
        let known: BTreeSet<&str> = sure.iter().flat_map(|name| folders(name)).collect();
        // A name of its own, as deep as possible in folders that other entries have, too.
        let likely =
            |name: &str| (!sure.contains(name), folders(name).take_while(|folder| known.contains(folder)).count());
        let mut chosen = Vec::new();
        let mut unclear = 0;
        for (index, own) in others {
            let Some(listed) = self.members.get(index).map(|member| member.name.as_str()) else { continue };
            unclear += usize::from(likely(listed) == likely(&own));
            chosen.push((index, if likely(&own) > likely(listed) { own } else { listed.to_owned() }));
        }
        if !chosen.is_empty() {
            let names = Examples::first(chosen.iter().map(|(_, name)| printable(name)), EXAMPLES);
            let problem = ArchiveProblem::ZipTwoNames { count: chosen.len(), names };
            // An unclear name may have hidden another file.
            match unclear {
                0 => self.remarks.push(problem),
                _ => self.trouble.push((IssueKind::Archive, problem)),
            }
        }
        for (index, name) in chosen {
            if let Some(member) = self.members.get_mut(index) {
                member.name = name;
            }
        }
    }

    /// Removes entries that cannot be at their stated position; returns the fault of the directory if there are any.
    fn drop_impossible(&mut self, length: u64) -> Option<ArchiveFault> {
        let possible = |record: &Record| {
            let begin = record.header.saturating_add(header::FIXED as u64);
            begin.checked_add(record.stored).is_some_and(|end| end <= length)
        };
        let keep: Vec<bool> = self.records.iter().map(possible).collect();
        let wrong = keep.iter().filter(|keep| !**keep).count();
        if wrong == 0 {
            return None;
        }
        let mut kept = keep.iter().copied();
        self.records.retain(|_| kept.next().unwrap_or(true));
        let mut kept = keep.iter().copied();
        self.members.retain(|_| kept.next().unwrap_or(true));
        Some(ArchiveFault::ImpossibleEntries { entries: wrong })
    }

    /// Returns header position and stored size of each entry, in archive order.
    fn places(&self) -> Vec<(u64, u64)> {
        let mut places: Vec<_> = self.records.iter().map(|record| (record.header, record.stored)).collect();
        places.sort_unstable();
        places
    }

    /// Adds the entries found without the directory.
    fn add(&mut self, fault: ArchiveFault, salvage: Salvage) -> Result<(), ArchiveFault> {
        if salvage.finds.is_empty() && self.records.is_empty() {
            return Err(ArchiveFault::NothingLeft { fault: Box::new(fault) });
        }
        let recovery = Box::new(recovery(&salvage, self.records.len()));
        self.trouble.push((IssueKind::Archive, ArchiveProblem::ZipRecovered { fault, recovery }));
        for Find { name, misnamed, size, what, record } in salvage.finds {
            self.misnamed += u64::from(misnamed);
            let format = format_of(&name, record.stored, size);
            self.members.push(Member { name, size, crc: record.crc, what, format, held: None, is_cut: false });
            self.records.push(record);
        }
        Ok(())
    }

    /// Records overlaps: entries of a zip bomb share their data; those of a collector never do.
    fn note_overlaps(&mut self) {
        let places = self.places();
        let overlaps = |pair: &[(u64, u64)]| match pair {
            [(header, stored), (next, _)] => header.saturating_add(*stored) > *next,
            _ => false,
        };
        let count = places.windows(2).filter(|pair| overlaps(pair)).count();
        if count > 0 {
            self.remarks.push(ArchiveProblem::ZipOverlap { count });
        }
    }

    fn listing(mut self, stored: u64) -> Listing {
        if self.misnamed > 0 {
            self.remarks.push(ArchiveProblem::ZipNamesNotUtf8 { count: self.misnamed });
        }
        Listing {
            store: Store::Zip(self.records),
            members: self.members,
            stored: Some(stored),
            trouble: self.trouble,
            remarks: self.remarks,
        }
    }
}

fn no_directory(error: ZipError) -> io::Result<ArchiveFault> {
    match error {
        ZipError::Io(error) if error.kind() != io::ErrorKind::UnexpectedEof => Err(error),
        ZipError::InvalidArchive(what) if what.contains("Multi-disk") => Ok(ArchiveFault::Split),
        ZipError::UnsupportedArchive(_) => Ok(ArchiveFault::Split),
        _ => Ok(ArchiveFault::NoDirectory),
    }
}

/// Describes the number and state of the entries found; `listed` others were in the directory.
fn recovery(salvage: &Salvage, listed: usize) -> Recovery {
    let partly = || salvage.finds.iter().filter(|find| find.record.fault.is_some());
    Recovery {
        entries: salvage.finds.len(),
        more: listed > 0,
        partly: partly().count(),
        examples: Examples::first(partly().map(|find| printable(&find.name)), EXAMPLES),
        lost: salvage.unassigned,
        end: salvage.stopped.clone(),
    }
}

/// Returns the format if no inspection is needed: a file with a text name that compresses well is text; other files
/// may be compressed, whatever their name.
fn format_of(name: &str, stored: u64, size: u64) -> Option<Format> {
    let shrinks = size < SMALLEST_PACKED || stored < size / 10 * 9;
    (is_text_name(name) && shrinks).then_some(Format::Other)
}

fn what(entry: &ZipFileEntry<'_>, name: &str) -> (MemberKind, Method) {
    let method = Method::of_sized(number(entry.compression()), entry.size());
    let what = if name::is_folder(name, entry.size()) {
        MemberKind::Folder
    } else if entry.is_symlink() && entry.size() <= LONGEST_TARGET {
        MemberKind::Link(String::new())
    } else if entry.encrypted() {
        MemberKind::Encrypted
    } else if method.is_none() {
        MemberKind::Method(record::method_name(number(entry.compression())))
    } else {
        MemberKind::File
    };
    (what, method.unwrap_or(Method::Stored))
}

/// Returns the folders around an entry, the outermost first.
fn folders(name: &str) -> impl Iterator<Item = &str> {
    name.match_indices(['/', '\\']).filter_map(|(end, _)| name.get(..end))
}

#[expect(deprecated, reason = "the only way to the number of a method that the crate does not read")]
fn number(method: CompressionMethod) -> u16 {
    method.to_u16()
}
