//! Whether a Harvester cluster may be upgraded, and where an upgrade is: the same bundle, healthy, with obstacles, and while a node is drained.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::harness::{analysis, files_below, gleaner_in, sample, zip};

const NODES: &str = "yamls/cluster/v1/nodes.yaml";
const VOLUMES: &str = "yamls/namespaced/longhorn-system/longhorn.io/v1beta2/volumes.yaml";
const CHARTS: &str = "yamls/namespaced/fleet-local/management.cattle.io/v3/managedcharts.yaml";
const UPGRADES: &str = "yamls/namespaced/harvester-system/harvesterhci.io/v1beta1/upgrades.yaml";

/// An upgrade that drains its second node, and the job that began it.
const DRAINING: &str = "\
apiVersion: v1
kind: List
items:
- apiVersion: harvesterhci.io/v1beta1
  kind: Upgrade
  metadata:
    name: hvst-upgrade-x2m4d
    namespace: harvester-system
    creationTimestamp: '2025-03-18T06:00:00Z'
    labels: {harvesterhci.io/latestUpgrade: 'true', harvesterhci.io/upgradeState: UpgradingNodes}
  spec: {version: v1.4.3}
  status:
    previousVersion: v1.4.2
    conditions:
    - {type: Completed, status: Unknown}
    - {type: ImageReady, status: 'True'}
    - {type: NodesUpgraded, status: Unknown, lastUpdateTime: '2025-03-18T06:40:00Z'}
    nodeStatuses:
      hv-node-1: {state: Succeeded}
      hv-node-2: {state: Pre-draining}
      hv-node-3: {state: Images preloaded}
";
const JOBS: &str = "\
apiVersion: v1
kind: List
items:
- apiVersion: batch/v1
  kind: Job
  metadata:
    name: hvst-upgrade-x2m4d-pre-drain-hv-node-2
    namespace: harvester-system
    creationTimestamp: '2025-03-18T07:10:00Z'
    labels: {harvesterhci.io/upgrade: hvst-upgrade-x2m4d, harvesterhci.io/node: hv-node-2, harvesterhci.io/upgradeJobType: pre-drain}
  spec: {}
  status: {active: 1}
";

/// Replaces the first occurrence of a text in an entry.
fn planted(files: &mut [(String, Vec<u8>)], entry: &str, old: &str, new: &str) {
    let (_, content) = files.iter_mut().find(|(path, _)| path == entry).unwrap();
    let text = String::from_utf8(std::mem::take(content)).unwrap();
    assert!(text.contains(old), "{entry}: {old}");
    *content = text.replacen(old, new, 1).into_bytes();
}

/// Writes the files as a bundle into a folder.
pub fn packed(folder: &Path, files: &[(String, Vec<u8>)]) -> std::path::PathBuf {
    let path = folder.join("bundle.zip");
    zip(&path, "bundle", files);
    path
}

fn blocked() -> Vec<(String, Vec<u8>)> {
    let mut files = files_below(&sample("healthy"));
    planted(&mut files, NODES, "  spec:\n    podCIDR", "  spec:\n    unschedulable: true\n    podCIDR");
    planted(&mut files, VOLUMES, "numberOfReplicas: 3", "numberOfReplicas: 1");
    planted(&mut files, CHARTS, "status: \"True\"\n      type: Ready", "status: \"False\"\n      type: Ready");
    files
}

/// The files of a bundle that was collected while an upgrade drained the second node.
pub fn draining() -> Vec<(String, Vec<u8>)> {
    let mut files = files_below(&sample("healthy"));
    files.retain(|(path, _)| path != UPGRADES);
    files.push((UPGRADES.to_owned(), DRAINING.into()));
    files.push(("yamls/namespaced/harvester-system/batch/v1/jobs.yaml".to_owned(), JOBS.into()));
    files
}

fn checks<'a>(found: &'a Value, outcome: &str) -> Vec<&'a str> {
    let checks = found["upgrade"]["checks"].as_array().unwrap().iter();
    checks.filter(|check| check["outcome"] == outcome).map(|check| check["id"].as_str().unwrap()).collect()
}

