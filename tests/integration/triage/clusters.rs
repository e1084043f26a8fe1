//! Archives analysed by what `deploy/` has for clusters: Ray and Kubernetes.

use std::path::Path;
use std::process::Command;

use super::archive::Archive;
use super::rows::assert_equal;
use crate::harness::python;

/// Runs a script of `tests/python` and gives what it printed.
fn script(python: &Path, name: &str, args: &[&Path]) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = Command::new(python).arg(root.join("tests/python").join(name)).args(args).output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{told}\n{}", String::from_utf8_lossy(&output.stderr));
    told
}

#[test]
fn a_ray_cluster_that_loses_a_worker_has_the_same_results() {
    let Some(python) = python() else { return };
    let archive = Archive::of(40);
    archive.triage("one.db", &[]);
    let triage = Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy/ray/triage.py");
    let (gleaner, store) = (assert_cmd::cargo::cargo_bin!("gleaner"), archive.path("ray.db"));
    let told = script(&python, "ray_cluster.py", &[&triage, gleaner, &archive.tickets(), &store]);
    assert!(told.contains("killed a worker") && told.contains("8 of 8 shards"), "{told}");
    assert_equal(&store, &archive.path("one.db"));
}

#[test]
fn kubernetes_jobs_have_the_same_results() {
    let Some(python) = python() else { return };
    let archive = Archive::of(20);
    archive.triage("one.db", &[]);
    let manifests = Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy/kubernetes");
    let (gleaner, folder) = (assert_cmd::cargo::cargo_bin!("gleaner"), archive.path("pods"));
    script(&python, "indexed_job.py", &[&manifests, gleaner, &archive.tickets(), &folder]);
    assert_equal(&folder.join("stores/tickets.db"), &archive.path("one.db"));
}
