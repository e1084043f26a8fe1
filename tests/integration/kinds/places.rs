//! A bundle of each kind without its top folder, below additional folders, and without its main markers: packed again
//! by
//! people, it gives the same analysis.

use std::io::Write;
use std::path::Path;

use serde_json::Value;

use super::{cluster_info, harvester, longhorn, must_gather, node, rancher, rancher_host, sosreport, supportability};
use super::{supportconfig, troubleshoot};
use crate::harness::analysis;

type Files = Vec<(String, Vec<u8>)>;

/// A bundle by the name of its folder and archive.
pub(crate) struct Case {
    pub(crate) kind: &'static str,
    pub(crate) name: String,
    pub(crate) files: Files,
    /// Files without which its kind is still recognised.
    without: &'static [&'static str],
}

fn case<S: Into<String>, B: Into<Vec<u8>>>(
    kind: &'static str,
    name: &str,
    files: impl IntoIterator<Item = (S, B)>,
    without: &'static [&'static str],
) -> Case {
    let files = files.into_iter().map(|(path, bytes)| (path.into(), bytes.into())).collect();
    Case { kind, name: name.to_owned(), files, without }
}

pub(crate) fn cases() -> Vec<Case> {
    let (kit, legacy) =
        ("supportbundle_site-a_2024-05-06T07-08-09Z", "longhorn-support-bundle_site-a_2021-04-05T06-07-08Z");
    vec![
        case("cluster-info", "dump", cluster_info::json_folder(), &["kube-system/events.json"]),
        case("harvester", kit, harvester::modern(), &["metadata.yaml"]),
        case("longhorn", kit, longhorn::kit(), &["metadata.yaml"]),
        case("longhorn", legacy, longhorn::legacy(), &[]),
        case("must-gather", "must-gather.local.4711", must_gather::tree(), &["timestamp", "version"]),
        case("node", "n1", node::files(), &["configs/etc/os-release"]),
        case("rancher", rancher::NAME, rancher::files(), &[]),
        case("rancher", rancher_host::NAME, rancher_host::server(), &["collector-output.log"]),
        case("sosreport", sosreport::NAME, sosreport::files(), &["version.txt"]),
        case("supportability", "clusterinfo", supportability::cluster(), &[]),
        case("supportconfig", supportconfig::NAME, supportconfig::files(), &[]),
        case("troubleshoot", troubleshoot::NAME, troubleshoot::files(), &["version.yaml"]),
    ]
}

/// Returns the analysis of files packed below a folder, without facts about the archive itself.
fn packed(case: &Case, below: &str, without: &[&str]) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(format!("{}.zip", case.name));
    let mut zip = zip::ZipWriter::new(std::fs::File::create(&path).unwrap());
    for (name, bytes) in case.files.iter().filter(|(name, _)| !without.contains(&name.as_str())) {
        zip.start_file(format!("{below}{name}"), zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap();
    content(&path)
}

fn content(path: &Path) -> Value {
    let mut found = analysis(path, &[]);
    for key in ["path", "sha256", "bytes"] {
        found["bundle"][key] = Value::Null;
    }
    found
}

/// Returns the places that a bundle can have in its archive. The folder of a node is kept, because it names the node.
fn places(case: &Case) -> Vec<String> {
    let name = &case.name;
    let mut places = vec![format!("ticket/{name}/"), format!("a/b/{name}/")];
    if case.kind != "node" {
        places.push(String::new());
    }
    places
}

#[test]
fn folders_around_a_bundle_do_not_matter() {
    let mut faults = Vec::new();
    for case in cases() {
        let normal = packed(&case, &format!("{}/", case.name), &[]);
        assert_eq!(normal["bundle"]["kind"], case.kind, "{}", case.name);
        for below in places(&case) {
            let found = packed(&case, &below, &[]);
            for part in ["bundle", "findings", "rules", "issues"].into_iter().filter(|part| found[part] != normal[part])
            {
                let (found, normal) = (&found[part], &normal[part]);
                faults.push(format!("{} {} below `{below}`: {part}:\n{found}\n{normal}", case.kind, case.name));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_kind_is_recognised_without_its_first_marker() {
    for case in cases().into_iter().filter(|case| !case.without.is_empty()) {
        let listed = |name: &&&str| case.files.iter().any(|(path, _)| path == **name);
        assert_eq!(
            case.without.iter().filter(listed).count(),
            case.without.len(),
            "{}: {:?}",
            case.kind,
            case.files.iter().map(|f| &f.0).collect::<Vec<_>>()
        );
        let (normal, found) = (packed(&case, "top/", &[]), packed(&case, "top/", case.without));
        assert_eq!(found["bundle"]["kind"], case.kind, "{}", case.name);
        assert_eq!(
            found["bundle"]["nodes"].as_array().map(Vec::len),
            normal["bundle"]["nodes"].as_array().map(Vec::len)
        );
    }
}
