//! Range of support-bundle-kit versions that can have written a tree, from entries that only some versions write.

use std::collections::BTreeSet;

use crate::bundle::collectors::bundle_name::BundleName;
use crate::model::Collector;
use crate::model::message::{CollectorVersion, KitSign, KitSigns, VersionSign};

/// Maximum size of an empty list, and minimum number of empty lists from a kit that writes them.
const EMPTY_LIST: u64 = 100;
const MANY_EMPTY: usize = 8;

/// Last number of `0.0.N`.
type Release = u16;

/// Entry that shows the version, with the first and the last version that writes it.
type Sign = (KitSign, Option<Release>, Option<Release>);

/// Version signs found in entry names, each at most once.
#[derive(Default)]
struct Signs {
    seen: BTreeSet<Sign>,
    empty_lists: usize,
    /// True if there are cluster-wide objects of Harvester, including its settings.
    harvester: bool,
    settings: bool,
}

/// Adds the versions to the known collector. `entries` are all paths without archive layers, with sizes.
pub(super) fn note(
    collector: &mut Collector,
    entries: &mut dyn Iterator<Item = (&str, u64)>,
    name: Option<&BundleName>,
) {
    let mut signs = Signs::default();
    entries.for_each(|(path, size)| signs.look(path, size));
    let signs = signs.all(name);
    let from = signs.iter().filter_map(|sign| sign.1).max();
    let to = signs.iter().filter_map(|sign| sign.2).min();
    let Some(range) = range(from, to) else { return };
    // Only signs that set the limits of the range are reported.
    let borders = signs.iter().filter(|sign| sign.1.is_some() && sign.1 == from || sign.2.is_some() && sign.2 == to);
    let signs = KitSigns(borders.map(|sign| sign.0.clone()).collect());
    collector.version = Some(range);
    collector.why = collector.why.clone().with_version(VersionSign::Kit { signs });
}

fn range(from: Option<Release>, to: Option<Release>) -> Option<CollectorVersion> {
    use CollectorVersion::{Before, Between, Exactly, OrEarlier, OrLater};
    let name = |release: Release| format!("0.0.{release}");
    Some(match (from, to) {
        (Some(from), Some(to)) if from == to => Exactly { version: name(from) },
        // Files of several bundles were put together.
        (Some(from), Some(to)) if from > to => return None,
        (Some(from), Some(to)) => Between { oldest: name(from), newest: name(to) },
        (Some(from), None) => OrLater { version: name(from) },
        (None, Some(0)) => Before { version: name(1) },
        (None, Some(to)) => OrEarlier { version: name(to) },
        (None, None) => return None,
    })
}

impl Signs {
    fn look(&mut self, path: &str, size: u64) {
        let segments: Vec<&str> = path.split('/').collect();
        let sign = match segments.as_slice() {
            ["yamls", ..] => self.dump(&segments, size),
            ["nodes", node, rest @ ..] => on_node(node, rest),
            ["logs", _, _, file] if file.ends_with(".log.1") => sign(KitSign::PreviousLogs, 26, None),
            ["prometheus-alerts.json"] => entry("prometheus-alerts.json", 40, None),
            ["external", ..] => entry("external/", None, 0),
            _ => None,
        };
        self.seen.extend(sign);
    }

    fn dump(&mut self, segments: &[&str], size: u64) -> Option<Sign> {
        self.empty_lists += usize::from(size <= EMPTY_LIST);
        let below = match segments {
            ["yamls", "cluster", below @ ..] | ["yamls", "namespaced", _, below @ ..] => below,
            ["yamls", "kubernetes" | "harvester", ..] => return entry("yamls/{kubernetes,harvester}/", None, 0),
            _ => return None,
        };
        match below {
            ["harvesterhci.io", _, file] => {
                self.harvester = true;
                if *file == "settings.yaml" {
                    self.settings = true;
                    return sign(KitSign::Settings, 26, None);
                }
                entry("yamls/**/<group>/<version>/", 3, None)
            }
            ["kubernetes" | "harvester" | "kubevirt" | "cdi", _] => entry("yamls/**/{kubernetes,harvester}/", None, 0),
            [_] => entry("yamls/**/<resource>.yaml", 1, 2),
            [_, _, _] => entry("yamls/**/<group>/<version>/", 3, None),
            _ => None,
        }
    }

    fn all(self, name: Option<&BundleName>) -> BTreeSet<Sign> {
        let mut signs = self.seen;
        let old = signs.iter().any(|sign| sign.2.is_some_and(|last| last < 3));
        if self.empty_lists >= MANY_EMPTY && !old {
            signs.extend(sign(KitSign::EmptyLists, 3, 28));
        }
        if self.harvester && !self.settings {
            signs.extend(sign(KitSign::NoSettings, None, 25));
        }
        if name.is_some_and(BundleName::is_custom) {
            signs.extend(sign(KitSign::ChosenName, 82, None));
        }
        signs
    }
}

