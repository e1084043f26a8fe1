//! The parallel pass over the entries of a bundle.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::sync::{Arc, Mutex, PoisonError};

use crate::bundle::{Bundle, Entry, Kind, Role};
use crate::eval::BundleFile;
use crate::log::{Clock, LogSource, PatternSet, SourceHits, SourceOrigin};
use crate::model::{Issue, IssueKind, Origin, Progress};
use crate::resource::{DumpObjects, DumpPlace, IndexBuilder, read_objects};
use crate::rule::{FactKind, FileShape, RuleSet};
use crate::yaml::normalise::{Dialect, normalise};
use crate::yaml::{self, Problem};

/// Files that rules ask for are kept up to this size.
const MAX_FILE: u64 = 16 << 20;

/// What the stages after reading need.
pub struct Harvest {
    pub builder: IndexBuilder,
    pub hits: Vec<SourceHits>,
    /// Sorted by path.
    pub files: Vec<BundleFile>,
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
                self.dumps.push(DumpObjects::unreadable(path.clone(), Some(&place), why));
            }
        }
    }
}

/// Reads the entries of a role as texts, up to 16 MiB each.
pub fn texts(bundle: &Bundle, wanted: &(dyn Fn(&Role) -> bool + Sync)) -> Texts {
    let texts = Mutex::new(Vec::new());
    let mut issues = bundle.read(&|entry| wanted(&entry.role), &|entry, reader| {
        let (text, _) = text_of(reader);
        texts.lock().unwrap_or_else(PoisonError::into_inner).push((entry.path.clone(), entry.role.clone(), text));
    });
    issues.sort();
    let mut texts = texts.into_inner().unwrap_or_else(PoisonError::into_inner);
    texts.sort_by(|a, b| a.0.cmp(&b.0));
    Texts { texts, issues }
}

/// Reads dumps, scans logs, keeps files that rules ask for.
pub fn read(bundle: &Bundle, set: &RuleSet, patterns: &PatternSet, clock: Clock, progress: &dyn Progress) -> Pass {
    let visitor = Visitor { bundle, set, patterns, clock };
    let wanted = |entry: &Entry| visitor.wants(entry);
    let bytes = bundle.entries().iter().filter(|e| wanted(e)).map(|e| e.size).sum();
    progress.stage("reading", bytes);
    let found = Mutex::new(Yield::default());
    let failed = bundle.read(&wanted, &|entry, reader| {
        visitor.visit(entry, reader, &found);
        progress.advance(entry.size, 1);
    });
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.mark(bundle, &failed);
    found.issues.extend(failed);
    found.files.sort_by(|a, b| a.path.cmp(&b.path));
    let mut builder = IndexBuilder::default();
    found.dumps.into_iter().for_each(|objects| builder.add(objects));
    bundle.cut().into_iter().for_each(|why| builder.cut(why));
    Pass { harvest: Harvest { builder, hits: found.hits, files: found.files }, issues: found.issues }
}

struct Visitor<'a> {
    bundle: &'a Bundle,
    set: &'a RuleSet,
    patterns: &'a PatternSet,
    clock: Clock,
}

