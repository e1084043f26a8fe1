//! A chart that Fleet deploys turned ConfigMap `orders-config` into a hook. Helm ran the hook, then deleted the ConfigMap as an
//! ordinary part of the revision before, and called the upgrade a success. New pods wait for it; the old one runs on.

use serde_json::{Value, json};

use crate::generate::clock::{INSTALLED, Moment, NOW, SECOND, rfc3339};
use crate::generate::event::Event;
use crate::generate::log::Topic;
use crate::generate::workload::{Pod, Workload};
use crate::generate::world::World;

const APP: &str = "orders";
const CONFIG: &str = "orders-config";
const BUNDLE: &str = "shop-orders";
const OLD_IMAGE: &str = "registry.example.net/apps/orders:2.3.0";
const NEW_IMAGE: &str = "registry.example.net/apps/orders:2.4.0";

/// When the new version was deployed, and the deadline of the rollout.
const UPGRADED: i64 = NOW - 65 * 60;
const DEADLINE: i64 = UPGRADED + 600;

/// When the objects of the new revision were made.
pub fn created(namespace: &str, name: &str) -> Option<i64> {
    match (namespace, name) {
        ("fleet-local", "shop" | BUNDLE) => Some(INSTALLED + 2 * 86_400),
        ("default", APP) => Some(INSTALLED + 2 * 86_400 + 40),
        ("default", name) if name.starts_with(NEW_SET) => Some(UPGRADED + 2),
        ("default", name) if name.starts_with(APP) => Some(INSTALLED + 2 * 86_400 + 42),
        _ => None,
    }
}

/// The ReplicaSet of the new version.
const NEW_SET: &str = "orders-7c9d6bf5f4";

fn new_pod(world: &World) -> String {
    format!("{NEW_SET}-{}", world.names.suffix(&["pod", "default", NEW_SET], 5))
}

fn labels() -> Value {
    json!({"app.kubernetes.io/name": APP, "app.kubernetes.io/instance": APP})
}

fn volume() -> Value {
    json!({"name": "config", "configMap": {"name": CONFIG, "defaultMode": 420}})
}

fn timed_out() -> String {
    format!("ReplicaSet \"{NEW_SET}\" has timed out progressing.")
}

/// Adds the application in both versions, and what Fleet and Rancher know of it.
pub fn add(world: &mut World) {
    world.workload(&Workload {
        namespace: "default",
        name: APP,
        labels: &[("app.kubernetes.io/name", APP), ("app.kubernetes.io/instance", APP)],
        containers: &[(APP, OLD_IMAGE, Topic::Application)],
        services: &[(APP, 80, 8080)],
        release: (APP, "default"),
        config: CONFIG,
        ..Workload::default()
    });
    new_version(world);
    world.app(APP, "default", "2.4.0", "2.4.0");
    fleet_bundle(world);
    events(world);
}

fn new_version(world: &mut World) {
    let mut labels = labels();
    labels["pod-template-hash"] = json!(NEW_SET.trim_start_matches("orders-"));
    let container = json!({"name": APP, "image": NEW_IMAGE, "imagePullPolicy": "IfNotPresent", "resources": {}});
    let body = json!({
        "metadata": {
            "generation": 1, "labels": labels,
            "annotations": {
                "deployment.kubernetes.io/desired-replicas": "1", "deployment.kubernetes.io/revision": "2",
                "meta.helm.sh/release-name": APP, "meta.helm.sh/release-namespace": "default",
            },
            "ownerReferences": world.owner("apps/v1", "Deployment", "default", APP),
        },
        "spec": {
            "replicas": 1, "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"creationTimestamp": null, "labels": labels},
                "spec": {"containers": [container], "volumes": [volume()], "serviceAccountName": "default"},
            },
        },
        "status": {"observedGeneration": 1, "replicas": 1, "fullyLabeledReplicas": 1},
    });
    world.add("apps/v1", "ReplicaSet", "replicasets", "default", NEW_SET, body);
    let name = new_pod(world);
    let owners = world.owner("apps/v1", "ReplicaSet", "default", NEW_SET);
    world.pod(Pod {
        namespace: "default",
        name,
        host: 0,
        host_network: false,
        labels,
        annotations: json!({}),
        owners,
        containers: &[(APP, NEW_IMAGE, Topic::Application)],
        account: "default",
        volumes: vec![volume()],
        done: false,
    });
}

