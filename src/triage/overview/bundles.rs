//! Details of one bundle, as far as they are stored.

use std::path::PathBuf;

use rusqlite::{Connection, OptionalExtension, Row};

use super::evidence;
use super::snapshot::{AFTER_BUNDLE, BUNDLE, LISTED, Snapshot, bundle, by_severity, time, timed_text};
use crate::model::message::{CollectorSigns, CollectorVersion, GapReason, GapSubject, IssueMessage, Reason};
use crate::model::{
    Analysis, BundleFacts, Collector, Confidence, Finding, FindingClass, Histogram, Issue, IssueKind, Lang, NodeFacts,
    NotCollected, Origin, RuleOutcomes, RuleReason, Run, Severity, TimedText,
};
use crate::report::archive::{Alike, Bundle, BundleDetail, TicketFacts};
use crate::triage::query::like::Neighbour;
use crate::triage::store::StoreError;

/// Number of bundles listed that are like another one.
const ALIKE: usize = 5;

/// Number of copies listed.
const COPIES: usize = 50;

/// File that contains a bundle.
#[derive(Clone, Debug)]
pub struct FileLocation {
    pub file: PathBuf,
    /// Place of the bundle in the file; empty if it is the file itself.
    pub place: String,
    /// Expected content.
    pub content_id: Option<String>,
}

impl Snapshot {
    /// Returns the numbers of all contents, in the order of their files.
    ///
    /// # Errors
    /// All methods fail when the store cannot be read.
    pub fn contents(&self) -> Result<Vec<i64>, StoreError> {
        self.ask(|connection| {
            let mut statement = connection.prepare("SELECT analysis FROM picked ORDER BY input, path, place")?;
            statement.query_map([], |row| row.get(0))?.collect()
        })
    }

    /// Returns the first bundle with a content.
    pub fn named(&self, content: i64) -> Result<Bundle, StoreError> {
        self.ask(|connection| Ok(facts(connection, content)?.0))
    }

    /// Returns the details of a content.
    pub fn bundle(&self, content: i64) -> Result<BundleDetail, StoreError> {
        let mut detail = self.ask(|connection| detail(connection, content))?;
        for neighbour in self.neighbours.nearest_to_analysis(content, ALIKE) {
            let Neighbour { analysis, percent, rules, templates } = neighbour;
            detail.alike.push(Alike { bundle: self.named(analysis)?, percent, rules, templates });
        }
        Ok(detail)
    }

    /// Returns the existing files with a content.
    pub fn locations(&self, content: i64) -> Result<Vec<FileLocation>, StoreError> {
        let locations = |row: &Row<'_>| {
            let (input, path): (String, String) = (row.get(0)?, row.get(1)?);
            Ok(FileLocation { file: PathBuf::from(input).join(path), place: row.get(2)?, content_id: row.get(3)? })
        };
        self.ask(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT b.input, b.path, b.place, b.content_id FROM analyses a JOIN bundles b ON b.analysis = a.id
                 WHERE a.content = (SELECT content FROM analyses WHERE id = ?) AND NOT b.gone
                 ORDER BY b.input, b.path, b.place",
            )?;
            statement.query_map([content], locations)?.collect()
        })
    }
}

fn detail(connection: &Connection, content: i64) -> rusqlite::Result<BundleDetail> {
    let (bundle, mut facts, gone) = facts(connection, content)?;
    let mut list = ContentRows { connection, content };
    facts.versions =
        list.all("SELECT product, version FROM versions WHERE analysis = ?", |row| Ok((row.get(0)?, row.get(1)?)))?;
    facts.nodes = list.all("SELECT name, ready, roles, collected FROM nodes WHERE analysis = ? ORDER BY name", node)?;
    facts.not_collected =
        list.all("SELECT what, why FROM not_collected WHERE analysis = ? ORDER BY what, why", |row| {
            Ok(NotCollected {
                what: GapSubject::Stored { text: row.get(0)? },
                why: GapReason::Stored { text: row.get(1)? },
            })
        })?;
    let (findings, pieces) = list.findings()?;
    let kept: u64 = findings.iter().map(|finding| finding.evidence.len() as u64).sum();
    let issues = list.issues()?;
    let copies = copies(connection, content, &bundle)?;
    let has_cluster_page = bundle.cluster_uid.as_ref().is_some_and(|uid| is_repeated(connection, uid));
    Ok(BundleDetail {
        more_findings: list.count("findings")?.saturating_sub(findings.len() as u64),
        more_issues: list.count("issues")?.saturating_sub(issues.len() as u64),
        more_evidence: pieces.saturating_sub(kept),
        more_copies: copies.1.saturating_sub(copies.0.len() as u64),
        copies: copies.0,
        ticket: ticket(connection, &bundle)?,
        gone,
        has_cluster_page,
        alike: Vec::new(),
        analysis: Analysis {
            run: Run { arguments: vec!["analyze".to_owned(), file(&bundle)], ..Run::default() },
            bundle: facts,
            lang: Lang::En,
            findings,
            rules: list.outcomes()?,
            catalogue: Vec::new(),
            collections: Vec::new(),
            classes: Vec::new(),
            redacted: false,
            accepted: None,
            older: None,
            issues,
            unhealthy: None,
            upgrade: None,
            unexplained: None,
            inventory: None,
            timings: Vec::new(),
        },
        bundle,
    })
}

