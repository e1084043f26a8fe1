//! Names of logs whose path is not enough: files whose name only joins namespace and pod, or is a pod's name, files
//! with sections of several containers, and files in which kubectl only reports why there is no log. Also the hosts of
//! journals without a node, and the cluster's name of the host that the bundle was collected on.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;

use super::heads::Heads;
use super::hosts::{self, HostLog};
use super::known_pods::{self, Container};
use super::loose_log::LooseLog;
use super::sections::EntryPart;
use crate::bundle::{Bundle, Entry, Role};
use crate::log::{LogSource, SourceOrigin, is_only_failures};
use crate::resource::metadata::host;
use crate::resource::table::{kubectl_message, names};
use crate::resource::{IndexBuilder, Resource, TypeName};
use crate::yaml::{self, Node};

/// A file without a log holds one message; larger logs are not checked.
const LONGEST_MESSAGE: u64 = 4096;
/// Files of objects are searched for pods up to this size.
const LARGEST_LIST: u64 = 16 << 20;
/// Longer names are no joined names of objects.
const LONGEST_NAME: usize = 640;

/// The API server answers for a container with one message.
const LONGEST_ANSWER: u64 = 256;

/// Names of pods and namespaces, read from the bundle's objects, tables and shortest logs.
#[derive(Debug, Default)]
pub struct PodNames {
    /// Pods by namespace and pod name joined by a dash.
    pods: BTreeMap<String, Pod>,
    /// The joined name of the only pod of a name; none if several namespaces have one.
    unique: BTreeMap<String, Option<String>>,
    namespaces: BTreeSet<String>,
    /// Entries in which kubectl or journalctl reports why there is no log.
    no_logs: BTreeSet<Arc<str>>,
    /// Entries without a place whose content is that of a log.
    loose_logs: BTreeMap<Arc<str>, LooseLog>,
    /// Assumed boots of the hosts of logs that have no other time than that since the boot.
    boots: BTreeMap<Arc<str>, Timestamp>,
    /// Hosts of logs of unknown nodes, as their lines name them, or as assumed.
    hosts: BTreeMap<Arc<str>, String>,
    /// Pods of which a bundle of one host has files of the kubelet or the container runtime, as `namespace/name`: they run there.
    on_host: BTreeSet<String>,
    /// Whether the files have no collector's layout.
    is_loose: bool,
    /// The host's name in the bundle's folder, and its name in the cluster.
    host: Option<(String, String)>,
}

#[derive(Debug, Default)]
struct Pod {
    namespace: String,
    name: String,
    /// The known ones.
    containers: Vec<String>,
}

/// Returns a test for entries whose texts help to name logs.
pub fn telling(bundle: &Bundle) -> impl Fn(&Entry) -> bool + Sync {
    let is_homeless = |role: &Role| matches!(role, Role::PodLog { namespace, .. } if namespace.is_empty());
    let homeless = bundle.entries().iter().any(|entry| is_homeless(&entry.role));
    move |entry| match &entry.role {
        Role::Table { word } => matches!(word.as_str(), "pods" | "namespaces" | "nodes"),
        Role::Dump { group, plural, .. } => homeless && group.is_empty() && plural == "pods",
        Role::PodLogs { .. } => entry.size <= LONGEST_MESSAGE,
        Role::PodLog { .. } | Role::NodeLog { .. } => entry.size <= LONGEST_ANSWER,
        Role::Unplaced => entry.size <= LARGEST_LIST && names_pods(&entry.logical),
        _ => false,
    }
}

/// Returns true for names that people give to a list of pods: `pods.yaml`, `get-po-A.json`.
fn names_pods(path: &str) -> bool {
    super::texts::has_word(path, &["po", "pod", "pods", "all"])
}

impl PodNames {
    /// Reads the names from a bundle.
    pub fn read(bundle: &Bundle, heads: &Heads) -> Self {
        let tells = telling(bundle);
        let wanted = |entry: &Entry| tells(entry) || entry.role == Role::Metadata;
        Self::of(bundle, heads, &super::texts::read_texts(bundle, &wanted).texts)
    }

