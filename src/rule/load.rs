//! Gets rule files and rule tests: those embedded in the binary and those of folders.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use walkdir::WalkDir;

use crate::known_lines::{ShippedIndex, ShippedLine, ShippedLines};
use crate::model::RuleCollection;
use crate::model::known_line::KnownLine;
use crate::rule::collection::{self, CollectionError};
use crate::rule::error::Source;

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// Maximum size of a rule file.
pub const MAX_FILE: u64 = 1 << 20;

/// Maximum number of rule files of a folder.
const MAX_FILES: usize = 20_000;

/// Maximum depth of folders.
const MAX_DEPTH: usize = 16;

/// The file of log streams, relative to the root of a checkout.
const STREAMS_FILE: &str = "rules/streams.yaml";

/// The table of Harvester's upgrades, relative to the root of a checkout: no rule.
const UPGRADES_FILE: &str = "rules/harvester-upgrades.yaml";

/// The table of ends of life, relative to the root of a checkout: no rule.
const END_OF_LIFE_FILE: &str = "rules/end-of-life.yaml";

/// The file that names a collection of rules, relative to the root of a checkout: no rule.
const COLLECTION_FILE: &str = "rules/version.yaml";

/// Name of folders with known lines.
const KNOWN_LINES_FOLDER: &str = "known-lines";

/// What [`COLLECTION_FILE`] says of the embedded rules, and their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuiltIn {
    pub name: &'static str,
    pub version: &'static str,
    /// Version of the rule language that the rules need.
    pub language: u32,
    pub rules: usize,
}

/// Files as read, not yet understood.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Loaded {
    /// Rules, sorted by file.
    pub sources: Vec<Source>,
    /// Rule tests, sorted by file.
    pub tests: Vec<Source>,
    /// The description of the log streams.
    pub streams: Source,
    /// Known lines, sorted by file.
    pub known_lines: Vec<Source>,
    /// Collections that name themselves, in the order in which they replace each other.
    pub collections: Vec<RuleCollection>,
}

/// An error that stops rules from being loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    #[error("cannot read rules from {}: {cause}", path.display())]
    Unreadable { path: PathBuf, cause: io::Error },
    #[error("{} has no rules; they are files that end in .yaml", .0.display())]
    NoRules(PathBuf),
    #[error("{} is larger than {} KiB, the limit for rule files", .0.display(), MAX_FILE >> 10)]
    TooLarge(PathBuf),
    #[error("{} has more than {MAX_FILES} rule files", .0.display())]
    TooMany(PathBuf),
    #[error(transparent)]
    Collection(#[from] CollectionError),
    #[error("{} ends in .yml; rename it, because files of rules and tests must end in .yaml", .0.display())]
    Misnamed(PathBuf),
}

/// Returns the files that the binary embeds.
pub fn embedded() -> Loaded {
    Loaded { sources: sources_of(RULES), tests: sources_of(TESTS), ..embedded_besides_rules() }
}

/// Returns the built-in files that are neither rules nor tests.
fn embedded_besides_rules() -> Loaded {
    let BuiltIn { name, version, rules, .. } = BUILT_IN;
    Loaded {
        streams: sources_of(STREAMS).pop().unwrap_or_default(),
        known_lines: sources_of(KNOWN_LINES),
        collections: vec![RuleCollection { name: name.to_owned(), version: version.to_owned(), rules }],
        ..Loaded::default()
    }
}

/// Returns the built-in files as far as a run needs them: no rule tests, and of rules neither texts nor sources nor comments. These are two thirds
/// of all text that the program would read at its start; [`built_in_rule`] has them for the rules that fire.
fn embedded_to_run() -> Loaded {
    let read = |((file, text), asides): (&(&str, &str), &&[Aside])| Source {
        file: (*file).to_owned(),
        text: kept(text, asides).concat(),
    };
    let sources = RULES.iter().zip(ASIDES).map(read).collect();
    Loaded { sources, ..embedded_besides_rules() }
}

/// Start and end of a part of a rule file that a run may do without.
type Aside = (usize, usize);

/// Returns the parts of a rule file that a run needs.
fn kept<'t>(text: &'t str, asides: &[Aside]) -> Vec<&'t str> {
    let mut at = 0;
    let ends = asides.iter().copied().chain([(text.len(), text.len())]);
    ends.map(|(start, end)| text.get(std::mem::replace(&mut at, end)..start).unwrap_or_default()).collect()
}

