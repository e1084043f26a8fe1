//! Deployments, DaemonSets, StatefulSets and Jobs with everything that hangs on them: replica
//! sets, revisions, pods, accounts, services and their endpoints.

use serde_json::{Map, Value, json};

use super::clock::{NOW, rfc3339};
use super::log::{Log, Topic};
use super::world::World;

/// Who makes the pods and on which nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// So many replicas, at most one for each control plane node.
    Deployment(usize),
    StatefulSet,
    /// A pod on every node.
    DaemonSet,
    /// A pod on every control plane node.
    ControlPlaneDaemonSet,
}

/// A container: its name, image and what its log is about.
pub type Container<'a> = (&'a str, &'a str, Topic);

/// A workload of the system or of a user.
#[derive(Clone, Copy, Debug)]
pub struct Workload<'a> {
    pub namespace: &'a str,
    pub name: &'a str,
    pub role: Role,
    pub containers: &'a [Container<'a>],
    /// Services in front of the pods: name, port, port of the container.
    pub services: &'a [(&'a str, u16, u16)],
    pub account: &'a str,
    /// Labels of the pods; empty for the usual two.
    pub labels: &'a [(&'a str, &'a str)],
    /// Helm release (name and namespace) that it belongs to; empty for none.
    pub release: (&'a str, &'a str),
    /// ConfigMap that the pods mount; empty for none.
    pub config: &'a str,
    pub host_network: bool,
}

impl Default for Workload<'_> {
    fn default() -> Self {
        Self {
            namespace: "",
            name: "",
            role: Role::Deployment(1),
            containers: &[],
            services: &[],
            account: "default",
            labels: &[],
            release: ("", ""),
            config: "",
            host_network: false,
        }
    }
}

/// One pod to be made.
pub struct Pod<'a> {
    pub namespace: &'a str,
    pub name: String,
    pub host: usize,
    pub host_network: bool,
    pub labels: Value,
    pub annotations: Value,
    /// As [`World::owner`] gives it.
    pub owners: Value,
    pub containers: &'a [Container<'a>],
    pub account: &'a str,
    /// Volumes beside the one for the API's token.
    pub volumes: Vec<Value>,
    /// Ran to its end.
    pub done: bool,
}

/// What an endpoint says of a pod.
#[derive(Clone, Debug)]
pub struct Address {
    pub pod: String,
    pub ip: String,
    pub node: String,
}

impl World {
    /// Adds a workload with all that hangs on it.
    pub fn workload(&mut self, w: &Workload<'_>) {
        if !self.has(w.name) {
            return;
        }
        self.account(w.namespace, w.account);
        let hosts = self.placement(w.role);
        let usual = [("app.kubernetes.io/name", w.name), ("app.kubernetes.io/part-of", part_of(w))];
        let labels = if w.labels.is_empty() { &usual } else { w.labels };
        let labels: Value =
            labels.iter().map(|&(key, value)| (key.to_owned(), json!(value))).collect::<Map<_, _>>().into();
        let template = self.template(w, &labels);
        let owner = match w.role {
            Role::Deployment(_) => self.deployment(w, &labels, &template, hosts.len()),
            Role::StatefulSet => self.stateful_set(w, &labels, &template, hosts.len()),
            Role::DaemonSet | Role::ControlPlaneDaemonSet => self.daemon_set(w, &labels, &template, hosts.len()),
        };
        let addresses: Vec<_> = hosts
            .iter()
            .enumerate()
            .map(|(number, &host)| self.replica_pod(w, &labels, &owner, number, host))
            .collect();
        for &(name, port, target) in w.services {
            self.service(w.namespace, name, &labels, port, target, &addresses);
        }
    }

    fn placement(&self, role: Role) -> Vec<usize> {
        match role {
            Role::Deployment(replicas) => (0..replicas.min(self.control_planes())).collect(),
            Role::StatefulSet => vec![0],
            Role::DaemonSet => (0..self.hosts.len()).collect(),
            Role::ControlPlaneDaemonSet => (0..self.control_planes()).collect(),
        }
    }

    /// A service account, once for each name.
    pub fn account(&mut self, namespace: &str, name: &str) {
        self.add("v1", "ServiceAccount", "serviceaccounts", namespace, name, json!({}));
    }

