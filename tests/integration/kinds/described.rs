//! What people save of `kubectl describe`: objects of any type, their events, and when that was.

use serde_json::Value;

use super::{analysed, fired};

const POD: &str = "\
Name:             web-0
Namespace:        shop
Node:             n1/10.0.0.11
Start Time:       Mon, 10 Feb 2025 09:00:00 +0000
Labels:           app=web
Status:           Running
Containers:
  web:
    State:          Waiting
      Reason:       CrashLoopBackOff
    Last State:     Terminated
      Reason:       Error
      Exit Code:    1
      Started:      Mon, 10 Feb 2025 09:40:00 +0000
      Finished:     Mon, 10 Feb 2025 09:41:00 +0000
    Ready:          False
    Restart Count:  7
Conditions:
  Type    Status
  Ready   False
Events:
  Type     Reason     Age                From               Message
  ----     ------     ----               ----               -------
  Normal   Scheduled  46m                default-scheduler  Successfully assigned shop/web-0 to n1
  Warning  BackOff    2m (x40 over 46m)  kubelet            Back-off restarting failed container web
";

const OTHERS: &str = "\
Name:                   web
Namespace:              shop
CreationTimestamp:      Mon, 10 Feb 2025 09:00:00 +0000
Labels:                 app=web
Annotations:            deployment.kubernetes.io/revision: 2
Replicas:               3 desired | 1 updated | 4 total | 2 available | 2 unavailable
StrategyType:           RollingUpdate
Pod Template:
  Containers:
   web:
    Image:         nginx:1.25
Conditions:
  Type           Status  Reason
  ----           ------  ------
  Available      True    MinimumReplicasAvailable
  Progressing    False   ProgressDeadlineExceeded
Events:          <none>


Name:                     web
Namespace:                shop
Labels:                   <none>
Annotations:              <none>
Selector:                 app=web
Type:                     LoadBalancer
IP:                       10.43.10.20
Port:                     http  80/TCP
Session Affinity:         None
Events:
  Type     Reason                  Age  From                Message
  ----     ------                  ----               ----                -------
  Warning  SyncLoadBalancerFailed  3m (x8 over 41m)  service-controller  Error syncing load balancer: no  subnet


Name:            pvc-1
Labels:          <none>
Annotations:     pv.kubernetes.io/provisioned-by: driver.longhorn.io
StorageClass:    longhorn
Status:          Released
Claim:           shop/data
Reclaim Policy:  Delete
Access Modes:    RWO
Capacity:        10Gi
Events:          <none>


Name:         settings
Namespace:    shop
Labels:       <none>

Data
====
note:
----
Name: somebody
Replicas:  none

Events:  <none>


Name:         pvc-2
Namespace:    longhorn-system
Labels:       <none>
API Version:  longhorn.io/v1beta2
Kind:         Volume
Metadata:
  Creation Timestamp:  2025-02-10T09:00:00Z
Status:
  Conditions:
    Message:               insufficient storage
    Reason:                ReplicaSchedulingFailure
    Status:                False
    Type:                  Scheduled
    Message:               
    Status:                True
    Type:                  Restored
  Robustness:              degraded
Events:                    <none>
";

fn found(files: &[(&str, &str)], rules: &[(&str, &str)]) -> Value {
    let files: Vec<(&str, String)> = files.iter().map(|(path, text)| (*path, (*text).to_owned())).collect();
    analysed("case", &files, rules)
}

#[test]
fn descriptions_of_any_type_have_their_state_and_their_events() {
    let rules = [
        (
            "t-custom",
            "  v: {resource: volumes.longhorn.io, where: \"v.status.robustness == 'degraded' && v.status.conditions.exists(c, c.type == 'Scheduled' && c.status == 'False' && c.message.contains('insufficient')) && v.status.conditions.exists(c, c.type == 'Restored' && c.status == 'True')\"}\n",
        ),
        ("t-data", "  c: {resource: configmaps, namespace: shop, name: settings}\n"),
        (
            "t-deployment",
            "  d: {resource: deployments.apps, where: \"d.spec.replicas == 3 && d.status.availableReplicas == 2 && d.status.conditions.exists(c, c.reason == 'ProgressDeadlineExceeded')\"}\n",
        ),
        (
            "t-event",
            "  e: {event: {reason: SyncLoadBalancerFailed, object: {kind: Service}}}\nwhen: e.count == 8 && e.message.endsWith('no  subnet')\n",
        ),
        (
            "t-service",
            "  s: {resource: services, where: \"s.spec.type == 'LoadBalancer' && s.status.loadBalancer.ingress == null\"}\n",
        ),
        (
            "t-volume",
            "  v: {resource: persistentvolumes, where: \"v.status.phase == 'Released' && v.spec.claimRef.name == 'data'\"}\n",
        ),
        ("t-wrong", "  d: {resource: deployments.apps, namespace: shop, name: somebody}\n"),
    ];
    let found = found(&[("describe.txt", OTHERS)], &rules);
    let all = ["t-custom", "t-data", "t-deployment", "t-event", "t-service", "t-volume"];
    assert_eq!(fired(&found, "t-"), all, "{}", found["issues"]);
}

#[test]
fn a_pod_that_is_terminating_was_deleted_then() {
    let ending = POD.replace("Running\nC", "Terminating (lasts 40m)\nTermination Grace Period:  30s\nC");
    let rules = [(
        "t-ending",
        "  pod: {resource: pods, where: columns(pod).STATUS == 'Terminating'}\nwhen: ago(pod.metadata.deletionTimestamp) == duration('40m')\n",
    )];
    assert_eq!(fired(&found(&[("describe.txt", &ending)], &rules), "t-"), ["t-ending"]);
    assert_eq!(fired(&found(&[("describe.txt", POD)], &rules), "t-"), Vec::<&str>::new());
}

#[test]
fn ages_in_descriptions_count_from_when_they_were_made() {
    let rule = ("t-lately", "  e: {event: {reason: BackOff}}\nwhen: ago(e.last) == duration('2m')\n");
    let found = |files: &[(&str, &str)]| found(files, &[rule]);
    let alone = found(&[("describe.txt", POD)]);
    assert_eq!(alone["bundle"]["collected_at"], "2025-02-10T09:46:00Z");
    assert_eq!(fired(&alone, "t-"), ["t-lately"]);
    let other = POD.replace("web-0", "web-1").replace("46m  ", "5h   ").replace("2m (", "9m (");
    let beside = found(&[("describe.txt", POD), ("more.txt", &other), ("notes.txt", "Name: x\n")]);
    assert_eq!(beside["bundle"]["collected_at"], "2025-02-10T09:46:00Z");
    assert_eq!(fired(&beside, "t-"), ["t-lately"]);
    let ended = found(&[("describe.txt", &POD.replace("46m  ", "5h   "))]);
    assert_eq!(ended["bundle"]["collected_at"], "2025-02-10T09:41:00Z");
    assert!(ended["bundle"]["not_collected"].to_string().contains("the last container ended"), "{}", ended["bundle"]);
    assert_eq!(fired(&ended, "t-"), ["t-lately"]);
}
