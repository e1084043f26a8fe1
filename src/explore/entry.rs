//! Lines of an entry around a place, for pages that show where evidence stands.

use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use super::lines::{Block, MEMORY, Reading};
use super::logs::{Choice, logs};
use super::redaction::Redaction;
use crate::pipeline::BundleTexts;

/// Lines before and after the place: what led to it is before.
const BEFORE: u64 = 300;
const AFTER: u64 = 300;

/// Lines around a place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EntryLines {
    /// Number and text; secrets masked.
    pub lines: Vec<(u64, String)>,
    /// True if there are others behind them.
    pub is_cut: bool,
}

/// Reads the lines of an entry around one of them, numbered from 1; none if there is no such entry. With pseudonyms, the path is the one that is
/// shown.
pub fn lines(texts: &BundleTexts<'_>, redaction: Option<&Redaction>, path: &str, line: u64) -> Option<EntryLines> {
    let shown = |text: &str| redaction.map_or_else(|| text.to_owned(), |redaction| redaction.redacted(text));
    let is_it = |entry: &str| entry == path || redaction.is_some() && shown(entry) == path;
    let index = texts.texts.iter().position(|text| !text.is_section() && is_it(&text.source.entry))?;
    let (first, last) = (line.saturating_sub(BEFORE).max(1), line.saturating_add(AFTER));
    let found: Mutex<Vec<(u64, String)>> = Mutex::default();
    let give = |blocks: Vec<Block>| {
        let lines = blocks.into_iter().flat_map(|block| block.lines).map(|line| (line.number, line.shown));
        let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
        found.extend(lines);
        // One more than are shown tells whether there are others.
        if found.last().is_some_and(|(number, _)| *number > last) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let choice = Choice { lines: Some((first, last.saturating_add(1))), ..Choice::default() };
    logs(&Reading::new(texts), &[index], choice, MEMORY, &give);
    let mut lines = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    let is_cut = lines.last().is_some_and(|(number, _)| *number > last);
    lines.retain(|(number, _)| *number <= last);
    if let Some(redaction) = redaction {
        lines.iter().for_each(|(_, text)| redaction.learn(text));
        lines.iter_mut().for_each(|(_, text)| *text = redaction.redacted(text));
    }
    Some(EntryLines { lines, is_cut })
}
