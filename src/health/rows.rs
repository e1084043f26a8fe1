//! Trouble that a row of a kubectl table shows, by its columns.
//!
//! Built-in types have the columns of `resource::table::columns`, custom resources those of their definition; of types that are not known
//! the usual headers are read.

use jiff::SignedDuration;

use super::fields;
use super::trouble::Trouble;
use super::words::tone_of_state;
use crate::model::Severity;
use crate::resource::{Resource, scalar_at};
use crate::yaml::Node;

/// What the cells below a header mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    /// Words, such as `Failed` or `Ready,SchedulingDisabled`.
    State,
    /// `True`, `1/3`, or a number that another column gives the target of.
    Ready,
    /// A number that should be 0.
    Lacking,
    /// Empty unless something is wrong.
    Error,
}

/// Endings of headers of states: `PHASE`, `HEALTH STATUS` (Argo CD).
const STATES: [&str; 6] = ["STATUS", "STATE", "PHASE", "ROBUSTNESS", "HEALTH", "CONDITION"];
/// Headers of what should be true or complete, apart from those that end with `READY` (`BUNDLEDEPLOYMENTS-READY` of Fleet).
const READY: [&str; 8] =
    ["ACCEPTED", "ATTACHED", "AVAILABLE", "CONNECTED", "ESTABLISHED", "HEALTHY", "PROGRAMMED", "RECONCILED"];
/// Headers of the number that READY has to reach: of controllers, Cluster API and operators.
const WANTED: [&str; 3] = ["DESIRED", "REPLICAS", "INSTANCES"];
/// States of objects that need not be ready: stopped machines, finished instances.
const AT_REST: [&str; 9] =
    ["complete", "completed", "disabled", "halted", "paused", "stopped", "succeeded", "suspended", "terminating"];

fn column(header: &str) -> Option<Column> {
    let ends = |endings: &[&str]| endings.iter().any(|ending| header.ends_with(ending));
    match header {
        "ERROR" => Some(Column::Error),
        "UNAVAILABLE" => Some(Column::Lacking),
        "SYNC STATUS" | "LAST STATUS" => None,
        _ if ends(&STATES) => Some(Column::State),
        _ if READY.contains(&header) || (header.ends_with("READY") && !header.starts_with("NOT")) => {
            Some(Column::Ready)
        }
        _ => None,
    }
}

/// Returns what a row of an object of that age reports; none if no column of it tells anything about health.
pub fn troubles<'w>(resource: &Resource, cells: Node<'w>, age: Option<SignedDuration>) -> Option<Vec<Trouble<'w>>> {
    let columns: Vec<(Column, String, Node<'w>)> = cells
        .entries()
        .filter_map(|(header, node)| Some((column(&header)?, header.into_owned(), node)))
        .filter(|(.., node)| scalar_at(*node, &[]).is_some_and(|cell| !cell.starts_with('<')))
        .collect();
    if columns.is_empty() || is_unconfigured(resource, cells) {
        return None;
    }
    let of = |wanted: Column| columns.iter().filter(move |(column, ..)| *column == wanted);
    let rests = of(Column::State).any(|(.., node)| AT_REST.contains(&&*node.text().to_ascii_lowercase()));
    let mut troubles: Vec<Trouble<'w>> =
        of(Column::State).flat_map(|(.., node)| states(resource, cells, *node)).collect();
    let stuck = of(Column::State).filter(|(.., node)| fields::is_stuck(resource, node.text(), age));
    troubles.extend(stuck.map(|(.., node)| fields::stuck(*node)));
    if !rests {
        troubles.extend(of(Column::Ready).filter_map(|(_, header, node)| ready(resource, cells, header, *node)));
    }
    let lacking = of(Column::Lacking).filter(|(.., node)| node.text().parse::<u64>().is_ok_and(|count| count > 0));
    let errors = lacking.chain(of(Column::Error));
    troubles.extend(
        errors.map(|(_, header, node)| Trouble::at(*node, Severity::Medium, format!("{header} {}", node.text()))),
    );
    Some(troubles)
}

/// Returns true for Longhorn's backup target without address, which is not available because nobody set it up.
fn is_unconfigured(resource: &Resource, cells: Node<'_>) -> bool {
    let is_target = (&*resource.group, &*resource.plural) == ("longhorn.io", "backuptargets");
    is_target && scalar_at(cells, &["URL"]).is_none()
}

