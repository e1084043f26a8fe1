//! JSON: an array of objects, or one object per line.

use std::io::{self, Write};

use rusqlite::types::Value;
use serde_json::Map;

use super::rows::{Sink, text};

/// Array of objects, one per line.
pub struct Json<'w> {
    lines: Lines<'w>,
    rows: u64,
}

/// One object per line.
pub struct Lines<'w> {
    out: &'w mut dyn Write,
    columns: Vec<String>,
}

impl<'w> Json<'w> {
    /// Writes to `out`.
    pub fn new(out: &'w mut dyn Write) -> Self {
        Self { lines: Lines::new(out), rows: 0 }
    }
}

impl<'w> Lines<'w> {
    /// Writes to `out`.
    pub fn new(out: &'w mut dyn Write) -> Self {
        Self { out, columns: Vec::new() }
    }

    /// Writes a row as an object; JSON columns of the store stay JSON.
    fn object(&mut self, values: &[Value]) -> io::Result<()> {
        let fields = self.columns.iter().zip(values).map(|(name, value)| (name.clone(), json_value(name, value)));
        let object: Map<String, serde_json::Value> = fields.collect();
        Ok(serde_json::to_writer(&mut *self.out, &object)?)
    }
}

/// Columns of the store that contain JSON.
const JSON: [&str; 6] = ["objects", "evidence", "roles", "counts", "inputs", "versions"];

fn json_value(name: &str, value: &Value) -> serde_json::Value {
    match value {
        Value::Null => serde_json::Value::Null,
        Value::Integer(number) => (*number).into(),
        Value::Real(number) => (*number).into(),
        Value::Text(text) if JSON.contains(&name) => {
            serde_json::from_str(text).unwrap_or_else(|_| text.as_str().into())
        }
        Value::Text(text) => text.as_str().into(),
        Value::Blob(_) => text(value).into(),
    }
}

impl Sink for Lines<'_> {
    fn begin(&mut self, columns: &[String]) -> io::Result<()> {
        self.columns = columns.to_vec();
        Ok(())
    }

    fn row(&mut self, values: &[Value]) -> io::Result<()> {
        self.object(values)?;
        self.out.write_all(b"\n")
    }

    fn end(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Sink for Json<'_> {
    fn begin(&mut self, columns: &[String]) -> io::Result<()> {
        self.lines.begin(columns)?;
        self.lines.out.write_all(b"[")
    }

    fn row(&mut self, values: &[Value]) -> io::Result<()> {
        let before: &[u8] = if self.rows == 0 { b"\n" } else { b",\n" };
        self.rows += 1;
        self.lines.out.write_all(before)?;
        self.lines.object(values)
    }

    fn end(&mut self) -> io::Result<()> {
        self.lines.out.write_all(if self.rows == 0 { b"]\n" } else { b"\n]\n" })?;
        self.lines.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::super::rows::written;
    use super::*;

    fn rows(sink: &mut dyn Sink) -> io::Result<()> {
        sink.begin(&["name".into(), "objects".into()])?;
        sink.row(&[Value::Text("a \"b\"".into()), Value::Text("[{\"kind\":\"Pod\"}]".into())])?;
        sink.row(&[Value::Null, Value::Text("no json".into())])?;
        sink.end()
    }

    #[test]
    fn rows_are_objects_and_json_stays_json() {
        let (first, second) =
            ("{\"name\":\"a \\\"b\\\"\",\"objects\":[{\"kind\":\"Pod\"}]}", "{\"name\":null,\"objects\":\"no json\"}");
        assert_eq!(written(|out| rows(&mut Lines::new(out))), format!("{first}\n{second}\n"));
        assert_eq!(written(|out| rows(&mut Json::new(out))), format!("[\n{first},\n{second}\n]\n"));
        let empty = written(|out| {
            let mut json = Json::new(out);
            json.begin(&[])?;
            json.end()
        });
        assert_eq!(empty, "[]\n");
    }
}
