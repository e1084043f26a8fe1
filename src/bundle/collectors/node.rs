//! Archive of one node from support-bundle-kit, opened alone.

use super::host_name::in_hostname;
use super::{kit, kit_markers};
use crate::bundle::collectors::marker::Marker;
use crate::bundle::collectors::spec::{CollectorSpec, Description, HostFile, HostOf, KindOfBundle, WhenNested};
use crate::bundle::path::without_ending;
use crate::model::BundleKind;

pub static COLLECTOR: CollectorSpec = CollectorSpec {
    program: "support-bundle-kit",
    kind: KindOfBundle::Always(BundleKind::NODE),
    markers: &[&OEM, &HOSTINFO, &KERNEL_LOG],
    recognises: |marks| marks.any(&[&OEM, &HOSTINFO]),
    recognises_as_last_resort: |marks| marks.has(&KERNEL_LOG),
    when_nested: WhenNested::BundleIfAlone,
    role: |segments, _| kit::role(segments),
    logical_path,
    host: HostOf { files: &HOST_FILES, ..HostOf::DEFAULT },
    description: Description::Node,
    journal_limit: Some(kit_markers::JOURNAL_LIMIT),
    ..CollectorSpec::DEFAULT
};

static OEM: Marker = Marker::at_root("configs/oem/", |path| matches!(path, ["configs", "oem", ..]))
    .or_below_any_folder(|path| matches!(path, [_, "configs", "oem", ..]));
static HOSTINFO: Marker = Marker::at_root("hostinfos/hostinfo", |path| matches!(path, ["hostinfos", "hostinfo", ..]))
    .or_below_any_folder(|path| matches!(path, [_, "hostinfos", "hostinfo"]));
static KERNEL_LOG: Marker =
    Marker::below_any_folder("<node>/logs/kernel.log", |path| matches!(path, [_, "logs", "kernel.log"]));

const HOST_FILES: [HostFile; 3] = [
    HostFile { path: "hostname", rank: 0, name_in: in_hostname },
    HostFile { path: "configs/etc/hostname", rank: 0, name_in: in_hostname },
    HostFile { path: "hostinfos/hostname", rank: 0, name_in: in_hostname },
];

/// Returns the path that an entry has in a bundle with this node: `nodes/NODE/...`.
fn logical_path(logical: &str, bundle: &str) -> String {
    match logical.split_once('/') {
        Some(("configs" | "logs" | "hostinfos" | "scc", _)) => format!("nodes/{}/{logical}", without_ending(bundle)),
        Some(_) => format!("nodes/{logical}"),
        None => match logical {
            // Written until kit v0.0.4.
            "hostname" => format!("nodes/{}/{logical}", without_ending(bundle)),
            _ => logical.to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_given_alone_is_placed_as_in_a_bundle() {
        assert_eq!(logical_path("n1/logs/kernel.log.1", "x.zip"), "nodes/n1/logs/kernel.log.1");
        assert_eq!(logical_path("logs/kernel.log", "n1.zip"), "nodes/n1/logs/kernel.log");
        assert_eq!(logical_path("README", "n1.zip"), "README");
    }
}
