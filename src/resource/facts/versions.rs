//! Versions of products, each looked up in several places, the most reliable first.

use std::collections::BTreeMap;

use super::lookup::ObjectLookup;
use crate::model::secret;
use crate::resource::metadata::Metadata;
use crate::resource::object::Resource;
use crate::resource::scalar::scalar_at;
use crate::yaml::Node;

/// Network plugins: product, DaemonSet, and the container whose image carries the version.
const NETWORKS: [(&str, &str, &str); 8] = [
    ("calico", "calico-node", "calico-node"),
    ("canal", "rke2-canal", "calico-node"),
    ("canal", "canal", "calico-node"),
    ("cilium", "cilium", "cilium-agent"),
    ("flannel", "kube-flannel-ds", "kube-flannel"),
    ("multus", "kube-multus-ds", "kube-multus"),
    ("multus", "rke2-multus", "kube-rke2-multus"),
    ("multus", "rke2-multus-ds", "kube-rke2-multus"),
];
const NETWORK_HOMES: [&str; 4] = ["kube-system", "calico-system", "kube-flannel", "cattle-system"];

/// Returns the version of each product, as the product writes it.
pub(super) fn product_versions(look: &ObjectLookup<'_>, metadata: &Metadata) -> BTreeMap<String, String> {
    let kubernetes = metadata.kubernetes_version.clone().or_else(|| look.lowest("kubeletVersion"));
    let marked = |mark: &str| look.all("nodes").any(|node| kubelet_version(node).is_some_and(|v| v.contains(mark)));
    // A hidden version may be that of the distribution which others name.
    let distribution = |mark: &str| {
        kubernetes.clone().filter(|version| match secret::is_withheld(version) {
            true => marked(mark),
            false => version.contains(mark),
        })
    };
    let found = [
        ("rke2", distribution("+rke2")),
        ("k3s", distribution("+k3s")),
        ("kernel", look.lowest("kernelVersion")),
        ("os", look.lowest("osImage")),
        ("containerd", look.containerd()),
        ("etcd", look.etcd()),
        ("harvester", best(look.harvester(metadata))),
        ("longhorn", best(look.longhorn(metadata))),
        ("rancher", best(look.rancher())),
        ("fleet", best(look.fleet())),
        ("openshift", best(look.openshift(metadata))),
        ("kubevirt", best(look.kubevirt())),
        ("cdi", best(look.cdi())),
        ("kubernetes", kubernetes.clone()),
    ];
    let known = found.into_iter().filter_map(|(product, version)| Some((product.to_owned(), version?)));
    look.networks().chain(known).collect()
}