#[test]
fn what_has_no_answer_is_open_and_nothing_is_called_ready() {
    let found = analysis(&sample("healthy"), &[]);
    let upgrade = &found["upgrade"];
    assert_eq!((upgrade["verdict"].as_str(), upgrade["version"].as_str()), (Some("open"), Some("v1.4.2")));
    assert_eq!(checks(&found, "failed"), Vec::<&str>::new());
    assert_eq!(checks(&found, "open"), ["node-space", "vm-backups", "vm-schedules", "certificates-expired"]);
    assert!(checks(&found, "passed").len() >= 19, "{upgrade}");
    let targets: Vec<_> =
        upgrade["targets"].as_array().unwrap().iter().map(|to| to["version"].as_str().unwrap()).collect();
    assert_eq!(targets, ["1.4.3", "1.5.0", "1.5.1", "1.5.2"]);
    for later in ["add-ons", "certificates", "hotplug", "machines-match"] {
        let check = upgrade["checks"].as_array().unwrap().iter().find(|check| check["id"] == later);
        assert!(check.is_none_or(|check| check["webhook"] == false), "1.4.2 does not make {later}");
    }
}

#[test]
fn each_obstacle_fails_its_check_and_has_its_finding() {
    let folder = tempfile::tempdir().unwrap();
    let bundle = packed(folder.path(), &blocked());
    let found = analysis(&bundle, &[]);
    assert_eq!(found["upgrade"]["verdict"], "blocked");
    assert_eq!(checks(&found, "failed"), ["single-replica", "nodes", "managed-charts"]);
    let known: Vec<&Value> = found["findings"].as_array().unwrap().iter().map(|of| &of["fingerprint"]).collect();
    for check in found["upgrade"]["checks"].as_array().unwrap().iter().filter(|check| check["outcome"] == "failed") {
        let findings = check["findings"].as_array().unwrap();
        assert!(!findings.is_empty() && findings.iter().all(|finding| known.contains(&finding)), "{check}");
    }
    gleaner_in(folder.path(), ["analyze", "bundle.zip", "-o", "ticket.md", "--quiet"]);
    let told = fs::read_to_string(folder.path().join("ticket.md")).unwrap();
    assert!(told.contains("Not ready for an upgrade: 3 checks fail"), "{told}");
}

#[test]
fn rules_that_were_not_run_answer_nothing() {
    let found = analysis(&sample("healthy"), &["--only", "precheck-node-cordoned"]);
    assert_eq!(found["upgrade"]["verdict"], "open");
    let nodes = found["upgrade"]["checks"].as_array().unwrap().iter().find(|check| check["id"] == "nodes").unwrap();
    assert_eq!(nodes["outcome"], "open");
    assert_eq!(nodes["reasons"][0], "rule precheck-node-not-ready was not run");
    assert!(analysis(&sample("healthy"), &["--no-default-rules"])["upgrade"].is_null(), "nothing was looked at");
}

#[test]
fn an_upgrade_in_progress_says_where_it_waits_since_when() {
    let folder = tempfile::tempdir().unwrap();
    let found = analysis(&packed(folder.path(), &draining()), &[]);
    let upgrade = &found["upgrade"];
    assert_eq!(upgrade["verdict"], "in progress");
    let running = &upgrade["unfinished"][0];
    let phases: Vec<_> = running["waits_for"].as_array().unwrap().iter().map(|of| &of["condition"]).collect();
    assert_eq!(phases, ["Completed", "NodesUpgraded"]);
    assert_eq!(running["waits_for"][1]["since"], "2025-03-18T06:40:00Z");
    let node = running["nodes"].as_array().unwrap().iter().find(|node| node["node"] == "hv-node-2").unwrap();
    assert_eq!((&node["state"], &node["since"]), (&"Pre-draining".into(), &"2025-03-18T07:10:00Z".into()));
    assert!(node["means"].as_str().unwrap().contains("Virtual machines leave the node"), "{node}");
}

#[test]
fn names_in_what_is_said_of_an_upgrade_are_redacted() {
    let folder = tempfile::tempdir().unwrap();
    let found = analysis(&packed(folder.path(), &draining()), &["--redact"]);
    assert!(!found["upgrade"].to_string().contains("hv-node-2"), "{}", found["upgrade"]);
    let known: Vec<&Value> = found["findings"].as_array().unwrap().iter().map(|of| &of["fingerprint"]).collect();
    let checks = found["upgrade"]["checks"].as_array().unwrap().iter();
    let linked: Vec<&Value> = checks.flat_map(|check| check["findings"].as_array().unwrap()).collect();
    assert!(linked.iter().all(|finding| known.contains(finding)), "{linked:?}");
}

#[test]
fn other_clusters_have_no_such_section() {
    let folder = tempfile::tempdir().unwrap();
    let pods = b"kind: List\napiVersion: v1\nitems: []\n".to_vec();
    let files = [("cluster-resources/pods/default.yaml".to_owned(), pods)];
    assert!(analysis(&packed(folder.path(), &files), &[])["upgrade"].is_null());
}
