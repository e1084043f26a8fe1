//! Fields of an object that a cell of its table states exactly.
//!
//! The table follows the printers of kubectl (`pkg/printers/internalversion` of Kubernetes) and, for custom resources,
//! the `additionalPrinterColumns` of their definitions. Columns without an entry are unknown: lists printed only in
//! part, abbreviations, and computed values. AGE is not the creation time: it is rounded, so it does not order two
//! objects. Ages are used only for events, as the time when something was seen.

use jiff::SignedDuration;

/// Value of a field according to a cell.
#[derive(Clone, Debug, PartialEq)]
pub enum CellContent<'c> {
    /// Unknown from this cell.
    Unseen,
    /// The object does not have the field.
    Absent,
    Text(&'c str),
    Number(&'c str),
    Bool(&'c str),
    /// `key=value,key=value`.
    Map(&'c str),
    /// Names of containers with their images.
    Containers(Vec<(&'c str, &'c str)>),
    /// A time in the past, exact to the last unit printed.
    Ago(SignedDuration),
}

/// Field that one cell states.
pub struct CellField {
    /// Header of the column.
    pub column: &'static str,
    /// Path of the field in the object.
    pub path: &'static [&'static str],
    pub read: fn(&str) -> CellContent<'_>,
}

/// Declares a column that states a field.
const fn cell(column: &'static str, path: &'static [&'static str], read: fn(&str) -> CellContent<'_>) -> CellField {
    CellField { column, path, read }
}

/// Columns with the same meaning in the tables of all types.
pub const COMMON_FIELDS: &[CellField] = &[
    cell("NAME", &["metadata", "name"], text),
    cell("NAMESPACE", &["metadata", "namespace"], text),
    cell("CREATED AT", &["metadata", "creationTimestamp"], text),
    cell("LABELS", &["metadata", "labels"], map),
];

/// Returns the columns of a type, by `PLURAL[.GROUP]`.
pub fn fields_of_type(name: &str) -> &'static [CellField] {
    TYPES.iter().find(|(known, _)| *known == name).map_or(&[], |(_, fields)| fields)
}

const SELECTOR: &[&str] = &["spec", "selector", "matchLabels"];
const REPLICAS: &[&str] = &["spec", "replicas"];
const READY_REPLICAS: &[&str] = &["status", "readyReplicas"];
const DELETED: &[&str] = &["metadata", "deletionTimestamp"];
const PHASE: &[&str] = &["status", "phase"];

const TYPES: &[(&str, &[CellField])] = &[
    (
        "pods",
        &[
            cell("STATUS", PHASE, pod_phase),
            cell("STATUS", DELETED, pod_deleted),
            cell("IP", &["status", "podIP"], text),
            cell("NODE", &["spec", "nodeName"], text),
            cell("NOMINATED NODE", &["status", "nominatedNodeName"], text),
        ],
    ),
    ("namespaces", &[cell("STATUS", PHASE, text)]),
    (
        "nodes",
        &[
            cell("STATUS", &["spec", "unschedulable"], unschedulable),
            cell("VERSION", &["status", "nodeInfo", "kubeletVersion"], text),
            cell("OS-IMAGE", &["status", "nodeInfo", "osImage"], text),
            cell("KERNEL-VERSION", &["status", "nodeInfo", "kernelVersion"], text),
            cell("CONTAINER-RUNTIME", &["status", "nodeInfo", "containerRuntimeVersion"], text),
        ],
    ),
    (
        "persistentvolumeclaims",
        &[
            cell("STATUS", PHASE, volume_phase),
            cell("STATUS", DELETED, volume_deleted),
            cell("VOLUME", &["spec", "volumeName"], text),
            cell("STORAGECLASS", &["spec", "storageClassName"], text),
            cell("VOLUMEMODE", &["spec", "volumeMode"], text),
        ],
    ),
    (
        "persistentvolumes",
        &[
            cell("STATUS", PHASE, volume_phase),
            cell("STATUS", DELETED, volume_deleted),
            cell("CAPACITY", &["spec", "capacity", "storage"], text),
            cell("RECLAIM POLICY", &["spec", "persistentVolumeReclaimPolicy"], text),
            cell("CLAIM", &["spec", "claimRef", "namespace"], before_slash),
            cell("CLAIM", &["spec", "claimRef", "name"], behind_slash),
            cell("STORAGECLASS", &["spec", "storageClassName"], text),
            cell("VOLUMEMODE", &["spec", "volumeMode"], text),
        ],
    ),
    (
        "volumeattachments.storage.k8s.io",
        &[
            cell("ATTACHER", &["spec", "attacher"], text),
            cell("PV", &["spec", "source", "persistentVolumeName"], text),
            cell("NODE", &["spec", "nodeName"], text),
            cell("ATTACHED", &["status", "attached"], flag),
        ],
    ),
    (
        "services",
        &[
            cell("TYPE", &["spec", "type"], text),
            cell("CLUSTER-IP", &["spec", "clusterIP"], text),
            cell("SELECTOR", &["spec", "selector"], map),
        ],
    ),
    ("endpoints", &[cell("ENDPOINTS", &["subsets"], none_only)]),
    (
        "deployments.apps",
        &[
            cell("READY", READY_REPLICAS, count_before_slash),
            cell("READY", REPLICAS, number_behind_slash),
            cell("UP-TO-DATE", &["status", "updatedReplicas"], count),
            cell("AVAILABLE", &["status", "availableReplicas"], count),
            cell("SELECTOR", SELECTOR, map),
        ],
    ),
    (
        "statefulsets.apps",
        &[cell("READY", READY_REPLICAS, count_before_slash), cell("READY", REPLICAS, number_behind_slash)],
    ),
    (
        "replicasets.apps",
        &[
            cell("DESIRED", REPLICAS, number),
            cell("CURRENT", &["status", "replicas"], number),
            cell("READY", READY_REPLICAS, count),
            cell("SELECTOR", SELECTOR, map),
        ],
    ),
    (
        "daemonsets.apps",
        &[
            cell("DESIRED", &["status", "desiredNumberScheduled"], number),
            cell("CURRENT", &["status", "currentNumberScheduled"], number),
            cell("READY", &["status", "numberReady"], number),
            cell("UP-TO-DATE", &["status", "updatedNumberScheduled"], count),
            cell("AVAILABLE", &["status", "numberAvailable"], count),
            cell("NODE SELECTOR", &["spec", "template", "spec", "nodeSelector"], map),
            cell("SELECTOR", SELECTOR, map),
        ],
    ),
    (
        "jobs.batch",
        &[cell("COMPLETIONS", &["status", "succeeded"], count_before_slash), cell("SELECTOR", SELECTOR, map)],
    ),
    ("cronjobs.batch", &[cell("SCHEDULE", &["spec", "schedule"], text), cell("SUSPEND", &["spec", "suspend"], flag)]),
    (
        "horizontalpodautoscalers.autoscaling",
        &[
            cell("REFERENCE", &["spec", "scaleTargetRef", "kind"], before_slash),
            cell("REFERENCE", &["spec", "scaleTargetRef", "name"], behind_slash),
            cell("MINPODS", &["spec", "minReplicas"], number),
            cell("MAXPODS", &["spec", "maxReplicas"], number),
        ],
    ),
    ("ingresses.networking.k8s.io", &[cell("CLASS", &["spec", "ingressClassName"], text)]),
    ("networkpolicies.networking.k8s.io", &[cell("POD-SELECTOR", &["spec", "podSelector", "matchLabels"], map)]),
    ("leases.coordination.k8s.io", &[cell("HOLDER", &["spec", "holderIdentity"], text)]),
    (
        "apiservices.apiregistration.k8s.io",
        &[
            cell("SERVICE", &["spec", "service", "namespace"], before_slash),
            cell("SERVICE", &["spec", "service", "name"], behind_slash),
        ],
    ),
    (
        "customresourcedefinitions.apiextensions.k8s.io",
        &[cell("NAME", &["spec", "names", "plural"], before_dot), cell("NAME", &["spec", "group"], behind_dot)],
    ),
    (
        "helmcharts.helm.cattle.io",
        &[
            cell("REPO", &["spec", "repo"], text),
            cell("CHART", &["spec", "chart"], text),
            cell("VERSION", &["spec", "version"], text),
            cell("TARGETNAMESPACE", &["spec", "targetNamespace"], text),
            cell("BOOTSTRAP", &["spec", "bootstrap"], flag),
            cell("JOB", &["status", "jobName"], text),
        ],
    ),
    (
        "events",
        &[
            cell("LAST SEEN", &["lastTimestamp"], age),
            cell("FIRST SEEN", &["firstTimestamp"], age),
            cell("TYPE", &["type"], text),
            cell("REASON", &["reason"], text),
            cell("MESSAGE", &["message"], text),
            cell("COUNT", &["count"], number),
            cell("OBJECT", &["involvedObject", "kind"], before_slash),
            cell("OBJECT", &["involvedObject", "name"], behind_slash),
            cell("NAMESPACE", &["involvedObject", "namespace"], text),
            cell("SOURCE", &["source", "component"], before_comma),
            cell("SOURCE", &["source", "host"], behind_comma),
        ],
    ),
];

/// Recognises the words that kubectl prints for an absent field.
fn is_none(cell: &str) -> bool {
    matches!(cell, "" | "<none>" | "<unset>")
}

fn text(cell: &str) -> CellContent<'_> {
    match cell {
        _ if is_none(cell) => CellContent::Absent,
        "<unknown>" | "<invalid>" => CellContent::Unseen,
        _ => CellContent::Text(cell),
    }
}

fn number(cell: &str) -> CellContent<'_> {
    match cell {
        _ if is_none(cell) => CellContent::Absent,
        _ if cell.len() < 10 && cell.bytes().all(|b| b.is_ascii_digit()) => CellContent::Number(cell),
        _ => CellContent::Unseen,
    }
}

