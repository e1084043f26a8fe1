//! Differences as a self-contained page without scripts.

use std::io::Write;

use minijinja::context;
use minijinja::value::{Serde, Value};
use serde::Serialize;

use super::{Section, T, bundle, sections, verdict};
use crate::model::BundleFacts;
use crate::model::difference::Difference;
use crate::report::{RenderError, template};

/// Maximum number of rows per section.
const ROWS: usize = 500;

const TEMPLATES: [template::Source; 2] = [
    ("archive/page.html", include_str!("../../../templates/archive/page.html")),
    ("archive/difference.html", include_str!("../../../templates/archive/difference.html")),
];
const STYLE: &str =
    concat!(include_str!("../../../templates/report.css"), include_str!("../../../templates/archive/archive.css"));

#[derive(Serialize)]
struct Page<'a> {
    old: Bundle<'a>,
    new: Bundle<'a>,
    verdict: String,
    doubts: Vec<String>,
    sections: Vec<Section>,
}

#[derive(Serialize)]
struct Bundle<'a> {
    path: &'a str,
    /// Kind, version and time of collection.
    what: String,
}

impl<'a> Bundle<'a> {
    fn of(facts: &'a BundleFacts) -> Self {
        Self { path: &facts.path, what: bundle(facts) }
    }
}

/// Writes the page.
///
/// # Errors
/// Errors of the writer, or a fault in the template.
pub fn write(difference: &Difference, out: &mut dyn Write) -> Result<(), RenderError> {
    let page = Page {
        old: Bundle::of(&difference.old),
        new: Bundle::of(&difference.new),
        verdict: verdict(difference),
        doubts: difference.doubts.iter().map(ToString::to_string).collect(),
        sections: sections(difference, ROWS),
    };
    let page = context! {
        page => Value::from(Serde(page)),
        version => env!("CARGO_PKG_VERSION"),
        policy => template::policy(STYLE, None),
        style => Value::from_safe_string(STYLE.to_owned()),
    };
    template::render(&template::environment(T, &TEMPLATES)?, "archive/difference.html", page, out)
}
