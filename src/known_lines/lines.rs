//! Finds the known line that a template is.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::key::{keys, possible_keys};
use super::programs::may_write;
use super::shipped::ShippedLines;
use super::template::Template;
use crate::log::{SourceOrigin, line_template};
use crate::model::identity_hasher::ByHash;
use crate::model::known_line::{Known, KnownLine};

/// Known lines: those of certain programs, and words that any program may report.
#[derive(Clone, Debug, Default)]
pub struct KnownLines {
    /// Their numbers come first.
    shipped: ShippedLines,
    lines: Vec<(Template, Arc<KnownLine>)>,
    by_key: ByHash<Vec<usize>>,
}

impl KnownLines {
    /// Takes lines in their order: of equal templates the last is found.
    pub fn new(lines: Vec<(Template, KnownLine)>) -> Self {
        Self::after(ShippedLines::default(), lines)
    }

    /// Takes lines that follow those of the program.
    pub fn after(shipped: ShippedLines, lines: Vec<(Template, KnownLine)>) -> Self {
        let mut by_key: ByHash<Vec<usize>> = ByHash::default();
        for (number, key) in (shipped.len()..).zip(keys(lines.iter().map(|(template, _)| template))) {
            by_key.entry(key).or_default().push(number);
        }
        let lines = lines.into_iter().map(|(template, line)| (template, Arc::new(line))).collect();
        Self { shipped, lines, by_key }
    }

    /// Returns the number of the line with the most words in a template that `fits`, which also gets the number of words that stay the
    /// same; general ones are left out.
    pub fn find(&self, template: &str, fits: impl Fn(&KnownLine, usize) -> bool) -> Option<usize> {
        self.find_in(false, template, fits)
    }

    /// Does the same for general lines.
    pub fn find_general(&self, template: &str, fits: impl Fn(&KnownLine, usize) -> bool) -> Option<usize> {
        self.find_in(true, template, fits)
    }

    fn find_in(&self, general: bool, template: &str, fits: impl Fn(&KnownLine, usize) -> bool) -> Option<usize> {
        let words: Vec<&str> = template.split(' ').collect();
        let of_key = |key| self.shipped.with_key(key).chain(self.by_key.get(&key).into_iter().flatten().copied());
        let candidates: BTreeSet<usize> = possible_keys(&words).flat_map(of_key).collect();
        let found = candidates.into_iter().filter_map(|number| {
            let (template, is_general) = self.template(number)?;
            let is_in = is_general == general && template.is_in(&words);
            let is_it = is_in && fits(self.get(number)?, template.fixed());
            is_it.then(|| (template.fixed(), Reverse(template.len()), number))
        });
        found.max().map(|(.., number)| number)
    }

    /// Returns the template of a line, and whether the line is general.
    fn template(&self, number: usize) -> Option<(Cow<'_, Template>, bool)> {
        if let Some((template, is_general)) = self.shipped.template(number) {
            return Some((Cow::Owned(template), is_general));
        }
        let (template, line) = self.lines.get(number.checked_sub(self.shipped.len())?)?;
        Some((Cow::Borrowed(template), line.general))
    }

    /// Returns a line by its number.
    pub fn get(&self, number: usize) -> Option<&Arc<KnownLine>> {
        match number.checked_sub(self.shipped.len()) {
            Some(own) => self.lines.get(own).map(|(_, line)| line),
            None => self.shipped.get(number),
        }
    }
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
