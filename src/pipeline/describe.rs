//! What a bundle says about itself: its description and the errors of its collector, which later stages ask for.

pub mod host;
mod machine;
mod scripts;
mod troubleshoot;

use std::sync::Arc;

use super::pods::{self, PodNames};
use super::sections::Sections;
use super::short_logs;
use super::tasks;
use super::texts::{self, Texts};
use crate::bundle::{Bundle, BundleName, Entry, Layout, Role};
use crate::model::message::{CollectorVersion, VersionSign};
use crate::model::{Issue, IssueKind, NotCollected, Origin};
use crate::resource::{CollectorErrors, Metadata};
use crate::rule::RuleSet;
use crate::yaml::Problem;

/// The release of Harvester, on each of its nodes.
const RELEASE: &str = "configs/etc/harvester-release.yaml";
/// Where the oldest bundles of Harvester hold one of Longhorn.
const INNER: &str = "external/";

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

/// Reads what tells about the bundle, as its layout has it.
pub fn read(bundle: &Bundle, set: &RuleSet) -> Descriptions {
    let mut sections = Sections::read(bundle, &tasks::asked_for(set));
    let tells_pods = pods::telling(bundle);
    let Texts { mut texts, issues } = texts::read(bundle, &|entry| {
        is_description(bundle, entry) || tells_pods(entry) || short_logs::may_be_silent(entry)
    });
    let pods = PodNames::of(bundle, &texts);
    let short = short_logs::told(bundle, &pods, &sections, &texts);
    texts.append(&mut sections.descriptions);
    let mut described = match bundle.layout() {
        Some(Layout::Rancher) => host::read(bundle, &texts),
        Some(Layout::Node | Layout::Sosreport | Layout::Supportconfig) => machine::read(bundle, &texts),
        Some(Layout::Troubleshoot) => troubleshoot::read(bundle, &texts),
        Some(Layout::MustGather) => of_must_gather(&texts),
        Some(Layout::SupportabilityNode) => {
            let (metadata, issues) = Metadata::of_host(&host::files(&texts));
            Descriptions { metadata: Some(metadata), issues, ..Descriptions::default() }
        }
        Some(layout) if scripts::is_one(layout) => scripts::read(bundle, &texts),
        _ => of_kit(texts, bundle.name()),
    };
    for (container, line, said) in sections.refused() {
        described.errors.no_log(container, line, said);
    }
    described.not_collected.extend(short);
    let issues = [issues, std::mem::take(&mut sections.issues), described.issues].concat();
    Descriptions { pods, sections, issues, ..described }
}

fn is_description(bundle: &Bundle, entry: &Entry) -> bool {
    let told = matches!(entry.role, Role::Metadata | Role::CollectorErrors) || entry.logical.ends_with(RELEASE);
    told || match bundle.layout() {
        Some(Layout::Node) => entry.logical.ends_with("/configs/etc/os-release"),
        Some(Layout::Troubleshoot) => troubleshoot::is_beating(&entry.role),
        _ => false,
    }
}

/// A text with its entry.
type Text = (Arc<str>, Role, String);

fn of_must_gather(texts: &[Text]) -> Descriptions {
    let own = texts.iter().filter(|(_, role, _)| *role == Role::Metadata);
    let metadata = Some(Metadata::of_must_gather(own.map(|(_, _, text)| text.as_str())));
    Descriptions { metadata, ..Descriptions::default() }
}

/// `metadata.yaml` and `bundleGenerationError.log`; a bundle in the bundle has its own, which only complete them.
fn of_kit(mut texts: Vec<Text>, name: Option<&BundleName>) -> Descriptions {
    let mut found = Descriptions::default();
    let mut metadata: Option<Metadata> = None;
    texts.sort_by_key(|(entry, ..)| (entry.starts_with(INNER), entry.clone()));
    for (entry, role, text) in texts {
        let is_release = entry.ends_with(RELEASE);
        match role {
            Role::CollectorErrors => found.errors.append(CollectorErrors::parse(entry, &text)),
            Role::Metadata | Role::NodeFile { .. } if is_release || role == Role::Metadata => {
                let (document, problems) = crate::yaml::parse(text.into_bytes());
                let issue = |p: Problem| Issue::at(Origin::line(entry.clone(), p.line), IssueKind::Document, p.message);
                found.issues.extend(problems.into_iter().map(issue));
                let more = if is_release { Some(Metadata::of_release(&document)) } else { Metadata::read(&document) };
                metadata = match (metadata.take(), more) {
                    (Some(known), Some(more)) => Some(known.or(more)),
                    (known, more) => known.or(more),
                };
            }
            _ => {}
        }
    }
    found.metadata = match name {
        Some(name) => Some(metadata.unwrap_or_default().or(of_name(name))),
        None => metadata,
    };
    found
}

/// What the name of the bundle tells, should its description be missing.
fn of_name(name: &BundleName) -> Metadata {
    let project_uid = name.uid().map(str::to_owned);
    Metadata { project_uid, created_at: Some(name.created_at), ..Metadata::default() }
}
