//! Helm releases from four kinds of record, as objects of one type `helmreleases`.
//!
//! A [`Record`] is the content of one ConfigMap, Secret or App, read together with the dump; [`releases`]
//! turns records into small documents that rules read like any object. Manifest and hooks are large, so they
//! stay encoded until [`Payloads`] is asked for them.
//!
//! If a Secret or ConfigMap of Helm 3 and an App describe one release, both are listed; `latest`
//! is true for one of them only: the record of Helm unless the App is newer. Helm 2 counts apart.

pub mod payload;
mod payload_cache;
mod record;
mod release;

pub(super) use payload_cache::Payloads;
pub(super) use record::{Record, from_history, record_of};
pub(super) use release::releases;
