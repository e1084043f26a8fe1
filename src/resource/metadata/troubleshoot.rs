//! Description of a bundle of troubleshoot.sh, which is spread over several files.

use jiff::Timestamp;

use super::description::Metadata;
use crate::resource::scalar::parse_time;
use crate::yaml::{self, Document};

/// Fields that nodes and components of the cluster update regularly.
const BEATS: [&str; 3] = ["\"lastHeartbeatTime\"", "\"renewTime\"", "\"lastTimestamp\""];

/// Returns the version of the collector in `version.yaml`.
pub fn collector_version(text: &str) -> Option<String> {
    document(text).roots().find_map(|root| root.str_at(&["spec", "versionNumber"]).map(str::to_owned))
}

impl Metadata {
    /// Reads `cluster-info/cluster_version.json`.
    pub fn take_cluster_version(&mut self, text: &str) {
        let document = document(text);
        let found = document.roots().find_map(|root| {
            let version = root.str_at(&["info", "gitVersion"]).or_else(|| root.str_at(&["string"]));
            version.map(str::to_owned)
        });
        self.kubernetes_version = found.or_else(|| self.kubernetes_version.take());
    }

    /// Takes the newest time of heartbeats, leases or events in a list. No file of the bundle has the time of the collection, and its
    /// name has a local time of unknown zone; but a running cluster updates these fields every few minutes.
    pub fn take_beats(&mut self, text: &str) {
        let newest = BEATS.iter().flat_map(|field| values(text, field)).filter_map(parse_time).max();
        let newest = newest.and_then(|newest| Timestamp::from_second(newest.as_second()).ok());
        self.created_at = self.created_at.max(newest);
    }
}

fn document(text: &str) -> Document {
    yaml::parse(text.as_bytes().to_vec()).0
}

/// Returns the text values of a field in JSON.
fn values<'t>(text: &'t str, field: &'t str) -> impl Iterator<Item = &'t str> {
    text.split(field).skip(1).filter_map(|behind| {
        let behind = behind.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
        behind.split('"').next()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_the_collector_and_of_the_cluster() {
        let mut found = Metadata::default();
        let version = collector_version(
            "apiVersion: troubleshoot.sh/v1beta2\nkind: SupportBundle\nspec:\n  versionNumber: 0.95.1\n",
        );
        found.take_cluster_version("{\"info\": {\"gitVersion\": \"v1.31.2+k3s1\"}, \"string\": \"v1.31.2\"}");
        found.take_cluster_version("null");
        assert_eq!(version.as_deref(), Some("0.95.1"));
        assert_eq!(found.kubernetes_version.as_deref(), Some("v1.31.2+k3s1"));
    }

    #[test]
    fn the_newest_sign_of_life_is_the_time() {
        let mut found = Metadata::default();
        found.take_beats(
            "{\"lastHeartbeatTime\": \"2025-02-03T04:05:06Z\", \"lastHeartbeatTime\":\"2025-02-03T04:04:06Z\"}",
        );
        found.take_beats("{\"renewTime\": \"2025-02-03T04:06:00.123456Z\"}");
        found.take_beats("{\"f:lastHeartbeatTime\": {}, \"lastTimestamp\": null}");
        assert_eq!(found.created_at.unwrap().to_string(), "2025-02-03T04:06:00Z");
        let mut none = Metadata::default();
        none.take_beats("{\"creationTimestamp\": \"2025-02-03T04:05:06Z\"}");
        assert_eq!(none.created_at, None);
    }
}