/// Reads a counter that the API omits when it is 0.
fn count(cell: &str) -> CellContent<'_> {
    match number(cell) {
        CellContent::Number("0") => CellContent::Absent,
        read => read,
    }
}

/// Reads a boolean, printed as in Go, or as JSON in custom columns.
fn flag(cell: &str) -> CellContent<'_> {
    match cell {
        _ if is_none(cell) => CellContent::Absent,
        "true" | "false" | "True" | "False" => CellContent::Bool(cell),
        _ => CellContent::Unseen,
    }
}

/// Reads labels or a selector of plain equalities; a selector with other terms is not exact.
fn map(cell: &str) -> CellContent<'_> {
    match cell {
        _ if is_none(cell) => CellContent::Absent,
        _ if cell.contains(['(', '!', ' ', '<']) || !cell.split(',').all(|part| part.contains('=')) => {
            CellContent::Unseen
        }
        _ => CellContent::Map(cell),
    }
}

fn age(cell: &str) -> CellContent<'_> {
    let printed = cell.split(" (").next().unwrap_or_default();
    parse_age(printed).map_or(CellContent::Unseen, CellContent::Ago)
}

/// Parses an age such as `5s`, `3m12s`, `4h5m`, `2d3h`, `12d` or `2y45d`.
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
            // Ages of a thousand years and more are rejected.
            return (seconds < 31_536_000_000).then(|| SignedDuration::from_secs(seconds));
        }
    }
    None
}

