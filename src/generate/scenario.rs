//! Known faults, as deterministic edits of a healthy cluster.

use serde_json::{Value, json};

use super::clock::{NOW, rfc3339};
use super::event::Event;
use super::log::{Log, Topic};
use super::world::{Versions, World};

/// What is wrong in the bundle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scenario {
    /// Nothing.
    #[default]
    Healthy,
    /// Fleet still reports the managed chart `harvester` not ready because of a DaemonSet that is complete, so that an
    /// upgrade is refused. Beside it a volume has lost a replica, and a pod is killed for its memory again and again.
    StaleManagedChart,
}

/// When the chart became not ready, the replica failed: seconds before the collection.
const CHART_AGE: i64 = 50 * 60;
const REPLICA_AGE: i64 = 3 * 3600;

/// How long before the collection the instances of the container were killed, the last one last.
const KILLS: &[i64] = &[2_280, 2_265, 2_240, 2_195, 2_110, 1_945, 1_640, 1_335, 1_030, 725, 420, 131];
const RUN_TIME: i64 = 44;
const CRASHING: &str = "inventory-export";

impl Scenario {
    /// The scenario of that name.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "healthy" => Some(Self::Healthy),
            "stale-managed-chart" => Some(Self::StaleManagedChart),
            _ => None,
        }
    }

    pub(super) fn versions(self) -> Versions {
        let (harvester, previous) = match self {
            Self::Healthy => ("v1.4.2", "v1.4.1"),
            Self::StaleManagedChart => ("v1.4.1", "v1.4.0"),
        };
        Versions {
            harvester,
            previous,
            rancher: "v2.9.3",
            longhorn: "v1.7.2",
            kubevirt: "1.3.1",
            kubernetes: "v1.29.9+rke2r1",
        }
    }

    /// What the user wrote about it, as a YAML scalar.
    pub(super) fn description(self) -> &'static str {
        match self {
            Self::Healthy => "\"\"",
            Self::StaleManagedChart => "upgrade to v1.4.2 is refused",
        }
    }

    /// Changes an object before it is written.
    pub(super) fn edit(self, world: &World, object: &mut Value) {
        if self == Self::Healthy {
            return;
        }
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (kind, name) = (text(&object["kind"]), text(&object["metadata"]["name"]));
        let (namespace, api) = (text(&object["metadata"]["namespace"]), text(&object["apiVersion"]));
        match (namespace.as_str(), kind.as_str(), name.as_str()) {
            ("fleet-local", "ManagedChart", "harvester") | ("fleet-local", "Bundle", "mcc-harvester") => {
                stale(world, object)
            }
            ("fleet-local", "Cluster", "local") => {
                object["status"]["display"] = json!({"readyBundles": "3/4", "state": "NotReady"});
                object["status"]["summary"] = json!({"desiredReady": 4, "ready": 3, "notReady": 1});
            }
            ("longhorn-system", _, _) if api.starts_with("longhorn.io") => degrade(world, &kind, &name, object),
            ("default", "Deployment" | "ReplicaSet" | "Pod", name) if name.starts_with(CRASHING) => {
                crash(&kind, object)
            }
            _ => {}
        }
    }

    /// Adds objects.
    pub(super) fn add(self, world: &mut World) {
        if self == Self::Healthy {
            return;
        }
        let Some(pod) = crashing_pod(world) else { return };
        let message = format!(
            "Back-off restarting failed container export in pod {pod}_default({})",
            world.uid("v1", "Pod", "default", &pod)
        );
        let event = Event::normal("v1", "Pod", "default", &pod, "BackOff", &message, "kubelet").warning(23, 65);
        world.event(&event);
    }

    /// Changes logs and lets them tell what happened.
    pub(super) fn tell(self, world: &mut World) {
        if self == Self::Healthy {
            return;
        }
        let Some(pod) = crashing_pod(world) else { return };
        let lines = kernel_lines(world, &pod);
        let volume = failing_volume(world);
        let replica = failed_replica(world, &volume);
        let host = world.host(0).name.clone();
        let path = format!("logs/default/{pod}/export.log");
        let mut before = Log::of_container(format!("{path}.1"), Topic::Application, &host, None);
        before.cover(NOW - 420 - RUN_TIME, NOW - 420);
        let (mut told_manager, at) = (false, NOW - REPLICA_AGE);
        for log in &mut world.logs {
            if log.path == path {
                log.cover(NOW - 131 - RUN_TIME, NOW - 131);
            } else if log.path.ends_with(&format!("{host}/logs/kernel.log")) {
                lines.iter().for_each(|(at, line)| log.tell(*at, line.clone()));
            } else if log.path.contains("/longhorn-manager-") && !told_manager {
                let stamp = rfc3339(at);
                log.tell(at, format!("time=\"{stamp}\" level=warning msg=\"Removing replica from the engine because it is in mode ERR\" controller=longhorn-engine engine={volume}-e-0 node={host} replica={replica}"));
                log.tell(at + 1, format!("time=\"{stamp}\" level=info msg=\"Event(v1.ObjectReference{{Kind:\\\"Volume\\\", Namespace:\\\"longhorn-system\\\", Name:\\\"{volume}\\\"}}): type: 'Warning' reason: 'Degraded' volume {volume} became degraded\""));
                told_manager = true;
            }
        }
        world.logs.push(before);
    }
}

