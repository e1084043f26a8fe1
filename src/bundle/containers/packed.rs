//! Compressed files: a compressed tar is listed as a tar, anything else as a single file.

use std::io::{self, Read};

use crate::bundle::containers::detect::{self, Format};
use crate::bundle::containers::guard::damage;
use crate::bundle::containers::listing::{ListContext, Listing, Member, MemberKind, Store};
use crate::bundle::containers::packing::Packing;
use crate::bundle::containers::tally::Tally;
use crate::bundle::containers::tar;
use crate::bundle::limits::Refusal;
use crate::bundle::path::without_ending;
use crate::model::IssueKind;
use crate::model::message::{ArchiveFault, ArchiveProblem};

/// Maximum size of a file that is kept in memory.
const KEPT: u64 = 8 << 20;

/// Lists the expansion of `source`, which is read to its end. `name` is the compressed file's name or path, `stored`
/// its size.
///
/// # Errors
/// If nothing can be expanded; the text follows "the gzip archive".
pub(crate) fn list(
    source: &mut dyn Read,
    packing: Packing,
    name: &str,
    stored: u64,
    scope: &ListContext<'_>,
) -> Result<Listing, ArchiveFault> {
    let unreadable = |error: io::Error| ArchiveFault::NotExpanded { error: error.to_string() };
    let mut decoder = packing.decode(source).map_err(unreadable)?;
    let mut head = Vec::new();
    match detect::read_head(&mut decoder, &mut head) {
        Err(error) if head.is_empty() => Err(unreadable(error)),
        Ok(()) if detect::sniff(&head) == Format::Tar => {
            Ok(tar::list(&mut head.as_slice().chain(decoder), Some(packing), stored, scope))
        }
        outcome => {
            let file = File { decoder: &mut decoder, head, trouble: outcome.err().map(|error| damage(&error)) };
            let name = without_ending(name.rsplit(['/', '\\']).next().unwrap_or(name));
            Ok(file.list(packing, name, stored, scope))
        }
    }
}

/// A file whose first bytes were read.
struct File<'a> {
    decoder: &'a mut dyn Read,
    head: Vec<u8>,
    /// Reason why the file ends after these bytes.
    trouble: Option<ArchiveProblem>,
}

impl File<'_> {
    fn list(mut self, packing: Packing, name: &str, stored: u64, scope: &ListContext<'_>) -> Listing {
        let format = detect::sniff(&self.head);
        let by_ratio = scope.limits.expanded(stored);
        let most = scope.bytes.min(by_ratio);
        let mut tally = Tally::new(std::mem::take(&mut self.head), KEPT);
        if self.trouble.is_none() {
            self.trouble = tally.drain(self.decoder, most.saturating_add(1)).map(|error| damage(&error));
        }
        let mut member = Member {
            name: name.to_owned(),
            size: 0,
            crc: None,
            what: MemberKind::File,
            format: Some(format),
            held: None,
            is_cut: false,
        };
        if tally.size() > most {
            let refusal = if by_ratio < scope.bytes { Refusal::Ratio } else { Refusal::Bytes };
            member.what = MemberKind::Refused(refusal);
        } else {
            // Damaged content is expanded again, so that every reader gets the error.
            let sound = self.trouble.is_none();
            tally.tell(&mut member, |size| sound && scope.shelf.reserve(size, format.is_archive()));
        }
        let trouble = self.trouble.map(|trouble| (IssueKind::Archive, trouble));
        Listing {
            store: Store::Packed(packing),
            members: vec![member],
            stored: Some(stored),
            trouble: trouble.into_iter().collect(),
            remarks: Vec::new(),
        }
    }
}
