//! Archives inside archives: finds them by content and lists them, level by level.

use std::io::{Cursor, Read};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use crate::bundle::detect::{self, Format};
use crate::bundle::guard::load;
use crate::bundle::listing::{Listing, Scope};
use crate::bundle::read::{self, Job, Layer};
use crate::bundle::{tar, zip};

/// A nested zip needs random access and so memory; larger ones are not opened.
const LARGEST: u64 = 1 << 30;

/// What an entry turned out to be.
pub(crate) enum Found {
    /// No archive.
    Plain,
    /// An archive, listed, and its bytes where they were kept.
    Archive(Listing, Option<Arc<[u8]>>),
    /// Compressed or archived in a way that is not read yet.
    Unread(Format),
    /// An archive below the depth limit.
    TooDeep(Format),
    /// A zip too large to be opened inside another archive.
    TooLarge,
    /// An archive that cannot be listed, and why.
    Damaged(Format, String),
}

/// Looks at each job's entry; archives are listed unless `open` forbids it. The answer has one item a job, in order.
pub(crate) fn look(
    layers: &[Layer],
    disk: &Path,
    jobs: &[Job],
    open: &(dyn Fn(usize) -> bool + Sync),
    scope: &Scope<'_>,
) -> (Vec<Found>, Vec<read::Failure>) {
    let found: Vec<Mutex<Found>> = jobs.iter().map(|_| Mutex::new(Found::Plain)).collect();
    let failures = read::run(layers, disk, jobs, &|index, reader| {
        let (Some(slot), Some(job)) = (found.get(index), jobs.get(index)) else { return };
        let answer = look_at(reader, job.size, open(index), scope);
        *slot.lock().unwrap_or_else(PoisonError::into_inner) = answer;
    });
    let found = found.into_iter().map(|slot| slot.into_inner().unwrap_or_else(PoisonError::into_inner)).collect();
    (found, failures)
}

fn look_at(reader: &mut dyn Read, size: u64, open: bool, scope: &Scope<'_>) -> Found {
    let mut head = Vec::new();
    if let Err(error) = reader.take(detect::HEAD as u64).read_to_end(&mut head) {
        return Found::Damaged(Format::Other, error.to_string());
    }
    let format = detect::sniff(&head);
    match format {
        Format::Other => Found::Plain,
        format if format.is_unread() => Found::Unread(format),
        format if !open => Found::TooDeep(format),
        Format::Zip => list_zip(&mut head.as_slice().chain(reader), size, scope),
        format => {
            Found::Archive(tar::list(&mut head.as_slice().chain(reader), format == Format::TarGz, size, scope), None)
        }
    }
}

fn list_zip(reader: &mut dyn Read, size: u64, scope: &Scope<'_>) -> Found {
    if size > LARGEST {
        return Found::TooLarge;
    }
    let bytes = match load(reader, size) {
        Ok(bytes) => bytes,
        Err(error) => return Found::Damaged(Format::Zip, error.to_string()),
    };
    match zip::list(Cursor::new(&bytes), bytes.len() as u64, scope) {
        Ok(listing) => {
            let kept = scope.shelf.reserve(bytes.len() as u64, true).then(|| Arc::from(bytes));
            Found::Archive(listing, kept)
        }
        Err(message) => Found::Damaged(Format::Zip, message),
    }
}
