//! `unhealthy(obj)`: bad conditions of an object.
//!
//! Most conditions are good when True; some are good when False; others are unrelated to health. [`polarity`] is the
//! only table.

use crate::expr::check::shape::Shape;
use std::ops::ControlFlow;

use crate::expr::eval::member;
use crate::expr::eval::place::FieldPlace;
use crate::expr::eval::stop::{Answer, Stop};
use crate::expr::eval::value::Value;
use crate::expr::eval::world::World;
use crate::expr::functions::function::{Caller, Function, Parameter, Returns, STRICT, Takes};
use crate::expr::functions::object_view::ObjectView;
use crate::expr::functions::objects::conditions;

/// Status that makes a condition bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Polarity {
    /// False is bad; Unknown as well.
    GoodWhenTrue,
    /// True is bad; Unknown as well.
    GoodWhenFalse,
    /// A state or an action, unrelated to health.
    Neutral,
}

use Polarity::{GoodWhenFalse, GoodWhenTrue, Neutral};

/// Functions declared in this file.
pub(super) const FUNCTIONS: &[Function] = &[Function {
    name: "unhealthy",
    parameters: &[Parameter::required("obj", Takes::Object)],
    returns: Returns::Shape(|_| Shape::list(Shape::condition())),
    doc: "the [bad conditions](#health)",
    run: unhealthy,
    options: STRICT.reads(&["status"]).places(places),
}];

/// A condition type with its polarity on every object.
const EVERYWHERE: &[(&str, Polarity)] = &[
    // Conditions that most objects have.
    ("Ready", GoodWhenTrue),
    ("Available", GoodWhenTrue),
    ("Healthy", GoodWhenTrue),
    ("Synced", GoodWhenTrue),
    ("Accepted", GoodWhenTrue),
    ("Initialized", GoodWhenTrue),
    ("Schedulable", GoodWhenTrue),
    // Pods, services, CRDs, API services, cert-manager.
    ("ContainersReady", GoodWhenTrue),
    ("PodScheduled", GoodWhenTrue),
    ("PodReadyToStartContainers", GoodWhenTrue),
    ("PodHasNetwork", GoodWhenTrue),
    ("Established", GoodWhenTrue),
    ("NamesAccepted", GoodWhenTrue),
    ("Issuing", Neutral),
    // Nodes, and node problem detectors.
    ("EtcdIsVoter", GoodWhenTrue),
    ("MemoryPressure", GoodWhenFalse),
    ("DiskPressure", GoodWhenFalse),
    ("PIDPressure", GoodWhenFalse),
    ("NetworkUnavailable", GoodWhenFalse),
    ("KernelDeadlock", GoodWhenFalse),
    ("ReadonlyFilesystem", GoodWhenFalse),
    ("FrequentKubeletRestart", GoodWhenFalse),
    ("FrequentContainerdRestart", GoodWhenFalse),
    ("FrequentDockerRestart", GoodWhenFalse),
    ("FrequentUnregisterNetDevice", GoodWhenFalse),
    ("CorruptDockerOverlay2", GoodWhenFalse),
    // Workloads, quotas, disruption budgets, namespaces, CRDs.
    ("ReplicaFailure", GoodWhenFalse),
    ("Failed", GoodWhenFalse),
    ("FailureTarget", GoodWhenFalse),
    ("ScalingLimited", Neutral),
    ("Suspended", Neutral),
    ("SuccessCriteriaMet", Neutral),
    ("Complete", Neutral),
    ("DisruptionTarget", GoodWhenFalse),
    ("NamespaceDeletionDiscoveryFailure", GoodWhenFalse),
    ("NamespaceDeletionGroupVersionParsingFailure", GoodWhenFalse),
    ("NamespaceDeletionContentFailure", GoodWhenFalse),
    ("NamespaceContentRemaining", GoodWhenFalse),
    ("NamespaceFinalizersRemaining", GoodWhenFalse),
    ("NonStructuralSchema", GoodWhenFalse),
    ("KubernetesAPIApprovalPolicyConformant", Neutral),
    ("Resizing", Neutral),
    ("FileSystemResizePending", Neutral),
    ("ModifyVolumeError", GoodWhenFalse),
    ("ControllerResizeError", GoodWhenFalse),
    ("NodeResizeError", GoodWhenFalse),
    ("PodResizePending", Neutral),
    ("PodResizeInProgress", Neutral),
    // kstatus and its users, Cluster API, Rancher.
    ("Stalled", GoodWhenFalse),
    ("Reconciling", Neutral),
    ("Paused", Neutral),
    ("Deleting", Neutral),
    ("Remediating", Neutral),
    ("RollingOut", Neutral),
    ("ScalingUp", Neutral),
    ("ScalingDown", Neutral),
    ("Removed", Neutral),
    ("Dangling", GoodWhenFalse),
    ("Waiting", Neutral),
    ("NoDiskPressure", GoodWhenTrue),
    ("NoMemoryPressure", GoodWhenTrue),
    ("Connected", GoodWhenTrue),
    ("Provisioned", GoodWhenTrue),
    ("Updated", GoodWhenTrue),
    ("RKECluster", GoodWhenTrue),
    ("ControlPlaneReady", GoodWhenTrue),
    ("InfrastructureReady", GoodWhenTrue),
    ("BootstrapReady", GoodWhenTrue),
    ("NodeHealthy", GoodWhenTrue),
    ("MachinesReady", GoodWhenTrue),
    ("PlanApplied", GoodWhenTrue),
    ("Deployed", GoodWhenTrue),
    ("Installed", GoodWhenTrue),
    ("Monitored", GoodWhenTrue),
    ("Processed", GoodWhenTrue),
    ("GitPolling", GoodWhenTrue),
    ("DownloadComplete", GoodWhenTrue),
    ("FollowerDownloaded", GoodWhenTrue),
    ("OCIDownloaded", GoodWhenTrue),
    ("DefaultProjectCreated", Neutral),
    ("SystemProjectCreated", Neutral),
    ("InitialRolesPopulated", Neutral),
    ("CreatorMadeOwner", Neutral),
    ("BackingNamespaceCreated", Neutral),
    ("ControlPlaneInitialized", Neutral),
    // KubeVirt and CDI.
    ("Degraded", GoodWhenFalse),
    ("LiveMigratable", Neutral),
    ("StorageLiveMigratable", Neutral),
    ("AgentConnected", Neutral),
    ("AccessCredentialsSynchronized", GoodWhenTrue),
    ("RestartRequired", Neutral),
    ("Running", Neutral),
    ("Bound", Neutral),
];

