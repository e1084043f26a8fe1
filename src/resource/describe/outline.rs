//! Outline of the output of `kubectl describe`: keys with values, nested by two blanks or more, and tables below `----`.

use std::ops::Range;

use crate::yaml::grid::{self, Line};

/// Maximum depth; deeper sections are ignored.
const MAX_DEPTH: usize = 8;

/// Maximum number of lines of one event.
const MAX_EVENT_LINES: usize = 100;

/// Key with its value and nested sections.
#[derive(Debug, Default)]
pub(super) struct Section {
    /// Places in the text; an empty key for lines without one, such as rows of tables.
    pub key: Range<usize>,
    pub value: Range<usize>,
    /// The whole line, unchanged.
    pub line: Range<usize>,
    pub below: Vec<Self>,
}

/// Sections of one object: the lines from one `Name:` at the margin to the next.
pub(super) fn objects(text: &str) -> Vec<Vec<Section>> {
    let mut objects: Vec<Vec<Section>> = Vec::new();
    let mut path: Vec<(usize, usize)> = Vec::new();
    let mut event_lines = None;
    let (mut in_data, mut after_blank) = (false, false);
    for line in grid::lines(text) {
        if line.text.trim().is_empty() {
            event_lines = None;
            after_blank = true;
            continue;
        }
        let depth = line.text.len() - line.text.trim_start().len();
        let section = Section::of(line, depth);
        // What a ConfigMap holds is no part of its description.
        in_data |= line.text == "====";
        in_data &= !ends_data(line, std::mem::take(&mut after_blank));
        if in_data {
            continue;
        }
        if is_event_row(line) {
            event_lines = Some(1);
        } else if let Some(count) = event_lines.filter(|count| *count < MAX_EVENT_LINES)
            && text.get(section.key.clone()) != Some("Name")
        {
            event_lines = Some(count + 1);
            continue_row(&mut objects, section.line.end);
            continue;
        }
        if depth == 0 {
            if text.get(section.key.clone()) == Some("Name") {
                objects.push(Vec::new());
            }
            path = vec![(0, 0)];
            if let Some(object) = objects.last_mut() {
                object.push(section);
            }
            continue;
        }
        while path.len() > 1 && path.last().is_some_and(|(known, _)| *known >= depth) {
            path.pop();
        }
        if path.len() < MAX_DEPTH
            && let Some(parent) = objects.last_mut().and_then(|object| last_at(object, path.len()))
        {
            parent.below.push(section);
            path.push((depth, 0));
        }
    }
    objects
}

/// Returns the blocks of events in a text without objects: header, dashes and rows, each one section.
pub(super) fn lone_events(text: &str) -> Vec<Vec<Section>> {
    let mut blocks: Vec<Vec<Section>> = Vec::new();
    let (mut is_open, mut lines) = (false, 0);
    for line in grid::lines(text) {
        let body = line.text.trim();
        let is_header = is_events_header(body);
        if is_header {
            blocks.push(Vec::new());
        }
        let Some(block) = blocks.last_mut() else { continue };
        is_open = is_header || (is_open && !body.is_empty());
        if !is_open {
            continue;
        }
        let section = Section::of(line, line.text.len() - line.text.trim_start().len());
        if is_header || begins_event(body) || is_dashes(body) {
            lines = 1;
            block.push(section);
        } else if lines < MAX_EVENT_LINES
            && let Some(row) = block.last_mut()
        {
            lines += 1;
            row.line.end = section.line.end;
        }
    }
    blocks
}

/// Recognises the header of the events that `kubectl describe` prints: `Type  Reason  Age  From  Message`.
pub fn is_events_header(line: &str) -> bool {
    line.trim_start().starts_with("Type  ") && line.split_whitespace().eq(["Type", "Reason", "Age", "From", "Message"])
}

fn is_dashes(line: &str) -> bool {
    line.bytes().all(|b| b == b'-' || b == b' ')
}

