//! Runs the program in a scrubbed environment and packs bundles.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;

/// Output and exit code of the program.
pub struct Answer {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

/// Runs gleaner in a folder; colours and terminal are off.
pub fn gleaner_in<S: AsRef<OsStr>>(folder: &Path, args: impl IntoIterator<Item = S>) -> Answer {
    let output: Output = assert_cmd::Command::new(assert_cmd::cargo::cargo_bin!("gleaner"))
        .env_clear()
        .env("NO_COLOR", "1")
        .env("TMPDIR", std::env::temp_dir())
        .current_dir(folder)
        .args(args)
        .output()
        .unwrap();
    Answer {
        code: output.status.code().expect("the program must not be killed by a signal"),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Analyses a bundle and reads its JSON; fails unless the program ends with 0.
pub fn analysis(bundle: &Path, more: &[&str]) -> Value {
    serde_json::from_str(&json_text(bundle, more)).unwrap()
}

/// The JSON report as written.
pub fn json_text(bundle: &Path, more: &[&str]) -> String {
    let bundle = bundle.to_str().unwrap();
    let args = ["analyze", bundle, "-o", "-", "--format", "json", "--quiet"];
    let answer = gleaner_in(Path::new("."), args.iter().copied().chain(more.iter().copied()));
    // 3: nothing in the bundle can be read, which the report states.
    assert!(matches!(answer.code, 0 | 3), "exit code {}: {}", answer.code, answer.stderr);
    answer.stdout
}

/// Findings as `rule subject <- rule of the cause`, in the order of the report.
pub fn summary(analysis: &Value) -> Vec<String> {
    let findings = analysis["findings"].as_array().unwrap();
    let rule_of = |print: &Value| {
        let cause = findings.iter().find(|f| f["fingerprint"] == *print)?;
        cause["rule"].as_str().map(str::to_owned)
    };
    findings
        .iter()
        .map(|finding| {
            let subject = &finding["objects"][0];
            let part = |key: &str| subject[key].as_str().unwrap_or("-").to_owned();
            let mut line = format!(
                "{} {}/{}/{}",
                finding["rule"].as_str().unwrap(),
                part("kind"),
                part("namespace"),
                part("name")
            );
            if let Some(cause) = rule_of(&finding["explained_by"]) {
                line = format!("{line} <- {cause}");
            }
            line
        })
        .collect()
}

/// The folder of a sample's bundle.
pub fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(name)
}

/// Returns the folder of the real bundles; prints that the test is skipped if there is none.
pub fn corpus(file: &str) -> Option<PathBuf> {
    let Some(folder) = std::env::var_os("GLEANER_CORPUS") else {
        eprintln!("skipped: GLEANER_CORPUS is not set, {file} was not tested");
        return None;
    };
    let path = PathBuf::from(folder).join(file);
    assert!(path.is_file(), "{} does not exist", path.display());
    Some(path)
}

/// The first of these programs that is on the search path.
pub fn program(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name))).find(|path| path.is_file())
}

/// Returns kubectl; prints a message and returns none if it is not installed.
pub fn kubectl() -> Option<PathBuf> {
    let found = program(&["kubectl"]);
    if found.is_none() {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "CI needs kubectl");
        eprintln!("skipped: nothing was asked with kubectl, not installed: package kubernetes-client");
    }
    found
}

/// Returns the Python with the packages of `tests/python/requirements.txt`; prints a message and returns none if it
/// does not exist.
pub fn python() -> Option<PathBuf> {
    let python = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/python/bin/python");
    if python.is_file() {
        return Some(python);
    }
    assert!(std::env::var("CI").as_deref() != Ok("true"), "CI needs target/python");
    eprintln!(
        "skipped: a test needs packages of Python, not installed: target/python \
         (python3 -m venv target/python && target/python/bin/pip install -r tests/python/requirements.txt)"
    );
    None
}

/// All files below a folder with their paths relative to it, sorted.
pub fn files_below(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    walk(folder, folder, &mut found);
    found.sort();
    found
}

fn walk(root: &Path, folder: &Path, found: &mut Vec<(String, Vec<u8>)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            walk(root, &path, found);
        } else {
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
            found.push((name, fs::read(&path).unwrap()));
        }
    }
}

/// Packs files as a zip below one top folder.
pub fn zip(path: &Path, top: &str, files: &[(String, Vec<u8>)]) {
    let mut writer = zip::ZipWriter::new(File::create(path).unwrap());
    let options = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
    for (name, bytes) in files {
        writer.start_file(format!("{top}/{name}"), options).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap();
}

/// Packs files as a tar.gz below one top folder.
pub fn tar_gz(path: &Path, top: &str, files: &[(String, Vec<u8>)]) {
    let gzip = flate2::write::GzEncoder::new(File::create(path).unwrap(), flate2::Compression::fast());
    let mut archive = tar::Builder::new(gzip);
    for (name, bytes) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, format!("{top}/{name}"), bytes.as_slice()).unwrap();
    }
    archive.into_inner().unwrap().finish().unwrap();
}
