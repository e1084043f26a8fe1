//! WorkerProcess process: reads [`Order`]s, analyses files, and answers.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::time::Instant;

use rayon::ThreadPool;
use sha2::{Digest, Sha256};

use super::local_file::LocalFile;
use super::message::{
    Analysed, Answer, Finding, IssueRow, Node, Order, Outcome, RuleOutcome, RuleState, Setup, TemplateRow, Want,
};
use super::reports;
use crate::bundle::{Bundle, Limits, OpenError};
use crate::model::unexplained::TroubleTemplate;
use crate::model::{self, Analysis, BundleKind, IssueKind};
use crate::pipeline::{self, Options};
use crate::report::json::v1;
use crate::rule::{self, RuleSet, Source, Streams};

/// Pieces of evidence stored per finding.
const MOST_EVIDENCE: usize = 20;

/// Templates stored per bundle.
const MOST_TEMPLATES: usize = 500;

/// Bytes of evidence stored per bundle.
const MOST_BYTES: usize = 64 << 20;

/// Serves the parent until `orders` end.
///
/// # Errors
/// Fails when answers cannot be written, or an order is invalid.
pub fn serve(orders: &mut dyn Iterator<Item = Order>, out: &mut dyn Write, pool: &ThreadPool) -> io::Result<()> {
    let Some(Order::Setup(setup)) = orders.next() else { return Err(unexpected("no setup")) };
    let worker = WorkerProcess::new(setup, pool)?;
    write_answer(out, &Answer::Ready)?;
    while let Some(order) = orders.next() {
        let Order::Task(task) = order else { return Err(unexpected("no task")) };
        let begin = Instant::now();
        let outcome = match (LocalFile::of(&task), &task.want) {
            (Err(error), _) => Some(Outcome::Unreadable(format!("cannot be fetched: {error}"))),
            (Ok(local), Want::Reports(pages)) => {
                let failures = pool.install(|| reports::write(&local, pages, &worker.set, worker.limits));
                write_answer(out, &Answer::Reported { failures })?;
                None
            }
            (Ok(local), Want::Findings { hash, rules }) => match verdict(&local, *hash, orders, out)? {
                Verdict::Go => Some(pool.install(|| worker.outcome(&local, rules.as_deref()))),
                Verdict::Leave => None,
                Verdict::Unreadable(why) => Some(Outcome::Unreadable(why)),
            },
        };
        if let Some(outcome) = outcome {
            write_answer(out, &Answer::Done { outcome, seconds: begin.elapsed().as_secs_f64() })?;
        }
    }
    Ok(())
}

/// Decision about a task.
enum Verdict {
    Go,
    Leave,
    Unreadable(String),
}

/// Sends the checksum of the file if requested, and waits for the decision of the parent.
fn verdict(
    local: &LocalFile,
    hash: bool,
    orders: &mut dyn Iterator<Item = Order>,
    out: &mut dyn Write,
) -> io::Result<Verdict> {
    if !hash {
        return Ok(Verdict::Go);
    }
    match sha256(&local.path) {
        Ok(sha256) => write_answer(out, &Answer::Hashed { sha256 })?,
        Err(error) => return Ok(Verdict::Unreadable(format!("cannot be read: {error}"))),
    }
    match orders.next() {
        Some(Order::Verdict { go: true }) => Ok(Verdict::Go),
        Some(Order::Verdict { go: false }) => Ok(Verdict::Leave),
        _ => Err(unexpected("no verdict")),
    }
}

fn unexpected(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("{what} from the parent"))
}

fn write_answer(out: &mut dyn Write, answer: &Answer) -> io::Result<()> {
    serde_json::to_writer(&mut *out, answer)?;
    out.write_all(b"\n")?;
    out.flush()
}

