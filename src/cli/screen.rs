//! Size of the terminal.

use std::env;

use terminal_size::{Height, Width, terminal_size};

use crate::report::text::Screen;

/// Size without a terminal: a program that reads the summary, or a log of a build server.
const COLUMNS: usize = 100;
const ROWS: usize = 40;
/// Smallest size used; smaller terminals scroll. Lines wider than `WIDEST` are hard to read.
const LEAST: (usize, usize) = (40, 24);
const WIDEST: usize = 140;

/// Returns the size of the terminal; the variables `COLUMNS` and `LINES` take precedence.
pub fn screen() -> Screen {
    screen_of(set("COLUMNS"), set("LINES"), terminal_size())
}

/// Returns the columns of the terminal; none without one, where a table is as wide as its values.
pub fn table_width() -> Option<usize> {
    let columns = set("COLUMNS").or_else(|| terminal_size().map(|(width, _)| usize::from(width.0)));
    columns.filter(|columns| *columns > 0).map(|columns| columns.max(LEAST.0))
}

/// Returns a number of the environment.
fn set(name: &str) -> Option<usize> {
    env::var(name).ok()?.trim().parse().ok()
}

fn screen_of(columns: Option<usize>, rows: Option<usize>, terminal: Option<(Width, Height)>) -> Screen {
    let known = |set: Option<usize>, found: Option<u16>| set.or(found.map(usize::from)).filter(|n| *n > 0);
    let columns = known(columns, terminal.map(|(width, _)| width.0)).unwrap_or(COLUMNS);
    let rows = known(rows, terminal.map(|(_, height)| height.0)).unwrap_or(ROWS);
    Screen { columns: columns.clamp(LEAST.0, WIDEST), rows: Some(rows.max(LEAST.1)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_takes_precedence_over_the_terminal() {
        let shown = |columns, rows, terminal| {
            let screen = screen_of(columns, rows, terminal);
            (screen.columns, screen.rows)
        };
        let terminal = Some((Width(90), Height(50)));
        assert_eq!(shown(None, None, None), (COLUMNS, Some(ROWS)));
        assert_eq!(shown(None, None, terminal), (90, Some(50)));
        assert_eq!(shown(Some(120), Some(0), terminal), (120, Some(ROWS)));
        assert_eq!(shown(Some(3), Some(5), terminal), (40, Some(24)));
        assert_eq!(shown(Some(9999), None, terminal), (140, Some(50)));
    }
}
