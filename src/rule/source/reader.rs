//! Walks a rule file's tape and turns nodes into values with places, noting everything that is wrong.

use std::ops::Range;

use crate::rule::error::{Code, Diagnostics, did_you_mean};
use crate::rule::source::keys::{Fit, KeyTable};
use crate::rule::source::locate;
use crate::rule::source::locate::CharacterPlaces;
use crate::rule::source::yaml_pitfalls;
use crate::yaml::{Kind, Node};

/// A scalar as its value reads, with the place of what was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    pub text: String,
    /// In the file, quotes included.
    pub range: Range<usize>,
    /// Start of the node: its quote or block sign.
    offset: usize,
}

impl Written {
    /// The place of a part of the value in the file.
    pub fn part(&self, file: &str, part: Range<usize>) -> Range<usize> {
        CharacterPlaces::of(file, self.offset, &self.text).range(part)
    }
}

/// A key of a mapping with its value.
#[derive(Clone, Debug)]
pub struct Field<'a> {
    pub key: &'a str,
    pub key_range: Range<usize>,
    pub value: Node<'a>,
}

/// The keys of a mapping, all of them known.
#[derive(Clone, Debug)]
pub struct Fields<'a> {
    list: Vec<Field<'a>>,
    /// Start of the mapping, for keys that are not there.
    pub start: Range<usize>,
}

impl<'a> Fields<'a> {
    pub fn get(&self, key: &str) -> Option<&Field<'a>> {
        self.list.iter().find(|field| field.key == key)
    }

    pub fn iter(&self) -> impl Iterator<Item = &Field<'a>> {
        self.list.iter()
    }

    /// Takes out the keys that do not fit this variant of the mapping.
    pub fn take_misfits(&mut self, table: &KeyTable, variant: &str) -> Vec<Field<'a>> {
        self.list.extract_if(.., |field| !table.fits(field.key, variant)).collect()
    }

    /// Takes out the keys that belong somewhere else.
    pub fn take_misplaced(&mut self, table: &KeyTable) -> Vec<Field<'a>> {
        let is_misplaced = |key: &str| table.get(key).is_some_and(|key| matches!(key.fit, Fit::Nowhere));
        self.list.extract_if(.., |field| is_misplaced(field.key)).collect()
    }
}

/// Mappings that authors write as a text, with an example.
const EXAMPLES: [(&str, &str); 2] = [
    ("event", "event: {reason: BackOff, object: {kind: Pod}}"),
    ("sequence", "sequence: {steps: [{log: kernel, match: 'first'}, {log: kernel, match: 'then'}], within: 5m}"),
];

/// Keys that authors look for where they are not, and what to write instead.
const ELSEWHERE: [(&str, &str); 3] = [("absent", ABSENT), ("exists", ABSENT), ("missing", ABSENT)];
const ABSENT: &str =
    "what must not be there is a fact below `unless:`, beside `find:`; the rule fires where it is not found";

/// Reads nodes of one file.
pub struct FieldReader<'d> {
    pub diagnostics: &'d mut Diagnostics,
    /// The file was checked by the tests of this program: checks that only find mistakes are left out, and places of values are not
    /// measured, which took a sixth of the start of the program.
    pub tested: bool,
}

