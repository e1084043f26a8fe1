//! Objects and the cells that kubectl prints for them.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;

use super::*;
use crate::bundle::{Bundle, Limits};
use crate::eval::Input;
use crate::expr::World;

/// The time at which the bundle of these tests was collected.
const NOW: &str = "2024-03-10T12:00:00Z";

/// Prints objects of one type as a table.
fn printed(objects: &str, type_: &str, shown: Shown) -> String {
    let files = vec![("yamls/cluster/objects.yaml".to_owned(), objects.as_bytes().to_vec())];
    let bundle = Bundle::from_memory("demo", files, Limits::default());
    let opened = Opened::read(&bundle, &());
    let now: Timestamp = NOW.parse().unwrap();
    let world = World::new(Arc::clone(&opened.input.world.resources), Some(now), BTreeMap::new());
    let opened = Opened { bundle: &bundle, input: Input { world: Arc::new(world), ..opened.input } };
    let type_ = crate::resource::types::resolve(type_).name;
    let listing = Listing { ids: opened.resources().of_type(&type_).to_vec(), type_ };
    table(&opened, &View::default(), &listing, shown).text(true)
}

fn wide() -> Shown {
    Shown { wide: true, ..Shown::default() }
}

#[test]
fn pods_have_status_restarts_and_age() {
    let pod = |name: &str, rest: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, namespace: demo, creationTimestamp: '2024-03-10T10:00:00Z'}}\n{rest}\n---\n"
        )
    };
    let objects = [
        pod("a", "spec: {nodeName: n1, containers: [{name: x}]}\nstatus: {phase: Running, podIP: 10.0.0.1, containerStatuses: [{name: x, ready: true, restartCount: 3, state: {running: {}}, lastState: {terminated: {exitCode: 1, finishedAt: '2024-03-10T08:00:00Z'}}}]}"),
        pod("b", "spec: {containers: [{name: x}, {name: y}], initContainers: [{name: i}, {name: j}]}\nstatus: {phase: Pending, initContainerStatuses: [{name: i, restartCount: 0, state: {terminated: {exitCode: 0}}}, {name: j, restartCount: 2, state: {waiting: {reason: CrashLoopBackOff}}}]}"),
        pod("c", "spec: {containers: [{name: x}]}\nstatus: {phase: Failed, reason: Evicted}"),
    ]
    .concat();
    assert_eq!(
        printed(&objects, "pods", wide()),
        "NAME   READY   STATUS                  RESTARTS     AGE    IP         NODE     NOMINATED NODE   READINESS GATES\n\
         a      1/1     Running                 3 (4h ago)   120m   10.0.0.1   n1       <none>           <none>\n\
         b      0/2     Init:CrashLoopBackOff   2            120m   <none>     <none>   <none>           <none>\n\
         c      0/1     Evicted                 0            120m   <none>     <none>   <none>           <none>\n"
    );
    let narrow = Shown { namespaces: true, kinds: true, labels: true, ..Shown::default() };
    assert_eq!(
        printed(&pod("a", "spec: {containers: [{name: x}]}"), "pods", narrow),
        "NAMESPACE   NAME    READY   STATUS   RESTARTS   AGE    LABELS\ndemo        pod/a   0/1              0          120m   <none>\n"
    );
}

