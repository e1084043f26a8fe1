//! Bundles of troubleshoot.sh, built in code: every form of list, logs, data that the collector failed to get, and data
//! that it never gets.

use serde_json::{Value, json};

use super::reason;
use crate::harness::{analysis, corpus, summary};

/// The name that the program gives the folder and the archive.
pub(super) const NAME: &str = "support-bundle-2025-03-06T10_15_30";

/// A list as clients of the API write it: newer versions of the collector name the types of the items, too.
fn list(kind: &str, version: &str, items: Value) -> String {
    json!({"kind": format!("{kind}List"), "apiVersion": version, "metadata": {"resourceVersion": "1"}, "items": items})
        .to_string()
}

fn pod(name: &str) -> Value {
    let running = json!({"name": "web", "restartCount": 0, "ready": true, "state": {"running": {}}});
    json!({"metadata": {"name": name, "namespace": "shop", "uid": name}, "spec": {"containers": [{"name": "web"}]},
        "status": {"phase": "Running", "containerStatuses": [running]}})
}

pub(super) fn files() -> Vec<(&'static str, String)> {
    let namespaces =
        ["kube-system", "shop"].map(|name| json!({"metadata": {"name": name, "uid": format!("u-{name}")}}));
    let node = json!({"kind": "Node", "apiVersion": "v1",
        "metadata": {"name": "n1", "labels": {"node-role.kubernetes.io/control-plane": "true"}},
        "status": {"conditions": [{"type": "Ready", "status": "True", "lastHeartbeatTime": "2025-03-06T10:12:00Z"}]}});
    let crd = json!({"metadata": {"name": "volumes.longhorn.io"},
        "spec": {"group": "longhorn.io", "scope": "Namespaced", "names": {"plural": "volumes", "kind": "Volume"}}});
    let mouse = json!({"metadata": {"name": "mice.example.org"},
        "spec": {"group": "example.org", "scope": "Namespaced", "names": {"plural": "mice", "kind": "Mouse"}}});
    let volume = "apiVersion: longhorn.io/v1beta2\n  kind: Volume\n  metadata:\n    name: pvc-1\n    namespace: longhorn-system\n  status:\n    robustness: faulted\n";
    let volume_json = json!([{"apiVersion": "longhorn.io/v1beta2", "kind": "Volume",
        "metadata": {"name": "pvc-1", "namespace": "longhorn-system"}, "status": {"robustness": "faulted"}}]);
    let lease = json!({"metadata": {"name": "n1", "namespace": "kube-node-lease"}, "spec": {"renewTime": "2025-03-06T10:15:21.123456Z"}});
    let groups = json!([{"name": "apps", "versions": [{"groupVersion": "apps/v1", "version": "v1"}]}]);
    let served = json!([{"kind": "APIResourceList", "groupVersion": "longhorn.io/v1beta2",
        "resources": [{"name": "volumes", "kind": "Volume", "namespaced": true, "singularName": ""}]}]);
    vec![
        (
            "version.yaml",
            "apiVersion: troubleshoot.sh/v1beta2\nkind: SupportBundle\nspec:\n  versionNumber: v0.95.1\n".to_owned(),
        ),
        ("analysis.json", "null".to_owned()),
        (
            "cluster-info/cluster_version.json",
            json!({"info": {"gitVersion": "v1.31.2+k3s1"}, "string": "v1.31.2+k3s1"}).to_string(),
        ),
        ("cluster-resources/namespaces.json", list("Namespace", "v1", json!(namespaces))),
        ("cluster-resources/nodes.json", list("Node", "v1", json!([node]))),
        ("cluster-resources/pvs.json", list("PersistentVolume", "v1", json!(null))),
        (
            "cluster-resources/custom-resource-definitions.json",
            json!({"metadata": {}, "items": [crd, mouse]}).to_string(),
        ),
        ("cluster-resources/custom-resources/volumes.longhorn.io/longhorn-system.yaml", format!("- {volume}")),
        ("cluster-resources/custom-resources/volumes.longhorn.io/longhorn-system.json", volume_json.to_string()),
        ("cluster-resources/groups.json", groups.to_string()),
        ("cluster-resources/resources.json", served.to_string()),
        (
            "cluster-resources/auth-cani-list/shop.json",
            json!([{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}]).to_string(),
        ),
        ("cluster-resources/pods/kube-system.json", list("Pod", "v1", json!([]))),
        ("cluster-resources/pods/shop.json", list("Pod", "v1", json!([pod("web-0"), pod("web-1")]))),
        (
            "cluster-resources/cronjobs/shop.json",
            list("CronJob", "batch/v1beta1", json!([{"metadata": {"name": "nightly", "namespace": "shop"}}])),
        ),
        ("cluster-resources/leases/kube-node-lease.json", list("Lease", "coordination.k8s.io/v1", json!([lease]))),
        ("cluster-resources/services/shop.json", list("Service", "v1", json!([]))),
        ("cluster-resources/services-errors.json", json!({"kube-system": "services is forbidden"}).to_string()),
        ("cluster-resources/image-pull-secrets/shop/login.json", json!({"***HIDDEN***": "robot"}).to_string()),
        ("cluster-resources/pods/logs/shop/web-0/web.log", "it works\n".to_owned()),
        ("cluster-resources/pods/logs/shop/web-0/web-previous.log", "panic: boom\n".to_owned()),
        (
            "cluster-resources/pods/logs/shop/web-1/web.log",
            "unable to retrieve container logs for containerd://0a1b2c\n\n".to_owned(),
        ),
        ("hello/web-0.log", "hello from an older collector\n".to_owned()),
        ("secrets/shop/login.json", json!({"namespace": "shop", "name": "login", "secretExists": true}).to_string()),
    ]
}

