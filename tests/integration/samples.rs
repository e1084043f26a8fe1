//! Each sample as folder, zip and tar.gz: the same story, and the one its README tells.

use std::path::Path;

use serde_json::Value;

use crate::harness::{analysis, files_below, sample, summary, tar_gz, zip};

/// Describes the content alone: what the container is called and weighs is left out.
fn content(mut analysis: Value) -> Value {
    for key in ["path", "sha256", "bytes"] {
        analysis["bundle"][key] = Value::Null;
    }
    analysis
}

fn in_every_container(name: &str) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let files = files_below(&sample(name));
    let (zipped, tarred) = (folder.path().join("b.zip"), folder.path().join("b.tar.gz"));
    zip(&zipped, "top", &files);
    tar_gz(&tarred, "top", &files);
    let as_folder = content(analysis(&sample(name), &[]));
    for packed in [&zipped, &tarred] {
        assert_eq!(as_folder, content(analysis(packed, &[])), "{} differs from the folder", packed.display());
    }
    as_folder
}

#[test]
fn the_healthy_sample_is_silent() {
    let found = in_every_container("healthy");
    assert_eq!(summary(&found), Vec::<String>::new());
    assert_eq!(found["issues"].as_array().unwrap().len(), 0, "{}", found["issues"]);
    assert_eq!(found["bundle"]["kind"], "harvester");
    assert_eq!(found["bundle"]["nodes"].as_array().unwrap().len(), 3);
    assert!(found["rules"]["clean"].as_array().unwrap().len() > 20, "{}", found["rules"]);
}

#[test]
fn the_stale_managed_chart_tells_its_three_stories() {
    let found = in_every_container("stale-managed-chart");
    let story = summary(&found);
    assert_eq!(story.len(), 5, "{story:#?}");
    let told = |rule: &str, rest: &str| {
        assert!(
            story.iter().any(|line| line.starts_with(rule) && line.ends_with(rest)),
            "{rule} ... {rest}: {story:#?}"
        );
    };
    assert!(
        story[0].starts_with("fleet-stale-notready-harvester-whereabouts DaemonSet/kube-system/harvester-whereabouts"),
        "what the sample is about comes first: {story:#?}"
    );
    told("upgrade-denied-managed-chart-not-ready", " <- fleet-stale-notready-harvester-whereabouts");
    told("longhorn-volume-degraded Volume/longhorn-system/", "");
    told("k8s-pod-oomkilled ", "");
    told("k8s-pod-crashloopbackoff ", " <- k8s-pod-oomkilled");
    assert_eq!(found["issues"].as_array().unwrap().len(), 0, "{}", found["issues"]);
}

#[test]
fn every_sample_has_a_readme() {
    for entry in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("samples")).unwrap() {
        let path = entry.unwrap().path();
        assert!(!path.is_dir() || path.join("README.md").is_file(), "{} has no README.md", path.display());
    }
}
