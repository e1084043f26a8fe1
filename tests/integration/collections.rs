//! Collections of rules that come as archives, and what is new in them.

use std::fs;
use std::path::Path;

use crate::harness::{analysis, files_below, gleaner_in, sample, zip};
use serde_json::{Value, json};

const RULE: &str = "id: own-config-map\nname: A config map\ntitle: A config map is there\nseverity: high\nconfidence: certain\narea: workload\n\
    find:\n  map: {resource: configmaps, where: map.metadata.name != null}\nmessage: It is there.\nimpact: None.\ncause: Somebody made it.\n\
    remedy:\n- do: Wait.\n";

const TEST: &str = "rule: own-config-map\ncases:\n- name: nothing\n  objects: []\n  expect: []\n";

/// Returns a collection with one rule, its test, and a version.
fn collection(severity: &str) -> Vec<(String, Vec<u8>)> {
    let file = |path: &str, text: &str| (path.to_owned(), text.as_bytes().to_vec());
    vec![
        file("rules/own/own-config-map.yaml", &RULE.replace("severity: high", &format!("severity: {severity}"))),
        file("rules/version.yaml", "name: acme\nversion: 2026-11\n"),
        file("tests/rules/own/own-config-map.yaml", TEST),
        file("README.md", "# Rules of acme"),
    ]
}

