//! When the support of releases ends, `rules/end-of-life.yaml`.

use std::sync::OnceLock;

use jiff::civil::Date;

use crate::model::EndOfLife;
use crate::rule::load;
use crate::yaml::{self, Node};

/// The whole table: product, minor release such as `1.4`, last day.
#[derive(Debug, Default)]
struct Table {
    as_of: Option<Date>,
    rows: Vec<(String, String, Date)>,
}

/// Returns the end of life of a product's version, with or without `v`; none if it is not known.
pub fn of(product: &str, version: &str) -> Option<EndOfLife> {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| Table::read(load::end_of_life())).of(product, version)
}

impl Table {
    /// Reads the table; entries with a fault are left out, which the test of this file finds.
    fn read(source: &str) -> Self {
        let (document, _) = yaml::parse(source.as_bytes().to_vec());
        let Some(root) = document.roots().next() else { return Self::default() };
        let date = |node: Node<'_>| node.text().parse().ok();
        let products = root.get("products").into_iter().flat_map(Node::entries);
        let rows = products.flat_map(|(product, releases)| {
            let row = move |(release, day): (std::borrow::Cow<'_, str>, Node<'_>)| {
                Some((product.to_string(), release.into_owned(), date(day)?))
            };
            releases.entries().filter_map(row).collect::<Vec<_>>()
        });
        Self { rows: rows.collect(), as_of: root.get("as_of").and_then(date) }
    }

    fn of(&self, product: &str, version: &str) -> Option<EndOfLife> {
        let mut parts = version.trim_start_matches('v').splitn(3, '.');
        let minor = format!("{}.{}", parts.next()?, parts.next()?);
        let (.., date) = self.rows.iter().find(|(of, release, _)| of == product && *release == minor)?;
        Some(EndOfLife { date: *date, as_of: self.as_of? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_have_the_end_of_their_minor_release() {
        let date = |product, version| of(product, version).map(|end| end.date.to_string());
        assert_eq!(date("longhorn", "v1.3.2").as_deref(), Some("2023-08-11"));
        assert_eq!(date("kubernetes", "v1.30.2+rke2r1").as_deref(), Some("2025-07-15"));
        assert_eq!(date("longhorn", "v1.30.2"), None);
        assert_eq!(date("rancher", "head"), None);
    }

    #[test]
    fn the_table_has_no_fault() {
        let source = load::end_of_life();
        let table = Table::read(source);
        let written = source.lines().filter(|line| line.starts_with("    '")).count();
        assert_eq!((table.rows.len(), table.as_of.is_some()), (written, true));
    }
}
