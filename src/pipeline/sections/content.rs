//! What a file of any name holds, by its first bytes, if that has several parts.

use super::{containers, transcript};
use crate::resource::content::Shape;

/// What a file of any name holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// The output of `kubectl cluster-info dump`: logs between documents.
    Dump,
    /// Commands and what they printed.
    Transcript,
}

impl Content {
    /// Recognises the content by its first bytes, of which `shape` is known.
    pub fn of(head: &[u8], shape: Option<Shape>) -> Option<Self> {
        let is_transcript = || (shape != Some(Shape::Objects) && transcript::is_one(head)).then_some(Self::Transcript);
        if containers::is_dump(head) { Some(Self::Dump) } else { is_transcript() }
    }
}
