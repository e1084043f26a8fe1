//! What the bundle is: the head of every report.

use std::borrow::Cow;

use serde::Serialize;

use crate::model::version::Version as Comparable;
use crate::model::{BundleFacts, Collector, NodeFacts, NotCollected};
use crate::report::words;

/// Most nodes listed by name.
const NODES_SHOWN: usize = 500;
/// Products by how often one asks for their version.
const LEADING: [&str; 5] = ["harvester", "kubernetes", "longhorn", "rancher", "fleet"];
/// Most missing things listed, and how many of them are named at once, about so many characters each.
const MISSING_SHOWN: usize = 200;
const MISSING_NAMED: usize = 4;
const MISSING_LENGTH: usize = 60;

/// The facts about a bundle, each ready to print.
#[derive(Serialize)]
pub struct Sheet<'a> {
    /// Last part of the path, the title of a page.
    name: &'a str,
    /// `Harvester support bundle`.
    kind: String,
    collector: Option<String>,
    collected: Option<String>,
    cluster: Option<&'a str>,
    versions: Vec<Version<'a>>,
    /// `2 of 3 ready`; none when no node is known.
    ready: Option<String>,
    /// Whether every node is known to be ready.
    all_ready: bool,
    nodes: Vec<Node<'a>>,
    nodes_left_out: usize,
    logs: Option<String>,
    size: String,
    missing: Vec<Missing<'a>>,
    /// `Not collected: secrets`; none when nothing is known to be missing.
    missing_title: Option<String>,
    missing_left_out: usize,
}

#[derive(Serialize)]
struct Version<'a> {
    product: String,
    version: Cow<'a, str>,
    /// One of the products that support asks for first.
    leading: bool,
}

#[derive(Serialize)]
struct Node<'a> {
    name: &'a str,
    /// `ready`, `not ready`, `unknown`.
    state: &'static str,
    roles: String,
    /// What of the node itself is in the bundle.
    logs: &'static str,
}

#[derive(Serialize)]
struct Missing<'a> {
    what: &'a str,
    why: &'a str,
}

impl<'a> Sheet<'a> {
    /// The facts in words.
    pub fn of(facts: &'a BundleFacts) -> Self {
        Self {
            name: base_name(&facts.path),
            kind: kind_name(&facts.kind),
            collector: facts.collector.as_ref().map(collector),
            collected: facts.collected_at.as_deref().map(words::instant),
            cluster: facts.cluster_name.as_deref(),
            versions: versions(facts),
            ready: nodes_ready(&facts.nodes),
            all_ready: facts.nodes.iter().all(|n| n.ready == Some(true)),
            nodes: facts.nodes.iter().take(NODES_SHOWN).map(Node::of).collect(),
            nodes_left_out: facts.nodes.len().saturating_sub(NODES_SHOWN),
            logs: logs(facts),
            size: format!("{}, {}", entries(facts.entries), words::bytes(facts.bytes)),
            missing: facts.not_collected.iter().take(MISSING_SHOWN).map(Missing::of).collect(),
            missing_title: missing_title(&facts.not_collected),
            missing_left_out: facts.not_collected.len().saturating_sub(MISSING_SHOWN),
        }
    }

    /// `Harvester support bundle`.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// Program and version that made the bundle.
    pub fn collector(&self) -> Option<&str> {
        self.collector.as_deref()
    }

    /// When it was collected.
    pub fn collected(&self) -> Option<&str> {
        self.collected.as_deref()
    }

    /// The time that logs cover.
    pub fn logs(&self) -> Option<&str> {
        self.logs.as_deref()
    }

    /// Number of entries and size.
    pub fn size(&self) -> &str {
        &self.size
    }

    /// `Harvester v1.4.0`, `Kubernetes v1.30.2`, ...: those that a ticket begins with.
    pub fn versions(&self) -> impl Iterator<Item = String> {
        self.versions.iter().filter(|v| v.leading).map(|v| format!("{} {}", v.product, v.version))
    }

    /// What is missing, in a few words.
    pub fn missing_title(&self) -> Option<&str> {
        self.missing_title.as_deref()
    }
}

impl<'a> Version<'a> {
    fn of(product: &str, version: &'a str) -> Self {
        let leading = LEADING.contains(&product) || matches!(product, "k3s" | "kernel" | "rke2");
        Self { product: product_name(product), version: version_name(product, version), leading }
    }
}

impl<'a> Node<'a> {
    fn of(node: &'a NodeFacts) -> Self {
        Self {
            name: &node.name,
            state: match node.ready {
                Some(true) => "ready",
                Some(false) => "not ready",
                None => "unknown",
            },
            roles: node.roles.join(", "),
            logs: if node.collected { "collected" } else { "not collected" },
        }
    }
}

impl<'a> Missing<'a> {
    fn of(missing: &'a NotCollected) -> Self {
        Self { what: &missing.what, why: &missing.why }
    }
}

/// `2 of 3 ready`; unknown ones are not counted as ready.
pub fn nodes_ready(nodes: &[NodeFacts]) -> Option<String> {
    let ready = nodes.iter().filter(|n| n.ready == Some(true)).count();
    (!nodes.is_empty()).then(|| format!("{ready} of {} ready", nodes.len()))
}

/// A version, with a word about builds that were never released: it says nothing about faults and fixes.
pub fn version_name<'a>(product: &str, version: &'a str) -> Cow<'a, str> {
    match is_development(product, version) {
        true => Cow::Owned(format!("{version} (development build)")),
        false => Cow::Borrowed(version),
    }
}

