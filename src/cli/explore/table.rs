//! Tables for people.

use std::io::{self, Write};

use crate::model::clean;

/// Blanks between columns.
const GAP: usize = 3;

/// Writes rows in columns as wide as their longest value, the last one as it is; the first row is the head.
///
/// # Errors
/// Fails as the writer does.
pub fn write(out: &mut dyn Write, rows: &[Vec<String>]) -> io::Result<()> {
    let rows: Vec<Vec<String>> =
        rows.iter().map(|row| row.iter().map(|cell| clean::one_line(cell)).collect()).collect();
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| rows.iter().filter_map(|row| Some(row.get(column)?.chars().count())).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for row in &rows {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        writeln!(out, "{}", cells.collect::<Vec<_>>().join(&" ".repeat(GAP)).trim_end())?;
    }
    Ok(())
}
