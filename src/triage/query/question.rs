//! Built-in questions.

use std::time::Duration;

use rusqlite::types::{ToSql, Value};
use rusqlite::{ErrorCode, Statement};

use serde_json::json;

use super::sink::Sink;
use crate::rule::known_lines::KnownLineFiles;
use crate::triage::store::{Store, StoreError};

/// Built-in question: filters, and what to show of matching bundles.
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// Rule whose findings are shown.
    pub rule: Option<String>,
    /// Product, or any, and the beginning of its version.
    pub version: Option<(Option<String>, String)>,
    /// Earliest time of collection; RFC 3339 or its beginning.
    pub since: Option<String>,
    /// Time before which bundles were collected, in the same form.
    pub until: Option<String>,
    /// Product after which a bundle's kind or ticket is named: its main one.
    pub product: Option<String>,
    /// Customer of the ticket.
    pub customer: Option<String>,
    /// Id of the ticket.
    pub ticket: Option<String>,
    /// UID or name of the cluster.
    pub cluster: Option<String>,
    /// Number of rules or templates shown, those of most bundles or clusters first.
    pub top: Option<u32>,
    /// Templates of logs are shown, not bundles.
    pub templates: Option<TemplateFilter>,
    /// These known lines are counted, but for harmless ones.
    pub known: Option<KnownLineFiles>,
}

/// Templates to show.
#[derive(Clone, Debug, Default)]
pub struct TemplateFilter {
    /// No bundle in the store that was collected before this time has them; as in [`Question::since`].
    pub new_since: Option<String>,
    /// Number of clusters that have them, at least.
    pub clusters: Option<u32>,
    /// No rule that fired matched a line of them, in any bundle.
    pub no_rule: bool,
}

/// Reason why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum QueryError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("invalid SQL: {error}{names}")]
    Sql {
        error: rusqlite::Error,
        /// Columns of the tables that the SQL names, or the tables of the store; begins with a line break.
        names: String,
    },
    #[error("the SQL must be a SELECT; it cannot write, attach files or change settings")]
    Writes,
    #[error("the SQL has more than one statement; give one SELECT")]
    Several,
    #[error("the SQL is empty")]
    Empty,
    #[error("stopped after {0:?}: simplify the query, or raise --max-time")]
    Time(Duration),
    #[error("cannot write the answer: {0}")]
    Write(#[from] std::io::Error),
    #[error("the store cannot be read: {0}")]
    Read(rusqlite::Error),
}

/// Number of rules shown by default.
const TOP: u32 = 20;

/// Bundles that match the filters.
const CHOSEN: &str = "
WITH chosen AS MATERIALIZED (
    SELECT c.* FROM contents c
    WHERE (:since IS NULL OR c.collected_at >= :since) AND (:until IS NULL OR c.collected_at < :until)
      AND (:main IS NULL OR c.product = :main COLLATE NOCASE OR EXISTS (
          SELECT 1 FROM bundles b JOIN tickets t ON (t.input, t.path) = (b.input, b.path)
          WHERE b.analysis = c.analysis AND t.product = :main COLLATE NOCASE))
      AND (coalesce(:customer, :ticket) IS NULL OR EXISTS (
          SELECT 1 FROM bundles b JOIN tickets t ON (t.input, t.path) = (b.input, b.path)
          WHERE b.analysis = c.analysis AND (:customer IS NULL OR t.customer = :customer COLLATE NOCASE)
            AND (:ticket IS NULL OR t.ticket = :ticket COLLATE NOCASE)))
      AND (:cluster IS NULL OR c.cluster_uid = :cluster OR c.cluster_name = :cluster)
      AND (:version IS NULL OR EXISTS (
          SELECT 1 FROM versions v WHERE v.analysis = c.analysis AND v.product = coalesce(:product, v.product)
          AND (ltrim(v.version, 'v') || '.') GLOB (ltrim(:version, 'v') || '[.+-]*')))
)";