/// Returns the path of the file of a bundle.
fn file(bundle: &Bundle) -> String {
    PathBuf::from(&bundle.input).join(&bundle.path).display().to_string()
}

/// Returns the bundle, its facts, and whether its file was deleted.
fn facts(connection: &Connection, content: i64) -> rusqlite::Result<(Bundle, BundleFacts, bool)> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {BUNDLE}, b.collector, b.collector_version, b.sha256, b.content_id, b.entries, b.size, c.unread, b.gone
         FROM picked c JOIN bundles b ON b.input = c.input AND b.path = c.path AND b.place = c.place WHERE c.analysis = ?"
    ))?;
    statement.query_row([content], |row| {
        let bundle = bundle(row)?;
        let version =
            row.get::<_, Option<String>>(AFTER_BUNDLE + 1)?.map(|version| CollectorVersion::Exactly { version });
        let collector = row.get::<_, Option<String>>(AFTER_BUNDLE)?;
        let place = if bundle.place.is_empty() { String::new() } else { format!("!/{}", bundle.place) };
        let facts = BundleFacts {
            path: format!("{}{place}", file(&bundle)),
            kind: bundle.kind.clone(),
            collector: collector.map(|name| Collector { name, version, why: CollectorSigns::Unknown }),
            collected_at: bundle.collected_at,
            cluster_uid: bundle.cluster_uid.clone(),
            cluster_name: bundle.cluster_name.clone(),
            sha256: row.get(AFTER_BUNDLE + 2)?,
            content_id: row.get::<_, Option<String>>(AFTER_BUNDLE + 3)?.unwrap_or_default(),
            entries: row.get::<_, Option<u64>>(AFTER_BUNDLE + 4)?.unwrap_or(0),
            bytes: row.get(AFTER_BUNDLE + 5)?,
            unread: row.get::<_, Option<String>>(AFTER_BUNDLE + 6)?.map(|text| Reason::Stored { text }),
            ..BundleFacts::default()
        };
        Ok((bundle, facts, row.get(AFTER_BUNDLE + 7)?))
    })
}

/// Returns what people know about the file of a bundle.
fn ticket(connection: &Connection, bundle: &Bundle) -> rusqlite::Result<TicketFacts> {
    let find = "SELECT ticket, customer, product, resolution FROM tickets WHERE (input, path) = (?, ?)";
    let row = |row: &Row<'_>| {
        Ok(TicketFacts { ticket: row.get(0)?, customer: row.get(1)?, product: row.get(2)?, resolution: row.get(3)? })
    };
    let found = connection.prepare_cached(find)?.query_row((&bundle.input, &bundle.path), row).optional()?;
    Ok(found.unwrap_or_default())
}

fn node(row: &Row<'_>) -> rusqlite::Result<NodeFacts> {
    let roles: String = row.get(2)?;
    Ok(NodeFacts {
        name: row.get(0)?,
        ready: row.get(1)?,
        roles: serde_json::from_str(&roles).unwrap_or_default(),
        collected: row.get(3)?,
    })
}

/// Returns the first copies and their number.
fn copies(connection: &Connection, content: i64, bundle_of: &Bundle) -> rusqlite::Result<(Vec<Bundle>, u64)> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT b.input, b.path, b.place, b.kind, NULL, NULL, NULL, NULL, b.collected_at, NULL, NULL, NULL, count(*) OVER ()
         FROM analyses a JOIN bundles b ON b.analysis = a.id
         WHERE a.content = (SELECT content FROM analyses WHERE id = ?) AND (b.input, b.path, b.place) <> (?, ?, ?)
         ORDER BY b.input, b.path, b.place LIMIT {COPIES}"
    ))?;
    let key = (content, &bundle_of.input, &bundle_of.path, &bundle_of.place);
    let rows = statement.query_map(key, |row| Ok((bundle(row)?, row.get::<_, u64>(AFTER_BUNDLE)?)))?;
    let (copies, counts): (Vec<Bundle>, Vec<u64>) = rows.collect::<rusqlite::Result<Vec<_>>>()?.into_iter().unzip();
    Ok((copies, counts.first().copied().unwrap_or(0)))
}

fn is_repeated(connection: &Connection, uid: &str) -> bool {
    let several = "SELECT count(*) > 1 FROM picked WHERE cluster_uid = ?";
    connection.prepare_cached(several).and_then(|mut ask| ask.query_row([uid], |row| row.get(0))).unwrap_or(false)
}

