//! [`Descriptions`]: facts about a bundle that are read before everything else.

use crate::model::message::{CollectorVersion, VersionSign};
use crate::model::unhealthy::Verdict;
use crate::model::{Issue, NotCollected};
use crate::pipeline::pods::PodNames;
use crate::pipeline::sections::Sections;
use crate::resource::{CollectorErrors, Metadata};

/// The release of Harvester, on each of its nodes.
pub const RELEASE: &str = "configs/etc/harvester-release.yaml";

/// Facts that are read first, because reading the rest depends on them.
#[derive(Default)]
pub struct Descriptions {
    pub metadata: Option<Metadata>,
    pub errors: CollectorErrors,
    pub pods: PodNames,
    pub sections: Sections,
    /// Other data that the bundle shows to be not collected.
    pub not_collected: Vec<NotCollected>,
    /// The collector's version, as far as it is known, and the sign that shows it.
    pub collector: Option<(CollectorVersion, VersionSign)>,
    /// What the collector's own analysis warns of, errors first.
    pub verdicts: Vec<Verdict>,
    pub issues: Vec<Issue>,
}
