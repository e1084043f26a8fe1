//! Opening of bundles: lists everything at a path as a [`Catalogue`].
//!
//! The outermost container is listed, unwrapped if it holds only one archive, and searched for its root. Then nested
//! archives are listed level by level: each level is inspected in parallel, then admitted archive by archive, smallest
//! entries first, so that limits affect the same entries in every run.

use std::fs::Metadata;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::bundle::catalogue::Catalogue;
use crate::bundle::catalogue::nested::NestedContent;
use crate::bundle::catalogue::notes::Sort;
use crate::bundle::containers::detect::{self, Format};
use crate::bundle::containers::guard::Window;
use crate::bundle::containers::layer::NestedEntry;
use crate::bundle::containers::listing::{Listing, MemberKind};
use crate::bundle::containers::parts::{JoinedFile, first_part};
use crate::bundle::containers::{dir, packed, tar, zip};
use crate::bundle::path::{Name, clean, is_text_name, printable};
use crate::bundle::{Bundle, Container, Limits, OpenError, Role};
use crate::model::BundleKind;
use crate::model::message::ArchiveFault;

impl Bundle {
    /// Opens a file or a folder that holds one bundle.
    ///
    /// # Errors
    /// If nothing can be read from it, or if it holds several bundles. Faults of single files are in
    /// [`Bundle::issues`].
    pub fn open(path: &Path, limits: Limits) -> Result<Self, OpenError> {
        let mut bundles = Self::open_all(path, limits)?;
        match (bundles.len(), bundles.pop()) {
            (1, Some(bundle)) => Ok(bundle),
            (count, last) => {
                let example = last.map(|bundle| bundle.container.path).unwrap_or_default();
                Err(OpenError::Several { path: path.display().to_string(), count, example })
            }
        }
    }

    /// Opens all bundles in a file or folder, sorted by location; returns at least one. Bundles are archives in an
    /// archive or a folder, and folders. They share the limits.
    ///
    /// # Errors
    /// Same as [`Bundle::open`].
    pub fn open_all(path: &Path, limits: Limits) -> Result<Vec<Self>, OpenError> {
        let display_path = path.display().to_string();
        let metadata = std::fs::metadata(path).map_err(|error| OpenError::io(&display_path, error))?;
        let mut catalogue = Catalogue::new(limits);
        let (outermost, bytes) = list_outermost(path, &display_path, &metadata, &catalogue)?;
        let (listing, parent) = unwrap(&mut catalogue, outermost, path, &display_path)?;
        let trouble = listing.trouble.first().map(|(_, problem)| problem.to_string());
        let fresh = catalogue.begin(listing, parent, path);
        catalogue.descend(fresh, path);
        check_anything(&catalogue, &display_path, trouble)?;
        let container = Container { path: display_path, bytes, is_directory: metadata.is_dir() };
        let bundles = catalogue.finish(container, path.to_owned());
        if let [only] = bundles.as_slice() {
            only.check_kind()?;
        }
        Ok(bundles)
    }

    /// Rejects bundles of unknown kind without objects or logs, such as a folder of photos.
    fn check_kind(&self) -> Result<(), OpenError> {
        let known = self.kind != BundleKind::GENERIC || self.entries.iter().any(|entry| is_text_name(&entry.logical));
        if known || self.is_one_text() {
            return Ok(());
        }
        let names: Vec<String> =
            self.entries.iter().take(3).map(|entry| format!("`{}`", printable(&entry.path))).collect();
        let seen = match self.entries.len() {
            count if count > names.len() => format!("{count} files such as {}", names.join(", ")),
            _ => names.join(", "),
        };
        Err(OpenError::NotABundle { path: self.container.path.clone(), seen })
    }

    /// Returns true if the bundle is a single text file. The content decides, not the name.
    fn is_one_text(&self) -> bool {
        let files = || self.entries.iter().filter(|entry| entry.role != Role::Archive);
        let seen = AtomicBool::new(false);
        if files().count() == 1 {
            self.read(&|entry| entry.role != Role::Archive, &|_, reader| {
                let mut head = Vec::new();
                // Readers of a pass end early instead of failing.
                let _ = detect::read_head(reader, &mut head);
                seen.store(detect::is_text(&head), Ordering::Relaxed);
            });
        }
        seen.into_inner()
    }
}

/// Lists a file or folder; returns its size in bytes, too.
fn list_outermost(
    path: &Path,
    display_path: &str,
    metadata: &Metadata,
    catalogue: &Catalogue,
) -> Result<(Listing, u64), OpenError> {
    let name = || display_path.to_owned();
    if metadata.is_dir() {
        std::fs::read_dir(path).map_err(|error| OpenError::io(display_path, error))?;
        let listing = dir::list(path, &catalogue.scope());
        let bytes = listing.bytes();
        return Ok((listing, bytes));
    }
    if !metadata.is_file() {
        return Err(OpenError::NotAFile { path: name() });
    }
    if metadata.len() == 0 {
        return Err(OpenError::Empty { path: name() });
    }
    let joined = JoinedFile::open(path).and_then(|file| file.size());
    let bytes = joined.map_err(|error| OpenError::io(display_path, error))?;
    Ok((list_file(path, display_path, bytes, catalogue)?, bytes))
}

