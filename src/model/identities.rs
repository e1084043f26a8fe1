//! Names of machines and numbers of hardware in the fields of objects, which only redaction uses.

use std::collections::BTreeSet;

/// Keys whose value is the name of a machine.
const HOSTS: [&str; 10] = [
    "currentNodeID",
    "etcd.k3s.cattle.io/node-name",
    "etcd.rke2.cattle.io/node-name",
    "hostName",
    "hostname",
    "kubernetes.io/hostname",
    "nodeID",
    "nodeId",
    "nodeName",
    "ownerID",
];
/// Keys whose value is a number that a maker gave a machine or a disk, in lower case.
const SERIALS: [&str; 8] =
    ["id_serial", "id_serial_short", "machineid", "serial", "serialnumber", "systemuuid", "wwid", "wwn"];
/// Kinds of objects that are physical or virtual machines, beside those of the infrastructure of Cluster API and of Rancher
/// (`Metal3Machine`, `HarvesterMachine`, `CustomMachine`).
const MACHINES: [&str; 6] =
    ["BareMetalHost", "Host", "MachineInventory", "Node", "VirtualMachine", "VirtualMachineInstance"];

/// Returns true if the value of a key is the name of a machine.
pub fn names_host(key: &str) -> bool {
    HOSTS.contains(&key)
}

/// Returns true if the value of a key is a number that a maker gave a machine or a disk.
pub fn names_serial(key: &str) -> bool {
    SERIALS.contains(&key.to_ascii_lowercase().as_str())
}

/// Returns true if objects of a kind are machines.
pub fn is_machine(kind: &str) -> bool {
    MACHINES.contains(&kind) || kind.ends_with("Machine")
}

/// What the objects of a bundle say about machines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identities {
    /// Names of machines.
    pub hosts: BTreeSet<String>,
    /// Numbers that makers gave machines and disks.
    pub serials: BTreeSet<String>,
    /// Names of Services; as hosts they are no machines.
    pub services: BTreeSet<String>,
}
