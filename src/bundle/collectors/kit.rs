//! Tree of support-bundle-kit, which Harvester and Longhorn use.

use super::kit_files::{dump, dump_of_family, is_below_yamls, pod_log};
use super::kit_markers::{
    GENERATION_ERROR, JOURNAL_LIMIT, METADATA, NODE_ARCHIVE, POD_LOG, YAMLS_CLUSTER, YAMLS_FAMILY, YAMLS_NAMESPACED,
    has_dumps,
};
use super::{kit_version, longhorn, node_files};
use crate::bundle::collectors::role::Role;
use crate::bundle::collectors::spec::{CollectorSpec, EmptyLists, KindOfBundle, WhenNested};
use crate::model::BundleKind;

/// support-bundle-kit, which collects for Harvester and for Longhorn.
pub static COLLECTOR: CollectorSpec = CollectorSpec {
    program: "support-bundle-kit",
    kind: KindOfBundle::ByPath(&[(BundleKind::HARVESTER, is_harvester), (BundleKind::LONGHORN, is_longhorn)]),
    markers: &[&YAMLS_CLUSTER, &YAMLS_NAMESPACED, &GENERATION_ERROR, &METADATA, &NODE_ARCHIVE, &POD_LOG, &YAMLS_FAMILY],
    recognises: |marks| has_dumps(marks) || marks.has(&YAMLS_FAMILY) || marks.all(&[&GENERATION_ERROR, &METADATA]),
    logical_path: |path, _| logical_path(path),
    role: |segments, _| role(segments),
    empty_lists: EmptyLists::WrittenWithoutVersions,
    note_version: Some(kit_version::note),
    is_kit: true,
    is_place_for_dumps: is_below_yamls,
    // Harvester 0.1 to 0.3 includes a bundle of Longhorn.
    holds_go_structs: |path| path.starts_with("external/"),
    journal_limit: Some(JOURNAL_LIMIT),
    ..CollectorSpec::DEFAULT
};

/// Bundle of support-bundle-kit from which files were removed.
pub static TRIMMED: CollectorSpec = CollectorSpec {
    program: COLLECTOR.program,
    kind: KindOfBundle::ByPath(&[(BundleKind::HARVESTER, is_harvester), (BundleKind::LONGHORN, is_longhorn)]),
    markers: &[&NODE_ARCHIVE, &POD_LOG],
    recognises: |marks| marks.any(&[&NODE_ARCHIVE, &POD_LOG]),
    when_nested: WhenNested::Part,
    logical_path: |path, _| logical_path(path),
    role: |segments, _| role(segments),
    empty_lists: EmptyLists::WrittenWithoutVersions,
    note_version: Some(kit_version::note),
    is_kit: true,
    is_place_for_dumps: is_below_yamls,
    journal_limit: Some(JOURNAL_LIMIT),
    ..CollectorSpec::DEFAULT
};

/// Returns true if only bundles of Harvester have this entry.
fn is_harvester(path: &str) -> bool {
    path.starts_with("yamls/cluster/harvesterhci.io/")
        || path.starts_with("yamls/namespaced/harvester-system/")
        || path.starts_with("yamls/namespaced/") && path.contains("/harvesterhci.io/")
        || path.starts_with("logs/harvester-system/")
        || path.starts_with("yamls/cluster/harvester/")
        || path.starts_with("yamls/namespaced/") && path.contains("/harvester/")
        || path.starts_with("yamls/harvester/")
        || path.starts_with("nodes/") && path.ends_with("/configs/etc/harvester-release.yaml")
}

/// Returns true if only bundles of clusters with Longhorn have this entry.
fn is_longhorn(path: &str) -> bool {
    path.starts_with("yamls/namespaced/longhorn-system/")
        || path.starts_with("logs/longhorn-system/")
        || path.starts_with("nodes/") && path.contains("/hostinfos/")
}

