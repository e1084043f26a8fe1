//! Clusters with several bundles, and the changes from one bundle to the next.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::{Connection, params};

use super::snapshot::{AFTER_BUNDLE, BUNDLE, Snapshot, bundle, time, timed_text};
use crate::model::TimedText;
use crate::model::difference::{Changed, Side};
use crate::report::archive::{Bundle, Change, ChangeCounts, Cluster, ClusterLine, FindingLine, NotComparable, Step};
use crate::triage::store::StoreError;

/// Bundles compared per cluster: the latest.
const STEPS: usize = 100;
/// Findings listed per change.
const NAMED: usize = 50;

impl Snapshot {
    /// Returns clusters with several bundles, most bundles first; changes are not filled in yet.
    ///
    /// # Errors
    /// All methods fail when the store cannot be read.
    pub fn clusters(&self) -> Result<Vec<ClusterLine>, StoreError> {
        self.ask(|connection| {
            let mut statement = connection.prepare(
                "SELECT cluster_uid, max(cluster_name), count(*) AS bundles, min(collected_at), max(collected_at)
                 FROM picked WHERE cluster_uid IS NOT NULL GROUP BY cluster_uid HAVING bundles > 1
                 ORDER BY bundles DESC, cluster_uid",
            )?;
            let rows = statement.query_map([], |row| {
                Ok(ClusterLine {
                    uid: row.get(0)?,
                    name: row.get(1)?,
                    bundles: row.get(2)?,
                    first: time(row, 3)?,
                    last: time(row, 4)?,
                    latest: None,
                })
            })?;
            rows.collect()
        })
    }

    /// Returns a cluster with its bundles by time.
    pub fn cluster(&self, mut line: ClusterLine) -> Result<Cluster, StoreError> {
        self.ask(|connection| {
            let mut statement = connection.prepare_cached(&format!(
                "SELECT {BUNDLE}, c.analysis FROM picked c WHERE c.cluster_uid = ?
                 ORDER BY c.collected_at, c.input, c.path, c.place"
            ))?;
            let rows = statement.query_map([&line.uid], |row| Ok((bundle(row)?, row.get::<_, i64>(AFTER_BUNDLE)?)))?;
            let bundles = rows.collect::<rusqlite::Result<Vec<_>>>()?;
            let (dated, undated): (Vec<_>, Vec<_>) =
                bundles.into_iter().partition(|(bundle, _)| bundle.collected_at.is_some());
            let earlier = dated.len().saturating_sub(STEPS);
            // The first of them is compared with the one before.
            let steps = steps(connection, dated.get(earlier.saturating_sub(1)..).unwrap_or_default())?;
            let steps: Vec<Step> = steps.into_iter().rev().take(STEPS).collect();
            line.latest = steps.first().and_then(|step| step.change.as_ref()).map(|change| change.counts);
            Ok(Cluster {
                line,
                steps,
                earlier: earlier as u64,
                more_undated: undated.len().saturating_sub(STEPS) as u64,
                undated: undated.into_iter().take(STEPS).map(|(bundle, _)| bundle).collect(),
            })
        })
    }
}

/// Returns each bundle with the changes since the one before, by time.
fn steps(connection: &Connection, bundles: &[(Bundle, i64)]) -> rusqlite::Result<Vec<Step>> {
    let mut before: Option<BundleState> = None;
    let mut steps = Vec::with_capacity(bundles.len());
    for (bundle, analysis) in bundles {
        let state = BundleState::of(connection, *analysis)?;
        let change = before.as_ref().map(|before| change(connection, before, &state)).transpose()?;
        steps.push(Step { bundle: bundle.clone(), findings: state.findings.len() as u64, change });
        before = Some(state);
    }
    Ok(steps)
}

/// Facts of a bundle that are compared.
struct BundleState {
    rule_set: i64,
    /// Findings by rule and fingerprint.
    findings: BTreeMap<(String, String), FindingLine>,
    /// Rules with an answer, including not applicable.
    answered: BTreeSet<String>,
    /// Reasons why other rules have none.
    reasons: BTreeMap<String, String>,
    versions: BTreeMap<String, String>,
    nodes: BTreeMap<String, String>,
}

