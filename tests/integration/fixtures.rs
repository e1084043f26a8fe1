//! Properties of every synthetic bundle, as read by the program's own reader of dumps: owners, selectors, endpoints,
//! volumes and mounts fit together, and each scenario shows its fault.

use std::collections::{BTreeMap, BTreeSet};

use gleaner::internals::yaml::normalise::{Dialect, normalise};
use gleaner::internals::yaml::{self, Kind, Node};
use gleaner_fixtures::{Layout, MemorySink, Options, Scenario, generate, list_item};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

const HEALTHY: Options = Options {
    layout: Layout::Harvester,
    nodes: 3,
    objects: 300,
    log_bytes: 200_000,
    seed: 1,
    scenario: Scenario::Healthy,
};

const STALE: Options = Options { seed: 2, scenario: Scenario::StaleManagedChart, ..HEALTHY };

const SMALL: Options = Options { nodes: 1, objects: 0, log_bytes: 20_000, ..HEALTHY };

const TILLER: Options = Options { seed: 3, scenario: Scenario::TillerFailedUpgrade, ..SMALL };

const HOOK: Options = Options { seed: 4, scenario: Scenario::HookDeletedConfigMap, ..SMALL };

const ORPHANS: Options = Options { seed: 5, scenario: Scenario::OrphansBehindWebhook, ..SMALL };

pub const BUSY: Options = Options { nodes: 3, seed: 6, scenario: Scenario::BusyHealthy, ..SMALL };

fn bundle(options: &Options) -> BTreeMap<String, Vec<u8>> {
    let mut sink = MemorySink::default();
    generate(options, &mut sink).unwrap();
    sink.files
}

fn json_of(node: Node<'_>) -> Value {
    match node.kind() {
        Kind::Null => Value::Null,
        Kind::Bool => node.as_bool().into(),
        Kind::Number => node.as_i64().into(),
        Kind::String => node.text().into(),
        Kind::Sequence => node.items().map(json_of).collect(),
        Kind::Mapping => node.entries().map(|(key, node)| (key.into_owned(), json_of(node))).collect(),
    }
}

/// All objects as the reader sees them, the second form of events left out.
pub fn objects(options: &Options) -> Vec<Value> {
    let mut objects = Vec::new();
    for (path, bytes) in bundle(options) {
        if path.ends_with(".yaml") && path.starts_with("yamls/") && !path.contains("/events.k8s.io/") {
            let (mut document, problems) = yaml::parse(bytes);
            assert_eq!(problems, [], "{path}");
            normalise(&mut document, Dialect::Kit);
            let list = document.roots().next().unwrap();
            assert!(!list.get("items").unwrap().is_empty(), "{path} is empty");
            objects.extend(list.get("items").unwrap().items().map(json_of));
        }
    }
    objects
}

pub fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

pub fn of_kind<'a>(objects: &'a [Value], kind: &'a str) -> impl Iterator<Item = &'a Value> {
    objects.iter().filter(move |object| object["kind"] == kind)
}

fn find<'a>(objects: &'a [Value], kind: &'a str, namespace: &str, name: &str) -> &'a Value {
    of_kind(objects, kind)
        .find(|o| text(&o["metadata"]["namespace"]) == namespace && text(&o["metadata"]["name"]) == name)
        .unwrap_or_else(|| panic!("{kind} {namespace}/{name} is missing"))
}

#[test]
fn owners_exist_with_uid_kind_and_name() {
    for options in [HEALTHY, STALE, Options { nodes: 1, objects: 1_200, ..HEALTHY }, Options { nodes: 7, ..HEALTHY }] {
        let objects = objects(&options);
        let known: BTreeSet<_> = objects
            .iter()
            .map(|o| (text(&o["metadata"]["uid"]), text(&o["kind"]), text(&o["metadata"]["name"])))
            .collect();
        let uids: BTreeSet<_> = known.iter().map(|(uid, _, _)| uid).collect();
        assert_eq!(uids.len(), objects.len(), "uids are not unique");
        for object in &objects {
            for owner in object["metadata"]["ownerReferences"].as_array().into_iter().flatten() {
                let wanted = (text(&owner["uid"]), text(&owner["kind"]), text(&owner["name"]));
                assert!(known.contains(&wanted), "{wanted:?} of {}", object["metadata"]["name"]);
            }
        }
    }
}

#[test]
fn services_select_the_pods_that_their_endpoints_name() {
    let objects = objects(&HEALTHY);
    for service in of_kind(&objects, "Service") {
        let (namespace, name) = (text(&service["metadata"]["namespace"]), text(&service["metadata"]["name"]));
        let selector = service["spec"]["selector"].as_object().unwrap();
        let selected: BTreeSet<_> = of_kind(&objects, "Pod")
            .filter(|pod| text(&pod["metadata"]["namespace"]) == namespace)
            .filter(|pod| selector.iter().all(|(key, value)| pod["metadata"]["labels"][key] == *value))
            .map(|pod| text(&pod["metadata"]["uid"]))
            .collect();
        let endpoints = find(&objects, "Endpoints", namespace, name);
        let named: BTreeSet<_> = endpoints["subsets"][0]["addresses"]
            .as_array()
            .unwrap()
            .iter()
            .map(|a| text(&a["targetRef"]["uid"]))
            .collect();
        assert!(!named.is_empty(), "{namespace}/{name}");
        assert_eq!(named, selected, "{namespace}/{name}");
    }
}