/// Returns whether a line follows the data of a ConfigMap: its events, or the next object.
fn ends_data(line: Line<'_>, after_blank: bool) -> bool {
    line.text.starts_with("Events:") || (after_blank && line.text.starts_with("Name:  "))
}

/// Returns whether a line is a row of the events of an object. Lines behind it continue its message as they are, at the margin, too.
fn is_event_row(line: Line<'_>) -> bool {
    line.text.strip_prefix("  ").is_some_and(begins_event)
}

fn begins_event(text: &str) -> bool {
    ["Warning  ", "Normal  "].iter().any(|kind| text.starts_with(kind))
}

/// Adds a line to the message of the last event.
fn continue_row(objects: &mut [Vec<Section>], end: usize) {
    let section = objects.last_mut().and_then(|object| object.last_mut());
    if let Some(row) = section.and_then(|section| section.below.last_mut()) {
        row.line.end = end;
    }
}

/// Returns the last section at a depth.
fn last_at(object: &mut [Section], levels: usize) -> Option<&mut Section> {
    let mut found = object.last_mut()?;
    for _ in 1..levels {
        found = found.below.last_mut()?;
    }
    Some(found)
}

impl Section {
    fn of(line: Line<'_>, depth: usize) -> Self {
        let end = line.offset + line.text.trim_end().len();
        let whole = line.offset + depth..end;
        let body = line.text.get(depth..).unwrap_or_default();
        // A key ends with a colon before blanks or the end of the line; names of containers and volumes are keys, too.
        let colon = body.match_indices(':').map(|(at, _)| at).find(|at| {
            let behind = body.get(at + 1..).unwrap_or_default();
            behind.trim().is_empty() || behind.starts_with(' ')
        });
        match colon {
            Some(at) => {
                let start = whole.start + at + 1;
                let text = line.text.get(depth + at + 1..).unwrap_or_default();
                let begin = (start + text.len() - text.trim_start().len()).min(end.max(start));
                Self {
                    key: whole.start..whole.start + at,
                    value: begin..end.max(begin),
                    line: whole,
                    below: Vec::new(),
                }
            }
            None => Self { key: whole.start..whole.start, value: whole.clone(), line: whole, below: Vec::new() },
        }
    }
}

/// Sections with their text, looked up by key.
#[derive(Clone, Copy)]
pub(super) struct View<'s> {
    pub text: &'s str,
    pub sections: &'s [Section],
}

