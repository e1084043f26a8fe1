//! Runs the stages: bundle, resources and logs, rules, analysis.
//!
//! Rules are compiled first, because they decide which data is needed. [`ingest`] reads the entries in one parallel
//! pass: dumps into tapes, logs through the pattern set, and files only if a rule asks for them. [`sections`] finds
//! the parts of texts that hold several. [`gaps`] finds logs that were not collected, [`log_gaps`] truncated or
//! empty logs, and [`unread`] bundles whose layout was not read. [`bundle_texts`] lists all texts for readers of lines. The result does not depend on threads or on the order
//! of entries.

mod boots;
mod bundle_texts;
mod clusters;
mod describe;
mod gaps;
pub mod heads;
mod hosts;
mod identities;
mod ingest;
mod known_pods;
mod log_ends;
mod log_gaps;
mod loose_log;
mod memory_budget;
mod newest;
mod nodes;
mod pods;
mod rule_facts;
mod rule_queries;
pub mod sections;
mod tasks;
mod texts;
mod unread;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

use jiff::Timestamp;

use crate::bundle::{Bundle, EmptyLists, Role, UnreadableFile};
use crate::eval::{self, BundleFile, Evaluation, FileGap, FileGaps, Input, evaluate};
use crate::expr::World;
use crate::health;
use crate::inventory;
use crate::known_lines::KnownHere;
use crate::log::{Clock, GroupKey, LogIndex, LogQuery, LogSource, MinedSource, PatternSet, Selector, SourceGlob};
use crate::model::explanation::Explanation;
use crate::model::inventory::Shown;
use crate::model::message::{ArchiveProblem, GapReason, GapSubject, RuleProblem};
use crate::model::unexplained::TroubleTemplate;
use crate::model::unhealthy::Verdict;
use crate::model::{
    Analysis, BundleFacts, Identities, Inventory, Issue, IssueKind, Lang, LogSpan, NotCollected, Progress, Timing,
    Unhealthy, secret,
};
use crate::resource::{ClusterFacts, CollectorErrors, Empties, IndexBuilder, ResourceIndex, TypeName};
use crate::rule::{RuleSet, end_of_life};
use crate::unexplained;
pub use crate::unexplained::{Archive, Usual};
use crate::upgrade;
pub use bundle_texts::{BundleText, BundleTexts, TextKind};
use describe::Descriptions;
use heads::Heads;
use ingest::{IngestResult, IngestTimings};
use pods::PodNames;
use rule_queries::{fired_queries, rules_by_query};
use sections::{EntryPart, Sections};

/// Most verdicts of the collector that reports list.
const MOST_VERDICTS: usize = 50;

/// Facts that a rule test states about its bundle, instead of having them read from it.
#[derive(Clone, Debug, Default)]
pub struct Assumed {
    /// Collection time.
    pub now: Option<Timestamp>,
    /// Version by product; overrides the bundle.
    pub versions: BTreeMap<String, String>,
    /// Types, in a namespace or everywhere, that count as not collected; all others count as collected.
    pub missing: Vec<(TypeName, Option<String>)>,
    pub missing_entries: MissingEntries,
}

/// Entries that should be in the bundle but were not collected.
#[derive(Clone, Debug, Default)]
pub struct MissingEntries {
    /// Sources of logs, with their paths without archive layers.
    logs: Vec<(LogSource, String)>,
    files: Vec<FileGap>,
}

impl MissingEntries {
    /// Returns some entries of a bundle, for use as those that another bundle lacks.
    pub fn of(bundle: &Bundle, paths: &BTreeSet<String>) -> Self {
        let heads = Heads::read(bundle);
        let (names, sections) = (PodNames::read(bundle, &heads), Sections::read(bundle, &heads, &|_| true));
        let mut missing = Self::default();
        let entries = bundle.entries().iter().filter(|entry| paths.contains(&*entry.path));
        for part in entries.flat_map(|entry| sections.parts(entry)) {
            let log = names.log(part.path, part.role);
            missing.logs.extend(log.map(|source| (source, part.logical.to_string())));
            if part.is_file() {
                let node = names.node_of(bundle, part.role);
                missing.files.push(FileGap { logical: part.logical.clone(), node, answer: None });
            }
        }
        missing
    }
}

