//! Text in columns, as kubectl and crictl print it, split where the columns of the header begin.
//!
//! Tables in boxes of `+---+` and `|`, as etcdctl prints them, are split at their bars.
//!
//! Cells can be empty and can hold single blanks, so rows cannot be split at blanks. A column begins after two blanks or
//! more in the header; positions are characters, not bytes (kubectl pads with blanks to the longest cell).

use std::ops::Range;

use super::builder::Builder;
use super::document::Document;
use super::tape::Kind;

/// Maximum number of columns of a header.
const MAX_COLUMNS: usize = 64;

/// Line of a text with its offset.
#[derive(Clone, Copy, Debug)]
pub struct Line<'t> {
    /// Byte offset of its beginning in the text.
    pub offset: usize,
    /// The line without its end.
    pub text: &'t str,
}

/// Returns the lines of a text.
pub fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut offset = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = offset;
        offset += line.len();
        Line { offset: start, text: line.trim_end_matches(['\n', '\r']) }
    })
}

/// Header of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    columns: Vec<Column>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Column {
    /// Place of its name in the text, in bytes.
    name: Range<usize>,
    /// Position in the line, in characters.
    start: usize,
}

impl Header {
    /// Reads a line as a header of kubectl: at least two columns, no lower-case letters.
    pub fn read(line: Line<'_>) -> Option<Self> {
        let is_sign = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || " ()-/_%:.".contains(c);
        let is_one = line.text.starts_with(|c: char| c.is_ascii_uppercase()) && line.text.chars().all(is_sign);
        is_one.then(|| Self::of(line)).flatten()
    }

    /// Reads any line as a header: at least two columns.
    pub fn of(line: Line<'_>) -> Option<Self> {
        let mut columns: Vec<Column> = Vec::new();
        let mut blanks = 2;
        for (start, (at, sign)) in line.text.char_indices().enumerate() {
            if sign == ' ' {
                blanks += 1;
                continue;
            }
            let place = line.offset + at;
            let end = place + sign.len_utf8();
            match columns.last_mut() {
                Some(column) if blanks < 2 => column.name.end = end,
                _ => columns.push(Column { name: place..end, start }),
            }
            blanks = 0;
        }
        (2..=MAX_COLUMNS).contains(&columns.len()).then_some(Self { columns })
    }

    /// Returns the places of the column names in the text, in order.
    pub fn names(&self) -> impl Iterator<Item = Range<usize>> {
        self.columns.iter().map(|column| column.name.clone())
    }

    /// Returns the places of the cells of a row in the text, trimmed, one per column; none if a word crosses the start of a
    /// column, so that the line is not a row of this table.
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

    /// Returns the same for a row with columns of other widths, as `kubectl get -w` prints them without a new header: the parts between two
    /// blanks or more, if there is one for each column.
    pub fn parts(&self, line: Line<'_>) -> Option<Vec<Range<usize>>> {
        let other = Self::of(line)?;
        (other.columns.len() == self.columns.len()).then(|| other.names().collect())
    }
}

/// Reads a table as a document: a list of mappings by the names in the header, which is the first row of a table in a box,
/// else the first line of at least two columns. Cells are texts; empty ones and `<none>` are null. Lines that do not fit the columns are skipped.
pub fn table(text: String) -> Document {
    Document::filled(text, |builder, text| {
        builder.open(Kind::Sequence, 0);
        match lines(text).find(|line| is_border(line.text)) {
            Some(border) => boxed(builder, text, border.offset),
            None => spaced(builder, text),
        }
        builder.close();
    })
}

fn spaced(builder: &mut Builder<'_>, text: &str) {
    let mut lines = lines(text);
    let Some(header) = lines.by_ref().find_map(Header::of) else { return };
    let names: Vec<_> = header.names().collect();
    for line in lines.filter(|line| !line.text.trim().is_empty()) {
        header.cells(line).into_iter().for_each(|cells| row(builder, &names, text, line, cells));
    }
}

