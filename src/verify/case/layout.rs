//! Layouts of the bundles of cases: which collector they imitate.

/// Collector that the bundle of a case comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// support-bundle-kit: dumps of objects in YAML.
    #[default]
    Harvester,
    /// support-bundle-kit, started by Longhorn.
    Longhorn,
    /// Rancher's Linux logs collector: one node, kubectl tables.
    Rancher(Distribution),
    /// troubleshoot.sh: JSON lists, one for each type and namespace.
    Troubleshoot,
    /// `kubectl cluster-info dump`: a folder for each namespace, few types.
    ClusterInfo,
    /// `oc adm must-gather`: a folder for each group.
    MustGather,
}

/// Distribution of Kubernetes on a node, as Rancher's collector distinguishes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distribution {
    Rke2,
    K3s,
    Rke1,
    Kubeadm,
}

impl Distribution {
    /// Returns its folder in the collection.
    pub fn folder(self) -> &'static str {
        match self {
            Self::Rke2 => "rke2",
            Self::K3s => "k3s",
            Self::Rke1 => "rke",
            Self::Kubeadm => "kubeadm",
        }
    }
}

impl Layout {
    /// Names in tests.
    pub const NAMES: [&str; 9] = [
        "cluster-info",
        "harvester",
        "longhorn",
        "must-gather",
        "rancher",
        "rancher-k3s",
        "rancher-kubeadm",
        "rancher-rke1",
        "troubleshoot",
    ];

    /// Parses a name in a test.
    ///
    /// # Errors
    ///
    /// Returns an error that lists the names.
    pub(super) fn parse(name: &str) -> Result<Self, String> {
        match name {
            "cluster-info" => Ok(Self::ClusterInfo),
            "harvester" => Ok(Self::Harvester),
            "longhorn" => Ok(Self::Longhorn),
            "must-gather" => Ok(Self::MustGather),
            "rancher" => Ok(Self::Rancher(Distribution::Rke2)),
            "rancher-k3s" => Ok(Self::Rancher(Distribution::K3s)),
            "rancher-kubeadm" => Ok(Self::Rancher(Distribution::Kubeadm)),
            "rancher-rke1" => Ok(Self::Rancher(Distribution::Rke1)),
            "troubleshoot" => Ok(Self::Troubleshoot),
            _ => Err(format!("there is no layout {name}: one of {}", Self::NAMES.join(", "))),
        }
    }
}
