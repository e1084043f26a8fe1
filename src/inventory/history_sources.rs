//! Sources of the history of an object: its own fields, events and log lines.

use std::collections::HashMap;

use jiff::Timestamp;

use super::context::{InventoryContext, at, conditions, place};
use crate::log::{HitGroup, LogIndex, Sample};
use crate::model::inventory::{Condition, HistoryEntry, Shown, Source};
use crate::model::message::{Details, Happening, MaybeKnown, Named, Names, Reason};
use crate::model::{ObjectRef, Origin};
use crate::resource::scalar_at;
use crate::resource::{Event, Resource};
use crate::yaml::Node;

/// Most entries of a history; the latest are kept.
const MOST: usize = 60;
/// Most characters of an entry.
const LONGEST: usize = 600;
/// Most finalizers listed by name.
const MOST_FINALIZERS: usize = 20;
/// Shorter names occur in too many unrelated lines.
const SHORTEST_NAME: usize = 6;
/// Most samples of log lines searched.
const SAMPLES: usize = 5_000;

/// Sources about objects other than the objects themselves.
pub(super) struct HistorySources<'a> {
    look: InventoryContext<'a>,
    events: HashMap<&'a ObjectRef, Vec<&'a Event>>,
    lines: Vec<(&'a HitGroup, &'a Sample)>,
    /// Why events may be not collected.
    events_missing: Option<Reason>,
}

impl<'a> HistorySources<'a> {
    pub fn of(look: InventoryContext<'a>, logs: &'a LogIndex) -> Self {
        let mut events: HashMap<&ObjectRef, Vec<&Event>> = HashMap::new();
        for event in look.resources.events() {
            events.entry(&event.object).or_default().push(event);
        }
        let lines = logs.groups().map(|group| (group, &group.last_hit)).take(SAMPLES).collect();
        Self { look, events, lines, events_missing: look.not_collected("events") }
    }

    /// Builds the history of an object and of related objects, `also`, whose own occurrences belong to it.
    pub fn entries(&self, object: &ObjectRef, also: &[ObjectRef]) -> Shown<HistoryEntry> {
        let mut entries = self.of_one(object, None);
        entries.extend(also.iter().flat_map(|other| self.of_one(other, Some(other))));
        entries.extend(self.lines_about(object));
        entries.sort_by(|a, b| key(a).cmp(&key(b)));
        entries.dedup();
        let left_out = entries.len().saturating_sub(MOST);
        Shown { items: entries.split_off(left_out), left_out, not_collected: self.events_missing.clone() }
    }

    /// Collects entries from one object and its events; texts begin with `named` if it is not the subject of the
    /// history.
    fn of_one(&self, object: &ObjectRef, named: Option<&ObjectRef>) -> Vec<HistoryEntry> {
        let mut entries = self.look.resolve(object).map(own).unwrap_or_default();
        let events = self.events.get(object).into_iter().flatten();
        entries.extend(events.map(|event| self.event(event)));
        if let Some(other) = named {
            for entry in &mut entries {
                let what = Box::new(entry.text.clone());
                entry.text = Happening::To { kind: other.kind.clone(), name: other.name.clone(), what };
            }
        }
        entries
    }

    fn event(&self, event: &Event) -> HistoryEntry {
        let first = event.first.or(event.last);
        HistoryEntry {
            until: event.last.filter(|last| Some(*last) != first),
            at: first,
            count: event.count,
            source: if event.type_ == "Warning" { Source::Warning } else { Source::Event },
            text: Happening::Event { reason: event.reason.clone(), message: event.message.clone() }.clipped(LONGEST),
            place: Some(place(self.look.resources.resource(event.resource))),
        }
    }

    /// Finds log lines that name the object, among the lines that rules searched for.
    fn lines_about(&self, object: &ObjectRef) -> Vec<HistoryEntry> {
        if object.name.len() < SHORTEST_NAME {
            return Vec::new();
        }
        let about = self.lines.iter().filter(|(_, sample)| names(&sample.text, &object.name));
        about.map(|(group, sample)| line(group, sample)).collect()
    }
}

/// Sorts by time; entries without a time come last, as the present.
fn key(entry: &HistoryEntry) -> (bool, Option<Timestamp>, Source, &Happening, &Option<Origin>) {
    (entry.at.is_none(), entry.at, entry.source, &entry.text, &entry.place)
}