    fn workload_metadata(&self, w: &Workload<'_>, labels: &Value) -> Value {
        let mut metadata = json!({"generation": 1, "labels": labels, "annotations": {}});
        if !w.release.0.is_empty() {
            metadata["labels"]["app.kubernetes.io/managed-by"] = json!("Helm");
            metadata["annotations"] =
                json!({"meta.helm.sh/release-name": w.release.0, "meta.helm.sh/release-namespace": w.release.1});
        }
        metadata
    }

    fn template(&self, w: &Workload<'_>, labels: &Value) -> Value {
        let mut spec = pod_spec(w.containers, w.account, w.host_network);
        if !w.config.is_empty() {
            spec["volumes"] = json!([config_volume(w.config)]);
        }
        json!({"metadata": {"creationTimestamp": null, "labels": labels}, "spec": spec})
    }

    fn deployment(&mut self, w: &Workload<'_>, labels: &Value, template: &Value, replicas: usize) -> (String, Value) {
        let hash = self.names.suffix(&["template", w.namespace, w.name], 10);
        let set = format!("{}-{hash}", w.name);
        let since = rfc3339(self.created(w.namespace, w.name) + 95);
        let mut metadata = self.workload_metadata(w, labels);
        metadata["annotations"]["deployment.kubernetes.io/revision"] = json!("1");
        let condition = |kind: &str, reason: &str, message: String| {
            json!({
                "type": kind, "status": "True", "reason": reason, "message": message, "lastTransitionTime": since,
                "lastUpdateTime": since,
            })
        };
        let body = json!({
            "metadata": metadata,
            "spec": {
                "replicas": replicas, "selector": {"matchLabels": labels}, "template": template,
                "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}},
                "progressDeadlineSeconds": 600, "revisionHistoryLimit": 10,
            },
            "status": {
                "observedGeneration": 1, "replicas": replicas, "updatedReplicas": replicas,
                "readyReplicas": replicas, "availableReplicas": replicas,
                "conditions": [
                    condition("Available", "MinimumReplicasAvailable", "Deployment has minimum availability.".to_owned()),
                    condition("Progressing", "NewReplicaSetAvailable", format!("ReplicaSet \"{set}\" has successfully progressed.")),
                ],
            },
        });
        self.add("apps/v1", "Deployment", "deployments", w.namespace, w.name, body);
        self.replica_set(w, labels, template, &hash, replicas);
        let owners = self.owner("apps/v1", "ReplicaSet", w.namespace, &set);
        (set, json!({"owners": owners, "labels": {"pod-template-hash": hash}}))
    }

    fn replica_set(&mut self, w: &Workload<'_>, labels: &Value, template: &Value, hash: &str, replicas: usize) {
        let mut labels = labels.clone();
        labels["pod-template-hash"] = json!(hash);
        let mut template = template.clone();
        template["metadata"]["labels"] = labels.clone();
        let body = json!({
            "metadata": {
                "generation": 1, "labels": labels,
                "annotations": {
                    "deployment.kubernetes.io/desired-replicas": replicas.to_string(),
                    "deployment.kubernetes.io/revision": "1",
                },
                "ownerReferences": self.owner("apps/v1", "Deployment", w.namespace, w.name),
            },
            "spec": {"replicas": replicas, "selector": {"matchLabels": labels}, "template": template},
            "status": {
                "observedGeneration": 1, "replicas": replicas, "fullyLabeledReplicas": replicas,
                "readyReplicas": replicas, "availableReplicas": replicas,
            },
        });
        self.add("apps/v1", "ReplicaSet", "replicasets", w.namespace, &format!("{}-{hash}", w.name), body);
    }

    fn stateful_set(&mut self, w: &Workload<'_>, labels: &Value, template: &Value, replicas: usize) -> (String, Value) {
        let revision = format!("{}-{}", w.name, self.names.suffix(&["revision", w.namespace, w.name], 10));
        let body = json!({
            "metadata": self.workload_metadata(w, labels),
            "spec": {
                "replicas": replicas, "selector": {"matchLabels": labels}, "template": template, "serviceName": w.name,
                "podManagementPolicy": "OrderedReady",
                "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 0}},
            },
            "status": {
                "observedGeneration": 1, "replicas": replicas, "readyReplicas": replicas, "currentReplicas": replicas,
                "updatedReplicas": replicas, "availableReplicas": replicas, "collisionCount": 0,
                "currentRevision": revision, "updateRevision": revision,
            },
        });
        self.add("apps/v1", "StatefulSet", "statefulsets", w.namespace, w.name, body);
        let owners = self.owner("apps/v1", "StatefulSet", w.namespace, w.name);
        (w.name.to_owned(), json!({"owners": owners, "labels": {"controller-revision-hash": revision}}))
    }

