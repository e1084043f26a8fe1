//! What collections of one machine say about it: those of supportconfig and sosreport, and the archive of a node.

use super::super::newest;
use super::{Descriptions, Text};
use crate::bundle::{Bundle, Layout, Role};
use crate::model::NotCollected;
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
            Some((time, entry)) => {
                format!("no file states it; {time:.0} is that of the newest line of a log, in {entry}")
            }
            None => "no file states it, and no line of a log has a date with a year".to_owned(),
        };
        metadata.created_at = newest.map(|(time, _)| time);
        not_collected.push(NotCollected { what: "time of collection".to_owned(), why });
    }
    metadata.other_nodes = Some("this is a collection of one machine; ask for that of this node, too");
    Descriptions { metadata: Some(metadata), not_collected, issues, ..Descriptions::default() }
}

/// What nobody asked the cluster for.
fn cluster(bundle: &Bundle) -> NotCollected {
    let by_kubectl = |role: &Role| matches!(role, Role::Dump { .. } | Role::Table { .. });
    let some = bundle.entries().iter().any(|entry| by_kubectl(&entry.role));
    let (what, why) = match (some, bundle.layout()) {
        (true, _) => ("most objects of the cluster, and logs of pods", "sosreport asks for few types only"),
        (false, Some(Layout::Node)) => (
            "objects of the cluster, logs of pods, other nodes",
            "this is the archive of a node alone; ask for the bundle that it was taken from",
        ),
        (false, _) => (
            "objects of the cluster, logs of pods, other nodes",
            "this collection is of one machine; ask for a support bundle of the cluster, too",
        ),
    };
    NotCollected { what: what.to_owned(), why: why.to_owned() }
}
