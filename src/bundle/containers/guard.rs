//! Readers between archives and their users: [`Guarded`] never fails and never returns more than was admitted,
//! [`Window`] makes short seeks in a file cheap.

use std::io::{self, ErrorKind, Read, Seek, SeekFrom};

use crate::model::message::ArchiveProblem;

/// Entry as visitors see it: damage ends it early and is recorded, but is never an error for the visitor.
pub(crate) struct Guarded<'a> {
    inner: &'a mut dyn Read,
    left: u64,
    ended: bool,
    trouble: Option<ArchiveProblem>,
}

impl<'a> Guarded<'a> {
    /// Creates a reader of at most `size` bytes, the admitted size.
    pub fn new(inner: &'a mut dyn Read, size: u64) -> Self {
        Self { inner, left: size, ended: false, trouble: None }
    }

    /// Returns the fault of the part that was read. The checksum is compared if all of it was.
    pub fn finish(mut self) -> Option<ArchiveProblem> {
        if !self.ended && self.left == 0 {
            self.probe();
        }
        self.trouble
    }

    /// Reads at the stated end, so that the archive compares its checksum, and detects further bytes.
    fn probe(&mut self) {
        self.ended = true;
        match retry(self.inner, &mut [0]) {
            Ok(0) => {}
            Ok(_) => self.trouble = Some(ArchiveProblem::Longer),
            Err(error) => self.trouble = Some(damage(&error)),
        }
    }

    fn end(&mut self, trouble: ArchiveProblem) -> usize {
        self.ended = true;
        self.trouble = Some(trouble);
        0
    }
}

impl Read for Guarded<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.ended || buffer.is_empty() {
            return Ok(0);
        }
        if self.left == 0 {
            self.probe();
            return Ok(0);
        }
        let room = usize::try_from(self.left).unwrap_or(usize::MAX).min(buffer.len());
        let window = buffer.get_mut(..room).unwrap_or_default();
        Ok(match retry(self.inner, window) {
            Ok(0) => self.end(ArchiveProblem::Shorter { bytes: self.left }),
            Ok(count) => {
                self.left = self.left.saturating_sub(count as u64);
                count
            }
            Err(error) => self.end(damage(&error)),
        })
    }
}

fn retry(reader: &mut dyn Read, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match reader.read(buffer) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

/// Describes the effect of a read error on the entry.
pub(crate) fn damage(error: &io::Error) -> ArchiveProblem {
    match error.kind() {
        ErrorKind::UnexpectedEof => ArchiveProblem::CutOff,
        ErrorKind::NotFound => ArchiveProblem::Gone,
        ErrorKind::PermissionDenied => ArchiveProblem::NoPermission,
        _ if error.to_string() == "Invalid checksum" => ArchiveProblem::WrongChecksum,
        ErrorKind::InvalidData | ErrorKind::InvalidInput => ArchiveProblem::DataDamaged { error: error.to_string() },
        _ => ArchiveProblem::Unreadable { error: error.to_string() },
    }
}

/// Reads all of `reader`, about `size` bytes; allocates as bytes arrive.
pub(crate) fn load(reader: &mut dyn Read, size: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0).min(1 << 20));
    reader.read_to_end(&mut bytes)?;
    bytes.shrink_to_fit();
    Ok(bytes)
}

/// Buffered file that keeps its buffer on seeks within it; zip directories are read with many short seeks.
pub(crate) struct Window<R> {
    inner: R,
    /// Position of `inner`.
    at: u64,
    /// Position of this reader.
    position: u64,
    length: u64,
    buffer: Vec<u8>,
    /// Start of the buffer.
    start: u64,
}

impl<R: Read + Seek> Window<R> {
    /// Most entries of a kit bundle are smaller than this when compressed.
    const SIZE: u64 = 16 << 10;

    /// # Errors
    /// If `inner` cannot return its length.
    pub fn new(mut inner: R) -> io::Result<Self> {
        let length = inner.seek(SeekFrom::End(0))?;
        Ok(Self { inner, at: length, position: 0, length, buffer: Vec::new(), start: 0 })
    }

    /// Returns the size of the file.
    pub fn length(&self) -> u64 {
        self.length
    }

    fn buffered(&self) -> Option<&[u8]> {
        let skip = usize::try_from(self.position.checked_sub(self.start)?).ok()?;
        self.buffer.get(skip..).filter(|rest| !rest.is_empty())
    }

    fn seek_inner(&mut self) -> io::Result<()> {
        if self.at != self.position {
            self.at = self.inner.seek(SeekFrom::Start(self.position))?;
        }
        Ok(())
    }