fn without(path: &str) -> Vec<(&'static str, String)> {
    files().into_iter().filter(|(known, _)| *known != path).collect()
}

fn analysed(files: &[(&str, String)], rules: &[(&str, &str)]) -> Value {
    super::analysed(NAME, files, rules)
}

fn fired(found: &Value) -> Vec<&str> {
    let all = found["rules"]["fired"].as_array().unwrap().iter().map(|id| id.as_str().unwrap());
    all.filter(|id| id.starts_with("t-")).collect()
}

fn gaps(found: &Value) -> Vec<(&str, &str)> {
    let gaps = found["bundle"]["not_collected"].as_array().unwrap();
    gaps.iter().map(|gap| (gap["what"].as_str().unwrap(), gap["why"].as_str().unwrap())).collect()
}

#[test]
fn a_bundle_states_its_versions_time_and_nodes() {
    let found = analysed(&files(), &[]);
    let bundle = &found["bundle"];
    assert_eq!(bundle["kind"], "troubleshoot");
    assert_eq!(bundle["collector"]["name"], "troubleshoot");
    assert_eq!(bundle["collector"]["version"], "v0.95.1");
    assert!(bundle["collector"]["why"].as_str().unwrap().contains("cluster-resources/"));
    assert_eq!(bundle["versions"], json!({"kubernetes": "v1.31.2+k3s1", "k3s": "v1.31.2+k3s1"}));
    assert_eq!(bundle["collected_at"], "2025-03-06T10:15:21Z", "the newest sign of life");
    assert_eq!(bundle["cluster"]["uid"], "u-kube-system");
    assert_eq!(bundle["nodes"], json!([{"name": "n1", "ready": true, "roles": ["control-plane"], "collected": false}]));
    assert_eq!(found["issues"], json!([]));
}

#[test]
fn lists_of_every_shape_and_logs_are_found_by_rules() {
    let rules = [
        ("t-cron", "  job: {resource: cronjobs.batch, name: nightly}\n"),
        (
            "t-crd",
            "  crd: {resource: customresourcedefinitions.apiextensions.k8s.io, where: crd.spec.group == 'longhorn.io'}\n",
        ),
        ("t-volume", "  volume: {resource: volumes.longhorn.io, where: volume.status.robustness == 'faulted'}\n"),
        ("t-pod", "  pod: {resource: pods, name: web-1, where: pod.status.phase == 'Running'}\n"),
        ("t-log", "  said: {log: {namespace: shop, pod: web-0, container: web}, match: 'boom'}\n"),
        ("t-older", "  said: {log: {namespace: shop, pod: web-0}, match: 'older collector'}\n"),
    ];
    let found = analysed(&files(), &rules);
    assert_eq!(fired(&found), ["t-crd", "t-cron", "t-log", "t-older", "t-pod", "t-volume"]);
    let volumes = found["findings"].as_array().unwrap().iter().filter(|finding| finding["rule"] == "t-volume");
    assert_eq!(volumes.count(), 1, "the same object in both forms is one");
}

