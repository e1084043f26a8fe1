//! What a file of any name holds, by its first bytes, if that has several parts.

use super::{containers, headed, transcript};
use crate::model::encoding;
use crate::resource::content::Shape;

/// What a file of any name holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// The output of `kubectl cluster-info dump`: logs between documents.
    Dump,
    /// Commands and what they printed.
    Transcript,
    /// Parts below their names.
    Headed,
}

impl Content {
    /// Recognises the content by its first bytes, of which `shape` is known.
    pub fn of(head: &[u8], shape: Option<Shape>) -> Option<Self> {
        if containers::is_dump(head) {
            return Some(Self::Dump);
        }
        if shape == Some(Shape::Objects) {
            return None;
        }
        let text = encoding::utf8(head.to_vec());
        let text = String::from_utf8_lossy(&text);
        let is_transcript = || transcript::is_one(&text).then_some(Self::Transcript);
        headed::is_one(&text).then_some(Self::Headed).or_else(is_transcript)
    }

    /// Recognises the parts of a log in a file whose name says no more than that.
    pub fn of_log(head: &[u8]) -> Option<Self> {
        let text = encoding::utf8(head.to_vec());
        headed::is_one(&String::from_utf8_lossy(&text)).then_some(Self::Headed)
    }
}
