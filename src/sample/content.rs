//! Content of a bundle: files as values that can be reduced, and back as bytes.

use serde_json::Value;

use super::packed_value::closed;

/// Format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Yaml,
    Json,
    Lines,
}

/// File of a sample.
#[derive(Clone, Debug)]
pub struct File {
    pub path: String,
    pub format: Format,
    /// Documents or lines.
    pub parts: Vec<Value>,
    /// True if the file is expected to hold only objects.
    pub is_dump: bool,
    /// True if its lines are those of a table.
    pub is_table: bool,
}

/// Files with the name of the folder that contains them.
#[derive(Clone, Debug)]
pub struct Content {
    pub name: String,
    pub files: Vec<File>,
}

impl Content {
    /// Returns the files as bytes.
    pub fn rendered(&self) -> Vec<(String, Vec<u8>)> {
        self.files.iter().map(|file| (file.path.clone(), file.rendered())).collect()
    }
}

impl File {
    /// Returns the bytes of the file.
    pub fn rendered(&self) -> Vec<u8> {
        match self.format {
            Format::Lines => self.lines().flat_map(|line| [line, "\n"]).collect::<String>().into_bytes(),
            Format::Yaml => {
                let texts = self.parts.iter().map(|part| serde_yaml::to_string(&closed(part)));
                texts.filter_map(Result::ok).collect::<Vec<_>>().join("---\n").into_bytes()
            }
            Format::Json => {
                let texts = self.parts.iter().map(|part| serde_json::to_string_pretty(&closed(part)));
                texts.filter_map(Result::ok).map(|text| text + "\n").collect::<String>().into_bytes()
            }
        }
    }

    /// Returns the lines of a file of lines.
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(Value::as_str)
    }
}