/// Options of an analysis.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// None outside rule tests.
    pub assumed: Option<&'a Assumed>,
    /// True if the stages are measured ([`Analysis::timings`]).
    pub timings: bool,
    /// True if the container and its content are hashed; rule tests do without.
    pub identity: bool,
    /// True if [`Analysis::inventory`] is gathered, which only reports for people show.
    pub inventory: bool,
    /// True if the inventory also has what redaction must know of all objects.
    pub identities: bool,
    /// True if [`Analysis::catalogue`] is filled, which only reports for programs show: it needs the texts of all rules.
    pub catalogue: bool,
    /// Number of incidents of [`Analysis::unexplained`]; 0 if templates of logs are not counted.
    pub unexplained: usize,
    /// What the logs of the cluster say while it is healthy.
    pub usual: Option<&'a Usual>,
    /// What the logs of other clusters say.
    pub archive: Option<&'a Archive>,
    /// Language of the texts of findings, where a rule is translated to it.
    pub lang: Lang,
}

/// Analyses an open bundle on the current thread pool.
pub fn analyze(bundle: &Bundle, set: &RuleSet, options: Options<'_>, progress: &dyn Progress) -> Analysis {
    PipelineRun::new(bundle, set, options, progress).analysis()
}

/// Runs [`analyze`] and also returns the `most` telling templates of logs that report trouble, whether or not a rule knows them.
pub fn survey(
    bundle: &Bundle,
    set: &RuleSet,
    options: Options<'_>,
    most: usize,
    progress: &dyn Progress,
) -> (Analysis, Vec<TroubleTemplate>) {
    let mut run = PipelineRun::new(bundle, set, Options { unexplained: most, ..options }, progress);
    let (input, facts) = run.input();
    let mined = std::mem::take(&mut run.mined);
    run.options.unexplained = 0;
    let analysis = run.evaluated(&input, facts);
    let lines = KnownHere { lines: &set.known_lines, versions: &input.world.versions };
    let templates = unexplained::census(&mined, &rules_by_query(set, &analysis.rules.fired), lines, most);
    (analysis, templates)
}

/// Runs [`analyze`] and also returns the input of the rules.
pub fn examine(bundle: &Bundle, set: &RuleSet, options: Options<'_>, progress: &dyn Progress) -> (Analysis, Input) {
    let mut run = PipelineRun::new(bundle, set, options, progress);
    let (input, facts) = run.input();
    (run.evaluated(&input, facts), input)
}

/// Analyses an open bundle and explains each rule of the set.
pub fn explain(
    bundle: &Bundle,
    set: &RuleSet,
    options: Options<'_>,
    progress: &dyn Progress,
) -> (Analysis, Vec<Explanation>) {
    let mut run = PipelineRun::new(bundle, set, options, progress);
    let (input, facts) = run.input();
    let explanations = set.rules.iter().map(|rule| eval::explain(&input, set, rule)).collect();
    (run.evaluated(&input, facts), explanations)
}

/// Prepares everything that rules can query, without running them: [`analyze`] up to [`evaluate`].
pub fn prepare(bundle: &Bundle, set: &RuleSet, options: Options<'_>, progress: &dyn Progress) -> Input {
    PipelineRun::new(bundle, set, options, progress).input().0
}

/// Reads the templates of all logs of a bundle, without rules.
pub fn templates(bundle: &Bundle, progress: &dyn Progress) -> Vec<MinedSource> {
    let set = RuleSet::default();
    let mut run = PipelineRun::new(bundle, &set, Options { unexplained: 1, ..Options::default() }, progress);
    drop(run.input());
    run.mined
}