impl<'s> View<'s> {
    pub fn get(self, key: &str) -> Option<&'s Section> {
        self.sections.iter().find(|section| self.text.get(section.key.clone()) == Some(key))
    }

    /// Returns the value of a key; none for the placeholders that kubectl prints for no value.
    pub fn value(self, key: &str) -> Option<Range<usize>> {
        self.stated(self.get(key)?.value.clone())
    }

    /// Returns a value unless it is a placeholder.
    pub fn stated(self, value: Range<usize>) -> Option<Range<usize>> {
        let none = matches!(self.slice(&value), "" | "<none>" | "<unset>" | "<unknown>" | "<nil>");
        (!none).then_some(value)
    }

    pub fn slice(self, part: &Range<usize>) -> &'s str {
        self.text.get(part.clone()).unwrap_or_default()
    }

    /// Returns the sections nested below a key.
    pub fn below(self, key: &str) -> Self {
        let sections = self.get(key).map_or(&[][..], |section| section.below.as_slice());
        Self { text: self.text, sections }
    }

    /// Returns the sections nested below a section.
    pub fn of(self, section: &'s Section) -> Self {
        Self { text: self.text, sections: &section.below }
    }

    /// Returns the value of a key and the lines that continue it: labels, taints.
    pub fn values(self, key: &str) -> Vec<Range<usize>> {
        let Some(section) = self.get(key) else { return Vec::new() };
        let more = section.below.iter().map(|line| line.line.clone());
        [section.value.clone()].into_iter().chain(more).filter_map(|value| self.stated(value)).collect()
    }

    /// Returns the offset of its first line.
    pub fn start(self) -> usize {
        self.sections.first().map_or(0, |section| section.line.start)
    }

    /// Returns true if it has a line of this key, or of this word alone.
    pub fn names(self, key: &str) -> bool {
        let is_word = |section: &Section| section.key.is_empty() && self.slice(&section.line) == key;
        self.get(key).is_some() || self.sections.iter().any(is_word)
    }

    /// Returns the table of events: below an object, or alone.
    pub fn events(self) -> Table<'s> {
        if self.is_lone() { self.rows() } else { self.table("Events") }
    }

    /// Returns the table below a key, split at the columns of the line below its header.
    pub fn table(self, key: &str) -> Table<'s> {
        self.below(key).rows()
    }

    /// Returns true for events without an object.
    pub fn is_lone(self) -> bool {
        self.sections.first().is_some_and(|section| is_events_header(self.slice(&section.line)))
    }

    fn rows(self) -> Table<'s> {
        let dashes = self.sections.iter().position(|section| is_dashes(self.slice(&section.line)));
        // Somebody may have left the dashes out.
        let Some(at) = dashes.or_else(|| self.is_lone().then_some(0)) else { return Table::default() };
        let line = |section: &Section| {
            let start =
                self.text.get(..section.line.start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
            Line { offset: start, text: self.text.get(start..section.line.end).unwrap_or_default() }
        };
        let Some(header) = self.sections.get(at).and_then(|section| grid::Header::of(line(section))) else {
            return Table::default();
        };
        let cells = |section: &Section| {
            let line = line(section);
            header
                .cells(line)
                .filter(|cells| self.are_whole(cells))
                .or_else(|| split_at_blanks(line, header.names().count()))
        };
        let names = self.sections.get(at.saturating_sub(1)).and_then(cells).unwrap_or_default();
        Table {
            names: names.iter().map(|name| self.slice(name)).collect(),
            rows: self.sections.iter().skip(at + 1).filter_map(cells).collect(),
        }
    }

    /// Returns false for cells of which one but the last holds several words with two blanks between them: it is several cells of a line whose
    /// columns are not those of its table.
    fn are_whole(self, cells: &[Range<usize>]) -> bool {
        cells.split_last().is_none_or(|(_, cells)| cells.iter().all(|cell| !self.slice(cell).contains("  ")))
    }
}

/// Table with a line below its header.
#[derive(Default)]
pub(super) struct Table<'t> {
    /// Names of the columns.
    pub names: Vec<&'t str>,
    /// Cells of the rows, one for each column.
    pub rows: Vec<Vec<Range<usize>>>,
}

