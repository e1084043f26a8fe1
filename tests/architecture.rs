//! Dependencies between modules: reads the imports of every source file and fails on one that
//! ARCHITECTURE.md does not allow, and on an outside crate that is used outside its modules.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "tests fail loudly"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Module, and the modules of this crate that it may use.
const ARROWS: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("baseline", &["model"]),
    ("bundle", &["model"]),
    ("yaml", &["model"]),
    ("resource", &["model", "yaml"]),
    ("log", &["model"]),
    ("certificate", &["model"]),
    ("expr", &["model", "certificate", "yaml", "resource", "log"]),
    ("api_fields", &[]),
    ("known_lines", &["model", "log"]),
    ("rule", &["api_fields", "known_lines", "model", "yaml", "resource::types", "resource::ResourceId", "expr", "log"]),
    ("dependency", &["model", "yaml", "resource"]),
    ("eval", &["model", "yaml", "resource", "log", "expr", "rule", "dependency"]),
    ("inventory", &["model", "certificate", "yaml", "resource", "log"]),
    ("health", &["model", "yaml", "resource", "expr", "inventory", "known_lines", "dependency"]),
    ("diff", &["model", "yaml", "resource", "expr", "health"]),
    ("unexplained", &["model", "yaml", "log", "known_lines"]),
    ("upgrade", &["model", "yaml", "resource", "inventory", "rule::UpgradeTable", "rule::upgrades"]),
    (
        "pipeline",
        &[
            "model",
            "bundle",
            "yaml",
            "resource",
            "log",
            "expr",
            "known_lines",
            "rule",
            "eval",
            "inventory",
            "health",
            "unexplained",
            "upgrade",
        ],
    ),
    ("cre", &["yaml", "log::Filter", "log::validate", "rule::Source"]),
    ("verify", &["model", "bundle", "yaml", "resource::types", "log::SourceGlob", "expr", "rule", "pipeline"]),
    ("redact", &["model"]),
    (
        "sample",
        &[
            "model",
            "bundle",
            "yaml",
            "resource::payload",
            "resource::ResourceIndex",
            "rule",
            "pipeline",
            "verify",
            "redact",
        ],
    ),
    ("draft", &["model", "bundle", "yaml", "resource", "log", "rule", "eval::Input", "pipeline", "verify", "sample"]),
    (
        "explore",
        &[
            "model",
            "bundle",
            "yaml",
            "resource",
            "log",
            "expr",
            "rule",
            "eval::Input",
            "inventory",
            "pipeline",
            "redact",
        ],
    ),
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
            "draft",
            "diff",
            "explore",
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
    ("zstd", &["api_fields", "bundle"]),
    ("flate2", &["bundle", "model", "resource", "expr", "verify", "sample"]),
    ("libdeflater", &["bundle"]),
    ("walkdir", &["bundle", "rule", "triage"]),
    ("granit_parser", &["yaml"]),
    ("serde_yaml", &["rule", "verify", "sample", "draft"]),
    ("globset", &["model", "verify", "triage"]),
    ("regex", &["model", "log", "expr", "explore", "redact", "rule", "draft", "triage"]),
    ("aho_corasick", &["model", "log"]),
    ("jaq_core", &["log"]),
    ("psl", &["redact"]),
    ("rayon", &["bundle", "pipeline", "eval", "health", "verify", "rule", "cli", "triage"]),
    ("minijinja", &["rule", "report"]),
    ("base64", &["explore", "model", "resource", "verify", "sample", "redact", "report"]),
    ("sha2", &["bundle", "cli", "expr", "eval", "redact", "report", "triage"]),
    ("x509_cert", &["certificate"]),
    ("annotate_snippets", &["rule"]),
    ("csv", &["triage"]),
    ("rusqlite", &["triage"]),
    ("parquet", &["triage"]),
    ("object_store", &["triage"]),
    ("hyper", &["cli"]),
    ("hyper_util", &["cli"]),
    ("getrandom", &["cli"]),
    ("tokio", &["cli", "triage"]),
    ("tempfile", &["cli", "triage"]),
    ("clap", &["cli"]),
    ("clap_complete", &["cli"]),
    ("clap_mangen", &["cli"]),
    ("anyhow", &["cli"]),
    ("indicatif", &["cli"]),
    ("terminal_size", &["cli"]),
    ("anstream", &["cli", "report"]),
];

/// Modules that may access files; all others get bytes.
const FILES: &[&str] = &["bundle", "rule", "cli", "atomic_file", "triage"];

