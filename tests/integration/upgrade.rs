//! Whether a Harvester cluster may be upgraded, and where an upgrade is: the same bundle, healthy, with obstacles, and while a node is drained.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::harness::{analysis, files_below, gleaner_in, sample, summary, zip};

const NODES: &str = "yamls/cluster/v1/nodes.yaml";
const VOLUMES: &str = "yamls/namespaced/longhorn-system/longhorn.io/v1beta2/volumes.yaml";
const DEFINITIONS: &str = "yamls/cluster/apiextensions.k8s.io/v1/customresourcedefinitions.yaml";
const PODS: &str = "yamls/namespaced/harvester-system/v1/pods.yaml";
const CHARTS: &str = "yamls/namespaced/fleet-local/management.cattle.io/v3/managedcharts.yaml";
const MACHINES: &str = "yamls/namespaced/default/kubevirt.io/v1/virtualmachineinstances.yaml";
const CLASSES: &str = "yamls/cluster/storage.k8s.io/v1/storageclasses.yaml";
const SETTINGS: &str = "yamls/cluster/harvesterhci.io/v1beta1/settings.yaml";
const LONGHORN_SETTINGS: &str = "yamls/namespaced/longhorn-system/longhorn.io/v1beta2/settings.yaml";
const UPGRADES: &str = "yamls/namespaced/harvester-system/harvesterhci.io/v1beta1/upgrades.yaml";

/// What a case does to the files of a bundle.
type Change = dyn Fn(&mut Vec<(String, Vec<u8>)>);

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
  status: {active: 1, startTime: '2025-03-18T07:10:00Z'}
";

/// The pod of that job.
const DRAINER: &str = "hvst-upgrade-x2m4d-pre-drain-hv-node-2-8kxq4";

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

/// The files of a bundle in which each check has an answer: what a usual one lacks are the resources of backups, the disks of the nodes and certificates.
fn ready() -> Vec<(String, Vec<u8>)> {
    let mut files = files_below(&sample("healthy"));
    let served = ["virtualmachinebackups", "schedulevmbackups"].map(|plural| {
        format!(
            "- apiVersion: apiextensions.k8s.io/v1\n  kind: CustomResourceDefinition\n  metadata: {{name: {plural}.harvesterhci.io}}\n  spec:\n    \
             group: harvesterhci.io\n    scope: Namespaced\n    names: {{plural: {plural}, kind: Backup}}\n    versions: [{{name: v1beta1, \
             served: true, storage: true}}]\n"
        )
    });
    planted(&mut files, DEFINITIONS, "items:\n", &format!("items:\n{}", served.concat()));
    for node in ["hv-node-1", "hv-node-2", "hv-node-3"] {
        let disks = "#==[ Command ]======================================#\n# /bin/df -h\nFilesystem      Size  Used Avail Use% Mounted on\n\
                     /dev/nvme0n1p5  147G   40G  100G  29% /usr/local\n\n";
        let path = format!("nodes/{node}/scc/scc_supportconfig_{node}/basic-health-check.txt");
        files.push((path, disks.into()));
    }
    let authority = "Certificate:\n    Data:\n        Validity\n            Not After : Mar  1 09:00:00 2035 GMT\n        Subject: CN = rke2-server-ca\n";
    files.push(("rke2/certs/server/client-ca.crt".to_owned(), authority.into()));
    files
}

/// The files of a bundle whose upgrade waits for a virtual machine that cannot leave the node.
fn stuck() -> Vec<(String, Vec<u8>)> {
    let mut files = draining();
    let pod = format!(
        "- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: {DRAINER}\n    namespace: harvester-system\n    creationTimestamp: '2025-03-18T07:10:00Z'\n    \
         ownerReferences: [{{apiVersion: batch/v1, kind: Job, name: hvst-upgrade-x2m4d-pre-drain-hv-node-2, controller: true, uid: u}}]\n  \
         spec: {{nodeName: hv-node-2, containers: [{{name: apply}}]}}\n  status:\n    phase: Running\n    conditions: [{{type: Ready, status: 'True'}}]\n    \
         containerStatuses: [{{name: apply, ready: true, restartCount: 0, state: {{running: {{startedAt: '2025-03-18T07:10:05Z'}}}}}}]\n"
    );
    planted(&mut files, PODS, "items:\n", &format!("items:\n{pod}"));
    // harvester v1.4.2 package/upgrade/upgrade_node.sh
    let lines = (7 * 60 + 12..9 * 60 + 30).map(|minute| {
        let (hour, minute) = (minute / 60, minute % 60);
        format!(
            "2025-03-18T{hour:02}:{minute:02}:10.123456789Z Waiting for VM live-migration or shutdown...(count: 1)\n"
        )
    });
    let log: String = lines.collect();
    files.push((format!("logs/harvester-system/{DRAINER}/apply.log"), log.into()));
    files
}