#[test]
fn webhooks_and_aggregated_apis_have_their_services() {
    let objects = objects(&HEALTHY);
    let configurations =
        of_kind(&objects, "ValidatingWebhookConfiguration").chain(of_kind(&objects, "MutatingWebhookConfiguration"));
    let mut seen = 0;
    for webhook in configurations.flat_map(|c| c["webhooks"].as_array().unwrap()) {
        let service = &webhook["clientConfig"]["service"];
        let found = find(&objects, "Service", text(&service["namespace"]), text(&service["name"]));
        assert_eq!(found["spec"]["ports"][0]["port"], service["port"]);
        seen += 1;
    }
    for api in of_kind(&objects, "APIService").filter(|api| !api["spec"]["service"].is_null()) {
        find(&objects, "Service", text(&api["spec"]["service"]["namespace"]), text(&api["spec"]["service"]["name"]));
        seen += 1;
    }
    assert!(seen > 10);
}

#[test]
fn volumes_fit_together() {
    let objects = objects(&Options { nodes: 4, objects: 1_300, ..HEALTHY });
    let mut volumes = 0;
    for pv in of_kind(&objects, "PersistentVolume") {
        let handle = text(&pv["spec"]["csi"]["volumeHandle"]);
        let claim = &pv["spec"]["claimRef"];
        let pvc = find(&objects, "PersistentVolumeClaim", text(&claim["namespace"]), text(&claim["name"]));
        assert_eq!((pvc["metadata"]["uid"] == claim["uid"], text(&pvc["spec"]["volumeName"])), (true, handle));
        let volume = find(&objects, "Volume", "longhorn-system", handle);
        let replicas = of_kind(&objects, "Replica").filter(|r| r["spec"]["volumeName"] == handle).count();
        assert_eq!(
            (Some(replicas as i64), &volume["status"]["robustness"]),
            (volume["spec"]["numberOfReplicas"].as_i64(), &Value::from("healthy"))
        );
        find(&objects, "Engine", "longhorn-system", &format!("{handle}-e-0"));
        let size: i64 = text(&volume["spec"]["size"]).parse().unwrap();
        let taken = volume["status"]["actualSize"].as_i64().unwrap();
        assert!(0 < taken && taken <= size, "{handle} takes {taken} of {size} bytes");
        volumes += 1;
    }
    assert!(volumes > 10);
    for disk in
        of_kind(&objects, "Node").flat_map(|node| node["status"]["diskStatus"].as_object()).flat_map(|d| d.values())
    {
        let [all, free, scheduled] =
            ["storageMaximum", "storageAvailable", "storageScheduled"].map(|key| disk[key].as_i64().unwrap());
        assert!(0 <= free && free <= all && 0 <= scheduled, "{disk}");
    }
    for attachment in of_kind(&objects, "VolumeAttachment").filter(|a| a["apiVersion"] == "storage.k8s.io/v1") {
        find(&objects, "PersistentVolume", "", text(&attachment["spec"]["source"]["persistentVolumeName"]));
        find(&objects, "CSINode", "", text(&attachment["spec"]["nodeName"]));
    }
}

#[test]
fn pods_find_what_they_mount_and_who_they_are() {
    let objects = objects(&Options { objects: 1_000, ..HEALTHY });
    for pod in of_kind(&objects, "Pod") {
        let namespace = text(&pod["metadata"]["namespace"]);
        find(&objects, "Namespace", "", namespace);
        find(&objects, "ServiceAccount", namespace, text(&pod["spec"]["serviceAccountName"]));
        for volume in pod["spec"]["volumes"].as_array().into_iter().flatten() {
            if let Some(name) = volume["configMap"]["name"].as_str() {
                find(&objects, "ConfigMap", namespace, name);
            }
            if let Some(name) = volume["persistentVolumeClaim"]["claimName"].as_str() {
                find(&objects, "PersistentVolumeClaim", namespace, name);
            }
        }
    }
    for namespace in of_kind(&objects, "Namespace") {
        find(&objects, "ConfigMap", text(&namespace["metadata"]["name"]), "kube-root-ca.crt");
    }
}

#[test]
fn every_container_has_a_log_and_every_node_an_archive() {
    let files = bundle(&HEALTHY);
    let objects = objects(&HEALTHY);
    for pod in of_kind(&objects, "Pod") {
        for container in pod["spec"]["containers"].as_array().unwrap() {
            let path = format!(
                "logs/{}/{}/{}.log",
                text(&pod["metadata"]["namespace"]),
                text(&pod["metadata"]["name"]),
                text(&container["name"])
            );
            assert!(files.contains_key(&path), "{path}");
        }
    }
    for node in of_kind(&objects, "Node").filter(|node| node["apiVersion"] == "v1") {
        assert!(files.contains_key(&format!("nodes/{}.zip", text(&node["metadata"]["name"]))));
    }
}