/// Returns the entries that a selection of log sources reads, by path.
pub fn entries_of(bundle: &Bundle, sources: &[SourceGlob]) -> Vec<String> {
    let everything = LogQuery {
        selector: Selector { any: sources.to_vec() },
        patterns: vec![".".to_owned()],
        by: vec![GroupKey::Source],
        ..LogQuery::default()
    };
    let Ok(patterns) = PatternSet::compile(vec![everything]) else { return Vec::new() };
    let heads = Heads::read(bundle);
    let (names, sections) = (PodNames::read(bundle, &heads), Sections::read(bundle, &heads, &|_| false));
    let reads = |part: EntryPart<'_>| {
        names.log(part.path, part.role).is_some_and(|source| patterns.reads(&source, part.logical))
    };
    let entries = bundle.entries().iter();
    entries.filter(|entry| sections.parts(entry).any(reads)).map(|entry| entry.path.to_string()).collect()
}

/// Runs a stage and measures it.
fn measured<T>(stage: &str, run: impl FnOnce() -> T) -> (T, Timing) {
    let begin = Instant::now();
    let result = run();
    (result, Timing::of(stage, begin.elapsed()))
}

struct PipelineRun<'a> {
    bundle: &'a Bundle,
    set: &'a RuleSet,
    options: Options<'a>,
    progress: &'a dyn Progress,
    timings: Vec<Timing>,
    issues: Vec<Issue>,
    /// Templates of all logs, if they are counted.
    mined: Vec<MinedSource>,
    /// What the collector's own analysis warns of.
    verdicts: Vec<Verdict>,
}

impl<'a> PipelineRun<'a> {
    fn new(bundle: &'a Bundle, set: &'a RuleSet, options: Options<'a>, progress: &'a dyn Progress) -> Self {
        Self {
            bundle,
            set,
            options,
            progress,
            timings: Vec::new(),
            issues: Vec::new(),
            mined: Vec::new(),
            verdicts: Vec::new(),
        }
    }

    fn analysis(mut self) -> Analysis {
        let (input, facts) = self.input();
        let analysis = self.evaluated(&input, facts);
        // Freeing the input takes some milliseconds, which must not delay the report.
        rayon::spawn(move || drop(input));
        analysis
    }

    fn evaluated(mut self, input: &Input, facts: BundleFacts) -> Analysis {
        let mut evaluation = self.timed("evaluate", |run| evaluate(run.set, input, run.options.lang));
        self.issues.extend(input.world.resources.helm_issues());
        let run = &self;
        let inventory = || run.options.inventory.then(|| run.inventory(input, &facts, &evaluation));
        // A rule test asks for the answer of its rule only.
        let unhealthy = || run.options.assumed.is_none().then(|| run.unhealthy(input, &evaluation));
        let ((inventory, inventory_time), (mut unhealthy, health_time)) =
            rayon::join(|| measured("inventory", inventory), || measured("health", unhealthy));
        if inventory.is_some() {
            self.note_time(inventory_time);
        }
        if let Some(unhealthy) = &mut unhealthy {
            self.note_time(health_time);
            unhealthy.verdicts = Shown::first(std::mem::take(&mut self.verdicts), MOST_VERDICTS, None);
        }
        let upgrade = self.options.assumed.is_none().then(|| {
            self.timed("upgrade", |run| {
                let Evaluation { findings, rules, .. } = &evaluation;
                let World { resources, versions, .. } = &*input.world;
                upgrade::readiness(upgrade::Found { resources, rules, findings, versions }, run.options.lang)
            })
        });
        let unexplained = (self.options.unexplained > 0).then(|| {
            self.timed("unexplained", |run| {
                let queries = fired_queries(&run.set.rules, &evaluation.rules.fired);
                let Evaluation { findings, open, .. } = &evaluation;
                let Options { usual, archive, .. } = run.options;
                let lines = run.known_lines(input);
                let known = unexplained::Known { queries: &queries, findings, open, usual, archive, lines };
                unexplained::unexplained(std::mem::take(&mut run.mined), &known, run.options.unexplained)
            })
        });
        let unexplained = unexplained.map(|(unexplained, behind)| {
            for (open, errors) in evaluation.open.iter().zip(behind) {
                let finding = evaluation.findings.get_mut(open.finding);
                finding.into_iter().for_each(|finding| finding.before.errors.clone_from(&errors));
            }
            unexplained
        });
        let upgrade = upgrade.flatten();
        Analysis { unexplained, upgrade, ..self.finish(facts, evaluation, inventory, unhealthy) }
    }

