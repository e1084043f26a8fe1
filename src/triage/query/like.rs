//! Bundles that are like another one: [`Likeness`].
//!
//! Two bundles are alike as far as they share rules that fired, and templates of log lines that no fired rule matched. What few bundles
//! have counts more: each has the weight 1/n, with n the number of bundles that have it. The likeness of rules, and of templates, is
//! the weight of what both have divided by the weight of what either has (the weighted Jaccard index); together rules count 0.7 and templates
//! 0.3, and where the bundle in question has no rules that fired, templates count alone.

use std::time::Duration;

use serde_json::{Value, json};

use super::question::{QueryError, bind, write_answer};
use super::sink::Sink;
use crate::triage::store::Store;
use crate::triage::worker::message::{Analysed, RuleState};

/// What a bundle has in common with others.
#[derive(Clone, Debug, PartialEq)]
pub struct Likeness {
    /// Content of the bundle in the store, which is not compared with itself.
    content: Option<String>,
    /// Rules that fired, as a JSON array.
    rules: String,
    /// Templates that no fired rule matched, as a JSON array of pairs: level and text.
    templates: String,
}

const LIKE: &str = "
WITH others AS MATERIALIZED (SELECT * FROM contents WHERE content IS NOT :content),
fired AS MATERIALIZED (
    SELECT c.analysis, o.rule AS part FROM others c JOIN outcomes o ON o.analysis = c.analysis WHERE o.outcome = 'fired'),
asked_rules AS MATERIALIZED (SELECT value AS part FROM json_each(:rules)),
rule_weights AS MATERIALIZED (SELECT part, 1.0 / count(*) AS weight FROM fired GROUP BY part),
asked_templates AS MATERIALIZED (
    SELECT t.id AS part FROM json_each(:templates) j JOIN templates t ON t.level = j.value ->> 0 AND t.text = j.value ->> 1),
loose AS MATERIALIZED (
    SELECT c.analysis, b.template AS part FROM others c JOIN bundle_templates b ON b.analysis = c.analysis
    WHERE NOT EXISTS (SELECT 1 FROM template_rules r WHERE r.analysis = b.analysis AND r.template = b.template)),
template_weights AS MATERIALIZED (SELECT part, 1.0 / count(*) AS weight FROM loose GROUP BY part),
rule_sums AS MATERIALIZED (
    SELECT f.analysis, sum(w.weight) AS own, sum(CASE WHEN f.part IN asked_rules THEN w.weight ELSE 0 END) AS shared,
           json_group_array(f.part) FILTER (WHERE f.part IN asked_rules) AS rules
    FROM fired f JOIN rule_weights w ON w.part = f.part GROUP BY f.analysis),
template_sums AS MATERIALIZED (
    SELECT l.analysis, sum(w.weight) AS own, sum(CASE WHEN l.part IN asked_templates THEN w.weight ELSE 0 END) AS shared,
           sum(l.part IN asked_templates) AS count
    FROM loose l JOIN template_weights w ON w.part = l.part GROUP BY l.analysis),
-- A rule or template that no other bundle has weighs as if one had it.
asked AS MATERIALIZED (
    SELECT (SELECT coalesce(sum(coalesce(w.weight, 1)), 0) FROM asked_rules a LEFT JOIN rule_weights w ON w.part = a.part) AS rules,
           (SELECT coalesce(sum(coalesce(w.weight, 1)), 0) FROM asked_templates a LEFT JOIN template_weights w ON w.part = a.part)
           AS templates),
parts AS (
    SELECT c.analysis,
           coalesce(r.shared / (r.own + asked.rules - r.shared), 0) AS of_rules,
           coalesce(t.shared / (t.own + asked.templates - t.shared), 0) AS of_templates,
           coalesce(r.rules, '[]') AS rules, coalesce(t.count, 0) AS templates, asked.rules > 0 AS has_rules
    FROM others c JOIN asked LEFT JOIN rule_sums r ON r.analysis = c.analysis LEFT JOIN template_sums t ON t.analysis = c.analysis),
likeness AS (
    SELECT analysis, rules, templates, CASE WHEN has_rules THEN 0.7 * of_rules + 0.3 * of_templates ELSE of_templates END AS part
    FROM parts)
SELECT CAST(round(100 * l.part) AS INTEGER) AS likeness,
       c.ticket, c.customer, c.resolution, c.collected_at, c.cluster_name, c.product, c.version, l.rules AS shared_rules,
       l.templates AS shared_templates, c.path, c.place
FROM likeness l JOIN others c ON c.analysis = l.analysis
WHERE l.rules <> '[]' OR l.templates > 0
ORDER BY l.part DESC, c.collected_at DESC, c.path, c.place
LIMIT :top";

impl Likeness {
    /// Describes a bundle that was just analysed.
    pub fn of_analysed(bundle: &Analysed) -> Self {
        let fired = bundle.outcomes.iter().filter(|outcome| outcome.outcome == RuleState::Fired);
        let templates = bundle.templates.iter().flatten().filter(|template| template.rules.is_empty());
        Self {
            content: Some(bundle.content_id.clone()),
            rules: fired.map(|outcome| json!(outcome.rule)).collect::<Value>().to_string(),
            templates: templates.map(|template| json!([template.level, template.text])).collect::<Value>().to_string(),
        }
    }

    /// Describes a bundle of the store, by the path of its file, its end, or its ticket; none if the store has no such bundle. Of
    /// several the newest is taken.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub fn of_stored(store: &Store, name: &str) -> Result<Option<Self>, QueryError> {
        let find = "
            SELECT c.content,
                   (SELECT json_group_array(o.rule) FROM outcomes o WHERE o.analysis = c.analysis AND o.outcome = 'fired'),
                   (SELECT json_group_array(json_array(t.level, t.text)) FROM bundle_templates b JOIN templates t ON t.id = b.template
                    WHERE b.analysis = c.analysis AND NOT EXISTS (
                        SELECT 1 FROM template_rules r WHERE r.analysis = b.analysis AND r.template = b.template))
            FROM contents c JOIN bundles b ON b.analysis = c.analysis LEFT JOIN tickets t ON (t.input, t.path) = (b.input, b.path)
            WHERE :name IN (b.path, b.input || '/' || b.path, t.ticket) OR substr(b.path, -length(:name) - 1) = '/' || :name
            ORDER BY c.collected_at DESC, c.content LIMIT 1";
        let mut statement = store.connection().prepare(find).map_err(QueryError::Read)?;
        let mut rows = statement.query([(":name", name)].as_slice()).map_err(QueryError::Read)?;
        let Some(row) = rows.next().map_err(QueryError::Read)? else { return Ok(None) };
        let text = |column| row.get(column).map_err(QueryError::Read);
        Ok(Some(Self { content: Some(text(0)?), rules: text(1)?, templates: text(2)? }))
    }

    /// Writes the bundles of the store that are most like this one, at most `top`.
    ///
    /// # Errors
    /// Fails when the store cannot be read, or the answer cannot be written.
    pub fn answer(&self, store: &Store, top: u32, sink: &mut dyn Sink) -> Result<(), QueryError> {
        let mut statement = store.connection().prepare(LIKE).map_err(QueryError::Read)?;
        let Self { content, rules, templates } = self;
        bind(&mut statement, &[(":content", content), (":rules", rules), (":templates", templates), (":top", &top)])?;
        write_answer(&mut statement, sink, Duration::MAX)
    }
}
