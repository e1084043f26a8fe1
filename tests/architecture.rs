//! Who may depend on whom: reads the imports of every source file and fails on an arrow that
//! ARCHITECTURE.md does not allow, and on an outside crate that has left its room.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "tests fail loudly"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Module and the modules of ours that it may use.
const ARROWS: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("baseline", &["model"]),
    ("bundle", &["model"]),
    ("yaml", &["model"]),
    ("resource", &["model", "yaml"]),
    ("log", &["model"]),
    ("certificate", &["model"]),
    ("expr", &["model", "certificate", "yaml", "resource", "log"]),
    ("rule", &["model", "yaml", "resource::types", "resource::ResourceId", "expr", "log"]),
    ("eval", &["model", "yaml", "resource", "log", "expr", "rule"]),
    ("survey", &["model", "certificate", "yaml", "resource", "log"]),
    ("diff", &["model", "yaml", "resource", "expr", "survey"]),
    ("pipeline", &["model", "bundle", "yaml", "resource", "log", "expr", "rule", "eval", "survey"]),
    ("cre", &["yaml", "log::Filter", "log::validate", "rule::Source"]),
    ("verify", &["model", "bundle", "yaml", "resource::types", "log::SourceGlob", "expr", "rule", "pipeline"]),
    ("redact", &["model"]),
    ("sample", &["model", "bundle", "yaml", "resource::payload", "rule", "pipeline", "verify", "redact"]),
    ("report", &["model"]),
    ("atomic_file", &[]),
    ("triage", &["model", "bundle", "rule", "pipeline", "report", "atomic_file"]),
    (
        "cli",
        &[
            "model",
            "baseline",
            "bundle",
            "rule",
            "pipeline",
            "verify",
            "cre",
            "redact",
            "sample",
            "diff",
            "report",
            "atomic_file",
            "triage",
        ],
    ),
];

/// Outside crate and the modules that may name it.
const ROOMS: &[(&str, &[&str])] = &[
    ("zip", &["bundle"]),
    ("tar", &["bundle"]),
    ("liblzma", &["bundle"]),
    ("bzip2", &["bundle"]),
    ("zstd", &["bundle"]),
    ("flate2", &["bundle", "resource", "expr", "verify", "sample"]),
    ("libdeflater", &["bundle"]),
    ("walkdir", &["bundle", "rule", "triage"]),
    ("granit_parser", &["yaml"]),
    ("serde_yaml", &["rule", "verify", "sample"]),
    ("cel", &["expr"]),
    ("globset", &["model", "verify"]),
    ("regex", &["log", "expr", "redact", "rule"]),
    ("aho_corasick", &["log"]),
    ("jaq_core", &["log"]),
    ("rayon", &["bundle", "pipeline", "eval", "verify", "rule", "cli", "triage"]),
    ("minijinja", &["rule", "report"]),
    ("base64", &["model", "resource", "verify", "sample", "report"]),
    ("sha2", &["bundle", "expr", "eval", "redact", "report", "triage"]),
    ("x509_cert", &["certificate"]),
    ("annotate_snippets", &["rule"]),
    ("rusqlite", &["triage"]),
    ("parquet", &["triage"]),
    ("object_store", &["triage"]),
    ("tokio", &["triage"]),
    ("tempfile", &["triage"]),
    ("clap", &["cli"]),
    ("anyhow", &["cli"]),
    ("indicatif", &["cli"]),
    ("terminal_size", &["cli"]),
    ("anstream", &["cli", "report"]),
];

/// Modules that may touch files; everyone else gets bytes.
const FILES: &[&str] = &["bundle", "rule", "cli", "atomic_file", "triage"];

struct SourceFile {
    path: PathBuf,
    module: String,
    /// Without comments and without the tests at its end.
    code: String,
}

fn source_files() -> Vec<SourceFile> {
    let mut files = Vec::new();
    collect(Path::new("src"), &mut files);
    let of_tests: BTreeSet<PathBuf> = files.iter().flat_map(test_modules).collect();
    files.retain(|file| !of_tests.contains(&file.path));
    assert!(files.len() > 30, "found only {} source files", files.len());
    files
}

fn collect(folder: &Path, files: &mut Vec<SourceFile>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            collect(&path, files);
        } else if name.ends_with(".rs") && name != "tests.rs" && !path.components().any(|c| c.as_os_str() == "tests") {
            let module =
                path.components().nth(1).unwrap().as_os_str().to_string_lossy().trim_end_matches(".rs").to_owned();
            if module != "lib" && module != "main" {
                let code = without_tests_and_comments(&fs::read_to_string(&path).unwrap());
                files.push(SourceFile { path, module, code });
            }
        }
    }
}

/// Files that the file declares as modules for tests only.
fn test_modules(file: &SourceFile) -> Vec<PathBuf> {
    let text = fs::read_to_string(&file.path).unwrap();
    let folder = file.path.parent().unwrap();
    let declared = text.split("#[cfg(test)]").skip(1).filter_map(|after| {
        let line = after.trim_start().lines().next()?;
        let (_, name) = line.split_once("mod ")?;
        name.strip_suffix(';')
    });
    declared.map(|name| folder.join(format!("{name}.rs"))).collect()
}