/// Returns the path with one folder for each node: `nodes/n1/n1/...` where somebody unpacked the archive of a node into a folder of its
/// name, `nodes/n1-1/n1/...` where the archive was renamed.
fn logical_path(path: &str) -> String {
    let inner = path.strip_prefix("nodes/").and_then(|rest| rest.split_once('/')).map(|(_, inner)| inner);
    let is_node = |inner: &&str| node_files::is_tree(inner.split('/').skip(1).collect::<Vec<_>>().as_slice());
    inner.filter(is_node).map_or_else(|| path.to_owned(), |inner| format!("nodes/{inner}"))
}

/// Returns the role of an entry.
pub(super) fn role(segments: &[&str]) -> Role {
    match segments {
        ["metadata.yaml"] => Role::Metadata,
        ["bundleGenerationError.log"] => Role::CollectorErrors,
        // Harvester 0.1 to 0.3 requested a separate bundle from Longhorn.
        ["external", rest @ ..] => longhorn::below(rest),
        ["yamls", "cluster", rest @ ..] => dump_below(None, rest).unwrap_or(Role::Other),
        ["yamls", "namespaced", namespace, rest @ ..] => dump_below(Some(namespace), rest).unwrap_or(Role::Other),
        // Before 2021-05 the family was the first folder.
        ["yamls", family, file] => dump_of_family(None, family, file).unwrap_or(Role::Other),
        ["yamls", family, namespace, file] => dump_of_family(Some(namespace), family, file).unwrap_or(Role::Other),
        ["logs", namespace, pod, file] => pod_log(namespace, pod, file).unwrap_or(Role::Other),
        ["nodes", node, rest @ ..] if !rest.is_empty() => node_files::role(node, rest),
        _ => Role::Other,
    }
}

fn dump_below(namespace: Option<&str>, rest: &[&str]) -> Option<Role> {
    match rest {
        [group, version, file] => dump(namespace, group, version, file),
        [version, file] if is_version(version) => dump(namespace, "", version, file),
        [family, file] => dump_of_family(namespace, family, file),
        // Layout of support-bundle-kit 0.0.1 and 0.0.2.
        [file] => dump(namespace, "*", "", file),
        _ => None,
    }
}

