//! The same bundle in every container gives the same analysis, and several bundles in one give one report each.

use std::fs::{self, File};
use std::io::{Cursor, Read, Write};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::harness::{analysis, corpus, files_below, gleaner_in, sample, summary};

type Files = Vec<(String, Vec<u8>)>;

/// Describes the content alone, without name and size of the container.
fn content(mut analysis: Value) -> Value {
    for key in ["path", "sha256", "bytes"] {
        analysis["bundle"][key] = Value::Null;
    }
    analysis
}

fn zip(files: &Files) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default().compression_level(Some(1));
    for (name, bytes) in files {
        writer.start_file(name, options).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn tar(files: &Files) -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    for (name, bytes) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, name, bytes.as_slice()).unwrap();
    }
    archive.into_inner().unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn xz(bytes: &[u8]) -> Vec<u8> {
    liblzma::encode_all(bytes, 0).unwrap()
}

fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).unwrap()
}

/// The files below another folder.
fn below(top: &str, files: &Files) -> Files {
    files.iter().map(|(name, bytes)| (format!("{top}/{name}"), bytes.clone())).collect()
}

fn reversed(files: &Files) -> Files {
    files.iter().rev().cloned().collect()
}

/// The files as a re-pack on Windows leaves them: backslashes; and on a Mac: its own litter.
fn desktop(files: &Files) -> Files {
    let litter = ("__MACOSX\\._x".to_owned(), b"\0\x05\x16\x07".to_vec());
    let named = files.iter().map(|(name, bytes)| (name.replace('/', "\\"), bytes.clone()));
    named.chain([litter]).collect()
}

fn write_below(folder: &Path, files: &Files) {
    for (name, bytes) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

/// Fails unless the files give one analysis whatever they are packed in; returns it.
fn same_everywhere(files: &Files, name: &str) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let tree = folder.path().join(name);
    write_below(&tree, files);
    let expected = content(analysis(&tree, &[]));
    let dotted: Files = files.iter().map(|(path, bytes)| (format!("./{path}"), bytes.clone())).collect();
    let plain = tar(files);
    let packs: [(&str, Vec<u8>); 9] = [
        ("zip", zip(files)),
        ("zip on a desktop", zip(&desktop(files))),
        ("tar in other order", tar(&reversed(&dotted))),
        ("tar.gz below another folder", gzip(&tar(&below("other", files)))),
        ("tar.xz", xz(&plain)),
        ("tar.bz2", bzip2(&plain)),
        ("tar.zst", zstd(&plain)),
        ("zip with a tar.gz", zip(&vec![("ticket/inner.tar.gz".to_owned(), gzip(&plain))])),
        ("gzip around a zip", gzip(&zip(files))),
    ];
    for (container, bytes) in packs {
        let path = folder.path().join(container).join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        let found = content(analysis(&path, &[]));
        assert!(found == expected, "as {container}: {}", difference(&expected, &found, ""));
        fs::remove_file(&path).unwrap();
    }
    expected
}

/// The first place where two reports differ.
fn difference(a: &Value, b: &Value, place: &str) -> String {
    match (a, b) {
        (Value::Object(x), Value::Object(y)) if x.keys().eq(y.keys()) => {
            let differs = x.iter().find(|(key, value)| y[key.as_str()] != **value);
            differs
                .map_or_else(String::new, |(key, value)| difference(value, &y[key.as_str()], &format!("{place}.{key}")))
        }
        (Value::Array(x), Value::Array(y)) if x.len() == y.len() => {
            let at = x.iter().zip(y).position(|(x, y)| x != y).unwrap_or(0);
            difference(&x[at], &y[at], &format!("{place}[{at}]"))
        }
        _ => format!("{place}: {a} became {b}"),
    }
}

fn unpacked(bundle: &Path) -> Files {
    let bytes = fs::read(bundle).unwrap();
    let mut files = Files::new();
    if bytes.starts_with(b"PK") {
        let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
        for index in 0..archive.len() {
            let mut file = archive.by_index(index).unwrap();
            let mut content = Vec::new();
            file.read_to_end(&mut content).unwrap();
            files.push((file.name().unwrap().into_owned(), content));
        }
    } else {
        let mut archive = tar::Archive::new(flate2::read::MultiGzDecoder::new(bytes.as_slice()));
        for entry in archive.entries().unwrap() {
            let mut entry = entry.unwrap();
            let mut content = Vec::new();
            entry.read_to_end(&mut content).unwrap();
            let path = entry.path().unwrap().to_str().unwrap().trim_start_matches("./").to_owned();
            if entry.header().entry_type().is_file() {
                files.push((path, content));
            }
        }
    }
    files.retain(|(name, _)| !name.ends_with('/'));
    files
}