fn line(group: &HitGroup, sample: &Sample) -> HistoryEntry {
    HistoryEntry {
        until: group.last.filter(|last| Some(*last) != group.first),
        at: group.first,
        count: group.count,
        source: Source::Log,
        text: Happening::Line { text: sample.text.trim().to_owned() }.clipped(LONGEST),
        place: Some(Origin::line(sample.entry.clone(), sample.line)),
    }
}

/// Returns true if a line contains the name as a word, not as a part of a longer name.
fn names(line: &str, name: &str) -> bool {
    let part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '-' || c == '_');
    line.match_indices(name).any(|(start, found)| {
        let before = line.get(..start).and_then(|text| text.chars().next_back());
        let after = line.get(start + found.len()..).and_then(|text| text.chars().next());
        !part(before) && !part(after)
    })
}

/// Returns entries from the object's own fields.
fn own(resource: &Resource) -> Vec<HistoryEntry> {
    let body = resource.body();
    let tell = |at: Option<Timestamp>, source: Source, text: Happening| HistoryEntry {
        at,
        until: None,
        count: 1,
        source,
        text: text.clipped(LONGEST),
        place: Some(place(resource)),
    };
    let mut entries = Vec::new();
    let moment = |keys: &[&str]| at(body, keys);
    entries.extend(
        moment(&["metadata", "creationTimestamp"]).map(|at| tell(Some(at), Source::Object, Happening::Created)),
    );
    entries.extend(moment(&["metadata", "deletionTimestamp"]).map(|at| tell(Some(at), Source::Object, deletion(body))));
    let status = body.get("status");
    let told = status.map(conditions).unwrap_or_default();
    entries.extend(told.into_iter().map(|condition| tell(condition.at, Source::Condition, sentence(&condition))));
    entries.extend(status.into_iter().flat_map(ends).map(|(at, text)| tell(at, Source::Object, text)));
    entries
}

fn deletion(body: Node<'_>) -> Happening {
    let finalizers = body.path(&["metadata", "finalizers"]);
    let names: Vec<&str> = finalizers.into_iter().flat_map(|list| list.items()).map(|f| f.text()).collect();
    match names.is_empty() {
        true => Happening::Deleted,
        false => Happening::DeletedButHeld { finalizers: Names::first(names, MOST_FINALIZERS, Named::Things) },
    }
}

/// Formats `Ready is False: NotReady: containers with unready status`.
fn sentence(condition: &Condition) -> Happening {
    let details = [&condition.reason, &condition.message].into_iter().flatten().cloned();
    Happening::Condition {
        name: condition.name.clone(),
        status: MaybeKnown::of(condition.status.as_deref()),
        details: Details(details.collect()),
    }
}

/// Returns how the containers of a Pod ended, or why they wait.
fn ends(status: Node<'_>) -> Vec<(Option<Timestamp>, Happening)> {
    let lists = ["initContainerStatuses", "containerStatuses"].into_iter().filter_map(|key| status.get(key));
    let mut told = Vec::new();
    for container in lists.flat_map(|list| list.items()) {
        let name = scalar_at(container, &["name"]).unwrap_or_default();
        if let Some(ended) = container.path(&["lastState", "terminated"]) {
            let ended_how = Happening::ContainerEnded {
                name: name.to_owned(),
                reason: MaybeKnown::reason(scalar_at(ended, &["reason"])),
                code: MaybeKnown::of(scalar_at(ended, &["exitCode"])),
                restarts: MaybeKnown::of(scalar_at(container, &["restartCount"])),
            };
            told.push((at(ended, &["finishedAt"]), ended_how));
        }
        if let Some(waiting) = container.path(&["state", "waiting"]) {
            let details = scalar_at(waiting, &["message"]).map(str::to_owned).into_iter().collect();
            let waits = Happening::ContainerWaits {
                name: name.to_owned(),
                reason: MaybeKnown::reason(scalar_at(waiting, &["reason"])),
                details: Details(details),
            };
            told.push((None, waits));
        }
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_within_a_longer_one_is_another() {
        assert!(names("volume pvc-1: degraded", "pvc-1"));
        assert!(names("ns/pvc-1", "pvc-1"));
        for line in ["pvc-12", "my-pvc-1", "pvc-1-r-2", "pvc_1"] {
            assert!(!names(line, "pvc-1"), "{line}");
        }
    }
}
