//! Markers of support-bundle-kit, some of which Longhorn's own collectors share.

use crate::bundle::collectors::marker::{Marker, Marks};

/// Maximum bytes that the kit keeps from the end of a journal.
pub const JOURNAL_LIMIT: u64 = 10 << 20;

pub static YAMLS_CLUSTER: Marker =
    Marker::at_root("yamls/cluster/", |path| matches!(path, ["yamls", "cluster", _, ..]));
pub static YAMLS_NAMESPACED: Marker =
    Marker::at_root("yamls/namespaced/", |path| matches!(path, ["yamls", "namespaced", _, ..]));
pub static YAMLS_FAMILY: Marker = Marker::at_root("yamls/{kubernetes,harvester}/", |path| {
    matches!(path, ["yamls", "kubernetes" | "harvester", _, ..])
});
pub static GENERATION_ERROR: Marker =
    Marker::at_root("bundleGenerationError.log", |path| matches!(path, ["bundleGenerationError.log"]));
pub static METADATA: Marker = Marker::at_root("metadata.yaml", |path| matches!(path, ["metadata.yaml"]));
pub static NODE_ARCHIVE: Marker =
    Marker::at_root("nodes/*.zip", |path| matches!(path, ["nodes", file] if file.ends_with(".zip")));
pub static POD_LOG: Marker = Marker::at_root(
    "logs/<namespace>/<pod>/<container>.log",
    // Container runtimes join names with underscores, as in `logs/<node>/containers/` of `kind export logs`.
    |path| matches!(path, ["logs", _, _, file] if file.ends_with(".log") && !file.contains('_')),
);

pub fn has_dumps(marks: &Marks) -> bool {
    marks.any(&[&YAMLS_CLUSTER, &YAMLS_NAMESPACED])
}
