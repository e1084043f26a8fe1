//! What people configure: specs, settings, images, replicas and versions of charts.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::model::ObjectRef;
use crate::model::difference::{Changed, ConfigurationChange};
use crate::model::{Origin, secret};
use crate::resource::{Resource, scalar_at};
use crate::yaml::{Kind, Node};

/// Compared parts by kind and group, in the order of the report. An empty part is the whole object.
const PARTS: [(&str, &str, &[&str]); 39] = [
    ("Setting", "longhorn.io", &["value"]),
    ("Setting", "harvesterhci.io", &["value"]),
    ("Setting", "management.cattle.io", &["value"]),
    ("HelmRelease", "", &["chart"]),
    ("ManagedChart", "management.cattle.io", &["spec"]),
    ("HelmChart", "helm.cattle.io", &["spec"]),
    ("HelmChartConfig", "helm.cattle.io", &["spec"]),
    ("Addon", "harvesterhci.io", &["spec"]),
    ("Deployment", "apps", &["spec"]),
    ("StatefulSet", "apps", &["spec"]),
    ("DaemonSet", "apps", &["spec"]),
    ("CronJob", "batch", &["spec"]),
    ("ConfigMap", "", &["data"]),
    ("Node", "", &["spec"]),
    ("Node", "longhorn.io", &["spec"]),
    ("Volume", "longhorn.io", &["spec"]),
    ("BackupTarget", "longhorn.io", &["spec"]),
    ("RecurringJob", "longhorn.io", &["spec"]),
    ("StorageClass", "storage.k8s.io", &[]),
    ("CSIDriver", "storage.k8s.io", &["spec"]),
    ("PersistentVolumeClaim", "", &["spec"]),
    ("VirtualMachine", "kubevirt.io", &["spec"]),
    ("KubeVirt", "kubevirt.io", &["spec"]),
    ("CDI", "cdi.kubevirt.io", &["spec"]),
    ("Service", "", &["spec"]),
    ("Ingress", "networking.k8s.io", &["spec"]),
    ("NetworkPolicy", "networking.k8s.io", &["spec"]),
    ("NetworkAttachmentDefinition", "k8s.cni.cncf.io", &["spec"]),
    ("ClusterNetwork", "network.harvesterhci.io", &["spec"]),
    ("VlanConfig", "network.harvesterhci.io", &["spec"]),
    ("PodDisruptionBudget", "policy", &["spec"]),
    ("HorizontalPodAutoscaler", "autoscaling", &["spec"]),
    ("ResourceQuota", "", &["spec"]),
    ("LimitRange", "", &["spec"]),
    ("ValidatingWebhookConfiguration", "admissionregistration.k8s.io", &["webhooks"]),
    ("MutatingWebhookConfiguration", "admissionregistration.k8s.io", &["webhooks"]),
    ("Cluster", "provisioning.cattle.io", &["spec"]),
    ("Feature", "management.cattle.io", &["spec"]),
    ("GitRepo", "fleet.cattle.io", &["spec"]),
];

/// Fields that programs change while nobody configures anything, by their last key.
const MOVING: [&str; 9] = [
    "caBundle",
    "forceSyncGeneration",
    "forceUpdateAgent",
    "lastAttachedBy",
    "managedFields",
    "migrationNodeID",
    "nodeID",
    "syncRequestedAt",
    "volumeName",
];

/// Fields kept of an object, and bytes kept of a value and of all objects of a bundle.
const FIELDS: usize = 2_000;
const VALUE: usize = 4_000;
const ROOM: usize = 64 << 20;
/// Bytes that a field takes beside its texts.
const OVERHEAD: usize = 100;
/// Depth of fields, fields listed of an object, and characters shown of a value.
const DEEPEST: usize = 32;
const LISTED: usize = 10;
const SHOWN: usize = 200;

/// Configuration of one bundle, by object.
#[derive(Debug)]
pub struct Configuration {
    objects: BTreeMap<ObjectRef, Configured>,
    /// Bytes that may still be kept.
    room: usize,
    /// Objects of which not everything is kept.
    left_out: u64,
}

/// Configuration of one object.
#[derive(Debug)]
struct Configured {
    /// Values by path, such as `spec.template.spec.containers[manager].image`.
    fields: BTreeMap<String, FieldValue>,
    place: Origin,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct FieldValue {
    /// Beginning of the value, secrets masked.
    text: String,
    /// Of the whole value, so that a change that is not shown is seen.
    hash: u64,
}

impl Configuration {
    /// Reads the configuration of objects.
    pub fn of<'r>(objects: impl Iterator<Item = &'r Resource>) -> Self {
        let mut all = Self { objects: BTreeMap::new(), room: ROOM, left_out: 0 };
        objects.for_each(|resource| all.add(resource));
        all
    }

    fn add(&mut self, resource: &Resource) {
        let Some(part) = part_of(resource) else { return };
        // A release has an object for each revision, and the current one is compared.
        let is_release = &*resource.kind == "HelmRelease";
        if is_release && resource.body().get("latest").and_then(Node::as_bool) != Some(true) {
            return;
        }
        let Some(node) = resource.body().path(part) else { return };
        let object = if is_release { release(resource) } else { resource.object() };
        let mut fields = Fields { found: BTreeMap::new(), room: self.room, whole: true };
        fields.add(part.join("."), node, 0);
        self.room = fields.room;
        if !fields.whole {
            self.left_out += 1;
        }
        let place = Origin::line(resource.entry.clone(), resource.body().line());
        self.objects.insert(object, Configured { fields: fields.found, place });
    }
}

