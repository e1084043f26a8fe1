//! What depends on what, one row for each kind of object.

use std::rc::Rc;
use std::sync::Arc;

use super::DependencyGraph;
use crate::model::{ClusterService, Component, NodePart, ObjectRef};
use crate::resource::dump::read_objects;
use crate::resource::table::read_table;
use crate::resource::{IndexBuilder, ResourceIndex};
use crate::yaml;

fn index(objects: &[&str]) -> ResourceIndex {
    let (document, problems) = yaml::parse(objects.join("\n---\n").into_bytes());
    assert_eq!(problems, []);
    let mut builder = IndexBuilder::default();
    builder.add(read_objects("objects.yaml".into(), None, &Arc::new(document)));
    builder.finish().0
}

/// All that a component depends on, with the fields that say so: `spec.nodeName: kubelet of node n1`.
fn upstream(objects: &[&str], start: Component) -> Vec<String> {
    upstream_in(&index(objects), start)
}

fn upstream_in(index: &ResourceIndex, start: Component) -> Vec<String> {
    let mut graph = DependencyGraph::new(index);
    let id = graph.id(start);
    let reached = graph.reach(&[id], |_, _| true);
    let last =
        |at: usize| graph.path(&reached, at).pop().map(|step| format!("{}: {}", step.by.unwrap_or(""), step.component));
    (1..reached.len()).filter_map(last).collect()
}

fn object(group: &str, kind: &str, namespace: Option<&str>, name: &str) -> Component {
    Component::Object(ObjectRef::new(group, kind, namespace, name))
}

fn part(part: NodePart) -> Component {
    Component::Node { node: "n1".to_owned(), part }
}

const READY: &str =
    "{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {conditions: [{type: Ready, status: 'True'}]}}";
const AWAY: &str = "{apiVersion: v1, kind: Node, metadata: {name: n1, labels: {node-role.kubernetes.io/etcd: 'true'}}, \
                    status: {conditions: [{type: Ready, status: Unknown}]}}";

#[test]
fn a_pod_depends_on_its_node_and_its_claims_down_to_the_replicas_that_failed() {
    let objects = [
        READY,
        "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: a}, spec: {nodeName: n1, volumes: [{name: data, persistentVolumeClaim: {claimName: c}}]}}",
        "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: c, namespace: a}, spec: {volumeName: pv}}",
        "{apiVersion: v1, kind: PersistentVolume, metadata: {name: pv}, spec: {csi: {driver: driver.longhorn.io, volumeHandle: v}}}",
        "{apiVersion: longhorn.io/v1beta2, kind: Volume, metadata: {name: v, namespace: longhorn-system}, status: {currentNodeID: n1}}",
        "{apiVersion: longhorn.io/v1beta2, kind: Replica, metadata: {name: r1, namespace: longhorn-system}, spec: {volumeName: v, nodeID: n2}, status: {currentState: running}}",
        "{apiVersion: longhorn.io/v1beta2, kind: Replica, metadata: {name: r2, namespace: longhorn-system}, spec: {volumeName: v, nodeID: n3, failedAt: '2025-01-01T00:00:00Z'}, status: {currentState: stopped}}",
    ];
    let found = upstream(&objects, object("", "Pod", Some("a"), "p"));
    let nearest: Vec<&str> = found.iter().map(String::as_str).take(11).collect();
    assert_eq!(
        nearest,
        [
            "spec.nodeName: kubelet of node n1",
            "spec.nodeName: pod-network of node n1",
            "spec.nodeName: attach of node n1",
            "spec.volumes: PersistentVolumeClaim/a/c",
            "network of the host: network of node n1",
            "needed to attach volumes: storage of node n1",
            "spec.volumeName: PersistentVolume/pv",
            "network of the host: network",
            "needed by the instance manager: disk of node n1",
            "needed by the instance manager: memory of node n1",
            "spec.csi.volumeHandle: Volume.longhorn.io/longhorn-system/v",
        ]
    );
    assert!(found.contains(&"spec.volumeName: Replica.longhorn.io/longhorn-system/r2".to_owned()), "{found:?}");
    assert!(found.contains(&"spec.nodeID: storage of node n3".to_owned()), "{found:?}");
    assert!(!found.iter().any(|line| line.contains("r1") || line.contains("n2")), "{found:?}");
}

