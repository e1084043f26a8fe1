//! What an object owns, and what it rests on: claims, volumes, replicas and their disks.

use super::page::Page;
use super::parts::age;
use crate::explore::opened::Opened;
use crate::inventory::{history_of, state};
use crate::model::inventory::Volume;
use crate::model::{Analysis, ObjectRef};
use crate::resource::{Resource, ResourceId};

/// Most objects of a list.
const MOST: usize = 30;

/// Writes the objects that name this one as their owner.
pub(super) fn owned(page: &mut Page<'_>, opened: &Opened<'_>, id: ResourceId) {
    let resources = opened.resources();
    let owned = resources.resource(id).uid.as_deref().map(|uid| resources.owned_by(uid)).unwrap_or_default();
    let row = |resource: &Resource| {
        let state = state(resource).map(|state| state.to_string()).unwrap_or_default();
        vec![resource.kind.to_string(), resource.name.to_string(), state, age(opened, resource)]
    };
    let rows: Vec<_> = resources.each(owned).take(MOST).map(row).collect();
    let title =
        if owned.len() > MOST { format!("Owns (the first {MOST} of {})", owned.len()) } else { "Owns".to_owned() };
    page.table(&title, &["KIND", "NAME", "STATE", "AGE"], rows);
}

/// Writes what the object uses and is used by, and where the replicas of its volumes lie.
pub(super) fn storage(page: &mut Page<'_>, opened: &Opened<'_>, analysis: &Analysis, id: ResourceId) {
    let object = opened.resources().resource(id).object();
    let history = history_of(opened.resources(), &opened.input.logs, object.clone());
    let row = |related: &ObjectRef| {
        let found = opened.resources().find(related);
        let state = match found {
            Some(found) => state(found).map(|state| state.to_string()).unwrap_or_default(),
            None => "not in the bundle".to_owned(),
        };
        vec![related.kind.clone(), related.namespace.clone().unwrap_or_default(), related.name.clone(), state]
    };
    let rows = history.related.iter().map(|(_, related)| row(related)).collect();
    page.table("Related", &["KIND", "NAMESPACE", "NAME", "STATE"], rows);
    let is_part =
        |name: &str| history.related.iter().any(|(_, related)| related.kind == "Volume" && related.name == name);
    let is_own =
        |volume: &Volume| object.group == "longhorn.io" && object.kind == "Volume" && volume.name == object.name;
    let volumes = analysis.inventory.iter().flat_map(|inventory| &inventory.volumes.items);
    let volumes = volumes.filter(|volume| is_own(volume) || is_part(&volume.name));
    let rows = volumes.flat_map(|volume| {
        volume.replicas.iter().map(|replica| {
            let text = |part: &Option<String>| part.clone().unwrap_or_default();
            vec![
                volume.name.clone(),
                replica.name.clone(),
                text(&replica.state),
                text(&replica.node),
                text(&replica.disk),
            ]
        })
    });
    page.table("Replicas", &["VOLUME", "REPLICA", "STATE", "NODE", "DISK"], rows.take(MOST).collect());
}