/// An object in one line, its type, and the table of `-o wide` without NAME and AGE, cells separated by `|`.
const CASES: &[(&str, &str, &str)] = &[
    ("{apiVersion: v1, kind: ConfigMap, data: {a: b, c: d}, binaryData: {e: f}}", "configmaps", "DATA=3"),
    ("{apiVersion: v1, kind: Secret, type: Opaque, data: {a: Yg==}}", "secrets", "TYPE=Opaque|DATA=1"),
    ("{apiVersion: v1, kind: ServiceAccount}", "serviceaccounts", ""),
    (
        "{apiVersion: v1, kind: Endpoints, subsets: [{addresses: [{ip: 10.0.0.1}, {ip: 10.0.0.2}], ports: [{port: 80}, {port: 443}]}]}",
        "endpoints",
        "ENDPOINTS=10.0.0.1:80,10.0.0.2:80,10.0.0.1:443 + 1 more...",
    ),
    ("{apiVersion: v1, kind: Endpoints}", "endpoints", "ENDPOINTS=<none>"),
    (
        "{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, addressType: IPv4, ports: [{port: 80, name: http}], endpoints: [{addresses: [10.0.0.1]}]}",
        "endpointslices",
        "ADDRESSTYPE=IPv4|PORTS=80|ENDPOINTS=10.0.0.1",
    ),
    (
        "{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, addressType: IPv4}",
        "endpointslices",
        "ADDRESSTYPE=IPv4|PORTS=<unset>|ENDPOINTS=<unset>",
    ),
    (
        "{apiVersion: networking.k8s.io/v1, kind: Ingress, spec: {ingressClassName: nginx, rules: [{host: a.example.org}], tls: [{hosts: [x]}]}, status: {loadBalancer: {ingress: [{ip: 10.0.0.2}, {ip: 10.0.0.1}]}}}",
        "ingresses",
        "CLASS=nginx|HOSTS=a.example.org|ADDRESS=10.0.0.1,10.0.0.2|PORTS=80, 443",
    ),
    ("{apiVersion: networking.k8s.io/v1, kind: Ingress}", "ingresses", "CLASS=<none>|HOSTS=*|ADDRESS=|PORTS=80"),
    (
        "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, spec: {podSelector: {matchLabels: {app: web}}}}",
        "networkpolicies",
        "POD-SELECTOR=app=web",
    ),
    (
        "{apiVersion: storage.k8s.io/v1, kind: StorageClass, provisioner: driver.longhorn.io, allowVolumeExpansion: true}",
        "storageclasses",
        "PROVISIONER=driver.longhorn.io|RECLAIMPOLICY=Delete|VOLUMEBINDINGMODE=Immediate|ALLOWVOLUMEEXPANSION=true",
    ),
    (
        "{apiVersion: storage.k8s.io/v1, kind: VolumeAttachment, spec: {attacher: d, nodeName: n1, source: {persistentVolumeName: pv1}}, status: {attached: true}}",
        "volumeattachments",
        "ATTACHER=d|PV=pv1|NODE=n1|ATTACHED=true",
    ),
    ("{apiVersion: storage.k8s.io/v1, kind: CSINode, spec: {drivers: [{name: a}]}}", "csinodes", "DRIVERS=1"),
    (
        "{apiVersion: storage.k8s.io/v1, kind: CSIDriver, spec: {volumeLifecycleModes: [Persistent, Ephemeral]}}",
        "csidrivers",
        "ATTACHREQUIRED=true|PODINFOONMOUNT=false|STORAGECAPACITY=false|TOKENREQUESTS=<unset>|REQUIRESREPUBLISH=false|MODES=Persistent,Ephemeral",
    ),
    ("{apiVersion: coordination.k8s.io/v1, kind: Lease, spec: {holderIdentity: n1}}", "leases", "HOLDER=n1"),
    (
        "{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, spec: {scaleTargetRef: {kind: Deployment, name: web}, minReplicas: 2, maxReplicas: 5, metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}}]}, status: {currentReplicas: 3, currentMetrics: [{type: Resource, resource: {name: cpu, current: {averageUtilization: 7}}}]}}",
        "horizontalpodautoscalers",
        "REFERENCE=Deployment/web|TARGETS=cpu: 7%/80%|MINPODS=2|MAXPODS=5|REPLICAS=3",
    ),
    (
        "{apiVersion: policy/v1, kind: PodDisruptionBudget, spec: {minAvailable: 50%}, status: {disruptionsAllowed: 1}}",
        "poddisruptionbudgets",
        "MIN AVAILABLE=50%|MAX UNAVAILABLE=N/A|ALLOWED DISRUPTIONS=1",
    ),
    (
        "{apiVersion: v1, kind: ResourceQuota, status: {hard: {pods: '10', limits.cpu: '4', requests.cpu: '2'}, used: {pods: '3', limits.cpu: 500m}}}",
        "resourcequotas",
        "REQUEST=pods: 3/10, requests.cpu: 0/2|LIMIT=limits.cpu: 500m/4",
    ),
    (
        "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, roleRef: {kind: ClusterRole, name: admin}, subjects: [{kind: User, name: bob}, {kind: ServiceAccount, namespace: demo, name: web}]}",
        "clusterrolebindings",
        "ROLE=ClusterRole/admin|USERS=bob|GROUPS=|SERVICEACCOUNTS=demo/web",
    ),
    (
        "{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, webhooks: [{name: a}, {name: b}]}",
        "validatingwebhookconfigurations",
        "WEBHOOKS=2",
    ),
    (
        "{apiVersion: apps/v1, kind: ControllerRevision, revision: 4, metadata: {ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: web, controller: true}]}}",
        "controllerrevisions",
        "CONTROLLER=daemonset.apps/web|REVISION=4",
    ),
    ("{apiVersion: node.k8s.io/v1, kind: RuntimeClass, handler: runc}", "runtimeclasses", "HANDLER=runc"),
    (
        "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, value: 1000, preemptionPolicy: Never}",
        "priorityclasses",
        "VALUE=1000|GLOBAL-DEFAULT=false|PREEMPTIONPOLICY=Never",
    ),
    (
        "{apiVersion: certificates.k8s.io/v1, kind: CertificateSigningRequest, spec: {signerName: s, username: u, expirationSeconds: 3600}, status: {conditions: [{type: Approved}], certificate: x}}",
        "certificatesigningrequests",
        "SIGNERNAME=s|REQUESTOR=u|REQUESTEDDURATION=60m|CONDITION=Approved,Issued",
    ),
    (
        "{apiVersion: longhorn.io/v1beta2, kind: Volume, spec: {size: '10'}, status: {state: attached, robustness: degraded, currentNodeID: n1, conditions: [{type: Schedulable, status: 'True'}]}}",
        "volumes.longhorn.io",
        "DATA ENGINE=|STATE=attached|ROBUSTNESS=degraded|SCHEDULED=True|SIZE=10|NODE=n1|SWITCHOVER=",
    ),
    (
        "{apiVersion: kubevirt.io/v1, kind: VirtualMachine, status: {printableStatus: Running, conditions: [{type: Ready, status: 'True'}]}}",
        "virtualmachines.kubevirt.io",
        "STATUS=Running|READY=True",
    ),
    ("{apiVersion: example.org/v1, kind: Gadget}", "gadgets.example.org", ""),
];

