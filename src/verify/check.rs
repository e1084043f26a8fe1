//! Checks the text of rule tests: errors have file, line, column and the nearest valid name.

use std::sync::Arc;

use jiff::Timestamp;

use super::case::{Case, Layout, object_name, same_object};
use super::json::json_of;
use crate::resource::types::{self, TypeName};
use crate::rule::error::{Code, Diagnostics, did_you_mean};
use crate::rule::source::document;
use crate::rule::source::reader::{Field, FieldReader, Fields, Written};
use crate::rule::{RuleError, RuleSet, Source, Streams};
use crate::yaml::{self, Kind, Node};

const FILE_KEYS: [&str; 3] = ["rule", "rules", "cases"];
const CASE_KEYS: [&str; 11] =
    ["name", "like", "now", "versions", "layout", "objects", "set", "files", "releases", "missing", "expect"];
const RELEASE_KEYS: [&str; 11] = [
    "name",
    "namespace",
    "revision",
    "status",
    "source",
    "chart",
    "chart_version",
    "updated",
    "description",
    "manifest",
    "hooks",
];
const HOOK_KEYS: [&str; 4] = ["name", "kind", "events", "manifest"];
const EXPECT_KEYS: [&str; 10] =
    ["rule", "object", "severity", "confidence", "title", "message", "cause", "remedy", "explained_by", "count"];
const SEVERITIES: [&str; 5] = ["critical", "high", "medium", "low", "info"];
const CONFIDENCES: [&str; 3] = ["certain", "likely", "hint"];
/// Kinds that findings can have without an object in the test: logs, events and release records create them.
const MADE: [&str; 3] = ["Pod", "Node", "HelmRelease"];

/// Returns all errors in a file of rule tests; `set` holds the rules that it may name.
pub fn check(file: &Source, set: &RuleSet, streams: &Streams) -> Vec<RuleError> {
    let mut diagnostics = Diagnostics::new(Arc::new(file.clone()));
    let (document, problems) = yaml::parse(file.text.as_bytes().to_vec());
    let expected = "a rule test is a mapping with rule and cases";
    if let Some(root) =
        document::only_root(&mut diagnostics, &document, &problems, "a file of tests is one mapping", expected)
    {
        let mut check = Check {
            reader: FieldReader { diagnostics: &mut diagnostics, tested: false },
            set,
            streams,
            rules: Vec::new(),
        };
        check.file(root);
    }
    let mut found = diagnostics.into_found();
    found.sort_by(|a, b| a.sort_key().cmp(&b.sort_key()));
    found
}

struct Check<'c> {
    reader: FieldReader<'c>,
    set: &'c RuleSet,
    streams: &'c Streams,
    /// The rules that run together.
    rules: Vec<String>,
}

/// A checked case, which others may inherit from.
struct Done {
    name: String,
    /// Names of its objects.
    objects: Vec<String>,
}

