//! Literals of the patterns of the built-in rules, so that the program parses only those patterns that it searches for.

use std::collections::BTreeSet;

use serde_yaml::Value;

use crate::log::pattern::literal::{RequiredLiteral, required_literal, required_literal_of};

/// Keys of facts with patterns.
const KEYS: [&str; 2] = ["match", "except"];
/// Ends of a record, a field and an alternative; patterns with one of them are left to the program.
const ENDS: [char; 3] = ['\x1e', '\x1f', '\x1d'];

/// Returns a record for each pattern in some rules that has the same literal in the bytes of lines and in texts: the pattern, and `=` or, if case is
/// ignored, `~` before the alternatives of its literal; nothing if it has none.
///
/// # Errors
///
/// The first text that is no YAML.
pub fn generate(rules: &[String]) -> Result<String, String> {
    let mut patterns = BTreeSet::new();
    for rule in rules {
        let tree: Value = serde_yaml::from_str(rule).map_err(|fault| fault.to_string())?;
        gather(&tree, &mut patterns);
    }
    Ok(patterns.iter().filter_map(|pattern| record(pattern)).collect::<Vec<_>>().join(&ENDS[0].to_string()))
}

/// Notes the patterns of all facts, at any depth.
fn gather(node: &Value, patterns: &mut BTreeSet<String>) {
    match node {
        Value::Mapping(pairs) => {
            for (key, value) in pairs {
                match key.as_str() {
                    Some(key) if KEYS.contains(&key) => patterns.extend(texts(value)),
                    _ => gather(value, patterns),
                }
            }
        }
        Value::Sequence(items) => items.iter().for_each(|item| gather(item, patterns)),
        _ => {}
    }
}

/// Returns one text, or those of a list.
fn texts(value: &Value) -> Vec<String> {
    let items = value.as_sequence().map_or(std::slice::from_ref(value), Vec::as_slice);
    items.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn record(pattern: &str) -> Option<String> {
    let in_lines = required_literal(pattern);
    let in_texts = regex_syntax::parse(pattern).ok().and_then(|hir| required_literal_of(&hir));
    let is_plain = !pattern.contains(ENDS) && in_lines == in_texts;
    if is_plain { Some([pattern, &field(in_lines)?].join(&ENDS[1].to_string())) } else { None }
}

/// Returns the field of a literal; none if it cannot be written.
fn field(literal: Option<RequiredLiteral>) -> Option<String> {
    let Some(RequiredLiteral { alternatives, ignore_case }) = literal else { return Some(String::new()) };
    let mut written = String::from(if ignore_case { "~" } else { "=" });
    for (at, alternative) in alternatives.iter().enumerate() {
        let text = std::str::from_utf8(alternative).ok().filter(|text| !text.contains(ENDS))?;
        written.extend((at > 0).then_some(ENDS[2]));
        written.push_str(text);
    }
    Some(written)
}