fn sources_of(table: &[(&str, &str)]) -> Vec<Source> {
    table.iter().map(|(file, text)| Source { file: (*file).to_owned(), text: (*text).to_owned() }).collect()
}

/// Returns the table of Harvester's upgrades. It belongs to the program: folders do not replace it.
pub fn upgrades() -> &'static str {
    UPGRADES.first().map_or("", |(_, text)| text)
}

/// Returns the table of ends of life. It belongs to the program: folders do not replace it.
pub fn end_of_life() -> &'static str {
    END_OF_LIFE.first().map_or("", |(_, text)| text)
}

/// Returns the texts of the built-in rules: names that occur in them are no secrets.
pub fn published() -> String {
    let Loaded { sources, streams, .. } = embedded();
    let texts = sources.into_iter().chain([streams]).map(|source| source.text);
    texts.collect::<Vec<_>>().join("\n")
}

/// Returns whether the binary embeds exactly this file, or this is what a run needs of an embedded one.
pub fn embeds(source: &Source) -> bool {
    let find = |table: &[(&str, &str)]| table.binary_search_by(|(file, _)| (*file).cmp(source.file.as_str())).ok();
    if let Some(text) = find(KNOWN_LINES).and_then(|at| KNOWN_LINES.get(at)) {
        return text.1 == source.text;
    }
    let Some(at) = find(RULES) else { return false };
    let Some(((_, text), asides)) = RULES.get(at).zip(ASIDES.get(at)) else { return false };
    let rest = || kept(text, asides).iter().try_fold(source.text.as_str(), |rest, part| rest.strip_prefix(*part));
    *text == source.text || rest() == Some("")
}

/// Returns the built-in known lines of those `files` that are built in; `read` reads one of them.
pub fn shipped_lines(files: &[&Source], read: fn(&ShippedLine) -> Option<KnownLine>) -> ShippedLines {
    let used: BTreeSet<&str> = files.iter().map(|file| file.file.as_str()).collect();
    let left_out = KNOWN_LINES.iter().enumerate().filter(|(_, (file, _))| !used.contains(file));
    ShippedLines::new(&SHIPPED, left_out.map(|(number, _)| number).collect(), read)
}

/// Returns the text of a built-in known line.
pub fn shipped_entry(line: &ShippedLine) -> Option<&'static str> {
    let (start, end) = line.place;
    KNOWN_LINES.get(line.file)?.1.get(start..end)
}

/// Returns the whole text of a built-in rule.
pub fn built_in_rule(file: &str) -> Option<&'static str> {
    let at = RULES.binary_search_by(|(known, _)| (*known).cmp(file)).ok()?;
    RULES.get(at).map(|(_, text)| *text)
}

/// The rules to run: ours unless `defaults` is false, then the user's own; a rule of a later collection replaces an earlier one of the
/// same id.
pub fn together(own: Vec<Loaded>, defaults: bool) -> Loaded {
    followed_by(embedded(), own, defaults)
}

/// The same, with as much of the built-in files as a run needs.
pub fn together_to_run(own: Vec<Loaded>, defaults: bool) -> Loaded {
    followed_by(embedded_to_run(), own, defaults)
}

fn followed_by(mut loaded: Loaded, own: Vec<Loaded>, defaults: bool) -> Loaded {
    if !defaults {
        loaded.sources.clear();
        loaded.tests.clear();
        loaded.collections.clear();
    }
    own.into_iter().fold(loaded, Loaded::replaced_by)
}

/// The rules and tests of a folder: of one with `rules/` and `tests/rules/` in it (as in a
/// checkout), else every `.yaml` file below it. A single file is a rule.
///
/// # Errors
/// When it cannot be read or has no rules.
pub fn folder(path: &Path) -> Result<Loaded, LoadError> {
    let (rules, tests) = (path.join("rules"), path.join("tests/rules"));
    let at = |file: &str| display_path(&path.join(file));
    match rules.is_dir() {
        true => arranged(path, files(&rules)?, if tests.is_dir() { files(&tests)? } else { Vec::new() }, &at),
        false => arranged(path, files(path)?, Vec::new(), &at),
    }
}

/// Returns true for a file in an archive that [`archive`] needs.
pub fn is_rule_file(path: &str) -> bool {
    [".yaml", ".yml"].iter().any(|end| path.ends_with(end))
}

