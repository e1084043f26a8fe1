//! Access of the dependencies to objects.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;

use crate::model::ObjectRef;
use crate::resource::{Resource, ResourceId, ResourceIndex, TypeName, scalar_at};
use crate::yaml::Node;

/// Objects of one type by the text of a field.
type ByField<'i> = HashMap<&'i str, Vec<ResourceId>>;

/// Objects of a bundle.
pub struct Lookup<'i> {
    index: &'i ResourceIndex,
    /// By type and path of the field; made when first asked for.
    by_field: RefCell<HashMap<(&'static str, &'static [&'static str]), ByField<'i>>>,
    /// Configurations by the name of a webhook; made when first asked for.
    by_webhook: OnceCell<HashMap<&'i str, Vec<ResourceId>>>,
    /// Whether most nodes are ready; found out when first asked for.
    most_nodes_are_ready: OnceCell<bool>,
}

/// Types of configurations of webhooks.
const WEBHOOKS: [&str; 2] = [
    "mutatingwebhookconfigurations.admissionregistration.k8s.io",
    "validatingwebhookconfigurations.admissionregistration.k8s.io",
];

impl<'i> Lookup<'i> {
    pub fn new(index: &'i ResourceIndex) -> Self {
        Self { index, by_field: RefCell::default(), by_webhook: OnceCell::new(), most_nodes_are_ready: OnceCell::new() }
    }

    /// Returns the object of a reference, if it was collected.
    pub fn find(&self, object: &ObjectRef) -> Option<&'i Resource> {
        self.index.find(object)
    }

    /// Returns one object of a type such as `volumes.longhorn.io`.
    pub fn one(&self, name: &str, namespace: Option<&str>, object: &str) -> Option<&'i Resource> {
        Some(self.index.resource(self.index.get(&TypeName::parse(name), namespace, object)?))
    }

    /// Returns all objects of a type, by namespace and name.
    pub fn all(&self, name: &str) -> impl Iterator<Item = &'i Resource> + use<'i> {
        self.index.all(name)
    }

    /// Returns the objects of a type in a namespace, by name.
    pub fn all_in(&self, name: &str, namespace: &str) -> impl Iterator<Item = &'i Resource> + use<'i> {
        self.index.each(self.index.of_type_in(&TypeName::parse(name), namespace))
    }

    /// Returns the objects of a type in a namespace whose names begin so, by name.
    pub fn beginning_with<'s>(
        &self,
        name: &str,
        namespace: &str,
        begin: &'s str,
    ) -> impl Iterator<Item = &'i Resource> + use<'i, 's> {
        let all = self.index.of_type_in(&TypeName::parse(name), namespace);
        let from = all.partition_point(|&id| &*self.index.resource(id).name < begin);
        let rest = self.index.each(all.get(from..).unwrap_or_default());
        rest.take_while(move |found| found.name.starts_with(begin))
    }

    /// Returns the objects of a type with a label, by namespace and name.
    pub fn labelled(&self, name: &str, key: &str, value: &str) -> impl Iterator<Item = &'i Resource> + use<'i> {
        self.index.each(self.index.labelled(&TypeName::parse(name), key, value))
    }

    /// Returns the objects of a type with a label in a namespace, by name.
    pub fn labelled_in(
        &self,
        name: &str,
        namespace: Option<&str>,
        key: &str,
        value: &str,
    ) -> impl Iterator<Item = &'i Resource> + use<'i> {
        self.index.each(self.index.labelled_in(&TypeName::parse(name), namespace, key, value))
    }

    /// Returns the objects of a type whose field has that text, by namespace and name. One look at all objects of the type
    /// answers for every text, because 20,000 volumes may ask for their replicas.
    pub fn with_field(&self, name: &'static str, keys: &'static [&'static str], value: &str) -> Vec<&'i Resource> {
        let mut known = self.by_field.borrow_mut();
        let by_text = known.entry((name, keys)).or_insert_with(|| self.by_text(name, keys));
        by_text.get(value).map_or_else(Vec::new, |ids| self.index.each(ids).collect())
    }

    fn by_text(&self, name: &str, keys: &[&str]) -> ByField<'i> {
        let mut found = ByField::new();
        for &id in self.index.of_type(&TypeName::parse(name)) {
            if let Some(text) = text(self.index.resource(id), keys) {
                found.entry(text).or_default().push(id);
            }
        }
        found
    }

    /// Returns the configurations with a webhook of that name.
    pub fn with_webhook(&self, name: &str) -> impl Iterator<Item = &'i Resource> + use<'i> {
        let known = self.by_webhook.get_or_init(|| self.webhooks());
        let found: Vec<ResourceId> = known.get(name).cloned().unwrap_or_default();
        let index = self.index;
        found.into_iter().map(move |id| index.resource(id))
    }

    fn webhooks(&self) -> HashMap<&'i str, Vec<ResourceId>> {
        let mut found: HashMap<&'i str, Vec<ResourceId>> = HashMap::new();
        for &id in WEBHOOKS.iter().flat_map(|name| self.index.of_type(&TypeName::parse(name))) {
            let webhooks = items(self.index.resource(id), &["webhooks"]);
            for name in webhooks.filter_map(|webhook| scalar_at(webhook, &["name"])) {
                found.entry(name).or_default().push(id);
            }
        }
        found
    }

    /// Returns whether more nodes report that they are ready than do not.
    pub fn most_nodes_are_ready(&self) -> bool {
        *self.most_nodes_are_ready.get_or_init(|| {
            let (ready, others): (Vec<&Resource>, Vec<&Resource>) =
                self.all("nodes").partition(|node| reports_well(node));
            ready.len() > others.len()
        })
    }

    /// Returns whether an object reports that it works, so that nothing behind it can be the cause of trouble in front of it. The row of a
    /// pod says so for as long as nobody hears of its node.
    pub fn is_well(&self, resource: &Resource) -> bool {
        let is_row_of_pod = resource.cells().is_some() && (&*resource.group, &*resource.kind) == ("", "Pod");
        let node = || text(resource, &["spec", "nodeName"]).and_then(|node| self.one("nodes", None, node));
        reports_well(resource) && !(is_row_of_pod && node().is_some_and(|node| !reports_well(node)))
    }

    /// Returns the objects that name this one as their owner.
    pub fn owned_by(&self, owner: &Resource) -> impl Iterator<Item = &'i Resource> + use<'i> {
        self.index.each(owner.uid.as_deref().map_or(&[][..], |uid| self.index.owned_by(uid)))
    }
}

