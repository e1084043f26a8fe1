//! Collectors of bundles: how each arranges what it collects, and the [`layout::Role`] of each entry therein.

pub(super) mod bundle_name;
mod cluster_info;
mod generic;
pub(super) mod host;
pub(super) mod kind;
mod kit;
pub(super) mod kit_version;
pub(super) mod layout;
mod longhorn;
mod markers;
mod must_gather;
mod node;
pub(super) mod rancher;
pub(super) mod root;
mod scripts;
mod sosreport;
mod supportability;
mod supportconfig;
pub(super) mod troubleshoot;
pub(super) mod unpacked;
mod windows;
