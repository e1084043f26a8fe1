//! Redacts what is known of the next upgrade. Releases, checks, known issues and their words are of the program, not of the bundle.

use crate::model::UpgradeReadiness;
use crate::model::inventory::Shown;
use crate::model::upgrade::{CheckOutcome, UpgradeCheck};

use super::inventory;
use super::key::Key;
use super::texts::Texts;

/// Replaces names with pseudonyms, and keys fingerprints as those of the findings.
pub fn redact(readiness: &mut UpgradeReadiness, texts: &Texts<'_>, key: &Key) {
    let UpgradeReadiness {
        as_of: _,
        version,
        release: _,
        targets: _,
        checks,
        other,
        unfinished,
        stages: _,
        known_issues,
    } = readiness;
    texts.replace_all(version);
    let of_issues = known_issues.iter_mut().flat_map(|issue| &mut issue.findings);
    other.iter_mut().chain(of_issues).for_each(|fingerprint| *fingerprint = key.fingerprint(fingerprint));
    inventory::shown(unfinished, inventory::upgrade, texts);
    for UpgradeCheck { id: _, name: _, webhook: _, script: _, rules: _, outcome, except: _ } in checks {
        match outcome {
            CheckOutcome::Passed => {}
            CheckOutcome::Failed { findings, objects: Shown { items, left_out: _, not_collected } } => {
                findings.iter_mut().for_each(|fingerprint| *fingerprint = key.fingerprint(fingerprint));
                items.iter_mut().for_each(|object| texts.replace_in(object));
                not_collected.iter_mut().for_each(|why| texts.replace_in(why));
            }
            CheckOutcome::Open(reasons) => reasons.iter_mut().for_each(|reason| texts.replace_in(reason)),
        }
    }
}
