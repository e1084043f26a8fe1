//! The formats of an answer: tables, YAML, JSON, names, JSONPath and custom columns.

use serde_json::{Value, json};

use super::answer::{Answer, Listing};
use super::columns::{self, Shown, typed_kind};
use super::jsonpath::{JsonPath, JsonPathError, go_text};
use super::request::Request;
use crate::explore::layout::Table;
use crate::explore::object::View;
use crate::explore::opened::Opened;
use crate::explore::yaml;

/// Format of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Format {
    Table { wide: bool },
    Yaml,
    Json,
    Name,
    JsonPath(JsonPath),
    CustomColumns(Vec<CustomColumn>),
}

/// `NAME:.metadata.name`
#[derive(Clone, Debug, PartialEq)]
pub struct CustomColumn {
    header: String,
    path: JsonPath,
}

/// Why a format is none.
#[derive(Debug, thiserror::Error)]
pub enum FormatError {
    #[error("unknown output `{0}`; write wide, yaml, json, name, jsonpath=TEMPLATE or custom-columns=HEADER:PATH,...")]
    Unknown(String),
    #[error("`-o {0}` needs a value; write {0}=...")]
    NoValue(String),
    #[error("`{0}` is no custom column; write HEADER:PATH, such as NAME:.metadata.name")]
    Column(String),
    #[error(transparent)]
    Path(#[from] JsonPathError),
}

impl Format {
    /// Reads the value of `-o`.
    ///
    /// # Errors
    /// It is no format, or its template is wrong.
    pub fn parse(text: &str) -> Result<Self, FormatError> {
        let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
        match (name, value) {
            ("", None) => Ok(Self::Table { wide: false }),
            ("wide", None) => Ok(Self::Table { wide: true }),
            ("yaml", None) => Ok(Self::Yaml),
            ("json", None) => Ok(Self::Json),
            ("name", None) => Ok(Self::Name),
            ("jsonpath" | "custom-columns", None | Some("")) => Err(FormatError::NoValue(name.to_owned())),
            ("jsonpath", Some(template)) => Ok(Self::JsonPath(JsonPath::parse(template)?)),
            ("custom-columns", Some(columns)) => Ok(Self::CustomColumns(custom_columns(columns)?)),
            _ => Err(FormatError::Unknown(text.to_owned())),
        }
    }
}

/// Splits at commas outside of brackets, because a union has commas.
fn custom_columns(text: &str) -> Result<Vec<CustomColumn>, FormatError> {
    let (mut parts, mut depth) = (vec![String::new()], 0_u32);
    for c in text.chars() {
        depth = match c {
            '[' | '(' => depth + 1,
            ']' | ')' => depth.saturating_sub(1),
            _ => depth,
        };
        match (c, parts.last_mut()) {
            (',', _) if depth == 0 => parts.push(String::new()),
            (c, Some(part)) => part.push(c),
            _ => {}
        }
    }
    let column = |part: &String| match part.split_once(':') {
        Some((header, path)) if !header.is_empty() && !path.is_empty() => {
            Ok(CustomColumn { header: header.to_owned(), path: JsonPath::relaxed(path)? })
        }
        _ => Err(FormatError::Column(part.clone())),
    };
    parts.iter().map(column).collect()
}

/// How an answer is written.
pub struct Output<'o> {
    pub opened: &'o Opened<'o>,
    pub view: &'o View<'o>,
    pub format: &'o Format,
    pub with_headers: bool,
    pub with_labels: bool,
}

impl Output<'_> {
    /// Writes the objects of an answer; nothing for none, except in YAML and JSON.
    ///
    /// # Errors
    /// A JSONPath has no value for an object.
    pub fn text(&self, request: &Request, answer: &Answer) -> Result<String, FormatError> {
        match self.format {
            Format::Table { wide } => Ok(self.tables(request, answer, *wide)),
            Format::Name => Ok(self.names(answer)),
            Format::Yaml => {
                let objects = self.whole(request, answer);
                Ok(objects.map_or_else(String::new, |objects| yaml::document(&objects)))
            }
            Format::Json => {
                let objects = self.whole(request, answer);
                Ok(objects.map_or_else(String::new, |objects| format!("{objects:#}\n")))
            }
            Format::JsonPath(path) => {
                let objects = self.whole(request, answer);
                Ok(objects.map_or(Ok(String::new()), |objects| path.print(&objects))?)
            }
            Format::CustomColumns(columns) => self.custom(columns, answer),
        }
    }

    /// Writes a table for each type.
    fn tables(&self, request: &Request, answer: &Answer, wide: bool) -> String {
        let is_of_many = request.asked.len() > 1;
        let tables = answer.listings.iter().map(|listing| {
            let namespaces = self.opened.resources().is_namespaced(&listing.type_) != Some(false)
                && request.filter.namespace.is_none();
            let shown = Shown { wide, namespaces, kinds: is_of_many, labels: self.with_labels };
            columns::table(self.opened, self.view, listing, shown).text(self.with_headers)
        });
        tables.collect::<Vec<_>>().join("\n")
    }

    fn names(&self, answer: &Answer) -> String {
        let resources = self.opened.resources();
        let ids = answer.listings.iter().flat_map(|listing| &listing.ids);
        ids.map(|id| {
            let resource = resources.resource(*id);
            format!("{}/{}\n", typed_kind(resource), self.view.text(&resource.name))
        })
        .collect()
    }

    fn objects<'l>(&'l self, listings: &'l [Listing]) -> impl Iterator<Item = Value> + 'l {
        let ids = listings.iter().flat_map(|listing| &listing.ids);
        ids.map(|id| self.view.object(self.opened.resources().resource(*id)))
    }

    /// Returns the object that was asked for by its name, or a list; nothing if the only object is missing.
    fn whole(&self, request: &Request, answer: &Answer) -> Option<Value> {
        let mut objects: Vec<Value> = self.objects(&answer.listings).collect();
        match (request.is_of_one(), objects.len()) {
            (true, 0) => None,
            (true, 1) => objects.pop(),
            _ => {
                Some(json!({"apiVersion": "v1", "items": objects, "kind": "List", "metadata": {"resourceVersion": ""}}))
            }
        }
    }

    fn custom(&self, columns: &[CustomColumn], answer: &Answer) -> Result<String, FormatError> {
        let headers = columns.iter().map(|column| column.header.clone()).collect();
        let row = |object: Value| columns.iter().map(|column| custom_cell(column, &object)).collect();
        let rows: Result<Vec<Vec<String>>, _> = self.objects(&answer.listings).map(row).collect();
        let rows = rows?;
        Ok(if rows.is_empty() { String::new() } else { Table { headers, rows }.text(self.with_headers) })
    }
}

fn custom_cell(column: &CustomColumn, object: &Value) -> Result<String, JsonPathError> {
    let found = column.path.find(object)?;
    let found: Vec<String> = found.iter().flatten().map(|value| go_text(value)).collect();
    Ok(if found.is_empty() { "<none>".to_owned() } else { found.join(",") })
}
