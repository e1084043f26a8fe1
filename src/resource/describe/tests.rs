//! Tests with whole descriptions of Pods, Nodes and claims.

use super::*;

const POD: &str = "\
Name:             web-0
Namespace:        demo
Service Account:  default
Node:             cp1/10.0.0.1
Start Time:       Thu, 06 Mar 2025 09:00:00 +0100
Labels:           app=web
                  tier=front
Annotations:      <none>
Status:           Running
IP:               10.42.0.7
IPs:
  IP:           10.42.0.7
Controlled By:  StatefulSet/web
Init Containers:
  init:
    Image:          busybox
    State:          Terminated
      Reason:       Completed
      Exit Code:    0
    Ready:          True
    Restart Count:  0
Containers:
  nginx:
    Image:          nginx:1.25
    State:          Waiting
      Reason:       CrashLoopBackOff
    Last State:     Terminated
      Reason:       OOMKilled
      Exit Code:    137
      Started:      Thu, 06 Mar 2025 09:58:00 +0100
      Finished:     Thu, 06 Mar 2025 09:59:00 +0100
    Ready:          False
    Restart Count:  8
    Limits:
      memory:  128Mi
Conditions:
  Type              Status
  PodScheduled      True 
  Ready             False 
Volumes:
  data:
    Type:       PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)
    ClaimName:  data-web-0
QoS Class:  Burstable
Events:
  Type     Reason   Age                From     Message
  ----     ------   ----               ----     -------
  Warning  BackOff  4m (x5 over 1h)    kubelet  Back-off restarting failed container
";

const NODE: &str = "\
Name:               cp1
Roles:              control-plane
Labels:             node-role.kubernetes.io/control-plane=true
CreationTimestamp:  Thu, 20 Feb 2025 00:45:00 +0000
Taints:             node-role.kubernetes.io/etcd:NoExecute
                    a=b:NoSchedule
Unschedulable:      false
Conditions:
  Type             Status  LastHeartbeatTime                 LastTransitionTime                Reason                   Message
  ----             ------  -----------------                 ------------------                ------                   -------
  DiskPressure     True    Thu, 06 Mar 2025 10:00:00 +0000   Thu, 06 Mar 2025 09:00:00 +0000   KubeletHasDiskPressure   kubelet has disk pressure
Addresses:
  InternalIP:  10.0.0.1
Capacity:
  cpu:     4
Allocatable:
  cpu:     3
System Info:
  Kubelet Version:  v1.32.7+rke2r1
";

const CLAIM: &str = "\
Name:          data-db-0
Namespace:     shop
StorageClass:  longhorn
Status:        Pending
Volume:        
Labels:        app=db
Annotations:   volume.kubernetes.io/storage-provisioner: driver.longhorn.io
Finalizers:    [kubernetes.io/pvc-protection]
Capacity:      
Access Modes:  
VolumeMode:    Filesystem
Used By:       db-0
Conditions:
  Type                      Status  LastProbeTime                     LastTransitionTime                Reason  Message
  ----                      ------  -----------------                 ------------------                ------  -------
  FileSystemResizePending   True    Mon, 01 Jan 0001 00:00:00 +0000   Thu, 06 Mar 2025 09:00:00 +0000           Waiting for user to (re-)start a pod
Events:
  Type     Reason              Age                From                         Message
  ----     ------              ----               ----                         -------
  Warning  ProvisioningFailed  2m (x14 over 30m)  driver.longhorn.io_csi-1234  failed to provision volume
";

fn read(text: &str, word: &str, with_events: bool) -> Vec<(String, String)> {
    let now = "2025-03-06T10:00:00Z".parse().ok();
    let found = read_described("e".into(), Some(word), text.as_bytes().to_vec(), now, with_events, u64::MAX).objects;
    let shown = |f: &FoundObject| (f.resource.object().to_string(), format!("{:?}", f.resource.body()));
    found.found.iter().map(shown).collect()
}