struct SourceFile {
    path: PathBuf,
    module: String,
    /// Returns the code without comments and without the tests at its end.
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
            if !["lib", "main", "internals"].contains(&module.as_str()) {
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
    let code = match text.find("\n#[cfg(test)]\nmod tests {") {
        Some(end) => &text[..end],
        None => text,
    };
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
fn the_program_does_not_depend_on_the_fixtures() {
    let manifest = fs::read_to_string("Cargo.toml").unwrap();
    let (shipped, _) = manifest.split_once("[dev-dependencies]").unwrap();
    assert!(!shipped.contains("gleaner-fixtures"));
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

/// Returns true if the code names a path of the outside crate (`zip::ZipArchive`), not a module of this crate with that
/// name.
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

/// Modules whose files may still form circles, the maximum number of these files, and the reason. Lower the number with
/// each circle that is removed.
const CIRCLES: &[(&str, usize, &str)] =
    &[("bundle", 4, "a pass plans its work with its own state; an entry's record opens the reader that expands it")];

/// Use statements and paths of one file, by which it depends on other files.
struct Names {
    /// Name in the file, the path that it refers to, and true for a re-export.
    imports: Vec<(String, Vec<String>, bool)>,
    /// Modules that it re-exports all of.
    globs: Vec<Vec<String>>,
    /// Code without the use statements.
    body: String,
}

/// Path of the module that a file is: `src/log/scan/pass.rs` is `log::scan::pass`.
fn module_path(path: &Path) -> Vec<String> {
    let mut parts: Vec<String> = path.iter().skip(1).map(|part| part.to_string_lossy().into_owned()).collect();
    let last = parts.pop().unwrap();
    if last != "mod.rs" {
        parts.push(last.trim_end_matches(".rs").to_owned());
    }
    parts
}

fn names(code: &str) -> Names {
    let mut names = Names { imports: Vec::new(), globs: Vec::new(), body: String::new() };
    let mut rest = code;
    while let Some((before, visibility, tree, after)) = next_use(rest) {
        names.body.push_str(before);
        for leaf in leaves(tree) {
            let (path, name) = leaf.split_once(" as ").unwrap_or((&leaf, ""));
            let mut path: Vec<String> = path.split("::").map(|part| part.trim().to_owned()).collect();
            if path.last().is_some_and(|last| last == "self") && path.len() > 1 {
                path.pop();
            }
            let last = path.last().cloned().unwrap_or_default();
            if last == "*" {
                path.pop();
                names.globs.push(path);
            } else {
                let name = if name.is_empty() { last } else { name.trim().to_owned() };
                names.imports.push((name, path, visibility));
            }
        }
        rest = after;
    }
    names.body.push_str(rest);
    names
}

/// Code before the next use statement, whether that is a re-export, its tree, and the code after it.
fn next_use(code: &str) -> Option<(&str, bool, &str, &str)> {
    let mut from = 0;
    loop {
        let at = from + code[from..].find("use ")?;
        let line = code[..at].rfind('\n').map_or(0, |end| end + 1);
        let before = code[line..at].trim();
        if before.is_empty() || (before.starts_with("pub") && !before.contains(['"', '='])) {
            let end = at + code[at..].find(';')?;
            return Some((&code[..line], !before.is_empty(), &code[at + "use ".len()..end], &code[end + 1..]));
        }
        from = at + 1;
    }
}

/// Opens the groups of a use tree: `a::{b, c::{d, e}}` gives `a::b`, `a::c::d` and `a::c::e`.
fn leaves(tree: &str) -> Vec<String> {
    let tree = tree.trim();
    let Some((prefix, group)) = tree.split_once('{') else { return vec![tree.to_owned()] };
    let group = &group[..group.rfind('}').unwrap_or(group.len())];
    let (mut depth, mut start, mut found) = (0, 0, Vec::new());
    for (at, c) in group.char_indices().chain([(group.len(), ',')]) {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                found.extend(leaves(&group[start..at]).into_iter().map(|leaf| format!("{prefix}{leaf}")));
                start = at + 1;
            }
            _ => {}
        }
    }
    found.retain(|leaf| !leaf.ends_with("::"));
    found
}

/// Paths of at least two parts in code: `super::a::B`, `a::b`.
fn paths_in(body: &str) -> BTreeSet<Vec<String>> {
    let part = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let paths = body.split(|c| !part(c)).map(|path| path.trim_matches(':')).filter(|path| path.contains("::"));
    paths.map(|path| path.split("::").map(str::to_owned).collect()).collect()
}

/// All files of `src` with their names, to find the file that defines what a path names.
struct Crate {
    files: BTreeMap<Vec<String>, Names>,
}

impl Crate {
    fn new() -> Self {
        let files = source_files().into_iter().map(|file| (module_path(&file.path), names(&file.code))).collect();
        Self { files }
    }

    /// The file that defines what a path in the file `from` names, followed through re-exports, and whether
    /// the path names the file as a module. None for other crates, local names and generic parameters.
    fn definition(&self, from: &[String], path: &[String], depth: usize) -> Option<(Vec<String>, bool)> {
        if depth > 20 {
            return None;
        }
        let (first, rest) = path.split_first()?;
        let start = match first.as_str() {
            "crate" => Vec::new(),
            "self" => from.to_vec(),
            "super" => from[..from.len().checked_sub(1)?].to_vec(),
            name => self.member(from, name, depth)?,
        };
        self.walk(start, rest, depth)
    }

