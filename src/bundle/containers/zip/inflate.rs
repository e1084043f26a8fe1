//! [`Inflate`]: a deflate stream that returns every byte before damage and records its end.

use std::cell::Cell;
use std::io::{self, ErrorKind, Read};
use std::ops::Range;

use flate2::{Decompress, FlushDecompress, Status};

/// Compressed bytes read at a time; small, so that a small entry costs little.
const CHUNK: usize = 8 << 10;

thread_local! {
    /// Buffers left by the previous entry on this thread: clearing the 60 KiB of a new one costs more than expanding
    /// most entries.
    static USED: Cell<Option<Parts>> = const { Cell::new(None) };
}

/// Buffers that entries of a thread use one after the other.
struct Parts {
    input: Vec<u8>,
    inner: Decompress,
}

/// [`Parts`] that are returned when the entry has been read.
struct Lent(Option<Parts>);

impl Lent {
    fn new() -> Self {
        let used = USED.take().map(|mut parts| {
            parts.inner.reset(false);
            parts
        });
        Self(used.or_else(|| Some(Parts { input: vec![0; CHUNK], inner: Decompress::new(false) })))
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        USED.set(self.0.take());
    }
}

pub(super) struct Inflate<R> {
    source: R,
    parts: Lent,
    /// Range of unused input.
    waiting: Range<usize>,
    ended: Option<End>,
}

/// End of the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The stream is complete.
    Whole,
    /// The input is truncated.
    Truncated,
    Damaged,
}

impl<R: Read> Inflate<R> {
    pub fn new(source: R) -> Self {
        Self { source, parts: Lent::new(), waiting: 0..0, ended: None }
    }

    /// Returns the number of compressed bytes used.
    pub fn used(&self) -> u64 {
        self.parts.0.as_ref().map_or(0, |parts| parts.inner.total_in())
    }

    /// Returns the end of the stream; none while it continues.
    pub fn end(&self) -> Option<End> {
        self.ended
    }

    fn fill(&mut self) -> io::Result<()> {
        if let Some(parts) = &mut self.parts.0 {
            self.waiting = 0..self.source.read(&mut parts.input)?;
        }
        Ok(())
    }

    /// Returns the number of bytes written, and true if any input was used.
    fn step(&mut self, out: &mut [u8]) -> (usize, bool) {
        let Some(Parts { input, inner }) = &mut self.parts.0 else { return (0, false) };
        let (used, given) = (inner.total_in(), inner.total_out());
        let waiting = input.get(self.waiting.clone()).unwrap_or_default();
        let status = inner.decompress(waiting, out, FlushDecompress::None);
        let used = usize::try_from(inner.total_in() - used).unwrap_or(usize::MAX);
        self.waiting.start = self.waiting.start.saturating_add(used);
        match status {
            Ok(Status::StreamEnd) => self.ended = Some(End::Whole),
            Ok(_) => {}
            Err(_) => self.ended = Some(End::Damaged),
        }
        (usize::try_from(inner.total_out() - given).unwrap_or(0).min(out.len()), used > 0)
    }
}

impl<R: Read> Read for Inflate<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.ended.is_none() && !out.is_empty() {
            if self.waiting.is_empty() {
                self.fill()?;
            }
            let (given, used) = self.step(out);
            if given > 0 {
                return Ok(given);
            }
            if self.ended.is_none() && !used {
                self.ended = Some(End::Truncated);
            }
        }
        match self.ended {
            Some(End::Truncated) => Err(ErrorKind::UnexpectedEof.into()),
            Some(End::Damaged) => Err(io::Error::new(ErrorKind::InvalidData, "not a deflate stream")),
            Some(End::Whole) | None => Ok(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn deflated(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn text() -> Vec<u8> {
        (0..40_000u32).flat_map(|n| format!("line {} {n}\n", n.wrapping_mul(2_654_435_761)).into_bytes()).collect()
    }

    fn drain(bytes: &[u8]) -> (Vec<u8>, Option<End>, u64) {
        let mut inflate = Inflate::new(bytes);
        let mut out = Vec::new();
        let _ = inflate.read_to_end(&mut out);
        (out, inflate.end(), inflate.used())
    }

    #[test]
    fn it_ends_by_itself_before_what_follows() {
        let packed = deflated(&text());
        let (out, end, used) = drain(&[packed.as_slice(), b"PK\x07\x08 and more"].concat());
        assert!(out == text());
        assert_eq!((end, used), (Some(End::Whole), packed.len() as u64));
        assert_eq!(drain(&deflated(b"")), (vec![], Some(End::Whole), 2));
    }

    #[test]
    fn everything_before_a_cut_or_damage_is_given() {
        let packed = deflated(&text());
        let half = packed.len() / 2;
        let (out, end, _) = drain(&packed[..half]);
        assert_eq!(end, Some(End::Truncated));
        assert!(out.len() > text().len() / 3 && text().starts_with(&out), "{}", out.len());
        // A block of text, then one of an invalid type.
        let broken = [&[0, 4, 0, 0xfb, 0xff][..], b"text", &[6], &packed].concat();
        let (out, end, _) = drain(&broken);
        assert_eq!((out.as_slice(), end), (&b"text"[..], Some(End::Damaged)));
    }
}
