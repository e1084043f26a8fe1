//! Contract `gleaner.analysis/v1`: separate structs, so that a change of the model cannot change it. Unknown values are
//! null; keys are in the order of the contract.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};

use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Serialize, Serializer};

use crate::model::unexplained::LogTemplate;
use crate::model::{
    Analysis, Before, BundleFacts, Change, CheckedComponent, Collector, Component, DirectCause, EndOfLife, Evidence,
    ExcerptLine, Finding, Issue, NodeFacts, NotCollected, Novelty, ObjectRef, OlderBundle, PathStep, RemedyStep,
    RuleCollection, RuleOutcomes, RuleReason, Timing,
};
use crate::report::rank;

use super::indented;
use super::object::Object;
use super::place::Place;
use super::unexplained::UnexplainedOut;
use super::unhealthy::UnhealthyOut;
use super::upgrade::UpgradeOut;

/// Value of the key `schema`.
pub const SCHEMA: &str = "gleaner.analysis/v1";

/// Writes the analysis, indented by two spaces, with a final newline.
///
/// # Errors
/// Errors of the writer.
pub fn write(analysis: &Analysis, out: &mut dyn Write) -> io::Result<()> {
    indented::write(&Document::of(analysis), out)
}

/// Returns the value of `evidence` on one line.
pub fn evidence(evidence: &[Evidence]) -> String {
    line(&evidence.iter().map(Proof::of).collect::<Vec<_>>())
}

/// Returns the value of `objects` on one line.
pub fn objects(objects: &[ObjectRef]) -> String {
    line(&objects.iter().map(Object::of).collect::<Vec<_>>())
}

fn line(value: &impl Serialize) -> String {
    // Plain data with text keys can always be serialized to JSON.
    serde_json::to_string(value).unwrap_or_default()
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    bundle: Bundle<'a>,
    #[serde(serialize_with = "each_finding")]
    findings: Vec<&'a Finding>,
    unhealthy: Option<UnhealthyOut<'a>>,
    unexplained: Option<UnexplainedOut<'a>>,
    upgrade: Option<UpgradeOut<'a>>,
    rules: Rules<'a>,
    #[serde(serialize_with = "each_issue")]
    issues: &'a [Issue],
    baseline: Option<BaselineOut>,
    since: Option<SinceOut<'a>>,
    redacted: bool,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "seconds")]
    timings: Option<&'a [Timing]>,
}

impl<'a> Document<'a> {
    fn of(analysis: &'a Analysis) -> Self {
        Self {
            schema: SCHEMA,
            bundle: Bundle::of(&analysis.bundle),
            findings: rank::flat(&analysis.findings),
            unhealthy: analysis.unhealthy.as_ref().map(UnhealthyOut::of),
            unexplained: analysis.unexplained.as_ref().map(UnexplainedOut::of),
            upgrade: analysis.upgrade.as_ref().map(UpgradeOut::of),
            rules: Rules::of(&analysis.rules, &analysis.collections),
            issues: &analysis.issues,
            baseline: analysis.accepted.map(|accepted| BaselineOut { hidden: accepted.hidden }),
            since: analysis.older.as_ref().map(SinceOut::of),
            redacted: analysis.redacted,
            timings: (!analysis.timings.is_empty()).then_some(analysis.timings.as_slice()),
        }
    }
}

#[derive(Serialize)]
struct BaselineOut {
    hidden: usize,
}

#[derive(Serialize)]
struct SinceOut<'a> {
    path: &'a str,
    collected_at: Option<Timestamp>,
    doubts: Vec<String>,
    new: u64,
    gone: u64,
    not_comparable: u64,
}

impl<'a> SinceOut<'a> {
    fn of(older: &'a OlderBundle) -> Self {
        Self {
            path: &older.path,
            collected_at: older.collected_at,
            doubts: older.doubts.iter().map(ToString::to_string).collect(),
            new: older.new,
            gone: older.gone,
            not_comparable: older.unknown,
        }
    }
}

#[derive(Serialize)]
struct Bundle<'a> {
    path: &'a str,
    kind: &'a str,
    sha256: Option<&'a str>,
    content_id: &'a str,
    collector: Option<CollectorOut<'a>>,
    collected_at: Option<Timestamp>,
    reported: ReportedOut<'a>,
    cluster: Cluster<'a>,
    versions: &'a BTreeMap<String, String>,
    end_of_life: Vec<EndOfLifeOut<'a>>,
    nodes: Vec<Node<'a>>,
    logs: Logs,
    not_collected: Vec<Missing>,
    entries: u64,
    bytes: u64,
}

