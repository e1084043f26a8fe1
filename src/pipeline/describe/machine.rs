//! What collections of one machine say about it: those of supportconfig and sosreport, and the archive of a node.

use super::super::newest;
use super::{Descriptions, Text};
use crate::bundle::{Bundle, Layout, Role};
use crate::model::NotCollected;
use crate::model::message::{GapReason, GapSubject};
use crate::resource::Metadata;

/// What is read of a collection of one machine.
pub fn read(bundle: &Bundle, texts: &[Text]) -> Descriptions {
    let own = texts.iter().filter(|(_, role, _)| matches!(role, Role::Metadata | Role::NodeFile { .. }));
    let own: Vec<(&str, &str)> = own.map(|(entry, _, text)| (&**entry, text.as_str())).collect();
    let (mut metadata, issues) = Metadata::of_machine(&own);
    let mut not_collected = vec![cluster(bundle)];
    if metadata.created_at.is_none() {
        let newest = newest::time(bundle);
        let why = match &newest {
            Some((time, entry)) => GapReason::TimeOfNewestLine { time: *time, entry: entry.to_string() },
            None => GapReason::NoTime,
        };
        metadata.created_at = newest.map(|(time, _)| time);
        not_collected.push(NotCollected { what: GapSubject::TimeOfCollection, why });
    }
    metadata.other_nodes = Some(GapReason::OneMachine);
    Descriptions { metadata: Some(metadata), not_collected, issues, ..Descriptions::default() }
}

/// What nobody asked the cluster for.
fn cluster(bundle: &Bundle) -> NotCollected {
    let by_kubectl = |role: &Role| matches!(role, Role::Dump { .. } | Role::Table { .. });
    let some = bundle.entries().iter().any(|entry| by_kubectl(&entry.role));
    let (what, why) = match (some, bundle.layout()) {
        (true, _) => (GapSubject::MostObjects, GapReason::FewTypes),
        (false, Some(Layout::Node)) => (GapSubject::ObjectsLogsAndNodes, GapReason::NodeArchive),
        (false, _) => (GapSubject::ObjectsLogsAndNodes, GapReason::NoCluster),
    };
    NotCollected { what, why }
}
