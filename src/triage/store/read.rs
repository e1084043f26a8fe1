//! Lookups of files, rules and originals.

use std::collections::BTreeMap;

use rusqlite::{OptionalExtension, Row, params};

use super::database::Store;
use super::error::StoreError;
use crate::model::unexplained::Level;
use crate::pipeline::Archive;

/// Rule as it was run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleRow {
    pub id: String,
    /// SHA-256 of its text and the log streams.
    pub hash: String,
    pub severity: String,
    pub confidence: String,
    pub area: String,
    pub title: String,
    /// Ids of explained rules, and [`RuleRow::BREAKS`] and [`RuleRow::NEEDS`] if it states what it breaks and needs.
    pub explains: Vec<String>,
}

impl RuleRow {
    /// Stands for all rules that need a component. No id has parentheses.
    pub const BREAKS: &'static str = "(breaks)";
    /// Stands for all rules that break a component, as rules that explain this one.
    pub const NEEDS: &'static str = "(needs)";

    /// Returns which of its rules explain which, cause first; [`RuleRow::BREAKS`] is between causes and symptoms of the graph.
    pub fn edges(&self) -> impl Iterator<Item = (&str, &str)> {
        self.explains.iter().map(|of| match of.as_str() {
            Self::NEEDS => (Self::BREAKS, self.id.as_str()),
            of => (self.id.as_str(), of),
        })
    }
}

/// File in the store.
#[derive(Clone, Debug, Default)]
pub struct KnownFile {
    pub stamp: String,
    pub reader: String,
    pub has_sha256: bool,
    /// Status of its first row; all rows of a file with bundles are `analysed`.
    pub status: String,
    pub gone: bool,
    pub analyses: Vec<KnownAnalysis>,
}

/// Analysis of a bundle in a file.
#[derive(Clone, Debug)]
pub struct KnownAnalysis {
    pub id: i64,
    /// Place of the bundle in the file.
    pub place: String,
    /// Name of the file at the time of the analysis.
    pub name: String,
    pub rule_set: i64,
    /// A limit was reached, so that findings of one rule may depend on other rules.
    pub limited: bool,
}

impl Store {
    /// Looks up a file.
    ///
    /// # Errors
    /// All methods fail when the store cannot be read.
    pub fn known_file(&self, input: &str, path: &str) -> Result<Option<KnownFile>, StoreError> {
        let row = |row: &Row<'_>| {
            let known = KnownFile {
                stamp: row.get(0)?,
                reader: row.get(1)?,
                has_sha256: row.get(2)?,
                status: row.get(3)?,
                gone: row.get(4)?,
                analyses: Vec::new(),
            };
            let analysis = row.get::<_, Option<i64>>(5)?.map(|id| -> rusqlite::Result<KnownAnalysis> {
                Ok(KnownAnalysis {
                    id,
                    place: row.get(6)?,
                    name: row.get(7)?,
                    rule_set: row.get(8)?,
                    limited: row.get(9)?,
                })
            });
            Ok((known, analysis.transpose()?))
        };
        self.with_connection(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT b.stamp, b.reader, b.sha256 IS NOT NULL, b.status, b.gone, b.analysis, b.place, a.name, a.rule_set,
                        EXISTS (SELECT 1 FROM issues i WHERE i.analysis = b.analysis AND i.kind = 'limit')
                 FROM bundles b LEFT JOIN analyses a ON a.id = b.analysis
                 WHERE b.input = ? AND b.path = ? ORDER BY b.place",
            )?;
            let mut found: Option<KnownFile> = None;
            for one in statement.query_map(params![input, path], row)? {
                let (known, analysis) = one?;
                found.get_or_insert(known).analyses.extend(analysis);
            }
            Ok(found)
        })
    }

    /// Looks up a file with this checksum whose rows are current and also valid for a file of this name. Files whose analysis
    /// was stopped count only with `stopped`.
    pub fn same_file(
        &self,
        sha256: &str,
        reader: &str,
        rule_set: i64,
        name: &str,
        stopped: bool,
    ) -> Result<Option<(String, String)>, StoreError> {
        self.with_connection(|connection| {
            connection
                .prepare_cached(
                    "SELECT b.input, b.path FROM bundles b LEFT JOIN analyses a ON a.id = b.analysis
                     WHERE b.sha256 = ?1 AND b.reader = ?2 AND (?5 OR b.status IN ('analysed', 'no_bundle', 'unreadable'))
                     GROUP BY b.input, b.path
                     HAVING min(b.status <> 'analysed' OR (a.rule_set = ?3 AND a.name <= ?4))
                     ORDER BY b.input, b.path LIMIT 1",
                )?
                .query_row(params![sha256, reader, rule_set, name, stopped], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()
        })
    }

    /// Returns in how many clusters the templates of log lines are that report trouble.
    pub fn archive(&self) -> Result<Archive, StoreError> {
        const CLUSTERS: &str = "SELECT count(DISTINCT c.cluster_uid) FROM contents c JOIN analyses a ON a.id = c.analysis WHERE a.surveyed";
        self.with_connection(|connection| {
            let clusters = connection.query_row(CLUSTERS, [], |row| row.get(0))?;
            let mut statement = connection.prepare("SELECT level, template, clusters FROM template_hits")?;
            let mut rows = statement.query([])?;
            let mut templates = BTreeMap::new();
            while let Some(row) = rows.next()? {
                let word: String = row.get(0)?;
                if let Some(level) = Level::ALL.into_iter().find(|level| level.as_str() == word) {
                    templates.insert((level, row.get(1)?), row.get(2)?);
                }
            }
            Ok(Archive { clusters, templates })
        })
    }

    /// Returns the rules of a set.
    pub fn rule_set(&self, number: i64) -> Result<Vec<RuleRow>, StoreError> {
        let row = |row: &Row<'_>| {
            let explains: String = row.get(6)?;
            Ok(RuleRow {
                id: row.get(0)?,
                hash: row.get(1)?,
                severity: row.get(2)?,
                confidence: row.get(3)?,
                area: row.get(4)?,
                title: row.get(5)?,
                explains: serde_json::from_str(&explains).unwrap_or_default(),
            })
        };
        self.with_connection(|connection| {
            let mut statement = connection.prepare(
                "SELECT r.id, r.hash, r.severity, r.confidence, r.area, r.title, r.explains
                 FROM rule_sets s JOIN rules r ON r.id = s.rule AND r.hash = s.hash WHERE s.id = ? ORDER BY r.id",
            )?;
            statement.query_map([number], row)?.collect()
        })
    }

    /// Returns the files below an input, each with whether it is marked as deleted.
    pub fn files_of(&self, input: &str) -> Result<Vec<(String, bool)>, StoreError> {
        self.with_connection(|connection| {
            let mut statement = connection
                .prepare("SELECT path, max(gone) FROM bundles WHERE input = ? GROUP BY path ORDER BY path")?;
            statement.query_map([input], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        })
    }
}

