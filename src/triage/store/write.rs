//! Storing the results of one file in one transaction.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};

use super::database::Store;
use super::error::StoreError;
use super::file::{FileRow, Status};
use super::ids::number;
use super::schema::PARTS;
use crate::triage::run::rules::Rules;
use crate::triage::worker::message::{Analysed, IssueRow, RuleOutcome};

impl Store {
    /// Stores the beginning of a run with its rules.
    ///
    /// # Errors
    /// All methods fail when the store cannot be written.
    pub fn begin_run(
        &mut self,
        id: &str,
        started: &str,
        inputs: &str,
        shard: &str,
        rules: &Rules,
    ) -> Result<(), StoreError> {
        self.transaction(|t| {
            t.execute(
                "INSERT INTO runs (id, started, program, inputs, shard) VALUES (?, ?, ?, ?, ?)",
                params![id, started, env!("CARGO_PKG_VERSION"), inputs, shard],
            )?;
            let mut rule = t.prepare("INSERT OR IGNORE INTO rules VALUES (?, ?, ?, ?, ?, ?, ?)")?;
            let mut member = t.prepare("INSERT OR IGNORE INTO rule_sets VALUES (?, ?, ?)")?;
            for one in rules.all() {
                rule.execute(params![
                    one.id,
                    one.hash,
                    one.severity,
                    one.confidence,
                    one.area,
                    one.title,
                    one.explains_json()
                ])?;
                member.execute(params![rules.number(), one.id, one.hash])?;
            }
            Ok(())
        })
    }

    /// Stores the end of a run, and removes unused rules and reasons.
    pub fn end_run(&mut self, id: &str, finished: &str, counts: &str, changed: bool) -> Result<(), StoreError> {
        self.transaction(|t| {
            t.execute("UPDATE runs SET finished = ?, counts = ? WHERE id = ?", params![finished, counts, id])?;
            if changed { tidy(t) } else { Ok(()) }
        })?;
        // Merge the write-ahead log, so that the file alone is the store.
        self.with_connection(|c| c.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())))
    }

    /// Replaces the bundles of a file. Keeps an analysis that is current and was made for a copy with an earlier name.
    pub fn put_analysed(&mut self, file: &FileRow, bundles: &[Analysed], rule_set: i64) -> Result<(), StoreError> {
        self.transaction(|t| {
            let before = forget(t, file)?;
            for bundle in bundles {
                let (analysis, is_new) = put_analysis(t, file, bundle, rule_set)?;
                put_bundle(t, file, bundle, analysis)?;
                if !is_new {
                    copy_facts(t, file, analysis)?;
                }
            }
            drop_unused(t, &before)
        })
    }

    /// Stores a file without bundles, with the reason.
    pub fn put_failed(&mut self, file: &FileRow, status: Status, error: &str) -> Result<(), StoreError> {
        self.transaction(|t| {
            let before = forget(t, file)?;
            t.prepare_cached(
                "INSERT INTO bundles (input, path, place, is_folder, size, mtime, stamp, reader, sha256, status, error, gone, seconds, run)
                 VALUES (?, ?, '', ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?)",
            )?
            .execute(params![
                &*file.input, file.path, file.is_folder, file.size, file.mtime, file.stamp, &*file.reader, file.sha256,
                status.as_str(), error, file.seconds, &*file.run
            ])?;
            drop_unused(t, &before)
        })
    }

    /// Stores a file as a copy of another file with the same checksum.
    pub fn put_copy(&mut self, file: &FileRow, of: (&str, &str)) -> Result<(), StoreError> {
        self.transaction(|t| {
            let own = of == (&*file.input, file.path.as_str());
            let update = "UPDATE bundles SET size = ?, mtime = ?, stamp = ?, reader = ?, gone = 0 WHERE input = ? AND path = ?";
            if own {
                t.execute(update, params![file.size, file.mtime, file.stamp, &*file.reader, &*file.input, file.path])?;
                return Ok(());
            }
            let before = forget(t, file)?;
            t.prepare_cached(
                "INSERT INTO bundles
                 SELECT ?, ?, place, 0, ?, ?, ?, ?, sha256, status, error, kind, content_id, collector, collector_version,
                        cluster_uid, cluster_name, collected_at, entries, analysis, 0, ?, ?, issue_url
                 FROM bundles WHERE input = ? AND path = ?",
            )?
            .execute(params![
                &*file.input, file.path, file.size, file.mtime, file.stamp, &*file.reader, file.seconds, file.run, of.0, of.1
            ])?;
            drop_unused(t, &before)
        })
    }

    /// Replaces the results of some rules for the bundles of a file, and deletes those of removed rules (`gone`). For analyses
    /// without new results, only results of removed rules are deleted.
    pub fn put_rules(
        &mut self,
        analyses: &[(i64, Option<&Analysed>)],
        rules: &[String],
        gone: &[String],
        rule_set: i64,
        run: &str,
    ) -> Result<(), StoreError> {
        self.transaction(|t| {
            for (id, found) in analyses {
                for rule in rules.iter().chain(gone) {
                    forget_rule(t, *id, rule)?;
                }
                if let Some(found) = found {
                    put_findings(t, *id, found)?;
                    put_outcomes(t, *id, &found.outcomes)?;
                    add_issues(t, *id, found)?;
                    put_templates(t, *id, found)?;
                }
                t.execute("UPDATE analyses SET rule_set = ?, run = ? WHERE id = ?", params![rule_set, run, id])?;
            }
            Ok(())
        })
    }

    /// Marks files as deleted, or as existing again.
    pub fn mark_gone(&mut self, files: &[(String, String)], gone: bool) -> Result<(), StoreError> {
        self.transaction(|t| {
            let mut update = t.prepare("UPDATE bundles SET gone = ? WHERE input = ? AND path = ?")?;
            files.iter().try_for_each(|(input, path)| update.execute(params![gone, input, path]).map(|_| ()))
        })
    }

    pub(super) fn transaction<T>(
        &mut self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let run = || {
            let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let result = work(&transaction)?;
            transaction.commit()?;
            Ok(result)
        };
        run().map_err(|error| StoreError::of(&self.path, error))
    }
}