    fn inventory(&self, input: &Input, facts: &BundleFacts, evaluation: &Evaluation) -> Inventory {
        let files: Vec<inventory::File<'_>> = input.files.iter().map(for_inventory).collect();
        let found = &evaluation.findings;
        let inventory = inventory::take_inventory(&input.world.resources, &input.logs, &files, facts, found);
        let identities = if self.options.identities { identities::of(input) } else { Identities::default() };
        Inventory { identities, ..inventory }
    }

    /// Lists what is not healthy, without the verdicts of the collector.
    fn unhealthy(&self, input: &Input, evaluation: &Evaluation) -> Unhealthy {
        let Evaluation { findings, events, broken, .. } = evaluation;
        let explained = health::Explained { findings, events, broken };
        let mut unhealthy = health::unhealthy(&input.world, explained, self.known_lines(input));
        log_ends::add(&mut unhealthy, &self.mined);
        unhealthy
    }

    /// Runs all stages before the rules.
    fn input(&mut self) -> (Input, BundleFacts) {
        self.issues.extend(self.bundle.issues().iter().cloned());
        let mut patterns = self.timed("patterns", Self::patterns);
        let described = self.timed("metadata", |run| describe::read_descriptions(run.bundle, run.set));
        let Descriptions { metadata, errors, pods, sections, not_collected, collector, verdicts, issues } = described;
        self.verdicts = verdicts;
        self.issues.extend(issues);
        let sources = self.log_sources(&pods, &sections);
        patterns.expect(&sources);
        let now = self.options.assumed.and_then(|a| a.now).or(metadata.as_ref().and_then(|m| m.created_at));
        let zone = metadata.as_ref().and_then(|m| m.zone);
        let clock = Clock { now, zone, boot: None };
        if self.options.unexplained > 0 {
            patterns.mine();
        }
        // Without logs only the messages of events ask for them, if there are any.
        if self.options.assumed.is_none() && !sources.is_empty() {
            self.set.known_lines.prepare();
        }
        let (harvest, identity) = self.timed("read", |run| run.read(&patterns, &pods, &sections, clock));
        let IngestResult { builder, mut hits, files, file_gaps, spent } = harvest;
        self.mined = hits.iter_mut().filter_map(|hits| hits.mined.take()).collect();
        // What a collector says of its own work is no trouble of the cluster.
        let own = self.bundle.entries().iter().filter(|entry| entry.role == Role::CollectorErrors);
        let own: BTreeSet<&str> = own.map(|entry| &*entry.path).collect();
        self.mined.retain(|mined| !own.contains(&*mined.source.entry));
        loose_log::keep_known_of_pasted(&mut self.mined, &self.set.known_lines);
        hits.retain(|hits| hits.asked);
        self.note_bytes(&spent);
        let resources = self.timed("index", |run| run.index(builder, errors));
        let archives = nodes::archives(self.bundle, &pods);
        let cluster = ClusterFacts::of(&resources, metadata.as_ref(), &archives);
        let logs = self.timed("logs", |run| {
            let bundle = run.bundle;
            let node_of_pod = |namespace: &str, pod: &str| {
                node_of(&resources, namespace, pod).or_else(|| pods.host_of_pod(bundle, namespace, pod))
            };
            let mut logs = LogIndex::build(&patterns, &sources, hits, &node_of_pod);
            // A rule test declares which entries were not collected; there are no others.
            let collected = gaps::Collected {
                sources: &sources,
                resources: &resources,
                knows_all_pods: gaps::knows_all_pods(&resources),
                is_loose: self.bundle.spec().is_none(),
                node_of_pod: &node_of_pod,
            };
            match run.options.assumed {
                Some(assumed) => {
                    gaps::note_stated(&patterns, &assumed.missing_entries.logs, &collected, &mut logs);
                }
                None => {
                    gaps::note(&patterns, &cluster.nodes, &collected, &mut logs);
                    gaps::note_cut(&patterns, run.bundle, &mut logs);
                }
            }
            boots::note_rebooted(&resources, &mut logs);
            if not_collected.iter().any(NotCollected::assumes_time) {
                logs.forget_periods();
            }
            logs
        });
        self.issues.extend(logs.issues().iter().cloned());
        let mut gaps = self.file_gaps(&cluster, &pods, &sections);
        let failed = file_gaps.iter().map(|file| NotCollected {
            what: GapSubject::Entry { path: file.logical.to_string() },
            why: file.answer.clone().map_or(GapReason::NothingSaid, |said| GapReason::Said { said }),
        });
        let not_collected: Vec<NotCollected> = not_collected.into_iter().chain(failed).collect();
        gaps.files.extend(file_gaps);
        let has_pasted = || loose_log::has_pasted(&self.mined);
        let has_logs =
            pods.has_loose_logs() || sections.have_loose_logs() || logs.groups().next().is_some() || has_pasted();
        let unplaced = resources.counts().dump_files > 0 || has_logs;
        let mut facts = self.container_facts(identity);
        facts.not_collected.extend(not_collected);
        if let (Some(known), Some((version, sign))) = (&mut facts.collector, collector) {
            known.version = Some(version);
            known.why = known.why.clone().with_version(sign);
        }
        facts.logs = span(&logs);
        let (products, hides_products) = (cluster.products.clone(), cluster.hides_products);
        cluster.fill(&mut facts);
        let end = |(product, version): (&String, &String)| Some((product.clone(), end_of_life::of(product, version)?));
        facts.ends_of_life = facts.versions.iter().filter_map(end).collect();
        // A rule test holds only the data under test.
        if self.options.assumed.is_none() {
            facts.unread = unread::reason(self.bundle, unplaced);
        }
        let mut world = World::new(Arc::new(resources), now, self.versions(&facts, products));
        world.hides_products = hides_products;
        world.is_relative = facts.assumed_now().is_some();
        // As with the input: freeing all patterns takes 12 M instructions.
        rayon::spawn(move || drop(patterns));
        (Input { world: Arc::new(world), logs: Arc::new(logs), files: files.into(), file_gaps: Arc::new(gaps) }, facts)
    }

