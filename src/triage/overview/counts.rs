//! Numbers of the overview page.

use rusqlite::Connection;

use super::snapshot::{AFTER_BUNDLE, BUNDLE, LISTED, Snapshot, bundle, by_severity, time};
use super::{customers, quarter, reasons, templates};
use crate::model::TimedText;
use crate::report::archive::{ClusterLine, Counts, Failure, Overview, Quiet};
use crate::triage::store::StoreError;

impl Snapshot {
    /// Returns the overview of the archive, with the given clusters.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub fn overview(&self, clusters: Vec<ClusterLine>) -> Result<Overview, StoreError> {
        let rules = self.rules()?;
        let newest = self.months.last().map(|month| month.name.as_str()).unwrap_or_default();
        self.ask(|connection| {
            let at = |question: &str| connection.query_row(question, [], |row| time(row, 0));
            let one = |question: &str| connection.query_row(question, [], |row| row.get::<_, u64>(0));
            Ok(Overview {
                files: one("SELECT count(*) FROM (SELECT DISTINCT input, path FROM bundles)")?,
                analysed: one("SELECT count(*) FROM bundles WHERE status = 'analysed'")?,
                bundles: one("SELECT count(*) FROM picked")?,
                quiet: one("SELECT count(*) FROM picked WHERE analysis NOT IN (SELECT analysis FROM fired)")?,
                unanswered: one(
                    "SELECT count(*) FROM picked c WHERE analysis NOT IN (SELECT analysis FROM fired)
                     AND (unread IS NOT NULL OR NOT EXISTS
                         (SELECT 1 FROM outcomes o WHERE o.analysis = c.analysis AND o.outcome = 'clean'))",
                )?,
                gone: one("SELECT count(*) FROM bundles WHERE status = 'analysed' AND gone")?,
                statuses: named(
                    connection,
                    "SELECT status, count(*) FROM bundles WHERE status <> 'analysed' GROUP BY status ORDER BY 2 DESC, 1",
                )?,
                severities: named(
                    connection,
                    &format!(
                        "SELECT f.severity, count(*) FROM picked c JOIN findings f ON f.analysis = c.analysis
                         GROUP BY f.severity ORDER BY {}",
                        by_severity("f.severity")
                    ),
                )?,
                kinds: named(connection, "SELECT kind, count(*) FROM picked GROUP BY kind ORDER BY 2 DESC, 1")?,
                first: at("SELECT min(collected_at) FROM picked")?,
                last: at("SELECT max(collected_at) FROM picked")?,
                months: self.months.clone(),
                earlier: one("SELECT count(*) FROM picked WHERE month = ''")?,
                undated: one("SELECT count(*) FROM picked WHERE month IS NULL")?,
                products: self.products.clone(),
                rules,
                clusters,
                unexplained: unexplained(connection)?,
                failures: failures(connection)?,
                templates: templates::unknown(connection)?,
                all_templates: templates::count(connection)?,
                new_templates: templates::new_in(connection, newest)?,
                common: templates::common(connection)?,
                quarter: quarter::latest(connection, &self.months)?,
                customers: customers::lines(connection)?,
                reasons: reasons::of_all_rules(connection)?,
                surveyed: templates::surveyed(connection)?,
            })
        })
    }
}

fn named(connection: &Connection, question: &str) -> rusqlite::Result<Vec<(String, u64)>> {
    let mut statement = connection.prepare(question)?;
    let pairs =
        statement.query_map([], |row| Ok((row.get::<_, Option<String>>(0)?.unwrap_or_default(), row.get(1)?)))?;
    pairs.collect()
}

/// Returns bundles without findings; those that were read completely first.
fn unexplained(connection: &Connection) -> rusqlite::Result<Vec<Quiet>> {
    let mut statement = connection.prepare(&format!(
        "SELECT {BUNDLE}, c.unread, sum(o.outcome = 'clean'), sum(o.outcome = 'not_evaluated'),
                sum(o.outcome = 'not_applicable'), (SELECT count(*) FROM issues i WHERE i.analysis = c.analysis),
                (SELECT t.text FROM bundle_templates b JOIN templates t ON t.id = b.template
                 WHERE b.analysis = c.analysis AND NOT EXISTS (SELECT 1 FROM template_rules r WHERE r.template = t.id)
                 ORDER BY instr('fatal error warning', t.level), b.lines DESC, t.text LIMIT 1)
         FROM picked c LEFT JOIN outcomes o ON o.analysis = c.analysis
         WHERE c.analysis NOT IN (SELECT analysis FROM fired)
         GROUP BY c.analysis ORDER BY c.unread IS NOT NULL, coalesce(sum(o.outcome = 'clean'), 0) = 0, c.collected_at DESC, c.input, c.path, c.place LIMIT {LISTED}"
    ))?;
    let count = |number: Option<u64>| number.unwrap_or(0);
    let rows = statement.query_map([], |row| {
        Ok(Quiet {
            bundle: bundle(row)?,
            unread: row.get::<_, Option<String>>(AFTER_BUNDLE)?.map(|text| TimedText::parse(&text)),
            counts: Counts {
                fired: 0,
                clean: count(row.get(AFTER_BUNDLE + 1)?),
                not_evaluated: count(row.get(AFTER_BUNDLE + 2)?),
                not_applicable: count(row.get(AFTER_BUNDLE + 3)?),
            },
            issues: row.get(AFTER_BUNDLE + 4)?,
            template: row.get(AFTER_BUNDLE + 5)?,
        })
    })?;
    rows.collect()
}

fn failures(connection: &Connection) -> rusqlite::Result<Vec<Failure>> {
    let mut statement = connection.prepare(&format!(
        "SELECT input, path, place, kind, NULL, NULL, cluster_uid, cluster_name, collected_at, NULL, NULL, NULL, status, error FROM bundles
         WHERE status <> 'analysed' ORDER BY status = 'no_bundle', input, path, place LIMIT {LISTED}"
    ))?;
    let rows = statement.query_map([], |row| {
        let error = row.get::<_, Option<String>>(AFTER_BUNDLE + 1)?.unwrap_or_default();
        Ok(Failure { bundle: bundle(row)?, status: row.get(AFTER_BUNDLE)?, error })
    })?;
    rows.collect()
}
