//! Tests of `columns`: the output of kubectl, computed and from rows.

use super::fixture::{show, world};
use crate::expr::{Expr, Scope, World};

fn shown(world: &World, text: &str) -> String {
    let expr = Expr::compile(text, Scope { names: &[], this: None, tested: false });
    show(&expr.unwrap_or_else(|errors| panic!("{text}: {errors:?}")).eval(world, &[]))
}

/// Returns the columns of one object in flow style, without name and age.
fn columns(type_: &str, object: &str) -> String {
    let world =
        world(&format!("{{metadata: {{name: x, namespace: a, creationTimestamp: '2026-12-31T12:00:00Z'}}, {object}}}"));
    let text = shown(&world, &format!("columns(get('{type_}', 'a', 'x'))"));
    assert_eq!(world.take_problems(), [], "{object}");
    let text = text.replace("NAMESPACE: 'a', ", "");
    let inside = text.strip_prefix("{NAME: 'x', ").and_then(|text| text.strip_suffix(", AGE: 1d}"));
    inside.unwrap_or_else(|| panic!("{text}")).to_owned()
}

/// READY, STATUS and RESTARTS of a pod with two containers and one init container.
fn pod(status: &str, more: &str) -> String {
    let spec = "spec: {initContainers: [{name: i}], containers: [{name: m}, {name: s}]}";
    let object = format!("apiVersion: v1, kind: Pod, {spec}, {more} status: {{{status}}}");
    let world = world(&format!(
        "{{metadata: {{name: x, namespace: a, {}}}, {object}}}",
        if more.is_empty() { "" } else { "deletionTimestamp: '2026-12-31T12:00:00Z'" }
    ));
    let columns = "columns(get('pods', 'a', 'x'))";
    let text = shown(&world, &format!("{columns}.READY + ' ' + {columns}.STATUS + ' ' + string({columns}.RESTARTS)"));
    text.trim_matches('\'').to_owned()
}

#[test]
fn the_status_of_a_pod_is_that_of_kubectl() {
    let deleted = "labels: {},";
    let main = |state: &str| {
        format!(
            "phase: Running, containerStatuses: [{{name: m, restartCount: 7, state: {{{state}}}}}, {{name: s, ready: true, state: {{running: {{}}}}}}]"
        )
    };
    for (status, more, wanted) in [
        ("phase: Pending", "", "0/2 Pending 0"),
        ("phase: Failed, reason: Evicted", "", "0/2 Evicted 0"),
        (
            "phase: Pending, conditions: [{type: PodScheduled, status: 'False', reason: SchedulingGated}]",
            "",
            "0/2 SchedulingGated 0",
        ),
        (
            "phase: Pending, initContainerStatuses: [{name: i, restartCount: 2, state: {running: {}}}]",
            "",
            "0/2 Init:0/1 2",
        ),
        (
            "phase: Pending, initContainerStatuses: [{name: i, state: {waiting: {reason: CrashLoopBackOff}}}]",
            "",
            "0/2 Init:CrashLoopBackOff 0",
        ),
        (
            "phase: Pending, initContainerStatuses: [{name: i, state: {waiting: {reason: PodInitializing}}}]",
            "",
            "0/2 Init:0/1 0",
        ),
        (
            "phase: Pending, initContainerStatuses: [{name: i, state: {terminated: {exitCode: 3, reason: Error}}}]",
            "",
            "0/2 Init:Error 0",
        ),
        (
            "phase: Pending, initContainerStatuses: [{name: i, state: {terminated: {exitCode: 3}}}]",
            "",
            "0/2 Init:ExitCode:3 0",
        ),
        (
            "phase: Pending, initContainerStatuses: [{name: i, state: {terminated: {exitCode: 0, signal: 9}}}]",
            "",
            "0/2 Pending 0",
        ),
        (&main("waiting: {reason: CrashLoopBackOff}"), "", "1/2 CrashLoopBackOff 7"),
        (&main("terminated: {reason: OOMKilled, exitCode: 137}"), "", "1/2 OOMKilled 7"),
        (&main("terminated: {exitCode: 1, signal: 11}"), "", "1/2 Signal:11 7"),
        (&main("terminated: {reason: Completed, exitCode: 0}"), "", "1/2 NotReady 7"),
        (
            &format!(
                "{}, conditions: [{{type: Ready, status: 'True'}}]",
                main("terminated: {reason: Completed, exitCode: 0}")
            ),
            "",
            "1/2 Running 7",
        ),
        (&main("running: {}"), deleted, "1/2 Terminating 7"),
        ("phase: Running, reason: NodeLost", deleted, "0/2 Unknown 0"),
        ("phase: Running, reason: NodeLost", "", "0/2 NodeLost 0"),
        (
            "phase: Succeeded, containerStatuses: [{name: m, state: {terminated: {reason: Completed, exitCode: 0}}}]",
            deleted,
            "0/2 Completed 0",
        ),
    ] {
        assert_eq!(pod(status, more), wanted, "{status}");
    }
}

