//! `drift(want, live)`: differences of an object from the desired one.
//!
//! Only desired fields are compared, because a server adds fields of its own. Values that a server stores in another
//! form (quantities, durations) or omits when empty are not differences.

use crate::expr::check::shape::{Kind, Shape};
use crate::expr::eval::elements::is_list;
use crate::expr::eval::member;
use crate::expr::eval::place::FieldPlace;
use crate::expr::eval::stop::{Answer, Stop};
use crate::expr::eval::time;
use crate::expr::eval::value::{Text, Value};
use crate::expr::eval::world::World;
use crate::expr::functions::function::{Caller, Function, Parameter, Returns, STRICT, Takes};
use crate::model::measure;
use crate::model::message::{ExpectedValue, WrongValue};
use crate::yaml::secret::MASK;
use std::sync::Arc;

/// Functions declared in this file.
pub(super) const FUNCTIONS: &[Function] = &[Function {
    name: "drift",
    parameters: &[Parameter::required("want", Takes::Object), Parameter::required("live", Takes::Object)],
    returns: Returns::Shape(|_| differences_shape()),
    doc: "[differences](#drift) between a wanted and a live object",
    run: drift,
    options: STRICT.places(places),
}];

/// Shape of the list of differences.
fn differences_shape() -> Arc<Shape> {
    let fields = [("path", Shape::of(Kind::Text)), ("want", Shape::anything()), ("live", Shape::anything())];
    Shape::list(Arc::new(Shape::map(fields)))
}

/// Most differences listed for one object.
const MAX_DIFFERENCES: usize = 1000;
/// Maximum nesting of objects.
const MAX_DEPTH: usize = 128;

/// Fields that identify an item of a list: the merge keys of Kubernetes' own types.
const MERGE_KEYS: [&str; 8] = ["name", "mountPath", "devicePath", "containerPort", "port", "type", "topologyKey", "ip"];
/// Fields whose content is data: `1` and `1.0` differ.
const VERBATIM: [&str; 9] =
    ["annotations", "labels", "matchLabels", "data", "stringData", "binaryData", "args", "command", "env"];
/// Top-level fields that are not compared because they are no desired state or a server rewrites them.
const NO_WISH: [&str; 3] = ["apiVersion", "status", "stringData"];

/// Returns a list of `{path, want, live}`.
pub(super) fn drift<'a>(caller: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    let [want, live] = args else { return Ok(Value::Null) };
    if let Some(other) = [want, live].into_iter().find(|side| !is_map(side)) {
        return Err(Stop::expected(other.describe(), ExpectedValue::Object));
    }
    compare(caller.world, want, live).map(|comparison| Value::list(comparison.found))
}

/// Returns places where the live object differs, for evidence; for an absent field, the mapping that could have it.
pub(super) fn places<'a>(world: &'a World, args: &[Value<'a>]) -> Vec<FieldPlace> {
    let [want, live] = args else { return Vec::new() };
    compare(world, want, live).map_or_else(|_| Vec::new(), |comparison| comparison.places)
}

fn compare<'a>(world: &'a World, want: &Value<'a>, live: &Value<'a>) -> Result<Comparison<'a>, Stop> {
    let mut comparison = Comparison { world, found: Vec::new(), places: Vec::new() };
    let root = member::own_node(world, live).and_then(|(node, resource)| Some((resource?, node.index())));
    comparison.fields(&mut Path { place: root, ..Path::default() }, want, live)?;
    Ok(comparison)
}

/// Position in the object: the text of a path, its names, and the place in the live object.
#[derive(Default)]
struct Path {
    text: String,
    names: Vec<Box<str>>,
    place: Option<FieldPlace>,
}

impl Path {
    fn is_verbatim(&self) -> bool {
        self.names.iter().any(|name| VERBATIM.contains(&name.as_ref()))
    }

    /// Runs one level deeper; `part` is the text of the level in the path. An absent field has the place of its parent.
    fn within<T>(&mut self, part: &str, name: &str, place: Option<FieldPlace>, run: impl FnOnce(&mut Self) -> T) -> T {
        let (length, outer) = (self.text.len(), self.place);
        self.text.push_str(part);
        self.names.push(name.into());
        self.place = place.or(outer);
        let result = run(self);
        self.place = outer;
        self.names.pop();
        self.text.truncate(length);
        result
    }

