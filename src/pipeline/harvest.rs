//! The parallel pass over the entries of a bundle.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::Read;
use std::sync::{Arc, Mutex, PoisonError};

use super::pods::PodNames;
use crate::bundle::{Bundle, Entry, Kind, Layout, Role};
use crate::eval::{AbsentFile, BundleFile};
use crate::log::{Clock, LogSource, PatternSet, SourceHits};
use crate::model::{Issue, IssueKind, Origin, Progress};
use crate::resource::table::{self, read_table, said};
use crate::resource::{DumpObjects, DumpPlace, IndexBuilder, TypeName, read_objects};
use crate::rule::{Fact, FactKind, FileQuery, FileShape, RuleSet};
use crate::yaml::normalise::{Dialect, normalise};
use crate::yaml::{self, Document, Problem, go_structs, secret};

/// Files that rules ask for are kept up to this size.
const MAX_FILE: u64 = 16 << 20;

/// What the stages after reading need.
pub struct Harvest {
    pub builder: IndexBuilder,
    pub hits: Vec<SourceHits>,
    /// Sorted by path.
    pub files: Vec<BundleFile>,
    /// Files that rules ask for and that hold only a command's error, sorted by path.
    pub refused: Vec<AbsentFile>,
}

/// A pass with its troubles.
pub struct Pass {
    pub harvest: Harvest,
    pub issues: Vec<Issue>,
}

/// Small texts by entry.
pub struct Texts {
    /// Sorted by path.
    pub texts: Vec<(Arc<str>, Role, String)>,
    pub issues: Vec<Issue>,
}

#[derive(Default)]
struct Yield {
    dumps: Vec<DumpObjects>,
    hits: Vec<SourceHits>,
    files: Vec<BundleFile>,
    refused: Vec<AbsentFile>,
    issues: Vec<Issue>,
}

impl Yield {
    /// What was read in part, or not at all, must not count as read.
    fn mark(&mut self, bundle: &Bundle, failed: &[Issue]) {
        let by_entry = |issue: &Issue| Some((issue.origin.as_ref()?.entry.clone(), issue.message.clone()));
        let failed: BTreeMap<Arc<str>, String> = failed.iter().filter_map(by_entry).collect();
        for dump in &mut self.dumps {
            failed.get(dump.entry()).into_iter().for_each(|why| dump.incomplete(why.as_str()));
        }
        for hits in &mut self.hits {
            hits.complete &= !failed.contains_key(&hits.source.entry);
        }
        let seen: BTreeSet<Arc<str>> = self.dumps.iter().map(|dump| dump.entry().clone()).collect();
        let unread = bundle.entries().iter().map(|entry| (&entry.path, &entry.role, "could not be read"));
        let lost = bundle.lost().iter().map(|lost| (&lost.path, &lost.role, lost.why.as_str()));
        for (path, role, why) in unread.chain(lost).filter(|(path, ..)| !seen.contains(*path)) {
            if let Some(place) = dump_place(role) {
                self.dumps.push(DumpObjects::unreadable(path.clone(), Some(&place.borrowed()), why));
            }
        }
    }
}

/// Reads entries as texts, up to 16 MiB each.
pub fn texts(bundle: &Bundle, wanted: &(dyn Fn(&Entry) -> bool + Sync)) -> Texts {
    let texts = Mutex::new(Vec::new());
    let mut issues = bundle.read(wanted, &|entry, reader| {
        let (text, _) = text_of(reader);
        texts.lock().unwrap_or_else(PoisonError::into_inner).push((entry.path.clone(), entry.role.clone(), text));
    });
    issues.sort();
    let mut texts = texts.into_inner().unwrap_or_else(PoisonError::into_inner);
    texts.sort_by(|a, b| a.0.cmp(&b.0));
    Texts { texts, issues }
}

