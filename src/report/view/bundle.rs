//! Facts about the bundle: the head of every report.

use std::borrow::Cow;

use jiff::tz::TimeZone;
use serde::Serialize;

use crate::model::version::Version as Comparable;
use crate::model::{BundleFacts, BundleKind, Collector, NodeFacts, NotCollected};
use crate::report::lexicon::{Lexicon, phrase};
use crate::report::words;

/// Maximum number of nodes listed by name.
const NODES_SHOWN: usize = 500;
/// Products that support asks for first, in that order.
const LEADING: [&str; 5] = ["harvester", "kubernetes", "longhorn", "rancher", "fleet"];
/// Maximum number of things not collected that are listed, how many of them the title names, and characters of each
/// name.
const MISSING_SHOWN: usize = 200;
const MISSING_NAMED: usize = 4;
const MISSING_LENGTH: usize = 60;

/// The facts about a bundle, each ready to print.
#[derive(Serialize)]
pub struct Sheet<'a> {
    /// Last part of the path; the title of a page.
    name: &'a str,
    /// `Harvester support bundle`.
    kind: String,
    collector: Option<String>,
    collected: Option<String>,
    /// What was reported, and the address of the ticket if it is one of the web.
    reported: Option<&'a str>,
    ticket: Option<&'a str>,
    cluster: Option<&'a str>,
    versions: Vec<Version<'a>>,
    /// `2 of 3 ready`; none when no node is known.
    ready: Option<String>,
    /// True if every node is known to be ready.
    all_ready: bool,
    nodes: Vec<Node<'a>>,
    nodes_left_out: usize,
    logs: Option<String>,
    size: String,
    missing: Vec<Missing>,
    /// `namespaces a, b and 6 more; secrets`; none if nothing is known to be not collected.
    missing_title: Option<String>,
    missing_left_out: usize,
}

#[derive(Serialize)]
struct Version<'a> {
    product: String,
    version: Cow<'a, str>,
    /// `end of life since 2023-08-11, as of 2026-08-22`.
    end: Option<String>,
    /// True if its life had ended when the bundle was collected.
    ended: bool,
    /// One of the products that support asks for first.
    leading: bool,
    /// True if it is named in the line that says what cluster this is.
    named: bool,
}

#[derive(Serialize)]
struct Node<'a> {
    name: &'a str,
    /// `ready`, `not ready`, `unknown`.
    state: &'a str,
    roles: String,
    /// Logs of the node that are in the bundle.
    logs: &'a str,
}

#[derive(Serialize)]
struct Missing {
    what: String,
    why: String,
}

impl<'a> Sheet<'a> {
    /// Puts the facts into words.
    pub fn of(facts: &'a BundleFacts, t: Lexicon) -> Self {
        Self {
            name: base_name(&facts.path),
            kind: kind_name(&facts.kind, t),
            collector: facts.collector.as_ref().map(|by| collector(by, t)),
            collected: match facts.assumed_now() {
                Some(_) => Some(t.say(phrase::ASSUMED_TIME).to_owned()),
                None => facts.collected_at.map(words::instant),
            },
            reported: facts.reported.description.as_deref().or(facts.reported.url.as_deref()),
            ticket: facts.reported.url.as_deref().filter(|url| words::is_web_address(url)),
            cluster: facts.cluster_name.as_deref(),
            versions: versions(facts, t),
            ready: nodes_ready(&facts.nodes, t),
            all_ready: facts.nodes.iter().all(|n| n.ready == Some(true)),
            nodes: facts.nodes.iter().take(NODES_SHOWN).map(|node| Node::of(node, t)).collect(),
            nodes_left_out: facts.nodes.len().saturating_sub(NODES_SHOWN),
            logs: logs(facts, t),
            size: t.list([entries(facts.entries, t), words::bytes(facts.bytes)]),
            missing: facts.not_collected.iter().take(MISSING_SHOWN).map(|missing| Missing::of(missing, t)).collect(),
            missing_title: missing_title(&facts.not_collected, t),
            missing_left_out: facts.not_collected.len().saturating_sub(MISSING_SHOWN),
        }
    }

    /// Last part of the path, which says nothing about the machine of whoever analysed it.
    pub fn name(&self) -> &str {
        self.name
    }

    /// `Harvester support bundle`.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// Name and version of the program that made the bundle.
    pub fn collector(&self) -> Option<&str> {
        self.collector.as_deref()
    }

