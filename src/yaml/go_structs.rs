//! Objects that yaml.v2 printed from Go structs, converted to the form of the Kubernetes API.
//!
//! Longhorn before 1.4 wrote such bundles: keys are Go's field names in lower case, embedded structs are
//! one level too deep, times and int-or-strings are structs, empty fields are written, and the
//! amount of a quantity is not written, because Go keeps it in fields that are not exported.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::{Builder, Document, Kind, Node};

/// Field names of more than one word in the API.
const FIELDS: &[&str] = &[
    "accessMode accessModes activeDeadlineSeconds actualSize allowScheduling apiVersion availableReplicas backingImage",
    "backingImageManagers backoffLimit backupStatus backupVolume baseImage binaryData blockOwnerDeletion bootID",
    "buildDate claimName claimRef cloneStatus clusterIP clusterIPs clusterName collisionCount completionTime",
    "concurrencyPolicy configMap containerID containerPort containerRuntimeVersion containerStatuses controllerAPIVersion",
    "controllerAPIMinVersion creationTimestamp currentImage currentMigrationNodeID currentNodeID",
    "currentNumberScheduled currentReplicaAddressMap currentReplicas currentRevision currentSize currentState",
    "dataDirectoryName dataLocality dataPath dataSource defaultMode deletionGracePeriodSeconds deletionTimestamp",
    "desireState desiredNumberScheduled deviceMountPath disableFrontend diskFileStatusMap diskID diskPath diskSelector",
    "diskStatus diskUUID dnsPolicy downloadProgress emptyDir enableServiceLinks engineImage engineName ephemeralContainers",
    "eventTime evictionRequested exitCode expansionRequired externalIPs failedAt failureThreshold fieldRef fieldPath",
    "finishedAt firstTimestamp forceSyncGeneration fromBackup frontendDisabled fsType generateName gitCommit",
    "hardNodeAffinity healthyAt holderIdentity hostIP hostNetwork hostPID hostPath httpGet imageID imagePullPolicy",
    "imagePullSecrets initContainerStatuses initContainers initialDelaySeconds instanceManagerName instanceManagers",
    "involvedObject isExpanding isStandby jobTemplate kernelVersion kubeProxyVersion kubeletEndpoint kubeletVersion",
    "kubernetesStatus lastAttachedBy lastBackup lastBackupAt lastDegradedAt lastExpansionError lastExpansionFailedAt",
    "lastHeartbeatTime lastPVCRefAt lastPodRefAt lastProbeTime lastRestoredBackup lastScheduleTime lastSuccessfulTime",
    "lastTimestamp lastTransitionTime lastUpdateTime livenessProbe loadBalancer logFetched logLevel machineID matchExpressions",
    "matchLabels mountPath mountPropagation migrationNodeID namespaceSelector nodeAffinity nodeID nodeInfo nodeName",
    "nodePort nodeSelector nominatedNodeName nonReadyStatus notReadyAddresses numberAvailable numberMisscheduled",
    "numberOfReplicas numberReady numberUnavailable objectReference observedGeneration operatingSystem osImage ownerID",
    "ownerReferences pendingNodeID periodSeconds persistentVolumeClaim persistentVolumeName persistentVolumeReclaimPolicy",
    "podCIDR podCIDRs podIP podIPs podManagementPolicy podName podStatus preemptionPolicy priorityClassName",
    "progressDeadlineSeconds providerID pvName pvStatus pvcName qosClass readOnly readinessProbe readyReplicas rebuildStatus",
    "recurringJobSelector recurringJobs refCount relatedObject remountRequestedAt replicaAddressMap replicaModeMap replicaName",
    "reportingInstance resourceVersion restartCount restartPolicy restoreInitiated restoreRequired restoreStatus",
    "revisionCounterDisabled revisionHistoryLimit rollingUpdate salvageExecuted salvageRequested scheduledReplica",
    "schedulerName secretName secretRef securityContext selfLink serviceAccountName serviceName sessionAffinity shareEndpoint",
    "shareState snapshotsError staleReplicaTimeout startTime startedAt startupProbe stdinOnce storageAvailable",
    "storageClassName storageMaximum storageReserved storageScheduled storageIP subPath successThreshold successfulJobsHistoryLimit",
    "systemUUID targetPort tcpSocket terminationGracePeriodSeconds terminationMessagePath terminationMessagePolicy",
    "timeoutSeconds timeAdded tolerationSeconds transitioningMessage ttlSecondsAfterFinished unavailableReplicas",
    "unschedulable updateRevision updateStrategy updatedNumberScheduled updatedReplicas upgradedReplicaAddressMap usedBy",
    "valueFrom versionSize volumeAttributes volumeClaimTemplates volumeDevices volumeHandle volumeMode volumeMounts",
    "volumeName volumeSize volumesAttached volumesInUse whenUnsatisfiable workloadName workloadType workloadsStatus",
];