/// Reads dumps, scans logs, keeps files that rules ask for.
pub fn read(
    bundle: &Bundle,
    set: &RuleSet,
    patterns: &PatternSet,
    pods: &PodNames,
    clock: Clock,
    progress: &dyn Progress,
) -> Pass {
    let visitor = Visitor { patterns, pods, clock, bundle };
    let tasks = tasks(bundle, set, patterns, pods);
    progress.stage("reading", tasks.values().map(|task| task.size).sum());
    let found = Mutex::new(Yield::default());
    let failed = bundle.read(&|entry| tasks.contains_key(&*entry.path), &|entry, reader| {
        if let Some(task) = tasks.get(&*entry.path) {
            visitor.visit(entry, task, reader, &found);
        }
        progress.advance(entry.size, 1);
    });
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.mark(bundle, &failed);
    found.issues.extend(failed);
    found.files.sort_by(|a, b| a.path.cmp(&b.path));
    found.refused.sort_by(|a, b| a.logical.cmp(&b.logical));
    let mut builder = IndexBuilder::default();
    found.dumps.into_iter().for_each(|objects| builder.add(objects));
    bundle.cut().into_iter().for_each(|why| builder.cut(why));
    Pass {
        harvest: Harvest { builder, hits: found.hits, files: found.files, refused: found.refused },
        issues: found.issues,
    }
}

/// Why an entry is read; found once, because selectors and globs of all rules are tried for it.
struct Task {
    size: u64,
    /// How rules ask for it as a file.
    shapes: BTreeSet<FileShape>,
    /// The log that patterns are looked for in.
    source: Option<LogSource>,
}

/// The entries to be read, by path.
fn tasks<'b>(bundle: &'b Bundle, set: &RuleSet, patterns: &PatternSet, pods: &PodNames) -> HashMap<&'b str, Task> {
    let files = file_queries(set);
    let task = |entry: &Entry| Task {
        size: entry.size,
        shapes: shapes(&files, entry),
        source: pods.source(&entry.path, &entry.role).filter(|source| patterns.reads(source, &entry.logical)),
    };
    let tasks = bundle.entries().iter().map(|entry| (entry, task(entry)));
    let wanted = |entry: &Entry, task: &Task| {
        matches!(entry.role, Role::Dump { .. } | Role::Objects | Role::Table { .. })
            || task.source.is_some()
            || !task.shapes.is_empty()
    };
    tasks.filter(|(entry, task)| wanted(entry, task)).map(|(entry, task)| (&*entry.path, task)).collect()
}

fn file_queries(set: &RuleSet) -> Vec<&FileQuery> {
    let facts = set.rules.iter().flat_map(|rule| &rule.facts);
    let queries = facts.flat_map(Fact::kinds).filter_map(|kind| match kind {
        FactKind::File(query) => Some(query),
        _ => None,
    });
    queries.collect()
}

fn shapes(files: &[&FileQuery], entry: &Entry) -> BTreeSet<FileShape> {
    files.iter().filter(|query| query.path.is_match(entry.logical.as_ref())).map(|query| query.shape).collect()
}

fn dialect_of(layout: Option<Layout>) -> Dialect {
    match layout {
        Some(Layout::Kit | Layout::TrimmedKit) => Dialect::Kit,
        _ => Dialect::Plain,
    }
}

struct Visitor<'a> {
    patterns: &'a PatternSet,
    pods: &'a PodNames,
    clock: Clock,
    bundle: &'a Bundle,
}