    /// Formats `.name` or `["odd.name"]`.
    fn part_of(&self, name: &str) -> String {
        let plain = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
        match (plain, self.text.is_empty()) {
            (true, true) => name.to_owned(),
            (true, false) => format!(".{name}"),
            (false, _) => format!("[\"{name}\"]"),
        }
    }
}

struct Comparison<'a> {
    world: &'a World,
    found: Vec<Value<'a>>,
    /// Places in the live object, one per difference.
    places: Vec<FieldPlace>,
}

/// An item of a list with its place.
type Item<'a> = (Value<'a>, Option<FieldPlace>);

impl<'a> Comparison<'a> {
    /// Compares the fields of a desired map.
    fn fields(&mut self, path: &mut Path, want: &Value<'a>, live: &Value<'a>) -> Result<(), Stop> {
        let top = path.names.is_empty();
        for (name, wanted) in entries(self.world, want)? {
            if top && NO_WISH.contains(&name.as_str()) {
                continue;
            }
            let own = member::field(self.world, live, name.as_str())?;
            let part = path.part_of(name.as_str());
            let child = member::child_node(self.world, live, name.as_str());
            let place = child.and_then(|(node, resource)| Some((resource?, node.index())));
            path.within(&part, name.as_str(), place, |path| self.values(path, &wanted, &own))?;
        }
        Ok(())
    }

    fn values(&mut self, path: &mut Path, want: &Value<'a>, live: &Value<'a>) -> Result<(), Stop> {
        if path.names.len() > MAX_DEPTH {
            return Err(Stop::wrong(WrongValue::TooDeep { levels: MAX_DEPTH }));
        }
        match (is_map(want), is_map(live), is_list(want), is_list(live)) {
            (true, true, ..) => self.fields(path, want, live),
            (_, _, true, true) => self.lists(path, want, live),
            _ if self.is_same(path, want, live) => Ok(()),
            _ => {
                self.note(path, want, live);
                Ok(())
            }
        }
    }

    fn lists(&mut self, path: &mut Path, want: &Value<'a>, live: &Value<'a>) -> Result<(), Stop> {
        let (wanted, own) = (items(self.world, want)?, items(self.world, live)?);
        if !wanted.iter().chain(&own).all(|(item, _)| is_map(item)) {
            let same =
                wanted.len() == own.len() && wanted.iter().zip(&own).all(|(a, b)| self.is_same(path, &a.0, &b.0));
            if !same {
                self.note(path, want, live);
            }
            return Ok(());
        }
        match self.merge_key(&wanted, &own) {
            Some(key) => self.keyed(path, key, &wanted, &own),
            None => self.in_order(path, &wanted, &own),
        }
    }