const RULES: &str = "
SELECT o.rule, r.severity, r.title, sum(o.outcome = 'fired') AS fired, sum(o.outcome IN ('fired', 'clean')) AS evaluated,
       (SELECT count(*) FROM chosen) AS bundles,
       count(DISTINCT CASE WHEN o.outcome = 'fired' THEN c.cluster_uid END) AS clusters,
       min(CASE WHEN o.outcome = 'fired' THEN c.collected_at END) AS first_collected,
       max(CASE WHEN o.outcome = 'fired' THEN c.collected_at END) AS last_collected
FROM chosen c JOIN outcomes o ON o.analysis = c.analysis JOIN analyses a ON a.id = c.analysis
     JOIN rule_sets s ON s.id = a.rule_set AND s.rule = o.rule JOIN rules r ON r.id = s.rule AND r.hash = s.hash
GROUP BY o.rule HAVING fired > 0 ORDER BY fired DESC, o.rule LIMIT :top";

/// A template is new if none of all bundles had it before, whatever the filters.
const TEMPLATES: &str = "
, earlier AS MATERIALIZED (
    SELECT DISTINCT b.template FROM contents c JOIN bundle_templates b ON b.analysis = c.analysis WHERE c.collected_at < :new)
SELECT t.level, t.text AS template, count(*) AS bundles, count(DISTINCT c.cluster_uid) AS clusters, sum(b.lines) AS lines,
       (SELECT group_concat(rule, ' ') FROM (SELECT DISTINCT r.rule FROM template_rules r WHERE r.template = t.id ORDER BY 1)) AS rules,
       min(c.collected_at) AS first_collected, max(c.collected_at) AS last_collected
FROM chosen c JOIN bundle_templates b ON b.analysis = c.analysis JOIN templates t ON t.id = b.template
WHERE NOT (:no_rule AND EXISTS (SELECT 1 FROM template_rules r WHERE r.template = t.id))
  AND (:new IS NULL OR t.id NOT IN (SELECT template FROM earlier))
GROUP BY t.id
HAVING count(DISTINCT c.cluster_uid) >= coalesce(:clusters, 0) AND (:new IS NULL OR max(c.collected_at) >= :new)
ORDER BY 4 DESC, 3 DESC, instr('fatal error warning', t.level), t.text LIMIT :top";

/// Templates that are known lines, as a list of JSON.
const KNOWN: &str = "
, known AS MATERIALIZED (
    SELECT value ->> 'template' AS template, value ->> 'number' AS number, value ->> 'component' AS component, value ->> 'means' AS means,
           value ->> 'link' AS link
    FROM json_each(:known))
SELECT k.component, k.means, count(DISTINCT b.analysis) AS bundles, count(DISTINCT c.cluster_uid) AS clusters, sum(b.lines) AS lines,
       min(c.collected_at) AS first_collected, max(c.collected_at) AS last_collected, k.link
FROM chosen c JOIN bundle_templates b ON b.analysis = c.analysis JOIN known k ON k.template = b.template
GROUP BY k.number ORDER BY 4 DESC, 3 DESC, 5 DESC, k.means LIMIT :top";

const FINDINGS: &str = "
SELECT c.collected_at, c.ticket, c.customer, c.cluster_name, c.cluster_uid, c.kind, c.product, c.version, f.severity, f.title, f.count,
       f.first_seen, f.last_seen, c.resolution, c.path, c.place, f.fingerprint
FROM chosen c JOIN findings f ON f.analysis = c.analysis
WHERE f.rule = :rule ORDER BY c.collected_at DESC, c.path, c.place, f.fingerprint";

const BUNDLES: &str = "
SELECT c.collected_at, c.ticket, c.customer, c.cluster_name, c.cluster_uid, c.kind, c.product, c.version,
       (SELECT count(*) FROM findings f WHERE f.analysis = c.analysis AND f.class = 'fault' AND f.severity = 'critical') AS critical,
       (SELECT count(*) FROM findings f WHERE f.analysis = c.analysis AND f.class = 'fault' AND f.severity = 'high') AS high,
       (SELECT count(*) FROM findings f WHERE f.analysis = c.analysis) AS findings,
       (SELECT f.title FROM findings f WHERE f.analysis = c.analysis AND f.explained_by IS NULL
        ORDER BY f.class <> 'fault', instr('critical high medium low info', f.severity), f.rule, f.fingerprint LIMIT 1) AS first_finding,
       c.resolution, c.path, c.place