/// What Fleet kept saying after the DaemonSet had become complete.
fn stale(world: &World, object: &mut Value) {
    let nodes = world.hosts.len();
    let available = format!("Available: {}/{nodes}", nodes.saturating_sub(1));
    let resource = json!({
        "apiVersion": "apps/v1", "kind": "DaemonSet", "namespace": "kube-system", "name": "harvester-whereabouts",
        "uid": world.uid("apps/v1", "DaemonSet", "kube-system", "harvester-whereabouts"),
        "summary": {"state": "in-progress", "transitioning": true, "message": [available]},
    });
    let summary = json!({
        "desiredReady": 1, "notReady": 1, "ready": 0,
        "nonReadyResources": [{"bundleState": "NotReady", "name": "fleet-local/local", "nonReadyStatus": [resource]}],
    });
    let message = format!(
        "NotReady(1) [Cluster fleet-local/local]; daemonset.apps kube-system/harvester-whereabouts [progressing] {available}"
    );
    let status = &mut object["status"];
    status["conditions"][0] =
        json!({"type": "Ready", "status": "False", "message": message, "lastUpdateTime": rfc3339(NOW - CHART_AGE)});
    status["display"] = json!({"readyClusters": "0/1", "state": "NotReady"});
    status["unavailable"] = json!(1);
    status["partitions"][0]["unavailable"] = json!(1);
    status["partitions"][0]["summary"] = summary.clone();
    status["summary"] = summary;
}

fn failing_volume(world: &World) -> String {
    world.volume_of("default", "ledger-db-disk-0")
}

/// The last replica of the volume.
fn failed_replica(world: &World, volume: &str) -> String {
    world.replica_of(volume, world.hosts.len().min(3) - 1)
}

fn degrade(world: &World, kind: &str, name: &str, object: &mut Value) {
    let volume = failing_volume(world);
    let replica = failed_replica(world, &volume);
    let since = rfc3339(NOW - REPLICA_AGE);
    let remove = |map: &mut Value| {
        map.as_object_mut().and_then(|map| map.remove(&replica));
    };
    match kind {
        "Volume" if name == volume => {
            object["status"]["robustness"] = json!("degraded");
            object["status"]["lastDegradedAt"] = json!(since);
        }
        "Replica" if name == replica => {
            object["spec"]["failedAt"] = json!(since);
            object["spec"]["lastFailedAt"] = json!(since);
            object["spec"]["healthyAt"] = json!("");
            object["spec"]["desireState"] = json!("stopped");
            for (field, value) in [
                ("currentState", json!("stopped")),
                ("started", json!(false)),
                ("instanceManagerName", json!("")),
                ("ip", json!("")),
                ("storageIP", json!("")),
                ("port", json!(0)),
            ] {
                object["status"][field] = value;
            }
        }
        "Engine" if name == format!("{volume}-e-0") => {
            remove(&mut object["spec"]["replicaAddressMap"]);
            remove(&mut object["status"]["replicaModeMap"]);
            remove(&mut object["status"]["currentReplicaAddressMap"]);
        }
        "InstanceManager" => remove(&mut object["status"]["instanceReplicas"]),
        _ => {}
    }
}