    /// Returns the field that every item of a list has with a different value.
    fn merge_key(&self, want: &[Item<'a>], live: &[Item<'a>]) -> Option<&'static str> {
        let distinct = |items: &[Item<'a>], key: &str| {
            let names: Option<Vec<String>> = items.iter().map(|item| self.name_of(item, key)).collect();
            let Some(mut names) = names else { return false };
            names.sort_unstable();
            names.windows(2).all(|pair| pair.first() != pair.last())
        };
        MERGE_KEYS.into_iter().find(|key| distinct(want, key) && distinct(live, key))
    }

    fn name_of(&self, item: &Item<'a>, key: &str) -> Option<String> {
        crate::expr::eval::display::display(&member::field(self.world, &item.0, key).ok()?)
    }

    /// Compares items by key; additional live items were added by others, such as sidecars.
    fn keyed(&mut self, path: &mut Path, key: &str, want: &[Item<'a>], live: &[Item<'a>]) -> Result<(), Stop> {
        for wanted in want {
            let Some(name) = self.name_of(wanted, key) else { continue };
            let own = live.iter().find(|item| self.name_of(item, key).as_ref() == Some(&name));
            self.item(path, &name, Some(wanted), own)?;
        }
        Ok(())
    }

    fn in_order(&mut self, path: &mut Path, want: &[Item<'a>], live: &[Item<'a>]) -> Result<(), Stop> {
        for position in 0..want.len().max(live.len()) {
            self.item(path, &position.to_string(), want.get(position), live.get(position))?;
        }
        Ok(())
    }

    fn item(
        &mut self,
        path: &mut Path,
        name: &str,
        want: Option<&Item<'a>>,
        live: Option<&Item<'a>>,
    ) -> Result<(), Stop> {
        let value = |item: Option<&Item<'a>>| item.map_or(Value::Null, |(value, _)| value.clone());
        path.within(&format!("[{name}]"), "", live.and_then(|(_, place)| *place), |path| {
            if want.is_some() && live.is_some() {
                return self.values(path, &value(want), &value(live));
            }
            self.note(path, &value(want), &value(live));
            Ok(())
        })
    }

    /// Returns true if a server would store one value as the other.
    fn is_same(&self, path: &Path, want: &Value<'a>, live: &Value<'a>) -> bool {
        // What nobody knows is no difference.
        if want.equals(live).unwrap_or(true) || is_masked(want) || is_masked(live) {
            return true;
        }
        if live.is_null() {
            return self.is_empty(want);
        }
        if path.is_verbatim() {
            return crate::expr::eval::display::display(want)
                .is_some_and(|text| crate::expr::eval::display::display(live) == Some(text));
        }
        let numbers = (quantity(want), quantity(live));
        let durations = (duration(want), duration(live));
        matches!(numbers, (Some(a), Some(b)) if a == b) || matches!(durations, (Some(a), Some(b)) if a == b)
    }

    /// Returns true if a server omits the value: null, false, 0, an empty list or map.
    fn is_empty(&self, value: &Value<'a>) -> bool {
        match value {
            Value::Null | Value::Bool(false) | Value::Int(0) => true,
            Value::Double(number) => *number == 0.0,
            _ if is_map(value) => {
                entries(self.world, value).is_ok_and(|entries| entries.iter().all(|(_, inner)| self.is_empty(inner)))
            }
            _ => is_list(value) && member::size(self.world, value).is_ok_and(|size| size == 0),
        }
    }

    fn note(&mut self, path: &Path, want: &Value<'a>, live: &Value<'a>) {
        if self.found.len() >= MAX_DIFFERENCES {
            return;
        }
        self.places.extend(path.place);
        let fields = [("path", Value::text(&path.text)), ("want", want.clone()), ("live", live.clone())];
        self.found.push(Value::Map(fields.map(|(name, value)| (Text::Borrowed(name), value)).into()));
    }
}

fn is_map(value: &Value<'_>) -> bool {
    match value {
        Value::Map(_) | Value::Resource(_) => true,
        _ => value.as_node().is_some_and(|node| node.kind() == crate::yaml::Kind::Mapping),
    }
}

fn is_masked(value: &Value<'_>) -> bool {
    value.as_str() == Some(MASK)
}

fn entries<'a>(world: &'a World, map: &Value<'a>) -> Result<Vec<(String, Value<'a>)>, Stop> {
    let mut entries = Vec::new();
    member::visit(world, map, &mut |element| {
        if let Some(name) = element.key.as_str() {
            entries.push((name.to_owned(), element.value));
        }
        std::ops::ControlFlow::Continue(())
    })?;
    Ok(entries)
}

fn items<'a>(world: &'a World, list: &Value<'a>) -> Result<Vec<Item<'a>>, Stop> {
    let mut items = Vec::new();
    member::visit(world, list, &mut |element| {
        items.push((element.value, element.place));
        std::ops::ControlFlow::Continue(())
    })?;
    Ok(items)
}

fn quantity(value: &Value<'_>) -> Option<f64> {
    match value {
        Value::Int(number) => Some(*number as f64),
        Value::Double(number) => Some(*number),
        Value::Str(text) => measure::quantity(text.as_str()),
        _ => None,
    }
}

fn duration(value: &Value<'_>) -> Option<jiff::SignedDuration> {
    time::parse_duration(value.as_str()?).ok()
}