impl BundleState {
    fn of(connection: &Connection, analysis: i64) -> rusqlite::Result<Self> {
        let mut findings =
            connection.prepare_cached("SELECT rule, fingerprint, severity, title FROM findings WHERE analysis = ?")?;
        let findings = findings.query_map([analysis], |row| {
            let finding = FindingLine { rule: row.get(0)?, severity: row.get(2)?, title: timed_text(row, 3)? };
            Ok(((finding.rule.clone(), row.get(1)?), finding))
        })?;
        let mut answered =
            connection.prepare_cached("SELECT rule FROM outcomes WHERE analysis = ? AND outcome <> 'not_evaluated'")?;
        let answered = answered.query_map([analysis], |row| row.get(0))?;
        let pairs = |question: &str| -> rusqlite::Result<BTreeMap<String, String>> {
            let mut statement = connection.prepare_cached(question)?;
            statement.query_map([analysis], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        };
        Ok(Self {
            rule_set: connection
                .prepare_cached("SELECT rule_set FROM analyses WHERE id = ?")?
                .query_row([analysis], |row| row.get(0))?,
            findings: findings.collect::<rusqlite::Result<_>>()?,
            answered: answered.collect::<rusqlite::Result<_>>()?,
            reasons: pairs(
                "SELECT o.rule, coalesce(r.text, '') FROM outcomes o LEFT JOIN reasons r ON r.id = o.reason
                 WHERE o.analysis = ? AND o.outcome = 'not_evaluated'",
            )?,
            versions: pairs("SELECT product, version FROM versions WHERE analysis = ?")?,
            nodes: pairs(
                "SELECT name, CASE ready WHEN 1 THEN 'ready' WHEN 0 THEN 'not ready' ELSE 'state unknown' END
                 FROM nodes WHERE analysis = ?",
            )?,
        })
    }

    /// Returns the reason why a missing finding of this rule proves nothing.
    fn why_not_evaluated(&self, rule: &str, changed: &BTreeSet<String>) -> Option<TimedText> {
        match self.reasons.get(rule) {
            Some(reason) => Some(TimedText::parse(&format!("not evaluated: {reason}"))),
            None if !self.answered.contains(rule) => Some("the rule was not run".into()),
            None if changed.contains(rule) => Some("the two were analysed with different versions of the rule".into()),
            None => None,
        }
    }
}

fn change(connection: &Connection, old: &BundleState, new: &BundleState) -> rusqlite::Result<Change> {
    let changed = changed_rules(connection, old.rule_set, new.rule_set)?;
    let mut change = Change { versions: differences(&old.versions, &new.versions), ..Change::default() };
    match (old.nodes.is_empty(), new.nodes.is_empty()) {
        (true, false) => change.without_nodes = Some(Side::Old),
        (false, true) => change.without_nodes = Some(Side::New),
        _ => change.nodes = differences(&old.nodes, &new.nodes),
    }
    for (key, finding) in &new.findings {
        match old.why_not_evaluated(&finding.rule, &changed) {
            _ if old.findings.contains_key(key) => change.counts.still += 1,
            Some(reason) => {
                change.not_comparable.push(NotComparable { finding: finding.clone(), side: Side::New, reason })
            }
            None => change.new.push(finding.clone()),
        }
    }
    for (_, finding) in old.findings.iter().filter(|(key, _)| !new.findings.contains_key(*key)) {
        match new.why_not_evaluated(&finding.rule, &changed) {
            Some(reason) => {
                change.not_comparable.push(NotComparable { finding: finding.clone(), side: Side::Old, reason })
            }
            None => change.gone.push(finding.clone()),
        }
    }
    let (new, gone, not_comparable) = (change.new.len(), change.gone.len(), change.not_comparable.len());
    change.counts = ChangeCounts {
        new: new as u64,
        gone: gone as u64,
        not_comparable: not_comparable as u64,
        still: change.counts.still,
    };
    change.new.sort_by(|a, b| order(a).cmp(&order(b)));
    change.gone.sort_by(|a, b| order(a).cmp(&order(b)));
    change.not_comparable.sort_by(|a, b| (a.side, order(&a.finding)).cmp(&(b.side, order(&b.finding))));
    change.new.truncate(NAMED);
    change.gone.truncate(NAMED);
    change.not_comparable.truncate(NAMED);
    Ok(change)
}

/// Returns rules that differ between two sets.
fn changed_rules(connection: &Connection, old: i64, new: i64) -> rusqlite::Result<BTreeSet<String>> {
    if old == new {
        return Ok(BTreeSet::new());
    }
    let mut statement = connection.prepare_cached(
        "SELECT a.rule FROM rule_sets a JOIN rule_sets b ON b.id = ?2 AND b.rule = a.rule WHERE a.id = ?1 AND a.hash <> b.hash",
    )?;
    statement.query_map(params![old, new], |row| row.get(0))?.collect()
}

/// Returns names whose values differ or exist on one side only, sorted.
fn differences(old: &BTreeMap<String, String>, new: &BTreeMap<String, String>) -> Vec<Changed> {
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let changed = names.into_iter().filter(|name| old.get(*name) != new.get(*name));
    changed
        .map(|name| Changed { name: name.clone(), old: old.get(name).cloned(), new: new.get(name).cloned() })
        .collect()
}

/// Sort key, most severe first.
fn order(finding: &FindingLine) -> (Option<usize>, &str, &str) {
    let severity = crate::model::Severity::ALL.iter().position(|severity| severity.as_str() == finding.severity);
    (severity, &finding.rule, finding.title.as_str())
}