#[test]
fn columns_are_those_of_the_printers() {
    for (object, type_, wanted) in CASES {
        let stamp = "creationTimestamp: '2024-03-09T12:00:00Z'";
        let object = match object.contains("metadata: {") {
            true => object.replacen("metadata: {", &format!("metadata: {{name: one, {stamp}, "), 1),
            false => object.replacen("kind:", &format!("metadata: {{name: one, {stamp}}}, kind:"), 1),
        };
        let text = printed(&object, type_, wide());
        let lines: Vec<&str> = text.lines().collect();
        let [headers, row] = lines.as_slice() else { panic!("{type_}: {text}") };
        // Cells begin below their headers.
        let begins: Vec<usize> = {
            let letters: Vec<char> = headers.chars().collect();
            (0..letters.len())
                .filter(|at| {
                    letters[*at] != ' ' && (*at == 0 || *at > 1 && letters[at - 1] == ' ' && letters[at - 2] == ' ')
                })
                .collect()
        };
        let part = |line: &str, from: usize, to: usize| {
            line.chars().skip(from).take(to - from).collect::<String>().trim().to_owned()
        };
        let ends = begins.iter().skip(1).copied().chain([1000]);
        let cells: Vec<String> = begins
            .iter()
            .zip(ends)
            .map(|(from, to)| (part(headers, *from, to), part(row, *from, to)))
            .filter(|(header, _)| !["NAME", "AGE"].contains(&header.as_str()))
            .map(|(header, cell)| format!("{header}={cell}"))
            .collect();
        assert_eq!(cells.join("|"), *wanted, "{type_}");
        assert!(row.starts_with("one ") && (row.contains(" 24h")), "{type_}: {text}");
    }
}

