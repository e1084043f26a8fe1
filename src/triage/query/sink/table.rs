//! Columns for people, as wide as their longest value up to a limit.

use std::io::{self, Write};

use rusqlite::types::Value;

use super::rows::{Sink, text};
use crate::model::clean;

/// Number of rows shown.
const MOST_ROWS: usize = 1000;

/// Longest value shown, in characters.
const WIDEST: usize = 60;

/// Table that keeps all rows until the end, to know the widths of columns.
pub struct Table<'w> {
    out: &'w mut dyn Write,
    rows: Vec<Vec<String>>,
    more: u64,
}

impl<'w> Table<'w> {
    /// Writes to `out`.
    pub fn new(out: &'w mut dyn Write) -> Self {
        Self { out, rows: Vec::new(), more: 0 }
    }
}

impl Sink for Table<'_> {
    fn begin(&mut self, columns: &[String]) -> io::Result<()> {
        self.rows.push(columns.iter().map(|name| cell(&name.to_uppercase())).collect());
        Ok(())
    }

    fn row(&mut self, values: &[Value]) -> io::Result<()> {
        if self.rows.len() > MOST_ROWS {
            self.more += 1;
        } else {
            self.rows.push(values.iter().map(|value| cell(&text(value))).collect());
        }
        Ok(())
    }

    fn end(&mut self) -> io::Result<()> {
        let columns = self.rows.first().map_or(0, Vec::len);
        let width = |column: usize| {
            let widths = self.rows.iter().filter_map(|row| row.get(column)).map(|value| value.chars().count());
            widths.max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        for row in &self.rows {
            let cells = row.iter().zip(&widths).map(|(value, width)| format!("{value:<width$}"));
            writeln!(self.out, "{}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
        }
        match (self.rows.len().saturating_sub(1), self.more) {
            (0, _) => writeln!(self.out, "no rows")?,
            (_, 0) => {}
            (shown, more) => {
                writeln!(self.out, "{shown} of {} rows shown; use --format csv or json for all", shown as u64 + more)?
            }
        }
        self.out.flush()
    }
}

/// Returns one line in which hidden characters are shown, shortened if needed.
fn cell(text: &str) -> String {
    let shown: String = text.chars().take(WIDEST + 1).collect();
    let clean = clean::visible(&shown).replace(['\n', '\t'], " ");
    if clean.chars().count() <= WIDEST {
        return clean;
    }
    clean.chars().take(WIDEST - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::super::rows::written;
    use super::*;

    #[test]
    fn columns_are_aligned_and_control_characters_removed() {
        let text = written(|out| {
            let mut table = Table::new(out);
            table.begin(&["rule".into(), "n".into()])?;
            table.row(&[Value::Text("a\x1b[31mb".into()), Value::Integer(12)])?;
            table.row(&[Value::Text("x".repeat(100)), Value::Null])?;
            table.end()
        });
        let long = format!("{}…", "x".repeat(59));
        assert_eq!(text, format!("RULE{}  N\nab{}  12\n{long}\n", " ".repeat(56), " ".repeat(58)));
    }

    #[test]
    fn the_number_of_hidden_rows_is_shown() {
        let many = |rows: usize| {
            written(|out| {
                let mut table = Table::new(out);
                table.begin(&["n".into()])?;
                (0..rows).try_for_each(|_| table.row(&[Value::Integer(1)]))?;
                table.end()
            })
        };
        assert!(many(1005).ends_with("\n1000 of 1005 rows shown; use --format csv or json for all\n"));
        assert_eq!(many(0), "N\nno rows\n");
    }
}