/// Fields whose names in Go and in the API differ.
const RENAMED: [(&str, &str); 6] = [
    ("deprecatedserviceaccount", "serviceAccount"),
    ("lastterminationstate", "lastState"),
    ("listmeta", "metadata"),
    ("objectmeta", "metadata"),
    ("reportingcontroller", "reportingComponent"),
    ("strategytype", "type"),
];

/// Embedded structs, whose fields are one level higher in the API.
const EMBEDDED: [&str; 10] = [
    "ephemeralcontainercommon",
    "handler",
    "instancespec",
    "instancestatus",
    "lifecyclehandler",
    "localobjectreference",
    "persistentvolumesource",
    "probehandler",
    "typemeta",
    "volumesource",
];

/// Fields that hold mappings, whose keys are data.
const MAPPINGS: &[&str] = &[
    "allocatable",
    "annotations",
    "attributes",
    "backupStatus",
    "binaryData",
    "capacity",
    "children",
    "conditions",
    "currentReplicaAddressMap",
    "data",
    "diskFileStatusMap",
    "diskStatus",
    "disks",
    "hard",
    "instances",
    "labels",
    "limits",
    "matchLabels",
    "nodeSelector",
    "parameters",
    "rebuildStatus",
    "replicaAddressMap",
    "replicaModeMap",
    "requests",
    "restoreStatus",
    "scheduledReplica",
    "snapshots",
    "upgradedReplicaAddressMap",
    "used",
    "volumeAttributes",
];

/// Exported field of a quantity, the only one that yaml.v2 prints.
const QUANTITY_FORMATS: [&str; 3] = ["BinarySI", "DecimalExponent", "DecimalSI"];
/// Go's zero time.
const NO_TIME: &str = "0001-01-01";

/// API names by Go names.
static NAMES: LazyLock<HashMap<String, &str>> = LazyLock::new(|| {
    let fields = FIELDS.iter().flat_map(|line| line.split(' ')).map(|name| (name.to_ascii_lowercase(), name));
    fields.chain(RENAMED.iter().map(|(go, name)| ((*go).to_owned(), *name))).collect()
});

/// Converts a document. Nodes keep their places in the text. Fields without information are left out:
/// empty texts and collections, unset times, managed fields, and quantities, of which only the format was written.
pub fn fold(document: Document) -> Document {
    document.rebuilt(u64::MAX, |document, builder| {
        for root in document.roots() {
            builder.begin();
            Folder { document, builder }.node(root, false);
        }
    })
}

struct Folder<'a, 'b, 't> {
    document: &'a Document,
    builder: &'b mut Builder<'t>,
}

impl<'a> Folder<'a, '_, '_> {
    /// Recursion is bounded, because readers refuse documents deeper than [`super::tape::MAX_DEPTH`].
    fn node(&mut self, node: Node<'a>, keys_are_data: bool) {
        match node.kind() {
            Kind::Mapping => {
                self.builder.open(Kind::Mapping, node.offset());
                self.entries(node, keys_are_data);
                self.builder.close();
            }
            Kind::Sequence => {
                self.builder.open(Kind::Sequence, node.offset());
                node.items().for_each(|item| self.node(plain(item).unwrap_or(item), false));
                self.builder.close();
            }
            kind => self.builder.owned(kind, self.document.source_of(node), node.text()),
        }
    }

    fn entries(&mut self, mapping: Node<'a>, keys_are_data: bool) {
        for (key, value) in mapping.entry_nodes() {
            let go = key.text();
            if !keys_are_data && go == "managedfields" {
                continue;
            }
            if !keys_are_data && EMBEDDED.contains(&go) && value.kind() == Kind::Mapping {
                self.entries(value, false);
                continue;
            }
            // An empty list means that there are no items.
            let Some(value) = plain(value).or((go == "items").then_some(value)) else { continue };
            let name = NAMES.get(go).copied().filter(|_| !keys_are_data).unwrap_or(go);
            self.builder.owned(Kind::String, self.document.source_of(key), name);
            self.node(value, MAPPINGS.contains(&name));
        }
    }
}

