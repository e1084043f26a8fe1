//! Nodes of a cluster, and reasons why files of some of them were not collected.

use std::collections::{BTreeMap, BTreeSet};

use super::lookup::ObjectLookup;
use crate::model::message::{GapReason, GapSubject, NodeNames};
use crate::model::{NodeFacts, NotCollected};
use crate::resource::object::Resource;
use crate::resource::scalar::scalar_at;

const ROLE: &str = "node-role.kubernetes.io/";

/// Files of nodes in the bundle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeArchives {
    /// Nodes with files.
    pub read: BTreeSet<String>,
    /// Nodes whose archives are unreadable, with the reason.
    pub unread: BTreeMap<String, GapReason>,
}

impl ObjectLookup<'_> {
    pub(super) fn nodes(&self, archives: &NodeArchives) -> Vec<NodeFacts> {
        let unknown = |name: &String| {
            let collected = archives.read.contains(name);
            (name.clone(), NodeFacts { name: name.clone(), ready: None, roles: Vec::new(), collected })
        };
        let mut nodes: BTreeMap<String, NodeFacts> =
            archives.read.iter().chain(archives.unread.keys()).map(unknown).collect();
        for node in self.all("nodes") {
            let name = node.name.to_string();
            let collected = archives.read.contains(&name);
            let facts = NodeFacts { name: name.clone(), ready: ready(node), roles: roles(node), collected };
            nodes.insert(name, facts);
        }
        nodes.into_values().collect()
    }

    /// Returns the nodes without files, grouped by reason. `why` is the collector's reason
    /// for nodes that it does not visit.
    pub(super) fn without_archive(
        &self,
        nodes: &[NodeFacts],
        archives: &NodeArchives,
        why: Option<&GapReason>,
    ) -> Vec<NotCollected> {
        let mut by_reason: BTreeMap<GapReason, Vec<&str>> = BTreeMap::new();
        for node in nodes.iter().filter(|node| !node.collected) {
            let reason = archives.unread.get(&node.name).or(why);
            let reason = reason.cloned().unwrap_or_else(|| self.why_missing(node));
            by_reason.entry(reason).or_default().push(&node.name);
        }
        let gap = |(why, names): (GapReason, Vec<&str>)| NotCollected {
            what: GapSubject::FilesOfNodes { nodes: NodeNames::new(names) },
            why,
        };
        by_reason.into_iter().map(gap).collect()
    }

    fn why_missing(&self, node: &NodeFacts) -> GapReason {
        match (node.ready, self.taint(&node.name)) {
            (Some(false), _) => GapReason::NodeNotReady,
            (_, Some(taint)) => GapReason::NodeTainted { taint },
            _ => GapReason::NoArchive,
        }
    }

    /// Returns a taint that keeps Pods off the node: `key=value:NoSchedule`.
    fn taint(&self, node: &str) -> Option<String> {
        let taints = self.one("nodes", None, node)?.path(&["spec", "taints"])?;
        let keeps = |effect: &str| matches!(effect, "NoSchedule" | "NoExecute");
        taints.items().find_map(|taint| {
            let effect = scalar_at(taint, &["effect"]).filter(|effect| keeps(effect))?;
            let value = scalar_at(taint, &["value"]).map(|value| format!("={value}")).unwrap_or_default();
            Some(format!("{}{value}:{effect}", scalar_at(taint, &["key"])?))
        })
    }
}

/// Returns a cell of the table from which an object was read.
fn cell<'a>(object: &'a Resource, column: &str) -> Option<&'a str> {
    scalar_at(object.cells()?, &[column])
}

/// Returns the condition Ready. Kubernetes writes Unknown if the node does not respond. In a table it is the first word of
/// STATUS (`Ready,SchedulingDisabled`).
fn ready(node: &Resource) -> Option<bool> {
    if let Some(status) = cell(node, "STATUS") {
        return match status.split(',').next() {
            Some("Ready") => Some(true),
            Some("NotReady") => Some(false),
            _ => None,
        };
    }
    let conditions = node.body().path(&["status", "conditions"])?;
    let found = conditions.items().find(|c| scalar_at(*c, &["type"]) == Some("Ready"))?;
    scalar_at(found, &["status"]).map(|status| status.eq_ignore_ascii_case("true"))
}

fn roles(node: &Resource) -> Vec<String> {
    if let Some(roles) = cell(node, "ROLES").filter(|roles| *roles != "<none>") {
        return roles.split(',').map(str::to_owned).collect();
    }
    let labels = node.body().path(&["metadata", "labels"]);
    let all = labels.iter().flat_map(|l| l.entries());
    let roles: BTreeSet<_> = all.filter_map(|(key, _)| key.strip_prefix(ROLE).map(str::to_owned)).collect();
    roles.into_iter().collect()
}
