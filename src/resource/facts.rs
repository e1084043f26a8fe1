//! What the objects say about the cluster as a whole: versions of products, nodes, identity.
//!
//! [`ClusterFacts`] looks in several places for each product, the surest first, and fills the
//! parts of [`BundleFacts`] that come from objects.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::dump::scalar_at;
use super::types::TypeName;
use super::{Metadata, Resource, ResourceIndex};
use crate::model::{BundleFacts, NodeFacts, NotCollected};
use crate::yaml::Node;

const ROLE: &str = "node-role.kubernetes.io/";

/// The cluster that a bundle was collected from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClusterFacts {
    /// By product: harvester, longhorn, kubernetes, rke2, k3s, rancher, fleet, kernel. As written by
    /// the product, so development builds have names such as `master-head`.
    pub versions: BTreeMap<String, String>,
    /// Products that are there, also those of unknown version.
    pub products: BTreeSet<String>,
    /// Sorted by name; also nodes of which there is an archive only.
    pub nodes: Vec<NodeFacts>,
    /// Uid of namespace kube-system, else of the collector's namespace.
    pub uid: Option<String>,
    /// The name that Rancher shows.
    pub name: Option<String>,
    /// When the collection began.
    pub collected_at: Option<Timestamp>,
    /// Sorted.
    pub not_collected: Vec<NotCollected>,
}

impl ClusterFacts {
    /// Looks them up. `node_archives` are the names of nodes whose own files the bundle holds.
    pub fn of(index: &ResourceIndex, metadata: Option<&Metadata>, node_archives: &BTreeSet<String>) -> Self {
        let look = Look { index };
        let nodes = look.nodes(node_archives);
        let mut not_collected = index.not_collected();
        let why = metadata.and_then(|m| m.other_nodes).unwrap_or("the bundle holds no archive of it");
        not_collected.extend(without_archive(&nodes, node_archives, why));
        not_collected.sort();
        let mut versions = metadata.map(|m| m.versions.clone()).unwrap_or_default();
        versions.extend(look.versions(metadata.unwrap_or(&Metadata::default())));
        Self {
            products: look.products().map(str::to_owned).chain(versions.keys().cloned()).collect(),
            versions,
            nodes,
            uid: look.uid().or_else(|| metadata?.project_uid.clone()),
            name: look.name(),
            collected_at: metadata.and_then(|m| m.created_at),
            not_collected,
        }
    }

    /// Fills the parts of the bundle's facts that objects tell.
    pub fn fill(self, facts: &mut BundleFacts) {
        facts.versions.extend(self.versions);
        facts.nodes = self.nodes;
        facts.cluster_uid = self.uid;
        facts.cluster_name = self.name;
        facts.collected_at = self.collected_at.map(|t| t.to_string());
        facts.not_collected.extend(self.not_collected);
        facts.not_collected.sort();
        facts.not_collected.dedup();
    }
}

fn without_archive(nodes: &[NodeFacts], archives: &BTreeSet<String>, why: &str) -> Vec<NotCollected> {
    let missing = nodes.iter().filter(|n| !archives.contains(&n.name));
    let gap =
        |node: &NodeFacts| NotCollected { what: format!("files and logs of node {}", node.name), why: why.to_owned() };
    missing.map(gap).collect()
}

struct Look<'a> {
    index: &'a ResourceIndex,
}