impl<'a> Bundle<'a> {
    fn of(facts: &'a BundleFacts) -> Self {
        Self {
            path: &facts.path,
            kind: &facts.kind,
            sha256: facts.sha256.as_deref(),
            content_id: &facts.content_id,
            collector: facts.collector.as_ref().map(CollectorOut::of),
            collected_at: facts.collected_at,
            reported: ReportedOut {
                description: facts.reported.description.as_deref(),
                url: facts.reported.url.as_deref(),
            },
            cluster: Cluster { uid: facts.cluster_uid.as_deref(), name: facts.cluster_name.as_deref() },
            versions: &facts.versions,
            end_of_life: facts.ends_of_life.iter().map(EndOfLifeOut::of).collect(),
            nodes: facts.nodes.iter().map(Node::of).collect(),
            logs: Logs { from: facts.logs.from, to: facts.logs.to },
            not_collected: facts.not_collected.iter().map(Missing::of).collect(),
            entries: facts.entries,
            bytes: facts.bytes,
        }
    }
}

#[derive(Serialize)]
struct EndOfLifeOut<'a> {
    product: &'a str,
    date: Date,
    as_of: Date,
}

impl<'a> EndOfLifeOut<'a> {
    fn of((product, end): (&'a String, &EndOfLife)) -> Self {
        Self { product, date: end.date, as_of: end.as_of }
    }
}

#[derive(Serialize)]
struct ReportedOut<'a> {
    description: Option<&'a str>,
    url: Option<&'a str>,
}

#[derive(Serialize)]
struct CollectorOut<'a> {
    name: &'a str,
    version: Option<String>,
    why: String,
}

impl<'a> CollectorOut<'a> {
    fn of(collector: &'a Collector) -> Self {
        Self {
            name: &collector.name,
            version: collector.version.as_ref().map(ToString::to_string),
            why: collector.why.to_string(),
        }
    }
}

#[derive(Serialize)]
struct Cluster<'a> {
    uid: Option<&'a str>,
    name: Option<&'a str>,
}

#[derive(Serialize)]
struct Node<'a> {
    name: &'a str,
    ready: Option<bool>,
    roles: &'a [String],
    collected: bool,
}

impl<'a> Node<'a> {
    fn of(node: &'a NodeFacts) -> Self {
        Self { name: &node.name, ready: node.ready, roles: &node.roles, collected: node.collected }
    }
}

#[derive(Serialize)]
struct Logs {
    from: Option<Timestamp>,
    to: Option<Timestamp>,
}

#[derive(Serialize)]
struct Missing {
    what: String,
    why: String,
}

impl Missing {
    fn of(missing: &NotCollected) -> Self {
        Self { what: missing.what.to_string(), why: missing.why.to_string() }
    }
}

#[derive(Serialize)]
struct FindingOut<'a> {
    rule: &'a str,
    name: &'a str,
    class: &'static str,
    severity: &'static str,
    confidence: &'static str,
    area: &'a str,
    title: &'a str,
    message: &'a str,
    impact: &'a str,
    cause: &'a str,
    #[serde(serialize_with = "by_product")]
    affects: Vec<(&'a str, &'a str)>,
    #[serde(serialize_with = "by_product")]
    fixed_in: Vec<(&'a str, &'a str)>,
    objects: Vec<Object<'a>>,
    remedy: Vec<Step<'a>>,
    verify: Option<&'a str>,
    links: &'a [String],
    evidence: Vec<Proof<'a>>,
    count: u64,
    first_seen: Option<Timestamp>,
    last_seen: Option<Timestamp>,
    fingerprint: &'a str,
    explained_by: Option<&'a str>,
    causes: Vec<DirectCauseOut<'a>>,
    checked: Vec<CheckedOut<'a>>,
    before: BeforeOut<'a>,
    novelty: Option<&'static str>,
}

impl<'a> FindingOut<'a> {
    fn of(finding: &'a Finding) -> Self {
        Self {
            rule: &finding.rule,
            name: &finding.name,
            class: finding.class.as_str(),
            severity: finding.severity.as_str(),
            confidence: finding.confidence.as_str(),
            area: &finding.area,
            title: &finding.title,
            message: &finding.message,
            impact: &finding.impact,
            cause: &finding.cause,
            affects: finding.affects.iter().map(|(product, range)| (product.as_str(), range.text())).collect(),
            fixed_in: finding
                .fixed_in
                .iter()
                .map(|(product, versions)| (product.as_str(), versions.as_str()))
                .collect(),
            objects: finding.objects.iter().map(Object::of).collect(),
            remedy: finding.remedy.iter().map(Step::of).collect(),
            verify: finding.verify.as_deref(),
            links: &finding.links,
            evidence: finding.evidence.iter().map(Proof::of).collect(),
            count: finding.count,
            first_seen: finding.first_seen,
            last_seen: finding.last_seen,
            fingerprint: &finding.fingerprint,
            explained_by: finding.explained_by.as_deref(),
            causes: finding.causes.iter().map(DirectCauseOut::of).collect(),
            checked: finding.checked.iter().map(CheckedOut::of).collect(),
            before: BeforeOut::of(&finding.before),
            novelty: finding.novelty.map(Novelty::as_str),
        }
    }
}

