//! Passes over the texts of a bundle.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use crate::log::{LineReader, Page};
use crate::model::Issue;
use crate::pipeline::{BundleText, BundleTexts, TextKind};

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
}

impl<'b> Reading<'b> {
    pub fn new(texts: &'b BundleTexts<'b>) -> Self {
        Self { texts, years: Mutex::default() }
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
            let mut visitor = open(index);
            let found = self.reader(text).years(known).read(reader, &mut |page| visitor.page(page));
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
