//! The [`PatternSet`]: all log queries of all rules, compiled once and shared by all threads.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use jiff::Timestamp;

use super::boot;
use super::entry::Unit;
use super::expression::Expression;
use super::jq::Filter;
use super::kept::Keep;
use super::plan::{ExpressionId, Plan};
use super::scan::Scanner;
use super::source::Matcher;
use super::{AtLeast, GroupKey, LogQuery, LogSource, QueryId};

/// Distinct values of a capture that a group keeps.
pub(super) const MAX_VALUES: usize = 100;
/// `at_least` on a capture can ask for so many values at most.
const MAX_DISTINCT: u64 = 10_000;

/// When the bundle was made.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clock {
    /// Collection time: the end of `since`, and where stamps without year end.
    pub now: Option<Timestamp>,
    /// Seconds east of UTC of the clocks of the hosts, where the bundle tells; logs of hosts without zone are in it.
    pub zone: Option<i32>,
}

/// A query that cannot be compiled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{which}: {message}")]
pub struct PatternError {
    pub query: QueryId,
    pub which: QueryPart,
    pub message: String,
}

/// A part of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryPart {
    /// Index in [`LogQuery::patterns`].
    Pattern(usize),
    /// Index in [`LogQuery::except`].
    Except(usize),
    Jq,
    Selector,
    By,
    AtLeast,
    Distinct,
    Max,
}

impl std::fmt::Display for QueryPart {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Pattern(index) => write!(f, "match {}", index + 1),
            Self::Except(index) => write!(f, "except {}", index + 1),
            Self::Jq => f.write_str("jq"),
            Self::Selector => f.write_str("stream"),
            Self::By => f.write_str("by"),
            Self::AtLeast => f.write_str("at_least"),
            Self::Distinct => f.write_str("distinct"),
            Self::Max => f.write_str("max"),
        }
    }
}

/// All queries, ready to be scanned for.
#[derive(Debug, Default)]
pub struct PatternSet {
    pub(super) queries: Vec<Query>,
    pub(super) expressions: Vec<Expression>,
    pub(super) filters: Vec<Filter>,
    matchers: Vec<Matcher>,
    plans: Mutex<Plans>,
    /// Looks for boots, if any query asks for them.
    boots: Option<QueryId>,
    /// Which distinct selectors accept several files of one writer.
    crowded: HashMap<String, Vec<bool>>,
}

/// Plans made so far, by which matchers accept a source.
type Plans = HashMap<(Vec<bool>, Unit), Arc<OnceLock<Arc<Plan>>>>;

/// One compiled [`LogQuery`].
#[derive(Debug)]
pub(super) struct Query {
    pub source: LogQuery,
    pub patterns: Vec<ExpressionId>,
    pub except: Vec<ExpressionId>,
    /// Index in [`PatternSet::filters`].
    pub jq: Option<usize>,
    matcher: usize,
}

impl Query {
    /// The captures among the keys of a group, in their order.
    pub fn key_captures(&self) -> impl Iterator<Item = &str> {
        self.source.by.iter().filter_map(|key| match key {
            GroupKey::Capture(name) => Some(name.as_str()),
            GroupKey::Node | GroupKey::Pod | GroupKey::Source => None,
        })
    }

    /// Whether it takes all sources to tell if a hit counts.
    fn needs_hits(&self) -> bool {
        self.source.counting.within.is_some() || self.asks_for_boots()
    }

    fn asks_for_boots(&self) -> bool {
        self.source.boot_current || self.source.after_boot.is_some()
    }

    /// How many distinct values of a capture a group must know while it grows.
    pub fn values_kept(&self, capture: &str) -> usize {
        if self.source.counting.distinct.as_deref() == Some(capture) {
            return MAX_DISTINCT as usize;
        }
        match &self.source.counting.at_least {
            Some(AtLeast::Distinct(name, wanted)) if name == capture => {
                usize::try_from(*wanted.min(&MAX_DISTINCT)).map_or(MAX_VALUES, |wanted| wanted.max(MAX_VALUES))
            }
            _ => MAX_VALUES,
        }
    }
}

impl PatternSet {
    /// Compiles all queries; a query's index is its [`QueryId`].
    ///
    /// # Errors
    /// Every part of every query that is wrong.
    pub fn compile(queries: Vec<LogQuery>) -> Result<Self, Vec<PatternError>> {
        let mut compiler = Compiler::default();
        let mut compiled: Vec<Query> =
            queries.into_iter().enumerate().map(|(id, query)| compiler.query(id, query)).collect();
        let boots = compiled.iter().any(Query::asks_for_boots).then_some(compiled.len());
        compiled.extend(boots.map(|id| compiler.query(id, boot::query())));
        if !compiler.errors.is_empty() {
            return Err(compiler.errors);
        }
        Ok(Self {
            queries: compiled,
            expressions: compiler.expressions,
            filters: compiler.filters,
            matchers: compiler.matchers,
            plans: Mutex::default(),
            boots,
            crowded: HashMap::new(),
        })
    }

