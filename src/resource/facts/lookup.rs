//! Lookup of the objects from which facts are taken.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use crate::model::secret;
use crate::resource::index::ResourceIndex;
use crate::resource::object::Resource;
use crate::resource::scalar::scalar_at;
use crate::resource::types::TypeName;
use crate::yaml::Node;

/// Looks up objects by type and name.
pub(super) struct ObjectLookup<'a> {
    pub index: &'a ResourceIndex,
    images: OnceCell<BTreeSet<&'a str>>,
}

impl<'a> ObjectLookup<'a> {
    pub fn new(index: &'a ResourceIndex) -> Self {
        Self { index, images: OnceCell::new() }
    }

    /// Returns the images of workloads and pods in any namespace, and of rows of their tables, which `-o wide` prints with images: each once,
    /// for thousands of pods run the same.
    pub fn images(&self) -> &BTreeSet<&'a str> {
        let kinds = ["deployments.apps", "daemonsets.apps", "statefulsets.apps", "pods"];
        self.images.get_or_init(|| kinds.iter().flat_map(|kind| self.all(kind)).flat_map(images_of).collect())
    }

    pub fn all(&self, name: &str) -> impl Iterator<Item = &'a Resource> {
        self.index.all(name)
    }

    pub fn one(&self, name: &str, namespace: Option<&str>, object: &str) -> Option<Node<'a>> {
        let id = self.index.get(&TypeName::parse(name), namespace, object)?;
        Some(self.index.resource(id).body())
    }

    pub fn uid(&self) -> Option<String> {
        scalar_at(self.one("namespaces", None, "kube-system")?, &["metadata", "uid"]).map(str::to_owned)
    }

    pub fn name(&self) -> Option<String> {
        let cluster = self.one("clusters.management.cattle.io", None, "local")?;
        scalar_at(cluster, &["spec", "displayName"]).map(str::to_owned)
    }

    /// Returns the products that show by an object of their API group, the definition of one, or a pod of their main component.
    pub fn products(&self) -> impl Iterator<Item = &'static str> {
        PRODUCTS.iter().filter(|product| self.shows(product)).map(|product| product.name)
    }

    /// Returns whether a product that does not show may do so by a pod or a definition of which a collector hid the name or the namespace.
    pub fn hides_a_product(&self) -> bool {
        let may_show = |product: &Product| self.all("pods").any(|pod| product.may_own(pod));
        self.all(DEFINITIONS).any(Resource::is_nameless)
            || PRODUCTS.iter().any(|product| !self.shows(product) && may_show(product))
    }

    fn shows(&self, product: &Product) -> bool {
        self.index.has_group(product.group)
            || self.all(DEFINITIONS).any(|definition| defines(&definition.name, product.group))
            || self
                .all("pods")
                .any(|pod| pod.namespace.as_deref() == Some(product.namespace) && pod.name.starts_with(product.pods))
    }
}

const DEFINITIONS: &str = "customresourcedefinitions.apiextensions.k8s.io";

/// How a product shows in a bundle that does not tell its version.
struct Product {
    name: &'static str,
    group: &'static str,
    namespace: &'static str,
    /// What the names of the pods of its main component begin with.
    pods: &'static str,
}

impl Product {
    /// Returns true for a pod whose name or namespace is hidden, and that may be one of the main component.
    fn may_own(&self, pod: &Resource) -> bool {
        let namespace = pod.namespace.as_deref().unwrap_or_default();
        match (secret::is_withheld(&pod.name), secret::is_withheld(namespace)) {
            (false, false) => false,
            (true, false) => namespace == self.namespace,
            (false, true) => pod.name.starts_with(self.pods),
            (true, true) => true,
        }
    }
}

const PRODUCTS: [Product; 4] = [
    Product { name: "fleet", group: "fleet.cattle.io", namespace: "cattle-fleet-system", pods: "fleet-" },
    Product { name: "harvester", group: "harvesterhci.io", namespace: "harvester-system", pods: "harvester-" },
    Product { name: "longhorn", group: "longhorn.io", namespace: "longhorn-system", pods: "longhorn-manager-" },
    Product { name: "rancher", group: "management.cattle.io", namespace: "cattle-system", pods: "rancher-" },
];

/// Returns whether `<plural>.<group>` defines a type of this group or of one below it.
fn defines(definition: &str, group: &str) -> bool {
    definition.strip_suffix(group).is_some_and(|plural| plural.ends_with('.'))
}

/// Returns the images of the containers of a workload or pod, or of its row in a table.
fn images_of(object: &Resource) -> Vec<&str> {
    let specs: [&[&str]; 2] = [&["spec", "template", "spec", "containers"], &["spec", "containers"]];
    let containers = specs.iter().filter_map(|path| object.body().path(path)).flat_map(Node::items);
    let row = object.cells().and_then(|cells| scalar_at(cells, &["IMAGES"])).unwrap_or_default();
    let images = containers.filter_map(|container| scalar_at(container, &["image"]));
    images.chain(row.split(',').map(str::trim)).filter(|image| !image.is_empty()).collect()
}
