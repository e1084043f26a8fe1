//! Evaluates the tree with the bindings of the slots and the variables of macros.
//!
//! A step yields a value or a [`Stop`]. `&&`, `||`, `exists` and `all` absorb stops as CEL absorbs errors; all others
//! pass them on. Reading a scalar from a slot does not allocate.

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::expr::eval::arithmetic;
use crate::expr::eval::elements::is_list;
use crate::expr::eval::member;
use crate::expr::eval::place::FieldPlace;
use crate::expr::eval::stop::{Answer, Stop};
use crate::expr::eval::value::{Text, Value};
use crate::expr::eval::world::World;
use crate::expr::functions::function::{Caller, MAX_ARGUMENTS};
use crate::expr::parse::ast::{Ast, Call, Comparison, Op};
use crate::expr::scope::Slot;
use crate::model::message::{ExpectedValue, Reason, WrongValue};

/// Evaluation of one expression.
pub(in crate::expr) struct Evaluation<'e, 'a> {
    pub world: &'a World,
    pub bindings: &'e [Value<'a>],
    /// For messages.
    pub text: &'e Arc<str>,
}

/// Variable of a macro, with the variables around it.
pub(in crate::expr) struct Bound<'v, 'a> {
    pub value: Value<'a>,
    pub place: Option<FieldPlace>,
    /// The slot whose value is looped over; only tracing asks.
    pub root: Option<Slot>,
    pub outer: Variables<'v, 'a>,
}

/// The innermost variable.
pub(in crate::expr) type Variables<'v, 'a> = Option<&'v Bound<'v, 'a>>;

/// Value that can be read without a copy.
pub(in crate::expr) enum Operand<'v, 'a> {
    Borrowed(&'v Value<'a>),
    Owned(Value<'a>),
}

impl<'a> Operand<'_, 'a> {
    pub fn get(&self) -> &Value<'a> {
        match self {
            Self::Borrowed(value) => value,
            Self::Owned(value) => value,
        }
    }
}

/// Returns the variable `index` levels out.
pub(in crate::expr) fn variable<'v, 'a>(mut variables: Variables<'v, 'a>, index: usize) -> Variables<'v, 'a> {
    for _ in 0..index {
        variables = variables?.outer;
    }
    variables
}

impl<'e, 'a> Evaluation<'e, 'a> {
    pub fn new(world: &'a World, bindings: &'e [Value<'a>], text: &'e Arc<str>) -> Self {
        world.budget.begin();
        Self { world, bindings, text }
    }

    /// Evaluates a node.
    pub fn eval(&self, ast: &Ast, variables: Variables<'_, 'a>) -> Answer<'a> {
        self.world.budget.step(1)?;
        match &ast.op {
            Op::Const(_) | Op::Slot(_) | Op::Var(_) => self.leaf(ast, variables),
            Op::Now => self.now(),
            Op::Nodes => decided(self.world.nodes().clone()),
            Op::Field(base, name) => {
                let base_value = self.operand(base, variables)?;
                let found = member::field(self.world, base_value.get(), name);
                if matches!(base_value.get(), Value::Hits(_) | Value::Events(_)) {
                    // Their texts are copied.
                    self.world.budget.value(found.as_ref().unwrap_or(&Value::Null))?;
                }
                found.map_err(|stop| self.place_at(stop, base, variables))
            }
            Op::Index(pair) => {
                let (base, key) = (self.operand(&pair[0], variables)?, self.operand(&pair[1], variables)?);
                let found = member::index(self.world, base.get(), key.get());
                found.map_err(|stop| self.place_at(stop, &pair[0], variables))
            }
            Op::Negate(inner) => {
                let value = self.operand(inner, variables)?;
                arithmetic::negate(value.get()).map_err(|stop| self.place_at(stop, inner, variables))
            }
            Op::Arithmetic(operator, pair) => {
                let (a, b) = (self.operand(&pair[0], variables)?, self.operand(&pair[1], variables)?);
                let result = arithmetic::compute(self.world, *operator, a.get(), b.get());
                let value = result.map_err(|stop| self.place_at_first(stop, pair.iter(), variables))?;
                self.world.budget.value(&value)?;
                Ok(value)
            }
            Op::Choose(parts) => {
                let branch = if self.holds(&parts[0], variables)? { &parts[1] } else { &parts[2] };
                self.eval(branch, variables)
            }
            Op::List(items) => {
                let one = |item| {
                    self.world.budget.item()?;
                    self.eval(item, variables)
                };
                let values: Result<Vec<_>, Stop> = items.iter().map(one).collect();
                Ok(Value::list(values?))
            }
            Op::Map(entries) => self.map(entries, variables),
            Op::Macro(found) => match found.closed {
                Some(number) => self.run_closed(number, found),
                None => self.run_macro(found, variables),
            },
            Op::Call(call) => self.call(call, variables),
            Op::Not(_) | Op::And(_) | Op::Or(_) | Op::Compare(..) | Op::IsNull(_) | Op::In(_) => {
                self.holds(ast, variables).map(Value::Bool)
            }
        }
    }

