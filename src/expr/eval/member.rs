//! Fields, items and elements of values; absent ones are null.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::Arc;

use jiff::Timestamp;

use crate::log::HitGroup;
use crate::resource::{Resource, ResourceId};
use crate::yaml::{Kind, Node};

use crate::expr::eval::elements::{Visitor, is_list, visit_collection, visit_node};
use crate::expr::eval::stop::{Answer, Stop};
use crate::expr::eval::value::{EventGroup, FileFact, SequenceGroup, Text, Value};
use crate::expr::eval::world::World;
use crate::model::message::{Reason, WrongValue};
use crate::model::secret;

/// Returns the field `name` of a value.
pub(in crate::expr) fn field<'a>(world: &'a World, value: &Value<'a>, name: &str) -> Answer<'a> {
    match find_field(world, value, name)? {
        Value::Undecided(reason) => Err(Stop::Undecided(reason)),
        found => Ok(found),
    }
}

fn find_field<'a>(world: &'a World, value: &Value<'a>, name: &str) -> Answer<'a> {
    match value {
        Value::Resource(id) => resource_field(world, *id, name),
        Value::Node { node, resource } if node.kind() == Kind::Mapping => match node.get(name) {
            Some(child) => Ok(Value::of_node(child, *resource)),
            None => match beside(world, *resource, *node, name) {
                Some((child, other)) => Ok(Value::of_node(child, other)),
                None => match namespace_of_path(world, *resource, *node, name) {
                    Some(namespace) => Ok(namespace),
                    None => absent(world, *resource, name),
                },
            },
        },
        Value::Null => Ok(Value::Null),
        Value::Decoded { document, node } if document.node(*node).kind() == Kind::Mapping => {
            Ok(document.node(*node).get(name).map_or(Value::Null, |child| Value::of_decoded(document, child)))
        }
        // Fields that the row of a table does not show are undecided.
        Value::Map(entries) => Ok(lookup(entries, name)),
        Value::Hits(group) => hit_field(group, name),
        Value::Sequence(group) => Ok(sequence_field(group, name)),
        Value::Events(group) => Ok(event_field(group, name)),
        Value::File(file) => Ok(file_field(file, name)),
        Value::Undecided(reason) => Err(Stop::Undecided(reason.clone())),
        other => Err(Stop::wrong(WrongValue::NoField { found: other.describe(), field: name.to_owned() })),
    }
}

/// Returns the node of a field, if the value is part of a resource's document.
pub(in crate::expr) fn child_node<'a>(
    world: &'a World,
    value: &Value<'a>,
    name: &str,
) -> Option<(Node<'a>, Option<ResourceId>)> {
    let (node, resource) = own_node(world, value)?;
    node.get(name).map(|found| (found, resource)).or_else(|| beside(world, resource, node, name))
}

/// Returns the node of a value that is part of a resource's document.
pub(in crate::expr) fn own_node<'a>(world: &'a World, value: &Value<'a>) -> Option<(Node<'a>, Option<ResourceId>)> {
    match value {
        Value::Resource(id) => Some((world.resources.resource(*id).body(), Some(*id))),
        Value::Node { node, resource } => Some((*node, *resource)),
        _ => None,
    }
}

/// Returns the field of a mapping from the other source of a partial object.
fn beside<'a>(
    world: &'a World,
    resource: Option<ResourceId>,
    mapping: Node<'a>,
    name: &str,
) -> Option<(Node<'a>, Option<ResourceId>)> {
    let own = world.resources.resource(resource?);
    let other = world.resources.resource(own.supplement?);
    Some((own.counterpart(mapping, other)?.get(name)?, own.supplement))
}

/// A field that a table row does not show is undecided, not absent.
fn absent<'a>(world: &World, resource: Option<ResourceId>, name: &str) -> Answer<'a> {
    let partial = resource.map(|id| world.resources.resource(id)).filter(|found| found.partial);
    match partial {
        Some(found) => {
            let (object, entry) = (found.object(), found.entry.to_string());
            Err(Stop::undecided(Reason::FieldNotStated { field: name.to_owned(), object: Box::new(object), entry }))
        }
        None => Ok(Value::Null),
    }
}

fn resource_field<'a>(world: &'a World, id: ResourceId, name: &str) -> Answer<'a> {
    let resource = world.resources.resource(id);
    if let Some(child) = resource.body().get(name).filter(|child| !child.is_null()) {
        return Ok(Value::of_node(child, Some(id)));
    }
    match name {
        "kind" => Ok(Value::borrowed(&resource.kind)),
        "apiVersion" => Ok(api_version(resource)),
        "metadata" => Ok(metadata(resource)),
        "manifest" | "hooks" if resource.plural.as_ref() == "helmreleases" => payload(world, id, resource, name),
        "partial" if resource.plural.as_ref() == "helmreleases" => Ok(Value::Bool(resource.partial)),
        _ if resource.body().get(name).is_some() => Ok(Value::Null),
        _ => match beside(world, Some(id), resource.body(), name) {
            Some((child, other)) => Ok(Value::of_node(child, other)),
            None => absent(world, Some(id), name),
        },
    }
}

