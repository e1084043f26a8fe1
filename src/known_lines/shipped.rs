//! Known lines of the program: `build.rs` found their templates, and each line is read when it is first asked for.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use super::template::Template;
use crate::model::known_line::KnownLine;

/// What `build.rs` knows of the lines.
#[derive(Debug)]
pub struct ShippedIndex {
    /// Key of each line with the number of the line, sorted.
    pub keys: &'static [(u64, u32)],
    /// In the order of their numbers.
    pub lines: &'static [ShippedLine],
    /// The templates of all lines, one behind the other.
    pub templates: &'static str,
}

/// Where a line is found.
#[derive(Debug)]
pub struct ShippedLine {
    /// Number of its file.
    pub file: usize,
    /// Start and end of the entry in its file.
    pub place: (usize, usize),
    pub is_general: bool,
    /// End of its template among all of them; it begins where that of the line before ends.
    pub template_end: usize,
}

/// Lines of the program that count, read one by one.
#[derive(Clone, Debug)]
pub struct ShippedLines {
    index: &'static ShippedIndex,
    /// Files that others replace.
    left_out: BTreeSet<usize>,
    read: fn(&ShippedLine) -> Option<KnownLine>,
    known: Vec<OnceLock<Option<Arc<KnownLine>>>>,
}

impl Default for ShippedLines {
    fn default() -> Self {
        static NOTHING: ShippedIndex = ShippedIndex { keys: &[], lines: &[], templates: "" };
        Self::new(&NOTHING, BTreeSet::new(), |_| None)
    }
}

impl ShippedLines {
    /// Takes all lines but those of some files; `read` returns a line of a file.
    pub fn new(
        index: &'static ShippedIndex,
        left_out: BTreeSet<usize>,
        read: fn(&ShippedLine) -> Option<KnownLine>,
    ) -> Self {
        Self { index, left_out, read, known: vec![OnceLock::new(); index.lines.len()] }
    }

    /// Returns the number of all lines, also of those that are left out.
    pub fn len(&self) -> usize {
        self.index.lines.len()
    }

    /// Returns the numbers of lines that are looked up by a key.
    pub fn with_key(&self, key: u64) -> impl Iterator<Item = usize> {
        let keys = self.index.keys;
        let start = keys.partition_point(|(other, _)| *other < key);
        let same = keys.iter().skip(start).take_while(move |(other, _)| *other == key);
        same.map(|(_, number)| *number as usize)
    }

    /// Returns the template of a line that is not left out, and whether the line is general.
    pub fn template(&self, number: usize) -> Option<(Template, bool)> {
        let line = self.index.lines.get(number).filter(|line| !self.left_out.contains(&line.file))?;
        let before = number.checked_sub(1).and_then(|before| self.index.lines.get(before));
        let start = before.map_or(0, |before| before.template_end);
        let text = self.index.templates.get(start..line.template_end)?;
        Some((Template::known(text), line.is_general))
    }

    /// Returns a line by its number.
    pub fn get(&self, number: usize) -> Option<&Arc<KnownLine>> {
        let line = self.index.lines.get(number)?;
        self.known.get(number)?.get_or_init(|| (self.read)(line).map(Arc::new)).as_ref()
    }
}
