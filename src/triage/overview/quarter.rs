//! Problems of the latest quarter by version.

use std::collections::BTreeMap;

use rusqlite::Connection;
use serde_json::json;

use crate::report::archive::{Month, Problem, Quarter};

/// Returns the quarter of the newest bundle with its problems; none without a bundle of known time.
pub(super) fn latest(connection: &Connection, months: &[Month]) -> rusqlite::Result<Option<Quarter>> {
    let Some(name) = months.last().and_then(|month| quarter(&month.name)) else { return Ok(None) };
    let months: Vec<&Month> = months.iter().filter(|month| quarter(&month.name).as_deref() == Some(&name)).collect();
    let names = json!(months.iter().map(|month| &month.name).collect::<Vec<_>>()).to_string();
    let problems = problems(connection, &names)?;
    Ok(Some(Quarter { name, bundles: months.iter().map(|month| month.bundles).sum(), problems }))
}

/// `2025-Q4`, for `2025-11`.
fn quarter(month: &str) -> Option<String> {
    let (year, month) = month.split_once('-')?;
    let month: u8 = month.parse().ok().filter(|month| (1..=12).contains(month))?;
    Some(format!("{year}-Q{}", month.div_ceil(3)))
}

/// Returns rules that fired as causes in bundles of these months, sorted by rule.
fn problems(connection: &Connection, months: &str) -> rusqlite::Result<Vec<Problem>> {
    let mut statement = connection.prepare(
        "SELECT f.rule, c.product, c.version, count(DISTINCT f.analysis)
         FROM picked c JOIN findings f ON f.analysis = c.analysis
         WHERE c.month IN (SELECT value FROM json_each(?)) AND f.explained_by IS NULL AND f.class = 'fault'
         GROUP BY f.rule, c.product, c.version ORDER BY f.rule",
    )?;
    let mut rows = statement.query([months])?;
    let mut problems: BTreeMap<String, BTreeMap<(String, String), u64>> = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let (product, version): (Option<String>, Option<String>) = (row.get(1)?, row.get(2)?);
        let version = (product.unwrap_or_default(), version.as_deref().map(minor).unwrap_or_default());
        *problems.entry(row.get(0)?).or_default().entry(version).or_default() += row.get::<_, u64>(3)?;
    }
    let problem = |(rule, versions): (String, BTreeMap<(String, String), u64>)| Problem {
        rule,
        bundles: versions.values().sum(),
        versions: versions.into_iter().map(|((product, minor), bundles)| (product, minor, bundles)).collect(),
    };
    Ok(problems.into_iter().map(problem).collect())
}

/// `1.4`, for `v1.4.2-rc1`; a version that is written otherwise stays whole.
fn minor(version: &str) -> String {
    let mut numbers = version.trim_start_matches('v').splitn(3, '.');
    let is_number = |text: &&str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match (numbers.next().filter(is_number), numbers.next().filter(is_number)) {
        (Some(major), Some(minor)) => format!("{major}.{minor}"),
        _ => version.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_are_of_a_quarter_and_versions_of_a_minor_one() {
        assert_eq!(
            ["2025-01", "2025-06", "2025-12", "x"].map(quarter).map(Option::unwrap_or_default),
            ["2025-Q1", "2025-Q2", "2025-Q4", ""]
        );
        assert_eq!(
            ["v1.4.2-rc1", "1.30.1+rke2r1", "v1.5", "master-head", "1"].map(minor),
            ["1.4", "1.30", "1.5", "master-head", "1"]
        );
    }
}