    /// Returns the known lines beside the versions of the bundle.
    fn known_lines<'i>(&self, input: &'i Input) -> KnownHere<'i>
    where
        'a: 'i,
    {
        KnownHere { lines: &self.set.known_lines, versions: &input.world.versions }
    }

    /// Runs a stage and measures it.
    fn timed<T>(&mut self, stage: &str, run: impl FnOnce(&mut Self) -> T) -> T {
        let (result, timing) = measured(stage, || run(self));
        self.note_time(timing);
        result
    }

    fn note_time(&mut self, timing: Timing) {
        if self.options.timings {
            self.timings.push(timing);
        }
    }

    /// Notes how much the reading stage read, and the time of its parts.
    fn note_bytes(&mut self, spent: &IngestTimings) {
        if let Some(read) = self.timings.last_mut() {
            read.bytes = spent.dumps.bytes + spent.logs.bytes;
            let part = |stage: &str, of: &Timing| Timing { stage: format!("read {stage}"), ..of.clone() };
            self.timings.extend([part("dumps", &spent.dumps), part("logs", &spent.logs)]);
        }
    }

    fn patterns(&mut self) -> PatternSet {
        let queries = self.set.queries.clone();
        PatternSet::compile(queries).unwrap_or_else(|errors| {
            // The rule compiler has tried every pattern, so only a limit of the regex engine can fail here.
            self.issues.extend(
                errors.iter().map(|e| Issue::general(IssueKind::Rule, RuleProblem::Patterns { error: e.to_string() })),
            );
            PatternSet::default()
        })
    }

    /// Runs the parallel pass over the entries, and the hashes of the container at the same time.
    fn read(
        &mut self,
        patterns: &PatternSet,
        pods: &PodNames,
        sections: &Sections,
        clock: Clock,
    ) -> (IngestResult, Identity) {
        let (mut read, identity) = rayon::join(
            || ingest::ingest(self.bundle, self.set, (patterns, clock), pods, sections, self.progress),
            || if self.options.identity { Identity::of(self.bundle) } else { Identity::default() },
        );
        self.issues.append(&mut read.issues);
        self.issues.extend(identity.issues.iter().cloned());
        (read.harvest, identity)
    }

    fn index(&mut self, mut builder: IndexBuilder, errors: CollectorErrors) -> ResourceIndex {
        builder.collector_errors(errors);
        if let Some(empties) = empties(self.bundle) {
            builder.empties(empties);
        }
        for entry in self.bundle.entries() {
            if let Role::Dump { namespace: Some(namespace), .. } = &entry.role {
                builder.namespace(namespace.clone());
            }
        }
        if let Some(assumed) = self.options.assumed {
            builder.assume_all_collected(true);
            assumed
                .missing
                .iter()
                .for_each(|(name, namespace)| builder.assume_missing(name.clone(), namespace.clone()));
        }
        let (index, issues) = builder.finish();
        self.issues.extend(issues);
        index
    }

    /// Returns all logs of the bundle. Unreadable ones are included, because they exist.
    fn log_sources(&self, pods: &PodNames, sections: &Sections) -> Vec<(LogSource, String)> {
        let parts = self.bundle.entries().iter().flat_map(|entry| sections.all_parts(entry));
        let of_part = |part: EntryPart<'_>| Some((pods.source(&part)?, part.logical.to_string()));
        let unreadable = self.bundle.unreadable().iter();
        let unreadable = unreadable.filter_map(|l| Some((pods.log(&l.path, &l.role)?, l.logical.to_string())));
        parts.filter_map(of_part).chain(unreadable).collect()
    }

    /// Returns files that were not collected, are truncated or unreadable. In a rule test, only those that it declares.
    fn file_gaps(&self, cluster: &ClusterFacts, pods: &PodNames, sections: &Sections) -> FileGaps {
        if let Some(assumed) = self.options.assumed {
            return FileGaps { files: assumed.missing_entries.files.clone(), ..FileGaps::default() };
        }
        let gap = |file: &UnreadableFile| FileGap {
            logical: file.logical.clone(),
            node: pods.node_of(self.bundle, &file.role),
            answer: None,
        };
        let nodes = cluster.nodes.iter().filter(|node| !node.collected).map(|node| node.name.clone());
        let files = self.bundle.unreadable().iter().map(gap).chain(sections.file_gaps());
        FileGaps {
            files: files.collect(),
            nodes: nodes.chain(self.bundle.truncated_nodes().iter().cloned()).collect(),
            truncated: self.bundle.truncated().cloned(),
        }
    }

    fn container_facts(&self, identity: Identity) -> BundleFacts {
        let container = self.bundle.container();
        BundleFacts {
            path: container.path.clone(),
            kind: self.bundle.kind().as_str().to_owned(),
            sha256: identity.sha256,
            content_id: identity.content_id,
            collector: self.bundle.collector(),
            entries: self.bundle.entries().len() as u64,
            bytes: container.bytes,
            ..BundleFacts::default()
        }
    }

    /// Returns the version by product for `affects` and `version()`; empty if the product is present in an unknown
    /// version.
    fn versions(&self, facts: &BundleFacts, products: BTreeSet<String>) -> BTreeMap<String, String> {
        let mut versions = facts.versions.clone();
        for product in products {
            versions.entry(product).or_default();
        }
        if let Some(assumed) = self.options.assumed {
            versions.extend(assumed.versions.clone());
        }
        versions
    }

    fn finish(
        mut self,
        mut facts: BundleFacts,
        mut evaluation: Evaluation,
        inventory: Option<Inventory>,
        unhealthy: Option<Unhealthy>,
    ) -> Analysis {
        self.issues.extend(evaluation.issues);
        self.issues.extend(unread::note(&mut facts, &mut evaluation.rules));
        self.issues.extend(unread::among_dumps(self.bundle));
        self.issues.sort();
        self.issues.dedup();
        Analysis {
            bundle: facts,
            lang: self.options.lang,
            findings: evaluation.findings,
            rules: evaluation.rules,
            catalogue: if self.options.catalogue {
                rule_facts::rule_facts(self.set, self.options.lang)
            } else {
                Vec::new()
            },
            collections: self.set.collections.clone(),
            classes: Vec::new(),
            accepted: None,
            older: None,
            redacted: false,
            issues: self.issues,
            unhealthy,
            upgrade: None,
            unexplained: None,
            inventory,
            timings: self.timings,
            run: crate::model::Run::default(),
        }
    }
}