/// Content of a store; copies count once.
#[derive(Clone, Debug, Default)]
pub struct Holdings {
    pub contents: u64,
    /// Findings by severity, most severe first.
    pub severities: Vec<(String, u64)>,
    /// Rules with the number of bundles in which they fired and their severity, highest number first.
    pub top: Vec<(String, u64, String)>,
}

impl Store {
    /// Summarises the store, with the `top` rules.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub fn holdings(&self, top: i64) -> Result<Holdings, StoreError> {
        self.with_connection(|connection| {
            let contents = connection.query_row("SELECT count(*) FROM contents", [], |row| row.get(0))?;
            let mut severities = connection.prepare(
                "SELECT f.severity, count(*) FROM contents c JOIN findings f ON f.analysis = c.analysis GROUP BY f.severity
                 ORDER BY instr('critical high medium low info', f.severity)",
            )?;
            let severities = severities.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            let severities = severities.collect::<rusqlite::Result<_>>()?;
            let mut rules = connection.prepare(
                "SELECT f.rule, count(DISTINCT c.analysis), r.severity
                 FROM contents c JOIN findings f ON f.analysis = c.analysis
                 JOIN analyses a ON a.id = c.analysis JOIN rule_sets s ON s.id = a.rule_set AND s.rule = f.rule
                 JOIN rules r ON r.id = s.rule AND r.hash = s.hash
                 GROUP BY f.rule ORDER BY 2 DESC, f.rule LIMIT ?",
            )?;
            let rules = rules.query_map([top], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
            Ok(Holdings { contents, severities, top: rules.collect::<rusqlite::Result<_>>()? })
        })
    }
}

/// File that contains a bundle.
#[derive(Clone, Debug, Default)]
pub struct Original {
    pub content: String,
    pub analysis: i64,
    pub input: String,
    pub path: String,
    pub place: String,
    pub is_folder: bool,
    pub size: u64,
    /// Main product with its version; without one the kind of bundle.
    pub product: String,
    pub version: Option<String>,
}

impl Store {
    /// Returns every file of every content, by content and place.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub fn originals(&self) -> Result<Vec<Original>, StoreError> {
        let row = |row: &Row<'_>| {
            Ok(Original {
                content: row.get(0)?,
                analysis: row.get(1)?,
                input: row.get(2)?,
                path: row.get(3)?,
                place: row.get(4)?,
                is_folder: row.get(5)?,
                size: row.get(6)?,
                product: row.get(7)?,
                version: row.get(8)?,
            })
        };
        self.with_connection(|connection| {
            let mut statement = connection.prepare(
                "SELECT a.content, c.analysis, b.input, b.path, b.place, b.is_folder, b.size, coalesce(c.product, c.kind), c.version
                 FROM bundles b JOIN analyses a ON a.id = b.analysis JOIN contents c ON c.content = a.content
                 ORDER BY a.content, b.input, b.path, b.place",
            )?;
            statement.query_map([], row)?.collect()
        })
    }

    /// Returns other rules that fired in these analyses: in how many of them, and in how many contents in all, highest
    /// number first.
    pub fn together(&self, analyses: &[i64], rule: &str) -> Result<Vec<(String, u64, u64)>, StoreError> {
        let chosen = serde_json::Value::from(analyses.to_vec()).to_string();
        self.with_connection(|connection| {
            let mut statement = connection.prepare(
                "WITH chosen AS (SELECT value AS id FROM json_each(?1)),
                      hits AS (SELECT rule, count(*) AS hits FROM outcomes
                               WHERE analysis IN (SELECT id FROM chosen) AND outcome = 'fired' AND rule <> ?2 GROUP BY rule)
                 SELECT h.rule, h.hits, (SELECT fired FROM rule_hits r WHERE r.rule = h.rule)
                 FROM hits h ORDER BY h.hits DESC, h.rule LIMIT 100",
            )?;
            statement.query_map(params![chosen, rule], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?.collect()
        })
    }
}