fn write(folder: &Path, files: &[(String, Vec<u8>)]) {
    for (path, bytes) in files {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

fn tar(folder: &Path, name: &str, top: &str, files: &[(String, Vec<u8>)]) {
    let mut builder = tar::Builder::new(fs::File::create(folder.join(name)).unwrap());
    for (path, bytes) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        builder.append_data(&mut header, format!("{top}{path}"), bytes.as_slice()).unwrap();
    }
    builder.finish().unwrap();
}

/// Asks for JSON, which must be the whole output.
fn answered(folder: &Path, line: &str) -> Value {
    let answer = gleaner_in(folder, line.split(' '));
    assert_eq!(answer.code, 0, "{line}: {}", answer.stderr);
    serde_json::from_str(&answer.stdout).unwrap()
}

#[test]
fn rules_are_used_from_every_container() {
    let folder = tempfile::tempdir().unwrap();
    let (path, files) = (folder.path(), collection("high"));
    write(&path.join("plain"), &files);
    zip(&path.join("rules.zip"), "acme-rules-1.0", &files);
    tar(path, "rules.tar", "", &files);
    tar(path, "deep.tar", "acme/", &files);
    let packed = zstd::encode_all(fs::read(path.join("deep.tar")).unwrap().as_slice(), 3).unwrap();
    fs::write(path.join("rules.tar.zst"), packed).unwrap();
    let only_rules: Vec<_> = files.iter().take(2).cloned().collect();
    tar(path, "only.tar", "", &only_rules);
    for name in ["plain", "plain/rules", "rules.zip", "rules.tar", "deep.tar", "rules.tar.zst", "only.tar"] {
        let rules = path.join(name);
        let found = analysis(&sample("healthy"), &["--rules", rules.to_str().unwrap(), "--no-default-rules"]);
        assert_eq!(found["rules"]["fired"], json!(["own-config-map"]), "{name}");
        assert_eq!(
            found["rules"]["collections"],
            json!([{"name": "acme", "version": "2026-11", "rules": 1}]),
            "{name}"
        );
    }
    for name in ["plain", "rules.zip", "rules.tar.zst"] {
        let tested = gleaner_in(path, ["rules", "test", name]);
        assert!(tested.code == 0 && tested.stdout.contains("1 passed"), "{name}: {}{}", tested.stdout, tested.stderr);
    }
}

#[test]
fn the_page_and_json_name_the_collections() {
    let folder = tempfile::tempdir().unwrap();
    zip(&folder.path().join("rules.zip"), "acme", &collection("high"));
    let healthy = sample("healthy");
    let line =
        ["analyze", healthy.to_str().unwrap(), "--rules", "rules.zip", "-o", "page.html", "-o", "a.json", "--quiet"];
    assert_eq!(gleaner_in(folder.path(), line).code, 0);
    let json: Value = serde_json::from_slice(&fs::read(folder.path().join("a.json")).unwrap()).unwrap();
    let names: Vec<&str> =
        json["rules"]["collections"].as_array().unwrap().iter().map(|of| of["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["gleaner", "acme"]);
    let page = fs::read_to_string(folder.path().join("page.html")).unwrap();
    assert!(page.contains("Collections of rules") && page.contains("acme 2026-11"));
    let redacted = gleaner_in(
        folder.path(),
        ["analyze", healthy.to_str().unwrap(), "--rules", "rules.zip", "--redact", "--format", "json", "-o", "-"],
    );
    assert!(!redacted.stdout.contains("\"name\": \"acme\"") && redacted.stdout.contains("\"name\": \"gleaner\""));
}

#[test]
fn an_archive_that_cannot_be_used_whole_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let with = |name: &str, file: &str, text: &[u8]| {
        let mut files = collection("high");
        files.push((file.to_owned(), text.to_vec()));
        zip(&path.join(name), "acme", &files);
    };
    with("short.zip", "rules/own/other.yml", b"id: other");
    with("large.zip", "rules/own/large.yaml", &vec![b'#'; (1 << 20) + 1]);
    with("latin.zip", "rules/own/latin.yaml", b"id: \xff");
    let mut newer = collection("high");
    newer[1].1 = b"name: acme\nversion: '2'\nlanguage: 2\n".to_vec();
    zip(&path.join("newer.zip"), "acme", &newer);
    let whole = path.join("whole.zip");
    zip(&whole, "acme", &collection("high"));
    let bytes = fs::read(&whole).unwrap();
    fs::write(path.join("cut.zip"), &bytes[..bytes.len() / 2]).unwrap();
    fs::write(path.join("bomb.zip"), bomb()).unwrap();
    zip(
        &path.join("photos.zip"),
        "photos",
        &[("a.jpg".to_owned(), vec![0xff, 0xd8]), ("b.jpg".to_owned(), vec![0xff])],
    );
    for (name, says) in [
        ("short.zip", "other.yml ends in .yml"),
        ("large.zip", "large.yaml is larger than 1024 KiB"),
        ("latin.zip", "invalid utf-8"),
        ("newer.zip", "install a newer gleaner"),
        ("cut.zip", "cannot read"),
        ("bomb.zip", "cannot read"),
        ("photos.zip", "cannot read rules from photos.zip"),
        ("nowhere.zip", "cannot read rules from nowhere.zip"),
    ] {
        let answer = gleaner_in(path, ["rules", "list", "--rules", name]);
        assert_eq!(answer.code, 2, "{name}: {}", answer.stdout);
        assert!(answer.stderr.contains(says) && answer.stderr.contains(name), "{name}: {}", answer.stderr);
    }
}

/// Returns a zip whose only rule would be 300 MiB.
fn bomb() -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
    writer.start_file("rules/a.yaml", options).unwrap();
    std::io::copy(&mut std::io::Read::take(std::io::repeat(b' '), 300 << 20), &mut writer).unwrap();
    writer.finish().unwrap().into_inner()
}

#[test]
fn what_is_new_in_a_collection_is_told() {
    let folder = tempfile::tempdir().unwrap();
    zip(&folder.path().join("old.zip"), "acme", &collection("high"));
    zip(&folder.path().join("new.zip"), "acme", &collection("low"));
    let text = gleaner_in(folder.path(), ["rules", "diff", "old.zip", "new.zip"]).stdout;
    assert!(text.contains("own-config-map") && text.contains("[severity, was high]"), "{text}");
    assert!(text.ends_with("0 new, 1 changed, 0 gone\n"), "{text}");
    let json = answered(folder.path(), "rules diff old.zip new.zip --format json");
    assert_eq!(json["changed"][0]["what"], json!(["severity"]));
    assert_eq!((&json["old"][0]["name"], &json["added"]), (&json!("acme"), &json!([])));
    let same = gleaner_in(folder.path(), ["rules", "diff", "built-in", "built-in"]).stdout;
    assert_eq!(same, "0 new, 0 changed, 0 gone\n");
    let count = answered(folder.path(), "--version --json")["rules"]["count"].clone();
    let gone = answered(folder.path(), "rules diff built-in new.zip --format json");
    assert_eq!((json!(gone["removed"].as_array().unwrap().len()), gone["added"].as_array().unwrap().len()), (count, 1));
}

#[test]
fn a_folder_and_its_archive_give_the_same_rules() {
    let folder = tempfile::tempdir().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = files_below(&root.join("rules")).into_iter().map(|(path, bytes)| (format!("rules/{path}"), bytes));
    zip(&folder.path().join("ours.zip"), "gleaner-0.1.0", &files.collect::<Vec<_>>());
    let list = |rules: &str| gleaner_in(folder.path(), ["rules", "list", "--format", "json", "--rules", rules]).stdout;
    assert_eq!(list("ours.zip"), list(root.join("rules").to_str().unwrap()));
}
