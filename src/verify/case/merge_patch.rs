//! Changes to objects that a case takes over from another one.

use serde_json::{Map, Value};

use super::object_name::{is_named, object_name};

/// Applies a merge patch (RFC 7386) to the object of that name; null removes the object.
pub(super) fn apply(objects: &mut Vec<Value>, name: &str, patch: &Value) -> Result<(), String> {
    let position = objects.iter().position(|object| is_named(object, name));
    let Some(position) = position else {
        let names: Vec<String> = objects.iter().map(object_name).collect();
        return Err(format!("set: no object {name}; there are {}", names.join(", ")));
    };
    if patch.is_null() {
        objects.remove(position);
    } else {
        merge(&mut objects[position], patch);
    }
    Ok(())
}

fn merge(target: &mut Value, patch: &Value) {
    let Value::Object(changes) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    let Value::Object(fields) = target else { return };
    for (key, change) in changes {
        if change.is_null() {
            fields.remove(key);
        } else {
            merge(fields.entry(key.clone()).or_insert(Value::Null), change);
        }
    }
}
