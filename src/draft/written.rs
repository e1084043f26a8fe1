//! The texts of a rule and its test, which is run before they are returned.

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use crate::model::clean::{is_hidden, json_escaped};
use crate::rule::skeleton::Skeleton;
use crate::rule::{Source, Streams, compile};
use crate::verify;

/// What differs between rules.
#[derive(Clone, Debug)]
pub struct Parts {
    /// What the line is: `a log line`.
    pub origin: &'static str,
    pub name: String,
    pub title: String,
    pub severity: &'static str,
    /// Name of the fact, and its keys with their values as YAML.
    pub fact: String,
    pub keys: Vec<(&'static str, String)>,
    pub message: String,
    pub run: String,
    pub case: Case,
}

/// A case in which a rule fires, and what changes in the one in which it does not.
#[derive(Clone, Debug, Default)]
pub struct Case {
    /// None for the layout of rule tests that name none.
    pub layout: Option<&'static str>,
    pub now: Option<Timestamp>,
    /// `objects` or `files`.
    pub fires: Map<String, Value>,
    /// `set` or `files`.
    pub silent: Map<String, Value>,
    /// What is expected of the finding besides its severity.
    pub expected: Map<String, Value>,
}

/// Writes rule and test.
///
/// # Errors
/// What the rule or its test lacks.
pub fn tried(id: &str, area: &str, parts: &Parts, streams: &Streams) -> Result<Skeleton, String> {
    let rule = Source { file: format!("rules/{area}/{id}.yaml"), text: rule(id, area, parts) };
    let test = Source { file: format!("tests/rules/{area}/{id}.yaml"), text: test(id, parts)? };
    let set = compile(vec![rule.clone()], streams)
        .map_err(|errors| errors.first().map_or_else(String::new, |error| error.message.clone()))?;
    let report = verify::run(&set, streams, std::slice::from_ref(&test));
    match report.failures.first() {
        Some(failure) => Err(failure.to_string().split_whitespace().collect::<Vec<_>>().join(" ")),
        None => Ok(Skeleton { rule: (rule.file, rule.text), test: (test.file, test.text) }),
    }
}

fn rule(id: &str, area: &str, parts: &Parts) -> String {
    let Parts { origin, name, title, severity, fact, keys, message, run, .. } = parts;
    let keys: String = keys.iter().map(|(key, value)| format!("    {key}: {value}\n")).collect();
    let [name, title, message, run] = [name, title, message, run].map(|text| quoted(text));
    format!(
        "# Begun with {origin} of a bundle: it fires there. Review what it looks for, and replace its texts.\n\
         id: {id}\n\
         name: {name}\n\
         title: {title}\n\
         severity: {severity}\n\
         confidence: likely\n\
         area: {area}\n\
         find:\n  {fact}:\n{keys}\
         message: {message}\n\
         impact: \"Describe what no longer works.\"\n\
         cause: \"Describe the cause.\"\n\
         remedy:\n  \
         - do: \"Describe the first step\"\n    \
         run: {run}\n\
         verify: \"Describe how to verify the fix.\"\n"
    )
}

/// A text in double quotes: JSON is YAML.
pub fn quoted(text: &str) -> String {
    json_escaped(&Value::from(text).to_string()).into_owned()
}

/// A text in single quotes, in which a backslash is one.
pub fn verbatim(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn test(id: &str, parts: &Parts) -> Result<String, String> {
    let Case { layout, now, fires, silent, expected } = &parts.case;
    let name = "taken from a bundle";
    let mut first = Map::from_iter([("name".to_owned(), Value::from(name))]);
    first.extend(layout.map(|layout| ("layout".to_owned(), layout.into())));
    first.extend(now.map(|now| ("now".to_owned(), now.to_string().into())));
    first.extend(fires.clone());
    let mut finding = expected.clone();
    finding.insert("severity".to_owned(), parts.severity.into());
    first.insert("expect".to_owned(), json!([finding]));
    let mut second = Map::from_iter([
        ("name".to_owned(), Value::from("what looks most like it")),
        ("like".to_owned(), Value::from(name)),
    ]);
    second.extend(silent.clone());
    second.insert("expect".to_owned(), json!([]));
    let file = json!({"rule": id, "cases": [first, second]});
    let mut text = serde_yaml::to_string(&file).map_err(|error| error.to_string())?;
    if text.chars().any(is_hidden) {
        // What nobody can see is escaped, for which YAML needs quotes: JSON is YAML.
        text = json_escaped(&format!("{file:#}\n")).into_owned();
    }
    Ok(format!(
        "# Begun with {} of a bundle; its names are replaced and its secrets masked. Review every value before you publish it.\n{text}",
        parts.origin
    ))
}
