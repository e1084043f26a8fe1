//! Validates by the keywords that our schemas use; one that it does not know fails the test. A crate for it would bring more
//! code than the whole schema is worth.

use regex::Regex;
use serde_json::Value;

/// Returns the reasons why a value is not valid by a part of the schema `root`; empty if it is valid.
pub fn errors(root: &Value, schema: &Value, value: &Value, place: &str) -> Vec<String> {
    let mut found = Vec::new();
    if let Some(anything) = schema.as_bool() {
        return if anything { found } else { vec![format!("{place}: not allowed")] };
    }
    for (keyword, wanted) in schema.as_object().unwrap() {
        let one =
            |valid: bool| if valid { Vec::new() } else { vec![format!("{place}: {keyword} {wanted}, not {value}")] };
        found.extend(match keyword.as_str() {
            "$schema" | "$id" | "$defs" | "definitions" | "title" | "description" | "default" => Vec::new(),
            "$ref" => {
                let path = wanted.as_str().unwrap().strip_prefix('#').unwrap();
                errors(root, root.pointer(path).unwrap(), value, place)
            }
            "type" => one(types(wanted).iter().any(|name| is_of_type(value, name))),
            "enum" => one(wanted.as_array().unwrap().contains(value)),
            "pattern" => {
                one(value.as_str().is_none_or(|text| Regex::new(wanted.as_str().unwrap()).unwrap().is_match(text)))
            }
            "format" => one(value.as_str().is_none_or(|text| has_format(text, wanted.as_str().unwrap()))),
            "minimum" => one(value.as_f64().is_none_or(|number| number >= wanted.as_f64().unwrap())),
            "maximum" => one(value.as_f64().is_none_or(|number| number <= wanted.as_f64().unwrap())),
            "uniqueItems" => one(value.as_array().is_none_or(|list| {
                list.iter().collect::<std::collections::HashSet<_>>().len() == list.len() || wanted == false
            })),
            "minItems" => one(value.as_array().is_none_or(|list| list.len() as u64 >= wanted.as_u64().unwrap())),
            "minProperties" => one(value.as_object().is_none_or(|map| map.len() as u64 >= wanted.as_u64().unwrap())),
            "maxProperties" => one(value.as_object().is_none_or(|map| map.len() as u64 <= wanted.as_u64().unwrap())),
            "required" => {
                let lacks = |key: &Value| value.as_object().is_some_and(|map| !map.contains_key(key.as_str().unwrap()));
                one(!wanted.as_array().unwrap().iter().any(lacks))
            }
            "anyOf" => one(valid(root, wanted, value) > 0),
            "oneOf" => one(valid(root, wanted, value) == 1),
            "items" => items(root, wanted, value, place),
            "properties" | "additionalProperties" => properties(root, schema, keyword, value, place),
            "propertyNames" => {
                let names = value.as_object().into_iter().flatten().map(|(name, _)| Value::from(name.as_str()));
                names.flat_map(|name| errors(root, wanted, &name, place)).collect()
            }
            other => panic!("{place}: the keyword {other} is not known here"),
        });
    }
    found
}

/// Returns the number of alternatives that accept the value.
fn valid(root: &Value, alternatives: &Value, value: &Value) -> usize {
    alternatives.as_array().unwrap().iter().filter(|schema| errors(root, schema, value, "").is_empty()).count()
}

fn types(wanted: &Value) -> Vec<&str> {
    let one = wanted.as_str().into_iter();
    one.chain(wanted.as_array().into_iter().flatten().map(|name| name.as_str().unwrap())).collect()
}

fn is_of_type(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.is_i64(),
        other => panic!("the type {other} is not known here"),
    }
}

/// Accepts addresses with the characters that RFC 3986 allows.
fn has_format(text: &str, name: &str) -> bool {
    let absolute = || Regex::new("^[A-Za-z][A-Za-z0-9+.-]*:").unwrap().is_match(text);
    let characters = Regex::new("^([A-Za-z0-9._~:/?#\\[\\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*$").unwrap().is_match(text);
    match name {
        "uri" => characters && absolute(),
        "uri-reference" => characters,
        "date-time" => text.parse::<jiff::Timestamp>().is_ok(),
        other => panic!("the format {other} is not known here"),
    }
}

fn items(root: &Value, schema: &Value, value: &Value, place: &str) -> Vec<String> {
    let items = value.as_array().into_iter().flatten().enumerate();
    items.flat_map(|(number, item)| errors(root, schema, item, &format!("{place}[{number}]"))).collect()
}

/// The entries that `properties` names, or those that it does not.
fn properties(root: &Value, schema: &Value, keyword: &str, value: &Value, place: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (key, entry) in value.as_object().into_iter().flatten() {
        let place = format!("{place}.{key}");
        let named = schema.get("properties").and_then(|properties| properties.get(key));
        match (keyword, named, &schema["additionalProperties"]) {
            ("properties", Some(named), _) => found.extend(errors(root, named, entry, &place)),
            ("additionalProperties", None, Value::Bool(false)) => found.push(format!("{place}: unknown")),
            ("additionalProperties", None, others) => found.extend(errors(root, others, entry, &place)),
            _ => {}
        }
    }
    found
}
