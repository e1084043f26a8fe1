//! Fields of objects that kubectl describes without knowing their type: all of them, by names made of those of the fields. `Last
//! Transition Time` is `lastTransitionTime`, and the items of a list follow each other without a border.

use super::common::metadata;
use super::out::{Fields, Out};
use super::outline::{Section, View};
use crate::yaml::Kind;

/// Texts of one word in a status that are no texts.
const FLAGS: [&str; 2] = ["false", "true"];

/// Returns the names of the object, its conditions, and the fields of its status that hold one value.
pub(super) fn fields(view: View<'_>) -> Fields {
    let status = view.below("Status");
    let at = view.start();
    let mut told: Fields = status.sections.iter().filter_map(|section| plain(status, section)).collect();
    told.extend(status.get("Conditions").map(|section| ("conditions".to_owned(), conditions(status, section))));
    let known = view.below("Metadata");
    let moment = |key: &str| known.value(key).map(Out::text);
    let moments = [
        ("creationTimestamp", moment("Creation Timestamp")),
        ("deletionTimestamp", Some(moment("Deletion Timestamp").unwrap_or(Out::Absent(at)))),
    ];
    [("metadata", metadata(view, moments)), ("status", Out::Map(at, told))]
        .map(|(key, value)| (key.to_owned(), value))
        .into()
}

/// Returns the field of a line with one value, which is a text or a flag: how a number was written does not show.
fn plain(status: View<'_>, section: &Section) -> Option<(String, Out)> {
    let value = status.stated(section.value.clone()).filter(|_| section.below.is_empty())?;
    let field = field_name(status.slice(&section.key))?;
    let text = status.slice(&value);
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    let kind = if FLAGS.contains(&text) { Kind::Bool } else { Kind::String };
    (!is_number).then_some((field, Out::Part(kind, value)))
}

/// Returns the conditions of a list without borders: a new one begins with a key that the one before has.
fn conditions(status: View<'_>, section: &Section) -> Out {
    let mut items: Vec<Fields> = Vec::new();
    for line in &section.below {
        let Some(field) = field_name(status.slice(&line.key)) else { continue };
        let is_new = items.last().is_none_or(|item| item.iter().any(|(known, _)| *known == field));
        if is_new {
            items.push(Vec::new());
        }
        let value = Out::maybe(status.stated(line.value.clone()), line.line.start);
        items.last_mut().into_iter().for_each(|item| item.push((field.clone(), value.clone())));
    }
    Out::List(section.line.start, items.into_iter().map(|item| Out::Map(section.line.start, item)).collect())
}

/// Returns the name of a field by what kubectl makes of it; none for words in capitals, which are ambiguous.
fn field_name(shown: &str) -> Option<String> {
    let is_word = |word: &str| word.chars().skip(1).all(|sign| sign.is_ascii_lowercase() || sign.is_ascii_digit());
    let mut words = shown.split(' ');
    let first = words.next().filter(|word| !word.is_empty() && is_word(word))?;
    let mut name = first.to_ascii_lowercase();
    for word in words {
        if !is_word(word) {
            return None;
        }
        name.push_str(word);
    }
    Some(name)
}
