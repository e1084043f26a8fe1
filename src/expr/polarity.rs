//! Which statuses of conditions are bad: one table for the function `unhealthy` and for the list of what is not healthy.
//!
//! Most conditions are good when True; some are good when False; others are unrelated to health.

/// What a condition says about its object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConditionVerdict {
    Bad,
    Fine,
    /// No table has the type, and its name tells nothing.
    Unlisted,
}

/// Status that makes a condition bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Polarity {
    /// False is bad; Unknown as well.
    GoodWhenTrue,
    /// False is bad; Unknown means that it goes on, as in conditions of Rancher's wrangler.
    GoodUnlessFalse,
    /// True is bad; Unknown as well.
    GoodWhenFalse,
    /// A state or an action, unrelated to health.
    Neutral,
}

use Polarity::{GoodUnlessFalse, GoodWhenFalse, GoodWhenTrue, Neutral};

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
    ("Bound", Neutral),
    // Gateway API, Prometheus operator, cert-manager.
    ("Programmed", GoodWhenTrue),
    ("ResolvedRefs", GoodWhenTrue),
    ("Reconciled", GoodWhenTrue),
    ("Denied", GoodWhenFalse),
    ("InvalidRequest", GoodWhenFalse),
    // Rancher and Harvester set these to Unknown while they work, and to False when they failed.
    ("Imported", GoodUnlessFalse),
    ("Downloaded", GoodUnlessFalse),
    ("LatestResolved", GoodUnlessFalse),
    ("ImageReady", GoodUnlessFalse),
    ("RepoReady", GoodUnlessFalse),
    ("NodesPrepared", GoodUnlessFalse),
    ("NodesUpgraded", GoodUnlessFalse),
    ("SystemServicesUpgraded", GoodUnlessFalse),
    ("BackingImageMissing", GoodWhenFalse),
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
    ("longhorn.io", "Volume", "BackingImageIncompatible", GoodWhenFalse),
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
    ("config.openshift.io", "ClusterVersion", "Failing", GoodWhenFalse),
    ("config.openshift.io", "ClusterVersion", "ReleaseAccepted", GoodWhenTrue),
    ("config.openshift.io", "ClusterVersion", "RetrievedUpdates", Neutral),
    ("machineconfiguration.openshift.io", "MachineConfigPool", "Updated", Neutral),
    ("machineconfiguration.openshift.io", "MachineConfigPool", "Updating", Neutral),
    ("harvesterhci.io", "Upgrade", "Completed", GoodUnlessFalse),
    ("harvesterhci.io", "VirtualMachineBackup", "Progressing", Neutral),
    ("harvesterhci.io", "VirtualMachineRestore", "Progressing", Neutral),
    ("harvesterhci.io", "VirtualMachineImage", "RetryLimitExceeded", GoodWhenFalse),
    ("harvesterhci.io", "Addon", "InProgress", Neutral),
    ("harvesterhci.io", "Addon", "OperationFailed", GoodWhenFalse),
];

/// Endings of bad conditions that the table does not list: `...Failed`, `...Error`, `...Pressure`.
const BAD_ENDINGS: [&str; 9] =
    ["Failed", "Failure", "Error", "Pressure", "Unavailable", "Degraded", "Problem", "Unhealthy", "Unreachable"];

/// Endings of conditions that say what an object can do or shall do: `StorageLiveMigratable`, `MigrationRequired`.
const NEUTRAL_ENDINGS: [&str; 9] =
    ["Migratable", "Upgradeable", "Allowed", "Supported", "Required", "Requested", "Enabled", "Progressing", "Paused"];

/// A finished pod is not ready; that is not a fault.
const BENIGN_REASONS: [&str; 1] = ["PodCompleted"];

/// Returns true for a reason that makes a bad condition harmless.
pub fn is_benign(reason: &str) -> bool {
    BENIGN_REASONS.contains(&reason)
}

/// Returns what a condition of that type and status says about an object of that group and kind.
pub fn verdict(group: &str, kind: &str, condition: &str, status: &str) -> ConditionVerdict {
    let is = |word: &str| status.eq_ignore_ascii_case(word);
    let is_bad = match polarity(group, kind, condition) {
        None => return ConditionVerdict::Unlisted,
        Some(GoodWhenTrue) => !is("true"),
        Some(GoodUnlessFalse) => is("false"),
        Some(GoodWhenFalse) => !is("false"),
        Some(Neutral) => false,
    };
    if is_bad { ConditionVerdict::Bad } else { ConditionVerdict::Fine }
}

/// Returns the polarity of a condition; none if no table has it. Some types begin with a small letter, such as Harvester's `ready`.
fn polarity(group: &str, kind: &str, condition: &str) -> Option<Polarity> {
    let is = |name: &str| name.eq_ignore_ascii_case(condition);
    let special = SPECIAL.iter().find(|(g, k, c, _)| *g == group && k.eq_ignore_ascii_case(kind) && is(c));
    let listed = special.map(|(.., polarity)| *polarity);
    let listed = listed.or_else(|| EVERYWHERE.iter().find(|(name, _)| is(name)).map(|(_, polarity)| *polarity));
    listed.or_else(|| {
        let ends = |endings: &[&str]| endings.iter().any(|ending| condition.ends_with(ending));
        let denies = condition.strip_prefix("No").is_some_and(|rest| rest.starts_with(char::is_uppercase));
        if ends(&BAD_ENDINGS) && !denies {
            return Some(GoodWhenFalse);
        }
        ends(&NEUTRAL_ENDINGS).then_some(Neutral)
    })
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
        assert_eq!(polarity("", "Node", "Ready"), Some(GoodWhenTrue));
        assert_eq!(polarity("", "Node", "EtcdIsVoter"), Some(GoodWhenTrue));
        assert_eq!(polarity("", "Node", "DiskPressure"), Some(GoodWhenFalse));
        assert_eq!(polarity("apps", "Deployment", "Progressing"), Some(GoodWhenTrue));
        assert_eq!(polarity("kubevirt.io", "KubeVirt", "Progressing"), Some(Neutral));
        assert_eq!(polarity("longhorn.io", "Volume", "Restore"), Some(Neutral));
        assert_eq!(polarity("example.io", "Thing", "SyncFailed"), Some(GoodWhenFalse));
        assert_eq!(polarity("example.io", "Thing", "Synced"), Some(GoodWhenTrue));
        assert_eq!(polarity("example.io", "Thing", "Spinning"), None);
        assert_eq!(polarity("example.io", "Thing", "NoPressure"), None);
        assert_eq!(polarity("example.io", "Thing", "Migratable"), Some(Neutral));
        assert_eq!(polarity("network.harvesterhci.io", "ClusterNetwork", "ready"), Some(GoodWhenTrue));
    }

    #[test]
    fn unknown_is_bad_unless_it_means_that_work_goes_on() {
        for (condition, status, wanted) in [
            ("Ready", "Unknown", ConditionVerdict::Bad),
            ("Ready", "true", ConditionVerdict::Fine),
            ("Downloaded", "Unknown", ConditionVerdict::Fine),
            ("Downloaded", "False", ConditionVerdict::Bad),
            ("DiskPressure", "Unknown", ConditionVerdict::Bad),
            ("DiskPressure", "False", ConditionVerdict::Fine),
            ("Paused", "True", ConditionVerdict::Fine),
            ("Spinning", "False", ConditionVerdict::Unlisted),
        ] {
            assert_eq!(verdict("example.io", "Thing", condition, status), wanted, "{condition} {status}");
        }
    }
}
