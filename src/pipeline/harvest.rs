//! The parallel pass over the entries of a bundle.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::Read;
use std::sync::{Arc, Mutex, PoisonError};

use super::pods::{Log, PodNames};
use super::sections::{Part, Sections};
use crate::bundle::{Bundle, Entry, Kind, Layout, Role, Summary};
use crate::eval::{AbsentFile, BundleFile};
use crate::log::{Clock, PatternSet, SourceHits};
use crate::model::{Issue, IssueKind, Origin, Progress, encoding};
use crate::resource::content::{self, Shape};
use crate::resource::describe::read_described;
use crate::resource::summary::{read_releases, read_values};
use crate::resource::table::api::Context;
use crate::resource::table::{self, read_table, said};
use crate::resource::{DumpObjects, DumpPlace, IndexBuilder, TypeName};
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
    fn append(&mut self, mut other: Self) {
        self.dumps.append(&mut other.dumps);
        self.hits.append(&mut other.hits);
        self.files.append(&mut other.files);
        self.refused.append(&mut other.refused);
        self.issues.append(&mut other.issues);
    }

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
        let text = text_of(bytes_of(reader).0);
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
    (patterns, clock): (&PatternSet, Clock),
    pods: &PodNames,
    sections: &Sections,
    progress: &dyn Progress,
) -> Pass {
    let is_events = |entry: &Entry| matches!(&entry.role, Role::Table { word } if word == "events");
    let no_events = !bundle.entries().iter().any(is_events);
    let visitor = Visitor { patterns, pods, clock, bundle, no_events };
    let tasks = tasks(bundle, set, patterns, pods, sections);
    progress.stage("reading", tasks.values().map(|(entry, _)| entry.size).sum());
    let found = Mutex::new(Yield::default());
    let failed = bundle.read(&|entry| tasks.contains_key(&*entry.path), &|entry, reader| {
        if let Some((_, tasks)) = tasks.get(&*entry.path) {
            let mine = visitor.visit(tasks, reader);
            found.lock().unwrap_or_else(PoisonError::into_inner).append(mine);
        }
        progress.advance(entry.size, 1);
    });
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.mark(bundle, &failed);
    found.issues.extend(failed);
    found.files.sort_by(|a, b| (&a.path, &a.logical).cmp(&(&b.path, &b.logical)));
    found.refused.sort_by(|a, b| a.logical.cmp(&b.logical));
    let mut builder = IndexBuilder::default();
    found.dumps.into_iter().for_each(|objects| builder.add(objects));
    bundle.cut().into_iter().for_each(|why| builder.cut(why));
    Pass {
        harvest: Harvest { builder, hits: found.hits, files: found.files, refused: found.refused },
        issues: found.issues,
    }
}

/// Why a part is read; found once, because selectors and globs of all rules are tried for it.
struct Task<'b> {
    part: Part<'b>,
    /// How rules ask for it as a file.
    shapes: BTreeSet<FileShape>,
    /// The logs that patterns are looked for in, in their order.
    logs: Vec<Log>,
}

impl Task<'_> {
    fn is_any(&self) -> bool {
        may_hold_objects(self.part.role) || !self.logs.is_empty() || !self.shapes.is_empty()
    }
}

/// The entries to be read, by path, with what is to be read of them.
fn tasks<'b>(
    bundle: &'b Bundle,
    set: &RuleSet,
    patterns: &PatternSet,
    pods: &PodNames,
    sections: &'b Sections,
) -> HashMap<&'b str, (&'b Entry, Vec<Task<'b>>)> {
    let files = file_queries(set);
    let logs = |part: &Part<'b>| {
        let mut logs = pods.logs(part.path, part.role);
        logs.retain(|log| patterns.reads(&log.source, part.logical));
        logs
    };
    let task = |part: Part<'b>| Task { shapes: shapes(&files, part.logical), logs: logs(&part), part };
    let of_entry = |entry: &'b Entry| sections.parts(entry).map(task).filter(Task::is_any).collect::<Vec<_>>();
    let entries = bundle.entries().iter().map(|entry| (&*entry.path, (entry, of_entry(entry))));
    entries.filter(|(_, (_, tasks))| !tasks.is_empty()).collect()
}

