//! Tests with the index of a real bundle in the folder `GLEANER_CORPUS`; without it they do nothing.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use super::resource_index::Counts;
use super::testing::place;
use crate::model::Issue;
use crate::resource::dump::read_objects;
use crate::resource::*;
use crate::yaml::{self, normalise};

struct Real {
    index: ResourceIndex,
    issues: Vec<Issue>,
    metadata: Option<Metadata>,
    problems: usize,
}

/// Reads dumps, metadata and the error log of the kit bundle.
fn real() -> Option<Real> {
    let Ok(folder) = std::env::var("GLEANER_CORPUS") else {
        println!("skipped: GLEANER_CORPUS is not set");
        return None;
    };
    let file = std::fs::File::open(Path::new(&folder).join("harvester-v1.0-single-node.zip")).unwrap();
    let mut archive = zip::ZipArchive::new(file).unwrap();
    let mut builder = IndexBuilder::default();
    let (mut metadata, mut problems) = (None, 0);
    let mut spent = std::time::Duration::ZERO;
    for number in 0..archive.len() {
        let mut member = archive.by_index(number).unwrap();
        let full = member.name().unwrap().to_string();
        let Some((_, path)) = full.split_once('/') else { continue };
        let mut bytes = Vec::new();
        member.read_to_end(&mut bytes).unwrap();
        if path == "bundleGenerationError.log" {
            builder.collector_errors(CollectorErrors::parse(path, &String::from_utf8(bytes).unwrap()));
        } else if path == "metadata.yaml" {
            metadata = Metadata::read(&yaml::parse(bytes).0);
        } else if let Some(place) = place(path) {
            let (mut document, found) = yaml::parse(bytes);
            normalise::normalise(&mut document, normalise::Dialect::Kit);
            problems += found.len();
            let document = Arc::new(document);
            let start = Instant::now();
            builder.add(read_objects(path.into(), Some(&place), &document).with_problems(&found));
            spent += start.elapsed();
        }
    }
    let start = Instant::now();
    let (index, issues) = builder.finish();
    println!("objects read in {spent:?}, index built in {:?}", start.elapsed());
    Some(Real { index, issues, metadata, problems })
}

fn name(text: &str) -> TypeName {
    types::resolve(text).name
}

#[test]
fn every_dump_of_the_real_bundle_is_indexed() {
    let Some(real) = real() else { return };
    assert_eq!(real.issues, []);
    assert_eq!(real.problems, 0);
    assert_eq!(real.index.counts(), Counts { dump_files: 1139, list_items: 1246 });
}

#[test]
fn two_forms_of_one_object_are_one() {
    let Some(Real { index, .. }) = real() else { return };
    let events = index.of_type(&name("events"));
    assert_eq!(events, index.of_type(&name("events.events.k8s.io")));
    assert_eq!(events.len(), index.events().len());
    assert!(events.iter().all(|&id| index.resource(id).group.is_empty()));
    assert!(index.events().iter().all(|e| e.last.is_some() && !e.message.is_empty() && !e.object.kind.is_empty()));
    let records = index.of_type(&name("helmreleases")).len();
    let ingresses = index.of_type(&name("ingresses.extensions")).len();
    assert_eq!(index.len() - records + events.len() + ingresses, 1246);
    assert_eq!(index.of_type(&name("nodes")).len(), 1);
    assert_eq!(index.of_type(&name("nodes.metrics.k8s.io")).len(), 1);
}

#[test]
fn absence_is_known_where_it_was_collected() {
    let Some(Real { index, .. }) = real() else { return };
    let ask = |text: &str, namespace| index.collected(&name(text), namespace);
    assert_eq!(ask("volumes.longhorn.io", Some("longhorn-system")), Collected::Empty);
    assert_eq!(ask("volumes.longhorn.io", None), Collected::Empty);
    assert_eq!(ask("nodes", None), Collected::Yes);
    assert_eq!(ask("pods", None), Collected::Yes);
    assert_eq!(ask("helmreleases", None), Collected::Yes);
    for (text, namespace) in [
        ("pods", Some("harvester-public")),
        ("secrets", Some("kube-system")),
        ("settings.harvesterhci.io", None),
        ("customresourcedefinitions.apiextensions.k8s.io", None),
        ("ippools.whereabouts.cni.cncf.io", None),
    ] {
        assert!(!ask(text, namespace).complete(), "{text}");
    }
}

#[test]
fn releases_of_the_real_bundle_come_from_apps() {
    let Some(Real { index, .. }) = real() else { return };
    let ids = index.of_type(&name("helmreleases"));
    assert_eq!(ids.len(), index.of_type(&name("apps.catalog.cattle.io")).len());
    assert!(ids.len() > 10);
    let canal = index.resource(index.get(&name("helmreleases"), Some("kube-system"), "rke2-canal").unwrap());
    assert_eq!(canal.body().str_at(&["status"]), Some("deployed"));
    assert_eq!(canal.body().get("latest").unwrap().as_bool(), Some(true));
    assert!(canal.partial && canal.source.is_some());
}

#[test]
fn the_cluster_of_the_real_bundle() {
    let Some(Real { index, metadata, .. }) = real() else { return };
    let archives = NodeArchives { read: BTreeSet::from(["node1".to_owned()]), ..NodeArchives::default() };
    let facts = ClusterFacts::of(&index, metadata.as_ref(), &archives);
    let version = |product: &str| facts.versions.get(product).map(String::as_str);
    assert_eq!(version("kubernetes"), Some("v1.21.7+rke2r1"));
    assert_eq!(version("rke2"), Some("v1.21.7+rke2r1"));
    assert_eq!(version("k3s"), None);
    assert_eq!(version("longhorn"), Some("v1.2.3"));
    assert_eq!(version("rancher"), Some("v2.6.3"));
    assert!(version("harvester").is_some_and(|v| !v.starts_with("0.0.0")));
    assert_eq!(facts.nodes.len(), 1);
    assert_eq!((facts.nodes[0].name.as_str(), facts.nodes[0].ready), ("node1", Some(true)));
    assert_eq!(facts.nodes[0].roles, ["control-plane", "etcd", "master"]);
    assert!(facts.uid.is_some() && facts.collected_at.is_some());
    println!("{facts:#?}");
}