#[test]
fn only_a_node_that_is_not_ready_passes_on_what_it_suffers_from() {
    let kubelet = || part(NodePart::Kubelet);
    assert_eq!(upstream(&[READY], kubelet()), [""; 0]);
    let found = upstream(&[AWAY], kubelet());
    let passed =
        ["disk of node n1", "memory of node n1", "network of node n1", "clock of node n1", "API", "network", "etcd"];
    let components: Vec<&str> = found.iter().filter_map(|line| line.split_once(": ")).map(|(_, on)| on).collect();
    assert_eq!(components, passed);
}

#[test]
fn what_is_ready_passes_nothing_on() {
    let pod = |name: &str, ready: &str| {
        format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{name: {name}, namespace: a, labels: {{app: web}}}}, status: {{conditions: [{{type: Ready, status: '{ready}'}}]}}}}"
        )
    };
    let (good, bad) = (pod("good", "True"), pod("bad", "False"));
    let service = "{apiVersion: v1, kind: Service, metadata: {name: web, namespace: a}, spec: {selector: {app: web}}}";
    let webhook = "{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: w}, \
                   webhooks: [{name: x, clientConfig: {service: {name: web, namespace: a}}}]}";
    let start = object("admissionregistration.k8s.io", "ValidatingWebhookConfiguration", None, "w");
    let found = upstream(&[&good, &bad, service, webhook], start);
    assert_eq!(found, ["webhooks.clientConfig.service: Service/a/web", "spec.selector: Pod/a/bad"]);
}

#[test]
fn an_object_depends_on_webhooks_that_its_conditions_name() {
    let bundle = |quoted: &str| {
        format!(
            "{{apiVersion: fleet.cattle.io/v1alpha1, kind: Bundle, metadata: {{name: b, namespace: a}}, status: {{conditions: [{{type: Ready, status: 'False', message: 'ErrApplied(1) [Cluster a/local: Internal error occurred: failed calling webhook {quoted}: failed to call webhook: Post ...]'}}]}}}}"
        )
    };
    let configuration = "{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: w}, \
                         webhooks: [{name: check.example.com, clientConfig: {service: {name: web, namespace: a}}}]}";
    let start = || object("fleet.cattle.io", "Bundle", Some("a"), "b");
    let behind = [
        "status.conditions: failed calling webhook: ValidatingWebhookConfiguration.admissionregistration.k8s.io/w",
        "webhooks.clientConfig.service: Service/a/web",
    ];
    assert_eq!(upstream(&[&bundle("\"check.example.com\""), configuration], start()), behind);
    assert_eq!(upstream(&[&bundle("\\\"check.example.com\\\""), configuration], start()), behind);
    assert_eq!(upstream(&[&bundle("\"other.example.com\""), configuration], start()), [""; 0]);
}

#[test]
fn a_pod_with_a_volume_of_longhorn_depends_on_what_attaches_it_to_its_node() {
    let pod = "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: a}, spec: {nodeName: n1, volumes: [{name: data, persistentVolumeClaim: {claimName: c}}]}}";
    let claim =
        "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: c, namespace: a}, spec: {volumeName: pv}}";
    let volume = |driver: &str| {
        format!(
            "{{apiVersion: v1, kind: PersistentVolume, metadata: {{name: pv}}, spec: {{csi: {{driver: {driver}, volumeHandle: v}}}}}}"
        )
    };
    let attach = "spec.nodeName: attach of node n1".to_owned();
    let start = || object("", "Pod", Some("a"), "p");
    assert!(upstream(&[READY, pod, claim, &volume("driver.longhorn.io")], start()).contains(&attach));
    assert!(!upstream(&[READY, pod, claim, &volume("nfs.csi.k8s.io")], start()).contains(&attach));
    assert!(!upstream(&[READY, pod, claim], start()).contains(&attach), "the bundle does not say what the volume is");
}

