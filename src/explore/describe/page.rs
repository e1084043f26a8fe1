//! Text of a description: fields with their labels, then sections.

use crate::explore::layout::Table;
use crate::explore::object::View;
use crate::model::clean;

/// Width of labels.
const LABEL: usize = 18;

/// A page that is written from top to bottom. Every text of the bundle goes through the view.
pub struct Page<'v> {
    view: &'v View<'v>,
    out: String,
}

impl<'v> Page<'v> {
    pub fn new(view: &'v View<'v>) -> Self {
        Self { view, out: String::new() }
    }

    /// Writes a field; nothing for an empty one.
    pub fn field(&mut self, label: &str, value: &str) {
        if !value.is_empty() {
            let value = clean::one_line(&self.view.text(value));
            self.out.push_str(&format!("{:<LABEL$}{value}\n", format!("{label}:")));
        }
    }

    /// Writes a field with one value a line.
    pub fn list(&mut self, label: &str, values: &[String]) {
        let (first, rest) = values.split_first().map_or(("", &[][..]), |(first, rest)| (first.as_str(), rest));
        self.field(label, first);
        for value in rest {
            let value = clean::one_line(&self.view.text(value));
            self.out.push_str(&format!("{:<LABEL$}{value}\n", ""));
        }
    }

    /// Begins a section.
    pub fn section(&mut self, title: &str) {
        self.out.push_str(&format!("\n{title}:\n"));
    }

    /// Writes a section with a table; nothing for an empty one.
    pub fn table(&mut self, title: &str, headers: &[&str], rows: Vec<Vec<String>>) {
        if rows.is_empty() {
            return;
        }
        self.section(title);
        let shown = |cell: String| clean::one_line(&self.view.text(&cell));
        let rows = rows.into_iter().map(|row| row.into_iter().map(shown).collect()).collect();
        let table = Table { headers: headers.iter().map(|header| (*header).to_owned()).collect(), rows };
        for line in table.text(true).lines() {
            self.out.push_str(&format!("  {line}\n"));
        }
    }

    /// Writes a line of a section.
    pub fn line(&mut self, text: &str) {
        self.line_below("", text);
    }

    /// Writes a line of a section behind a label or blanks, which no text of the bundle is in.
    pub fn line_below(&mut self, label: &str, text: &str) {
        let text = clean::one_line(&self.view.text(text));
        self.out.push_str(&format!("  {label}{text}\n"));
    }

    pub fn text(self) -> String {
        self.out
    }
}
