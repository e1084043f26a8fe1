//! What can break and what others depend on: objects, parts of nodes, and services of the cluster.

use std::fmt;

use super::ObjectRef;

/// Part of a node that what runs on the node depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NodePart {
    /// The way from Longhorn's volumes to pods: iSCSI initiator, devices, mounts, Longhorn manager and CSI plugin.
    Attach,
    /// The time of the system.
    Clock,
    /// Local file systems of the system, kubelet, container runtime and etcd: space, speed, errors.
    Disk,
    /// kubelet and container runtime: containers start, and the node reports that it is ready.
    Kubelet,
    Memory,
    /// Interfaces, routes and the firewall of the host.
    Network,
    /// Networks of pods: CNI plugin, addresses, overlay.
    PodNetwork,
    /// Longhorn's data plane: instance manager, disks of replicas.
    Storage,
}

impl NodePart {
    /// All parts, by name.
    pub const ALL: [Self; 8] = [
        Self::Attach,
        Self::Clock,
        Self::Disk,
        Self::Kubelet,
        Self::Memory,
        Self::Network,
        Self::PodNetwork,
        Self::Storage,
    ];

    /// Returns the name in Chinese.
    pub fn in_chinese(self) -> &'static str {
        match self {
            Self::Attach => "卷挂载",
            Self::Clock => "时钟",
            Self::Disk => "磁盘",
            Self::Kubelet => " kubelet",
            Self::Memory => "内存",
            Self::Network => "网络",
            Self::PodNetwork => " Pod 网络",
            Self::Storage => "存储",
        }
    }

    /// Returns the name used in rules and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Attach => "attach",
            Self::Clock => "clock",
            Self::Disk => "disk",
            Self::Kubelet => "kubelet",
            Self::Memory => "memory",
            Self::Network => "network",
            Self::PodNetwork => "pod-network",
            Self::Storage => "storage",
        }
    }
}

/// Service of the whole cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ClusterService {
    /// API servers, as all clients reach them.
    Api,
    /// Names of services inside the cluster.
    Dns,
    Etcd,
    /// The network between all nodes.
    Network,
    /// Registries from which images are pulled.
    Registry,
}

impl ClusterService {
    /// All services, by name.
    pub const ALL: [Self; 5] = [Self::Api, Self::Dns, Self::Etcd, Self::Network, Self::Registry];

    /// Returns the name in Chinese.
    pub fn in_chinese(self) -> &'static str {
        match self {
            Self::Network => "集群网络",
            Self::Registry => "镜像仓库",
            other => other.label(),
        }
    }

    /// Returns the name for people.
    fn label(self) -> &'static str {
        match self {
            Self::Api => "API",
            Self::Dns => "DNS",
            other => other.as_str(),
        }
    }

    /// Returns the name used in rules and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Api => "api",
            Self::Dns => "dns",
            Self::Etcd => "etcd",
            Self::Network => "network",
            Self::Registry => "registry",
        }
    }
}

/// Kind of component as rules name it in `breaks` and `needs`; which one it is follows from the finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ComponentKind {
    /// The objects that the finding is about.
    Object,
    /// A part of the nodes that the finding is about.
    Node(NodePart),
    Cluster(ClusterService),
}

impl ComponentKind {
    /// All kinds, in the order of the documentation.
    pub fn all() -> impl Iterator<Item = Self> {
        let (parts, services) = (NodePart::ALL.map(Self::Node), ClusterService::ALL.map(Self::Cluster));
        std::iter::once(Self::Object).chain(parts).chain(services)
    }

    /// Returns the name used in rules.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Object => "object",
            Self::Node(NodePart::Attach) => "node.attach",
            Self::Node(NodePart::Clock) => "node.clock",
            Self::Node(NodePart::Disk) => "node.disk",
            Self::Node(NodePart::Kubelet) => "node.kubelet",
            Self::Node(NodePart::Memory) => "node.memory",
            Self::Node(NodePart::Network) => "node.network",
            Self::Node(NodePart::PodNetwork) => "node.pod-network",
            Self::Node(NodePart::Storage) => "node.storage",
            Self::Cluster(service) => service.as_str(),
        }
    }

    /// Returns the kind with that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::all().find(|kind| kind.as_str() == name)
    }
}

/// One component of the cluster.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Component {
    Object(ObjectRef),
    Node { node: String, part: NodePart },
    Cluster(ClusterService),
}

impl Component {
    /// Returns the kind by which rules name it.
    pub fn kind(&self) -> ComponentKind {
        match self {
            Self::Object(_) => ComponentKind::Object,
            Self::Node { part, .. } => ComponentKind::Node(*part),
            Self::Cluster(service) => ComponentKind::Cluster(*service),
        }
    }
}

impl fmt::Display for Component {
    /// `Pod/ns/name`, `disk of node n1`, `DNS`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Object(object) => write!(f, "{object}"),
            Self::Node { node, part } => write!(f, "{} of node {node}", part.as_str()),
            Self::Cluster(service) => f.write_str(service.label()),
        }
    }
}

/// Finding that explains another one directly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirectCause {
    /// Its fingerprint.
    pub finding: String,
    /// How the symptom depends on what the cause breaks: from the component that the symptom needs to the broken one. Empty if
    /// a rule states that it explains the other.
    pub path: Vec<PathStep>,
}

/// Component on the path from a symptom to its cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathStep {
    pub component: Component,
    /// Field or relation that leads to it, such as `spec.nodeName`; none for the first one.
    pub by: Option<&'static str>,
}