#[test]
fn a_node_of_longhorn_depends_on_its_manager() {
    let manager = |name: &str, node: &str| {
        format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{name: {name}, namespace: longhorn-system, labels: {{app: longhorn-manager}}}}, spec: {{nodeName: {node}}}, status: {{phase: Running}}}}"
        )
    };
    let node = "{apiVersion: longhorn.io/v1beta2, kind: Node, metadata: {name: n1, namespace: longhorn-system}}";
    let found = upstream(
        &[node, &manager("own", "n1"), &manager("other", "n2")],
        object("longhorn.io", "Node", Some("longhorn-system"), "n1"),
    );
    assert!(found.contains(&"manager of the node: Pod/longhorn-system/own".to_owned()), "{found:?}");
    assert!(!found.iter().any(|line| line.contains("other")), "{found:?}");
}

#[test]
fn a_budget_depends_on_its_pods_that_are_not_ready() {
    let pod = |name: &str, app: &str| {
        format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{name: {name}, namespace: a, labels: {{app: {app}}}}}, status: {{conditions: [{{type: Ready, status: 'False'}}]}}}}"
        )
    };
    let (mine, other) = (pod("mine", "web"), pod("other", "db"));
    let budget = "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: web, namespace: a}, spec: {selector: {matchLabels: {app: web}}}}";
    let found = upstream(&[&mine, &other, budget], object("policy", "PodDisruptionBudget", Some("a"), "web"));
    assert_eq!(found, ["spec.selector: Pod/a/mine"]);
    let all =
        "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: web, namespace: a}, spec: {selector: {}}}";
    assert_eq!(upstream(&[&mine, all], object("policy", "PodDisruptionBudget", Some("a"), "web")), [""; 0]);
}

#[test]
fn a_node_that_waits_for_the_cni_plugin_depends_on_it() {
    let waits = "{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {conditions: [{type: Ready, status: 'False', \
                 message: 'container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized'}]}}";
    let canal = "{apiVersion: v1, kind: Pod, metadata: {name: canal, namespace: kube-system, labels: {k8s-app: canal}}, spec: {nodeName: n1, hostNetwork: true}}";
    let found = upstream(&[waits, canal], part(NodePart::Kubelet));
    assert!(found.contains(&"network of pods on the node: Pod/kube-system/canal".to_owned()), "{found:?}");
    let found = upstream(&[AWAY, canal], part(NodePart::Kubelet));
    assert!(!found.iter().any(|line| line.contains("canal")), "{found:?}");
    let start = || object("", "Pod", Some("kube-system"), "canal");
    let of_plugin = ["spec.nodeName: network of node n1", "network of the host: network"];
    assert_eq!(
        upstream(&[waits, canal], start()),
        of_plugin,
        "the plugin needs neither itself nor a kubelet that waits for it"
    );
    assert_eq!(
        upstream(&[waits, &canal.replace(", hostNetwork: true", "")], start()),
        of_plugin,
        "nobody says where it runs"
    );
    assert!(upstream(&[AWAY, canal], start()).contains(&"spec.nodeName: kubelet of node n1".to_owned()));
}

#[test]
fn a_shared_volume_depends_on_its_share_manager() {
    let object_of = |kind: &str, state: &str| {
        format!(
            "{{apiVersion: longhorn.io/v1beta2, kind: {kind}, metadata: {{name: v, namespace: longhorn-system}}, status: {{state: {state}}}}}"
        )
    };
    let pod = "{apiVersion: v1, kind: Pod, metadata: {name: share-manager-v, namespace: longhorn-system}, status: {phase: Failed}}";
    let (volume, broken, well) =
        (object_of("Volume", "attached"), object_of("ShareManager", "error"), object_of("ShareManager", "running"));
    let start = || object("longhorn.io", "Volume", Some("longhorn-system"), "v");
    assert_eq!(
        upstream(&[&volume, &broken, pod], start()),
        [
            "metadata.name: ShareManager.longhorn.io/longhorn-system/v",
            "metadata.name: Pod/longhorn-system/share-manager-v"
        ]
    );
    assert_eq!(upstream(&[&volume, &well, pod], start()), [""; 0]);
}

#[test]
fn charts_depend_on_workloads_of_their_release() {
    let workload = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop, annotations: {meta.helm.sh/release-name: shop, \
                    meta.helm.sh/release-namespace: shop}}, spec: {replicas: 2}, status: {readyReplicas: 1}}";
    let chart = "{apiVersion: helm.cattle.io/v1, kind: HelmChart, metadata: {name: shop, namespace: kube-system}, spec: {targetNamespace: shop}}";
    let found = upstream(&[workload, chart], object("helm.cattle.io", "HelmChart", Some("kube-system"), "shop"));
    assert_eq!(
        found,
        [
            "status.jobName: Job.batch/kube-system/helm-install-shop",
            "meta.helm.sh/release-name: Deployment.apps/shop/web",
        ]
    );
}

