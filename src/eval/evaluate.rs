//! Runs all rules over a bundle.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use crate::dependency::DependencyGraph;
use crate::eval::finding::declared::Compared;
use crate::eval::finding::findings::{FindingOptions, findings};
use crate::eval::finding::span::Clock;
use crate::eval::finding::{checked, fold};
use crate::eval::input::Input;
use crate::eval::join::bind::join;
use crate::eval::join::combination::Combination;
use crate::eval::outcome::{self, Applicability, Outcome};
use crate::model::message::{Caveat, FindingProblem, Reason, RuleProblem};
use crate::model::{Component, Confidence, Finding, Issue, IssueKind, Lang, OpenFinding, RuleOutcomes, RuleReason};
use crate::resource::ResourceId;
use crate::rule::{Fact, FactKind, Rule, RuleSet};

/// Result of all rules.
#[derive(Debug, Default)]
pub struct Evaluation {
    /// Findings in the order of rules and objects, not sorted by rank.
    pub findings: Vec<Finding>,
    pub rules: RuleOutcomes,
    pub issues: Vec<Issue>,
    /// Steps that each rule took which was evaluated to the end: how much work the bundle was, whatever the machine.
    pub steps: BTreeMap<String, u64>,
    /// Faults without a cause, with what they depend on.
    pub open: Vec<OpenFinding>,
    /// Events that findings are made of.
    pub events: BTreeSet<ResourceId>,
    /// What findings break.
    pub broken: BTreeSet<Component>,
}

/// Runs all rules, in parallel on the current thread pool; findings have their texts in `lang`.
pub fn evaluate(set: &RuleSet, input: &Input, lang: Lang) -> Evaluation {
    let compared = Compared::of(set);
    let assumed = input.at_assumed_times();
    let answer = |rule: &Rule| answer_at_any_time(input, assumed.as_ref(), rule, lang, &compared);
    // Each rule is taken alone: in quarters of the set, the last quarter kept one core busy while the other waited for two seconds of six.
    let answers: Vec<Answered> = set.rules.par_iter().with_max_len(1).map(answer).collect();
    let mut evaluation = Evaluation::default();
    let mut found = Vec::new();
    for (rule, Answered { outcome, problems, steps }) in set.rules.iter().zip(answers) {
        evaluation.steps.insert(rule.id.clone(), steps);
        let of_rule = |problem| RuleProblem::OfRule { rule: rule.id.clone(), problem };
        let issue = |problem| Issue::general(IssueKind::Rule, of_rule(problem));
        evaluation.issues.extend(problems.into_iter().map(issue));
        let reason = |reason: Reason| RuleReason { rule: rule.id.clone(), reason };
        match outcome {
            Outcome::Fired(findings, uncollected) => {
                evaluation.rules.fired.push(rule.id.clone());
                evaluation.rules.fired_partly.extend(uncollected.map(reason));
                found.extend(findings);
            }
            Outcome::Clean => evaluation.rules.clean.push(rule.id.clone()),
            Outcome::CleanPartly(why) => evaluation.rules.clean_partly.push(reason(why)),
            Outcome::NotEvaluated(why) => evaluation.rules.not_evaluated.push(reason(why)),
            Outcome::NotApplicable(why) => evaluation.rules.not_applicable.push(reason(why)),
        }
    }
    let resources = &input.world.resources;
    let mut graph = DependencyGraph::new(resources);
    fold::fold(set, &mut found, &mut graph, Clock { now: input.world.now });
    evaluation.open = checked::note(set, &mut found, (&mut graph, input), &evaluation.rules);
    evaluation.events = found.iter().flat_map(|found| found.events.iter().copied()).collect();
    evaluation.broken = found.iter().flat_map(|found| found.breaks.iter().cloned()).collect();
    evaluation.findings = found.into_iter().map(|f| f.finding).collect();
    evaluation.issues.extend(input.world.take_problems());
    evaluation
}

/// Answer of a rule with its problems and steps.
struct Answered {
    outcome: Outcome,
    problems: Vec<FindingProblem>,
    steps: u64,
}

