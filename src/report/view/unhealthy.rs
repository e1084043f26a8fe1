//! Objects that are not healthy and warnings, with no finding about them.

use serde::Serialize;

use super::meaning::Meaning;
use super::period::Period;
use crate::model::unhealthy::{
    LogEnd, ObjectWarning, Unhealthy, UnhealthyGroup, UnhealthyObject, Verdict, WarningGroup,
};
use crate::model::{Analysis, BundleKind, Severity};
use crate::report::lexicon::Lexicon;
use crate::report::words;

/// Most groups, members of a group, and warnings on a page.
const GROUPS_SHOWN: usize = 50;
const MEMBERS_SHOWN: usize = 10;
const WARNINGS_SHOWN: usize = 20;
const VERDICTS_SHOWN: usize = 20;
/// Longest trouble or message, in characters.
const TEXT: usize = 300;

/// The section of a page; nothing to show if all lists are empty.
#[derive(Serialize)]
pub struct Section {
    groups: Vec<Group>,
    groups_left_out: usize,
    warnings: Vec<Warning>,
    warnings_left_out: usize,
    verdicts: Vec<SaidByCollector>,
    verdicts_left_out: usize,
    explained: usize,
}

/// Objects of one workload or one kind that are in trouble.
#[derive(Serialize)]
pub struct Group {
    pub severity: &'static str,
    pub subject: String,
    /// Number of objects.
    pub count: usize,
    /// Number of pods and virtual machines that depend on them.
    dependents: usize,
    members: Vec<Member>,
    members_left_out: usize,
}

#[derive(Serialize)]
struct Member {
    object: String,
    troubles: String,
    since: Option<String>,
    at: Option<Period>,
    place: String,
    events: Vec<Event>,
    log_end: Option<End>,
}

/// Warnings about one object.
#[derive(Serialize)]
struct Event {
    reason: String,
    message: String,
    count: String,
    last: Option<String>,
    place: String,
}

/// Last lines of a log.
#[derive(Serialize)]
struct End {
    place: String,
    text: String,
}

#[derive(Serialize)]
struct Warning {
    reason: String,
    message: String,
    count: String,
    objects: usize,
    object: String,
    seen: Option<String>,
    at: Option<Period>,
    place: String,
    known: Option<Meaning>,
}

/// What the collector's own analysis warns of.
#[derive(Serialize)]
struct SaidByCollector {
    severity: &'static str,
    title: String,
    message: String,
    place: String,
}

impl Section {
    pub fn of(unhealthy: &Unhealthy, t: Lexicon) -> Self {
        let Unhealthy { objects: groups, warnings, verdicts, .. } = unhealthy;
        Self {
            groups: groups.items.iter().take(GROUPS_SHOWN).map(Group::of).collect(),
            groups_left_out: groups.beyond(GROUPS_SHOWN),
            warnings: warnings.items.iter().take(WARNINGS_SHOWN).map(|group| Warning::of(group, t)).collect(),
            warnings_left_out: warnings.beyond(WARNINGS_SHOWN),
            verdicts: verdicts.items.iter().take(VERDICTS_SHOWN).map(SaidByCollector::of).collect(),
            verdicts_left_out: verdicts.beyond(VERDICTS_SHOWN),
            explained: unhealthy.explained,
        }
    }

    /// Returns true if it lists objects in trouble, not warnings alone.
    pub fn has_objects(&self) -> bool {
        !self.groups.is_empty()
    }

    /// Returns the number of groups, warnings and verdicts in the section.
    pub fn len(&self) -> usize {
        self.groups.len() + self.warnings.len() + self.verdicts.len()
    }
}

impl Group {
    fn of(group: &UnhealthyGroup) -> Self {
        let members = &group.members;
        Self {
            severity: group.severity.as_str(),
            subject: group.subject.to_string(),
            count: members.items.len() + members.left_out,
            dependents: group.dependents,
            members: members.items.iter().take(MEMBERS_SHOWN).map(Member::of).collect(),
            members_left_out: members.beyond(MEMBERS_SHOWN),
        }
    }
}

impl Member {
    fn of(member: &UnhealthyObject) -> Self {
        Self {
            object: member.object.to_string(),
            troubles: words::clipped(&member.troubles.join("; "), TEXT).into_owned(),
            since: member.since.map(words::instant),
            at: Period::since(member.since),
            place: member.place.to_string(),
            events: member.events.iter().map(Event::of).collect(),
            log_end: member.log_end.as_ref().map(End::of),
        }
    }
}

impl Event {
    fn of(event: &ObjectWarning) -> Self {
        Self {
            reason: event.reason.clone(),
            message: words::clipped(&event.message, TEXT).into_owned(),
            count: words::number(event.count),
            last: event.last.map(words::instant),
            place: event.place.to_string(),
        }
    }
}

impl End {
    fn of(end: &LogEnd) -> Self {
        Self { place: end.place.to_string(), text: end.lines.join("\n") }
    }
}

impl Warning {
    fn of(group: &WarningGroup, t: Lexicon) -> Self {
        let seen = group.first.or(group.last).zip(group.last).map(|(first, last)| t.span(first, last));
        Self {
            reason: group.reason.clone(),
            message: words::clipped(&group.message, TEXT).into_owned(),
            count: words::number(group.count),
            objects: group.objects,
            object: group.object.to_string(),
            seen,
            at: Period::seen(group.first, group.last),
            place: group.place.to_string(),
            known: group.known.as_ref().map(|known| Meaning::of(known, t)),
        }
    }
}

impl SaidByCollector {
    fn of(verdict: &Verdict) -> Self {
        Self {
            severity: verdict.severity.as_str(),
            title: verdict.title.clone(),
            message: verdict.message.clone(),
            place: verdict.place.to_string(),
        }
    }
}

/// Returns the groups on one line each, for reports without sections: `high: Deployment.apps/shop/web: CrashLoopBackOff, 0/1 ready`.
pub fn lines(unhealthy: &Unhealthy) -> impl Iterator<Item = (Severity, String, String)> {
    unhealthy.objects.items.iter().map(|group| {
        let first = group.members.items.first();
        let others = group.members.items.len() + group.members.left_out;
        let more = match others {
            0 | 1 => String::new(),
            n => format!(" ({})", words::counted(n, "object")),
        };
        let troubles = first.map(|member| member.troubles.join("; ")).unwrap_or_default();
        let place = first.map(|member| member.place.to_string()).unwrap_or_default();
        (group.severity, format!("{}{more}: {}", group.subject, words::clipped(&troubles, TEXT)), place)
    })
}

/// Returns warning events with the place of the latest of each if somebody sent some files of his choice and nothing else was found in them: no
/// finding is worse than low, and no object is in trouble. Any whole bundle has some.
pub fn warning_lines(analysis: &Analysis) -> Vec<(String, String)> {
    let is_quiet = analysis.bundle.kind == BundleKind::GENERIC.as_str()
        && analysis.findings.iter().all(|finding| finding.severity <= Severity::Low);
    let unhealthy = analysis.unhealthy.as_ref().filter(|of| is_quiet && of.objects.items.is_empty());
    let line = |of: &WarningGroup| {
        let times = if of.count > 1 { format!(" ×{}", words::number(of.count)) } else { String::new() };
        let text = format!("{}{times}, {}: {}", of.reason, of.object, words::clipped(&of.message, TEXT));
        (text, of.place.to_string())
    };
    unhealthy.into_iter().flat_map(|of| &of.warnings.items).map(line).collect()
}