#[derive(Serialize)]
struct DirectCauseOut<'a> {
    finding: &'a str,
    path: Vec<PathStepOut<'a>>,
}

impl<'a> DirectCauseOut<'a> {
    fn of(cause: &'a DirectCause) -> Self {
        Self { finding: &cause.finding, path: cause.path.iter().map(PathStepOut::of).collect() }
    }
}

#[derive(Serialize)]
struct CheckedOut<'a> {
    node: Option<&'a str>,
    part: Option<&'static str>,
    clean: usize,
    unproven: usize,
    reason: Option<String>,
}

impl<'a> CheckedOut<'a> {
    fn of(checked: &'a CheckedComponent) -> Self {
        let CheckedComponent { component, clean, unproven, reason } = checked;
        let (_, node, part) = parts(component);
        Self { node, part, clean: *clean, unproven: *unproven, reason: reason.as_ref().map(ToString::to_string) }
    }
}

#[derive(Serialize)]
struct BeforeOut<'a> {
    errors: Vec<EarlierError<'a>>,
    changes: Vec<ChangeOut<'a>>,
}

#[derive(Serialize)]
struct EarlierError<'a> {
    template: &'a str,
    level: &'static str,
    lines: u64,
    first: Option<Timestamp>,
    last: Option<Timestamp>,
    /// Place of the last line.
    #[serde(flatten)]
    place: Place<'a>,
    sample: &'a str,
}

#[derive(Serialize)]
struct ChangeOut<'a> {
    time: Timestamp,
    object: Object<'a>,
    what: &'static str,
    changed_by: Option<&'a str>,
    #[serde(flatten)]
    place: Place<'a>,
}

impl<'a> BeforeOut<'a> {
    fn of(Before { errors, changes }: &'a Before) -> Self {
        let error = |error: &'a LogTemplate| EarlierError {
            template: &error.text,
            level: error.level.as_str(),
            lines: error.lines,
            first: error.first,
            last: error.last,
            place: Place::of(&error.last_at),
            sample: &error.sample,
        };
        let change = |change: &'a Change| ChangeOut {
            time: change.at,
            object: Object::of(&change.object),
            what: change.kind.as_str(),
            changed_by: change.kind.client(),
            place: Place::of(&change.origin),
        };
        Self { errors: errors.iter().map(error).collect(), changes: changes.iter().map(change).collect() }
    }
}

/// Returns the object of a component, its node, and its part or service.
fn parts(component: &Component) -> (Option<Object<'_>>, Option<&str>, Option<&'static str>) {
    match component {
        Component::Object(object) => (Some(Object::of(object)), None, None),
        Component::Node { node, part } => (None, Some(node), Some(part.as_str())),
        Component::Cluster(service) => (None, None, Some(service.as_str())),
    }
}

/// A component: an object, a part of a node, or a service of the cluster.
#[derive(Serialize)]
struct PathStepOut<'a> {
    object: Option<Object<'a>>,
    node: Option<&'a str>,
    part: Option<&'static str>,
    by: Option<&'static str>,
}

impl<'a> PathStepOut<'a> {
    fn of(step: &'a PathStep) -> Self {
        let (object, node, part) = parts(&step.component);
        Self { object, node, part, by: step.by }
    }
}

#[derive(Serialize)]
struct Step<'a> {
    #[serde(rename = "do")]
    action: &'a str,
    run: Option<&'a str>,
    caution: Option<&'a str>,
}

impl<'a> Step<'a> {
    fn of(step: &'a RemedyStep) -> Self {
        Self { action: &step.action, run: step.run.as_deref(), caution: step.caution.as_deref() }
    }
}

#[derive(Serialize)]
struct Proof<'a> {
    fact: &'a str,
    entry: &'a str,
    line: Option<u64>,
    field: Option<&'a str>,
    value: Option<Cow<'a, str>>,
    excerpt: Vec<Line<'a>>,
}

