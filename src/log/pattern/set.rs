//! The [`PatternSet`]: all log queries of all rules, compiled once and shared by all threads.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::log::jq::filter::Filter;
use crate::log::pattern::boot_query::boot_query;
use crate::log::pattern::compile::{Compiler, PatternError};
use crate::log::pattern::compiled_query::CompiledQuery;
use crate::log::pattern::expression::{Expression, ExpressionId};
use crate::log::pattern::literal_table::LiteralTable;
use crate::log::pattern::plan::Plan;
use crate::log::pattern::query::{LogQuery, QueryId};
use crate::log::pattern::retention::Retention;
use crate::log::source::entry::TextUnit;
use crate::log::source::origin::{LogSource, SourceOrigin};
use crate::log::source::selector::SourceMatcher;

/// Largest number of sources of which it is remembered which selectors accept them: 10 MB. Of more, it is asked again.
const MAX_REMEMBERED: usize = 20_000;

/// All queries, ready to be scanned for.
#[derive(Debug, Default)]
pub struct PatternSet {
    pub(in crate::log) queries: Vec<CompiledQuery>,
    pub(in crate::log) expressions: Vec<Expression>,
    pub(in crate::log) filters: Vec<Filter>,
    matchers: Vec<SourceMatcher>,
    literals: OnceLock<LiteralTable>,
    plans: Mutex<Plans>,
    /// The query for boots, if any query asks for them.
    boots: Option<QueryId>,
    /// For announced sources: which distinct selectors accept them.
    accepted: BTreeMap<LogSource, Arc<[bool]>>,
    /// By writer: for each distinct selector, whether it accepts several files.
    crowded: HashMap<String, Vec<bool>>,
    /// True if the templates of lines are counted.
    pub(in crate::log) mines: bool,
}

/// Plans made so far.
type Plans = HashMap<PlanKey, Arc<OnceLock<Arc<Plan>>>>;

/// What decides which patterns a source is searched for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::log) struct PlanKey {
    /// For each distinct selector whether it accepts the source.
    pub accepted: Arc<[bool]>,
    pub unit: TextUnit,
    /// True if any program may have written the source, so that only patterns count that tell their program.
    pub has_unknown_writer: bool,
}

impl PatternSet {
    /// Compiles all queries; a query's index is its [`QueryId`].
    ///
    /// # Errors
    /// Reports every invalid part of every query.
    pub fn compile(queries: Vec<LogQuery>) -> Result<Self, Vec<PatternError>> {
        let mut compiler = Compiler::default();
        let mut compiled: Vec<CompiledQuery> =
            queries.into_iter().enumerate().map(|(id, query)| compiler.query(id, query)).collect();
        let boots = compiled.iter().any(CompiledQuery::asks_for_boots).then_some(compiled.len());
        compiled.extend(boots.map(|id| compiler.query(id, boot_query())));
        if !compiler.errors.is_empty() {
            return Err(compiler.errors);
        }
        Ok(Self {
            queries: compiled,
            expressions: compiler.expressions,
            filters: compiler.filters,
            matchers: compiler.matchers,
            literals: OnceLock::new(),
            plans: Mutex::default(),
            boots,
            accepted: BTreeMap::new(),
            crowded: HashMap::new(),
            mines: false,
        })
    }

    /// Announces the sources that will be scanned, with their paths without archive layers: if several files have one
    /// writer, the copies of a line count once.
    pub fn expect(&mut self, sources: &[(LogSource, String)]) {
        let mut counts: HashMap<String, Vec<usize>> = HashMap::new();
        for (source, path) in sources {
            let accepted = self.accepted(source, path);
            if let Some(writer) = source.writer() {
                let counts = counts.entry(writer).or_insert_with(|| vec![0; self.matchers.len()]);
                counts.iter_mut().zip(&*accepted).for_each(|(count, reads)| *count += usize::from(*reads));
            }
            if self.accepted.len() < MAX_REMEMBERED {
                self.accepted.insert(source.clone(), accepted);
            }
        }
        let several = |counts: Vec<usize>| counts.into_iter().map(|count| count > 1).collect();
        self.crowded = counts.into_iter().map(|(writer, counts)| (writer, several(counts))).collect();
    }

    /// Returns whether a query reads several files of a writer.
    pub(in crate::log) fn is_crowded(&self, query: QueryId, writer: &str) -> bool {
        let matcher = self.queries.get(query).map(|query| query.matcher);
        let several = matcher.and_then(|matcher| self.crowded.get(writer)?.get(matcher).copied());
        several == Some(true) && self.boots != Some(query)
    }

    /// Returns what is retained for the hits of a query, from any source.
    pub(in crate::log) fn keep(&self, query: QueryId) -> Retention {
        let needs_hits = self.boots == Some(query) || self.queries.get(query).is_some_and(CompiledQuery::needs_hits);
        if needs_hits { Retention::Whole } else { Retention::Nothing }
    }

