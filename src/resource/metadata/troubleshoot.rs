//! Description of a bundle of troubleshoot.sh, which is spread over several files.

use super::description::Metadata;
use crate::yaml::{self, Document};

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
}

fn document(text: &str) -> Document {
    yaml::parse(text.as_bytes().to_vec()).0
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
}
