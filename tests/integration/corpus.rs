//! Known facts about real bundles, established manually; skipped if the bundles are not available.

use serde_json::Value;

use crate::harness::{analysis, corpus, summary};

const HARVESTER: &str = "harvester-v1.0-single-node.zip";

fn harvester() -> Option<Value> {
    corpus(HARVESTER).map(|bundle| analysis(&bundle, &[]))
}

#[test]
fn the_harvester_bundle_is_what_it_is() {
    let Some(found) = harvester() else { return };
    let bundle = &found["bundle"];
    assert_eq!(bundle["kind"], "harvester");
    assert_eq!(bundle["versions"]["kubernetes"], "v1.21.7+rke2r1");
    assert_eq!(bundle["collected_at"], "2022-03-22T23:49:32Z");
    assert_eq!(bundle["nodes"][0]["name"], "node1");
    assert_eq!(bundle["nodes"][0]["ready"], true);
    assert_eq!(bundle["nodes"][0]["collected"], true);
    assert_eq!(found["issues"].as_array().unwrap().len(), 0, "every dump is read: {}", found["issues"]);
}

#[test]
fn every_dump_of_the_harvester_bundle_is_read() {
    use gleaner::internals::bundle::{Bundle, Limits, Role};
    let Some(path) = corpus(HARVESTER) else { return };
    let bundle = Bundle::open(&path, Limits::default()).unwrap();
    let dumps = bundle.entries().iter().filter(|e| matches!(e.role, Role::Dump { .. })).count();
    assert_eq!(dumps, 1139);
}

/// Returns the place of the evidence of a rule's first finding: `entry:line field`.
fn proofs<'a>(found: &'a Value, rule: &str) -> Vec<(String, &'a Value)> {
    let findings = found["findings"].as_array().unwrap().iter().filter(|f| f["rule"] == rule);
    let evidence = findings.flat_map(|f| f["evidence"].as_array().unwrap());
    evidence.map(|e| (format!("{}:{}", e["entry"].as_str().unwrap(), e["line"]), e)).collect()
}

/// The whole story: two lost volumes with what follows from them, a chart that Fleet misjudges, one that
/// differs for another reason, a stale image copy; and none of the harmless irregularities of the bundle.
#[test]
fn the_harvester_bundle_shows_its_incidents_and_nothing_else() {
    let Some(found) = harvester() else { return };
    let lost = "longhorn-volume-pv-without-volume-cr";
    let told: Vec<String> = summary(&found).iter().map(|line| without_names(line)).collect();
    let expected = [
        format!("{lost} PersistentVolume"),
        format!("{lost} PersistentVolume"),
        "longhorn-backing-image-stale-disk BackingImage".to_owned(),
        "fleet-missing-but-present Bundle".to_owned(),
        "fleet-modified-drift Bundle".to_owned(),
        format!("k8s-pvc-deleted-in-use PersistentVolumeClaim <- {lost}"),
        format!("k8s-pvc-deleted-in-use PersistentVolumeClaim <- {lost}"),
        format!("node-kernel-ext4-error Node <- {lost}"),
        format!("node-kernel-ext4-error Node <- {lost}"),
        format!("fleet-notready-workload PersistentVolumeClaim <- {lost}"),
        format!("fleet-notready-resource-terminating Bundle <- {lost}"),
        format!("k8s-object-stuck-finalizer PersistentVolume <- {lost}"),
        format!("k8s-object-stuck-finalizer PersistentVolume <- {lost}"),
        format!("upgrade-denied-managed-chart-not-ready ManagedChart <- {lost}"),
        "upgrade-denied-managed-chart-not-ready ManagedChart <- fleet-missing-but-present".to_owned(),
    ];
    assert_eq!(told, expected);
}

/// `rule Kind/namespace/name <- cause` without namespace and name.
fn without_names(line: &str) -> String {
    let (before, cause) = line.split_once(" <- ").map_or((line, None), |(before, cause)| (before, Some(cause)));
    let subject = before.split('/').next().unwrap();
    cause.map_or(subject.to_owned(), |cause| format!("{subject} <- {cause}"))
}

#[test]
fn every_incident_of_the_harvester_bundle_has_its_proof() {
    let Some(found) = harvester() else { return };
    let proved = |rule: &str, entry: &str, field: Option<&str>, line: u64| {
        let proofs = proofs(&found, rule);
        let holds = proofs
            .iter()
            .any(|(_, e)| e["entry"].as_str() == Some(entry) && e["line"] == line && e["field"].as_str() == field);
        assert!(holds, "{rule}: no {field:?} at {entry}:{line} in {proofs:#?}");
    };
    let lost = "longhorn-volume-pv-without-volume-cr";
    proved(lost, "yamls/cluster/v1/persistentvolumes.yaml", Some("status.phase"), 101);
    proved(lost, "yamls/cluster/v1/persistentvolumes.yaml", Some("status.phase"), 200);
    proved(lost, "yamls/cluster/storage.k8s.io/v1/volumeattachments.yaml", Some("status.attached"), 47);
    proved("node-kernel-ext4-error", "nodes/node1.zip!/node1/logs/kernel.log", None, 750);
    let charts = "yamls/namespaced/fleet-local/management.cattle.io/v3/managedcharts.yaml";
    proved("upgrade-denied-managed-chart-not-ready", charts, Some("status.conditions[0].status"), 137);
    assert!(proofs(&found, lost).iter().any(|(_, e)| e["value"].as_str().is_some_and(|v| v.starts_with("not in "))));
    let errors: u64 = found["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|f| f["rule"] == "node-kernel-ext4-error")
        .filter_map(|f| f["count"].as_u64())
        .sum();
    assert!(errors > 126_042, "about 126,000 ext4 errors, found {errors}");
}
