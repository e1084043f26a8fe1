//! Counts the templates of one source while it streams by.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use jiff::Timestamp;

use super::foreign;
use super::header::{self, Message};
use super::likeness::{Likeness, Likenesses, Verdict};
use super::severity::{Stated, spoken};
use super::token::{self, Token, VARIES};
use crate::log::group::mask;
use crate::log::group::sample::{is_shown, line_of, masks_around};
use crate::log::pattern::query::QueryId;
use crate::log::scan::tail::Tail;
use crate::log::source::journal;
use crate::log::source::origin::LogSource;
use crate::log::source::stamp::Stamp;
use crate::log::source::window::Window;
use crate::log::time::year::year_earlier;
use crate::model::Histogram;
use crate::model::identity_hasher::ByHash;
use crate::model::unexplained::Level;

/// Most templates of one source; lines of further ones are counted by their first words, twice as many at most.
const MAX_TEMPLATES: usize = 2_000;
/// Words by which further lines are counted.
const FEW_WORDS: usize = 4;
/// Most hashes of templates without trouble that are remembered.
const MAX_QUIET: usize = 20_000;
/// Bytes of a line that are searched for secrets before its template is made.
const MAX_LINE: usize = 8 << 10;

/// Lines of one template in one source.
#[derive(Clone, Debug)]
pub struct MinedTemplate {
    pub level: Level,
    /// True if a line states the level; false if the words of all of them speak of it.
    pub stated: bool,
    /// Words, and `<*>` for what varies.
    pub text: String,
    pub lines: u64,
    /// As in [`crate::log::Sample`]: the first line, secrets masked.
    pub sample: String,
    /// Time and line, from 1; the first line if none has a time.
    pub first: (Option<Timestamp>, u64),
    pub last: (Option<Timestamp>, u64),
    pub times: Histogram,
    /// Lines that queries matched, by the queries that did.
    pub matched: BTreeMap<Vec<QueryId>, u64>,
}

/// Templates of one source that report trouble.
#[derive(Clone, Debug)]
pub struct MinedSource {
    pub source: LogSource,
    /// Earliest and latest time of the source.
    pub first: Option<Timestamp>,
    pub last: Option<Timestamp>,
    /// Number of lines of the source.
    pub lines: u64,
    pub tail: Tail,
    /// Number of its last line in the entry.
    pub last_line: u64,
    /// In the order of their first lines.
    pub templates: Vec<MinedTemplate>,
    /// True if there are more templates than are kept.
    pub shortened: bool,
}

/// Lines of a window that queries matched: their start, and the query.
pub(in crate::log) type Matched = Vec<(usize, QueryId)>;

/// Place of the text of a line, and the stamp before it.
pub(in crate::log) type LineText = (Range<usize>, Option<Stamp>);

/// Reads the templates of one source. Lines are found, numbered and dated by the pass over the source.
pub(in crate::log) struct Miner {
    journal: bool,
    /// By the hash of the words.
    known: ByHash<Verdict>,
    /// Of lines with a header.
    alike: Likenesses,
    quiet: usize,
    kept: Vec<MinedTemplate>,
    by_text: HashMap<(Level, String), usize>,
    /// True once a line had a header: a line without one may continue it then.
    headed: bool,
    /// True if messages are indented behind their stamps: the first line is, and it continues none. `None` before it.
    indented: Option<bool>,
    shortened: bool,
    tail: Tail,
}

impl Miner {
    pub fn new(source: &LogSource) -> Self {
        Self {
            journal: matches!(&source.origin, crate::log::SourceOrigin::Unit { .. }),
            known: ByHash::default(),
            alike: Likenesses::default(),
            quiet: 0,
            kept: Vec::new(),
            by_text: HashMap::new(),
            headed: false,
            indented: None,
            shortened: false,
            tail: Tail::default(),
        }
    }

    /// Takes the last lines of a window.
    pub fn end(&mut self, window: &Window) {
        self.tail.window(window);
    }

    /// Returns the place of the template of a line, given its text and the stamp before it; none if it reports no trouble.
    pub fn template_of(&mut self, all: &[u8], line: &Range<usize>, text: &LineText) -> Verdict {
        let (mut range, stamped) = (text.0.clone(), text.1.is_some());
        let mut text = all.get(range.clone()).unwrap_or_default();
        let is_indented = text.first() == Some(&b' ');
        if *self.indented.get_or_insert(is_indented) && is_indented && stamped {
            text = text.trim_ascii_start();
            range.start = range.end - text.len();
        }
        let of_journal = self.journal && stamped;
        let likeness = Likeness::of(text, of_journal);
        if let Some(known) = likeness.and_then(|likeness| self.alike.get(likeness)) {
            self.headed = true;
            return known;
        }
        let message = header::read(text, of_journal);
        self.headed |= message.headed;
        let is_no_message =
            || journal::is_note(text) || foreign::is_option(message.parts[0]) || foreign::is_source(text);
        let known = if message.level == Stated::Quiet || self.continues(text, message.headed) || is_no_message() {
            None
        } else {
            let hash = token::hash(message.parts) ^ level_bits(message.level);
            match self.known.get(&hash) {
                Some(known) => *known,
                // Of too many templates not all are remembered.
                None => return self.learn(hash, all, line, &range, &message, of_journal),
            }
        };
        if let Some(likeness) = likeness.filter(|_| message.headed && !message.numbered) {
            self.alike.put(likeness, known);
        }
        known
    }

