//! Objects that were added, removed or changed.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::snapshot::{ObjectState, Snapshot};
use crate::model::ObjectRef;
use crate::model::difference::{Health, HealthChange, KindChange, Restart, Turn};

/// Lists objects of both bundles whose health changed, and new ones in trouble.
pub(super) fn health(old: &Snapshot, new: &Snapshot) -> Vec<HealthChange> {
    let mut changes: Vec<HealthChange> =
        new.objects.iter().filter_map(|(object, now)| health_of(object, old, now)).collect();
    changes.sort_by(|a, b| (a.turn, &a.object).cmp(&(b.turn, &b.object)));
    changes
}

fn health_of(object: &ObjectRef, old: &Snapshot, now: &ObjectState) -> Option<HealthChange> {
    let is = now.health.as_ref()?;
    let before = old.objects.get(object);
    let (turn, was) = match before {
        Some(before) => {
            let was = before.health.as_ref()?;
            (turn(was, is)?, Some(was.clone()))
        }
        // The older bundle may not have the object because its type was not collected.
        None if is.troubles.is_empty() || is_missing(old, object, now) => return None,
        None => (Turn::Appeared, None),
    };
    let recreated = before.is_some_and(|before| is_another(before, now));
    Some(HealthChange { object: object.clone(), turn, old: was, new: is.clone(), recreated, place: now.place.clone() })
}

fn turn(was: &Health, is: &Health) -> Option<Turn> {
    match (was.troubles.is_empty(), is.troubles.is_empty()) {
        (true, false) => Some(Turn::Worse),
        (false, true) => Some(Turn::Better),
        _ => (was != is).then_some(Turn::Other),
    }
}

/// Returns true if the object may exist and was not collected.
fn is_missing(bundle: &Snapshot, object: &ObjectRef, state: &ObjectState) -> bool {
    bundle.missing(&state.type_name, object.namespace.as_deref()).is_some()
}

/// Returns true if the object was deleted and created again under the same name.
fn is_another(before: &ObjectState, now: &ObjectState) -> bool {
    matches!((&before.uid, &now.uid), (Some(was), Some(is)) if was != is)
}

/// Counts objects that only one bundle has, if their type was collected in the other.
pub(super) fn kinds(old: &Snapshot, new: &Snapshot) -> Vec<KindChange> {
    let mut kinds: BTreeMap<String, KindChange> = BTreeMap::new();
    let mut note = |has: &Snapshot, lacks: &Snapshot, is_new: bool| {
        for (object, state) in &has.objects {
            if lacks.objects.contains_key(object) || is_missing(lacks, object, state) {
                continue;
            }
            let kind =
                if object.group.is_empty() { object.kind.clone() } else { format!("{}.{}", object.kind, object.group) };
            let empty = KindChange { kind: kind.clone(), gone: Vec::new(), new: Vec::new() };
            let change = kinds.entry(kind).or_insert(empty);
            if is_new { &mut change.new } else { &mut change.gone }.push(object.clone());
        }
    };
    note(old, new, false);
    note(new, old, true);
    kinds.into_values().collect()
}

/// Counts container starts since the older bundle.
pub(super) fn restarts(old: &Snapshot, new: &Snapshot) -> Vec<Restart> {
    let mut restarts = Vec::new();
    for (pod, now) in &new.objects {
        let before = old.objects.get(pod).filter(|before| !is_another(before, now));
        for (container, (count, last)) in &now.restarts {
            let earlier = before.and_then(|before| before.restarts.get(container)).map_or(0, |(count, _)| *count);
            // A lower count belongs to another Pod whose uid is not known; all of its starts are new.
            let times = count.checked_sub(earlier).unwrap_or(*count);
            if times > 0 {
                let (pod, place) = (pod.clone(), now.place.clone());
                restarts.push(Restart { pod, container: container.clone(), times, last: last.clone(), place });
            }
        }
    }
    restarts.sort_by(|a, b| (Reverse(a.times), &a.pod, &a.container).cmp(&(Reverse(b.times), &b.pod, &b.container)));
    restarts
}