impl<'a> Look<'a> {
    fn all(&self, name: &str) -> impl Iterator<Item = &'a Resource> {
        let index = self.index;
        index.of_type(&TypeName::parse(name)).iter().map(move |&id| index.resource(id))
    }

    fn one(&self, name: &str, namespace: Option<&str>, object: &str) -> Option<Node<'a>> {
        let id = self.index.get(&TypeName::parse(name), namespace, object)?;
        Some(self.index.resource(id).body())
    }

    fn uid(&self) -> Option<String> {
        scalar_at(self.one("namespaces", None, "kube-system")?, &["metadata", "uid"]).map(str::to_owned)
    }

    fn name(&self) -> Option<String> {
        let cluster = self.one("clusters.management.cattle.io", None, "local")?;
        scalar_at(cluster, &["spec", "displayName"]).map(str::to_owned)
    }

    fn nodes(&self, archives: &BTreeSet<String>) -> Vec<NodeFacts> {
        let mut nodes: BTreeMap<String, NodeFacts> = BTreeMap::new();
        for name in archives {
            nodes.insert(
                name.clone(),
                NodeFacts { name: name.clone(), ready: None, roles: Vec::new(), collected: true },
            );
        }
        for node in self.all("nodes") {
            let name = node.name.to_string();
            let collected = archives.contains(&name);
            let facts = NodeFacts { name: name.clone(), ready: ready(node), roles: roles(node), collected };
            nodes.insert(name, facts);
        }
        nodes.into_values().collect()
    }

    /// Products whose API groups the cluster has.
    fn products(&self) -> impl Iterator<Item = &'static str> {
        const GROUPS: [(&str, &str); 4] = [
            ("fleet", "fleet.cattle.io"),
            ("harvester", "harvesterhci.io"),
            ("longhorn", "longhorn.io"),
            ("rancher", "management.cattle.io"),
        ];
        GROUPS.into_iter().filter(|(_, group)| self.index.has_group(group)).map(|(product, _)| product)
    }

    fn versions(&self, metadata: &Metadata) -> BTreeMap<String, String> {
        let kubernetes = metadata.kubernetes_version.clone().or_else(|| self.lowest("kubeletVersion"));
        let distribution = |mark: &str| kubernetes.clone().filter(|v| v.contains(mark));
        let found = [
            ("rke2", distribution("+rke2")),
            ("k3s", distribution("+k3s")),
            ("kernel", self.lowest("kernelVersion")),
            ("harvester", best(self.harvester(metadata))),
            ("longhorn", best(self.longhorn(metadata))),
            ("rancher", best(self.rancher())),
            ("fleet", best(self.fleet())),
            ("kubernetes", kubernetes.clone()),
        ];
        found.into_iter().filter_map(|(product, version)| Some((product.to_owned(), version?))).collect()
    }

    fn harvester(&self, metadata: &Metadata) -> Vec<Option<String>> {
        let oldest = metadata.project.as_ref().filter(|(name, _)| name.eq_ignore_ascii_case("harvester"));
        vec![
            self.setting("settings.harvesterhci.io", None, "server-version"),
            oldest.map(|(_, version)| version.clone()),
            self.os_version("Harvester "),
            self.managed_chart("harvester"),
            self.app("harvester-system", "harvester"),
            self.image("deployments.apps", "harvester-system", "harvester", "harvester"),
        ]
    }

    fn longhorn(&self, metadata: &Metadata) -> Vec<Option<String>> {
        vec![
            self.setting("settings.longhorn.io", Some("longhorn-system"), "current-longhorn-version"),
            metadata.longhorn_version.clone(),
            self.app("longhorn-system", "longhorn"),
            self.managed_chart("longhorn"),
            self.image("daemonsets.apps", "longhorn-system", "longhorn-manager", "longhorn-manager"),
        ]
    }

    fn rancher(&self) -> Vec<Option<String>> {
        vec![
            self.setting("settings.management.cattle.io", None, "server-version"),
            self.image("deployments.apps", "cattle-system", "rancher", "rancher"),
            self.app("cattle-system", "rancher"),
        ]
    }

    fn fleet(&self) -> Vec<Option<String>> {
        let agent = |kind| self.image(kind, "cattle-fleet-local-system", "fleet-agent", "fleet-agent");
        vec![
            self.image("deployments.apps", "cattle-fleet-system", "fleet-controller", "fleet"),
            self.app("cattle-fleet-system", "fleet"),
            agent("deployments.apps"),
            agent("statefulsets.apps"),
        ]
    }

    /// A setting has its value at the top.
    fn setting(&self, name: &str, namespace: Option<&str>, setting: &str) -> Option<String> {
        let body = self.one(name, namespace, setting)?;
        scalar_at(body, &["value"]).or_else(|| scalar_at(body, &["default"])).map(str::to_owned)
    }

    fn managed_chart(&self, name: &str) -> Option<String> {
        let body = self.one("managedcharts.management.cattle.io", Some("fleet-local"), name)?;
        scalar_at(body, &["spec", "version"]).map(upstream)
    }

    fn app(&self, namespace: &str, name: &str) -> Option<String> {
        let body = self.one("apps.catalog.cattle.io", Some(namespace), name)?;
        scalar_at(body, &["spec", "chart", "metadata", "version"]).map(upstream)
    }

    /// The tag of the container whose image has that base name.
    fn image(&self, kind: &str, namespace: &str, name: &str, image: &str) -> Option<String> {
        let containers = self.one(kind, Some(namespace), name)?.path(&["spec", "template", "spec", "containers"])?;
        containers.items().find_map(|container| tag_of(scalar_at(container, &["image"])?, image))
    }

    fn os_version(&self, product: &str) -> Option<String> {
        let images = self.all("nodes").filter_map(|n| scalar_at(n.body(), &["status", "nodeInfo", "osImage"]));
        lowest(images.filter_map(|image| image.strip_prefix(product)))
    }

    fn lowest(&self, field: &str) -> Option<String> {
        lowest(self.all("nodes").filter_map(|n| scalar_at(n.body(), &["status", "nodeInfo", field])))
    }
}