fn for_inventory(file: &BundleFile) -> inventory::File<'_> {
    inventory::File { origin: &file.origin, node: file.node.as_deref(), text: &file.text }
}

/// Returns the types of which the collector writes lists without objects; none if the dumps themselves show it.
fn empties(bundle: &Bundle) -> Option<Empties> {
    let has_no_version = |role: &Role| matches!(role, Role::Dump { version, .. } if version.is_empty());
    match bundle.empty_lists() {
        EmptyLists::ShownByDumps => None,
        EmptyLists::Named => Some(Empties::Named),
        EmptyLists::Written => Some(Empties::Kept),
        EmptyLists::WrittenWithoutVersions => {
            bundle.entries().iter().any(|entry| has_no_version(&entry.role)).then_some(Empties::Kept)
        }
    }
}

/// Hashes that identify the bundle as a file and by its content.
#[derive(Default)]
struct Identity {
    sha256: Option<String>,
    content_id: String,
    issues: Vec<Issue>,
}

impl Identity {
    fn of(bundle: &Bundle) -> Self {
        let (sha256, (content_id, mut issues)) = rayon::join(|| bundle.sha256(), || bundle.content_id());
        let sha256 = sha256.unwrap_or_else(|error| {
            issues.push(Issue::general(IssueKind::Archive, ArchiveProblem::NoChecksum { error: error.to_string() }));
            None
        });
        Self { sha256, content_id, issues }
    }
}

fn span(logs: &LogIndex) -> LogSpan {
    let (from, to) = logs.span();
    LogSpan { from, to }
}

/// Returns the node of a pod; of a static one also where its object was not collected.
fn node_of(resources: &ResourceIndex, namespace: &str, pod: &str) -> Option<String> {
    let Some(id) = resources.get(&TypeName::parse("pods"), Some(namespace), pod) else {
        let named = known_pods::node_of_static(namespace, pod)?;
        let is_node = resources.get(&TypeName::parse("nodes"), None, named).is_some();
        return is_node.then(|| named.to_owned());
    };
    let node = resources.resource(id).body().str_at(&["spec", "nodeName"])?;
    (!secret::is_withheld(node)).then(|| node.to_owned())
}
