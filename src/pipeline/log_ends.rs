//! What containers in trouble logged last.

use std::collections::BTreeMap;

use crate::log::{MinedSource, SourceOrigin};
use crate::model::Origin;
use crate::model::unhealthy::{LogEnd, Unhealthy, UnhealthyObject};

/// Objects of a group whose logs are shown; the others log the same.
const MEMBERS: usize = 2;

/// Adds the last lines of their logs to the first pods of each group, where the logs were collected.
pub fn add(unhealthy: &mut Unhealthy, mined: &[MinedSource]) {
    let mut logs: BTreeMap<(&str, &str), Vec<&MinedSource>> = BTreeMap::new();
    for source in mined {
        if let SourceOrigin::Container { namespace, pod, .. } = &source.source.origin {
            logs.entry((namespace, pod)).or_default().push(source);
        }
    }
    let members = unhealthy.objects.items.iter_mut().flat_map(|group| group.members.items.iter_mut().take(MEMBERS));
    for object in members.filter(|object| object.object.kind == "Pod") {
        let namespace = object.object.namespace.as_deref().unwrap_or_default();
        let of_pod = logs.get(&(namespace, &*object.object.name));
        object.log_end = of_pod.and_then(|logs| log_end(object, logs));
    }
}

/// Returns the end of the log before the last restart, else of the present one.
fn log_end(object: &UnhealthyObject, logs: &[&MinedSource]) -> Option<LogEnd> {
    let rank = |source: &MinedSource| match &source.source.origin {
        SourceOrigin::Container { container, previous, .. } => {
            let is_its = object.container.as_ref().is_none_or(|name| name == container || container.is_empty());
            is_its.then(|| (!previous, source.source.entry.clone()))
        }
        _ => None,
    };
    let written = logs.iter().filter(|source| !source.tail.is_empty());
    let (_, source) = written.filter_map(|source| Some((rank(source)?, source))).min_by(|(a, _), (b, _)| a.cmp(b))?;
    let lines = source.tail.lines();
    let line = (source.last_line + 1).saturating_sub(lines.len() as u64);
    Some(LogEnd { place: Origin::line(source.source.entry.clone(), line), lines })
}
