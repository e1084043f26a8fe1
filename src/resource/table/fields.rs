//! Which fields of an object a cell of its table states exactly.
//!
//! From the printers of kubectl (`pkg/printers/internalversion` of Kubernetes) and, for custom resources, from the
//! `additionalPrinterColumns` of their definitions. What is not in the table here is not known from a row: lists of which
//! only a part is printed, abbreviations, and what the printer computes. AGE is not the time of creation: it is rounded, so
//! that of two objects nobody can say which is older. Only of events, which tell when something was seen, are ages taken.

use jiff::SignedDuration;

/// What a cell says of a field.
#[derive(Clone, Debug, PartialEq)]
pub enum Read<'c> {
    /// Nothing.
    Unseen,
    /// The object does not have it.
    Absent,
    Text(&'c str),
    Number(&'c str),
    Bool(&'c str),
    /// `key=value,key=value`.
    Map(&'c str),
    /// Names of containers with their images.
    Containers(Vec<(&'c str, &'c str)>),
    /// A time so long ago, good to the last unit that was printed.
    Ago(SignedDuration),
}

/// One cell as one field.
pub struct Field {
    /// The column's header.
    pub column: &'static str,
    /// The field's path in the object.
    pub path: &'static [&'static str],
    pub read: fn(&str) -> Read<'_>,
}

/// A column that states a field.
const fn f(column: &'static str, path: &'static [&'static str], read: fn(&str) -> Read<'_>) -> Field {
    Field { column, path, read }
}

/// Columns that mean the same in the tables of all types.
pub const OF_ALL: &[Field] = &[
    f("NAME", &["metadata", "name"], text),
    f("NAMESPACE", &["metadata", "namespace"], text),
    f("CREATED AT", &["metadata", "creationTimestamp"], text),
    f("LABELS", &["metadata", "labels"], map),
];

/// The columns of a type, by `PLURAL[.GROUP]`.
pub fn of_type(name: &str) -> &'static [Field] {
    TYPES.iter().find(|(known, _)| *known == name).map_or(&[], |(_, fields)| fields)
}

const SELECTOR: &[&str] = &["spec", "selector", "matchLabels"];
const REPLICAS: &[&str] = &["spec", "replicas"];
const READY_REPLICAS: &[&str] = &["status", "readyReplicas"];
const DELETED: &[&str] = &["metadata", "deletionTimestamp"];
const PHASE: &[&str] = &["status", "phase"];

const TYPES: &[(&str, &[Field])] = &[
    (
        "pods",
        &[
            f("STATUS", PHASE, pod_phase),
            f("STATUS", DELETED, pod_deleted),
            f("IP", &["status", "podIP"], text),
            f("NODE", &["spec", "nodeName"], text),
            f("NOMINATED NODE", &["status", "nominatedNodeName"], text),
        ],
    ),
    ("namespaces", &[f("STATUS", PHASE, text)]),
    (
        "nodes",
        &[
            f("STATUS", &["spec", "unschedulable"], unschedulable),
            f("VERSION", &["status", "nodeInfo", "kubeletVersion"], text),
            f("OS-IMAGE", &["status", "nodeInfo", "osImage"], text),
            f("KERNEL-VERSION", &["status", "nodeInfo", "kernelVersion"], text),
            f("CONTAINER-RUNTIME", &["status", "nodeInfo", "containerRuntimeVersion"], text),
        ],
    ),
    (
        "persistentvolumeclaims",
        &[
            f("STATUS", PHASE, volume_phase),
            f("STATUS", DELETED, volume_deleted),
            f("VOLUME", &["spec", "volumeName"], text),
            f("STORAGECLASS", &["spec", "storageClassName"], text),
            f("VOLUMEMODE", &["spec", "volumeMode"], text),
        ],
    ),
    (
        "persistentvolumes",
        &[
            f("STATUS", PHASE, volume_phase),
            f("STATUS", DELETED, volume_deleted),
            f("CAPACITY", &["spec", "capacity", "storage"], text),
            f("RECLAIM POLICY", &["spec", "persistentVolumeReclaimPolicy"], text),
            f("CLAIM", &["spec", "claimRef", "namespace"], before_slash),
            f("CLAIM", &["spec", "claimRef", "name"], behind_slash),
            f("STORAGECLASS", &["spec", "storageClassName"], text),
            f("VOLUMEMODE", &["spec", "volumeMode"], text),
        ],
    ),
    (
        "volumeattachments.storage.k8s.io",
        &[
            f("ATTACHER", &["spec", "attacher"], text),
            f("PV", &["spec", "source", "persistentVolumeName"], text),
            f("NODE", &["spec", "nodeName"], text),
            f("ATTACHED", &["status", "attached"], flag),
        ],
    ),
    (
        "services",
        &[
            f("TYPE", &["spec", "type"], text),
            f("CLUSTER-IP", &["spec", "clusterIP"], text),
            f("SELECTOR", &["spec", "selector"], map),
        ],
    ),
    ("endpoints", &[f("ENDPOINTS", &["subsets"], none_only)]),
    (
        "deployments.apps",
        &[
            f("READY", READY_REPLICAS, count_before_slash),
            f("READY", REPLICAS, number_behind_slash),
            f("UP-TO-DATE", &["status", "updatedReplicas"], count),
            f("AVAILABLE", &["status", "availableReplicas"], count),
            f("SELECTOR", SELECTOR, map),
        ],
    ),
    ("statefulsets.apps", &[f("READY", READY_REPLICAS, count_before_slash), f("READY", REPLICAS, number_behind_slash)]),
    (
        "replicasets.apps",
        &[
            f("DESIRED", REPLICAS, number),
            f("CURRENT", &["status", "replicas"], number),
            f("READY", READY_REPLICAS, count),
            f("SELECTOR", SELECTOR, map),
        ],
    ),
    (
        "daemonsets.apps",
        &[
            f("DESIRED", &["status", "desiredNumberScheduled"], number),
            f("CURRENT", &["status", "currentNumberScheduled"], number),
            f("READY", &["status", "numberReady"], number),
            f("UP-TO-DATE", &["status", "updatedNumberScheduled"], count),
            f("AVAILABLE", &["status", "numberAvailable"], count),
            f("NODE SELECTOR", &["spec", "template", "spec", "nodeSelector"], map),
            f("SELECTOR", SELECTOR, map),
        ],
    ),
    ("jobs.batch", &[f("COMPLETIONS", &["status", "succeeded"], count_before_slash), f("SELECTOR", SELECTOR, map)]),
    ("cronjobs.batch", &[f("SCHEDULE", &["spec", "schedule"], text), f("SUSPEND", &["spec", "suspend"], flag)]),
    (
        "horizontalpodautoscalers.autoscaling",
        &[
            f("REFERENCE", &["spec", "scaleTargetRef", "kind"], before_slash),
            f("REFERENCE", &["spec", "scaleTargetRef", "name"], behind_slash),
            f("MINPODS", &["spec", "minReplicas"], number),
            f("MAXPODS", &["spec", "maxReplicas"], number),
        ],
    ),
    ("ingresses.networking.k8s.io", &[f("CLASS", &["spec", "ingressClassName"], text)]),
    ("networkpolicies.networking.k8s.io", &[f("POD-SELECTOR", &["spec", "podSelector", "matchLabels"], map)]),
    ("leases.coordination.k8s.io", &[f("HOLDER", &["spec", "holderIdentity"], text)]),
    (
        "apiservices.apiregistration.k8s.io",
        &[
            f("SERVICE", &["spec", "service", "namespace"], before_slash),
            f("SERVICE", &["spec", "service", "name"], behind_slash),
        ],
    ),
    (
        "customresourcedefinitions.apiextensions.k8s.io",
        &[f("NAME", &["spec", "names", "plural"], before_dot), f("NAME", &["spec", "group"], behind_dot)],
    ),
    (
        "helmcharts.helm.cattle.io",
        &[
            f("REPO", &["spec", "repo"], text),
            f("CHART", &["spec", "chart"], text),
            f("VERSION", &["spec", "version"], text),
            f("TARGETNAMESPACE", &["spec", "targetNamespace"], text),
            f("BOOTSTRAP", &["spec", "bootstrap"], flag),
            f("JOB", &["status", "jobName"], text),
        ],
    ),
    (
        "events",
        &[
            f("LAST SEEN", &["lastTimestamp"], age),
            f("FIRST SEEN", &["firstTimestamp"], age),
            f("TYPE", &["type"], text),
            f("REASON", &["reason"], text),
            f("MESSAGE", &["message"], text),
            f("COUNT", &["count"], number),
            f("OBJECT", &["involvedObject", "kind"], before_slash),
            f("OBJECT", &["involvedObject", "name"], behind_slash),
            f("NAMESPACE", &["involvedObject", "namespace"], text),
            f("SOURCE", &["source", "component"], before_comma),
            f("SOURCE", &["source", "host"], behind_comma),
        ],
    ),
];

/// What kubectl prints for a field that is not there.
fn is_none(cell: &str) -> bool {
    matches!(cell, "" | "<none>" | "<unset>")
}

fn text(cell: &str) -> Read<'_> {
    match cell {
        _ if is_none(cell) => Read::Absent,
        "<unknown>" | "<invalid>" => Read::Unseen,
        _ => Read::Text(cell),
    }
}

fn number(cell: &str) -> Read<'_> {
    match cell {
        _ if is_none(cell) => Read::Absent,
        _ if cell.len() < 10 && cell.bytes().all(|b| b.is_ascii_digit()) => Read::Number(cell),
        _ => Read::Unseen,
    }
}

