//! Names of bindings: for order, for merging combinations, and for fingerprints.

use std::sync::Arc;

use jiff::Timestamp;

use crate::expr::value::SequenceGroup;
use crate::expr::{Value, World};
use crate::model::ObjectRef;
use crate::resource::{ResourceId, TypeName, types};
use crate::yaml::{Kind, Node};

/// Returns a name that is stable across bundles of one cluster: objects by name, groups by their `by` values, elements by
/// key or name. It has no times, uids or positions in files if a name exists.
pub fn identity(world: &World, value: &Value<'_>) -> String {
    match value {
        Value::Resource(id) => world.resources.resource(*id).object().to_string(),
        // The one group of `by: []` is the same whichever log has its last line.
        Value::Hits(group) => group.key.join("/"),
        Value::Sequence(group) => group.key.join("/"),
        Value::Events(group) if group.key.is_empty() => format!("{} {}", group.reason, group.object),
        Value::Events(group) => group.key.join("/"),
        Value::File(file) => file.path.to_string(),
        Value::Node { node, resource } => {
            let owner = resource.map(|id| world.resources.resource(id).object().to_string()).unwrap_or_default();
            format!("{owner}#{}", element_name(*node))
        }
        Value::Decoded { document, node } => element_name(document.node(*node)),
        Value::Map(entries) => match entries.iter().find(|(key, _)| key.as_str() == "key") {
            Some((_, key)) => identity(world, key),
            None => entries.iter().map(|(_, v)| identity(world, v)).collect::<Vec<_>>().join("/"),
        },
        Value::List(items) => items.iter().map(|v| identity(world, v)).collect::<Vec<_>>().join(","),
        Value::Str(text) => text.as_str().to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::Double(value) => value.to_string(),
        Value::Time(value) => value.to_string(),
        Value::Duration(value) => value.to_string(),
        Value::Null | Value::Undecided(_) => String::new(),
    }
}

/// Returns the name of an element of a list: its naming fields, else its uid, else its scalars without times.
fn element_name(node: Node<'_>) -> String {
    let fields = |keys: &[&str]| keys.iter().filter_map(|key| node.str_at(&[key])).collect::<Vec<_>>().join("/");
    let named = [fields(&["kind", "type", "namespace", "name"]), fields(&["uid"])];
    if let Some(name) = named.into_iter().find(|name| !name.is_empty()) {
        return name;
    }
    let lasting = |n: &Node<'_>| is_scalar(n) && n.text().parse::<Timestamp>().is_err();
    match node.kind() {
        Kind::Mapping => {
            node.entries().filter(|(_, v)| lasting(v)).map(|(_, v)| v.text()).collect::<Vec<_>>().join("/")
        }
        _ => node.items().filter(lasting).map(|v| v.text()).collect::<Vec<_>>().join("/"),
    }
}

fn is_scalar(node: &Node<'_>) -> bool {
    !matches!(node.kind(), Kind::Mapping | Kind::Sequence)
}

/// Returns a text that distinguishes values of one identity, for an order that does not depend on their positions in the bundle.
pub fn detail(value: &Value<'_>) -> String {
    match value {
        Value::Events(group) => {
            format!("{:?} {} {}", group.last, group.message, group.count)
        }
        Value::Hits(group) => {
            format!("{:?} {} {} {}", group.last, group.last_hit.entry, group.last_hit.line, group.count)
        }
        Value::Sequence(group) => format!("{:?} {}", group.last, group.count),
        Value::List(items) => items.iter().map(detail).collect::<Vec<_>>().join(","),
        _ => value.as_node().map_or_else(String::new, |node| {
            let scalars = node.entries().map(|(_, v)| v).chain(node.items()).filter(is_scalar);
            scalars.map(|v| v.text().to_owned()).collect::<Vec<_>>().join("/")
        }),
    }
}

/// Adds the resources of a binding, subject first.
pub fn resources_of(value: &Value<'_>, found: &mut Vec<ResourceId>) {
    match value {
        Value::Resource(id) => found.push(*id),
        Value::Node { resource: Some(id), .. } => found.push(*id),
        Value::List(items) => items.iter().for_each(|item| resources_of(item, found)),
        Value::Map(entries) => entries.iter().for_each(|(_, item)| resources_of(item, found)),
        _ => {}
    }
}

