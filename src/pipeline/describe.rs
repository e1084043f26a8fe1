//! What a bundle says about itself: its description and the errors of its collector, which later stages ask for.

pub mod host;
mod troubleshoot;

use std::sync::Arc;

use super::harvest::{self, Texts};
use super::pods::{self, PodNames};
use crate::bundle::{Bundle, Layout, Role};
use crate::model::{Issue, NotCollected};
use crate::resource::{CollectorErrors, Metadata};

/// What is read before everything else, because the rest is read by it.
#[derive(Default)]
pub struct Descriptions {
    pub metadata: Option<Metadata>,
    pub errors: CollectorErrors,
    pub pods: PodNames,
    /// What else the bundle shows not to be in it.
    pub not_collected: Vec<NotCollected>,
    /// The collector's version, as far as it can be told, and what tells it.
    pub collector: Option<(String, String)>,
    pub issues: Vec<Issue>,
}

/// Reads what tells about the bundle, as its layout has it.
pub fn read(bundle: &Bundle) -> Descriptions {
    let is_description = |role: &Role| {
        let told = matches!(role, Role::Metadata | Role::CollectorErrors);
        told || (bundle.layout() == Some(Layout::Troubleshoot) && troubleshoot::is_beating(role))
    };
    let tells_pods = pods::telling(bundle);
    let Texts { texts, issues } = harvest::texts(bundle, &|entry| is_description(&entry.role) || tells_pods(entry));
    let pods = PodNames::of(bundle, &texts);
    let described = match bundle.layout() {
        Some(Layout::Rancher) => host::read(bundle, &texts),
        Some(Layout::Troubleshoot) => troubleshoot::read(bundle, &texts),
        _ => of_kit(texts),
    };
    Descriptions { pods, issues: [issues, described.issues].concat(), ..described }
}

/// A text with its entry.
type Text = (Arc<str>, Role, String);

/// `metadata.yaml` and `bundleGenerationError.log`.
fn of_kit(texts: Vec<Text>) -> Descriptions {
    let mut found = Descriptions::default();
    for (entry, role, text) in texts {
        match role {
            Role::Metadata => {
                let (document, problems) = crate::yaml::parse(text.into_bytes());
                found.issues.extend(harvest::problems(&entry, problems));
                found.metadata = found.metadata.or(Metadata::read(&document));
            }
            Role::CollectorErrors => found.errors = CollectorErrors::parse(entry, &text),
            _ => {}
        }
    }
    found
}