/// Reads STATUS as the phase only if it cannot be anything else: a reason of the Pod or of a container, or the
/// deletion, replaces the phase. These two phases have no other source.
fn pod_phase(cell: &str) -> CellContent<'_> {
    if matches!(cell, "Running" | "Pending") { CellContent::Text(cell) } else { CellContent::Unseen }
}

fn pod_deleted(cell: &str) -> CellContent<'_> {
    if matches!(cell, "Running" | "Pending") { CellContent::Absent } else { CellContent::Unseen }
}

fn volume_phase(cell: &str) -> CellContent<'_> {
    if cell == "Terminating" { CellContent::Unseen } else { text(cell) }
}

fn volume_deleted(cell: &str) -> CellContent<'_> {
    if cell == "Terminating" { CellContent::Unseen } else { CellContent::Absent }
}

fn unschedulable(cell: &str) -> CellContent<'_> {
    if cell.split(',').any(|word| word == "SchedulingDisabled") {
        CellContent::Bool("true")
    } else {
        CellContent::Absent
    }
}

fn none_only(cell: &str) -> CellContent<'_> {
    if cell == "<none>" { CellContent::Absent } else { CellContent::Unseen }
}

/// Splits a cell at the first separator and picks a part; unknown without a separator.
fn part<'c>(cell: &'c str, separator: &str, pick: fn((&'c str, &'c str)) -> &'c str) -> CellContent<'c> {
    match cell.split_once(separator) {
        _ if is_none(cell) => CellContent::Absent,
        Some(parts) => text(pick(parts)),
        None => CellContent::Unseen,
    }
}

