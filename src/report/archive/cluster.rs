//! Page of a cluster: its bundles, and the changes between them.

use serde::Serialize;

use super::facts::{Change, Cluster, FindingLine, NotComparable, Step};
use super::index::changes;
use super::names;
use super::row::{BundleRow, NAME_SHOWN, TEXT_SHOWN, clipped, severity};
use crate::model::difference::{Changed, Side};
use crate::report::view;
use crate::report::words::{self, counted};

const ROOT: &str = "../";
/// Maximum number of values listed per change.
const VALUES: usize = 50;

/// Page of a cluster.
#[derive(Serialize)]
pub struct Page {
    name: String,
    uid: String,
    headline: String,
    steps: Vec<StepCard>,
    earlier: u64,
    undated: Vec<BundleRow>,
    more_undated: u64,
}

#[derive(Serialize)]
struct StepCard {
    bundle: BundleRow,
    findings: String,
    /// Changes since the bundle before; none for the first one.
    change: Option<ChangeCard>,
}

#[derive(Serialize)]
struct ChangeCard {
    summary: String,
    versions: Vec<(String, String)>,
    nodes: Vec<(String, String)>,
    more_nodes: u64,
    /// Reason why nodes are not compared.
    without_nodes: Option<&'static str>,
    new: Vec<Line>,
    more_new: u64,
    gone: Vec<Line>,
    more_gone: u64,
    not_comparable: Vec<Line>,
    more_not_comparable: u64,
}

#[derive(Serialize)]
struct Line {
    severity: &'static str,
    title: String,
    rule: String,
    href: String,
    /// Bundle that has it, and the reason why the other has no answer.
    why: Option<String>,
}

impl Page {
    /// Puts a cluster into words.
    pub fn of(cluster: &Cluster) -> Self {
        let line = &cluster.line;
        Self {
            name: clipped(line.name.as_deref().unwrap_or(&line.uid), NAME_SHOWN),
            uid: clipped(&line.uid, NAME_SHOWN),
            headline: match &line.latest {
                Some(latest) => format!("{}; latest change: {}", counted(line.bundles, "bundle"), changes(latest)),
                None => counted(line.bundles, "bundle"),
            },
            steps: cluster.steps.iter().map(StepCard::of).collect(),
            earlier: cluster.earlier,
            undated: cluster.undated.iter().map(|bundle| BundleRow::of(bundle, ROOT)).collect(),
            more_undated: cluster.more_undated,
        }
    }
}

impl StepCard {
    fn of(step: &Step) -> Self {
        Self {
            bundle: BundleRow::of(&step.bundle, ROOT),
            findings: counted(step.findings, "finding"),
            change: step.change.as_ref().map(ChangeCard::of),
        }
    }
}

impl ChangeCard {
    fn of(change: &Change) -> Self {
        let counts = &change.counts;
        let more = |all: u64, shown: usize| all.saturating_sub(shown as u64);
        let version = |changed: &Changed| (view::product_name(&changed.name), turned(changed, "unknown"));
        let node = |changed: &Changed| (clipped(&changed.name, NAME_SHOWN), turned(changed, "absent"));
        Self {
            summary: changes(counts),
            versions: change.versions.iter().take(VALUES).map(version).collect(),
            nodes: change.nodes.iter().take(VALUES).map(node).collect(),
            more_nodes: more(change.nodes.len() as u64, VALUES),
            without_nodes: change.without_nodes.map(|side| match side {
                Side::Old => "the previous bundle lists no nodes",
                Side::New => "this bundle lists no nodes",
            }),
            new: change.new.iter().map(Line::of).collect(),
            more_new: more(counts.new, change.new.len()),
            gone: change.gone.iter().map(Line::of).collect(),
            more_gone: more(counts.gone, change.gone.len()),
            not_comparable: change.not_comparable.iter().map(Line::not_comparable).collect(),
            more_not_comparable: more(counts.not_comparable, change.not_comparable.len()),
        }
    }
}

/// `v1.2 → v1.3`; `absent` for a bundle without a value.
fn turned(changed: &Changed, absent: &str) -> String {
    let value = |value: &Option<String>| clipped(value.as_deref().unwrap_or(absent), NAME_SHOWN);
    format!("{} → {}", value(&changed.old), value(&changed.new))
}

impl Line {
    fn of(finding: &FindingLine) -> Self {
        Self {
            severity: severity(&finding.severity),
            title: words::sentence(&finding.title, TEXT_SHOWN).into_owned(),
            rule: clipped(&finding.rule, NAME_SHOWN),
            href: format!("{ROOT}{}", names::rule(&finding.rule)),
            why: None,
        }
    }

    fn not_comparable(not_comparable: &NotComparable) -> Self {
        let (in_one, other) = match not_comparable.side {
            Side::Old => ("in the previous bundle", "in this one"),
            Side::New => ("in this bundle", "in the previous one"),
        };
        let reason = words::sentence(&not_comparable.reason, TEXT_SHOWN);
        Self { why: Some(format!("{in_one}; {other}: {reason}")), ..Self::of(&not_comparable.finding) }
    }
}