#[test]
fn missing_types_are_not_clean() {
    let rules = [
        ("t-none", "  volume: {resource: persistentvolumes}\n"),
        ("t-mice", "  mouse: {resource: mice.example.org}\n"),
        ("t-services", "  service: {resource: services, namespace: kube-system}\n"),
        ("t-daemons", "  daemon: {resource: daemonsets.apps}\n"),
        ("t-secrets", "  secret: {resource: secrets, name: nobody}\n"),
        ("t-metrics", "  metric: {resource: nodes.metrics.k8s.io}\n"),
        ("t-log", "  said: {log: {namespace: shop, pod: 'web-*'}, match: 'never said'}\n"),
    ];
    let found = analysed(&files(), &rules);
    let clean = found["rules"]["clean"].as_array().unwrap();
    assert!(clean.contains(&json!("t-none")), "an empty list");
    assert!(clean.contains(&json!("t-mice")), "custom resources have no files where there are none");
    assert_eq!(
        reason(&found, "t-services"),
        "services of namespace kube-system were not collected: services is forbidden"
    );
    assert_eq!(reason(&found, "t-daemons"), "daemonsets.apps of namespace kube-node-lease were not collected");
    assert!(reason(&found, "t-secrets").contains("the collector leaves Secrets out"));
    assert_eq!(reason(&found, "t-metrics"), "nodes.metrics.k8s.io are not known to be served by this cluster");
    assert_eq!(
        reason(&found, "t-log"),
        "no log of running container shop/web-1 (web)",
        "an answer of the API is no log"
    );
    let told = [
        ("files and logs of node n1", "the collector reads the API of the cluster, not files on its nodes"),
        ("secrets", "the collector leaves them out"),
        ("services of namespace kube-system", "services is forbidden"),
    ];
    assert_eq!(gaps(&found), told);
}

#[test]
fn collector_specific_files_add_facts() {
    let mut files = files();
    let history = json!([{"revision": "1", "date": "2025-03-01 10:00:00 +0000 UTC", "status": "superseded"},
        {"revision": "2", "date": "2025-03-02 10:00:00 +0000 UTC", "status": "failed", "values": {"password": "hush-1"}}]);
    let releases = json!([{"releaseName": "web", "chart": "shop", "chartVersion": "1.2.3", "namespace": "shop", "releaseHistory": history}]);
    let config = json!({"namespace": "shop", "name": "settings", "configMapExists": true, "data": {"mode": "fast"}});
    let secret = json!({"namespace": "shop", "name": "color", "secretExists": true, "key": "shade", "keyExists": true, "value": "hush-2"});
    let none = json!({"namespace": "shop", "name": "gone", "secretExists": false});
    files.extend([
        ("helm/shop.json", releases.to_string()),
        ("configmaps/shop/settings.json", config.to_string()),
        ("secrets/shop/color/shade.json", secret.to_string()),
        ("secrets/shop/gone.json", none.to_string()),
    ]);
    let rules = [
        (
            "t-release",
            "  r: {resource: helmreleases, where: r.latest && r.status == 'failed' && r.chart.version == '1.2.3'}\n",
        ),
        ("t-config", "  c: {resource: configmaps, where: c.data.mode == 'fast'}\n"),
        ("t-label", "  c: {resource: configmaps, name: settings, labels: a=b}\n"),
        ("t-secret", "  s: {resource: secrets, name: color, where: s.stringData.shade != null}\n"),
        ("t-gone", "  s: {resource: secrets, name: gone}\n"),
    ];
    let found = analysed(&files, &rules);
    assert_eq!(fired(&found), ["t-config", "t-release", "t-secret"]);
    let release = found["findings"].as_array().unwrap().iter().find(|f| f["rule"] == "t-release").unwrap();
    assert_eq!(release["objects"][0], json!({"kind": "HelmRelease", "group": "", "namespace": "shop", "name": "web"}));
    assert!(
        reason(&found, "t-label")
            .contains("labels of ConfigMap/shop/settings are not in configmaps/shop/settings.json"),
        "{}",
        reason(&found, "t-label")
    );
    assert!(
        reason(&found, "t-gone").contains("secrets were not collected")
            || reason(&found, "t-gone").contains("secrets of namespace"),
        "{}",
        reason(&found, "t-gone")
    );
    assert!(!found.to_string().contains("hush-"));
    assert_eq!(found["issues"], json!([]));
}

