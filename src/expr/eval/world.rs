//! Data of the bundle that expressions read outside their slots.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;

use crate::model::message::{Reason, RuleProblem, SharedReason, WrongValue};
use crate::model::secret;
use crate::model::{Issue, IssueKind, Origin};
use crate::resource::{Collected, ResourceIndex, TypeName};

use crate::expr::eval::budget::Budget;
use crate::expr::eval::closed::ClosedLoops;
use crate::expr::eval::decodings::Decodings;
use crate::expr::eval::place::FieldPlace;
use crate::expr::eval::printed_rows::PrintedRows;
use crate::expr::eval::stop::Wrong;
use crate::expr::eval::value::Value;
use crate::expr::parse::pattern::Pattern;

/// Maximum of data problems kept: the smallest ones, so that the result does not depend on threads.
const MAX_PROBLEMS: usize = 1000;

/// Most patterns of texts of a rule that are kept, and the steps of compiling one: up to 3 ms.
const MAX_PATTERNS: usize = 16;
const COMPILING: u64 = 100_000;

/// Data of the bundle that expressions read.
#[derive(Debug)]
pub struct World {
    pub resources: Arc<ResourceIndex>,
    /// Collection time.
    pub now: Option<Timestamp>,
    /// Version by product.
    pub versions: BTreeMap<String, String>,
    /// True if a collector hid what may show further products.
    pub hides_products: bool,
    /// True if the collection time is only a day from which ages count: other times are known by their distance to it alone.
    pub is_relative: bool,
    /// True if nobody knows the collection time and this one is assumed.
    pub is_assumed: bool,
    nodes: Value<'static>,
    problems: Arc<Mutex<BTreeMap<ProblemKey, Problem>>>,
    pub(in crate::expr) decodings: Decodings,
    pub(in crate::expr) budget: Budget,
    pub(in crate::expr) rows: Arc<PrintedRows>,
    /// Values of loops that are the same for all combinations.
    pub(in crate::expr) closed: ClosedLoops,
    /// Patterns of texts, which are known only when they run.
    patterns: Mutex<BTreeMap<Box<str>, Pattern>>,
    /// The first problem of this rule, by expression and English.
    misread: Mutex<Option<(ProblemKey, WrongValue)>>,
}

/// Identity of data of the wrong type: it is kept once per expression and message.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ProblemKey {
    expression: Arc<str>,
    /// English of the problem, formatted once because keys are compared often.
    english: String,
}

/// Data of the wrong type, and its field, where known.
#[derive(Debug)]
struct Problem {
    wrong: WrongValue,
    place: Option<FieldPlace>,
}

impl World {
    /// Creates a world over the resources of one bundle.
    pub fn new(resources: Arc<ResourceIndex>, now: Option<Timestamp>, versions: BTreeMap<String, String>) -> Self {
        let (nodes, budget) = (list_nodes(&resources), Budget::new(resources.len()));
        Self {
            rows: Arc::new(PrintedRows::new(resources.len())),
            resources,
            now,
            versions,
            hides_products: false,
            is_relative: false,
            is_assumed: false,
            nodes,
            problems: Arc::default(),
            decodings: Decodings::default(),
            budget,
            closed: ClosedLoops::default(),
            patterns: Mutex::default(),
            misread: Mutex::default(),
        }
    }

    /// Returns the same bundle for one rule, with its own budget and account of decoded texts.
    pub fn for_rule(&self) -> Self {
        Self {
            resources: Arc::clone(&self.resources),
            rows: Arc::clone(&self.rows),
            now: self.now,
            versions: self.versions.clone(),
            hides_products: self.hides_products,
            is_relative: self.is_relative,
            is_assumed: self.is_assumed,
            nodes: self.nodes.clone(),
            problems: Arc::clone(&self.problems),
            decodings: self.decodings.for_rule(),
            budget: Budget::new(self.resources.len()),
            closed: ClosedLoops::default(),
            patterns: Mutex::default(),
            misread: Mutex::default(),
        }
    }

    /// Returns the same bundle as if it had been collected at this time.
    pub fn at(&self, now: Timestamp) -> Self {
        Self {
            now: Some(now),
            is_assumed: true,
            rows: Arc::new(PrintedRows::new(self.resources.len())),
            ..self.for_rule()
        }
    }

