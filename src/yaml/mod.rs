//! Documents of dumps as a flat tape of nodes with byte offsets.
//!
//! A [`Document`] owns the text of one file and a [`Node`] points into it. Every reader
//! ([`fast`], [`full`], [`json`]) fills the same tape through a [`Builder`], so other modules do not know which one
//! read a file. Scalars stay where they are in the text; values that need decoding (escapes,
//! folding) are in an arena next to it. [`source`] makes the text safe to read, [`normalise`]
//! corrects peculiarities of collectors and marks secrets before anything else uses the document, [`go_structs`] converts
//! printed Go structs, and [`excerpt`]
//! shows the lines around a node. [`mixed`] finds documents between other lines; [`settings`] and [`grid`] read files of lines, which are neither YAML nor JSON, into
//! the same tape.
//!
//! The tape is in document order: a mapping is followed by key, value, key, value...; a sequence
//! by its items; each collection knows the index after its subtree.

pub mod builder;
mod document;
mod eight;
pub mod excerpt;
pub mod fast;
pub mod full;
pub mod go_structs;
pub mod grid;
pub mod json;
mod masked_source;
mod masks;
pub mod mixed;
pub mod node;
pub mod normalise;
mod problem;
pub mod scalar;
pub mod settings;
pub mod source;
pub mod tape;

use crate::model::message::DocumentProblem;

pub use crate::model::secret;
pub use builder::Builder;
pub use document::Document;
pub use node::Node;
pub use problem::Problem;
pub use tape::Kind;

/// Reads YAML or JSON into a tape.
///
/// The result holds every document of the file that could be read ([`Document::roots`]) and a
/// [`Problem`] for each unreadable one, and for characters that had to be replaced in the text.
pub fn parse(bytes: Vec<u8>) -> (Document, Vec<Problem>) {
    let (text, mut problems) = source::text(bytes);
    let (document, more) = parse_text(text, u64::MAX);
    problems.extend(more);
    (document, problems)
}

/// Reads YAML or JSON from a text that comes from [`source::text`]; text and tape take at most `room` bytes of memory.
pub fn parse_text(text: String, room: u64) -> (Document, Vec<Problem>) {
    let (tape, mut problems) = read(&text, room);
    let repeated = tape.repeated;
    let document = Document::new(text, tape);
    problems.extend(repeated.map(|repeated| repetition(&document, repeated)));
    (document, problems)
}

/// Tells about repeated keys, on the line of the first one that does not count.
fn repetition(document: &Document, repeated: tape::Repeated) -> Problem {
    let message = match repeated.count {
        1 => DocumentProblem::KeyRepeated,
        count => DocumentProblem::KeysRepeated { count },
    };
    Problem::new(document.node(repeated.first).line(), message)
}

fn read(text: &str, room: u64) -> (tape::Tape, Vec<Problem>) {
    if !json::looks_like_json(text) {
        return fast::read(text, room);
    }
    let (from_json, failure) = json::read(text, room);
    let Some(failure) = failure else { return (from_json, Vec::new()) };
    // YAML would need the same memory.
    if failure.is_memory() {
        return (from_json, vec![failure]);
    }
    let (from_yaml, problems) = fast::read(text, room.saturating_sub(from_json.bytes() as u64));
    let yaml_got_further = problems.first().is_none_or(|p| p.line > failure.line);
    if from_yaml.roots() > from_json.roots() || (from_yaml.roots() == from_json.roots() && yaml_got_further) {
        (from_yaml, problems)
    } else {
        (from_json, vec![failure])
    }
}

#[cfg(test)]
mod tests;
