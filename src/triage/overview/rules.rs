//! Results of each rule.

use std::collections::BTreeMap;

use rusqlite::Connection;

use super::snapshot::{AFTER_BUNDLE, BUNDLE, LISTED, Snapshot, bundle, by_severity, time, timed_text};
use crate::model::{FindingClass, TimedText};
use crate::report::archive::{Counts, Hit, Month, Product, RelatedRule, Rule, RuleDetail};
use crate::triage::store::StoreError;

/// Number of related rules and of reasons listed.
const NAMED: usize = 20;

impl Snapshot {
    /// Returns every rule, sorted by id.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub fn rules(&self) -> Result<Vec<Rule>, StoreError> {
        self.ask(|connection| {
            let mut rules = latest_rules(connection)?;
            for rule in rules.values_mut() {
                rule.months = vec![Counts::default(); self.months.len()];
                rule.products =
                    self.products.iter().map(|product| vec![Counts::default(); product.versions.len()]).collect();
            }
            by_month(connection, &self.months, &mut rules)?;
            by_version(connection, &self.products, &mut rules)?;
            findings(connection, &mut rules)?;
            Ok(rules.into_values().collect())
        })
    }

    /// Returns bundles, related rules and reasons of a rule.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub fn rule(&self, id: &str) -> Result<RuleDetail, StoreError> {
        self.ask(|connection| {
            let mut reasons = reasons(connection, id)?;
            let more_reasons = reasons.len().saturating_sub(NAMED) as u64;
            reasons.truncate(NAMED);
            Ok(RuleDetail { hits: hits(connection, id)?, related: related(connection, id)?, reasons, more_reasons })
        })
    }
}

/// Returns rules by id, as of their last run.
fn latest_rules(connection: &Connection) -> rusqlite::Result<BTreeMap<String, Rule>> {
    let mut statement = connection.prepare(
        "SELECT r.id, r.severity, r.area, r.title
         FROM (SELECT rule_set, max(run) AS run FROM analyses GROUP BY rule_set) a
         JOIN rule_sets s ON s.id = a.rule_set JOIN rules r ON r.id = s.rule AND r.hash = s.hash
         ORDER BY r.id, a.run, r.hash",
    )?;
    let rules = statement.query_map([], |row| {
        Ok(Rule { id: row.get(0)?, severity: row.get(1)?, area: row.get(2)?, title: row.get(3)?, ..Rule::default() })
    })?;
    // The last row of an id wins.
    rules.map(|rule| rule.map(|rule| (rule.id.clone(), rule))).collect()
}

fn by_month(connection: &Connection, months: &[Month], rules: &mut BTreeMap<String, Rule>) -> rusqlite::Result<()> {
    let mut statement = connection.prepare(
        "SELECT o.rule, o.outcome, c.month, count(*), min(c.collected_at), max(c.collected_at)
         FROM picked c JOIN outcomes o ON o.analysis = c.analysis GROUP BY o.rule, o.outcome, c.month",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (id, outcome, month): (String, String, Option<String>) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let bundles = row.get(3)?;
        let rule = rules.entry(id).or_insert_with_key(|id| Rule { id: id.clone(), ..Rule::default() });
        rule.counts.add(&outcome, bundles);
        if outcome == "fired" {
            let (first, last) = (time(row, 4)?, time(row, 5)?);
            rule.first = [rule.first, first].into_iter().flatten().min();
            rule.last = [rule.last, last].into_iter().flatten().max();
        }
        let at = months.iter().position(|known| Some(&known.name) == month.as_ref());
        if let Some(counts) = at.and_then(|at| rule.months.get_mut(at)) {
            counts.add(&outcome, bundles);
        }
    }
    Ok(())
}

