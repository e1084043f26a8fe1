//! Evidence of a finding: the fields and lines that decided.

use std::collections::BTreeSet;

use crate::eval::facts::alternative_set::AlternativeSet;
use crate::eval::input::Input;
use crate::eval::join::combination::Combination;
use crate::expr::{Slot, TracedField, Value};
use crate::log::{HitGroup, Sample};
use crate::model::{Evidence, EvidenceValue, ExcerptLine, secret};
use crate::resource::{Resource, ResourceId, TypeName};
use crate::rule::{Fact, FactKind, Rule};
use crate::yaml::{Kind, Node};

/// Largest number of pieces of evidence of a fact, and of a finding.
const PER_FACT: usize = 20;
const PER_FINDING: usize = 60;
/// Largest number of entries named that do not contain a fact of `unless`.
const SEARCHED: usize = 3;
/// Number of lines shown before and after the deciding one.
const CONTEXT: usize = 2;

/// Returns the evidence of a finding: the fields that its combinations read, its subject first, then in the order of the rule's facts.
pub fn evidence(input: &Input, rule: &Rule, rows: &[Combination<'_>]) -> Vec<Evidence> {
    let mut proof = Proof::new(input, rule);
    proof.add_rows(&rows[..rows.len().min(PER_FACT)]);

    proof.found.sort_by_key(|(slot, _)| (!rule.about.contains(slot), *slot));
    let mut found: Vec<Evidence> = proof.found.into_iter().map(|(_, evidence)| evidence).collect();
    found.truncate(PER_FINDING);
    for row in rows.iter().take(1) {
        found.extend(absences(input, rule, row));
    }
    found
}

/// Returns the fields of objects that made conditions of the combinations hold, within the limits of evidence.
pub fn fields_read(input: &Input, rule: &Rule, rows: &[Combination<'_>]) -> Vec<FieldRead> {
    Proof::new(input, rule).reads(&rows[..rows.len().min(PER_FACT)])
}

/// Returns the values on which a condition depends, directly or through others.
fn used_values(rule: &Rule) -> BTreeSet<Slot> {
    let facts = || rule.facts.iter().take(rule.find);
    let conditions = rule.when.iter().chain(facts().flat_map(Fact::all_conditions));
    let elements = facts().filter(|fact| !fact.is_value()).flat_map(Fact::expressions);
    let mut waiting: Vec<Slot> = conditions.chain(elements).flat_map(|expr| expr.slots().to_vec()).collect();
    let mut used = BTreeSet::new();
    while let Some(slot) = waiting.pop() {
        if used.insert(slot)
            && let Some(value) = rule.facts.get(slot).filter(|fact| fact.is_value())
        {
            waiting.extend(value.expressions().flat_map(|expr| expr.slots()));
        }
    }
    used
}

/// Adds reads; a field read through `get` or `owner` is evidence for the fact whose expression read it.
fn note(asked: Slot, reads: Vec<TracedField>, found: &mut Vec<FieldRead>) {
    found.extend(reads.into_iter().map(|read| (read.slot.unwrap_or(asked), read.resource, read.node)));
}

struct Proof<'i, 'r> {
    input: &'i Input,
    rule: &'r Rule,
    seen: BTreeSet<(ResourceId, u32)>,
    counts: Vec<usize>,
    found: Vec<(Slot, Evidence)>,
}

/// A field and the fact for which it is evidence.
pub type FieldRead = (Slot, ResourceId, u32);

impl<'i, 'r> Proof<'i, 'r> {
    fn new(input: &'i Input, rule: &'r Rule) -> Self {
        Self { input, rule, seen: BTreeSet::new(), counts: vec![0; rule.names.len()], found: Vec::new() }
    }

    fn reads(&self, rows: &[Combination<'_>]) -> Vec<FieldRead> {
        let used = used_values(self.rule);
        let mut reads = Vec::new();
        for row in rows {
            self.trace_row(row, &used, &mut reads);
        }
        reads
    }

    fn add_rows(&mut self, rows: &[Combination<'_>]) {
        for (slot, id, node) in self.deepest(self.reads(rows)) {
            let resource = self.input.world.resources.resource(id);
            self.add_field(slot, id, resource.document.node(node));
        }
        for row in rows {
            for slot in 0..self.rule.find {
                self.add_binding(slot, &row.values[slot]);
            }
        }
    }

    fn trace_row(&self, row: &Combination<'_>, used: &BTreeSet<Slot>, found: &mut Vec<FieldRead>) {
        // What facts search for comes before what values compute from it, wherever they stand in the rule: each object has room
        // for its deciding fields only.
        let facts = |of_values: bool| {
            let all = self.rule.facts.iter().enumerate().take(self.rule.find);
            all.filter(move |(_, fact)| fact.is_value() == of_values)
        };
        for (slot, fact) in facts(false).chain(facts(true)) {
            let mut reads = Vec::new();
            self.trace_fact(slot, fact, row, used, &mut reads);
            note(slot, reads, found);
        }
        for condition in &self.rule.when {
            let mut reads = Vec::new();
            condition.trace(&self.input.world, &row.values, &mut reads);
            let asked = condition.slots().first().or(self.rule.about.first()).copied().unwrap_or(0);
            note(asked, reads, found);
        }
    }

    /// Traces the conditions of the fact and of the alternatives that matched; for a collected fact once for each
    /// element.
    fn trace_fact(
        &self,
        slot: Slot,
        fact: &Fact,
        row: &Combination<'_>,
        used: &BTreeSet<Slot>,
        reads: &mut Vec<TracedField>,
    ) {
        let via: &[AlternativeSet] = row.via.get(&slot).map_or(&[], |via| via);
        let mut trace = |values: &[Value<'_>], element: usize| {
            let via = via.get(element).copied().unwrap_or(AlternativeSet::FIRST);
            let matched = fact.alternatives.iter().enumerate().filter(|(position, _)| via.contains(*position));
            let own = matched.flat_map(|(_, alternative)| &alternative.conditions);
            for condition in fact.conditions.iter().chain(own) {
                condition.trace(&self.input.world, values, reads);
            }
        };
        match &row.values[slot] {
            Value::Null | Value::Undecided(_) => return,
            Value::List(items) if fact.collect => {
                let mut values = row.values.clone();
                for (element, item) in items.iter().enumerate().take(PER_FACT) {
                    values[slot] = item.clone();
                    trace(&values, element);
                }
            }
            _ => trace(&row.values, 0),
        }
        let matched = |position: usize| via.is_empty() || via.iter().any(|via| via.contains(position));
        let taken_from = fact.alternatives.iter().enumerate().filter(|(position, _)| matched(*position));
        for expr in taken_from.filter_map(|(_, alternative)| alternative.kind.expression()) {
            if !fact.is_value() || used.contains(&slot) {
                expr.reads(&self.input.world, &row.values, reads);
            }
        }
    }

    /// Drops mappings and lists of which a field was read as well: that field is more precise.
    fn deepest(&self, reads: Vec<FieldRead>) -> Vec<FieldRead> {
        let mut parents = BTreeSet::new();
        for (_, id, node) in &reads {
            let body = self.input.world.resources.resource(*id).body();
            parents.extend(around(body, *node).into_iter().map(|parent| (*id, parent.index())));
        }
        reads.into_iter().filter(|(_, id, node)| !parents.contains(&(*id, *node))).collect()
    }

    fn add_field(&mut self, slot: Slot, id: ResourceId, node: Node<'_>) {
        let resource = self.input.world.resources.resource(id);
        let body = resource.body();
        // An object itself is shown by its name.
        let node = if node.index() == body.index() { body.path(&["metadata", "name"]).unwrap_or(body) } else { node };
        if self.counts[slot] >= PER_FACT || !self.seen.insert((id, node.index())) {
            return;
        }
        self.counts[slot] += 1;
        let fact = &self.rule.names[slot];
        let evidence = match resource.source {
            Some(source) => made_evidence(fact, resource, self.input.world.resources.resource(source), node),
            None => field_evidence(fact, resource, node),
        };
        self.found.push((slot, evidence));
    }

    /// Adds the evidence of a binding: lines of logs, messages of events, the object if none of its fields was read.
    fn add_binding(&mut self, slot: Slot, value: &Value<'_>) {
        match value {
            Value::Hits(group) => self.add_lines(slot, group),
            Value::Sequence(group) => group.hits().for_each(|hits| self.add_lines(slot, hits)),
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
                    entry: file.origin.entry.to_string(),
                    line: file.origin.line,
                    field: None,
                    value: None,
                    matched: None,
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
        let largest = group.largest.iter().map(|largest| &largest.hit);
        let samples: BTreeSet<&Sample> = [&group.first_hit, &group.last_hit].into_iter().chain(largest).collect();
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
        field: Some(field_path(resource.root_of(node), node.index())),
        value: shown_value(node).map(EvidenceValue::Text),
        matched: None,
        excerpt: resource.document.excerpt(node, CONTEXT),
    }
}

/// Makes evidence of a derived object: its place is that of the object from which it was derived.
fn made_evidence(fact: &str, made: &Resource, source: &Resource, node: Node<'_>) -> Evidence {
    let body = source.body();
    let place = body.path(&["metadata", "name"]).unwrap_or(body);
    Evidence {
        field: Some(field_path(made.body(), node.index())),
        value: shown_value(node).map(EvidenceValue::Text),
        ..field_evidence(fact, source, place)
    }
}

/// Formats a scalar for evidence: masked if it is secret, shortened if it is long; `None` for collections.
pub fn shown_value(node: Node<'_>) -> Option<String> {
    match node.kind() {
        Kind::Mapping | Kind::Sequence => None,
        Kind::Null => Some("null".to_owned()),
        _ if node.is_secret() => Some(secret::MASK.to_owned()),
        _ => Some(shortened(node.text())),
    }
}

/// Shortens long values in their middle, as messages end with what is wrong: the excerpt has the place.
fn shortened(text: &str) -> String {
    const HEAD: usize = 240;
    const TAIL: usize = 160;
    let length = text.chars().count();
    if length <= HEAD + TAIL {
        return text.to_owned();
    }
    let head = text.chars().take(HEAD);
    head.chain(['…']).chain(text.chars().skip(length - TAIL)).collect()
}

/// Returns the path from the object to one of its nodes: `status.conditions[2].status`.
pub fn field_path(body: Node<'_>, target: u32) -> String {
    let mut path = String::new();
    descend(body, target, &mut |step, _| match step {
        PathStep::Key(key) => push_key(&mut path, key),
        PathStep::Item(position) => path.push_str(&format!("[{position}]")),
    });
    path
}

/// Returns the mappings and lists around a node of an object, outermost first.
pub fn around(body: Node<'_>, target: u32) -> Vec<Node<'_>> {
    let mut parents = Vec::new();
    descend(body, target, &mut |_, parent| parents.push(parent));
    parents
}

/// One step of a path into an object.
enum PathStep<'k> {
    Key(&'k str),
    Item(usize),
}

/// Walks from an object to one of its nodes, with every step and the node that it is taken from.
fn descend<'b>(body: Node<'b>, target: u32, visit: &mut dyn FnMut(PathStep<'_>, Node<'b>)) {
    let mut at = body;
    while at.index() != target {
        let entry = at.entries().take_while(|(_, value)| value.index() <= target).last();
        let item = at.items().enumerate().take_while(|(_, value)| value.index() <= target).last();
        at = match (entry, item) {
            (Some((key, value)), _) => {
                visit(PathStep::Key(&key), at);
                value
            }
            (None, Some((position, value))) => {
                visit(PathStep::Item(position), at);
                value
            }
            (None, None) => break,
        }
    }
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
        .map(|(text, line)| ExcerptLine { line, text: text.clone(), hit: line == sample.line })
        .collect();
    Evidence {
        fact: fact.to_owned(),
        entry: sample.entry.to_string(),
        line: Some(sample.line),
        field: None,
        value: None,
        matched: Some(sample.matched.clone()).filter(|matched| !matched.is_empty()),
        excerpt,
    }
}

/// Makes evidence of what `unless` did not find: the entries that were searched.
fn absences(input: &Input, rule: &Rule, row: &Combination<'_>) -> Vec<Evidence> {
    let mut found = Vec::new();
    let facts = &rule.facts[rule.find..];
    for (fact, kind) in facts.iter().flat_map(|fact| fact.kinds().map(move |kind| (fact, kind))) {
        if matches!(kind, FactKind::Event(_)) {
            let entries = input.world.resources.searched(&TypeName::parse("events"), None, SEARCHED);
            found.extend(entries.into_iter().map(|entry| absence(fact, entry)));
        }
        let FactKind::Resource(query) = kind else { continue };
        let dynamic = query.namespace_expr.as_ref().map(|expr| expr.eval(&input.world, &row.values));
        let dynamic = dynamic.as_ref().and_then(|value| value.as_str());
        let namespace = query.exact_namespace.as_deref().or(dynamic);
        for name in &query.types {
            let entries = input.world.resources.searched(name, namespace, SEARCHED);
            found.extend(entries.into_iter().map(|entry| absence(fact, entry)));
        }
    }
    found.truncate(PER_FACT);
    found
}

fn absence(fact: &Fact, entry: String) -> Evidence {
    Evidence {
        fact: fact.name.clone(),
        value: Some(EvidenceValue::NotInEntry),
        entry,
        line: None,
        field: None,
        matched: None,
        excerpt: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_path_leads_to_its_node() {
        let text = "a:\n  b: [x, {c.d/e: 1, f: [[2]]}]\n  g: null\n'': {h: 3}\n";
        let (document, _) = crate::yaml::parse(text.as_bytes().to_vec());
        let root = document.roots().next().unwrap();
        let second = root.path(&["a", "b"]).unwrap().at(1).unwrap();
        for (node, wanted) in [
            (root, ""),
            (root.get("a").unwrap(), "a"),
            (second, "a.b[1]"),
            (second.get("c.d/e").unwrap(), "a.b[1]['c.d/e']"),
            (second.get("f").unwrap().at(0).unwrap().at(0).unwrap(), "a.b[1].f[0][0]"),
            (root.path(&["a", "g"]).unwrap(), "a.g"),
        ] {
            assert_eq!(field_path(root, node.index()), wanted);
        }
    }

    #[test]
    fn long_values_are_cut_between_characters() {
        assert_eq!(shortened("kurz"), "kurz");
        assert_eq!(
            shortened(&format!("{}end", "ä".repeat(401))),
            format!("{}…{}end", "ä".repeat(240), "ä".repeat(157))
        );
    }
}