    fn walk(&self, mut at: Vec<String>, path: &[String], depth: usize) -> Option<(Vec<String>, bool)> {
        for (index, name) in path.iter().enumerate() {
            if name == "super" {
                at.pop();
                continue;
            }
            let child = [at.as_slice(), std::slice::from_ref(name)].concat();
            if self.is_module(&child) {
                at = child;
                continue;
            }
            let names = self.files.get(&at)?;
            if let Some((_, target, _)) = names.imports.iter().find(|(known, _, _)| known == name) {
                let (target, is_module) = self.definition(&at, target, depth + 1)?;
                return if is_module {
                    self.walk(target, &path[index + 1..], depth + 1)
                } else {
                    Some((target, false))
                };
            }
            let mut globs = names.globs.iter().filter_map(|glob| self.definition(&at, glob, depth + 1));
            let found =
                globs.find(|(module, _)| self.files.get(module).is_some_and(|names| defines(&names.body, name)));
            return Some((found.map_or(at.clone(), |(module, _)| module), false));
        }
        Some((at, true))
    }

    /// Returns the module that a name at the beginning of a path refers to in a file: a child or an imported module.
    fn member(&self, from: &[String], name: &str, depth: usize) -> Option<Vec<String>> {
        let child = [from, &[name.to_owned()]].concat();
        if self.is_module(&child) {
            return Some(child);
        }
        let names = self.files.get(from)?;
        let (_, target, _) = names.imports.iter().find(|(known, path, _)| known == name && path.len() > 1)?;
        let (target, is_module) = self.definition(from, target, depth + 1)?;
        is_module.then_some(target)
    }

    fn is_module(&self, path: &[String]) -> bool {
        self.files.contains_key(path)
            || self.files.keys().any(|known| known.starts_with(path) && known.len() > path.len())
    }

    /// Files of the same module that a file depends on.
    ///
    /// What a file imports or names by a path counts as a dependency on the file that defines it. A re-export is no
    /// dependency of the file that contains it unless that file uses the name itself.
    fn dependencies(&self, file: &[String]) -> BTreeSet<Vec<String>> {
        let names = &self.files[file];
        let words: BTreeSet<&str> = names.body.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        let imports = names.imports.iter().filter(|(name, _, public)| !public || words.contains(name.as_str()));
        let imported = imports.filter_map(|(_, path, _)| self.definition(file, path, 0)).filter(|(_, module)| !module);
        let named = paths_in(&names.body).into_iter().filter_map(|path| self.definition(file, &path, 0));
        let all = imported.chain(named).map(|(found, _)| found);
        all.filter(|found| found.first() == file.first() && found != file && self.files.contains_key(found)).collect()
    }
}

fn defines(body: &str, name: &str) -> bool {
    ["struct", "enum", "fn", "type", "const", "static", "trait", "mod", "union", "macro_rules!"].iter().any(|kind| {
        body.match_indices(&format!("{kind} {name}"))
            .any(|(at, found)| body[at + found.len()..].chars().next().is_none_or(|c| !c.is_alphanumeric() && c != '_'))
    })
}

/// Groups of files that reach each other.
fn circles(edges: &BTreeMap<Vec<String>, BTreeSet<Vec<String>>>) -> Vec<BTreeSet<Vec<String>>> {
    let reached = |from: &Vec<String>| {
        let (mut seen, mut waiting) = (BTreeSet::new(), vec![from]);
        while let Some(file) = waiting.pop() {
            waiting.extend(edges.get(file).into_iter().flatten().filter(|next| seen.insert((*next).clone())));
        }
        seen
    };
    let reach: BTreeMap<&Vec<String>, BTreeSet<Vec<String>>> = edges.keys().map(|file| (file, reached(file))).collect();
    let circle = |file: &Vec<String>| -> BTreeSet<Vec<String>> {
        reach[file].iter().filter(|other| reach.get(other).is_some_and(|back| back.contains(file))).cloned().collect()
    };
    let all: BTreeSet<BTreeSet<Vec<String>>> = edges.keys().map(circle).filter(|circle| !circle.is_empty()).collect();
    all.into_iter().collect()
}

#[test]
fn files_of_a_module_form_no_circles() {
    let all = Crate::new();
    let edges: BTreeMap<_, _> = all.files.keys().map(|file| (file.clone(), all.dependencies(file))).collect();
    let mut found: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for circle in circles(&edges) {
        let module = circle.iter().next().unwrap()[0].clone();
        let (files, text) = found.entry(module).or_default();
        *files += circle.len();
        for file in &circle {
            let used: Vec<String> = edges[file].intersection(&circle).map(|used| used.join("::")).collect();
            text.push_str(&format!("    {} -> {}\n", file.join("::"), used.join(", ")));
        }
        text.push('\n');
    }
    // For who removes some: `cargo test --test architecture circles -- --nocapture`.
    found.iter().for_each(|(module, (files, text))| println!("{module}: {files} files in circles\n{text}"));
    let allowed = |module: &str| CIRCLES.iter().find(|(name, ..)| *name == module).map_or(0, |(_, files, _)| *files);
    let wrong: Vec<String> = found
        .iter()
        .filter(|(module, (files, _))| *files > allowed(module))
        .map(|(module, (files, text))| {
            format!("{module}: {files} files in circles, {} allowed\n{text}", allowed(module))
        })
        .collect();
    assert!(wrong.is_empty(), "move what both sides use into a file of its own:\n{}", wrong.join("\n"));
}