#[test]
fn a_described_pod_has_containers_and_conditions() {
    let found = read(POD, "pods", true);
    assert_eq!(found.len(), 2);
    let (object, body) = &found[0];
    assert_eq!(object, "Pod/demo/web-0");
    for wanted in [
        r#""nodeName": "cp1""#,
        r#""labels": {"app": "web", "tier": "front"}"#,
        r#""startTime": "2025-03-06T08:00:00Z""#,
        r#""restartCount": 8"#,
        r#""waiting": {"reason": "CrashLoopBackOff"}"#,
        r#""exitCode": 137"#,
        r#""finishedAt": "2025-03-06T08:59:00Z""#,
        r#""persistentVolumeClaim": {"claimName": "data-web-0"}"#,
        r#"{"type": "Ready", "status": "False"}"#,
        r#""limits": {"memory": "128Mi"}, "requests": null"#,
        r#"{"kind": "StatefulSet", "name": "web", "controller": true}"#,
    ] {
        assert!(body.contains(wanted), "{wanted} in {body}");
    }
    let (event, body) = &found[1];
    assert_eq!(event, "Event/demo/web-0.described.pods.0");
    assert!(body.contains(r#""count": 5"#) && body.contains(r#""firstTimestamp": "2025-03-06T09:00:00Z""#), "{body}");
    assert_eq!(read(POD, "pods", false).len(), 1);
}

#[test]
fn a_described_node_has_conditions_and_sizes() {
    let found = read(NODE, "nodes", true);
    let (object, body) = &found[0];
    assert_eq!((object.as_str(), found.len()), ("Node/cp1", 1));
    for wanted in [
        r#""type": "DiskPressure", "status": "True""#,
        r#""lastTransitionTime": "2025-03-06T09:00:00Z""#,
        r#""message": "kubelet has disk pressure""#,
        r#"{"key": "a", "value": "b", "effect": "NoSchedule"}"#,
        r#""unschedulable": false"#,
        r#""allocatable": {"cpu": "3"}"#,
        r#""addresses": [{"type": "InternalIP", "address": "10.0.0.1"}]"#,
        r#""kubeletVersion": "v1.32.7+rke2r1""#,
    ] {
        assert!(body.contains(wanted), "{wanted} in {body}");
    }
}

#[test]
fn a_described_claim_has_its_class_and_its_events() {
    use crate::resource::content::Shape;
    assert_eq!(Shape::of(CLAIM.as_bytes()), Some(Shape::Description));
    let found = read(CLAIM, "persistentvolumeclaims", true);
    let (object, body) = &found[0];
    assert_eq!((object.as_str(), found.len()), ("PersistentVolumeClaim/shop/data-db-0", 2));
    for wanted in [
        r#""storageClassName": "longhorn", "volumeName": null"#,
        r#""volume.kubernetes.io/storage-provisioner": "driver.longhorn.io""#,
        r#""phase": "Pending", "capacity": null"#,
        r#""lastTransitionTime": "2025-03-06T09:00:00Z", "reason": null, "message": "Waiting for user to (re-)start a pod""#,
    ] {
        assert!(body.contains(wanted), "{wanted} in {body}");
    }
    let (_, event) = &found[1];
    assert!(event.contains(r#""kind": "PersistentVolumeClaim""#) && event.contains(r#""count": 14"#), "{event}");
    let ending = CLAIM.replace("Pending\nVolume", "Terminating (lasts 3h)\nVolume");
    let (_, body) = &read(&ending, "persistentvolumeclaims", true)[0];
    assert!(!body.contains("phase") && body.contains(r#""deletionTimestamp": "2025-03-06T07:00:00Z""#), "{body}");
}

#[test]
fn errors_of_kubectl_and_foreign_texts_are_reported() {
    let read = |text: &str| read_described("e".into(), Some("pods"), text.as_bytes().to_vec(), None, true, u64::MAX);
    let answer = read("Error from server (Forbidden): pods is forbidden: User \"x\" cannot list resource \"pods\"\n");
    assert!(
        answer.answer.is_some_and(|said| said.to_string().contains("Forbidden")) && answer.objects.issues.is_empty()
    );
    let none = read("No resources found in demo namespace.\n");
    assert!(none.answer.is_none() && none.objects.issues.is_empty() && none.objects.is_empty());
    assert_eq!(read("something else\n").objects.issues.len(), 1);
    assert_eq!(read(&"Name: x\nNamespace: y\n".repeat(3)).objects.len(), 3);
}

#[test]
fn a_described_init_container_that_goes_on_is_a_sidecar() {
    let of = |first: &str, second: &str, initialized: &str| {
        let text = format!(
            "Name:  web-0\nNamespace:  demo\nStatus:  Pending\nInit Containers:\n  proxy:\n    State:  {first}\n    Ready:  True\n  \
             setup:\n    State:  {second}\n    Ready:  False\nConditions:\n  Type  Status\n  Initialized  {initialized}\n"
        );
        let (_, body) = read(&text, "pods", false).remove(0);
        let at = body.find("initContainers").unwrap();
        let policies = body[at..].match_indices("restartPolicy\": ");
        let policies: Vec<String> = policies
            .map(|(start, key)| body[at + start + key.len()..].split(['}', ',']).next().unwrap().into())
            .collect();
        (policies, body.contains(r#""started": true"#))
    };
    let told = |first: &str, second: &str, started| (vec![first.to_owned(), second.to_owned()], started);
    let (always, none) = ("\"Always\"", "null");
    assert_eq!(of("Running", "Waiting\n      Reason:  PodInitializing", "False"), told(none, none, false));
    assert_eq!(
        of("Running", "Waiting\n      Reason:  CrashLoopBackOff\n    Last State:  Terminated", "False"),
        told(always, none, true)
    );
    assert_eq!(
        of("Running", "Terminated\n      Reason:  Completed\n      Exit Code:  0", "True"),
        told(always, none, true)
    );
    assert_eq!(of("Waiting\n      Reason:  CrashLoopBackOff", "Waiting", "False"), told(none, none, false));
}

#[test]
fn events_without_an_object_are_of_the_kind_that_reports_them() {
    let header = "Type     Reason      Age   From               Message\n----     ------      ----  ----               -------\n";
    let objects = |rows: &str| {
        let text = format!("Events:\n{header}{rows}").into_bytes();
        let described = read_described("e.txt".into(), None, text, None, true, u64::MAX);
        let text =
            |found: &FoundObject, keys: &[&str]| found.resource.body().str_at(keys).unwrap_or_default().to_owned();
        let involved = |found: &FoundObject| {
            ["kind", "namespace", "name"].map(|key| text(found, &["involvedObject", key])).join(" ")
        };
        described.objects.found.iter().map(involved).collect::<Vec<_>>()
    };
    let scheduled = "Normal   Scheduled   9m    default-scheduler  Successfully assigned shop/web-0 to n1\n";
    let failed = "Warning  BackOff     4m    kubelet            Back-off restarting failed container\n";
    assert_eq!(objects(&format!("{scheduled}{failed}")), ["Pod shop web-0", "Pod shop web-0"]);
    assert_eq!(objects(failed), ["Pod <namespace> <pod>"]);
    assert_eq!(objects("Warning  SystemOOM   4m    kubelet            System OOM encountered\n"), ["Node  <node>"]);
    assert!(objects("Warning  Odd         4m    another            Something\n").is_empty());
}
