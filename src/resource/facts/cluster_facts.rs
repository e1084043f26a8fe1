//! Facts about the cluster as a whole.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::lookup::ObjectLookup;
use super::nodes::NodeArchives;
use super::versions;
use crate::model::message::{CollectorVersion, VersionSign};
use crate::model::{BundleFacts, NodeFacts, NotCollected, Reported};
use crate::resource::index::ResourceIndex;
use crate::resource::metadata::Metadata;

/// Facts about the cluster that a bundle was collected from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClusterFacts {
    /// Version by product, as the product writes it: development builds have names such as `master-head`.
    pub versions: BTreeMap<String, String>,
    /// Installed products, including those of unknown version.
    pub products: BTreeSet<String>,
    /// True if a collector hid images or versions by which products are recognised, so that others may be installed, too.
    pub hides_products: bool,
    /// Nodes sorted by name, including those that are known only from an archive.
    pub nodes: Vec<NodeFacts>,
    /// Uid of namespace kube-system, else of the collector's namespace.
    pub uid: Option<String>,
    /// The name that Rancher shows.
    pub name: Option<String>,
    /// When the collection began.
    pub collected_at: Option<Timestamp>,
    pub reported: Reported,
    /// A Pod of support-bundle-kit, `namespace/name`, and the version that it runs.
    pub kit: Option<(String, String)>,
    /// Sorted.
    pub not_collected: Vec<NotCollected>,
}

impl ClusterFacts {
    /// Collects the facts from objects, metadata and node archives.
    pub fn of(index: &ResourceIndex, metadata: Option<&Metadata>, archives: &NodeArchives) -> Self {
        let look = ObjectLookup::new(index);
        let nodes = look.nodes(archives);
        let mut not_collected = index.not_collected();
        let none = Metadata::default();
        let metadata = metadata.unwrap_or(&none);
        not_collected.extend(look.without_archive(&nodes, archives, metadata.other_nodes.as_ref()));
        not_collected.sort();
        let mut versions = metadata.versions.clone();
        versions.extend(versions::product_versions(&look, metadata));
        Self {
            products: look.products().map(str::to_owned).chain(versions.keys().cloned()).collect(),
            hides_products: look.hides_products(),
            versions,
            nodes,
            uid: look.uid().or_else(|| metadata.project_uid.clone()),
            name: look.name(),
            collected_at: metadata.created_at,
            reported: metadata.reported.clone(),
            kit: look.kit(),
            not_collected,
        }
    }

    /// Fills in the parts of the bundle's facts that come from objects.
    pub fn fill(self, facts: &mut BundleFacts) {
        if let (Some(collector), Some((pod, version))) = (&mut facts.collector, self.kit) {
            collector.version = Some(CollectorVersion::Exactly { version });
            collector.why = collector.why.clone().with_version(VersionSign::Image { pod });
        }
        facts.versions.extend(self.versions);
        facts.nodes = self.nodes;
        facts.cluster_uid = self.uid;
        facts.cluster_name = self.name;
        facts.collected_at = self.collected_at;
        facts.reported = self.reported;
        facts.not_collected.extend(self.not_collected);
        facts.not_collected.sort();
        facts.not_collected.dedup();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resource::index::testing::Bundle;

    fn node(name: &str, ready: &str, kubelet: &str, image: &str) -> String {
        format!(
            "apiVersion: v1\nkind: Node\nmetadata:\n  name: {name}\n  labels: {{node-role.kubernetes.io/etcd: 'true', node-role.kubernetes.io/control-plane: 'true', zone: z}}\nstatus:\n  conditions: [{{type: Ready, status: '{ready}'}}]\n  nodeInfo: {{kubeletVersion: {kubelet}, osImage: '{image}', kernelVersion: 5.14.21}}\n"
        )
    }

    fn facts(bundle: Bundle) -> ClusterFacts {
        let archives = NodeArchives { read: BTreeSet::from(["n2".to_owned()]), ..NodeArchives::default() };
        ClusterFacts::of(&bundle.index(), None, &archives)
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
            [
                "harvester v1.3.1",
                "kernel 5.14.21",
                "kubernetes v1.27.9+rke2r1",
                "os Harvester v1.3.1",
                "rke2 v1.27.9+rke2r1"
            ]
        );
        let gaps: Vec<_> = found.not_collected.iter().map(|g| g.what.to_string()).collect();
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
    fn images_of_any_workload_or_pod_show_versions() {
        let agent = "apiVersion: v1\nkind: Pod\nmetadata: {name: cattle-cluster-agent-1, namespace: cattle-system}\nspec: {containers: [{image: rancher/rancher-agent:v2.12.3}]}\n";
        let manager = "apiVersion: v1\nkind: Pod\nmetadata: {name: longhorn-manager-x, namespace: storage}\nspec: {containers: [{image: 'x/longhorn-manager:v1.7.2-hotfix-1'}, {image: 'x/longhorn-share-manager:v1.8.0'}]}\n";
        let versions = facts(Bundle::default().file("a", agent).file("b", manager)).versions;
        assert_eq!(versions.get("rancher").map(String::as_str), Some("v2.12.3"));
        assert_eq!(versions.get("longhorn").map(String::as_str), Some("v1.7.2-hotfix-1"));
        assert_eq!(versions.get("fleet"), None);
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
    fn definitions_and_pods_show_products() {
        let products = |file: &str| facts(Bundle::default().file("a", file)).products.into_iter().collect::<Vec<_>>();
        // A row of a table has no more than the name.
        let definition = |name: &str| {
            products(&format!(
                "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: {name}}}\n"
            ))
        };
        assert_eq!(definition("volumes.longhorn.io"), ["longhorn"]);
        assert_eq!(definition("virtualmachineimages.harvesterhci.io"), ["harvester"]);
        assert!(definition("volumes.notlonghorn.io").is_empty());
        let pod = |namespace: &str, name: &str| {
            products(&format!("apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, namespace: {namespace}}}\n"))
        };
        assert_eq!(pod("longhorn-system", "longhorn-manager-x2v"), ["longhorn"]);
        assert_eq!(pod("cattle-system", "rancher-7d4-x"), ["rancher"]);
        assert!(pod("cattle-system", "cattle-cluster-agent-7d4-x").is_empty());
        assert!(pod("shop", "longhorn-manager-x2v").is_empty());
    }

    #[test]
    fn the_uid_of_kube_system_identifies_a_cluster() {
        let namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: kube-system, uid: c-1}\n";
        let metadata = Metadata { project_uid: Some("p-1".to_owned()), ..Metadata::default() };
        let uid = |bundle: Bundle| ClusterFacts::of(&bundle.index(), Some(&metadata), &NodeArchives::default()).uid;
        assert_eq!(uid(Bundle::default().file("a", namespace)).as_deref(), Some("c-1"));
        assert_eq!(uid(Bundle::default()).as_deref(), Some("p-1"));
    }

    #[test]
    fn facts_of_the_bundle_are_filled() {
        let mut bundle = BundleFacts::default();
        facts(Bundle::default()).fill(&mut bundle);
        assert_eq!((bundle.nodes.len(), bundle.nodes[0].collected), (1, true));
    }
}
