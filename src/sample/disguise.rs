//! Names of a bundle's owner, replaced in single lines and objects of it.

use std::collections::BTreeSet;

use serde_json::Value;

use super::content::{Content, File, Format};
use super::names::{Numbered, Published};
use super::{files, hide, names};
use crate::bundle::Bundle;
use crate::model::Analysis;
use crate::redact::Names;
use crate::resource::ResourceIndex;

/// What is known of the names in a bundle.
pub struct Disguise<'p> {
    names: Names,
    published: Published<'p>,
}

impl<'p> Disguise<'p> {
    /// Learns the names of a bundle from its analysis, with identities, and its objects. `published` are words that stay.
    pub fn of(bundle: &Bundle, analysis: &Analysis, resources: &ResourceIndex, published: &'p str) -> Self {
        let mut known = Names::of(analysis);
        names::add_objects(&mut known, bundle, resources);
        Self { names: known, published: Published::of(published) }
    }

    /// Returns path and lines of a log with secrets masked and names replaced; a name is replaced by the same in all of them.
    pub fn lines(&self, path: &str, lines: &[&str]) -> (String, Vec<String>) {
        self.text(path, lines, false)
    }

    /// Does the same for a header of a table and rows, of which the columns stay.
    pub fn table(&self, path: &str, lines: &[&str]) -> (String, Vec<String>) {
        self.text(path, lines, true)
    }

    fn text(&self, path: &str, lines: &[&str], is_table: bool) -> (String, Vec<String>) {
        let parts = files::lines(lines.join("\n").into_bytes());
        let file = File { path: path.to_owned(), format: Format::Lines, parts, is_dump: false, is_table };
        let file = self.hidden(file);
        let lines = file.lines().map(str::to_owned).collect();
        (file.path, lines)
    }

    /// Returns an object with names replaced. Its secrets must be masked already.
    pub fn object(&self, object: Value) -> Value {
        let file =
            File { path: String::new(), format: Format::Yaml, parts: vec![object], is_dump: true, is_table: false };
        self.hidden(file).parts.into_iter().next().unwrap_or_default()
    }

    fn hidden(&self, file: File) -> File {
        let mut known = self.names.clone();
        file.parts.iter().for_each(|part| names::add_names(&mut known, "", "", part));
        let numbered = Numbered::new(&self.published, BTreeSet::new());
        let content = Content { name: String::new(), files: vec![file.clone()] };
        hide::replaced(&content, &numbered, &known).files.into_iter().next().unwrap_or(file)
    }
}
