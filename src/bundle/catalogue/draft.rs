//! Entries during listing: a [`Draft`] is admitted and has no role yet.

use std::sync::Arc;

use crate::bundle::catalogue::nested::Candidate;
use crate::bundle::collectors::spec::CollectorSpec;
use crate::bundle::collectors::table::{logical_path, role};
use crate::bundle::containers::detect::Format;
use crate::bundle::containers::layer::{MemberPlace, ReadRequest};
use crate::bundle::{Entry, Limits};

pub(crate) struct Draft {
    /// Index of the entry's part.
    pub part: usize,
    /// Path relative to the root of its part.
    pub path: String,
    pub place: MemberPlace,
    pub size: u64,
    pub crc: Option<u32>,
    pub format: Option<Format>,
    pub held: Option<Arc<Vec<u8>>>,
    /// Number of archives around it.
    pub depth: u32,
    /// True if the entry is in the container of its part, not in a nested archive.
    pub outer: bool,
    /// True if the entry is a bundle or holds bundles.
    pub holds_bundles: bool,
}

impl Draft {
    pub fn request(&self) -> ReadRequest {
        ReadRequest { place: self.place, size: self.size, held: self.held.clone() }
    }

    pub fn candidate(&self, limits: &Limits) -> Candidate<'_> {
        Candidate { name: &self.path, request: self.request(), open: self.depth < limits.max_depth }
    }

    /// Returns true if the entry should be inspected; tar members already have been.
    pub fn may_be_archive(&self) -> bool {
        self.size > 4 && self.format != Some(Format::Other)
    }

    /// Returns true if the entry is an archive or compressed.
    pub fn is_archive(&self) -> bool {
        self.format.is_some_and(|format| format != Format::Other)
    }

    /// Creates the entry, with its role in a bundle of this collector and name.
    pub fn entry(self, spec: Option<&CollectorSpec>, logical: String, bundle: &str) -> Entry {
        let archive = self.is_archive();
        let logical = logical_path(spec, logical, bundle);
        Entry {
            role: role(spec, &logical, archive, bundle),
            logical: logical.into(),
            path: self.path.into(),
            size: self.size,
            place: self.place,
            held: self.held,
            crc: self.crc,
            outer: self.outer,
            doubt: None,
        }
    }
}