    fn leaf(&self, ast: &Ast, variables: Variables<'_, 'a>) -> Answer<'a> {
        self.operand(ast, variables).map(|operand| operand.get().clone())
    }

    /// Evaluates a node and borrows an existing value.
    pub(in crate::expr) fn operand<'v>(
        &'v self,
        ast: &'v Ast,
        variables: Variables<'v, 'a>,
    ) -> Result<Operand<'v, 'a>, Stop> {
        match &ast.op {
            Op::Const(value) => Ok(Operand::Borrowed(value)),
            Op::Slot(slot) => match self.bindings.get(*slot) {
                Some(Value::Undecided(reason)) => Err(Stop::Undecided(reason.clone())),
                Some(value) => Ok(Operand::Borrowed(value)),
                None => Ok(Operand::Owned(Value::Null)),
            },
            Op::Var(index) => match variable(variables, *index).map(|bound| &bound.value) {
                Some(Value::Undecided(reason)) => Err(Stop::Undecided(reason.clone())),
                Some(value) => Ok(Operand::Borrowed(value)),
                None => Ok(Operand::Owned(Value::Null)),
            },
            _ => self.eval(ast, variables).map(Operand::Owned),
        }
    }

    fn now(&self) -> Answer<'a> {
        self.world.now.map(Value::Time).ok_or_else(|| Stop::undecided(Reason::CollectionTimeUnknown))
    }

    fn map(&self, entries: &[[Ast; 2]], variables: Variables<'_, 'a>) -> Answer<'a> {
        let mut made = Vec::with_capacity(entries.len());
        for [key, value] in entries {
            let key = match self.eval(key, variables)? {
                Value::Str(text) => text,
                other => match crate::expr::eval::display::display(&other) {
                    Some(text) => Text::Shared(text.into()),
                    None => return Err(Stop::wrong(WrongValue::NoKey { found: other.describe() })),
                },
            };
            self.world.budget.item()?;
            made.push((key, self.eval(value, variables)?));
        }
        Ok(Value::Map(made.into()))
    }

    fn call(&self, call: &Call, variables: Variables<'_, 'a>) -> Answer<'a> {
        let mut args: [Value<'a>; MAX_ARGUMENTS] = [const { Value::Null }; MAX_ARGUMENTS];
        let mut count = 0;
        for (slot, arg) in args.iter_mut().zip(&call.args) {
            *slot = self.eval(arg, variables)?;
            if !call.function.options.constant_time {
                self.world.budget.read(slot)?;
            }
            count += 1;
        }
        let caller = Caller { world: self.world, prepared: &call.prepared };
        let answer = call.function.call(&caller, args.get(..count).unwrap_or_default());
        let value = answer.map_err(|stop| self.place_at_first(stop, call.args.iter(), variables))?;
        self.world.budget.value(&value)?;
        Ok(value)
    }

    /// Returns true if a node holds as a condition; null does not.
    pub fn holds(&self, ast: &Ast, variables: Variables<'_, 'a>) -> Result<bool, Stop> {
        self.world.budget.step(1)?;
        match &ast.op {
            Op::Not(inner) => self.holds(inner, variables).map(|held| !held),
            Op::And(terms) => self.all_of(terms, variables),
            Op::Or(terms) => self.any_of(terms, variables),
            Op::Compare(comparison, pair) => self.compare(*comparison, pair, variables),
            Op::IsNull(inner) => self.operand(inner, variables).map(|value| value.get().is_null()),
            Op::In(pair) => {
                let (a, b) = (self.operand(&pair[0], variables)?, self.operand(&pair[1], variables)?);
                if let Some(list) = self.closed_list(&pair[1]) {
                    return Ok(list.contains(a.get())?);
                }
                self.world.budget.read(b.get())?;
                let found = is_member(self.world, a.get(), b.get());
                found.map_err(|stop| self.place_at(stop, &pair[1], variables))
            }
            _ => {
                let value = self.eval(ast, variables)?;
                truth(&value).map_err(|stop| self.place_at(stop, ast, variables))
            }
        }
    }

    fn all_of(&self, terms: &[Ast], variables: Variables<'_, 'a>) -> Result<bool, Stop> {
        let mut stopped = None;
        for term in terms {
            match self.holds(term, variables) {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                Err(stop) => stopped = Some(Stop::join(stopped, stop)),
            }
        }
        stopped.map_or(Ok(true), Err)
    }

    fn any_of(&self, terms: &[Ast], variables: Variables<'_, 'a>) -> Result<bool, Stop> {
        let mut stopped = None;
        for term in terms {
            match self.holds(term, variables) {
                Ok(false) => {}
                Ok(true) => return Ok(true),
                Err(stop) => stopped = Some(Stop::join(stopped, stop)),
            }
        }
        stopped.map_or(Ok(false), Err)
    }

    fn compare(&self, comparison: Comparison, pair: &[Ast; 2], variables: Variables<'_, 'a>) -> Result<bool, Stop> {
        let (a, b) = match (self.operand(&pair[0], variables), comparison) {
            (Err(Stop::Undecided(reason)), Comparison::Equal | Comparison::NotEqual) if is_writer(&reason) => {
                return match self.operand(&pair[1], variables) {
                    // Whoever wrote a file: it is the same for all its lines.
                    Err(Stop::Undecided(other)) if other == reason => Ok(matches!(comparison, Comparison::Equal)),
                    _ => Err(Stop::Undecided(reason)),
                };
            }
            (a, _) => (a?, self.operand(&pair[1], variables)?),
        };
        self.world.budget.read(a.get())?;
        self.world.budget.read(b.get())?;
        match comparison {
            Comparison::Equal => return Ok(a.get().equals(b.get())?),
            Comparison::NotEqual => return Ok(!a.get().equals(b.get())?),
            _ => {}
        }
        match a.get().order(b.get()) {
            Ok(order) => Ok(order.is_some_and(|order| comparison.accepts(order))),
            Err(problem) => Err(self.place_at_first(Stop::wrong(problem), pair.iter(), variables)),
        }
    }

    /// Adds the field to a stop about wrong data.
    pub(in crate::expr) fn place_at(&self, stop: Stop, ast: &Ast, variables: Variables<'_, 'a>) -> Stop {
        self.place_at_first(stop, std::iter::once(ast), variables)
    }

    fn place_at_first<'t>(
        &self,
        stop: Stop,
        asts: impl Iterator<Item = &'t Ast>,
        variables: Variables<'_, 'a>,
    ) -> Stop {
        match stop {
            Stop::Wrong(mut wrong) if wrong.place.is_none() => {
                wrong.place = asts.filter_map(|ast| self.place(ast, variables)).next();
                Stop::Wrong(wrong)
            }
            other => other,
        }
    }

    /// Returns the place of a node's value; for an absent field, the mapping that could have it.
    pub fn place(&self, ast: &Ast, variables: Variables<'_, 'a>) -> Option<FieldPlace> {
        let (base, child) = match &ast.op {
            Op::Var(index) => return variable(variables, *index)?.place,
            Op::Field(base, name) => {
                let value = self.eval(base, variables).ok()?;
                (base.as_ref(), member::child_node(self.world, &value, name))
            }
            Op::Index(pair) => {
                let (value, key) = (self.eval(&pair[0], variables).ok()?, self.eval(&pair[1], variables).ok()?);
                (&pair[0], child_at(self.world, &value, &key))
            }
            _ => return place_of(self.world, &self.eval(ast, variables).ok()?),
        };
        match child {
            Some((node, resource)) => resource.map(|id| (id, node.index())),
            None => self.place(base, variables),
        }
    }
}

