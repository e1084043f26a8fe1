//! Text in columns, as kubectl, crictl and systemctl print it: cut where the columns of the header begin.
//!
//! Cells can be empty and can hold single blanks, so rows cannot be split at blanks. A column begins after two blanks or
//! more in the header; positions are characters, not bytes (kubectl pads with blanks to the longest cell).

use std::ops::Range;

/// A header of more columns is no header.
const MAX_COLUMNS: usize = 64;

/// A line of a text with its place there.
#[derive(Clone, Copy, Debug)]
pub struct Line<'t> {
    /// Byte offset of its beginning in the text.
    pub offset: usize,
    /// Without its end.
    pub text: &'t str,
}

/// The lines of a text.
pub fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut offset = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = offset;
        offset += line.len();
        Line { offset: start, text: line.trim_end_matches(['\n', '\r']) }
    })
}

/// The header of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    columns: Vec<Column>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Column {
    /// Where its name stands in the text, in bytes.
    name: Range<usize>,
    /// Position in the line, in characters.
    start: usize,
}

impl Header {
    /// Reads a line as a header: at least two columns, no small letter anywhere.
    pub fn read(line: Line<'_>) -> Option<Self> {
        let is_sign = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || " ()-/_%:.".contains(c);
        if !line.text.starts_with(|c: char| c.is_ascii_uppercase()) || !line.text.chars().all(is_sign) {
            return None;
        }
        // All of it is ASCII, so bytes are characters.
        let mut columns: Vec<Column> = Vec::new();
        let mut blanks = 2;
        for (at, byte) in line.text.bytes().enumerate() {
            if byte == b' ' {
                blanks += 1;
                continue;
            }
            let place = line.offset + at;
            match columns.last_mut() {
                Some(column) if blanks < 2 => column.name.end = place + 1,
                _ => columns.push(Column { name: place..place + 1, start: at }),
            }
            blanks = 0;
        }
        (2..=MAX_COLUMNS).contains(&columns.len()).then_some(Self { columns })
    }

    /// Where the names of the columns stand in the text, in order.
    pub fn names(&self) -> impl Iterator<Item = Range<usize>> {
        self.columns.iter().map(|column| column.name.clone())
    }

    /// Where the cells of a row stand in the text, trimmed, one for each column; none if a word runs over the start of a
    /// column, so that the line is no row of this table.
    pub fn cells(&self, line: Line<'_>) -> Option<Vec<Range<usize>>> {
        let mut starts = self.columns.iter().skip(1).map(|column| column.start).peekable();
        let mut cuts = vec![0];
        let mut before = ' ';
        for (position, (at, sign)) in line.text.char_indices().enumerate() {
            if starts.next_if_eq(&position).is_some() {
                if before != ' ' {
                    return None;
                }
                cuts.push(at);
            }
            before = sign;
        }
        cuts.resize(self.columns.len(), line.text.len());
        let ends = cuts.iter().skip(1).copied().chain([line.text.len()]);
        Some(cuts.iter().zip(ends).map(|(&start, end)| trimmed(line, start..end)).collect())
    }
}

/// A part of a line without blanks around it, as a place in the text.
fn trimmed(line: Line<'_>, part: Range<usize>) -> Range<usize> {
    let text = line.text.get(part.clone()).unwrap_or_default();
    let start = line.offset + part.start + (text.len() - text.trim_start().len());
    start..start + text.trim().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Vec<Option<Vec<&str>>> {
        let mut lines = lines(text);
        let header = Header::read(lines.next().unwrap()).unwrap();
        let cells = |line| Some(header.cells(line)?.into_iter().map(|cell| &text[cell]).collect());
        lines.map(cells).collect()
    }

    #[test]
    fn headers_have_no_small_letters_and_two_columns() {
        let names = |text: &'static str| {
            let header = Header::read(Line { offset: 0, text })?;
            Some(header.names().map(|name| &text[name]).collect::<Vec<_>>())
        };
        assert_eq!(
            names("NAMESPACE   LAST SEEN   PORT(S)   UP-TO-DATE  "),
            Some(vec!["NAMESPACE", "LAST SEEN", "PORT(S)", "UP-TO-DATE"])
        );
        for no in ["", "NAME", "Error from server", "demo   web-0", "No resources found", " NAME   AGE"] {
            assert_eq!(names(no), None, "{no}");
        }
        let many = "A  ".repeat(MAX_COLUMNS + 1);
        assert_eq!(Header::read(Line { offset: 0, text: &many }), None);
    }

    #[test]
    fn cells_can_be_empty_hold_blanks_and_be_cut_off() {
        let text = "NAME   RESTARTS       AGE\nü-1    8 (4m5s ago)   3d\n       1\nb\n\nc                     3d\r\n";
        assert_eq!(
            rows(text),
            [
                Some(vec!["ü-1", "8 (4m5s ago)", "3d"]),
                Some(vec!["", "1", ""]),
                Some(vec!["b", "", ""]),
                Some(vec!["", "", ""]),
                Some(vec!["c", "", "3d"])
            ]
        );
    }

    #[test]
    fn a_line_that_ignores_the_columns_is_no_row() {
        assert_eq!(rows("NAME   AGE\nError from server (Timeout): x\n"), [None]);
    }
}
