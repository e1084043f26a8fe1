//! Rules about a field of an object, or a cell of its row in a table.

use serde_json::{Map, Value, json};

use super::error::DraftError;
use super::known::Known;
use super::pattern::LinePattern;
use super::place::{Excerpt, Place};
use super::written::{Case, Parts};
use crate::log::line_parts;
use crate::resource::{Resource, ResourceId, ResourceIndex};
use crate::rule::skeleton::fact_name;
use crate::verify::object_name;
use crate::yaml::{Kind, Node};

/// Columns of tables that say how an object is, the most telling first.
const COLUMNS: [&str; 9] =
    ["STATUS", "STATE", "PHASE", "ROBUSTNESS", "HEALTH", "AVAILABLE", "READY", "COMPLETIONS", "RESTARTS"];
/// Fields of `metadata` that say something about the state of an object.
const TELLING: [&str; 2] = ["deletionTimestamp", "finalizers"];

/// Step on the way from an object to a value.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Key(String),
    /// An item of a list.
    Item,
}

/// A value at a line.
struct Found<'n> {
    steps: Vec<Step>,
    value: Node<'n>,
    /// Mappings and lists on the way, from the object down to what holds the value.
    around: Vec<Node<'n>>,
}

/// Returns the object that the line is a part of.
pub fn at(resources: &ResourceIndex, place: &Place) -> Option<ResourceId> {
    let of_type = resources.types().iter().flat_map(|name| resources.of_type(name)).copied();
    let begins = |id: &ResourceId| {
        let found = resources.resource(*id);
        let begin = (*found.entry == *place.entry && found.source.is_none()).then(|| found.body().line())?;
        (begin <= place.line).then_some((begin, *id))
    };
    // Of the objects of one line, which only a table of one column has, the first counts.
    of_type.filter_map(|id| begins(&id)).max_by_key(|(begin, id)| (*begin, std::cmp::Reverse(*id))).map(|(_, id)| id)
}

/// Returns forms of a rule for the value at the line.
///
/// # Errors
/// The line has no value that says something about the object.
pub fn parts(known: &Known<'_>, id: ResourceId, place: &Place, excerpt: &Excerpt) -> Result<Vec<Parts>, DraftError> {
    let nothing = |why| DraftError::Nothing { entry: place.entry.clone(), line: place.line, why };
    let resource = known.input.world.resources.resource(id);
    if let (Some(cells), Some(header)) = (resource.cells(), &excerpt.header) {
        return row(known, resource, cells, header, excerpt, place)
            .ok_or_else(|| nothing("no column of it is a state"));
    }
    let found = found(resource.body(), place.line).ok_or_else(|| nothing("it is no value of an object"))?;
    if found.value.is_secret() || found.value.is_null() || is_identity(&found.steps) {
        return Err(nothing("it says nothing about the state of its object"));
    }
    let reduced = known.disguise.object(reduced(resource, &found));
    let fact = fact_name(&resource.kind);
    let mut state =
        state(&fact, &found, &reduced).ok_or_else(|| nothing("it says nothing about the state of its object"))?;
    if let Some(field) = reduced.as_object().and_then(|object| object.keys().nth(3)) {
        state.calm = json!({field.as_str(): state.calm.get(field.as_str())});
    }
    let name = object_name(&reduced);
    let made = Parts {
        origin: "an object",
        name: format!("{} with {}", resource.kind, state.said).chars().take(60).collect(),
        title: format!("{{{{ {fact} }}}} has {}", state.said),
        severity: "medium",
        keys: vec![("resource", resource.type_name().to_string()), ("where", state.condition)],
        message: format!("{} is {}.", state.path, state.shown),
        run: describe(resource, &fact),
        fact,
        case: Case::default(),
    };
    let case = |layout| Parts {
        case: Case {
            layout,
            now: known.collected_at,
            fires: Map::from_iter([("objects".to_owned(), json!([reduced]))]),
            silent: Map::from_iter([("set".to_owned(), json!({name.as_str(): state.calm}))]),
            expected: Map::from_iter([("object".to_owned(), name.as_str().into())]),
        },
        ..made.clone()
    };
    Ok([known.layout(&place.entry), None].map(case).to_vec())
}