    /// What was reported and where: `The shop does not start (https://example.org/tickets/7)`.
    pub fn reported(&self) -> Option<String> {
        let reported = self.reported?;
        let ticket = self.ticket.filter(|ticket| *ticket != reported);
        Some(ticket.map_or_else(|| reported.to_owned(), |ticket| format!("{reported} ({ticket})")))
    }

    /// Time of collection.
    pub fn collected(&self) -> Option<&str> {
        self.collected.as_deref()
    }

    /// Period that the logs cover.
    pub fn logs(&self) -> Option<&str> {
        self.logs.as_deref()
    }

    /// Number of entries and size.
    pub fn size(&self) -> &str {
        &self.size
    }

    /// `Harvester v1.4.0`, `Kubernetes v1.30.2`, ...: the versions that a ticket begins with.
    pub fn versions(&self) -> impl Iterator<Item = String> {
        self.versions.iter().filter(|v| v.leading).map(|v| format!("{} {}", v.product, v.version))
    }

    /// Summary of what was not collected.
    pub fn missing_title(&self) -> Option<&str> {
        self.missing_title.as_deref()
    }
}

impl<'a> Version<'a> {
    fn of(product: &str, version: &'a str, facts: &BundleFacts, t: Lexicon) -> Self {
        let end = facts.ends_of_life.get(product);
        let collected = facts.collected_at.map(|at| at.to_zoned(TimeZone::UTC).date());
        let ended = end.is_some_and(|end| collected.is_some_and(|day| end.date < day));
        let end = end.map(|end| match ended {
            true => t.fill(phrase::EndOfLifeSince { date: &end.date, as_of: &end.as_of }),
            false => t.fill(phrase::EndOfLifeOn { date: &end.date, as_of: &end.as_of }),
        });
        let leading = LEADING.contains(&product) || matches!(product, "k3s" | "kernel" | "rke2");
        let named = leading && product != "kernel";
        Self { product: product_name(product), version: version_name(product, version, t), end, ended, leading, named }
    }
}

impl<'a> Node<'a> {
    fn of(node: &'a NodeFacts, t: Lexicon) -> Self {
        Self {
            name: &node.name,
            state: match node.ready {
                Some(true) => t.say(phrase::READY),
                Some(false) => t.say(phrase::NOT_READY),
                None => t.say(phrase::UNKNOWN),
            },
            roles: t.list(&node.roles),
            logs: if node.collected { t.say(phrase::COLLECTED) } else { t.say(phrase::NOT_COLLECTED) },
        }
    }
}

impl Missing {
    fn of(missing: &NotCollected, t: Lexicon) -> Self {
        Self { what: t.message(&missing.what), why: t.message(&missing.why) }
    }
}

/// `2 of 3 ready`; unknown ones are not counted as ready. None if nothing tells it of any node, as where only the logs of a host are known.
pub fn nodes_ready(nodes: &[NodeFacts], t: Lexicon) -> Option<String> {
    let ready = nodes.iter().filter(|n| n.ready == Some(true)).count();
    nodes.iter().any(|node| node.ready.is_some()).then(|| t.fill(phrase::ReadyOf { ready: &ready, all: &nodes.len() }))
}

/// Returns the version, marked if it is a development build: such a version does not show which faults are fixed.
pub fn version_name<'a>(product: &str, version: &'a str, t: Lexicon) -> Cow<'a, str> {
    match is_development(product, version) {
        true => Cow::Owned(t.fill(phrase::DevelopmentBuild { version: &version })),
        false => Cow::Borrowed(version),
    }
}

/// `Longhorn 1.12.1, 1.13.1; RKE2 1.30.2`.
pub fn products<'v>(versions: impl Iterator<Item = (&'v str, &'v str)>, t: Lexicon) -> Option<String> {
    let parts: Vec<_> = versions.map(|(product, version)| format!("{} {version}", product_name(product))).collect();
    (!parts.is_empty()).then(|| parts.join(t.say(phrase::SEMICOLON)))
}

/// Returns the product name in its usual spelling.
pub fn product_name(product: &str) -> String {
    match product {
        "cdi" | "os" | "rke" | "rke2" => product.to_uppercase(),
        "k3s" | "containerd" | "etcd" => product.to_owned(),
        "kubevirt" => "KubeVirt".to_owned(),
        other => words::capitalised(other),
    }
}

/// `Harvester support bundle`.
pub fn kind_name(kind: &str, t: Lexicon) -> String {
    BundleKind::named(kind).map_or(kind, |kind| t.term(kind.title())).to_owned()
}

fn collector(collector: &Collector, t: Lexicon) -> String {
    let Some(version) = &collector.version else { return collector.name.clone() };
    format!("{} {}", collector.name, t.message(version))
}

