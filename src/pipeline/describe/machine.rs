//! Descriptions of single machines: supportconfig, sosreport, and the archive of a node.

use super::super::newest::{self, LogEnds};
use super::descriptions::Descriptions;
use crate::bundle::{Bundle, Entry, Role};
use crate::model::NotCollected;
use crate::model::message::{GapReason, GapSubject};
use crate::pipeline::texts::Text;
use crate::resource::Metadata;

/// Reads the files that supportconfig and sosreport copy.
pub fn read_machine(bundle: &Bundle, texts: &[Text]) -> Descriptions {
    describe(bundle, texts, GapReason::NoCluster)
}

/// Reads the archive of a Harvester node.
pub fn read_node(bundle: &Bundle, texts: &[Text]) -> Descriptions {
    describe(bundle, texts, GapReason::NodeArchive)
}

/// Returns true if the entry is the file that names a node's operating system.
pub fn names_os(entry: &Entry) -> bool {
    entry.logical.ends_with("/configs/etc/os-release")
}

fn describe(bundle: &Bundle, texts: &[Text], why_no_cluster: GapReason) -> Descriptions {
    let own = texts.iter().filter(|(_, role, _)| matches!(role, Role::Metadata | Role::NodeFile { .. }));
    let own: Vec<(&str, &str)> = own.map(|(entry, _, text)| (&**entry, text.as_str())).collect();
    let (mut metadata, issues) = Metadata::of_machine(&own);
    let mut not_collected = vec![cluster(bundle, why_no_cluster)];
    if metadata.created_at.is_none() {
        let logs = LogEnds::read(bundle, &newest::of_node, None, &|_| None);
        not_collected.push(newest::take(&mut metadata, &logs));
    }
    metadata.other_nodes = Some(GapReason::OneMachine);
    Descriptions { metadata: Some(metadata), not_collected, issues, ..Descriptions::default() }
}

/// Reports that the cluster is not collected, or only a part of it.
fn cluster(bundle: &Bundle, why_no_cluster: GapReason) -> NotCollected {
    let by_kubectl = |role: &Role| matches!(role, Role::Dump { .. } | Role::Table { .. });
    let (what, why) = if bundle.entries().iter().any(|entry| by_kubectl(&entry.role)) {
        (GapSubject::MostObjects, GapReason::FewTypes)
    } else {
        (GapSubject::ObjectsLogsAndNodes, why_no_cluster)
    };
    NotCollected { what, why }
}