fn on_node(node: &str, rest: &[&str]) -> Option<Sign> {
    // An archive that is not named after its node holds a folder that is.
    let (node, rest) = match rest {
        [inner, rest @ ..]
            if matches!(rest.first(), Some(&("logs" | "configs" | "hostinfos" | "scc" | "hostname"))) =>
        {
            (*inner, rest)
        }
        _ => (node, rest),
    };
    match rest {
        ["hostname"] => entry("<node>/hostname", None, 4),
        ["scc", file, ..] if has_suffix(file, node) => sign(KitSign::RandomNames, 65, None),
        ["scc", ..] => entry("scc/", 39, None),
        ["logs", file] if file.starts_with("scc_") => entry("logs/scc_supportconfig", 26, 38),
        ["logs", file] => of_log(file),
        ["hostinfos", "proc_mounts" | "multipath.conf"] => entry("hostinfos/proc_mounts", 53, None),
        ["hostinfos", "processes_info"] => entry("hostinfos/processes_info", 65, None),
        ["hostinfos", ..] => entry("hostinfos/", 20, None),
        _ => None,
    }
}

fn of_log(file: &str) -> Option<Sign> {
    match file {
        "kernel.log.1" => entry("kernel.log.1", 11, None),
        "kubelet.log" => entry("kubelet.log", 8, None),
        "containerd.log" => entry("containerd.log", 30, None),
        "containerd-images.log" => entry("containerd-images.log", 34, None),
        "wicked.log" => entry("wicked.log", None, 71),
        "NetworkManager.log" => entry("NetworkManager.log", 74, None),
        "k3s-agent-service.log" => entry("k3s-agent-service.log", 31, None),
        "syslog.log" => entry("syslog.log", 20, 26),
        _ => None,
    }
}

fn entry(path: &'static str, from: impl Into<Option<Release>>, to: impl Into<Option<Release>>) -> Option<Sign> {
    sign(KitSign::Entry { path }, from, to)
}

fn sign(sign: KitSign, from: impl Into<Option<Release>>, to: impl Into<Option<Release>>) -> Option<Sign> {
    Some((sign, from.into(), to.into()))
}

/// Returns true if the node name is followed by six random characters: `scc_supportconfig_n1-a1b2c3.txz`.
fn has_suffix(name: &str, node: &str) -> bool {
    let behind = name.strip_prefix("scc_supportconfig_").and_then(|rest| rest.strip_prefix(node)?.strip_prefix('-'));
    let suffix = behind.and_then(|rest| rest.split('.').next());
    suffix.is_some_and(|text| text.len() == 6 && text.bytes().all(|b| b.is_ascii_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::message::{CollectorSigns, Names};

    fn told(paths: &[&str], name: &str) -> (Option<String>, String) {
        let why = CollectorSigns::Entries { entries: Names::all(["x"]) };
        let mut collector = Collector { name: "k".into(), version: None, why };
        let name = BundleName::parse(name);
        note(&mut collector, &mut paths.iter().map(|path| (*path, 1000)), name.as_ref());
        (collector.version.map(|version| version.to_string()), collector.why.to_string())
    }

    fn version(paths: &[&str]) -> String {
        told(paths, "").0.unwrap_or_default()
    }

    #[test]
    fn entries_that_are_present_bound_the_version() {
        let old = ["nodes/n1/logs/kernel.log", "nodes/n1/logs/wicked.log", "nodes/n1/scc/scc_supportconfig_n1/a.txt"];
        let expected = (Some("0.0.39 to 0.0.71".to_owned()), "has x; version by scc/, wicked.log".to_owned());
        assert_eq!(told(&old, ""), expected);
        assert_eq!(version(&["nodes/n1/n1/logs/NetworkManager.log"]), "0.0.74 or later");
        assert_eq!(version(&["nodes/n1/scc/scc_supportconfig_n1-a1b2c3.txz"]), "0.0.65 or later");
        assert_eq!(version(&["nodes/n1/logs/wicked.log", "nodes/n1/logs/NetworkManager.log"]), "", "two bundles");
        assert_eq!(version(&["metadata.yaml"]), "");
    }

    #[test]
    fn settings_of_harvester_bound_the_version_even_if_absent() {
        let dump = |plural: &str| format!("yamls/cluster/harvesterhci.io/v1beta1/{plural}.yaml");
        assert_eq!(version(&[&dump("addons")]), "0.0.3 to 0.0.25");
        assert_eq!(version(&[&dump("addons"), &dump("settings")]), "0.0.26 or later");
    }

    #[test]
    fn the_oldest_trees() {
        assert_eq!(version(&["yamls/kubernetes/nodes.yaml"]), "before 0.0.1");
        assert_eq!(version(&["yamls/cluster/kubernetes/nodes.yaml", "nodes/n1/hostname"]), "before 0.0.1");
        assert_eq!(version(&["yamls/cluster/settings.yaml", "yamls/namespaced/a/pods.yaml"]), "0.0.1 to 0.0.2");
    }

    #[test]
    fn names_chosen_by_users() {
        let name = "supportbundle_my-cluster_2026-05-01T10-00-00Z.zip";
        assert_eq!(told(&[], name).0.as_deref(), Some("0.0.82 or later"));
    }
}
