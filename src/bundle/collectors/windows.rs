//! Roles of entries in the tree of Rancher's log collectors for Windows: one collection is one node.
//!
//! `eventlogs` holds Windows events as JSON and service logs, `k8s` logs of containers and components, `containerd` or
//! `docker` logs of the runtime. All other files belong to the host.

use super::cri_log;
use super::host_name::innermost_folder;
use super::rancher::host;
use crate::bundle::collectors::marker::Marker;
use crate::bundle::collectors::role::Role;
use crate::bundle::collectors::spec::{CollectorSpec, EmptyLists, HostOf, KindOfBundle};
use crate::bundle::path::without_ending;
use crate::model::BundleKind;

pub static COLLECTOR: CollectorSpec = CollectorSpec {
    program: "rancher windows log collector",
    kind: KindOfBundle::Always(BundleKind::RANCHER),
    markers: &[&EVENT_LOGS, &HNS],
    recognises: |marks| marks.all(&[&EVENT_LOGS, &HNS]),
    role,
    host: HostOf { by_name: Some(host_of), ..HostOf::DEFAULT },
    empty_lists: EmptyLists::Written,
    keeps_error_output: true,
    ..CollectorSpec::DEFAULT
};

static EVENT_LOGS: Marker =
    Marker::at_root("eventlogs/*.json", |path| matches!(path, ["eventlogs", file, ..] if file.ends_with(".json")));
static HNS: Marker = Marker::at_root("network/hns/", |path| matches!(path, ["network", "hns", ..]));

/// Returns the host from the name of the collection: `rancher_HOST_TIME` or `rancher_rke2_HOST_TIME`.
fn host_of(prefix: &str, container: &str) -> String {
    let folder = innermost_folder(prefix);
    let named = [folder, container].into_iter().find(|name| name.starts_with("rancher_")).unwrap_or(container);
    let name = host(&without_ending(named).replacen("_20", "-20", 1)).to_owned();
    let bare = name.strip_prefix("rancher_rke2_").or_else(|| name.strip_prefix("rancher_")).unwrap_or(&name);
    bare.to_owned()
}

/// Returns the role of an entry in the collection of `node`.
fn role(segments: &[&str], node: &str) -> Role {
    let log = |unit: &str| Role::node_log(node, unit, 0);
    let stem = |file: &str| file.rsplit_once('.').map_or(file, |(stem, _)| stem).to_owned();
    match segments {
        // A Windows node is always an agent.
        ["eventlogs", "rke2-service.txt"] => log("rke2-agent"),
        ["eventlogs", "rancher-wins-service.txt"] => log("rancher-wins"),
        ["eventlogs", file] if file.ends_with(".log") => log(&stem(file)),
        ["k8s", "components", file] if file.ends_with(".log") => log(&stem(file)),
        ["containerd", "containerd.log"] => log("containerd"),
        ["k8s", "containerlogs", file] | ["podlogs", file] => {
            cri_log::of_docker(file).unwrap_or_else(|| log(&stem(file)))
        }
        _ => Role::NodeFile { node: node.to_owned() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_is_in_the_name() {
        assert_eq!(host_of("rancher_rke2_WIN-1_2025-03-06_10_15_30/", "case.tar.gz"), "WIN-1");
        assert_eq!(host_of("", "rancher_WIN-1_2025-03-06_10_15_30.tar.gz"), "WIN-1");
        assert_eq!(host_of("", "case.tar.gz"), "case");
    }

    #[test]
    fn logs_and_files() {
        let of = |path: &str| role(&path.split('/').collect::<Vec<_>>(), "w1");
        let log = |unit: &str| Role::node_log("w1", unit, 0);
        assert_eq!(of("eventlogs/rke2-service.txt"), log("rke2-agent"));
        assert_eq!(of("eventlogs/csi-proxy.log"), log("csi-proxy"));
        assert_eq!(of("k8s/components/kubelet.log"), log("kubelet"));
        assert_eq!(of("k8s/containerlogs/kube-proxy"), log("kube-proxy"));
        assert_eq!(of("containerd/containerd.log"), log("containerd"));
        assert!(matches!(of("podlogs/k8s_a_b_c_d_0"), Role::PodLog { namespace, .. } if namespace == "c"));
        for path in
            ["eventlogs/system.json", "system/systeminfo", "k8s/components/rke2-cmdline.txt", "services/a-status.txt"]
        {
            assert_eq!(of(path), Role::NodeFile { node: "w1".into() }, "{path}");
        }
    }
}
