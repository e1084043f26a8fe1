//! One entry and how to get at its bytes: [`Record`].

use std::io::{self, ErrorKind, Read, Seek, SeekFrom};

use deflate64::Deflate64Decoder;
use liblzma::read::XzDecoder;
use liblzma::stream::Stream;

use crate::bundle::containers::guard::damage;
use crate::bundle::containers::packing::Packing;
use crate::bundle::containers::zip::header;
use crate::bundle::containers::zip::inflate::Inflate;
use crate::bundle::containers::zip::whole::Whole;

/// Bytes of the properties of LZMA.
const LZMA_PROPERTIES: usize = 5;
/// Bytes that a decoder of LZMA may take.
const LZMA_MEMORY: u64 = 128 << 20;

/// Where an entry lies in the archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    /// Where its local header begins.
    pub header: u64,
    /// Bytes of its data in the archive.
    pub stored: u64,
    /// Bytes that these expand to, as the archive says.
    pub size: u64,
    pub method: Method,
    /// CRC-32 of the expanded data, where it is stated.
    pub crc: Option<u32>,
    pub fault: Option<Fault>,
}

/// How the data is compressed, as far as it can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    Stored,
    Deflate,
    /// Windows packs files of more than 2 GB so.
    Deflate64,
    /// With the bytes that it expands to, because nothing may mark its end.
    Lzma(u64),
    Packed(Packing),
}

/// What is wrong with an entry that was found without a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The archive ends in it.
    Cut,
    /// Its data is damaged after some bytes.
    Damaged,
    /// Nothing tells where it ends.
    Guessed,
}

impl Method {
    /// By its number in headers that state how many bytes the data expands to.
    pub fn of_sized(number: u16, size: u64) -> Option<Self> {
        match number {
            9 => Some(Self::Deflate64),
            14 => Some(Self::Lzma(size)),
            _ => Self::of(number),
        }
    }

    /// By its number in headers; the data itself tells its end.
    pub fn of(number: u16) -> Option<Self> {
        match number {
            0 => Some(Self::Stored),
            8 => Some(Self::Deflate),
            12 => Some(Self::Packed(Packing::Bzip2)),
            93 => Some(Self::Packed(Packing::Zstd)),
            95 => Some(Self::Packed(Packing::Xz)),
            _ => None,
        }
    }
}

/// Name of a method that is not read, at least not where only the data tells its end.
pub(super) fn method_name(number: u16) -> String {
    let name = match number {
        9 => "deflate64",
        14 => "lzma",
        98 => "ppmd",
        99 => "aes",
        _ => return format!("method {number}"),
    };
    name.to_owned()
}

/// Gives the expanded bytes of one entry to `visit`; the reader fails at damage, at the end where the checksum is wrong.
///
/// # Errors
/// When the entry cannot be found, in words for an Issue.
pub(crate) fn read<R: Read + Seek + Send>(
    record: &Record,
    source: &mut R,
    visit: &mut dyn FnMut(&mut (dyn Read + Send)),
) -> Result<(), String> {
    let begin = header::data_start(source, record.header).map_err(|error| damage(&error))?;
    let begin = begin.ok_or("its place in the archive is damaged; not read")?;
    source.seek(SeekFrom::Start(begin)).map_err(|error| damage(&error))?;
    if record.method == Method::Deflate {
        if let Some(whole) = Whole::expand(record, source) {
            visit(&mut whole.bytes());
            return Ok(());
        }
        source.seek(SeekFrom::Start(begin)).map_err(|error| damage(&error))?;
    }
    let data = Exact { left: record.stored, inner: source };
    let mut checked = match record.method {
        Method::Stored => Checked::new(Box::new(data), record),
        Method::Deflate => Checked::new(Box::new(Inflate::new(data)), record),
        Method::Deflate64 => Checked::new(Box::new(Deflate64Decoder::new(data)), record),
        Method::Lzma(size) => {
            let decoder = lzma(data, size).map_err(|error| format!("cannot be expanded ({error})"))?;
            Checked::new(decoder, record)
        }
        Method::Packed(packing) => {
            let decoder = packing.decode(data).map_err(|error| format!("cannot be expanded ({error})"))?;
            Checked::new(Box::new(decoder), record)
        }
    };
    visit(&mut checked);
    Ok(())
}

/// LZMA in a zip has the header of its own (version, length and bytes of the properties) instead of that of a `.lzma` file.
fn lzma<'s>(mut data: impl Read + Send + 's, size: u64) -> io::Result<Box<dyn Read + Send + 's>> {
    let mut begin = [0; 4 + LZMA_PROPERTIES];
    data.read_exact(&mut begin)?;
    let [_, _, length, 0, properties @ ..] = begin else { return Err(ErrorKind::InvalidData.into()) };
    if usize::from(length) != LZMA_PROPERTIES {
        return Err(ErrorKind::InvalidData.into());
    }
    let header = [properties.as_slice(), &size.to_le_bytes()].concat();
    let stream = Stream::new_lzma_decoder(LZMA_MEMORY)?;
    Ok(Box::new(XzDecoder::new_stream(io::Cursor::new(header).chain(data), stream)))
}

/// The first `left` bytes; fewer are an error.
struct Exact<'a, R> {
    inner: &'a mut R,
    left: u64,
}

impl<R: Read> Read for Exact<'_, R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let room = usize::try_from(self.left).unwrap_or(usize::MAX).min(out.len());
        let count = self.inner.read(out.get_mut(..room).unwrap_or_default())?;
        if count == 0 && room > 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        self.left = self.left.saturating_sub(count as u64);
        Ok(count)
    }
}

/// Compares the checksum at the end, and tells there what is wrong with the entry.
struct Checked<'a> {
    inner: Box<dyn Read + Send + 'a>,
    sum: crc32fast::Hasher,
    stated: Option<u32>,
    fault: Option<Fault>,
}

impl<'a> Checked<'a> {
    fn new(inner: Box<dyn Read + Send + 'a>, record: &Record) -> Self {
        Self { inner, sum: crc32fast::Hasher::new(), stated: record.crc, fault: record.fault }
    }

    fn end(&self) -> io::Result<usize> {
        let invalid = |what| Err(io::Error::new(ErrorKind::InvalidData, what));
        match self.fault {
            Some(Fault::Cut) => Err(ErrorKind::UnexpectedEof.into()),
            Some(Fault::Damaged) => invalid("not a deflate stream"),
            Some(Fault::Guessed) => invalid("where it ends had to be guessed"),
            None if self.stated.is_some_and(|stated| stated != self.sum.clone().finalize()) => {
                invalid("Invalid checksum")
            }
            None => Ok(0),
        }
    }
}

impl Read for Checked<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(out)?;
        if count == 0 && !out.is_empty() {
            return self.end();
        }
        self.sum.update(out.get(..count).unwrap_or_default());
        Ok(count)
    }
}