/// Returns the text of a field.
pub fn text<'r>(resource: &'r Resource, keys: &[&str]) -> Option<&'r str> {
    scalar_at(resource.body(), keys)
}

/// Returns the items of a list.
pub fn items<'r>(resource: &'r Resource, keys: &[&str]) -> impl Iterator<Item = Node<'r>> + use<'r> {
    resource.body().path(keys).into_iter().flat_map(Node::items)
}

/// Returns the status of a condition such as `Ready`.
pub fn condition<'r>(resource: &'r Resource, name: &str) -> Option<&'r str> {
    let found = items(resource, &["status", "conditions"]).find(|item| scalar_at(*item, &["type"]) == Some(name))?;
    scalar_at(found, &["status"])
}

/// Returns whether an object itself says that it works.
fn reports_well(resource: &Resource) -> bool {
    match (&*resource.group, &*resource.kind) {
        ("", "Node") => condition(resource, "Ready") == Some("True") || row_of_node_is_ready(resource),
        ("", "Pod") => condition(resource, "Ready") == Some("True") || ended_well(resource) || row_is_ready(resource),
        ("batch", "Job") => condition(resource, "Complete") == Some("True"),
        ("apps", _) => has_all_replicas(resource),
        ("longhorn.io", "Replica" | "Engine" | "InstanceManager") => {
            text(resource, &["status", "currentState"]) == Some("running")
                && text(resource, &["spec", "failedAt"]).is_none()
        }
        // Longhorn sets it to running when the pod serves the volume.
        ("longhorn.io", "ShareManager") => text(resource, &["status", "state"]) == Some("running"),
        _ => condition(resource, "Ready") == Some("True"),
    }
}

fn ended_well(pod: &Resource) -> bool {
    text(pod, &["status", "phase"]) == Some("Succeeded")
}

/// Reads the column READY of a row of `kubectl get`.
fn row_is_ready(resource: &Resource) -> bool {
    let ready = resource.cells().and_then(|cells| scalar_at(cells, &["READY"]));
    ready.and_then(|cell| cell.split_once('/')).is_some_and(|(have, wanted)| have == wanted)
}

/// Reads the column STATUS of a node: `Ready`, `NotReady`, `Ready,SchedulingDisabled`.
fn row_of_node_is_ready(node: &Resource) -> bool {
    let status = node.cells().and_then(|cells| scalar_at(cells, &["STATUS"]));
    status.and_then(|cell| cell.split(',').next()) == Some("Ready")
}

fn has_all_replicas(controller: &Resource) -> bool {
    let number = |keys: &[&str]| text(controller, keys).and_then(|text| text.parse::<u64>().ok());
    let wanted = number(&["status", "desiredNumberScheduled"]).or_else(|| number(&["spec", "replicas"]));
    let ready = number(&["status", "numberReady"]).or_else(|| number(&["status", "readyReplicas"]));
    wanted.is_some_and(|wanted| ready.unwrap_or(0) >= wanted) || row_is_ready(controller)
}