/// Returns the trouble in the words of a state. The words of one cell are divided by commas; behind a space stands a message.
fn states<'w>(resource: &Resource, cells: Node<'w>, cell: Node<'w>) -> Vec<Trouble<'w>> {
    let text = cell.text();
    let first = text.split_whitespace().next().unwrap_or_default();
    let words = first.split(',').filter(|word| !word.is_empty());
    let told = words.filter_map(|word| {
        let (severity, text) = state(resource, cells, word, if first.contains(',') { word } else { text })?;
        Some(Trouble::at(cell, severity, text))
    });
    told.collect()
}

/// Returns how bad a word of a state is, and how it is told.
fn state(resource: &Resource, cells: Node<'_>, word: &str, text: &str) -> Option<(Severity, String)> {
    let told = match (&*resource.group, &*resource.plural, word) {
        ("", "nodes", "SchedulingDisabled") => (Severity::Low, fields::CORDONED.to_owned()),
        ("", "nodes", "Unknown") => (Severity::Critical, text.to_owned()),
        ("", "persistentvolumes", "Released") => {
            let policy = scalar_at(cells, &["RECLAIM POLICY"]);
            (fields::severity_of_released(policy), fields::text_of_released(policy))
        }
        ("", "persistentvolumeclaims", "Pending") => (Severity::Medium, text.to_owned()),
        (_, _, "Terminating") => (Severity::Low, text.to_owned()),
        (group, ..) => match tone_of_state(word) {
            Some(tone) => (fields::severity(resource, word, tone), text.to_owned()),
            // The message of its condition Ready, which is empty when it is: `Modified(1) [Cluster fleet-local/local]; ...`.
            None if group == "fleet.cattle.io" => (Severity::Medium, text.to_owned()),
            None => return None,
        },
    };
    Some(told)
}

