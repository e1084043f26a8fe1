//! Makes findings from combinations: merges them by their subject, with texts and evidence.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use sha2::{Digest, Sha256};

use crate::eval::finding::evidence::evidence;
use crate::eval::finding::foldable::FoldableFinding;
use crate::eval::finding::names::Names;
use crate::eval::finding::reach::{Reach, SharedLists};
use crate::eval::finding::span::Span;
use crate::eval::finding::subject::Subject;
use crate::eval::finding::times::{MAX_TIMES, Times};
use crate::eval::identity::{detail, identity, objects_of};
use crate::eval::input::Input;
use crate::eval::join::combination::Combination;
use crate::expr::{Expr, Slot, Truth, Value};
use crate::model::message::{Caveat, CommandProblem, FindingProblem, Message};
use crate::model::{Component, Confidence, Finding, Histogram, Lang, ObjectRef, RemedyStep, Severity, TimedText};
use crate::resource::ResourceId;
use crate::rule::listing::short_title;
use crate::rule::text::{Renderer, Template, TextFailure};
use crate::rule::{RemedyTemplates, Rule, Texts};

/// Largest number of findings of a rule: no one reads more, and every finding takes some 20 KB.
const MAX_FINDINGS: usize = 2_000;

/// Options of the findings of a rule.
#[derive(Clone, Copy, Debug)]
pub struct FindingOptions<'o> {
    /// Highest confidence: what is not known about an affected product lowers that of the rule.
    pub most: Confidence,
    /// Sentence that their messages end with.
    pub caveat: Option<&'o Caveat>,
    /// True if their times are compared with findings of other rules.
    pub timed: bool,
    /// True if the rule explains others, or is explained by one.
    pub linked: bool,
    /// True if its times are compared with those of findings on the same node.
    pub spanned: bool,
    /// Language of what the renderer says itself.
    pub lang: Lang,
}

/// Makes one finding for each identity of `about`, in the order of identities.
///
/// `texts` are those of the rule in the language of the report. Those that cannot be rendered are reported in `problems`
/// and left as they are written.
pub fn findings<'a>(
    input: &'a Input,
    rule: &Rule,
    texts: &Texts,
    rows: Vec<Combination<'a>>,
    options: FindingOptions<'_>,
    problems: &mut Vec<FindingProblem>,
) -> Vec<FoldableFinding> {
    let order = order(rule);
    let lists = SharedLists::default();
    let mut merged: BTreeMap<Vec<String>, Vec<(RowKey, Combination<'a>)>> = BTreeMap::new();
    for row in rows {
        let about = rule.about.iter().map(|&slot| subject(input, &row.values[slot])).collect();
        let whole = order.iter().map(|&slot| identity(&input.world, &row.values[slot])).collect();
        let details = order.iter().map(|&slot| detail(&row.values[slot])).collect();
        merged.entry(about).or_default().push(((whole, details), row));
    }
    if merged.len() > MAX_FINDINGS {
        let more = merged.len() - MAX_FINDINGS;
        problems.push(FindingProblem::TooManyFindings { more, most: MAX_FINDINGS });
    }
    merged
        .into_iter()
        .take(MAX_FINDINGS)
        .map(|(about, mut rows)| {
            rows.sort_by(|a, b| a.0.cmp(&b.0));
            let rows: Vec<Combination<'a>> = rows.into_iter().map(|(_, row)| row).collect();
            Maker {
                input,
                rule,
                texts,
                renderer: Renderer::new(&input.world, options.lang),
                rows: &rows,
                lists: &lists,
                options,
                problems,
            }
            .make(&about)
        })
        .collect()
}

/// Returns the name of a value of `about`. Two undecided values are never known to agree; their reasons name what they
/// would have been read from.
fn subject(input: &Input, value: &Value<'_>) -> String {
    match value {
        Value::Undecided(reason) => reason.to_string(),
        known => identity(&input.world, known),
    }
}

/// Identities of what a combination binds, and what distinguishes equal ones.
type RowKey = (Vec<String>, Vec<String>);

/// Returns the slots of `find` by which combinations are sorted: those of `about`, then by name.
fn order(rule: &Rule) -> Vec<Slot> {
    let mut rest: Vec<Slot> = (0..rule.find).filter(|slot| !rule.about.contains(slot)).collect();
    rest.sort_by_key(|&slot| &rule.names[slot]);
    rule.about.iter().copied().chain(rest).collect()
}

/// Returns the slots of `find` in the order in which their objects are named: those of `about`, those that elements and
/// values among them are taken from, then required ones before the rest, each by name.
fn subjects(rule: &Rule) -> Vec<Slot> {
    let mut slots = rule.about.clone();
    let mut at = 0;
    while let Some(&slot) = slots.get(at) {
        for expr in rule.facts[slot].expressions() {
            slots.extend(expr.slots().iter().copied().filter(|s| !slots.contains(s)).collect::<Vec<_>>());
        }
        at += 1;
    }
    let mut rest: Vec<Slot> = (0..rule.find).filter(|slot| !slots.contains(slot)).collect();
    rest.sort_by_key(|&slot| (!rule.facts[slot].is_required(), &rule.names[slot]));
    slots.extend(rest);
    slots
}

struct Maker<'m, 'a> {
    input: &'a Input,
    rule: &'m Rule,
    texts: &'m Texts,
    renderer: Renderer<'a>,
    rows: &'m [Combination<'a>],
    lists: &'m SharedLists<'a>,
    options: FindingOptions<'m>,
    problems: &'m mut Vec<FindingProblem>,
}

