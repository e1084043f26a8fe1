//! The value of `unhealthy` in `gleaner.analysis/v1`.

use jiff::Timestamp;
use serde::Serialize;

use crate::model::unhealthy::{
    LogEnd, ObjectWarning, Unhealthy, UnhealthyGroup, UnhealthyObject, Verdict, WarningGroup,
};

use super::known::KnownOut;
use super::object::Object;
use super::place::Place;

#[derive(Serialize)]
pub(super) struct UnhealthyOut<'a> {
    objects: Vec<Group<'a>>,
    objects_left_out: usize,
    warnings: Vec<Warning<'a>>,
    warnings_left_out: usize,
    warnings_benign: usize,
    verdicts: Vec<VerdictOut<'a>>,
    verdicts_left_out: usize,
    explained: usize,
}

impl<'a> UnhealthyOut<'a> {
    pub(super) fn of(unhealthy: &'a Unhealthy) -> Self {
        Self {
            objects: unhealthy.objects.items.iter().map(Group::of).collect(),
            objects_left_out: unhealthy.objects.left_out,
            warnings: unhealthy.warnings.items.iter().map(Warning::of).collect(),
            warnings_left_out: unhealthy.warnings.left_out,
            warnings_benign: unhealthy.benign,
            verdicts: unhealthy.verdicts.items.iter().map(VerdictOut::of).collect(),
            verdicts_left_out: unhealthy.verdicts.left_out,
            explained: unhealthy.explained,
        }
    }
}

#[derive(Serialize)]
struct Group<'a> {
    subject: Object<'a>,
    severity: &'static str,
    dependents: usize,
    members: Vec<Member<'a>>,
    members_left_out: usize,
}

impl<'a> Group<'a> {
    fn of(group: &'a UnhealthyGroup) -> Self {
        Self {
            subject: Object::of(&group.subject),
            severity: group.severity.as_str(),
            dependents: group.dependents,
            members: group.members.items.iter().map(Member::of).collect(),
            members_left_out: group.members.left_out,
        }
    }
}

#[derive(Serialize)]
struct Member<'a> {
    object: Object<'a>,
    troubles: &'a [String],
    since: Option<Timestamp>,
    #[serde(flatten)]
    place: Place<'a>,
    container: Option<&'a str>,
    events: Vec<Event<'a>>,
    log_end: Option<LogEndOut<'a>>,
}

#[derive(Serialize)]
struct Event<'a> {
    reason: &'a str,
    message: &'a str,
    count: u64,
    last: Option<Timestamp>,
    #[serde(flatten)]
    place: Place<'a>,
}

#[derive(Serialize)]
struct LogEndOut<'a> {
    #[serde(flatten)]
    place: Place<'a>,
    lines: &'a [String],
}

impl<'a> Event<'a> {
    fn of(event: &'a ObjectWarning) -> Self {
        let ObjectWarning { reason, message, count, last, place } = event;
        Self { reason, message, count: *count, last: *last, place: Place::of(place) }
    }
}

impl<'a> LogEndOut<'a> {
    fn of(end: &'a LogEnd) -> Self {
        Self { place: Place::of(&end.place), lines: &end.lines }
    }
}

impl<'a> Member<'a> {
    fn of(member: &'a UnhealthyObject) -> Self {
        Self {
            object: Object::of(&member.object),
            troubles: &member.troubles,
            since: member.since,
            place: Place::of(&member.place),
            container: member.container.as_deref(),
            events: member.events.iter().map(Event::of).collect(),
            log_end: member.log_end.as_ref().map(LogEndOut::of),
        }
    }
}

#[derive(Serialize)]
struct Warning<'a> {
    reason: &'a str,
    message: &'a str,
    count: u64,
    objects: usize,
    object: Object<'a>,
    first: Option<Timestamp>,
    last: Option<Timestamp>,
    #[serde(flatten)]
    place: Place<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    known: Option<KnownOut<'a>>,
}

impl<'a> Warning<'a> {
    fn of(warning: &'a WarningGroup) -> Self {
        Self {
            reason: &warning.reason,
            message: &warning.message,
            count: warning.count,
            objects: warning.objects,
            object: Object::of(&warning.object),
            first: warning.first,
            last: warning.last,
            place: Place::of(&warning.place),
            known: warning.known.as_ref().map(KnownOut::of),
        }
    }
}

#[derive(Serialize)]
struct VerdictOut<'a> {
    title: &'a str,
    message: &'a str,
    severity: &'static str,
    #[serde(flatten)]
    place: Place<'a>,
}

impl<'a> VerdictOut<'a> {
    fn of(verdict: &'a Verdict) -> Self {
        let Verdict { title, message, severity, place } = verdict;
        Self { title, message, severity: severity.as_str(), place: Place::of(place) }
    }
}
