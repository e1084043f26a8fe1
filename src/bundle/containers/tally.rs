//! Facts collected about a file while it is streamed: [`Tally`].

use std::io::{self, Read};
use std::sync::Arc;

use crate::bundle::containers::listing::Member;

/// Size, checksum, and the bytes up to a maximum.
pub(crate) struct Tally {
    crc: crc32fast::Hasher,
    size: u64,
    kept: Option<Vec<u8>>,
    /// Maximum number of bytes that are kept.
    most_kept: u64,
}

impl Tally {
    /// Creates the tally of a file that begins with `head`.
    pub fn new(head: Vec<u8>, most_kept: u64) -> Self {
        let mut tally = Self { crc: crc32fast::Hasher::new(), size: 0, kept: None, most_kept };
        tally.take(&head);
        tally.kept = (tally.size <= most_kept).then_some(head);
        tally
    }

    /// Returns the number of bytes so far.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Reads until `most` bytes of the file have been read, the file ends, or an error occurs.
    pub fn drain(&mut self, data: &mut dyn Read, most: u64) -> Option<io::Error> {
        let mut chunk = vec![0; 64 << 10];
        while self.size < most {
            match data.read(&mut chunk) {
                Ok(0) => return None,
                Ok(count) => self.take(chunk.get(..count).unwrap_or_default()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Some(error),
            }
        }
        None
    }

    fn take(&mut self, bytes: &[u8]) {
        self.crc.update(bytes);
        self.size += bytes.len() as u64;
        self.kept = self.kept.take().filter(|_| self.size <= self.most_kept);
        if let Some(kept) = &mut self.kept {
            kept.extend_from_slice(bytes);
        }
    }

    /// Writes the results to `member`; `keep` returns true if there is room for the bytes.
    pub fn tell(self, member: &mut Member, keep: impl FnOnce(u64) -> bool) {
        member.size = self.size;
        member.crc = Some(self.crc.finalize());
        member.held = self.kept.filter(|_| keep(self.size)).map(|mut kept| {
            kept.shrink_to_fit();
            Arc::new(kept)
        });
    }
}
