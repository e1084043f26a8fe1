//! Writes an [`Analysis`] in formats for people and programs.
//!
//! [`rank`] orders the findings and folds symptoms under their causes, [`view`] puts everything a page shows into
//! words, and one module per [`Format`] does the layout only. A new format is a new variant with a module of its own.

use std::io::{self, Write};
use std::path::Path;

use anstream::adapter::strip_str;

use crate::model::difference::Difference;
use crate::model::{Analysis, Severity};

pub mod archive;
mod audience;
pub mod difference;
#[cfg(feature = "serve")]
pub mod entry;
pub mod explanation;
mod html;
mod jira;
pub mod json;
mod junit;
mod lexicon;
pub mod markdown;
pub mod rank;
mod render_error;
mod sarif;
mod shortened;
#[cfg(test)]
mod specimen;
mod template;
pub mod text;
mod view;
pub mod words;
pub mod wrap;

pub use audience::Audience;
pub use render_error::RenderError;

/// Format of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// Self-contained page for a browser.
    Html,
    /// `gleaner.analysis/v1`.
    Json,
    /// Comment for a ticket.
    Markdown,
    /// Comment for a ticket in Jira.
    Jira,
    /// SARIF 2.1.0, for code scanners.
    Sarif,
    /// Test results, for build servers.
    Junit,
    /// Terminal summary, without colours.
    Text,
}

impl Format {
    /// All formats, the default first.
    pub const ALL: [Self; 7] =
        [Self::Html, Self::Json, Self::Markdown, Self::Jira, Self::Sarif, Self::Junit, Self::Text];

    /// Returns the name on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Html => "html",
            Self::Json => "json",
            Self::Markdown => "markdown",
            Self::Jira => "jira",
            Self::Sarif => "sarif",
            Self::Junit => "junit",
            Self::Text => "text",
        }
    }

    /// Returns the file name extension, without dot.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Html => "html",
            Self::Json => "json",
            Self::Markdown => "md",
            Self::Jira => "jira",
            Self::Sarif => "sarif",
            Self::Junit => "xml",
            Self::Text => "txt",
        }
    }

    /// Returns the format with that name or file name extension.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|f| [f.as_str(), f.extension()].contains(&name))
    }

    /// Returns the format for the extension of a file name, in upper or lower case.
    pub fn from_path(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        Self::ALL.into_iter().find(|f| f.extension() == extension)
    }
}

impl Audience {
    /// Returns the formats that a report for this audience can have, the default first.
    pub fn formats(self) -> &'static [Format] {
        match self {
            Self::Support => &Format::ALL,
            Self::Customer => &[Format::Markdown, Format::Jira],
        }
    }
}

/// Writes the analysis in one format, one of those of the audience; findings at or above `fail_on` are failures in formats that have failures. The
/// same analysis always gives the same bytes.
///
/// # Errors
/// Errors of the writer, or a fault in a template.
pub fn render(
    analysis: &Analysis,
    format: Format,
    audience: Audience,
    fail_on: Option<Severity>,
    out: &mut dyn Write,
) -> Result<(), RenderError> {
    match format {
        Format::Html => html::write(analysis, None, out),
        Format::Json => Ok(json::v1::write(analysis, out)?),
        Format::Markdown => Ok(markdown::write(analysis, audience, out)?),
        Format::Jira => Ok(jira::write(analysis, audience, out)?),
        Format::Sarif => Ok(sarif::write(analysis, fail_on, out)?),
        Format::Junit => Ok(junit::write(analysis, fail_on, out)?),
        Format::Text => Ok(write!(out, "{}", strip_str(&text::summary(analysis, &[], text::Screen::default())))?),
    }
}

/// Writes the page whose evidence leads to the pages of entries below the address `entries`.
///
/// # Errors
/// Errors of the writer, or a fault in a template.
#[cfg(feature = "serve")]
pub fn render_with_entries(analysis: &Analysis, entries: &str, out: &mut dyn Write) -> Result<(), RenderError> {
    html::write(analysis, Some(entries), out)
}

/// Writes the differences between two bundles as a page, text, Markdown or JSON.
///
/// # Errors
/// Errors of the writer; [`io::ErrorKind::Unsupported`] for another format.
pub fn render_difference(difference: &Difference, format: Format, out: &mut dyn Write) -> Result<(), RenderError> {
    match format {
        Format::Html => return difference::html::write(difference, out),
        Format::Json => json::difference_v1::write(difference, out)?,
        Format::Markdown => out.write_all(difference::markdown::page(difference).as_bytes())?,
        Format::Text => write!(out, "{}", strip_str(&difference::text::page(difference, text::Screen::default())))?,
        Format::Jira | Format::Sarif | Format::Junit => return Err(io::Error::from(io::ErrorKind::Unsupported).into()),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_tell_the_format() {
        assert_eq!(Format::from_path(Path::new("a/report.HTML")), Some(Format::Html));
        assert_eq!(Format::from_path(Path::new("a.html/report.json")), Some(Format::Json));
        assert_eq!(Format::from_path(Path::new("report.md")), Some(Format::Markdown));
        assert_eq!(Format::from_path(Path::new("report.pdf")), None);
        assert_eq!(Format::from_path(Path::new("html")), None);
    }

    #[test]
    fn names_and_formats_match() {
        for format in Format::ALL {
            assert_eq!(Format::parse(format.as_str()), Some(format));
        }
    }

    #[test]
    fn equal_input_gives_equal_bytes() {
        for format in Format::ALL {
            let (mut first, mut second) = (Vec::new(), Vec::new());
            render(&specimen::hostile(), format, Audience::Support, None, &mut first).unwrap();
            render(&specimen::hostile(), format, Audience::Support, None, &mut second).unwrap();
            assert_eq!(first, second, "{format:?}");
        }
    }

    #[test]
    fn a_writer_that_fails_is_reported_as_such() {
        struct Full;
        impl Write for Full {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::StorageFull.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        for format in Format::ALL {
            let error = render(&specimen::small(), format, Audience::Support, None, &mut Full);
            assert!(
                matches!(error, Err(RenderError::Write(e)) if e.kind() == io::ErrorKind::StorageFull),
                "{format:?}"
            );
        }
    }
}
