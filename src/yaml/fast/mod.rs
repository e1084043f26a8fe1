//! Fast reader of block YAML as Go's writers print it: one pass over lines, straight onto the tape.
//!
//! It declines what it does not fully understand: from the beginning of that document the event parser ([`full`]) reads the
//! text. So every text gives the same tape as [`full`] alone, which differential tests and a fuzz target compare node by
//! node. It understands block mappings and sequences, plain and quoted scalars, also over several lines, literal and folded blocks, flow
//! collections on one line, comments and `---`; not anchors, aliases, tags, directives, flow collections over several lines, explicit keys,
//! tabs as white space, or line ends with carriage returns. None of 1,100 dumps of real clusters holds any of these.
//!
//! If a quoted or plain scalar has several lines, [`scalar`] decodes it; everything else stays in the text.

mod block;
mod cursor;
mod flow;
mod outcome;
mod scalar;

use std::ops::Range;

use super::Problem;
use super::builder::Builder;
use super::full;
use super::tape::Tape;
use crate::model::message::DocumentProblem;
use block::BlockReader;
use outcome::Stop;

/// Reads every document of a text; an unreadable one becomes a problem. Text and tape take at most `room` bytes of memory.
pub fn read(text: &str, room: u64) -> (Tape, Vec<Problem>) {
    full::whole(text, room, part)
}

/// Reads every document of a part of a text, which begins on a line (1-based), as [`full::part`] does.
pub(super) fn part<'t>(
    builder: &mut Builder<'t>,
    text: &'t str,
    (part, line): (Range<usize>, u64),
    alias_budget: &mut usize,
) -> Vec<Problem> {
    let line_at = |at: usize| {
        let before = text.as_bytes().get(part.start..at).unwrap_or_default();
        line + memchr::memchr_iter(b'\n', before).count() as u64
    };
    let bytes = text.as_bytes().get(part.clone()).unwrap_or_default();
    if memchr::memchr(b'\r', bytes).is_some() {
        return full::part(builder, text, (part, line), alias_budget);
    }
    let mut problems = Vec::new();
    let mut at = part.start;
    loop {
        let mut reader = BlockReader::new(text, at..part.end, builder);
        match reader.document() {
            Ok(true) => at = reader.cursor.at(),
            Ok(false) => return problems,
            Err(Stop::Full { at: full }) => {
                let behind = reader.cursor.behind_document();
                builder.abandon();
                problems.push(Problem::new(line_at(full), DocumentProblem::TooManyValues));
                if full::too_many(&mut problems) {
                    return problems;
                }
                at = behind;
            }
            Err(Stop::Declined) => {
                builder.abandon();
                problems.extend(full::part(builder, text, (at..part.end, line_at(at)), alias_budget));
                return problems;
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests;
