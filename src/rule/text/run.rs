//! Renders a text: the steps of its tree over the values of a finding, within the budget of its rule.

use std::sync::Arc;

use super::failure::{Rendering, TextFailure};
use super::filters::Input;
use super::marks::{NO_TIME, NODE_ENV};
use super::print::{part_of, print, print_for_shell, print_in_sentence};
use super::tree::{Loop, Relation, Step, Target, Term};
use super::value::{MAX_ITEMS, field, is_list, is_true, item, items, known, len, text};
use crate::expr::{Arithmetic, Comparison, Text, Value, World};
use crate::model::message::Reason;

/// Combinations that `rows` shows.
const MAX_ROWS: usize = 20;
/// Steps of one element of a loop, for which `loop` is made.
const ELEMENT: usize = 8;
/// Longest rendered text, in KiB.
const MAX_TEXT: usize = 256;

/// Ends of the names of fields that are times.
const TIMES: [&str; 3] = ["At", "Time", "Timestamp"];

/// A text while it is rendered.
pub(super) struct Run<'r, 'a> {
    pub world: &'a World,
    pub names: &'r [String],
    /// Values of the first combination.
    pub bindings: &'r [Value<'a>],
    pub rows: &'r [&'r [Value<'a>]],
    /// Names that the text sets, innermost last.
    pub variables: Vec<(&'r str, Value<'a>)>,
    pub out: String,
    pub purpose: Purpose,
}

/// Purpose of a text, by which its values are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Purpose {
    #[default]
    Text,
    /// Sentences with commands in them.
    Instruction,
    Command,
}

impl<'r, 'a> Run<'r, 'a> {
    pub fn steps(&mut self, steps: &'r [Step]) -> Rendering<()> {
        steps.iter().try_for_each(|step| self.step(step))
    }

    fn step(&mut self, step: &'r Step) -> Rendering<()> {
        self.take(1)?;
        match step {
            Step::Raw(raw) => self.out.push_str(raw),
            Step::Print(term) => {
                let value = self.term(term)?;
                self.print(term, &value);
            }
            Step::If { test, then, otherwise } => {
                let holds = self.holds(test)?;
                self.steps(if holds { then } else { otherwise })?;
            }
            Step::For(repeated) => self.repeat(repeated)?,
            Step::Set(target, term) => {
                let value = self.term(term)?;
                self.bind(target, value);
            }
            Step::With { values, body } => {
                let outer = self.variables.len();
                for (target, term) in values {
                    let value = self.term(term)?;
                    self.bind(target, value);
                }
                self.steps(body)?;
                self.variables.truncate(outer);
            }
        }
        if self.out.len() > MAX_TEXT << 10 {
            self.world.refuse(Reason::TextTooLong { kibibytes: MAX_TEXT });
            return Err(TextFailure::Spent);
        }
        Ok(())
    }

    /// The text of the program itself stands in a command as it is; whatever else is made of it is an ordinary value.
    fn print(&mut self, term: &Term, value: &Value<'a>) {
        let of_program = matches!(term, Term::Call { function, .. } if function.as_ref() == NODE_ENV);
        match self.purpose {
            // K3s needs no such line: the empty text is null, and no value that is not known.
            Purpose::Command if of_program => self.out.push_str(value.as_str().unwrap_or_default()),
            Purpose::Command => print_for_shell(self.world, value, &mut self.out),
            Purpose::Instruction => print_in_sentence(self.world, value, &mut self.out),
            Purpose::Text if value.is_null() && is_time(term) => self.out.push(NO_TIME),
            Purpose::Text => print(self.world, value, &mut self.out),
        }
    }

    fn take(&self, steps: usize) -> Rendering<()> {
        if self.world.take_steps(steps) { Ok(()) } else { Err(TextFailure::Spent) }
    }

    fn holds(&mut self, term: &'r Term) -> Rendering<bool> {
        self.term(term).map(|value| is_true(&value))
    }

    fn repeat(&mut self, repeated: &'r Loop) -> Rendering<()> {
        let list = self.term(&repeated.list)?;
        let mut elements = items(self.world, &list, MAX_ITEMS);
        let outer = self.variables.len();
        if let Some(filter) = &repeated.filter {
            let mut kept = Vec::new();
            for element in elements {
                self.take(1)?;
                self.bind(&repeated.target, element.clone());
                if self.holds(filter)? {
                    kept.push(element);
                }
                self.variables.truncate(outer);
            }
            elements = kept;
        }
        if elements.is_empty() {
            return self.steps(&repeated.otherwise);
        }
        let count = elements.len();
        for (position, element) in elements.into_iter().enumerate() {
            self.take(ELEMENT)?;
            self.variables.push(("loop", place(position, count)));
            self.bind(&repeated.target, element);
            self.steps(&repeated.body)?;
            self.variables.truncate(outer);
        }
        Ok(())
    }

