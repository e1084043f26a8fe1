//! What must hold in every generated bundle, and that the committed samples are current.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::PathBuf;

use serde_json::Value;

use super::*;
use crate::yaml::normalise::{Dialect, normalise};
use crate::yaml::{self, Kind, Node};

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

/// The folders in `samples/` and how they are made.
const SAMPLES: [(&str, Options); 5] = [
    ("healthy", HEALTHY),
    ("stale-managed-chart", STALE),
    ("tiller-failed-upgrade", TILLER),
    ("hook-deleted-configmap", HOOK),
    ("orphans-behind-webhook", ORPHANS),
];

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
fn objects(options: &Options) -> Vec<Value> {
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

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn of_kind<'a>(objects: &'a [Value], kind: &'a str) -> impl Iterator<Item = &'a Value> {
    objects.iter().filter(move |object| object["kind"] == kind)
}

fn find<'a>(objects: &'a [Value], kind: &'a str, namespace: &str, name: &str) -> &'a Value {
    of_kind(objects, kind)
        .find(|o| text(&o["metadata"]["namespace"]) == namespace && text(&o["metadata"]["name"]) == name)
        .unwrap_or_else(|| panic!("{kind} {namespace}/{name} is missing"))
}

#[test]
fn the_same_options_give_the_same_bytes() {
    assert_eq!(bundle(&HEALTHY), bundle(&HEALTHY));
    assert_ne!(bundle(&HEALTHY), bundle(&Options { seed: 9, ..HEALTHY }));
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
fn sizes_are_about_what_was_asked_for() {
    for (objects, bytes) in [(2_000, 3_000_000), (900, 1_000_000)] {
        let options = Options { objects, log_bytes: bytes, ..HEALTHY };
        let world = build(&options);
        assert!((objects..objects + objects / 20).contains(&world.objects()), "{} objects", world.objects());
        let mut logs = Vec::new();
        let weights = world.logs.iter().map(log::Log::weight).sum();
        world.logs.iter().for_each(|log| log.write(&world, bytes, weights, &mut logs).unwrap());
        let ratio = logs.len() as f64 / bytes as f64;
        assert!((0.8..1.25).contains(&ratio), "{ratio}");
    }
}

#[test]
fn too_many_nodes_are_refused() {
    let error = generate(&Options { nodes: 0, ..HEALTHY }, &mut MemorySink::default()).unwrap_err();
    assert!(error.to_string().contains("from 1 to 200"));
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

/// Entries as they are, those of node archives one by one: compressed bytes may change with the library.
fn opened(files: BTreeMap<String, Vec<u8>>) -> BTreeMap<String, Vec<u8>> {
    let mut opened = BTreeMap::new();
    for (path, bytes) in files {
        if !path.ends_with(".zip") {
            opened.insert(path, bytes);
            continue;
        }
        let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
        for index in 0..archive.len() {
            let mut member = archive.by_index(index).unwrap();
            let name = format!("{path}!/{}", member.name().unwrap());
            let mut content = Vec::new();
            member.read_to_end(&mut content).unwrap();
            opened.insert(name, content);
        }
    }
    opened
}

fn committed(name: &str) -> BTreeMap<String, Vec<u8>> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("samples").join(name);
    let mut files = BTreeMap::new();
    for entry in walkdir::WalkDir::new(&root) {
        let entry = entry.unwrap();
        let path = entry.path().strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
        if entry.file_type().is_file() && path != "README.md" {
            files.insert(path, std::fs::read(entry.path()).unwrap());
        }
    }
    files
}

#[test]
fn the_samples_are_current() {
    for (name, options) in SAMPLES {
        let (expected, found) = (opened(bundle(&options)), opened(committed(name)));
        let names = |files: &BTreeMap<String, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&expected), names(&found), "samples/{name}: see its README for how it is made");
        for (path, bytes) in expected {
            assert!(
                found.get(&path) == Some(&bytes),
                "samples/{name}/{path} is not current: see samples/{name}/README.md"
            );
        }
    }
}

#[test]
fn every_sample_says_how_it_is_made() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("samples");
    for (name, options) in SAMPLES {
        let (scenario, _) = Scenario::ALL.into_iter().find(|(_, scenario)| *scenario == options.scenario).unwrap();
        let chosen = if scenario == "healthy" { String::new() } else { format!(" --scenario {scenario}") };
        let command = format!(
            "gleaner generate --layout harvester --nodes {} --objects {} --log-bytes {} --seed {}{chosen} -o samples/{name}/",
            options.nodes, options.objects, options.log_bytes, options.seed
        );
        let readme = std::fs::read_to_string(folder.join(name).join("README.md")).unwrap();
        assert!(readme.contains(&command), "samples/{name}/README.md lacks: {command}");
    }
    let folders = std::fs::read_dir(folder).unwrap().filter(|entry| entry.as_ref().unwrap().path().is_dir()).count();
    assert_eq!(folders, SAMPLES.len(), "a folder in samples/ that nothing makes");
}

#[test]
fn stories_are_told_in_small_bundles() {
    for (name, options) in [("tiller", TILLER), ("hook", HOOK), ("orphans", ORPHANS)] {
        let bytes: usize = bundle(&options).values().map(Vec::len).sum();
        assert!(bytes < 500_000, "{name} has {bytes} bytes");
    }
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

/// Writes the samples anew: `cargo test generate::tests::write_samples -- --ignored`.
#[test]
#[ignore = "writes into samples/"]
fn write_samples() {
    for (name, options) in SAMPLES {
        generate_to(&options, &format!("{}/samples/{name}/", env!("CARGO_MANIFEST_DIR"))).unwrap();
    }
}
