//! Columns for people, as wide as their longest value up to a limit.

use std::borrow::Cow;
use std::io::{self, Write};

use rusqlite::types::Value;

use super::rows::{Sink, text};
use crate::model::clean;

/// Number of rows shown.
const MOST_ROWS: usize = 1000;

/// Longest value shown, in characters.
const WIDEST: usize = 60;

/// Least width of the widest columns of a table that is made to fit; narrower ones cannot be read.
const LEAST: usize = 16;

/// Blanks between columns.
const GAP: usize = 2;

/// Table that keeps all rows until the end, to know the widths of columns.
pub struct Table<'w> {
    out: &'w mut dyn Write,
    /// Columns of the terminal; without them nothing is made to fit.
    width: Option<usize>,
    rows: Vec<Vec<String>>,
    more: u64,
}

impl<'w> Table<'w> {
    /// Writes to `out` in lines of `width` characters. A table that is wider is made narrower: first columns without any value are
    /// left out, then the widest are cut; if they became too narrow, each row is written as lines of a name and a value.
    pub fn new(out: &'w mut dyn Write, width: Option<usize>) -> Self {
        Self { out, width, rows: Vec::new(), more: 0 }
    }

    fn widths(&self) -> Vec<usize> {
        let columns = self.rows.first().map_or(0, Vec::len);
        let widest = |column: usize| {
            let values = self.rows.iter().filter_map(|row| row.get(column));
            values.map(|value| value.chars().count()).max().unwrap_or(0)
        };
        (0..columns).map(widest).collect()
    }

    /// Leaves out columns in which no row has a value.
    fn drop_empty_columns(&mut self) {
        let Some((head, rows)) = self.rows.split_first() else { return };
        let has_value = |column: usize| rows.iter().any(|row| row.get(column).is_some_and(|value| !value.is_empty()));
        let kept: Vec<usize> = (0..head.len()).filter(|column| rows.is_empty() || has_value(*column)).collect();
        for row in &mut self.rows {
            *row = kept.iter().filter_map(|column| row.get(*column).cloned()).collect();
        }
    }

    fn write_lines(&mut self, widths: &[usize]) -> io::Result<()> {
        for row in &self.rows {
            let cells = row.iter().zip(widths).map(|(value, width)| format!("{:<width$}", cut(value, *width)));
            writeln!(self.out, "{}", cells.collect::<Vec<_>>().join(&" ".repeat(GAP)).trim_end())?;
        }
        Ok(())
    }

    /// Writes each row as lines of a name and a value, with a blank line between rows.
    fn write_records(&mut self, width: usize) -> io::Result<()> {
        let Some((head, rows)) = self.rows.split_first() else { return Ok(()) };
        let names = head.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        let room = width.saturating_sub(names + GAP).max(LEAST);
        for (at, row) in rows.iter().enumerate() {
            if at > 0 {
                writeln!(self.out)?;
            }
            for (name, value) in head.iter().zip(row).filter(|(_, value)| !value.is_empty()) {
                writeln!(self.out, "{name:<names$}{}{}", " ".repeat(GAP), cut(value, room))?;
            }
        }
        Ok(())
    }
}

/// Returns the width of the widest columns with which a table fits; none if it would be below [`LEAST`].
fn widest_that_fits(widths: &[usize], width: usize) -> Option<usize> {
    let gaps = GAP * widths.len().saturating_sub(1);
    let fits = |limit: &usize| widths.iter().map(|width| (*width).min(*limit)).sum::<usize>() + gaps <= width;
    (LEAST..=WIDEST).rev().find(fits)
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
        let width = self.width.unwrap_or(usize::MAX);
        if widest_that_fits(&self.widths(), width) != Some(WIDEST) {
            self.drop_empty_columns();
        }
        let mut widths = self.widths();
        match widest_that_fits(&widths, width) {
            Some(limit) => {
                widths.iter_mut().for_each(|width| *width = (*width).min(limit));
                self.write_lines(&widths)?;
            }
            None => self.write_records(width)?,
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
    cut(&clean::visible(&shown).replace(['\n', '\t'], " "), WIDEST).into_owned()
}

/// Returns at most `width` characters, the last of them an ellipsis if something was cut.
fn cut(text: &str, width: usize) -> Cow<'_, str> {
    if text.chars().count() <= width {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().take(width.saturating_sub(1)).chain(['…']).collect())
}

#[cfg(test)]
mod tests {
    use super::super::rows::written;
    use super::*;

    #[test]
    fn columns_are_aligned_and_control_characters_removed() {
        let text = written(|out| {
            let mut table = Table::new(out, None);
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
                let mut table = Table::new(out, None);
                table.begin(&["n".into()])?;
                (0..rows).try_for_each(|_| table.row(&[Value::Integer(1)]))?;
                table.end()
            })
        };
        assert!(many(1005).ends_with("\n1000 of 1005 rows shown; use --format csv or json for all\n"));
        assert_eq!(many(0), "N\nno rows\n");
    }

    fn shown(width: usize, columns: &[(&str, &str)]) -> String {
        written(|out| {
            let mut table = Table::new(out, Some(width));
            table.begin(&columns.iter().map(|(name, _)| (*name).to_owned()).collect::<Vec<_>>())?;
            table.row(&columns.iter().map(|(_, value)| Value::Text((*value).to_owned())).collect::<Vec<_>>())?;
            table.end()
        })
    }

    #[test]
    fn a_table_fits_the_terminal() {
        let long = "x".repeat(50);
        let columns = [("rule", long.as_str()), ("none", ""), ("n", "12")];
        assert!(shown(80, &columns).starts_with("RULE ") && shown(80, &columns).contains("NONE"), "it fits as it is");
        let cut = shown(50, &columns);
        assert_eq!(cut.lines().last().unwrap(), format!("{}…  12", "x".repeat(45)), "the widest is cut");
        assert!(!cut.contains("NONE"), "what is empty goes first");
    }

    #[test]
    fn rows_of_too_many_columns_are_written_below_each_other() {
        let long = "x".repeat(50);
        let columns: Vec<(&str, &str)> = vec![("rule", &long), ("a", &long), ("b", ""), ("path", &long)];
        let records = shown(40, &columns);
        let value = |width: usize| format!("{}…", "x".repeat(width - 1));
        assert_eq!(records, format!("RULE  {0}\nA     {0}\nPATH  {0}\n", value(34)));
    }
}