#[test]
fn a_stale_chart_contradicts_a_complete_daemon_set() {
    let objects = objects(&STALE);
    let chart = find(&objects, "ManagedChart", "fleet-local", "harvester");
    let message = "NotReady(1) [Cluster fleet-local/local]; daemonset.apps kube-system/harvester-whereabouts [progressing] Available: 2/3";
    assert_eq!(chart["status"]["conditions"][0]["message"], message);
    let daemon_set = find(&objects, "DaemonSet", "kube-system", "harvester-whereabouts");
    assert_eq!(daemon_set["status"]["numberAvailable"], 3);
    let degraded: Vec<_> = of_kind(&objects, "Volume").filter(|v| v["status"]["robustness"] == "degraded").collect();
    let failed = of_kind(&objects, "Replica").filter(|r| !r["spec"]["failedAt"].is_null()).count();
    assert_eq!((degraded.len(), failed), (1, 1));
    let killed: Vec<_> =
        of_kind(&objects, "Pod").filter(|p| p["status"]["containerStatuses"][0]["restartCount"] != 0).collect();
    assert_eq!(killed.len(), 1);
    assert_eq!(killed[0]["status"]["containerStatuses"][0]["lastState"]["terminated"]["reason"], "OOMKilled");
    let previous = format!("logs/default/{}/export.log.1", text(&killed[0]["metadata"]["name"]));
    assert!(bundle(&STALE).contains_key(&previous));
}

#[test]
fn the_records_of_tiller_hold_what_failed() {
    let objects = objects(&TILLER);
    let statuses: Vec<_> = (1..=5)
        .map(|n| {
            text(&find(&objects, "ConfigMap", "kube-system", &format!("billing.v{n}"))["metadata"]["labels"]["STATUS"])
        })
        .collect();
    assert_eq!(statuses, ["SUPERSEDED", "DEPLOYED", "FAILED", "FAILED", "FAILED"]);
    let created = &find(&objects, "ConfigMap", "default", "billing-features")["metadata"]["creationTimestamp"];
    assert_eq!(created, &find(&objects, "ConfigMap", "kube-system", "billing.v3")["metadata"]["creationTimestamp"]);
}

#[test]
fn the_hook_left_pods_without_their_config_map() {
    let objects = objects(&HOOK);
    assert!(!of_kind(&objects, "ConfigMap").any(|o| o["metadata"]["name"] == "orders-config"));
    let of_app = |o: &&Value| text(&o["metadata"]["name"]).starts_with("orders-");
    let mut phases: Vec<_> = of_kind(&objects, "Pod").filter(of_app).map(|o| text(&o["status"]["phase"])).collect();
    phases.sort_unstable();
    assert_eq!(phases, ["Pending", "Running"]);
    assert_eq!(of_kind(&objects, "ReplicaSet").filter(of_app).count(), 2);
}

#[test]
fn the_orphan_has_lost_its_deployment_and_nothing_else() {
    let objects = objects(&ORPHANS);
    let uids: BTreeSet<_> = objects.iter().map(|o| text(&o["metadata"]["uid"])).collect();
    let orphans: Vec<_> = objects
        .iter()
        .filter(|o| {
            o["metadata"]["ownerReferences"].as_array().into_iter().flatten().any(|r| !uids.contains(text(&r["uid"])))
        })
        .map(|o| text(&o["kind"]))
        .collect();
    assert_eq!(orphans, ["ReplicaSet"]);
}

fn absent_is_null(value: Value, in_list: bool) -> Value {
    match value {
        Value::String(text) if text.is_empty() && !in_list => Value::Null,
        Value::Array(items) => items.into_iter().map(|v| absent_is_null(v, true)).collect(),
        Value::Object(map) => map.into_iter().map(|(k, v)| (k, absent_is_null(v, false))).collect(),
        other => other,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_reads_json_of(texts in prop::collection::vec("[ -~\n]{0,100}", 0..6), numbers in prop::collection::vec(-9_007_199_254_740_992_i64..9_007_199_254_740_992, 0..6)) {
        // A text that looks like a secret is masked.
        let kept = |t: &String| t != "null" && !t.ends_with("\"null") && gleaner::model::secret::redact(t) == *t;
        let texts: Vec<_> = texts.into_iter().filter(kept).collect();
        let map: Map<String, Value> = texts.iter().enumerate().map(|(i, t)| (format!("k{i}"), json!(t))).collect();
        let value = json!({"list": texts, "map": map, "numbers": numbers});
        let (mut document, problems) = yaml::parse(list_item(&value).into_bytes());
        prop_assert_eq!(problems, []);
        normalise(&mut document, Dialect::Kit);
        prop_assert_eq!(json_of(document.roots().next().unwrap().at(0).unwrap()), absent_is_null(value, false));
    }
}
