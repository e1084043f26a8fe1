//! The truths of the real bundles, established by hand; skipped where they are not at hand.

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
    use gleaner::bundle::{Bundle, Limits, Role};
    let Some(path) = corpus(HARVESTER) else { return };
    let bundle = Bundle::open(&path, Limits::default()).unwrap();
    let dumps = bundle.entries().iter().filter(|e| matches!(e.role, Role::Dump { .. })).count();
    assert_eq!(dumps, 1139);
}

/// Where a rule's first finding has its proof: `entry:line field`.
fn proofs<'a>(found: &'a Value, rule: &str) -> Vec<(String, &'a Value)> {
    let findings = found["findings"].as_array().unwrap().iter().filter(|f| f["rule"] == rule);
    let evidence = findings.flat_map(|f| f["evidence"].as_array().unwrap());
    evidence.map(|e| (format!("{}:{}", e["entry"].as_str().unwrap(), e["line"]), e)).collect()
}

#[test]
fn the_other_real_bundles_are_opened_and_no_harvester_rule_speaks() {
    for (file, kind) in
        [("rancher-rke2-server-2025-11-27.tar.gz", "rancher"), ("troubleshoot-k3s-2022.tar.gz", "troubleshoot")]
    {
        let Some(path) = corpus(file) else { return };
        let found = analysis(&path, &[]);
        assert_eq!(found["bundle"]["kind"], kind);
        assert_eq!(summary(&found), Vec::<String>::new(), "this layout is not read yet");
    }
}

#[test]
fn the_lost_longhorn_volumes_are_one_incident_each_with_their_proof() {
    let Some(found) = harvester() else { return };
    let proofs = proofs(&found, "longhorn-volume-pv-without-volume-cr");
    assert!(proofs.iter().any(|(place, e)| {
        place.starts_with("yamls/cluster/v1/persistentvolumes.yaml:") && e["field"] == "spec.csi.driver"
    }));
    assert!(proofs.iter().any(|(_, e)| e["value"].as_str().is_some_and(|v| v.starts_with("not in "))), "{proofs:?}");
}
