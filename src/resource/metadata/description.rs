//! Description of a bundle, the same for all collectors.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::model::message::GapReason;
use crate::model::{Reported, secret};
use crate::resource::scalar::parse_time;
use crate::yaml::{Document, Kind, Node};

/// Most characters of a description of a problem.
const LONGEST_DESCRIPTION: usize = 2_000;

/// Facts that the collector wrote about the bundle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metadata {
    /// Name of the SupportBundle object.
    pub bundle_name: Option<String>,
    /// Version of the format.
    pub bundle_version: Option<String>,
    /// Version of the API server.
    pub kubernetes_version: Option<String>,
    /// Version of Longhorn; only Longhorn's collectors write it.
    pub longhorn_version: Option<String>,
    /// Version of Harvester, from a file of its nodes.
    pub harvester_version: Option<String>,
    /// Product and its version; only the oldest collectors write them.
    pub project: Option<(String, String)>,
    /// Uid of the namespace of the collector.
    pub project_uid: Option<String>,
    /// Time at which the collection began: the `now` of the bundle.
    pub created_at: Option<Timestamp>,
    /// What the user wrote about the problem when the collection was started.
    pub reported: Reported,
    /// Offset of the host's clock in seconds east of UTC, for a collection on a host.
    pub zone: Option<i32>,
    /// Reason why other nodes were not collected, for collectors that read one node.
    pub other_nodes: Option<GapReason>,
    /// Versions of other products on the host of the collection.
    pub versions: BTreeMap<String, String>,
}

impl Metadata {
    /// Reads the flat mapping; none if the document holds no mapping.
    pub fn read(document: &Document) -> Option<Self> {
        let root = document.roots().find(|root| root.kind() == Kind::Mapping)?;
        let text = |key: &str| field(root, key).map(str::to_owned);
        let masked = |key: &str| said(field(root, key)?);
        Some(Self {
            bundle_name: text("bundlename"),
            bundle_version: text("bundleversion"),
            kubernetes_version: text("kubernetesversion").or_else(|| server_version(root)),
            longhorn_version: text("longhornversion"),
            project: text("projectname").zip(text("projectversion")),
            project_uid: text("projectnamespaceuuid").or_else(|| text("longhornnamespaceuuid")),
            created_at: field(root, "bundlecreatedat").and_then(parse_time),
            reported: Reported { description: masked("issuedescription"), url: masked("issueurl") },
            ..Self::default()
        })
    }
}

impl Metadata {
    /// Fills in what this description lacks from another one.
    pub fn or(self, other: Self) -> Self {
        Self {
            bundle_name: self.bundle_name.or(other.bundle_name),
            bundle_version: self.bundle_version.or(other.bundle_version),
            kubernetes_version: self.kubernetes_version.or(other.kubernetes_version),
            longhorn_version: self.longhorn_version.or(other.longhorn_version),
            harvester_version: self.harvester_version.or(other.harvester_version),
            project: self.project.or(other.project),
            project_uid: self.project_uid.or(other.project_uid),
            created_at: self.created_at.or(other.created_at),
            reported: Reported {
                description: self.reported.description.or(other.reported.description),
                url: self.reported.url.or(other.reported.url),
            },
            zone: self.zone.or(other.zone),
            other_nodes: self.other_nodes.or(other.other_nodes),
            versions: other.versions.into_iter().chain(self.versions).collect(),
        }
    }

    /// Reads `harvester-release.yaml`, a file of each node.
    pub fn of_release(document: &Document) -> Self {
        let version = document.roots().find_map(|root| field(root, "harvester").map(str::to_owned));
        Self { harvester_version: version, ..Self::default() }
    }
}

/// Returns the version of the API server in the output of `kubectl version -o yaml`.
fn server_version(root: Node<'_>) -> Option<String> {
    root.str_at(&["serverVersion", "gitVersion"]).map(str::to_owned)
}

/// Returns what a user wrote: without secrets, and no more than fits on a page; none if it is blank.
fn said(text: &str) -> Option<String> {
    let text = secret::redact(text.trim());
    (!text.is_empty()).then(|| text.chars().take(LONGEST_DESCRIPTION).collect())
}

/// Returns a field, ignoring case: names are Go's in lower case, or JSON's.
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
    fn what_was_reported_is_read_without_secrets() {
        let text = "issueurl: https://example.org/tickets/7\nissuedescription: |\n  VMs are down\n  password: hunter2hunter2\n";
        let reported = read(text).unwrap().reported;
        assert_eq!(reported.description.as_deref(), Some("VMs are down\npassword: ***"));
        assert_eq!(reported.url.as_deref(), Some("https://example.org/tickets/7"));
        let blank = read("bundlename: x\nissueurl: \"\"\nissuedescription: \" \"\n").unwrap().reported;
        assert_eq!(blank, Reported::default());
        let long = read(&format!("issuedescription: {}\n", "x".repeat(9_000))).unwrap().reported;
        assert_eq!(long.description.map(|text| text.len()), Some(LONGEST_DESCRIPTION));
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
    fn descriptions_complete_each_other() {
        let script = read("clientVersion: {gitVersion: v1.30.0}\nserverVersion: {gitVersion: v1.28.1+k3s1}\n").unwrap();
        assert_eq!(script.kubernetes_version.as_deref(), Some("v1.28.1+k3s1"));
        let release = Metadata::of_release(&yaml::parse(b"harvester: v1.3.2\nos: Harvester v1.3.2\n".to_vec()).0);
        let both = script.or(release);
        assert_eq!(both.harvester_version.as_deref(), Some("v1.3.2"));
        assert_eq!(both.kubernetes_version.as_deref(), Some("v1.28.1+k3s1"));
    }

    #[test]
    fn anything_else_is_no_metadata() {
        assert_eq!(read("just text"), None);
        assert_eq!(read("[1, 2]"), None);
        assert_eq!(read("bundlecreatedat: yesterday\n"), Some(Metadata::default()));
    }
}