/// The rules and tests among the files of an archive, each with its path in it and content, sorted. Folders mean what they mean in
/// [`folder`], also below one folder of any name, as archives of releases have it.
///
/// # Errors
/// When one is no text, is too large or misnamed, or when there are no rules.
pub fn archive(path: &Path, files: Vec<(String, Vec<u8>)>) -> Result<Loaded, LoadError> {
    if files.len() > 2 * MAX_FILES {
        return Err(LoadError::TooMany(path.to_owned()));
    }
    let root = format!("{}!/", display_path(path));
    let top = top_folder(&files);
    let at = |file: &str| format!("{root}{top}{file}");
    let (rules, tests) = (at("rules/"), at("tests/rules/"));
    let packed = files.into_iter().map(|(file, bytes)| packed_file(&format!("{root}{file}"), bytes));
    let mut sources = packed.collect::<Result<Vec<Source>, LoadError>>()?;
    let mut of_tests = Vec::new();
    if sources.iter().any(|source| source.file.starts_with(&rules)) {
        of_tests = sources.extract_if(.., |source| source.file.starts_with(&tests)).collect();
        sources.retain(|source| source.file.starts_with(&rules));
    }
    arranged(path, sources, of_tests, &at)
}

/// Returns the folder, with `/`, around all files; empty if there is none, or if it is the folder of the rules itself.
fn top_folder(files: &[(String, Vec<u8>)]) -> String {
    let first = files.first().and_then(|(file, _)| file.split_once('/')).map(|(folder, _)| format!("{folder}/"));
    let is_top =
        |folder: &String| folder != "rules/" && files.iter().all(|(file, _)| file.starts_with(folder.as_str()));
    first.filter(is_top).unwrap_or_default()
}

fn packed_file(file: &str, bytes: Vec<u8>) -> Result<Source, LoadError> {
    if file.ends_with(".yml") {
        return Err(LoadError::Misnamed(file.into()));
    }
    source(Path::new(file), bytes)
}

/// Tells rules, log streams, tables and known lines of a collection apart; `at` names a file below its root.
fn arranged(
    path: &Path,
    mut sources: Vec<Source>,
    tests: Vec<Source>,
    at: &dyn Fn(&str) -> String,
) -> Result<Loaded, LoadError> {
    let mut take = |file: &str, alone: &str| {
        let names = [at(file), at(alone)];
        sources.extract_if(.., |source| names.contains(&source.file)).next()
    };
    let streams = take(STREAMS_FILE, "streams.yaml").unwrap_or_default();
    let collection = take(COLLECTION_FILE, "version.yaml");
    // These belong to the program: collections do not replace them.
    take(UPGRADES_FILE, "harvester-upgrades.yaml");
    take(END_OF_LIFE_FILE, "end-of-life.yaml");
    let known_lines: Vec<Source> = sources.extract_if(.., |source| has_known_lines(&source.file)).collect();
    let collection = collection.map(|source| collection::read(&source, sources.len())).transpose()?;
    if sources.is_empty() && known_lines.is_empty() {
        return Err(LoadError::NoRules(path.to_owned()));
    }
    Ok(Loaded { sources, tests, streams, known_lines, collections: collection.into_iter().collect() })
}

/// Returns true for a file below a folder of known lines.
fn has_known_lines(file: &str) -> bool {
    file.rsplit('/').skip(1).any(|folder| folder == KNOWN_LINES_FOLDER)
}

/// Path, time and size of a file, which change when it is written.
pub type Stamp = (PathBuf, Option<SystemTime>, u64);

/// When each file that [`folder`] would read was written last, and its size; a file that cannot be asked is left out.
pub fn stamps(path: &Path) -> Vec<Stamp> {
    let rules = path.join("rules");
    let roots = if rules.is_dir() { vec![rules, path.join("tests/rules")] } else { vec![path.to_owned()] };
    let walk = |root: &PathBuf| WalkDir::new(root).max_depth(MAX_DEPTH).follow_links(true).sort_by_file_name();
    let entries = roots.iter().flat_map(walk).filter_map(Result::ok).filter(|entry| entry.file_type().is_file());
    let stamp = |entry: walkdir::DirEntry| {
        let metadata = entry.metadata().ok()?;
        Some((entry.path().to_owned(), metadata.modified().ok(), metadata.len()))
    };
    entries.take(2 * MAX_FILES).filter_map(stamp).collect()
}