    /// Tells which sources will be scanned, with their paths without archive layers: where several files have one
    /// writer, the copies of a line count once.
    pub fn expect(&mut self, sources: &[(LogSource, String)]) {
        let mut counts: HashMap<String, Vec<usize>> = HashMap::new();
        for (source, path) in sources {
            let Some(writer) = source.writer() else { continue };
            let counts = counts.entry(writer).or_insert_with(|| vec![0; self.matchers.len()]);
            counts.iter_mut().zip(self.accepted(source, path)).for_each(|(count, reads)| *count += usize::from(reads));
        }
        let several = |counts: Vec<usize>| counts.into_iter().map(|count| count > 1).collect();
        self.crowded = counts.into_iter().map(|(writer, counts)| (writer, several(counts))).collect();
    }

    /// Whether a query reads several files of a writer.
    pub(super) fn is_crowded(&self, query: QueryId, writer: &str) -> bool {
        let matcher = self.queries.get(query).map(|query| query.matcher);
        let several = matcher.and_then(|matcher| self.crowded.get(writer)?.get(matcher).copied());
        several == Some(true) && self.boots != Some(query)
    }

    /// What of a query's hits is kept, wherever they come from.
    pub(super) fn keep(&self, query: QueryId) -> Keep {
        let needs_hits = self.boots == Some(query) || self.queries.get(query).is_some_and(Query::needs_hits);
        if needs_hits { Keep::Whole } else { Keep::Nothing }
    }

    /// What of a query's hits in a source of a writer is kept.
    pub(super) fn keep_of(&self, query: QueryId, writer: Option<&str>) -> Keep {
        match self.keep(query) {
            Keep::Nothing if writer.is_some_and(|writer| self.is_crowded(query, writer)) => Keep::Marks,
            keep => keep,
        }
    }

    /// The query that finds the boots of nodes.
    pub(super) fn boots(&self) -> Option<QueryId> {
        self.boots
    }

    /// Whether any query reads this source. `logical_path` is its path without archive layers.
    pub fn reads(&self, source: &LogSource, logical_path: &str) -> bool {
        self.matchers.iter().any(|matcher| matcher.accepts(source, logical_path))
    }

    /// Whether one query reads this source.
    pub fn query_reads(&self, query: QueryId, source: &LogSource, logical_path: &str) -> bool {
        let matcher = self.queries.get(query).and_then(|query| self.matchers.get(query.matcher));
        matcher.is_some_and(|matcher| matcher.accepts(source, logical_path))
    }

    /// A scanner for one source; none when no query reads it.
    pub fn scanner(&self, source: &LogSource, logical_path: &str, clock: Clock) -> Option<Scanner<'_>> {
        let accepted = self.accepted(source, logical_path);
        accepted.contains(&true).then(|| {
            let plans = [Unit::Line, Unit::Entry].map(|unit| self.plan(&accepted, unit));
            Scanner::new(self, plans, source.clone(), clock)
        })
    }

    /// Which distinct selectors accept a source.
    pub(super) fn accepted(&self, source: &LogSource, logical_path: &str) -> Vec<bool> {
        self.matchers.iter().map(|matcher| matcher.accepts(source, logical_path)).collect()
    }

    /// The queries whose selectors are among the accepted ones.
    pub(super) fn queries_of(&self, accepted: &[bool]) -> impl Iterator<Item = QueryId> {
        let accepts = |query: &Query| accepted.get(query.matcher) == Some(&true);
        self.queries.iter().enumerate().filter(move |(_, query)| accepts(query)).map(|(id, _)| id)
    }

    /// Patterns that turned out too large to search for.
    pub(super) fn unusable(&self) -> impl Iterator<Item = &str> {
        self.expressions.iter().filter(|e| e.is_unusable()).map(Expression::text)
    }

    fn plan(&self, accepted: &[bool], unit: Unit) -> Arc<Plan> {
        let cell = {
            let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(plans.entry((accepted.to_vec(), unit)).or_default())
        };
        // Built outside the lock: other classes of sources need not wait.
        Arc::clone(cell.get_or_init(|| Arc::new(self.build_plan(accepted, unit))))
    }

    fn build_plan(&self, accepted: &[bool], unit: Unit) -> Plan {
        let multiline = |id: &QueryId| self.queries.get(*id).is_some_and(|query| query.source.multiline);
        let ids: Vec<QueryId> = self.queries_of(accepted).filter(|id| multiline(id) == (unit == Unit::Entry)).collect();
        let used: Vec<&[ExpressionId]> =
            ids.iter().filter_map(|id| self.queries.get(*id)).map(|query| query.patterns.as_slice()).collect();
        Plan::new(ids, &used, &self.expressions)
    }
}

