//! Entries while the bundle is listed: a [`Draft`] was admitted and has no role yet.

use std::sync::Arc;

use crate::bundle::catalogue::nested::Candidate;
use crate::bundle::collectors::spec::CollectorSpec;
use crate::bundle::collectors::table::{logical_path, role};
use crate::bundle::containers::detect::Format;
use crate::bundle::containers::layer::{Job, MemberPlace};
use crate::bundle::{Entry, Limits};

pub(crate) struct Draft {
    /// Index of the part that it belongs to.
    pub part: usize,
    /// Relative to the root of its part.
    pub path: String,
    pub place: MemberPlace,
    pub size: u64,
    pub crc: Option<u32>,
    pub format: Option<Format>,
    pub held: Option<Arc<Vec<u8>>>,
    /// Archives around it.
    pub depth: u32,
    /// In the container of its part, not in an archive below.
    pub outer: bool,
    /// It holds bundles of their own, or is one.
    pub holds_bundles: bool,
}

impl Draft {
    pub fn job(&self) -> Job {
        Job { place: self.place, size: self.size, held: self.held.clone() }
    }

    pub fn candidate(&self, limits: &Limits) -> Candidate<'_> {
        Candidate { name: &self.path, job: self.job(), open: self.depth < limits.max_depth }
    }

    /// Whether it is worth a look: tar members were looked at.
    pub fn may_be_archive(&self) -> bool {
        self.size > 4 && self.format != Some(Format::Other)
    }

    /// The entry, with its role in a bundle of this collector and name.
    pub fn entry(self, spec: Option<&CollectorSpec>, logical: String, bundle: &str) -> Entry {
        let archive = self.format.is_some_and(|format| format != Format::Other);
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
        }
    }
}