    fn daemon_set(&mut self, w: &Workload<'_>, labels: &Value, template: &Value, pods: usize) -> (String, Value) {
        let hash = self.names.suffix(&["revision", w.namespace, w.name], 10);
        let mut template = template.clone();
        if w.role == Role::ControlPlaneDaemonSet {
            template["spec"]["nodeSelector"] = json!({"node-role.kubernetes.io/control-plane": "true"});
        }
        let body = json!({
            "metadata": self.workload_metadata(w, labels),
            "spec": {
                "selector": {"matchLabels": labels}, "template": template, "revisionHistoryLimit": 10,
                "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}},
            },
            "status": {
                "observedGeneration": 1, "desiredNumberScheduled": pods, "currentNumberScheduled": pods,
                "updatedNumberScheduled": pods, "numberReady": pods, "numberAvailable": pods, "numberMisscheduled": 0,
            },
        });
        self.add("apps/v1", "DaemonSet", "daemonsets", w.namespace, w.name, body);
        let owners = self.owner("apps/v1", "DaemonSet", w.namespace, w.name);
        (w.name.to_owned(), json!({"owners": owners, "labels": {"controller-revision-hash": hash}}))
    }

    fn replica_pod(
        &mut self,
        w: &Workload<'_>,
        labels: &Value,
        (prefix, owner): &(String, Value),
        number: usize,
        host: usize,
    ) -> Address {
        let suffix = match w.role {
            Role::StatefulSet => number.to_string(),
            _ => self.names.suffix(&["pod", w.namespace, prefix, &number.to_string()], 5),
        };
        let mut labels = labels.as_object().cloned().unwrap_or_default();
        labels.extend(owner["labels"].as_object().cloned().unwrap_or_default());
        let volumes = if w.config.is_empty() { Vec::new() } else { vec![config_volume(w.config)] };
        self.pod(Pod {
            namespace: w.namespace,
            name: format!("{prefix}-{suffix}"),
            host,
            host_network: w.host_network,
            labels: labels.into(),
            annotations: json!({}),
            owners: owner["owners"].clone(),
            containers: w.containers,
            account: w.account,
            volumes,
            done: false,
        })
    }

    /// Adds a pod and the logs of its containers.
    pub fn pod(&mut self, pod: Pod<'_>) -> Address {
        let host = self.host(pod.host).clone();
        self.pods += 1;
        let ip = match pod.host_network {
            true => host.ip.clone(),
            false => format!("10.52.{}.{}", self.pods / 250 % 256, self.pods % 250 + 2),
        };
        let static_pod = pod.owners[0]["kind"] == "Node";
        let mut spec = pod_spec(pod.containers, pod.account, pod.host_network);
        spec["nodeName"] = json!(host.name);
        spec["volumes"] = pod.volumes.iter().cloned().chain((!static_pod).then(token_volume)).collect();
        if pod.done {
            spec["restartPolicy"] = json!("OnFailure");
        }
        let started = self.created(pod.namespace, &pod.name) + 20;
        let body = json!({
            "metadata": {"labels": pod.labels, "annotations": pod.annotations, "ownerReferences": pod.owners},
            "spec": spec,
            "status": self.pod_status(&pod, &host.ip, &ip, started),
        });
        self.add("v1", "Pod", "pods", pod.namespace, &pod.name, body);
        self.pod_metrics(&pod);
        self.spoken_pods.push(format!("{}/{}", pod.namespace, pod.name));
        for (name, _, topic) in pod.containers {
            let path = format!("logs/{}/{}/{name}.log", pod.namespace, pod.name);
            self.logs.push(Log::of_container(path, *topic, &host.name, pod.done.then_some(started)));
        }
        Address { pod: pod.name, ip, node: host.name }
    }

