//! Which pod a log is of where the file's name only joins namespace and pod, or has no namespace, which of those files are
//! no logs, and what the cluster calls the host that all of it was collected on.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::bundle::{Bundle, Entry, Role};
use crate::log::{LogSource, SourceOrigin};
use crate::resource::metadata::host;
use crate::resource::table::{names, said};
use crate::yaml;

/// A file without a log holds one message; logs of more bytes are not looked at.
const LONGEST_MESSAGE: u64 = 4096;

/// The API server answers for a container with one message.
const LONGEST_ANSWER: u64 = 256;

/// What the tables of pods, namespaces and nodes, and the shortest logs, tell about the logs of a bundle.
#[derive(Debug, Default)]
pub struct PodNames {
    /// Namespace and pod by the name that joins them.
    pods: BTreeMap<String, (String, String)>,
    namespaces: BTreeSet<String>,
    /// Namespace by pod; none if several have a pod of that name.
    homes: BTreeMap<String, Option<String>>,
    /// Entries in which kubectl says why there is no log.
    no_logs: BTreeSet<Arc<str>>,
    /// The host by the name of the bundle's folder, and as the cluster calls it.
    host: Option<(String, String)>,
}

/// Which entries' texts tell something about the names of logs.
pub fn telling(bundle: &Bundle) -> impl Fn(&Entry) -> bool + Sync {
    let is_homeless = |role: &Role| matches!(role, Role::PodLog { namespace, .. } if namespace.is_empty());
    let homeless = bundle.entries().iter().any(|entry| is_homeless(&entry.role));
    move |entry| match &entry.role {
        Role::Table { word } => matches!(word.as_str(), "pods" | "namespaces" | "nodes"),
        Role::Dump { group, plural, .. } => homeless && group.is_empty() && plural == "pods",
        Role::PodLogs { .. } => entry.size <= LONGEST_MESSAGE,
        Role::PodLog { .. } => entry.size <= LONGEST_ANSWER,
        _ => false,
    }
}

impl PodNames {
    /// Reads what a bundle tells.
    pub fn read(bundle: &Bundle) -> Self {
        let tells = telling(bundle);
        let wanted = |entry: &Entry| tells(entry) || entry.role == Role::Metadata;
        Self::of(bundle, &super::harvest::texts(bundle, &wanted).texts)
    }

    /// What texts of entries tell.
    pub fn of(bundle: &Bundle, texts: &[(Arc<str>, Role, String)]) -> Self {
        let mut found = Self::default();
        if let Some(folder) = bundle.host() {
            let nodes = texts.iter().filter(|(_, role, _)| matches!(role, Role::Table { word } if word == "nodes"));
            let nodes: Vec<&str> = nodes.flat_map(|(_, _, text)| names(text).map(|(_, name)| name)).collect();
            let called = host::name(&super::describe::host::files(texts), folder, &nodes);
            found.host = called.map(|called| (folder.to_owned(), called));
        }
        for (entry, role, text) in texts {
            match role {
                Role::Table { word } if word == "pods" => found.add_pods(text),
                Role::Table { word } if word == "namespaces" => {
                    found.namespaces.extend(names(text).map(|(_, name)| name.to_owned()));
                }
                Role::Dump { namespace: Some(namespace), plural, .. } if plural == "pods" => {
                    found.add_homes(namespace, text);
                }
                Role::PodLogs { .. } | Role::PodLog { .. } if said::is_all(text) => {
                    found.no_logs.insert(entry.clone());
                }
                _ => {}
            }
        }
        found
    }

    fn add_pods(&mut self, text: &str) {
        for (namespace, pod) in names(text).filter_map(|(namespace, pod)| Some((namespace?, pod))) {
            self.namespaces.insert(namespace.to_owned());
            self.pods.insert(format!("{namespace}-{pod}"), (namespace.to_owned(), pod.to_owned()));
        }
    }

    /// What the cluster calls a node that the layout names.
    pub fn node<'n>(&'n self, name: &'n str) -> &'n str {
        self.host.as_ref().filter(|(folder, _)| folder == name).map_or(name, |(_, called)| called)
    }

