//! Bundles in memory, for rule tests and benches.

use std::sync::Arc;

use crate::bundle::catalogue::Catalogue;
use crate::bundle::containers::listing::{Listing, Member, MemberKind, Store};
use crate::bundle::{Bundle, Container, Limits};

impl Bundle {
    /// Creates a bundle of these files. Members of nested archives are listed by path
    /// (`nodes/n1.zip!/n1/logs/kernel.log`); no folder is treated as a wrapping folder.
    pub fn from_memory(name: &str, files: Vec<(String, Vec<u8>)>, limits: Limits) -> Self {
        let bytes = files.iter().map(|(_, bytes)| bytes.len() as u64).sum();
        let container = Container { path: name.to_owned(), bytes, is_directory: false };
        Catalogue::new(limits).hold(listing(files), container)
    }
}

fn listing(files: Vec<(String, Vec<u8>)>) -> Listing {
    let member = |(name, bytes): (String, Vec<u8>)| Member {
        name,
        size: bytes.len() as u64,
        crc: None,
        what: MemberKind::File,
        format: None,
        held: Some(Arc::from(bytes)),
        is_cut: false,
    };
    Listing {
        store: Store::Memory,
        members: files.into_iter().map(member).collect(),
        stored: None,
        trouble: Vec::new(),
        remarks: Vec::new(),
    }
}
