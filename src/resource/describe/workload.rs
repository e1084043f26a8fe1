//! Fields of controllers in the output of `kubectl describe`: how many pods they want and have.

use std::ops::Range;

use super::common::{conditions, metadata, number, owner, time};
use super::out::{Fields, Out};
use super::outline::View;

/// Counts of a line such as `3 desired | 1 updated`: the word behind the number, and the field that it is.
type Counts<'c> = &'c [(&'c str, &'c str)];

/// A Deployment, StatefulSet or ReplicaSet. Pods that are ready are in none of them.
pub(super) fn replicas(view: View<'_>) -> Fields {
    let at = view.start();
    let wanted = counts(view, "Replicas", &[("desired", "replicas")]);
    let have = [
        ("total", "replicas"),
        ("current", "replicas"),
        ("updated", "updatedReplicas"),
        ("available", "availableReplicas"),
        ("unavailable", "unavailableReplicas"),
    ];
    let mut status = counts(view, "Replicas", &have);
    status.extend(view.get("Conditions").map(|_| ("conditions".to_owned(), Out::List(at, conditions(view)))));
    fields(view, [("ownerReferences", owner(view))], wanted, status)
}

/// A DaemonSet, which counts nodes.
pub(super) fn daemon_set(view: View<'_>) -> Fields {
    const COUNTS: [(&str, &str); 5] = [
        ("Desired Number of Nodes Scheduled", "desiredNumberScheduled"),
        ("Current Number of Nodes Scheduled", "currentNumberScheduled"),
        ("Number of Nodes Scheduled with Up-to-date Pods", "updatedNumberScheduled"),
        ("Number of Nodes Scheduled with Available Pods", "numberAvailable"),
        ("Number of Nodes Misscheduled", "numberMisscheduled"),
    ];
    let status = COUNTS.iter().filter_map(|(key, field)| Some(((*field).to_owned(), counted(view, key)?)));
    fields(view, [], Vec::new(), status.collect())
}

/// A Job.
pub(super) fn job(view: View<'_>) -> Fields {
    const SPEC: [(&str, &str); 3] =
        [("Parallelism", "parallelism"), ("Completions", "completions"), ("Backoff Limit", "backoffLimit")];
    let spec = SPEC.iter().filter_map(|(key, field)| Some(((*field).to_owned(), counted(view, key)?)));
    let pods = [("Active", "active"), ("Succeeded", "succeeded"), ("Failed", "failed")];
    let mut status = counts(view, "Pods Statuses", &pods);
    for (key, field) in [("Start Time", "startTime"), ("Completed At", "completionTime")] {
        status.extend(view.value(key).and_then(|part| time(view, part)).map(|time| (field.to_owned(), time)));
    }
    fields(view, [("ownerReferences", owner(view))], spec.collect(), status)
}

/// A HorizontalPodAutoscaler.
pub(super) fn autoscaler(view: View<'_>) -> Fields {
    const SPEC: [(&str, &str); 2] = [("Min replicas", "minReplicas"), ("Max replicas", "maxReplicas")];
    let spec = SPEC.iter().filter_map(|(key, field)| Some(((*field).to_owned(), counted(view, key)?)));
    let at = view.start();
    let told = view.get("Conditions").map(|_| ("conditions".to_owned(), Out::List(at, conditions(view))));
    fields(view, [], spec.collect(), told.into_iter().collect())
}

fn fields<const N: usize>(view: View<'_>, of_object: [(&str, Option<Out>); N], spec: Fields, status: Fields) -> Fields {
    let at = view.start();
    let parts =
        [("metadata", metadata(view, of_object)), ("spec", Out::Map(at, spec)), ("status", Out::Map(at, status))];
    parts.map(|(key, value)| (key.to_owned(), value)).into()
}

/// Returns the number behind a key.
fn counted(view: View<'_>, key: &str) -> Option<Out> {
    number(view, view.value(key)?)
}

/// Returns the numbers of `3 desired | 1 updated`, `1 current / 3 desired` or `1 Active (0 Ready) / 0 Failed`, each with its field.
fn counts(view: View<'_>, key: &str, wanted: Counts<'_>) -> Fields {
    let Some(line) = view.value(key) else { return Vec::new() };
    let parts = view.slice(&line).split(['|', '/']).scan(line.start, |at, part| {
        let start = *at;
        *at += part.len() + 1;
        Some((start, part))
    });
    let count = |(start, part): (usize, &str)| {
        let mut words = part.split_whitespace();
        let (digits, word) = (words.next()?, words.next()?);
        let (_, field) = wanted.iter().find(|(name, _)| *name == word)?;
        let begin = start + part.find(digits)?;
        let place: Range<usize> = begin..begin + digits.len();
        Some(((*field).to_owned(), number(view, place)?))
    };
    parts.filter_map(count).collect()
}
