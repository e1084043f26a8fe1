//! Row by row output: [`Sink`].

use std::io;

use rusqlite::types::Value;

/// Takes an answer, row by row.
pub trait Sink {
    /// The names of the columns; comes first.
    ///
    /// # Errors
    /// Those of the writer; the same for what follows.
    fn begin(&mut self, columns: &[String]) -> io::Result<()>;
    /// As many values as there are columns.
    fn row(&mut self, values: &[Value]) -> io::Result<()>;
    /// Comes last.
    fn end(&mut self) -> io::Result<()>;
}

/// A value as text; nothing for null.
pub(super) fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Integer(number) => number.to_string(),
        Value::Real(number) => number.to_string(),
        Value::Text(text) => text.clone(),
        Value::Blob(bytes) => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
    }
}

#[cfg(test)]
pub(super) fn written(make: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> String {
    let mut bytes = Vec::new();
    make(&mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}