FROM chosen c ORDER BY c.collected_at DESC, c.path, c.place";

impl Question {
    /// Writes the answer.
    ///
    /// # Errors
    /// Fails when the store cannot be read, or the answer cannot be written.
    pub fn answer(&self, store: &Store, sink: &mut dyn Sink) -> Result<(), QueryError> {
        let texts = [&self.since, &self.until, &self.cluster, &self.product, &self.customer, &self.ticket];
        let filters = texts.into_iter().any(Option::is_some) || self.version.is_some();
        let of_logs = self.templates.is_some() || self.known.is_some();
        let top = self.top.or((self.rule.is_none() && (!filters || of_logs)).then_some(TOP));
        let select = match (&self.templates, &self.rule, top) {
            _ if self.known.is_some() => KNOWN,
            (Some(_), _, _) => TEMPLATES,
            (None, Some(_), _) => FINDINGS,
            (None, None, Some(_)) => RULES,
            (None, None, None) => BUNDLES,
        };
        let known = self.known.as_ref().map(|known| known_templates(store, known)).transpose()?;
        let templates = self.templates.clone().unwrap_or_default();
        let mut statement = store.connection().prepare(&format!("{CHOSEN}{select}")).map_err(QueryError::Read)?;
        let (product, version) = self.version.clone().unzip();
        let parameters: &[(&str, &dyn ToSql)] = &[
            (":since", &self.since),
            (":until", &self.until),
            (":main", &self.product),
            (":customer", &self.customer),
            (":ticket", &self.ticket),
            (":cluster", &self.cluster),
            (":product", &product.flatten()),
            (":version", &version),
            (":rule", &self.rule),
            (":top", &top),
            (":new", &templates.new_since),
            (":clusters", &templates.clusters),
            (":no_rule", &templates.no_rule),
            (":known", &known),
        ];
        bind(&mut statement, parameters)?;
        write_answer(&mut statement, sink, Duration::MAX)
    }
}

/// Binds the parameters that a statement has.
pub(super) fn bind(statement: &mut Statement<'_>, parameters: &[(&str, &dyn ToSql)]) -> Result<(), QueryError> {
    for (name, value) in parameters {
        if let Some(index) = statement.parameter_index(name).map_err(QueryError::Read)? {
            statement.raw_bind_parameter(index, value).map_err(QueryError::Read)?;
        }
    }
    Ok(())
}

/// Returns the templates of a store that are known lines, as JSON.
fn known_templates(store: &Store, known: &KnownLineFiles) -> Result<String, QueryError> {
    let mut statement = store.connection().prepare("SELECT id, text FROM templates").map_err(QueryError::Read)?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).map_err(QueryError::Read)?;
    let rows: Vec<(i64, String)> = rows.collect::<Result<_, _>>().map_err(QueryError::Read)?;
    let lines = known.lines();
    let known = rows.iter().filter_map(|(id, text)| {
        let number = lines.find(text, |_, _| true)?;
        let line = lines.get(number).filter(|line| !line.benign)?;
        let (component, means, link) = (&line.component, &line.means, &line.link);
        Some(json!({"template": id, "number": number, "component": component, "means": means, "link": link}))
    });
    Ok(known.collect::<serde_json::Value>().to_string())
}

/// Writes the rows of a statement.
pub(super) fn write_answer(
    statement: &mut Statement<'_>,
    sink: &mut dyn Sink,
    time: Duration,
) -> Result<(), QueryError> {
    let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let failed = |error: rusqlite::Error| match error.sqlite_error_code() {
        Some(ErrorCode::OperationInterrupted) => QueryError::Time(time),
        _ => QueryError::Read(error),
    };
    sink.begin(&columns)?;
    let mut rows = statement.raw_query();
    let mut values: Vec<Value> = Vec::with_capacity(columns.len());
    while let Some(row) = rows.next().map_err(failed)? {
        values.clear();
        for column in 0..columns.len() {
            values.push(row.get(column).map_err(failed)?);
        }
        sink.row(&values)?;
    }
    Ok(sink.end()?)
}
