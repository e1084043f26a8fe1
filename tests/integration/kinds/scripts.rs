//! Collections of small scripts around kubectl, built in code: rancher-pod-collector, the SCC operator's, the profile
//! collector's.

use serde_json::json;

use super::{analysed, reason};

#[test]
fn rancher_pod_collector() {
    let dump = "clusterinfo/cluster-info-dump";
    let pods = "apiVersion: v1\nkind: PodList\nitems:\n- metadata: {name: rancher-1, namespace: cattle-system}\n  status: {phase: Failed}\n";
    let service = "apiVersion: v1\nkind: ServiceList\nitems: []\n";
    let pods_path = format!("{dump}/cattle-system/pods.yaml");
    let logs = format!("{dump}/cattle-system/rancher-1/logs.txt");
    let services = format!("{dump}/cattle-system/services.yaml");
    let files = [
        (
            "clusterinfo/get-node-wide",
            "NAME   STATUS   ROLES    AGE   VERSION\nn1     Ready    worker   1d    v1.28.9+rke2r1\n".to_owned(),
        ),
        ("clusterinfo/cluster-info", "\u{1b}[0;32mKubernetes control plane\u{1b}[0m is running\n".to_owned()),
        (pods_path.as_str(), pods.to_owned()),
        (services.as_str(), service.to_owned()),
        (logs.as_str(), "==== START logs for container rancher ====\npanic: boom\n".to_owned()),
        ("rancher-logs/live-logs", "still alive\n".to_owned()),
    ];
    let rules = [
        ("t-pod", "  p: {resource: pods, where: p.status.phase == 'Failed'}\n"),
        ("t-log", "  said: {log: {namespace: cattle-system, pod: 'rancher-*'}, match: 'boom'}\n"),
        ("t-none", "  s: {resource: services, namespace: cattle-system}\n"),
        ("t-miss", "  j: {resource: jobs.batch}\n"),
    ];
    let found = analysed("local", &files, &rules);
    assert_eq!(
        (&found["bundle"]["kind"], &found["bundle"]["collector"]["name"]),
        (&json!("rancher"), &json!("rancher-pod-collector"))
    );
    assert_eq!(found["bundle"]["nodes"][0]["name"], "n1");
    let fired = found["rules"]["fired"].as_array().unwrap();
    assert!(
        fired.contains(&json!("t-pod")) && fired.contains(&json!("t-log")),
        "{:?}",
        found["rules"]["not_evaluated"]
    );
    assert!(found["rules"]["clean"].as_array().unwrap().contains(&json!("t-none")));
    assert_ne!(reason(&found, "t-miss"), "");
    assert_eq!(found["issues"], json!([]));
}

#[test]
fn scc_operator() {
    let registration = "apiVersion: scc.cattle.io/v1\nkind: Registration\nmetadata: {name: r1}\nstatus: {activationStatus: {activated: false}}\n";
    let files = [
        ("metadata.txt", "SCC Operator Support Bundle\nGenerated: 2025-03-06T10:15:30Z\n".to_owned()),
        ("cluster-info/version.yaml", "serverVersion:\n  gitVersion: v1.28.9+rke2r1\n".to_owned()),
        ("registrations/registration-r1.yaml", registration.to_owned()),
        ("operator-pods/pod-scc-1-logs.txt", "level=error msg=\"cannot register\"\n".to_owned()),
        ("operator-pods/pod-scc-1-describe.txt", "Name: scc-1\n".to_owned()),
    ];
    let rules = [
        (
            "t-reg",
            "  r: {resource: registrations.scc.cattle.io, where: r.status.activationStatus.activated == false}\n",
        ),
        ("t-log", "  said: {log: {path: 'operator-pods/*'}, match: 'cannot register'}\n"),
        ("t-pods", "  p: {resource: pods}\n"),
    ];
    let found = analysed("scc-support-bundle-1", &files, &rules);
    let bundle = &found["bundle"];
    assert_eq!((&bundle["kind"], &bundle["collector"]["name"]), (&json!("generic"), &json!("SCC operator collector")));
    assert_eq!(
        (&bundle["collected_at"], &bundle["versions"]["rke2"]),
        (&json!("2025-03-06T10:15:30Z"), &json!("v1.28.9+rke2r1"))
    );
    let fired = found["rules"]["fired"].as_array().unwrap();
    assert!(
        fired.contains(&json!("t-reg")) && fired.contains(&json!("t-log")),
        "{:?}",
        found["rules"]["not_evaluated"]
    );
    assert_ne!(reason(&found, "t-pods"), "");
    assert_eq!(found["issues"], json!([]));
}

#[test]
fn profile_collector() {
    let files = [
        ("timestamps.txt", "Start: 2025-03-06T10:15:30+00:00\nEnd: 2025-03-06T10:16:30+00:00\n".to_owned()),
        ("top-pods.txt", "NAME   CPU(cores)\n".to_owned()),
        ("rancher-1.log", "2025/03/06 10:15:00 [ERROR] boom\n".to_owned()),
        ("rancher-1-heap-2025-03-06T10_15_30", "\u{0}\u{1}boom\n".to_owned()),
    ];
    let rules = [
        ("t-log", "  said: {log: {namespace: cattle-system, pod: 'rancher-*'}, match: 'boom'}\n"),
        ("t-pods", "  p: {resource: pods}\n"),
    ];
    let found = analysed("profiles", &files, &rules);
    let bundle = &found["bundle"];
    assert_eq!(
        (&bundle["kind"], &bundle["collector"]["name"]),
        (&json!("generic"), &json!("rancher profile collector"))
    );
    assert_eq!(bundle["collected_at"], "2025-03-06T10:15:30Z");
    let hit = found["findings"].as_array().unwrap().iter().find(|finding| finding["rule"] == "t-log").unwrap();
    assert_eq!((&hit["count"], &hit["objects"][0]["name"]), (&json!(1), &json!("rancher-1")), "a profile is no log");
    assert_ne!(reason(&found, "t-pods"), "");
    assert_eq!(found["issues"], json!([]));
}
