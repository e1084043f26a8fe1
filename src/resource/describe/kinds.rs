//! Which object a description is of: kubectl does not say it, but each type has keys of its own.

use super::common::metadata;
use super::out::Fields;
use super::outline::View;
use super::{claim, custom, node, pod, service, volume, workload};
use crate::resource::types::{self, TypeName};

/// A type that is read.
pub(super) struct Described {
    pub group: &'static str,
    pub kind: &'static str,
    /// Keys at the margin that tell it from those in the table behind it.
    keys: &'static [&'static str],
    /// Returns the fields of an object.
    pub fields: fn(View<'_>) -> Fields,
}

/// The first row whose keys a description has is its type.
static KINDS: [Described; 19] = [
    of("", "Pod", &["Namespace", "Status", "Containers"], pod::fields),
    of("", "PersistentVolumeClaim", &["Namespace", "StorageClass", "Access Modes"], claim::fields),
    of("", "PersistentVolume", &["StorageClass", "Reclaim Policy", "Claim"], volume::fields),
    of("", "Node", &["Roles", "Taints"], node::fields),
    of("", "Service", &["Namespace", "Type", "Session Affinity"], service::fields),
    of("", "Endpoints", &["Namespace", "Subsets"], names),
    of("", "ServiceAccount", &["Namespace", "Mountable secrets", "Tokens"], names),
    of("networking.k8s.io", "Ingress", &["Namespace", "Rules", "Default backend"], names),
    of("apps", "Deployment", &["Namespace", "Replicas", "StrategyType"], workload::replicas),
    of("apps", "StatefulSet", &["Namespace", "Replicas", "Update Strategy"], workload::replicas),
    of("apps", "ReplicaSet", &["Namespace", "Replicas", "Pods Status"], workload::replicas),
    of("apps", "DaemonSet", &["Namespace", "Desired Number of Nodes Scheduled"], workload::daemon_set),
    of("batch", "CronJob", &["Namespace", "Schedule", "Concurrency Policy"], names),
    of("batch", "Job", &["Namespace", "Parallelism", "Completions"], workload::job),
    of("autoscaling", "HorizontalPodAutoscaler", &["Namespace", "Reference", "Max replicas"], workload::autoscaler),
    of("policy", "PodDisruptionBudget", &["Namespace", "Allowed disruptions"], names),
    of("storage.k8s.io", "StorageClass", &["IsDefaultClass", "Provisioner"], names),
    of("", "Secret", &["Namespace", "Type", "Data"], names),
    of("", "ConfigMap", &["Namespace", "Data"], names),
];

const fn of(
    group: &'static str,
    kind: &'static str,
    keys: &'static [&'static str],
    fields: fn(View<'_>) -> Fields,
) -> Described {
    Described { group, kind, keys, fields }
}

/// Returns true if such keys are those of a description that is read.
pub fn are_known(has: &dyn Fn(&str) -> bool) -> bool {
    told(has).is_some() || ["API Version", "Kind", "Metadata"].into_iter().all(has)
}

fn told(has: &dyn Fn(&str) -> bool) -> Option<&'static Described> {
    KINDS.iter().find(|row| row.keys.iter().all(|key| has(key)))
}

/// Type and fields of a described object.
pub(super) struct Object {
    pub type_name: TypeName,
    pub kind: String,
    /// True if the plural is a guess.
    pub guessed: bool,
    pub namespaced: bool,
    pub fields: fn(View<'_>) -> Fields,
}

impl Object {
    /// Recognises an object; `word` is the plural that the collector asked for, which counts where no key does.
    pub fn of(view: View<'_>, word: Option<&str>) -> Option<Self> {
        if let (Some(version), Some(kind)) = (view.value("API Version"), view.value("Kind")) {
            let (group, _) = types::split_api_version(view.slice(&version));
            return Some(Self::custom(group, view.slice(&kind), view.value("Namespace").is_some()));
        }
        let known = word.and_then(|word| types::known(&TypeName::new(word, "")));
        let asked = known.and_then(|known| KINDS.iter().find(|row| (row.group, row.kind) == (known.group, known.kind)));
        let row = asked.or_else(|| told(&|key| view.names(key)))?;
        let known = types::known_kind(row.group, row.kind)?;
        Some(Self {
            type_name: TypeName::new(known.plural, known.group),
            kind: row.kind.to_owned(),
            guessed: false,
            namespaced: known.namespaced,
            fields: row.fields,
        })
    }

    fn custom(group: &str, kind: &str, has_namespace: bool) -> Self {
        let known = types::known_kind(group, kind);
        let plural = known.map_or_else(|| types::guess_plural(kind), |known| known.plural.to_owned());
        Self {
            type_name: TypeName::new(&plural, group),
            kind: kind.to_owned(),
            guessed: known.is_none(),
            namespaced: known.map_or(has_namespace, |known| known.namespaced),
            fields: custom::fields,
        }
    }
}

/// Fields of an object of which only its names are read; its events are those below it.
fn names(view: View<'_>) -> Fields {
    vec![("metadata".to_owned(), metadata(view, []))]
}
