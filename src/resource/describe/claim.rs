//! Fields of a PersistentVolumeClaim in the output of `kubectl describe pvc`.

use super::common::{conditions, metadata};
use super::out::{Fields, Out};
use super::outline::View;

/// Phases; kubectl prints `Terminating` in their place, too.
const PHASES: [&str; 3] = ["Bound", "Lost", "Pending"];

/// Returns the fields of a PersistentVolumeClaim.
pub(super) fn fields(claim: View<'_>) -> Fields {
    let at = claim.start();
    let phase = claim.value("Status").filter(|part| PHASES.contains(&claim.slice(part)));
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
            ("conditions", Some(claim.get("Conditions").map_or(Out::Absent(at), |_| Out::List(at, conditions(claim))))),
        ],
    );
    [("metadata", metadata(claim, [])), ("spec", spec), ("status", status)]
        .map(|(key, value)| (key.to_owned(), value))
        .into()
}