    fn fill(&mut self) -> io::Result<()> {
        self.seek_inner()?;
        self.start = self.position;
        self.buffer.clear();
        let count = self.inner.by_ref().take(Self::SIZE).read_to_end(&mut self.buffer);
        self.at = self.start.saturating_add(self.buffer.len() as u64);
        count.map(|_| ())
    }
}

impl<R: Read + Seek> Read for Window<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.buffered().is_none() {
            if out.len() as u64 >= Self::SIZE {
                self.seek_inner()?;
                let count = self.inner.read(out)?;
                self.at = self.at.saturating_add(count as u64);
                self.position = self.at;
                return Ok(count);
            }
            self.fill()?;
        }
        let count = match self.buffered() {
            Some(mut rest) => rest.read(out)?,
            None => 0,
        };
        self.position = self.position.saturating_add(count as u64);
        Ok(count)
    }
}

impl<R: Read + Seek> Seek for Window<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let target = match to {
            SeekFrom::Start(offset) => Some(offset),
            SeekFrom::End(offset) => self.length.checked_add_signed(offset),
            SeekFrom::Current(offset) => self.position.checked_add_signed(offset),
        };
        self.position = target.ok_or(ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    struct Failing(Cursor<Vec<u8>>);

    impl Read for Failing {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            match self.0.read(buffer)? {
                0 => Err(io::Error::new(ErrorKind::InvalidData, "Invalid checksum")),
                count => Ok(count),
            }
        }
    }

    fn drain(inner: &mut dyn Read, size: u64) -> (Vec<u8>, Option<ArchiveProblem>) {
        let mut guarded = Guarded::new(inner, size);
        let mut bytes = Vec::new();
        guarded.read_to_end(&mut bytes).unwrap();
        (bytes, guarded.finish())
    }

    #[test]
    fn bytes_before_damage_are_returned() {
        assert_eq!(drain(&mut &b"abc"[..], 3), (b"abc".to_vec(), None));
        let (bytes, trouble) = drain(&mut &b"abc"[..], 5);
        assert_eq!((bytes.as_slice(), trouble), (&b"abc"[..], Some(ArchiveProblem::Shorter { bytes: 2 })));
        let (bytes, trouble) = drain(&mut &b"abcdef"[..], 3);
        assert_eq!((bytes.as_slice(), trouble), (&b"abc"[..], Some(ArchiveProblem::Longer)));
        let (bytes, trouble) = drain(&mut Failing(Cursor::new(b"abc".to_vec())), 3);
        assert_eq!((bytes.as_slice(), trouble), (&b"abc"[..], Some(ArchiveProblem::WrongChecksum)));
    }

    #[test]
    fn checksum_is_compared_when_the_visitor_stops_at_the_last_byte() {
        let mut source = Failing(Cursor::new(b"abc".to_vec()));
        let mut guarded = Guarded::new(&mut source, 3);
        guarded.read_exact(&mut [0; 3]).unwrap();
        assert_eq!(guarded.finish(), Some(ArchiveProblem::WrongChecksum));
        let mut source = Failing(Cursor::new(b"abc".to_vec()));
        let mut guarded = Guarded::new(&mut source, 3);
        guarded.read_exact(&mut [0; 2]).unwrap();
        assert_eq!(guarded.finish(), None);
    }

    #[test]
    fn window_reads_like_a_cursor() {
        let bytes: Vec<u8> = (0..60_000u32).map(|n| (n % 251) as u8).collect();
        let mut window = Window::new(Cursor::new(bytes.clone())).unwrap();
        let mut plain = Cursor::new(bytes);
        let jumps = [0u64, 59_990, 5, 16_383, 16_384, 40_000, 39_000, 59_999, 70_000];
        for (jump, length) in jumps.into_iter().flat_map(|jump| [1usize, 30, 20_000].map(|length| (jump, length))) {
            let (mut ours, mut theirs) = (Vec::new(), Vec::new());
            window.seek(SeekFrom::Start(jump)).unwrap();
            plain.seek(SeekFrom::Start(jump)).unwrap();
            window.by_ref().take(length as u64).read_to_end(&mut ours).unwrap();
            plain.by_ref().take(length as u64).read_to_end(&mut theirs).unwrap();
            assert_eq!(ours, theirs, "{jump} {length}");
        }
        assert_eq!(window.seek(SeekFrom::End(-1)).unwrap(), 59_999);
        assert!(window.seek(SeekFrom::Current(-60_000)).is_err());
    }
}