fn before_slash(cell: &str) -> CellContent<'_> {
    part(cell, "/", |(before, _)| before)
}

fn behind_slash(cell: &str) -> CellContent<'_> {
    part(cell, "/", |(_, behind)| behind)
}

fn before_dot(cell: &str) -> CellContent<'_> {
    part(cell, ".", |(before, _)| before)
}

fn behind_dot(cell: &str) -> CellContent<'_> {
    part(cell, ".", |(_, behind)| behind)
}

/// Reads the component from `kubelet, node1`, or the component alone.
fn before_comma(cell: &str) -> CellContent<'_> {
    text(cell.split(", ").next().unwrap_or_default())
}

fn behind_comma(cell: &str) -> CellContent<'_> {
    cell.split_once(", ").map_or(CellContent::Absent, |(_, host)| text(host))
}

fn count_before_slash(cell: &str) -> CellContent<'_> {
    cell.split_once('/').map_or(CellContent::Unseen, |(before, _)| count(before))
}

fn number_behind_slash(cell: &str) -> CellContent<'_> {
    cell.split_once('/').map_or(CellContent::Unseen, |(_, behind)| number(behind))
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
        assert_eq!(age("12m (x5 over 1h)"), CellContent::Ago(SignedDuration::from_mins(12)));
    }

    #[test]
    fn only_what_is_exact_is_read() {
        assert_eq!(pod_phase("Running"), CellContent::Text("Running"));
        assert_eq!(pod_deleted("Running"), CellContent::Absent);
        for computed in ["CrashLoopBackOff", "Completed", "Terminating", "Init:0/1"] {
            assert_eq!(
                (pod_phase(computed), pod_deleted(computed)),
                (CellContent::Unseen, CellContent::Unseen),
                "{computed}"
            );
        }
        assert_eq!(map("a=b,c=d"), CellContent::Map("a=b,c=d"));
        assert_eq!(map("<none>"), CellContent::Absent);
        assert_eq!(map("a in (b,c)"), CellContent::Unseen);
        assert_eq!((count("0"), number("0")), (CellContent::Absent, CellContent::Number("0")));
        assert_eq!(
            (before_slash("demo/data"), behind_slash("demo/data")),
            (CellContent::Text("demo"), CellContent::Text("data"))
        );
        assert_eq!(before_slash("Local"), CellContent::Unseen);
        assert_eq!(unschedulable("Ready,SchedulingDisabled"), CellContent::Bool("true"));
        assert_eq!(
            (before_comma("kubelet, n1"), behind_comma("kubelet, n1")),
            (CellContent::Text("kubelet"), CellContent::Text("n1"))
        );
        assert_eq!(behind_comma("scheduler"), CellContent::Absent);
    }
}
