//! A zip entry and access to its bytes: [`Record`].

use std::io::{self, ErrorKind, Read, Seek, SeekFrom};

use deflate64::Deflate64Decoder;
use liblzma::read::XzDecoder;
use liblzma::stream::Stream;

use crate::bundle::containers::guard::damage;
use crate::bundle::containers::packing::Packing;
use crate::bundle::containers::zip::header;
use crate::bundle::containers::zip::inflate::Inflate;
use crate::bundle::containers::zip::whole::Whole;
use crate::model::message::{ArchiveProblem, ZipMethod};

/// Size of the LZMA properties.
const LZMA_PROPERTIES: usize = 5;
/// Memory limit of an LZMA decoder.
const LZMA_MEMORY: u64 = 128 << 20;

/// Location of an entry in the archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    /// Start of the local header.
    pub header: u64,
    /// Size of the data in the archive.
    pub stored: u64,
    /// Expanded size, as the archive states it.
    pub size: u64,
    pub method: Method,
    /// CRC-32 of the expanded data, if it is stated.
    pub crc: Option<u32>,
    pub fault: Option<Fault>,
}

/// Supported compression of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    Stored,
    Deflate,
    /// Used by Windows for files of more than 2 GB.
    Deflate64,
    /// LZMA with the expanded size, because the data may have no end mark.
    Lzma(u64),
    Packed(Packing),
}

/// Fault of an entry that was found without a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The archive ends in the entry.
    Truncated,
    /// The data is damaged after some bytes.
    Damaged,
    /// The end of the entry is unknown.
    Guessed,
}

impl Method {
    /// Returns the method with this number in headers that state the expanded size.
    pub fn of_sized(number: u16, size: u64) -> Option<Self> {
        match number {
            9 => Some(Self::Deflate64),
            14 => Some(Self::Lzma(size)),
            _ => Self::of(number),
        }
    }

    /// Returns the method with this number, if its data marks its own end.
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

/// Returns the name of a method that is not supported, or not supported for data of unknown length.
pub(super) fn method_name(number: u16) -> ZipMethod {
    let name = match number {
        9 => "deflate64",
        14 => "lzma",
        98 => "ppmd",
        99 => "aes",
        _ => return ZipMethod::Numbered { number },
    };
    ZipMethod::Named { name }
}

/// Passes the expanded bytes of one entry to `visit`; the reader fails at damage, and at the end if the checksum is
/// wrong.
///
/// # Errors
/// If the entry cannot be found; the text is for an Issue.
pub(crate) fn read<R: Read + Seek + Send>(
    record: &Record,
    source: &mut R,
    visit: &mut dyn FnMut(&mut (dyn Read + Send)),
) -> Result<(), ArchiveProblem> {
    let begin = header::data_start(source, record.header).map_err(|error| damage(&error))?;
    let begin = begin.ok_or(ArchiveProblem::HeaderDamaged)?;
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
            let decoder = lzma(data, size).map_err(not_expanded)?;
            Checked::new(decoder, record)
        }
        Method::Packed(packing) => {
            let decoder = packing.decode(data).map_err(not_expanded)?;
            Checked::new(Box::new(decoder), record)
        }
    };
    visit(&mut checked);
    Ok(())
}

fn not_expanded(error: io::Error) -> ArchiveProblem {
    ArchiveProblem::NotExpanded { error: error.to_string() }
}

/// Decodes LZMA with a zip header (version, length and bytes of the properties), which replaces the header of a
/// `.lzma` file.
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

/// Reader of the first `left` bytes; fewer are an error.
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

/// Reader that compares the checksum at the end, and reports the entry's fault there.
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
            Some(Fault::Truncated) => Err(ErrorKind::UnexpectedEof.into()),
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