fn may_hold_objects(role: &Role) -> bool {
    matches!(
        role,
        Role::Dump { .. }
            | Role::Table { .. }
            | Role::Described { .. }
            | Role::Objects
            | Role::Summary(_)
            | Role::Unplaced
            | Role::LogSections { documents: true }
    )
}

fn file_queries(set: &RuleSet) -> Vec<&FileQuery> {
    let facts = set.rules.iter().flat_map(|rule| &rule.facts);
    let queries = facts.flat_map(Fact::kinds).filter_map(|kind| match kind {
        FactKind::File(query) => Some(query),
        _ => None,
    });
    queries.collect()
}

fn shapes(files: &[&FileQuery], logical: &str) -> BTreeSet<FileShape> {
    files.iter().filter(|query| query.path.is_match(logical)).map(|query| query.shape).collect()
}

/// Whether a rule asks for a file by its path without archive layers.
pub fn asked_for(set: &RuleSet) -> impl Fn(&str) -> bool {
    let files = file_queries(set);
    move |logical| files.iter().any(|query| query.path.is_match(logical))
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
    /// No table lists the events, so those of descriptions are taken.
    no_events: bool,
}

impl Visitor<'_> {
    /// Reads the parts of an entry, which come in their order.
    fn visit(&self, tasks: &[Task<'_>], reader: &mut dyn Read) -> Yield {
        let mut mine = Yield::default();
        let mut at = 0;
        for task in tasks {
            match task.part.section {
                None => self.part(task, reader, &mut mine),
                Some(section) => {
                    skip(reader, section.start.saturating_sub(at));
                    let mut inside = reader.take(section.length);
                    self.part(task, &mut inside, &mut mine);
                    // A visit may stop early.
                    let left = inside.limit();
                    skip(&mut inside, left);
                    at = section.start + section.length;
                }
            }
        }
        mine
    }

    fn part(&self, task: &Task<'_>, reader: &mut dyn Read, mine: &mut Yield) {
        if task.shapes.is_empty() {
            return self.consume(task, reader, mine);
        }
        let (bytes, cut) = bytes_of(reader);
        if cut {
            let message = format!("only the first {MAX_FILE} bytes were read for rules");
            mine.issues.push(issue(&task.part, IssueKind::Limit, message));
        }
        self.consume(task, &mut bytes.as_slice(), mine);
        let text = text_of(bytes);
        match self.refusal(task, &text) {
            Some(refused) => mine.refused.push(refused),
            None => mine.files.push(self.file(&task.part, text, &task.shapes)),
        }
    }

    fn consume(&self, task: &Task<'_>, reader: &mut dyn Read, mine: &mut Yield) {
        let part = &task.part;
        match part.role {
            Role::Dump { .. } | Role::Table { .. } | Role::Objects => self.objects(part, reader, mine),
            Role::Described { word, .. } => self.described(part, word, reader, mine),
            Role::Summary(of) => self.summary(part, *of, reader, mine),
            Role::Unplaced => self.unplaced(part, reader, mine),
            Role::LogSections { documents } => self.sections(task, *documents, reader, mine),
            _ => task.logs.iter().for_each(|log| self.scan(part, log, reader, mine)),
        }
    }

    /// Descriptions are no larger than dumps may be; what kubectl said instead of them is told.
    fn described(&self, part: &Part<'_>, word: &str, reader: &mut dyn Read, mine: &mut Yield) {
        let most = self.bundle.limits().max_document;
        if part.size > most {
            let why = format!("larger than {most} bytes, which is more than a description may have; not read");
            return mine.issues.push(issue(part, IssueKind::Limit, why));
        }
        let mut bytes = Vec::new();
        let _ = reader.read_to_end(&mut bytes);
        let found = read_described(part.path.clone(), word, bytes, self.clock.now, self.no_events);
        mine.dumps.push(found.objects);
        mine.refused.extend(found.refused.map(|said| self.absent(part, said)));
    }

    /// A part in which a command only says why it gave nothing.
    fn absent(&self, part: &Part<'_>, said: String) -> AbsentFile {
        AbsentFile { logical: part.logical.clone(), node: self.pods.node_of(self.bundle, part.role), said: Some(said) }
    }

    fn scan(&self, part: &Part<'_>, log: &Log, reader: &mut dyn Read, mine: &mut Yield) {
        if let Some(scanner) = self.patterns.scanner(&log.source, part.logical, self.clock) {
            let of_part = part.section.map_or(1, |section| section.line);
            let line = log.section.as_ref().map_or(of_part, |section| section.line);
            mine.hits.push(scanner.from_line(line).max_line(self.bundle.limits().max_line).scan(reader));
        }
    }

    /// Scans the wanted sections as the file streams by; what stands between them is kept where it holds documents, with the
    /// line ends of the sections in their place.
    fn sections(&self, task: &Task<'_>, documents: bool, reader: &mut dyn Read, mine: &mut Yield) {
        let part = &task.part;
        let mut wanted = task.logs.iter().peekable();
        let mut between = Between { bytes: Vec::new(), left: self.bundle.limits().max_document, keeps: documents };
        let mut at = 0;
        for section in self.pods.sections(part.path) {
            between.take(&mut reader.take(section.start.saturating_sub(at)));
            let mut log = reader.take(section.length);
            if let Some(wanted) = wanted.next_if(|log| log.section.as_ref() == Some(section)) {
                self.scan(part, wanted, &mut log, mine);
            }
            // A scanner reads to the end; what nobody wants is passed over.
            let _ = std::io::copy(&mut log, &mut std::io::sink());
            between.lines(section.lines);
            at = section.start + section.length;
        }
        between.take(reader);
        if documents {
            let mut objects = content::read_stream(part.path.clone(), between.bytes, self.clock.now);
            if between.left == 0 {
                let why = self.too_large();
                objects.incomplete(why.as_str());
                mine.issues.push(issue(part, IssueKind::Limit, why));
            }
            let said = objects.refusal().map(|said| said.chars().take(200).collect());
            mine.refused.extend(said.map(|said| self.absent(part, said)));
            mine.dumps.push(objects);
        }
    }

    fn too_large(&self) -> String {
        let most = self.bundle.limits().max_document;
        format!("larger than {most} bytes, which is more than a dump may have; not read")
    }

    /// All bytes of a dump; none if they are too many, which is told.
    fn dump_bytes(&self, part: &Part<'_>, reader: &mut dyn Read, mine: &mut Yield) -> Option<Vec<u8>> {
        if part.size > self.bundle.limits().max_document {
            mine.issues.push(issue(part, IssueKind::Limit, self.too_large()));
            return None;
        }
        let mut bytes = Vec::with_capacity(part.size.min(1 << 20) as usize);
        // The reader of a bundle ends early instead of failing; the pass tells why.
        let _ = reader.read_to_end(&mut bytes);
        Some(bytes)
    }

    fn objects(&self, part: &Part<'_>, reader: &mut dyn Read, mine: &mut Yield) {
        let place = dump_place(part.role);
        let place = place.as_ref().map(Placed::borrowed);
        let path = part.path.clone();
        let Some(bytes) = self.dump_bytes(part, reader, mine) else {
            return mine.dumps.push(DumpObjects::unreadable(path, place.as_ref(), self.too_large()));
        };
        let mend = |document| self.mended(part.logical, document);
        let name = part.logical.rsplit('/').next().unwrap_or_default();
        let context = Context { place: place.as_ref(), name, now: self.clock.now };
        mine.dumps.push(match part.role {
            Role::Table { word } => read_table(path, word, bytes, self.clock.now),
            Role::Objects => content::read_dump(path, context, bytes, &mend).loose(),
            _ => content::read_dump(path, context, bytes, &mend),
        });
    }

    /// What a file holds that nobody placed is told by its beginning.
    fn unplaced(&self, part: &Part<'_>, reader: &mut dyn Read, mine: &mut Yield) {
        let mut head = Vec::new();
        let _ = reader.take(content::HEAD as u64).read_to_end(&mut head);
        let Some(shape) = Shape::of(&head) else { return };
        if let Some(bytes) = self.dump_bytes(part, &mut head.as_slice().chain(reader), mine) {
            let name = part.logical.rsplit('/').next().unwrap_or_default();
            mine.dumps.push(content::read_unplaced(part.path.clone(), name, shape, bytes, self.clock.now));
        }
    }

    /// Objects in a form of the collector's own.
    fn summary(&self, part: &Part<'_>, of: Summary, reader: &mut dyn Read, mine: &mut Yield) {
        let Some(bytes) = self.dump_bytes(part, reader, mine) else { return };
        let entry = part.path.clone();
        mine.dumps.push(match of {
            Summary::HelmReleases => read_releases(entry, bytes),
            Summary::ConfigMap => read_values(entry, "ConfigMap", bytes),
            Summary::Secret => read_values(entry, "Secret", bytes),
        });
    }

    fn mended(&self, logical: &str, mut document: Document) -> Document {
        if self.bundle.holds_go_structs(logical) {
            document = go_structs::fold(document);
        }
        normalise(&mut document, dialect_of(self.bundle.layout()));
        document
    }

    /// A collector on a host writes whatever its commands print, also when all they print is that they cannot.
    fn refusal(&self, task: &Task<'_>, text: &str) -> Option<AbsentFile> {
        let part = &task.part;
        let is_output = task.logs.is_empty() && matches!(part.role, Role::NodeFile { .. } | Role::Metadata);
        let is_of_host = matches!(self.bundle.kind(), Kind::Rancher | Kind::Sosreport | Kind::Supportconfig);
        if !is_of_host || !is_output || !said::is_all(text) {
            return None;
        }
        Some(self.absent(part, said::refusal(text)?.chars().take(200).collect()))
    }

    fn file(&self, part: &Part<'_>, text: String, shapes: &BTreeSet<FileShape>) -> BundleFile {
        let node = self.pods.node_of(self.bundle, part.role);
        let data = shapes.iter().filter_map(|&shape| Some((shape, shaped(&text, shape)?))).collect();
        let text = secret::redact(&text).into();
        let path = match part.section {
            None => part.path.clone(),
            Some(section) => format!("{}/{}", part.path, section.name).into(),
        };
        let origin = Origin { entry: part.path.clone(), line: part.section.map(|section| section.line) };
        BundleFile { path, origin, logical: part.logical.clone(), node, text, data }
    }
}