/// Reads the table below a first border; its first row names the columns.
fn boxed(builder: &mut Builder<'_>, text: &str, start: usize) {
    let mut rows = lines(text).filter(|line| line.offset >= start).filter_map(|line| Some((line, between_bars(line)?)));
    let Some((_, names)) = rows.next().filter(|(_, names)| names.len() <= MAX_COLUMNS) else { return };
    for (line, mut cells) in rows {
        // The last column holds messages, which may have bars of their own.
        if let (Some(last), Some(end)) = (cells.get(names.len() - 1).cloned(), cells.last().map(|cell| cell.end)) {
            cells.truncate(names.len() - 1);
            cells.push(last.start..end);
        }
        row(builder, &names, text, line, cells);
    }
}

/// `+-----+----+`
fn is_border(line: &str) -> bool {
    let line = line.trim();
    line.starts_with("+-") && line.ends_with("-+") && line.bytes().all(|b| b == b'+' || b == b'-')
}

/// Returns the cells of `| a | b |`, trimmed; none if it is not a row.
fn between_bars(line: Line<'_>) -> Option<Vec<Range<usize>>> {
    let bars: Vec<usize> = line.text.match_indices('|').map(|(at, _)| at).collect();
    let begins = line.text.trim_start().starts_with('|') && line.text.trim_end().ends_with('|');
    let cells = bars.iter().zip(bars.iter().skip(1)).map(|(from, to)| trimmed(line, from + 1..*to));
    (begins && bars.len() > 1).then(|| cells.collect())
}

fn row(builder: &mut Builder<'_>, names: &[Range<usize>], text: &str, line: Line<'_>, cells: Vec<Range<usize>>) {
    builder.open(Kind::Mapping, line.offset);
    for (name, cell) in names.iter().cloned().zip(cells) {
        builder.borrowed(Kind::String, name.start, name);
        let is_empty = text.get(cell.clone()).is_none_or(|cell| cell.is_empty() || cell == "<none>");
        builder.borrowed(if is_empty { Kind::Null } else { Kind::String }, cell.start, cell);
    }
    builder.close();
}

/// Returns the place of a part of a line without the blanks around it.
pub(super) fn trimmed(line: Line<'_>, part: Range<usize>) -> Range<usize> {
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
    fn a_table_is_a_list_of_its_rows() {
        let document = table("warning\nUNIT        LOAD STATE  SUB\nssh.service loaded      <none>\n\ncron.service loaded\na           b           c\n".to_owned());
        let root = document.roots().next().unwrap();
        let rows: Vec<_> = root
            .items()
            .map(|row| (row.str_at(&["UNIT"]), row.str_at(&["LOAD STATE"]), row.str_at(&["SUB"]), row.line()))
            .collect();
        let expected = [(Some("ssh.service"), Some("loaded"), None, 3), (Some("a"), Some("b"), Some("c"), 6)];
        assert_eq!(rows, expected);
        assert_eq!(table("one\ntwo\n".to_owned()).roots().next().map(|root| root.items().count()), Some(0));
    }

    #[test]
    fn a_table_in_a_box_is_cut_at_its_bars() {
        let text = "{\"level\":\"warn\"}\n+------+---------+\n| NAME | DB SIZE |\n+------+---------+\n| n1   |   50 MB |\n|      |  a | b  |\n|x|\n+------+---------+\nrest\n";
        let document = table(text.to_owned());
        let rows: Vec<_> = document
            .roots()
            .flat_map(|root| root.items())
            .map(|row| (row.str_at(&["NAME"]), row.str_at(&["DB SIZE"]), row.line()))
            .collect();
        assert_eq!(rows, [(Some("n1"), Some("50 MB"), 5), (None, Some("a | b"), 6), (Some("x"), None, 7)]);
        let wide = format!("+-+\n{}|\n", "|a".repeat(10_000));
        assert_eq!(table(wide).roots().flat_map(|root| root.items()).count(), 0);
    }

    #[test]
    fn a_line_that_ignores_the_columns_is_no_row() {
        assert_eq!(rows("NAME   AGE\nError from server (Timeout): x\n"), [None]);
    }
}
