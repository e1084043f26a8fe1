//! Interface of output formats: [`Sink`].

use std::io;

use rusqlite::types::Value;

/// Output format that receives an answer row by row.
pub trait Sink {
    /// Receives the column names; called first.
    ///
    /// # Errors
    /// All methods fail with the errors of the writer.
    fn begin(&mut self, columns: &[String]) -> io::Result<()>;
    /// Receives a row, with one value per column.
    fn row(&mut self, values: &[Value]) -> io::Result<()>;
    /// Ends the output; called last.
    fn end(&mut self) -> io::Result<()>;
}

/// Returns a value as text; empty for null.
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