fn api_version<'a>(resource: &'a Resource) -> Value<'a> {
    if resource.group.is_empty() {
        Value::borrowed(&resource.version)
    } else {
        Value::text(&format!("{}/{}", resource.group, resource.version))
    }
}

/// Returns the identity of an object without `metadata` of its own.
fn metadata<'a>(resource: &'a Resource) -> Value<'a> {
    let parts =
        [("name", Some(&resource.name)), ("namespace", resource.namespace.as_ref()), ("uid", resource.uid.as_ref())];
    let present = parts.into_iter().filter_map(|(name, value)| value.map(|v| (name, v)));
    Value::Map(present.map(|(name, value)| (Text::Borrowed(name), Value::stated(value))).collect())
}

/// Returns the namespace of an object that states none in its `metadata`, from the path of its dump.
fn namespace_of_path<'a>(
    world: &'a World,
    resource: Option<ResourceId>,
    mapping: Node<'a>,
    name: &str,
) -> Option<Value<'a>> {
    if name != "namespace" {
        return None;
    }
    let own = world.resources.resource(resource?);
    let is_metadata = own.body().get("metadata")?.index() == mapping.index();
    own.namespace.as_ref().filter(|_| is_metadata).map(|namespace| Value::stated(namespace))
}

fn payload<'a>(world: &'a World, id: ResourceId, resource: &Resource, name: &str) -> Answer<'a> {
    match world.resources.helm_payload(id) {
        Some(document) => {
            let found = document.roots().find_map(|root| root.get(name));
            Ok(found.map_or(Value::Null, |node| Value::of_decoded(document, node)))
        }
        None if resource.partial => absent(world, Some(id), name),
        None => Ok(Value::Null),
    }
}

fn lookup<'a>(entries: &[(Text<'a>, Value<'a>)], name: &str) -> Value<'a> {
    entries.iter().find(|(key, _)| key.as_str() == name).map_or(Value::Null, |(_, value)| value.clone())
}

fn hit_field<'a>(group: &HitGroup, name: &str) -> Answer<'a> {
    Ok(match name {
        "count" => count(group.count),
        "first" => return hit_time(group.first, group),
        "last" => return hit_time(group.last, group),
        "node" => return hit_node(group),
        "pod" if group.has_unknown_writer => return Err(writer_unknown(group)),
        "pod" => optional(group.pod.as_deref()),
        "source" => Value::text(&group.source),
        "lines" => lines(group),
        "all" => all(&group.all),
        _ => capture(&group.captures, name),
    })
}

/// The node is not known if the pod of the log is not in the bundle, or the collector hid it.
fn hit_node<'a>(group: &HitGroup) -> Answer<'a> {
    match (&group.node, &group.pod) {
        (None, Some(pod)) => Err(Stop::undecided(Reason::NodeOfPodUnknown { pod: pod.to_string() })),
        (None, None) if group.has_unknown_writer => Err(writer_unknown(group)),
        (node, _) => Ok(optional(node.as_deref())),
    }
}

fn writer_unknown(group: &HitGroup) -> Stop {
    Stop::undecided(Reason::WriterUnknown { entry: group.source.to_string() })
}

fn sequence_field<'a>(group: &SequenceGroup, name: &str) -> Value<'a> {
    match name {
        "count" => count(group.count),
        "first" => Value::Time(group.first),
        "last" => Value::Time(group.last),
        _ => {
            let step = group.steps.iter().find(|(step, _)| step == name);
            step.map_or(Value::Null, |(_, hits)| Value::Hits(Arc::clone(hits)))
        }
    }
}

/// Returns a time of a group of hits; undecided if its lines have none.
pub(in crate::expr) fn hit_time<'a>(time: Option<Timestamp>, group: &HitGroup) -> Answer<'a> {
    time.map(Value::Time).ok_or_else(|| Stop::undecided(Reason::HitsUndated { source: group.source.to_string() }))
}

fn lines<'a>(group: &HitGroup) -> Value<'a> {
    let (first, last) = (&group.first_hit, &group.last_hit);
    let mut texts = vec![Value::text(&first.text)];
    if (&first.entry, first.line) != (&last.entry, last.line) {
        texts.push(Value::text(&last.text));
    }
    Value::list(texts)
}

fn all<'a>(values: &BTreeMap<String, BTreeSet<String>>) -> Value<'a> {
    let entries = values.iter().map(|(name, values)| {
        let items = values.iter().map(|value| Value::text(value)).collect();
        (Text::Shared(Arc::from(name.as_str())), Value::List(items))
    });
    Value::Map(entries.collect())
}