fn by_version(
    connection: &Connection,
    products: &[Product],
    rules: &mut BTreeMap<String, Rule>,
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare(
        "SELECT o.rule, o.outcome, count(*)
         FROM versions v JOIN picked c ON c.analysis = v.analysis JOIN outcomes o ON o.analysis = c.analysis
         WHERE v.product = ? AND v.version = ? GROUP BY o.rule, o.outcome",
    )?;
    for (at, product) in products.iter().enumerate() {
        for (place, version) in product.versions.iter().enumerate() {
            let mut rows = statement.query([&product.name, &version.name])?;
            while let Some(row) = rows.next()? {
                let (id, outcome): (String, String) = (row.get(0)?, row.get(1)?);
                let cell = |rule: &mut Rule| {
                    rule.products
                        .get_mut(at)
                        .and_then(|cells| cells.get_mut(place))
                        .map(|c| row.get(2).map(|bundles| c.add(&outcome, bundles)))
                };
                rules.get_mut(&id).and_then(cell).transpose()?;
            }
        }
    }
    Ok(())
}

fn findings(connection: &Connection, rules: &mut BTreeMap<String, Rule>) -> rusqlite::Result<()> {
    let mut statement = connection.prepare(
        "SELECT f.rule, count(*), count(DISTINCT CASE WHEN f.explained_by IS NULL THEN f.analysis END), max(f.class)
         FROM picked c JOIN findings f ON f.analysis = c.analysis GROUP BY f.rule",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let id: String = row.get(0)?;
        if let Some(rule) = rules.get_mut(&id) {
            rule.findings = row.get(1)?;
            rule.causes = row.get(2)?;
            rule.is_fault = row.get::<_, String>(3)? == FindingClass::Fault.as_str();
        }
    }
    Ok(())
}

/// Returns the bundles in which a rule fired, latest first.
fn hits(connection: &Connection, id: &str) -> rusqlite::Result<Vec<Hit>> {
    let mut bundles = connection.prepare_cached(&format!(
        "SELECT {BUNDLE}, c.analysis FROM fired JOIN picked c ON c.analysis = fired.analysis WHERE fired.rule = ?
         ORDER BY c.collected_at DESC, c.input, c.path, c.place LIMIT {LISTED}"
    ))?;
    let mut worst = connection.prepare_cached(&format!(
        "SELECT severity, title, count(*) OVER () FROM findings WHERE analysis = ? AND rule = ?
         ORDER BY {}, title LIMIT 1",
        by_severity("severity")
    ))?;
    let mut hits = Vec::new();
    let rows = bundles.query_map([id], |row| Ok((bundle(row)?, row.get::<_, i64>(AFTER_BUNDLE)?)))?;
    for row in rows {
        let (bundle, analysis) = row?;
        let hit = worst.query_row((analysis, id), |row| {
            Ok(Hit { bundle, severity: row.get(0)?, title: timed_text(row, 1)?, findings: row.get(2)? })
        })?;
        hits.push(hit);
    }
    Ok(hits)
}

fn related(connection: &Connection, id: &str) -> rusqlite::Result<Vec<RelatedRule>> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT o.rule, count(*), (SELECT count(*) FROM fired f WHERE f.rule = o.rule)
         FROM fired m JOIN fired o ON o.analysis = m.analysis AND o.rule <> m.rule
         WHERE m.rule = ? GROUP BY o.rule ORDER BY 2 DESC, o.rule LIMIT {NAMED}"
    ))?;
    let rows = statement
        .query_map([id], |row| Ok(RelatedRule { rule: row.get(0)?, together: row.get(1)?, fired: row.get(2)? }))?;
    rows.collect()
}

/// Returns the reasons for not evaluated, most frequent first.
fn reasons(connection: &Connection, id: &str) -> rusqlite::Result<Vec<(TimedText, u64)>> {
    let mut statement = connection.prepare_cached(
        "SELECT coalesce(r.text, ''), sum(u.bundles) FROM unanswered u LEFT JOIN reasons r ON r.id = u.reason
         WHERE u.rule = ? GROUP BY 1 ORDER BY 2 DESC, 1",
    )?;
    let rows = statement.query_map([id], |row| Ok((timed_text(row, 0)?, row.get(1)?)))?;
    rows.collect()
}