#[test]
fn etcd_depends_on_the_nodes_of_its_members() {
    let found = upstream(&[AWAY], Component::Cluster(ClusterService::Api));
    assert_eq!(found[..2], ["storage of the API server: etcd", "member of etcd on the node: disk of node n1"]);
    let kubelet = "member of etcd on the node: kubelet of node n1".to_owned();
    assert!(found.contains(&kubelet), "{found:?}");
    let ready = READY.replace("name: n1", "name: n1, labels: {node-role.kubernetes.io/etcd: 'true'}");
    assert!(!upstream(&[&ready], Component::Cluster(ClusterService::Etcd)).contains(&kubelet));
    let others = ["n2", "n3"].map(|name| ready.replace("name: n1", &format!("name: {name}")));
    let [second, third] = &others;
    let of_etcd = |nodes: &[&str]| upstream(nodes, Component::Cluster(ClusterService::Etcd));
    assert!(of_etcd(&[AWAY, second]).contains(&kubelet), "one of two");
    assert!(!of_etcd(&[AWAY, second, third]).contains(&kubelet), "two of three are a quorum");
}

#[test]
fn a_service_of_the_cluster_works_while_most_of_its_pods_do() {
    let pod = |name: &str, ready: &str| {
        format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{name: {name}, namespace: kube-system, labels: {{component: kube-apiserver}}}}, \
             status: {{conditions: [{{type: Ready, status: '{ready}'}}]}}}}"
        )
    };
    let (bad, second, third) = (pod("api1", "False"), pod("api2", "True"), pod("api3", "True"));
    let found = |pods: &[&str]| upstream(pods, Component::Cluster(ClusterService::Api));
    let of_bad = "pods of the service: Pod/kube-system/api1".to_owned();
    assert!(found(&[&bad, &second]).contains(&of_bad));
    assert!(!found(&[&bad, &second, &third]).contains(&of_bad));
}

#[test]
fn what_keeps_one_node_from_reporting_is_not_the_api_server() {
    let others = ["n2", "n3"].map(|name| READY.replace("name: n1", &format!("name: {name}")));
    let [second, third] = &others;
    let api = "kubelet reports to the API server: API".to_owned();
    let found = |nodes: &[&str]| upstream(nodes, part(NodePart::Kubelet));
    assert!(found(&[AWAY, second]).contains(&api), "{:?}", found(&[AWAY, second]));
    assert!(!found(&[AWAY, second, third]).contains(&api));
}

#[test]
fn what_the_bundle_does_not_have_is_not_guessed() {
    assert_eq!(upstream(&[], object("", "Pod", Some("a"), "p")), [""; 0]);
    assert_eq!(upstream(&[], Component::Cluster(ClusterService::Etcd)), [""; 0]);
    let pending = "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: a}, status: {phase: Pending}}";
    assert_eq!(upstream(&[pending], object("", "Pod", Some("a"), "p")), [""; 0]);
}

#[test]
fn circles_of_references_end() {
    let owned = |name: &str, owner: &str| {
        format!(
            "{{apiVersion: apps/v1, kind: ReplicaSet, metadata: {{name: {name}, namespace: a, uid: u-{name}, ownerReferences: [{{apiVersion: apps/v1, kind: ReplicaSet, name: {owner}, uid: u-{owner}}}]}}}}"
        )
    };
    let found = upstream(&[&owned("x", "y"), &owned("y", "x")], object("apps", "ReplicaSet", Some("a"), "x"));
    assert_eq!(found, ["metadata.ownerReferences: ReplicaSet.apps/a/y"]);
}