/// A counter that the API leaves out when it is 0.
fn count(cell: &str) -> Read<'_> {
    match number(cell) {
        Read::Number("0") => Read::Absent,
        read => read,
    }
}

/// kubectl prints booleans as Go does, or as JSON in custom columns.
fn flag(cell: &str) -> Read<'_> {
    match cell {
        _ if is_none(cell) => Read::Absent,
        "true" | "false" | "True" | "False" => Read::Bool(cell),
        _ => Read::Unseen,
    }
}

/// Labels or a selector of plain equalities; a selector of other terms is not exact.
fn map(cell: &str) -> Read<'_> {
    match cell {
        _ if is_none(cell) => Read::Absent,
        _ if cell.contains(['(', '!', ' ', '<']) || !cell.split(',').all(|part| part.contains('=')) => Read::Unseen,
        _ => Read::Map(cell),
    }
}

fn age(cell: &str) -> Read<'_> {
    let printed = cell.split(" (").next().unwrap_or_default();
    parse_age(printed).map_or(Read::Unseen, Read::Ago)
}

/// `5s 3m12s 4h5m 2d3h 12d 2y45d`.
pub fn parse_age(text: &str) -> Option<SignedDuration> {
    let mut seconds: i64 = 0;
    let mut rest = text;
    for _ in 0..3 {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, behind) = rest.split_at(digits);
        let unit = behind.chars().next()?;
        let factor = [('s', 1), ('m', 60), ('h', 3600), ('d', 86_400), ('y', 31_536_000)];
        let (_, factor) = factor.iter().find(|(sign, _)| *sign == unit)?;
        seconds = number.parse::<i64>().ok()?.checked_mul(*factor)?.checked_add(seconds)?;
        rest = behind.get(1..)?;
        if rest.is_empty() {
            // A thousand years: more would be no time of this world.
            return (seconds < 31_536_000_000).then(|| SignedDuration::from_secs(seconds));
        }
    }
    None
}

