//! Known lines as loaded.

use std::sync::{Arc, OnceLock};

use super::read;
use crate::known_lines::{KnownLineSource, KnownLines};
use crate::rule::error::Source;
use crate::rule::load;

/// Files of known lines, read when they are first asked for.
#[derive(Clone, Debug, Default)]
pub struct KnownLineFiles(Arc<(Vec<Source>, OnceLock<KnownLines>)>);

impl KnownLineFiles {
    /// Takes files without faults; of equal templates those of a later file are known.
    pub fn new(files: Vec<Source>) -> Self {
        Self(Arc::new((files, OnceLock::new())))
    }

    /// Begins to read the files, on a thread that has nothing else to do.
    pub fn prepare(&self) {
        let files = self.clone();
        rayon::spawn(move || {
            files.lines();
        });
    }

    /// Returns the lines of all files.
    pub fn lines(&self) -> &KnownLines {
        let (files, lines) = &*self.0;
        // One after the other: a thread that waits for others may begin work that waits for these lines.
        lines.get_or_init(|| {
            let (shipped, own): (Vec<&Source>, Vec<&Source>) = files.iter().partition(|file| load::embeds(file));
            let entries = own.into_iter().flat_map(read::entries);
            let lines = entries.map(|entry| (entry.template, entry.known)).collect();
            KnownLines::after(load::shipped_lines(&shipped, read::shipped), lines)
        })
    }
}

impl KnownLineSource for KnownLineFiles {
    fn lines(&self) -> &KnownLines {
        self.lines()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn embedded() -> Vec<Source> {
        load::embedded().known_lines
    }

    #[test]
    fn lines_of_the_program_are_found_without_reading_their_files() {
        let entries: Vec<_> = embedded().iter().flat_map(read::entries).collect();
        let pairs = entries.iter().map(|entry| (entry.template.clone(), entry.known.clone()));
        let (read, files) = (KnownLines::new(pairs.collect()), KnownLineFiles::new(embedded()));
        let lines = files.lines();
        for (number, entry) in entries.iter().enumerate() {
            let text = format!("said {} at last", entry.template.text());
            assert_eq!(lines.find(&text, |_, _| true), read.find(&text, |_, _| true), "{text}");
            assert_eq!(lines.find_general(&text, |_, _| true), read.find_general(&text, |_, _| true), "{text}");
            assert_eq!(lines.get(number), read.get(number), "{text}");
        }
        assert!(entries.len() > 10 && lines.get(entries.len()).is_none());
    }

    #[test]
    fn lines_of_replaced_files_are_not_found() {
        let mut files = embedded();
        let old = files.remove(0);
        let template = read::entries(&old).remove(0).template;
        let text = old.text.replacen("means:", "means: Own,", 1);
        files.push(Source { text, ..old });
        let (all, replaced) = (KnownLineFiles::new(embedded()), KnownLineFiles::new(files));
        let number = |files: &KnownLineFiles| files.lines().find(template.text(), |_, _| true).unwrap();
        let own = number(&replaced);
        assert!(own > number(&all));
        assert!(replaced.lines().get(own).unwrap().means.starts_with("Own, "));
    }
}
