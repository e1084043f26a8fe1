//! Whether a Harvester cluster may be upgraded: releases that may follow, official checks, and the upgrade in progress.
//!
//! The table of [`UpgradeTable`] says what Harvester checks and which rules look at it; this module joins it with the outcomes of the
//! rules. A check without an answer is open, never passed; a known issue is left out only where the bundle shows that it does not fit.

mod checks;
mod conditions;
mod found;
mod known_issues;
mod objects;
mod targets;

use std::collections::BTreeSet;

use crate::inventory;
use crate::model::inventory::{Shown, Upgrade};
use crate::model::upgrade::UpgradeStage;
use crate::model::{FindingClass, Lang, UpgradeReadiness};
use crate::rule::UpgradeTable;

pub use found::Found;

/// Returns what is known of the next upgrade; none if the bundle shows no Harvester, or no rule that answers a check was run.
pub fn readiness(found: Found<'_>, lang: Lang) -> Option<UpgradeReadiness> {
    let upgrades = inventory::upgrades(found.resources);
    let version = found.versions.get("harvester");
    let table = UpgradeTable::embedded();
    if (version.is_none() && upgrades.items.is_empty()) || !checks::any_was_run(table, found.rules) {
        return None;
    }
    let version = version.filter(|version| !version.is_empty());
    let checks = checks::outcomes(table, found, &upgrades, version.map(String::as_str), lang);
    let asked: BTreeSet<String> = checks.iter().flat_map(|check| &check.rules).cloned().collect();
    let other = found.findings.iter().filter(|of| of.class == FindingClass::Obstacle && !asked.contains(&of.rule));
    let release = version.and_then(|version| table.release(version));
    let targets = release.map(|release| targets::targets(table, release)).unwrap_or_default();
    let known_issues = known_issues::of(table, found, &upgrades, release, &targets, lang);
    Some(UpgradeReadiness {
        as_of: table.as_of.clone(),
        version: version.cloned(),
        release: release.map(|release| targets::known(table, release, lang)),
        targets,
        known_issues,
        checks,
        other: other.map(|finding| finding.fingerprint.clone()).collect(),
        unfinished: unfinished(upgrades),
        stages: table
            .stages
            .iter()
            .map(|(name, means)| UpgradeStage { name: name.clone(), means: means.in_language(lang) })
            .collect(),
    })
}

fn unfinished(upgrades: Shown<Upgrade>) -> Shown<Upgrade> {
    let Shown { mut items, left_out, not_collected } = upgrades;
    items.retain(objects::is_unfinished);
    Shown { items, left_out, not_collected }
}
