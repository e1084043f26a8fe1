//! Fields of a PersistentVolumeClaim in the output of `kubectl describe pvc`.

use std::ops::Range;

use super::common::{labels, time};
use super::out::Out;
use super::outline::View;

/// Phases; kubectl prints `Terminating` in their place, too.
const PHASES: [&str; 3] = ["Bound", "Lost", "Pending"];

/// Returns the fields of a PersistentVolumeClaim.
pub(super) fn fields(claim: View<'_>) -> Vec<(String, Out)> {
    let at = claim.sections.first().map_or(0, |section| section.line.start);
    let phase = claim.value("Status").filter(|part| PHASES.contains(&claim.slice(part)));
    let metadata = Out::map(
        at,
        [
            ("name", claim.value("Name").map(Out::text)),
            ("namespace", claim.value("Namespace").map(Out::text)),
            ("labels", claim.get("Labels").map(|_| labels(claim, "Labels", '='))),
            ("annotations", claim.get("Annotations").map(|_| labels(claim, "Annotations", ':'))),
            ("deletionTimestamp", phase.as_ref().map(|_| Out::Absent(at))),
        ],
    );
    let spec = Out::map(
        at,
        [
            ("storageClassName", claim.value("StorageClass").map(Out::text)),
            ("volumeName", Some(Out::maybe(claim.value("Volume"), at))),
            ("volumeMode", claim.value("VolumeMode").map(Out::text)),
        ],
    );
    let capacity = claim.value("Capacity").map(|part| Out::map(part.start, [("storage", Some(Out::text(part)))]));
    let status = Out::map(
        at,
        [
            ("phase", phase.map(Out::text)),
            ("capacity", Some(capacity.unwrap_or(Out::Absent(at)))),
            ("conditions", Some(conditions(claim, at))),
        ],
    );
    [("metadata", metadata), ("spec", spec), ("status", status)].map(|(key, value)| (key.to_owned(), value)).into()
}

/// `Type Status LastProbeTime LastTransitionTime Reason Message`; kubectl prints them only if there are any.
fn conditions(claim: View<'_>, at: usize) -> Out {
    if claim.get("Conditions").is_none() {
        return Out::Absent(at);
    }
    let rows = claim.rows("Conditions").into_iter().filter_map(|row| {
        let [kind, status, _, transition, reason, message] = <[Range<usize>; 6]>::try_from(row).ok()?;
        let fields = [
            ("type", Some(Out::text(kind.clone()))),
            ("status", Some(Out::text(status))),
            ("lastTransitionTime", time(claim, transition)),
            ("reason", Some(Out::maybe(claim.stated(reason), at))),
            ("message", Some(Out::maybe(claim.stated(message), at))),
        ];
        Some(Out::map(kind.start, fields))
    });
    Out::List(at, rows.collect())
}