    /// Returns what is retained for the hits of a query in a source of a writer.
    pub(in crate::log) fn keep_of(&self, query: QueryId, writer: Option<&str>) -> Retention {
        match self.keep(query) {
            Retention::Nothing if writer.is_some_and(|writer| self.is_crowded(query, writer)) => Retention::Marks,
            keep => keep,
        }
    }

    /// The query that finds the boots of nodes.
    pub(in crate::log) fn boots(&self) -> Option<QueryId> {
        self.boots
    }

    /// Returns whether any query reads this source. `logical_path` is its path without archive layers.
    pub fn reads(&self, source: &LogSource, logical_path: &str) -> bool {
        self.mines_in(source) || self.matchers.iter().any(|matcher| matcher.accepts(source, logical_path))
    }

    /// Also counts templates, in all sources; those that no query reads have no other result.
    pub fn mine(&mut self) {
        self.mines = true;
    }

    /// Returns true if templates of a source are counted: not of what a collector wrote, which rules read and nobody else.
    pub(in crate::log) fn mines_in(&self, source: &LogSource) -> bool {
        self.mines && source.origin != SourceOrigin::Refusal
    }

    /// Returns the number of its selector: queries with the same number read the same sources.
    pub fn selector_of(&self, query: QueryId) -> Option<usize> {
        self.queries.get(query).map(|query| query.matcher)
    }

    fn matcher(&self, query: QueryId) -> Option<&SourceMatcher> {
        self.matchers.get(self.queries.get(query)?.matcher)
    }

    /// Returns true if one query reads a unit of all nodes or of none.
    pub fn query_is_alike_on_all_nodes(&self, query: QueryId) -> bool {
        self.matcher(query).is_some_and(SourceMatcher::is_alike_on_all_nodes)
    }

    /// Returns whether one query reads this source.
    pub fn query_reads(&self, query: QueryId, source: &LogSource, logical_path: &str) -> bool {
        self.matcher(query).is_some_and(|matcher| matcher.accepts(source, logical_path))
    }

    /// Returns whether one query reads this source, and silence of it means that nothing happened; `programs` have lines in it.
    pub fn query_counts(
        &self,
        query: QueryId,
        source: &LogSource,
        logical_path: &str,
        programs: &BTreeSet<String>,
    ) -> bool {
        self.matcher(query).is_some_and(|matcher| matcher.counts(source, logical_path, programs))
    }

    /// Returns true if a log of an unknown program is searched for all patterns of a query.
    pub(in crate::log) fn is_telling(&self, query: QueryId) -> bool {
        let patterns = self.queries.get(query).map(|query| query.patterns.as_slice()).unwrap_or_default();
        !patterns.is_empty() && patterns.iter().all(|id| self.tells(*id))
    }

    fn tells(&self, id: ExpressionId) -> bool {
        self.expressions.get(id).is_some_and(Expression::is_telling)
    }

    /// Returns the programs without whose lines a source tells nothing to a query.
    pub(in crate::log) fn programs(&self, source: &LogSource, logical_path: &str) -> BTreeSet<&str> {
        self.matchers.iter().flat_map(|matcher| matcher.programs(source, logical_path)).collect()
    }

    /// Returns whether one query may read logs of a node whose names are not known.
    pub fn query_may_read_of(&self, query: QueryId, node: &str) -> bool {
        self.matcher(query).is_some_and(|matcher| matcher.may_accept_of(node))
    }

    /// Returns whether one query reads logs of pods only.
    pub fn query_reads_pods_only(&self, query: QueryId) -> bool {
        self.matcher(query).is_some_and(SourceMatcher::is_of_pods)
    }

    /// Returns whether one query may read a log of a pod; without containers if their names are not known.
    pub fn query_may_read_pod(&self, query: QueryId, namespace: &str, pod: &str, containers: Option<&[&str]>) -> bool {
        self.matcher(query).is_some_and(|matcher| matcher.may_accept_pod(namespace, pod, containers))
    }

    /// Returns for each distinct selector whether it accepts a source.
    pub(in crate::log) fn accepted(&self, source: &LogSource, logical_path: &str) -> Arc<[bool]> {
        let ask = || self.matchers.iter().map(|matcher| matcher.accepts(source, logical_path)).collect();
        self.accepted.get(source).cloned().unwrap_or_else(ask)
    }

    /// Returns the queries whose selectors are among the accepted ones.
    pub(in crate::log) fn queries_of(&self, accepted: &[bool]) -> impl Iterator<Item = QueryId> {
        let accepts = |query: &CompiledQuery| accepted.get(query.matcher) == Some(&true);
        self.queries.iter().enumerate().filter(move |(_, query)| accepts(query)).map(|(id, _)| id)
    }

    /// Returns the patterns that turned out to be too large.
    pub(in crate::log) fn unusable(&self) -> impl Iterator<Item = &str> {
        self.expressions.iter().filter(|e| e.is_unusable()).map(Expression::text)
    }

    pub(in crate::log) fn plan(&self, key: PlanKey) -> Arc<Plan> {
        let cell = {
            let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(plans.entry(key.clone()).or_default())
        };
        // Built outside the lock, so that other classes of sources do not wait.
        Arc::clone(cell.get_or_init(|| Arc::new(self.build_plan(&key))))
    }