fn event_field<'a>(group: &EventGroup, name: &str) -> Value<'a> {
    match name {
        "reason" => Value::shown(&group.reason),
        "message" => Value::shown(&group.message),
        "type" => Value::shown(&group.type_),
        "count" => count(group.count),
        "first" => group.first.map_or(Value::Null, Value::Time),
        "last" => group.last.map_or(Value::Null, Value::Time),
        "object" => event_object(group),
        "all" => all(&group.all),
        _ => capture(&group.captures, name),
    }
}

fn event_object<'a>(group: &EventGroup) -> Value<'a> {
    let object = &group.object;
    let fields = [
        ("kind", Some(object.kind.as_str())),
        ("group", Some(object.group.as_str())),
        ("namespace", object.namespace.as_deref()),
        ("name", Some(object.name.as_str())),
    ];
    Value::Map(
        fields
            .into_iter()
            .map(|(name, value)| (Text::Borrowed(name), Value::shown(value.unwrap_or_default())))
            .collect(),
    )
}

fn file_field<'a>(file: &FileFact, name: &str) -> Value<'a> {
    match name {
        // A folder whose name was hidden may have any name.
        "path" if file.path.split('/').any(secret::is_withheld) => Value::Undecided(Reason::Withheld.into()),
        "path" => Value::text(&file.path),
        "node" => optional(file.node.as_deref()),
        "text" if file.text.is_empty() => Value::Null,
        "text" => Value::Str(Text::Shared(Arc::clone(&file.text))),
        "data" => file.data.as_ref().map_or(Value::Null, |document| {
            let root = document.roots().next();
            root.map_or(Value::Null, |node| Value::of_decoded(document, node))
        }),
        _ => Value::Null,
    }
}

fn capture<'a>(captures: &BTreeMap<String, String>, name: &str) -> Value<'a> {
    optional(captures.get(name).map(String::as_str))
}

fn optional<'a>(text: Option<&str>) -> Value<'a> {
    text.map_or(Value::Null, Value::text)
}

fn count<'a>(value: u64) -> Value<'a> {
    Value::Int(i64::try_from(value).unwrap_or(i64::MAX))
}

/// Computes `value[key]`.
pub(in crate::expr) fn index<'a>(world: &'a World, value: &Value<'a>, key: &Value<'a>) -> Answer<'a> {
    match (value, key) {
        (Value::Null, _) | (_, Value::Null) => Ok(Value::Null),
        (_, Value::Int(position)) if is_list(value) => {
            match usize::try_from(*position).map_or(Value::Null, |position| item(value, position)) {
                Value::Undecided(reason) => Err(Stop::Undecided(reason)),
                found => Ok(found),
            }
        }
        (_, Value::Int(number)) => field(world, value, &number.to_string()),
        (_, Value::Str(name)) => field(world, value, name.as_str()),
        (_, other) => Err(Stop::wrong(WrongValue::NoIndex { found: other.describe() })),
    }
}

fn item<'a>(value: &Value<'a>, position: usize) -> Value<'a> {
    match value {
        Value::List(items) => items.get(position).cloned().unwrap_or(Value::Null),
        Value::Node { node, resource } => {
            node.at(position).map_or(Value::Null, |child| Value::of_node(child, *resource))
        }
        Value::Decoded { document, node } => {
            document.node(*node).at(position).map_or(Value::Null, |child| Value::of_decoded(document, child))
        }
        _ => Value::Null,
    }
}

/// Counts items of a list, entries of a map, or characters of a text; absent is 0.
pub(in crate::expr) fn size(world: &World, value: &Value<'_>) -> Result<usize, Stop> {
    match value {
        Value::Null => Ok(0),
        Value::Str(text) => Ok(text.as_str().chars().count()),
        Value::List(items) => Ok(items.len()),
        Value::Map(entries) => Ok(entries.len()),
        Value::Resource(id) => Ok(world.resources.resource(*id).body().len()),
        _ => match value.as_node() {
            Some(node) => Ok(node.len()),
            None => Err(Stop::wrong(WrongValue::NoSize { found: value.describe() })),
        },
    }
}

/// Calls `visit` for every element of a list or map, in order; nothing for an absent one.
pub(in crate::expr) fn visit<'a>(world: &'a World, value: &Value<'a>, visit: Visitor<'_, 'a>) -> Result<(), Stop> {
    match value {
        Value::Resource(id) => visit_node(world.resources.resource(*id).body(), Some(*id), visit),
        Value::Undecided(reason) => return Err(Stop::Undecided(reason.clone())),
        Value::Null => {}
        collection if visit_collection(collection, visit) => {}
        other => return Err(Stop::wrong(WrongValue::NeitherListNorMap { found: other.describe() })),
    }
    Ok(())
}

/// Returns all values of a list or map.
pub(in crate::expr) fn values<'a>(world: &'a World, value: &Value<'a>) -> Result<Vec<Value<'a>>, Stop> {
    let mut values = Vec::new();
    visit(world, value, &mut |element| {
        values.push(element.value);
        ControlFlow::Continue(())
    })?;
    Ok(values)
}
