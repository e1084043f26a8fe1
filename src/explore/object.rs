//! An object as data for output: secrets masked, names replaced if asked for.

use serde_json::{Map, Number, Value};

use crate::model::secret;
use crate::resource::Resource;
use crate::yaml::{Kind, Node};

/// How objects are shown.
#[derive(Clone, Copy, Default)]
pub struct View<'v> {
    /// Replaces names by pseudonyms.
    pub redact: Option<&'v dyn Fn(&str) -> String>,
    /// True if `metadata.managedFields` is shown.
    pub managed_fields: bool,
}

impl View<'_> {
    /// Returns the object as it was collected, keys sorted as kubectl sorts them. Empty texts and whole numbers that the collector
    /// rewrote have the values that they had in the cluster.
    pub fn object(&self, resource: &Resource) -> Value {
        let mut object = self.value(resource.body());
        if let Value::Object(fields) = &mut object {
            if !self.managed_fields
                && let Some(Value::Object(metadata)) = fields.get_mut("metadata")
            {
                metadata.shift_remove("managedFields");
            }
            // Items of a list name neither; rows of a table have no version.
            if !resource.version.is_empty() {
                fields.entry("apiVersion").or_insert_with(|| Value::String(api_version(resource)));
            }
            fields.entry("kind").or_insert_with(|| Value::String(resource.kind.to_string()));
            fields.sort_keys();
        }
        if resource.partial {
            drop_absent(&mut object);
        }
        object
    }

    /// Returns the text with pseudonyms.
    pub fn text(&self, text: &str) -> String {
        self.redact.map_or_else(|| text.to_owned(), |redact| redact(text))
    }

    /// Readers have bounded the depth.
    fn value(&self, node: Node<'_>) -> Value {
        match node.kind() {
            Kind::Mapping => {
                let entries = node.entries().map(|(key, value)| (self.text(&key), self.value(value)));
                let mut map: Map<String, Value> = entries.collect();
                map.sort_keys();
                Value::Object(map)
            }
            Kind::Sequence => node.items().map(|item| self.value(item)).collect(),
            Kind::Null if was_text(node) => Value::String(String::new()),
            Kind::Null => Value::Null,
            _ if node.is_secret() => Value::String(secret::MASK.to_owned()),
            Kind::Bool => Value::Bool(node.as_bool().unwrap_or_default()),
            Kind::Number => number(node),
            Kind::String => Value::String(self.text(node.text())),
        }
    }
}

/// Returns group and version as objects name them.
pub fn api_version(resource: &Resource) -> String {
    let slash = if resource.group.is_empty() { "" } else { "/" };
    format!("{}{slash}{}", resource.group, resource.version)
}

/// Removes the fields that a cell states to be absent.
fn drop_absent(value: &mut Value) {
    if let Value::Object(fields) = value {
        fields.retain(|_, value| !value.is_null());
        fields.values_mut().for_each(drop_absent);
    }
}

/// Returns the text of a scalar as it is shown.
pub fn shown(node: Node<'_>) -> &str {
    if node.is_secret() && !node.text().is_empty() { secret::MASK } else { node.text() }
}

/// Returns the text of a scalar below a node as it is shown; none if it is empty or the `null` that collectors write.
pub fn shown_at<'a>(node: Node<'a>, keys: &[&str]) -> Option<&'a str> {
    node.path(keys).map(shown).filter(|text| !text.is_empty() && *text != "null")
}

/// Returns true for an absent value that is an empty text in the file.
fn was_text(node: Node<'_>) -> bool {
    let document = node.document();
    document.text().get(document.source_of(node)).is_some_and(|source| source.starts_with(['"', '\'']))
}

/// Returns a number; whole ones without a fraction, also if they are written as `1e+09`.
fn number(node: Node<'_>) -> Value {
    let whole = node.text().parse::<u64>().map(Number::from).ok().or_else(|| node.as_i64().map(Number::from));
    let number = whole.or_else(|| node.as_f64().and_then(Number::from_f64));
    number.map_or_else(|| Value::String(node.text().to_owned()), Value::Number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::{self, normalise};

    fn shown(text: &str) -> String {
        let (mut document, _) = yaml::parse(text.as_bytes().to_vec());
        normalise::normalise(&mut document, normalise::Dialect::Kit);
        View::default().value(document.roots().next().unwrap()).to_string()
    }

    #[test]
    fn values_are_those_of_the_cluster() {
        assert_eq!(
            shown("b: 1.194914199e+09\na: \"null\"\nc: \"\"\nd: null\ne: 0.5\nf: 18446744073709551615"),
            r#"{"a":"","b":1194914199,"c":"","d":null,"e":0.5,"f":18446744073709551615}"#
        );
    }

    #[test]
    fn secrets_are_masked() {
        let secret = "kind: Secret\ndata: {a: Ym9i}\nenv: [{name: PASSWORD, value: x}]";
        assert_eq!(shown(secret), r#"{"data":{"a":"***"},"env":[{"name":"PASSWORD","value":"***"}],"kind":"Secret"}"#);
    }
}
