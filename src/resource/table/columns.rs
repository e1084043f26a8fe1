//! Columns that kubectl prints, and the fields that they show: one table for printing objects and for reading tables.
//!
//! Source: the printers of Kubernetes (`pkg/printers/internalversion`). Columns of custom resources are in `shipped.tsv`.

use super::cell_form::{
    CellForm, DELETED, PHASE, Path, age, age_of_first, before_comma, behind_comma, count_before_slash, flag, none_only,
    pod_deleted, pod_phase, text, times, unschedulable,
};
use CellForm::{Ago, Computed, Count, Each, Flag, Labels, Number, Pair, PhaseOrTerminating, Ratio, Selector, Text};

/// Columns of a type.
pub struct TypeColumns {
    /// `PLURAL[.GROUP]`.
    pub name: &'static str,
    /// True if these are all columns of `-o wide`, in order, except NAMESPACE, NAME and AGE, which all types have.
    /// Otherwise they are those that state a field, for reading only.
    pub is_complete: bool,
    /// Number of columns that are printed without `-o wide`.
    pub narrow: usize,
    pub columns: &'static [Column],
}

/// Header of a column and the form of its cells.
pub type Column = (&'static str, CellForm);

/// Columns with the same meaning in the tables of all types.
pub(super) const COMMON: &[Column] = &[
    ("NAME", Text(&["metadata", "name"])),
    ("NAMESPACE", Text(&["metadata", "namespace"])),
    ("CREATED AT", Text(&["metadata", "creationTimestamp"])),
    ("LABELS", Labels(&["metadata", "labels"])),
];

/// Returns the columns of a type.
pub fn columns_of_type(plural: &str, group: &str) -> Option<&'static TypeColumns> {
    TYPES.iter().find(|known| known.name.split_once('.').unwrap_or((known.name, "")) == (plural, group))
}

/// Columns for both directions.
const fn complete(name: &'static str, narrow: usize, columns: &'static [Column]) -> TypeColumns {
    TypeColumns { name, is_complete: true, narrow, columns }
}

/// Columns for reading only.
const fn partial(name: &'static str, columns: &'static [Column]) -> TypeColumns {
    TypeColumns { name, is_complete: false, narrow: columns.len(), columns }
}

const READY: CellForm = Ratio { ready: READY_REPLICAS, wanted: REPLICAS };
const READY_REPLICAS: Path = &["status", "readyReplicas"];
const REPLICAS: Path = &["spec", "replicas"];
const CONTAINERS: CellForm = Each { list: TEMPLATE, field: "name" };
const IMAGES: CellForm = Each { list: TEMPLATE, field: "image" };
const TEMPLATE: Path = &["spec", "template", "spec", "containers"];
const JOB_TEMPLATE: Path = &["spec", "jobTemplate", "spec", "template", "spec", "containers"];
const SELECTOR: CellForm =
    Selector { labels: &["spec", "selector", "matchLabels"], expressions: &["spec", "selector", "matchExpressions"] };
const BINDING: &[Column] = &[
    ("ROLE", reference([&["roleRef", "kind"], &["roleRef", "name"]])),
    ("USERS", COMPUTED),
    ("GROUPS", COMPUTED),
    ("SERVICEACCOUNTS", COMPUTED),
];
/// Computed, and no field follows from it.
const COMPUTED: CellForm = Computed(&[]);

const fn reference(fields: [Path; 2]) -> CellForm {
    Pair { fields, separator: "/", otherwise: None }
}