impl Loaded {
    /// These files, but for those of `other`.
    #[must_use]
    pub fn replaced_by(mut self, other: Self) -> Self {
        let ids: BTreeSet<String> = other.sources.iter().map(|source| source.stem().to_owned()).collect();
        self.sources.retain(|source| !ids.contains(source.stem()));
        // Tests of several rules are named after none of them.
        let tests: BTreeSet<String> = other.tests.iter().map(|test| test.stem().to_owned()).collect();
        self.tests.retain(|test| !ids.contains(test.stem()) && !tests.contains(test.stem()));
        self.sources.extend(other.sources);
        self.tests.extend(other.tests);
        let known: BTreeSet<String> = other.known_lines.iter().map(|lines| lines.stem().to_owned()).collect();
        self.known_lines.retain(|lines| !known.contains(lines.stem()));
        self.known_lines.extend(other.known_lines);
        if !other.streams.text.is_empty() {
            self.streams = other.streams;
        }
        self.collections.extend(other.collections);
        self
    }
}

/// Every `.yaml` file of a folder, or the one file. A `.yml` file is rejected, because its author expects it to
/// be read.
fn files(root: &Path) -> Result<Vec<Source>, LoadError> {
    let mut found = Vec::new();
    for entry in WalkDir::new(root).max_depth(MAX_DEPTH).follow_links(true).sort_by_file_name() {
        let entry = entry.map_err(|error| unwalkable(root, error))?;
        let ends = |wanted: &str| entry.path().extension().is_some_and(|extension| extension == wanted);
        if !entry.file_type().is_file() || !(entry.depth() == 0 || ends("yaml") || ends("yml")) {
            continue;
        }
        if ends("yml") {
            return Err(LoadError::Misnamed(entry.into_path()));
        }
        if found.len() == MAX_FILES {
            return Err(LoadError::TooMany(root.to_owned()));
        }
        found.push(read_file(entry.path())?);
    }
    found.sort_by(|a, b| a.file.cmp(&b.file));
    Ok(found)
}

fn read_file(path: &Path) -> Result<Source, LoadError> {
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|error| unreadable(path, error))?;
    // One byte more than allowed shows that a file is too large, whatever size its metadata states.
    file.take(MAX_FILE + 1).read_to_end(&mut bytes).map_err(|error| unreadable(path, error))?;
    source(path, bytes)
}

fn source(path: &Path, bytes: Vec<u8>) -> Result<Source, LoadError> {
    if bytes.len() as u64 > MAX_FILE {
        return Err(LoadError::TooLarge(path.to_owned()));
    }
    let text = String::from_utf8(bytes)
        .map_err(|error| unreadable(path, io::Error::new(io::ErrorKind::InvalidData, error)))?;
    Ok(Source { file: display_path(path), text })
}

fn unreadable(path: &Path, cause: io::Error) -> LoadError {
    LoadError::Unreadable { path: path.to_owned(), cause }
}

/// Links in a circle have no error of the system behind them.
fn unwalkable(root: &Path, error: walkdir::Error) -> LoadError {
    let path = error.path().unwrap_or(root).to_owned();
    let message = error.to_string();
    unreadable(&path, error.into_io_error().unwrap_or_else(|| io::Error::other(message)))
}

