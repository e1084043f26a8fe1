//! Comma-separated values after RFC 4180, safe to be opened by a spreadsheet.

use std::io::{self, Write};

use rusqlite::types::Value;

use super::rows::{Sink, text};
use crate::model::clean::visible;

/// A line of names, then a line for each row.
pub struct Csv<'w> {
    out: &'w mut dyn Write,
}

impl<'w> Csv<'w> {
    /// Writes there.
    pub fn new(out: &'w mut dyn Write) -> Self {
        Self { out }
    }

    fn line(&mut self, fields: impl Iterator<Item = String>) -> io::Result<()> {
        let line = fields.collect::<Vec<_>>().join(",");
        self.out.write_all(line.as_bytes())?;
        self.out.write_all(b"\r\n")
    }
}

impl Sink for Csv<'_> {
    fn begin(&mut self, columns: &[String]) -> io::Result<()> {
        self.line(columns.iter().map(|name| field(name)))
    }

    fn row(&mut self, values: &[Value]) -> io::Result<()> {
        let of = |value: &Value| match value {
            Value::Text(text) => field(text),
            other => text(other),
        };
        self.line(values.iter().map(of))
    }

    fn end(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Quotes a text if needed, and marks what a spreadsheet would run as a formula as text.
fn field(text: &str) -> String {
    let begins = text.starts_with(['\t', '\r', '\n']);
    let is_formula = begins || text.trim_start().starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']);
    let text = visible(text);
    let text = if is_formula { format!("'{text}") } else { text.into_owned() };
    if is_formula || text.contains(['"', ',', '\n', '\r', '\t']) || text.starts_with(' ') || text.ends_with(' ') {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::super::rows::written;
    use super::*;

    #[test]
    fn fields_are_quoted_and_formulas_are_texts() {
        let text = written(|out| {
            let mut csv = Csv::new(out);
            csv.begin(&["a".into(), "b,c".into()])?;
            csv.row(&[Value::Text("=HYPERLINK(\"x\")".into()), Value::Null])?;
            csv.row(&[Value::Integer(-5), Value::Text("two\nlines".into())])?;
            for start in ["+1", "-1", "@x", "\tx", "\rx", " =1", "\u{a0}=1", "＝1", "a\u{9b}2Jb\u{202e}"] {
                csv.row(&[Value::Text(start.into()), Value::Real(0.5)])?;
            }
            csv.end()
        });
        let expected = "a,\"b,c\"\r\n\"'=HYPERLINK(\"\"x\"\")\",\r\n-5,\"two\nlines\"\r\n\"'+1\",0.5\r\n\"'-1\",0.5\r\n\"'@x\",0.5\r\n\"'\tx\",0.5\r\n\"'x\",0.5\r\n\"' =1\",0.5\r\n\"'\u{a0}=1\",0.5\r\n\"'＝1\",0.5\r\nab<U+202E>,0.5\r\n";
        assert_eq!(text, expected);
    }
}
