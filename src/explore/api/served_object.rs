//! Objects in the form that typed clients read. Bundles hold values that these refuse, so that a whole list would fail.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

use super::served_types::ServedType;
use crate::explore::object::View;
use crate::model::secret;
use crate::resource::Resource;
use crate::resource::types::built_in;

/// Says in an object that it is known from a row or a description only.
pub const PARTIAL: &str = "gleaner/partial";

/// Keys of mappings whose values are texts, where an empty one means something: the role of a node is the key of a label.
const TEXTS: [&str; 11] = [
    "annotations",
    "binaryData",
    "data",
    "labels",
    "matchLabels",
    "nodeSelector",
    "options",
    "parameters",
    "selector",
    "stringData",
    "volumeAttributes",
];

/// Texts that are required: the Python client refuses an object without them, and none of these keys is a time, a number or a list anywhere.
const REQUIRED: [&str; 6] = ["apiGroup", "devicePath", "image", "imageID", "message", "reason"];

/// Fields of `events.k8s.io` and their names in core events, which clients list.
const OF_EVENTS: [(&str, &str); 7] = [
    ("regarding", "involvedObject"),
    ("note", "message"),
    ("deprecatedSource", "source"),
    ("deprecatedCount", "count"),
    ("deprecatedFirstTimestamp", "firstTimestamp"),
    ("deprecatedLastTimestamp", "lastTimestamp"),
    ("reportingController", "reportingComponent"),
];

/// Returns an object as it is served.
pub fn served(view: &View<'_>, resource: &Resource, type_: &ServedType) -> Value {
    let Value::Object(mut fields) = view.object(resource) else { return Value::Null };
    if *resource.group != *type_.name.group || resource.version.is_empty() {
        fields.insert("apiVersion".to_owned(), type_.api_version().into());
    }
    if type_.name.group.is_empty() && type_.name.plural == "events" {
        rename_event(&mut fields);
    }
    if built_in(&type_.name.group) {
        drop_empty(&mut fields, false);
    }
    if let Some(metadata) = mapping(&mut fields, "metadata") {
        drop_empty_times(metadata);
        // A row or a path may be all that tells them.
        metadata.insert("name".to_owned(), view.text(&resource.name).into());
        if let Some(namespace) = &resource.namespace {
            metadata.insert("namespace".to_owned(), view.text(namespace).into());
        }
        if resource.partial && resource.source.is_none() {
            note_partial(view, metadata, resource);
        }
        metadata.sort_keys();
    }
    if type_.name.group.is_empty() && type_.kind == "Secret" {
        encode_masks(&mut fields);
    }
    fields.sort_keys();
    Value::Object(fields)
}

/// Support-bundle-kit writes an absent time and an absent list as `"null"`, which reads as an empty text. Of a text that
/// is not required, both mean the same.
fn drop_empty(fields: &mut Map<String, Value>, holds_texts: bool) {
    if !holds_texts {
        fields.retain(|key, value| value.as_str() != Some("") || REQUIRED.contains(&key.as_str()));
    }
    for (key, value) in fields {
        drop_empty_in(value, TEXTS.contains(&key.as_str()));
    }
}

fn drop_empty_in(value: &mut Value, holds_texts: bool) {
    match value {
        Value::Object(fields) => drop_empty(fields, holds_texts),
        Value::Array(items) => items.iter_mut().for_each(|item| drop_empty_in(item, false)),
        _ => {}
    }
}

/// Every client reads the metadata of every object.
fn drop_empty_times(metadata: &mut Map<String, Value>) {
    metadata.retain(|key, value| !key.ends_with("Timestamp") || value.as_str() != Some(""));
}

/// Values of a Secret are Base64, and so must be what stands for them.
fn encode_masks(secret: &mut Map<String, Value>) {
    let Some(Value::Object(data)) = secret.get_mut("data") else { return };
    let masked = data.values_mut().filter(|value| value.as_str() == Some(secret::MASK));
    masked.for_each(|value| *value = STANDARD.encode(secret::MASK).into());
}

fn rename_event(fields: &mut Map<String, Value>) {
    for (from, to) in OF_EVENTS {
        if let Some(value) = fields.shift_remove(from) {
            fields.entry(to).or_insert(value);
        }
    }
}

fn note_partial(view: &View<'_>, metadata: &mut Map<String, Value>, resource: &Resource) {
    let note = format!("known from {} only; other fields were not collected", resource.entry);
    if let Some(annotations) = mapping(metadata, "annotations") {
        annotations.insert(PARTIAL.to_owned(), view.text(&note).into());
    }
}

/// Returns the mapping at a key, a new one if it is absent; none if something else is there.
fn mapping<'m>(fields: &'m mut Map<String, Value>, key: &str) -> Option<&'m mut Map<String, Value>> {
    let value = fields.entry(key).or_insert(Value::Null);
    if value.is_null() {
        *value = Value::Object(Map::new());
    }
    value.as_object_mut()
}
