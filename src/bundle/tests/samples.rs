//! Small archives for the tests of this module, built in memory.

use std::io::{Cursor, Write};

use zip::CompressionMethod;
use zip::write::SimpleFileOptions;

use crate::bundle::containers::packing::Packing;

pub(crate) fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    zip_with(files, CompressionMethod::Deflated)
}

pub(crate) fn stored_zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    zip_with(files, CompressionMethod::Stored)
}

fn zip_with(files: &[(&str, &[u8])], method: CompressionMethod) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        archive.start_file(*name, SimpleFileOptions::default().compression_method(method)).unwrap();
        archive.write_all(bytes).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

pub(crate) fn tar(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    for (name, bytes) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        // Written directly: the library rejects names that lead out, which the tests need.
        let field = &mut header.as_old_mut().name;
        field[..name.len()].copy_from_slice(name.as_bytes());
        header.set_cksum();
        archive.append(&header, *bytes).unwrap();
    }
    archive.into_inner().unwrap()
}

pub(crate) fn tar_link(name: &str, target: &str) -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(tar::EntryType::Symlink);
    header.set_size(0);
    archive.append_link(&mut header, name, target).unwrap();
    archive.into_inner().unwrap()
}

/// Returns a header in the format before 1988, without magic.
pub(crate) fn old_tar_header(name: &str) -> Vec<u8> {
    let mut header = tar::Header::new_old();
    header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
    header.set_size(0);
    header.set_mode(0o644);
    header.set_cksum();
    header.as_bytes().to_vec()
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Function that compresses in memory.
pub(crate) type Pack = fn(&[u8]) -> Vec<u8>;

/// All compression formats, each with its function.
pub(crate) const PACKERS: [(Packing, Pack); 4] =
    [(Packing::Gzip, gzip), (Packing::Xz, xz), (Packing::Bzip2, bzip2), (Packing::Zstd, zstd)];

pub(crate) fn xz(bytes: &[u8]) -> Vec<u8> {
    liblzma::encode_all(bytes, 0).unwrap()
}

pub(crate) fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).unwrap()
}
