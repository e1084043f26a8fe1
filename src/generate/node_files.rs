//! The archive of one node: its configuration and the logs of its units.

use std::io;

use super::log::{Log, Topic};
use super::sink::Sink;
use super::world::{Host, World};

/// Units with journals: file, topic, process.
const UNITS: &[(&str, Topic, &str)] = &[
    ("iscsid", Topic::Iscsid, "iscsid"),
    ("kernel", Topic::Kernel, "kernel"),
    ("rancher-system-agent", Topic::SystemAgent, "rancher-system-agent"),
    ("rancherd", Topic::Rancherd, "rancherd"),
    ("wicked", Topic::Wicked, "wickedd-dhcp4"),
];

/// The logs of a node's archive.
pub fn logs(host: &Host) -> Vec<Log> {
    let path = |unit: &str| format!("nodes/{0}.zip!/{0}/logs/{unit}.log", host.name);
    let mut logs: Vec<Log> =
        UNITS.iter().map(|(unit, topic, process)| Log::of_unit(path(unit), *topic, &host.name, process)).collect();
    let rke2 = if host.control_plane { "rke2-server" } else { "rke2-agent" };
    logs.push(Log::of_unit(path(rke2), Topic::Rke2, &host.name, "rke2"));
    logs.push(Log::of_file(path("containerd"), Topic::Containerd, &host.name));
    logs.push(Log::of_file(path("kubelet"), Topic::Kubelet, &host.name));
    logs
}

/// Writes the files of a node that are no logs.
///
/// # Errors
/// When writing fails.
pub fn configs(world: &World, host: &Host, sink: &mut dyn Sink) -> io::Result<()> {
    let version = world.versions.harvester;
    let role = if host.control_plane { "server" } else { "agent" };
    let note = "# Note: this file is re-formatted by support-bundle-kit collector.\n";
    let kubernetes = world.versions.kubernetes;
    let files = [
        ("configs/etc/hostname", format!("{}\n", host.name)),
        (
            "configs/etc/os-release",
            format!(
                "NAME=\"SLE Micro\"\nVERSION=\"5.5\"\nID=\"sle-micro-rancher\"\nPRETTY_NAME=\"Harvester {version}\"\nVARIANT=\"Harvester\"\n"
            ),
        ),
        (
            "configs/etc/harvester-release.yaml",
            format!(
                "{note}harvester: {version}\nharvesterChart: {}\nos: Harvester {version}\nkubernetes: {kubernetes}\nrancher: {}\nmonitoringChart: 103.1.1+up45.31.1\n",
                version.trim_start_matches('v'),
                world.versions.rancher
            ),
        ),
        (
            "configs/etc/rancher/rancherd/config.yaml",
            format!(
                "{note}role: {role}\nkubernetesVersion: {kubernetes}\nrancherVersion: {}\ntoken: '***'\n",
                world.versions.rancher
            ),
        ),
        (
            "configs/etc/rancher/rke2/config.yaml.d/90-harvester-server.yaml",
            format!(
                "{note}cni: multus,canal\ncluster-cidr: 10.52.0.0/16\nservice-cidr: 10.53.0.0/16\ncluster-dns: 10.53.0.10\ntls-san:\n  - {}\n",
                world.host(0).ip
            ),
        ),
        (
            "configs/oem/90_custom.yaml",
            format!(
                "{note}name: Harvester Configuration\nstages:\n  initramfs:\n    - hostname: {}\n      users:\n        rancher:\n          passwd: '***'\n",
                host.name
            ),
        ),
        (
            "logs/console.log",
            format!(
                "time=\"2025-03-06T09:31:02Z\" level=info msg=\"start dashboard\"\ntime=\"2025-03-06T09:31:04Z\" level=info msg=\"node {} is ready\"\n",
                host.name
            ),
        ),
        ("logs/containerd-images.log", images(world)),
    ];
    for (path, text) in files {
        sink.file(path)?.write_all(text.as_bytes())?;
    }
    Ok(())
}

fn images(world: &World) -> String {
    let line = |name: &str, tag: &str| {
        let digest = world.names.hex(&["image", name], 64);
        format!(
            "docker.io/{name}:{tag} application/vnd.docker.distribution.manifest.v2+json sha256:{digest} 412.1 MiB linux/amd64 io.cri-containerd.image=managed\n"
        )
    };
    let header = "REF TYPE DIGEST SIZE PLATFORMS LABELS\n".to_owned();
    header
        + &line("rancher/harvester", world.versions.harvester)
        + &line("rancher/rancher", world.versions.rancher)
        + &line("longhornio/longhorn-manager", world.versions.longhorn)
}