impl FieldReader<'_> {
    /// The entries of a mapping, whatever their keys; none (and an error) for anything else. `what` names it.
    pub fn entries<'a>(&mut self, node: Node<'a>, what: &str) -> Option<Fields<'a>> {
        if node.kind() != Kind::Mapping {
            let range = self.extent(node);
            let error =
                self.diagnostics.report(Code::WrongType, range, format!("{what} must be a mapping (key: value)"));
            if let Some((_, example)) = EXAMPLES.iter().find(|(name, _)| *name == what) {
                error.hint(format!("such as {example}"));
            }
            return None;
        }
        if !self.tested {
            self.repeated(node);
        }
        let mut list = Vec::with_capacity(node.len());
        for (key, value) in node.entry_nodes() {
            if !key.kind().is_scalar() {
                self.wrong_type(key, &format!("a key of {what} must be a plain word"));
                continue;
            }
            let key_range = self.extent(key);
            let tag = || yaml_pitfalls::tag(self.diagnostics.text(), key_range.end);
            if let Some(range) = (!self.tested).then(tag).flatten() {
                yaml_pitfalls::report_tag(self.diagnostics, range);
                continue;
            }
            list.push(Field { key: key.text(), key_range, value });
        }
        let start = node.offset()..node.offset() + list.first().map_or(1, |field| field.key_range.len());
        Some(Fields { list, start })
    }

    /// The entries of a mapping that has the keys of a table; unknown keys are errors and left out, and so are required keys
    /// that the mapping does not have.
    pub fn mapping<'a>(&mut self, node: Node<'a>, table: &KeyTable) -> Option<Fields<'a>> {
        self.mapping_named(node, table.what, table)
    }

    /// The same; `what` names the mapping in messages.
    pub fn mapping_named<'a>(&mut self, node: Node<'a>, what: &str, table: &KeyTable) -> Option<Fields<'a>> {
        let mut fields = self.entries(node, what)?;
        if !self.tested {
            self.only_known(&mut fields, what, |key| table.get(key).is_some(), &table.names());
            self.require(&fields, &table.required(), what);
        }
        Some(fields)
    }

    /// The entries of a mapping of which only some keys may be there; others are errors and left out.
    pub fn fields<'a>(&mut self, node: Node<'a>, what: &str, known: &[&str]) -> Option<Fields<'a>> {
        let mut fields = self.entries(node, what)?;
        self.only_known(&mut fields, what, |key| known.contains(&key), known);
        Some(fields)
    }

    /// Reports entries with unknown keys and leaves them out; `offered` are the keys to name instead.
    pub fn only_known(&mut self, fields: &mut Fields<'_>, what: &str, known: impl Fn(&str) -> bool, offered: &[&str]) {
        fields.list.retain(|field| {
            if known(field.key) {
                return true;
            }
            let near = did_you_mean(field.key, offered.iter().copied());
            let message = format!("{what} has no key \"{}\"{near}", field.key);
            let error = self.diagnostics.report(Code::UnknownKey, field.key_range.clone(), message);
            match ELSEWHERE.iter().find(|(key, _)| *key == field.key) {
                Some((_, hint)) => error.hint(*hint),
                None if near.is_empty() => error.hint(format!("it may have: {}", offered.join(", "))),
                None => {}
            }
            false
        });
    }

    /// Reports keys that are given again later: the tape hides them, so they are found as gaps between its entries.
    fn repeated(&mut self, mapping: Node<'_>) {
        let mut expected = mapping.index() + 1;
        for (key, value) in mapping.entry_nodes() {
            while expected < key.index() {
                let hidden = mapping.document().node(expected);
                let message = format!("key \"{}\" is given twice", hidden.text());
                let range = self.extent(hidden);
                self.diagnostics.report(Code::RepeatedKey, range, message);
                expected = end(mapping.document().node(end(hidden)));
            }
            expected = end(value);
        }
    }

    /// A text that is not empty.
    pub fn text(&mut self, field: &Field<'_>) -> Option<Written> {
        let node = field.value;
        if matches!(node.kind(), Kind::Bool | Kind::Number) {
            self.wrong_type(node, &format!("{} must be a text; put it in quotes", field.key));
            return None;
        }
        self.scalar(field)
    }

    /// A text, number or boolean as it is written.
    pub fn scalar(&mut self, field: &Field<'_>) -> Option<Written> {
        if field.value.is_null() || (field.value.kind() == Kind::String && field.value.text().trim().is_empty()) {
            let message = format!("{} has no value", field.key);
            self.diagnostics.report(Code::WrongType, field.key_range.clone(), message);
            return None;
        }
        self.item(field.value, field.key)
    }

    /// A scalar of a list or mapping; `what` names it.
    pub fn item(&mut self, node: Node<'_>, what: &str) -> Option<Written> {
        if !node.kind().is_scalar() || node.is_null() {
            self.wrong_type(node, &format!("{what} must be a text, not {}", kind_name(node.kind())));
            return None;
        }
        Some(Written { text: node.text().to_owned(), range: self.extent(node), offset: node.offset() })
    }

    /// One scalar or a list of them; never empty.
    pub fn list(&mut self, field: &Field<'_>) -> Option<Vec<Written>> {
        if field.value.kind() != Kind::Sequence {
            return self.scalar(field).map(|one| vec![one]);
        }
        if field.value.is_empty() {
            let message = format!("{} is an empty list", field.key);
            self.diagnostics.report(Code::WrongType, field.key_range.clone(), message);
            return None;
        }
        let items: Vec<Node<'_>> = field.value.items().collect();
        let read: Vec<_> =
            items.into_iter().map(|item| self.item(item, &format!("an item of {}", field.key))).collect();
        read.into_iter().collect()
    }

    /// `true` or `false`.
    pub fn flag(&mut self, field: &Field<'_>) -> Option<bool> {
        let found = field.value.as_bool();
        if found.is_none() {
            let range = self.extent(field.value);
            let message = format!("{} must be true or false", field.key);
            let error = self.diagnostics.report(Code::WrongType, range, message);
            if matches!(field.value.text(), "yes" | "no" | "on" | "off") {
                error.hint("yes, no, on and off are plain texts in YAML 1.2");
            }
        }
        found
    }

    /// One of some words.
    pub fn choice(&mut self, field: &Field<'_>, valid: &[&'static str]) -> Option<&'static str> {
        let written = self.scalar(field)?;
        self.word_of(field.key, &written, valid)
    }

    /// A word of a key that takes only some.
    pub fn word_of(&mut self, key: &str, written: &Written, valid: &[&'static str]) -> Option<&'static str> {
        let found = valid.iter().find(|v| **v == written.text);
        if found.is_none() {
            let near = did_you_mean(&written.text, valid.iter().copied());
            let message = format!("{key} cannot be \"{}\"{near}", written.text);
            let hint = format!("it is one of: {}", valid.join(", "));
            self.diagnostics.report(Code::WrongValue, written.range.clone(), message).hint(hint);
        }
        found.copied()
    }

    /// The field of a key that must be there.
    pub fn required<'a, 'f>(&mut self, fields: &'f Fields<'a>, key: &str, what: &str) -> Option<&'f Field<'a>> {
        self.require(fields, &[key], what);
        fields.get(key)
    }

    /// Reports keys that must be there and are not.
    pub fn require(&mut self, fields: &Fields<'_>, keys: &[&str], what: &str) {
        let absent = keys.iter().filter(|key| fields.get(key).is_none());
        let missing: Vec<String> = absent.map(|key| format!("\"{key}\"")).collect();
        if missing.is_empty() {
            return;
        }
        let keys = if missing.len() == 1 { "key" } else { "keys" };
        let message = format!("{what} needs the {keys} {}", missing.join(", "));
        self.diagnostics.report(Code::MissingKey, fields.start.clone(), message);
    }

    /// Reports a node of the wrong kind.
    pub fn wrong_type(&mut self, node: Node<'_>, message: &str) {
        let range = self.extent(node);
        self.diagnostics.report(Code::WrongType, range, message);
    }

    /// Returns the place of a node: a whole scalar, or the first line of a collection.
    pub fn extent(&self, node: Node<'_>) -> Range<usize> {
        let (text, start) = (self.diagnostics.text(), node.offset());
        if self.tested {
            return start..start;
        }
        if !node.kind().is_scalar() || node.is_null() {
            let rest = text.get(start..).unwrap_or_default();
            return start..start + rest.find('\n').unwrap_or(rest.len()).max(1);
        }
        let end = locate::end(text, start, node.text());
        let quoted = matches!(text.as_bytes().get(start), Some(b'"' | b'\''));
        start..end + usize::from(quoted)
    }
}

fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Null => "empty",
        Kind::Bool => "a boolean",
        Kind::Number => "a number",
        Kind::String => "a text",
        Kind::Sequence => "a list",
        Kind::Mapping => "a mapping",
    }
}

/// Index behind a node's subtree; documents nest in a bounded way, so this may recurse.
fn end(node: Node<'_>) -> u32 {
    let last = match node.kind() {
        Kind::Mapping => node.entry_nodes().last().map(|(_, value)| value),
        Kind::Sequence => node.items().last(),
        _ => None,
    };
    last.map_or(node.index() + 1, end)
}
