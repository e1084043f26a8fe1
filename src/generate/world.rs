//! The cluster under construction: nodes, objects rendered into their files, and logs to be written.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::clock::{INSTALLED, rfc3339};
use super::dump;
use super::log::Log;
use super::random::Names;
use super::scenario::Scenario;

/// Workloads, services and releases that small bundles leave out, because the stories in them do not touch these.
const BEYOND_THE_CORE: &[&str] = &[
    "capi-controller-manager",
    "cattle-cluster-agent",
    "cdi-api",
    "cdi-apiserver",
    "cdi-operator",
    "csi-attacher",
    "csi-provisioner",
    "csi-resizer",
    "csi-snapshotter",
    "engine-image-ei-51cc7b9c",
    "harvester-load-balancer",
    "harvester-load-balancer-webhook",
    "harvester-network-controller",
    "harvester-network-controller-manager",
    "harvester-network-webhook",
    "harvester-node-disk-manager",
    "harvester-node-manager",
    "inventory-export",
    "kube-vip",
    "longhorn-csi-plugin",
    "longhorn-driver-deployer",
    "longhorn-ui",
    "rancher-provisioning-capi",
    "rke2-ingress-nginx",
    "rke2-ingress-nginx-controller",
    "rke2-ingress-nginx-controller-admission",
    "rke2-multus",
    "snapshot-controller",
    "system-upgrade-controller",
];

/// Versions of the products in the cluster.
#[derive(Clone, Copy, Debug)]
pub struct Versions {
    pub harvester: &'static str,
    /// Harvester before the last upgrade.
    pub previous: &'static str,
    pub rancher: &'static str,
    pub longhorn: &'static str,
    pub kubevirt: &'static str,
    pub kubernetes: &'static str,
}

/// One node.
#[derive(Clone, Debug)]
pub struct Host {
    pub name: String,
    pub ip: String,
    /// Runs etcd and the API server, as the first three do.
    pub control_plane: bool,
}

/// A Longhorn replica and where it lies.
#[derive(Clone, Debug)]
pub struct Placed {
    pub name: String,
    pub bytes: i64,
    pub host: usize,
}

/// Everything that is generated, before it is written.
pub struct World {
    pub names: Names,
    pub versions: Versions,
    pub hosts: Vec<Host>,
    pub scenario: Scenario,
    /// Rendered items by file, then by name.
    files: BTreeMap<String, BTreeMap<String, String>>,
    objects: u64,
    pub logs: Vec<Log>,
    /// Pods so far; numbers their addresses.
    pub pods: u32,
    /// Engines by volume and host.
    pub engines: Vec<(String, usize)>,
    pub replicas: Vec<Placed>,
    /// `namespace/name` of pods and names of volumes that log lines speak of.
    pub spoken_pods: Vec<String>,
    pub spoken_volumes: Vec<String>,
}

impl World {
    pub fn new(seed: u64, nodes: u32, scenario: Scenario) -> Self {
        let host = |i: u32| Host {
            name: format!("hv-node-{}", i + 1),
            ip: format!("10.115.{}.{}", 20 + i / 200, 11 + i % 200),
            control_plane: i < 3 && nodes >= 3 || i == 0,
        };
        Self {
            names: Names { seed },
            versions: scenario.versions(),
            hosts: (0..nodes).map(host).collect(),
            scenario,
            files: BTreeMap::new(),
            objects: 0,
            logs: Vec::new(),
            pods: 0,
            engines: Vec::new(),
            replicas: Vec::new(),
            spoken_pods: Vec::new(),
            spoken_volumes: Vec::new(),
        }
    }

    /// Objects so far, the second form of events not counted.
    pub fn objects(&self) -> u64 {
        self.objects
    }

    pub fn control_planes(&self) -> usize {
        self.hosts.iter().filter(|host| host.control_plane).count()
    }

    /// The host of that number, counted round and round.
    pub fn host(&self, number: usize) -> &Host {
        &self.hosts[number % self.hosts.len()]
    }

    /// Whether a bundle of this scenario has the workload, service or release of that name.
    pub fn has(&self, name: &str) -> bool {
        !(self.scenario.is_small() && BEYOND_THE_CORE.contains(&name))
    }

    /// The uid that an object of this name has, made or still to be made.
    pub fn uid(&self, api: &str, kind: &str, namespace: &str, name: &str) -> String {
        self.names.uuid(&[api, kind, namespace, name])
    }

    /// A controller as an owner reference names it.
    pub fn owner(&self, api: &str, kind: &str, namespace: &str, name: &str) -> Value {
        json!([{
            "apiVersion": api, "kind": kind, "name": name, "uid": self.uid(api, kind, namespace, name),
            "controller": true, "blockOwnerDeletion": true,
        }])
    }

    /// When an object was made, in seconds: within the first hour of the cluster, unless it says otherwise itself.
    pub fn created(&self, namespace: &str, name: &str) -> i64 {
        let usual = INSTALLED + (self.names.hash(&["created", namespace, name]) % 3600) as i64;
        self.scenario.created(namespace, name).unwrap_or(usual)
    }

    /// Adds an object: `body` is everything but apiVersion, kind and the generated part of `metadata`.
    pub fn add(&mut self, api: &str, kind: &str, plural: &str, namespace: &str, name: &str, body: Value) {
        let mut object = self.object(api, kind, namespace, name, body);
        self.scenario.edit(self, &mut object);
        let fields = managed_fields(api, &object, if self.scenario.is_small() { 0 } else { 2 });
        if let Some(metadata) = object["metadata"].as_object_mut() {
            metadata.insert("managedFields".to_owned(), fields);
        }
        let added = self.put(api, plural, namespace, name, &object);
        self.objects += u64::from(added);
    }