impl<'a> Proof<'a> {
    fn of(evidence: &'a Evidence) -> Self {
        Self {
            fact: &evidence.fact,
            entry: &evidence.entry,
            line: evidence.line,
            field: evidence.field.as_deref(),
            value: evidence.value_text(),
            excerpt: evidence.excerpt.iter().map(Line::of).collect(),
        }
    }
}

#[derive(Serialize)]
struct Line<'a> {
    line: u64,
    text: &'a str,
    hit: bool,
}

impl<'a> Line<'a> {
    fn of(line: &'a ExcerptLine) -> Self {
        Self { line: line.line, text: &line.text, hit: line.hit }
    }
}

#[derive(Serialize)]
struct Rules<'a> {
    fired: &'a [String],
    fired_partly: Vec<Reason<'a>>,
    clean: &'a [String],
    clean_partly: Vec<Reason<'a>>,
    not_evaluated: Vec<Reason<'a>>,
    not_applicable: Vec<Reason<'a>>,
    collections: Vec<CollectionOut<'a>>,
}

#[derive(Serialize)]
struct CollectionOut<'a> {
    name: &'a str,
    version: &'a str,
    rules: usize,
}

impl<'a> CollectionOut<'a> {
    fn of(collection: &'a RuleCollection) -> Self {
        let RuleCollection { name, version, rules } = collection;
        Self { name, version, rules: *rules }
    }
}

impl<'a> Rules<'a> {
    fn of(rules: &'a RuleOutcomes, collections: &'a [RuleCollection]) -> Self {
        Self {
            fired: &rules.fired,
            fired_partly: rules.fired_partly.iter().map(Reason::of).collect(),
            clean: &rules.clean,
            clean_partly: rules.clean_partly.iter().map(Reason::of).collect(),
            not_evaluated: rules.not_evaluated.iter().map(Reason::of).collect(),
            not_applicable: rules.not_applicable.iter().map(Reason::of).collect(),
            collections: collections.iter().map(CollectionOut::of).collect(),
        }
    }
}

#[derive(Serialize)]
struct Reason<'a> {
    rule: &'a str,
    reason: String,
}

impl<'a> Reason<'a> {
    fn of(reason: &'a RuleReason) -> Self {
        Self { rule: &reason.rule, reason: reason.reason.to_string() }
    }
}

#[derive(Serialize)]
struct IssueOut<'a> {
    entry: Option<&'a str>,
    line: Option<u64>,
    kind: &'static str,
    message: String,
}

impl<'a> IssueOut<'a> {
    fn of(issue: &'a Issue) -> Self {
        let origin = issue.origin.as_ref();
        Self {
            entry: origin.map(|o| o.entry.as_ref()),
            line: origin.and_then(|o| o.line),
            kind: issue.kind.as_str(),
            message: issue.message.to_string(),
        }
    }
}

/// Serializes one finding at a time, so that a large report needs no second copy in memory.
fn each_finding<S: Serializer>(findings: &[&Finding], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(findings.iter().map(|f| FindingOut::of(f)))
}

fn each_issue<S: Serializer>(issues: &[Issue], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(issues.iter().map(IssueOut::of))
}

fn by_product<S: Serializer>(pairs: &[(&str, &str)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().map(|(product, versions)| (product, versions)))
}

fn seconds<S: Serializer>(timings: &Option<&[Timing]>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(timings.iter().copied().flatten().map(|timing| (&timing.stage, timing.time.as_secs_f64())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::specimen;
    use std::time::Duration;

    fn json(analysis: &Analysis) -> String {
        let mut out = Vec::new();
        write(analysis, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_contract_is_kept_to_the_byte() {
        assert_eq!(json(&specimen::small()), include_str!("specimen.json"));
    }

    #[test]
    fn timings_are_there_only_when_measured() {
        let mut analysis = specimen::small();
        assert!(!json(&analysis).contains("timings"));
        analysis.timings = vec![Timing::of("read", Duration::from_millis(1500)), Timing::of("parse", Duration::ZERO)];
        let value: serde_json::Value = serde_json::from_str(&json(&analysis)).unwrap();
        assert_eq!(value["timings"], serde_json::json!({"read": 1.5, "parse": 0.0}));
    }

    #[test]
    fn hostile_text_survives_unchanged() {
        let mut analysis = specimen::small();
        let hostile = "</script>\u{202e}\u{1b}[31m\"\\\u{0}";
        analysis.findings = vec![Finding { title: hostile.into(), ..specimen::finding() }];
        let value: serde_json::Value = serde_json::from_str(&json(&analysis)).unwrap();
        assert_eq!(value["findings"][0]["title"], hostile);
    }
}
