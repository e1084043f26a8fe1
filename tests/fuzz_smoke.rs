//! Runs the body of each fuzz target over its seeds in `fuzz/seeds`, and over damaged copies of them.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, reason = "tests fail loudly")]

use std::collections::BTreeSet;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

#[path = "../fuzz/bodies/api_request.rs"]
mod api_request;
#[path = "../fuzz/bodies/archive.rs"]
mod archive;
#[path = "../fuzz/bodies/cre_file.rs"]
mod cre_file;
#[path = "../fuzz/bodies/entry_path.rs"]
mod entry_path;
#[path = "../fuzz/bodies/json_documents.rs"]
mod json_documents;
#[path = "../fuzz/bodies/kubectl_table.rs"]
mod kubectl_table;
#[path = "../fuzz/bodies/log_scan.rs"]
mod log_scan;
#[path = "../fuzz/bodies/log_templates.rs"]
mod log_templates;
#[path = "../fuzz/bodies/log_times.rs"]
mod log_times;
#[path = "../fuzz/bodies/objects.rs"]
mod objects;
#[path = "../fuzz/bodies/rule_file.rs"]
mod rule_file;
#[path = "../fuzz/bodies/sections.rs"]
mod sections;
#[path = "../fuzz/bodies/whole_bundle.rs"]
mod whole_bundle;
#[path = "../fuzz/bodies/yaml_documents.rs"]
mod yaml_documents;
#[path = "../fuzz/bodies/yaml_readers.rs"]
mod yaml_readers;

/// Name of a target, and its body.
type Target = (&'static str, fn(&[u8]));

const TARGETS: &[Target] = &[
    ("api_request", api_request::run),
    ("archive", archive::run),
    ("cre_file", cre_file::run),
    ("entry_path", entry_path::run),
    ("json_documents", json_documents::run),
    ("kubectl_table", kubectl_table::run),
    ("log_scan", log_scan::run),
    ("log_templates", log_templates::run),
    ("log_times", log_times::run),
    ("objects", objects::run),
    ("rule_file", rule_file::run),
    ("sections", sections::run),
    ("whole_bundle", whole_bundle::run),
    ("yaml_documents", yaml_documents::run),
    ("yaml_readers", yaml_readers::run),
];
/// Bytes that the seeds of a target may have; more only slow a fuzzer down.
const LARGEST: usize = 24 << 10;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz").join(name)
}

fn names_in(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    entries.map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned()).collect()
}

/// Returns name and content of the seeds of a target.
fn seeds(target: &str) -> Vec<(String, Vec<u8>)> {
    let place = folder("seeds").join(target);
    let mut paths: Vec<PathBuf> = fs::read_dir(&place).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| (path.display().to_string(), fs::read(path).unwrap())).collect()
}

/// Returns the seed, and copies that are cut, that have a byte changed, and whose ends are swapped.
fn damaged(seed: &[u8]) -> Vec<Vec<u8>> {
    let half = seed.len() / 2;
    let mut changed = seed.to_vec();
    changed.iter_mut().skip(half).take(1).for_each(|byte| *byte ^= 0x20);
    vec![seed.to_vec(), seed[..half].to_vec(), changed, [&seed[half..], &seed[..half]].concat()]
}

#[test]
fn every_target_has_a_body_seeds_and_a_row() {
    let rows: BTreeSet<String> = TARGETS.iter().map(|(name, _)| (*name).to_owned()).collect();
    for place in ["bodies", "fuzz_targets", "seeds"] {
        assert_eq!(names_in(&folder(place)), rows, "fuzz/{place}");
    }
    let manifest = fs::read_to_string(folder("Cargo.toml")).unwrap();
    for (name, _) in TARGETS {
        assert!(manifest.contains(&format!("name = \"{name}\"")), "fuzz/Cargo.toml has no {name}");
        let size: usize = seeds(name).iter().map(|(_, seed)| seed.len()).sum();
        assert!(size > 0 && size <= LARGEST, "seeds of {name}: {size} bytes");
    }
}

#[test]
fn bodies_take_their_seeds() {
    for (name, run) in TARGETS {
        for (path, seed) in seeds(name) {
            for (number, input) in damaged(&seed).iter().enumerate() {
                let result = catch_unwind(AssertUnwindSafe(|| run(input)));
                assert!(result.is_ok(), "{name} fails on {path}, form {number}");
            }
        }
    }
}