/// Compiles queries; equal patterns, filters and selectors are compiled once.
#[derive(Default)]
struct Compiler {
    expressions: Vec<Expression>,
    by_text: HashMap<String, ExpressionId>,
    filters: Vec<Filter>,
    matchers: Vec<Matcher>,
    by_selector: Vec<super::Selector>,
    errors: Vec<PatternError>,
}

impl Compiler {
    fn query(&mut self, id: QueryId, query: LogQuery) -> Query {
        let patterns = self.expressions_of(id, &query.patterns, QueryPart::Pattern);
        let except = self.expressions_of(id, &query.except, QueryPart::Except);
        let jq = query.jq.as_deref().and_then(|text| self.filter(id, text));
        self.check_captures(id, &query, &patterns);
        let matcher = self.matcher(id, &query);
        Query { source: query, patterns, except, jq, matcher }
    }

    fn expressions_of(&mut self, id: QueryId, texts: &[String], part: fn(usize) -> QueryPart) -> Vec<ExpressionId> {
        let mut ids = Vec::with_capacity(texts.len());
        for (index, text) in texts.iter().enumerate() {
            match self.expression(text) {
                Ok(expression) => ids.push(expression),
                Err(message) => self.errors.push(PatternError { query: id, which: part(index), message }),
            }
        }
        ids
    }

    fn expression(&mut self, text: &str) -> Result<ExpressionId, String> {
        if let Some(known) = self.by_text.get(text) {
            return Ok(*known);
        }
        self.expressions.push(Expression::new(text)?);
        let id = self.expressions.len() - 1;
        self.by_text.insert(text.to_owned(), id);
        Ok(id)
    }

    fn filter(&mut self, id: QueryId, text: &str) -> Option<usize> {
        if let Some(known) = self.filters.iter().position(|filter| filter.text() == text) {
            return Some(known);
        }
        match Filter::compile(text) {
            Ok(filter) => self.filters.push(filter),
            Err(error) => {
                self.errors.push(PatternError { query: id, which: QueryPart::Jq, message: error.message });
                return None;
            }
        }
        Some(self.filters.len() - 1)
    }

    /// Captures that `by` and `at_least` name must exist in one of the patterns.
    fn check_captures(&mut self, id: QueryId, query: &LogQuery, patterns: &[ExpressionId]) {
        if patterns.len() < query.patterns.len() {
            return;
        }
        let used = patterns.iter().filter_map(|id| self.expressions.get(*id));
        let names: Vec<&str> = used.flat_map(|e| e.captures().map(|(_, name)| name)).collect();
        let missing = |name: &str| (!names.contains(&name)).then(|| format!("no pattern captures `{name}`"));
        let mut found = Vec::new();
        for key in &query.by {
            if let GroupKey::Capture(name) = key {
                found.extend(missing(name).map(|message| (QueryPart::By, message)));
            }
        }
        match &query.counting.at_least {
            Some(AtLeast::Distinct(_, wanted)) if *wanted > MAX_DISTINCT => {
                found.push((QueryPart::AtLeast, format!("more than {MAX_DISTINCT} distinct values are not counted")));
            }
            Some(AtLeast::Distinct(name, _)) => {
                found.extend(missing(name).map(|message| (QueryPart::AtLeast, message)));
            }
            _ => {}
        }
        for (part, name) in [(QueryPart::Distinct, &query.counting.distinct), (QueryPart::Max, &query.counting.max)] {
            found.extend(name.as_deref().and_then(missing).map(|message| (part, message)));
        }
        self.errors.extend(found.into_iter().map(|(which, message)| PatternError { query: id, which, message }));
    }

    fn matcher(&mut self, id: QueryId, query: &LogQuery) -> usize {
        if let Some(known) = self.by_selector.iter().position(|selector| *selector == query.selector) {
            return known;
        }
        match Matcher::new(&query.selector) {
            Ok(matcher) => {
                self.matchers.push(matcher);
                self.by_selector.push(query.selector.clone());
            }
            Err(message) => self.errors.push(PatternError { query: id, which: QueryPart::Selector, message }),
        }
        self.matchers.len().saturating_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Selector, SourceGlob, SourceOrigin};
    use super::*;

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
    fn plans_are_shared() {
        let set = PatternSet::compile(vec![query("k*", "x"), query("kernel", "x"), query("k*", "y")]).unwrap();
        assert_eq!((set.expressions.len(), set.matchers.len()), (2, 2));
        let first = set.plan(&set.accepted(&unit("kubelet"), "p"), Unit::Line);
        let again = set.plan(&set.accepted(&unit("k3s"), "p"), Unit::Line);
        assert!(Arc::ptr_eq(&first, &again));
        assert_eq!(first.queries, [0, 2]);
        assert_eq!(set.plan(&set.accepted(&unit("kernel"), "p"), Unit::Line).queries, [0, 1, 2]);
    }
}