/// What stands between the sections of a file.
struct Between {
    bytes: Vec<u8>,
    /// Bytes that may still be kept.
    left: u64,
    keeps: bool,
}

impl Between {
    fn take(&mut self, reader: &mut dyn Read) {
        if self.keeps {
            let read = reader.take(self.left).read_to_end(&mut self.bytes).unwrap_or_default();
            self.left = self.left.saturating_sub(read as u64);
        }
        let _ = std::io::copy(reader, &mut std::io::sink());
    }

    fn lines(&mut self, count: u64) {
        let kept = if self.keeps { count.min(self.left) } else { 0 };
        self.bytes.extend(std::iter::repeat_n(b'\n', usize::try_from(kept).unwrap_or_default()));
        self.left -= kept;
    }
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

fn issue(part: &Part<'_>, kind: IssueKind, message: String) -> Issue {
    Issue::at(Origin::entry(part.path.clone()), kind, message)
}

/// Reads so many bytes for nothing.
fn skip(reader: &mut dyn Read, bytes: u64) {
    // The reader of a bundle ends early instead of failing; the pass tells why.
    let _ = std::io::copy(&mut reader.take(bytes), &mut std::io::sink());
}

/// Problems of a document as issues of its entry.
pub fn problems(entry: &Arc<str>, problems: Vec<Problem>) -> impl Iterator<Item = Issue> {
    let entry = entry.clone();
    problems.into_iter().map(move |p| Issue::at(Origin::line(entry.clone(), p.line), IssueKind::Document, p.message))
}

/// All bytes of a reader, bounded, and whether they were cut.
fn bytes_of(reader: &mut dyn Read) -> (Vec<u8>, bool) {
    let mut bytes = Vec::new();
    let _ = reader.take(MAX_FILE + 1).read_to_end(&mut bytes);
    let cut = bytes.len() as u64 > MAX_FILE;
    bytes.truncate(MAX_FILE as usize);
    (bytes, cut)
}

/// Invalid UTF-8 is replaced.
fn text_of(bytes: Vec<u8>) -> String {
    String::from_utf8(encoding::utf8(bytes)).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned())
}

/// The data of a file that rules ask for as more than text.
fn shaped(text: &str, shape: FileShape) -> Option<Arc<Document>> {
    let mut document = match shape {
        FileShape::Text => return None,
        FileShape::Yaml | FileShape::Json => yaml::parse(said::without_remarks(text.as_bytes().to_vec())).0,
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
        let pass = read(
            &bundle,
            &RuleSet::default(),
            (&PatternSet::default(), Clock::default()),
            &PodNames::default(),
            &Sections::default(),
            &(),
        );
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