/// STATUS is the phase only where nothing else is known: a reason of the Pod, of a container or the deletion stand in its
/// place. Of the phases those two cannot come from anything else.
fn pod_phase(cell: &str) -> Read<'_> {
    if matches!(cell, "Running" | "Pending") { Read::Text(cell) } else { Read::Unseen }
}

fn pod_deleted(cell: &str) -> Read<'_> {
    if matches!(cell, "Running" | "Pending") { Read::Absent } else { Read::Unseen }
}

fn volume_phase(cell: &str) -> Read<'_> {
    if cell == "Terminating" { Read::Unseen } else { text(cell) }
}

fn volume_deleted(cell: &str) -> Read<'_> {
    if cell == "Terminating" { Read::Unseen } else { Read::Absent }
}

fn unschedulable(cell: &str) -> Read<'_> {
    if cell.split(',').any(|word| word == "SchedulingDisabled") { Read::Bool("true") } else { Read::Absent }
}

fn none_only(cell: &str) -> Read<'_> {
    if cell == "<none>" { Read::Absent } else { Read::Unseen }
}

/// The parts of a cell around the first separator; without one nothing is said.
fn part<'c>(cell: &'c str, separator: &str, pick: fn((&'c str, &'c str)) -> &'c str) -> Read<'c> {
    match cell.split_once(separator) {
        _ if is_none(cell) => Read::Absent,
        Some(parts) => text(pick(parts)),
        None => Read::Unseen,
    }
}