    /// The node that an entry of a role was collected on.
    pub fn node_of(&self, bundle: &Bundle, role: &Role) -> Option<String> {
        role.node().or(bundle.host()).map(|name| self.node(name).to_owned())
    }

    /// The pods of a list of one namespace.
    fn add_homes(&mut self, namespace: &str, text: &str) {
        let (document, _) = yaml::parse(text.as_bytes().to_vec());
        let lists = document.roots().map(|root| root.get("items").unwrap_or(root));
        for pod in lists.flat_map(|list| list.items()).filter_map(|pod| pod.str_at(&["metadata", "name"])) {
            let home = self.homes.entry(pod.to_owned()).or_insert_with(|| Some(namespace.to_owned()));
            if home.as_deref() != Some(namespace) {
                *home = None;
            }
        }
    }

    /// The log source that an entry is, if it is one.
    pub fn source(&self, path: &Arc<str>, role: &Role) -> Option<LogSource> {
        let container = |namespace: &str, pod: &str, container: &str, previous| SourceOrigin::Container {
            namespace: namespace.to_owned(),
            pod: pod.to_owned(),
            container: container.to_owned(),
            previous,
        };
        let origin = match role {
            Role::PodLogs { .. } | Role::PodLog { .. } if self.no_logs.contains(path) => return None,
            Role::PodLog { namespace, pod, container: name, previous } if namespace.is_empty() => {
                match self.homes.get(pod) {
                    Some(Some(home)) => container(home, pod, name, *previous),
                    _ => SourceOrigin::File,
                }
            }
            Role::PodLog { namespace, pod, container: name, previous } => container(namespace, pod, name, *previous),
            Role::PodLogs { name, previous } => match self.split(name) {
                Some((namespace, pod)) => container(namespace, pod, "", *previous),
                None => SourceOrigin::File,
            },
            Role::NodeLog { node, unit, .. } => {
                SourceOrigin::Unit { node: self.node(node).to_owned(), unit: unit.clone() }
            }
            Role::CollectorErrors => SourceOrigin::File,
            _ => return None,
        };
        Some(LogSource { entry: path.clone(), origin })
    }

    /// Namespace and pod: of a pod that was listed, else by the longest namespace that fits.
    fn split<'n>(&'n self, name: &'n str) -> Option<(&'n str, &'n str)> {
        if let Some((namespace, pod)) = self.pods.get(name) {
            return Some((namespace, pod));
        }
        let dashes = name.rmatch_indices('-').map(|(at, _)| (name.get(..at), name.get(at + 1..)));
        let mut splits = dashes.filter_map(|(namespace, pod)| Some((namespace?, pod?)));
        splits.find(|(namespace, pod)| !pod.is_empty() && self.namespaces.contains(*namespace))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found() -> PodNames {
        let text = |path: &str, role: Role, text: &str| (Arc::from(path), role, text.to_owned());
        let table = |word: &str| Role::Table { word: word.into() };
        let logs = |name: &str| Role::PodLogs { name: name.into(), previous: true };
        let bundle = Bundle::from_memory("b", Vec::new(), crate::bundle::Limits::default());
        PodNames::of(
            &bundle,
            &[
                text(
                    "pods",
                    table("pods"),
                    "NAMESPACE   NAME    READY\nshop        web-0   1/1\nshop-db     x       1/1\n",
                ),
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
        assert_eq!(found.split("shop-web-0"), Some(("shop", "web-0")));
        assert_eq!(found.split("shop-db-x"), Some(("shop-db", "x")));
        assert_eq!(found.split("kube-b-gone-1"), Some(("kube-b", "gone-1")));
        assert_eq!(found.split("kube-proxy-1"), Some(("kube", "proxy-1")));
        assert_eq!(found.split("other-pod"), None);
    }

    #[test]
    fn a_message_of_kubectl_is_no_log() {
        let found = found();
        let source = |path: &str, name: &str| {
            found.source(&Arc::from(path), &Role::PodLogs { name: name.into(), previous: true })
        };
        assert_eq!(source("p/kube-b-x", "kube-b-x"), None);
        let log = source("p/kube-b-y", "kube-b-y").unwrap();
        assert_eq!(log.pod(), Some(("kube-b", "y")));
        assert_eq!(source("p/other", "other").unwrap().origin, SourceOrigin::File);
    }
}