fn child_at<'a>(
    world: &'a World,
    value: &Value<'a>,
    key: &Value<'a>,
) -> Option<(crate::yaml::Node<'a>, Option<crate::resource::ResourceId>)> {
    match key {
        Value::Str(name) => member::child_node(world, value, name.as_str()),
        Value::Int(position) => {
            let (node, resource) = member::own_node(world, value)?;
            Some((node.at(usize::try_from(*position).ok()?)?, resource))
        }
        _ => None,
    }
}

fn place_of(world: &World, value: &Value<'_>) -> Option<FieldPlace> {
    match value {
        Value::Resource(id) => Some((*id, world.resources.resource(*id).node)),
        Value::Node { node, resource } => resource.map(|id| (id, node.index())),
        _ => None,
    }
}

fn is_writer(reason: &Reason) -> bool {
    matches!(reason, Reason::WriterUnknown { .. })
}

fn decided<'a>(value: Value<'a>) -> Answer<'a> {
    match value {
        Value::Undecided(reason) => Err(Stop::Undecided(reason)),
        value => Ok(value),
    }
}

/// Converts a value to the result of a condition.
fn truth(value: &Value<'_>) -> Result<bool, Stop> {
    match value {
        Value::Bool(held) => Ok(*held),
        Value::Null => Ok(false),
        other => Err(Stop::expected(other.describe(), ExpectedValue::Condition)),
    }
}

/// Computes `a in b`.
pub(in crate::expr) fn is_member<'a>(world: &'a World, a: &Value<'a>, b: &Value<'a>) -> Result<bool, Stop> {
    if let Value::Undecided(reason) = b {
        return Err(Stop::Undecided(reason.clone()));
    }
    let is_list = is_list(b);
    let (mut found, mut unknown) = (false, None);
    member::visit(world, b, &mut |element| {
        let candidate = if is_list { &element.value } else { &element.key };
        match a.equals(candidate) {
            Ok(same) => found = same,
            Err(reason) => unknown = Some(reason),
        }
        if found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    match unknown {
        Some(reason) if !found => Err(Stop::Undecided(reason)),
        _ => Ok(found),
    }
}
