//! Which fields and lines decided: the proof of a finding.

use std::collections::BTreeSet;

use super::Input;
use super::join::Combination;
use crate::expr::{Read, Slot, Value};
use crate::log::{HitGroup, Sample};
use crate::model::{Evidence, ExcerptLine};
use crate::resource::{Resource, ResourceId};
use crate::rule::{Fact, FactKind, Rule};
use crate::yaml::{Kind, Node, secret};

/// At most so many pieces of evidence a fact, and a finding.
const PER_FACT: usize = 20;
const PER_FINDING: usize = 60;
/// Lines shown before and after the one that proves.
const CONTEXT: usize = 2;

/// The proof for a finding: what its combinations read, in the order of the rule's facts.
pub fn evidence(input: &Input, rule: &Rule, rows: &[Combination<'_>]) -> Vec<Evidence> {
    let mut proof =
        Proof { input, rule, seen: BTreeSet::new(), counts: vec![0; rule.names.len() + 1], found: Vec::new() };
    for row in rows.iter().take(PER_FACT) {
        proof.add_row(row);
    }
    proof.found.sort_by_key(|(slot, _)| *slot);
    let mut found: Vec<Evidence> = proof.found.into_iter().map(|(_, evidence)| evidence).collect();
    found.truncate(PER_FINDING);
    for row in rows.iter().take(1) {
        found.extend(absences(input, rule, row));
    }
    found
}

struct Proof<'i, 'r> {
    input: &'i Input,
    rule: &'r Rule,
    seen: BTreeSet<(ResourceId, u32)>,
    counts: Vec<usize>,
    found: Vec<(Slot, Evidence)>,
}

impl Proof<'_, '_> {
    fn add_row(&mut self, row: &Combination<'_>) {
        let mut reads = Vec::new();
        for (slot, fact) in self.rule.facts.iter().enumerate().take(self.rule.find) {
            self.trace_fact(slot, fact, row, &mut reads);
        }
        for condition in &self.rule.when {
            condition.trace(&self.input.world, &row.values, &mut reads);
        }
        for read in reads {
            self.add_read(&read);
        }
        for slot in 0..self.rule.find {
            self.add_binding(slot, &row.values[slot]);
        }
    }

    /// Traces the fact's own conditions; for a collected fact once for each element.
    fn trace_fact(&self, slot: Slot, fact: &Fact, row: &Combination<'_>, reads: &mut Vec<Read>) {
        let mut trace = |values: &[Value<'_>]| {
            for condition in &fact.conditions {
                condition.trace(&self.input.world, values, reads);
            }
            if let FactKind::Each(expr) | FactKind::Value(expr) = &fact.kind {
                expr.reads(&self.input.world, values, reads);
            }
        };
        match &row.values[slot] {
            Value::Null => {}
            Value::List(items) if fact.collect => {
                let mut values = row.values.clone();
                for item in items.iter().take(PER_FACT) {
                    values[slot] = item.clone();
                    trace(&values);
                }
            }
            _ => trace(&row.values),
        }
    }

    fn add_read(&mut self, read: &Read) {
        // Reads through functions stand behind those of the facts.
        let slot = read.slot.unwrap_or(self.rule.names.len());
        let resource = self.input.world.resources.resource(read.resource);
        self.add_field(slot, read.resource, resource.document.node(read.node));
    }

    fn add_field(&mut self, slot: Slot, id: ResourceId, node: Node<'_>) {
        if self.counts[slot] >= PER_FACT || !self.seen.insert((id, node.index())) {
            return;
        }
        self.counts[slot] += 1;
        let fact = self.rule.names.get(slot).map_or("", String::as_str);
        let resource = self.input.world.resources.resource(id);
        let evidence = match resource.source {
            Some(source) => made_evidence(fact, resource, self.input.world.resources.resource(source), node),
            None => field_evidence(fact, resource, node),
        };
        self.found.push((slot, evidence));
    }

    /// What a binding shows by itself: lines of logs, messages of events, the object where no field of it was read.
    fn add_binding(&mut self, slot: Slot, value: &Value<'_>) {
        match value {
            Value::Hits(group) => self.add_lines(slot, group),
            Value::Events(group) => {
                let ids = [group.events.last(), group.events.first()];
                for id in ids.into_iter().flatten() {
                    self.add_event(slot, *id);
                }
            }
            Value::Resource(id) if !self.seen.iter().any(|(seen, _)| seen == id) => {
                let body = self.input.world.resources.resource(*id).body();
                self.add_field(slot, *id, body.path(&["metadata", "name"]).unwrap_or(body));
            }
            Value::File(file) => self.found.push((
                slot,
                Evidence {
                    fact: self.rule.names[slot].clone(),
                    entry: file.path.to_string(),
                    line: None,
                    field: None,
                    value: None,
                    excerpt: Vec::new(),
                },
            )),
            Value::List(items) => items.iter().take(PER_FACT).for_each(|item| self.add_binding(slot, item)),
            _ => {}
        }
    }

    fn add_event(&mut self, slot: Slot, id: ResourceId) {
        let body = self.input.world.resources.resource(id).body();
        let message = ["message", "note"].iter().find_map(|key| body.get(key));
        self.add_field(slot, id, message.unwrap_or(body));
    }

    fn add_lines(&mut self, slot: Slot, group: &HitGroup) {
        let samples: BTreeSet<&Sample> = [&group.first_hit, &group.last_hit].into();
        for sample in samples {
            if self.counts[slot] < PER_FACT {
                self.counts[slot] += 1;
                self.found.push((slot, line_evidence(&self.rule.names[slot], sample)));
            }
        }
    }
}

fn field_evidence(fact: &str, resource: &Resource, node: Node<'_>) -> Evidence {
    Evidence {
        fact: fact.to_owned(),
        entry: resource.entry.to_string(),
        line: Some(node.line()),
        field: Some(field_path(resource.body(), node.index())),
        value: shown_value(node),
        excerpt: resource.document.excerpt(node, CONTEXT),
    }
}

/// A field of an object that we made stands nowhere; the object it was made from does.
fn made_evidence(fact: &str, made: &Resource, source: &Resource, node: Node<'_>) -> Evidence {
    let body = source.body();
    let place = body.path(&["metadata", "name"]).unwrap_or(body);
    Evidence {
        field: Some(field_path(made.body(), node.index())),
        value: shown_value(node),
        ..field_evidence(fact, source, place)
    }
}

fn shown_value(node: Node<'_>) -> Option<String> {
    match node.kind() {
        Kind::Mapping | Kind::Sequence => None,
        Kind::Null => Some("null".to_owned()),
        _ if node.is_secret() => Some("***".to_owned()),
        _ => Some(shortened(node.text())),
    }
}

/// Long values are cut: the excerpt has the place.
fn shortened(text: &str) -> String {
    const LONGEST: usize = 400;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// `status.conditions[2].status`: the way from the object to one of its nodes.
fn field_path(body: Node<'_>, target: u32) -> String {
    let mut path = String::new();
    let mut at = body;
    while at.index() != target {
        let entry = at.entries().take_while(|(_, value)| value.index() <= target).last();
        let item = at.items().enumerate().take_while(|(_, value)| value.index() <= target).last();
        match (entry, item) {
            (Some((key, value)), _) => {
                push_key(&mut path, &key);
                at = value;
            }
            (None, Some((position, value))) => {
                path.push_str(&format!("[{position}]"));
                at = value;
            }
            (None, None) => break,
        }
    }
    path
}

/// Keys with dots or slashes are quoted, as CEL and kubectl's JSONPath write them.
fn push_key(path: &mut String, key: &str) {
    if key.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-') {
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(key);
    } else {
        path.push_str(&format!("['{key}']"));
    }
}

fn line_evidence(fact: &str, sample: &Sample) -> Evidence {
    let first = sample.line.saturating_sub(sample.before.len() as u64);
    let lines = sample.before.iter().chain([&sample.text]).chain(&sample.after);
    let excerpt = lines
        .zip(first..)
        .map(|(text, line)| ExcerptLine { line, text: masked(text), hit: line == sample.line })
        .collect();
    Evidence {
        fact: fact.to_owned(),
        entry: sample.entry.to_string(),
        line: Some(sample.line),
        field: None,
        value: None,
        excerpt,
    }
}

/// A line of a log without the values of secret keys.
fn masked(line: &str) -> String {
    let mut shown = line.to_owned();
    for range in secret::in_line(line).into_iter().rev() {
        shown.replace_range(range, "***");
    }
    shown
}

/// What `unless` did not find, and where it looked.
fn absences(input: &Input, rule: &Rule, row: &Combination<'_>) -> Vec<Evidence> {
    let mut found = Vec::new();
    for fact in &rule.facts[rule.find..] {
        let FactKind::Resource(query) = &fact.kind else { continue };
        let dynamic = query.namespace_expr.as_ref().map(|expr| expr.eval(&input.world, &row.values));
        let dynamic = dynamic.as_ref().and_then(|value| value.as_str());
        let namespace = query.exact_namespace.as_deref().or(dynamic);
        for name in &query.types {
            let entries = input.world.resources.searched(name, namespace);
            found.extend(entries.into_iter().take(3).map(|entry| Evidence {
                fact: fact.name.clone(),
                value: Some(format!("not in {entry}")),
                entry,
                line: None,
                field: None,
                excerpt: Vec::new(),
            }));
        }
    }
    found.truncate(PER_FACT);
    found
}