/// Polarity of a condition on one type of object; takes precedence over the table above: group, kind, condition.
const SPECIAL: &[(&str, &str, &str, Polarity)] = &[
    ("apps", "Deployment", "Progressing", GoodWhenTrue),
    ("kubevirt.io", "KubeVirt", "Progressing", Neutral),
    ("cdi.kubevirt.io", "CDI", "Progressing", Neutral),
    ("batch", "Job", "Failed", GoodWhenFalse),
    ("kubevirt.io", "VirtualMachine", "Failure", GoodWhenFalse),
    ("kubevirt.io", "VirtualMachine", "Ready", Neutral),
    ("kubevirt.io", "VirtualMachine", "Initialized", Neutral),
    ("kubevirt.io", "VirtualMachine", "Paused", Neutral),
    ("longhorn.io", "Volume", "Scheduled", GoodWhenTrue),
    ("longhorn.io", "Node", "MountPropagation", GoodWhenTrue),
    ("longhorn.io", "Node", "KernelModulesLoaded", GoodWhenTrue),
    ("longhorn.io", "Node", "RequiredPackages", GoodWhenTrue),
    ("longhorn.io", "Node", "NFSClientInstalled", GoodWhenTrue),
    ("longhorn.io", "Node", "Multipathd", GoodWhenTrue),
    ("longhorn.io", "Volume", "TooManySnapshots", Neutral),
    ("longhorn.io", "Volume", "Restore", Neutral),
    ("longhorn.io", "Volume", "OfflineRebuilding", Neutral),
    ("longhorn.io", "Volume", "WaitForBackingImage", Neutral),
    ("longhorn.io", "Engine", "FilesystemReadOnly", GoodWhenFalse),
    ("longhorn.io", "Replica", "RebuildFailed", GoodWhenFalse),
    ("longhorn.io", "Replica", "WaitForBackingImage", Neutral),
    ("longhorn.io", "BackupTarget", "Unavailable", GoodWhenFalse),
    ("longhorn.io", "Orphan", "DataCleanable", Neutral),
    ("longhorn.io", "Orphan", "Error", GoodWhenFalse),
    ("longhorn.io", "InstanceManager", "PackageUpdated", Neutral),
    ("autoscaling", "HorizontalPodAutoscaler", "ScalingActive", GoodWhenTrue),
    ("policy", "PodDisruptionBudget", "DisruptionAllowed", Neutral),
    ("certificates.k8s.io", "CertificateSigningRequest", "Approved", Neutral),
    ("certificates.k8s.io", "CertificateSigningRequest", "Denied", GoodWhenFalse),
    ("harvesterhci.io", "Upgrade", "Completed", Neutral),
    ("harvesterhci.io", "VirtualMachineBackup", "Progressing", Neutral),
    ("harvesterhci.io", "VirtualMachineRestore", "Progressing", Neutral),
    ("harvesterhci.io", "VirtualMachineImage", "RetryLimitExceeded", GoodWhenFalse),
    ("harvesterhci.io", "Addon", "InProgress", Neutral),
    ("harvesterhci.io", "Addon", "OperationFailed", GoodWhenFalse),
];