/// Splits a line at two blanks or more, as it is after somebody pasted it without its columns; none if it has fewer cells than that. The last one
/// is the rest of the line.
fn split_at_blanks(line: Line<'_>, columns: usize) -> Option<Vec<Range<usize>>> {
    let mut at = line.text.len() - line.text.trim_start().len();
    let mut cells = Vec::new();
    while cells.len() + 1 < columns {
        let rest = line.text.get(at..)?;
        let end = rest.find("  ")?;
        cells.push(line.offset + at..line.offset + at + end);
        at += end + (rest.get(end..)?.len() - rest.get(end..)?.trim_start().len());
    }
    let end = line.text.trim_end().len();
    (at < end).then_some(())?;
    cells.push(line.offset + at..line.offset + end);
    Some(cells)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nesting_follows_the_blanks() {
        let text = "Name:         web-0\nLabels:       app=web\n              tier=front\nContainers:\n  nginx:\n    State:          Waiting\n      Reason:       CrashLoopBackOff\n    Ready:          False\nEvents:         <none>\n\n\nName: b\n";
        let found = objects(text);
        assert_eq!(found.len(), 2);
        let view = View { text, sections: &found[0] };
        let labels: Vec<&str> = view.values("Labels").iter().map(|part| view.slice(part)).collect();
        assert_eq!(labels, ["app=web", "tier=front"]);
        let container = view.below("Containers").below("nginx");
        let reason = container.below("State").value("Reason").map(|part| view.slice(&part));
        assert_eq!(reason, Some("CrashLoopBackOff"));
        assert_eq!(container.value("Ready").map(|part| view.slice(&part)), Some("False"));
        assert_eq!(view.value("Events"), None);
    }

    #[test]
    fn rows_are_cut_at_their_columns() {
        let text = "Name: a\nEvents:\n  Type     Reason   Age               From     Message\n  ----     ------   ----              ----     -------\n  Warning  BackOff  4m (x5 over 1h)   kubelet  Back-off: restarting\n  Normal   Pulled   1s                         ok\n";
        let found = objects(text);
        let view = View { text, sections: &found[0] };
        let rows: Vec<Vec<&str>> =
            view.table("Events").rows.iter().map(|row| row.iter().map(|cell| view.slice(cell)).collect()).collect();
        assert_eq!(
            rows,
            [
                ["Warning", "BackOff", "4m (x5 over 1h)", "kubelet", "Back-off: restarting"],
                ["Normal", "Pulled", "1s", "", "ok"]
            ]
        );
    }

    #[test]
    fn lines_continue_the_message_of_an_event() {
        let text = "Name:  a\nEvents:\n  Type     Reason       Age   From     Message\n  ----     ------       ----  ----     -------\n  Warning  FailedMount  4m    kubelet  MountVolume.SetUp failed: exit status 32\nMounting command: mount\nOutput: mount: /a: already mounted\n  Normal   Pulled       1s    kubelet  ok\n\n\nName:  b\nStatus:  Running\n";
        let found = objects(text);
        assert_eq!(found.len(), 2);
        let view = View { text, sections: &found[0] };
        let messages: Vec<&str> = view.table("Events").rows.iter().map(|row| view.slice(&row[4])).collect();
        let long =
            "MountVolume.SetUp failed: exit status 32\nMounting command: mount\nOutput: mount: /a: already mounted";
        assert_eq!(messages, [long, "ok"]);
        assert!(View { text, sections: &found[1] }.value("Status").is_some());
    }

    #[test]
    fn events_without_an_object_are_blocks() {
        let rows = "Warning  FailedMount  4m (x2 over 9m)   kubelet   MountVolume.SetUp failed: exit status 32\nOutput: busy\n";
        let read = |text: &str| -> Vec<Vec<String>> {
            let blocks = lone_events(text);
            let cells = |view: View<'_>| {
                view.events()
                    .rows
                    .iter()
                    .map(|row| row.iter().map(|cell| view.slice(cell)).collect::<Vec<_>>().join("|"))
                    .collect()
            };
            blocks.iter().map(|sections| cells(View { text, sections })).collect()
        };
        let header = "Type     Reason       Age   From     Message\n";
        let dashes = "----     ------       ----  ----     -------\n";
        let wanted =
            "Warning|FailedMount|4m (x2 over 9m)|kubelet|MountVolume.SetUp failed: exit status 32\nOutput: busy";
        let whole = format!("Conditions:\n  Ready  False\nEvents:\n  {header}  {dashes}  {rows}");
        assert_eq!(read(&whole), [[wanted]]);
        assert_eq!(read(&format!("{header}{rows}\nafter\n{header}{dashes}{rows}")), [[wanted], [wanted]]);
        assert!(read("Type of thing\n").is_empty());
    }

    #[test]
    fn anything_can_be_read() {
        for text in [
            "",
            ":",
            "Name:",
            "  Name: x\n",
            "  Normal  \nx\n",
            "Name: x\n  Normal  \nx\n",
            "Name: x\n\t\t\t: y\n",
            "Name: ü\n    ü:\n  ----\n",
        ] {
            objects(text);
        }
        assert!(objects("no object\n  at: all\n").is_empty());
    }
}
