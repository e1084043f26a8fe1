//! Fingerprints of a bundle: one of the input file, one of the content that is the same for every container format.

use std::fmt::Write;
use std::io::{self, Read};
use std::sync::{Mutex, PoisonError};

use sha2::{Digest, Sha256};

use crate::bundle::Bundle;
use crate::bundle::containers::layer::ReadRequest;
use crate::bundle::containers::parts::JoinedFile;
use crate::bundle::read;
use crate::model::Issue;

/// Bytes read at a time. Most files of an unpacked bundle are smaller; clearing 128 KiB for each took a sixth of the
/// time.
const CHUNK: usize = 16 << 10;

impl Bundle {
    /// Returns the SHA-256 of the bundle's file in hex, also if it is nested in another; none for a folder or a bundle
    /// in memory.
    ///
    /// # Errors
    /// If the file can no longer be read.
    pub fn sha256(&self) -> io::Result<Option<String>> {
        if self.container.is_directory || self.disk.as_os_str().is_empty() {
            return Ok(None);
        }
        let mut hasher = Sha256::new();
        if let Some(archive) = &self.archive {
            let hashed = Mutex::new(hasher);
            let failed = read::run(&self.layers, &self.disk, std::slice::from_ref(archive), &|_, reader| {
                let mut hasher = hashed.lock().unwrap_or_else(PoisonError::into_inner);
                // Readers of a pass end early instead of failing; the pass reports the failure.
                let _ = each_chunk(reader, &mut |bytes| hasher.update(bytes));
            });
            return match failed.into_iter().next() {
                Some(failure) => Err(io::Error::other(failure.problem.to_string())),
                None => Ok(Some(hex(&hashed.into_inner().unwrap_or_else(PoisonError::into_inner).finalize()))),
            };
        }
        each_chunk(&mut JoinedFile::open(&self.disk)?, &mut |bytes| hasher.update(bytes))?;
        Ok(Some(hex(&hasher.finalize())))
    }

    /// Returns the SHA-256, in hex, over the sorted lines "entry NUL size NUL CRC-32" of the files of the outermost
    /// container, and the issues of files that could not be read for it. It is the same for a folder, a zip and a tar
    /// of the same files.
    ///
    /// A nested archive counts as one file. Reads all files of a folder in parallel; archives state their checksums.
    pub fn content_id(&self) -> (String, Vec<Issue>) {
        let entries: Vec<_> = self.entries.iter().filter(|entry| entry.outer).collect();
        let sums: Vec<Mutex<(u64, Option<u32>)>> =
            entries.iter().map(|entry| Mutex::new((entry.size, entry.crc))).collect();
        let unknown: Vec<usize> =
            (0..entries.len()).filter(|&n| entries.get(n).is_some_and(|e| e.crc.is_none())).collect();
        let requests: Vec<ReadRequest> =
            unknown.iter().filter_map(|&n| entries.get(n)).map(|entry| entry.request()).collect();
        let failures = read::run(&self.layers, &self.disk, &requests, &|request, reader| {
            let sum = checksum(reader);
            if let Some(slot) = unknown.get(request).and_then(|&n| sums.get(n)) {
                *slot.lock().unwrap_or_else(PoisonError::into_inner) = sum;
            }
        });
        let mut hasher = Sha256::new();
        for (entry, sum) in entries.iter().zip(sums) {
            let (size, crc) = sum.into_inner().unwrap_or_else(PoisonError::into_inner);
            hasher.update(format!("{}\0{size}\0{:08x}\n", entry.path, crc.unwrap_or(0)));
        }
        let path = |request: usize| unknown.get(request).and_then(|&n| entries.get(n)).map(|entry| entry.path.clone());
        (hex(&hasher.finalize()), failures.into_iter().map(|failure| self.issue(failure, &path)).collect())
    }
}

fn checksum(reader: &mut dyn Read) -> (u64, Option<u32>) {
    let (mut size, mut crc) = (0, crc32fast::Hasher::new());
    // Readers of a pass end early instead of failing; the pass reports the failure.
    let _ = each_chunk(reader, &mut |bytes| {
        size += bytes.len() as u64;
        crc.update(bytes);
    });
    (size, Some(crc.finalize()))
}

fn each_chunk(reader: &mut dyn Read, take: &mut dyn FnMut(&[u8])) -> io::Result<()> {
    let mut chunk = vec![0; CHUNK];
    loop {
        match reader.read(&mut chunk) {
            Ok(0) => return Ok(()),
            Ok(count) => take(chunk.get(..count).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
