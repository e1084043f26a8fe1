//! Compiles sequences: their steps as log queries for single hits, conditions between steps, windows.

use std::sync::Arc;

use jiff::SignedDuration;

use crate::expr::{Conjuncts, ErrorKind, Expr, Scope, Slot};
use crate::log::GroupKey;
use crate::log::sequence::{Absent, Sequence, StepPresence};
use crate::rule::check::fact_fields::SEQUENCE_FIELDS;
use crate::rule::compile::compiler::Compiler;
use crate::rule::compile::group::{duration, offset};
use crate::rule::compile::names;
use crate::rule::error::Code;
use crate::rule::fact::{SequenceFact, SequenceStep};
use crate::rule::source::fact::{AbsentSource, SequenceSource, SequenceStepSource};
use crate::rule::source::fact::{AtLeastSource, GroupSource, KindSource};
use crate::rule::source::reader::Written;

/// Maximum number of lines of a match.
const MAX_LINES: u64 = 64;

impl Compiler<'_> {
    /// A sequence; its queries are added to those of the rule.
    pub fn sequence(&mut self, source: &SequenceSource, groups: &GroupSource) -> Option<SequenceFact> {
        self.step_names(source);
        let lines: u64 = source.steps.iter().filter(|step| step.absent.is_none()).map(|step| step.at_least).sum();
        let sound = self.lines(source, lines);
        let within = self.window(source, lines);
        let orders: Vec<Option<StepPresence>> = source.steps.iter().map(|step| self.order(step, lines)).collect();
        let steps: Vec<Option<SequenceStep>> =
            (0..source.steps.len()).map(|slot| self.sequence_step(source, slot)).collect();
        let at_least = self.matches_at_least(groups);
        let by = self.shared(source, groups);
        let order =
            Sequence { steps: orders.into_iter().collect::<Option<_>>()?, within: within?, ordered: !source.unordered };
        let steps = steps.into_iter().collect::<Option<_>>()?;
        sound.then_some(SequenceFact { order, steps, by: by?, at_least: at_least? })
    }

    fn step_names(&mut self, source: &SequenceSource) {
        for (position, step) in source.steps.iter().enumerate() {
            let name = step.fact.name.as_str();
            names::check(self.diagnostics, &step.fact);
            let (message, hint) = if SEQUENCE_FIELDS.contains(&name) {
                (
                    format!("a step cannot be called \"{name}\": sequences already have a field .{name}"),
                    "use another name",
                )
            } else if source.steps.iter().take(position).any(|other| other.fact.name == name) {
                (
                    format!("two steps are called \"{name}\""),
                    "give each step a different name; a step that occurs twice is written with at_least: 2",
                )
            } else {
                continue;
            };
            self.diagnostics.report(Code::ReservedName, step.fact.range.clone(), message).hint(hint);
        }
    }

    /// Checks that a match has at least one line and not too many.
    fn lines(&mut self, source: &SequenceSource, lines: u64) -> bool {
        let Some(first) = source.steps.first() else { return false };
        if lines == 0 {
            let message = "a sequence needs a step that is not absent";
            self.diagnostics.report(Code::MissingKey, first.fact.range.clone(), message);
        }
        if lines > MAX_LINES {
            let message = format!("a match of a sequence has at most {MAX_LINES} lines, this one {lines}");
            let hint = "use at_least of a log fact with by: [] if only the number of lines matters";
            self.diagnostics.report(Code::WrongValue, first.fact.range.clone(), message).hint(hint);
        }
        (1..=MAX_LINES).contains(&lines)
    }

    /// The window, which only a single line does without.
    fn window(&mut self, source: &SequenceSource, lines: u64) -> Option<SignedDuration> {
        match (&source.within, source.steps.first()) {
            (Some(written), _) => self.span(written, duration),
            (None, Some(first)) if lines > 1 => {
                let message = "a sequence of several lines needs the key \"within\"";
                let hint = "add the longest time from the first to the last line, such as within: 5m";
                self.diagnostics.report(Code::MissingKey, first.fact.range.clone(), message).hint(hint);
                None
            }
            (None, _) => Some(SignedDuration::ZERO),
        }
    }

    fn span(&mut self, written: &Written, read: fn(&str) -> Option<SignedDuration>) -> Option<SignedDuration> {
        let parsed = read(&written.text);
        if parsed.is_none() {
            let message = format!("\"{}\" is not a duration", written.text);
            let hint = "write one such as 90s, 30m, 24h or 3d4h";
            self.diagnostics.report(Code::Duration, written.range.clone(), message).hint(hint);
        }
        parsed
    }

    fn order(&mut self, step: &SequenceStepSource, lines: u64) -> Option<StepPresence> {
        let Some(AbsentSource { anchor, slide, within }) = &step.absent else {
            return usize::try_from(step.at_least).ok().map(StepPresence::Present);
        };
        let slide = slide.as_ref().map_or(Some(SignedDuration::ZERO), |written| self.span(written, offset));
        let within = within.as_ref().map_or(Some(SignedDuration::ZERO), |written| self.span(written, offset));
        if let Some((number, written)) = anchor.as_ref().filter(|(number, _)| *number >= lines) {
            let message = format!("a match has {lines} lines, counted from 0: there is no line {number}");
            self.diagnostics.report(Code::WrongValue, written.range.clone(), message);
            return None;
        }
        let anchor = anchor.as_ref().map_or(0, |(number, _)| *number);
        Some(StepPresence::Absent(Absent { anchor: usize::try_from(anchor).ok()?, slide: slide?, within: within? }))
    }

    fn sequence_step(&mut self, source: &SequenceSource, slot: Slot) -> Option<SequenceStep> {
        let fact = &source.steps.get(slot)?.fact;
        let conditions = fact
            .condition
            .as_ref()
            .map_or(Some(Conjuncts::default()), |written| self.step_where(source, slot, written));
        let Some(KindSource::Log(sources)) = &fact.kind else { return None };
        let log = self.log(sources, &fact.groups)?;
        if let Some(query) = self.queries.get_mut(log.query) {
            query.by = Vec::new();
            query.single = true;
        }
        Some(SequenceStep { name: fact.name.clone(), log, conditions: conditions? })
    }

    /// A condition that sees the step and those before it.
    fn step_where(&mut self, source: &SequenceSource, slot: Slot, written: &Written) -> Option<Conjuncts> {
        let names: Arc<[String]> = source.steps.iter().map(|step| step.fact.name.clone()).collect();
        let facts = std::mem::replace(&mut self.names, names);
        let compiled = match Expr::compile(
            &written.text,
            Scope { names: &self.names[..=slot], this: Some(slot), tested: self.tested },
        ) {
            Ok(expr) => Some(Conjuncts::of(expr)),
            Err(errors) => {
                for mut error in errors {
                    let later = |name: &String| self.names.iter().skip(slot + 1).any(|step| step == name);
                    if matches!(&error.kind, ErrorKind::Unbound(name) if later(name)) {
                        error.hint = Some("the where of a step can use this step and those above it".to_owned());
                    }
                    self.expression_error(written, self.names.len(), error);
                }
                None
            }
        };
        self.names = facts;
        let of_absent = |expr: &Expr| {
            let others = expr.slots().iter().filter(|other| **other != slot);
            others.filter_map(|other| source.steps.get(*other)).any(|step| step.absent.is_some())
        };
        if compiled.iter().flatten().any(of_absent) {
            let message =
                "an absent step has no line yet when another step is matched, so nothing can be compared with it";
            self.diagnostics.report(Code::UnboundName, written.range.clone(), message);
            return None;
        }
        compiled
    }

    /// Compiles the values that all lines of a match share; the lines of every step must have them.
    fn shared(&mut self, source: &SequenceSource, groups: &GroupSource) -> Option<Option<Vec<GroupKey>>> {
        let captures = |step: &SequenceStepSource| {
            let patterns = step.fact.groups.patterns.iter().map(|written| crate::log::validate(&written.text));
            let found: Vec<Vec<String>> = patterns.collect::<Result<_, _>>().ok()?;
            // A step with a filter only has no captures.
            Some(if found.is_empty() { vec![Vec::new()] } else { found })
        };
        let steps: Vec<Vec<Vec<String>>> = source.steps.iter().map(captures).collect::<Option<_>>()?;
        let mut alternatives = steps.into_iter().flatten();
        let mut common = alternatives.next().unwrap_or_default();
        alternatives.for_each(|captured| common.retain(|name| captured.contains(name)));
        self.by(groups, &common)
    }

    fn matches_at_least(&mut self, groups: &GroupSource) -> Option<Option<u64>> {
        match &groups.at_least {
            None => Some(None),
            Some(AtLeastSource::Hits(count)) => Some(Some(*count)),
            Some(AtLeastSource::Distinct(capture, _)) => {
                let message = "at_least of a sequence is a number of matches";
                self.diagnostics.report(Code::WrongType, capture.range.clone(), message);
                None
            }
        }
    }
}
