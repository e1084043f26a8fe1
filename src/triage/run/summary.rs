//! What a run has done: [`Summary`].

use serde_json::json;

use super::plan::{Need, RunPlan};
use crate::triage::input::InputFiles;
use crate::triage::store::{FileRow, Status};

/// Failures that are listed one by one.
const LISTED: usize = 10;

/// What a run has done, in files unless something else is said.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Looked at in this shard.
    pub files: u64,
    /// Analysed with all rules.
    pub analysed: u64,
    /// Bundles in those.
    pub bundles: u64,
    /// Bytes of those.
    pub bytes: u64,
    /// Of which only rules ran that changed.
    pub updated: u64,
    /// Rules that were added or changed, and those that are gone, since bundles were analysed last.
    pub changed_rules: u64,
    /// Rules that had to run for them.
    pub rules_run: u64,
    /// In the store as they are.
    pub unchanged: u64,
    /// With the checksum of another.
    pub copies: u64,
    /// Archives without a bundle.
    pub no_bundle: u64,
    /// That could not be analysed, or were stopped.
    pub failed: u64,
    /// The first of those and of archives without a bundle, with what and why.
    pub failures: Vec<(String, &'static str, String)>,
    /// Neither archives nor parts of bundles.
    pub others: u64,
    /// Links to folders, not followed.
    pub links: u64,
    /// Known, and not there any more.
    pub gone: u64,
    /// What could not be looked at.
    pub trouble: Vec<String>,
    pub seconds: f64,
}

impl Summary {
    /// What is known before anything is analysed.
    pub(super) fn of(plan: &RunPlan, found: &InputFiles) -> Self {
        let mut summary = Self {
            files: plan.files,
            unchanged: plan.unchanged,
            others: plan.others,
            links: found.links,
            gone: plan.gone.len() as u64,
            trouble: found.trouble.iter().chain(&plan.trouble).cloned().collect(),
            ..Self::default()
        };
        for job in &plan.jobs {
            if let Need::Rules { changes, .. } = &job.need {
                summary.changed_rules = summary.changed_rules.max((changes.changed.len() + changes.gone.len()) as u64);
                summary.rules_run = summary.rules_run.max(changes.run.len() as u64);
            }
        }
        summary
    }

    pub(super) fn fail(&mut self, file: &FileRow, status: Status, why: &str) {
        if status == Status::NoBundle {
            self.no_bundle += 1;
        } else {
            self.failed += 1;
        }
        if self.failures.len() < LISTED {
            self.failures.push((
                format!("{}/{}", file.input.trim_end_matches('/'), file.path),
                status.as_str(),
                why.to_owned(),
            ));
        }
    }

    /// The numbers, as the store keeps them.
    pub fn json(&self) -> String {
        json!({
            "files": self.files, "analysed": self.analysed, "bundles": self.bundles, "bytes": self.bytes,
            "updated": self.updated, "changed_rules": self.changed_rules, "rules_run": self.rules_run,
            "unchanged": self.unchanged, "copies": self.copies, "no_bundle": self.no_bundle, "failed": self.failed,
            "others": self.others, "gone": self.gone, "trouble": self.trouble.len(),
        })
        .to_string()
    }
}