#[test]
fn a_sample_is_the_same_in_every_container() {
    let found = same_everywhere(&below("sb", &files_below(&sample("stale-managed-chart"))), "case");
    assert_eq!((found["issues"].as_array().unwrap().len(), found["findings"].as_array().unwrap().len()), (0, 6));
}

#[test]
fn the_harvester_bundle_is_the_same_in_every_container() {
    let Some(path) = corpus("harvester-v1.0-single-node.zip") else { return };
    assert_eq!(same_everywhere(&unpacked(&path), "b"), content(analysis(&path, &[])));
}

#[test]
fn the_rancher_bundle_is_the_same_in_every_container() {
    let Some(path) = corpus("rancher-rke2-server-2025-11-27.tar.gz") else { return };
    assert_eq!(same_everywhere(&unpacked(&path), "rancher-rke2-server-2025-11-27"), content(analysis(&path, &[])));
}

#[test]
fn the_troubleshoot_bundle_is_the_same_in_every_container() {
    let Some(path) = corpus("troubleshoot-k3s-2022.tar.gz") else { return };
    assert_eq!(same_everywhere(&unpacked(&path), "b"), content(analysis(&path, &[])));
}

#[test]
fn compressed_files_are_read_whatever_they_are_called() {
    let plain = files_below(&sample("stale-managed-chart"));
    let is_packed = |name: &str| !name.ends_with("metadata.yaml");
    let packed: Files = plain
        .iter()
        .enumerate()
        .map(|(number, (name, bytes))| {
            let pack = [gzip, xz, zstd, bzip2][number % 4];
            (name.clone(), if is_packed(name) { pack(bytes) } else { bytes.clone() })
        })
        .collect();
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("b.zip"), zip(&below("b", &packed))).unwrap();
    fs::write(folder.path().join("b.tar"), tar(&below("b", &packed))).unwrap();
    write_below(&folder.path().join("b"), &packed);
    let expected = summary(&analysis(&sample("stale-managed-chart"), &[]));
    assert!(!expected.is_empty());
    for name in ["b.zip", "b.tar", "b"] {
        let found = analysis(&folder.path().join(name), &[]);
        assert_eq!((summary(&found), &found["issues"]), (expected.clone(), &Value::Array(Vec::new())), "{name}");
    }
}

/// A folder with an archive of two bundles and a note, one of the bundles by itself, and a list of both.
fn ticket() -> (tempfile::TempDir, Vec<Value>) {
    let folder = tempfile::tempdir().unwrap();
    let healthy = zip(&below("sb", &files_below(&sample("healthy"))));
    let sick = gzip(&tar(&below("sb", &files_below(&sample("stale-managed-chart")))));
    fs::write(folder.path().join("sick.tgz"), &sick).unwrap();
    let alone = ["healthy", "stale-managed-chart"].map(|name| content(analysis(&sample(name), &[]))).to_vec();
    let pack = vec![
        ("t/healthy.zip".to_owned(), healthy),
        ("t/sick.tgz".to_owned(), sick),
        ("t/notes.txt".to_owned(), b"call back at nine\n".to_vec()),
    ];
    fs::write(folder.path().join("ticket.zip"), zip(&pack)).unwrap();
    fs::write(folder.path().join("list"), "sick.tgz\n\nnowhere.zip\nticket.zip\n").unwrap();
    (folder, alone)
}

fn reports(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name.contains(".gleaner.")).collect();
    names.sort();
    names
}

