//! Functions that judge objects: `kstatus unhealthy workload`.

use super::fixture::{show, world};
use crate::expr::{Expr, Scope, Truth, World};

fn expr(text: &str) -> Expr {
    Expr::compile(text, Scope { names: &[], this: None, tested: false })
        .unwrap_or_else(|errors| panic!("{text}: {errors:?}"))
}

fn shown(world: &World, text: &str) -> String {
    show(&expr(text).eval(world, &[]))
}

/// Status and message of one object in flow style.
fn kstatus(object: &str) -> String {
    let world = world(&format!("{{metadata: {{name: x, namespace: a, generation: 2}}, {object}}}"));
    let id = 0;
    let names = ["x".to_owned()];
    let scope = Scope { names: &names, this: None, tested: false };
    let text = "kstatus(x) + ': ' + kstatus(x, 'message')";
    let value = Expr::compile(text, scope).unwrap().eval(&world, &[crate::expr::Value::Resource(id)]);
    let shown = show(&value);
    shown.trim_matches('\'').to_owned()
}

#[test]
fn statuses_are_those_of_kstatus() {
    let deployment = |spec: &str, status: &str| {
        kstatus(&format!(
            "apiVersion: apps/v1, kind: Deployment, spec: {{{spec}}}, status: {{observedGeneration: 2, {status}}}"
        ))
    };
    let pod = |status: &str| kstatus(&format!("apiVersion: v1, kind: Pod, status: {{{status}}}"));
    let good = "replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 2";
    for (is, wanted) in [
        (deployment("replicas: 2", "replicas: 1"), "InProgress: Replicas: 1/2"),
        (deployment("replicas: 2", "replicas: 2, updatedReplicas: 1"), "InProgress: Updated: 1/2"),
        (deployment("replicas: 2", "replicas: 3, updatedReplicas: 2"), "InProgress: Pending termination: 1"),
        (
            deployment("replicas: 2", "replicas: 2, updatedReplicas: 2, availableReplicas: 1"),
            "InProgress: Available: 1/2",
        ),
        (deployment("replicas: 2, progressDeadlineSeconds: 600", good), "InProgress: ReplicaSet not Available"),
        (deployment("replicas: 2", good), "InProgress: Deployment not Available"),
        (
            deployment("replicas: 2", &format!("{good}, conditions: [{{type: Available, status: 'True'}}]")),
            "Current: Deployment is available. Replicas: 2",
        ),
        (
            deployment(
                "replicas: 2",
                "conditions: [{type: Progressing, status: 'False', reason: ProgressDeadlineExceeded}]",
            ),
            "Failed: Progress deadline exceeded",
        ),
        (
            kstatus("apiVersion: apps/v1, kind: Deployment, status: {observedGeneration: 1}"),
            "InProgress: Deployment generation is 2, but latest observed generation is 1",
        ),
        (pod("phase: Succeeded"), "Current: Pod has completed successfully"),
        (pod("phase: Failed"), "Failed: Pod has completed, but not successfully"),
        (pod("phase: Running, conditions: [{type: Ready, status: 'True'}]"), "Current: Pod is Ready"),
        (pod("phase: Running"), "InProgress: Pod is running but is not Ready"),
        (
            pod("phase: Running, containerStatuses: [{name: m, state: {waiting: {reason: CrashLoopBackOff}}}]"),
            "Failed: Containers in CrashLoop state: m",
        ),
        (pod("phase: Pending"), "InProgress: Pod is in the Pending phase"),
        (
            pod("phase: Pending, conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable}]"),
            "Failed: Pod could not be scheduled",
        ),
        (pod("phase: Odd"), "Unknown: unknown phase Odd"),
        (
            kstatus("apiVersion: v1, kind: PersistentVolumeClaim, status: {phase: Pending}"),
            "InProgress: PVC is not Bound. phase: Pending",
        ),
        (kstatus("apiVersion: v1, kind: PersistentVolumeClaim, status: {phase: Bound}"), "Current: PVC is Bound"),
        (
            kstatus(
                "apiVersion: apps/v1, kind: DaemonSet, status: {desiredNumberScheduled: 3, currentNumberScheduled: 3, updatedNumberScheduled: 3, numberAvailable: 2}",
            ),
            "InProgress: Available: 2/3",
        ),
        (kstatus("apiVersion: apps/v1, kind: DaemonSet"), "InProgress: Missing .status.desiredNumberScheduled"),
        (
            kstatus(
                "apiVersion: apps/v1, kind: StatefulSet, spec: {replicas: 1}, status: {replicas: 1, readyReplicas: 1, currentReplicas: 1, currentRevision: a, updateRevision: b}",
            ),
            "InProgress: Waiting for updated revision to match current",
        ),
        (
            kstatus(
                "apiVersion: apps/v1, kind: StatefulSet, spec: {replicas: 3, updateStrategy: {rollingUpdate: {partition: 2}}}, status: {replicas: 3, readyReplicas: 3, updatedReplicas: 1}",
            ),
            "Current: Partition rollout complete. updated: 1",
        ),
        (
            kstatus("apiVersion: apps/v1, kind: ReplicaSet, spec: {replicas: 1}, status: {replicas: 1}"),
            "InProgress: Labelled: 0/1",
        ),
        (kstatus("apiVersion: batch/v1, kind: Job"), "InProgress: Job not started"),
        (
            kstatus(
                "apiVersion: batch/v1, kind: Job, status: {failed: 4, conditions: [{type: Failed, status: 'True'}]}",
            ),
            "Failed: Job Failed. failed: 4/1",
        ),
        (
            kstatus(
                "apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, status: {conditions: [{type: Established, status: 'True'}]}",
            ),
            "Current: CRD is established",
        ),
        (
            kstatus("apiVersion: v1, kind: Service, spec: {type: LoadBalancer}"),
            "InProgress: ClusterIP not set. Service type: LoadBalancer",
        ),
        (kstatus("apiVersion: v1, kind: ConfigMap"), "Current: Resource is always ready"),
        (
            kstatus(
                "apiVersion: example.io/v1, kind: Thing, status: {conditions: [{type: Stalled, status: 'True', message: stuck}]}",
            ),
            "Failed: stuck",
        ),
        (
            kstatus(
                "apiVersion: example.io/v1, kind: Thing, status: {conditions: [{type: Ready, status: 'False', message: not yet}]}",
            ),
            "InProgress: not yet",
        ),
        (kstatus("apiVersion: example.io/v1, kind: Thing"), "Current: Resource is current"),
    ] {
        assert_eq!(is, wanted);
    }
}

