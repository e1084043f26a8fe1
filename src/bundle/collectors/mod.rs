//! Collectors of bundles: their markers and layouts.
//!
//! [`spec::CollectorSpec`] describes one collector. Each has its own file with a description and the function that
//! assigns a [`role::Role`] to an entry; [`table::COLLECTORS`] lists them by precedence. [`root`] finds bundles in the
//! paths of a container by their markers, [`unpacked`] in folders on disk.

pub(super) mod bundle_name;
mod cluster_info;
mod cri_log;
mod document_name;
pub(super) mod generic;
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
