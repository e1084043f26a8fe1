//! Purpose of an entry: its [`Role`].

/// Purpose that an entry is read for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// List of Kubernetes objects of one type.
    Dump {
        /// None for cluster-scoped types.
        namespace: Option<String>,
        /// Empty for the core group, `*` if only the objects state the group.
        group: String,
        /// Empty if the path has no version; with an empty group, the group may then be any of Kubernetes' own.
        version: String,
        /// Resource name in the API, e.g. `virtualmachineinstances`.
        plural: String,
    },
    /// Documents whose path does not show the type of their objects, or if they are objects at all. Does not prove
    /// that other objects do not exist.
    Objects,
    /// Objects of one type as a table printed by kubectl.
    Table {
        /// Argument to kubectl: a plural with or without group, or a short name such as `pvc`.
        word: String,
    },
    /// Objects of one type as printed by `kubectl describe`, concatenated.
    Described {
        /// Plural, as in [`Role::Table`].
        word: String,
        /// None for cluster-scoped types.
        namespace: Option<String>,
    },
    /// Logs of all containers of a pod, concatenated.
    PodLogs {
        /// Namespace and pod, joined by a dash; both may contain dashes.
        name: String,
        /// True for the previous container instances.
        previous: bool,
    },
    /// Log of one container.
    PodLog {
        /// Empty if the path does not name it.
        namespace: String,
        pod: String,
        container: String,
        /// True for the previous container instance.
        previous: bool,
    },
    /// Logs of containers under headings, as written by `kubectl cluster-info dump`.
    LogSections {
        /// True if there are also documents between the sections, each the list of one type in a namespace.
        documents: bool,
    },
    /// File without a place in a collector's layout; its content shows if it holds objects or a kubectl table. Does
    /// not prove that other objects do not exist.
    Unplaced,
    /// Log of the host.
    NodeLog {
        /// Empty if the node is unknown.
        node: String,
        /// `kernel` for `kernel.log` and `kernel.log.1`.
        unit: String,
        /// 0 is the current log, 1 the previous one.
        generation: u32,
    },
    /// Other file of the host.
    NodeFile {
        node: String,
    },
    /// Text of supportconfig: command output, files and logs of the host, each under a heading.
    Supportconfig {
        node: String,
    },
    /// Objects in the collector's own format, with only some of their fields.
    Summary(Summary),
    /// Description of the bundle itself.
    Metadata,
    /// Errors of the collector.
    CollectorErrors,
    /// What the collector's own analysis of the cluster came to.
    Verdicts,
    /// Archive or compressed file; if it is readable, its members are entries of their own.
    Archive,
    Other,
}

/// Formats written by the troubleshoot.sh collectors `helm`, `configMap` and `secret`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Summary {
    /// `[{releaseName, chart, chartVersion, namespace, releaseHistory: [{revision, date, status}]}]`
    HelmReleases,
    /// `{namespace, name, configMapExists, key, keyExists, value, data}`
    ConfigMap,
    /// `{namespace, name, secretExists, key, keyExists, value}`
    Secret,
}

impl Role {
    /// Returns the entry's node, if its path shows it.
    pub fn node(&self) -> Option<&str> {
        match self {
            Self::NodeLog { node, .. } | Self::NodeFile { node } | Self::Supportconfig { node } => {
                Some(node.as_str()).filter(|node| !node.is_empty())
            }
            _ => None,
        }
    }

    /// Creates a dump of one type. An empty version means that the path has none.
    pub(crate) fn dump(namespace: Option<&str>, group: &str, version: &str, plural: &str) -> Self {
        Self::Dump {
            namespace: namespace.map(str::to_owned),
            group: group.to_owned(),
            version: version.to_owned(),
            plural: plural.to_owned(),
        }
    }

    /// Creates the log of a container; an empty container means all containers of the pod.
    pub(crate) fn pod_log(namespace: &str, pod: &str, container: &str, previous: bool) -> Self {
        Self::PodLog { namespace: namespace.to_owned(), pod: pod.to_owned(), container: container.to_owned(), previous }
    }

    /// Creates a log of the host.
    pub(crate) fn node_log(node: &str, unit: &str, generation: u32) -> Self {
        Self::NodeLog { node: node.to_owned(), unit: unit.to_owned(), generation }
    }

    /// Creates a table printed by kubectl.
    pub(crate) fn table(word: &str) -> Self {
        Self::Table { word: word.to_owned() }
    }
}