    /// Returns whether the cluster is not of this distribution of Kubernetes: those that have a mark in the version of Kubernetes.
    pub(in crate::expr) fn lacks_distribution(&self, name: &str) -> bool {
        let kubernetes =
            self.versions.get("kubernetes").filter(|version| !version.is_empty() && !secret::is_withheld(version));
        matches!(name, "rke2" | "k3s") && kubernetes.is_some_and(|version| !version.contains(&format!("+{name}")))
    }

    /// Returns the reason if this rule met data that a condition of it cannot read, so that it may have passed over what it looks for.
    pub fn misread(&self) -> Option<Reason> {
        let misread = self.misread.lock().unwrap_or_else(PoisonError::into_inner);
        misread.as_ref().map(|(key, wrong)| Reason::WrongData {
            wrong: Box::new(wrong.clone()),
            expression: key.expression.to_string(),
        })
    }

    /// Returns the reason if this rule requested texts beyond its bound.
    pub fn refused_decodings(&self) -> Option<Reason> {
        self.decodings.refused()
    }

    /// Returns the reason if this rule is past one of its bounds: whatever it answered counts for nothing.
    pub fn exhausted(&self) -> Option<&SharedReason> {
        self.budget.spent()
    }

    /// Returns the steps that this rule took.
    pub fn steps(&self) -> u64 {
        self.budget.steps()
    }

    /// Takes steps of this rule's budget; false if it is spent.
    pub fn take_steps(&self, count: usize) -> bool {
        self.budget.step(count as u64).is_ok()
    }

    /// Returns the objects of type `nodes`, or undecided.
    pub fn nodes(&self) -> &Value<'static> {
        &self.nodes
    }

    /// Returns the pattern of a text, which takes as many steps as compiling it takes time.
    pub(in crate::expr) fn pattern(&self, text: &str) -> Result<Result<Pattern, String>, SharedReason> {
        let mut patterns = self.patterns.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = patterns.get(text) {
            return Ok(Ok(known.clone()));
        }
        self.budget.step(COMPILING)?;
        let made = Pattern::new(text);
        if let (true, Ok(pattern)) = (patterns.len() < MAX_PATTERNS, &made) {
            patterns.insert(text.into(), pattern.clone());
        }
        Ok(made)
    }

    /// Notes that an expression met data that it cannot evaluate; one origin per expression and message is kept.
    pub(in crate::expr) fn note(&self, expression: &Arc<str>, wrong: Wrong) {
        let Wrong { problem, place } = wrong;
        let key = ProblemKey { expression: Arc::clone(expression), english: problem.to_string() };
        let mut misread = self.misread.lock().unwrap_or_else(PoisonError::into_inner);
        if misread.as_ref().is_none_or(|(first, _)| key < *first) {
            *misread = Some((key.clone(), problem.clone()));
        }
        let mut problems = self.problems.lock().unwrap_or_else(PoisonError::into_inner);
        let known = problems.entry(key).or_insert(Problem { wrong: problem, place });
        if place.is_some() && (known.place.is_none() || place < known.place) {
            known.place = place;
        }
        if problems.len() > MAX_PROBLEMS {
            problems.pop_last();
        }
    }

    /// Removes and returns the problems noted so far: place, expression and data of the wrong type.
    pub fn take_problems(&self) -> Vec<Issue> {
        let mut problems = self.problems.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = std::mem::take(&mut *problems);
        let issues: BTreeSet<Issue> = taken.into_iter().map(|(key, problem)| self.issue(&key, problem)).collect();
        issues.into_iter().collect()
    }

    fn issue(&self, key: &ProblemKey, problem: Problem) -> Issue {
        let Problem { wrong, place } = problem;
        let problem = RuleProblem::Wrong { wrong, expression: key.expression.to_string() };
        match place {
            Some((id, node)) => {
                let resource = self.resources.resource(id);
                let line = resource.document.node(node).line();
                Issue::at(Origin::line(Arc::clone(&resource.entry), line), IssueKind::Rule, problem)
            }
            None => Issue::general(IssueKind::Rule, problem),
        }
    }
}

fn list_nodes(resources: &ResourceIndex) -> Value<'static> {
    let name = TypeName::parse("nodes");
    let found = resources.of_type(&name);
    match resources.collected(&name, None) {
        // Nodes whose names are hidden are one entry or several.
        Collected::No(reason @ Reason::NamesWithheld { .. }) => return Value::Undecided(reason.into()),
        Collected::No(reason) if found.is_empty() => return Value::Undecided(reason.into()),
        _ => {}
    }
    Value::List(found.iter().map(|id| Value::Resource(*id)).collect())
}