fn without_tests_and_comments(text: &str) -> String {
    let code = text.split("\n#[cfg(test)]\nmod ").next().unwrap_or(text);
    code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// Paths below `crate::` that the code names, groups opened: `crate::{a::b, c}` gives `a::b` and `c`.
fn crate_paths(code: &str) -> BTreeSet<String> {
    let mut paths = BTreeSet::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        if let Some(group) = rest.strip_prefix('{') {
            let end = group.find("};").unwrap_or(group.len());
            let mut depth = 0;
            let mut start = 0;
            for (i, c) in group[..end].char_indices().chain([(end, ',')]) {
                match c {
                    '{' => depth += 1,
                    '}' => depth -= 1,
                    ',' if depth == 0 => {
                        paths.insert(group[start..i].trim().to_owned());
                        start = i + 1;
                    }
                    _ => {}
                }
            }
        } else {
            let path: String = rest.chars().take_while(|c| c.is_alphanumeric() || "_:{".contains(*c)).collect();
            paths.insert(path);
        }
    }
    paths.retain(|path| !path.is_empty());
    paths
}

fn allows(allowed: &[&str], path: &str) -> bool {
    allowed.iter().any(|a| {
        path.strip_prefix(a).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
            // `resource::{types, ...}` is read from its first part; be strict about what it opens.
            || path.starts_with(&format!("{a}::"))
    })
}

#[test]
fn modules_depend_one_way_only() {
    let mut wrong = Vec::new();
    for file in source_files() {
        let Some((_, allowed)) = ARROWS.iter().find(|(module, _)| *module == file.module) else {
            panic!("{}: module {} is not in the table of arrows", file.path.display(), file.module);
        };
        for path in crate_paths(&file.code) {
            let own = path.split("::").next() == Some(file.module.as_str());
            if !own && !allows(allowed, &path) {
                wrong.push(format!("{}: {} may not use crate::{path}", file.path.display(), file.module));
            }
        }
    }
    assert!(wrong.is_empty(), "arrows that are not allowed:\n{}", wrong.join("\n"));
}

#[test]
fn the_fixtures_do_not_depend_on_the_program() {
    let manifest = fs::read_to_string("fixtures/Cargo.toml").unwrap();
    assert!(!manifest.lines().any(|line| line.starts_with("gleaner ") || line.starts_with("gleaner=")));
}

#[test]
fn the_table_of_arrows_has_no_cycle() {
    let mut done: BTreeSet<&str> = BTreeSet::new();
    let mut left: Vec<_> = ARROWS.to_vec();
    while !left.is_empty() {
        let before = left.len();
        left.retain(|(module, uses)| {
            let ready = uses.iter().all(|u| done.contains(u.split("::").next().unwrap()));
            if ready {
                done.insert(module);
            }
            !ready
        });
        assert!(left.len() < before, "cycle among {:?}", left.iter().map(|(m, _)| m).collect::<Vec<_>>());
    }
}

#[test]
fn outside_crates_stay_in_their_rooms() {
    let mut wrong = Vec::new();
    for file in source_files() {
        for (name, rooms) in ROOMS {
            let named = file.code.contains(&format!("use {name}::")) || names_path(&file.code, name);
            if named && !rooms.contains(&file.module.as_str()) {
                wrong.push(format!("{}: {name} belongs to {rooms:?}", file.path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Whether the code names a path of the crate itself (`zip::ZipArchive`), not a module of ours of that name.
fn names_path(code: &str, name: &str) -> bool {
    code.match_indices(&format!("{name}::")).any(|(at, _)| {
        let before = code[..at].chars().next_back();
        let ours =
            ["mod ", "pub use ", "pub(crate) use ", "pub(super) use ", "use "].iter().any(|p| code[..at].ends_with(p));
        !ours && before.is_some_and(|c| c == '(' || c == '<' || c == ' ' || c == '&') && !declares(code, name)
    })
}

fn declares(code: &str, name: &str) -> bool {
    code.contains(&format!("mod {name};"))
        || code.contains(&format!("super::{name}"))
        || code.contains(&format!("super::{{{name}"))
}

#[test]
fn only_the_edges_touch_files() {
    let mut wrong = Vec::new();
    for file in source_files() {
        let touches = ["std::fs", "File::open", "File::create", "fs::read"].iter().any(|word| file.code.contains(word));
        if touches && !FILES.contains(&file.module.as_str()) {
            wrong.push(file.path.display().to_string());
        }
    }
    assert!(wrong.is_empty(), "files that should get bytes instead of opening files: {wrong:?}");
}

#[test]
fn every_file_says_what_it_is_for() {
    let mut files = Vec::new();
    collect(Path::new("src"), &mut files);
    collect(Path::new("fixtures/src"), &mut files);
    let silent: Vec<_> =
        files.iter().filter(|f| !fs::read_to_string(&f.path).unwrap().starts_with("//!")).map(|f| &f.path).collect();
    assert!(silent.is_empty(), "files without a `//!` header: {silent:?}");
}