fn list_file(path: &Path, display_path: &str, bytes: u64, catalogue: &Catalogue) -> Result<Listing, OpenError> {
    let name = || display_path.to_owned();
    let scope = catalogue.scope();
    let unreadable = |error| OpenError::io(display_path, error);
    let open = || JoinedFile::open(path).map_err(unreadable);
    let mut head = Vec::new();
    detect::read_head(&mut open()?, &mut head).map_err(unreadable)?;
    let window = || Window::new(open()?).map_err(unreadable);
    let format = detect::sniff(&head);
    if format == Format::Other
        && let Some(first) = first_part(path)
    {
        return Err(OpenError::LaterPart { path: name(), first: first.display().to_string() });
    }
    match format {
        // A self-extracting archive begins with a program.
        format if format == Format::Zip || format == Format::Other && zip::is_at_end(window()?) => {
            let window = window()?;
            let damaged =
                |fault: ArchiveFault| OpenError::Damaged { path: name(), format: "zip", what: fault.to_string() };
            let stored = window.length();
            zip::list(window, stored, &scope).map_err(damaged)
        }
        Format::Tar => Ok(tar::list(&mut open()?, None, bytes, &scope)),
        Format::Packed(packing) => packed::list(&mut open()?, packing, display_path, bytes, &scope)
            .map_err(|fault| OpenError::Damaged { path: name(), format: packing.name(), what: fault.to_string() }),
        Format::Other if detect::is_text(&head) && !detect::is_markup(&head) => Ok(dir::single(path, bytes)),
        Format::Other if has_first_volume(path) => Err(OpenError::Split { path: name() }),
        Format::Other => Err(OpenError::NotAnArchive { path: name(), looks: detect::looks_like(&head) }),
        format => Err(OpenError::Unsupported { path: name(), format: format.name().into() }),
    }
}

/// Returns true if the first volume of a split zip lies beside this file, which is then the last one (`a.z01`, `a.z02`, `a.zip`).
fn has_first_volume(path: &Path) -> bool {
    path.with_extension("z01").is_file()
}

/// Replaces the container by the archive in it while that archive is its only file.
fn unwrap(
    catalogue: &mut Catalogue,
    mut listing: Listing,
    disk: &Path,
    display_path: &str,
) -> Result<(Listing, Option<NestedEntry>), OpenError> {
    let mut parent = None;
    while let Some(member) = only_file(&listing) {
        match catalogue.look_inside(&mut listing, &mut parent, member, disk) {
            NestedContent::Archive(inner, _) => listing = inner,
            NestedContent::Damaged(format, fault) => {
                let what = fault.to_string();
                return Err(OpenError::Damaged { path: display_path.into(), format: format.name(), what });
            }
            NestedContent::Unread(format) => {
                return Err(OpenError::Unsupported { path: display_path.into(), format: format.name().into() });
            }
            _ => break,
        }
    }
    Ok((listing, parent))
}

/// Returns the member that is the only file; litter and folders do not count.
fn only_file(listing: &Listing) -> Option<usize> {
    let counts = |what: &MemberKind| !matches!(what, MemberKind::Folder);
    let files = listing.members.iter().enumerate().filter(|(_, member)| counts(&member.what));
    let mut files = files.filter(|(_, member)| clean(&member.name) != Name::Litter);
    let (index, member) = files.next()?;
    let readable = matches!(member.what, MemberKind::File) && !is_text_name(&member.name);
    (readable && files.next().is_none()).then_some(index)
}

fn check_anything(catalogue: &Catalogue, display_path: &str, trouble: Option<String>) -> Result<(), OpenError> {
    if !catalogue.is_empty() {
        return Ok(());
    }
    let path = display_path.to_owned();
    let (encrypted, skipped) = (catalogue.count(Sort::Encrypted), catalogue.skipped());
    if encrypted > 0 && encrypted == skipped {
        return Err(OpenError::Encrypted { path, entries: encrypted });
    }
    if skipped > 0 && catalogue.count(Sort::Method) == skipped {
        return Err(OpenError::Unsupported { path, format: "zip entries of an uncommon method".into() });
    }
    let seen = match (trouble, skipped + catalogue.count(Sort::Refused)) {
        (Some(trouble), _) => trouble,
        (None, 0) => "it has no files at all".to_owned(),
        (None, skipped) => format!("{skipped} entries that are links, unsafe, encrypted or beyond the limits"),
    };
    Err(OpenError::NothingReadable { path, seen })
}
