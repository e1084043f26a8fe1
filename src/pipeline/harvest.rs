//! The parallel pass over the entries of a bundle.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::sync::{Arc, Mutex, PoisonError};

use super::holdings::Holdings;
use super::pods::{Log, PodNames};
use super::sections::{Part, Sections};
use super::tasks::{MAX_FILE, Task, Tasks, head_of};
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
use crate::rule::{FileShape, RuleSet};
use crate::yaml::normalise::{Dialect, normalise};
use crate::yaml::{self, Document, Problem, go_structs, secret};

/// Bytes of all texts that tell about the bundle.
const MAX_TEXTS: u64 = 64 << 20;
const DENSE: &str = "not read for rules: it holds more values than there is memory for";
/// What there was no memory for is tried so often, with what the others left of theirs.
const ROUNDS: usize = 3;

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
    /// Those of entries of which a part did not fit into its share of the memory.
    short: Vec<DumpObjects>,
    hits: Vec<SourceHits>,
    files: Vec<BundleFile>,
    refused: Vec<AbsentFile>,
    issues: Vec<Issue>,
}

impl Yield {
    fn append(&mut self, mut other: Self) {
        self.dumps.append(&mut other.dumps);
        self.short.append(&mut other.short);
        self.hits.append(&mut other.hits);
        self.files.append(&mut other.files);
        self.refused.append(&mut other.refused);
        self.issues.append(&mut other.issues);
    }

    /// Memory that is taken by what fitted, in bytes.
    fn held(&self) -> u64 {
        let dumps: u64 = self.dumps.iter().map(DumpObjects::bytes).sum();
        dumps + self.files.iter().map(file_bytes).sum::<u64>()
    }