impl Visitor<'_> {
    fn wants(&self, entry: &Entry) -> bool {
        matches!(entry.role, Role::Dump { .. }) || self.scans(entry) || self.shape(entry).is_some()
    }

    fn scans(&self, entry: &Entry) -> bool {
        log_source(entry).is_some_and(|source| self.patterns.reads(&source, &entry.logical))
    }

    /// How rules ask for the entry as a file; the most demanding of them.
    fn shape(&self, entry: &Entry) -> Option<FileShape> {
        let facts = self.set.rules.iter().flat_map(|rule| &rule.facts);
        let shapes = facts.filter_map(|fact| match &fact.kind {
            FactKind::File(query) if query.path.is_match(entry.logical.as_ref()) => Some(query.shape),
            _ => None,
        });
        shapes.max_by_key(|shape| *shape != FileShape::Text)
    }

    fn visit(&self, entry: &Entry, reader: &mut dyn Read, found: &Mutex<Yield>) {
        let mut mine = Yield::default();
        if let Some(shape) = self.shape(entry) {
            let (text, cut) = text_of(reader);
            if cut {
                mine.issues.push(issue(
                    entry,
                    IssueKind::Limit,
                    format!("only the first {MAX_FILE} bytes were read for rules"),
                ));
            }
            self.consume(entry, &mut text.as_bytes(), &mut mine);
            mine.files.push(file(entry, text, shape));
        } else {
            self.consume(entry, reader, &mut mine);
        }
        let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
        found.dumps.append(&mut mine.dumps);
        found.hits.append(&mut mine.hits);
        found.files.append(&mut mine.files);
        found.issues.append(&mut mine.issues);
    }

    fn consume(&self, entry: &Entry, reader: &mut dyn Read, mine: &mut Yield) {
        if let Some(place) = dump_place(&entry.role) {
            self.dump(entry, place, reader, mine);
        } else if let Some(source) = log_source(entry)
            && let Some(scanner) = self.patterns.scanner(&source, &entry.logical, self.clock)
        {
            mine.hits.push(scanner.max_line(self.bundle.limits().max_line).scan(reader));
        }
    }

    fn dump(&self, entry: &Entry, place: DumpPlace<'_>, reader: &mut dyn Read, mine: &mut Yield) {
        let most = self.bundle.limits().max_document;
        if entry.size > most {
            let why = format!("larger than {most} bytes, which is more than a dump may have; not read");
            mine.dumps.push(DumpObjects::unreadable(entry.path.clone(), Some(&place), why.as_str()));
            return mine.issues.push(issue(entry, IssueKind::Limit, why));
        }
        let mut bytes = Vec::with_capacity(entry.size.min(64 << 20) as usize);
        // The reader of a bundle ends early instead of failing; the pass tells why.
        let _ = reader.read_to_end(&mut bytes);
        let (mut document, problems) = yaml::parse(bytes);
        normalise(&mut document, self.dialect());
        let document = Arc::new(document);
        mine.dumps.push(read_objects(entry.path.clone(), Some(&place), &document).with_problems(&problems));
    }

    fn dialect(&self) -> Dialect {
        match self.bundle.kind() {
            Kind::Harvester | Kind::Longhorn => Dialect::Kit,
            _ => Dialect::Plain,
        }
    }
}

fn dump_place(role: &Role) -> Option<DumpPlace<'_>> {
    let Role::Dump { namespace, group, version, plural } = role else { return None };
    Some(DumpPlace { namespace: namespace.as_deref(), group, version, plural })
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
    (String::from_utf8_lossy(&bytes).into_owned(), cut)
}

fn file(entry: &Entry, text: String, shape: FileShape) -> BundleFile {
    let data = (shape != FileShape::Text).then(|| {
        let (mut document, _) = yaml::parse(text.clone().into_bytes());
        normalise(&mut document, Dialect::Plain);
        Arc::new(document)
    });
    let node = match &entry.role {
        Role::NodeLog { node, .. } | Role::NodeFile { node } => Some(node.clone()),
        _ => None,
    };
    BundleFile { path: entry.path.clone(), logical: entry.logical.clone(), node, text: text.into(), data }
}

/// The log source that an entry is, if it is one.
pub fn log_source(entry: &Entry) -> Option<LogSource> {
    let origin = match &entry.role {
        Role::PodLog { namespace, pod, container, previous } => SourceOrigin::Container {
            namespace: namespace.clone(),
            pod: pod.clone(),
            container: container.clone(),
            previous: *previous,
        },
        Role::NodeLog { node, unit, .. } => SourceOrigin::Unit { node: node.clone(), unit: unit.clone() },
        Role::CollectorErrors => SourceOrigin::File,
        _ => return None,
    };
    Some(LogSource { entry: entry.path.clone(), origin })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::Limits;
    use crate::resource::{Collected, TypeName};

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
        let pass = read(&bundle, &RuleSet::default(), &PatternSet::default(), Clock::default(), &());
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