/// Returns the objects of a binding: resources, the object of an event, the pod or node of a log.
pub fn objects_of(world: &World, value: &Value<'_>) -> Vec<ObjectRef> {
    match value {
        Value::Hits(group) => {
            let pod = group.pod.as_deref().and_then(|p| p.split_once('/'));
            let object = match (pod, &group.node) {
                (Some((namespace, name)), _) => ObjectRef::new("", "Pod", Some(namespace), name),
                (None, Some(node)) => ObjectRef::new("", "Node", None, node),
                (None, None) => return Vec::new(),
            };
            vec![object]
        }
        Value::Sequence(group) => objects_of_steps(world, group),
        Value::Events(group) => vec![group.object.clone()],
        Value::File(file) => file.node.iter().map(|node| ObjectRef::new("", "Node", None, node)).collect(),
        Value::List(items) => items.iter().flat_map(|item| objects_of(world, item)).collect(),
        other => {
            let mut resources = Vec::new();
            resources_of(other, &mut resources);
            resources.into_iter().map(|id| world.resources.resource(id).object()).collect()
        }
    }
}

fn objects_of_steps(world: &World, group: &SequenceGroup) -> Vec<ObjectRef> {
    let mut objects = Vec::new();
    for hits in group.hits() {
        let of_step = objects_of(world, &Value::Hits(Arc::clone(hits)));
        objects.extend(of_step.into_iter().filter(|object| !objects.contains(object)).collect::<Vec<_>>());
    }
    objects
}

/// Returns the nodes that a binding names: a Node, a pod's or attachment's node, Longhorn's owner, the node of a log.
pub fn nodes_of(world: &World, value: &Value<'_>) -> Vec<String> {
    match value {
        Value::Hits(group) => group.node.iter().cloned().collect(),
        Value::Sequence(group) => group.hits().filter_map(|hits| hits.node.clone()).collect(),
        Value::File(file) => file.node.iter().cloned().collect(),
        Value::Events(group) if group.object.kind == "Node" => vec![group.object.name.clone()],
        Value::List(items) => items.iter().flat_map(|item| nodes_of(world, item)).collect(),
        other => {
            let mut resources = Vec::new();
            resources_of(other, &mut resources);
            resources.into_iter().flat_map(|id| nodes_of_resource(world, id)).collect()
        }
    }
}

/// Returns the nodes that an object names, if it was collected; a Node names itself.
pub fn nodes_of_object(world: &World, object: &ObjectRef) -> Vec<String> {
    if (object.group.as_str(), object.kind.as_str()) == ("", "Node") {
        return vec![object.name.clone()];
    }
    let known = types::known_kind(&object.group, &object.kind);
    let id = known.and_then(|known| {
        let name = TypeName::new(known.plural, known.group);
        world.resources.get(&name, object.namespace.as_deref(), &object.name)
    });
    id.map_or_else(Vec::new, |id| nodes_of_resource(world, id))
}

fn nodes_of_resource(world: &World, id: ResourceId) -> Vec<String> {
    let resource = world.resources.resource(id);
    if &*resource.kind == "Node" {
        return vec![resource.name.to_string()];
    }
    let fields: [&[&str]; 3] = [&["spec", "nodeName"], &["spec", "nodeID"], &["status", "ownerID"]];
    fields.iter().filter_map(|path| resource.body().str_at(path)).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::testing::input;
    use crate::eval::testing::object;
    use crate::expr::{Expr, Scope};

    fn identity_of(text: &str) -> String {
        let fields = "list: [{kind: Pod, name: p, uid: u, at: '2024-01-01T00:00:00Z'}, {uid: u}, \
                      {reason: r, at: '2024-01-01T00:00:00Z', deep: {x: y}}, ['2024-01-01T00:00:00Z', z]], map: {k: {name: n}}";
        let input = input(&[object("ConfigMap", "c", fields)], &[]);
        let expr = Expr::compile(text, Scope { names: &[], this: None, tested: false }).unwrap();
        identity(&input.world, &expr.eval(&input.world, &[]))
    }

    #[test]
    fn names_come_before_uids_and_times_never() {
        for (text, wanted) in [
            ("get('configmaps', 'a', 'c')", "ConfigMap/a/c"),
            ("get('configmaps', 'a', 'c').list[0]", "ConfigMap/a/c#Pod/p"),
            ("get('configmaps', 'a', 'c').list[1]", "ConfigMap/a/c#u"),
            ("get('configmaps', 'a', 'c').list[2]", "ConfigMap/a/c#r"),
            ("get('configmaps', 'a', 'c').list[3]", "ConfigMap/a/c#z"),
            ("{'key': 'k', 'value': get('configmaps', 'a', 'c').map.k}", "k"),
            ("['a', 1, true, null]", "a,1,true,"),
        ] {
            assert_eq!(identity_of(text), wanted, "{text}");
        }
    }
}