pub const TYPES: &[TypeColumns] = &[
    complete(
        "pods",
        3,
        &[
            ("READY", COMPUTED),
            ("STATUS", Computed(&[(PHASE, pod_phase), (DELETED, pod_deleted)])),
            ("RESTARTS", COMPUTED),
            ("IP", Computed(&[(&["status", "podIP"], text)])),
            ("NODE", Text(&["spec", "nodeName"])),
            ("NOMINATED NODE", Text(&["status", "nominatedNodeName"])),
            ("READINESS GATES", COMPUTED),
        ],
    ),
    complete("namespaces", 1, &[("STATUS", Text(PHASE))]),
    complete(
        "nodes",
        3,
        &[
            ("STATUS", Computed(&[(&["spec", "unschedulable"], unschedulable)])),
            ("ROLES", COMPUTED),
            ("VERSION", Text(&["status", "nodeInfo", "kubeletVersion"])),
            ("INTERNAL-IP", COMPUTED),
            ("EXTERNAL-IP", COMPUTED),
            ("OS-IMAGE", Text(&["status", "nodeInfo", "osImage"])),
            ("KERNEL-VERSION", Text(&["status", "nodeInfo", "kernelVersion"])),
            ("CONTAINER-RUNTIME", Text(&["status", "nodeInfo", "containerRuntimeVersion"])),
        ],
    ),
    complete(
        "persistentvolumes",
        8,
        &[
            ("CAPACITY", Text(&["spec", "capacity", "storage"])),
            ("ACCESS MODES", COMPUTED),
            ("RECLAIM POLICY", Text(&["spec", "persistentVolumeReclaimPolicy"])),
            ("STATUS", PhaseOrTerminating),
            ("CLAIM", reference([&["spec", "claimRef", "namespace"], &["spec", "claimRef", "name"]])),
            ("STORAGECLASS", Text(&["spec", "storageClassName"])),
            ("VOLUMEATTRIBUTESCLASS", Text(&["spec", "volumeAttributesClassName"])),
            ("REASON", Text(&["status", "reason"])),
            ("VOLUMEMODE", Text(&["spec", "volumeMode"])),
        ],
    ),
    complete(
        "persistentvolumeclaims",
        6,
        &[
            ("STATUS", PhaseOrTerminating),
            ("VOLUME", Text(&["spec", "volumeName"])),
            ("CAPACITY", COMPUTED),
            ("ACCESS MODES", COMPUTED),
            ("STORAGECLASS", Text(&["spec", "storageClassName"])),
            ("VOLUMEATTRIBUTESCLASS", Text(&["spec", "volumeAttributesClassName"])),
            ("VOLUMEMODE", Text(&["spec", "volumeMode"])),
        ],
    ),
    complete(
        "services",
        4,
        &[
            ("TYPE", Text(&["spec", "type"])),
            ("CLUSTER-IP", Text(&["spec", "clusterIP"])),
            ("EXTERNAL-IP", COMPUTED),
            ("PORT(S)", COMPUTED),
            ("SELECTOR", Labels(&["spec", "selector"])),
        ],
    ),
    complete(
        "apiservices.apiregistration.k8s.io",
        2,
        &[
            (
                "SERVICE",
                Pair {
                    fields: [&["spec", "service", "namespace"], &["spec", "service", "name"]],
                    separator: "/",
                    otherwise: Some("Local"),
                },
            ),
            ("AVAILABLE", COMPUTED),
        ],
    ),
    complete(
        "deployments.apps",
        3,
        &[
            ("READY", READY),
            ("UP-TO-DATE", Count(&["status", "updatedReplicas"])),
            ("AVAILABLE", Count(&["status", "availableReplicas"])),
            ("CONTAINERS", CONTAINERS),
            ("IMAGES", IMAGES),
            ("SELECTOR", SELECTOR),
        ],
    ),
    complete(
        "replicasets.apps",
        3,
        &[
            ("DESIRED", Number(REPLICAS, 1)),
            ("CURRENT", Number(&["status", "replicas"], 0)),
            ("READY", Count(READY_REPLICAS)),
            ("CONTAINERS", CONTAINERS),
            ("IMAGES", IMAGES),
            ("SELECTOR", SELECTOR),
        ],
    ),
    complete(
        "daemonsets.apps",
        6,
        &[
            ("DESIRED", Number(&["status", "desiredNumberScheduled"], 0)),
            ("CURRENT", Number(&["status", "currentNumberScheduled"], 0)),
            ("READY", Number(&["status", "numberReady"], 0)),
            ("UP-TO-DATE", Count(&["status", "updatedNumberScheduled"])),
            ("AVAILABLE", Count(&["status", "numberAvailable"])),
            ("NODE SELECTOR", Labels(&["spec", "template", "spec", "nodeSelector"])),
            ("CONTAINERS", CONTAINERS),
            ("IMAGES", IMAGES),
            ("SELECTOR", SELECTOR),
        ],
    ),
    complete("statefulsets.apps", 1, &[("READY", READY), ("CONTAINERS", CONTAINERS), ("IMAGES", IMAGES)]),
    complete(
        "jobs.batch",
        3,
        &[
            ("STATUS", COMPUTED),
            ("COMPLETIONS", Computed(&[(&["status", "succeeded"], count_before_slash)])),
            ("DURATION", COMPUTED),
            ("CONTAINERS", CONTAINERS),
            ("IMAGES", IMAGES),
            ("SELECTOR", SELECTOR),
        ],
    ),
    complete(
        "cronjobs.batch",
        5,
        &[
            ("SCHEDULE", Text(&["spec", "schedule"])),
            ("TIMEZONE", Text(&["spec", "timeZone"])),
            ("SUSPEND", Flag(&["spec", "suspend"])),
            ("ACTIVE", COMPUTED),
            ("LAST SCHEDULE", COMPUTED),
            ("CONTAINERS", Each { list: JOB_TEMPLATE, field: "name" }),
            ("IMAGES", Each { list: JOB_TEMPLATE, field: "image" }),
            ("SELECTOR", Labels(&["spec", "jobTemplate", "spec", "selector", "matchLabels"])),
        ],
    ),
    complete(
        "replicationcontrollers",
        3,
        &[
            ("DESIRED", Number(REPLICAS, 0)),
            ("CURRENT", Number(&["status", "replicas"], 0)),
            ("READY", Count(READY_REPLICAS)),
            ("CONTAINERS", CONTAINERS),
            ("IMAGES", IMAGES),
            ("SELECTOR", Labels(&["spec", "selector"])),
        ],
    ),
    complete("configmaps", 1, &[("DATA", COMPUTED)]),
    complete("secrets", 2, &[("TYPE", Text(&["type"])), ("DATA", COMPUTED)]),
    complete("serviceaccounts", 0, &[]),
    complete("endpoints", 1, &[("ENDPOINTS", Computed(&[(&["subsets"], none_only)]))]),
    complete("resourcequotas", 2, &[("REQUEST", COMPUTED), ("LIMIT", COMPUTED)]),
    complete("componentstatuses", 3, &[("STATUS", COMPUTED), ("MESSAGE", COMPUTED), ("ERROR", COMPUTED)]),
    complete("controllerrevisions.apps", 2, &[("CONTROLLER", COMPUTED), ("REVISION", Number(&["revision"], 0))]),
    complete(
        "volumeattachments.storage.k8s.io",
        4,
        &[
            ("ATTACHER", Text(&["spec", "attacher"])),
            ("PV", Text(&["spec", "source", "persistentVolumeName"])),
            ("NODE", Text(&["spec", "nodeName"])),
            ("ATTACHED", Computed(&[(&["status", "attached"], flag)])),
        ],
    ),
    complete(
        "storageclasses.storage.k8s.io",
        4,
        &[
            ("PROVISIONER", Text(&["provisioner"])),
            ("RECLAIMPOLICY", COMPUTED),
            ("VOLUMEBINDINGMODE", COMPUTED),
            ("ALLOWVOLUMEEXPANSION", COMPUTED),
        ],
    ),
    complete("csinodes.storage.k8s.io", 1, &[("DRIVERS", COMPUTED)]),
    complete(
        "csidrivers.storage.k8s.io",
        6,
        &[
            ("ATTACHREQUIRED", COMPUTED),
            ("PODINFOONMOUNT", COMPUTED),
            ("STORAGECAPACITY", COMPUTED),
            ("TOKENREQUESTS", COMPUTED),
            ("REQUIRESREPUBLISH", COMPUTED),
            ("MODES", COMPUTED),
        ],
    ),
    complete(
        "csistoragecapacities.storage.k8s.io",
        2,
        &[("STORAGECLASSNAME", Text(&["storageClassName"])), ("CAPACITY", Text(&["capacity"]))],
    ),
    complete(
        "horizontalpodautoscalers.autoscaling",
        5,
        &[
            ("REFERENCE", reference([&["spec", "scaleTargetRef", "kind"], &["spec", "scaleTargetRef", "name"]])),
            ("TARGETS", COMPUTED),
            ("MINPODS", Number(&["spec", "minReplicas"], 1)),
            ("MAXPODS", Number(&["spec", "maxReplicas"], 0)),
            ("REPLICAS", COMPUTED),
        ],
    ),
    complete(
        "poddisruptionbudgets.policy",
        3,
        &[
            ("MIN AVAILABLE", COMPUTED),
            ("MAX UNAVAILABLE", COMPUTED),
            ("ALLOWED DISRUPTIONS", Number(&["status", "disruptionsAllowed"], 0)),
        ],
    ),
    complete(
        "ingresses.networking.k8s.io",
        4,
        &[
            ("CLASS", Text(&["spec", "ingressClassName"])),
            ("HOSTS", COMPUTED),
            ("ADDRESS", COMPUTED),
            ("PORTS", COMPUTED),
        ],
    ),
    complete(
        "ingressclasses.networking.k8s.io",
        2,
        &[("CONTROLLER", Text(&["spec", "controller"])), ("PARAMETERS", COMPUTED)],
    ),
    complete(
        "networkpolicies.networking.k8s.io",
        1,
        &[(
            "POD-SELECTOR",
            Selector {
                labels: &["spec", "podSelector", "matchLabels"],
                expressions: &["spec", "podSelector", "matchExpressions"],
            },
        )],
    ),
    complete(
        "endpointslices.discovery.k8s.io",
        3,
        &[("ADDRESSTYPE", Text(&["addressType"])), ("PORTS", COMPUTED), ("ENDPOINTS", COMPUTED)],
    ),
    complete("leases.coordination.k8s.io", 1, &[("HOLDER", Text(&["spec", "holderIdentity"]))]),
    complete(
        "priorityclasses.scheduling.k8s.io",
        2,
        &[
            ("VALUE", Number(&["value"], 0)),
            ("GLOBAL-DEFAULT", COMPUTED),
            ("PREEMPTIONPOLICY", Text(&["preemptionPolicy"])),
        ],
    ),
    complete("runtimeclasses.node.k8s.io", 1, &[("HANDLER", Text(&["handler"]))]),
    complete("rolebindings.rbac.authorization.k8s.io", 1, BINDING),
    complete("clusterrolebindings.rbac.authorization.k8s.io", 1, BINDING),
    complete("mutatingwebhookconfigurations.admissionregistration.k8s.io", 1, &[("WEBHOOKS", COMPUTED)]),
    complete("validatingwebhookconfigurations.admissionregistration.k8s.io", 1, &[("WEBHOOKS", COMPUTED)]),
    complete(
        "certificatesigningrequests.certificates.k8s.io",
        4,
        &[
            ("SIGNERNAME", Text(&["spec", "signerName"])),
            ("REQUESTOR", Text(&["spec", "username"])),
            ("REQUESTEDDURATION", COMPUTED),
            ("CONDITION", COMPUTED),
        ],
    ),
    partial(
        "customresourcedefinitions.apiextensions.k8s.io",
        &[(
            "NAME",
            Pair { fields: [&["spec", "names", "plural"], &["spec", "group"]], separator: ".", otherwise: None },
        )],
    ),
    partial(
        "events",
        &[
            // `kubectl events` has the count and the age of the first one here, too.
            (
                "LAST SEEN",
                Computed(&[(&["lastTimestamp"], age), (&["count"], times), (&["firstTimestamp"], age_of_first)]),
            ),
            ("FIRST SEEN", Ago(&["firstTimestamp"])),
            ("TYPE", Text(&["type"])),
            ("REASON", Text(&["reason"])),
            ("MESSAGE", Text(&["message"])),
            ("COUNT", Number(&["count"], 0)),
            ("OBJECT", reference([&["involvedObject", "kind"], &["involvedObject", "name"]])),
            ("NAMESPACE", Text(&["involvedObject", "namespace"])),
            ("SOURCE", Computed(&[(&["source", "component"], before_comma), (&["source", "host"], behind_comma)])),
        ],
    ),
];