    fn bind(&mut self, target: &'r Target, value: Value<'a>) {
        match target {
            Target::Name(name) => self.variables.push((name, value)),
            Target::Parts(parts) => {
                let mut values = items(self.world, &value, parts.len()).into_iter();
                parts.iter().for_each(|part| self.bind(part, values.next().unwrap_or(Value::Null)));
            }
        }
    }

    fn named(&self, name: &str) -> Value<'a> {
        if let Some((_, value)) = self.variables.iter().rev().find(|(known, _)| *known == name) {
            return value.clone();
        }
        match name {
            "rows" => self.shown_rows(),
            "now" => self.world.now.map_or(Value::Null, Value::Time),
            "nodes" => known(self.world.nodes().clone()),
            _ => {
                let slot = self.names.iter().position(|known| known == name);
                slot.and_then(|slot| self.bindings.get(slot)).cloned().map_or(Value::Null, known)
            }
        }
    }

    /// Each combination is a map by the names of the rule.
    fn shown_rows(&self) -> Value<'a> {
        let name = |name: &String| Text::Shared(Arc::from(name.as_str()));
        let row = |row: &&[Value<'a>]| Value::Map(self.names.iter().map(name).zip(row.iter().cloned()).collect());
        Value::list(self.rows.iter().take(MAX_ROWS).map(row).collect())
    }

    fn terms(&mut self, terms: &'r [Term]) -> Rendering<Vec<Value<'a>>> {
        terms.iter().map(|term| self.term(term)).collect()
    }

    fn pair(&mut self, pair: &'r [Term; 2]) -> Rendering<[Value<'a>; 2]> {
        Ok([self.term(&pair[0])?, self.term(&pair[1])?])
    }

    fn term(&mut self, term: &'r Term) -> Rendering<Value<'a>> {
        self.take(1)?;
        Ok(match term {
            Term::Name(name) => self.named(name),
            Term::RowCount => Value::Int(i64::try_from(self.rows.len()).unwrap_or(i64::MAX)),
            Term::Const(value) => value.clone(),
            Term::Field(base, name) => {
                let base = self.term(base)?;
                field(self.world, &base, name)
            }
            Term::Item(pair) => {
                let [base, key] = self.pair(pair)?;
                item(self.world, &base, &key)
            }
            Term::Slice(base, bounds) => self.slice(base, bounds)?,
            Term::Not(inner) => Value::Bool(!self.holds(inner)?),
            Term::Negate(inner) => {
                let value = self.term(inner)?;
                self.calculated(Arithmetic::Subtract, &Value::Int(0), &value)?
            }
            Term::And(pair) => match self.term(&pair[0])? {
                left if is_true(&left) => self.term(&pair[1])?,
                left => left,
            },
            Term::Or(pair) => match self.term(&pair[0])? {
                left if is_true(&left) => left,
                _ => self.term(&pair[1])?,
            },
            Term::Concat(pair) => {
                let [left, right] = self.pair(pair)?;
                self.made(part_of(self.world, &left) + &part_of(self.world, &right))?
            }
            Term::Arithmetic(operator, pair) => {
                let [left, right] = self.pair(pair)?;
                self.calculated(*operator, &left, &right)?
            }
            Term::FloorDivide(pair) => {
                let [left, right] = self.pair(pair)?;
                let quotient = self.calculated(Arithmetic::Divide, &left, &right)?;
                known(self.world.call("math.floor", &[quotient]).map_err(TextFailure::Wrong)?)
            }
            Term::Compare(first, others) => {
                let mut left = self.term(first)?;
                for (relation, term) in others {
                    let right = self.term(term)?;
                    if !self.compare(*relation, &left, &right) {
                        return Ok(Value::Bool(false));
                    }
                    left = right;
                }
                Value::Bool(true)
            }
            Term::Choose(parts) => {
                let holds = self.holds(&parts[0])?;
                self.term(if holds { &parts[1] } else { &parts[2] })?
            }
            Term::Filter { filter, of, arguments, named } => {
                let of = self.term(of)?;
                let arguments = self.terms(arguments)?;
                let named: Rendering<Vec<_>> =
                    named.iter().map(|(name, term)| Ok((name.as_ref(), self.term(term)?))).collect();
                let input = Input { world: self.world, arguments, named: named? };
                let value = input.apply(filter, of)?;
                self.accounted(value)?
            }
            Term::Is { kind, of, arguments } => {
                let value = self.term(of)?;
                Value::Bool((kind.holds)(&value, &self.terms(arguments)?))
            }
            Term::Call { function, arguments } => {
                let arguments = self.terms(arguments)?;
                let value = self.world.call(function, &arguments);
                known(value.map_err(|error| TextFailure::Wrong(format!("{function}: {error}")))?)
            }
            Term::List(list) => {
                let list = self.terms(list)?;
                self.accounted(Value::list(list))?
            }
            Term::Map(entries) => {
                let mut made = Vec::new();
                for pair in entries {
                    let [key, value] = self.pair(pair)?;
                    made.push((Text::Shared(part_of(self.world, &key).into()), value));
                }
                self.accounted(Value::Map(made.into()))?
            }
        })
    }

    fn accounted(&self, value: Value<'a>) -> Rendering<Value<'a>> {
        if self.world.account(&value) { Ok(value) } else { Err(TextFailure::Spent) }
    }

    fn made(&self, made: String) -> Rendering<Value<'a>> {
        self.accounted(text(made))
    }

    fn calculated(&self, operator: Arithmetic, left: &Value<'a>, right: &Value<'a>) -> Rendering<Value<'a>> {
        let value = self.world.calculate(operator, left, right).map_err(TextFailure::Wrong)?;
        self.accounted(known(value))
    }

    fn compare(&self, relation: Relation, left: &Value<'a>, right: &Value<'a>) -> bool {
        match relation {
            Relation::In => self.world.contains(right, left),
            Relation::NotIn => !self.world.contains(right, left),
            Relation::Order(Comparison::Equal) => left.is_null() && right.is_null() || self.world.equal(left, right),
            Relation::Order(Comparison::NotEqual) => {
                !(left.is_null() && right.is_null() || self.world.equal(left, right))
            }
            Relation::Order(comparison) => self.world.ordered(comparison, left, right),
        }
    }

    /// Slices a list, or a text by its characters; of null it is an empty list.
    fn slice(&mut self, base: &'r Term, bounds: &'r [Option<Term>; 3]) -> Rendering<Value<'a>> {
        let base = self.term(base)?;
        let mut numbers = [None; 3];
        for (number, bound) in numbers.iter_mut().zip(bounds) {
            *number = match bound.as_ref().map(|bound| self.term(bound)).transpose()? {
                Some(Value::Int(number)) => Some(number),
                Some(Value::Null) | None => None,
                Some(_) => return Err(TextFailure::Wrong("a bound of a slice is no whole number".to_owned())),
            };
        }
        let [from, to, step] = numbers;
        let Some(step) = usize::try_from(step.unwrap_or(1)).ok().filter(|step| *step > 0) else {
            return Err(TextFailure::Wrong("the step of a slice is above zero".to_owned()));
        };
        let length = len(self.world, &base);
        let place = |bound: i64| {
            let from_end = length.saturating_sub(usize::try_from(bound.unsigned_abs()).unwrap_or(usize::MAX));
            if bound < 0 { from_end } else { usize::try_from(bound).unwrap_or(usize::MAX).min(length) }
        };
        let (from, to) = (from.map_or(0, place), to.map_or(length, place));
        let (taken, most) = (from.min(to), to.saturating_sub(from));
        match &base {
            Value::Str(whole) => {
                self.made(whole.as_str().chars().skip(taken).take(most).step_by(step).collect::<String>())
            }
            list if is_list(list) => {
                let list = items(self.world, list, to).into_iter().skip(taken).take(most).step_by(step);
                self.accounted(Value::list(list.collect()))
            }
            _ => Ok(Value::list(Vec::new())),
        }
    }
}

