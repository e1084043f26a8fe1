//! Logs of a bundle and who wrote them.

use std::sync::Arc;

/// One stream: a container of a pod, or a unit of a node.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LogSource {
    /// Path of the entry.
    pub entry: Arc<str>,
    pub origin: SourceOrigin,
}

/// Writer of a log.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SourceOrigin {
    /// A container of a pod, or all of them, one after the other, if its name is empty; `previous` is the instance before
    /// the last restart.
    Container { namespace: String, pod: String, container: String, previous: bool },
    /// A unit or log file of a node, by file stem: `kernel`, `rke2-server`, `kubelet`... The node is empty where it is
    /// not known.
    Unit { node: String, unit: String },
    /// What a collector wrote in place of the log of a container that it could not get: `Error from server: Get "https://10.0.0.1:10250/...`.
    Refusal,
    /// Any program: the file does not tell whose log it is. `pasted` is text without times, such as a ticket with lines of a log in it.
    Unknown { pasted: bool },
    /// Any other text file, e.g. the collector's own errors.
    File,
}

impl LogSource {
    /// Returns the node whose unit wrote it; `None` for pods and plain files, and if it is not known.
    pub fn node(&self) -> Option<&str> {
        match &self.origin {
            SourceOrigin::Unit { node, .. } => Some(node.as_str()).filter(|node| !node.is_empty()),
            _ => None,
        }
    }

    /// Returns the unit that wrote it, on whatever node; `None` for pods and plain files.
    pub fn unit(&self) -> Option<&str> {
        match &self.origin {
            SourceOrigin::Unit { unit, .. } => Some(unit.as_str()),
            _ => None,
        }
    }

    /// Returns the writer, independent of the file: a node, or a container of a pod.
    pub fn writer(&self) -> Option<String> {
        match &self.origin {
            SourceOrigin::Unit { .. } => self.node().map(str::to_owned),
            SourceOrigin::Container { namespace, pod, container, .. } => Some(format!("{namespace}/{pod}/{container}")),
            SourceOrigin::Refusal | SourceOrigin::Unknown { .. } | SourceOrigin::File => None,
        }
    }

    /// Returns true if any program may have written it.
    pub fn has_unknown_writer(&self) -> bool {
        matches!(self.origin, SourceOrigin::Unknown { .. })
    }

    /// Returns true for a text with lines of a log that somebody pasted.
    pub fn is_pasted(&self) -> bool {
        self.origin == SourceOrigin::Unknown { pasted: true }
    }

    /// Returns whether it has the logs of all containers of a pod, one after the other.
    pub(in crate::log) fn is_of_all_containers(&self) -> bool {
        matches!(&self.origin, SourceOrigin::Container { container, .. } if container.is_empty())
    }

    /// Returns namespace and name of the pod that wrote it.
    pub fn pod(&self) -> Option<(&str, &str)> {
        match &self.origin {
            SourceOrigin::Container { namespace, pod, .. } => Some((namespace, pod)),
            _ => None,
        }
    }
}