/// Deletes the rows of a file; returns its analyses, which copies may use.
fn forget(t: &Transaction<'_>, file: &FileRow) -> rusqlite::Result<Vec<i64>> {
    let mut of =
        t.prepare_cached("SELECT analysis FROM bundles WHERE input = ? AND path = ? AND analysis IS NOT NULL")?;
    let before = of.query_map(params![&*file.input, file.path], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    t.prepare_cached("DELETE FROM bundles WHERE input = ? AND path = ?")?.execute(params![&*file.input, file.path])?;
    Ok(before)
}

fn drop_unused(t: &Transaction<'_>, analyses: &[i64]) -> rusqlite::Result<()> {
    let mut unused = t.prepare_cached(
        "DELETE FROM analyses WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM bundles WHERE analysis = ?1)",
    )?;
    analyses.iter().try_for_each(|id| unused.execute([id]).map(|_| ()))
}

/// Deletes unused rule sets, rules and reasons.
pub(super) fn tidy(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(
        "DELETE FROM rule_sets WHERE id NOT IN (SELECT rule_set FROM analyses);
         DELETE FROM rules WHERE NOT EXISTS (SELECT 1 FROM rule_sets s WHERE s.rule = rules.id AND s.hash = rules.hash);
         DELETE FROM reasons WHERE id NOT IN (SELECT reason FROM outcomes WHERE reason IS NOT NULL);
         DELETE FROM templates WHERE id NOT IN (SELECT template FROM bundle_templates);",
    )
}

/// Stores the analysis of a bundle, unless there is a current one with an earlier name; returns its number and whether it was
/// stored.
fn put_analysis(t: &Transaction<'_>, file: &FileRow, found: &Analysed, rule_set: i64) -> rusqlite::Result<(i64, bool)> {
    let key = file.key(found);
    let id = number(&key);
    let mut current = t.prepare_cached(
        "SELECT 1 FROM analyses a JOIN bundles b ON b.analysis = a.id
         WHERE a.id = ? AND a.key = ? AND a.rule_set = ? AND a.name < ? AND b.reader = ? LIMIT 1",
    )?;
    let keep = current.query_row(params![id, key, rule_set, file.name, &*file.reader], |_| Ok(())).optional()?;
    if keep.is_some() {
        return Ok((id, false));
    }
    for table in PARTS {
        t.prepare_cached(&format!("DELETE FROM {table} WHERE analysis = ?"))?.execute([id])?;
    }
    let content = if found.whole { &found.content_id } else { &key };
    t.prepare_cached(
        "INSERT INTO analyses (id, key, name, content, unread, rule_set, seconds, run) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (key) DO UPDATE SET name = excluded.name, content = excluded.content, unread = excluded.unread,
             rule_set = excluded.rule_set, seconds = excluded.seconds, run = excluded.run",
    )?
    .execute(params![id, key, file.name, content, found.unread, rule_set, file.seconds, &*file.run])?;
    put_facts(t, id, found)?;
    put_findings(t, id, found)?;
    put_outcomes(t, id, &found.outcomes)?;
    put_templates(t, id, found)?;
    let mut issue = t.prepare_cached("INSERT INTO issues VALUES (?, ?, ?, ?, ?, ?)")?;
    for (number, of) in found.issues.iter().enumerate() {
        issue.execute(params![id, number as i64, of.entry, of.line, of.kind, of.message])?;
    }
    Ok((id, true))
}

fn put_facts(t: &Transaction<'_>, id: i64, found: &Analysed) -> rusqlite::Result<()> {
    let mut version = t.prepare_cached("INSERT INTO versions VALUES (?, ?, ?)")?;
    for (product, of) in &found.versions {
        version.execute(params![id, product, of])?;
    }
    let mut node = t.prepare_cached("INSERT OR REPLACE INTO nodes VALUES (?, ?, ?, ?, ?)")?;
    for of in &found.nodes {
        node.execute(params![id, of.name, of.ready, of.roles, of.collected])?;
    }
    let mut missing = t.prepare_cached("INSERT OR IGNORE INTO not_collected VALUES (?, ?, ?)")?;
    for (what, why) in &found.not_collected {
        missing.execute(params![id, what, why])?;
    }
    // Copies of a bundle get the same facts.
    t.prepare_cached(
        "UPDATE bundles SET kind = ?, content_id = ?, collector = ?, collector_version = ?, cluster_uid = ?, cluster_name = ?,
             collected_at = ?, entries = ? WHERE analysis = ?",
    )?
    .execute(params![
        found.kind, found.content_id, found.collector, found.collector_version, found.cluster_uid, found.cluster_name,
        text(found.collected_at), found.entries, id
    ])?;
    Ok(())
}

/// Returns a time as the store has it: RFC 3339 in UTC.
fn text(time: Option<Timestamp>) -> Option<String> {
    time.map(|time| time.to_string())
}

fn put_findings(t: &Transaction<'_>, id: i64, found: &Analysed) -> rusqlite::Result<()> {
    let mut finding =
        t.prepare_cached("INSERT INTO findings VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")?;
    for of in &found.findings {
        finding.execute(params![
            id,
            of.rule,
            of.severity,
            of.confidence,
            of.area,
            of.title,
            of.message,
            of.objects,
            of.fingerprint,
            of.explained_by,
            of.count,
            text(of.first_seen),
            text(of.last_seen),
            of.evidence,
            of.evidence_count,
            of.name,
            of.class
        ])?;
    }
    Ok(())
}

fn put_outcomes(t: &Transaction<'_>, id: i64, outcomes: &[RuleOutcome]) -> rusqlite::Result<()> {
    let mut reason = t.prepare_cached("INSERT OR IGNORE INTO reasons VALUES (?, ?)")?;
    let mut outcome = t.prepare_cached("INSERT INTO outcomes VALUES (?, ?, ?, ?)")?;
    for of in outcomes {
        let number = of.reason.as_deref().map(number);
        if let (Some(number), Some(text)) = (number, &of.reason) {
            reason.execute(params![number, text])?;
        }
        outcome.execute(params![id, of.rule, of.outcome.as_str(), number])?;
    }
    Ok(())
}

/// Stores the templates if they were counted, and adds the rules that know them.
fn put_templates(t: &Transaction<'_>, id: i64, found: &Analysed) -> rusqlite::Result<()> {
    let Some(templates) = &found.templates else { return Ok(()) };
    t.prepare_cached("UPDATE analyses SET surveyed = 1 WHERE id = ?")?.execute([id])?;
    let mut template = t.prepare_cached("INSERT OR IGNORE INTO templates VALUES (?, ?, ?)")?;
    let mut of_bundle = t.prepare_cached("INSERT OR REPLACE INTO bundle_templates VALUES (?, ?, ?)")?;
    let mut of_rule = t.prepare_cached("INSERT OR IGNORE INTO template_rules VALUES (?, ?, ?)")?;
    for of in templates {
        let number = number(&format!("{} {}", of.level, of.text));
        template.execute(params![number, of.level, of.text])?;
        of_bundle.execute(params![id, number, of.lines])?;
        for rule in &of.rules {
            of_rule.execute(params![id, number, rule])?;
        }
    }
    Ok(())
}

/// Deletes the results of a rule, and its issues, whose messages begin with the id of the rule.
fn forget_rule(t: &Transaction<'_>, id: i64, rule: &str) -> rusqlite::Result<()> {
    for table in ["findings", "outcomes", "template_rules"] {
        t.prepare_cached(&format!("DELETE FROM {table} WHERE analysis = ? AND rule = ?"))?
            .execute(params![id, rule])?;
    }
    t.prepare_cached(
        "DELETE FROM issues WHERE analysis = ?1 AND kind = 'rule' AND entry IS NULL AND substr(message, 1, length(?2) + 1) = ?2 || ':'",
    )?
    .execute(params![id, rule])?;
    Ok(())
}

/// Adds new issues, in order.
fn add_issues(t: &Transaction<'_>, id: i64, found: &Analysed) -> rusqlite::Result<()> {
    let mut known = t.prepare_cached("SELECT entry, line, kind, message FROM issues WHERE analysis = ?")?;
    let row = |row: &rusqlite::Row<'_>| {
        Ok(IssueRow { entry: row.get(0)?, line: row.get(1)?, kind: row.get(2)?, message: row.get(3)? })
    };
    let mut issues: Vec<_> = known.query_map([id], row)?.collect::<rusqlite::Result<_>>()?;
    issues.extend(found.issues.iter().cloned());
    issues.sort();
    issues.dedup();
    t.prepare_cached("DELETE FROM issues WHERE analysis = ?")?.execute([id])?;
    let mut issue = t.prepare_cached("INSERT INTO issues VALUES (?, ?, ?, ?, ?, ?)")?;
    for (number, of) in issues.iter().enumerate() {
        issue.execute(params![id, number as i64, of.entry, of.line, of.kind, of.message])?;
    }
    Ok(())
}

