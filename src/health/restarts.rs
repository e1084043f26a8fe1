//! Containers that ended in the same second: the host restarted, or what they all depend on.

use std::collections::{BTreeMap, BTreeSet};

use crate::expr::World;
use crate::model::unhealthy::UnhealthyObject;
use crate::model::{EvidenceValue, Finding, ObjectRef, Origin};
use crate::resource::{Resource, TypeName, parse_time, scalar_at};
use crate::yaml::Node;
use jiff::Timestamp;

/// Pods and containers that must have ended together; two pods may do so by chance.
const LEAST_PODS: usize = 3;

/// Last end of one container.
struct End<'w> {
    pod: &'w Resource,
    line: u64,
    code: &'w str,
    restarts: &'w str,
}

/// Returns the pods of which containers ended together with those of other pods, with the time; each pod once for each time.
pub fn ended_together(world: &World) -> Vec<(Timestamp, UnhealthyObject)> {
    let mut ends: BTreeMap<Timestamp, Vec<End<'_>>> = BTreeMap::new();
    let resources = &world.resources;
    for &id in resources.of_type(&TypeName::new("pods", "")) {
        let pod = resources.resource(id);
        for status in pod.body().path(&["status", "containerStatuses"]).into_iter().flat_map(Node::items) {
            if let Some((at, end)) = last_end(pod, status) {
                ends.entry(at).or_default().push(end);
            }
        }
    }
    let together = |ends: &Vec<End<'_>>| ends.iter().map(|end| end.pod.object()).collect::<BTreeSet<_>>().len();
    ends.into_iter().filter(|(_, ends)| together(ends) >= LEAST_PODS).flat_map(|(at, ends)| pods(at, &ends)).collect()
}

/// Returns the times at which containers ended that are evidence of findings.
pub fn times_in_evidence(findings: &[Finding]) -> BTreeSet<Timestamp> {
    let evidence = findings.iter().flat_map(|finding| &finding.evidence);
    let times = evidence.filter_map(|evidence| match (&evidence.field, &evidence.value) {
        (Some(field), Some(EvidenceValue::Text(time))) if field.ends_with("lastState.terminated.finishedAt") => {
            parse_time(time)
        }
        _ => None,
    });
    times.collect()
}

fn last_end<'w>(pod: &'w Resource, status: Node<'w>) -> Option<(Timestamp, End<'w>)> {
    let ended = status.path(&["lastState", "terminated"])?;
    // To the second: the kubelet writes no fractions.
    let at = parse_time(scalar_at(ended, &["finishedAt"])?)?;
    let (code, restarts) = (scalar_at(ended, &["exitCode"])?, scalar_at(status, &["restartCount"])?);
    (code != "0").then_some((at, End { pod, line: ended.line(), code, restarts }))
}

fn pods(at: Timestamp, ends: &[End<'_>]) -> Vec<(Timestamp, UnhealthyObject)> {
    let mut pods: BTreeMap<ObjectRef, &End<'_>> = BTreeMap::new();
    ends.iter().for_each(|end| {
        pods.entry(end.pod.object()).or_insert(end);
    });
    let all = pods.len();
    let shown = |(object, end): (ObjectRef, &End<'_>)| {
        let text = format!(
            "ended at the same second as containers of {} other pods, exit code {}, {} restarts so far",
            all - 1,
            end.code,
            end.restarts
        );
        let place = Origin::line(end.pod.entry.clone(), end.line);
        (at, UnhealthyObject { since: Some(at), ..UnhealthyObject::new(object, vec![text], place) })
    };
    pods.into_iter().map(shown).collect()
}
