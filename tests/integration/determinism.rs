//! The same input gives the same bytes, whatever the threads.

use crate::harness::{corpus, gleaner_in, json_text, sample};
use std::path::Path;

fn same_with_any_threads(bundle: &Path) {
    let one = json_text(bundle, &["--threads", "1"]);
    for threads in ["2", "8"] {
        assert!(one == json_text(bundle, &["--threads", threads]), "JSON differs between 1 and {threads} threads");
    }
    let html = |threads: &str| {
        let bundle = bundle.to_str().unwrap();
        let args = ["analyze", bundle, "-o", "-", "--format", "html", "--quiet", "--threads", threads];
        gleaner_in(Path::new("."), args).stdout
    };
    assert!(html("1") == html("8"), "HTML differs between 1 and 8 threads");
}

#[test]
fn samples_do_not_depend_on_threads() {
    same_with_any_threads(&sample("stale-managed-chart"));
}

#[test]
fn the_real_bundle_does_not_depend_on_threads() {
    if let Some(bundle) = corpus("harvester-v1.0-single-node.zip") {
        same_with_any_threads(&bundle);
    }
}
