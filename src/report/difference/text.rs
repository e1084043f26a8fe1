//! Differences on a terminal.

use anstyle::Style;

use crate::model::difference::Difference;
use crate::report::text::{Lines, Screen};

/// Maximum number of rows per section.
const ROWS: usize = 30;

const QUIET: Style = Style::new().dimmed();
const STRONG: Style = Style::new().bold();

/// Returns all sections, coloured by ANSI sequences (`anstream` strips them if unsupported).
pub fn page(difference: &Difference, screen: Screen) -> String {
    let mut page = Lines::new(screen.columns);
    for (label, facts) in [("older", &difference.old), ("newer", &difference.new)] {
        page.labelled(label, &format!("{}: {}", facts.path, super::bundle(facts)), STRONG);
    }
    for doubt in &difference.doubts {
        page.labelled("doubt", &doubt.to_string(), STRONG);
    }
    page.blank();
    page.line(0, &super::verdict(difference), STRONG);
    for section in super::sections(difference, ROWS) {
        page.blank();
        page.line(0, &section.title, STRONG);
        for row in &section.rows {
            page.line(2, &format!("{} {}", row.mark, row.text), Style::new());
            if let Some(place) = &row.place {
                page.line(4, place, QUIET);
            }
        }
        if section.left_out > 0 {
            page.line(2, &format!("and {} more; -o FILE.json has all of them", section.left_out), QUIET);
        }
    }
    page.out
}
