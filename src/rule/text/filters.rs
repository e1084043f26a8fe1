//! Filters of texts.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use jiff::SignedDuration;

use super::failure::{Rendering, TextFailure};
use super::kinds;
use super::marks::UNKNOWN;
use super::print::{decimal, json_of, part_of, text_of};
use super::value::{entries, field, is_list, is_true, item, items, known, len, text};
use crate::expr::{Key, Value, World};

/// A filter by its name.
#[derive(Debug)]
pub(super) struct Filter {
    pub name: &'static str,
    /// Fewest and most arguments by position.
    pub takes: (usize, usize),
    /// Arguments by name.
    pub named: &'static [&'static str],
    run: for<'a> fn(&Input<'_, 'a>, Value<'a>) -> Rendering<Value<'a>>,
}

/// Arguments of a filter.
pub(super) struct Input<'f, 'a> {
    pub world: &'a World,
    pub arguments: Vec<Value<'a>>,
    pub named: Vec<(&'f str, Value<'a>)>,
}

type Run = for<'a> fn(&Input<'_, 'a>, Value<'a>) -> Rendering<Value<'a>>;

const fn filter(name: &'static str, takes: (usize, usize), run: Run) -> Filter {
    Filter { name, takes, named: &[], run }
}

const fn with_names(name: &'static str, takes: (usize, usize), named: &'static [&'static str], run: Run) -> Filter {
    Filter { name, takes, named, run }
}

/// Filters of texts, those of gleaner first.
const FILTERS: &[Filter] = &[
    filter("ago", (0, 0), |input, value| input.ago(value)),
    filter("bytes", (0, 0), |input, value| input.bytes(value)),
    filter("percent", (0, 1), |input, value| input.percent(value)),
    filter("plural", (2, 2), |input, value| input.plural(&value)),
    filter("length", (0, 0), |input, value| Ok(input.length(&value))),
    filter("count", (0, 0), |input, value| Ok(input.length(&value))),
    filter("items", (0, 0), |input, value| Ok(input.pairs(&value))),
    filter("first", (0, 0), |input, value| Ok(input.end(&value, 0))),
    filter("last", (0, 0), |input, value| Ok(input.end(&value, -1))),
    filter("list", (0, 0), |input, value| Ok(Value::list(items(input.world, &value, usize::MAX)))),
    filter("reverse", (0, 0), |input, value| input.call("reverse", &[value])),
    with_names("join", (0, 1), &["attribute"], |input, value| input.join(&value)),
    with_names("map", (0, 8), &["attribute", "default"], |input, value| input.map(&value)),
    with_names("sort", (0, 0), &["attribute", "reverse"], |input, value| input.sort(&value)),
    with_names("unique", (0, 0), &["attribute"], |input, value| input.unique(&value)),
    with_names("sum", (0, 0), &["attribute"], |input, value| input.reduce("sum", &value)),
    with_names("min", (0, 0), &["attribute"], |input, value| input.reduce("min", &value)),
    with_names("max", (0, 0), &["attribute"], |input, value| input.reduce("max", &value)),
    filter("select", (0, 2), |input, value| input.select(&value, 0, true)),
    filter("reject", (0, 2), |input, value| input.select(&value, 0, false)),
    filter("selectattr", (1, 3), |input, value| input.select(&value, 1, true)),
    filter("rejectattr", (1, 3), |input, value| input.select(&value, 1, false)),
    with_names("default", (0, 2), &["boolean"], |input, value| Ok(input.default(value))),
    with_names("d", (0, 2), &["boolean"], |input, value| Ok(input.default(value))),
    filter("lower", (0, 0), |input, value| Ok(text(part_of(input.world, &value).to_lowercase()))),
    filter("upper", (0, 0), |input, value| Ok(text(part_of(input.world, &value).to_uppercase()))),
    filter("capitalize", (0, 0), |input, value| Ok(text(capitalized(&part_of(input.world, &value))))),
    filter("title", (0, 0), |input, value| Ok(text(titled(&part_of(input.world, &value))))),
    filter("trim", (0, 0), |input, value| Ok(text(part_of(input.world, &value).trim()))),
    filter("string", (0, 0), |input, value| Ok(text(part_of(input.world, &value)))),
    filter("replace", (2, 2), |input, value| input.replace(value)),
    filter("split", (1, 2), |input, value| input.of_function("split", value)),
    filter("int", (0, 0), |input, value| input.call("int", &[value])),
    filter("float", (0, 0), |input, value| input.call("double", &[value])),
    filter("abs", (0, 0), |input, value| input.call("math.abs", &[value])),
    filter("round", (0, 1), |input, value| input.round(&value)),
    filter("tojson", (0, 0), |input, value| Ok(text(json_of(input.world, &value)))),
];

/// Finds a filter.
pub(super) fn find(name: &str) -> Option<&'static Filter> {
    FILTERS.iter().find(|filter| filter.name == name)
}