fn part_of(resource: &Resource) -> Option<&'static [&'static str]> {
    rank(&resource.kind, &resource.group).map(|at| PARTS[at].2)
}

/// Returns the place in the order of the report; none for what nobody configures.
fn rank(kind: &str, group: &str) -> Option<usize> {
    PARTS.iter().position(|(known, of_group, _)| *known == kind && *of_group == group)
}

/// Names a release of Helm whatever its revision.
fn release(resource: &Resource) -> ObjectRef {
    let name = scalar_at(resource.body(), &["name"]).unwrap_or(&resource.name);
    ObjectRef::new("", "HelmRelease", resource.namespace.as_deref(), name)
}

/// Fields of one object while they are read.
struct Fields {
    found: BTreeMap<String, FieldValue>,
    room: usize,
    /// False if a bound left something out.
    whole: bool,
}

impl Fields {
    fn add(&mut self, path: String, node: Node<'_>, depth: usize) {
        if depth > DEEPEST || self.found.len() >= FIELDS {
            self.whole = false;
            return;
        }
        let below = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
        match node.kind() {
            Kind::Mapping => {
                // Of a whole object, metadata tell who it is and when it changed.
                let kept =
                    node.entries().filter(|(key, _)| !MOVING.contains(&&**key) && (depth > 0 || key != "metadata"));
                kept.for_each(|(key, value)| self.add(below(&key), value, depth + 1));
            }
            Kind::Sequence => {
                for (at, item) in node.items().enumerate() {
                    // Items keep their names when others are added before them.
                    let name = item.str_at(&["name"]).map_or_else(|| at.to_string(), str::to_owned);
                    self.add(format!("{path}[{name}]"), item, depth + 1);
                }
            }
            Kind::Null => {}
            _ => self.scalar(path, node),
        }
    }

    fn scalar(&mut self, path: String, node: Node<'_>) {
        let mut hasher = DefaultHasher::new();
        node.text().hash(&mut hasher);
        let text = if node.is_secret() { secret::MASK.into() } else { secret::redact(node.text()) };
        let text: String = text.chars().take(VALUE).collect();
        let bytes = path.len() + text.len() + OVERHEAD;
        match self.room.checked_sub(bytes) {
            Some(room) => {
                self.room = room;
                self.found.insert(path, FieldValue { text, hash: hasher.finish() });
            }
            None => self.whole = false,
        }
    }
}

/// Returns objects of both bundles whose configuration differs, settings and charts first, and how many were not compared as a whole.
pub(super) fn compare(before: &Configuration, after: &Configuration) -> (Vec<ConfigurationChange>, u64) {
    let both = after.objects.iter().filter_map(|(object, now)| Some((object, before.objects.get(object)?, now)));
    let mut changes: Vec<ConfigurationChange> = both.filter_map(|(object, was, is)| change(object, was, is)).collect();
    changes.sort_by_cached_key(|change| (rank(&change.object.kind, &change.object.group), change.object.clone()));
    (changes, before.left_out.max(after.left_out))
}

fn change(object: &ObjectRef, was: &Configured, is: &Configured) -> Option<ConfigurationChange> {
    let mut names: Vec<&String> = was.fields.keys().chain(is.fields.keys()).collect();
    names.sort_unstable();
    names.dedup();
    names.retain(|name| was.fields.get(*name) != is.fields.get(*name));
    let fields =
        names.iter().take(LISTED).map(|name| field(name, was.fields.get(*name), is.fields.get(*name))).collect();
    let left_out = names.len().saturating_sub(LISTED) as u64;
    (!names.is_empty()).then(|| ConfigurationChange {
        object: object.clone(),
        fields,
        left_out,
        place: is.place.clone(),
    })
}

/// Returns both values of a field; of texts of several lines the first lines that differ.
fn field(name: &str, was: Option<&FieldValue>, is: Option<&FieldValue>) -> Changed {
    let [old, new] = [was, is].map(|value| value.map(|value| value.text.as_str()));
    let (old, new) = match (old, new) {
        (Some(old), Some(new)) => {
            let (was, is) = first_difference(old, new);
            (Some(was), Some(is))
        }
        one => one,
    };
    let shown = |text: Option<&str>| text.map(|text| text.chars().take(SHOWN).collect::<String>());
    let name = name.to_owned();
    match (shown(old), shown(new)) {
        (Some(old), Some(new)) if old == new => {
            Changed { name: format!("{name} (changed, not shown)"), old: Some(old), new: Some(new) }
        }
        (old, new) => Changed { name, old, new },
    }
}

fn first_difference<'t>(old: &'t str, new: &'t str) -> (&'t str, &'t str) {
    let (mut was, mut is) = (old.lines(), new.lines());
    loop {
        match (was.next(), is.next()) {
            (Some(a), Some(b)) if a == b => {}
            (None, None) => return (old, new),
            (a, b) => return (a.unwrap_or_default(), b.unwrap_or_default()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_different_line_is_told() {
        assert_eq!(first_difference("a\nb\nc", "a\nx\nc"), ("b", "x"));
        assert_eq!(first_difference("a", "a\nb"), ("", "b"));
        assert_eq!(first_difference("a", "a"), ("a", "a"));
    }

    #[test]
    fn a_change_that_must_not_be_shown_is_told() {
        let value = |hash| FieldValue { text: secret::MASK.to_owned(), hash };
        let changed = field("data.password", Some(&value(1)), Some(&value(2)));
        assert_eq!((changed.name.as_str(), changed.old == changed.new), ("data.password (changed, not shown)", true));
    }
}
