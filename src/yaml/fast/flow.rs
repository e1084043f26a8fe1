//! Flow collections that end on the line on which they begin, as people write them into rules and values.

use std::ops::Range;

use super::super::scalar::{MERGE_KEY, plain_kind};
use super::super::tape::{Kind, MAX_DEPTH};
use super::block::{BlockReader, MAX_KEY};
use super::cursor::{Line, begins_plain};
use super::outcome::{Outcome, Stop};

/// Returns true for characters that separate, begin or end parts of a flow collection.
fn is_indicator(byte: u8) -> bool {
    matches!(byte, b',' | b'[' | b']' | b'{' | b'}')
}

impl BlockReader<'_, '_> {
    /// Reads the flow collection at an offset; only a comment may follow it on its line.
    pub(super) fn flow(&mut self, line: Line, at: usize) -> Outcome<()> {
        let behind = self.flow_collection(at, line.end)?;
        self.cursor.only_blanks(behind, line.end)
    }

    /// Reads a collection and returns its end. Recursion is bounded by the depth.
    fn flow_collection(&mut self, at: usize, end: usize) -> Outcome<usize> {
        let (kind, closer) =
            if self.cursor.byte(at) == Some(b'[') { (Kind::Sequence, b']') } else { (Kind::Mapping, b'}') };
        self.builder.open(kind, at);
        // The event parser reports documents that are too deep.
        if self.builder.depth() > MAX_DEPTH {
            return Err(Stop::Declined);
        }
        let mut next = self.cursor.behind_spaces(at + 1, end);
        if self.cursor.byte_before(next, end) == Some(closer) {
            self.builder.close_distinct();
            return Ok(next + 1);
        }
        loop {
            if kind == Kind::Mapping {
                next = self.flow_key(next, end)?;
            }
            next = self.flow_node(next, end)?;
            match self.cursor.byte_before(next, end) {
                Some(b',') => next = self.cursor.behind_spaces(next + 1, end),
                Some(byte) if byte == closer => break,
                _ => return Err(Stop::Declined),
            }
        }
        self.builder.close();
        Ok(next + 1)
    }

    /// Reads a key with its colon and the blank after it; returns where its value begins.
    fn flow_key(&mut self, at: usize, end: usize) -> Outcome<usize> {
        let colon = self.flow_scalar(at, end)?;
        if !self.cursor.is_colon(colon, end) || colon - at > MAX_KEY {
            return Err(Stop::Declined);
        }
        Ok(self.cursor.behind_spaces(colon + 1, end))
    }

    /// Reads an item or value; returns where the next part begins.
    fn flow_node(&mut self, at: usize, end: usize) -> Outcome<usize> {
        match self.cursor.byte_before(at, end) {
            Some(b'[' | b'{') => {
                let behind = self.flow_collection(at, end)?;
                Ok(self.cursor.behind_spaces(behind, end))
            }
            _ => self.flow_scalar(at, end),
        }
    }

    fn flow_scalar(&mut self, at: usize, end: usize) -> Outcome<usize> {
        match self.cursor.byte_before(at, end) {
            Some(quote @ (b'"' | b'\'')) => {
                let close = self.cursor.quoted_on_line(at, end, quote).ok_or(Stop::Declined)?;
                self.flow_quoted(at, at + 1..close)?;
                Ok(self.cursor.behind_spaces(close + 1, end))
            }
            Some(_) => {
                let stop = self.flow_plain_end(at, end)?;
                let value = at..self.cursor.before_spaces(at, stop);
                let text = self.text.get(value.clone()).unwrap_or_default();
                if text == MERGE_KEY {
                    return Err(Stop::Declined);
                }
                self.builder.borrowed(plain_kind(text), at, value);
                Ok(stop)
            }
            None => Err(Stop::Declined),
        }
    }

    fn flow_quoted(&mut self, at: usize, inside: Range<usize>) -> Outcome<()> {
        if !self.cursor.holds_escape(&inside, at) {
            self.builder.borrowed(Kind::String, at, inside);
            return Ok(());
        }
        let end = inside.end + 1;
        self.decoded.clear();
        if self.cursor.byte(at) == Some(b'"') {
            self.decode_double(inside)?
        } else {
            self.decode_single(inside)?
        }
        self.builder.owned(Kind::String, at..end, &self.decoded);
        Ok(())
    }

    /// Returns the end of the plain scalar at an offset, without blanks, on the same line.
    fn flow_plain_end(&self, at: usize, end: usize) -> Outcome<usize> {
        let bytes = self.cursor.slice(at..end);
        let byte = |index: usize| bytes.get(index).copied();
        let begins = byte(0).is_some_and(|first| begins_plain(first, byte(1)));
        // The event parser decides about `[-]` and the like.
        if !begins || byte(0) == Some(b'-') && byte(1).is_some_and(is_indicator) {
            return Err(Stop::Declined);
        }
        for (index, found) in bytes.iter().enumerate() {
            match found {
                b',' | b']' | b'}' => return Ok(at + index),
                b':' if matches!(byte(index + 1), None | Some(b' ')) => return Ok(at + index),
                b':' if byte(index + 1).is_some_and(is_indicator) => return Err(Stop::Declined),
                b'#' if index > 0 && byte(index - 1) == Some(b' ') => return Err(Stop::Declined),
                b'[' | b'{' | b'\t' => return Err(Stop::Declined),
                _ => {}
            }
        }
        Err(Stop::Declined)
    }
}
