//! The description of a bundle of support-bundle-kit.

use super::descriptions::{Descriptions, RELEASE};
use crate::bundle::{Bundle, BundleName, Role};
use crate::model::{Issue, IssueKind, Origin};
use crate::pipeline::texts::Text;
use crate::resource::{CollectorErrors, Metadata};
use crate::yaml::Problem;

/// Folder in which the oldest bundles of Harvester hold one of Longhorn.
const INNER: &str = "external/";

/// Reads `metadata.yaml` and `bundleGenerationError.log`. Files of a bundle inside the bundle only fill gaps.
pub fn read_kit(bundle: &Bundle, texts: &[Text]) -> Descriptions {
    let mut found = Descriptions::default();
    let mut metadata: Option<Metadata> = None;
    let mut texts: Vec<&Text> = texts.iter().collect();
    texts.sort_by_key(|(entry, ..)| (entry.starts_with(INNER), entry.clone()));
    for (entry, role, text) in texts {
        let is_release = entry.ends_with(RELEASE);
        match role {
            Role::CollectorErrors => found.errors.append(CollectorErrors::parse(entry.clone(), text)),
            Role::Metadata | Role::NodeFile { .. } if is_release || *role == Role::Metadata => {
                let (document, problems) = crate::yaml::parse(text.clone().into_bytes());
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
    found.metadata = match bundle.name() {
        Some(name) => Some(metadata.unwrap_or_default().or(of_name(name))),
        None => metadata,
    };
    found
}

/// Returns the facts in the bundle's name, for a bundle whose description lacks them.
fn of_name(name: &BundleName) -> Metadata {
    let project_uid = name.uid().map(str::to_owned);
    Metadata { project_uid, created_at: Some(name.created_at), ..Metadata::default() }
}