    /// Collects the names from texts of entries.
    pub fn of(bundle: &Bundle, heads: &Heads, texts: &[(Arc<str>, Role, String)]) -> Self {
        let (loose_logs, hosts) = (heads.logs().collect(), heads.hosts().collect());
        let is_loose = bundle.spec().is_none();
        let mut found = Self { loose_logs, hosts, is_loose, ..Self::default() };
        found.assume_hosts(bundle);
        if let Some(folder) = bundle.host() {
            let nodes = texts.iter().filter(|(_, role, _)| matches!(role, Role::Table { word } if word == "nodes"));
            let nodes: Vec<&str> = nodes.flat_map(|(_, _, text)| names(text).map(|(_, name)| name)).collect();
            let called = host::name(&super::texts::host_files(texts), folder, &nodes);
            found.host = called.map(|called| (folder.to_owned(), called));
            found.on_host = bundle.entries().iter().filter_map(|entry| pod_of_file(&entry.role)).collect();
        }
        for (entry, role, text) in texts {
            match role {
                Role::Table { word } if word == "pods" => found.add_rows(text),
                Role::Table { word } if word == "namespaces" => {
                    found.namespaces.extend(names(text).map(|(_, name)| name.to_owned()));
                }
                Role::Dump { namespace: Some(namespace), plural, .. } if plural == "pods" => {
                    found.add_list(namespace, text);
                }
                Role::PodLogs { .. } | Role::PodLog { .. } if kubectl_message::is_no_log(text) => {
                    found.no_logs.insert(entry.clone());
                }
                Role::NodeLog { .. } if is_only_failures(text) => {
                    found.no_logs.insert(entry.clone());
                }
                Role::Unplaced => {
                    found.add_rows(text);
                    found.add_objects(entry, text);
                }
                _ => {}
            }
        }
        found
    }

    /// Returns the cluster's name of a node that the layout names.
    pub fn node<'n>(&'n self, name: &'n str) -> &'n str {
        self.host.as_ref().filter(|(folder, _)| folder == name).map_or(name, |(_, called)| called)
    }

    /// Returns the node that an entry was collected on.
    pub fn node_of(&self, bundle: &Bundle, role: &Role) -> Option<String> {
        role.node().or(bundle.host()).map(|name| self.node(name).to_owned())
    }

    /// Returns the host of a bundle of one host, if its files or the name of a static pod show that the pod runs there.
    pub fn host_of_pod(&self, bundle: &Bundle, namespace: &str, pod: &str) -> Option<String> {
        let host = bundle.host().map(|host| self.node(host).to_owned())?;
        let is_own = known_pods::node_of_static(namespace, pod) == Some(&host);
        (is_own || self.on_host.contains(&format!("{namespace}/{pod}"))).then_some(host)
    }

    /// Sets the boots of hosts, by the log that has no other time than that since the boot.
    pub fn set_boots(&mut self, boots: BTreeMap<Arc<str>, Timestamp>) {
        self.boots = boots;
    }

    /// Returns the assumed boot of the host of a log that has no other time than that since the boot.
    pub fn boot(&self, path: &str) -> Option<Timestamp> {
        self.boots.get(path).copied()
    }

