//! Collectors of bundles: how each is recognised, and how it arranges what it collects.
//!
//! [`spec::CollectorSpec`] describes one collector. Each has a file of its own with such a description and with the
//! function that gives an entry its [`role::Role`]; [`table::COLLECTORS`] lists them by precedence. [`root`] finds bundles
//! in the paths of a container by their markers, [`unpacked`] in the folders of a disk.

pub(super) mod bundle_name;
mod cluster_info;
mod cri_log;
mod generic;
mod host_log;
mod host_name;
mod kit;
mod kit_files;
mod kit_markers;
mod kit_version;
mod longhorn;
mod marker;
mod must_gather;
mod node;
mod node_files;
mod profiles;
mod rancher;
mod rancher_pods;
pub(super) mod role;
pub(super) mod root;
mod scc;
mod sosreport;
pub(super) mod spec;
mod supportability;
mod supportconfig;
pub(super) mod table;
pub(super) mod troubleshoot;
pub(super) mod unpacked;
mod windows;
