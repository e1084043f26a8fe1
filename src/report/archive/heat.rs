//! Heat map of rules and versions: the share of the bundles of a version in which a rule fired.

use serde::Serialize;

use super::facts::{Counts, Overview, Product, Rule};
use super::row::{NAME_SHOWN, RuleLink, clipped, percent};
use crate::report::{view, words};

/// Maximum number of rules in a table; those that fired most.
const RULES: usize = 40;

/// Table for one product.
#[derive(Serialize)]
pub struct Heat {
    product: String,
    versions: Vec<Column>,
    rows: Vec<Line>,
    /// Number of other rules that fired, in fewer bundles.
    more: u64,
    /// Number of bundles of other versions.
    others: u64,
}

#[derive(Serialize)]
struct Column {
    name: String,
    bundles: String,
}

#[derive(Serialize)]
struct Line {
    rule: RuleLink,
    cells: Vec<Cell>,
}

/// Outcome of a rule in the bundles of a version.
#[derive(Serialize)]
pub struct Cell {
    /// From 0 (never) to 4 (in more than half of them); none if it was never evaluated.
    level: Option<u8>,
    share: String,
    /// `2/5`.
    counts: String,
}

impl Cell {
    /// Computes the cell from the counts of one version.
    pub fn of(counts: &Counts) -> Self {
        let (fired, all) = (counts.fired, counts.evaluated());
        let level = |fired: u64| match fired.saturating_mul(100) / all.max(1) {
            _ if fired == 0 => 0,
            0..=10 => 1,
            11..=25 => 2,
            26..=50 => 3,
            _ => 4,
        };
        Self {
            level: (all > 0).then(|| level(fired)),
            share: percent(fired, all).unwrap_or_else(|| "–".to_owned()),
            counts: if all > 0 { format!("{}/{}", words::number(fired), words::number(all)) } else { String::new() },
        }
    }
}

/// Builds the tables of all products with known versions.
pub fn tables(overview: &Overview) -> Vec<Heat> {
    let tables = overview.products.iter().enumerate().map(|(at, product)| table(overview, at, product));
    tables.filter(|table| !table.rows.is_empty()).collect()
}

fn table(overview: &Overview, at: usize, product: &Product) -> Heat {
    let cells = |rule: &Rule| rule.products.get(at).cloned().unwrap_or_default();
    let fired = |rule: &Rule| cells(rule).iter().map(|counts| counts.fired).sum::<u64>();
    let mut rules: Vec<(u64, &Rule)> =
        overview.rules.iter().map(|rule| (fired(rule), rule)).filter(|(fired, _)| *fired > 0).collect();
    rules.sort_by(|(a, one), (b, other)| b.cmp(a).then_with(|| one.id.cmp(&other.id)));
    let line = |(_, rule): &(u64, &Rule)| Line {
        rule: RuleLink::of(rule, ""),
        cells: cells(rule).iter().map(Cell::of).collect(),
    };
    let column = |version: &super::Version| Column {
        name: clipped(&version.name, NAME_SHOWN),
        bundles: words::number(version.bundles),
    };
    Heat {
        product: view::product_name(&product.name),
        versions: product.versions.iter().map(column).collect(),
        rows: rules.iter().take(RULES).map(line).collect(),
        more: rules.len().saturating_sub(RULES) as u64,
        others: product.others,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn never_evaluated_is_not_never_fired() {
        let of = |fired, clean| Cell::of(&Counts { fired, clean, not_evaluated: 7, not_applicable: 7 });
        let told = |cell: Cell| (cell.level, cell.share, cell.counts);
        assert_eq!(told(of(0, 0)), (None, "–".to_owned(), String::new()));
        assert_eq!(told(of(0, 4)), (Some(0), "0 %".to_owned(), "0/4".to_owned()));
        assert_eq!(told(of(1, 99)), (Some(1), "1 %".to_owned(), "1/100".to_owned()));
        assert_eq!(told(of(3, 2)), (Some(4), "60 %".to_owned(), "3/5".to_owned()));
    }
}
