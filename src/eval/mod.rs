//! Evaluates rules over the indexes of a bundle.
//!
//! For each rule: [`candidates`] finds what every fact finds by itself, [`join`] combines them,
//! [`outcome`] says which of the four answers it is, [`finding`] turns combinations into findings
//! with [`evidence`], and [`fold`] puts symptoms under causes once all rules have spoken. Rules are
//! independent of each other until then and run in parallel.

mod candidates;
mod events;
mod evidence;
mod explain;
mod finding;
mod fold;
mod hash;
mod identity;
mod join;
mod matching;
mod near;
mod outcome;
mod record;
mod sequence;
#[cfg(test)]
mod testing;
mod times;
mod union;
mod watch;

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;

use crate::expr::{FileFact, World};
use crate::log::LogIndex;
use crate::model::{Finding, Issue, IssueKind, Lang, Origin, RuleOutcomes, RuleReason};
use crate::rule::text::Renderer;
use crate::rule::{FileShape, Rule, RuleSet};
use crate::yaml::Document;
pub use explain::explain;
use finding::Asked;
use outcome::{Applicability, Outcome};

/// Everything that rules can ask about a bundle.
#[derive(Clone, Debug)]
pub struct Input {
    pub world: Arc<World>,
    pub logs: Arc<LogIndex>,
    /// Entries that a file fact asks for, sorted by path.
    pub files: Arc<[BundleFile]>,
    pub absent: Arc<Absent>,
}

/// Files that should be in the bundle and are not, so that a fact which did not find them proves nothing.
#[derive(Debug, Default)]
pub struct Absent {
    pub files: Vec<AbsentFile>,
    /// Nodes of the cluster of which nothing was collected, or only a part.
    pub nodes: Vec<String>,
    /// Why there may have been any other file.
    pub cut: Option<String>,
}

/// An entry that is known and cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AbsentFile {
    /// Path without archive layers, which globs see.
    pub logical: Arc<str>,
    pub node: Option<String>,
    /// What a command said that should have filled the file, where that is all there is.
    pub said: Option<String>,
}

/// An entry that was kept because a rule asks for it.
#[derive(Debug)]
pub struct BundleFile {
    /// Path of the entry; of a section with its name.
    pub path: Arc<str>,
    /// The entry; with the line on which a section begins.
    pub origin: Origin,
    /// Path without archive layers, which globs see; of a section with its name.
    pub logical: Arc<str>,
    pub node: Option<String>,
    pub text: Arc<str>,
    /// Read in each way that rules ask for.
    pub data: BTreeMap<FileShape, Arc<Document>>,
}

impl BundleFile {
    fn as_shape(&self, shape: FileShape) -> Arc<FileFact> {
        let data = self.data.get(&shape).cloned();
        let (path, origin) = (self.path.clone(), self.origin.clone());
        Arc::new(FileFact { path, origin, node: self.node.clone(), text: self.text.clone(), data })
    }
}

/// What all rules together have to say.
#[derive(Debug, Default)]
pub struct Evaluation {
    /// Unsorted as to rank; in the order of rules and objects.
    pub findings: Vec<Finding>,
    pub rules: RuleOutcomes,
    pub issues: Vec<Issue>,
}

/// Runs all rules, in parallel on the current thread pool; findings have their texts in `lang`.
pub fn evaluate(set: &RuleSet, input: &Input, lang: Lang) -> Evaluation {
    let timed = fold::timed(set);
    let answer = |rule: &Rule| run_alone(input, rule, lang, timed.contains(rule.id.as_str()));
    let answers: Vec<(Outcome, Vec<String>)> = set.rules.par_iter().map(answer).collect();
    let mut evaluation = Evaluation::default();
    let mut found = Vec::new();
    for (rule, (outcome, problems)) in set.rules.iter().zip(answers) {
        let about_rule = |problem: String| Issue::general(IssueKind::Rule, format!("{}: {problem}", rule.id));
        evaluation.issues.extend(problems.into_iter().map(about_rule));
        let reason = |reason: String| RuleReason { rule: rule.id.clone(), reason };
        match outcome {
            Outcome::Fired(findings) => {
                evaluation.rules.fired.push(rule.id.clone());
                found.extend(findings);
            }
            Outcome::Clean => evaluation.rules.clean.push(rule.id.clone()),
            Outcome::NotEvaluated(why) => evaluation.rules.not_evaluated.push(reason(why)),
            Outcome::NotApplicable(why) => evaluation.rules.not_applicable.push(reason(why)),
        }
    }
    fold::fold(set, &mut found);
    evaluation.findings = found.into_iter().map(|f| f.finding).collect();
    evaluation.issues.extend(input.world.take_problems());
    evaluation
}

/// One rule's answer within the bounds of one rule, and what went wrong on the way. `timed`: the times of its findings
/// are compared.
fn run_alone(input: &Input, rule: &Rule, lang: Lang, timed: bool) -> (Outcome, Vec<String>) {
    let input = Input { world: Arc::new(input.world.for_rule()), ..input.clone() };
    let (outcome, mut problems) = run(&input, rule, lang, timed, &Renderer::new(input.world.clone()));
    problems.extend(input.world.refused_decodings());
    (outcome, problems)
}

fn run(input: &Input, rule: &Rule, lang: Lang, timed: bool, renderer: &Renderer) -> (Outcome, Vec<String>) {
    let applicability = outcome::applicability(input, rule);
    let untold = match &applicability {
        Applicability::No(reason) => return (Outcome::NotApplicable(reason.clone()), Vec::new()),
        Applicability::Untold(reason) => Some(reason.clone()),
        Applicability::Yes | Applicability::Unknown => None,
    };
    let mut joined = join::join_find(input, rule, &mut ());
    join::apply_unless(input, rule, &mut joined, &mut ());
    let (fired, undecided): (Vec<_>, Vec<_>) =
        std::mem::take(&mut joined.combinations).into_iter().partition(|row| row.undecided.is_none());
    if fired.is_empty() || joined.overflow {
        joined.combinations = undecided;
        let answer = match (outcome::silent(&joined), untold) {
            (Outcome::Clean, Some(reason)) => Outcome::NotEvaluated(reason),
            (answer, _) => answer,
        };
        return (answer, Vec::new());
    }
    let hint = applicability != Applicability::Yes;
    let mut problems = Vec::new();
    let found =
        finding::findings(input, rule, rule.texts_in(lang), renderer, fired, Asked { hint, timed }, &mut problems);
    (Outcome::Fired(found), problems)
}
