//! Compiles queries and reports every part of them that is wrong.

use std::collections::HashMap;

use crate::log::jq::filter::Filter;
use crate::log::pattern::compiled_query::{CompiledQuery, MAX_DISTINCT};
use crate::log::pattern::expression::{Expression, ExpressionId};
use crate::log::pattern::query::{AtLeast, GroupKey, LogQuery, QueryId};
use crate::log::source::selector::{Selector, SourceMatcher};

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

/// Compiles queries; equal patterns, filters and selectors are compiled once.
#[derive(Default)]
pub(super) struct Compiler {
    pub expressions: Vec<Expression>,
    by_text: HashMap<String, ExpressionId>,
    pub filters: Vec<Filter>,
    pub matchers: Vec<SourceMatcher>,
    by_selector: Vec<Selector>,
    pub errors: Vec<PatternError>,
}

impl Compiler {
    pub fn query(&mut self, id: QueryId, query: LogQuery) -> CompiledQuery {
        let patterns = self.expressions_of(id, &query, &query.patterns, QueryPart::Pattern);
        let except = self.expressions_of(id, &query, &query.except, QueryPart::Except);
        let jq = query.jq.as_deref().and_then(|text| self.filter(id, text));
        if !query.checked {
            self.check_captures(id, &query, &patterns);
        }
        let matcher = self.matcher(id, &query);
        CompiledQuery { source: query, patterns, except, jq, matcher }
    }

    fn expressions_of(
        &mut self,
        id: QueryId,
        query: &LogQuery,
        texts: &[String],
        part: fn(usize) -> QueryPart,
    ) -> Vec<ExpressionId> {
        let mut ids = Vec::with_capacity(texts.len());
        for (index, text) in texts.iter().enumerate() {
            match self.expression(text, query.checked) {
                Ok(expression) => ids.push(expression),
                Err(message) => self.errors.push(PatternError { query: id, which: part(index), message }),
            }
        }
        ids
    }

    fn expression(&mut self, text: &str, checked: bool) -> Result<ExpressionId, String> {
        if let Some(known) = self.by_text.get(text) {
            return Ok(*known);
        }
        self.expressions.push(if checked { Expression::checked(text) } else { Expression::new(text)? });
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

    /// Checks that one of the patterns has the captures that `by` and `at_least` name.
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
        match SourceMatcher::new(&query.selector) {
            Ok(matcher) => {
                self.matchers.push(matcher);
                self.by_selector.push(query.selector.clone());
            }
            Err(message) => self.errors.push(PatternError { query: id, which: QueryPart::Selector, message }),
        }
        self.matchers.len().saturating_sub(1)
    }
}