/// Returns the names of all filters.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    FILTERS.iter().map(|filter| filter.name)
}

impl<'a> Input<'_, 'a> {
    /// Applies a filter to a value.
    pub fn apply(&self, filter: &Filter, value: Value<'a>) -> Rendering<Value<'a>> {
        if !self.world.read(&value) || !self.arguments.iter().all(|argument| self.world.read(argument)) {
            return Err(TextFailure::Spent);
        }
        (filter.run)(self, value)
    }

    fn argument(&self, position: usize) -> &Value<'a> {
        self.arguments.get(position).unwrap_or(&Value::Null)
    }

    fn by_name(&self, name: &str) -> Option<&Value<'a>> {
        self.named.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// Returns the time since a moment; none of it has passed at what was written while the bundle was being collected.
    fn ago(&self, value: Value<'a>) -> Rendering<Value<'a>> {
        Ok(match self.call("ago", &[value])? {
            Value::Duration(passed) => Value::Duration(passed.max(SignedDuration::ZERO)),
            unknown => unknown,
        })
    }

    fn call(&self, function: &str, arguments: &[Value<'a>]) -> Rendering<Value<'a>> {
        let answer = self.world.call(function, arguments);
        answer.map(known).map_err(|error| TextFailure::Wrong(format!("{function}: {error}")))
    }

    /// Calls the function of the same meaning.
    fn of_function(&self, function: &str, value: Value<'a>) -> Rendering<Value<'a>> {
        let all: Vec<Value<'a>> = std::iter::once(value).chain(self.arguments.iter().cloned()).collect();
        self.call(function, &all)
    }

    /// A number of bytes, or a quantity, in binary units.
    fn bytes(&self, value: Value<'a>) -> Rendering<Value<'a>> {
        const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
        let Some(number) = self.numeric("quantity", value)? else { return Ok(Value::Null) };
        if number.abs() < 1024.0 {
            return Ok(text(format!("{} B", decimal(number, 0))));
        }
        let (mut scaled, mut unit) = (number, "B");
        for next in UNITS {
            if scaled.abs() < 1024.0 {
                break;
            }
            scaled /= 1024.0;
            unit = next;
        }
        Ok(text(format!("{} {unit}", decimal(scaled, 1))))
    }

    /// `{{ x | percent }}` of a number of percent, `{{ part | percent(whole) }}`.
    fn percent(&self, value: Value<'a>) -> Rendering<Value<'a>> {
        let share = match self.arguments.first() {
            Some(whole) => self.call("percent", &[value, whole.clone()])?,
            None => value,
        };
        let number = self.numeric("double", share)?;
        Ok(number.map_or(Value::Null, |number| text(format!("{}%", decimal(number, 1)))))
    }

    /// The number that a function makes of a value.
    fn numeric(&self, function: &str, value: Value<'a>) -> Rendering<Option<f64>> {
        match self.call(function, &[value])? {
            Value::Null => Ok(None),
            Value::Int(number) => Ok(Some(number as f64)),
            Value::Double(number) => Ok(Some(number)),
            _ => Err(TextFailure::Wrong("a number is expected".to_owned())),
        }
    }

    /// The number with the form that fits it; of a list the number of its items, of hits and events their count.
    fn plural(&self, value: &Value<'a>) -> Rendering<Value<'a>> {
        let number = if is_list(value) { len(self.world, value).to_string() } else { text_of(self.world, value) };
        if number != UNKNOWN && number.parse::<f64>().is_err() {
            return Err(TextFailure::Wrong(format!("plural: \"{number}\" is not a number")));
        }
        let form = self.argument(if number == "1" { 0 } else { 1 });
        Ok(text(format!("{number} {}", part_of(self.world, form))))
    }

    fn length(&self, value: &Value<'a>) -> Value<'a> {
        Value::Int(i64::try_from(len(self.world, value)).unwrap_or(i64::MAX))
    }

    fn pairs(&self, value: &Value<'a>) -> Value<'a> {
        let entries = entries(self.world, value, usize::MAX).into_iter();
        Value::list(entries.map(|(name, value)| Value::list(vec![name, value])).collect())
    }

    fn end(&self, value: &Value<'a>, position: i64) -> Value<'a> {
        match value {
            Value::Str(whole) => {
                let mut characters = whole.as_str().chars();
                let end = if position == 0 { characters.next() } else { characters.next_back() };
                end.map_or(Value::Null, |character| text(character.to_string()))
            }
            list => item(self.world, list, &Value::Int(position)),
        }
    }

    fn elements(&self, value: &Value<'a>) -> Vec<Value<'a>> {
        items(self.world, value, usize::MAX)
    }

    /// `a.b.c` of a value; a part of digits is a position.
    fn attribute(&self, value: &Value<'a>, path: &str) -> Value<'a> {
        path.split('.').fold(value.clone(), |value, part| match part.parse() {
            Ok(position) => item(self.world, &value, &Value::Int(position)),
            Err(_) => field(self.world, &value, part),
        })
    }

    /// The attribute that a filter names, else the value itself.
    fn key(&self, value: &Value<'a>) -> Value<'a> {
        match self.by_name("attribute").and_then(Value::as_str) {
            Some(path) => self.attribute(value, path),
            None => value.clone(),
        }
    }

    fn join(&self, value: &Value<'a>) -> Rendering<Value<'a>> {
        let separator = part_of(self.world, self.argument(0));
        let mut joined = String::new();
        let elements = match value {
            Value::Str(whole) => whole.as_str().chars().map(|c| text(c.to_string())).collect(),
            value => self.elements(value),
        };
        for (position, element) in elements.iter().enumerate() {
            let part = part_of(self.world, &self.key(element));
            if !self.world.take_bytes(part.len() + separator.len()) {
                return Err(TextFailure::Spent);
            }
            if position > 0 {
                joined.push_str(&separator);
            }
            joined.push_str(&part);
        }
        Ok(text(joined))
    }

    /// The attribute of each item, or each item through another filter.
    fn map(&self, value: &Value<'a>) -> Rendering<Value<'a>> {
        let default = self.by_name("default");
        let one = |element: Value<'a>| match self.argument(0).as_str() {
            Some(name) => match find(name) {
                Some(filter) => {
                    let arguments = self.arguments.iter().skip(1).cloned().collect();
                    Input { world: self.world, arguments, named: Vec::new() }.apply(filter, element)
                }
                None => Err(TextFailure::Wrong(format!("there is no filter {name}"))),
            },
            None => match self.key(&element) {
                Value::Null => Ok(default.cloned().unwrap_or(Value::Null)),
                found => Ok(found),
            },
        };
        Ok(Value::list(self.elements(value).into_iter().map(one).collect::<Rendering<_>>()?))
    }

    fn sort(&self, value: &Value<'a>) -> Rendering<Value<'a>> {
        let mut keyed: Vec<_> = self.elements(value).into_iter().map(|element| (self.key(&element), element)).collect();
        keyed.sort_by(|(a, _), (b, _)| in_order(a, b));
        if self.by_name("reverse").is_some_and(is_true) {
            keyed.reverse();
        }
        Ok(Value::list(keyed.into_iter().map(|(_, element)| element).collect()))
    }

    /// Each item once, whatever the case of its letters.
    fn unique(&self, value: &Value<'a>) -> Rendering<Value<'a>> {
        let mut seen = BTreeSet::new();
        let mut kept = self.elements(value);
        kept.retain(|element| {
            let key = self.key(element);
            seen.insert((
                key.as_str().map(str::to_lowercase),
                if key.as_str().is_some() { None } else { sort_key(&key) },
            ))
        });
        Ok(Value::list(kept))
    }

    fn reduce(&self, function: &str, value: &Value<'a>) -> Rendering<Value<'a>> {
        let list = self.elements(value).iter().map(|element| self.key(element)).collect();
        self.call(function, &[Value::list(list)])
    }

    /// Items for which a test holds or not; with `attributes`, the first argument is an attribute of the item.
    fn select(&self, value: &Value<'a>, attributes: usize, wanted: bool) -> Rendering<Value<'a>> {
        let path = self.arguments.first().filter(|_| attributes > 0).and_then(Value::as_str);
        let test = self.arguments.get(attributes).and_then(Value::as_str);
        let kind = match test.map(|name| (name, kinds::find(name))) {
            Some((name, None)) => return Err(TextFailure::Wrong(format!("there is no test {name}"))),
            Some((_, kind)) => kind,
            None => None,
        };
        let rest = self.arguments.get(attributes + 1..).unwrap_or_default();
        let mut kept = self.elements(value);
        kept.retain(|element| {
            let tested = path.map_or_else(|| element.clone(), |path| self.attribute(element, path));
            kind.map_or_else(|| is_true(&tested), |kind| (kind.holds)(&tested, rest)) == wanted
        });
        Ok(Value::list(kept))
    }

    fn default(&self, value: Value<'a>) -> Value<'a> {
        let also_false = self.by_name("boolean").unwrap_or(self.argument(1));
        let missing = value.is_null() || (is_true(also_false) && !is_true(&value));
        match (missing, self.arguments.first()) {
            (true, Some(other)) => other.clone(),
            (true, None) => text(""),
            (false, _) => value,
        }
    }

    fn replace(&self, value: Value<'a>) -> Rendering<Value<'a>> {
        let whole = text(part_of(self.world, &value));
        let replaced = self.of_function("replace", whole)?;
        Ok(if replaced.is_null() { text("") } else { replaced })
    }

    fn round(&self, value: &Value<'a>) -> Rendering<Value<'a>> {
        let places = match self.argument(0) {
            Value::Int(places) => i32::try_from(*places).unwrap_or(0).clamp(0, 15),
            _ => 0,
        };
        let Some(number) = self.numeric("double", value.clone())? else { return Ok(Value::Null) };
        let scale = 10_f64.powi(places);
        Ok(Value::Double((number * scale).round() / scale))
    }
}

/// Texts regardless of case, other values by their own order, null last.
fn in_order(a: &Value<'_>, b: &Value<'_>) -> Ordering {
    match (a.as_str(), b.as_str()) {
        (Some(a), Some(b)) => a.to_lowercase().cmp(&b.to_lowercase()),
        _ => a.is_null().cmp(&b.is_null()).then_with(|| sort_key(a).cmp(&sort_key(b))),
    }
}

fn sort_key(value: &Value<'_>) -> Option<Key> {
    value.key().ok().flatten()
}

fn capitalized(whole: &str) -> String {
    let mut characters = whole.chars();
    let first: String = characters.next().into_iter().flat_map(char::to_uppercase).collect();
    first + &characters.as_str().to_lowercase()
}

fn titled(whole: &str) -> String {
    whole.split_inclusive(char::is_whitespace).map(capitalized).collect()
}
