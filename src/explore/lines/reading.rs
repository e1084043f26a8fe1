//! Passes over the texts of a bundle.

use std::collections::BTreeMap;
use std::io::Read;
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use crate::log::{LineReader, Page};
use crate::model::Issue;
use crate::pipeline::{BundleText, BundleTexts, TextKind};

/// Bytes by which a file is known to be no text.
const HEAD: u64 = 4096;
/// Size from which files of objects are read one after the other.
const LARGE: u64 = 16 << 20;

/// Reader of one text.
pub trait PageVisitor {
    /// Reads a page; breaks if it needs no more.
    fn page(&mut self, page: &mut Page<'_>) -> ControlFlow<()>;
    /// Ends the text.
    fn end(&mut self);
}

/// Reads the texts of a bundle as often as needed.
pub struct Reading<'b> {
    pub texts: &'b BundleTexts<'b>,
    /// Borders between years in logs that do not write them, as far as they are known.
    years: Mutex<BTreeMap<usize, u32>>,
    /// Held while a large file is read as one text, so that only one is in memory.
    large: Mutex<()>,
}

impl<'b> Reading<'b> {
    pub fn new(texts: &'b BundleTexts<'b>) -> Self {
        Self { texts, years: Mutex::default(), large: Mutex::default() }
    }

    /// Reads the chosen texts in parallel, each with the visitor that `open` returns for it. Returns issues of what could not be
    /// read; none if times that were given are wrong, and the pass must be repeated: a log that writes no years has more of them
    /// than was known.
    pub fn pass<'v>(
        &self,
        chosen: &(dyn Fn(usize) -> bool + Sync),
        open: &(dyn Fn(usize) -> Box<dyn PageVisitor + 'v> + Sync),
    ) -> Option<Vec<Issue>> {
        let moved = Mutex::new(false);
        let issues = self.texts.read(chosen, &|index, reader| {
            let Some(text) = self.texts.texts.get(index) else { return };
            let known = self.years.lock().unwrap_or_else(PoisonError::into_inner).get(&index).copied().unwrap_or(0);
            let mut head = Vec::new();
            // The reader of a bundle ends early instead of failing.
            let _ = (&mut *reader).take(HEAD).read_to_end(&mut head);
            if text.kind == TextKind::Other && is_binary(&head) {
                return;
            }
            let is_large = text.kind != TextKind::Log && text.size > LARGE;
            let _alone = is_large.then(|| self.large.lock().unwrap_or_else(PoisonError::into_inner));
            let mut visitor = open(index);
            let mut whole = head.as_slice().chain(reader);
            let found = self.reader(text).years(known).read(&mut whole, &mut |page| visitor.page(page));
            visitor.end();
            if found > known {
                self.years.lock().unwrap_or_else(PoisonError::into_inner).insert(index, found);
                *moved.lock().unwrap_or_else(PoisonError::into_inner) = true;
            }
        });
        let moved = moved.into_inner().unwrap_or_else(PoisonError::into_inner);
        (!moved).then_some(issues)
    }

    fn reader<'t>(&self, text: &'t BundleText) -> LineReader<'t> {
        let reader =
            LineReader::new(&text.source, self.texts.clock).max_line(self.texts.max_line()).start_at_line(text.line);
        match text.kind {
            TextKind::Log => reader,
            // Secrets of a larger file are found page by page.
            TextKind::Dump | TextKind::Other => {
                let bytes = text.size.min(self.texts.max_dump());
                reader.whole(usize::try_from(bytes).unwrap_or(usize::MAX))
            }
        }
    }
}

/// Returns true if a file does not begin like a text; UTF-16 has a mark.
fn is_binary(head: &[u8]) -> bool {
    head.contains(&0) && !head.starts_with(b"\xFF\xFE") && !head.starts_with(b"\xFE\xFF")
}
