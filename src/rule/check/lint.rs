//! Warns of what a rule can say and its author most probably did not mean: facts that take
//! everything, joins that try everything with everything, conditions that absence fulfils.

use std::ops::Range;

use crate::expr::{Expr, Slot};
use crate::rule::check::always_set;
use crate::rule::compiled::Rule;
use crate::rule::error::{Code, Diagnostics};
use crate::rule::fact::{Alternative, Fact, FactKind, ResourceQuery};
use crate::rule::plan::{Join, LookUp, Plan, PlanStep};
use crate::rule::source::fact::{FactSource, KindSource, LogSourceGlob};
use crate::rule::source::reader::Written;
use crate::rule::source::rule::RuleSource;

/// Globs that hold for every path.
const EVERY_PATH: [&str; 3] = ["*", "**", "**/*"];

/// Warns of everything in one rule that can run.
pub fn check(diagnostics: &mut Diagnostics, source: &RuleSource, rule: &Rule) {
    let facts: Vec<&FactSource> = source.find.iter().chain(&source.unless).collect();
    let mut lint = Lint { diagnostics, facts, rule };
    for slot in 0..rule.facts.len() {
        lint.everything(slot);
        lint.wide(slot);
        lint.lone_negation(slot);
    }
    Plan::of(rule).steps().for_each(|step| lint.nested_loop(step));
}

struct Lint<'l> {
    diagnostics: &'l mut Diagnostics,
    /// By slot.
    facts: Vec<&'l FactSource>,
    rule: &'l Rule,
}

impl<'l> Lint<'l> {
    fn warn(&mut self, code: Code, range: Range<usize>, message: String, hint: String) {
        self.diagnostics.report(code, range, message).hint(hint);
    }

    /// A required object of which nothing is asked makes every object of the type a finding.
    fn everything(&mut self, slot: Slot) {
        let fact = &self.rule.facts[slot];
        if slot >= self.rule.find || !fact.is_required() || !fact.conditions.is_empty() || self.is_mentioned(slot) {
            return;
        }
        for (alternative, written) in self.parts(slot) {
            self.all_of_a_type(fact, alternative, written);
        }
    }

    fn all_of_a_type(&mut self, fact: &Fact, alternative: &Alternative, written: &FactSource) {
        let FactKind::Resource(query) = &alternative.kind else { return };
        if !alternative.conditions.is_empty() || !is_plain(query) {
            return;
        }
        let types: Vec<String> = query.types.iter().map(ToString::to_string).collect();
        let message = format!("no condition on \"{}\": every object of {} matches", fact.name, types.join(" and "));
        let hint = "add where, namespace, name or labels, or collect: true if you need the list of all".to_owned();
        self.warn(Code::TakesEverything, written.range.clone(), message, hint);
    }

    /// Returns whether a condition or another fact mentions the fact.
    fn is_mentioned(&self, slot: Slot) -> bool {
        let of = |fact: &Fact| fact.all_conditions().chain(fact.expressions()).any(|expr| expr.slots().contains(&slot));
        self.rule.facts.iter().any(of) || self.rule.when.iter().any(|when| when.slots().contains(&slot))
    }

    /// Logs and files that are chosen by nothing.
    fn wide(&mut self, slot: Slot) {
        for (_, written) in self.parts(slot) {
            self.wide_part(written);
        }
    }

    fn wide_part(&mut self, written: &FactSource) {
        let (what, hint) = match &written.kind {
            // A capture shows what kind of line it is; a plain text may be in any line.
            Some(KindSource::Log(sources)) if sources.iter().any(is_every_log) && !captures(written) => (
                "every log of the bundle is searched",
                "name a stream, a namespace or a path, or capture the name that the line is about",
            ),
            Some(KindSource::File { path, node, .. }) if node.is_none() && EVERY_PATH.contains(&path.text.as_str()) => {
                (
                    "every file of the bundle is kept in memory",
                    "write the known part of the path, such as nodes/*/configs/*.conf",
                )
            }
            _ => return,
        };
        let message = format!("\"{}\" matches everything: {what}", written.name);
        self.warn(Code::TakesEverything, written.range.clone(), message, hint.to_owned());
    }