/// Evaluates one rule. Where it cannot be decided without the time of collection, it fires if it has the same findings at the earliest
/// and at the latest time that are taken for possible: what has lasted by then has lasted. Without findings it stays open, as a condition
/// may hold in between only.
fn answer_at_any_time(
    input: &Input,
    assumed: Option<&[Input; 2]>,
    rule: &Rule,
    lang: Lang,
    compared: &Compared<'_>,
) -> Answered {
    let open = answer_within_bounds(input, rule, lang, compared);
    let Some(assumed) = assumed.filter(|_| matches!(open.outcome, Outcome::NotEvaluated(_))) else { return open };
    let [early, late] = assumed.each_ref().map(|input| answer_within_bounds(input, rule, lang, compared));
    let (Outcome::Fired(mut found, why), Outcome::Fired(later, _)) = (early.outcome, late.outcome) else { return open };
    let later: BTreeSet<String> = later.into_iter().map(|found| found.finding.fingerprint).collect();
    found.retain(|found| later.contains(&found.finding.fingerprint));
    if found.is_empty() {
        return open;
    }
    Answered { outcome: Outcome::Fired(found, why), problems: early.problems, steps: early.steps }
}

/// Evaluates one rule within the limits of one rule.
fn answer_within_bounds(input: &Input, rule: &Rule, lang: Lang, compared: &Compared<'_>) -> Answered {
    let input = input.for_rule();
    let (outcome, mut problems) = answer_rule(&input, rule, lang, compared);
    if let Some(reason) = input.world.exhausted() {
        return Answered { outcome: Outcome::NotEvaluated((**reason).clone()), problems: Vec::new(), steps: 0 };
    }
    let outcome = match outcome {
        Outcome::Clean => {
            let why = input.world.misread().or_else(|| writer_unknown(&input, rule));
            why.map_or(Outcome::Clean, Outcome::CleanPartly)
        }
        outcome => outcome,
    };
    problems.extend(input.world.refused_decodings().map(|reason| FindingProblem::Undecided { reason }));
    Answered { outcome, problems, steps: input.world.steps() }
}

/// Returns why the logs that a rule reads may not be all that there are: they do not tell which programs wrote them.
fn writer_unknown(input: &Input, rule: &Rule) -> Option<Reason> {
    let logs = rule.facts.iter().flat_map(Fact::kinds).flat_map(FactKind::logs);
    let mut unknown = logs.filter_map(|log| input.logs.answer(log.query).unknown_writer.as_ref());
    unknown.next().map(|entry| Reason::WriterUnknown { entry: entry.to_string() })
}

fn answer_rule(input: &Input, rule: &Rule, lang: Lang, compared: &Compared<'_>) -> (Outcome, Vec<FindingProblem>) {
    let applicability = outcome::applicability(input, rule);
    let product_unknown = match &applicability {
        Applicability::No(reason) => return (Outcome::NotApplicable(reason.clone()), Vec::new()),
        Applicability::Withheld(reason) => return (Outcome::NotEvaluated(reason.clone()), Vec::new()),
        Applicability::Undecided(reason) => Some(reason.clone()),
        Applicability::Yes | Applicability::Unknown(_) => None,
    };
    let mut joined = join(input, rule, &mut ());
    let (fired, undecided): (Vec<_>, Vec<_>) =
        std::mem::take(&mut joined.combinations).into_iter().partition(Combination::is_decided);
    if fired.is_empty() || joined.overflow {
        joined.combinations = undecided;
        let answer = match (outcome::without_findings(&joined), product_unknown) {
            (Outcome::Clean | Outcome::CleanPartly(_), Some(reason)) => Outcome::NotEvaluated(reason),
            (answer, _) => answer,
        };
        return (answer, Vec::new());
    }
    let (most, caveat) = match applicability {
        Applicability::Unknown(caveat) => (Confidence::Likely, Some(caveat)),
        Applicability::Undecided(_) => (Confidence::Hint, None),
        _ if input.world.is_assumed => (Confidence::Likely, Some(Caveat::TimeUnknown)),
        Applicability::Yes | Applicability::Withheld(_) | Applicability::No(_) => (Confidence::Certain, None),
    };
    let id = rule.id.as_str();
    let options = FindingOptions {
        most,
        caveat: caveat.as_ref(),
        timed: compared.timed.contains(id),
        linked: compared.linked.contains(id),
        spanned: compared.spanned.contains(id),
        lang,
    };
    let mut problems = Vec::new();
    let uncollected = outcome::uncollected(&fired, &undecided);
    let found = findings(input, rule, rule.texts_in(lang), fired, options, &mut problems);
    (Outcome::Fired(found, uncollected), problems)
}
