//! A template or a single path: [`JsonPath`].

use std::borrow::Cow;

use serde_json::Value;

use super::evaluate::{Found, Walk};
use super::parse;
use super::print::text;
use super::syntax::Part;

/// Most bytes of a template.
pub(super) const MAX_BYTES: usize = 64 << 10;

/// A template or a single path.
#[derive(Clone, Debug, PartialEq)]
pub struct JsonPath {
    template: String,
    nodes: Vec<Part>,
}

/// Why a template cannot be read or evaluated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} at character {} of the JSONPath `{template}`", at + 1)]
pub struct JsonPathError {
    pub template: String,
    /// Characters before the fault.
    pub at: usize,
    pub what: String,
}

impl std::fmt::Display for JsonPath {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.template.trim_start_matches('{').trim_end_matches('}'))
    }
}

impl JsonPath {
    /// Reads a template such as `{.metadata.name}{"\n"}`.
    ///
    /// # Errors
    /// It is no such template; the place is told.
    pub fn parse(template: &str) -> Result<Self, JsonPathError> {
        let fault = |(at, what): (usize, String)| JsonPathError { template: template.to_owned(), at, what };
        if template.len() > MAX_BYTES {
            return Err(fault((0, format!("more than {MAX_BYTES} bytes"))));
        }
        let nodes = parse::template(template).map_err(fault)?;
        Ok(Self { template: template.to_owned(), nodes })
    }

    /// Reads one path, whose braces and first dot may be left out (`metadata.name`), as in custom columns and `--sort-by`.
    ///
    /// # Errors
    /// Same as [`JsonPath::parse`].
    pub fn relaxed(path: &str) -> Result<Self, JsonPathError> {
        let inner = path.trim();
        let inner = inner.strip_prefix('{').and_then(|inner| inner.strip_suffix('}')).unwrap_or(inner);
        let dot = if inner.starts_with(['.', '[', '$', '@']) || inner.is_empty() { "" } else { "." };
        Self::parse(&format!("{{{dot}{inner}}}"))
    }

    /// Finds the values of each part; a field that an object does not have gives none.
    ///
    /// # Errors
    /// An index is outside of its list, a comparison has no answer, or there are too many values.
    pub fn find<'v>(&self, value: &'v Value) -> Result<Vec<Found<'v>>, JsonPathError> {
        let fault = |(at, what): (usize, String)| JsonPathError { template: self.template.clone(), at, what };
        Walk::default().parts(&self.nodes, &Cow::Borrowed(value)).map_err(fault)
    }

    /// Returns the first value that is found.
    ///
    /// # Errors
    /// Same as [`JsonPath::find`].
    pub fn first<'v>(&self, value: &'v Value) -> Result<Option<Cow<'v, Value>>, JsonPathError> {
        Ok(self.find(value)?.into_iter().flatten().next())
    }

    /// Writes what a template finds in a value: values of one part are separated by blanks.
    ///
    /// # Errors
    /// Same as [`JsonPath::find`].
    pub fn print(&self, value: &Value) -> Result<String, JsonPathError> {
        let parts = self.find(value)?;
        let part = |found: &Found<'_>| found.iter().map(|value| text(value)).collect::<Vec<_>>().join(" ");
        Ok(parts.iter().map(part).collect())
    }
}