    /// Tells what is not read because there is no memory for it; `node` is where it was collected.
    fn refuse(&mut self, refused: &Task<'_>, node: Option<String>, why: String) {
        let part = &refused.part;
        self.issues.push(issue(part, IssueKind::Limit, why.clone()));
        if refused.has_objects() {
            let place = dump_place(part.role);
            let place = place.as_ref().map(Placed::borrowed);
            self.dumps.push(DumpObjects::unreadable(part.path.clone(), place.as_ref(), why.as_str()));
        }
        if !refused.shapes.is_empty() {
            self.refused.push(AbsentFile { logical: part.logical.clone(), node, said: Some(why) });
        }
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

/// Reads entries as texts, up to 16 MiB each and 64 MiB in all, the smallest first.
pub fn texts(bundle: &Bundle, wanted: &(dyn Fn(&Entry) -> bool + Sync)) -> Texts {
    let mut asked: Vec<&Entry> = bundle.entries().iter().filter(|entry| wanted(entry)).collect();
    asked.sort_by_key(|entry| (entry.size, &entry.path));
    let mut left = MAX_TEXTS;
    let fits = |entry: &&&Entry| {
        let after = left.checked_sub(entry.size.min(MAX_FILE));
        left = after.unwrap_or_default();
        after.is_some()
    };
    let admitted: BTreeSet<&str> = asked.iter().take_while(fits).map(|entry| &*entry.path).collect();
    let texts = Mutex::new(Vec::new());
    let mut issues = bundle.read(&|entry| admitted.contains(&*entry.path), &|entry, reader| {
        let text = text_of(bytes_of(reader).0);
        texts.lock().unwrap_or_else(PoisonError::into_inner).push((entry.path.clone(), entry.role.clone(), text));
    });
    for entry in asked.iter().skip(admitted.len()) {
        let why = format!("not read for what it tells about the bundle: such files have more than {MAX_TEXTS} bytes");
        issues.push(Issue::at(Origin::entry(entry.path.clone()), IssueKind::Limit, why));
    }
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
    let mut tasks = Tasks::new(bundle, set, patterns, pods, sections);
    let mut memory = Holdings::memory_of(bundle, tasks.len());
    tasks.drop_empty(bundle, memory, pods);
    progress.stage("reading", tasks.bytes());
    let mut found = Yield::default();
    let mut failed = Vec::new();
    for round in 1.. {
        let (holdings, mut others) = tasks.hold(memory, pods);
        let visitor = Visitor { patterns, pods, clock, bundle, no_events, holdings };
        let (mine, more) = visitor.pass(&tasks, if round == 1 { progress } else { &() });
        let held = mine.held();
        memory = memory.saturating_sub(held);
        found.append(mine);
        failed.extend(more);
        let short = std::mem::take(&mut found.short);
        // Where nothing fitted, nothing is left over for the others either.
        if round == ROUNDS || held == 0 || others.is_empty() && short.is_empty() {
            for task in others.all() {
                let too_large = task.part.size > bundle.limits().max_document;
                let why = if too_large { visitor.too_large() } else { Holdings::refusal(bundle) };
                found.refuse(task, pods.node_of(bundle, task.part.role), why);
            }
            found.dumps.extend(short);
            break;
        }
        short.iter().for_each(|dump| others.take_objects(&mut tasks, dump.entry()));
        tasks = others;
    }
    found.mark(bundle, &failed);
    found.issues.extend(failed);
    found.files.sort_by(|a, b| (&a.path, &a.logical).cmp(&(&b.path, &b.logical)));
    found.refused.sort_by(|a, b| (&a.logical, &a.said).cmp(&(&b.logical, &b.said)));
    // Another round may tell it again.
    found.refused.dedup();
    let mut builder = IndexBuilder::default();
    found.dumps.into_iter().for_each(|objects| builder.add(objects));
    bundle.cut().into_iter().for_each(|why| builder.cut(why));
    Pass {
        harvest: Harvest { builder, hits: found.hits, files: found.files, refused: found.refused },
        issues: found.issues,
    }
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
    holdings: Holdings,
}

impl Visitor<'_> {
    /// Reads what is to be read; with what could not be.
    fn pass(&self, tasks: &Tasks<'_>, progress: &dyn Progress) -> (Yield, Vec<Issue>) {
        let found = Mutex::new(Yield::default());
        let failed = self.bundle.read(&|entry| !tasks.of(entry).is_empty(), &|entry, reader| {
            let mut mine = self.visit(tasks.of(entry), reader);
            if mine.dumps.iter().any(DumpObjects::is_short) {
                mine.short = std::mem::take(&mut mine.dumps);
            }
            found.lock().unwrap_or_else(PoisonError::into_inner).append(mine);
            progress.advance(entry.size, 1);
        });
        (found.into_inner().unwrap_or_else(PoisonError::into_inner), failed)
    }

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
            None => match self.file(&task.part, text, &task.shapes) {
                Some(file) => mine.files.push(file),
                None => {
                    mine.issues.push(issue(&task.part, IssueKind::Limit, DENSE.to_owned()));
                    mine.refused.push(self.absent(&task.part, DENSE.to_owned()));
                }
            },
        }
    }

    fn consume(&self, task: &Task<'_>, reader: &mut dyn Read, mine: &mut Yield) {
        let part = &task.part;
        match part.role {
            Role::LogSections { documents } => self.sections(task, *documents && task.has_objects(), reader, mine),
            _ if !task.has_objects() => task.logs.iter().for_each(|log| self.scan(part, log, reader, mine)),
            Role::Dump { .. } | Role::Table { .. } | Role::Objects => self.objects(part, reader, mine),
            Role::Described { word, .. } => self.described(part, word, reader, mine),
            Role::Summary(of) => self.summary(part, *of, reader, mine),
            Role::Unplaced => self.unplaced(part, reader, mine),
            _ => {}
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
        let found = read_described(part.path.clone(), word, bytes, self.clock.now, self.no_events, self.room(part));
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
            let room = self.holdings.room(task.held(self.pods));
            let mut objects = content::read_stream(part.path.clone(), between.bytes, self.clock.now, room);
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

    /// Memory that the objects of a part may take with its text.
    fn room(&self, part: &Part<'_>) -> u64 {
        self.holdings.room(part.size)
    }

    fn too_large(&self) -> String {
        let most = self.bundle.limits().max_document;
        format!("larger than {most} bytes, which is more than a dump may have; not read, so collect it by namespace")
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
        bytes.shrink_to_fit();
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
            Role::Table { word } => read_table(path, word, bytes, self.clock.now, self.room(part)),
            Role::Objects => content::read_dump(path, context, bytes, &mend, self.room(part)).loose(),
            _ => content::read_dump(path, context, bytes, &mend, self.room(part)),
        });
    }

    /// What a file holds that nobody placed is told by its beginning.
    fn unplaced(&self, part: &Part<'_>, reader: &mut dyn Read, mine: &mut Yield) {
        let head = head_of(reader);
        let Some(shape) = Shape::of(&head) else { return };
        if let Some(bytes) = self.dump_bytes(part, &mut head.as_slice().chain(reader), mine) {
            let name = part.logical.rsplit('/').next().unwrap_or_default();
            mine.dumps.push(content::read_unplaced(
                part.path.clone(),
                name,
                shape,
                bytes,
                self.clock.now,
                self.room(part),
            ));
        }
    }

    /// Objects in a form of the collector's own.
    fn summary(&self, part: &Part<'_>, of: Summary, reader: &mut dyn Read, mine: &mut Yield) {
        let Some(bytes) = self.dump_bytes(part, reader, mine) else { return };
        let (entry, room) = (part.path.clone(), self.room(part));
        mine.dumps.push(match of {
            Summary::HelmReleases => read_releases(entry, bytes, room),
            Summary::ConfigMap => read_values(entry, "ConfigMap", bytes, room),
            Summary::Secret => read_values(entry, "Secret", bytes, room),
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

    /// A file as rules see it; none if there is no memory for its values.
    fn file(&self, part: &Part<'_>, text: String, shapes: &BTreeSet<FileShape>) -> Option<BundleFile> {
        let node = self.pods.node_of(self.bundle, part.role);
        let mut room = self.holdings.room(part.size.min(MAX_FILE)).checked_sub(text.len() as u64)?;
        let mut data = BTreeMap::new();
        for &shape in shapes.iter().filter(|shape| **shape != FileShape::Text) {
            let document = shaped(&text, shape, room)?;
            room = room.checked_sub(document.bytes() as u64)?;
            data.insert(shape, Arc::new(document));
        }
        let text = secret::redact(&text).into();
        let path = match part.section {
            None => part.path.clone(),
            Some(section) => format!("{}/{}", part.path, section.name).into(),
        };
        let origin = Origin { entry: part.path.clone(), line: part.section.map(|section| section.line) };
        Some(BundleFile { path, origin, logical: part.logical.clone(), node, text, data })
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

/// The data of a file that rules ask for as more than text; none if there is no memory for it.
fn shaped(text: &str, shape: FileShape, room: u64) -> Option<Document> {
    let mut document = match shape {
        FileShape::Text => return None,
        FileShape::Yaml | FileShape::Json => {
            let (text, _) = yaml::source::text(said::without_remarks(text.as_bytes().to_vec()));
            let (document, problems) = yaml::parse_text(text, room);
            if problems.iter().any(Problem::is_memory) {
                return None;
            }
            document
        }
        FileShape::Ini => yaml::settings::ini(text.to_owned()),
        FileShape::Keys => yaml::settings::keys(text.to_owned()),
        FileShape::Table => yaml::grid::table(text.to_owned()),
    };
    normalise(&mut document, Dialect::Plain);
    Some(document)
}

/// Memory that a file takes, in bytes.
fn file_bytes(file: &BundleFile) -> u64 {
    (file.text.len() + file.data.values().map(|document| document.bytes()).sum::<usize>()) as u64
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
        read_all(files, limits)
    }

    fn read_all(files: Vec<(String, Vec<u8>)>, limits: Limits) -> (crate::resource::ResourceIndex, Vec<Issue>) {
        let bundle = Bundle::from_memory("demo", files, limits);
        let pass = read(
            &bundle,
            &RuleSet::default(),
            (&PatternSet::default(), Clock::default()),
            &PodNames::default(),
            &Sections::default(),
            &(),
        );
        let (index, more) = pass.harvest.builder.finish();
        (index, [pass.issues, more].concat())
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
        let message = "larger than 200 bytes, which is more than a dump may have; not read, so collect it by namespace"
            .to_owned();
        assert_eq!(issues, [(IssueKind::Limit, message)]);
    }

    #[test]
    fn dumps_share_the_memory_and_the_largest_is_left_out() {
        let (nodes, volumes, issues) = told(Limits { max_memory: 12 << 10, ..Limits::default() });
        assert_eq!(nodes, Collected::Yes);
        assert_eq!(volumes, Collected::No("yamls/cluster/v1/persistentvolumes.yaml could not be read".to_owned()));
        assert_eq!(issues.len(), 1, "{issues:?}");
        assert_eq!(issues[0].0, IssueKind::Limit);
        assert!(issues[0].1.starts_with("not read: dumps and the files that rules ask for may take"), "{issues:?}");
    }

    #[test]
    fn what_others_leave_of_their_memory_is_for_dense_dumps() {
        let sparse = format!("items:\n- kind: Node\n  metadata: {{name: a, note: {}}}\n", "x".repeat(60 << 10));
        let dense: String =
            (0..40).map(|n| format!("- {{kind: PersistentVolume, metadata: {{name: a{n}}}}}\n")).collect();
        let files = |sparse: &str| {
            let dense = ("yamls/cluster/v1/persistentvolumes.yaml".to_owned(), dense.clone().into_bytes());
            let sparse = ("yamls/cluster/v1/nodes.yaml".to_owned(), sparse.as_bytes().to_vec());
            vec![dense, sparse]
        };
        let limits = |memory| Limits { max_memory: memory, ..Limits::default() };
        let (index, issues) = read_all(files(&sparse), limits(180 << 10));
        assert_eq!((index.len(), issues), (41, Vec::new()));
        // Without the other dump there is as little memory as was its share at first.
        let (index, issues) = read_all(vec![files(&sparse).swap_remove(0)], limits(13 << 10));
        assert!(index.len() < 40 && issues.len() == 1, "{issues:?}");
    }

    #[test]
    fn a_dump_of_more_objects_than_its_share_is_incomplete() {
        let item = "- {kind: PersistentVolume, metadata: {name: a}}\n";
        let files = vec![("yamls/cluster/v1/persistentvolumes.yaml".to_owned(), item.repeat(100).into_bytes())];
        let (index, issues) = read_all(files, Limits { max_memory: 24 << 10, ..Limits::default() });
        let volumes = index.collected(&TypeName::parse("persistentvolumes"), None);
        assert!(matches!(&volumes, Collected::No(_)), "{volumes:?}");
        assert!(issues.len() == 1 && issues[0].message.contains("more objects than there is memory"), "{issues:?}");
    }

    #[test]
    fn a_dump_beyond_the_budget_counts_as_not_collected() {
        let (nodes, volumes, _) = told(Limits { max_bytes: 200, ..Limits::default() });
        assert_eq!(nodes, Collected::Yes);
        assert_eq!(volumes, Collected::No("yamls/cluster/v1/persistentvolumes.yaml could not be read".to_owned()));
    }
}