/// A cell of the table that an object was read from.
fn cell<'a>(object: &'a Resource, column: &str) -> Option<&'a str> {
    scalar_at(object.cells()?, &[column])
}

/// Condition Ready. Kubernetes writes Unknown when the node has stopped answering. In a table it is the first word of
/// STATUS (`Ready,SchedulingDisabled`).
fn ready(node: &Resource) -> Option<bool> {
    if let Some(status) = cell(node, "STATUS") {
        return match status.split(',').next() {
            Some("Ready") => Some(true),
            Some("NotReady") => Some(false),
            _ => None,
        };
    }
    let conditions = node.body().path(&["status", "conditions"])?;
    let found = conditions.items().find(|c| scalar_at(*c, &["type"]) == Some("Ready"))?;
    scalar_at(found, &["status"]).map(|status| status.eq_ignore_ascii_case("true"))
}

fn roles(node: &Resource) -> Vec<String> {
    if let Some(roles) = cell(node, "ROLES").filter(|roles| *roles != "<none>") {
        return roles.split(',').map(str::to_owned).collect();
    }
    let labels = node.body().path(&["metadata", "labels"]);
    let all = labels.iter().flat_map(|l| l.entries());
    let roles: BTreeSet<_> = all.filter_map(|(key, _)| key.strip_prefix(ROLE).map(str::to_owned)).collect();
    roles.into_iter().collect()
}

/// The first that is a released version, else the first: the name of a development build.
fn best(candidates: Vec<Option<String>>) -> Option<String> {
    let all: Vec<_> = candidates.into_iter().flatten().collect();
    all.iter().find(|v| is_version(v)).or(all.first()).cloned()
}

/// `v1.2.3`, but not the `0.0.0-dev` of charts that were never released.
fn is_version(text: &str) -> bool {
    let bare = text.strip_prefix('v').unwrap_or(text);
    bare.starts_with(|c: char| c.is_ascii_digit()) && bare.contains('.') && !bare.starts_with("0.0.0")
}

/// Rancher's charts carry the version of the product behind `+up`.
fn upstream(version: &str) -> String {
    version.split_once("+up").map_or(version, |(_, upstream)| upstream).to_owned()
}

fn tag_of(image: &str, name: &str) -> Option<String> {
    let image = image.split('@').next()?;
    let (_, last) = image.rsplit_once('/').unwrap_or(("", image));
    let (base, tag) = last.split_once(':')?;
    (base == name).then(|| tag.to_owned())
}

/// The oldest of several versions: the one that a fault concerns most likely.
fn lowest<'a>(versions: impl Iterator<Item = &'a str>) -> Option<String> {
    versions.min_by_key(|v| natural(v)).map(str::to_owned)
}