/// A product as people write it.
pub fn product_name(product: &str) -> String {
    match product {
        "cdi" | "os" | "rke" | "rke2" => product.to_uppercase(),
        "k3s" | "containerd" | "etcd" => product.to_owned(),
        "kubevirt" => "KubeVirt".to_owned(),
        other => words::capitalised(other),
    }
}

fn kind_name(kind: &str) -> String {
    match kind {
        "harvester" | "longhorn" => format!("{} support bundle", words::capitalised(kind)),
        "rancher" => "Rancher logs".to_owned(),
        "troubleshoot" => "Troubleshoot support bundle".to_owned(),
        "cluster-info" => "kubectl cluster-info dump".to_owned(),
        "node" => "Node logs".to_owned(),
        "generic" => "Files of unknown origin".to_owned(),
        other => other.to_owned(),
    }
}

fn collector(collector: &Collector) -> String {
    match &collector.version {
        Some(version) => format!("{} {version}", collector.name),
        None => collector.name.clone(),
    }
}

/// The product the bundle is named after first, then by how often one asks for them. A distribution that is called like
/// the Kubernetes it brings (`v1.30.2+rke2r1`) is told by that.
fn versions(facts: &BundleFacts) -> Vec<Version<'_>> {
    let kubernetes = facts.versions.get("kubernetes");
    let told_twice = |product: &str, version: &String| {
        matches!(product, "rke2" | "k3s") && Some(version) == kubernetes && version.contains(product)
    };
    let mut versions: Vec<_> = facts.versions.iter().filter(|(product, v)| !told_twice(product, v)).collect();
    let place = |product: &str| LEADING.iter().position(|known| *known == product).unwrap_or(LEADING.len());
    versions.sort_by_key(|(product, _)| (**product != facts.kind, place(product), product.as_str()));
    versions.into_iter().map(|(product, version)| Version::of(product, version)).collect()
}

/// Names such as `ada3f1a-dirty`, `master-head`, `v0.0.0-dev`.
fn is_development(product: &str, version: &str) -> bool {
    let unreleased = version.contains("-dirty") || version.trim_start_matches('v').starts_with("0.0.0");
    !matches!(product, "kernel" | "os") && (unreleased || Comparable::parse(version).is_none())
}

fn logs(facts: &BundleFacts) -> Option<String> {
    match (&facts.logs.from, &facts.logs.to) {
        (Some(from), Some(to)) => Some(words::span(from, to)),
        (Some(from), None) => Some(format!("from {}", words::instant(from))),
        (None, Some(to)) => Some(format!("to {}", words::instant(to))),
        (None, None) => None,
    }
}

fn entries(count: u64) -> String {
    match count {
        1 => "1 entry".to_owned(),
        n => format!("{} entries", words::number(n)),
    }
}

/// `Not collected: namespaces a, b and 6 more; secrets`.
fn missing_title(missing: &[NotCollected]) -> Option<String> {
    let named: Vec<_> =
        missing.iter().take(MISSING_NAMED).map(|m| words::short_list(&m.what, MISSING_LENGTH)).collect();
    let more = match missing.len().saturating_sub(MISSING_NAMED) {
        0 => String::new(),
        n => format!("; and {} more", words::number(n as u64)),
    };
    (!missing.is_empty()).then(|| format!("Not collected: {}{more}", named.join("; ")))
}

/// The part after the last separator; the whole path when that is empty or says nothing.
fn base_name(path: &str) -> &str {
    match path.trim_end_matches('/').rsplit('/').next() {
        None | Some("" | "." | "..") => path,
        Some(name) => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_the_last_part_of_the_path() {
        assert_eq!(base_name("/a/b.zip"), "b.zip");
        assert_eq!(base_name("b/"), "b");
        assert_eq!(base_name("."), ".");
    }

    #[test]
    fn unknown_readiness_is_not_readiness() {
        let node = |ready| NodeFacts { name: "n".into(), ready, roles: vec![], collected: false };
        assert_eq!(nodes_ready(&[node(Some(true)), node(None)]).as_deref(), Some("1 of 2 ready"));
        assert_eq!(nodes_ready(&[]), None);
        let facts = BundleFacts { nodes: vec![node(Some(true)), node(None)], ..BundleFacts::default() };
        assert!(!Sheet::of(&facts).all_ready);
    }

    #[test]
    fn the_product_of_the_bundle_comes_first() {
        let mut facts = BundleFacts { kind: "harvester".into(), ..BundleFacts::default() };
        for (product, version) in [
            ("fleet", "v0.10.4"),
            ("harvester", "ada3f1a-dirty"),
            ("kernel", "default-5.3"),
            ("kubernetes", "v1.29.9+rke2r1"),
            ("rke2", "v1.29.9+rke2r1"),
        ] {
            facts.versions.insert(product.into(), version.into());
        }
        let shown: Vec<_> = Sheet::of(&facts).versions().collect();
        assert_eq!(
            shown,
            [
                "Harvester ada3f1a-dirty (development build)",
                "Kubernetes v1.29.9+rke2r1",
                "Fleet v0.10.4",
                "Kernel default-5.3"
            ]
        );
    }

    #[test]
    fn long_lists_of_missing_things_are_cut() {
        let missing = |what: &str| NotCollected { what: what.into(), why: "left out".into() };
        let many: Vec<String> = (0..30).map(|n| format!("team-{n:02}")).collect();
        let title = missing_title(&[missing(&format!("namespaces {}", many.join(", "))), missing("secrets")]).unwrap();
        assert!(title.starts_with("Not collected: namespaces team-00, team-01"), "{title}");
        assert!(title.ends_with(" more; secrets") && title.len() < 100, "{title}");
        assert!(missing_title(&[(); 9].map(|()| missing("a"))).unwrap().ends_with("; and 5 more"));
        assert_eq!(missing_title(&[]), None);
    }
}
