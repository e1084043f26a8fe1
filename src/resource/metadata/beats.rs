//! Time of a collection that states none: the newest time that a running cluster updates in its objects.

use jiff::Timestamp;

use super::description::Metadata;
use crate::resource::describe;
use crate::resource::scalar::parse_time;

/// Fields that nodes and components of the cluster update regularly.
const BEATS: [&str; 3] = ["lastHeartbeatTime", "renewTime", "lastTimestamp"];

impl Metadata {
    /// Takes the newest time of heartbeats, leases or events in a list, in YAML or JSON, or that at which kubectl described an object. The
    /// name of a bundle may have a local time of unknown zone; but a running cluster updates these fields every few minutes.
    pub fn take_beats(&mut self, text: &str) {
        let in_lists = BEATS.iter().flat_map(|field| values(text, field)).filter_map(parse_time);
        let newest = in_lists.chain(describe::time_of(text)).max();
        let newest = newest.and_then(|newest| Timestamp::from_second(newest.as_second()).ok());
        self.created_at = self.created_at.max(newest);
    }
}

/// Returns the values of a field, as far as they are texts.
fn values<'t>(text: &'t str, field: &'t str) -> impl Iterator<Item = &'t str> {
    text.split(field).skip(1).filter_map(|behind| {
        let value = behind
            .strip_prefix('"')
            .unwrap_or(behind)
            .trim_start()
            .strip_prefix(':')?
            .trim_start_matches([' ', '"', '\'']);
        value.split(['"', '\'', ' ', ',', '}', '\r', '\n']).next()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_sign_of_life_is_the_time() {
        let mut found = Metadata::default();
        found.take_beats(
            "{\"lastHeartbeatTime\": \"2025-02-03T04:05:06Z\", \"lastHeartbeatTime\":\"2025-02-03T04:04:06Z\"}",
        );
        found.take_beats("{\"renewTime\": \"2025-02-03T04:06:00.123456Z\"}");
        found.take_beats("{\"f:lastHeartbeatTime\": {}, \"lastTimestamp\": null}");
        assert_eq!(found.created_at.unwrap().to_string(), "2025-02-03T04:06:00Z");
        found.take_beats("conditions:\n- lastHeartbeatTime: \"2025-02-03T04:07:00Z\"\n  f:lastHeartbeatTime: {}\n");
        found.take_beats("- {lastHeartbeatTime: 2025-02-03T04:08:00Z, status: x}\nlastTimestamp: null\n");
        assert_eq!(found.created_at.unwrap().to_string(), "2025-02-03T04:08:00Z");
        let mut none = Metadata::default();
        none.take_beats("{\"creationTimestamp\": \"2025-02-03T04:05:06Z\"}");
        assert_eq!(none.created_at, None);
    }
}