/// A sort key by which 9 is before 10.
fn natural(text: &str) -> Vec<(u64, &str)> {
    let mut parts = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let (number, behind) = rest.split_at(digits);
        let words = behind.find(|c: char| c.is_ascii_digit()).unwrap_or(behind.len());
        let (word, behind) = behind.split_at(words);
        parts.push((number.parse().unwrap_or(0), word));
        rest = behind;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resource::testing::Bundle;

    fn node(name: &str, ready: &str, kubelet: &str, image: &str) -> String {
        format!(
            "apiVersion: v1\nkind: Node\nmetadata:\n  name: {name}\n  labels: {{node-role.kubernetes.io/etcd: 'true', node-role.kubernetes.io/control-plane: 'true', zone: z}}\nstatus:\n  conditions: [{{type: Ready, status: '{ready}'}}]\n  nodeInfo: {{kubeletVersion: {kubelet}, osImage: '{image}', kernelVersion: 5.14.21}}\n"
        )
    }

    fn facts(bundle: Bundle) -> ClusterFacts {
        ClusterFacts::of(&bundle.index(), None, &BTreeSet::from(["n2".to_owned()]))
    }

    #[test]
    fn nodes_tell_their_state_and_versions() {
        let bundle = Bundle::default()
            .file("a", &node("n1", "Unknown", "v1.27.10+rke2r1", "Harvester v1.3.1"))
            .file("b", &node("n3", "True", "v1.27.9+rke2r1", "Harvester v1.3.1"));
        let found = facts(bundle);
        let shown: Vec<_> = found.nodes.iter().map(|n| (n.name.as_str(), n.ready, n.collected)).collect();
        assert_eq!(shown, [("n1", Some(false), false), ("n2", None, true), ("n3", Some(true), false)]);
        assert_eq!(found.nodes[0].roles, ["control-plane", "etcd"]);
        let versions: Vec<_> = found.versions.iter().map(|(p, v)| format!("{p} {v}")).collect();
        assert_eq!(
            versions,
            ["harvester v1.3.1", "kernel 5.14.21", "kubernetes v1.27.9+rke2r1", "rke2 v1.27.9+rke2r1"]
        );
        let gaps: Vec<_> = found.not_collected.iter().map(|g| g.what.as_str()).collect();
        assert_eq!(gaps, ["files and logs of node n1", "files and logs of node n3"]);
    }

    #[test]
    fn settings_are_surer_than_images() {
        let longhorn = "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: longhorn-manager, namespace: longhorn-system}\nspec: {template: {spec: {containers: [{image: 'registry:5000/x/longhorn-manager:v1.5.3@sha256:00'}]}}}\n";
        let setting = "apiVersion: longhorn.io/v1beta2\nkind: Setting\nmetadata: {name: current-longhorn-version, namespace: longhorn-system}\nvalue: v1.5.4\n";
        let version = |bundle| facts(bundle).versions.get("longhorn").cloned();
        assert_eq!(version(Bundle::default().file("a", longhorn)).as_deref(), Some("v1.5.3"));
        assert_eq!(version(Bundle::default().file("a", longhorn).file("b", setting)).as_deref(), Some("v1.5.4"));
    }

    #[test]
    fn development_builds_keep_their_name_and_lose_to_versions() {
        let setting = "apiVersion: harvesterhci.io/v1beta1\nkind: Setting\nmetadata: {name: server-version}\nvalue: master-head\n";
        let chart = "apiVersion: management.cattle.io/v3\nkind: ManagedChart\nmetadata: {name: harvester, namespace: fleet-local}\nspec: {version: 0.0.0-dev}\n";
        let version = |bundle| facts(bundle).versions.get("harvester").cloned();
        assert_eq!(version(Bundle::default().file("a", setting).file("b", chart)).as_deref(), Some("master-head"));
        let released = chart.replace("0.0.0-dev", "103.0.0+up1.4.2");
        assert_eq!(version(Bundle::default().file("a", setting).file("b", &released)).as_deref(), Some("1.4.2"));
    }

    #[test]
    fn products_of_unknown_version_are_there() {
        let found =
            facts(Bundle::default().dump("yamls/namespaced/x/fleet.cattle.io/v1alpha1/bundles.yaml", "items: []"));
        assert_eq!(found.products, BTreeSet::from(["fleet".to_owned()]));
        assert!(found.versions.is_empty());
    }

    #[test]
    fn the_uid_of_kube_system_identifies_a_cluster() {
        let namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: kube-system, uid: c-1}\n";
        let metadata = Metadata { project_uid: Some("p-1".to_owned()), ..Metadata::default() };
        let uid = |bundle: Bundle| ClusterFacts::of(&bundle.index(), Some(&metadata), &BTreeSet::new()).uid;
        assert_eq!(uid(Bundle::default().file("a", namespace)).as_deref(), Some("c-1"));
        assert_eq!(uid(Bundle::default()).as_deref(), Some("p-1"));
    }

    #[test]
    fn versions_sort_by_number() {
        assert_eq!(lowest(["v1.10.0", "v1.9.3"].into_iter()).as_deref(), Some("v1.9.3"));
        assert_eq!(lowest(std::iter::empty()), None);
    }

    #[test]
    fn facts_of_the_bundle_are_filled() {
        let mut bundle = BundleFacts::default();
        facts(Bundle::default()).fill(&mut bundle);
        assert_eq!((bundle.nodes.len(), bundle.nodes[0].collected), (1, true));
    }
}
