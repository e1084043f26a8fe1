//! The [`Role`] of an entry: what it is read for.

/// What an entry is good for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// A list of Kubernetes objects of one type.
    Dump {
        /// None for cluster-scoped types.
        namespace: Option<String>,
        /// Empty for the core group, `*` where the path does not tell it: the objects do.
        group: String,
        /// Empty where the path does not tell it; with an empty group it is then any of Kubernetes' own.
        version: String,
        /// The resource as the API names it, e.g. `virtualmachineinstances`.
        plural: String,
    },
    /// Documents whose path does not tell of what type their objects are, if they are objects at all; which others there
    /// are it does not say.
    Objects,
    /// Objects of one type as a table that kubectl printed.
    Table {
        /// What kubectl was asked for: a plural with or without group, or a short name such as `pvc`.
        word: String,
    },
    /// Objects of one type as `kubectl describe` printed them, one behind the other.
    Described {
        /// A plural, as in [`Role::Table`].
        word: String,
        /// None for cluster-scoped types.
        namespace: Option<String>,
    },
    /// The logs of all containers of a pod, one behind the other.
    PodLogs {
        /// Namespace and pod with a dash between them; both may hold dashes, too.
        name: String,
        /// Of the container instances before the current ones.
        previous: bool,
    },
    /// The log of one container.
    PodLog {
        /// Empty where the path does not name it.
        namespace: String,
        pod: String,
        container: String,
        /// Of the container instance before the current one.
        previous: bool,
    },
    /// Logs of containers between headings, as `kubectl cluster-info dump` writes them.
    LogSections {
        /// Between the sections stand documents of objects, each of which is the list of a type in a namespace.
        documents: bool,
    },
    /// A file that no collector placed: whether it holds objects or a table of kubectl is told by its content. What it
    /// does not hold proves nothing.
    Unplaced,
    /// A log of the host.
    NodeLog {
        /// Empty where nobody says of which.
        node: String,
        /// `kernel` for `kernel.log` and `kernel.log.1`.
        unit: String,
        /// 0 is the current one, 1 the one before.
        generation: u32,
    },
    /// Any other file of the host.
    NodeFile {
        node: String,
    },
    /// A text of supportconfig: what commands printed, files and logs of the host, each below a heading.
    Supportconfig {
        node: String,
    },
    /// Objects in a form of the collector's own, which tells a part of them.
    Summary(Summary),
    /// The bundle's own description.
    Metadata,
    /// What the collector could not collect.
    CollectorErrors,
    /// An archive or a compressed file; its members are entries of their own where it can be read.
    Archive,
    Other,
}

/// What the collectors `helm`, `configMap` and `secret` of troubleshoot.sh write.
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
    /// The node that it is of, where the place in the tree says so.
    pub fn node(&self) -> Option<&str> {
        match self {
            Self::NodeLog { node, .. } | Self::NodeFile { node } | Self::Supportconfig { node } => {
                Some(node.as_str()).filter(|node| !node.is_empty())
            }
            _ => None,
        }
    }

    /// A dump of one type. An empty version means that the path has none.
    pub(crate) fn dump(namespace: Option<&str>, group: &str, version: &str, plural: &str) -> Self {
        Self::Dump {
            namespace: namespace.map(str::to_owned),
            group: group.to_owned(),
            version: version.to_owned(),
            plural: plural.to_owned(),
        }
    }

    /// The log of a container; an empty one stands for all containers of the pod.
    pub(crate) fn pod_log(namespace: &str, pod: &str, container: &str, previous: bool) -> Self {
        Self::PodLog { namespace: namespace.to_owned(), pod: pod.to_owned(), container: container.to_owned(), previous }
    }

    /// A log of the host.
    pub(crate) fn node_log(node: &str, unit: &str, generation: u32) -> Self {
        Self::NodeLog { node: node.to_owned(), unit: unit.to_owned(), generation }
    }

    /// A table that kubectl printed.
    pub(crate) fn table(word: &str) -> Self {
        Self::Table { word: word.to_owned() }
    }
}
