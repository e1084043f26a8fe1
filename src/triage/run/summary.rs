//! Numbers of a run: [`Summary`].

use serde_json::json;

use super::plan::{Need, RunPlan};
use crate::triage::input::InputFiles;
use crate::triage::store::{FileRow, Status};

/// Number of failures listed.
const LISTED: usize = 10;

/// Numbers of a run; they count files unless stated otherwise.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// All files of the shard.
    pub files: u64,
    /// Analysed with all rules.
    pub analysed: u64,
    /// Bundles in analysed files.
    pub bundles: u64,
    /// Bytes of analysed files.
    pub bytes: u64,
    /// Updated by running changed rules only.
    pub updated: u64,
    /// Rules added, changed or removed since the last analysis.
    pub changed_rules: u64,
    /// Rules that ran because of these changes.
    pub rules_run: u64,
    /// Current in the store.
    pub unchanged: u64,
    /// Same checksum as another file.
    pub copies: u64,
    /// Archives without a bundle.
    pub no_bundle: u64,
    /// Unreadable, stopped or crashed.
    pub failed: u64,
    /// First failures and archives without a bundle: path, status, reason.
    pub failures: Vec<(String, &'static str, String)>,
    /// Neither archives nor parts of bundles.
    pub others: u64,
    /// Links to folders, not followed.
    pub links: u64,
    /// Deleted, but in the store.
    pub gone: u64,
    /// Files and folders that could not be read.
    pub trouble: Vec<String>,
    pub seconds: f64,
}

impl Summary {
    /// Returns the numbers known before anything is analysed.
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

    /// Returns the numbers as stored.
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