fn markdown(folder: &Path) -> String {
    gleaner_in(folder, ["analyze", "bundle.zip", "-o", "ticket.md", "--quiet"]);
    fs::read_to_string(folder.join("ticket.md")).unwrap()
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
    assert_eq!(checks(&found, "open"), ["node-space", "certificates-expired"]);
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
fn a_cluster_is_ready_if_each_check_has_an_answer() {
    let folder = tempfile::tempdir().unwrap();
    let found = analysis(&packed(folder.path(), &ready()), &[]);
    assert_eq!(found["upgrade"]["verdict"], "passed");
    assert_eq!((checks(&found, "failed").len(), checks(&found, "open").len()), (0, 0), "{}", found["upgrade"]);
    assert!(markdown(folder.path()).contains("All checks passed when the bundle was collected"));
}

#[test]
fn an_upgrade_that_is_stuck_says_what_it_waits_for() {
    let folder = tempfile::tempdir().unwrap();
    let found = analysis(&packed(folder.path(), &stuck()), &[]);
    assert_eq!(found["upgrade"]["verdict"], "in progress");
    let story = summary(&found);
    let cause = "harvester-upgrade-pre-draining-vm-not-leaving";
    assert!(story[0].starts_with(&format!("{cause} Upgrade/harvester-system/hvst-upgrade-x2m4d")), "{story:#?}");
    let phase = story.iter().find(|line| line.starts_with("harvester-upgrade-current-phase")).unwrap();
    assert!(phase.ends_with(&format!(" <- {cause}")), "{story:#?}");
    assert_eq!(found["unhealthy"]["objects"].as_array().unwrap().len(), 0, "{}", found["unhealthy"]["objects"]);
    let told = markdown(folder.path());
    let waits = "hv-node-2 Pre-draining since 2025-03-18 07:10 UTC";
    assert!(told.contains("An upgrade is in progress: another one would be refused") && told.contains(waits), "{told}");
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
    let told = markdown(folder.path());
    assert!(told.contains("Not ready for an upgrade: 3 checks fail"), "{told}");
}

#[test]
fn rules_that_were_not_run_answer_nothing() {
    let found = analysis(&sample("healthy"), &["--only", "precheck-node-cordoned"]);
    assert_eq!(found["upgrade"]["verdict"], "open");
    let nodes = found["upgrade"]["checks"].as_array().unwrap().iter().find(|check| check["id"] == "nodes").unwrap();
    assert_eq!(nodes["outcome"], "open");
    assert_eq!(nodes["reasons"][0], "rule precheck-node-not-ready was not run");
    let both = analysis(&sample("healthy"), &["--only", "precheck-node-cordoned,precheck-node-not-ready"]);
    assert!(checks(&both, "passed").contains(&"nodes"), "{}", both["upgrade"]);
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
fn known_issues_are_those_of_the_upgrades_that_may_follow_and_fit() {
    let folder = tempfile::tempdir().unwrap();
    let issues = |files: &[(String, Vec<u8>)]| -> Vec<Value> {
        let found = analysis(&packed(folder.path(), files), &[]);
        found["upgrade"]["known_issues"].as_array().unwrap().clone()
    };
    let named = |issues: &[Value], id: &str| issues.iter().find(|issue| issue["id"] == id).cloned();
    let healthy = files_below(&sample("healthy"));
    let next = issues(&healthy);
    let crds = named(&next, "crds-not-applied").unwrap();
    assert_eq!((&crds["targets"], &crds["because"]), (&json!(["1.5.0"]), &json!([])), "{crds}");
    assert_eq!(crds["depends_on"], json!(["the cluster was installed with 1.2 or older"]));
    assert!(named(&next, "default-storage-class").is_none(), "1.4.2 does not have it");
    assert!(next[0]["depends_on"].as_array().unwrap().is_empty(), "what has a condition comes last");

    let mut older = healthy.clone();
    planted(&mut older, UPGRADES, "previousVersion: v1.4.1", "previousVersion: v1.2.2");
    let first = &issues(&older)[0];
    assert_eq!(first["id"], "crds-not-applied", "what is shown to fit comes first");
    assert_eq!((&first["because"], &first["depends_on"]), (&crds["depends_on"], &json!([])));

    let during = issues(&draining());
    assert!(!during.is_empty() && during.iter().all(|issue| issue["targets"] == json!(["1.4.3"])), "{during:?}");
}

#[test]
fn conditions_of_known_issues_are_answered_by_objects() {
    let folder = tempfile::tempdir().unwrap();
    let fits = |version: &str, id: &str, change: &Change| {
        let mut files = files_below(&sample("healthy"));
        planted(&mut files, SETTINGS, "value: v1.4.2", &format!("value: {version}"));
        change(&mut files);
        let found = analysis(&packed(folder.path(), &files), &[]);
        let issues = found["upgrade"]["known_issues"].as_array().unwrap();
        issues.iter().find(|issue| issue["id"] == id).map(|issue| issue["because"].as_array().unwrap().len())
    };
    let setting = |name: &str, kind: &str, value: &str| {
        format!(
            "- apiVersion: {kind}\n  kind: Setting\n  metadata: {{name: {name}, namespace: longhorn-system}}\n  value: {value}\n"
        )
    };
    let with = |entry: &'static str, item: String| {
        move |files: &mut Vec<(String, Vec<u8>)>| planted(files, entry, "items:\n", &format!("items:\n{item}"))
    };
    let untouched = |_: &mut Vec<(String, Vec<u8>)>| {};
    let cases: [(&str, &str, &Change); 8] = [
        ("v1.3.1", "two-node-rke2-agent", &|files| planted(files, NODES, "  kind: Node\n", "  kind: Other\n")),
        ("v1.3.2", "container-disks", &|files| {
            planted(files, MACHINES, "    volumes:\n", "    volumes:\n    - {name: cd, containerDisk: {image: a}}\n");
        }),
        ("v1.4.0", "default-storage-class", &|files| {
            planted(files, CLASSES, "name: harvester-longhorn\n", "name: other\n")
        }),
        ("v1.4.3", "share-manager-hotfix", &|files| {
            planted(files, VOLUMES, "migratable: true", "migratable: false");
        }),
        ("v1.5.0", "guest-cluster-address", &|files| {
            planted(
                files,
                MACHINES,
                "    labels:\n",
                "    labels:\n      harvesterhci.io/creator: docker-machine-driver-harvester\n",
            );
        }),
        (
            "v1.7.0",
            "rwx-endpoint-none",
            &with(
                LONGHORN_SETTINGS,
                setting("storage-network-for-rwx-volume-enabled", "longhorn.io/v1beta2", "'true'"),
            ),
        ),
        (
            "v1.1.2",
            "fleet-agent-no-ip-san",
            &with(
                SETTINGS,
                setting("ssl-certificates", "harvesterhci.io/v1beta1", "'{\"ca\":\"a\",\"publicCertificate\":\"b\"}'"),
            ),
        ),
        (
            "v1.1.2",
            "monitoring-storage-network",
            &with(SETTINGS, setting("storage-network", "harvesterhci.io/v1beta1", "'{\"vlan\":2}'")),
        ),
    ];
    for (version, id, change) in cases {
        assert_eq!(fits(version, id, change), Some(1), "{id}: the bundle shows it");
        let without = fits(version, id, &untouched);
        let unanswered = ["rwx-endpoint-none", "monitoring-storage-network", "fleet-agent-no-ip-san"].contains(&id);
        assert_eq!(without, unanswered.then_some(0), "{id}: a setting that is not there is no answer");
    }
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
