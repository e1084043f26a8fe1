//! The bundle's own description: `metadata.yaml` of support-bundle-kit, a few files of a collection on a host.

use jiff::Timestamp;

use super::date;
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
        })
    }

    /// What a collection on a host tells in its own files: the output of `date`, of `kubectl version` and of the
    /// distribution's `version`.
    pub fn of_host<'t>(texts: impl Iterator<Item = &'t str> + Clone) -> Self {
        let lines = || texts.clone().flat_map(|text| text.lines().take(20));
        let server = lines().find_map(|line| line.strip_prefix("Server Version: "));
        let distribution = || lines().find_map(|line| line.split_once(" version v").map(|(_, version)| version));
        let kubernetes = match server {
            Some(version) => Some(version.trim().to_owned()),
            None => distribution().and_then(|v| v.split_whitespace().next()).map(|version| format!("v{version}")),
        };
        Self { kubernetes_version: kubernetes, created_at: texts.clone().find_map(date::parse), ..Self::default() }
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
    fn a_collection_on_a_host_tells_its_time_and_versions() {
        let distribution = "rke2 version v1.28.9+rke2r1 (07bf87f9)\ngo version go1.21.9 X:boringcrypto\n";
        let server = "Client Version: v1.28.9+rke2r1\nServer Version: v1.28.8+rke2r1\n";
        let read = |texts: &[&str]| Metadata::of_host(texts.iter().copied());
        let found = read(&["Wed Mar  6 10:15:30 UTC 2024", distribution, server]);
        assert_eq!(found.kubernetes_version.as_deref(), Some("v1.28.8+rke2r1"));
        assert_eq!(found.created_at.map(|t| t.to_string()).as_deref(), Some("2024-03-06T10:15:30Z"));
        assert_eq!(read(&[distribution]).kubernetes_version.as_deref(), Some("v1.28.9+rke2r1"));
        assert_eq!(read(&["The connection to the server was refused"]), Metadata::default());
    }

    #[test]
    fn anything_else_is_no_metadata() {
        assert_eq!(read("just text"), None);
        assert_eq!(read("[1, 2]"), None);
        assert_eq!(read("bundlecreatedat: yesterday\n"), Some(Metadata::default()));
    }
}
