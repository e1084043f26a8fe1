//! What is searched.

use super::pattern::Pattern;
use crate::explore::lines::{Period, is_named};
use crate::model::Glob;
use crate::pipeline::{BundleTexts, TextKind};

/// Texts in which lines are looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Within {
    #[default]
    Logs,
    /// Dumps, tables and descriptions of objects.
    Dumps,
    All,
}

/// Lines shown around a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Context {
    pub before: usize,
    pub after: usize,
}

/// Which lines are shown.
#[derive(Clone, Copy, Debug)]
pub struct Search<'p> {
    pub pattern: &'p Pattern,
    pub period: Period,
    pub context: Context,
    /// Number of first matches.
    pub most: Option<usize>,
}

/// Returns the texts in which lines are looked for: those of a kind, with a name that one of the globs matches, if there are any.
pub fn texts(all: &BundleTexts<'_>, within: Within, sources: &[Glob]) -> Vec<usize> {
    let is_kind = |kind: TextKind| match within {
        Within::Logs => kind == TextKind::Log,
        Within::Dumps => kind == TextKind::Dump,
        Within::All => true,
    };
    let texts = all.texts.iter().enumerate().filter(|(_, text)| is_kind(text.kind));
    let named = texts.filter(|(_, text)| sources.is_empty() || sources.iter().any(|glob| is_named(text, glob)));
    named.map(|(index, _)| index).collect()
}
