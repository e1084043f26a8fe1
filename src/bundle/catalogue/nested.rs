//! Archives inside archives: finds them by content and lists them, level by level.

use std::io::{Cursor, Read};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use crate::bundle::containers::detect::{self, Format};
use crate::bundle::containers::guard::load;
use crate::bundle::containers::layer::{ContainerLayer, ReadRequest};
use crate::bundle::containers::listing::{ListContext, Listing};
use crate::bundle::containers::{packed, tar, zip};
use crate::bundle::read;
use crate::model::message::ArchiveFault;

/// Size above which archives are listed one at a time.
const SEVERAL: u64 = 16 << 20;

/// Result of inspecting an entry.
pub(crate) enum NestedContent {
    /// Not an archive.
    Plain,
    /// Listed archive, and its content if it was kept.
    Archive(Listing, Option<Arc<Vec<u8>>>),
    /// Archive in a format that is not supported.
    Unread(Format),
    /// Archive below the depth limit.
    TooDeep(Format),
    /// Zip too large to be opened inside another archive.
    TooLarge,
    /// Archive that cannot be listed, and its fault.
    Damaged(Format, ArchiveFault),
}

/// Entry that may be an archive.
pub(crate) struct Candidate<'a> {
    /// Path or name of the entry.
    pub name: &'a str,
    pub request: ReadRequest,
    /// True if the depth limit allows opening it.
    pub open: bool,
}

/// Inspects each candidate. Returns one item per candidate, in order; failures also refer to candidates by index.
pub(crate) fn inspect(
    layers: &[ContainerLayer],
    disk: &Path,
    candidates: &[Candidate<'_>],
    scope: &ListContext<'_>,
) -> (Vec<NestedContent>, Vec<read::Failure>) {
    let found: Vec<Mutex<NestedContent>> = candidates.iter().map(|_| Mutex::new(NestedContent::Plain)).collect();
    let requests: Vec<ReadRequest> = candidates.iter().map(|candidate| candidate.request.clone()).collect();
    let failures = read::run(layers, disk, &requests, &|index, reader| {
        let (Some(slot), Some(candidate)) = (found.get(index), candidates.get(index)) else { return };
        let answer = look_at(reader, candidate, scope);
        *slot.lock().unwrap_or_else(PoisonError::into_inner) = answer;
    });
    let found = found.into_iter().map(|slot| slot.into_inner().unwrap_or_else(PoisonError::into_inner)).collect();
    (found, failures)
}

fn look_at(reader: &mut dyn Read, candidate: &Candidate<'_>, scope: &ListContext<'_>) -> NestedContent {
    let mut head = Vec::new();
    if let Err(error) = detect::read_head(reader, &mut head) {
        return NestedContent::Damaged(Format::Other, ArchiveFault::ReadFailed { error: error.to_string() });
    }
    let format = detect::sniff_named(&head, candidate.name);
    let (size, mut whole) = (candidate.request.size, head.as_slice().chain(reader));
    match format {
        Format::Other => NestedContent::Plain,
        format if format.is_unread() => NestedContent::Unread(format),
        format if !candidate.open => NestedContent::TooDeep(format),
        Format::Zip => list_zip(&mut whole, size, scope),
        Format::Packed(packing) => match packed::list(&mut whole, packing, candidate.name, size, scope) {
            Ok(listing) => NestedContent::Archive(listing, None),
            Err(fault) => NestedContent::Damaged(format, fault),
        },
        _ => NestedContent::Archive(tar::list(&mut whole, None, size, scope), None),
    }
}

fn list_zip(reader: &mut dyn Read, size: u64, scope: &ListContext<'_>) -> NestedContent {
    if size > scope.limits.max_nested_zip() {
        return NestedContent::TooLarge;
    }
    let _alone = (size > SEVERAL).then(|| scope.shelf.alone());
    let bytes = match load(reader, size) {
        Ok(bytes) => bytes,
        Err(error) => {
            return NestedContent::Damaged(Format::Zip, ArchiveFault::ReadFailed { error: error.to_string() });
        }
    };
    match zip::list(Cursor::new(&bytes), bytes.len() as u64, scope) {
        Ok(listing) => {
            let kept = scope.shelf.reserve(bytes.len() as u64, true).then(|| Arc::from(bytes));
            NestedContent::Archive(listing, kept)
        }
        Err(fault) => NestedContent::Damaged(Format::Zip, fault),
    }
}
