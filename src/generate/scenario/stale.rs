//! A stale managed chart: Fleet reports a DaemonSet incomplete that is complete. Beside it a volume that lost a replica and a pod
//! that is killed for its memory.

use serde_json::{Value, json};

use crate::generate::clock::{NOW, rfc3339};
use crate::generate::event::Event;
use crate::generate::log::{Log, Topic};
use crate::generate::world::World;

/// When the chart became not ready, the replica failed: seconds before the collection.
const CHART_AGE: i64 = 50 * 60;
const REPLICA_AGE: i64 = 3 * 3600;

/// How long before the collection the instances of the container were killed, the last one last.
const KILLS: &[i64] = &[2_280, 2_265, 2_240, 2_195, 2_110, 1_945, 1_640, 1_335, 1_030, 725, 420, 131];
const RUN_TIME: i64 = 44;
const CRASHING: &str = "inventory-export";

/// Changes an object before it is written.
pub fn edit(world: &World, namespace: &str, kind: &str, name: &str, object: &mut Value) {
    let custom = object["apiVersion"].as_str().is_some_and(|api| api.starts_with("longhorn.io"));
    match (namespace, kind, name) {
        ("fleet-local", "ManagedChart", "harvester") | ("fleet-local", "Bundle", "mcc-harvester") => {
            stale(world, object)
        }
        ("fleet-local", "Cluster", "local") => super::one_bundle_not_ready(object, 4),
        ("longhorn-system", _, _) if custom => degrade(world, kind, name, object),
        ("default", "Deployment" | "ReplicaSet" | "Pod", name) if name.starts_with(CRASHING) => crash(kind, object),
        _ => {}
    }
}

/// Adds objects.
pub fn add(world: &mut World) {
    let Some(pod) = crashing_pod(world) else { return };
    let message = format!(
        "Back-off restarting failed container export in pod {pod}_default({})",
        world.uid("v1", "Pod", "default", &pod)
    );
    let event = Event::normal("v1", "Pod", "default", &pod, "BackOff", &message, "kubelet").warning(23, 65);
    world.event(&event);
}

/// Changes logs and lets them tell what happened.
pub fn tell(world: &mut World) {
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

/// What Fleet kept saying after the DaemonSet had become complete.
fn stale(world: &World, object: &mut Value) {
    let nodes = world.hosts.len();
    let available = format!("Available: {}/{nodes}", nodes.saturating_sub(1));
    let resource = json!({
        "apiVersion": "apps/v1", "kind": "DaemonSet", "namespace": "kube-system", "name": "harvester-whereabouts",
        "uid": world.uid("apps/v1", "DaemonSet", "kube-system", "harvester-whereabouts"),
        "summary": {"state": "in-progress", "transitioning": true, "message": [available]},
    });
    let message = format!(
        "NotReady(1) [Cluster fleet-local/local]; daemonset.apps kube-system/harvester-whereabouts [progressing] {available}"
    );
    super::not_ready(&mut object["status"], &resource, &message, NOW - CHART_AGE);
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
    super::pod_of(world, "default", &format!("{CRASHING}-"))
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