#[test]
fn withheld_values_are_undecided() {
    let mut files = files();
    let pod = json!({"metadata": {"name": "api-0", "namespace": "kube-system"}, "status": {"podIP": "***HIDDEN***", "phase": "Failed"},
        "spec": {"containers": [{"name": "api", "args": ["--listen", "***HIDDEN***"]}]}});
    files.retain(|(path, _)| *path != "cluster-resources/pods/kube-system.json");
    files.push(("cluster-resources/pods/kube-system.json", list("Pod", "v1", json!([pod]))));
    let rules = [
        ("t-is", "  pod: {resource: pods, namespace: kube-system, where: pod.status.podIP == '***HIDDEN***'}\n"),
        ("t-not", "  pod: {resource: pods, namespace: kube-system, where: pod.status.podIP != '10.0.0.1'}\n"),
        (
            "t-item",
            "  pod: {resource: pods, namespace: kube-system, where: \"pod.spec.containers[0].args.exists(a, a == '10.0.0.1')\"}\n",
        ),
        (
            "t-in",
            "  pod: {resource: pods, namespace: kube-system, where: \"'10.0.0.1' in pod.spec.containers[0].args\"}\n",
        ),
        ("t-else", "  pod: {resource: pods, namespace: kube-system, where: pod.status.phase == 'Failed'}\n"),
    ];
    let found = analysed(&files, &rules);
    assert_eq!(fired(&found), ["t-else"]);
    for rule in ["t-is", "t-not", "t-item", "t-in"] {
        assert!(reason(&found, rule).contains("the collector withheld a value"), "{rule}: {}", reason(&found, rule));
    }
}

#[test]
fn errors_of_the_collector_are_reported_and_believed() {
    let mut files = files();
    files.retain(|(path, _)| *path != "cluster-resources/pvs.json");
    files.extend([
        ("cluster-resources/pvs-errors.json", json!(["persistentvolumes is forbidden"]).to_string()),
        (
            "cluster-resources/custom-resources/custom-resources-errors.json",
            json!({"mice.example.org": "timed out"}).to_string(),
        ),
        ("cluster-resources/groups-resources-errors.json", "null".to_owned()),
        (
            "cluster-resources/pods/logs/shop/gone-0/web-logs-errors.log",
            "failed to get log stream: not found".to_owned(),
        ),
        ("collector-errors/helm-error.json", json!({"error": "no access"}).to_string()),
        ("run-ping/errors.json", json!(["image cannot be pulled"]).to_string()),
        (
            "execution-data/summary.txt",
            "============ Collectors summary =============\nall-logs (S) : 1ms\nmysql (F) : 2ms\n".to_owned(),
        ),
    ]);
    let rules = [
        ("t-volumes", "  volume: {resource: persistentvolumes}\n"),
        ("t-mice", "  mouse: {resource: mice.example.org}\n"),
        ("t-log", "  said: {log: {namespace: shop, pod: '{web-0,gone-*}'}, match: 'never said'}\n"),
    ];
    let found = analysed(&files, &rules);
    assert_eq!(reason(&found, "t-volumes"), "persistentvolumes were not collected: persistentvolumes is forbidden");
    assert!(reason(&found, "t-mice").ends_with("were not collected: timed out"), "{}", reason(&found, "t-mice"));
    assert!(reason(&found, "t-log").contains("no log of running container shop/gone-0 (web)"));
    let gaps = gaps(&found);
    for told in [
        ("a part of run-ping", "image cannot be pulled"),
        ("log of pod shop/gone-0, container web", "failed to get log stream: not found"),
        ("mice.example.org", "timed out"),
        ("persistentvolumes", "persistentvolumes is forbidden"),
        ("what collector helm collects: error", "no access"),
        ("what collector mysql collects", "the collector failed"),
    ] {
        assert!(gaps.contains(&told), "{told:?} in {gaps:?}");
    }
    assert_eq!(found["issues"], json!([]));
}

#[test]
fn unknown_columns_are_null_and_ages_undecided() {
    let mut files = without("version.yaml");
    files.retain(|(path, _)| !path.contains("leases") && !path.contains("nodes.json"));
    let rules = [(
        "t-age",
        "  pod: {resource: pods, name: web-0, where: now - timestamp('2025-03-01T00:00:00Z') > duration('1h')}\n",
    )];
    let found = analysed(&files, &rules);
    assert_eq!(found["bundle"]["collected_at"], json!(null));
    assert_eq!(found["bundle"]["collector"]["version"], json!(null));
    assert_ne!(reason(&found, "t-age"), "");
}

