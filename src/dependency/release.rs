//! Charts of Helm and Fleet, and upgrades of Harvester.

use super::edge::Dependency;
use super::lookup::{Lookup, text};
use crate::resource::Resource;

/// Annotations with which Helm marks what a release owns.
const RELEASE_NAME: &str = "meta.helm.sh/release-name";
const RELEASE_NAMESPACE: &str = "meta.helm.sh/release-namespace";
/// Types of objects of a release that become ready or do not.
const WORKLOADS: [&str; 4] = ["daemonsets.apps", "deployments.apps", "jobs.batch", "statefulsets.apps"];

/// Dependencies of charts, bundles and upgrades; none for other objects.
pub fn of_release(look: &Lookup<'_>, resource: &Resource) -> Vec<Dependency> {
    let namespace = resource.namespace.as_deref();
    match (&*resource.group, &*resource.kind) {
        ("catalog.cattle.io", "App") => of_workloads(look, namespace, &resource.name),
        ("helm.cattle.io", "HelmChart") => of_chart(look, resource),
        ("harvesterhci.io", "Addon") => {
            vec![Dependency::named("helm.cattle.io", "HelmChart", namespace, &resource.name, "metadata.name")]
        }
        ("management.cattle.io", "ManagedChart") => {
            let bundle = format!("mcc-{}", resource.name);
            vec![Dependency::named("fleet.cattle.io", "Bundle", namespace, &bundle, "metadata.name")]
        }
        ("fleet.cattle.io", "GitRepo") => of_repository(look, resource),
        ("fleet.cattle.io", "Bundle") => of_bundle(look, resource, &["spec"]),
        ("fleet.cattle.io", "BundleDeployment") => of_bundle(look, resource, &["spec", "options"]),
        ("harvesterhci.io", "Upgrade") => of_upgrade(look, resource),
        _ => Vec::new(),
    }
}

fn of_workloads(look: &Lookup<'_>, namespace: Option<&str>, release: &str) -> Vec<Dependency> {
    let named = |name| look.with_field(name, &["metadata", "annotations", RELEASE_NAME], release);
    let marked = |workload: &&Resource| text(workload, &["metadata", "annotations", RELEASE_NAMESPACE]) == namespace;
    let open = WORKLOADS.into_iter().flat_map(named).filter(marked).filter(|workload| !look.is_well(workload));
    open.map(|workload| Dependency::object(workload, RELEASE_NAME)).collect()
}

/// A chart of the Helm controller is installed by a job, into its target namespace.
fn of_chart(look: &Lookup<'_>, chart: &Resource) -> Vec<Dependency> {
    let job = format!("helm-install-{}", chart.name);
    let namespace = chart.namespace.as_deref();
    let target = text(chart, &["spec", "targetNamespace"]).or(namespace);
    let mut found = vec![Dependency::named("batch", "Job", namespace, &job, "status.jobName")];
    found.extend(of_workloads(look, target, &chart.name));
    found
}

fn of_repository(look: &Lookup<'_>, repository: &Resource) -> Vec<Dependency> {
    let namespace = repository.namespace.as_deref();
    let bundles = look.labelled_in("bundles.fleet.cattle.io", namespace, "fleet.cattle.io/repo-name", &repository.name);
    let open = bundles.filter(|bundle| !look.is_well(bundle));
    open.map(|bundle| Dependency::object(bundle, "fleet.cattle.io/repo-name")).collect()
}

/// A bundle installs a release; without a name of its own it has that of the bundle.
fn of_bundle(look: &Lookup<'_>, bundle: &Resource, options: &[&str]) -> Vec<Dependency> {
    let field = |keys: &[&str]| text(bundle, &[options, keys].concat());
    let release = field(&["helm", "releaseName"]).unwrap_or(&bundle.name);
    let namespace = field(&["namespace"]).or_else(|| field(&["defaultNamespace"]));
    of_workloads(look, namespace, release)
}

/// An upgrade waits for its jobs and for all managed charts.
fn of_upgrade(look: &Lookup<'_>, upgrade: &Resource) -> Vec<Dependency> {
    let jobs = look.labelled("jobs.batch", "harvesterhci.io/upgrade", &upgrade.name);
    let charts = look.all("managedcharts.management.cattle.io");
    let open = jobs.chain(charts).filter(|part| !look.is_well(part));
    open.map(|part| Dependency::object(part, "part of the upgrade")).collect()
}