impl ObjectLookup<'_> {
    fn harvester(&self, metadata: &Metadata) -> Vec<Option<String>> {
        let oldest = metadata.project.as_ref().filter(|(name, _)| name.eq_ignore_ascii_case("harvester"));
        vec![
            self.setting("settings.harvesterhci.io", None, "server-version"),
            oldest.map(|(_, version)| version.clone()),
            self.os_version("Harvester "),
            metadata.harvester_version.clone(),
            self.managed_chart("harvester"),
            self.app("harvester-system", "harvester"),
            self.image("deployments.apps", "harvester-system", "harvester", "harvester"),
            self.running_image(&["harvester-webhook"]),
        ]
    }

    fn longhorn(&self, metadata: &Metadata) -> Vec<Option<String>> {
        vec![
            self.setting("settings.longhorn.io", Some("longhorn-system"), "current-longhorn-version"),
            metadata.longhorn_version.clone(),
            self.app("longhorn-system", "longhorn"),
            self.managed_chart("longhorn"),
            self.image("daemonsets.apps", "longhorn-system", "longhorn-manager", "longhorn-manager"),
            self.running_image(&["longhorn-manager"]),
        ]
    }

    fn rancher(&self) -> Vec<Option<String>> {
        vec![
            self.setting("settings.management.cattle.io", None, "server-version"),
            self.image("deployments.apps", "cattle-system", "rancher", "rancher"),
            self.app("cattle-system", "rancher"),
            self.running_image(&["rancher"]),
            // The agents of a cluster that Rancher manages have its version.
            self.running_image(&["rancher-agent"]),
        ]
    }

    fn fleet(&self) -> Vec<Option<String>> {
        let agent = |kind| self.image(kind, "cattle-fleet-local-system", "fleet-agent", "fleet-agent");
        vec![
            self.image("deployments.apps", "cattle-fleet-system", "fleet-controller", "fleet"),
            self.app("cattle-fleet-system", "fleet"),
            agent("deployments.apps"),
            agent("statefulsets.apps"),
            self.running_image(&["fleet", "fleet-agent"]),
        ]
    }

    /// Finds the version that the cluster runs: the newest completed update in its history, not one in progress.
    fn openshift(&self, metadata: &Metadata) -> Vec<Option<String>> {
        let version = self.one("clusterversions.config.openshift.io", None, "version");
        let history = version.and_then(|version| version.path(&["status", "history"]));
        let mut updates = history.into_iter().flat_map(Node::items);
        let reached = updates.find(|update| scalar_at(*update, &["state"]) == Some("Completed"));
        let desired = version.and_then(|version| scalar_at(version, &["status", "desired", "version"]));
        let collector = metadata.project.as_ref().filter(|(name, _)| name == "openshift");
        vec![
            reached.and_then(|update| scalar_at(update, &["version"])).or(desired).map(str::to_owned),
            collector.map(|(_, version)| version.clone()),
        ]
    }

    fn kubevirt(&self) -> Vec<Option<String>> {
        vec![
            self.status_of("kubevirts.kubevirt.io", "observedKubeVirtVersion"),
            self.image("deployments.apps", "harvester-system", "virt-operator", "virt-operator"),
            self.running_image(&["virt-operator", "virt-controller", "virt-api"]),
        ]
    }

    fn cdi(&self) -> Vec<Option<String>> {
        vec![
            self.status_of("cdis.cdi.kubevirt.io", "observedVersion"),
            self.image("deployments.apps", "harvester-system", "cdi-operator", "cdi-operator"),
            self.running_image(&["cdi-operator", "cdi-controller"]),
        ]
    }

    /// Returns the tag of the image of etcd, without the suffix of the distribution.
    fn etcd(&self) -> Option<String> {
        let members = self.all("pods").filter(|pod| pod.namespace.as_deref() == Some("kube-system"));
        let images = members.filter_map(|pod| container_image(pod.body().path(&["spec", "containers"])?, "etcd"));
        lowest(images.filter_map(|image| shown(image, tag)).map(product_version))
    }

    fn containerd(&self) -> Option<String> {
        let field = "containerRuntimeVersion";
        let runtimes = self.all("nodes").filter_map(|n| scalar_at(n.body(), &["status", "nodeInfo", field]));
        lowest(runtimes.filter_map(|runtime| shown(runtime, |text| text.strip_prefix("containerd://"))))
    }

    /// Finds a Pod of support-bundle-kit whose image tag is a version, and that version.
    pub(super) fn kit(&self) -> Option<(String, String)> {
        let version_of = |pod: &Resource| {
            let containers = pod.body().path(&["spec", "containers"])?;
            let images = containers.items().filter_map(|container| scalar_at(container, &["image"]));
            let version = images.filter_map(|image| tag_of(image, "support-bundle-kit")).find(|tag| is_version(tag))?;
            let name = format!("{}/{}", pod.namespace.as_deref().unwrap_or_default(), pod.name);
            Some((name, version.trim_start_matches('v').to_owned()))
        };
        self.all("pods").filter_map(version_of).min()
    }

    fn networks(&self) -> impl Iterator<Item = (String, String)> {
        let running = NETWORKS.into_iter().filter_map(|(product, name, container)| {
            let set = NETWORK_HOMES.iter().find_map(|home| self.one("daemonsets.apps", Some(home), name))?;
            let containers = set.path(&["spec", "template", "spec", "containers"])?;
            let hidden =
                || containers.items().find_map(|one| scalar_at(one, &["name"]).filter(|n| secret::is_withheld(n)));
            let image = container_image(containers, container).or_else(hidden)?;
            Some((product.to_owned(), product_version(shown(image, tag)?).to_owned()))
        });
        running.collect::<Vec<_>>().into_iter()
    }

    /// Returns a status field of the first object of a type.
    fn status_of(&self, name: &str, field: &str) -> Option<String> {
        self.all(name).find_map(|object: &Resource| scalar_at(object.body(), &["status", field])).map(str::to_owned)
    }

    /// Returns the value of a setting, which is a top-level field.
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

    /// Returns the image tag of the container whose image has that base name.
    fn image(&self, kind: &str, namespace: &str, name: &str, image: &str) -> Option<String> {
        let containers = self.one(kind, Some(namespace), name)?.path(&["spec", "template", "spec", "containers"])?;
        containers.items().find_map(|container| tag_of(scalar_at(container, &["image"])?, image))
    }

    /// Returns the lowest tag of images with one of these base names.
    fn running_image(&self, names: &[&str]) -> Option<String> {
        let tags: Vec<String> = self
            .images()
            .iter()
            .filter_map(|image| names.iter().find_map(|name| tag_of(image, name)))
            .filter(|tag| is_version(tag))
            .map(|tag| product_version(&tag).to_owned())
            .collect();
        lowest(tags.iter().map(String::as_str))
    }

    /// Returns whether a collector hid an image, the version or the operating system of a node, or the name of a DaemonSet, by which
    /// network plugins are recognised.
    pub(super) fn hides_products(&self) -> bool {
        let hidden = |field| self.lowest(field).is_some_and(|text| secret::is_withheld(&text));
        ["kubeletVersion", "osImage"].into_iter().any(hidden)
            || self.hides_a_product()
            || self.all("daemonsets.apps").any(Resource::is_nameless)
            || self.images().iter().any(|image| secret::is_withheld(image))
    }

    fn os_version(&self, product: &str) -> Option<String> {
        let images = self.all("nodes").filter_map(|n| scalar_at(n.body(), &["status", "nodeInfo", "osImage"]));
        lowest(images.filter_map(|image| image.strip_prefix(product)))
    }

    fn lowest(&self, field: &str) -> Option<String> {
        lowest(self.all("nodes").filter_map(|n| scalar_at(n.body(), &["status", "nodeInfo", field])))
    }
}