impl Check<'_> {
    fn file(&mut self, root: Node<'_>) {
        let Some(fields) = self.reader.fields(root, "a rule test", &FILE_KEYS) else { return };
        let rules = match (fields.get("rule"), fields.get("rules")) {
            (Some(one), None) => self.reader.scalar(one).map(|one| vec![one]),
            (None, Some(list)) => self.reader.list(list),
            (Some(_), Some(both)) => {
                let message = "a rule test has either rule or rules";
                self.reader.diagnostics.report(Code::WrongValue, both.key_range.clone(), message);
                None
            }
            (None, None) => {
                let error = self.reader.diagnostics.report(
                    Code::MissingKey,
                    fields.start.clone(),
                    "a rule test needs the key \"rule\"",
                );
                error.hint("write rule: ID, or rules: [CAUSE, SYMPTOM] to test folding");
                None
            }
        };
        for rule in rules.unwrap_or_default() {
            self.rule(&rule);
            self.rules.push(rule.text);
        }
        let Some(cases) = self.reader.required(&fields, "cases", "a rule test") else { return };
        let mut done: Vec<Done> = Vec::new();
        for case in self.list(cases) {
            if let Some(one) = self.case(case, &done) {
                done.push(one);
            }
        }
    }

    fn rule(&mut self, written: &Written) {
        let ids = || self.set.rules.iter().map(|rule| rule.id.as_str());
        if !ids().any(|id| id == written.text) {
            let near = did_you_mean(&written.text, ids());
            let message = format!("there is no rule \"{}\"{near}", written.text);
            self.reader.diagnostics.report(Code::TestName, written.range.clone(), message);
        }
    }

    /// Reads the items of a list.
    fn list<'a>(&mut self, field: &Field<'a>) -> Vec<Node<'a>> {
        if field.value.kind() != Kind::Sequence {
            self.reader.wrong_type(field.value, &format!("{} must be a list", field.key));
            return Vec::new();
        }
        field.value.items().collect()
    }

    fn case(&mut self, node: Node<'_>, done: &[Done]) -> Option<Done> {
        let fields = self.reader.fields(node, "a case", &CASE_KEYS)?;
        let name = self.reader.required(&fields, "name", "a case").and_then(|field| self.reader.scalar(field))?;
        if done.iter().any(|other| other.name == name.text) {
            let message = format!("another case is called \"{}\"", name.text);
            self.reader.diagnostics.report(Code::TestName, name.range.clone(), message);
        }
        let mut objects = fields.get("like").and_then(|field| self.like(field, done)).unwrap_or_default();
        if let Some(layout) = fields.get("layout") {
            self.reader.choice(layout, &Layout::NAMES);
        }
        if let Some(now) = fields.get("now").and_then(|field| self.reader.scalar(field)) {
            self.now(&now);
        }
        for object in fields.get("objects").map(|field| self.list(field)).into_iter().flatten() {
            objects.extend(self.object(object, &objects));
        }
        if let Some(set) = fields.get("set") {
            self.patches(set, &mut objects);
        }
        for release in fields.get("releases").map(|field| self.list(field)).into_iter().flatten() {
            self.release(release);
        }
        for missing in fields.get("missing").and_then(|field| self.names(field)).into_iter().flatten() {
            self.missing(&missing);
        }
        self.expectation(&fields, &objects);
        Some(Done { name: name.text, objects })
    }

    /// Reads a list of names. It may be empty: then nothing is inherited.
    fn names(&mut self, field: &Field<'_>) -> Option<Vec<Written>> {
        if field.value.kind() == Kind::Sequence && field.value.is_empty() { None } else { self.reader.list(field) }
    }

    fn like(&mut self, field: &Field<'_>, done: &[Done]) -> Option<Vec<String>> {
        let written = self.reader.scalar(field)?;
        let found = done.iter().find(|case| case.name == written.text);
        if found.is_none() {
            let near = did_you_mean(&written.text, done.iter().map(|case| case.name.as_str()));
            let message = format!("no case above is called \"{}\"{near}", written.text);
            self.reader
                .diagnostics
                .report(Code::TestName, written.range, message)
                .hint("like must name a case above this one");
        }
        found.map(|case| case.objects.clone())
    }

    fn now(&mut self, written: &Written) {
        if written.text.parse::<Timestamp>().is_err() {
            let message = format!("\"{}\" is no time", written.text);
            self.reader
                .diagnostics
                .report(Code::WrongValue, written.range.clone(), message)
                .hint("write it as 2025-02-10T10:00:00Z");
        }
    }

    /// Reads the name of an object, which none of the others has: which of two would count depends on the order of reading.
    fn object(&mut self, node: Node<'_>, others: &[String]) -> Option<String> {
        let fields = self.reader.entries(node, "an object")?;
        self.reader.require(&fields, &["kind", "metadata"], "an object");
        let kind = self.reader.scalar(fields.get("kind")?)?;
        let metadata = fields.get("metadata")?;
        let inside = self.reader.entries(metadata.value, "metadata")?;
        let name = self.reader.required(&inside, "name", "metadata").and_then(|field| self.reader.scalar(field))?;
        let group = types::split_api_version(node.str_at(&["apiVersion"]).unwrap_or_default()).0;
        match types::known_kind(group, &kind.text) {
            Some(known) if known.namespaced && inside.get("namespace").is_none() => {
                let error = self.reader.diagnostics.report(
                    Code::MissingKey,
                    inside.start.clone(),
                    "metadata needs the key \"namespace\"",
                );
                error.hint(format!("objects of kind {} have a namespace", kind.text));
            }
            Some(_) => {}
            None => self.kind(&kind, group, &fields),
        }
        let full = object_name(&json_of(node));
        if others.contains(&full) {
            let message = format!("the case has another object \"{full}\"");
            let error = self.reader.diagnostics.report(Code::TestName, name.range, message);
            error.hint("give it another name, or change the one of the case above with set");
        }
        Some(full)
    }

    /// Reports a kind that its group does not have; unknown groups may have any.
    fn kind(&mut self, kind: &Written, group: &str, fields: &Fields<'_>) {
        let of_group = || types::known_types().iter().filter(|known| known.group == group).map(|known| known.kind);
        let near = did_you_mean(&kind.text, of_group());
        if near.is_empty() && fields.get("apiVersion").is_none() {
            let error = self.reader.diagnostics.report(
                Code::MissingKey,
                fields.start.clone(),
                "an object needs the key \"apiVersion\"",
            );
            error.hint(format!("{} is not a kind of the core API; write its group: Kind.group/name", kind.text));
        } else if !near.is_empty() {
            let group = if group.is_empty() { "the core group" } else { group };
            let message = format!("{group} has no kind \"{}\"{near}", kind.text);
            self.reader.diagnostics.report(Code::TestName, kind.range.clone(), message);
        }
    }

    /// Checks that the objects that `set` changes exist; null removes them.
    fn patches(&mut self, field: &Field<'_>, objects: &mut Vec<String>) {
        let Some(patches) = self.reader.entries(field.value, "set") else { return };
        for patch in patches.iter() {
            let found = objects.iter().position(|name| same_object(name, patch.key));
            match found {
                Some(position) if patch.value.is_null() => drop(objects.remove(position)),
                Some(_) => {}
                None => self.unknown_object(patch.key, patch.key_range.clone(), objects),
            }
        }
    }

    fn unknown_object(&mut self, name: &str, range: std::ops::Range<usize>, objects: &[String]) {
        let near = did_you_mean(name, objects.iter().map(String::as_str));
        let message = format!("the case has no object \"{name}\"{near}");
        let error = self.reader.diagnostics.report(Code::TestName, range, message);
        if near.is_empty() && !objects.is_empty() {
            error.hint(format!("it has: {}", objects.join(", ")));
        } else if near.is_empty() {
            error.hint("it has no objects; they are named Kind[.group]/[namespace/]name");
        }
    }

    fn release(&mut self, node: Node<'_>) {
        let Some(fields) = self.reader.fields(node, "a release", &RELEASE_KEYS) else { return };
        self.reader.require(&fields, &["name", "status", "source"], "a release");
        if let Some(source) = fields.get("source") {
            self.reader.choice(source, &["helm2", "helm3", "app"]);
        }
        for hook in fields.get("hooks").map(|field| self.list(field)).into_iter().flatten() {
            self.reader.fields(hook, "a hook", &HOOK_KEYS);
        }
    }

    /// Checks a type, a type in a namespace, a stream, a path of logs, or the word for what a collector leaves out.
    fn missing(&mut self, written: &Written) {
        let text = written.text.as_str();
        if text == Case::LEFT_OUT
            || self.streams.get(text).is_some()
            || text.contains(['*', '?'])
            || text.contains(".log")
        {
            return;
        }
        let name = text.split_once('/').map_or(text, |(name, _)| name);
        let resolved = types::resolve(name);
        let group = resolved.name.group.as_str();
        // Types of unknown groups are accepted.
        if resolved.known || !group.is_empty() && !types::known_types().iter().any(|known| known.group == group) {
            return;
        }
        let types: Vec<String> =
            types::known_types().iter().map(|known| TypeName::new(known.plural, known.group).to_string()).collect();
        let near = did_you_mean(name, self.streams.names().chain(types.iter().map(String::as_str)));
        let message = format!("\"{text}\" is neither a type, a stream nor the path of a log{near}");
        self.reader.diagnostics.report(Code::TestName, written.range.clone(), message);
    }

    fn expectation(&mut self, fields: &Fields<'_>, objects: &[String]) {
        let Some(field) = fields.get("expect") else {
            let message = "a case needs the key \"expect\"";
            self.reader
                .diagnostics
                .report(Code::MissingKey, fields.start.clone(), message)
                .hint("write expect: [] for a rule that must not fire");
            return;
        };
        if field.value.kind() == Kind::Sequence {
            field.value.items().for_each(|item| self.expected(item, objects));
        } else if field.value.kind() == Kind::Mapping {
            self.reader.wrong_type(field.value, "expect is a list of findings: begin each with \"- \"");
        } else {
            self.reader.choice(field, &["[]", "not_evaluated", "clean_partly", "not_applicable"]);
        }
    }

    fn expected(&mut self, node: Node<'_>, objects: &[String]) {
        let Some(fields) = self.reader.fields(node, "an expected finding", &EXPECT_KEYS) else { return };
        if let Some(severity) = fields.get("severity") {
            self.reader.choice(severity, &SEVERITIES);
        }
        if let Some(confidence) = fields.get("confidence") {
            self.reader.choice(confidence, &CONFIDENCES);
        }
        match fields.get("rule").and_then(|field| self.reader.scalar(field)) {
            Some(rule) if !self.rules.is_empty() && !self.rules.contains(&rule.text) => {
                let near = did_you_mean(&rule.text, self.rules.iter().map(String::as_str));
                let message = format!("the file does not test a rule \"{}\"{near}", rule.text);
                self.reader.diagnostics.report(Code::TestName, rule.range, message);
            }
            None if self.rules.len() > 1 => {
                let message = "an expected finding needs the key \"rule\"";
                let error = self.reader.diagnostics.report(Code::MissingKey, fields.start.clone(), message);
                error.hint("the test runs several rules: name the one that finds it");
            }
            _ => {}
        }
        if let Some(object) = fields.get("object").and_then(|field| self.reader.scalar(field)) {
            let kind = object.text.split(['.', '/']).next().unwrap_or_default();
            let events = objects.iter().any(|name| name.starts_with("Event"));
            let known = objects.iter().any(|name| same_object(name, &object.text));
            if !known && !events && !MADE.contains(&kind) {
                self.unknown_object(&object.text, object.range, objects);
            }
        }
    }
}
