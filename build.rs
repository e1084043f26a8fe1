//! Generates the table of rules and rule tests that the binary embeds, the literals of their patterns, the templates of known lines, and the phrases
//! of reports; names the commit.

#[path = "build/known_lines.rs"]
mod known_lines;
#[path = "build/literals.rs"]
mod literals;
#[path = "build/log/mod.rs"]
mod log;
#[path = "build/model/mod.rs"]
mod model;
#[path = "build/phrases.rs"]
mod phrases;
#[path = "build/revision.rs"]
mod revision;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

const PHRASES: &str = "src/report/lexicon/phrases.csv";
const COLLECTION: &str = "rules/version.yaml";

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").ok_or(io::ErrorKind::NotFound)?);
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?);
    let mut watched = Vec::new();
    let mut rules = files(&root, "rules", &mut watched)?;
    let streams: Vec<String> = rules.extract_if(.., |file| file == "rules/streams.yaml").collect();
    let upgrades: Vec<String> = rules.extract_if(.., |file| file == "rules/harvester-upgrades.yaml").collect();
    let ends: Vec<String> = rules.extract_if(.., |file| file == "rules/end-of-life.yaml").collect();
    let known: Vec<String> = rules.extract_if(.., |file| file.starts_with("rules/known-lines/")).collect();
    rules.retain(|file| file != COLLECTION);
    let tests = files(&root, "tests/rules", &mut watched)?;
    let mut table = String::new();
    let tables = [
        ("RULES", &rules),
        ("TESTS", &tests),
        ("STREAMS", &streams),
        ("UPGRADES", &upgrades),
        ("END_OF_LIFE", &ends),
        ("KNOWN_LINES", &known),
    ];
    for (name, list) in tables {
        write_table(&mut table, &root, name, list);
    }
    write_asides(&mut table, &root, &rules)?;
    write_collection(&mut table, &fs::read_to_string(root.join(COLLECTION))?, rules.len())?;
    write_known_lines(&mut table, &root, &known)?;
    fs::write(out.join("embedded.rs"), table)?;
    let texts = rules.iter().map(|file| fs::read_to_string(root.join(file))).collect::<io::Result<Vec<_>>>()?;
    fs::write(out.join("literals.txt"), literals::generate(&texts).map_err(io::Error::other)?)?;
    let items = phrases::generate(&fs::read_to_string(root.join(PHRASES))?);
    fs::write(out.join("phrases.rs"), items.map_err(|fault| io::Error::other(format!("{PHRASES}, {fault}")))?)?;
    watched.push(PHRASES.to_owned());
    let (commit, files) = revision::revision(&root);
    watched.extend(files);
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "cargo::rustc-env=GLEANER_BUILT_COMMIT={commit}")?;
    writeln!(stdout, "cargo::rustc-env=GLEANER_BUILT_TARGET={}", env::var("TARGET").unwrap_or_default())?;
    writeln!(stdout, "cargo::rerun-if-env-changed={}", revision::VARIABLE)?;
    for path in watched {
        writeln!(stdout, "cargo::rerun-if-changed={path}")?;
    }
    Ok(())
}

fn write_table(table: &mut String, root: &Path, name: &str, files: &[String]) {
    // Writing to a String cannot fail.
    let _ = writeln!(table, "static {name}: &[(&str, &str)] = &[");
    for file in files {
        let _ = writeln!(table, "    ({file:?}, include_str!({:?})),", root.join(file));
    }
    let _ = writeln!(table, "];");
}

/// Keys of a rule that a run can do without until the rule fires.
const ASIDE: [&str; 9] = ["basis", "i18n", "name", "title", "message", "impact", "cause", "remedy", "verify"];

/// Writes for each rule which parts of its file a run can do without: start and end of each.
fn write_asides(table: &mut String, root: &Path, rules: &[String]) -> io::Result<()> {
    // Writing to a String cannot fail.
    let _ = writeln!(table, "static ASIDES: &[&[(usize, usize)]] = &[");
    for file in rules {
        let _ = writeln!(table, "    &{:?},", asides(&fs::read_to_string(root.join(file))?));
    }
    let _ = writeln!(table, "];");
    Ok(())
}

/// Writes the index of the known lines.
fn write_known_lines(table: &mut String, root: &Path, files: &[String]) -> io::Result<()> {
    let read = |file: &String| Ok((file.clone(), fs::read_to_string(root.join(file))?));
    let files = files.iter().map(read).collect::<io::Result<Vec<_>>>()?;
    let index = known_lines::generate(&files).map_err(io::Error::other)?;
    // Writing to a String cannot fail.
    let _ = writeln!(table, "static SHIPPED: ShippedIndex = {index};");
    Ok(())
}

/// Writes name, version and number of the rules, so that `--version` reads no YAML. A unit test compares them with the file.
fn write_collection(table: &mut String, text: &str, rules: usize) -> io::Result<()> {
    let value = |key: &str| {
        let value = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(": "));
        value.ok_or_else(|| io::Error::other(format!("{COLLECTION} has no {key}")))
    };
    let (name, version, language) = (value("name")?, value("version")?, value("language")?);
    let built_in = format!("BuiltIn {{ name: {name:?}, version: {version:?}, language: {language}, rules: {rules} }}");
    // Writing to a String cannot fail.
    let _ = writeln!(
        table,
        "/// The collection of rules that the binary embeds.\npub const BUILT_IN: BuiltIn = {built_in};"
    );
    Ok(())
}

/// Returns the lines of the keys that a run can do without, and comments before a key.
fn asides(text: &str) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    let (mut at, mut key) = (0, "");
    for line in text.split_inclusive('\n') {
        let is_comment = line.starts_with('#');
        if line.starts_with(|c: char| c.is_ascii_lowercase()) {
            key = line.split(':').next().unwrap_or_default();
        }
        if is_comment || ASIDE.contains(&key) {
            match found.last_mut().filter(|last| last.1 == at) {
                Some(last) => last.1 += line.len(),
                None => found.push((at, at + line.len())),
            }
        }
        at += line.len();
    }
    found
}

/// Lists the YAML files of a folder, sorted, relative to the root with `/`; none if the folder does not exist.
fn files(root: &Path, folder: &str, watched: &mut Vec<String>) -> io::Result<Vec<String>> {
    let path = root.join(folder);
    if !path.is_dir() {
        return Ok(Vec::new());
    }
    watched.push(folder.to_owned());
    let mut names: Vec<String> = Vec::new();
    for entry in fs::read_dir(&path)? {
        names.extend(entry?.file_name().into_string().ok());
    }
    names.sort();
    let mut found = Vec::new();
    for name in names {
        let relative = format!("{folder}/{name}");
        if root.join(&relative).is_dir() {
            found.extend(files(root, &relative, watched)?);
        } else if name.ends_with(".yaml") {
            watched.push(relative.clone());
            found.push(relative);
        }
    }
    found.sort();
    Ok(found)
}