    fn build_plan(&self, key: &PlanKey) -> Plan {
        let multiline = |id: &QueryId| self.queries.get(*id).is_some_and(|query| query.source.multiline);
        let ids: Vec<QueryId> =
            self.queries_of(&key.accepted).filter(|id| multiline(id) == (key.unit == TextUnit::Entry)).collect();
        let telling = |ids: &[ExpressionId]| ids.iter().copied().filter(|id| self.tells(*id)).collect();
        let used = ids.iter().filter_map(|id| self.queries.get(*id)).map(|query| query.patterns.as_slice());
        let used: Vec<Cow<'_, [ExpressionId]>> = match key.has_unknown_writer {
            true => used.map(|ids| Cow::Owned(telling(ids))).collect(),
            false => used.map(Cow::Borrowed).collect(),
        };
        Plan::new(ids, &used, self.literals.get_or_init(|| LiteralTable::new(&self.expressions)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::pattern::compile::QueryPart;
    use crate::log::pattern::query::{AtLeast, GroupKey};
    use crate::log::source::origin::SourceOrigin;
    use crate::log::source::selector::{Selector, SourceGlob};
    use crate::log::time::clock::Clock;

    fn query(unit: &str, pattern: &str) -> LogQuery {
        let glob = SourceGlob { unit: Some(unit.to_owned()), ..SourceGlob::default() };
        LogQuery { selector: Selector { any: vec![glob] }, patterns: vec![pattern.to_owned()], ..LogQuery::default() }
    }

    fn unit(unit: &str) -> LogSource {
        let origin = SourceOrigin::Unit { node: "n1".to_owned(), unit: unit.to_owned() };
        LogSource { entry: unit.into(), origin }
    }

    #[test]
    fn all_errors_are_reported() {
        let mut bad_except = query("kernel", "fine");
        bad_except.except = vec!["ok".to_owned(), "(".to_owned()];
        let mut bad_key = query("kernel", "a(?<x>.)");
        bad_key.by = vec![GroupKey::Capture("x".to_owned()), GroupKey::Capture("y".to_owned())];
        bad_key.counting.at_least = Some(AtLeast::Distinct("z".to_owned(), 2));
        let errors =
            PatternSet::compile(vec![query("kernel", "[z"), bad_except, bad_key, query("[", "x")]).unwrap_err();
        let places: Vec<(usize, QueryPart)> = errors.iter().map(|e| (e.query, e.which)).collect();
        assert_eq!(
            places,
            [
                (0, QueryPart::Pattern(0)),
                (1, QueryPart::Except(1)),
                (2, QueryPart::By),
                (2, QueryPart::AtLeast),
                (3, QueryPart::Selector)
            ]
        );
        assert_eq!(errors.get(2).unwrap().to_string(), "by: no pattern captures `y`");
    }

    #[test]
    fn unread_sources_get_no_scanner() {
        let set = PatternSet::compile(vec![query("kernel", "x"), query("kubelet", "x")]).unwrap();
        assert!(set.reads(&unit("kernel"), "p") && !set.reads(&unit("iscsid"), "p"));
        assert!(set.query_reads(1, &unit("kubelet"), "p") && !set.query_reads(0, &unit("kubelet"), "p"));
        assert!(set.scanner(&unit("iscsid"), "p", Clock::default()).is_none());
        assert!(set.scanner(&unit("kernel"), "p", Clock::default()).is_some());
    }

    #[test]
    fn a_log_of_any_program_is_searched_for_what_tells_its_program() {
        let set =
            PatternSet::compile(vec![query("kernel", "failed to sync endpoint slices"), query("etcd", "timed out")]);
        let set = set.unwrap();
        let log = LogSource { entry: "x.log".into(), origin: SourceOrigin::Unknown { pasted: false } };
        let accepted = set.accepted(&log, "x.log");
        assert_eq!(*accepted, [true, true]);
        let plan = set.plan(PlanKey { accepted, unit: TextUnit::Line, has_unknown_writer: true });
        assert_eq!(plan.patterns.iter().map(Vec::len).collect::<Vec<_>>(), [1, 0]);
        assert!(set.query_reads(0, &log, "x.log") && !set.query_counts(0, &log, "x.log", &BTreeSet::new()));
    }

    #[test]
    fn plans_are_shared() {
        let set = PatternSet::compile(vec![query("k*", "x"), query("kernel", "x"), query("k*", "y")]).unwrap();
        assert_eq!((set.expressions.len(), set.matchers.len()), (2, 2));
        let plan = |name: &str| {
            let accepted = set.accepted(&unit(name), "p");
            set.plan(PlanKey { accepted, unit: TextUnit::Line, has_unknown_writer: false })
        };
        let (first, again) = (plan("kubelet"), plan("k3s"));
        assert!(Arc::ptr_eq(&first, &again));
        assert_eq!(first.queries, [0, 2]);
        assert_eq!(plan("kernel").queries, [0, 1, 2]);
    }
}
