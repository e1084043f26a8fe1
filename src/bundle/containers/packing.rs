//! Compression formats of files: [`Packing`] and the decoders, with bounded memory for any header.

use std::io::{self, BufReader, Read};

use bzip2::read::MultiBzDecoder;
use flate2::read::MultiGzDecoder;
use liblzma::read::XzDecoder;
use liblzma::stream::{CONCATENATED, Stream};

/// Memory limit of an xz decoder: `xz -9` needs 65 MiB.
const XZ_MEMORY: u64 = 128 << 20;
/// Log2 of a zstd decoder's maximum window: the limit that `zstd` itself applies by default.
const ZSTD_WINDOW: u32 = 27;

/// Compression of one byte stream; a stream may consist of several concatenated pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packing {
    Gzip,
    Xz,
    Bzip2,
    Zstd,
}

impl Packing {
    /// Returns the display name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Xz => "xz",
            Self::Bzip2 => "bzip2",
            Self::Zstd => "zstd",
        }
    }

    /// Returns a decoder of `source`.
    ///
    /// # Errors
    /// If there is no memory for the decoder.
    pub fn decode<R: Read>(self, source: R) -> io::Result<Decoder<R>> {
        Ok(match self {
            Self::Gzip => Decoder::Gzip(MultiGzDecoder::new(source)),
            Self::Xz => {
                let stream = Stream::new_stream_decoder(XZ_MEMORY, CONCATENATED)?;
                Decoder::Xz(XzDecoder::new_stream(source, stream))
            }
            Self::Bzip2 => Decoder::Bzip2(MultiBzDecoder::new(source)),
            Self::Zstd => {
                let mut decoder = zstd::Decoder::new(source)?;
                decoder.window_log_max(ZSTD_WINDOW)?;
                Decoder::Zstd(decoder)
            }
        })
    }
}

/// Decoder of a stream; can move to another thread if its source can.
pub(crate) enum Decoder<R: Read> {
    Gzip(MultiGzDecoder<R>),
    Xz(XzDecoder<R>),
    Bzip2(MultiBzDecoder<R>),
    Zstd(zstd::Decoder<'static, BufReader<R>>),
}

impl<R: Read> Read for Decoder<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Gzip(decoder) => decoder.read(out),
            Self::Xz(decoder) => decoder.read(out),
            Self::Bzip2(decoder) => decoder.read(out),
            Self::Zstd(decoder) => decoder.read(out),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::tests::samples::PACKERS;

    #[test]
    fn several_pieces_are_one_stream() {
        for (packing, pack) in PACKERS {
            let packed = [pack(b"first "), pack(b"second")].concat();
            let text = io::read_to_string(packing.decode(packed.as_slice()).unwrap()).unwrap();
            assert_eq!(text, "first second", "{}", packing.name());
        }
    }

    #[test]
    fn a_cut_stream_gives_what_it_has_and_then_an_error() {
        let text: Vec<u8> = (0..200_000u32).flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
        for (packing, pack) in PACKERS {
            let packed = pack(&text);
            let mut bytes = Vec::new();
            let error = packing.decode(&packed[..packed.len() * 9 / 10]).unwrap().read_to_end(&mut bytes).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof, "{}: {error}", packing.name());
            assert!(text.starts_with(&bytes) && !bytes.is_empty(), "{}: {} bytes", packing.name(), bytes.len());
        }
    }

    #[test]
    fn a_header_does_not_get_gigabytes() {
        let sum = |bytes: &[u8]| crc32fast::hash(bytes).to_le_bytes();
        // LZMA2 with a dictionary of 2 GiB, as the header of a block states it.
        let block = [2, 0, 0x21, 1, 38, 0, 0, 0];
        let flags = [0, 1];
        let xz = [b"\xfd7zXZ\0", &flags[..], &sum(&flags), &block, &sum(&block), &[0; 64]].concat();
        let error = Packing::Xz.decode(xz.as_slice()).unwrap().read_to_end(&mut Vec::new()).unwrap_err();
        assert!(error.to_string().contains("memory"), "{error}");
        let frame = [0x28, 0xb5, 0x2f, 0xfd, 0x00, (31 - 10) << 3, 0x01, 0x00, 0x00];
        let error = Packing::Zstd.decode(&frame[..]).unwrap().read_to_end(&mut Vec::new()).unwrap_err();
        assert!(error.to_string().contains("memory"), "{error}");
    }
}
