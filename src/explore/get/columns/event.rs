//! Columns of events: both forms of the API as one.

use jiff::Timestamp;

use super::cell::{Cell, since};
use crate::resource::{Event, Resource, scalar_at};

/// Returns the cells in the order of `-o wide`.
pub(super) fn cells(event: &Event, resource: &Resource, now: Option<Timestamp>) -> Vec<Cell> {
    let part = event_part(resource);
    let source: Vec<&str> = event.source.as_deref().into_iter().chain(event.host.as_deref()).collect();
    let kind = event.object.kind.to_ascii_lowercase();
    let object = if event.object.name.is_empty() { kind } else { format!("{kind}/{}", event.object.name) };
    vec![
        Cell::new("LAST SEEN", since(event.last, now)),
        Cell::new("TYPE", event.type_.clone()),
        Cell::new("REASON", event.reason.clone()),
        Cell::new("OBJECT", object),
        Cell::wide("SUBOBJECT", part.unwrap_or_default().to_owned()),
        Cell::wide("SOURCE", source.join(", ")),
        Cell::new("MESSAGE", event.message.trim().to_owned()),
        Cell::wide("FIRST SEEN", since(event.first, now)),
        Cell::wide("COUNT", event.count.to_string()),
    ]
}

/// Returns the part of the object that the event is about, such as `spec.containers{web}`.
fn event_part(resource: &Resource) -> Option<&str> {
    let about = ["involvedObject", "regarding"];
    about.iter().find_map(|about| scalar_at(resource.body(), &[about, "fieldPath"]))
}
