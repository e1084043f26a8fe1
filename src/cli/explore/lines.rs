//! Writes lines of texts, for people and as JSON.

use std::io::{self, Write};

use jiff::Timestamp;
use serde::Serialize;

use super::session::Session;
use crate::explore::lines::{TextLine, label};
use crate::model::clean;
use crate::pipeline::BundleText;

/// Stands for the time of a line that has none, as wide as a time.
const NO_TIME: &str = "-                       ";

/// Formats a time in UTC with milliseconds.
pub fn time(time: Option<Timestamp>) -> String {
    time.map_or_else(|| NO_TIME.to_owned(), |time| format!("{time:.3}"))
}

/// A line in JSON.
#[derive(Serialize)]
struct JsonLine<'l> {
    time: Option<Timestamp>,
    source: &'l str,
    entry: &'l str,
    line: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<&'static str>,
    text: &'l str,
    #[serde(skip_serializing_if = "Option::is_none")]
    r#match: Option<bool>,
}

/// Names of a text as they are shown.
#[derive(Clone, Debug, Default)]
pub struct Names {
    pub source: String,
    pub entry: String,
}

/// Returns the names of all texts, by index.
pub fn names(session: &Session, texts: &[BundleText]) -> Vec<Names> {
    if let Some(redaction) = &session.redaction {
        for text in texts {
            text.source.node().into_iter().for_each(|node| redaction.learn_node(node));
            redaction.learn(&text.source.entry);
        }
    }
    let of = |text: &BundleText| Names {
        source: session.shown(&label(&text.source)),
        entry: session.shown(&text.source.entry),
    };
    texts.iter().map(of).collect()
}

/// Writes a line as JSON; `with_match` if lines of context are marked.
///
/// # Errors
/// Fails as the writer does.
pub fn write_json(out: &mut dyn Write, line: &TextLine, names: &Names, with_match: bool) -> io::Result<()> {
    let json = JsonLine {
        time: line.time,
        source: &names.source,
        entry: &names.entry,
        line: line.number,
        level: line.level.map(crate::model::unexplained::Level::as_str),
        text: &line.shown,
        r#match: with_match.then_some(line.is_match),
    };
    serde_json::to_writer(&mut *out, &json)?;
    writeln!(out)
}

/// Writes the columns of a line, two blanks apart, with hidden characters shown.
///
/// # Errors
/// Fails as the writer does.
pub fn write_columns(out: &mut dyn Write, columns: &[&str]) -> io::Result<()> {
    for (at, column) in columns.iter().enumerate() {
        if at > 0 {
            out.write_all(b"  ")?;
        }
        out.write_all(clean::visible(column).as_bytes())?;
    }
    writeln!(out)
}