impl Visitor<'_> {
    fn visit(&self, entry: &Entry, task: &Task, reader: &mut dyn Read, found: &Mutex<Yield>) {
        let mut mine = Yield::default();
        if !task.shapes.is_empty() {
            let (text, cut) = text_of(reader);
            if cut {
                mine.issues.push(issue(
                    entry,
                    IssueKind::Limit,
                    format!("only the first {MAX_FILE} bytes were read for rules"),
                ));
            }
            self.consume(entry, task, &mut text.as_bytes(), &mut mine);
            match self.refusal(entry, task, &text) {
                Some(refused) => mine.refused.push(refused),
                None => mine.files.push(self.file(entry, text, &task.shapes)),
            }
        } else {
            self.consume(entry, task, reader, &mut mine);
        }
        let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
        found.dumps.append(&mut mine.dumps);
        found.hits.append(&mut mine.hits);
        found.files.append(&mut mine.files);
        found.refused.append(&mut mine.refused);
        found.issues.append(&mut mine.issues);
    }

    fn consume(&self, entry: &Entry, task: &Task, reader: &mut dyn Read, mine: &mut Yield) {
        let place = dump_place(&entry.role);
        if place.is_some() || entry.role == Role::Objects {
            self.dump(entry, place.as_ref().map(Placed::borrowed).as_ref(), reader, mine);
        } else if let Some(source) = &task.source
            && let Some(scanner) = self.patterns.scanner(source, &entry.logical, self.clock)
        {
            mine.hits.push(scanner.max_line(self.bundle.limits().max_line).scan(reader));
        }
    }

    fn dump(&self, entry: &Entry, place: Option<&DumpPlace<'_>>, reader: &mut dyn Read, mine: &mut Yield) {
        let most = self.bundle.limits().max_document;
        if entry.size > most {
            let why = format!("larger than {most} bytes, which is more than a dump may have; not read");
            mine.dumps.push(DumpObjects::unreadable(entry.path.clone(), place, why.as_str()));
            return mine.issues.push(issue(entry, IssueKind::Limit, why));
        }
        let mut bytes = Vec::with_capacity(entry.size.min(64 << 20) as usize);
        // The reader of a bundle ends early instead of failing; the pass tells why.
        let _ = reader.read_to_end(&mut bytes);
        let path = entry.path.clone();
        mine.dumps.push(match &entry.role {
            Role::Table { word } => read_table(path, word, bytes, self.clock.now),
            _ if self.bundle.kind() == Kind::Rancher => match said_by_kubectl(&bytes) {
                Some(said) => DumpObjects::refused(path, place, &said),
                None => self.document(entry, place, bytes),
            },
            _ => self.document(entry, place, bytes),
        });
    }

    fn document(&self, entry: &Entry, place: Option<&DumpPlace<'_>>, bytes: Vec<u8>) -> DumpObjects {
        let (mut document, problems) = yaml::parse(bytes);
        if self.bundle.holds_go_structs(entry) {
            document = go_structs::fold(document);
        }
        normalise(&mut document, dialect_of(self.bundle.layout()));
        read_objects(entry.path.clone(), place, &Arc::new(document)).with_problems(&problems)
    }

    /// A collector on a host writes whatever its commands print, also when all they print is that they cannot.
    fn refusal(&self, entry: &Entry, task: &Task, text: &str) -> Option<AbsentFile> {
        let is_output = task.source.is_none() && matches!(entry.role, Role::NodeFile { .. } | Role::Metadata);
        if self.bundle.kind() != Kind::Rancher || !is_output || !said::is_all(text) {
            return None;
        }
        let said: String = said::refusal(text)?.chars().take(200).collect();
        let node = self.pods.node_of(self.bundle, &entry.role);
        Some(AbsentFile { logical: entry.logical.clone(), node, said: Some(said) })
    }

    fn file(&self, entry: &Entry, text: String, shapes: &BTreeSet<FileShape>) -> BundleFile {
        let node = self.pods.node_of(self.bundle, &entry.role);
        let data = shapes.iter().filter_map(|&shape| Some((shape, shaped(&text, shape)?))).collect();
        let text = secret::redact(&text).into();
        BundleFile { path: entry.path.clone(), logical: entry.logical.clone(), node, text, data }
    }
}

/// What kubectl wrote in place of a document, which a command's error output is.
fn said_by_kubectl(bytes: &[u8]) -> Option<String> {
    let head = bytes.get(..bytes.len().min(4096)).unwrap_or(bytes);
    said::refusal(&String::from_utf8_lossy(head)).map(str::to_owned)
}

/// The place that a role names, or that the word of a table means.
enum Placed<'r> {
    Dump(DumpPlace<'r>),
    Table(TypeName),
}

impl Placed<'_> {
    fn borrowed(&self) -> DumpPlace<'_> {
        match self {
            Self::Dump(place) => *place,
            Self::Table(name) => DumpPlace { namespace: None, group: &name.group, version: "", plural: &name.plural },
        }
    }
}

fn dump_place(role: &Role) -> Option<Placed<'_>> {
    match role {
        Role::Dump { namespace, group, version, plural } => {
            Some(Placed::Dump(DumpPlace { namespace: namespace.as_deref(), group, version, plural }))
        }
        Role::Table { word } => Some(Placed::Table(table::type_of(word))),
        _ => None,
    }
}

