//! Lookup of the objects from which facts are taken.

use crate::resource::index::ResourceIndex;
use crate::resource::object::Resource;
use crate::resource::scalar::scalar_at;
use crate::resource::types::TypeName;
use crate::yaml::Node;

/// Looks up objects by type and name.
pub(super) struct ObjectLookup<'a> {
    pub index: &'a ResourceIndex,
}

impl<'a> ObjectLookup<'a> {
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

    /// Returns the products whose API groups the cluster has.
    pub fn products(&self) -> impl Iterator<Item = &'static str> {
        const GROUPS: [(&str, &str); 4] = [
            ("fleet", "fleet.cattle.io"),
            ("harvester", "harvesterhci.io"),
            ("longhorn", "longhorn.io"),
            ("rancher", "management.cattle.io"),
        ];
        GROUPS.into_iter().filter(|(_, group)| self.index.has_group(group)).map(|(product, _)| product)
    }
}