/// A path as messages show it: with `/`, without `./` at the beginning.
fn display_path(path: &Path) -> String {
    let text = path.to_string_lossy().replace('\\', "/");
    text.strip_prefix("./").unwrap_or(&text).to_owned()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn folder_of(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    fn names(sources: &[Source]) -> Vec<&str> {
        sources.iter().map(Source::stem).collect()
    }

    #[test]
    fn a_run_reads_the_rules_without_texts_and_sources() {
        let tree = |text: &str| -> serde_yaml::Mapping { serde_yaml::from_str(text).unwrap() };
        let (whole, to_run) = (embedded().sources, embedded_to_run().sources);
        assert_eq!(whole.len(), to_run.len());
        for (whole, to_run) in whole.iter().zip(to_run) {
            let mut wanted = tree(&whole.text);
            for key in ["basis", "i18n", "name", "title", "message", "impact", "cause", "remedy", "verify"] {
                wanted.remove(key);
            }
            assert_eq!(tree(&to_run.text), wanted, "{}", to_run.file);
            assert!(embeds(&to_run) && embeds(whole));
            assert_eq!(built_in_rule(&to_run.file), Some(whole.text.as_str()));
            assert!(!embeds(&Source { text: to_run.text.clone() + " ", ..to_run }));
        }
    }

    #[test]
    fn a_checkout_has_rules_tests_and_streams() {
        let files = [
            ("rules/b/y.yaml", "y"),
            ("rules/a/x.yaml", "x"),
            ("rules/streams.yaml", "s"),
            ("rules/known-lines/etcd.yaml", "k"),
            ("tests/rules/a/x.yaml", "t"),
        ];
        let checkout = folder_of(&files);
        let loaded = folder(checkout.path()).unwrap();
        assert_eq!((names(&loaded.sources), names(&loaded.known_lines)), (vec!["x", "y"], vec!["etcd"]));
        assert_eq!(names(&loaded.tests), ["x"]);
        assert_eq!(loaded.streams.text, "s");
        let rules_only = folder(&checkout.path().join("rules")).unwrap();
        assert_eq!((names(&rules_only.sources), rules_only.streams.text.as_str()), (vec!["x", "y"], "s"));
    }

    #[test]
    fn a_plain_folder_has_rules_only() {
        let plain = folder_of(&[("deep/x.yaml", "x"), ("notes.txt", "")]);
        assert_eq!(names(&folder(plain.path()).unwrap().sources), ["x"]);
        assert_eq!(names(&folder(&plain.path().join("deep/x.yaml")).unwrap().sources), ["x"]);
    }

    #[test]
    fn a_later_rule_replaces_an_earlier_one_and_its_tests() {
        let ours = Loaded {
            sources: vec![Source { file: "rules/a/x.yaml".into(), text: "old".into() }],
            tests: vec![Source { file: "tests/rules/a/x.yaml".into(), text: "old".into() }],
            streams: Source { file: STREAMS_FILE.into(), text: "streams".into() },
            ..Loaded::default()
        };
        let user = folder_of(&[("x.yaml", "new"), ("z.yaml", "z")]);
        let loaded = ours.replaced_by(folder(user.path()).unwrap());
        assert_eq!(names(&loaded.sources), ["x", "z"]);
        assert_eq!(loaded.sources[0].text, "new");
        assert!(loaded.tests.is_empty());
        assert_eq!(loaded.streams.text, "streams");
    }

    #[test]
    fn unreadable_rule_files_are_named() {
        let empty = folder_of(&[("x.txt", "")]);
        assert!(folder(empty.path()).unwrap_err().to_string().contains("has no rules"));
        for file in ["rules/deep/a.yml", "tests/rules/a.yml"] {
            let short = folder_of(&[("rules/x.yaml", "x"), (file, "")]);
            let message = folder(short.path()).unwrap_err().to_string();
            assert!(message.contains(file) && message.ends_with("must end in .yaml"), "{message}");
            assert!(folder(&short.path().join(file)).is_err());
        }
        let absent = folder(Path::new("/nowhere/at/all")).unwrap_err();
        let reason = io::Error::from_raw_os_error(2);
        assert_eq!(absent.to_string(), format!("cannot read rules from /nowhere/at/all: {reason}"));
        assert!(std::error::Error::source(&absent).is_none(), "the reason is message once");
        let large = folder_of(&[("x.yaml", &"#".repeat(MAX_FILE as usize + 1))]);
        assert!(folder(large.path()).unwrap_err().to_string().contains("larger than 1024 KiB"));
        let latin = tempfile::tempdir().unwrap();
        fs::write(latin.path().join("x.yaml"), b"id: \xff").unwrap();
        assert!(folder(latin.path()).unwrap_err().to_string().contains("invalid utf-8"));
    }

    #[test]
    fn the_embedded_collection_is_as_its_file_says() {
        let file = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(COLLECTION_FILE)).unwrap();
        let read: serde_yaml::Mapping = serde_yaml::from_str(&file).unwrap();
        let BuiltIn { name, version, language, rules } = BUILT_IN;
        assert_eq!((read["name"].as_str(), read["version"].as_str()), (Some(name), Some(version)));
        assert_eq!(read["language"].as_u64(), Some(language.into()));
        assert_eq!(rules, embedded().sources.len());
    }

    #[test]
    fn embedded_streams_are_valid() {
        let streams = crate::rule::Streams::parse(embedded().streams).unwrap();
        for name in ["etcd", "kernel", "longhorn-csi", "helm", "collector", "containers"] {
            assert!(streams.get(name).is_some(), "{name}");
        }
    }
}
