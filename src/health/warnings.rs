//! Warning events, grouped by reason and message.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::expr::World;
use crate::known_lines::KnownHere;
use crate::model::inventory::Shown;
use crate::model::unhealthy::{ObjectWarning, UnhealthyObject, WarningGroup};
use crate::model::{ObjectRef, Origin, secret};
use crate::resource::Event;

/// Most groups that reports list.
const MOST: usize = 100;
/// Most warnings of one object.
const MOST_OF_OBJECT: usize = 3;
/// Longest message kept, in characters.
const MOST_TEXT: usize = 500;

/// Groups the warnings for which `is_explained` does not hold; also returns the number of harmless groups, which are left out.
pub fn warnings(
    world: &World,
    known: KnownHere<'_>,
    is_explained: impl Fn(&Event) -> bool,
) -> (Shown<WarningGroup>, usize) {
    let mut groups: BTreeMap<(&str, String), Vec<&Event>> = BTreeMap::new();
    let events = world.resources.events().iter();
    for event in events.filter(|event| event.type_ == "Warning" && !is_explained(event)) {
        groups.entry((&event.reason, template(&event.message))).or_default().push(event);
    }
    let mut groups: Vec<WarningGroup> = groups.into_values().filter_map(|events| group(world, &events)).collect();
    groups.sort_by(|a, b| {
        let key = |group: &WarningGroup| (Reverse(group.objects), Reverse(group.count));
        key(a).cmp(&key(b)).then_with(|| (&a.reason, &a.message).cmp(&(&b.reason, &b.message)))
    });
    let all = groups.len();
    groups.iter_mut().for_each(|group| group.known = known.of_message(&group.message));
    groups.retain(|group| group.known.as_ref().is_none_or(|known| !known.line.benign));
    let benign = all - groups.len();
    (Shown::first(groups, MOST, None), benign)
}

fn group(world: &World, events: &[&Event]) -> Option<WarningGroup> {
    let latest = events.iter().max_by_key(|event| (event.last, Reverse(event.resource)))?;
    let resource = world.resources.resource(latest.resource);
    Some(WarningGroup {
        reason: latest.reason.clone(),
        message: secret::redact(&latest.message).chars().take(MOST_TEXT).collect(),
        count: events.iter().fold(0, |sum, event| event.count.saturating_add(sum)),
        objects: events.iter().map(|event| &event.object).collect::<BTreeSet<_>>().len(),
        object: latest.object.clone(),
        first: events.iter().filter_map(|event| event.first).min(),
        last: latest.last,
        place: Origin::line(resource.entry.clone(), resource.body().line()),
        known: None,
    })
}

/// Adds to each object the latest warnings about it, one for each reason.
pub fn add_events<'u>(world: &World, objects: impl Iterator<Item = &'u mut UnhealthyObject>) {
    let mut about: BTreeMap<&ObjectRef, BTreeMap<&str, Vec<&Event>>> = BTreeMap::new();
    for event in world.resources.events().iter().filter(|event| event.type_ == "Warning") {
        about.entry(&event.object).or_default().entry(&event.reason).or_default().push(event);
    }
    for object in objects {
        let Some(reasons) = about.get(&object.object) else { continue };
        let groups = reasons.values().filter_map(|events| group(world, events));
        object.events = groups.map(of_object).collect();
        object.events.sort_by(|a, b| b.last.cmp(&a.last).then_with(|| a.reason.cmp(&b.reason)));
        object.events.truncate(MOST_OF_OBJECT);
    }
}

fn of_object(group: WarningGroup) -> ObjectWarning {
    let WarningGroup { reason, message, count, last, place, .. } = group;
    ObjectWarning { reason, message, count, last, place }
}

/// Replaces words that name one object or count something: those with a digit, and what is quoted.
fn template(message: &str) -> String {
    let is_name = |word: &str| word.bytes().any(|b| b.is_ascii_digit()) || word.contains(['"', '\'', '`']);
    let words: Vec<&str> = message.split_whitespace().map(|word| if is_name(word) { "*" } else { word }).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_that_differ_in_names_and_numbers_are_one() {
        let first = template("Readiness probe failed: Get \"http://10.42.0.7:8080/healthz\": dial tcp 10.42.0.7:8080");
        assert_eq!(first, template("Readiness probe failed: Get \"http://10.42.9.1:80/ready\": dial tcp 10.42.9.1:80"));
        assert_ne!(first, template("Liveness probe failed: Get \"http://10.42.9.1:80/ready\": dial tcp 10.42.9.1:80"));
    }
}
