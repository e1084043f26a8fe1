//! Differences as Markdown, for a ticket.

use std::fmt::Write as _;

use crate::model::difference::Difference;
use crate::report::markdown::escape::{code, text};

/// Maximum number of rows per section, and maximum length of a row and a location in characters.
const ROWS: usize = 50;
const ROW: usize = 500;
const PLACE: usize = 300;

/// Returns the page.
pub fn page(difference: &Difference) -> String {
    let mut page = String::new();
    for (label, facts) in [("Older", &difference.old), ("Newer", &difference.new)] {
        line(&mut page, format_args!("- {label}: {}, {}", code(&facts.path, PLACE), text(&super::bundle(facts), ROW)));
    }
    for doubt in &difference.doubts {
        line(&mut page, format_args!("\n**{}**", text(&doubt.to_string(), ROW)));
    }
    line(&mut page, format_args!("\n**{}**", text(&super::verdict(difference), ROW)));
    for section in super::sections(difference, ROWS) {
        line(&mut page, format_args!("\n### {}\n", text(&section.title, ROW)));
        for row in &section.rows {
            let place = row.place.as_ref().map(|place| format!(" {}", code(place, PLACE))).unwrap_or_default();
            line(&mut page, format_args!("- {} {}{place}", code(row.mark, 1), text(&row.text, ROW)));
        }
        if section.left_out > 0 {
            line(&mut page, format_args!("- and {} more", section.left_out));
        }
    }
    page
}

fn line(page: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    let _ = writeln!(page, "{text}");
}
