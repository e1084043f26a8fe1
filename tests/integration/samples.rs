//! Each sample gives the same findings as folder, zip and tar.gz: those that its README describes.

use std::path::Path;

use serde_json::Value;

use crate::harness::{analysis, files_below, sample, summary, tar_gz, zip};

/// Describes the content alone, without name and size of the container.
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
    assert!(found["rules"]["clean"].as_array().unwrap().len() >= 175, "{}", found["rules"]);
}

/// Checks that nothing in a report would wake anybody: findings and objects in trouble are low at most, and each error and warning has a meaning.
pub fn assert_calm(found: &Value) {
    let list = |part: &Value| part.as_array().cloned().unwrap_or_default();
    let is_loud = |of: &&Value| matches!(of["severity"].as_str(), Some("critical" | "high" | "medium"));
    let findings = list(&found["findings"]);
    let loud: Vec<_> = findings.iter().filter(is_loud).map(|of| (&of["rule"], &of["title"])).collect();
    assert!(loud.is_empty(), "{loud:#?}");
    let objects = list(&found["unhealthy"]["objects"]);
    let loud: Vec<_> = objects.iter().filter(is_loud).collect();
    assert!(loud.is_empty(), "{loud:#?}");
    let told = [&found["unexplained"]["entries"], &found["unhealthy"]["warnings"]].map(list).concat();
    let unknown: Vec<_> = told.iter().filter(|entry| entry["known"].is_null()).collect();
    assert!(unknown.is_empty(), "{unknown:#?}");
}

#[test]
fn nothing_of_a_busy_day_alarms() {
    let found = in_every_container("busy-healthy");
    assert_calm(&found);
    assert_eq!(found["issues"].as_array().unwrap().len(), 0, "{}", found["issues"]);
    assert!(found["rules"]["clean"].as_array().unwrap().len() >= 450, "rules looked at it: {}", found["rules"]);
    let restarts = summary(&found).into_iter().filter(|line| line.starts_with("node-containers-ended-together"));
    assert_eq!(restarts.count(), 3, "the restart of each node is told, as a note");
}

#[test]
fn the_stale_managed_chart_shows_its_three_failures() {
    let found = in_every_container("stale-managed-chart");
    let story = summary(&found);
    assert_eq!(story.len(), 6, "{story:#?}");
    let told = |rule: &str, rest: &str| {
        assert!(
            story.iter().any(|line| line.starts_with(rule) && line.ends_with(rest)),
            "{rule} ... {rest}: {story:#?}"
        );
    };
    // Faults come before the obstacle that the sample is about.
    let classes: Vec<&str> =
        found["findings"].as_array().unwrap().iter().map(|finding| finding["class"].as_str().unwrap()).collect();
    assert!(classes[..2].iter().all(|class| *class == "fault"), "{classes:?}");
    told("fleet-stale-notready-harvester-whereabouts DaemonSet/kube-system/harvester-whereabouts", "");
    told("upgrade-denied-managed-chart-not-ready", " <- fleet-stale-notready-harvester-whereabouts");
    told("longhorn-volume-degraded Volume/longhorn-system/", "");
    told("k8s-pod-oomkilled ", "");
    told("k8s-pod-crashloopbackoff ", " <- k8s-pod-oomkilled");
    told("k8s-deployment-unavailable Deployment/default/inventory-export", " <- k8s-pod-oomkilled");
    assert_eq!(found["issues"].as_array().unwrap().len(), 0, "{}", found["issues"]);
}

/// Checks the findings of a sample, from the first to the last, and that everything could be read.
fn story(name: &str) -> (Vec<String>, Value) {
    let found = in_every_container(name);
    assert_eq!(found["issues"].as_array().unwrap().len(), 0, "{}", found["issues"]);
    (summary(&found), found)
}

#[test]
fn the_upgrade_through_tiller_stumbles_over_what_the_one_before_left() {
    let (story, found) = story("tiller-failed-upgrade");
    let stumbles = " <- helm2-no-resource-with-the-name-found";
    assert_eq!(story.len(), 4, "{story:#?}");
    assert!(
        story[0].starts_with("helm2-no-resource-with-the-name-found Pod/kube-system/tiller-deploy-"),
        "what the sample is about comes first: {story:#?}"
    );
    assert_eq!(
        story[1..],
        [
            "helm-tiller-present Deployment/kube-system/tiller-deploy".to_owned(),
            format!("helm-latest-revision-failed HelmRelease/default/billing{stumbles}"),
            "helm2-release-records-readable Namespace/-/kube-system <- helm-tiller-present".to_owned(),
        ]
    );
    let title = found["findings"][0]["title"].as_str().unwrap();
    assert!(title.starts_with("Helm fails with release billing: ConfigMap billing-features exists"), "{title}");
}

#[test]
fn the_config_map_that_a_hook_deleted_explains_everything_else() {
    let (story, found) = story("hook-deleted-configmap");
    let cause = "helm-hook-moved-configmap-deleted";
    assert_eq!(story[0], format!("{cause} Deployment/default/orders"));
    assert_eq!(found["findings"][0]["confidence"], "certain");
    let mut symptoms = story[1..].to_vec();
    symptoms.sort();
    let expected = [
        "helm-success-but-hook-side-effect Deployment/default/orders",
        "pod-failedmount-configmap-not-found Pod/default/orders-7c9d6bf5f4-",
        "precheck-fleet-bundle-no-ready-target Bundle/fleet-local/shop-orders",
        "rollout-stuck-mixed-replicasets Deployment/default/orders",
    ];
    assert_eq!(symptoms.len(), expected.len(), "{story:#?}");
    for (symptom, expected) in symptoms.iter().zip(expected) {
        assert!(symptom.starts_with(expected) && symptom.ends_with(&format!(" <- {cause}")), "{story:#?}");
    }
}

#[test]
fn orphans_lie_behind_the_webhook_that_is_gone() {
    let (story, _) = story("orphans-behind-webhook");
    let cause = "crd-conversion-webhook-broken";
    assert_eq!(story[0], format!("{cause} CustomResourceDefinition/-/issuers.pki.example.net"));
    let mut symptoms = story[1..].to_vec();
    symptoms.sort();
    let expected = [
        "crd-conversion-calls-fail CustomResourceDefinition/-/issuers.pki.example.net",
        "gc-blocked-by-conversion-webhook CustomResourceDefinition/-/issuers.pki.example.net",
        "k8s-bundle-generation-errors CustomResourceDefinition/-/issuers.pki.example.net",
        "k8s-namespace-stuck-terminating Namespace/-/team-cobalt",
        "k8s-object-stuck-finalizer Deployment/default/shop-api",
        "orphan-replicaset ReplicaSet/default/shop-web-",
        "webhook-service-missing ValidatingWebhookConfiguration/-/pki-operator-validator",
    ];
    assert_eq!(symptoms.len(), expected.len(), "{story:#?}");
    for (symptom, expected) in symptoms.iter().zip(expected) {
        assert!(symptom.starts_with(expected) && symptom.ends_with(&format!(" <- {cause}")), "{story:#?}");
    }
}

#[test]
fn every_sample_has_a_readme() {
    for entry in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("samples")).unwrap() {
        let path = entry.unwrap().path();
        assert!(!path.is_dir() || path.join("README.md").is_file(), "{} has no README.md", path.display());
    }
}
