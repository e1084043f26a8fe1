//! Where a bundle is written to: a zip, a folder, or memory.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::path::PathBuf;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

/// Takes the entries of a bundle one after the other.
pub trait Sink {
    /// Begins an entry; the writer is valid until the next one begins. Path segments are separated by `/`.
    ///
    /// # Errors
    /// When the place to write to cannot be made.
    fn file(&mut self, path: &str) -> io::Result<&mut dyn Write>;
}

/// A zip archive as Info-ZIP makes it: with an entry for each directory.
pub struct ZipSink<W: Write + Seek> {
    zip: ZipWriter<W>,
    directories: BTreeSet<String>,
    /// In front of every path.
    wrapping: String,
}

impl<W: Write + Seek> ZipSink<W> {
    /// A sink whose entries all lie in the directory `wrapping`.
    pub fn new(writer: W, wrapping: &str) -> Self {
        Self { zip: ZipWriter::new(writer), directories: BTreeSet::new(), wrapping: format!("{wrapping}/") }
    }

    /// Writes the central directory.
    ///
    /// # Errors
    /// When writing fails.
    pub fn finish(self) -> io::Result<W> {
        self.zip.finish().map_err(io::Error::other)
    }

    fn directories_of(&mut self, path: &str) -> io::Result<()> {
        for (at, _) in path.match_indices('/') {
            let directory = path.get(..=at).unwrap_or_default();
            if self.directories.insert(directory.to_owned()) {
                self.zip.add_directory(directory, options(CompressionMethod::Stored)).map_err(io::Error::other)?;
            }
        }
        Ok(())
    }
}

impl<W: Write + Seek> Sink for ZipSink<W> {
    fn file(&mut self, path: &str) -> io::Result<&mut dyn Write> {
        let path = format!("{}{path}", self.wrapping);
        self.directories_of(&path)?;
        let packed = path.ends_with(".zip");
        let method = if packed { CompressionMethod::Stored } else { CompressionMethod::Deflated };
        self.zip.start_file(path.as_str(), options(method)).map_err(io::Error::other)?;
        Ok(&mut self.zip)
    }
}

/// The same date for every entry. Level 1 halves the time of a big bundle for a tenth more bytes.
fn options(method: CompressionMethod) -> SimpleFileOptions {
    let date = DateTime::from_date_and_time(2025, 3, 18, 9, 30, 0).unwrap_or_default();
    let options = SimpleFileOptions::default().compression_method(method).last_modified_time(date).large_file(true);
    if method == CompressionMethod::Deflated { options.compression_level(Some(1)) } else { options }
}

/// A folder; what lies in it already is overwritten, never removed.
pub struct FolderSink {
    folder: PathBuf,
    current: Option<BufWriter<File>>,
}

impl FolderSink {
    /// A sink that makes the folder when the first entry comes.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), current: None }
    }

    /// Writes what is still buffered.
    ///
    /// # Errors
    /// When writing fails.
    pub fn finish(mut self) -> io::Result<()> {
        self.flush()
    }

    fn flush(&mut self) -> io::Result<()> {
        self.current.take().map_or(Ok(()), |mut file| file.flush())
    }
}

impl Sink for FolderSink {
    fn file(&mut self, path: &str) -> io::Result<&mut dyn Write> {
        self.flush()?;
        let target = self.folder.join(path);
        if let Some(parent) = target.parent() {
            std::fs::create_dir_all(parent)?;
        }
        Ok(self.current.insert(BufWriter::new(File::create(target)?)))
    }
}

/// Entries in memory, for tests and benches.
#[derive(Debug, Default)]
pub struct MemorySink {
    /// Content by path.
    pub files: BTreeMap<String, Vec<u8>>,
}

impl Sink for MemorySink {
    fn file(&mut self, path: &str) -> io::Result<&mut dyn Write> {
        Ok(self.files.entry(path.to_owned()).or_default())
    }
}