/// Returns the value that a struct represents; none if it has no information.
fn plain(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        Kind::Null => None,
        Kind::Mapping if node.is_empty() => None,
        Kind::Sequence => (!node.is_empty()).then_some(node),
        Kind::Mapping => of_struct(node),
        _ => (!node.text().is_empty() && !node.text().starts_with(NO_TIME)).then_some(node),
    }
}

fn of_struct(node: Node<'_>) -> Option<Node<'_>> {
    let mut entries = node.entries();
    let (Some((first, value)), second, third) = (entries.next(), entries.next(), entries.next()) else {
        return Some(node);
    };
    match (&*first, second, third) {
        ("time", None, None) if value.kind().is_scalar() => plain(value),
        ("format", None, None) if QUANTITY_FORMATS.contains(&value.text()) => None,
        ("type", Some((number, int)), Some((text, string))) if number == "intval" && text == "strval" => {
            if value.text() == "0" { Some(int) } else { plain(string) }
        }
        _ => Some(node),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml;

    fn folded(text: &str) -> Document {
        let (document, problems) = yaml::parse(text.as_bytes().to_vec());
        assert_eq!(problems, []);
        fold(document)
    }

    fn shown(text: &str) -> String {
        folded(text).roots().map(|root| format!("{root:?}")).collect()
    }

    #[test]
    fn structs_become_objects() {
        let text = "- typemeta: {kind: \"\", apiversion: \"\"}\n  objectmeta:\n    name: web\n    generatename: \"\"\n    creationtimestamp:\n      time: 2021-05-01T10:00:00Z\n    deletiontimestamp: null\n    labels: {nodename: x}\n    managedfields:\n    - fieldsv1: {raw: [1, 2]}\n  spec:\n    nodename: n1\n    volumes:\n    - name: v\n      volumesource: {hostpath: {path: /v}, secret: null}\n";
        let expected = r#"[{"metadata": {"name": "web", "creationTimestamp": "2021-05-01T10:00:00Z", "labels": {"nodename": "x"}}, "spec": {"nodeName": "n1", "volumes": [{"name": "v", "hostPath": {"path": "/v"}}]}}]"#;
        assert_eq!(shown(text), expected);
    }

    #[test]
    fn embedded_specs_of_longhorn_and_its_mappings() {
        let text = "spec:\n  instancespec: {volumename: v1, nodeid: n1}\n  active: true\nstatus:\n  conditions:\n    scheduled: {type: scheduled, status: \"True\", lasttransitiontime: \"\"}\n  replicamodemap: {v1-r-0: RW}\n";
        let expected = r#"{"spec": {"volumeName": "v1", "nodeID": "n1", "active": true}, "status": {"conditions": {"scheduled": {"type": "scheduled", "status": "True"}}, "replicaModeMap": {"v1-r-0": "RW"}}}"#;
        assert_eq!(shown(text), expected);
    }

    #[test]
    fn values_that_are_structs() {
        let text = "port: {type: 0, intval: 80, strval: \"\"}\nname: {type: 1, intval: 0, strval: web}\nlimits: {memory: {format: BinarySI}}\nstartedat: {time: \"0001-01-01T00:00:00Z\"}\nzero: 0\nstate: {running: null}\n";
        assert_eq!(shown(text), r#"{"port": 80, "name": "web", "limits": {}, "zero": 0, "state": {}}"#);
    }

    #[test]
    fn nodes_keep_their_lines() {
        let document = folded("items:\n- objectmeta:\n    name: \"a\\tb\"\n  spec:\n    nodename: n1\n");
        let item = document.roots().next().unwrap().get("items").unwrap().at(0).unwrap();
        assert_eq!(item.path(&["spec", "nodeName"]).unwrap().line(), 5);
        assert_eq!(item.str_at(&["metadata", "name"]), Some("a\tb"));
    }

    #[test]
    fn names_are_known_once_and_in_lower_case() {
        let all: Vec<&str> = FIELDS.iter().flat_map(|line| line.split(' ')).collect();
        let once: std::collections::BTreeSet<String> = all.iter().map(|name| name.to_ascii_lowercase()).collect();
        assert_eq!(all.len(), once.len());
        assert!(all.iter().all(|name| !name.is_empty()));
    }
}
