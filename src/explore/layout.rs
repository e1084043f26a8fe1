//! Tables of text as kubectl lays them out.

/// Blanks between columns, and the least width of a column with them (`GetNewTabWriter` of k8s.io/cli-runtime).
const PADDING: usize = 3;
const LEAST: usize = 6;

/// A table: a row of headers, and rows with as many cells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    pub headers: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// Writes the rows in columns, with or without the headers, which then do not count for the width either.
    pub fn text(&self, with_headers: bool) -> String {
        let lines: Vec<Vec<String>> =
            self.lines(with_headers).map(|row| row.iter().map(|cell| one_line(cell)).collect()).collect();
        let widths = widths(&lines);
        let mut out = String::new();
        for line in lines {
            let mut text = String::new();
            for (cell, width) in line.iter().zip(&widths) {
                text.push_str(cell);
                text.extend(std::iter::repeat_n(' ', width.saturating_sub(cell.chars().count())));
            }
            out.push_str(text.trim_end());
            out.push('\n');
        }
        out
    }

    fn lines(&self, with_headers: bool) -> impl Iterator<Item = &Vec<String>> {
        with_headers.then_some(&self.headers).into_iter().chain(&self.rows)
    }
}

/// Returns the first line of a cell, as kubectl truncates it.
fn one_line(cell: &str) -> String {
    match cell.split_once(['\n', '\r', '\u{c}']) {
        Some((first, _)) => format!("{first}..."),
        None => cell.to_owned(),
    }
}

fn widths(lines: &[Vec<String>]) -> Vec<usize> {
    let columns = lines.iter().map(Vec::len).max().unwrap_or_default();
    let width = |column: usize| {
        let cells = lines.iter().filter_map(|line| line.get(column));
        cells.map(|cell| cell.chars().count() + PADDING).max().unwrap_or_default().max(LEAST)
    };
    (0..columns).map(width).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_cells() {
        let table = Table {
            headers: vec!["A".to_owned(), "NAME".to_owned(), "LAST".to_owned()],
            rows: vec![
                vec!["1".to_owned(), "größer".to_owned(), String::new()],
                vec![String::new(), "a\nb".to_owned(), "x".to_owned()],
            ],
        };
        assert_eq!(table.text(true), "A     NAME     LAST\n1     größer\n      a...     x\n");
        assert_eq!(table.text(false), "1     größer\n      a...     x\n");
    }
}