    fn pod_metrics(&mut self, pod: &Pod<'_>) {
        if pod.done || self.scenario.is_small() {
            return;
        }
        let usage = |name: &str| {
            let amount = self.names.hash(&["usage", pod.namespace, &pod.name, name]) % 90_000;
            json!({"name": name, "usage": {"cpu": format!("{}n", amount * 731), "memory": format!("{}Ki", 20_000 + amount)}})
        };
        let containers: Vec<Value> = pod.containers.iter().map(|(name, _, _)| usage(name)).collect();
        let body = json!({"timestamp": rfc3339(NOW - 20), "window": "15.42s", "containers": containers});
        self.add("metrics.k8s.io/v1beta1", "PodMetrics", "pods", pod.namespace, &pod.name, body);
    }

    fn pod_status(&self, pod: &Pod<'_>, host_ip: &str, ip: &str, started: i64) -> Value {
        let ready = if pod.done { "False" } else { "True" };
        let condition = |kind: &str, status: &str, at: i64| {
            let mut condition =
                json!({"type": kind, "status": status, "lastProbeTime": null, "lastTransitionTime": rfc3339(at)});
            if status == "False" {
                condition["reason"] = json!("PodCompleted");
            }
            condition
        };
        let states: Vec<Value> = pod.containers.iter().map(|c| self.container_status(pod, c, started)).collect();
        json!({
            "phase": if pod.done { "Succeeded" } else { "Running" },
            "qosClass": "BestEffort", "hostIP": host_ip, "podIP": ip, "podIPs": [{"ip": ip}],
            "hostIPs": [{"ip": host_ip}], "startTime": rfc3339(started - 18),
            "conditions": [
                condition("PodReadyToStartContainers", ready, started),
                condition("Initialized", "True", started - 18),
                condition("Ready", ready, started + 15),
                condition("ContainersReady", ready, started + 15),
                condition("PodScheduled", "True", started - 18),
            ],
            "containerStatuses": states,
        })
    }

    fn container_status(&self, pod: &Pod<'_>, (name, image, _): &Container<'_>, started: i64) -> Value {
        let id = format!("containerd://{}", self.names.hex(&["container", pod.namespace, &pod.name, name], 64));
        let state = if pod.done {
            json!({"terminated": {
                "containerID": id, "exitCode": 0, "reason": "Completed",
                "startedAt": rfc3339(started), "finishedAt": rfc3339(started + 15),
            }})
        } else {
            json!({"running": {"startedAt": rfc3339(started)}})
        };
        json!({
            "name": name, "image": format!("docker.io/{image}"), "containerID": id, "ready": !pod.done,
            "started": !pod.done,
            "imageID": format!("docker.io/{}@sha256:{}", image.split(':').next().unwrap_or_default(), self.names.hex(&["image", image], 64)),
            "restartCount": 0, "lastState": {}, "state": state,
        })
    }

    /// Adds a service with its endpoints in both forms.
    pub fn service(
        &mut self,
        namespace: &str,
        name: &str,
        selector: &Value,
        port: u16,
        target: u16,
        addresses: &[Address],
    ) {
        let hash = self.names.hash(&["service", namespace, name]);
        let ip = format!("10.53.{}.{}", hash % 250 + 1, hash / 250 % 250 + 2);
        let body = json!({
            "metadata": {"labels": selector},
            "spec": {
                "type": "ClusterIP", "clusterIP": ip, "clusterIPs": [ip], "ipFamilies": ["IPv4"],
                "ipFamilyPolicy": "SingleStack",
                "internalTrafficPolicy": "Cluster", "sessionAffinity": "None", "selector": selector,
                "ports": [{"name": "main", "port": port, "protocol": "TCP", "targetPort": target}],
            },
            "status": {"loadBalancer": {}},
        });
        self.add("v1", "Service", "services", namespace, name, body);
        self.endpoints(namespace, name, selector, target, addresses);
    }