#[test]
fn older_and_smaller_bundles_are_recognised() {
    // Version 0.9 wrote bare lists without types, or one object if it was given a namespace.
    let pods = json!([pod("web-0")]).to_string();
    let namespace = json!({"metadata": {"name": "shop"}}).to_string();
    let rules = [("t-pod", "  pod: {resource: pods, name: web-0}\n  ns: {resource: namespaces, name: shop}\n")];
    let oldest = [("cluster-resources/pods/shop.json", pods), ("cluster-resources/namespaces.json", namespace)];
    let found = super::analysed("a/b", &oldest, &rules);
    assert_eq!((fired(&found), &found["bundle"]["kind"]), (vec!["t-pod"], &json!("troubleshoot")));
    assert_eq!(found["issues"], json!([]));
    let host = [("host-collectors/system/cpu.json", "{}".to_owned()), ("analysis.json", "[]".to_owned())];
    let found = analysed(&host, &rules);
    assert_eq!(found["bundle"]["kind"], "troubleshoot");
    assert_eq!(reason(&found, "t-pod"), "the bundle holds no dump of objects and no log");
}

#[test]
fn what_the_collector_warns_of_is_listed_as_its_own() {
    let results = json!([
        {"name": "pods", "severity": "debug", "insight": {"primary": "Pods", "detail": "All run."}},
        {"name": "class", "severity": "warn", "insight": {"primary": "Storage", "detail": "No class is the default."}},
    ]);
    let mut files = without("analysis.json");
    files.push(("analysis.json", results.to_string()));
    let found = analysed(&files, &[]);
    let expected = json!([{"title": "Storage", "message": "No class is the default.", "severity": "medium",
        "entry": "analysis.json", "line": 1}]);
    assert_eq!(found["unhealthy"]["verdicts"], expected);
    assert!(!found["findings"].to_string().contains("No class is the default"), "{}", found["findings"]);
}

#[test]
fn hostile_lists_are_bounded_and_reported() {
    let deep = "[".repeat(100_000);
    let texts =
        [deep, "{\"items\": [".repeat(1000), "\u{0}".repeat(1000), "{\"kind\": \"PodList\", \"items\": 5}".to_owned()];
    for text in texts {
        let mut files = without("cluster-resources/pods/shop.json");
        files
            .extend([("cluster-resources/pods/shop.json", text.clone()), ("cluster-resources/pods-errors.json", text)]);
        let found = analysed(&files, &[("t-pod", "  pod: {resource: pods, name: nobody}\n")]);
        assert_ne!(reason(&found, "t-pod"), "");
        let issues = found["issues"].as_array().unwrap();
        assert!(!issues.is_empty() && issues.len() < 50, "{issues:?}");
    }
}

#[test]
fn the_real_bundle_is_read_and_nothing_is_made_up() {
    let Some(path) = corpus("troubleshoot-k3s-2022.tar.gz") else { return };
    let found = analysis(&path, &[]);
    let bundle = &found["bundle"];
    assert_eq!((&bundle["kind"], &bundle["versions"]["k3s"]), (&json!("troubleshoot"), &json!("v1.24.4+k3s1")));
    assert_eq!(bundle["collector"]["version"], "v0.50.0-13-gd9e2465-dirty");
    assert_eq!(bundle["collected_at"], "2022-12-21T16:43:09Z");
    let nodes = bundle["nodes"].as_array().unwrap();
    assert_eq!(
        (nodes.len(), &nodes[0]["ready"], &nodes[0]["roles"]),
        (1, &json!(true), &json!(["control-plane", "master"]))
    );
    let links = |issue: &&Value| issue["message"].as_str().unwrap().starts_with("a link to");
    assert_eq!(found["issues"].as_array().unwrap().iter().filter(|issue| !links(issue)).count(), 0);
    let shown = ["node-containers-ended-together Node/-/k3d-mycluster-server-0"];
    assert_eq!(summary(&found), shown, "its pods run and its nodes are ready, since a restart");
    let clean = found["rules"]["clean"].as_array().unwrap();
    for rule in ["k8s-pod-crashloopbackoff", "precheck-node-not-ready", "k8s-namespace-stuck-terminating"] {
        assert!(clean.contains(&json!(rule)), "{rule} sees pods, nodes and namespaces");
    }
}
