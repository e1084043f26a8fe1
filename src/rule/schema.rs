//! The JSON Schema of a rule file, for editors: made from the tables of keys that the reader itself uses.

use serde_json::{Map, Value, json};

use crate::model::{Confidence, Lang, Severity};
use crate::rule::Streams;
use crate::rule::source::{ADJUST, AREAS, EXPLAINS, EXPLAINS_ON, KEYS, PRODUCTS, REQUIRED};
use crate::rule::source_fact::{EVENT, EVENT_OBJECT, EVENT_TYPES, FILE, LOG, kinds, modifiers, shapes};
use crate::rule::source_text::{STEP, TRANSLATED_STEP, TRANSLATION};

/// The schema of a rule file (draft 2020-12). `streams` are the log streams to complete.
pub fn rule(streams: &Streams) -> Value {
    let streams: Vec<&str> = streams.names().collect();
    let mut schema = object("rule", &KEYS, &REQUIRED, &streams);
    let names = json!({"pattern": "^[A-Za-z][A-Za-z0-9_]*$"});
    let facts = json!({"type": "object", "minProperties": 1, "propertyNames": names, "additionalProperties": {"$ref": "#/$defs/fact"}});
    for key in ["find", "unless"] {
        merge(&mut schema["properties"][key], &facts);
    }
    let head = json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "A rule of gleaner"});
    let alternatives: Vec<Value> = kinds().map(|kind| fact(kind, &streams)).collect();
    let mut whole = head;
    merge(&mut whole, &schema);
    whole["$defs"] = json!({"fact": {"oneOf": alternatives}});
    whole
}

/// A fact of one kind.
fn fact(kind: &'static str, streams: &[&str]) -> Value {
    let keys: Vec<&str> = std::iter::once(kind).chain(modifiers(kind)).collect();
    let mut schema = object("fact", &keys, &[kind], streams);
    if kind == "log" {
        schema["anyOf"] = json!([{"required": ["match"]}, {"required": ["jq"]}]);
    }
    schema["title"] = kind.into();
    schema
}

/// A mapping in which only these keys may be.
fn object(place: &str, keys: &[&str], required: &[&str], streams: &[&str]) -> Value {
    let properties: Map<String, Value> =
        keys.iter().map(|key| ((*key).to_owned(), property(place, key, streams))).collect();
    json!({"type": "object", "additionalProperties": false, "required": required, "properties": properties})
}

fn property(place: &str, key: &str, streams: &[&str]) -> Value {
    let mut schema = shape(place, key, streams);
    if let Some(text) = description(place, key) {
        schema["description"] = text.into();
    }
    schema
}