#[test]
fn rows_of_tables_depend_on_each_other_by_their_names_and_selectors() {
    let tables = [
        (
            "nodes",
            "NAME   STATUS     ROLES                       AGE   VERSION\n\
             n1     NotReady   control-plane,etcd,master   9d    v1.30.4+rke2r1\n\
             n2     Ready      <none>                      9d    v1.30.4+rke2r1\n",
        ),
        (
            "pods",
            "NAMESPACE     NAME                                         READY   STATUS             RESTARTS   AGE   IP           NODE\n\
             demo          web-6f87cd9b5-96l64                          0/1     CrashLoopBackOff   9          9d    10.42.0.7    n1\n\
             demo          web-6f87cd9b5-x7k2p                          1/1     Running            0          9d    10.42.0.8    n2\n\
             demo          lost-6f87cd9b5-x7k2p                         1/1     Running            0          9d    10.42.0.8    n1\n\
             demo          web-api-6f87cd9b5-96l64                      0/1     CrashLoopBackOff   9          9d    10.42.0.9    n1\n\
             kube-system   etcd-n1                                      0/1     CrashLoopBackOff   9          9d    10.0.0.1     n1\n\
             kube-system   rke2-canal-4lj7x                             1/2     CrashLoopBackOff   9          9d    10.0.0.1     n1\n\
             kube-system   rke2-coredns-rke2-coredns-65dc69968-5lvq5    0/1     Running            0          9d    10.42.0.2    n1\n",
        ),
        (
            "deployments",
            "NAMESPACE   NAME   READY   UP-TO-DATE   AVAILABLE   AGE   CONTAINERS   IMAGES   SELECTOR\n\
             demo        web    1/2     2            1           9d    main         web:1    app=web,tier=front\n\
             demo        lost   0/1     1            0           9d    main         web:1    app=lost\n",
        ),
        (
            "services",
            "NAMESPACE   NAME   TYPE        CLUSTER-IP    EXTERNAL-IP   PORT(S)   AGE   SELECTOR\n\
             demo        web    ClusterIP   10.43.0.10    <none>        80/TCP    9d    app=web\n\
             demo        api    ClusterIP   10.43.0.11    <none>        80/TCP    9d    app=api\n",
        ),
    ];
    let mut builder = IndexBuilder::default();
    for (word, text) in tables {
        builder.add(read_table(format!("rke2/kubectl/{word}").into(), word, text.as_bytes().to_vec(), None, u64::MAX));
    }
    let index = builder.finish().0;
    let found = |start| upstream_in(&index, start);
    let service = found(object("", "Service", Some("demo"), "web"));
    assert_eq!(
        service.iter().take(3).map(String::as_str).collect::<Vec<_>>(),
        [
            "spec.selector: Deployment.apps/demo/web",
            "name of the pod: Pod/demo/web-6f87cd9b5-96l64",
            "spec.nodeName: kubelet of node n1"
        ]
    );
    assert_eq!(found(object("", "Service", Some("demo"), "api")), [""; 0]);
    let lost = found(object("apps", "Deployment", Some("demo"), "lost"));
    assert_eq!(
        lost.first().map(String::as_str),
        Some("name of the pod: Pod/demo/lost-6f87cd9b5-x7k2p"),
        "its node is not ready"
    );
    let network = found(part(NodePart::PodNetwork));
    assert!(
        network.contains(&"network of pods on the node: Pod/kube-system/rke2-canal-4lj7x".to_owned()),
        "{network:?}"
    );
    let dns = found(Component::Cluster(ClusterService::Dns));
    assert_eq!(dns[0], "pods of the service: Pod/kube-system/rke2-coredns-rke2-coredns-65dc69968-5lvq5");
    let etcd = found(Component::Cluster(ClusterService::Etcd));
    assert!(etcd.contains(&"pods of the service: Pod/kube-system/etcd-n1".to_owned()), "{etcd:?}");
}

#[test]
fn pods_of_a_node_are_looked_for_once() {
    let cni = "{apiVersion: v1, kind: Pod, metadata: {name: cilium-x7k2p, namespace: kube-system, labels: {k8s-app: cilium}}, spec: {nodeName: n1}}";
    let other = "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: a}, spec: {nodeName: n1}}";
    let index = index(&[READY, cni, other]);
    let graph = DependencyGraph::new(&index);
    let network = part(NodePart::PodNetwork);
    let pods = graph.pods_of(&network);
    assert_eq!(pods.iter().map(|pod| &*pod.name).collect::<Vec<_>>(), ["cilium-x7k2p"]);
    assert!(Rc::ptr_eq(&pods, &graph.pods_of(&network)));
}