fn kubelet_version(node: &Resource) -> Option<&str> {
    scalar_at(node.body(), &["status", "nodeInfo", "kubeletVersion"])
}

/// Returns the first released version, else the first candidate: the name of a development build.
fn best(candidates: Vec<Option<String>>) -> Option<String> {
    let all: Vec<_> = candidates.into_iter().flatten().collect();
    all.iter().find(|v| is_version(v)).or(all.first()).cloned()
}

/// Returns true for `v1.2.3`, false for the `0.0.0-dev` of unreleased charts.
fn is_version(text: &str) -> bool {
    let bare = text.strip_prefix('v').unwrap_or(text);
    bare.starts_with(|c: char| c.is_ascii_digit()) && bare.contains('.') && !bare.starts_with("0.0.0")
}

/// Returns the upstream version, which Rancher's charts carry behind `+up`.
fn upstream(version: &str) -> String {
    version.split_once("+up").map_or(version, |(_, upstream)| upstream).to_owned()
}

fn tag_of(image: &str, name: &str) -> Option<String> {
    let image = image.split('@').next()?;
    let (_, last) = image.rsplit_once('/').unwrap_or(("", image));
    let (base, tag) = last.split_once(':')?;
    (base == name).then(|| tag.to_owned())
}

/// Reads a part of a text; a text that a collector hid stays, because any part of it may be wanted.
fn shown<'a>(text: &'a str, part: impl FnOnce(&'a str) -> Option<&'a str>) -> Option<&'a str> {
    if secret::is_withheld(text) { Some(text) } else { part(text) }
}

/// Returns the oldest of several versions: the one most likely to have a given fault. Hidden ones sort first, because each may be it.
fn lowest<'a>(versions: impl Iterator<Item = &'a str>) -> Option<String> {
    versions.min_by_key(|v| natural(v)).map(str::to_owned)
}

/// Returns a sort key that orders 9 before 10.
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

/// Returns the image of a container.
fn container_image<'a>(containers: Node<'a>, name: &str) -> Option<&'a str> {
    let found = containers.items().find(|container| scalar_at(*container, &["name"]) == Some(name))?;
    scalar_at(found, &["image"])
}

/// Returns the tag of an image.
fn tag(image: &str) -> Option<&str> {
    let image = image.split('@').next()?;
    image.rsplit('/').next()?.split_once(':').map(|(_, tag)| tag)
}

/// Returns the product's version in a tag of RKE2's hardened images: `v3.5.9` of `v3.5.9-k3s1-build20230802`.
fn product_version(tag: &str) -> &str {
    let cut = ["-k3s", "-build", "-rke2"].iter().filter_map(|mark| tag.find(mark)).min();
    cut.and_then(|at| tag.get(..at)).unwrap_or(tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_sort_by_number() {
        assert_eq!(lowest(["v1.10.0", "v1.9.3"].into_iter()).as_deref(), Some("v1.9.3"));
        assert_eq!(lowest(std::iter::empty()), None);
    }

    #[test]
    fn tags_of_hardened_images() {
        assert_eq!(
            tag("registry:5000/rancher/hardened-etcd:v3.5.9-k3s1-build20230802@sha256:00"),
            Some("v3.5.9-k3s1-build20230802")
        );
        assert_eq!(product_version("v3.5.9-k3s1-build20230802"), "v3.5.9");
        assert_eq!(product_version("v3.26.1"), "v3.26.1");
        assert_eq!(tag("registry:5000/etcd"), None);
    }
}
