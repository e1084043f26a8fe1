//! Bundles that mean harm: nothing escapes, nothing panics, everything is told.

use std::io::Write;

use crate::harness::{analysis, gleaner_in};

const NODES: &str = "apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Node\n  metadata:\n    name: n1\nkind: List\n";

fn written(files: &[(&str, Vec<u8>)]) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bundle.zip");
    let mut zip = zip::ZipWriter::new(std::fs::File::create(&path).unwrap());
    for (name, bytes) in files {
        zip.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap();
    (folder, path)
}

fn issues(files: &[(&str, Vec<u8>)]) -> Vec<String> {
    let (_folder, path) = written(files);
    let found = analysis(&path, &[]);
    assert_eq!(found["bundle"]["nodes"][0]["name"], "n1", "the rest must still be read: {found:#}");
    found["issues"].as_array().unwrap().iter().map(|i| format!("{} {}", i["entry"], i["message"])).collect()
}

fn with_nodes<'a>(more: &[(&'a str, Vec<u8>)]) -> Vec<(&'a str, Vec<u8>)> {
    let mut files = vec![("b/metadata.yaml", b"bundlecreatedat: \"2024-05-06T07:08:09Z\"\n".to_vec())];
    files.push(("b/yamls/cluster/v1/nodes.yaml", NODES.as_bytes().to_vec()));
    files.extend(more.iter().cloned());
    files
}

#[test]
fn paths_that_lead_out_are_told() {
    let found = issues(&with_nodes(&[("b/../../../etc/passwd", b"root".to_vec())]));
    assert!(found.iter().any(|i| i.contains("etc/passwd")), "{found:?}");
}

#[test]
fn deep_and_broken_documents_are_told() {
    let deep = "- ".repeat(5000).into_bytes();
    let bomb = format!(
        "a: &a [{}]\n{}",
        "x,".repeat(500),
        (0..30).map(|i| format!("k{i}: [*a,*a,*a,*a,*a,*a,*a,*a,*a]\n")).collect::<String>()
    );
    let found = issues(&with_nodes(&[
        ("b/yamls/cluster/v1/persistentvolumes.yaml", deep),
        ("b/yamls/cluster/v1/namespaces.yaml", b"items: [1, 2\n  - {".to_vec()),
        ("b/yamls/cluster/storage.k8s.io/v1/storageclasses.yaml", bomb.into_bytes()),
    ]));
    for entry in ["persistentvolumes.yaml", "namespaces.yaml"] {
        assert!(found.iter().any(|i| i.contains(entry)), "{entry}: {found:?}");
    }
}

#[test]
fn strange_text_is_read() {
    let mut log = b"2024-05-06T07:08:09.123456789Z \xff\xfe\x00\x00 broken\r\n".to_vec();
    log.extend(vec![b'x'; 3 << 20]);
    log.extend(b"\n\x1b[31mred\x1b[0m");
    let (_folder, path) = written(&with_nodes(&[
        ("b/logs/demo/web-0/app.log", log),
        ("b/yamls/cluster/v1/configmaps.yaml", vec![0xff, 0xfe, 0x41, 0x00]),
    ]));
    let answer = gleaner_in(path.parent().unwrap(), ["analyze", "bundle.zip", "-o", "r.html"]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(!answer.stdout.contains('\x1b'), "escapes must not reach the terminal");
}

#[test]
fn names_from_the_bundle_cannot_become_markup() {
    let hostile = NODES.replace("name: n1", "name: \"<script>alert(1)</script>\"");
    let (_folder, path) =
        written(&[("b/yamls/cluster/v1/nodes.yaml", hostile.into_bytes()), ("b/metadata.yaml", b"a: 1\n".to_vec())]);
    let answer =
        gleaner_in(path.parent().unwrap(), ["analyze", "bundle.zip", "-o", "-", "--format", "html", "--quiet"]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(!answer.stdout.contains("<script>alert"), "markup from the bundle in the report");
}

#[test]
fn limits_stop_entries_not_the_run() {
    let (_folder, path) = written(&with_nodes(&[("b/logs/demo/web-0/app.log", vec![b'a'; 2 << 20])]));
    let found = analysis(&path, &["--max-bytes", "1MiB"]);
    assert_eq!(found["bundle"]["nodes"][0]["name"], "n1");
    let kinds: Vec<&str> = found["issues"].as_array().unwrap().iter().filter_map(|i| i["kind"].as_str()).collect();
    assert!(kinds.contains(&"limit"), "{}", found["issues"]);
}

#[test]
fn long_lines_are_cut_where_the_flag_says_and_told_once_a_log() {
    let line = |before: usize| {
        format!("2024-05-06T07:00:00Z {} INFO: task web:7 blocked for more than 120 seconds.\n", "x".repeat(before))
    };
    let kernel = format!("{}{}{}", line(10), line(100_000), line(200_000));
    let (_folder, path) = written(&with_nodes(&[("b/nodes/n1/logs/kernel.log", kernel.into_bytes())]));
    let told = |more: &[&str]| {
        let found = analysis(&path, more);
        let issues = found["issues"].as_array().unwrap().iter().filter(|i| i["entry"] == "nodes/n1/logs/kernel.log");
        issues
            .map(|i| format!("{} {}", i["kind"].as_str().unwrap(), i["message"].as_str().unwrap()))
            .collect::<Vec<_>>()
    };
    assert_eq!(told(&[]), Vec::<String>::new());
    let cut = ["limit 2 lines are longer than 4096 bytes (--max-line): the rest was not searched"];
    assert_eq!(told(&["--max-line", "4KiB"]), cut);
}
