//! A table of kubectl whose cells can be replaced.

/// Blanks between two columns.
const GAP: &str = "   ";

/// Cells of a table by row; the first row has the headers.
#[derive(Clone)]
pub struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Reads a table in which each column begins below its header.
    pub fn parse(text: &str) -> Self {
        let mut lines = text.lines();
        let header = lines.next().unwrap_or_default();
        let begins = |&at: &usize| {
            let (before, from) = header.split_at(at);
            at == 0 || (before.ends_with(GAP) && !from.starts_with(' '))
        };
        let starts: Vec<usize> = (0..header.len()).filter(begins).collect();
        let cell = |line: &str, column: usize| {
            let end = starts.get(column + 1).copied().unwrap_or(line.len()).min(line.len());
            line.get(starts[column]..end).unwrap_or_default().trim_end().to_owned()
        };
        let row = |line: &str| (0..starts.len()).map(|column| cell(line, column)).collect();
        Self { rows: std::iter::once(header).chain(lines).map(row).collect() }
    }

    /// Returns row and column of each cell that has a text.
    pub fn cells(&self) -> impl Iterator<Item = (usize, usize)> {
        let rows = self.rows.iter().enumerate().skip(1);
        rows.flat_map(|(row, cells)| (0..cells.len()).filter(|&at| !cells[at].is_empty()).map(move |at| (row, at)))
    }

    /// Replaces a cell.
    pub fn set(&mut self, row: usize, column: usize, text: &str) {
        self.rows[row][column] = text.to_owned();
    }

    /// Prints the table, each column as wide as its longest cell.
    pub fn print(&self) -> String {
        let columns = self.rows.first().map_or(0, Vec::len);
        let width = |column: usize| self.rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let line = |row: &Vec<String>| {
            let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:width$}")).collect();
            format!("{}\n", cells.join(GAP).trim_end())
        };
        self.rows.iter().map(line).collect()
    }
}

#[test]
fn a_table_is_printed_as_it_was_read() {
    let text =
        "NAME        STATUS   ROLES    AGE\nhv-node-1   Ready    <none>   11d\nn2                            4h\n";
    let mut table = Table::parse(text);
    assert_eq!(table.print(), text);
    assert_eq!(table.cells().filter(|(row, _)| *row == 2).collect::<Vec<_>>(), [(2, 0), (2, 3)]);
    table.set(1, 1, "hidden");
    assert_eq!(table.print().lines().nth(1), Some("hv-node-1   hidden   <none>   11d"));
}