/// Returns the product that the bundle is named after first, then the others in the order of [`LEADING`]. Leaves out an
/// RKE2 or K3s version that equals the Kubernetes version (`v1.30.2+rke2r1`).
fn versions(facts: &BundleFacts, t: Lexicon) -> Vec<Version<'_>> {
    let kubernetes = facts.versions.get("kubernetes");
    let told_twice = |product: &str, version: &String| {
        matches!(product, "rke2" | "k3s") && Some(version) == kubernetes && version.contains(product)
    };
    let mut versions: Vec<_> = facts.versions.iter().filter(|(product, v)| !told_twice(product, v)).collect();
    let place = |product: &str| LEADING.iter().position(|known| *known == product).unwrap_or(LEADING.len());
    versions.sort_by_key(|(product, _)| (**product != facts.kind, place(product), product.as_str()));
    versions.into_iter().map(|(product, version)| Version::of(product, version, facts, t)).collect()
}

/// Returns true for versions such as `ada3f1a-dirty`, `master-head`, `v0.0.0-dev`.
fn is_development(product: &str, version: &str) -> bool {
    let unreleased = version.contains("-dirty") || version.trim_start_matches('v').starts_with("0.0.0");
    !matches!(product, "kernel" | "os") && (unreleased || Comparable::parse(version).is_none())
}

fn logs(facts: &BundleFacts, t: Lexicon) -> Option<String> {
    if facts.assumed_now().is_some() {
        return None;
    }
    match (facts.logs.from, facts.logs.to) {
        (Some(from), Some(to)) => Some(t.span(from, to)),
        (Some(from), None) => Some(t.fill(phrase::FromTime { time: &t.instant(from) })),
        (None, Some(to)) => Some(t.fill(phrase::ToTime { time: &t.instant(to) })),
        (None, None) => None,
    }
}

fn entries(count: u64, t: Lexicon) -> String {
    t.fill(phrase::Entries { n: count })
}

/// `namespaces a, b and 6 more; secrets`.
fn missing_title(missing: &[NotCollected], t: Lexicon) -> Option<String> {
    let named = missing.iter().take(MISSING_NAMED).map(|missing| t.message(&missing.what.shortened(MISSING_LENGTH)));
    let named = named.collect::<Vec<_>>().join(t.say(phrase::SEMICOLON));
    match missing.len().saturating_sub(MISSING_NAMED) {
        _ if missing.is_empty() => None,
        0 => Some(named),
        n => Some(t.fill(phrase::ClausesAndMore { list: &named, n: &n })),
    }
}

/// Returns the part after the last separator, or the whole path if that part is empty, `.` or `..`.
fn base_name(path: &str) -> &str {
    match path.trim_end_matches('/').rsplit('/').next() {
        None | Some("" | "." | "..") => path,
        Some(name) => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::message::{GapReason, GapSubject, Names};

    const T: Lexicon = Lexicon::ENGLISH;

    #[test]
    fn titles_are_the_last_part_of_the_path() {
        assert_eq!(base_name("/a/b.zip"), "b.zip");
        assert_eq!(base_name("b/"), "b");
        assert_eq!(base_name("."), ".");
    }

    #[test]
    fn unknown_readiness_is_not_readiness() {
        let node = |ready| NodeFacts { name: "n".into(), ready, roles: vec![], collected: false };
        assert_eq!(nodes_ready(&[node(Some(true)), node(None)], T).as_deref(), Some("1 of 2 ready"));
        assert_eq!(nodes_ready(&[], T), None);
        assert_eq!(nodes_ready(&[node(None)], T), None);
        let facts = BundleFacts { nodes: vec![node(Some(true)), node(None)], ..BundleFacts::default() };
        assert!(!Sheet::of(&facts, T).all_ready);
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
        let shown: Vec<_> = Sheet::of(&facts, T).versions().collect();
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
        let missing = |what: GapSubject| NotCollected { what, why: GapReason::LeftOut };
        let names = Names::all((0..30).map(|n| format!("team-{n:02}")));
        let title =
            missing_title(&[missing(GapSubject::Namespaces { names }), missing(GapSubject::Secrets)], T).unwrap();
        assert!(title.starts_with("namespaces team-00, team-01"), "{title}");
        assert!(title.ends_with(" more; secrets") && title.len() < 100, "{title}");
        assert!(missing_title(&[(); 9].map(|()| missing(GapSubject::Secrets)), T).unwrap().ends_with("; and 5 more"));
        assert_eq!(missing_title(&[], T), None);
    }
}