fn sha256(path: &Path) -> io::Result<String> {
    let mut hasher = Sha256::new();
    let mut file = File::open(path)?;
    let mut chunk = vec![0; 128 << 10];
    loop {
        match file.read(&mut chunk) {
            Ok(0) => return Ok(format!("{:x}", hasher.finalize())),
            Ok(count) => hasher.update(chunk.get(..count).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Analyses the bundles in a file on this machine, in this process, with all rules.
pub fn analyse_here(path: &Path, set: RuleSet, limits: Limits) -> Outcome {
    WorkerProcess { set, limits }.outcome(&LocalFile::here(path), None)
}

struct WorkerProcess {
    set: RuleSet,
    limits: Limits,
}

impl WorkerProcess {
    fn new(setup: Setup, pool: &ThreadPool) -> io::Result<Self> {
        let refused = |_| unexpected("rules that cannot run");
        let streams = Streams::parse(Source::from(setup.streams)).map_err(refused)?;
        let sources = setup.rules.into_iter().map(Source::from).collect();
        let known_lines = setup.known_lines.into_iter().map(Source::from).collect();
        let set = pool.install(|| rule::compile(sources, &streams)?.with_known_lines(known_lines)).map_err(refused)?;
        Ok(Self { set: set.of_collections(setup.collections), limits: setup.limits })
    }

    /// Runs the given rules, or all of them, on the bundles in a file.
    fn outcome(&self, local: &LocalFile, rules: Option<&[String]>) -> Outcome {
        let bundles = match Bundle::open_all(&local.path, self.limits) {
            Ok(bundles) => bundles,
            Err(error) => return refused(&error, &local.path),
        };
        let subset = match rules.map(|rules| self.set.subset(rules)).transpose() {
            Ok(subset) => subset,
            Err(error) => return Outcome::Unreadable(error.to_string()),
        };
        let set = subset.as_ref().unwrap_or(&self.set);
        // Rules without logs know no template, so for some of them the logs need not be read again.
        let survey = rules.is_none() || !set.queries.is_empty();
        if let [only] = bundles.as_slice()
            && only.kind() == BundleKind::GENERIC
        {
            let analysed = analysed(only, set, local, survey);
            return match &analysed.unread {
                Some(why) => Outcome::NoBundle(format!("no support bundle: {why}")),
                None => Outcome::Analysed(vec![analysed]),
            };
        }
        Outcome::Analysed(bundles.iter().map(|bundle| analysed(bundle, set, local, survey)).collect())
    }
}

/// Returns an error without the path, which the store has in its own column and which differs between copies.
fn refused(error: &OpenError, path: &Path) -> Outcome {
    let text = match error {
        OpenError::Damaged { format, what, .. } => {
            format!("the {format} archive {what}; download or copy it again, or unpack what is left of it")
        }
        OpenError::Io { source, .. } => format!("cannot be read: {source}"),
        other => without(&other.to_string(), path, "the file"),
    };
    match error {
        OpenError::NotABundle { .. } => Outcome::NoBundle(text),
        _ => Outcome::Unreadable(text),
    }
}

fn without(text: &str, path: &Path, what: &str) -> String {
    text.replace(&format!("`{}`", path.display()), what)
}

fn analysed(bundle: &Bundle, set: &RuleSet, local: &LocalFile, survey: bool) -> Analysed {
    let (analysis, templates) = match survey {
        false => (pipeline::analyze(bundle, set, Options::default(), &()), None),
        true => {
            let (analysis, found) = pipeline::survey(bundle, set, Options::default(), MOST_TEMPLATES, &());
            (analysis, Some(found.into_iter().map(template).collect()))
        }
    };
    let (content_id, failures) = bundle.content_id();
    let what = if bundle.container().is_directory { "the folder" } else { "the archive" };
    let mut issues: Vec<IssueRow> =
        analysis.issues.iter().chain(&failures).map(|issue| issue_row(issue, &local.path, what)).collect();
    let (findings, left_out) = findings(&analysis);
    if left_out > 0 {
        let message = format!(
            "the evidence of {left_out} findings is not in the store, because that of one bundle may take {} MiB; `gleaner analyze` shows it",
            MOST_BYTES >> 20
        );
        issues.push(IssueRow { entry: None, line: None, kind: IssueKind::Limit.as_str().into(), message });
    }
    issues.sort();
    issues.dedup();
    let facts = analysis.bundle;
    Analysed {
        place: local.place_of(bundle).to_owned(),
        kind: facts.kind,
        whole: is_whole(bundle, &issues),
        content_id,
        collector: facts.collector.as_ref().map(|collector| collector.name.clone()),
        collector_version: facts.collector.and_then(|collector| collector.version).map(|version| version.to_string()),
        cluster_uid: facts.cluster_uid,
        cluster_name: facts.cluster_name,
        collected_at: facts.collected_at,
        issue_url: facts.reported.url,
        entries: facts.entries,
        unread: facts.unread.map(|why| why.to_string()),
        versions: facts.versions.into_iter().collect(),
        nodes: facts.nodes.into_iter().map(node).collect(),
        not_collected: facts
            .not_collected
            .into_iter()
            .map(|missing| (missing.what.to_string(), missing.why.to_string()))
            .collect(),
        findings,
        outcomes: outcomes(analysis.rules),
        issues,
        templates,
    }
}

fn template(found: TroubleTemplate) -> TemplateRow {
    let TroubleTemplate { level, text, lines, rules } = found;
    TemplateRow { level: level.as_str().to_owned(), text, lines, rules }
}

/// Returns true if nothing of the bundle is truncated or unreadable; other files in its archive do not count.
fn is_whole(bundle: &Bundle, issues: &[IssueRow]) -> bool {
    let damage = [IssueKind::Archive.as_str(), IssueKind::Limit.as_str()];
    bundle.truncated().is_none()
        && bundle.unreadable().is_empty()
        && bundle.truncated_nodes().is_empty()
        && !issues.iter().any(|issue| issue.entry.is_some() && damage.contains(&issue.kind.as_str()))
}

fn issue_row(issue: &model::Issue, file: &Path, what: &str) -> IssueRow {
    let origin = issue.origin.as_ref();
    IssueRow {
        entry: origin.map(|origin| origin.entry.to_string()),
        line: origin.and_then(|origin| origin.line),
        kind: issue.kind.as_str().to_owned(),
        message: without(&issue.message.to_string(), file, what),
    }
}

fn node(node: model::NodeFacts) -> Node {
    let roles = serde_json::Value::from(node.roles).to_string();
    Node { name: node.name, ready: node.ready, roles, collected: node.collected }
}

/// Returns the findings, and for how many of them the evidence was left out.
fn findings(analysis: &Analysis) -> (Vec<Finding>, usize) {
    let (mut bytes, mut left_out) = (0, 0);
    let mut row = |finding: &model::Finding| {
        let kept = finding.evidence.get(..MOST_EVIDENCE).unwrap_or(&finding.evidence);
        let mut evidence = v1::evidence(kept);
        bytes += evidence.len();
        if bytes > MOST_BYTES {
            left_out += 1;
            evidence = "[]".to_owned();
        }
        Finding {
            rule: finding.rule.clone(),
            name: finding.name.clone(),
            class: finding.class.as_str().to_owned(),
            severity: finding.severity.as_str().to_owned(),
            confidence: finding.confidence.as_str().to_owned(),
            area: finding.area.clone(),
            title: finding.title.to_string(),
            message: finding.message.to_string(),
            objects: v1::objects(&finding.objects),
            fingerprint: finding.fingerprint.clone(),
            explained_by: finding.explained_by.clone(),
            count: finding.count,
            first_seen: finding.first_seen,
            last_seen: finding.last_seen,
            evidence,
            evidence_count: finding.evidence.len() as u64,
        }
    };
    (analysis.findings.iter().map(&mut row).collect(), left_out)
}

fn outcomes(rules: model::RuleOutcomes) -> Vec<RuleOutcome> {
    let plain = |rules: Vec<String>, outcome: RuleState| {
        rules.into_iter().map(move |rule| RuleOutcome { rule, outcome, reason: None })
    };
    let reasoned = |rules: Vec<model::RuleReason>, outcome: RuleState| {
        rules.into_iter().map(move |of| RuleOutcome { rule: of.rule, outcome, reason: Some(of.reason.to_string()) })
    };
    let mut all: Vec<RuleOutcome> = plain(rules.fired, RuleState::Fired)
        .chain(plain(rules.clean, RuleState::Clean))
        .chain(reasoned(rules.not_evaluated, RuleState::NotEvaluated))
        // Over many bundles a rule that could not see everything counts as not evaluated.
        .chain(reasoned(rules.clean_partly, RuleState::NotEvaluated))
        .chain(reasoned(rules.not_applicable, RuleState::NotApplicable))
        .collect();
    all.sort_by(|a, b| a.rule.cmp(&b.rule));
    all
}