#[test]
fn types_without_printers_show_their_creation() {
    let role = "{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: a, namespace: d, creationTimestamp: '2024-03-09T12:00:00Z'}}";
    assert_eq!(printed(role, "roles", Shown::default()), "NAME   CREATED AT\na      2024-03-09T12:00:00Z\n");
}

#[test]
fn a_definition_in_the_bundle_wins() {
    let objects = "{apiVersion: longhorn.io/v1beta2, kind: Volume, metadata: {name: a}, status: {state: x}, spec: {at: '2024-03-10T11:00:00Z'}}\n---\n\
        {apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: volumes.longhorn.io}, spec: {group: longhorn.io, names: {plural: volumes, kind: Volume}, versions: [{name: v1beta2, additionalPrinterColumns: [{name: State, type: string, jsonPath: .status.state}, {name: When, type: date, jsonPath: .spec.at, priority: 1}]}]}}\n";
    assert_eq!(printed(objects, "volumes.longhorn.io", Shown::default()), "NAME   STATE\na      x\n");
    assert_eq!(printed(objects, "volumes.longhorn.io", wide()), "NAME   STATE   WHEN\na      x       60m\n");
}

#[test]
fn events_are_shown_by_time() {
    let event = "{apiVersion: v1, kind: Event, metadata: {name: web.1, namespace: demo}, involvedObject: {kind: Pod, name: web}, reason: BackOff, message: 'one\n\n  two', type: Warning, count: 3, source: {component: kubelet, host: n1}, firstTimestamp: '2024-03-10T11:00:00Z', lastTimestamp: '2024-03-10T11:58:00Z'}";
    assert_eq!(
        printed(event, "events", Shown::default()),
        "LAST SEEN   TYPE      REASON    OBJECT    MESSAGE\n2m          Warning   BackOff   pod/web   one...\n"
    );
    assert!(printed(event, "events", wide()).contains("kubelet, n1   one...    60m          3       web.1"));
}

#[test]
fn rows_of_tables_keep_their_columns() {
    let text = "NAMESPACE   NAME   READY   STATUS    RESTARTS      AGE   IP         NODE\n\
                demo        a      1/1     Running   3 (2h ago)    5d    10.0.0.1   n1\n";
    let files = vec![
        ("rke2/kubectl/pods".to_owned(), text.as_bytes().to_vec()),
        ("systeminfo/hostname".to_owned(), b"n1\n".to_vec()),
        ("collector-output.log".to_owned(), b"x\n".to_vec()),
    ];
    let bundle = Bundle::from_memory("demo", files, Limits::default());
    let opened = Opened::read(&bundle, &());
    let type_ = crate::resource::TypeName::parse("pods");
    let listing = Listing { ids: opened.resources().of_type(&type_).to_vec(), type_ };
    let shown = |shown| table(&opened, &View::default(), &listing, shown).text(true);
    assert_eq!(
        shown(Shown::default()),
        "NAME   READY   STATUS    RESTARTS     AGE\na      1/1     Running   3 (2h ago)   5d\n"
    );
    assert!(shown(wide()).ends_with("5d    10.0.0.1   n1\n"));
}