fn describe(resource: &Resource, fact: &str) -> String {
    let namespace = resource.namespace.as_ref().map(|_| format!(" -n {{{{ {fact}.metadata.namespace }}}}"));
    format!("kubectl{} describe {} {{{{ {fact}.metadata.name }}}}", namespace.unwrap_or_default(), resource.type_name())
}

/// Finds the value whose text is on the line; the first that has no times before others.
fn found(body: Node<'_>, line: u64) -> Option<Found<'_>> {
    let mut all = Vec::new();
    collect(body, line, &mut Vec::new(), &mut Vec::new(), &mut all);
    let is_time = |found: &Found<'_>| found.value.text().parse::<jiff::Timestamp>().is_ok();
    let at = all.iter().position(|found| !is_time(found) && !is_identity(&found.steps));
    (!all.is_empty()).then(|| all.swap_remove(at.unwrap_or(0)))
}

/// Collects the scalars on a line. Readers have bounded the depth.
fn collect<'n>(node: Node<'n>, line: u64, steps: &mut Vec<Step>, around: &mut Vec<Node<'n>>, all: &mut Vec<Found<'n>>) {
    let below: Vec<(Step, Node<'n>)> = match node.kind() {
        Kind::Mapping => node.entries().map(|(key, value)| (Step::Key(key.into_owned()), value)).collect(),
        Kind::Sequence => node.items().map(|item| (Step::Item, item)).collect(),
        _ => {
            let source = node.document().source_of(node);
            let last = node.document().line_of(source.end.max(source.start + 1) - 1);
            if node.line() <= line && line <= last {
                all.push(Found { steps: steps.clone(), value: node, around: around.clone() });
            }
            return;
        }
    };
    around.push(node);
    for (step, value) in below {
        steps.push(step);
        collect(value, line, steps, around, all);
        steps.pop();
    }
    around.pop();
}

fn is_identity(steps: &[Step]) -> bool {
    match steps {
        [Step::Key(first), Step::Key(second), ..] if first == "metadata" => !TELLING.contains(&second.as_str()),
        [Step::Key(first)] => ["apiVersion", "kind"].contains(&first.as_str()),
        _ => false,
    }
}

/// Returns the object with its identity and what stands on the way to the value, next to which plain values stay.
fn reduced(resource: &Resource, found: &Found<'_>) -> Value {
    let version = match (&*resource.group, &*resource.version) {
        ("", version) => version.to_owned(),
        (group, version) => format!("{group}/{version}"),
    };
    let mut metadata = Map::from_iter([("name".to_owned(), Value::from(&*resource.name))]);
    metadata.extend(resource.namespace.iter().map(|namespace| ("namespace".to_owned(), Value::from(&**namespace))));
    let mut object = Map::from_iter([
        ("apiVersion".to_owned(), Value::from(if version.is_empty() { "v1" } else { &version })),
        ("kind".to_owned(), Value::from(&*resource.kind)),
        ("metadata".to_owned(), metadata.into()),
    ]);
    let state = on_the_way(&found.steps, found.around.get(1..).unwrap_or_default(), found.value);
    if let (Some(Step::Key(first)), Some(state)) = (found.steps.first(), state) {
        match (object.get_mut(first), state) {
            (Some(Value::Object(known)), Value::Object(more)) => known.extend(more),
            (_, state) => drop(object.insert(first.clone(), state)),
        }
    }
    object.into()
}

