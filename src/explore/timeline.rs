//! What happened when: in the whole cluster, or to one object.

use jiff::Timestamp;

use super::lines::Period;
use super::named_object::NamedObject;
use crate::eval::Input;
use crate::inventory;
use crate::model::inventory::{HistoryEntry, Moment, MomentKind, Source};
use crate::model::{Analysis, Finding, ObjectRef, Origin, secret};

/// Something that happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Occurrence {
    pub from: Timestamp,
    /// Last time; equal to `from` if it occurred once.
    pub to: Timestamp,
    pub count: u64,
    pub kind: OccurrenceKind,
    pub object: Option<ObjectRef>,
    /// Secrets masked.
    pub text: String,
    pub place: Option<Origin>,
}

/// Kind of an occurrence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OccurrenceKind {
    /// A rule that fired.
    Finding,
    /// Start of a node.
    Boot,
    Upgrade,
    /// End of a certificate's validity.
    Expiry,
    /// Event of type Warning.
    Warning,
    /// Event of type Normal.
    Event,
    /// The object itself: created, deleted, restarted.
    Object,
    /// A condition of the object.
    Condition,
    /// A line that names the object.
    Log,
}

impl OccurrenceKind {
    /// Returns the word for it in data.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Finding => "finding",
            Self::Boot => "boot",
            Self::Upgrade => "upgrade",
            Self::Expiry => "expiry",
            Self::Warning => "warning",
            Self::Event => "event",
            Self::Object => "object",
            Self::Condition => "condition",
            Self::Log => "log",
        }
    }
}

/// Occurrences by time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Occurrences {
    pub items: Vec<Occurrence>,
    /// Earlier ones that are not listed, because there are too many.
    pub left_out: usize,
    /// Occurrences whose time is not known.
    pub undated: usize,
    /// The reason why some may be missing.
    pub not_collected: Option<String>,
}

/// Lists what happened in the whole cluster: moments of the inventory, and findings.
pub fn of_cluster(analysis: &Analysis, period: Period) -> Occurrences {
    let Some(inventory) = &analysis.inventory else { return Occurrences::default() };
    let moments = inventory.moments.items.iter().map(moment);
    let findings = analysis.findings.iter().filter_map(finding);
    let not_collected = inventory.moments.not_collected.as_ref().map(ToString::to_string);
    let all = Occurrences { left_out: inventory.moments.left_out, not_collected, ..Occurrences::default() };
    all.with(moments.chain(findings).collect(), period)
}

/// The reason why the history of an object cannot be told.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoHistory {
    #[error(
        "the bundle has no such object, and no event about it; TYPE is a plural or a kind, as in pods/web-0 or Volume.longhorn.io/pvc-1"
    )]
    Unknown,
    #[error("several objects have that name; choose one with -n, or with the group of its type: {}", shown(.0))]
    Several(Vec<ObjectRef>),
}

/// Returns the first objects of a list.
fn shown(objects: &[ObjectRef]) -> String {
    const MOST: usize = 8;
    objects.iter().take(MOST).map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// Lists what happened to one object, and the findings about it.
///
/// # Errors
/// Fails if the bundle knows no such object, or several.
pub fn of_object(
    analysis: &Analysis,
    input: &Input,
    named: &NamedObject,
    namespace: Option<&str>,
    period: Period,
) -> Result<Occurrences, NoHistory> {
    let resources = &input.world.resources;
    let objects = named.find(resources, namespace);
    let object = match objects.as_slice() {
        [object] => object,
        [] => return Err(NoHistory::Unknown),
        _ => return Err(NoHistory::Several(objects)),
    };
    let entries = inventory::history_of(resources, &input.logs, object.clone()).entries;
    let dated = entries.items.iter().filter_map(|entry| of_history(entry, object));
    let undated = entries.items.iter().filter(|entry| entry.at.is_none()).count();
    let about = analysis.findings.iter().filter(|finding| finding.objects.contains(object));
    let not_collected = entries.not_collected.as_ref().map(ToString::to_string);
    let all = Occurrences { left_out: entries.left_out, undated, not_collected, ..Occurrences::default() };
    Ok(all.with(dated.chain(about.filter_map(finding)).collect(), period))
}

impl Occurrences {
    fn with(self, mut items: Vec<Occurrence>, period: Period) -> Self {
        items.retain(|item| period.meets(item.from, item.to));
        items.sort_by(|a, b| {
            let key = |item: &Occurrence| (item.from, item.to, item.kind);
            key(a).cmp(&key(b)).then_with(|| (&a.object, &a.text, &a.place).cmp(&(&b.object, &b.text, &b.place)))
        });
        items.iter_mut().for_each(|item| item.text = secret::redact(&item.text).into_owned());
        Self { items, ..self }
    }
}

fn moment(moment: &Moment) -> Occurrence {
    let kind = match moment.kind {
        MomentKind::Warning => OccurrenceKind::Warning,
        MomentKind::Boot => OccurrenceKind::Boot,
        MomentKind::Upgrade => OccurrenceKind::Upgrade,
        MomentKind::Expiry => OccurrenceKind::Expiry,
    };
    Occurrence {
        from: moment.from,
        to: moment.to,
        count: moment.count,
        kind,
        object: moment.object.clone(),
        text: moment.text.to_string(),
        place: moment.place.clone(),
    }
}

/// Returns a finding that has a time.
fn finding(finding: &Finding) -> Option<Occurrence> {
    let from = finding.first_seen.or(finding.last_seen)?;
    let place = finding.evidence.first().map(|piece| Origin { entry: piece.entry.as_str().into(), line: piece.line });
    Some(Occurrence {
        from,
        to: finding.last_seen.unwrap_or(from).max(from),
        count: finding.count,
        kind: OccurrenceKind::Finding,
        object: finding.objects.first().cloned(),
        text: format!("{}: {}", finding.rule, finding.title),
        place,
    })
}

fn of_history(entry: &HistoryEntry, object: &ObjectRef) -> Option<Occurrence> {
    let kind = match entry.source {
        Source::Object => OccurrenceKind::Object,
        Source::Condition => OccurrenceKind::Condition,
        Source::Event => OccurrenceKind::Event,
        Source::Warning => OccurrenceKind::Warning,
        Source::Log => OccurrenceKind::Log,
    };
    let from = entry.at?;
    Some(Occurrence {
        from,
        to: entry.until.unwrap_or(from).max(from),
        count: entry.count,
        kind,
        object: Some(object.clone()),
        text: entry.text.to_string(),
        place: entry.place.clone(),
    })
}
