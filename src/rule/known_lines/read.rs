//! Takes known lines from files without faults.

use crate::known_lines::{ShippedLine, Template};
use crate::model::known_line::KnownLine;
use crate::model::version::Range;
use crate::rule::error::Source;
use crate::rule::load;
use crate::yaml::{self, Node};

/// Key of the list of a file.
pub const LIST: &str = "known_lines";

/// One entry of a file.
pub struct Entry {
    /// Place of the line in the file.
    pub offset: usize,
    pub template: Template,
    pub known: KnownLine,
}

/// Returns the entries of a file; those with a fault are left out.
pub fn entries(source: &Source) -> Vec<Entry> {
    let (document, _) = yaml::parse(source.text.clone().into_bytes());
    let lists = document.roots().filter_map(|root| root.get(LIST));
    lists.flat_map(Node::items).filter_map(entry).collect()
}

/// Returns a line of the program.
pub fn shipped(line: &ShippedLine) -> Option<KnownLine> {
    let text = format!("{LIST}:\n{}", load::shipped_entry(line)?);
    let source = Source { file: String::new(), text };
    entries(&source).pop().map(|entry| entry.known)
}

fn entry(node: Node<'_>) -> Option<Entry> {
    let line = node.get("line")?;
    let text = |key: &str| node.get(key).map(|value| value.text().to_owned());
    let flag = |key: &str| node.get(key).and_then(Node::as_bool) == Some(true);
    Some(Entry {
        offset: line.offset(),
        template: Template::of(line.text()),
        known: KnownLine {
            component: text("component")?,
            product: text("product")?,
            versions: text("versions").and_then(|range| Range::parse(&range).ok()),
            benign: flag("benign"),
            general: flag("general"),
            means: text("means")?,
            look: text("look"),
            fixed_in: text("fixed_in").as_deref().and_then(fix),
            link: text("link")?,
        },
    })
}

/// Returns product and versions of `longhorn 1.6.3, 1.7.1`.
pub fn fix(text: &str) -> Option<(String, String)> {
    let (product, versions) = text.trim().split_once(' ')?;
    let is_version = versions.trim_start_matches('v').starts_with(|c: char| c.is_ascii_digit());
    is_version.then(|| (product.to_owned(), versions.to_owned()))
}
