//! Finds the known line that a template is.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::programs::may_write;
use super::template::Template;
use crate::log::{SourceOrigin, line_template};
use crate::model::identity_hasher::ByHash;
use crate::model::known_line::{Known, KnownLine};

type Table = ByHash<Vec<usize>>;

/// Known lines: those of certain programs, and words that any program may report.
#[derive(Clone, Debug, Default)]
pub struct KnownLines {
    lines: Vec<(Template, Arc<KnownLine>)>,
    specific: Index,
    general: Index,
}

/// Finds lines by two words that follow each other in few of them.
#[derive(Clone, Debug, Default)]
struct Index {
    by_pair: Table,
    /// Those without two such words, by their longest word.
    by_word: Table,
}

impl KnownLines {
    /// Takes lines in their order: of equal templates the last is found.
    pub fn new(lines: Vec<(Template, KnownLine)>) -> Self {
        let pairs: Vec<Vec<u64>> = lines.iter().map(|(template, _)| template.pairs().map(key).collect()).collect();
        let mut seen: ByHash<usize> = ByHash::default();
        for pair in pairs.iter().flatten() {
            *seen.entry(*pair).or_default() += 1;
        }
        let mut known = Self::default();
        for ((template, line), pairs) in lines.into_iter().zip(pairs) {
            let rarest = pairs.into_iter().min_by_key(|pair| seen.get(pair).copied());
            let index = if line.general { &mut known.general } else { &mut known.specific };
            let (table, key) = match rarest {
                Some(pair) => (&mut index.by_pair, pair),
                None => (&mut index.by_word, key([template.longest(), ""])),
            };
            table.entry(key).or_default().push(known.lines.len());
            known.lines.push((template, Arc::new(line)));
        }
        known
    }

    /// Returns the number of the line with the most words in a template that `fits`, which also gets the number of words that stay the
    /// same; general ones are left out.
    pub fn find(&self, template: &str, fits: impl Fn(&KnownLine, usize) -> bool) -> Option<usize> {
        self.find_in(&self.specific, template, fits)
    }

    /// Does the same for general lines.
    pub fn find_general(&self, template: &str, fits: impl Fn(&KnownLine, usize) -> bool) -> Option<usize> {
        self.find_in(&self.general, template, fits)
    }

    fn find_in(&self, index: &Index, template: &str, fits: impl Fn(&KnownLine, usize) -> bool) -> Option<usize> {
        let words: Vec<&str> = template.split(' ').collect();
        let candidates: BTreeSet<usize> = index.candidates(&words).collect();
        let found = candidates.into_iter().filter_map(|at| Some((at, self.lines.get(at)?)));
        let found = found.filter(|(_, (template, line))| fits(line, template.fixed()) && template.is_in(&words));
        let order = |(at, (template, _)): &(usize, &(Template, _))| (template.fixed(), Reverse(template.len()), *at);
        found.max_by_key(order).map(|(at, _)| at)
    }

    /// Returns a line by its number.
    pub fn get(&self, number: usize) -> Option<&Arc<KnownLine>> {
        self.lines.get(number).map(|(_, line)| line)
    }
}

impl Index {
    fn candidates<'a>(&'a self, words: &'a [&str]) -> impl Iterator<Item = usize> + 'a {
        let pairs = words.windows(2).filter_map(|pair| match pair {
            [a, b] => self.by_pair.get(&key([a, b])),
            _ => None,
        });
        let singles = words.iter().filter(|_| !self.by_word.is_empty());
        pairs.chain(singles.filter_map(|word| self.by_word.get(&key([word, ""])))).flatten().copied()
    }
}

/// A hash: lines that have it by chance are compared in vain.
fn key([first, second]: [&str; 2]) -> u64 {
    let bytes = first.bytes().chain([b' ']).chain(second.bytes());
    bytes.fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
}

/// Known lines that may be read only when they are asked for.
pub trait KnownLineSource: std::fmt::Debug + Sync {
    fn lines(&self) -> &KnownLines;
}

impl KnownLineSource for KnownLines {
    fn lines(&self) -> &KnownLines {
        self
    }
}

/// Known lines for a bundle whose products have these versions.
#[derive(Clone, Copy, Debug)]
pub struct KnownHere<'a> {
    pub lines: &'a dyn KnownLineSource,
    pub versions: &'a BTreeMap<String, String>,
}

