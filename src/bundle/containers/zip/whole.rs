//! [`Whole`]: a deflated entry expanded in one call, which takes about half the time of a stream.
//!
//! The decoder needs the whole input and output, and returns nothing for a damaged entry. It therefore only accepts
//! entries that fit in memory, and only returns those that match their headers in every respect; for all others the
//! stream reports the fault and returns the readable bytes.

use std::cell::Cell;
use std::io::Read;

use libdeflater::Decompressor;

use super::record::Record;

/// Maximum bytes of an entry, compressed and expanded, that each thread holds.
const MOST: u64 = if cfg!(test) { 1 << 16 } else { 8 << 20 };
/// Maximum expansion of Deflate per byte; larger stated sizes are false and get no memory.
const MOST_OF_BYTE: u64 = 1032;

thread_local! {
    /// Buffers left by the previous entry on this thread.
    static USED: Cell<Option<Parts>> = const { Cell::new(None) };
}

struct Parts {
    input: Vec<u8>,
    output: Vec<u8>,
    inner: Decompressor,
}

/// Bytes of an entry; the buffer is returned to the thread.
pub(super) struct Whole {
    parts: Option<Parts>,
    length: usize,
}

impl Whole {
    /// Expands an entry whose compressed bytes come next; returns none if this decoder cannot handle it. The position
    /// of the source is then undefined.
    pub fn expand(record: &Record, data: &mut dyn Read) -> Option<Self> {
        let possible = record.size <= record.stored.saturating_mul(MOST_OF_BYTE);
        if record.size > MOST || record.stored > MOST || !possible || record.fault.is_some() {
            return None;
        }
        let (stored, length) = (usize::try_from(record.stored).ok()?, usize::try_from(record.size).ok()?);
        let new = || Parts { input: Vec::new(), output: Vec::new(), inner: Decompressor::new() };
        let mut whole = Self { parts: Some(USED.take().unwrap_or_else(new)), length };
        let Parts { input, output, inner } = whole.parts.as_mut()?;
        input.clear();
        // Bytes that an archive falsely claims to have take no memory.
        data.take(record.stored).read_to_end(input).ok().filter(|count| *count == stored)?;
        if output.len() < length {
            output.resize(length, 0);
        }
        let out = output.get_mut(..length)?;
        let given = inner.deflate_decompress(input, out).ok()?;
        (given == length && record.crc.is_none_or(|crc| crc == crc32fast::hash(out))).then_some(whole)
    }

    pub fn bytes(&self) -> &[u8] {
        self.parts.as_ref().and_then(|parts| parts.output.get(..self.length)).unwrap_or_default()
    }
}

impl Drop for Whole {
    fn drop(&mut self) {
        USED.set(self.parts.take());
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::Method;
    use super::*;
    use std::io::Write;

    fn entry(text: &[u8]) -> (Record, Vec<u8>) {
        let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(text).unwrap();
        let packed = encoder.finish().unwrap();
        let (stored, size) = (packed.len() as u64, text.len() as u64);
        let crc = Some(crc32fast::hash(text));
        (Record { header: 0, stored, size, method: Method::Deflate, crc, fault: None }, packed)
    }

    fn expanded(record: &Record, packed: &[u8]) -> Option<Vec<u8>> {
        Whole::expand(record, &mut &*packed).map(|whole| whole.bytes().to_vec())
    }

    #[test]
    fn entries_follow_each_other_in_one_buffer() {
        for text in [&b"one"[..], b"", &b"long ".repeat(10_000), b"short"] {
            let (record, packed) = entry(text);
            assert_eq!(expanded(&record, &packed).as_deref(), Some(text));
        }
        // A visitor of an entry may start reading another one on its thread.
        let ((outer, packed), (inner, more)) = (entry(b"outer"), entry(b"inner"));
        let whole = Whole::expand(&outer, &mut &*packed).unwrap();
        assert_eq!(expanded(&inner, &more).as_deref(), Some(&b"inner"[..]));
        assert_eq!(whole.bytes(), b"outer");
    }

    #[test]
    fn whatever_is_not_as_it_says_is_left_to_the_stream() {
        let (good, packed) = entry(b"some text that is as it says");
        let (size, stored) = (good.size, good.stored);
        for wrong in [
            Record { size: size + 1, ..good.clone() },
            Record { size: size - 1, ..good.clone() },
            Record { stored: stored + 1, ..good.clone() },
            Record { stored: stored - 1, ..good.clone() },
            Record { crc: Some(1), ..good.clone() },
            Record { size: MOST + 1, ..good.clone() },
            Record { size: stored * MOST_OF_BYTE + 1, ..good.clone() },
        ] {
            assert_eq!(expanded(&wrong, &packed), None, "{wrong:?}");
        }
        assert_eq!(expanded(&good, &vec![0xff; packed.len()]), None);
        assert!(expanded(&Record { crc: None, ..good }, &packed).is_some());
    }
}