/// Returns true for an API version such as `v1`, `v1beta1`, `v2alpha3`.
fn is_version(text: &str) -> bool {
    let digits = |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let Some(rest) = text.strip_prefix('v') else { return false };
    let (major, rest) = rest.split_at(digits(rest));
    let tail = rest.strip_prefix("alpha").or_else(|| rest.strip_prefix("beta"));
    !major.is_empty() && (rest.is_empty() || tail.is_some_and(|tail| !tail.is_empty() && digits(tail) == tail.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kit(path: &str) -> Role {
        role(&logical_path(path).split('/').collect::<Vec<_>>())
    }

    #[test]
    fn dumps() {
        assert_eq!(kit("yamls/cluster/v1/nodes.yaml"), Role::dump(None, "", "v1", "nodes"));
        assert_eq!(kit("yamls/cluster/longhorn.io/v1beta2/x.yaml"), Role::dump(None, "longhorn.io", "v1beta2", "x"));
        assert_eq!(kit("yamls/namespaced/local/v1/pods.yaml"), Role::dump(Some("local"), "", "v1", "pods"));
        assert_eq!(
            kit("yamls/namespaced/v1/apps/v1/deployments.yaml"),
            Role::dump(Some("v1"), "apps", "v1", "deployments")
        );
        assert_eq!(kit("yamls/namespaced/v1/v1/pods.yaml"), Role::dump(Some("v1"), "", "v1", "pods"));
        let plural = "network-attachment-definitions";
        assert_eq!(
            kit(&format!("yamls/namespaced/a/k8s.cni.cncf.io/v1/{plural}.yaml")),
            Role::dump(Some("a"), "k8s.cni.cncf.io", "v1", plural)
        );
    }

    #[test]
    fn dumps_before_the_current_layout() {
        assert_eq!(kit("yamls/cluster/kubernetes/nodes.yaml"), Role::dump(None, "", "", "nodes"));
        assert_eq!(kit("yamls/cluster/nodes.yaml"), Role::dump(None, "*", "", "nodes"));
        assert_eq!(kit("yamls/namespaced/a/settings.yaml"), Role::dump(Some("a"), "*", "", "settings"));
        let settings = |namespace| Role::dump(namespace, "harvesterhci.io", "", "settings");
        assert_eq!(kit("yamls/cluster/harvester/settings.yaml"), settings(None));
        assert_eq!(kit("yamls/namespaced/a/harvester/settings.yaml"), settings(Some("a")));
        assert_eq!(kit("yamls/harvester/a/settings.yaml"), settings(Some("a")));
        assert_eq!(kit("yamls/kubernetes/nodes.yaml"), Role::dump(None, "", "", "nodes"));
        assert_eq!(kit("yamls/namespaced/a/v1/configmaps.json"), Role::dump(Some("a"), "", "v1", "configmaps"));
        assert_eq!(kit("yamls/cluster/kubernetes/nodemetrics.yaml"), Role::dump(None, "metrics.k8s.io", "", "nodes"));
        let volumes = Role::dump(Some("a"), "cdi.kubevirt.io", "", "datavolumes");
        assert_eq!(kit("yamls/namespaced/a/cdi/datavolumes.yaml"), volumes);
    }

    #[test]
    fn no_dumps() {
        for path in
            ["yamls/cluster/v1/.DS_Store", "yamls/cluster/v1/.yaml", "yamls/cluster/a/b/c/d.yaml", "yamls/x.yaml"]
        {
            assert_eq!(kit(path), Role::Other, "{path}");
        }
    }

    #[test]
    fn logs() {
        let log = |previous| Role::pod_log("a", "p-0", "c", previous);
        assert_eq!(kit("logs/a/p-0/c.log"), log(false));
        assert_eq!(kit("logs/a/p-0/c.log.1"), log(true));
        assert_eq!(kit("logs/a/p-0/c.txt"), Role::Other);
        assert_eq!(kit("nodes/n1/logs/kernel.log"), Role::node_log("n1", "kernel", 0));
        assert_eq!(kit("nodes/n1/logs/kernel.log.2"), Role::node_log("n1", "kernel", 2));
        assert_eq!(kit("nodes/n1/logs/syslog"), Role::node_log("n1", "syslog", 0));
        assert_eq!(kit("nodes/n1/logs/syslog.1"), Role::node_log("n1", "syslog", 1));
        assert_eq!(kit("nodes/n1 (1)/n1/logs/rke2-server.log"), Role::node_log("n1", "rke2-server", 0));
        assert_eq!(logical_path("nodes/n1/n1/configs/etc/hostname"), "nodes/n1/configs/etc/hostname");
        assert_eq!(logical_path("nodes/n1/configs/etc/hostname"), "nodes/n1/configs/etc/hostname");
    }

    #[test]
    fn files_of_nodes_and_of_the_bundle() {
        let file = Role::NodeFile { node: "n1".into() };
        assert_eq!(kit("nodes/n1/configs/etc/harvester-release.yaml"), file);
        assert_eq!(kit("nodes/n1/hostname"), file);
        assert_eq!(kit("metadata.yaml"), Role::Metadata);
        assert_eq!(kit("bundleGenerationError.log"), Role::CollectorErrors);
        assert_eq!(kit("x/metadata.yaml"), Role::Other);
    }

    #[test]
    fn versions() {
        assert!(["v1", "v1beta1", "v2alpha3", "v10"].iter().all(|text| is_version(text)));
        assert!(
            ["", "v", "vbeta1", "1", "v1x", "kubernetes", "v1gamma1", "v1beta"].iter().all(|text| !is_version(text))
        );
    }
}