/// Returns that a cell says that something is not ready: `READY 1/3`, `AVAILABLE False (MissingEndpoints)`.
fn ready<'w>(resource: &Resource, cells: Node<'w>, header: &str, cell: Node<'w>) -> Option<Trouble<'w>> {
    let text = cell.text();
    let number = |text: &str| text.parse::<u64>().ok();
    let short =
        |have: u64, wanted: u64, text: String| (have < wanted).then(|| Trouble::at(cell, Severity::Medium, text));
    if let Some((have, wanted)) = text.split_once('/') {
        return short(number(have)?, number(wanted)?, format!("{header} {text}"));
    }
    if let Some(have) = number(text) {
        let (name, wanted) = WANTED.iter().find_map(|name| Some((name, number(scalar_at(cells, &[name])?)?)))?;
        return short(have, wanted, format!("{header} {have}, {name} {wanted}"));
    }
    let word = text.split_whitespace().next().unwrap_or_default().to_ascii_lowercase();
    let severity = if &*resource.group == "apiregistration.k8s.io" { Severity::High } else { Severity::Medium };
    matches!(&*word, "false" | "unknown").then(|| Trouble::at(cell, severity, format!("{header} {text}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resource::{IndexBuilder, table};

    /// Troubles of a row with their severities; headers and cells are divided by bars.
    fn shown(type_: &str, headers: &str, row: &str) -> String {
        let split = |line: &str| line.split('|').map(str::trim).map(str::to_owned).collect::<Vec<_>>();
        let (headers, cells) = (split(headers), split(row));
        let width = |at: usize| headers[at].len().max(cells[at].len()) + 3;
        let line = |list: &[String]| -> String {
            list.iter().enumerate().map(|(at, text)| format!("{text:width$}", width = width(at))).collect()
        };
        let text = format!("{}\n{}\n", line(&headers), line(&cells));
        let mut builder = IndexBuilder::default();
        builder.add(table::read_table("t".into(), type_, text.into_bytes(), None, u64::MAX));
        let index = builder.finish().0;
        let mut ids = index.types().iter().flat_map(|name| index.of_type(name));
        let resource = index.resource(*ids.next().unwrap());
        let age = resource.cells().and_then(|cells| table::parse_age(scalar_at(cells, &["AGE"])?));
        let line = |of: Trouble<'_>| {
            assert_eq!(of.node.unwrap().line(), 2, "{type_}");
            format!("{} {}", of.severity.as_str(), of.text)
        };
        let found = troubles(resource, resource.cells().unwrap(), age);
        found.map_or("unknown".to_owned(), |list| list.into_iter().map(line).collect::<Vec<_>>().join("; "))
    }

    #[test]
    fn rows_of_known_types_are_judged_by_their_columns() {
        let released = "medium Released: its claim is gone, reclaim policy Delete";
        let cordoned = "low SchedulingDisabled: cordoned, no new pods start on it";
        for (type_, headers, row, wanted) in [
            ("nodes", "NAME|STATUS|ROLES|VERSION", "n|Ready|<none>|v1", ""),
            ("nodes", "NAME|STATUS|ROLES|VERSION", "n|NotReady|<none>|v1", "critical NotReady"),
            ("nodes", "NAME|STATUS|ROLES|VERSION", "n|Unknown|<none>|v1", "critical Unknown"),
            ("nodes", "NAME|STATUS|ROLES|VERSION", "n|Ready,SchedulingDisabled|<none>|v1", cordoned),
            (
                "nodes",
                "NAME|STATUS|ROLES|VERSION",
                "n|NotReady,SchedulingDisabled|<none>|v1",
                &format!("critical NotReady; {cordoned}"),
            ),
            ("deployments.apps", "NAMESPACE|NAME|READY|UP-TO-DATE|AVAILABLE", "a|d|3/3|3|3", ""),
            ("deployments.apps", "NAMESPACE|NAME|READY|UP-TO-DATE|AVAILABLE", "a|d|1/3|3|1", "medium READY 1/3"),
            ("deployments.apps", "NAMESPACE|NAME|READY|UP-TO-DATE|AVAILABLE", "a|d|0/2|0|0", "medium READY 0/2"),
            ("deployments.apps", "NAMESPACE|NAME|READY|UP-TO-DATE|AVAILABLE", "a|d|0/0|0|0", ""),
            ("statefulsets.apps", "NAMESPACE|NAME|READY|AGE", "a|s|0/3|7d", "medium READY 0/3"),
            ("daemonsets.apps", "NAMESPACE|NAME|DESIRED|CURRENT|READY", "a|d|3|3|3", ""),
            ("daemonsets.apps", "NAMESPACE|NAME|DESIRED|CURRENT|READY", "a|d|3|3|1", "medium READY 1, DESIRED 3"),
            ("replicasets.apps", "NAMESPACE|NAME|DESIRED|CURRENT|READY", "a|r|0|0|0", ""),
            (
                "bundles.fleet.cattle.io",
                "NAMESPACE|NAME|BUNDLEDEPLOYMENTS-READY|STATUS",
                "a|b|0/1|Modified(1) [Cluster fleet-local/local]",
                "medium Modified(1) [Cluster fleet-local/local]; medium BUNDLEDEPLOYMENTS-READY 0/1",
            ),
            ("jobs.batch", "NAMESPACE|NAME|STATUS|COMPLETIONS", "a|j|Complete|1/1", ""),
            ("jobs.batch", "NAMESPACE|NAME|STATUS|COMPLETIONS", "a|j|Failed|0/1", "high Failed"),
            ("apiservices.apiregistration.k8s.io", "NAME|SERVICE|AVAILABLE", "v1.apps|Local|True", ""),
            (
                "apiservices.apiregistration.k8s.io",
                "NAME|SERVICE|AVAILABLE",
                "v1.x.io|a/b|False (MissingEndpoints)",
                "high AVAILABLE False (MissingEndpoints)",
            ),
            ("persistentvolumeclaims", "NAMESPACE|NAME|STATUS|VOLUME", "a|c|Bound|v", ""),
            ("persistentvolumeclaims", "NAMESPACE|NAME|STATUS|VOLUME", "a|c|Pending|", "medium Pending"),
            ("persistentvolumeclaims", "NAMESPACE|NAME|STATUS|VOLUME", "a|c|Lost|v", "critical Lost"),
            ("persistentvolumes", "NAME|RECLAIM POLICY|STATUS|CLAIM", "v|Delete|Bound|a/b", ""),
            ("persistentvolumes", "NAME|RECLAIM POLICY|STATUS|CLAIM", "v|Delete|Released|a/b", released),
            ("persistentvolumes", "NAME|RECLAIM POLICY|STATUS|CLAIM", "v|Delete|Failed|a/b", "critical Failed"),
            ("namespaces", "NAME|STATUS", "n|Active", ""),
            ("namespaces", "NAME|STATUS", "n|Terminating", "low Terminating"),
            ("volumes.longhorn.io", "NAMESPACE|NAME|STATE|ROBUSTNESS", "l|v|detached|unknown", ""),
            ("volumes.longhorn.io", "NAMESPACE|NAME|STATE|ROBUSTNESS", "l|v|attached|degraded", "medium degraded"),
            ("volumes.longhorn.io", "NAMESPACE|NAME|STATE|ROBUSTNESS", "l|v|detached|faulted", "critical faulted"),
            ("backuptargets.longhorn.io", "NAMESPACE|NAME|URL|AVAILABLE", "l|default||false", "unknown"),
            (
                "backuptargets.longhorn.io",
                "NAMESPACE|NAME|URL|AVAILABLE",
                "l|default|nfs://x|false",
                "medium AVAILABLE false",
            ),
            ("virtualmachines.kubevirt.io", "NAMESPACE|NAME|STATUS|READY", "a|vm|Stopped|False", ""),
            (
                "virtualmachines.kubevirt.io",
                "NAMESPACE|NAME|STATUS|READY",
                "a|vm|ErrorUnschedulable|False",
                "high ErrorUnschedulable; medium READY False",
            ),
            ("virtualmachineinstances.kubevirt.io", "NAMESPACE|NAME|PHASE|READY", "a|vm|Succeeded|False", ""),
            ("bundles.fleet.cattle.io", "NAMESPACE|NAME|BUNDLEDEPLOYMENTS-READY|STATUS", "f|b|1/1|", ""),
            (
                "bundles.fleet.cattle.io",
                "NAMESPACE|NAME|BUNDLEDEPLOYMENTS-READY|STATUS",
                "f|b|0/1|ErrApplied(1) [Cluster x: boom]",
                "high ErrApplied(1) [Cluster x: boom]; medium BUNDLEDEPLOYMENTS-READY 0/1",
            ),
            ("machines.cluster.x-k8s.io", "NAMESPACE|NAME|PHASE|AGE", "f|m|Running|7d", ""),
            ("machines.cluster.x-k8s.io", "NAMESPACE|NAME|PHASE|AGE", "f|m|Failed|7d", "high Failed"),
            ("machines.cluster.x-k8s.io", "NAMESPACE|NAME|PHASE|AGE", "f|m|Provisioning|5m", ""),
            (
                "machines.cluster.x-k8s.io",
                "NAMESPACE|NAME|PHASE|AGE",
                "f|m|Provisioning|7d",
                "medium Provisioning since its creation",
            ),
            ("configmaps", "NAMESPACE|NAME|DATA", "a|c|1", "unknown"),
        ] {
            assert_eq!(shown(type_, headers, row), wanted, "{type_}: {row}");
        }
    }

    #[test]
    fn rows_of_other_types_are_judged_by_usual_headers() {
        for (headers, row, wanted) in [
            ("NAME|READY|SECRET", "c|True|s", ""),
            ("NAME|READY|SECRET", "c|False|s", "medium READY False"),
            ("NAME|READY|SECRET", "c|Unknown|s", "medium READY Unknown"),
            ("NAME|READY|STATUS", "c|True|Error", "high Error"),
            ("NAME|READY|STATUS", "c|True|Applied revision: failed-over@sha1", ""),
            ("NAME|READY|STATUS", "c|<none>|<unknown>", "unknown"),
            ("NAME|SYNC STATUS|HEALTH STATUS", "c|OutOfSync|Healthy", ""),
            ("NAME|SYNC STATUS|HEALTH STATUS", "c|OutOfSync|Degraded", "medium Degraded"),
            ("NAME|DESIRED|READY|RECONCILED|AVAILABLE", "c|2|2|True|True", ""),
            (
                "NAME|DESIRED|READY|RECONCILED|AVAILABLE",
                "c|2|1|False|False",
                "medium READY 1, DESIRED 2; medium RECONCILED False; medium AVAILABLE False",
            ),
            ("NAME|REPLICAS|READY|UNAVAILABLE", "c|3|2|1", "medium READY 2, REPLICAS 3; medium UNAVAILABLE 1"),
            ("NAME|PHASE|HEALTH", "c|Ready|HEALTH_ERR", "high HEALTH_ERR"),
            ("NAME|STATE|ERROR", "c|done|no space left", "medium ERROR no space left"),
            ("NAME|STATE|ERROR", "c|done|", ""),
            ("NAME|MIN AVAILABLE|MAX UNAVAILABLE", "c|1|N/A", "unknown"),
        ] {
            assert_eq!(shown("widgets.example.org", headers, row), wanted, "{headers}: {row}");
        }
    }
}