#[test]
fn deleted_and_missing_objects_have_a_status() {
    let world = world(
        "{apiVersion: v1, kind: Pod, metadata: {name: x, namespace: a, deletionTimestamp: '2024-01-01T00:00:00Z'}}",
    );
    assert_eq!(shown(&world, "kstatus(get('pods', 'a', 'x'))"), "'Terminating'");
    assert_eq!(shown(&world, "kstatus(get('pods', 'a', 'y'))"), "'NotFound'");
    assert_eq!(shown(&world, "kstatus(get('pods', 'a', 'y'), 'message')"), "'Resource not found'");
}

#[test]
fn conditions_are_bad_by_their_polarity() {
    let world = world(
        "{apiVersion: v1, kind: Node, metadata: {name: n}, status: {conditions: [{type: Ready, status: Unknown}, {type: DiskPressure, status: 'False'}, {type: MemoryPressure, status: 'True'}, {type: EtcdIsVoter, status: 'True'}, {type: Odd, status: 'False'}]}}\n---\n\
         {apiVersion: v1, kind: Pod, metadata: {name: done, namespace: a}, status: {conditions: [{type: Ready, status: 'False', reason: PodCompleted}]}}\n---\n\
         {apiVersion: kubevirt.io/v1, kind: KubeVirt, metadata: {name: k, namespace: a}, status: {conditions: [{type: Available, status: 'True'}, {type: Progressing, status: 'False'}, {type: Degraded, status: 'False'}]}}\n---\n\
         {apiVersion: longhorn.io/v1beta2, kind: Node, metadata: {name: n, namespace: longhorn-system}, status: {diskStatus: {d: {conditions: [{type: Schedulable, status: 'False'}]}}}}",
    );
    let types = |object: &str| shown(&world, &format!("unhealthy({object}).map(c, c.type)"));
    assert_eq!(types("nodes[0]"), "['Ready', 'MemoryPressure']");
    assert_eq!(types("get('pods', 'a', 'done')"), "[]");
    assert_eq!(types("get('kubevirts.kubevirt.io', 'a', 'k')"), "[]");
    assert_eq!(types("get('nodes.longhorn.io', 'longhorn-system', 'n').status.diskStatus.d"), "['Schedulable']");
    assert_eq!(shown(&world, "unhealthy(get('pods', 'a', 'nope'))"), "null");
    let mut reads = Vec::new();
    expr("size(unhealthy(nodes[0])) > 1").trace(&world, &[], &mut reads);
    let lines: Vec<&str> = reads
        .iter()
        .filter_map(|read| world.resources.resource(read.resource).document.node(read.node).str_at(&["type"]))
        .collect();
    assert_eq!(lines, ["Ready", "MemoryPressure"]);
}