    /// Counts a line of a template.
    pub fn count(&mut self, place: usize, time: Option<Timestamp>, number: u64, queries: &[QueryId]) {
        if let Some(template) = self.kept.get_mut(place) {
            template.count(time, number, queries);
        }
    }

    /// Returns true for a line of a stack trace or of a text that its program wrote over several lines.
    fn continues(&self, text: &[u8], headed: bool) -> bool {
        !headed && (self.headed || text.first().is_none_or(|byte| matches!(byte, b' ' | b'\t' | b'}')))
    }

    /// Remembers a template; returns its place, none if it reports no trouble.
    fn learn(
        &mut self,
        hash: u64,
        all: &[u8],
        line: &Range<usize>,
        range: &Range<usize>,
        message: &Message<'_>,
        journal: bool,
    ) -> Verdict {
        // Secrets are masked before a text is made of the line.
        let inside = mask::opens_key(all.get(..line.start).unwrap_or_default());
        let whole = all.get(range.clone()).unwrap_or_default();
        let whole = whole.get(..MAX_LINE).unwrap_or(whole);
        let around = masks_around(all, line).into_iter();
        let shift = range.start - line.start;
        let around =
            around.map(|mask| mask.start.saturating_sub(shift)..mask.end.saturating_sub(shift).min(whole.len()));
        let masks = mask::masks_of_sample(whole, inside, around);
        let masked = mask::without(whole, 0..whole.len(), &masks);
        let parts = if masks.is_empty() { message.parts } else { header::read(&masked, journal).parts };
        let (words, said) = words(parts);
        let level = match message.level {
            Stated::Level(level) => Some(level),
            _ => spoken(&said.iter().map(|word| &**word).collect::<Vec<_>>()),
        };
        let fixed = words.iter().any(|word| **word != *VARIES);
        let Some(level) = level.filter(|_| fixed) else {
            if self.quiet == MAX_QUIET {
                self.known.retain(|_, known| known.is_some());
                self.quiet = 0;
            }
            self.quiet += 1;
            self.known.insert(hash, None);
            return None;
        };
        let few = self.kept.len() >= MAX_TEMPLATES;
        self.shortened |= few;
        let text = if few { words.get(..FEW_WORDS).unwrap_or(&words).join(" ") + " …" } else { words.join(" ") };
        let mut text = if self.kept.len() < 2 * MAX_TEMPLATES { text } else { "…".to_owned() };
        text.retain(is_shown);
        let next = self.kept.len();
        let at = *self.by_text.entry((level, text.clone())).or_insert(next);
        if at == next {
            let sample = line_of(all, line.clone(), &(0..0)).text;
            self.kept.push(MinedTemplate::new(level, text, sample));
        }
        if let (Some(template), Stated::Level(_)) = (self.kept.get_mut(at), message.level) {
            template.stated = true;
        }
        if !few {
            self.known.insert(hash, Some(at));
        }
        Some(at)
    }

    /// Moves all times to the year before.
    pub fn year_earlier(&mut self) {
        self.kept.iter_mut().for_each(MinedTemplate::year_earlier);
    }

    /// Returns the templates of a source with this time and number of lines.
    pub fn finish(
        self,
        source: LogSource,
        (first, last): (Option<Timestamp>, Option<Timestamp>),
        lines: u64,
    ) -> MinedSource {
        let Self { tail, kept: templates, shortened, .. } = self;
        MinedSource { source, first, last, lines, last_line: lines, tail, templates, shortened }
    }
}

impl MinedTemplate {
    fn new(level: Level, text: String, sample: String) -> Self {
        let (first, last) = ((None, 0), (None, 0));
        let (times, matched) = (Histogram::default(), BTreeMap::new());
        Self { level, stated: false, text, lines: 0, sample, first, last, times, matched }
    }

    fn count(&mut self, time: Option<Timestamp>, number: u64, queries: &[QueryId]) {
        self.lines += 1;
        match self.matched.get_mut(queries) {
            Some(lines) => *lines += 1,
            None if queries.is_empty() => {}
            None => drop(self.matched.insert(queries.to_vec(), 1)),
        }
        if let Some(time) = time {
            self.times.add(time);
        }
        let is_first = self.lines == 1 || time.is_some() && self.first.0.is_none_or(|first| Some(first) > time);
        if is_first {
            self.first = (time, number);
        }
        if self.last.0.is_none_or(|last| time.is_some_and(|time| time >= last)) {
            self.last = (time, number);
        }
    }

    fn year_earlier(&mut self) {
        self.times = self.times.shifted(year_earlier);
        self.first.0 = self.first.0.map(year_earlier);
        self.last.0 = self.last.0.map(year_earlier);
    }
}

/// Returns the words of a template, and those of them that name no value.
fn words(parts: [&[u8]; 2]) -> (Vec<Cow<'_, str>>, Vec<Cow<'_, str>>) {
    let (mut words, mut said) = (Vec::new(), Vec::new());
    token::walk(parts, |token| match token {
        Token::Word(word) => {
            words.push(String::from_utf8_lossy(word));
            said.push(String::from_utf8_lossy(word));
        }
        Token::Key(key) => words.push(String::from_utf8_lossy(key)),
        Token::Varies => words.push(VARIES.into()),
    });
    (words, said)
}

fn level_bits(level: Stated) -> u64 {
    match level {
        Stated::Quiet | Stated::Nothing => 0,
        Stated::Level(level) => 1 + level as u64,
    }
}