/// Endings of bad conditions that the table does not list: `...Failed`, `...Error`, `...Pressure`.
const BAD_ENDINGS: [&str; 6] = ["Failed", "Failure", "Error", "Pressure", "Unavailable", "Degraded"];

/// A finished pod is not ready; that is not a fault.
const BENIGN_REASONS: [&str; 1] = ["PodCompleted"];

fn polarity(group: &str, kind: &str, condition: &str) -> Polarity {
    let special = SPECIAL.iter().find(|(g, k, c, _)| *g == group && k.eq_ignore_ascii_case(kind) && *c == condition);
    if let Some((.., polarity)) = special {
        return *polarity;
    }
    if let Some((_, polarity)) = EVERYWHERE.iter().find(|(name, _)| *name == condition) {
        return *polarity;
    }
    if BAD_ENDINGS.iter().any(|ending| condition.ends_with(ending)) { GoodWhenFalse } else { Neutral }
}

/// Returns the bad conditions in their order.
pub(super) fn unhealthy<'a>(caller: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    let Some(object) = args.first() else { return Ok(Value::Null) };
    Ok(Value::list(bad_conditions(caller.world, object)?.into_iter().map(|(value, _)| value).collect()))
}

/// Returns places of the bad conditions, for evidence.
pub(super) fn places<'a>(world: &'a World, args: &[Value<'a>]) -> Vec<FieldPlace> {
    let [object] = args else { return Vec::new() };
    let found = bad_conditions(world, object).unwrap_or_default();
    found.into_iter().filter_map(|(_, place)| place).collect()
}

type Condition<'a> = (Value<'a>, Option<FieldPlace>);

fn bad_conditions<'a>(world: &'a World, object: &Value<'a>) -> Result<Vec<Condition<'a>>, Stop> {
    let (group, kind) = ObjectView::new(world, object).identity()?;
    let conditions = conditions(world, object)?;
    let mut bad = Vec::new();
    let mut wrong = None;
    member::visit(world, &conditions, &mut |element| {
        match is_bad(world, &group, &kind, &element.value) {
            Ok(true) => bad.push((element.value, element.place)),
            Ok(false) => {}
            Err(stop) => wrong = Some(stop),
        }
        ControlFlow::Continue(())
    })?;
    wrong.map_or(Ok(bad), Err)
}

fn is_bad<'a>(world: &'a World, group: &str, kind: &str, condition: &Value<'a>) -> Result<bool, Stop> {
    let (type_, status) = (member::field(world, condition, "type")?, member::field(world, condition, "status")?);
    let (Some(type_), Some(status)) = (type_.as_str(), status.as_str()) else { return Ok(false) };
    let is_bad = match polarity(group, kind, type_) {
        GoodWhenTrue => !status.eq_ignore_ascii_case("true"),
        GoodWhenFalse => !status.eq_ignore_ascii_case("false"),
        Neutral => false,
    };
    if !is_bad {
        return Ok(false);
    }
    // Read only where it decides: a hidden reason of a good condition leaves nothing open.
    let reason = member::field(world, condition, "reason")?;
    Ok(!reason.as_str().is_some_and(|reason| BENIGN_REASONS.contains(&reason)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_condition_has_one_polarity() {
        for (at, (name, _)) in EVERYWHERE.iter().enumerate() {
            assert!(EVERYWHERE.iter().skip(at + 1).all(|(other, _)| other != name), "{name}");
        }
        for (at, (group, kind, name, _)) in SPECIAL.iter().enumerate() {
            let later = SPECIAL.iter().skip(at + 1);
            assert!(later.into_iter().all(|(g, k, n, _)| (g, k, n) != (group, kind, name)), "{kind} {name}");
        }
    }

    #[test]
    fn polarity_is_of_the_kind_then_of_the_condition_then_of_its_ending() {
        assert_eq!(polarity("", "Node", "Ready"), GoodWhenTrue);
        assert_eq!(polarity("", "Node", "EtcdIsVoter"), GoodWhenTrue);
        assert_eq!(polarity("", "Node", "DiskPressure"), GoodWhenFalse);
        assert_eq!(polarity("apps", "Deployment", "Progressing"), GoodWhenTrue);
        assert_eq!(polarity("kubevirt.io", "KubeVirt", "Progressing"), Neutral);
        assert_eq!(polarity("longhorn.io", "Volume", "Restore"), Neutral);
        assert_eq!(polarity("example.io", "Thing", "SyncFailed"), GoodWhenFalse);
        assert_eq!(polarity("example.io", "Thing", "Synced"), GoodWhenTrue);
        assert_eq!(polarity("example.io", "Thing", "Spinning"), Neutral);
    }
}