#[test]
fn each_bundle_of_a_pack_gets_a_report() {
    let (folder, alone) = ticket();
    let answer = gleaner_in(folder.path(), ["analyze", "ticket.zip", "--format", "json", "--fail-on", "info"]);
    assert_eq!(
        (answer.code, reports(folder.path())),
        (1, vec!["healthy.gleaner.json".into(), "sick.gleaner.json".into()])
    );
    for (name, alone) in ["healthy", "sick"].iter().zip(&alone) {
        let mut found: Value =
            serde_json::from_reader(File::open(folder.path().join(format!("{name}.gleaner.json"))).unwrap()).unwrap();
        let place = found["bundle"]["path"].as_str().unwrap().to_owned();
        assert!(place.starts_with(&format!("ticket.zip!/t/{name}.")), "{place}");
        assert!(answer.stdout.contains(&place), "a summary for each:\n{}", answer.stdout);
        let beside = found["issues"][0]["message"].as_str().unwrap().to_owned();
        assert!(beside.contains("1 file in `ticket.zip` belongs to none of its bundles"), "{beside}");
        found["issues"] = Value::Array(Vec::new());
        assert!(content(found.clone()) == *alone, "{}", difference(alone, &content(found), ""));
    }
}

#[test]
fn bundles_of_a_pack_do_not_share_a_file() {
    let (folder, _) = ticket();
    for output in ["r.json", "-"] {
        let answer = gleaner_in(folder.path(), ["analyze", "ticket.zip", "--format", "json", "-o", output]);
        assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "{}", answer.stderr);
        let told = answer.stderr.contains("`ticket.zip` contains 2 bundles") && answer.stderr.contains("`-o DIR/`");
        assert!(told, "{}", answer.stderr);
    }
    let answer = gleaner_in(folder.path(), ["analyze", "ticket.zip", "sick.tgz", "-o", "out/", "--quiet"]);
    let expected = ["healthy.gleaner.html", "sick-2.gleaner.html", "sick.gleaner.html"];
    assert_eq!((answer.code, reports(&folder.path().join("out"))), (0, expected.map(str::to_owned).to_vec()));
    let answer = gleaner_in(folder.path(), ["rules", "explain", "longhorn-volume-degraded", "ticket.zip"]);
    assert_eq!(answer.code, 3);
    assert!(answer.stderr.contains("holds 2 bundles; give one of them alone"), "{}", answer.stderr);
}

fn with_input(folder: &Path, args: &[&str], input: &[u8]) -> (i32, String) {
    let mut command = assert_cmd::Command::new(assert_cmd::cargo::cargo_bin!("gleaner"));
    let output = command.current_dir(folder).env("NO_COLOR", "1").args(args).write_stdin(input).output().unwrap();
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn paths_come_from_a_list_or_from_standard_input() {
    let (folder, _) = ticket();
    let expected: Vec<String> =
        ["healthy.gleaner.html", "sick-2.gleaner.html", "sick.gleaner.html"].map(str::to_owned).to_vec();
    for (args, input) in [
        (vec!["analyze", "--files-from", "-", "-o", "a/", "--quiet"], &b"sick.tgz\n\nnowhere.zip\nticket.zip"[..]),
        (vec!["analyze", "--files-from", "-", "-o", "b/", "--quiet"], b"sick.tgz\0nowhere.zip\0ticket.zip\0"),
        (vec!["analyze", "--files-from", "list", "-o", "c/", "--quiet"], b""),
        (vec!["analyze", "sick.tgz", "--files-from", "-", "-o", "d/", "--quiet"], b"nowhere.zip\r\nticket.zip\r\n"),
    ] {
        let (code, told) = with_input(folder.path(), &args, input);
        assert_eq!(code, 3, "one of the paths does not exist: {told}");
        assert!(told.contains("`nowhere.zip` does not exist"), "{told}");
        assert_eq!(reports(&folder.path().join(args[args.len() - 2])), expected);
    }
    let (code, told) = with_input(folder.path(), &["analyze", "--files-from", "-"], b"\n\n");
    assert_eq!(code, 2);
    assert!(told.contains("no bundles to analyse: `-` is empty"), "{told}");
}

#[test]
fn a_single_log_is_a_bundle() {
    let folder = tempfile::tempdir().unwrap();
    let path: PathBuf = folder.path().join("rancher.log");
    fs::write(&path, "2024-03-06T10:15:30Z [INFO] started\n").unwrap();
    let found = analysis(&path, &[]);
    assert_eq!((&found["bundle"]["kind"], &found["bundle"]["entries"]), (&"generic".into(), &1.into()));
    assert_eq!(found["bundle"]["collected_at"], "2024-03-06T10:15:30Z", "that of the newest line");
    // Their condition is that the time is later than that.
    let dated = json!(["ingress-nginx-open-to-takeover", "rke2-ingress-nginx-eol"]);
    assert_eq!(found["rules"]["clean"], dated, "nothing is clean that was not looked at");
}