/// Returns whether a term gives a time or how long ago it was, by the name of the field. An absent one leaves the sentence readable: many logs
/// have no times.
fn is_time(term: &Term) -> bool {
    let names_time =
        |name: &str| matches!(name, "first" | "last" | "since") || TIMES.iter().any(|end| name.ends_with(end));
    match term {
        Term::Name(name) => name.as_ref() == "since",
        Term::Field(_, name) => names_time(name),
        Term::Filter { filter, of, .. } if matches!(filter.name, "ago" | "max" | "min") => is_time(of),
        Term::Filter { filter, named, .. } if filter.name == "map" => named.iter().any(|(_, value)| match value {
            Term::Const(path) => path.as_str().is_some_and(|path| path.rsplit('.').next().is_some_and(names_time)),
            _ => false,
        }),
        _ => false,
    }
}

/// The name `loop` within a loop.
fn place<'a>(position: usize, count: usize) -> Value<'a> {
    let number = |number: usize| Value::Int(i64::try_from(number).unwrap_or(i64::MAX));
    let fields = [
        ("index", number(position + 1)),
        ("index0", number(position)),
        ("revindex", number(count - position)),
        ("revindex0", number(count - position - 1)),
        ("first", Value::Bool(position == 0)),
        ("last", Value::Bool(position + 1 == count)),
        ("length", number(count)),
    ];
    Value::Map(fields.into_iter().map(|(name, value)| (Text::Borrowed(name), value)).collect())
}
