//! Parquet: nullable columns of texts and integers.

use std::fs::File;
use std::io;
use std::sync::Arc;

use parquet::basic::{Compression, ConvertedType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{Type, TypePtr};
use rusqlite::types::Value;

use super::rows::{Sink, text};

/// Rows and bytes of text per row group, which is held in memory.
const ROWS: usize = 10_000;
const BYTES: usize = 64 << 20;

/// Integer columns of the store; all others are texts.
const NUMBERS: [&str; 8] = ["gone", "is_folder", "size", "entries", "count", "evidence_count", "findings", "number"];

/// Parquet file.
pub struct Parquet {
    file: Option<File>,
    writer: Option<SerializedFileWriter<File>>,
    columns: Vec<Column>,
    rows: usize,
    bytes: usize,
}

struct Column {
    is_number: bool,
    texts: Vec<ByteArray>,
    numbers: Vec<i64>,
    /// 1 for a value, 0 for null.
    levels: Vec<i16>,
}

impl Parquet {
    /// Writes to `file`.
    pub fn new(file: File) -> Self {
        Self { file: Some(file), writer: None, columns: Vec::new(), rows: 0, bytes: 0 }
    }

    fn flush(&mut self) -> io::Result<()> {
        let Some(writer) = self.writer.as_mut().filter(|_| self.rows > 0) else { return Ok(()) };
        let mut group = writer.next_row_group().map_err(failed)?;
        for column in &mut self.columns {
            column.write(&mut group).map_err(failed)?;
        }
        group.close().map_err(failed)?;
        (self.rows, self.bytes) = (0, 0);
        Ok(())
    }
}

impl Sink for Parquet {
    fn begin(&mut self, columns: &[String]) -> io::Result<()> {
        let is_number = |name: &String| NUMBERS.contains(&name.as_str());
        let field = |name: &String| field(name, is_number(name));
        let fields = columns.iter().map(field).collect::<Result<Vec<_>, _>>().map_err(failed)?;
        let schema = Type::group_type_builder("schema").with_fields(fields).build().map_err(failed)?;
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let Some(file) = self.file.take() else { return Err(io::Error::other("begun twice")) };
        let writer = SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties)).map_err(failed)?;
        self.writer = Some(writer);
        let column = |is_number| Column { is_number, texts: Vec::new(), numbers: Vec::new(), levels: Vec::new() };
        self.columns = columns.iter().map(|name| column(is_number(name))).collect();
        Ok(())
    }

    fn row(&mut self, values: &[Value]) -> io::Result<()> {
        for (column, value) in self.columns.iter_mut().zip(values) {
            self.bytes += column.push(value);
        }
        self.rows += 1;
        if self.rows >= ROWS || self.bytes >= BYTES { self.flush() } else { Ok(()) }
    }

    fn end(&mut self) -> io::Result<()> {
        self.flush()?;
        self.writer.take().map_or(Ok(()), |writer| writer.close().map(|_| ()).map_err(failed))
    }
}

impl Column {
    /// Adds a value and returns its size in bytes.
    fn push(&mut self, value: &Value) -> usize {
        self.levels.push(i16::from(!matches!(value, Value::Null)));
        match value {
            Value::Null => 0,
            Value::Integer(number) if self.is_number => {
                self.numbers.push(*number);
                8
            }
            other => {
                let text = text(other);
                let bytes = text.len();
                self.texts.push(ByteArray::from(text.into_bytes()));
                bytes
            }
        }
    }

    fn write(&mut self, group: &mut SerializedRowGroupWriter<'_, File>) -> Result<(), ParquetError> {
        let Some(mut writer) = group.next_column()? else { return Ok(()) };
        if self.is_number {
            writer.typed::<Int64Type>().write_batch(&self.numbers, Some(&self.levels), None)?;
        } else {
            writer.typed::<ByteArrayType>().write_batch(&self.texts, Some(&self.levels), None)?;
        }
        self.texts.clear();
        self.numbers.clear();
        self.levels.clear();
        writer.close()
    }
}

fn field(name: &str, is_number: bool) -> Result<TypePtr, ParquetError> {
    let (physical, converted) =
        if is_number { (Physical::INT64, ConvertedType::NONE) } else { (Physical::BYTE_ARRAY, ConvertedType::UTF8) };
    let field = Type::primitive_type_builder(name, physical);
    field.with_repetition(Repetition::OPTIONAL).with_converted_type(converted).build().map(Arc::new)
}

fn failed(error: ParquetError) -> io::Error {
    io::Error::other(error)
}