    /// Names the hosts of logs that do not, in a bundle that is nothing but such files.
    fn assume_hosts(&mut self, bundle: &Bundle) {
        let of_host = |entry: &'_ Entry| match (&entry.role, self.loose_logs.get(&entry.path)) {
            (Role::NodeLog { node, unit, .. }, _) if node.is_empty() => {
                Some((self.hosts.get(&entry.path).cloned().unwrap_or_default(), unit.clone()))
            }
            (_, Some(LooseLog::OfHost { host, unit })) => Some((host.clone(), (*unit).to_owned())),
            _ => None,
        };
        let logs: Option<Vec<_>> = bundle.entries().iter().map(|entry| Some((&entry.path, of_host(entry)?))).collect();
        let Some(logs) = logs.filter(|_| bundle.spec().is_none()) else { return };
        let logs: Vec<HostLog<'_>> = logs.iter().map(|(path, (host, unit))| HostLog { path, host, unit }).collect();
        self.hosts.extend(hosts::assumed(&logs));
    }

    fn add_rows(&mut self, text: &str) {
        for (namespace, pod) in names(text).filter_map(|(namespace, pod)| Some((namespace?, pod))) {
            self.add(namespace, pod, Vec::new());
        }
    }

    /// Adds the pods of a list of one namespace, which its path names.
    fn add_list(&mut self, namespace: &str, text: &str) {
        let (document, _) = yaml::parse(text.as_bytes().to_vec());
        let lists = document.roots().map(|root| root.get("items").unwrap_or(root));
        for pod in lists.flat_map(|list| list.items()).filter_map(|pod| pod.str_at(&["metadata", "name"])) {
            self.add(namespace, pod, Vec::new());
        }
    }

    fn add_objects(&mut self, entry: &Arc<str>, text: &str) {
        let mut builder = IndexBuilder::default();
        builder.add_document(Arc::clone(entry), &Arc::new(yaml::parse(text.as_bytes().to_vec()).0));
        let (index, _) = builder.finish();
        for &id in index.of_type(&TypeName::new("pods", "")) {
            let pod = index.resource(id);
            self.add(pod.namespace.as_deref().unwrap_or_default(), &pod.name, containers(pod));
        }
    }

    fn add(&mut self, namespace: &str, name: &str, containers: Vec<String>) {
        self.namespaces.insert(namespace.to_owned());
        let joined = format!("{namespace}-{name}");
        let unique = self.unique.entry(name.to_owned()).or_insert_with(|| Some(joined.clone()));
        if unique.as_ref().is_some_and(|other| *other != joined) {
            *unique = None;
        }
        let pod = self.pods.entry(joined).or_insert_with(|| Pod {
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            containers: Vec::new(),
        });
        if !containers.is_empty() {
            pod.containers = containers;
        }
    }

    /// Returns the log that an entry, or a part of one, holds.
    pub fn log(&self, path: &Arc<str>, role: &Role) -> Option<LogSource> {
        let container = |(namespace, pod, container): Container<'_>, previous| SourceOrigin::Container {
            namespace: namespace.to_owned(),
            pod: pod.to_owned(),
            container: container.to_owned(),
            previous,
        };
        let origin = match role {
            Role::PodLogs { .. } | Role::PodLog { .. } | Role::NodeLog { .. } if self.no_logs.contains(path) => {
                return None;
            }
            Role::PodLog { namespace, pod, container: name, previous } if namespace.is_empty() => {
                match self.unique(pod) {
                    Some(home) => container((&home.namespace, pod, name), *previous),
                    None => SourceOrigin::File,
                }
            }
            Role::PodLog { namespace, pod, container: name, previous } => container((namespace, pod, name), *previous),
            Role::PodLogs { name, previous } => {
                let loose = self.loose(path).unwrap_or(SourceOrigin::Unknown { pasted: false });
                self.home(name, &loose).map_or(loose, |found| container(found, *previous))
            }
            Role::Unplaced => {
                let loose = self.loose(path)?;
                self.home(stem(path), &loose).map_or(loose, |found| container(found, false))
            }
            Role::NodeLog { node, unit, .. } => {
                let node = self.hosts.get(path).unwrap_or(node);
                SourceOrigin::Unit { node: self.node(node).to_owned(), unit: unit.clone() }
            }
            Role::CollectorErrors => SourceOrigin::File,
            _ => return None,
        };
        Some(LogSource { entry: path.clone(), origin })
    }

    /// Returns the log that a part holds, or what stands in its place.
    pub fn source(&self, part: &EntryPart<'_>) -> Option<LogSource> {
        // An output of a transcript is no log because another one in its file is.
        let holds_objects = part.section.is_some() && *part.role == Role::Unplaced;
        self.refusal(part).or_else(|| self.log(part.path, part.role)).filter(|_| !holds_objects)
    }

    /// Returns what stands in place of the log of a container: an entry, or a section that only says why there is none.
    pub fn refusal(&self, part: &EntryPart<'_>) -> Option<LogSource> {
        let is_of_pod = matches!(part.role, Role::PodLog { .. } | Role::PodLogs { .. });
        let is_refused = part.is_refused() || self.no_logs.contains(part.path);
        (is_of_pod && is_refused).then(|| LogSource { entry: part.path.clone(), origin: SourceOrigin::Refusal })
    }

    /// Returns what the content of an entry without a place tells; none if it is no log.
    fn loose(&self, path: &Arc<str>) -> Option<SourceOrigin> {
        self.loose_logs.get(path).map(|log| match log {
            LooseLog::OfHost { host, unit } => {
                let node = self.hosts.get(path).unwrap_or(host).clone();
                SourceOrigin::Unit { node, unit: (*unit).to_owned() }
            }
            LooseLog::OfKubevirt { component } => {
                let (namespace, pod, container) = known_pods::of_kubevirt(component);
                let [namespace, pod, container] = [namespace, pod, container].map(str::to_owned);
                SourceOrigin::Container { namespace, pod, container, previous: false }
            }
            LooseLog::Other => SourceOrigin::Unknown { pasted: false },
            LooseLog::Pasted => SourceOrigin::Unknown { pasted: true },
        })
    }

    /// Returns whether there are logs in files whose path does not tell whose they are.
    pub fn has_loose_logs(&self) -> bool {
        self.loose_logs.values().any(|log| !matches!(log, LooseLog::Pasted))
    }

    /// Returns the container whose log a file of this name holds, from what its content tells.
    fn home<'n>(&'n self, name: &'n str, content: &SourceOrigin) -> Option<Container<'n>> {
        // The journal of a host may be called after the program that is looked for in it: `etcd-does-not-start.txt`.
        let is_of_host = matches!(content, SourceOrigin::Unit { .. });
        let product = || known_pods::find(name).or_else(|| known_pods::find_generated(name).filter(|_| self.is_loose));
        self.named(name).or_else(|| product().filter(|_| !is_of_host))
    }

    /// Returns the container that a name refers to: a pod of the bundle, alone or with its namespace or a container; otherwise the
    /// longest matching namespace and the rest of the name.
    fn named<'n>(&'n self, name: &'n str) -> Option<Container<'n>> {
        if name.len() > LONGEST_NAME {
            return None;
        }
        let with_container = || {
            let (pod, container) = cuts(name).find_map(|(pod, container)| {
                let pod = self.pod(pod)?;
                Some((pod, pod.containers.iter().find(|known| *known == container)?))
            })?;
            Some((pod.namespace.as_str(), pod.name.as_str(), container.as_str()))
        };
        let alone = self.pod(name).map(|pod| (pod.namespace.as_str(), pod.name.as_str(), only(&pod.containers)));
        let split = || self.split(name).map(|(namespace, pod)| (namespace, pod, ""));
        alone.or_else(with_container).or_else(split)
    }

    /// Returns the pod of a name with or without its namespace in front.
    fn pod(&self, name: &str) -> Option<&Pod> {
        let joined = || cuts(name).find_map(|(namespace, pod)| self.pods.get(&format!("{namespace}-{pod}")));
        self.pods.get(name).or_else(|| self.unique(name)).or_else(joined)
    }

    /// Returns the only pod of that name.
    fn unique(&self, name: &str) -> Option<&Pod> {
        self.pods.get(self.unique.get(name)?.as_ref()?)
    }

    /// Returns namespace and pod, split by the longest matching namespace.
    fn split<'n>(&self, name: &'n str) -> Option<(&'n str, &'n str)> {
        let mut splits = cuts(name).filter(|(namespace, pod)| !namespace.is_empty() && !pod.is_empty());
        splits.find(|(namespace, _)| self.namespaces.contains(*namespace))
    }
}