/// Rows of one content.
struct ContentRows<'c> {
    connection: &'c Connection,
    content: i64,
}

impl ContentRows<'_> {
    fn all<T, C: FromIterator<T>>(
        &mut self,
        question: &str,
        of: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<C> {
        let mut statement = self.connection.prepare_cached(question)?;
        statement.query_map([self.content], of)?.collect()
    }

    fn count(&self, table: &str) -> rusqlite::Result<u64> {
        let mut statement =
            self.connection.prepare_cached(&format!("SELECT count(*) FROM {table} WHERE analysis = ?"))?;
        statement.query_row([self.content], |row| row.get(0))
    }

    /// Returns the first findings, causes before symptoms, and the number of their pieces of evidence.
    fn findings(&mut self) -> rusqlite::Result<(Vec<Finding>, u64)> {
        let mut pieces = 0;
        let question = format!(
            "SELECT rule, severity, confidence, area, title, message, objects, fingerprint, explained_by, count, first_seen,
                    last_seen, evidence, evidence_count, name, class
             FROM findings WHERE analysis = ?
             ORDER BY explained_by IS NOT NULL, class <> 'fault', {}, rule, fingerprint LIMIT {LISTED}",
            by_severity("severity")
        );
        let mut findings: Vec<Finding> = self.all(&question, |row| {
            pieces += row.get::<_, u64>(13)?;
            finding(row)
        })?;
        findings.sort_by(|a, b| (&a.rule, &a.fingerprint).cmp(&(&b.rule, &b.fingerprint)));
        Ok((findings, pieces))
    }

    fn issues(&mut self) -> rusqlite::Result<Vec<Issue>> {
        let question =
            format!("SELECT entry, line, kind, message FROM issues WHERE analysis = ? ORDER BY number LIMIT {LISTED}");
        self.all(&question, |row| {
            let (entry, line): (Option<String>, Option<u64>) = (row.get(0)?, row.get(1)?);
            let kind: String = row.get(2)?;
            let origin = entry.map(|entry| Origin { entry: entry.as_str().into(), line });
            Ok(Issue { origin, kind: issue_kind(&kind), message: IssueMessage::Stored { text: row.get(3)? } })
        })
    }

    fn outcomes(&mut self) -> rusqlite::Result<RuleOutcomes> {
        let rows: Vec<(String, String, Option<String>)> = self.all(
            "SELECT o.rule, o.outcome, r.text FROM outcomes o LEFT JOIN reasons r ON r.id = o.reason
             WHERE o.analysis = ? ORDER BY o.rule",
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
        )?;
        let mut outcomes = RuleOutcomes::default();
        for (rule, outcome, reason) in rows {
            let reason = Reason::Stored { text: reason.unwrap_or_default() };
            match outcome.as_str() {
                "fired" => outcomes.fired.push(rule),
                "clean" => outcomes.clean.push(rule),
                "not_applicable" => outcomes.not_applicable.push(RuleReason { rule, reason }),
                _ => outcomes.not_evaluated.push(RuleReason { rule, reason }),
            }
        }
        Ok(outcomes)
    }
}

/// Reads a finding; texts that are not stored stay empty.
fn finding(row: &Row<'_>) -> rusqlite::Result<Finding> {
    let (severity, confidence): (String, String) = (row.get(1)?, row.get(2)?);
    let (objects, pieces): (String, String) = (row.get(6)?, row.get(12)?);
    let class: String = row.get(15)?;
    Ok(Finding {
        rule: row.get(0)?,
        name: row.get(14)?,
        class: FindingClass::parse(&class).unwrap_or_default(),
        severity: Severity::parse(&severity).unwrap_or(Severity::Info),
        confidence: Confidence::parse(&confidence).unwrap_or(Confidence::Hint),
        area: row.get(3)?,
        title: timed_text(row, 4)?,
        message: timed_text(row, 5)?,
        impact: TimedText::default(),
        cause: TimedText::default(),
        affects: Vec::new(),
        fixed_in: Vec::new(),
        objects: evidence::objects(&objects),
        remedy: Vec::new(),
        verify: None,
        links: Vec::new(),
        evidence: evidence::evidence(&pieces),
        count: row.get(9)?,
        seen: Histogram::default(),
        first_seen: time(row, 10)?,
        last_seen: time(row, 11)?,
        fingerprint: row.get(7)?,
        explained_by: row.get(8)?,
        causes: Vec::new(),
        checked: Vec::new(),
        before: crate::model::Before::default(),
        novelty: None,
    })
}

/// Returns the kind with this name in JSON.
fn issue_kind(name: &str) -> IssueKind {
    use IssueKind as K;
    let all = [K::Archive, K::Limit, K::Layout, K::Path, K::Document, K::Log, K::Rule];
    all.into_iter().find(|kind| kind.as_str() == name).unwrap_or(K::Document)
}