#[test]
fn sidecars_count_as_containers() {
    let world = world(
        "{apiVersion: v1, kind: Pod, metadata: {name: x, namespace: a}, spec: {initContainers: [{name: i, restartPolicy: Always}], containers: [{name: m}]}, status: {phase: Running, podIPs: [{ip: 10.0.0.1}], initContainerStatuses: [{name: i, started: true, ready: true, restartCount: 4, state: {running: {}}}], containerStatuses: [{name: m, ready: true, restartCount: 1, state: {running: {}}}]}}",
    );
    let columns = "columns(get('pods', 'a', 'x'))";
    assert_eq!(
        shown(&world, &format!("[{columns}.READY, {columns}.STATUS, {columns}.RESTARTS, {columns}.IP]")),
        "['2/2', 'Running', 5, '10.0.0.1']"
    );
}

#[test]
fn built_in_types_are_printed_as_kubectl_does() {
    let template = "template: {spec: {containers: [{name: m, image: 'w:1'}, {name: s, image: 's:2'}]}}";
    let selector = "selector: {matchLabels: {b: y, a: x}, matchExpressions: [{key: c, operator: In, values: [p, q]}]}";
    let made = "CONTAINERS: 'm,s', IMAGES: 'w:1,s:2'";
    let selected = "SELECTOR: 'a=x,b=y,c in (p,q)'";
    for (type_, object, wanted) in [
        (
            "nodes",
            "apiVersion: v1, kind: Node, metadata: {name: x, creationTimestamp: '2026-12-31T12:00:00Z', labels: {node-role.kubernetes.io/etcd: 'true', node-role.kubernetes.io/control-plane: 'true'}}, spec: {unschedulable: true}, status: {conditions: [{type: Ready, status: Unknown}], addresses: [{type: InternalIP, address: 10.0.0.1}], nodeInfo: {kubeletVersion: v1.30.1, osImage: SLE, kernelVersion: '6.4', containerRuntimeVersion: 'containerd://1.7'}}".to_owned(),
            "STATUS: 'NotReady,SchedulingDisabled', ROLES: 'control-plane,etcd', VERSION: 'v1.30.1', INTERNAL-IP: '10.0.0.1', EXTERNAL-IP: null, OS-IMAGE: 'SLE', KERNEL-VERSION: '6.4', CONTAINER-RUNTIME: 'containerd://1.7'".to_owned(),
        ),
        ("namespaces", "apiVersion: v1, kind: Namespace, metadata: {name: x, creationTimestamp: '2026-12-31T12:00:00Z'}, status: {phase: Terminating}".to_owned(), "STATUS: 'Terminating'".to_owned()),
        (
            "persistentvolumes",
            "apiVersion: v1, kind: PersistentVolume, metadata: {name: x, creationTimestamp: '2026-12-31T12:00:00Z'}, spec: {capacity: {storage: 5Gi}, accessModes: [ReadWriteMany, ReadWriteOnce], persistentVolumeReclaimPolicy: Delete, claimRef: {namespace: b, name: c}, storageClassName: longhorn, volumeMode: Block}, status: {phase: Bound}".to_owned(),
            "CAPACITY: '5Gi', ACCESS MODES: 'RWO,RWX', RECLAIM POLICY: 'Delete', STATUS: 'Bound', CLAIM: 'b/c', STORAGECLASS: 'longhorn', VOLUMEATTRIBUTESCLASS: null, REASON: null, VOLUMEMODE: 'Block'".to_owned(),
        ),
        (
            "persistentvolumeclaims",
            "apiVersion: v1, kind: PersistentVolumeClaim, spec: {storageClassName: s, accessModes: [ReadWriteOnce]}, status: {phase: Pending}".to_owned(),
            "STATUS: 'Pending', VOLUME: null, CAPACITY: null, ACCESS MODES: null, STORAGECLASS: 's', VOLUMEATTRIBUTESCLASS: null, VOLUMEMODE: null".to_owned(),
        ),
        (
            "deployments",
            format!("apiVersion: apps/v1, kind: Deployment, spec: {{replicas: 3, {template}, {selector}}}, status: {{readyReplicas: 2, updatedReplicas: 3}}"),
            format!("READY: '2/3', UP-TO-DATE: 3, AVAILABLE: 0, {made}, {selected}"),
        ),
        (
            "replicasets",
            format!("apiVersion: apps/v1, kind: ReplicaSet, spec: {{replicas: 3, {template}, {selector}}}, status: {{replicas: 2}}"),
            format!("DESIRED: 3, CURRENT: 2, READY: 0, {made}, {selected}"),
        ),
        (
            "daemonsets",
            format!("apiVersion: apps/v1, kind: DaemonSet, spec: {{{template}, {selector}}}, status: {{desiredNumberScheduled: 3, numberReady: 1}}"),
            format!("DESIRED: 3, CURRENT: 0, READY: 1, UP-TO-DATE: 0, AVAILABLE: 0, NODE SELECTOR: null, {made}, {selected}"),
        ),
        (
            "statefulsets",
            format!("apiVersion: apps/v1, kind: StatefulSet, spec: {{{template}}}, status: {{readyReplicas: 1}}"),
            format!("READY: '1/1', {made}"),
        ),
        (
            "jobs",
            format!("apiVersion: batch/v1, kind: Job, spec: {{completions: 2, {template}}}, status: {{succeeded: 1, startTime: '2027-01-01T11:00:00Z', completionTime: '2027-01-01T11:30:00Z', conditions: [{{type: Failed, status: 'True'}}]}}"),
            format!("STATUS: 'Failed', COMPLETIONS: '1/2', DURATION: 30m, {made}, SELECTOR: null"),
        ),
        (
            "cronjobs",
            "apiVersion: batch/v1, kind: CronJob, spec: {schedule: '0 * * * *', suspend: true}, status: {active: [{name: j}], lastScheduleTime: '2027-01-01T10:00:00Z'}".to_owned(),
            "SCHEDULE: '0 * * * *', TIMEZONE: null, SUSPEND: 'True', ACTIVE: 1, LAST SCHEDULE: 2h, CONTAINERS: null, IMAGES: null, SELECTOR: null".to_owned(),
        ),
        (
            "apiservices",
            "apiVersion: apiregistration.k8s.io/v1, kind: APIService, metadata: {name: x, creationTimestamp: '2026-12-31T12:00:00Z'}, spec: {service: {namespace: k, name: m}}, status: {conditions: [{type: Available, status: 'False', reason: MissingEndpoints}]}".to_owned(),
            "SERVICE: 'k/m', AVAILABLE: 'False (MissingEndpoints)'".to_owned(),
        ),
        (
            "services",
            "apiVersion: v1, kind: Service, spec: {type: LoadBalancer, clusterIP: 10.1.1.1, ports: [{port: 80, nodePort: 30080, protocol: TCP}, {port: 53, protocol: UDP}], selector: {b: '2', a: '1'}}".to_owned(),
            "TYPE: 'LoadBalancer', CLUSTER-IP: '10.1.1.1', EXTERNAL-IP: '<pending>', PORT(S): '80:30080/TCP,53/UDP', SELECTOR: 'a=1,b=2'".to_owned(),
        ),
    ] {
        assert_eq!(columns(type_, &object), wanted, "{type_}");
    }
}