    /// `x.field != 'value'` alone also holds where the field is absent.
    fn lone_negation(&mut self, slot: Slot) {
        for (alternative, written) in self.parts(slot) {
            let beside = [self.facts[slot], written].into_iter().find_map(|fact| fact.condition.as_ref());
            let conditions: Vec<&Expr> =
                self.rule.facts[slot].conditions.iter().chain(&alternative.conditions).collect();
            let (FactKind::Resource(query), [condition]) = (&alternative.kind, conditions.as_slice()) else { continue };
            let (Some(path), Some(where_)) = (condition.lone_negation(slot), beside) else { continue };
            self.negation(query, where_, path);
        }
    }

    fn negation(&mut self, query: &ResourceQuery, where_: &Written, path: Range<usize>) {
        let text = where_.text.get(path.clone()).unwrap_or_default().to_owned();
        if self.is_always_there(query, &text) {
            return;
        }
        let range = where_.part(self.diagnostics.text(), path);
        let message = format!("this is also true if {text} is absent");
        let hint = format!("add && {text} != null if the field must exist, or || {text} == null if this is intended");
        self.warn(Code::LoneNegation, range, message, hint);
    }

    fn is_always_there(&self, query: &ResourceQuery, path: &str) -> bool {
        let field = path.split_once('.').map_or(path, |(_, field)| field);
        query.types.iter().all(|name| always_set::is_always_set(name, field))
    }

    /// A condition that joins facts and that no hash can answer.
    fn nested_loop(&mut self, step: &PlanStep<'_>) {
        step.ways.iter().filter(|way| way.join == Join::NestedLoop).for_each(|way| self.nested_way(step, way));
    }

    fn nested_way(&mut self, step: &PlanStep<'_>, way: &LookUp<'_>) {
        let wide = |condition: &&&Expr| condition.slots().iter().all(|slot| self.is_wide(*slot));
        let place = way.tested.iter().filter(wide).find_map(|condition| self.place(condition));
        let Some((range, condition)) = place else { return };
        let name = &self.rule.names[step.slot];
        let message = format!("every \"{name}\" is compared with every combination of the facts before it");
        let hint = format!(
            "\"{condition}\" cannot be used to look up candidates; join by an equality or `in` between a field of {name} and \
             one of another fact, such as {name}.metadata.namespace == other.metadata.namespace, and keep this as an additional condition"
        );
        self.warn(Code::NestedLoop, range, message, hint.replace('`', "\""));
    }

    /// Returns whether a fact may have as many candidates as its type has objects.
    fn is_wide(&self, slot: Slot) -> bool {
        let fact = &self.rule.facts[slot];
        let alone = |condition: &Expr| condition.slots() == [slot];
        let wide = |one: &Alternative| {
            matches!(&one.kind, FactKind::Resource(query) if is_plain(query)) && !one.conditions.iter().any(alone)
        };
        fact.alternatives.iter().any(wide) && !fact.conditions.iter().any(alone)
    }

    /// The alternatives of a fact as compiled and as written.
    fn parts(&self, slot: Slot) -> Vec<(&'l Alternative, &'l FactSource)> {
        let (rule, written) = (self.rule, self.facts[slot]);
        rule.facts[slot].alternatives.iter().zip(written.alternatives()).collect()
    }

    /// Returns the place and text of a condition.
    fn place(&self, condition: &Expr) -> Option<(Range<usize>, String)> {
        let text = condition.text();
        let alternatives = self.facts.iter().flat_map(|fact| fact.alternatives());
        let facts = self.facts.iter().copied().chain(alternatives);
        let written: Vec<&Written> = facts.filter_map(|fact| fact.condition.as_ref()).collect();
        let (written, at) = written.into_iter().find_map(|written| Some((written, written.text.find(text)?)))?;
        Some((written.part(self.diagnostics.text(), at..at + text.len()), text.to_owned()))
    }
}

fn captures(fact: &FactSource) -> bool {
    fact.groups.patterns.iter().any(|pattern| pattern.text.contains("(?<") || pattern.text.contains("(?P<"))
}

fn is_plain(query: &ResourceQuery) -> bool {
    query.namespace.is_none() && query.name.is_none() && query.labels.is_empty()
}

/// Returns whether the globs match every log.
fn is_every_log(source: &LogSourceGlob) -> bool {
    let parts = [&source.namespace, &source.pod, &source.container, &source.node, &source.path];
    let open = |part: &Option<Written>| part.as_ref().is_none_or(|written| EVERY_PATH.contains(&written.text.as_str()));
    source.streams.is_empty() && parts.into_iter().all(open)
}
