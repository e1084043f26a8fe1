//! The bundle's own description: `metadata.yaml` of support-bundle-kit here, that of other collectors in modules of their own.

pub mod host;
pub mod troubleshoot;

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::event::time;
use crate::yaml::{Document, Kind, Node};

/// What the collector wrote about the bundle. The user's description of the trouble is left out:
/// it may hold secrets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metadata {
    /// Name of the SupportBundle object.
    pub bundle_name: Option<String>,
    /// Version of the format.
    pub bundle_version: Option<String>,
    /// Version of the API server.
    pub kubernetes_version: Option<String>,
    /// Written by the collectors of Longhorn alone.
    pub longhorn_version: Option<String>,
    /// Product and its version; written by the oldest collectors.
    pub project: Option<(String, String)>,
    /// Uid of the namespace of the collector.
    pub project_uid: Option<String>,
    /// When the collection began: the `now` of the bundle.
    pub created_at: Option<Timestamp>,
    /// Seconds east of UTC of the host's clock, where the collection was made on one.
    pub zone: Option<i32>,
    /// Why the bundle holds nothing of further nodes, where its collector does not see them.
    pub other_nodes: Option<&'static str>,
    /// What else is installed on the host of the collection, by product.
    pub versions: BTreeMap<String, String>,
}

impl Metadata {
    /// Reads the flat mapping; none if the document holds no mapping.
    pub fn read(document: &Document) -> Option<Self> {
        let root = document.roots().find(|root| root.kind() == Kind::Mapping)?;
        let text = |key: &str| field(root, key).map(str::to_owned);
        Some(Self {
            bundle_name: text("bundlename"),
            bundle_version: text("bundleversion"),
            kubernetes_version: text("kubernetesversion"),
            longhorn_version: text("longhornversion"),
            project: text("projectname").zip(text("projectversion")),
            project_uid: text("projectnamespaceuuid").or_else(|| text("longhornnamespaceuuid")),
            created_at: field(root, "bundlecreatedat").and_then(time),
            ..Self::default()
        })
    }
}

/// A field whatever its casing: Go field names in lower case, or JSON names.
fn field<'a>(root: Node<'a>, key: &str) -> Option<&'a str> {
    let (_, value) = root.entries().find(|(name, _)| name.eq_ignore_ascii_case(key))?;
    Some(value.text()).filter(|text| !text.is_empty() && *text != "null")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml;

    fn read(text: &str) -> Option<Metadata> {
        Metadata::read(&yaml::parse(text.as_bytes().to_vec()).0)
    }

    #[test]
    fn both_casings_are_read() {
        let lower = "bundlename: \"\"\nkubernetesversion: v1.27.1+rke2r1\nbundlecreatedat: \"2024-02-03T04:05:06Z\"\n";
        let camel = "kubernetesVersion: v1.27.1+rke2r1\nbundleCreatedAt: 2024-02-03T04:05:06Z\n";
        let found = read(lower).unwrap();
        assert_eq!(Some(&found), read(camel).as_ref());
        assert_eq!(found.kubernetes_version.as_deref(), Some("v1.27.1+rke2r1"));
        assert_eq!(found.created_at.unwrap().to_string(), "2024-02-03T04:05:06Z");
        assert_eq!(found.bundle_name, None);
    }

    #[test]
    fn the_oldest_form_names_the_product() {
        let found = read("projectname: Harvester\nprojectversion: v0.2.0\n").unwrap();
        assert_eq!(found.project, Some(("Harvester".to_owned(), "v0.2.0".to_owned())));
    }

    #[test]
    fn anything_else_is_no_metadata() {
        assert_eq!(read("just text"), None);
        assert_eq!(read("[1, 2]"), None);
        assert_eq!(read("bundlecreatedat: yesterday\n"), Some(Metadata::default()));
    }
}