fn issue(entry: &Entry, kind: IssueKind, message: String) -> Issue {
    Issue::at(Origin::entry(entry.path.clone()), kind, message)
}

/// Problems of a document as issues of its entry.
pub fn problems(entry: &Arc<str>, problems: Vec<Problem>) -> impl Iterator<Item = Issue> {
    let entry = entry.clone();
    problems.into_iter().map(move |p| Issue::at(Origin::line(entry.clone(), p.line), IssueKind::Document, p.message))
}

/// The whole text of a reader, bounded, and whether it was cut. Invalid UTF-8 is replaced.
fn text_of(reader: &mut dyn Read) -> (String, bool) {
    let mut bytes = Vec::new();
    let _ = reader.take(MAX_FILE + 1).read_to_end(&mut bytes);
    let cut = bytes.len() as u64 > MAX_FILE;
    bytes.truncate(MAX_FILE as usize);
    let text = String::from_utf8(bytes).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned());
    (text, cut)
}

/// The data of a file that rules ask for as more than text.
fn shaped(text: &str, shape: FileShape) -> Option<Arc<Document>> {
    let mut document = match shape {
        FileShape::Text => return None,
        FileShape::Yaml | FileShape::Json => yaml::parse(text.as_bytes().to_vec()).0,
        FileShape::Ini => yaml::settings::ini(text.to_owned()),
        FileShape::Keys => yaml::settings::keys(text.to_owned()),
        FileShape::Table => yaml::grid::table(text.to_owned()),
    };
    normalise(&mut document, Dialect::Plain);
    Some(Arc::new(document))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::Limits;
    use crate::resource::Collected;

    fn index(limits: Limits) -> (crate::resource::ResourceIndex, Vec<Issue>) {
        let dump = |kind: &str, name: &str| {
            let item = format!("- {{apiVersion: v1, kind: {kind}, metadata: {{name: {name}}}}}");
            format!("apiVersion: v1\nkind: List\nitems:\n{item}\n")
        };
        let files = vec![
            ("yamls/cluster/v1/nodes.yaml".to_owned(), dump("Node", "n1").into_bytes()),
            (
                "yamls/cluster/v1/persistentvolumes.yaml".to_owned(),
                dump("PersistentVolume", &"x".repeat(300)).into_bytes(),
            ),
        ];
        let bundle = Bundle::from_memory("demo", files, limits);
        let pass =
            read(&bundle, &RuleSet::default(), &PatternSet::default(), &PodNames::default(), Clock::default(), &());
        (pass.harvest.builder.finish().0, pass.issues)
    }

    fn told(limits: Limits) -> (Collected, Collected, Vec<(IssueKind, String)>) {
        let (index, issues) = index(limits);
        let collected = |name: &str| index.collected(&TypeName::parse(name), None);
        let issues = issues.into_iter().map(|issue| (issue.kind, issue.message)).collect();
        (collected("nodes"), collected("persistentvolumes"), issues)
    }

    #[test]
    fn a_dump_that_is_too_large_is_not_read_and_counts_as_not_collected() {
        assert_eq!(told(Limits::default()), (Collected::Yes, Collected::Yes, Vec::new()));
        let (nodes, volumes, issues) = told(Limits { max_document: 200, ..Limits::default() });
        assert_eq!(nodes, Collected::Yes);
        assert_eq!(volumes, Collected::No("yamls/cluster/v1/persistentvolumes.yaml could not be read".to_owned()));
        let message = "larger than 200 bytes, which is more than a dump may have; not read".to_owned();
        assert_eq!(issues, [(IssueKind::Limit, message)]);
    }

    #[test]
    fn a_dump_beyond_the_budget_counts_as_not_collected() {
        let (nodes, volumes, _) = told(Limits { max_bytes: 200, ..Limits::default() });
        assert_eq!(nodes, Collected::Yes);
        assert_eq!(volumes, Collected::No("yamls/cluster/v1/persistentvolumes.yaml could not be read".to_owned()));
    }
}