/// Copies the facts of another copy of the bundle, even if the names of the files suggest others.
fn copy_facts(t: &Transaction<'_>, file: &FileRow, analysis: i64) -> rusqlite::Result<()> {
    t.prepare_cached(
        "UPDATE bundles SET kind = o.kind, content_id = o.content_id, collector = o.collector,
             collector_version = o.collector_version, cluster_uid = o.cluster_uid, cluster_name = o.cluster_name,
             collected_at = o.collected_at, entries = o.entries
         FROM (SELECT * FROM bundles WHERE analysis = ?1 AND (input, path) <> (?2, ?3) LIMIT 1) o
         WHERE bundles.analysis = ?1 AND (bundles.input, bundles.path) = (?2, ?3)",
    )?
    .execute(params![analysis, &*file.input, file.path])?;
    Ok(())
}

fn put_bundle(t: &Transaction<'_>, file: &FileRow, found: &Analysed, analysis: i64) -> rusqlite::Result<()> {
    t.prepare_cached(
        "INSERT INTO bundles VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'analysed', NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?)",
    )?
    .execute(params![
        &*file.input,
        file.path,
        found.place,
        file.is_folder,
        file.size,
        file.mtime,
        file.stamp,
        &*file.reader,
        file.sha256,
        found.kind,
        found.content_id,
        found.collector,
        found.collector_version,
        found.cluster_uid,
        found.cluster_name,
        text(found.collected_at),
        found.entries,
        analysis,
        file.seconds,
        &*file.run,
        found.issue_url
    ])?;
    Ok(())
}