    fn endpoints(&mut self, namespace: &str, name: &str, labels: &Value, port: u16, addresses: &[Address]) {
        let target = |world: &Self, a: &Address| {
            json!({
                "kind": "Pod", "name": a.pod, "namespace": namespace, "uid": world.uid("v1", "Pod", namespace, &a.pod),
            })
        };
        let subset: Vec<Value> =
            addresses.iter().map(|a| json!({"ip": a.ip, "nodeName": a.node, "targetRef": target(self, a)})).collect();
        let ports = json!([{"name": "main", "port": port, "protocol": "TCP"}]);
        let body = json!({"metadata": {"labels": labels}, "subsets": [{"addresses": subset, "ports": ports}]});
        self.add("v1", "Endpoints", "endpoints", namespace, name, body);
        let slice: Vec<Value> = addresses
            .iter()
            .map(|a| {
                json!({
                    "addresses": [a.ip], "nodeName": a.node, "targetRef": target(self, a),
                    "conditions": {"ready": true, "serving": true, "terminating": false},
                })
            })
            .collect();
        let mut labels: Map<String, Value> = labels.as_object().cloned().unwrap_or_default();
        labels.insert("kubernetes.io/service-name".to_owned(), json!(name));
        let body = json!({
            "metadata": {
                "labels": labels, "generation": 2, "ownerReferences": self.owner("v1", "Service", namespace, name),
            },
            "addressType": "IPv4", "endpoints": slice, "ports": ports,
        });
        let slice = format!("{name}-{}", self.names.suffix(&["slice", namespace, name], 5));
        self.add("discovery.k8s.io/v1", "EndpointSlice", "endpointslices", namespace, &slice, body);
    }

    /// Adds a job that ran to its end, with its pod.
    pub fn finished_job(&mut self, namespace: &str, name: &str, owners: Value, container: Container<'_>) {
        let uid = self.uid("batch/v1", "Job", namespace, name);
        let account = format!("helm-{}", name.trim_start_matches("helm-install-"));
        self.account(namespace, &account);
        let labels =
            json!({"batch.kubernetes.io/job-name": name, "batch.kubernetes.io/controller-uid": uid, "job-name": name});
        let started = self.created(namespace, name);
        let containers = [container];
        let mut spec = pod_spec(&containers, &account, true);
        spec["restartPolicy"] = json!("OnFailure");
        let body = json!({
            "metadata": {"labels": labels, "generation": 1, "ownerReferences": owners},
            "spec": {
                "backoffLimit": 1000, "completions": 1, "parallelism": 1, "completionMode": "NonIndexed",
                "suspend": false,
                "selector": {"matchLabels": {"batch.kubernetes.io/controller-uid": uid}},
                "template": {"metadata": {"creationTimestamp": null, "labels": labels}, "spec": spec},
            },
            "status": {
                "succeeded": 1, "ready": 0, "startTime": rfc3339(started), "completionTime": rfc3339(started + 41),
                "uncountedTerminatedPods": {},
                "conditions": [{
                    "type": "Complete", "status": "True", "lastProbeTime": rfc3339(started + 41),
                    "lastTransitionTime": rfc3339(started + 41),
                }],
            },
        });
        self.add("batch/v1", "Job", "jobs", namespace, name, body);
        let suffix = self.names.suffix(&["pod", namespace, name], 5);
        self.pod(Pod {
            namespace,
            name: format!("{name}-{suffix}"),
            host: 0,
            host_network: true,
            labels,
            annotations: json!({}),
            owners: self.owner("batch/v1", "Job", namespace, name),
            containers: &containers,
            account: &account,
            volumes: Vec::new(),
            done: true,
        });
    }
}

fn part_of<'a>(w: &Workload<'a>) -> &'a str {
    if w.release.0.is_empty() { w.namespace } else { w.release.0 }
}

fn config_volume(name: &str) -> Value {
    json!({"name": "config", "configMap": {"name": name, "defaultMode": 420}})
}

/// The volume that every pod gets for talking to the API.
fn token_volume() -> Value {
    json!({"name": "kube-api-access", "projected": {"defaultMode": 420, "sources": [
        {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
        {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
    ]}})
}

fn pod_spec(containers: &[Container<'_>], account: &str, host_network: bool) -> Value {
    let container = |(name, image, _): &Container<'_>| {
        json!({
            "name": name, "image": image, "imagePullPolicy": "IfNotPresent", "resources": {},
            "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
        })
    };
    let mut spec = json!({
        "containers": containers.iter().map(container).collect::<Vec<_>>(),
        "dnsPolicy": "ClusterFirst", "restartPolicy": "Always", "schedulerName": "default-scheduler",
        "securityContext": {}, "serviceAccountName": account, "terminationGracePeriodSeconds": 30,
        "priority": 0, "enableServiceLinks": true,
        "tolerations": [{
            "key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute",
            "tolerationSeconds": 300,
        }],
    });
    if host_network {
        spec["hostNetwork"] = json!(true);
        spec["priority"] = json!(2_000_001_000_i64);
        spec["priorityClassName"] = json!("system-node-critical");
    }
    spec
}
