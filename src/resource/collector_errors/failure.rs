//! Single failures of a collector, and what they concern.

use crate::model::message::{CollectedFile, GapSubject};
use crate::resource::types::TypeName;

/// A message of the collector about something that it did not collect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// 1-based line in the entry.
    pub line: u64,
    pub target: Target,
    /// The error itself, as the collector wrote it.
    pub error: String,
    /// True if nothing is missing because of it: a type that cannot be listed, a previous container that never ran.
    pub harmless: bool,
}

/// Target of a failure: what was not collected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// Objects of a type, in a namespace or cluster-wide.
    Objects { name: TypeName, namespace: Option<String> },
    /// Every dump of one scope, because discovery of the API failed.
    Scope(Scope),
    /// All objects of types that CustomResourceDefinitions define.
    CustomResources,
    /// The list of pods: no logs of the namespaces that follow.
    PodList,
    /// One log of a container.
    PodLog { pod: String, container: String },
    /// All logs of a pod.
    PodLogs { pod: String },
    /// A file or a whole step.
    File(CollectedFile),
    /// A message of unknown form.
    Other,
}

impl Target {
    /// Describes the target in words; none if it is unknown.
    pub fn described(&self) -> Option<GapSubject> {
        match self {
            Self::Objects { name, namespace } => Some(GapSubject::objects(name.to_string(), namespace.as_deref())),
            Self::Scope(Scope::Cluster) => Some(GapSubject::ObjectsWithoutNamespace),
            Self::Scope(Scope::Namespaced) => Some(GapSubject::ObjectsOfAllNamespaces),
            Self::CustomResources => Some(GapSubject::CustomResources),
            Self::PodList => Some(GapSubject::LogsOfSomeNamespaces),
            Self::PodLog { pod, container } => {
                Some(GapSubject::PodLog { pod: pod.clone(), container: container.clone() })
            }
            Self::PodLogs { pod } => Some(GapSubject::PodLogs { pod: pod.clone() }),
            Self::File(file) => Some(GapSubject::File { file: file.clone() }),
            Self::Other => None,
        }
    }
}

/// The halves of `yamls/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    Cluster,
    Namespaced,
}