    /// Adds an object to its file as it is; false if one of that name is replaced.
    pub fn put(&mut self, api: &str, plural: &str, namespace: &str, name: &str, object: &Value) -> bool {
        let path = file_of(api, plural, namespace);
        self.files.entry(path).or_default().insert(name.to_owned(), dump::item(object)).is_none()
    }

    /// Takes an object away again.
    pub fn remove(&mut self, api: &str, plural: &str, namespace: &str, name: &str) {
        let path = file_of(api, plural, namespace);
        let Some(items) = self.files.get_mut(&path) else { return };
        self.objects -= u64::from(items.remove(name).is_some());
        if items.is_empty() {
            self.files.remove(&path);
        }
    }

    pub fn object(&self, api: &str, kind: &str, namespace: &str, name: &str, body: Value) -> Value {
        let mut metadata = json!({
            "name": name,
            "uid": self.uid(api, kind, namespace, name),
            "creationTimestamp": rfc3339(self.created(namespace, name)),
            "resourceVersion": (20_000 + self.names.hash(&["version", api, kind, namespace, name]) % 9_000_000).to_string(),
        });
        let mut object = json!({"apiVersion": api, "kind": kind});
        if !namespace.is_empty() {
            metadata["namespace"] = json!(namespace);
        }
        for (key, value) in into_map(body) {
            if key == "metadata" {
                metadata.as_object_mut().into_iter().for_each(|m| m.extend(into_map(value.clone())));
            } else {
                object[key.as_str()] = value;
            }
        }
        object["metadata"] = metadata;
        object
    }

    /// The dumps, in the order of their paths.
    pub fn dumps(&self) -> impl Iterator<Item = (&String, String)> {
        self.files.iter().map(|(path, items)| (path, list(path, items, self.names)))
    }
}

fn file_of(api: &str, plural: &str, namespace: &str) -> String {
    let scope = if namespace.is_empty() { "cluster".to_owned() } else { format!("namespaced/{namespace}") };
    format!("yamls/{scope}/{api}/{plural}.yaml")
}

fn into_map(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

/// A whole file: `items` before `kind`, because keys are sorted.
fn list(path: &str, items: &BTreeMap<String, String>, names: Names) -> String {
    let length = items.values().map(String::len).sum::<usize>();
    let mut text = String::with_capacity(length + 128);
    text.push_str("apiVersion: v1\nitems:\n");
    items.values().for_each(|item| text.push_str(item));
    text.push_str("kind: List\n");
    if path.contains("/metrics.k8s.io/") {
        text.push_str("metadata: {}\n");
        return text;
    }
    text.push_str("metadata:\n");
    if is_custom(path) {
        text.push_str("  continue: \"null\"\n");
    }
    let version = 9_100_000 + names.hash(&["list", path]) % 10_000;
    text.push_str(&format!("  resourceVersion: \"{version}\"\n"));
    text
}

/// Whether the objects of a file are custom resources, whose lists are printed a little differently.
fn is_custom(path: &str) -> bool {
    let group = path.rsplit('/').nth(2).unwrap_or_default();
    let scope_or_namespace = !group.contains('.');
    let built_in = group.ends_with(".k8s.io") && !group.starts_with("snapshot.");
    !(scope_or_namespace || built_in)
}

/// What the API server remembers about who wrote which field, so many levels deep.
fn managed_fields(api: &str, object: &Value, depth: usize) -> Value {
    let manager = match object["kind"].as_str() {
        Some("Pod" | "Node" | "Lease") => "kubelet",
        Some("Deployment" | "ReplicaSet" | "DaemonSet" | "StatefulSet" | "Endpoints" | "EndpointSlice") => {
            "kube-controller-manager"
        }
        _ if api.starts_with("longhorn.io") => "longhorn-manager",
        _ if api.starts_with("kubevirt.io") => "virt-controller",
        _ => "rancher",
    };
    let fields: Map<String, Value> = into_map(object.clone())
        .into_iter()
        .filter(|(key, _)| !matches!(key.as_str(), "apiVersion" | "kind"))
        .map(|(key, value)| (format!("f:{key}"), field_names(&value, depth)))
        .collect();
    let time = object["metadata"]["creationTimestamp"].clone();
    json!([{
        "apiVersion": api, "fieldsType": "FieldsV1", "fieldsV1": fields, "manager": manager, "operation": "Update",
        "time": time,
    }])
}

fn field_names(value: &Value, depth: usize) -> Value {
    const GENERATED: [&str; 6] = ["name", "namespace", "uid", "creationTimestamp", "resourceVersion", "generation"];
    let Value::Object(map) = value else { return json!({}) };
    if depth == 0 {
        return json!({});
    }
    let mut names = Map::new();
    names.insert(".".to_owned(), json!({}));
    for (key, value) in map.iter().filter(|(key, _)| !GENERATED.contains(&key.as_str())) {
        let below = match (key.as_str(), value) {
            ("ownerReferences", Value::Array(owners)) => owners
                .iter()
                .map(|owner| (format!("k:{{\"uid\":{}}}", owner["uid"]), json!({})))
                .collect::<Map<_, _>>()
                .into(),
            ("finalizers", Value::Array(finalizers)) => {
                finalizers.iter().map(|name| (format!("v:{name}"), json!({}))).collect::<Map<_, _>>().into()
            }
            _ => field_names(value, depth - 1),
        };
        names.insert(format!("f:{key}"), below);
    }
    names.into()
}