fn before_slash(cell: &str) -> Read<'_> {
    part(cell, "/", |(before, _)| before)
}

fn behind_slash(cell: &str) -> Read<'_> {
    part(cell, "/", |(_, behind)| behind)
}

fn before_dot(cell: &str) -> Read<'_> {
    part(cell, ".", |(before, _)| before)
}

fn behind_dot(cell: &str) -> Read<'_> {
    part(cell, ".", |(_, behind)| behind)
}

/// `kubelet, node1`, or the component alone.
fn before_comma(cell: &str) -> Read<'_> {
    text(cell.split(", ").next().unwrap_or_default())
}

fn behind_comma(cell: &str) -> Read<'_> {
    cell.split_once(", ").map_or(Read::Absent, |(_, host)| text(host))
}

fn count_before_slash(cell: &str) -> Read<'_> {
    cell.split_once('/').map_or(Read::Unseen, |(before, _)| count(before))
}

fn number_behind_slash(cell: &str) -> Read<'_> {
    cell.split_once('/').map_or(Read::Unseen, |(_, behind)| number(behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_read_as_kubectl_prints_them() {
        let seconds = |text: &str| parse_age(text).map(|age| age.as_secs());
        let rows = [
            ("5s", Some(5)),
            ("3m12s", Some(192)),
            ("7d3h", Some(7 * 86_400 + 3 * 3600)),
            ("2y45d", Some(775 * 86_400)),
            ("<unknown>", None),
            ("", None),
            ("5", None),
            ("d", None),
            ("1d2h3m4s", None),
            ("99999999999999999y", None),
            ("5x", None),
        ];
        for (text, wanted) in rows {
            assert_eq!(seconds(text), wanted, "{text}");
        }
        assert_eq!(age("12m (x5 over 1h)"), Read::Ago(SignedDuration::from_mins(12)));
    }

    #[test]
    fn only_what_is_exact_is_read() {
        assert_eq!(pod_phase("Running"), Read::Text("Running"));
        assert_eq!(pod_deleted("Running"), Read::Absent);
        for computed in ["CrashLoopBackOff", "Completed", "Terminating", "Init:0/1"] {
            assert_eq!((pod_phase(computed), pod_deleted(computed)), (Read::Unseen, Read::Unseen), "{computed}");
        }
        assert_eq!(map("a=b,c=d"), Read::Map("a=b,c=d"));
        assert_eq!(map("<none>"), Read::Absent);
        assert_eq!(map("a in (b,c)"), Read::Unseen);
        assert_eq!((count("0"), number("0")), (Read::Absent, Read::Number("0")));
        assert_eq!((before_slash("demo/data"), behind_slash("demo/data")), (Read::Text("demo"), Read::Text("data")));
        assert_eq!(before_slash("Local"), Read::Unseen);
        assert_eq!(unschedulable("Ready,SchedulingDisabled"), Read::Bool("true"));
        assert_eq!(
            (before_comma("kubelet, n1"), behind_comma("kubelet, n1")),
            (Read::Text("kubelet"), Read::Text("n1"))
        );
        assert_eq!(behind_comma("scheduler"), Read::Absent);
    }
}