/// What Fleet made of the path `orders` of a repository; the chart's files lie in the bundle.
fn fleet_bundle(world: &mut World) {
    let targets = json!([{"clusterName": "local"}]);
    let ready = |kind: &str| json!({"type": kind, "status": "True", "lastUpdateTime": rfc3339(UPGRADED - 20)});
    let body = json!({
        "metadata": {"generation": 1},
        "spec": {
            "repo": "https://git.example.net/shop/deploy", "branch": "main", "paths": [APP], "targets": targets,
        },
        "status": {
            "commit": world.names.hex(&["commit", "shop"], 40), "observedGeneration": 1,
            "conditions": [ready("GitPolling"), ready("Accepted")],
            "desiredReadyClusters": 1, "readyClusters": 0,
            "display": {"readyBundleDeployments": "0/1", "state": "NotReady"},
        },
    });
    world.add("fleet.cattle.io/v1alpha1", "GitRepo", "gitrepos", "fleet-local", "shop", body);
    let config = format!(
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {CONFIG}\n  annotations:\n    helm.sh/hook: pre-install,pre-upgrade\ndata:\n  orders.conf: |\n    queue = orders\n"
    );
    let body = json!({
        "metadata": {
            "generation": 3, "finalizers": ["fleet.cattle.io/bundle-finalizer"],
            "labels": {"fleet.cattle.io/repo-name": "shop", "fleet.cattle.io/bundle-path": APP},
        },
        "spec": {
            "defaultNamespace": "default", "helm": {"chart": APP, "releaseName": APP}, "ignore": {}, "targets": targets,
            "resources": [
                {"name": "orders/Chart.yaml", "content": "apiVersion: v2\nname: orders\nversion: 2.4.0\n"},
                {"name": "orders/templates/config.yaml", "content": config},
            ],
        },
        "status": world.bundle_status(BUNDLE),
    });
    world.add("fleet.cattle.io/v1alpha1", "Bundle", "bundles", "fleet-local", BUNDLE, body);
}

fn events(world: &mut World) {
    let pod = new_pod(world);
    let message = format!("MountVolume.SetUp failed for volume \"config\" : configmap \"{CONFIG}\" not found");
    world.event(&Event::normal("v1", "Pod", "default", &pod, "FailedMount", &message, "kubelet").warning(15, 95));
}

/// Changes an object before it is written.
pub fn edit(world: &World, namespace: &str, kind: &str, name: &str, object: &mut Value) {
    match (namespace, kind, name) {
        ("default", "Deployment", APP) => half_rolled_out(object),
        ("default", "Pod", name) if name.starts_with(NEW_SET) => waits(object),
        ("default", "App", APP) => {
            object["spec"]["version"] = json!(2);
            object["spec"]["info"]["description"] = json!("Upgrade complete");
            object["spec"]["info"]["lastDeployed"] = json!(rfc3339(UPGRADED + 3));
        }
        ("fleet-local", "Bundle", BUNDLE) => {
            let resource = json!({
                "apiVersion": "apps/v1", "kind": "Deployment", "namespace": "default", "name": APP,
                "uid": world.uid("apps/v1", "Deployment", "default", APP),
                "summary": {"state": "failed", "error": true, "message": [timed_out()]},
            });
            let message = format!(
                "NotReady(1) [Cluster fleet-local/local]; deployment.apps default/{APP} error] {}",
                timed_out()
            );
            super::not_ready(&mut object["status"], &resource, &message, DEADLINE);
        }
        ("fleet-local", "Cluster", "local") => super::one_bundle_not_ready(object, 5),
        _ => {}
    }
}

