//! Sparse files in PAX archives of GNU tar: the data without the holes, and a map of its positions.

use std::io::{self, ErrorKind, Read};

/// Maximum number of data pieces in one file; a journal has some dozens.
const MOST_PIECES: usize = 1 << 16;

/// Block size; tar pads the map to whole blocks.
const BLOCK: usize = 512;

/// Contents of a sparse file's extended header.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Sparse {
    /// Real name; the member's own name is a placeholder.
    pub name: Option<String>,
    /// Size including holes.
    pub size: u64,
    /// Start and length of each piece; none if the map precedes the data.
    map: Option<Vec<(u64, u64)>>,
}

impl Sparse {
    /// Parses the records of an extended header (versions 0.0, 0.1 and 1.0); returns none if the file has no holes.
    pub fn of<'r>(records: impl Iterator<Item = (&'r str, &'r [u8])>) -> Option<Self> {
        let (mut sparse, mut size, mut pieces) = (Self::default(), None, Vec::new());
        for (key, value) in records {
            let Some(key) = key.strip_prefix("GNU.sparse.") else { continue };
            let text = String::from_utf8_lossy(value);
            match key {
                "name" => sparse.name = Some(text.into_owned()),
                "size" | "realsize" => size = text.parse().ok(),
                "map" | "offset" | "numbytes" => {
                    pieces.extend(text.split(',').filter_map(|n| n.parse::<u64>().ok()).take(2 * MOST_PIECES));
                }
                _ => {}
            }
        }
        sparse.size = size?;
        sparse.map = (!pieces.is_empty()).then(|| pairs(&pieces));
        Some(sparse)
    }

    /// Returns a reader of the file that fills holes with zeros.
    pub fn reader<R: Read>(self, data: R) -> Filled<R> {
        Filled { data, size: self.size, at: 0, map: self.map, piece: 0 }
    }
}

fn pairs(numbers: &[u64]) -> Vec<(u64, u64)> {
    numbers.chunks_exact(2).take(MOST_PIECES).filter_map(|pair| Some((*pair.first()?, *pair.last()?))).collect()
}

/// Reads data and holes.
pub(crate) struct Filled<R> {
    data: R,
    size: u64,
    at: u64,
    map: Option<Vec<(u64, u64)>>,
    /// Index of the piece that contains or follows `at`.
    piece: usize,
}

impl<R: Read> Filled<R> {
    /// Returns the size including holes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Reads the map before the data, in lines: the number of pieces, then start and length of each.
    fn read_map(&mut self) -> io::Result<Vec<(u64, u64)>> {
        let (mut numbers, mut wanted, mut number) = (Vec::new(), 1, 0u64);
        while numbers.len() < wanted {
            let mut block = [0; BLOCK];
            self.data.read_exact(&mut block)?;
            for byte in block {
                match byte {
                    b'0'..=b'9' => number = number.saturating_mul(10).saturating_add(u64::from(byte - b'0')),
                    b'\n' if numbers.len() < wanted => numbers.push(std::mem::take(&mut number)),
                    _ => {}
                }
                if let ([count], 1) = (numbers.as_slice(), wanted) {
                    let most = usize::try_from(*count).ok().filter(|count| *count <= MOST_PIECES);
                    wanted += 2 * most.ok_or_else(|| invalid("too many pieces in a file with holes"))?;
                    if wanted == 1 {
                        break;
                    }
                }
            }
        }
        Ok(pairs(numbers.get(1..).unwrap_or_default()))
    }
}

impl<R: Read> Read for Filled<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let mut map = match self.map.take() {
            Some(map) => map,
            None => self.read_map()?,
        };
        while map.get(self.piece).is_some_and(|(begin, length)| begin.saturating_add(*length) <= self.at) {
            self.piece += 1;
        }
        let (begin, length) = map.get(self.piece).copied().unwrap_or((self.size, 0));
        self.map = Some(std::mem::take(&mut map));
        let end = if self.at < begin { begin } else { begin.saturating_add(length) }.min(self.size);
        let room = usize::try_from(end.saturating_sub(self.at)).unwrap_or(usize::MAX).min(out.len());
        let window = out.get_mut(..room).unwrap_or_default();
        let count = if self.at < begin {
            window.fill(0);
            room
        } else {
            self.data.read(window)?
        };
        if count == 0 && room > 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        self.at += count as u64;
        Ok(count)
    }
}

fn invalid(what: &'static str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, what)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(records: &[(&'static str, &'static str)]) -> Option<Sparse> {
        Sparse::of(records.iter().map(|(key, value)| (*key, value.as_bytes())))
    }

    fn filled(sparse: Sparse, data: &[u8]) -> (Vec<u8>, bool) {
        let mut out = Vec::new();
        let failed = sparse.reader(data).read_to_end(&mut out).is_err();
        (out, failed)
    }

    #[test]
    fn holes_are_filled_in_all_versions() {
        let expected = b"\0\0abc\0\0\0de\0".to_vec();
        let size = ("GNU.sparse.size", "11");
        let zero = of(&[
            size,
            ("GNU.sparse.offset", "2"),
            ("GNU.sparse.numbytes", "3"),
            ("GNU.sparse.offset", "8"),
            ("GNU.sparse.numbytes", "2"),
        ]);
        assert_eq!(filled(zero.unwrap(), b"abcde"), (expected.clone(), false));
        let one = of(&[size, ("GNU.sparse.map", "2,3,8,2"), ("GNU.sparse.name", "a.log")]).unwrap();
        assert_eq!(one.name.as_deref(), Some("a.log"));
        assert_eq!(filled(one, b"abcde"), (expected.clone(), false));
        let mut data = b"2\n2\n3\n8\n2\n".to_vec();
        data.resize(512, 0);
        data.extend(b"abcde");
        let last = of(&[("GNU.sparse.major", "1"), ("GNU.sparse.realsize", "11")]).unwrap();
        assert_eq!(filled(last, &data), (expected, false));
        assert_eq!(of(&[("path", "x"), ("mtime", "1")]), None);
    }

    #[test]
    fn false_maps_end_in_an_error() {
        let sparse = |map: &'static str| of(&[("GNU.sparse.size", "100"), ("GNU.sparse.map", map)]).unwrap();
        assert_eq!(filled(sparse("0,50"), b"abc"), (b"abc".to_vec(), true));
        assert_eq!(filled(sparse("18446744073709551615,18446744073709551615"), b"abc").0.len(), 100);
        let none = || of(&[("GNU.sparse.realsize", "100")]).unwrap();
        let mut claims = b"99999999999999999999999\n".to_vec();
        claims.resize(512, 0);
        assert_eq!(filled(none(), &claims), (vec![], true));
        claims[..23].copy_from_slice(b"0\n2\n3\n4\n5\n6\n7\n8\n9\n10\n\n\n");
        assert_eq!(filled(none(), &claims), (vec![0; 100], false));
        assert_eq!(filled(none(), b""), (vec![], true));
    }
}