#[test]
fn custom_resources_are_printed_by_their_definition() {
    let world = world(
        "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: volumes.longhorn.io}, spec: {versions: [{name: v1beta2, additionalPrinterColumns: [{name: State, type: string, jsonPath: .status.state}, {name: Ready, type: string, jsonPath: '.status.conditions[?(@.type==\"Ready\")].status'}, {name: Size, type: string, jsonPath: .spec.size}, {name: Age, type: date, jsonPath: .metadata.creationTimestamp}]}]}}\n---\n\
         {apiVersion: longhorn.io/v1beta2, kind: Volume, metadata: {name: v, namespace: longhorn-system, creationTimestamp: '2027-01-01T11:00:00Z'}, spec: {size: '1073741824'}, status: {state: attached, conditions: [{type: Other, status: x}, {type: Ready, status: 'True'}]}}\n---\n\
         {apiVersion: longhorn.io/v1beta2, kind: Replica, metadata: {name: r, namespace: longhorn-system}}",
    );
    let volume = "get('volumes.longhorn.io', 'longhorn-system', 'v')";
    assert_eq!(
        shown(&world, &format!("columns({volume})")),
        "{NAMESPACE: 'longhorn-system', NAME: 'v', STATE: 'attached', READY: 'True', SIZE: '1073741824', AGE: 1h}"
    );
    let unknown = shown(&world, "columns(get('replicas.longhorn.io', 'longhorn-system', 'r')).STATE");
    assert!(
        unknown.starts_with("?the output of kubectl for Replica.longhorn.io/longhorn-system/r is not known"),
        "{unknown}"
    );
    assert_eq!(shown(&world, "columns(get('pods', 'a', 'nope')).STATUS"), "null");
    assert_eq!(shown(&world, "columns('text')"), "null");
    assert_eq!(
        world.take_problems()[0].message,
        "text is where an object is expected in `columns('text')`; the condition counts as false"
    );
}
