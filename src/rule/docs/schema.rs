//! Makes the JSON Schema of a rule file, for editors, from the tables of keys that the reader uses.

use serde_json::{Map, Value, json};

use crate::model::{Lang, PRODUCTS};
use crate::rule::source::key_table::{FACT, RULE};
use crate::rule::source::keys::{Key, KeyTable, Shape};
use crate::rule::streams::Streams;

/// Returns the schema of a rule file (draft 2020-12). `streams` are the log streams to complete.
pub fn rule(streams: &Streams) -> Value {
    let schema = Schema { streams: streams.names().collect() };
    let mut whole = json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "A rule of gleaner"});
    for (key, value) in schema.mapping(&RULE).as_object().into_iter().flatten() {
        whole[key] = value.clone();
    }
    let kinds: Vec<Value> = FACT.kinds().map(|kind| schema.fact(kind)).collect();
    whole["$defs"] = json!({"fact": {"oneOf": kinds}});
    whole
}

struct Schema<'s> {
    streams: Vec<&'s str>,
}

impl Schema<'_> {
    /// A fact of one kind.
    fn fact(&self, kind: &'static str) -> Value {
        let (own, others): (Vec<&Key>, Vec<&Key>) =
            FACT.keys.iter().filter(|key| key.is_for(kind)).partition(|key| key.name == kind);
        let mut schema = self.object(own.into_iter().chain(others), &[kind]);
        if kind == "log" {
            schema["anyOf"] = json!([{"required": ["match"]}, {"required": ["jq"]}]);
        }
        schema["title"] = kind.into();
        schema
    }

    fn mapping(&self, table: &KeyTable) -> Value {
        let mut schema = self.object(table.allowed(), &table.required());
        if table.least > 0 {
            schema["minProperties"] = table.least.into();
        }
        schema
    }

    /// A mapping that has these keys only.
    fn object<'k>(&self, keys: impl Iterator<Item = &'k Key>, required: &[&str]) -> Value {
        let property = |key: &Key| {
            let mut schema = self.shape(&key.shape);
            schema["description"] = plain(key.doc).into();
            (key.name.to_owned(), schema)
        };
        let properties: Map<String, Value> = keys.map(property).collect();
        json!({"type": "object", "additionalProperties": false, "required": required, "properties": properties})
    }

    fn shape(&self, shape: &Shape) -> Value {
        match shape {
            Shape::Id => json!({"type": "string", "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$"}),
            Shape::Text => json!({"type": "string", "pattern": "\\S"}),
            Shape::Word => json!({"type": "string"}),
            Shape::Scalar => json!({"type": ["string", "number"]}),
            Shape::Expression => json!({"type": ["string", "boolean", "number"]}),
            Shape::Flag => json!({"type": "boolean"}),
            Shape::Count => json!({"type": "integer", "minimum": 1}),
            Shape::OneOf(values) => json!({"enum": values()}),
            Shape::Stream => json!({"enum": self.streams}),
            Shape::OneOrMore(item) => json!({"anyOf": [self.shape(item), self.list(item)]}),
            Shape::OneOrList => json!({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
            Shape::List(item) => self.list(item),
            Shape::Either(one, other) => json!({"anyOf": [self.shape(one), self.shape(other)]}),
            Shape::Mapping(table) => self.mapping(table),
            Shape::Products => {
                let values = json!({"type": ["string", "number"]});
                json!({"type": "object", "propertyNames": {"enum": PRODUCTS}, "additionalProperties": values})
            }
            Shape::Facts => {
                let names = json!({"pattern": "^[A-Za-z][A-Za-z0-9_]*$"});
                let fact = json!({"$ref": "#/$defs/fact"});
                json!({"type": "object", "minProperties": 1, "propertyNames": names, "additionalProperties": fact})
            }
            Shape::Translations(table) => {
                let languages = Lang::translations().map(|lang| (lang.as_str().to_owned(), self.mapping(table)));
                let languages: Map<String, Value> = languages.collect();
                json!({"type": "object", "additionalProperties": false, "properties": languages})
            }
            Shape::AtLeast => {
                let count = self.shape(&Shape::Count);
                let capture =
                    json!({"type": "object", "minProperties": 1, "maxProperties": 1, "additionalProperties": count});
                json!({"anyOf": [count, capture]})
            }
            Shape::Labels => {
                let pairs =
                    json!({"type": "object", "additionalProperties": {"type": ["string", "number", "boolean"]}});
                json!({"anyOf": [{"type": "string"}, pairs]})
            }
            Shape::Open => json!({}),
        }
    }

    /// A list with at least one item.
    fn list(&self, item: &Shape) -> Value {
        json!({"type": "array", "minItems": 1, "items": self.shape(item)})
    }
}

/// Returns Markdown as plain text: without backticks, and links as their words.
fn plain(markdown: &str) -> String {
    let mut text = String::new();
    let mut rest = markdown;
    while let Some((before, link)) = rest.split_once("](") {
        let (start, words) = before.rsplit_once('[').unwrap_or((before, ""));
        text.extend([start, words]);
        rest = link.split_once(')').map_or("", |(_, after)| after);
    }
    (text + rest).replace('`', "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_are_plain_text() {
        assert_eq!(plain("[Facts](#facts) of `find`, see [a finding](#findings)."), "Facts of find, see a finding.");
        assert_eq!(plain("`[]` makes one group"), "[] makes one group");
    }

    #[test]
    fn every_key_is_described_in_one_sentence() {
        for table in crate::rule::TABLES {
            for key in table.keys {
                assert!(key.doc.ends_with('.') && key.doc.len() > 5, "{}: {}", table.what, key.name);
            }
        }
    }
}