impl KnownHere<'_> {
    /// Returns the known line that a template is, whoever wrote it, and its number.
    pub fn find(&self, template: &str) -> Option<(usize, &KnownLine)> {
        self.find_with(template, |_, _| true)
    }

    /// Returns the known line that a template of a log is, and its number: short ones are known only where their program may run.
    pub fn find_at(&self, template: &str, origin: &SourceOrigin) -> Option<(usize, &KnownLine)> {
        self.find_with(template, |line, fixed| may_write(origin, line, fixed))
    }

    fn find_with(&self, template: &str, fits: impl Fn(&KnownLine, usize) -> bool) -> Option<(usize, &KnownLine)> {
        let lines = self.lines.lines();
        let number = lines.find(template, |line, fixed| line.fits(self.versions) && fits(line, fixed))?;
        Some((number, lines.get(number)?))
    }

    /// Returns a line by its number.
    pub fn get(&self, number: usize) -> Option<Known> {
        Some(self.lines.lines().get(number)?.known(self.versions))
    }

    /// Returns the number of the general line that says what a template means whose line is not known: words that any program may report.
    pub fn find_general(&self, template: &str) -> Option<usize> {
        self.lines.lines().find_general(template, |line, _| line.fits(self.versions))
    }

    /// Returns the known line that the message of an event is.
    pub fn of_message(&self, message: &str) -> Option<Known> {
        let template = line_template(message, false).1;
        self.get(self.find(&template).map(|(number, _)| number).or_else(|| self.find_general(&template))?)
    }

    /// Returns true for a template that is harmless as a rule.
    pub fn is_benign(&self, template: &str) -> bool {
        self.find(template).is_some_and(|(_, line)| line.benign)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::version::Range;

    fn known(means: &str) -> KnownLine {
        KnownLine { means: means.to_owned(), ..KnownLine::default() }
    }

    fn lines(lines: &[&str]) -> KnownLines {
        KnownLines::new(lines.iter().map(|line| (Template::of(line), known(line))).collect())
    }

    #[test]
    fn the_line_with_the_most_words_is_found() {
        let all = lines(&["lost disk of node", "lost disk of node for <*> ever", "lost <*> of <*> for", "x of node"]);
        for (template, want) in [
            ("msg lost disk of node <*>", Some(0)),
            ("lost disk of node for good and ever", Some(1)),
            ("lost peer of net for good", Some(2)),
            ("lost disk of nodes", None),
            ("x of node", Some(3)),
            ("", None),
        ] {
            assert_eq!(all.find(template, |_, _| true), want, "{template}");
        }
        assert_eq!(all.find("lost disk of node", |line, _| line.means.contains("ever")), None);
    }

    #[test]
    fn general_words_count_where_no_line_is_known() {
        let words = KnownLine { general: true, versions: Some(Range::parse("<2").unwrap()), ..known("disk") };
        let pairs = [(Template::of("lost disk of node for good"), words), (Template::of("x of node"), known("x"))];
        let (all, versions) = (KnownLines::new(pairs.to_vec()), BTreeMap::new());
        let here = KnownHere { lines: &all, versions: &versions };
        let template = "x of node lost disk of node for good";
        assert_eq!(all.find(template, |_, _| true), Some(1), "it has fewer words");
        assert_eq!(here.find_general(template), Some(0));
        assert!(here.find("lost disk of node for good").is_none());
        let means = |message: &str| here.of_message(message).map(|known| known.line.means.clone());
        assert_eq!(means("volume a: lost disk of node for good").as_deref(), Some("disk"));
        assert_eq!(means("x of node: lost disk of node for good").as_deref(), Some("x"));
        let newer = BTreeMap::from([(String::new(), "2".to_owned())]);
        assert!(
            KnownHere { lines: &all, versions: &newer }.find_general(template).is_none(),
            "a version that does not write it"
        );
    }

    #[test]
    fn of_equal_templates_the_last_is_found() {
        let all = lines(&["lost disk 7 of node", "lost disk 8 of node", "lost disk of node"]);
        assert_eq!(all.find("lost disk <*> of node", |_, _| true), Some(1));
    }
}
