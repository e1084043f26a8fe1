//! Entries whose times show when a collection was made, if nothing states it.

use crate::bundle::{Entry, Role};
use crate::pipeline::texts;

/// Returns true for lists of nodes, events and leases, and for files of unknown content that are named like one.
pub fn may_have_time(entry: &Entry) -> bool {
    match &entry.role {
        Role::Dump { group, plural, .. } => match plural.as_str() {
            "nodes" | "events" => group.is_empty(),
            "leases" => true,
            _ => false,
        },
        // The output of `kubectl cluster-info dump` in one file.
        Role::LogSections { documents } => *documents,
        Role::Unplaced => is_named_so(&entry.logical),
        _ => false,
    }
}

/// Recognises names that people give to such lists: `nodes.yaml`, `get-events-A.json`.
fn is_named_so(path: &str) -> bool {
    texts::has_word(path, &["no", "node", "nodes", "event", "events", "lease", "leases", "all"])
}
