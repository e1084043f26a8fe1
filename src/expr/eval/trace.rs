//! Traces the fields that made a condition hold, for evidence.
//!
//! The condition has already been tested. The trace follows the deciding parts again: the true branch of `||`, the
//! elements for which `exists` and `filter` held, both sides of a comparison.

use std::ops::ControlFlow;

use crate::expr::eval::evaluation::{Bound, Evaluation, Variables, variable};
use crate::expr::eval::member;
use crate::expr::eval::stop::Stop;
use crate::expr::eval::value::Value;
use crate::expr::eval::world::World;
use crate::expr::expression::Expr;
use crate::expr::functions::function::AnswerSource;
use crate::expr::parse::ast::{Ast, Call, Macro, MacroKind, Op};
use crate::expr::scope::Slot;
use crate::expr::truth::TracedField;
use crate::expr::truth::Truth;

/// Most fields that are recorded for one condition.
const MAX_READS: usize = 200;

/// Collects reads along one evaluation.
pub(in crate::expr) struct Trace<'t, 'e, 'a> {
    pub evaluation: &'t Evaluation<'e, 'a>,
    pub reads: Vec<TracedField>,
}

impl Expr {
    /// Like [`Expr::test`], but adds the fields read if it held; nothing otherwise.
    pub fn trace<'a>(&self, world: &'a World, bindings: &[Value<'a>], reads: &mut Vec<TracedField>) -> Truth {
        let truth = self.test(world, bindings);
        if truth == Truth::True {
            self.trace_as(true, world, bindings, reads);
        }
        truth
    }

    /// Adds the fields read if it failed; nothing if it held or was undecided.
    pub fn trace_failed<'a>(&self, world: &'a World, bindings: &[Value<'a>], reads: &mut Vec<TracedField>) {
        if self.test(world, bindings) == Truth::False {
            self.trace_as(false, world, bindings, reads);
        }
    }

    fn trace_as<'a>(&self, outcome: bool, world: &'a World, bindings: &[Value<'a>], reads: &mut Vec<TracedField>) {
        let evaluation = Evaluation::new(world, bindings, &self.text);
        let mut trace = Trace { evaluation: &evaluation, reads: Vec::new() };
        trace.condition(&self.tree().ast, outcome, None);
        reads.append(&mut trace.reads);
    }

    /// Adds every field that the value was made of; used for `value` facts, whose scalars do not keep their places.
    pub fn reads<'a>(&self, world: &'a World, bindings: &[Value<'a>], reads: &mut Vec<TracedField>) {
        let evaluation = Evaluation::new(world, bindings, &self.text);
        let mut trace = Trace { evaluation: &evaluation, reads: Vec::new() };
        trace.values(&self.tree().ast, None);
        reads.append(&mut trace.reads);
    }
}

impl<'a> Trace<'_, '_, 'a> {
    /// Records the fields that made `ast` yield `wanted`.
    pub fn condition(&mut self, ast: &Ast, wanted: bool, variables: Variables<'_, 'a>) {
        if self.reads.len() >= MAX_READS {
            return;
        }
        match &ast.op {
            Op::Not(inner) => self.condition(inner, !wanted, variables),
            Op::And(terms) => self.terms(terms, wanted, true, variables),
            Op::Or(terms) => self.terms(terms, wanted, false, variables),
            Op::Choose(parts) => {
                let Ok(taken) = self.evaluation.holds(&parts[0], variables) else { return };
                self.condition(&parts[0], taken, variables);
                self.condition(if taken { &parts[1] } else { &parts[2] }, wanted, variables);
            }
            Op::Macro(found) if matches!(found.kind, MacroKind::Exists | MacroKind::All | MacroKind::ExistsOne) => {
                self.quantifier(found, wanted, variables);
            }
            _ => self.values(ast, variables),
        }
    }

    /// Records every term if all of them decided, otherwise the first one that did.
    fn terms(&mut self, terms: &[Ast], wanted: bool, all: bool, variables: Variables<'_, 'a>) {
        for term in terms {
            if wanted == all {
                self.condition(term, wanted, variables);
            } else if matches!(self.evaluation.holds(term, variables), Ok(held) if held == wanted) {
                return self.condition(term, wanted, variables);
            }
        }
    }