/// Returns the value at the end of the steps, within what holds it; `holders` are below the first step.
fn on_the_way(steps: &[Step], holders: &[Node<'_>], value: Node<'_>) -> Option<Value> {
    let Some((holder, below)) = holders.split_first() else { return Some(plain(value)) };
    let (_, rest) = steps.split_first()?;
    let inner = on_the_way(rest, below, value)?;
    match rest.first()? {
        Step::Item => Some(json!([inner])),
        Step::Key(key) => {
            // The innermost mapping says what the value is about: the type of a condition, the name of a container.
            let beside = holder.entries().filter(|(other, node)| {
                below.is_empty()
                    && other != key
                    && !node.is_secret()
                    && !matches!(node.kind(), Kind::Mapping | Kind::Sequence)
            });
            let mut fields: Map<String, Value> = beside.map(|(key, node)| (key.into_owned(), plain(node))).collect();
            fields.insert(key.clone(), inner);
            Some(fields.into())
        }
    }
}

fn plain(node: Node<'_>) -> Value {
    match node.kind() {
        Kind::Null => Value::Null,
        Kind::Bool => node.as_bool().into(),
        Kind::Number => node.as_i64().map_or_else(|| json!(node.as_f64()), Value::from),
        _ => node.text().into(),
    }
}

/// What a value says about its object.
struct State {
    /// Condition of the rule.
    condition: String,
    /// The field, for people.
    path: String,
    /// The value as a template.
    shown: String,
    /// Field and value in words.
    said: String,
    /// The object in another state.
    calm: Value,
}

fn state(fact: &str, found: &Found<'_>, reduced: &Value) -> Option<State> {
    let value = value_at(&found.steps, reduced)?;
    let mut calm = reduced.clone();
    if let Some(condition) = condition_of(fact, found, reduced, &mut calm) {
        return Some(condition);
    }
    replace(&found.steps, &mut calm, None);
    let path = path(&found.steps);
    let compared = compared(found.value, value)?;
    let condition = nested(fact, &found.steps, &compared, 0);
    let is_direct = !found.steps.contains(&Step::Item);
    let text = short(value);
    let shown = if is_direct { format!("{{{{ {} }}}}", access(fact, &found.steps)) } else { text.clone() };
    let said = if compared == "!= null" { path.clone() } else { format!("{path} {text}") };
    Some(State { condition, path, shown, said, calm })
}

/// Reads an entry of `status.conditions`: the type and status of a condition say more than one of its fields.
fn condition_of(fact: &str, found: &Found<'_>, reduced: &Value, calm: &mut Value) -> Option<State> {
    let [Step::Key(status), Step::Key(list), Step::Item, Step::Key(field)] = found.steps.as_slice() else {
        return None;
    };
    let item = reduced.pointer("/status/conditions/0").filter(|_| status == "status" && list == "conditions")?;
    let text = |key: &str| item.get(key).and_then(Value::as_str);
    let (type_, status) = (text("type")?, text("status")?);
    let entry = format!("condition({fact}, {})", literal(type_));
    let reason = text("reason").filter(|_| field == "reason" || field == "message");
    let also = reason.map(|reason| format!(" && {entry}.reason == {}", literal(reason)));
    let other = if status == "True" { "False" } else { "True" };
    let steps = [status_step("status"), status_step("conditions"), Step::Item, status_step("status")];
    replace(&steps, calm, Some(other.into()));
    Some(State {
        condition: format!("{entry}.status == {}{}", literal(status), also.unwrap_or_default()),
        path: format!("Condition {type_}"),
        shown: format!("{status}: {{{{ {entry}.reason or 'no reason' }}}}, {{{{ {entry}.message or 'no message' }}}}"),
        said: format!("{type_} {status}"),
        calm: calm.clone(),
    })
}

fn status_step(key: &str) -> Step {
    Step::Key(key.to_owned())
}

fn value_at<'v>(steps: &[Step], value: &'v Value) -> Option<&'v Value> {
    steps.iter().try_fold(value, |value, step| match step {
        Step::Key(key) => value.get(key),
        Step::Item => value.get(0),
    })
}

/// Replaces a value, or removes it.
fn replace(steps: &[Step], value: &mut Value, other: Option<Value>) {
    match (steps, value) {
        ([Step::Key(key)], Value::Object(fields)) => drop(fields.insert(key.clone(), other.unwrap_or_default())),
        ([Step::Item], Value::Array(items)) => items.clear(),
        ([Step::Key(key), rest @ ..], Value::Object(fields)) => {
            fields.get_mut(key).into_iter().for_each(|inner| replace(rest, inner, other.clone()));
        }
        ([Step::Item, rest @ ..], Value::Array(items)) => {
            items.iter_mut().for_each(|inner| replace(rest, inner, other.clone()));
        }
        _ => {}
    }
}

fn path(steps: &[Step]) -> String {
    let keys = steps.iter().filter_map(|step| match step {
        Step::Key(key) => Some(key.as_str()),
        Step::Item => None,
    });
    keys.collect::<Vec<_>>().join(".")
}