/// Returns the pod of a file in which the host keeps the log of a container.
fn pod_of_file(role: &Role) -> Option<String> {
    match role {
        Role::PodLog { namespace, pod, .. } if !namespace.is_empty() => Some(format!("{namespace}/{pod}")),
        _ => None,
    }
}

/// Returns the name of a file without its ending.
fn stem(path: &str) -> &str {
    let file = path.rsplit('/').next().unwrap_or_default();
    file.rsplit_once('.').map_or(file, |(stem, _)| stem)
}

/// Splits a name at each separator, last one first.
fn cuts(name: &str) -> impl Iterator<Item = (&str, &str)> {
    let signs = name.rmatch_indices(['-', '_', '.']).map(|(at, _)| at);
    signs.filter_map(|at| Some((name.get(..at)?, name.get(at + 1..)?)))
}

/// Returns the container of a pod that has only one.
fn only(containers: &[String]) -> &str {
    if let [container] = containers { container } else { "" }
}

fn containers(pod: &Resource) -> Vec<String> {
    let list = |key| pod.body().path(&["spec", key]).into_iter().flat_map(Node::items);
    let names = list("containers").chain(list("initContainers"));
    names.filter_map(|container| container.str_at(&["name"]).map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found() -> PodNames {
        let text = |path: &str, role: Role, text: &str| (Arc::from(path), role, text.to_owned());
        let table = |word: &str| Role::Table { word: word.into() };
        let logs = |name: &str| Role::PodLogs { name: name.into(), previous: true };
        let list = "- {apiVersion: v1, kind: Pod, metadata: {name: db-0, namespace: data}, spec: {containers: [{name: db}, {name: sidecar}]}}\n\
             - {apiVersion: v1, kind: Pod, metadata: {name: lone-0, namespace: data}, spec: {containers: [{name: one}]}}\n\
             - {apiVersion: v1, kind: Pod, metadata: {name: web-0, namespace: data}}\n";
        let bundle = Bundle::from_memory("b", Vec::new(), crate::bundle::Limits::default());
        PodNames::of(
            &bundle,
            &Heads::default(),
            &[
                text(
                    "pods",
                    table("pods"),
                    "NAMESPACE   NAME    READY\nshop        web-0   1/1\nshop-db     x       1/1\n",
                ),
                text("pods.yaml", Role::Unplaced, list),
                text("namespaces", table("namespaces"), "NAME     STATUS\nkube     Active\nkube-b   Active\n"),
                text(
                    "p/kube-b-x",
                    logs("kube-b-x"),
                    "Error from server (BadRequest): container \"c\" is waiting to start\n",
                ),
                text("p/kube-b-y", logs("kube-b-y"), "started\n"),
            ],
        )
    }

    #[test]
    fn names_are_split_by_what_is_known() {
        let found = found();
        assert_eq!(found.named("shop-web-0"), Some(("shop", "web-0", "")));
        assert_eq!(found.named("shop-db-x"), Some(("shop-db", "x", "")));
        assert_eq!(found.named("kube-b-gone-1"), Some(("kube-b", "gone-1", "")));
        assert_eq!(found.named("kube-proxy-1"), Some(("kube", "proxy-1", "")));
        assert_eq!(found.named("other-pod"), None);
        let unit = SourceOrigin::Unit { node: "n1".to_owned(), unit: "journal".to_owned() };
        let manager = Some(("longhorn-system", "longhorn-manager-x7k2p", "longhorn-manager"));
        assert_eq!(found.home("longhorn-manager-x7k2p", &SourceOrigin::Unknown { pasted: false }), manager);
        assert_eq!(found.home("longhorn-manager-x7k2p", &unit), None, "a journal");
        assert_eq!(found.named(&"a-".repeat(LONGEST_NAME)), None);
    }

    #[test]
    fn a_name_can_be_that_of_a_pod_alone_and_with_a_container() {
        let found = found();
        assert_eq!(found.named("db-0"), Some(("data", "db-0", "")));
        assert_eq!(found.named("lone-0"), Some(("data", "lone-0", "one")));
        assert_eq!(found.named("db-0_sidecar"), Some(("data", "db-0", "sidecar")));
        assert_eq!(found.named("data_db-0_db"), Some(("data", "db-0", "db")));
        assert_eq!(found.named("data.db-0"), Some(("data", "db-0", "")));
        assert_eq!(found.named("web-0"), None, "two namespaces have one");
    }

    #[test]
    fn a_message_of_kubectl_is_no_log() {
        let found = found();
        let log =
            |path: &str, name: &str| found.log(&Arc::from(path), &Role::PodLogs { name: name.into(), previous: true });
        assert_eq!(log("p/kube-b-x", "kube-b-x"), None);
        assert_eq!(log("p/kube-b-y", "kube-b-y").unwrap().pod(), Some(("kube-b", "y")));
        assert_eq!(log("p/other", "other").unwrap().origin, SourceOrigin::Unknown { pasted: false });
    }

    #[test]
    fn names_of_lists_of_pods() {
        assert!(["a/pods.yaml", "kubectl-get-po-A.json", "get_all.txt"].iter().all(|path| names_pods(path)));
        assert!(!names_pods("pods/nodes.yaml"));
    }
}
