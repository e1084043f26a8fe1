//! [`Descriptions`]: facts about a bundle that are read before everything else.

use crate::model::message::{CollectorVersion, VersionSign};
use crate::model::{Issue, NotCollected};
use crate::pipeline::pods::PodNames;
use crate::pipeline::sections::Sections;
use crate::resource::{CollectorErrors, Metadata};

/// The release of Harvester, on each of its nodes.
pub const RELEASE: &str = "configs/etc/harvester-release.yaml";

/// What is read before everything else, because the rest is read by it.
#[derive(Default)]
pub struct Descriptions {
    pub metadata: Option<Metadata>,
    pub errors: CollectorErrors,
    pub pods: PodNames,
    pub sections: Sections,
    /// What else the bundle shows not to be in it.
    pub not_collected: Vec<NotCollected>,
    /// The collector's version, as far as it can be told, and what tells it.
    pub collector: Option<(CollectorVersion, VersionSign)>,
    pub issues: Vec<Issue>,
}
