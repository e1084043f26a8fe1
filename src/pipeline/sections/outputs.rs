//! Sections of a file of any name, each below a line that tells what it is.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::section::{Line, Section, SplitText};
use crate::bundle::Role;
use crate::log::host_of;

/// Most sections of one file, and most lines before those of objects in all: these are made up for, so that places stay the same.
const MOST: usize = 500;
const MOST_LINES: u64 = 8 << 20;
/// Longest name of a section, in characters.
const LONGEST_NAME: usize = 120;
/// Bytes at the beginning of a log that may name its host.
const BEGINNING: usize = 4 << 10;

/// Collects the sections of one file.
pub(super) struct Outputs<'e> {
    /// Path of the file without archive layers.
    logical: &'e str,
    found: SplitText,
    open: Option<Open>,
    /// Lines before the sections of objects, in all.
    before: u64,
}

/// A section whose end is not known yet.
struct Open {
    section: Section,
    /// First lines of the log of an unknown host.
    beginning: String,
}

impl<'e> Outputs<'e> {
    pub fn new(logical: &'e str) -> Self {
        Self { logical, found: SplitText::default(), open: None, before: 0 }
    }

    /// Begins a section behind a line, which ends the one before.
    pub fn open(&mut self, title: &str, role: Role, line: &Line<'_>) {
        self.close(line.start, line.number);
        if role == Role::Unplaced {
            self.before = self.before.saturating_add(line.number);
        }
        if self.found.sections.len() >= MOST || self.before > MOST_LINES {
            self.found.dropped = true;
            return;
        }
        let name: String = title.replace('/', "_").chars().take(LONGEST_NAME).collect();
        let section = Section {
            logical: Arc::from(format!("{}/{name}", self.logical)),
            name,
            role,
            line: line.number + 1,
            start: line.end,
            length: 0,
            lines: 0,
            has_no_entries: true,
            error: None,
        };
        self.open = Some(Open { section, beginning: String::new() });
    }

    /// Passes a line of the open section, if there is one.
    pub fn line(&mut self, line: &Line<'_>) {
        let Some(Open { section, beginning }) = &mut self.open else { return };
        section.has_no_entries &= line.text.trim().is_empty();
        if is_homeless(&section.role) && beginning.len() < BEGINNING {
            beginning.push_str(line.text);
            beginning.push('\n');
        }
    }

    /// Ends the open section before that byte and that line; one without lines is none.
    pub fn close(&mut self, end: u64, line: u64) {
        let Some(Open { mut section, beginning }) = self.open.take() else { return };
        section.length = end.saturating_sub(section.start);
        section.lines = line.saturating_sub(section.line);
        if let Role::NodeLog { node, .. } = &mut section.role
            && let Some(host) = host_of(beginning.as_bytes())
        {
            *node = host;
        }
        if !section.has_no_entries {
            self.found.sections.push(section);
        }
    }

    /// Returns all sections; logs of hosts that do not name theirs are of the only one that another names.
    pub fn finish(mut self, end: u64, line: u64) -> SplitText {
        self.close(end, line);
        let named = self.found.sections.iter().filter_map(|section| section.role.node());
        let mut hosts: BTreeSet<String> = named.filter(|host| !host.is_empty()).map(str::to_owned).collect();
        if let (1, Some(only)) = (hosts.len(), hosts.pop_first()) {
            for section in &mut self.found.sections {
                if let Role::NodeLog { node, .. } = &mut section.role {
                    node.clone_from(&only);
                }
            }
        }
        self.found
    }
}

fn is_homeless(role: &Role) -> bool {
    matches!(role, Role::NodeLog { node, .. } if node.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str, number: u64) -> Line<'_> {
        Line { text, number, start: 0, end: 1 }
    }

    #[test]
    fn what_must_be_made_up_for_is_bounded() {
        let objects = |role: Role| {
            let mut outputs = Outputs::new("a.txt");
            for number in [MOST_LINES / 2, MOST_LINES / 2 + 1] {
                outputs.open("x", role.clone(), &line("$ x", number));
                outputs.line(&line("a", number + 1));
            }
            let found = outputs.finish(1, MOST_LINES);
            (found.dropped, found.sections.len())
        };
        assert_eq!(objects(Role::Unplaced), (true, 1));
        assert_eq!(objects(Role::node_log("", "dmesg", 0)), (false, 2));
        let mut outputs = Outputs::new("a.txt");
        for number in 0..=MOST as u64 {
            outputs.open("x", Role::node_log("", "dmesg", 0), &line("$ x", number));
            outputs.line(&line("a", number));
        }
        let found = outputs.finish(1, 1);
        assert!(found.dropped && found.sections.len() == MOST);
    }

    #[test]
    fn logs_without_a_host_are_of_the_only_one() {
        let nodes = |lines: &[&str]| -> Vec<String> {
            let mut outputs = Outputs::new("a.txt");
            for text in lines {
                outputs.open(text, Role::node_log("", "x", 0), &line("$ x", 1));
                outputs.line(&line(text, 2));
            }
            outputs.finish(1, 3).sections.iter().map(|s| s.role.node().unwrap_or_default().to_owned()).collect()
        };
        let (first, second) = ("Mar 06 22:45:28 n1 kubelet[7]: x", "Mar 06 22:45:28 n2 kubelet[7]: x");
        assert_eq!(nodes(&[first, "[    0.000000] x"]), ["n1", "n1"]);
        assert_eq!(nodes(&[first, second, "x"]), ["n1", "n2", ""]);
    }
}
