//! Fields of a PersistentVolume in the output of `kubectl describe pv`.

use super::common::metadata;
use super::out::{Fields, Out};
use super::outline::View;

/// Phases; kubectl prints `Terminating` in their place, too.
const PHASES: [&str; 5] = ["Available", "Bound", "Failed", "Pending", "Released"];

/// Returns the fields of a PersistentVolume.
pub(super) fn fields(view: View<'_>) -> Fields {
    let at = view.start();
    let phase = view.value("Status").filter(|part| PHASES.contains(&view.slice(part)));
    let capacity = view.value("Capacity").map(|part| Out::map(part.start, [("storage", Some(Out::text(part)))]));
    let spec = Out::map(
        at,
        [
            ("storageClassName", Some(Out::maybe(view.value("StorageClass"), at))),
            ("persistentVolumeReclaimPolicy", view.value("Reclaim Policy").map(Out::text)),
            ("volumeMode", view.value("VolumeMode").map(Out::text)),
            ("capacity", capacity),
            ("claimRef", Some(claim(view).unwrap_or(Out::Absent(at)))),
        ],
    );
    let message = Some(Out::maybe(view.value("Message"), at));
    let status = Out::map(at, [("phase", phase.map(Out::text)), ("message", message)]);
    [("metadata", metadata(view, [])), ("spec", spec), ("status", status)]
        .map(|(key, value)| (key.to_owned(), value))
        .into()
}

/// `namespace/name`
fn claim(view: View<'_>) -> Option<Out> {
    let part = view.value("Claim")?;
    let slash = part.start + view.slice(&part).find('/')?;
    let names = [("namespace", Some(Out::text(part.start..slash))), ("name", Some(Out::text(slash + 1..part.end)))];
    Some(Out::map(part.start, names))
}