impl<'a> Maker<'_, 'a> {
    fn make(mut self, about: &[String]) -> FoldableFinding {
        let (severity, confidence) = self.weight();
        let objects = self.objects();
        let reach = self.reach(&objects);
        let Seen { count, first, last, times } = self.seen();
        let (rule, texts) = (self.rule, self.texts);
        let pairs = |list: &[(String, String)]| list.to_vec();
        let affects = rule.affects.iter().map(|affected| (affected.product.clone(), affected.range.clone())).collect();
        let finding = Finding {
            rule: rule.id.clone(),
            name: short_title(texts),
            class: rule.class,
            severity,
            confidence: confidence.min(self.options.most),
            area: rule.area.clone(),
            title: self.text(&texts.title),
            message: self.message(),
            impact: self.text(&texts.impact),
            cause: self.text(&texts.cause),
            affects,
            fixed_in: pairs(&rule.fixed_in),
            objects,
            remedy: self.remedy(),
            verify: texts.verify.as_ref().map(|t| self.text(t)),
            links: rule.links.clone(),
            evidence: evidence(self.input, rule, self.rows),
            count: count.max(1),
            seen: times,
            first_seen: first,
            last_seen: last,
            fingerprint: fingerprint(rule, about),
            explained_by: None,
            causes: Vec::new(),
            checked: Vec::new(),
            before: crate::model::Before::default(),
            novelty: None,
        };
        let times = self.times();
        let (breaks, needs, span) = self.dependencies(&finding);
        let is_compared = self.options.linked || !breaks.is_empty() || !needs.is_empty();
        let names = if is_compared { Names::of(rule, self.rows) } else { Names::default() };
        let (explains_not, events) = (self.explains_not(), self.events());
        FoldableFinding { finding, reach, names, times, explains_not, breaks, needs, span, events }
    }

    fn explains_not(&self) -> Vec<usize> {
        let world = &self.input.world;
        let holds = |condition: &Expr| self.rows.iter().any(|row| condition.test(world, &row.values) == Truth::True);
        let entries = self.rule.explains.iter().enumerate();
        let refuted = entries.filter(|(_, entry)| entry.condition.as_ref().is_some_and(|condition| !holds(condition)));
        refuted.map(|(position, _)| position).collect()
    }

    fn events(&self) -> BTreeSet<ResourceId> {
        let mut found = BTreeSet::new();
        let mut open: Vec<&Value<'_>> = self.rows.iter().flat_map(|row| &row.values).collect();
        while let Some(value) = open.pop() {
            match value {
                Value::Events(group) => found.extend(&group.events),
                Value::List(items) => open.extend(items.iter()),
                _ => {}
            }
        }
        found
    }

    /// Returns what the finding breaks and needs, and its times; nothing if nothing is compared with it.
    fn dependencies(&self, finding: &Finding) -> (Vec<Component>, Vec<Component>, Span) {
        let Rule { breaks, needs, .. } = self.rule;
        if breaks.is_empty() && needs.is_empty() && !self.options.spanned {
            return Default::default();
        }
        let subject = Subject::of(&self.input.world, self.rule, self.rows, finding.objects.first());
        let span = Span::of(self.input, self.rule, self.rows, finding.first_seen, finding.last_seen);
        let [breaks, needs] = [breaks, needs].map(|stated| subject.components(&self.input.world, self.rows, stated));
        (breaks.into_iter().collect(), needs.into_iter().collect(), span)
    }

    fn times(&mut self) -> Times {
        let times = if self.options.timed { Times::of(self.input, self.rule, self.rows) } else { Times::default() };
        let problem = FindingProblem::TooManyTimes { most: MAX_TIMES };
        if times.truncated && !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
        times
    }

    /// Returns the highest severity of the combinations, with the highest confidence at that severity.
    fn weight(&self) -> (Severity, Confidence) {
        let weights = self.rows.iter().map(|row| {
            let holds = |a: &&crate::rule::Adjust| a.condition.test(&self.input.world, &row.values) == Truth::True;
            let adjusted = self.rule.adjust.iter().find(holds);
            (
                adjusted.and_then(|a| a.severity).unwrap_or(self.rule.severity),
                adjusted.and_then(|a| a.confidence).unwrap_or(self.rule.confidence),
            )
        });
        weights.max().unwrap_or((self.rule.severity, self.rule.confidence))
    }

    /// Returns the bound objects, those of `about` first; collected ones belong to the reach only.
    fn objects(&self) -> Vec<ObjectRef> {
        let (mut objects, mut seen) = (Vec::new(), BTreeSet::new());
        for slot in subjects(self.rule).into_iter().filter(|&slot| !self.rule.facts[slot].collect) {
            for row in self.rows {
                let found = objects_of(&self.input.world, &row.values[slot]);
                self.input.world.take_steps(found.len());
                objects.extend(found.into_iter().filter(|object| seen.insert(object.clone())));
            }
        }
        objects
    }

    fn reach(&self, objects: &[ObjectRef]) -> Reach {
        if !self.options.linked {
            return Reach::default();
        }
        let world = &self.input.world;
        let relate = |row: &Combination<'a>| -> Vec<Value<'a>> {
            self.rule.relate.iter().map(|expr| expr.eval(world, &row.values)).collect()
        };
        let related: Vec<Value<'a>> = self.rows.iter().flat_map(relate).collect();
        // A list of all there is would explain whatever is wrong with one of them.
        let is_background = |slot: Slot| self.rule.facts[slot].is_background(slot) && !self.rule.about.contains(&slot);
        let slots: Vec<Slot> = (0..self.rule.facts.len()).filter(|&slot| !is_background(slot)).collect();
        let bound = self.rows.iter().flat_map(|row| slots.iter().filter_map(|&slot| row.values.get(slot)));
        self.lists.reach(world, objects, bound.chain(&related))
    }

    /// Counts hits of logs and events, with their first and last time: those that the finding is about, else those of facts that are not
    /// collected, for what goes with them may be the same event again, else all. Groups met in several combinations count once.
    fn seen(&self) -> Seen {
        let (collected, single): (Vec<Slot>, Vec<Slot>) =
            (0..self.rule.find).partition(|&slot| self.rule.facts[slot].collect);
        let mut groups = BTreeMap::new();
        for slots in [&self.rule.about, &single, &collected] {
            let values = self.rows.iter().flat_map(|row| slots.iter().map(|&slot| &row.values[slot]));
            values.for_each(|value| hits_of(value, &mut groups));
            if !groups.is_empty() {
                break;
            }
        }
        groups.into_values().fold(Seen::default(), Seen::with)
    }

    /// Returns the steps whose conditions hold; where there is none, those whose conditions are undecided, so that no finding is without
    /// a step only because a distribution or an object is not known.
    fn remedy(&mut self) -> Vec<RemedyStep> {
        let steps = self.steps(|truth| *truth == Truth::True);
        if steps.is_empty() { self.steps(|truth| *truth != Truth::False) } else { steps }
    }

    fn steps(&mut self, is_wanted: fn(&Truth) -> bool) -> Vec<RemedyStep> {
        let (texts, Some(first)) = (self.texts, self.rows.first()) else { return Vec::new() };
        let holds = |step: &RemedyTemplates| {
            step.condition.as_ref().is_none_or(|c| is_wanted(&c.test(&self.input.world, &first.values)))
        };
        let wanted: Vec<usize> = (0..).zip(&texts.remedy).filter(|(_, step)| holds(step)).map(|(at, _)| at).collect();
        wanted.into_iter().filter_map(|position| self.step(position, texts.remedy.get(position)?)).collect()
    }

    fn step(&mut self, position: usize, step: &RemedyTemplates) -> Option<RemedyStep> {
        let action = Some(self.text(&step.action)).filter(|text| !text.is_empty())?;
        let caution = step.caution.as_ref().map(|t| self.text(t)).filter(|text| !text.is_empty());
        Some(match step.run.as_ref().map(|command| self.command(command)) {
            Some(Err(problem)) => RemedyStep {
                position,
                action: without_command(action, &problem, self.renderer.lang()),
                run: None,
                caution,
            },
            Some(Ok(run)) => RemedyStep { position, action, run: Some(run).filter(|run| !run.is_empty()), caution },
            None => RemedyStep { position, action, run: None, caution },
        })
    }

    fn command(&mut self, template: &Template) -> Result<String, CommandProblem> {
        let Some(first) = self.rows.first() else { return Ok(String::new()) };
        let rows: Vec<&[Value<'_>]> = self.rows.iter().map(|row| row.values.as_slice()).collect();
        self.renderer.command(template, &self.rule.names, &first.values, &rows).unwrap_or_else(|failure| {
            self.problems.extend(problem(failure));
            Err(CommandProblem::NotKnown)
        })
    }

    fn message(&mut self) -> TimedText {
        let mut message = self.text(&self.texts.message);
        if let Some(caveat) = self.options.caveat {
            let lang = self.options.lang;
            message.push(if lang == Lang::En { " " } else { "" });
            message.push(&caveat.in_language(lang).to_string());
        }
        message
    }

    fn text(&mut self, template: &Template) -> TimedText {
        let Some(first) = self.rows.first() else { return TimedText::default() };
        let rows: Vec<&[Value<'_>]> = self.rows.iter().map(|row| row.values.as_slice()).collect();
        match self.renderer.render(template, &self.rule.names, &first.values, &rows) {
            Ok(text) => text,
            Err(failure) => {
                self.problems.extend(problem(failure));
                template.text().into()
            }
        }
    }
}

/// Returns the problem of a text; a rule past its bounds is not evaluated anyway.
fn problem(failure: TextFailure) -> Option<FindingProblem> {
    match failure {
        TextFailure::Spent => None,
        TextFailure::Wrong(error) => Some(FindingProblem::Text { error }),
    }
}

/// Returns what to do with the reason why there is no command.
fn without_command(mut action: TimedText, problem: &CommandProblem, lang: Lang) -> TimedText {
    action.push(&format!(" ({})", problem.in_language(lang)));
    action
}

/// Count of hits, their first and last time, and the times in between, which only logs have.
#[derive(Clone, Default)]
struct Seen {
    count: u64,
    first: Option<Timestamp>,
    last: Option<Timestamp>,
    times: Histogram,
}

impl Seen {
    fn with(mut self, other: Self) -> Self {
        self.count += other.count;
        self.first = self.first.into_iter().chain(other.first).min();
        self.last = self.last.max(other.last);
        self.times.merge(&other.times);
        self
    }
}

/// Adds the groups of hits and events in a value, by their address.
fn hits_of(value: &Value<'_>, groups: &mut BTreeMap<usize, Seen>) {
    let none = Histogram::default;
    let (place, (count, first, last, times)) = match value {
        Value::Hits(g) => (Arc::as_ptr(g) as usize, (g.count, g.first, g.last, g.times.clone())),
        Value::Sequence(g) => (Arc::as_ptr(g) as usize, (g.count, Some(g.first), Some(g.last), none())),
        Value::Events(g) => (Arc::as_ptr(g) as usize, (g.count, g.first, g.last, none())),
        Value::List(items) => return items.iter().for_each(|item| hits_of(item, groups)),
        _ => return,
    };
    groups.insert(place, Seen { count, first, last, times });
}

/// Returns 16 bytes of SHA-256 over the rule and the identity of its subject, in hex. The parts are
/// taken by name, so that the order of facts in the file does not matter.
fn fingerprint(rule: &Rule, about: &[String]) -> String {
    let mut parts: Vec<(&str, &str)> =
        rule.about.iter().map(|&slot| rule.names[slot].as_str()).zip(about.iter().map(String::as_str)).collect();
    parts.sort_unstable();
    let mut hash = Sha256::new();
    hash.update(rule.id.as_bytes());
    for (_, part) in parts {
        hash.update([0]);
        hash.update(part.as_bytes());
    }
    hash.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::MAX_FINDINGS;
    use crate::eval::evaluate;
    use crate::eval::testing::input;
    use crate::eval::testing::object;
    use crate::eval::testing::rules;
    use crate::model::Lang;

    #[test]
    fn findings_of_a_rule_are_limited_and_the_rest_is_counted() {
        let objects: Vec<String> = (0..MAX_FINDINGS + 5).map(|n| object("ConfigMap", &format!("o{n}"), "")).collect();
        let set = rules(&[("many", "find: {config: {resource: configmaps}}")]);
        let evaluation = evaluate(&set, &input(&objects, &[]), Lang::En);
        assert_eq!(evaluation.findings.len(), MAX_FINDINGS);
        let told = evaluation.issues.iter().any(|issue| issue.message.to_string().contains("5 more findings"));
        assert!(told, "{:?}", evaluation.issues);
    }
}
