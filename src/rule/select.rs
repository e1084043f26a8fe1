//! `--only` and `--skip`: fewer rules, and only the log queries that they need.

use crate::log::LogQuery;
use crate::model::FindingClass;
use crate::rule::compiled::{Rule, RuleSet};
use crate::rule::error::did_you_mean;
use crate::rule::fact::{Fact, FactKind};

/// An id or alias that no loaded rule has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no rule \"{name}\"{near}")]
pub struct UnknownRule {
    pub name: String,
    /// `; did you mean ...?`, or nothing.
    pub near: String,
}

impl RuleSet {
    /// The rule of that id or alias.
    pub fn find(&self, name: &str) -> Option<&Rule> {
        self.rules
            .iter()
            .find(|rule| rule.id == name)
            .or_else(|| self.rules.iter().find(|rule| rule.aliases.iter().any(|alias| alias == name)))
    }

    /// A set of these rules alone, as [`RuleSet::select`] makes it.
    ///
    /// # Errors
    /// The first name that no rule has.
    pub fn subset(&self, names: &[String]) -> Result<Self, UnknownRule> {
        let ids = self.resolve(names)?;
        let rules = self.rules.iter().filter(|rule| ids.contains(&rule.id)).cloned().collect();
        let (known_lines, collections) = (self.known_lines.clone(), self.collections.clone());
        let mut set = Self { rules, queries: Vec::new(), warnings: Vec::new(), known_lines, collections };
        set.drop_explanations();
        // A copy of all of them would be most of the time of a test.
        set.queries = queries_of(&mut set.rules, |query| self.queries.get(query).cloned());
        Ok(set)
    }

    /// Keeps the rules named by `only` (all when it is empty) but for those named by `skip`.
    /// Explanations of rules that are not kept are dropped.
    ///
    /// # Errors
    /// The first name that no rule has.
    pub fn select(mut self, only: &[String], skip: &[String]) -> Result<Self, UnknownRule> {
        let (only, skip) = (self.resolve(only)?, self.resolve(skip)?);
        self.rules.retain(|rule| (only.is_empty() || only.contains(&rule.id)) && !skip.contains(&rule.id));
        self.drop_explanations();
        self.drop_queries();
        Ok(self)
    }

    /// Keeps the rules of these classes; all if there are none. Explanations of rules that are not kept are dropped.
    #[must_use]
    pub fn of_classes(mut self, classes: &[FindingClass]) -> Self {
        if !classes.is_empty() {
            self.rules.retain(|rule| classes.contains(&rule.class));
            self.drop_explanations();
            self.drop_queries();
        }
        self
    }

    fn drop_explanations(&mut self) {
        let ids: Vec<String> = self.rules.iter().map(|rule| rule.id.clone()).collect();
        for rule in &mut self.rules {
            rule.explains.retain(|explained| ids.binary_search(&explained.rule).is_ok());
        }
    }

    fn resolve(&self, names: &[String]) -> Result<Vec<String>, UnknownRule> {
        let resolve = |name: &String| self.find(name).map(|rule| rule.id.clone()).ok_or_else(|| self.unknown(name));
        names.iter().map(resolve).collect()
    }

    fn unknown(&self, name: &str) -> UnknownRule {
        let known = self.rules.iter().flat_map(|rule| std::iter::once(&rule.id).chain(&rule.aliases));
        UnknownRule { name: name.to_owned(), near: did_you_mean(name, known.map(String::as_str)) }
    }

    /// Drops log queries that no rule uses.
    fn drop_queries(&mut self) {
        let mut queries: Vec<Option<LogQuery>> = std::mem::take(&mut self.queries).into_iter().map(Some).collect();
        self.queries = queries_of(&mut self.rules, |query| queries.get_mut(query).and_then(Option::take));
    }
}

/// Returns the log queries of rules, which refer to them by their new places; `of` returns that of an old place.
fn queries_of(rules: &mut [Rule], mut of: impl FnMut(usize) -> Option<LogQuery>) -> Vec<LogQuery> {
    let mut queries = Vec::new();
    let facts = rules.iter_mut().flat_map(|rule| &mut rule.facts);
    for log in facts.flat_map(Fact::kinds_mut).flat_map(FactKind::logs_mut) {
        if let Some(query) = of(log.query) {
            log.query = queries.len();
            queries.push(query);
        }
    }
    queries
}