fn half_rolled_out(object: &mut Value) {
    object["metadata"]["generation"] = json!(2);
    object["metadata"]["annotations"]["deployment.kubernetes.io/revision"] = json!("2");
    object["spec"]["template"]["spec"]["containers"][0]["image"] = json!(NEW_IMAGE);
    let status = &mut object["status"];
    for (field, value) in
        [("observedGeneration", 2), ("replicas", 2), ("updatedReplicas", 1), ("unavailableReplicas", 1)]
    {
        status[field] = json!(value);
    }
    status["conditions"][1] = json!({
        "type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded", "message": timed_out(),
        "lastTransitionTime": rfc3339(DEADLINE), "lastUpdateTime": rfc3339(DEADLINE),
    });
}

fn waits(object: &mut Value) {
    let status = &mut object["status"];
    status["phase"] = json!("Pending");
    for field in ["podIP", "podIPs"] {
        status.as_object_mut().and_then(|status| status.remove(field));
    }
    for condition in status["conditions"].as_array_mut().into_iter().flatten() {
        if matches!(condition["type"].as_str(), Some("Ready" | "ContainersReady")) {
            condition["reason"] = json!("ContainersNotReady");
            condition["message"] = json!(format!("containers with unready status: [{APP}]"));
        }
        if !matches!(condition["type"].as_str(), Some("PodScheduled" | "Initialized")) {
            condition["status"] = json!("False");
            condition["lastTransitionTime"] = json!(rfc3339(UPGRADED + 2));
        }
    }
    status["containerStatuses"] = json!([{
        "name": APP, "image": NEW_IMAGE, "imageID": "", "ready": false, "started": false, "restartCount": 0,
        "lastState": {}, "state": {"waiting": {"reason": "ContainerCreating"}},
    }]);
}

/// What the agent of Fleet and the kubelet wrote; the container that never ran wrote nothing.
pub fn tell(world: &mut World) {
    let pod = new_pod(world);
    let without_log = format!("/{pod}/");
    world.logs.retain(|log| !log.path.contains(&without_log));
    let stamp = rfc3339(UPGRADED);
    let said = [
        "preparing upgrade for orders".to_owned(),
        "performing update for orders".to_owned(),
        "creating upgraded release for orders".to_owned(),
        format!("Starting delete for \\\"{CONFIG}\\\" ConfigMap"),
        "creating 1 resource(s)".to_owned(),
        "checking 2 resources for changes".to_owned(),
        "Looks like there are no changes for Service \\\"orders\\\"".to_owned(),
        format!("Deleting ConfigMap \\\"{CONFIG}\\\" in namespace default..."),
        "updating status for upgraded release for orders".to_owned(),
    ];
    let lines = (0..)
        .zip(said)
        .map(|(second, text)| (UPGRADED + second / 3, format!("time=\"{stamp}\" level=info msg=\"{text}\"")));
    super::tell(world, "/fleet-agent-", lines);
    let refused = [UPGRADED + 3, NOW - 95].map(|at| {
        let mut line = "E".to_owned();
        Moment::new(at * SECOND).klog(&mut line);
        (at, format!("{line}    2817 configmap.go:193] Couldn't get configMap default/{CONFIG}: configmap \"{CONFIG}\" not found"))
    });
    super::tell(world, "/logs/kubelet.log", refused);
}

/// The container that waits has no log to fetch.
pub fn collector_errors(world: &World) -> String {
    let pod = new_pod(world);
    format!(
        "BUG: Support bundle: cannot get log for pod {pod} container {APP}: container \"{APP}\" in pod \"{pod}\" is waiting to start: ContainerCreating\n"
    )
}
