//! Which kind of bundle it is: [`Kind`].

/// Which program's layout a bundle has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    Harvester,
    Longhorn,
    Rancher,
    Troubleshoot,
    ClusterInfo,
    MustGather,
    Supportconfig,
    Supportability,
    /// The zip of one node, given alone.
    Node,
    Sosreport,
    Generic,
}

impl Kind {
    /// The name used in JSON and reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Harvester => "harvester",
            Self::Longhorn => "longhorn",
            Self::Rancher => "rancher",
            Self::Troubleshoot => "troubleshoot",
            Self::ClusterInfo => "cluster-info",
            Self::MustGather => "must-gather",
            Self::Supportconfig => "supportconfig",
            Self::Supportability => "supportability",
            Self::Node => "node",
            Self::Sosreport => "sosreport",
            Self::Generic => "generic",
        }
    }
}
