//! Descriptions of collections made with kubectl, and their unreadable parts.

use super::descriptions::Descriptions;
use crate::bundle::{Bundle, Role};
use crate::model::message::{GapReason, IssueMessage};
use crate::model::{Issue, IssueKind, Origin};
use crate::pipeline::texts::Text;
use crate::resource::Metadata;

/// Reads the description from the texts.
pub fn read_script_output(bundle: &Bundle, texts: &[Text]) -> Descriptions {
    let own = texts.iter().filter(|(_, role, _)| *role == Role::Metadata).map(|(_, _, text)| text.as_str());
    let other_nodes = Some(GapReason::AsksApi);
    let metadata = Metadata { other_nodes, ..Metadata::of_scripts(own) };
    Descriptions { metadata: Some(metadata), issues: opaque(bundle), ..Descriptions::default() }
}

/// Reports results that are named like archives but are none.
fn opaque(bundle: &Bundle) -> Vec<Issue> {
    let is_result = |path: &str| path.ends_with("clusterinfo.tar.gz") || path.ends_with("nodeinfo.tar.gz");
    let opaque = bundle.entries().iter().filter(|entry| entry.role != Role::Archive && is_result(&entry.path));
    opaque
        .map(|entry| Issue::at(Origin::entry(entry.path.clone()), IssueKind::Archive, IssueMessage::EncryptedResult))
        .collect()
}
