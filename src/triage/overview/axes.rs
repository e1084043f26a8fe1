//! Months and versions that pages compare.

use rusqlite::Connection;

use crate::model::version;
use crate::report::archive::{Month, Product, Version};

/// Months shown: the last ones that have bundles.
const MONTHS: i64 = 36;
/// Products whose versions are shown.
const PRODUCTS: [&str; 4] = ["harvester", "kubernetes", "longhorn", "rancher"];
/// Versions shown per product: those with most bundles.
const VERSIONS: usize = 12;

/// Returns the last months that have bundles; marks older bundles with an empty month.
pub(super) fn months(connection: &Connection) -> rusqlite::Result<Vec<Month>> {
    connection.execute(
        "UPDATE picked SET month = '' WHERE month NOT IN
            (SELECT DISTINCT month FROM picked WHERE month IS NOT NULL ORDER BY month DESC LIMIT ?)",
        [MONTHS],
    )?;
    let mut statement =
        connection.prepare(
            "SELECT c.month, count(*), count(CASE WHEN w.class = 'fault' AND w.severity IN ('critical', 'high') THEN 1 END)
             FROM picked c LEFT JOIN worst w ON w.analysis = c.analysis WHERE c.month <> '' GROUP BY c.month ORDER BY c.month",
        )?;
    let month =
        statement.query_map([], |row| Ok(Month { name: row.get(0)?, bundles: row.get(1)?, grave: row.get(2)? }))?;
    month.collect()
}

/// Returns products with the versions that have most bundles, ascending.
pub(super) fn products(connection: &Connection) -> rusqlite::Result<Vec<Product>> {
    let mut statement = connection.prepare(
        "SELECT v.version, count(*) FROM picked c JOIN versions v ON v.analysis = c.analysis
         WHERE v.product = ? GROUP BY v.version ORDER BY 2 DESC, v.version",
    )?;
    let mut products = Vec::new();
    for name in PRODUCTS {
        let mut product = Product { name: name.to_owned(), ..Product::default() };
        let versions = statement.query_map([name], |row| Ok(Version { name: row.get(0)?, bundles: row.get(1)? }))?;
        for version in versions {
            let version = version?;
            if product.versions.len() < VERSIONS {
                product.versions.push(version);
            } else {
                product.others += version.bundles;
            }
        }
        // Versions that cannot be compared come last, by text.
        product.versions.sort_by_cached_key(|version| {
            let comparable = version::Version::parse(&version.name);
            (comparable.is_none(), comparable, version.name.clone())
        });
        products.push(product);
    }
    products.retain(|product| !product.versions.is_empty());
    products.sort_by_key(|product| std::cmp::Reverse(product.bundles()));
    Ok(products)
}
