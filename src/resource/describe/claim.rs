//! Fields of a PersistentVolumeClaim in the output of `kubectl describe pvc`.

use super::common::{conditions, labels};
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
            // kubectl prints them only if there are any.
            (
                "conditions",
                Some(claim.get("Conditions").map_or(Out::Absent(at), |_| Out::List(at, conditions(claim, None)))),
            ),
        ],
    );
    [("metadata", metadata), ("spec", spec), ("status", status)].map(|(key, value)| (key.to_owned(), value)).into()
}