/// Returns the comparison with a value; `written` has replaced names.
fn compared(value: Node<'_>, written: &Value) -> Option<String> {
    match value.kind() {
        Kind::Number => Some(format!(">= {written}")),
        Kind::Bool => Some(format!("== {written}")),
        _ => {
            let (own, text) = (value.text(), written.as_str()?);
            if own.parse::<jiff::Timestamp>().is_ok() {
                return Some("!= null".to_owned());
            }
            if own == text && !text.contains(' ') {
                return (!text.is_empty()).then(|| format!("== {}", literal(text)));
            }
            let first = |text: &str| text.lines().next().unwrap_or_default().to_owned();
            let (own, text) = (first(own), first(text));
            let pattern = LinePattern::of(&text, &line_parts(&text, false).messages)?.uncaptured();
            let regex = pattern.matching(&[&own, &text])?;
            Some(format!(".matches({})", literal(regex.as_str())))
        }
    }
}

/// Writes a condition on a value; lists become `exists`.
fn nested(subject: &str, steps: &[Step], compared: &str, depth: usize) -> String {
    let item = steps.iter().position(|step| *step == Step::Item);
    let (direct, rest) = steps.split_at(item.unwrap_or(steps.len()));
    let held = access(subject, direct);
    match rest.split_first() {
        None if compared.starts_with('.') => format!("{held}{compared}"),
        None => format!("{held} {compared}"),
        Some((_, rest)) => {
            let name = ["item", "part", "entry", "piece"].get(depth).copied().unwrap_or("inner");
            format!("{held}.exists({name}, {})", nested(name, rest, compared, depth + 1))
        }
    }
}

fn access(subject: &str, steps: &[Step]) -> String {
    let mut out = subject.to_owned();
    for step in steps {
        let Step::Key(key) = step else { continue };
        let is_word = key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && !key.starts_with(|c: char| c.is_ascii_digit());
        out.push_str(&if is_word { format!(".{key}") } else { format!("[{}]", literal(key)) });
    }
    out
}

/// A text of an expression.
fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'").replace('\n', "\\n"))
}

fn short(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    super::pattern::joined(&super::pattern::plain(&text)).chars().take(40).collect()
}

/// Returns a rule about the first column of a row that is a state.
fn row(
    known: &Known<'_>,
    resource: &Resource,
    cells: Node<'_>,
    header: &str,
    excerpt: &Excerpt,
    place: &Place,
) -> Option<Vec<Parts>> {
    let cell = |column: &&str| cells.get(column).map(|node| node.text().to_owned()).filter(|text| !text.is_empty());
    let (column, value) = COLUMNS.iter().find_map(|column| Some((*column, cell(column)?)))?;
    let fact = fact_name(&resource.kind);
    let number = column == "RESTARTS";
    let compared = match value.split_whitespace().next().and_then(|first| first.parse::<u64>().ok()) {
        Some(count) if number => format!(">= {count}"),
        Some(count) => format!("== {count}"),
        None => format!("== {}", literal(&value)),
    };
    let others = excerpt.others.iter().filter(|other| other.len() > header.len() / 2 && *other != header);
    let other = others.into_iter().find(|other| !other.contains(&value));
    let logical = logical(known, place);
    let mut lines = vec![header, &excerpt.line];
    lines.extend(other.map(String::as_str));
    let (path, hidden) = known.disguise.table(&logical, &lines);
    let [header, line, rest @ ..] = hidden.as_slice() else { return None };
    let files = |lines: &[&String]| {
        let text: String = lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
        Map::from_iter([("files".to_owned(), json!({path.as_str(): text}))])
    };
    let calm: Vec<&String> = std::iter::once(header).chain(rest).collect();
    let made = Parts {
        origin: "a row of a table",
        name: format!("{} with {column} {value}", resource.kind).chars().take(60).collect(),
        title: format!("{{{{ {fact} }}}} has {column} {}", short(&value.as_str().into())),
        severity: "medium",
        keys: vec![
            ("resource", resource.type_name().to_string()),
            ("where", format!("columns({fact}).{column} {compared}")),
        ],
        message: format!("{column} is {{{{ columns({fact}).{column} }}}}."),
        run: describe(resource, &fact),
        fact,
        case: Case {
            layout: known.layout(&logical),
            now: known.collected_at,
            fires: files(&[header, line]),
            silent: files(&calm),
            expected: Map::new(),
        },
    };
    let emptied = Parts { case: Case { silent: files(&[header]), ..made.case.clone() }, ..made.clone() };
    Some(vec![made, emptied])
}

fn logical(known: &Known<'_>, place: &Place) -> String {
    let found = known.bundle.entries().iter().find(|entry| *entry.path == *place.entry);
    found.map_or_else(|| place.entry.clone(), |entry| entry.logical.to_string())
}