/// What may stand at a key; anything, where a key is not known here.
fn shape(place: &str, key: &str, streams: &[&str]) -> Value {
    let expression = || json!({"type": ["string", "boolean", "number"]});
    let text = || json!({"type": "string", "pattern": "\\S"});
    match (place, key) {
        ("rule", "id") => json!({"type": "string", "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$"}),
        ("rule" | "adjust", "severity") => json!({"enum": Severity::ALL.map(Severity::as_str)}),
        ("rule" | "adjust", "confidence") => json!({"enum": Confidence::ALL.map(Confidence::as_str)}),
        ("rule", "area") => json!({"enum": AREAS}),
        ("rule" | "translation", "title" | "message" | "impact" | "cause" | "verify") => text(),
        ("rule", "affects" | "fixed_in") => {
            let keys = json!({"enum": PRODUCTS});
            json!({"type": "object", "propertyNames": keys, "additionalProperties": {"type": ["string", "number"]}})
        }
        ("rule", "aliases" | "links" | "about") => texts(&json!({"type": "string"})),
        ("rule", "relate") => texts(&expression()),
        ("rule", "adjust") => {
            let mut entry = object("adjust", &ADJUST, &["if"], streams);
            entry["minProperties"] = 2.into();
            json!({"type": "array", "minItems": 1, "items": entry})
        }
        ("rule", "explains") => {
            let entry = object("explains", &EXPLAINS, &["rule"], streams);
            texts(&json!({"anyOf": [{"type": "string"}, entry]}))
        }
        ("rule", "remedy") => {
            json!({"type": "array", "minItems": 1, "items": object("step", &STEP, &["do"], streams)})
        }
        ("rule", "i18n") => {
            let languages: Map<String, Value> = Lang::translations()
                .map(|lang| (lang.as_str().to_owned(), object("translation", &TRANSLATION, &[], streams)))
                .collect();
            json!({"type": "object", "additionalProperties": false, "properties": languages})
        }
        ("translation", "remedy") => {
            json!({"type": "array", "minItems": 1, "items": object("translated step", &TRANSLATED_STEP, &[], streams)})
        }
        ("rule" | "fact" | "adjust" | "step", "when" | "where" | "if") | ("fact", "each" | "value") => expression(),
        ("explains", "on") => json!({"enum": EXPLAINS_ON}),
        ("explains", "rule" | "within") => json!({"type": "string"}),
        ("step" | "translated step", _) => text(),
        ("fact", "resource" | "match" | "except") => texts(&json!({"type": "string"})),
        ("fact", "jq") => text(),
        ("fact", "by") => json!({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
        ("fact", "event") => object("event", &EVENT, &[], streams),
        ("fact", "log") => {
            let mut entry = object("log", &LOG, &[], streams);
            entry["minProperties"] = 1.into();
            texts(&json!({"anyOf": [{"enum": streams}, entry]}))
        }
        ("fact", "file") => object("file", &FILE, &["path"], streams),
        ("fact", "optional" | "collect" | "multiline") => json!({"type": "boolean"}),
        ("fact", "silence") => json!({"enum": ["unknown"]}),
        ("fact", "at_least") => {
            let count = json!({"type": "integer", "minimum": 1});
            let capture =
                json!({"type": "object", "minProperties": 1, "maxProperties": 1, "additionalProperties": count});
            json!({"anyOf": [count, capture]})
        }
        ("fact", "labels") => {
            let pairs = json!({"type": "object", "additionalProperties": {"type": ["string", "number", "boolean"]}});
            json!({"anyOf": [{"type": "string"}, pairs]})
        }
        ("log", "stream") => texts(&json!({"enum": streams})),
        ("file", "as") => json!({"enum": shapes().collect::<Vec<_>>()}),
        ("fact", "boot") => json!({"enum": ["current"]}),
        ("fact", "namespace" | "name" | "since" | "after_boot" | "within" | "distinct" | "max")
        | ("log" | "file" | "object", _) => json!({"type": ["string", "number"]}),
        ("event", "reason") => texts(&json!({"type": "string"})),
        ("event", "type") => json!({"enum": EVENT_TYPES}),
        ("event", "object") => object("object", &EVENT_OBJECT, &[], streams),
        _ => json!({}),
    }
}

/// One, or a list with at least one.
fn texts(item: &Value) -> Value {
    json!({"anyOf": [item, {"type": "array", "minItems": 1, "items": item}]})
}

fn merge(target: &mut Value, more: &Value) {
    for (key, value) in more.as_object().into_iter().flatten() {
        target[key] = value.clone();
    }
}

/// What a key means, in one sentence.
fn description(place: &str, key: &str) -> Option<&'static str> {
    let text = match (place, key) {
        ("rule", "id") => "The name of the file without .yaml; name the bad state.",
        ("rule", "aliases") => "Further ids under which the rule is found.",
        ("rule", "title") => "Text: one line that names the object.",
        ("rule", "severity") => "How much it hurts.",
        ("rule", "confidence") => "How sure a finding is.",
        ("rule", "area") => "What the rule is about.",
        ("rule", "affects") => "Version ranges by product in which the failure exists, such as \">=1.2 <1.4.3\".",
        ("rule", "fixed_in") => "Versions with the fix by product; printed as written.",
        ("rule", "find") => "Facts that must be found, by name.",
        ("rule", "unless") => "Facts that must not be found, by name.",
        ("rule", "when") => "A condition on everything found.",
        ("rule", "about") => "Names of the facts that one finding is about.",
        ("rule", "relate") => "Expressions for further objects this is the story of.",
        ("rule", "adjust") => "The first entry whose condition holds changes severity or confidence.",
        ("rule", "explains") => "Rules whose findings may be symptoms of this one's.",
        ("rule", "message") => "Text: what is wrong, with numbers.",
        ("rule", "impact") => "Text: what the customer notices.",
        ("rule", "cause") => "Text: why it came to this.",
        ("rule", "remedy") => "Steps out of it, in order.",
        ("rule", "verify") => "Text: how to see that it is well again.",
        ("rule", "links") => "Addresses that begin with https:// or http://.",
        ("rule", "i18n") => "Translations of the texts, by language.",
        ("translation", "remedy") => "Translations of the steps, in their order; {} leaves one as it is.",
        ("translation", "title" | "message" | "impact" | "cause" | "verify") | ("translated step", _) => {
            "The text in this language."
        }
        ("adjust" | "step", "if") => "A condition.",
        ("adjust", "severity") => "The severity if it holds.",
        ("adjust", "confidence") => "The confidence if it holds.",
        ("explains", "rule") => "The id of the rule.",
        ("explains", "on") => "Also fold what is on the same node.",
        ("explains", "within") => "Only what happened that near in time, such as 5m.",
        ("step", "do") => "Text: what to do.",
        ("step", "run") => "Text: a command.",
        ("step", "caution") => "Text: what may be lost.",
        ("fact", "resource") => "Objects of a type as kubectl names it, TYPE or TYPE.GROUP.",
        ("fact", "event") => "Kubernetes events.",
        ("fact", "log") => "Lines of logs: of a stream, or of places given by globs.",
        ("fact", "file") => "Files of the bundle.",
        ("fact", "each") => "The elements of a list or map that the expression gives.",
        ("fact", "value") => "Names an expression that several places use.",
        ("fact", "any") => "Alternatives of the same shape; the name means the one that matched.",
        ("fact", "sequence") => "Lines of logs by their order.",
        ("fact", "namespace") => "A glob on the namespace.",
        ("fact", "name") => "A glob on the name.",
        ("fact", "labels") => "A label selector as kubectl's -l takes it, or a mapping.",
        ("fact", "match") => "A regular expression, or a list of alternatives; (?<name>...) captures.",
        ("fact", "multiline") => "A pattern sees a line with the lines without time stamp that follow it.",
        ("fact", "jq") => "A filter of jq that must be true of the JSON in a line.",
        ("fact", "except") => "Lines and messages that match do not count.",
        ("fact", "since") => "Only what is that old at most: 90s, 30m, 24h, 3d4h.",
        ("fact", "by") => "What makes one group: captures, node, pod, source; [] makes one group of all.",
        ("fact", "at_least") => "The smallest group: hits, or distinct values of a capture.",
        ("fact", "within") => "Hits that lie that near together.",
        ("fact", "distinct") => "Hits that differ in this capture.",
        ("fact", "max") => "The hit with the highest value of this capture supplies the others.",
        ("fact", "boot") => "Only lines of the current boot.",
        ("fact", "after_boot") => "Leave out that time after a boot.",
        ("fact", "where") => "A condition; the candidate is the fact's name and self.",
        ("fact", "optional") => "It may be missing; its name is null then.",
        ("fact", "collect") => "The name means the list of all matches.",
        ("fact", "silence") => "No match means \"cannot be told\", not \"is not there\".",
        ("event", "reason") => "Globs on the reason.",
        ("event", "type") => "The type.",
        ("event", "object") => "What the event is about.",
        ("object", "kind") => "A glob on the kind.",
        ("log" | "object", "namespace") => "A glob on the namespace.",
        ("object", "name") => "A glob on the name.",
        ("log", "stream") => "A stream, or several.",
        ("log", "pod") => "A glob on the pod.",
        ("log", "container") => "A glob on the container.",
        ("log" | "file", "node") => "A glob on the node.",
        ("log" | "file", "path") => "A glob on the path from the root of the bundle; ** goes through folders.",
        ("file", "as") => "How it is read.",
        _ => return None,
    };
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_described() {
        let places: [(&str, Vec<&str>); 10] = [
            ("rule", KEYS.to_vec()),
            ("adjust", ADJUST.to_vec()),
            ("explains", EXPLAINS.to_vec()),
            ("step", STEP.to_vec()),
            ("translation", TRANSLATION.to_vec()),
            ("translated step", TRANSLATED_STEP.to_vec()),
            ("event", EVENT.to_vec()),
            ("object", EVENT_OBJECT.to_vec()),
            ("log", LOG.to_vec()),
            ("file", FILE.to_vec()),
        ];
        let facts = kinds().flat_map(|kind| std::iter::once(kind).chain(modifiers(kind))).map(|key| ("fact", key));
        let all = places.iter().flat_map(|(place, keys)| keys.iter().map(|key| (*place, *key))).chain(facts);
        let silent: Vec<_> = all.filter(|(place, key)| description(place, key).is_none()).collect();
        assert!(silent.is_empty(), "keys without a description: {silent:?}");
    }
}