    fn quantifier(&mut self, found: &Macro, wanted: bool, variables: Variables<'_, 'a>) {
        // The deciding element: a true one for `exists` that holds, a false one for `all` that fails.
        let (outcome, first_only) = match (found.kind, wanted) {
            (MacroKind::All, true) => (true, false),
            (MacroKind::All, false) => (false, true),
            (_, true) => (true, false),
            (_, false) => (false, false),
        };
        let before = self.reads.len();
        self.elements(found, variables, &mut |trace, bound| {
            if matches!(trace.evaluation.holds(&found.body, Some(bound)), Ok(held) if held == outcome) {
                trace.condition(&found.body, outcome, Some(bound));
                if first_only {
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        });
        if self.reads.len() == before {
            self.values(&found.range, variables);
        }
    }

    fn elements(
        &mut self,
        found: &Macro,
        variables: Variables<'_, 'a>,
        body: &mut dyn FnMut(&mut Self, &Bound<'_, 'a>) -> ControlFlow<()>,
    ) {
        let root = self.root(&found.range, variables);
        let evaluation = self.evaluation;
        // Stops were reported when the condition was tested.
        let _: Result<bool, Stop> = evaluation.each(found, variables, root, &mut |bound, _| {
            if self.reads.len() >= MAX_READS {
                return Ok(ControlFlow::Break(()));
            }
            Ok(body(self, bound))
        });
    }

    /// Records every field that a value is made of.
    pub fn values(&mut self, ast: &Ast, variables: Variables<'_, 'a>) {
        match &ast.op {
            Op::Slot(_) | Op::Var(_) | Op::Field(..) | Op::Index(_) => self.chain(ast, variables),
            Op::Call(call) => self.call(ast, call, variables),
            Op::Macro(found) => self.loop_values(found, variables),
            Op::And(_) | Op::Or(_) | Op::Not(_) | Op::Choose(_) => {
                if let Ok(held) = self.evaluation.holds(ast, variables) {
                    self.condition(ast, held, variables);
                } else if let Op::Choose(parts) = &ast.op {
                    self.choice(parts, variables);
                }
            }
            _ => {
                for child in ast.children() {
                    self.values(child, variables);
                }
            }
        }
    }

    fn choice(&mut self, parts: &[Ast; 3], variables: Variables<'_, 'a>) {
        let Ok(taken) = self.evaluation.holds(&parts[0], variables) else { return };
        self.condition(&parts[0], taken, variables);
        self.values(if taken { &parts[1] } else { &parts[2] }, variables);
    }

    /// Records a name followed by fields and indexes.
    fn chain(&mut self, ast: &Ast, variables: Variables<'_, 'a>) {
        self.record(ast, variables);
        let mut base = ast;
        loop {
            match &base.op {
                Op::Field(inner, _) => base = inner,
                Op::Index(pair) => {
                    self.values(&pair[1], variables);
                    base = &pair[0];
                }
                Op::Call(_) if self.evaluation.place(base, variables).is_none() => return self.values(base, variables),
                Op::Call(call) => return self.arguments(call, variables),
                Op::Macro(found) => return self.loop_values(found, variables),
                _ => return,
            }
        }
    }

    fn record(&mut self, ast: &Ast, variables: Variables<'_, 'a>) {
        if let Some((resource, node)) = self.evaluation.place(ast, variables) {
            let read = TracedField { slot: self.root(ast, variables), resource, node };
            self.push(read);
        }
    }

    fn call(&mut self, ast: &Ast, call: &Call, variables: Variables<'_, 'a>) {
        let function = call.function;
        let other_object = function.options.source == AnswerSource::OtherObject;
        if other_object || function.gives_item() {
            self.record(ast, variables);
        }
        // For another object, the arguments that selected it are evidence as well.
        if self.own_places(call, variables) && !other_object {
            return;
        }
        self.arguments(call, variables);
        if !function.options.reads.is_empty() && self.evaluation.place(ast, variables).is_none() {
            self.searched(call, function.options.reads, variables);
        }
    }

    /// Records the deepest existing field of the path that a function read without a result.
    fn searched(&mut self, call: &Call, path: &[&str], variables: Variables<'_, 'a>) {
        let Some(object) = call.args.first() else { return };
        let Ok(value) = self.evaluation.eval(object, variables) else { return };
        let Some((mut node, Some(resource))) = member::own_node(self.evaluation.world, &value) else { return };
        for name in path {
            node = node.get(name).unwrap_or(node);
        }
        let read = TracedField { slot: self.root(object, variables), resource, node: node.index() };
        self.push(read);
    }

    fn push(&mut self, read: TracedField) {
        if self.reads.len() < MAX_READS && !self.reads.contains(&read) {
            self.reads.push(read);
        }
    }

    /// Records the fields behind the arguments. An object that the function reads itself is skipped.
    fn arguments(&mut self, call: &Call, variables: Variables<'_, 'a>) {
        let skipped = usize::from(!call.function.options.reads.is_empty());
        for arg in call.args.iter().skip(skipped) {
            self.values(arg, variables);
        }
        if let (Some(Ast { op: Op::Call(inner), .. }), 1) = (call.args.first(), skipped) {
            self.arguments(inner, variables);
        }
    }

    /// Records the places that the function itself names; false if it names none.
    fn own_places(&mut self, call: &Call, variables: Variables<'_, 'a>) -> bool {
        let Some(places) = call.function.options.places else { return false };
        let args: Result<Vec<_>, Stop> = call.args.iter().map(|arg| self.evaluation.eval(arg, variables)).collect();
        let Ok(args) = args else { return false };
        let found = places(self.evaluation.world, &args);
        for (resource, node) in &found {
            let slot = call.args.iter().zip(&args).find_map(|(arg, value)| {
                let (_, own) = member::own_node(self.evaluation.world, value)?;
                if own == Some(*resource) { self.root(arg, variables) } else { None }
            });
            self.push(TracedField { slot, resource: *resource, node: *node });
        }
        !found.is_empty()
    }

    /// Records loops that make a value: the fields read of the elements in it.
    fn loop_values(&mut self, found: &Macro, variables: Variables<'_, 'a>) {
        let before = self.reads.len();
        self.elements(found, variables, &mut |trace, bound| {
            trace.element(found, bound);
            ControlFlow::Continue(())
        });
        if self.reads.len() == before {
            self.values(&found.range, variables);
        }
    }

    fn element(&mut self, found: &Macro, bound: &Bound<'_, 'a>) {
        let keeps = |condition: &Ast| matches!(self.evaluation.holds(condition, Some(bound)), Ok(true));
        match (found.kind, &found.filter) {
            (MacroKind::Map, Some(filter)) if keeps(filter) => {
                self.condition(filter, true, Some(bound));
                self.values(&found.body, Some(bound));
            }
            (MacroKind::Map, Some(_)) => {}
            (MacroKind::Map | MacroKind::Keys | MacroKind::SortBy, _) => self.values(&found.body, Some(bound)),
            (MacroKind::Filter | MacroKind::Exists | MacroKind::ExistsOne, _) if keeps(&found.body) => {
                self.condition(&found.body, true, Some(bound));
            }
            (MacroKind::All, _) => {
                if let Ok(held) = self.evaluation.holds(&found.body, Some(bound)) {
                    self.condition(&found.body, held, Some(bound));
                }
            }
            _ => {}
        }
    }

    /// Returns the slot through which a value was reached.
    fn root(&self, ast: &Ast, variables: Variables<'_, 'a>) -> Option<Slot> {
        match &ast.op {
            Op::Slot(slot) => Some(*slot),
            Op::Var(index) => variable(variables, *index)?.root,
            Op::Field(base, _) => self.root(base, variables),
            Op::Index(pair) => self.root(&pair[0], variables),
            Op::Macro(found) => self.root(&found.range, variables),
            Op::Call(call) if call.function.options.source == AnswerSource::FirstArgument => {
                self.root(call.args.first()?, variables)
            }
            Op::Arithmetic(_, pair) => self.same_root(&pair[0], &pair[1], variables),
            Op::Choose(parts) => self.same_root(&parts[1], &parts[2], variables),
            _ => None,
        }
    }

    fn same_root(&self, a: &Ast, b: &Ast, variables: Variables<'_, 'a>) -> Option<Slot> {
        let root = self.root(a, variables)?;
        (self.root(b, variables) == Some(root)).then_some(root)
    }
}