#[test]
fn the_workload_is_the_topmost_owner() {
    let owned = |kind: &str, api: &str, name: &str, by: &str| {
        format!(
            "{{apiVersion: {api}, kind: {kind}, metadata: {{name: {name}, namespace: a, uid: u-{name}, ownerReferences: [{by}]}}}}"
        )
    };
    let by = |kind: &str, api: &str, name: &str| {
        format!("{{apiVersion: {api}, kind: {kind}, name: {name}, uid: u-{name}, controller: true}}")
    };
    let objects = [
        owned("Pod", "v1", "web-1-x", &by("ReplicaSet", "apps/v1", "web-1")),
        owned("ReplicaSet", "apps/v1", "web-1", &by("Deployment", "apps/v1", "web")),
        owned("Deployment", "apps/v1", "web", ""),
        owned("Pod", "v1", "tick-1-y", &by("Job", "batch/v1", "tick-1")),
        owned("Job", "batch/v1", "tick-1", &by("CronJob", "batch/v1", "tick")),
        owned("CronJob", "batch/v1", "tick", ""),
        owned("Pod", "v1", "lost-1-z", &by("ReplicaSet", "apps/v1", "lost-1")),
        owned("Pod", "v1", "web-9-z", &by("ReplicaSet", "apps/v1", "web-9")),
        owned("Pod", "v1", "bare", ""),
        owned("Pod", "v1", "a", &by("Pod", "v1", "b")),
        owned("Pod", "v1", "b", &by("Pod", "v1", "a")),
    ];
    let world = world(&objects.join("\n---\n"));
    for (pod, wanted) in [
        ("web-1-x", "'Deployment.apps/a/web'"),
        ("tick-1-y", "'CronJob.batch/a/tick'"),
        ("web-9-z", "'Deployment.apps/a/web'"),
        ("bare", "'Pod/a/bare'"),
    ] {
        assert_eq!(shown(&world, &format!("string(workload(get('pods', 'a', '{pod}')))")), wanted);
    }
    let lost = "{apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'lost-1', uid: 'u-lost-1', namespace: 'a'}";
    assert_eq!(shown(&world, "workload(get('pods', 'a', 'lost-1-z'))"), lost);
    assert_eq!(shown(&world, "workload(get('pods', 'a', 'nope'))"), "null");
    assert_eq!(world.take_problems(), []);
    assert_eq!(expr("workload(get('pods', 'a', 'a')).kind == 'Pod'").test(&world, &[]), Truth::False);
    assert!(world.take_problems()[0].message.to_string().starts_with("more than 16 objects own each other"));
}
