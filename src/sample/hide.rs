//! Replaces the customer's names as far as the rule still fires.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::content::{Content, File, Format};
use super::names::{self, Numbered, Published};
use super::packed_value::{PACKED, RELEASE, is_opaque};
use super::request::Request;
use super::result::Notes;
use super::trial::Trial;
use super::{reduce, table};
use crate::redact::{Names, Redactor};

/// Content without the customer's names.
pub struct Hidden {
    pub content: Content,
    pub notes: Notes,
}

/// Replaces all names; if the rule does not fire then, the names of objects that it needs stay.
///
/// # Errors
/// The private values that it needs; none if it does not fire with any of them.
pub fn hide(
    content: &Content,
    known: Names,
    request: Request<'_>,
    trial: &Trial<'_>,
) -> Result<Hidden, Option<Vec<String>>> {
    let published = Published::of(request.published);
    let with = |keep: &[(String, String)]| {
        let keep = keep.iter().map(|(_, name)| name).chain(request.keep).cloned().collect();
        let numbered = Numbered::new(&published, keep);
        (replaced(content, &numbered, &known), numbered)
    };
    let (mut hidden, mut numbered) = with(&[]);
    let mut needed = Vec::new();
    if !trial.fires(&hidden) {
        let mut all = numbered.replaced();
        // Reduction removes from the front, so values that would be an error come first.
        all.sort_by_key(|(kind, name)| (!names::is_private(kind), kind.clone(), name.clone()));
        if !trial.fires(&with(&all).0) {
            return Err(None);
        }
        needed = reduce::some(all, |keep| trial.fires(&with(keep).0));
        let private: Vec<String> =
            needed.iter().filter(|(kind, _)| names::is_private(kind)).map(|(_, name)| name.clone()).collect();
        if !private.is_empty() {
            return Err(Some(private));
        }
        (hidden, numbered) = with(&needed);
    }
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    numbered.replaced().into_iter().for_each(|(kind, _)| *counts.entry(kind).or_default() += 1);
    // Parts of a name that must stay as a whole may have been replaced.
    let text = text_of(&hidden);
    let needed: Vec<String> = needed.into_iter().map(|(_, name)| name).filter(|name| text.contains(name)).collect();
    let notes = Notes {
        replaced: counts.into_iter().collect(),
        kept: numbered.kept().into_iter().filter(|name| !needed.contains(name)).collect(),
        needed,
        opaque: opaque(&hidden),
        ..Notes::default()
    };
    Ok(Hidden { content: hidden, notes })
}

pub fn replaced(content: &Content, numbered: &Numbered<'_>, known: &Names) -> Content {
    let redactor = Redactor::new(numbered, known);
    let other = |text: &str| redactor.redacted(&names::other_uids(text, numbered));
    let mut files: Vec<File> = Vec::new();
    for file in &content.files {
        let parts = match file.is_table {
            true => table::rewritten(file.lines(), &other).into_iter().map(Value::from).collect(),
            false => file.parts.iter().map(|part| rewritten(part, &other)).collect(),
        };
        files.push(File { path: other(&file.path), parts, ..file.clone() });
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Content { name: other(&content.name), files }
}

/// Returns the value with other texts and keys. Readers have bounded the depth.
fn rewritten(value: &Value, other: &dyn Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => other(text).into(),
        Value::Array(items) => items.iter().map(|item| rewritten(item, other)).collect(),
        Value::Object(fields) => {
            let field = |(key, inner): (&String, &Value)| match key.as_str() {
                PACKED | RELEASE => (key.clone(), rewritten(inner, other)),
                _ => (other(key), rewritten(inner, other)),
            };
            fields.iter().map(field).collect::<Map<_, _>>().into()
        }
        other => other.clone(),
    }
}

/// Returns all paths and texts, in lower case like names.
fn text_of(content: &Content) -> String {
    let files = content.rendered().into_iter();
    let texts = files.map(|(path, bytes)| path + "\n" + &String::from_utf8_lossy(&bytes));
    texts.collect::<Vec<_>>().join("\n").to_ascii_lowercase()
}

/// Returns the fields of texts that cannot be decoded.
fn opaque(content: &Content) -> Vec<String> {
    let mut found: BTreeSet<String> = BTreeSet::new();
    for file in &content.files {
        match file.format {
            Format::Lines => {
                let lines = file.lines().filter(|line| line.split_whitespace().any(is_opaque) || is_opaque(line));
                found.extend(lines.map(|_| file.path.clone()));
            }
            Format::Yaml | Format::Json => file.parts.iter().for_each(|part| leaves(part, &file.path, "", &mut found)),
        }
    }
    found.into_iter().collect()
}

fn leaves(value: &Value, path: &str, field: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::String(text) if is_opaque(text) => {
            found.insert(format!("{path}: {field}"));
        }
        Value::Array(items) => items.iter().for_each(|item| leaves(item, path, field, found)),
        Value::Object(fields) => fields.iter().for_each(|(key, inner)| {
            let is_mark = key == PACKED || key == RELEASE;
            leaves(inner, path, if is_mark { field } else { key }, found);
        }),
        _ => {}
    }
}