fn crashing_pod(world: &World) -> Option<String> {
    let prefix = format!("default/{CRASHING}-");
    world
        .spoken_pods
        .iter()
        .find(|pod| pod.starts_with(&prefix))
        .map(|pod| pod.trim_start_matches("default/").to_owned())
}

/// A workload of one replica whose container is killed for its memory.
fn crash(kind: &str, object: &mut Value) {
    let killed = rfc3339(NOW - KILLS.last().copied().unwrap_or_default());
    let limits = json!({"limits": {"memory": "256Mi"}, "requests": {"memory": "128Mi"}});
    match kind {
        "Deployment" => {
            object["spec"]["template"]["spec"]["containers"][0]["resources"] = limits;
            let status = &mut object["status"];
            status["unavailableReplicas"] = json!(1);
            status
                .as_object_mut()
                .into_iter()
                .for_each(|s| s.retain(|key, _| key != "readyReplicas" && key != "availableReplicas"));
            let since = rfc3339(NOW - KILLS.first().copied().unwrap_or_default());
            status["conditions"][0] = json!({
                "type": "Available", "status": "False", "reason": "MinimumReplicasUnavailable",
                "message": "Deployment does not have minimum availability.", "lastTransitionTime": since,
                "lastUpdateTime": since,
            });
        }
        "ReplicaSet" => {
            object["spec"]["template"]["spec"]["containers"][0]["resources"] = limits;
            object["status"]
                .as_object_mut()
                .into_iter()
                .for_each(|s| s.retain(|key, _| key != "readyReplicas" && key != "availableReplicas"));
        }
        _ => {
            object["spec"]["containers"][0]["resources"] = limits;
            object["status"]["qosClass"] = json!("Burstable");
            for condition in object["status"]["conditions"].as_array_mut().into_iter().flatten() {
                if matches!(condition["type"].as_str(), Some("Ready" | "ContainersReady")) {
                    condition["status"] = json!("False");
                    condition["reason"] = json!("ContainersNotReady");
                    condition["message"] = json!("containers with unready status: [export]");
                    condition["lastTransitionTime"] = json!(killed);
                }
            }
            let pod = object["metadata"]["name"].as_str().unwrap_or_default().to_owned();
            let uid = object["metadata"]["uid"].as_str().unwrap_or_default().to_owned();
            crash_container(&mut object["status"]["containerStatuses"][0], &pod, &uid, &killed);
        }
    }
}

fn crash_container(status: &mut Value, pod: &str, uid: &str, killed: &str) {
    status["ready"] = json!(false);
    status["started"] = json!(false);
    status["restartCount"] = json!(KILLS.len());
    status["state"] = json!({"waiting": {
        "reason": "CrashLoopBackOff",
        "message": format!("back-off 5m0s restarting failed container=export pod={pod}_default({uid})"),
    }});
    status["lastState"] = json!({"terminated": {
        "reason": "OOMKilled", "exitCode": 137, "containerID": status["containerID"],
        "startedAt": rfc3339(NOW - 131 - RUN_TIME), "finishedAt": killed,
    }});
}

/// What the kernel writes each time.
fn kernel_lines(world: &World, pod: &str) -> Vec<(i64, String)> {
    let uid = world.uid("v1", "Pod", "default", pod).replace('-', "_");
    let slice = format!("/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod{uid}.slice");
    let mut lines = Vec::new();
    for (number, age) in KILLS.iter().enumerate() {
        let (at, pid) = (NOW - age, 48_213 + number * 1_117);
        let scope = format!("cri-containerd-{}.scope", world.names.hex(&["scope", pod, &number.to_string()], 64));
        lines.push((
            at,
            format!("python3 invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj={}", 998),
        ));
        lines.push((at, format!("oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset={scope},mems_allowed=0-1,oom_memcg={slice}/{scope},task_memcg={slice}/{scope},task=python3,pid={pid},uid=1000")));
        lines.push((at, format!("Memory cgroup out of memory: Killed process {pid} (python3) total-vm:{}kB, anon-rss:{}kB, file-rss:11264kB, shmem-rss:0kB, UID:1000 pgtables:712kB oom_score_adj:998", 412_340 + number * 36, 259_812 + number * 8)));
    }
    lines
}
